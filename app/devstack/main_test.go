package devstack

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestMain runs the tests, or, with arguments after the flags, a process that
// starts servers and waits to be killed.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.NArg() == 0 {
		os.Exit(m.Run())
	}
	if err := beOwner(flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// owned is what the other process says of its server.
type owned struct {
	URL    string
	PID    int
	Folder string
}

func beOwner(kind, state string) error {
	var s Server
	var o owned
	if kind == "redis" {
		r, err := StartRedis(context.Background(), Options{State: state})
		if err != nil {
			return err
		}
		s, o.URL = r.Server, r.URL()
	} else {
		p, err := StartPostgres(context.Background(), Options{State: state})
		if err != nil {
			return err
		}
		s, o.URL = p.Server, p.URL()
	}
	o.PID, o.Folder = s.PID(), s.(*local).home.dir
	if err := json.NewEncoder(os.Stdout).Encode(o); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, os.Stdin) // until the test is over
	return errors.Join(err, s.Stop())
}

// owner is a process that has started a server.
type owner struct {
	owned
	cmd *exec.Cmd
}

func startOwner(t *testing.T, kind, state string, env ...string) func() owner {
	t.Helper()
	cmd := exec.Command(os.Args[0], kind, state)
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	return func() owner {
		t.Helper()
		o := owner{cmd: cmd}
		line, err := bufio.NewReader(out).ReadBytes('\n')
		if err != nil {
			t.Fatalf("the other process started no server: %v", err)
		}
		if err := json.Unmarshal(line, &o.owned); err != nil {
			t.Fatal(err)
		}
		return o
	}
}

func (o owner) killDashNine(t *testing.T) {
	t.Helper()
	if err := o.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = o.cmd.Wait()
}

// eventually waits for what another process does; the limit is only there so
// that a failing test ends.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	if !wait(30*time.Second, cond) {
		t.Fatalf("it never came to pass that %s", what)
	}
}

// stateFolder is one that every user can enter, unlike t.TempDir.
func stateFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "holdfast-state-")
	if err := errors.Join(err, os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "state")
}

func startPostgresFor(t *testing.T, state string) *Postgres {
	t.Helper()
	o, required, err := FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	p, err := StartPostgres(t.Context(), Options{State: state, Install: o.Install})
	if errors.Is(err, ErrNotFound) && !required {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, p) })
	return p
}

func startRedisFor(t *testing.T, state string) *Redis {
	t.Helper()
	o, required, err := FromEnv()
	if err != nil {
		t.Fatal(err)
	}
	r, err := StartRedis(t.Context(), Options{State: state, Install: o.Install})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, r) })
	if !r.Durable() {
		if required {
			t.Fatal("no real Redis")
		}
		t.Skip("no real Redis on this machine")
	}
	return r
}

func stop(t *testing.T, s Server) {
	t.Helper()
	if err := s.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func execSQL(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func queryText(t *testing.T, conn *pgx.Conn, sql string) (s string) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), sql).Scan(&s); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return s
}

// exists tells whether a file is there.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
