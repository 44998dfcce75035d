package blackbox

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/api/client"
)

// instance is a running `holdfast serve`.
type instance struct {
	*process
	world *world
	url   string
	http  *http.Client // checks every answer, see checked
	api   *client.ClientWithResponses
}

// env is the environment of a command over the world's database.
func (w *world) env(more ...string) []string {
	return append([]string{
		"HOLDFAST_DATABASE_URL=" + w.database,
		"HOLDFAST_DATABASE_SCHEMA=" + w.schema,
		"HOLDFAST_DATABASE_POOL=6",
		"HOLDFAST_LISTEN=127.0.0.1:0",
		"HOLDFAST_INTERNAL_LISTEN=127.0.0.1:0",
	}, more...)
}

// serve starts an instance and returns once it listens. Later settings
// replace those of the world.
func (w *world) serve(settings ...string) *instance {
	w.Helper()
	i := w.watch(start(w, w.env(settings...), "serve"))
	i.connect(i.listening("public"))
	return i
}

// ready starts an instance and returns once its store is composed.
func (w *world) ready(settings ...string) *instance {
	w.Helper()
	i := w.serve(settings...)
	i.log("the store is ready")
	return i
}

// watch holds a process's log to the rules of logs when the test ends.
func (w *world) watch(p *process) *instance {
	i := &instance{process: p, world: w}
	w.Cleanup(func() {
		p.kill(w)
		w.checkLog(p.err.all())
	})
	return i
}

func (i *instance) connect(address string) {
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	i.world.Cleanup(transport.CloseIdleConnections)
	i.url = "http://" + address
	i.http = &http.Client{Transport: checked{i.world, transport}, Timeout: patience}
	api, err := client.NewClientWithResponses(i.url, client.WithHTTPClient(i.http))
	must(i.world, err)
	i.api = api
}

// in is the instance as a part of the test has it, which fails for itself.
func (i *instance) in(t testing.TB) *instance {
	part := *i
	part.world = i.world.in(t)
	return &part
}

// logLine is a line of the log.
type logLine struct {
	Time        string
	Level       string
	Message     string `json:"msg"`
	Correlation string
	Listener    string
	Address     string
	Code        string
	Session     string
	Error       string
	Why         string
}

// listening waits until a listener is bound, and says where.
func (i *instance) listening(name string) string {
	i.world.Helper()
	for from := 0; ; {
		var line logLine
		if line, from = i.logFrom(from, "listening"); line.Listener == name {
			return line.Address
		}
	}
}

// log waits for a line with a message.
func (i *instance) log(message string) logLine {
	i.world.Helper()
	line, _ := i.logFrom(0, message)
	return line
}

func (i *instance) logFrom(from int, message string) (logLine, int) {
	i.world.Helper()
	var line logLine
	_, next := i.err.await(i.world, "log line "+message, from, func(text string) bool {
		line = logLine{}
		return json.Unmarshal([]byte(text), &line) == nil && line.Message == message
	})
	return line, next
}

// ofInstance is how the messages of an instance's life begin; every other line
// belongs to a request.
var ofInstance = []string{
	"listening",
	"the store is ready",
	"the store is not ready; trying again",
	"the sweep failed; the next tick goes on",
	"a campaign is of a kind that no engine hosts; it is not offered",
	"in-memory storage: ",
	// What dev says of its servers.
	"installing ", "downloading ", "cannot keep a template ", "the state folder ", "the port of the last start ", "recovering from ",
}

var correlation = regexp.MustCompile(`^[0-9a-f]{32}$`)

// checkLog holds a log to its rules: JSON lines, the correlation on every
// line of a request, nothing of what callers sent or were given.
func (w *world) checkLog(lines []string) {
	w.Helper()
	for n, text := range lines {
		if n == len(lines)-1 && strings.HasPrefix(text, "holdfast: ") {
			continue // why the command failed, for who started it
		}
		var line logLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			w.Errorf("not a line of a JSON log: %s", text)
			continue
		}
		if line.Time == "" || line.Level == "" || line.Message == "" {
			w.Errorf("a log line without time, level or msg: %s", text)
		}
		ofRequest := !slices.ContainsFunc(ofInstance, func(begin string) bool { return strings.HasPrefix(line.Message, begin) })
		if ofRequest && !correlation.MatchString(line.Correlation) {
			w.Errorf("a request's log line without its correlation: %s", text)
		}
		if s := w.leaked(text); s != "" {
			w.Errorf("the log holds %.40q, which a caller sent or was given: %.400s", s, text)
		}
	}
}

func randomName() string { return strings.ToLower(rand.Text()) }

// The rules of logs can be broken: the check of this package sees it.
func TestLogRules(t *testing.T) {
	session := strings.Repeat("5", 32)
	for name, line := range map[string]string{
		"no JSON":        "WARNING: DATA RACE",
		"no time":        `{"level":"INFO","msg":"listening"}`,
		"no correlation": `{"time":"t","level":"INFO","msg":"a write lost its race"}`,
		"a session's id": `{"time":"t","level":"INFO","msg":"listening","error":"` + session + `"}`,
	} {
		quiet := &failures{TB: t}
		w := newWorld(quiet, "", "")
		w.secret(session)
		w.checkLog([]string{line})
		if !quiet.failed {
			t.Errorf("%s passed", name)
		}
	}
}

// failures notes that a check failed in place of failing the test.
type failures struct {
	testing.TB
	failed bool
}

func (f *failures) Errorf(string, ...any) { f.failed = true }
