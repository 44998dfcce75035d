//go:build linux || darwin

package devstack

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A process that is killed takes its servers and temporary folders along.
func TestServersEndWithTheirProcess(t *testing.T) {
	t.Parallel()
	needServers(t)
	for _, kind := range []string{"postgres", "redis"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := startOwner(t, kind, "")()
			if !alive(o.PID) || !exists(o.Folder) {
				t.Fatal("no server to begin with")
			}
			o.killDashNine(t)
			eventually(t, "the server ended", func() bool { return !alive(o.PID) })
			eventually(t, "its folder is gone", func() bool { return !exists(o.Folder) })
		})
		t.Run(kind+" paused", func(t *testing.T) {
			t.Parallel()
			o := startOwner(t, kind, "")()
			must(t, syscall.Kill(o.PID, syscall.SIGSTOP))
			o.killDashNine(t)
			eventually(t, "the server ended", func() bool { return !alive(o.PID) })
			eventually(t, "its folder is gone", func() bool { return !exists(o.Folder) })
		})
	}
}

// Two processes that start at once, without a template yet, and with
// variables of PostgreSQL's programs set, each get a server of their own.
func TestTwoProcessesAtOnce(t *testing.T) {
	t.Parallel()
	needServers(t)
	cache := t.TempDir()
	env := []string{"XDG_CACHE_HOME=" + cache, "PGDATA=/nonexistent", "PGPORT=1"}
	first, second := startOwner(t, "postgres", "", env...), startOwner(t, "postgres", "", env...)
	a, b := first(), second()
	if a.URL == b.URL || a.Folder == b.Folder {
		t.Errorf("both have %s in %s", a.URL, a.Folder)
	}
	for _, o := range []owner{a, b} {
		execSQL(t, connect(t, o.URL), "create table item (id int)")
	}
	templates, err := filepath.Glob(filepath.Join(cache, "holdfast", "postgres-template-*", "PG_VERSION"))
	if err != nil || len(templates) != 1 {
		t.Errorf("templates: %v, %v; want one", templates, err)
	}
}

func TestStateInUseByAnotherProcess(t *testing.T) {
	t.Parallel()
	needServers(t)
	state := stateFolder(t)
	o := startOwner(t, "redis", state)()
	_, err := StartRedis(t.Context(), Options{State: state})
	want := []string{filepath.Join(state, "redis"), itoa(o.cmd.Process.Pid)}
	for _, w := range want {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("got %v, want an error with %s", err, w)
		}
	}
	if !alive(o.PID) {
		t.Error("the other process's server was ended")
	}
}

// Below a folder that only root can enter, the server's files lie elsewhere.
func TestClosedStateFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root's servers run as another user")
	}
	state := t.TempDir() // below a folder of mode 0700
	needServers(t)
	var log bytes.Buffer
	start := func() (*Redis, error) {
		return StartRedis(t.Context(), Options{State: state, Log: slog.New(slog.NewTextHandler(&log, nil))})
	}
	r, err := start()
	must(t, err)
	files := r.Server.(*local).home.files
	t.Cleanup(func() { stop(t, r); os.RemoveAll(files) })
	if strings.HasPrefix(files, state) || !strings.Contains(log.String(), files) {
		t.Errorf("files in %s; log: %s", files, log.String())
	}
	setKey(t, r.URL(), "kept", "a")
	must(t, r.Stop())
	r, err = start()
	must(t, err)
	if got := getKey(t, r.URL(), "kept"); got != "a" {
		t.Errorf("got %q, want a", got)
	}
	must(t, r.Stop())

	must(t, os.RemoveAll(files))
	if _, err := start(); err == nil || !strings.Contains(err.Error(), state) {
		t.Errorf("got %v, want an error with the folder whose files are gone", err)
	}
}

func TestStateFolderThatIsNone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, start := range []func() error{
		func() error { _, err := StartPostgres(t.Context(), Options{State: file}); return err },
		func() error { _, err := StartRedis(t.Context(), Options{State: file}); return err },
	} {
		if err := start(); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("got %v, want an error with the path", err)
		}
	}
}

func needServers(t *testing.T) {
	t.Helper()
	as, err := serverAccount()
	must(t, err)
	if len(findPostgres(as)) == 0 || findRedis(as) == "" {
		startPostgresFor(t, "")
		startRedisFor(t, "")
	}
}
