package postgres

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

const retention = 720 * time.Hour

// aged puts sessions whose expiry lies so far in the past.
func aged(t *testing.T, s *Store, conn *pgx.Conn, prefix string, n int, past time.Duration) {
	t.Helper()
	for i := range n {
		if err := put(t.Context(), s, record(fmt.Sprintf("%s%04d", prefix, i))); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, conn, "update session set expires_at = now() - $1::interval where session_id like $2", past, prefix+"%")
}

func sessionsLike(t *testing.T, conn *pgx.Conn, prefix string) int {
	t.Helper()
	return ask[int](t, conn, "select count(*) from session where session_id like $1", prefix+"%")
}

// Batches are bounded, and only what is past its retention goes.
func TestSweepRemovesWhatIsPastItsRetention(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	conn := connect(t, url)
	s := composed(t, Options{URL: url, PoolSize: 2})
	aged(t, s, conn, "old", 25, retention+time.Second)
	aged(t, s, conn, "kept", 5, retention-time.Minute)
	aged(t, s, conn, "live", 5, -time.Hour)
	exec(t, conn, "insert into profile (tenant_id, profile_id, format_version) values ($1, 'p', 1)", tenant)

	for i, want := range []int{10, 10, 5, 0} {
		n, err := s.SweepSessions(t.Context(), retention, 10)
		if err != nil || n != want {
			t.Fatalf("batch %d removed %d, %v; want %d", i+1, n, err, want)
		}
	}
	if old, kept, live := sessionsLike(t, conn, "old"), sessionsLike(t, conn, "kept"), sessionsLike(t, conn, "live"); old != 0 || kept != 5 || live != 5 {
		t.Errorf("left %d old, %d kept, %d live", old, kept, live)
	}
	if n := ask[int](t, conn, "select count(*) from profile"); n != 1 {
		t.Errorf("%d profiles left, want 1", n)
	}
}

func TestSweepRemovesSaves(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	conn := connect(t, url)
	s := composed(t, Options{URL: url, PoolSize: 2})
	for i := range 7 {
		l := s.Layer()
		err := l.Saves().Put(t.Context(), session.Save{SaveID: fmt.Sprintf("v%d", i), Blob: "{}", Audience: session.Player, EngineVersion: "k@1"})
		l.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	exec(t, conn, "update save set expires_at = now() - $1::interval where save_id <> 'v0'", retention+time.Second)
	n, err := s.SweepSaves(t.Context(), retention, 100)
	if err != nil || n != 6 {
		t.Errorf("removed %d, %v; want 6", n, err)
	}
}

// A row that a writer holds is left for the next tick, without waiting.
func TestSweepSkipsLockedRows(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	conn := connect(t, url)
	s := composed(t, Options{URL: url, PoolSize: 2})
	aged(t, s, conn, "old", 3, retention+time.Hour)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "select 1 from session where session_id = 'old0001' for update"); err != nil {
		t.Fatal(err)
	}
	if n, err := s.SweepSessions(t.Context(), retention, 100); err != nil || n != 2 {
		t.Errorf("beside a locked row %d were removed, %v; want 2", n, err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.SweepSessions(t.Context(), retention, 100); err != nil || n != 1 {
		t.Errorf("after the lock %d were removed, %v; want 1", n, err)
	}
}

// Two instances that sweep one backlog at once remove each row once, and
// neither fails.
func TestSweepsOfTwoInstancesNeedNoCoordination(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	conn := connect(t, url)
	a, b := composed(t, Options{URL: url, PoolSize: 2}), composed(t, Options{URL: url, PoolSize: 2})
	aged(t, a, conn, "old", 1, retention+time.Hour)
	exec(t, conn, `insert into session (tenant_id, session_id, version, blob, audience, attempt_counter, replay_compatible,
		engine_version, engine_created_at, engine_updated_at, expires_at)
		select tenant_id, 'old'||n, version, blob, audience, attempt_counter, replay_compatible,
		engine_version, engine_created_at, engine_updated_at, expires_at from session, generate_series(1, 2000) n`)
	total := make(chan int, 2)
	for _, s := range []*Store{a, b} {
		go func() {
			sum := 0
			for {
				n, err := s.SweepSessions(t.Context(), retention, 50)
				if err != nil {
					t.Errorf("a sweep beside another failed: %v", err)
				}
				if n == 0 || err != nil {
					break
				}
				sum += n
			}
			total <- sum
		}()
	}
	removed := <-total + <-total
	if left := sessionsLike(t, conn, "old"); removed+left != 2001 {
		t.Errorf("removed %d and left %d of 2001", removed, left)
	}
	// Rows that one skipped because the other held them are gone by now or go
	// with the next batch.
	if _, err := a.SweepSessions(t.Context(), retention, 5000); err != nil {
		t.Error(err)
	}
	if left := sessionsLike(t, conn, "old"); left != 0 {
		t.Errorf("%d rows left", left)
	}
}

// The server ends a statement that takes too long, and the error names it.
func TestSweepStatementIsBounded(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	conn := connect(t, url)
	s := composed(t, Options{URL: url, PoolSize: 2, SweepTimeout: 50 * time.Millisecond})
	aged(t, s, conn, "old", 1, retention+time.Hour)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "lock table session in access exclusive mode"); err != nil {
		t.Fatal(err)
	}
	_, err = s.SweepSessions(t.Context(), retention, 100)
	failure, ok := errors.AsType[*fault.StoreError](err)
	if !ok || failure.Kind != fault.StatementFailed || failure.Statement != "SweepSessions" || !strings.Contains(err.Error(), "57014") {
		t.Errorf("a sweep behind a lock answered %v; want a failed SweepSessions, cancelled (57014)", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The bound ended with its transaction: the connection is as before.
	if n, err := s.SweepSessions(t.Context(), retention, 100); err != nil || n != 1 {
		t.Errorf("after the lock %d were removed, %v; want 1", n, err)
	}
	if inUse, _, _ := s.Pool(); inUse != 0 {
		t.Errorf("%d connections leaked", inUse)
	}
}

// The sweep finds its rows by the expiry index.
func TestSweepUsesTheExpiryIndex(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	conn := connect(t, url)
	s := composed(t, Options{URL: url, PoolSize: 2})
	aged(t, s, conn, "live", 1, -time.Hour)
	exec(t, conn, `insert into session (tenant_id, session_id, version, blob, audience, attempt_counter, replay_compatible,
		engine_version, engine_created_at, engine_updated_at, expires_at)
		select tenant_id, 'live'||n, version, blob, audience, attempt_counter, replay_compatible,
		engine_version, engine_created_at, engine_updated_at, now() + n * interval '1 minute' from session, generate_series(1, 20000) n`)
	exec(t, conn, "analyze session")
	plan := ask[string](t, conn, `explain (format json) select session_id from session s where s.tenant_id = 'implicit-tenant'
		and s.expires_hour <= date_trunc('hour', (now() - interval '720 hours') at time zone 'UTC')
		and s.expires_at <= now() - interval '720 hours' order by s.expires_hour limit 5000 for update skip locked`)
	if !strings.Contains(plan, "session_expiry") {
		t.Errorf("the plan does not use the expiry index: %s", plan)
	}
}
