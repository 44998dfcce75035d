package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3/lock"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/core/fault"
)

const firstMigration = "00001_play_sessions.sql"

func TestUpAndStatus(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	conn := connect(t, url)
	s := newStore(t, Options{URL: url})
	before, err := s.Status(within(t, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if before.Version != 0 || len(before.Migrations) == 0 || before.Migrations[0].Name != firstMigration {
		t.Errorf("status of an empty schema: %+v", before)
	}
	for _, m := range before.Migrations {
		if !m.AppliedAt.IsZero() {
			t.Errorf("%s is applied in an empty schema", m.Name)
		}
	}
	if n := ask[int](t, conn, "select count(*) from pg_tables where schemaname = current_schema()"); n != 0 {
		t.Errorf("asking for the status made %d tables", n)
	}

	applied, err := s.Up(within(t, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range before.Migrations {
		names = append(names, m.Name)
	}
	if !slices.Equal(applied, names) {
		t.Errorf("applied %v, want %v", applied, names)
	}
	again, err := s.Up(within(t, time.Minute))
	if err != nil || len(again) != 0 {
		t.Errorf("a second time applied %v, error %v", again, err)
	}
	after, err := s.Status(within(t, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range after.Migrations {
		if m.AppliedAt.IsZero() {
			t.Errorf("%s is not applied", m.Name)
		}
	}
	if want := after.Migrations[len(after.Migrations)-1].Version; after.Version != want {
		t.Errorf("version %d, want %d", after.Version, want)
	}
}

// Spec 70, held migration lock.
func TestFieldHeldMigrationLock(t *testing.T) {
	t.Parallel()
	url := database(t)
	conn := connect(t, url)
	exec(t, conn, "select pg_advisory_lock($1)", lock.DefaultLockID)

	var stores [4]*Store
	for i := range stores {
		stores[i] = newStore(t, Options{URL: url})
		stores[i].lockWait = 100 * time.Millisecond
	}
	attempt := func() (errs [len(stores)]error) {
		var wg sync.WaitGroup
		for i, s := range stores {
			wg.Go(func() { errs[i] = s.Attempt(within(t, time.Minute)) })
		}
		wg.Wait()
		return errs
	}
	for range 2 { // the bound is as long at the second attempt
		for i, err := range attempt() {
			if got := wantKind(t, err, fault.MigrationLockTimeout).Detail(); got != "migration lock timeout" {
				t.Errorf("detail %q", got)
			}
			wantKind(t, stores[i].Ready(t.Context()), fault.MigrationLockTimeout)
		}
	}
	if ask[bool](t, conn, "select to_regclass('session') is not null") {
		t.Errorf("migrated without the lock")
	}

	exec(t, conn, "select pg_advisory_unlock($1)", lock.DefaultLockID)
	for _, s := range stores {
		s.lockWait = time.Minute
	}
	for _, err := range attempt() {
		if err != nil {
			t.Errorf("after the lock was free: %v", err)
		}
	}
	if n := ask[int](t, conn, "select count(*) from goose_db_version where version_id = 1"); n != 1 {
		t.Errorf("the first migration ran %d times", n)
	}
	if n := ask[int](t, conn, "select count(*) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())"); n != 0 {
		t.Errorf("%d advisory locks are left", n)
	}

	exec(t, conn, "select pg_advisory_lock($1)", lock.DefaultLockID)
	fifth := newStore(t, Options{URL: url})
	fifth.lockWait = 100 * time.Millisecond // it would run into it
	if err := fifth.Attempt(within(t, time.Minute)); err != nil {
		t.Errorf("an instance on a current schema waits for the lock: %v", err)
	}
}

func TestFailedMigration(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	conn := connect(t, url)
	exec(t, conn, "create table save (id int)")
	s := newStore(t, Options{URL: url})
	for range 2 {
		failure := wantKind(t, s.Attempt(within(t, time.Minute)), fault.MigrationRefused)
		if got, want := failure.Detail(), "migration failed: "+firstMigration; got != want {
			t.Errorf("detail %q, want %q", got, want)
		}
	}
	if ask[bool](t, conn, "select to_regclass('session') is not null") {
		t.Errorf("a failed migration left tables")
	}
	exec(t, conn, "drop table save")
	if err := s.Attempt(within(t, time.Minute)); err != nil {
		t.Errorf("once the cause is gone: %v", err)
	}
}

func TestNewerSchema(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	conn := connect(t, url)
	composed(t, Options{URL: url})
	exec(t, conn, "insert into goose_db_version (version_id, is_applied) values (99, true)")
	exec(t, conn, "alter table session add colour text not null default 'red'")
	s := composed(t, Options{URL: url})
	if err := s.Ready(within(t, time.Minute)); err != nil {
		t.Errorf("not ready on a newer schema: %v", err)
	}
	if err := errors.Join(put(t.Context(), s, record("s1")), get(t.Context(), s, "s1")); err != nil {
		t.Errorf("on a newer schema: %v", err)
	}
	status, err := s.Status(within(t, time.Minute))
	if err != nil || status.Version != 99 {
		t.Errorf("status %+v, error %v", status, err)
	}
}

// A schema of any name is made and used.
func TestNamedSchema(t *testing.T) {
	t.Parallel()
	url := postgrestest.Server(t).URL()
	conn := connect(t, url)
	name := `Odd "schema", public ` + rand.Text()
	t.Cleanup(func() { exec(t, conn, "drop schema if exists "+pgx.Identifier{name}.Sanitize()+" cascade") })
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			s, err := New(Options{URL: url, Schema: name})
			if err == nil {
				defer s.Close()
				err = s.Attempt(within(t, time.Minute))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s := composed(t, Options{URL: url, Schema: name})
	if err := errors.Join(put(t.Context(), s, record("s1")), get(t.Context(), s, "s1"), s.Ready(t.Context())); err != nil {
		t.Error(err)
	}
	if n := ask[int](t, conn, "select count(*) from "+pgx.Identifier{name, "session"}.Sanitize()); n != 1 {
		t.Errorf("%d sessions in the schema, want 1", n)
	}
	if n := ask[int](t, conn, "select count(*) from pg_tables where schemaname = $1", name); n != 5 {
		t.Errorf("%d tables in the schema, want the four and the migration tool's", n)
	}
}

// Migrations go over their own URL, serving over the other.
func TestMigrationURL(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	s := newStore(t, Options{URL: "postgres://nobody@127.0.0.1:1/nothing", MigrationURL: url})
	wantKind(t, s.Attempt(within(t, time.Minute)), fault.Unreachable)
	if !ask[bool](t, connect(t, url), "select to_regclass('session') is not null") {
		t.Errorf("not migrated")
	}
}

// A migration that meets a server that only reads, or a caller that gives up,
// says so.
func TestMigrationThatCannotBegin(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	composed(t, Options{URL: url})
	exec(t, connect(t, url), "delete from goose_db_version where version_id = 1")
	s := newStore(t, Options{URL: url + "&default_transaction_read_only=on"})
	wantKind(t, s.Attempt(within(t, time.Minute)), fault.ReadOnly)

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Attempt(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one that shows that the caller gave up", err)
	}
}
