//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	osexec "os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// Spec 70, pooler: PgBouncer in transaction mode in front.
func TestFieldPooler(t *testing.T) {
	t.Parallel()
	direct := database(t)
	pooled := pgbouncer(t, direct)

	t.Run("cache_statement is refused with a clear message", func(t *testing.T) {
		s := newStore(t, Options{URL: pooled, MigrationURL: direct, ExecMode: "cache_statement"})
		for range 3 {
			err := s.Attempt(within(t, time.Minute))
			wantKind(t, err, fault.StatementFailed)
			if !strings.Contains(err.Error(), "exec mode must be cache_describe or exec") {
				t.Errorf("the error does not say what to do: %v", err)
			}
		}
	})
	for _, mode := range []string{"cache_describe", "exec"} {
		t.Run(mode, func(t *testing.T) {
			s := composed(t, Options{URL: pooled, MigrationURL: direct, ExecMode: mode, Schema: "public"})
			var wg sync.WaitGroup
			for i := range 16 {
				wg.Go(func() {
					for n := range 10 {
						id := fmt.Sprintf("%s-%d-%d", mode, i, n)
						if err := errors.Join(put(t.Context(), s, record(id)), get(t.Context(), s, id), s.Ready(t.Context())); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// pgbouncer starts a PgBouncer in front of a database and returns its URL.
// Without one on this machine the test is skipped.
func pgbouncer(t *testing.T, server string) string {
	t.Helper()
	program, err := osexec.LookPath("pgbouncer")
	if err != nil {
		program, err = osexec.LookPath("/usr/sbin/pgbouncer")
	}
	if err != nil {
		t.Skip("no pgbouncer on this machine")
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal("the server's URL is no URL")
	}
	password, _ := u.User.Password()
	if password != "" {
		password = "password='" + password + "'"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	// A folder that another user may read, unlike the test's own.
	dir, err := os.MkdirTemp("", "pgbouncer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	config := fmt.Sprintf(`[databases]
pooled = host=%s port=%s dbname=%s user=%s %s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
`, u.Hostname(), u.Port(), strings.TrimPrefix(u.Path, "/"), u.User.Username(), password, port)
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(file, []byte(config), 0o644)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	command := osexec.CommandContext(ctx, program, file)
	command.SysProcAttr = unprivileged(t)
	if err := command.Start(); err != nil {
		t.Skipf("pgbouncer does not start: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	until(t, "pgbouncer listens", func() bool {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("pgbouncer ended: %v", err)
		default:
		}
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return "postgres://holdfast@" + address + "/pooled?sslmode=disable"
}

// unprivileged runs a program that refuses root as nobody.
func unprivileged(t *testing.T) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skipf("pgbouncer refuses root, and there is nobody else: %v", err)
	}
	uid, err1 := strconv.Atoi(nobody.Uid)
	gid, err2 := strconv.Atoi(nobody.Gid)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
