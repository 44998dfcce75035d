package blackbox

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/api/client"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/app/devstack"
)

// development is a running `holdfast dev` with what it printed.
type development struct {
	*instance
	curl     string
	database string
}

var devEnv = []string{"HOLDFAST_LISTEN=127.0.0.1:0", "HOLDFAST_INTERNAL_LISTEN=127.0.0.1:0"}

// devArgs allows dev to install what the tests may install.
func devArgs(t testing.TB, state string) []string {
	t.Helper()
	options, _, err := devstack.FromEnv()
	must(t, err)
	return []string{"dev", "--state", state, fmt.Sprint("--install=", options.Install)}
}

func dev(t testing.TB, state string) *development {
	t.Helper()
	p := start(t, devEnv, devArgs(t, state)...)
	d := &development{instance: newWorld(t, "", "public").watch(p)}
	line := func(of string) string {
		text, _ := p.out.await(t, of, 0, func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), of) })
		return strings.TrimSpace(text)
	}
	readyz := strings.TrimPrefix(line("readiness"), "readiness")
	d.database = strings.TrimSpace(strings.TrimPrefix(line("database"), "database"))
	d.curl = line("curl ")
	u, err := url.Parse(strings.TrimSpace(readyz))
	must(t, err)
	d.connect(u.Host)
	d.world.database = d.database
	return d
}

// stateFolder is a folder that every user can enter, as the user that runs the
// database must.
func stateFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "holdfast-dev-")
	must(t, err)
	must(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() {
		// A database whose dev was killed may be about to end.
		eventually(t, "the end of the state folder", func() bool { return os.RemoveAll(dir) == nil })
	})
	return dir
}

// sh runs a line as who reads it would.
func sh(t testing.TB, line string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", line).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", line, err, out)
	}
	return string(out)
}

// dev brings what it needs, says how to begin, keeps its games from one run
// to the next, and takes its servers with it however it ends.
func TestDev(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		if env, _ := config.DevstackFromEnv(); env.CI {
			t.Fatal("the line that dev prints needs curl: ", err)
		}
		t.Skip("this machine has no curl to paste the line into that dev prints")
	}
	state := stateFolder(t)
	first := dev(t, state)
	if r := first.readiness(); r.Status != "ready" {
		t.Errorf("readiness %+v of what says that it is ready", r)
	}
	began := decode[client.StartedSession](t, answer{body: []byte(sh(t, first.curl))})
	session := began.SessionId
	if session == "" || len(began.Scene.Actions) == 0 {
		t.Fatalf("%s did not begin a game", first.curl)
	}
	var before client.ActionResult
	for _, a := range began.Scene.Actions {
		if before = decode[client.ActionResult](t, first.want("", "submit-action", act(session, a.Id))); before.Ok {
			break
		}
	}

	// The folder is one dev's at a time.
	code, _, errOut := run(t, devEnv, devArgs(t, state)...)
	if code != 1 || !strings.Contains(errOut, state) {
		t.Errorf("a second dev on the folder: exit code %d: %s", code, errOut)
	}

	u, err := url.Parse(first.database)
	must(t, err)
	first.kill(t)
	eventually(t, "the end of its PostgreSQL", func() bool {
		conn, err := net.Dial("tcp", u.Host)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})

	second := dev(t, state)
	if second.database != first.database {
		t.Errorf("the database was %s and is %s", first.database, second.database)
	}
	same(t, "the game of the first run", decode[client.Scene](t, second.want("", "get-scene", of(session))), before.Scene)
	if v := second.world.version(session); v != 2 {
		t.Errorf("version %d after one action", v)
	}
	second.terminate(t)
	if code := second.wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if conn, err := net.Dial("tcp", u.Host); err == nil {
		_ = conn.Close()
		t.Error("its PostgreSQL runs on after it ended")
	}
}
