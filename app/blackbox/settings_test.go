package blackbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/api/client"
)

const aDatabase = "HOLDFAST_DATABASE_URL=postgres://holdfast:opensesame@127.0.0.1:1/holdfast"

// A setting that cannot be used ends start-up with exit code 2, names itself
// and what is accepted, and never shows a password.
func TestUnusableSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ setting, named string }{
		{"", "HOLDFAST_DATABASE_URL"},
		{"HOLDFAST_DATABASE_URL=", "HOLDFAST_DATABASE_URL"},
		{"HOLDFAST_DATABASE_URL=127.0.0.1:5432", "HOLDFAST_DATABASE_URL"},
		{"HOLDFAST_DATABASE_URL=mysql://holdfast:opensesame@127.0.0.1/holdfast", "HOLDFAST_DATABASE_URL"},
		{"HOLDFAST_DATABASE_URL=postgres:///holdfast", "HOLDFAST_DATABASE_URL"},
		{"HOLDFAST_DATABASE_URL=postgres://holdfast:opensesame@127.0.0.1:port/holdfast", "HOLDFAST_DATABASE_URL"},
		{"HOLDFAST_DATABASE_URL=postgres://holdfast:opensesame@127.0.0.1/holdfast?sslmode=opensesame", "HOLDFAST_DATABASE_URL"},
		{"HOLDFAST_MIGRATION_DATABASE_URL=redis://127.0.0.1", "HOLDFAST_MIGRATION_DATABASE_URL"},
		{"HOLDFAST_MIGRATION_DATABASE_URL=postgres://holdfast:opensesame@127.0.0.1/holdfast?pool=opensesame&sslmode=opensesame", "HOLDFAST_MIGRATION_DATABASE_URL"},
		{"HOLDFAST_DATABASE_POOL=0", "HOLDFAST_DATABASE_POOL"},
		{"HOLDFAST_DATABASE_POOL=-1", "HOLDFAST_DATABASE_POOL"},
		{"HOLDFAST_DATABASE_POOL=many", "HOLDFAST_DATABASE_POOL"},
		{"HOLDFAST_DATABASE_SCHEMA=", "HOLDFAST_DATABASE_SCHEMA"},
		{"HOLDFAST_DATABASE_SCHEMA=a; drop table session", "HOLDFAST_DATABASE_SCHEMA"},
		{"HOLDFAST_DATABASE_EXEC_MODE=fast", "HOLDFAST_DATABASE_EXEC_MODE"},
		{"HOLDFAST_LISTEN=8080", "HOLDFAST_LISTEN"},
		{"HOLDFAST_LISTEN=127.0.0.1:port", "HOLDFAST_LISTEN"},
		{"HOLDFAST_INTERNAL_LISTEN=8081", "HOLDFAST_INTERNAL_LISTEN"},
		{"HOLDFAST_STORAGE=disk", "HOLDFAST_STORAGE"},
		{"HOLDFAST_CAMPAIGNS=/nowhere", "HOLDFAST_CAMPAIGNS"},
		{"HOLDFAST_BODY_LIMIT=0", "HOLDFAST_BODY_LIMIT"},
		{"HOLDFAST_BODY_LIMIT=-1MiB", "HOLDFAST_BODY_LIMIT"},
		{"HOLDFAST_BODY_LIMIT=1 furlong", "HOLDFAST_BODY_LIMIT"},
		{"HOLDFAST_REQUEST_TIMEOUT=0s", "HOLDFAST_REQUEST_TIMEOUT"},
		{"HOLDFAST_REQUEST_TIMEOUT=-1s", "HOLDFAST_REQUEST_TIMEOUT"},
		{"HOLDFAST_REQUEST_TIMEOUT=soon", "HOLDFAST_REQUEST_TIMEOUT"},
		{"HOLDFAST_SHUTDOWN_TIMEOUT=0s", "HOLDFAST_SHUTDOWN_TIMEOUT"},
		{"HOLDFAST_SHUTDOWN_TIMEOUT=-1s", "HOLDFAST_SHUTDOWN_TIMEOUT"},
		{"HOLDFAST_PLAY_SESSION_TTL=0s", "HOLDFAST_PLAY_SESSION_TTL"},
		{"HOLDFAST_PLAY_SESSION_TTL=-1h", "HOLDFAST_PLAY_SESSION_TTL"},
		{"HOLDFAST_SAVE_TTL=0s", "HOLDFAST_SAVE_TTL"},
		{"HOLDFAST_SAVE_TTL=-1h", "HOLDFAST_SAVE_TTL"},
		{"HOLDFAST_RETENTION=0s", "HOLDFAST_RETENTION"},
		{"HOLDFAST_RETENTION=99s", "HOLDFAST_RETENTION"}, // under ten request time-outs
		{"HOLDFAST_SWEEP_INTERVAL=0s", "HOLDFAST_SWEEP_INTERVAL"},
		{"HOLDFAST_SWEEP_BUDGET=-1s", "HOLDFAST_SWEEP_BUDGET"},
		{"HOLDFAST_SWEEP_STATEMENT_TIMEOUT=0s", "HOLDFAST_SWEEP_STATEMENT_TIMEOUT"},
		{"HOLDFAST_SWEEP_BATCH=0", "HOLDFAST_SWEEP_BATCH"},
		{"HOLDFAST_READ_WRITE_PAUSE=1s", "HOLDFAST_READ_WRITE_PAUSE"},
		{"HOLDFAST_CLOCK_OFFSET=1s", "HOLDFAST_CLOCK_OFFSET"},
		{"HOLDFAST_REPLAY=true", "HOLDFAST_REPLAY"},
		{"HOLDFAST_REPLAY_DUMP=dump", "HOLDFAST_REPLAY_DUMP"},
		{"HOLDFAST_LISTENN=127.0.0.1:0", "HOLDFAST_LISTENN"},
		{"HOLDFAST_=1", "HOLDFAST_"},
		{"HOLDFAST_CONFIG=/nowhere.yaml", "HOLDFAST_CONFIG"},
	} {
		t.Run(c.setting, func(t *testing.T) {
			env := []string{"HOLDFAST_LISTEN=127.0.0.1:0", "HOLDFAST_INTERNAL_LISTEN=127.0.0.1:0", aDatabase, c.setting}
			if c.setting == "" {
				env = env[:2]
			}
			code, out, errOut := run(t, env, "serve")
			if code != 2 {
				t.Errorf("exit code %d, want 2", code)
			}
			if !strings.Contains(errOut, c.named) && !strings.Contains(errOut, flagOf(c.named)) {
				t.Errorf("the setting is not named: %s", errOut)
			}
			if !strings.Contains(errOut, "accepted") && !strings.Contains(errOut, "must be one of") && !strings.Contains(errOut, "expected") {
				t.Errorf("what is accepted is not said: %s", errOut)
			}
			if strings.Contains(out+errOut, "opensesame") {
				t.Errorf("a secret is shown: %s", errOut)
			}
		})
	}
}

func flagOf(variable string) string {
	return "--" + strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, "HOLDFAST_")), "_", "-")
}

// What Kubernetes injects for a service by the name of holdfast is nobody's
// mistake.
func TestInjectedVariablesAreTaken(t *testing.T) {
	t.Parallel()
	code, out, errOut := run(t, []string{
		"HOLDFAST_SERVICE_HOST=10.0.0.1",
		"HOLDFAST_SERVICE_PORT=8080",
		"HOLDFAST_SERVICE_PORT_PUBLIC=8080",
		"HOLDFAST_PORT=tcp://10.0.0.1:8080",
		"HOLDFAST_PORT_8080_TCP=tcp://10.0.0.1:8080",
		"HOLDFAST_PORT_8080_TCP_ADDR=10.0.0.1",
		"HOLDFAST_EDGE_SERVICE_HOST=10.0.0.2",
		"HOLDFAST_EDGE_PORT_8090_TCP_PROTO=tcp",
	}, "version")
	if code != 0 || !strings.Contains(out, "holdfast ") || !strings.Contains(out, "engine port 1") {
		t.Errorf("exit code %d: %s %s", code, out, errOut)
	}
}

// A flag goes before the environment, the environment before the file, the
// file before the default.
func TestPrecedenceOfSettings(t *testing.T) {
	t.Parallel()
	folder := func(id string) string {
		return strings.TrimPrefix(campaigns(t, strings.Replace(door, "id: door", "id: "+id, 1)), "HOLDFAST_CAMPAIGNS=")
	}
	file := filepath.Join(t.TempDir(), "holdfast.yaml")
	must(t, os.WriteFile(file, []byte("storage: in-memory\nlisten: 127.0.0.1:0\ninternal-listen: 127.0.0.1:0\nbody-limit: 2MiB\ncampaigns: "+folder("file")+"\n"), 0o600))
	env := "HOLDFAST_CAMPAIGNS=" + folder("variable")
	flag := "--campaigns=" + folder("flag")
	for name, c := range map[string]struct {
		env, args []string
		want      string
	}{
		"file":               {[]string{"HOLDFAST_CONFIG=" + file}, []string{"serve"}, "file"},
		"file by a flag":     {nil, []string{"serve", "--config", file}, "file"},
		"file by a flag, =":  {nil, []string{"serve", "--config=" + file}, "file"},
		"file's flag first":  {[]string{"HOLDFAST_CONFIG=/nowhere"}, []string{"serve", "--config=" + file}, "file"},
		"variable over file": {[]string{"HOLDFAST_CONFIG=" + file, env}, []string{"serve"}, "variable"},
		"flag over all":      {[]string{"HOLDFAST_CONFIG=" + file, env}, []string{"serve", flag}, "flag"},
		"flag over file":     {[]string{"HOLDFAST_CONFIG=" + file}, []string{"serve", flag}, "flag"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "", "")
			i := w.watch(start(t, c.env, c.args...))
			i.connect(i.listening("public"))
			list := decode[[]client.CampaignSummary](t, i.want("", "list-campaigns", `{}`))
			if len(list) != 1 || list[0].CampaignId != c.want {
				t.Errorf("campaigns %+v, want that of the %s", list, c.want)
			}
			i.want("", "list-campaigns", "{}"+strings.Repeat(" ", 2<<20-2))
			i.want("malformed_payload", "list-campaigns", "{}"+strings.Repeat(" ", 2<<20-1))
		})
	}
}

func TestUnusableConfigFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, named string }{
		"a key that is no setting": {"listn: 127.0.0.1:0\n", "listn"},
		"a variable as a key":      {"HOLDFAST_LISTEN: 127.0.0.1:0\n", "HOLDFAST_LISTEN"},
		"a command's flag":         {"campaign: tiny\n", "campaign"},
		"a value":                  {"database-pool: 0\n", "database-pool"},
		"not YAML":                 {"listen: [\n", "holdfast.yaml"},
		"a list":                   {"- listen\n", "holdfast.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "holdfast.yaml")
			must(t, os.WriteFile(file, []byte(c.text), 0o600))
			code, _, errOut := run(t, []string{"HOLDFAST_CONFIG=" + file, aDatabase, "HOLDFAST_LISTEN=127.0.0.1:0"}, "serve")
			if code != 2 || !strings.Contains(errOut, c.named) {
				t.Errorf("exit code %d, want 2 and %s named: %s", code, c.named, errOut)
			}
		})
	}
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"version", 0, "engine port 1"},
		{"--help", 0, "serve"},
		{"serve --help", 0, "$HOLDFAST_DATABASE_POOL"},
		{"", 2, "expected one of"},
		{"fly", 2, "fly"},
		{"serve --fly", 2, "--fly"},
		{"version more", 2, "more"},
		{"play --resume=a --load=b", 2, "resume"},
	} {
		t.Run(c.args, func(t *testing.T) {
			code, out, errOut := run(t, nil, strings.Fields(c.args)...)
			if code != c.code || !strings.Contains(out+errOut, c.says) {
				t.Errorf("exit code %d, want %d and %q in: %s%s", code, c.code, c.says, out, errOut)
			}
		})
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	const first = "00001_play_sessions.sql"
	env := w.env()[:2]
	step := func(want string, args ...string) {
		t.Helper()
		code, out, errOut := run(t, env, append([]string{"migrate"}, args...)...)
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%v: exit code %d, want %q in: %s%s", args, code, want, out, errOut)
		}
	}
	step("pending", "status")
	if n := ask[int](w, "select count(*) from pg_tables where schemaname = $1", w.schema); n != 0 {
		t.Errorf("status made %d tables", n)
	}
	step("applied "+first, "up")
	step("the schema is up to date", "up")
	step(first, "status")
	if _, out, _ := run(t, env, "migrate", "status"); strings.Contains(out, "pending") {
		t.Errorf("after up: %s", out)
	}
	i := w.ready()
	i.create("migrated")
	// A schema of a newer release is no reason to be unready.
	w.exec("insert into goose_db_version (version_id, is_applied) values (99999, true)")
	step("newer release", "status")
	step("up to date", "up")
	w.ready()

	code, _, errOut := run(t, []string{aDatabase}, "migrate", "status")
	if code != 1 || strings.Contains(errOut, "opensesame") {
		t.Errorf("without a server: exit code %d: %s", code, errOut)
	}
}
