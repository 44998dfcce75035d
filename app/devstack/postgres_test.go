//go:build linux || darwin

package devstack

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// All on one server, because making its data takes its time.
func TestPostgres(t *testing.T) {
	t.Parallel()
	p := startPostgresFor(t, "")
	url, s := p.URL(), p.Server.(*local)
	conn := connect(t, url)
	execSQL(t, conn, "create table kept as select 'a'::text as v")
	keeps := func(t *testing.T) {
		t.Helper()
		if got := queryText(t, connect(t, url), "select v from kept"); got != "a" {
			t.Errorf("got %q, want a", got)
		}
	}

	t.Run("is what tests need", func(t *testing.T) {
		for sql, want := range map[string]string{
			"select current_database()": "holdfast",
			"show server_encoding":      "UTF8",
			"show fsync":                "off",
			"show max_connections":      "200",
		} {
			if got := queryText(t, conn, sql); got != want {
				t.Errorf("%s: got %q, want %q", sql, got, want)
			}
		}
		if !exists(filepath.Join(p.BinDir(), "initdb")) {
			t.Errorf("no initdb in %s", p.BinDir())
		}
	})
	t.Run("pauses", func(t *testing.T) {
		backend := int(conn.PgConn().PID())
		must(t, p.Pause())
		for _, pid := range []int{p.PID(), backend} {
			if proc, ok := lookUp(pid); !ok || proc.state != 'T' {
				t.Errorf("process %d is there: %v, in state %c, want T", pid, ok, proc.state)
			}
		}
		must(t, p.Resume())
		if got := queryText(t, conn, "select 'on'"); got != "on" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("is killed whole and keeps data", func(t *testing.T) {
		// A busy backend does not notice by itself that the first process is gone.
		busy := connect(t, url)
		backend, pid := int(busy.PgConn().PID()), p.PID()
		asleep := make(chan error, 1)
		go func() { _, err := busy.Exec(context.Background(), "select pg_sleep(1000)"); asleep <- err }()
		eventually(t, "the backend is busy", func() bool {
			return queryText(t, conn, "select count(*)::text from pg_stat_activity where wait_event = 'PgSleep'") == "1"
		})
		must(t, p.Kill())
		if alive(pid, backend) || p.PID() != 0 {
			t.Error("processes outlive Kill")
		}
		if err := <-asleep; err == nil {
			t.Error("a statement of a killed server succeeded")
		}
		must(t, p.Kill())
		must(t, p.Restart(t.Context()))
		if p.URL() != url || p.PID() == pid || p.PID() == 0 {
			t.Errorf("after the restart: URL %s (before %s), process %d (before %d)", p.URL(), url, p.PID(), pid)
		}
		keeps(t)
	})
	t.Run("restarts while it runs", func(t *testing.T) {
		pid := p.PID()
		must(t, p.Restart(t.Context()))
		if p.PID() == pid {
			t.Error("it is the same process")
		}
		keeps(t)
	})
	t.Run("restarts on its own port only", func(t *testing.T) {
		must(t, p.Kill())
		taken, err := net.Listen("tcp", loopback(s.port))
		must(t, err)
		defer taken.Close()
		if err := p.Restart(t.Context()); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("got %v, want that the port is in use", err)
		}
	})
	t.Run("starts on another port if it loses one meanwhile", func(t *testing.T) {
		before := s.port
		taken, err := net.Listen("tcp", loopback(before))
		must(t, err)
		defer taken.Close()
		must(t, s.start(t.Context(), true))
		if s.port == before || p.PID() == 0 {
			t.Errorf("port %d, before %d; process %d", s.port, before, p.PID())
		}
	})
	t.Run("stops for good though paused", func(t *testing.T) {
		pid := p.PID()
		must(t, p.Pause())
		must(t, p.Stop())
		must(t, p.Stop())
		if alive(pid) || p.PID() != 0 {
			t.Error("the server runs after Stop")
		}
		if exists(s.home.dir) {
			t.Errorf("%s is there after Stop", s.home.dir)
		}
		if err := p.Restart(t.Context()); err == nil {
			t.Error("a server that was stopped for good started again")
		}
	})
}

// All on one state folder, because making the data takes its time.
func TestPostgresState(t *testing.T) {
	t.Parallel()
	state := stateFolder(t)
	p := startPostgresFor(t, state)
	h, url, port := p.Server.(*local).home, p.URL(), p.Server.(*local).port
	conn := connect(t, url)
	execSQL(t, conn, "create table kept as select 'a'::text as v")
	keeps := func(t *testing.T, p *Postgres) {
		t.Helper()
		if got := queryText(t, connect(t, p.URL()), "select v from kept"); got != "a" {
			t.Errorf("got %q, want a", got)
		}
	}

	t.Run("is durable and guarded", func(t *testing.T) {
		if got := queryText(t, conn, "show fsync"); got != "on" {
			t.Errorf("fsync is %s on data that survive", got)
		}
		conf, err := pgx.ParseConfig(url)
		must(t, err)
		conf.Password = "wrong"
		if _, err := pgx.ConnectConfig(t.Context(), conf); err == nil {
			t.Error("a wrong password is let in")
		}
		if fi, err := os.Stat(filepath.Join(state, "postgres", "password")); err != nil || fi.Mode() != 0o600 {
			t.Errorf("the password file: %v, %v; want mode 0600", fi, err)
		}
		if exists(filepath.Join(h.files, "password")) {
			t.Error("the password that initdb read is still there")
		}
	})
	t.Run("is in use", func(t *testing.T) {
		_, err := StartPostgres(t.Context(), Options{State: state})
		if err == nil || !strings.Contains(err.Error(), state) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
			t.Errorf("got %v; want an error with the folder and process %d", err, os.Getpid())
		}
	})
	must(t, p.Stop())
	t.Run("survives", func(t *testing.T) {
		again := startPostgresFor(t, state)
		if again.URL() != url {
			t.Errorf("URL %s, before %s", again.URL(), url)
		}
		keeps(t, again)
	})
	t.Run("is free after a cancelled start", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := StartPostgres(ctx, Options{State: state}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		all, err := processes()
		must(t, err)
		if slices.ContainsFunc(all, func(p process) bool { return strings.Contains(commandLine(p.pid), h.files) }) {
			t.Error("a process of the cancelled start runs on")
		}
		keeps(t, startPostgresFor(t, state))
	})
	t.Run("recovers where another program has the process id", func(t *testing.T) {
		p := startPostgresFor(t, state)
		must(t, p.Kill())
		must(t, p.Stop())
		sleep := exec.Command("sleep", "1000")
		sleep.Dir, sleep.SysProcAttr = "/", sysProcAttr(h.as) // the server's user
		must(t, sleep.Start())
		defer func() { _ = sleep.Process.Kill(); _ = sleep.Wait() }()
		pidFile := filepath.Join(h.files, "data", "postmaster.pid")
		b, err := os.ReadFile(pidFile)
		must(t, err)
		_, rest, _ := strings.Cut(string(b), "\n")
		must(t, os.WriteFile(pidFile, []byte(strconv.Itoa(sleep.Process.Pid)+"\n"+rest), 0o600))
		keeps(t, startPostgresFor(t, state))
		if !alive(sleep.Process.Pid) {
			t.Error("another program was ended")
		}
	})
	t.Run("survives its process, however soon the next comes", func(t *testing.T) {
		startOwner(t, "postgres", state)().killDashNine(t)
		keeps(t, startPostgresFor(t, state))
	})
	t.Run("moves from a port that is taken", func(t *testing.T) {
		taken, err := net.Listen("tcp", loopback(port))
		must(t, err)
		defer taken.Close()
		moved := startPostgresFor(t, state)
		if moved.Server.(*local).port == port {
			t.Error("started on a port that is taken")
		}
		keeps(t, moved)
	})
	t.Run("is of another version", func(t *testing.T) {
		must(t, os.WriteFile(filepath.Join(h.files, "data", "PG_VERSION"), []byte("9\n"), 0o600))
		_, err := StartPostgres(t.Context(), Options{State: state})
		if err == nil || !strings.Contains(err.Error(), "PostgreSQL 9") || !strings.Contains(err.Error(), h.files) {
			t.Errorf("got %v, want an error with the version and the folder", err)
		}
	})
}

func TestFindPostgresNewestFirst(t *testing.T) {
	bins := findPostgres(nil)
	if len(bins) == 0 {
		t.Skip("no PostgreSQL on this machine")
	}
	t.Setenv("PATH", "/bin")
	defer func(old []string) { postgresFolders = old }(postgresFolders)
	root := t.TempDir()
	postgresFolders = []string{filepath.Join(root, "*", "bin")}
	for _, major := range []string{"9", "16", "15"} {
		dir := filepath.Join(root, major, "bin")
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(filepath.Join(dir, "initdb"), nil, 0o755))
		script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + major + ".1'\n"
		must(t, os.WriteFile(filepath.Join(dir, "postgres"), []byte(script), 0o755))
	}
	var got []int
	for _, b := range findPostgres(nil) {
		got = append(got, b.major)
	}
	if !slices.Equal(got, []int{16, 15, 9}) {
		t.Errorf("got %v, want 16, 15, 9", got)
	}
}

func TestPostgresNotFoundSaysWhatToDo(t *testing.T) {
	t.Setenv("PATH", "/bin")
	defer func(old []string) { postgresFolders = old }(postgresFolders)
	postgresFolders = nil
	if len(findPostgres(nil)) > 0 {
		t.Skip("PostgreSQL lies in /bin")
	}
	_, err := StartPostgres(t.Context(), Options{})
	if err == nil || !strings.Contains(err.Error(), "HOLDFAST_INSTALL=1") || !strings.Contains(err.Error(), "HOLDFAST_DATABASE_URL") {
		t.Errorf("got %v, want what to do", err)
	}
}
