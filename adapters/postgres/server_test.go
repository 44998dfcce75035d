package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// What a server does to a store that is composed, on a server of its own.
func TestServer(t *testing.T) {
	t.Parallel()
	server := postgrestest.Own(t)
	s := composed(t, Options{URL: server.URL(), PoolSize: 2})
	if err := put(within(t, time.Minute), s, record("s1")); err != nil {
		t.Fatal(err)
	}

	t.Run("paused", func(t *testing.T) {
		if err := server.Pause(); err != nil {
			t.Fatal(err)
		}
		for range 5 { // more than the pool holds
			began := time.Now()
			err := s.Ready(within(t, 100*time.Millisecond))
			wantKind(t, err, fault.Unreachable)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want one that shows the deadline", err)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("readiness took %v beyond its deadline", took)
			}
			wantKind(t, get(within(t, 100*time.Millisecond), s, "s1"), fault.Unreachable)
		}
		if err := server.Resume(); err != nil {
			t.Fatal(err)
		}
		if err := s.Ready(within(t, time.Minute)); err != nil {
			t.Errorf("after the pause: %v", err)
		}
		conn := connect(t, server.URL())
		until(t, "the server has only the pool's connections", func() bool {
			there := ask[int](t, conn, "select count(*) from pg_stat_activity where application_name = 'holdfast'")
			return there <= int(s.pool.Load().Stat().TotalConns()) && there <= 2
		})
	})

	t.Run("read-only", func(t *testing.T) {
		one := composed(t, Options{URL: server.URL(), PoolSize: 1})
		before := backend(t, one)
		conn := connect(t, server.URL())
		reconfigure := func(statement string) {
			exec(t, conn, statement)
			exec(t, conn, "select pg_reload_conf()")
		}
		reconfigure("alter system set default_transaction_read_only = on")
		until(t, "a write is refused", func() bool { return one.Ready(within(t, time.Minute)) != nil })
		if got := wantKind(t, one.Ready(within(t, time.Minute)), fault.ReadOnly).Detail(); got != "store is read-only" {
			t.Errorf("readiness says %q", got)
		}
		if after := backend(t, one); after == before {
			t.Errorf("a connection to a read-only server was kept")
		}
		before = backend(t, one)
		wantKind(t, put(within(t, time.Minute), one, record("s2")), fault.ReadOnly)
		if after := backend(t, one); after == before {
			t.Errorf("a connection that refused a write as read-only was kept")
		}
		if err := get(within(t, time.Minute), one, "s1"); err != nil {
			t.Errorf("read from a read-only server: %v", err)
		}
		exec(t, conn, "set default_transaction_read_only = off")
		reconfigure("alter system reset default_transaction_read_only")
		until(t, "the store takes writes again", func() bool { return one.Ready(within(t, time.Minute)) == nil })
	})

	t.Run("another isolation level", func(t *testing.T) {
		conn := connect(t, server.URL())
		exec(t, conn, "alter system set default_transaction_isolation = 'repeatable read'")
		exec(t, conn, "select pg_reload_conf()")
		until(t, "readiness sees the level", func() bool { return s.Ready(within(t, time.Minute)) != nil })
		failure := wantKind(t, s.Ready(within(t, time.Minute)), fault.IsolationUnsupported)
		if got := failure.Detail(); got != "isolation level: repeatable read" {
			t.Errorf("readiness says %q", got)
		}
		exec(t, conn, "alter system reset default_transaction_isolation")
		exec(t, conn, "select pg_reload_conf()")
		until(t, "the level is back", func() bool { return s.Ready(within(t, time.Minute)) == nil })
	})

	t.Run("killed", func(t *testing.T) {
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			wantKind(t, s.Ready(within(t, time.Minute)), fault.Unreachable)
			wantKind(t, put(within(t, time.Minute), s, record("s3")), fault.Unreachable)
		}
		if err := server.Restart(within(t, time.Minute)); err != nil {
			t.Fatal(err)
		}
		if err := s.Ready(within(t, time.Minute)); err != nil {
			t.Errorf("after the restart: %v", err)
		}
		if err := get(within(t, time.Minute), s, "s1"); err != nil {
			t.Errorf("after the restart: %v", err)
		}
	})
}

// backend is the server process that a store of one connection talks to.
func backend(t *testing.T, s *Store) (pid int) {
	t.Helper()
	conn, err := s.acquire(within(t, time.Minute), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer s.release(conn)
	if err := conn.QueryRow(t.Context(), "select pg_backend_pid()").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// A database whose default is another level is refused at the connection, and
// taken once it is set right, without a new store.
func TestDatabaseDefaultIsolation(t *testing.T) {
	t.Parallel()
	url := database(t)
	conn := connect(t, url)
	name := ask[string](t, conn, "select current_database()")
	exec(t, conn, "alter database "+name+" set default_transaction_isolation = 'serializable'")
	s := newStore(t, Options{URL: url})
	for range 2 {
		failure := wantKind(t, s.Attempt(within(t, time.Minute)), fault.IsolationUnsupported)
		if got := failure.Detail(); got != "isolation level: serializable" {
			t.Errorf("detail %q", got)
		}
		wantKind(t, s.Ready(t.Context()), fault.IsolationUnsupported)
		wantKind(t, get(t.Context(), s, "s1"), fault.Unreachable)
	}
	exec(t, conn, "alter database "+name+" reset default_transaction_isolation")
	if err := s.Attempt(within(t, time.Minute)); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(within(t, time.Minute)); err != nil {
		t.Error(err)
	}
}
