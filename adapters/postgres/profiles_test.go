package postgres

import (
	"fmt"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/core/session"
)

// Saves of one profile take its rows in one order, so that no two of them can
// wait for each other: one that waits for the first row holds no other.
func TestProfileSavesCannotDeadlock(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	s := composed(t, Options{URL: url})
	if err := s.Profiles().Save(t.Context(), session.Profile{ProfileID: "p1"}); err != nil {
		t.Fatal(err)
	}
	const insert = "insert into profile_achievement (tenant_id, profile_id, achievement_id) values ('implicit-tenant', 'p1', $1)"
	profile := session.Profile{ProfileID: "p1", Achievements: map[string]bool{}}
	conn, watcher := connect(t, url), connect(t, url)
	exec(t, conn, "set lock_timeout = '10s'")
	exec(t, conn, "begin")
	for i := range 20 {
		profile.Achievements[fmt.Sprintf("a%02d", i)] = true
	}
	exec(t, conn, insert, "a00")
	saved := make(chan error, 1)
	ctx := within(t, time.Minute)
	go func() { saved <- s.Profiles().Save(ctx, profile) }()
	until(t, "the save waits for the first row", func() bool {
		return ask[bool](t, watcher, "select exists (select from pg_stat_activity where $1::int = any (pg_blocking_pids(pid)))", conn.PgConn().PID())
	})
	for i := 1; i < 20; i++ {
		exec(t, conn, insert, fmt.Sprintf("a%02d", i))
	}
	exec(t, conn, "commit")
	if err := <-saved; err != nil {
		t.Error(err)
	}
}
