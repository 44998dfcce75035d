package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// up is an instance that listens at an address.
func up(address string) *instance {
	p := &process{}
	p.public.Store(&address)
	return &instance{world: &world{report: newReport(settings{})}, n: 1, current: p}
}

func TestCall(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef"
	failure := `{"code":"storage_failure","correlation":"` + id + `"}`
	for name, test := range map[string]struct {
		status     int
		id, retry  string
		body       string
		want       answer
		malformed  bool
		otherMedia string
	}{
		"ok":                  {status: 200, id: id, body: `{"saveId":"x"}`, want: answer{status: 200, etag: "e"}},
		"an error":            {status: 503, id: id, retry: "1", body: failure, want: answer{503, "e", fault.StorageFailure}},
		"no correlation":      {status: 200, body: `{"saveId":"x"}`, malformed: true},
		"two correlations":    {status: 503, id: strings.Repeat("1", 32), retry: "1", body: failure, malformed: true},
		"no Retry-After":      {status: 503, id: id, body: failure, malformed: true},
		"a stray Retry-After": {status: 409, id: id, retry: "1", body: failure, malformed: true},
		"no JSON":             {status: 200, id: id, body: `oops`, malformed: true},
		"another member":      {status: 200, id: id, body: `{"saveId":"x","more":1}`, malformed: true},
		"something behind":    {status: 200, id: id, body: `{"saveId":"x"}{}`, malformed: true},
		"an error that talks": {status: 500, id: id, body: `{"code":"internal_failure","correlation":"` + id + `","why":"x"}`, malformed: true},
		"not declared":        {status: 200, id: id, body: `{"saveId":"x"}`, otherMedia: "text/plain", malformed: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json; charset=utf-8")
				if test.otherMedia != "" {
					w.Header().Set("Content-Type", test.otherMedia)
				}
				w.Header().Set("ETag", "e")
				w.Header()["X-Correlation-Id"] = []string{test.id}
				if test.retry != "" {
					w.Header().Set("Retry-After", test.retry)
				}
				if sent, _ := io.ReadAll(r.Body); r.URL.Path != "/v1/save-game" || r.Header.Get("If-Match") != "v" || string(sent) != `{"a":1}` {
					t.Errorf("asked %s if %q: %s", r.URL, r.Header.Get("If-Match"), sent)
				}
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			}))
			defer server.Close()
			l := &line{instance: up(server.Listener.Addr().String())}
			defer l.close()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var out struct {
				SaveID string `json:"saveId"`
			}
			got, err := l.call(ctx, "save-game", map[string]int{"a": 1}, "v", &out)
			if _, bad := errors.AsType[*malformed](err); bad != test.malformed || (!bad && err != nil) {
				t.Fatalf("got %v", err)
			}
			if !test.malformed && got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

// A request that is given up counts as under way until the instance closes
// its side, and the instance sees it given up.
func TestGivenUp(t *testing.T) {
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	finish := make(chan struct{})
	sawEnd := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			_, err = io.Copy(io.Discard, conn) // to the end of what the player sends
			sawEnd <- err
			<-finish
			_ = conn.Close()
		}
	}()
	i := up(listener.Addr().String())
	l := &line{instance: i}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = l.call(ctx, "get-scene", struct{}{}, "", nil)
	if o := judge(answer{}, err, &operation{}); o != maybe {
		t.Errorf("the outcome is %s (%v), want maybe", o, err)
	}
	if err := <-sawEnd; err != nil {
		t.Error(err)
	}
	if n := i.world.abandoned.Load(); n != 1 {
		t.Errorf("%d requests are under way, want 1", n)
	}
	close(finish)
	if !until(t.Context(), func() error {
		if i.world.abandoned.Load() > 0 {
			return errors.New("still under way")
		}
		return nil
	}, func(err error) { t.Error(err) }) {
		t.Error("the test was ended")
	}
}

func TestUnreachable(t *testing.T) {
	for name, i := range map[string]*instance{"down": {}, "no listener": up("127.0.0.1:1")} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, err := (&line{instance: i}).call(ctx, "get-scene", struct{}{}, "", nil)
		cancel()
		if o := judge(answer{}, err, &operation{}); o != unreachable {
			t.Errorf("%s: the outcome is %s (%v)", name, o, err)
		}
	}
}

func TestJudge(t *testing.T) {
	w := &write{id: "000a"}
	for _, test := range []struct {
		answer answer
		of     operation
		want   outcome
	}{
		{answer{status: 200}, operation{kind: "get-scene"}, ok},
		{answer{503, "", fault.StorageFailure}, operation{kind: "submit-action", write: w}, maybe},
		{answer{503, "", fault.JournalFailure}, operation{kind: "submit-action", write: w}, wrong},
		{answer{500, "", fault.InternalFailure}, operation{kind: "submit-action", write: w}, wrong},
		{answer{409, "", fault.ConcurrentModification}, operation{kind: "submit-action", write: w}, refused},
		{answer{409, "", fault.InvalidState}, operation{kind: "submit-action", write: w}, wrong},
		{answer{409, "", fault.ConcurrentModification}, operation{kind: "save-game", ifMatch: "v1"}, refused},
		{answer{409, "", fault.ConcurrentModification}, operation{kind: "save-game"}, wrong},
		{answer{409, "", fault.ConcurrentModification}, operation{kind: "get-scene"}, wrong},
		{answer{404, "", fault.UnknownSession}, operation{kind: "get-scene"}, wrong},
		{answer{404, "", fault.SessionExpired}, operation{kind: "get-scene"}, wrong},
	} {
		if got := judge(test.answer, nil, &test.of); got != test.want {
			t.Errorf("%+v to %s: %s, want %s", test.answer, test.of.kind, got, test.want)
		}
	}
}

func TestLogRules(t *testing.T) {
	id := strings.Repeat("5", 32)
	for name, test := range map[string]struct {
		line  string
		holds bool
	}{
		"a line":             {`{"time":"t","level":"INFO","msg":"listening","listener":"public","address":"127.0.0.1:1"}`, true},
		"another id":         {`{"msg":"x","correlation":"` + strings.Repeat("6", 32) + `"}`, true},
		"no JSON":            {"WARNING: DATA RACE", false},
		"a panic":            {`{"msg":"request failed","error":"panic (string) at f:1"}`, false},
		"what a player sent": {`{"msg":"x","params":"` + mark + `000a"}`, false},
		"a session's id":     {`{"msg":"x","session":"` + id + `"}`, false},
	} {
		w := &world{report: newReport(settings{})}
		w.keepSecret(id)
		p := &process{}
		w.readLog(&instance{n: 1}, p, strings.NewReader(test.line+"\n"))
		if w.passed() != test.holds {
			t.Errorf("%s: %q", name, w.violations)
		}
		if name == "a line" && (p.public.Load() == nil || *p.public.Load() != "127.0.0.1:1") {
			t.Error("the address was not learnt")
		}
	}
}

func TestDrawing(t *testing.T) {
	s := newStory().wrote(1, 2, "000a", "", shows("000a")).saw(3, 4, shows())
	_, found := s.verify(last{*shows("000a"), 9})
	path := filepath.Join(t.TempDir(), "history.html")
	if err := found.draw(path); err != nil {
		t.Fatal(err)
	}
	if page, err := os.ReadFile(path); err != nil || !strings.Contains(string(page), "000a") {
		t.Errorf("the drawing does not show the write (%v)", err)
	}
}
