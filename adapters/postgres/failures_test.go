package postgres

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

// operations are all that a store does, by the statement that does it.
var operations = map[string]func(ctx context.Context, s *Store) error{
	"GetSession":    func(ctx context.Context, s *Store) error { return get(ctx, s, "s1") },
	"InsertSession": func(ctx context.Context, s *Store) error { return put(ctx, s, record("fresh")) },
	"GetSave": func(ctx context.Context, s *Store) error {
		_, err := s.Layer().Saves().Get(ctx, "v1")
		return err
	},
	"PutSave":    func(ctx context.Context, s *Store) error { return s.Layer().Saves().Put(ctx, save("v1")) },
	"DeleteSave": func(ctx context.Context, s *Store) error { return s.Layer().Saves().Delete(ctx, "v1") },
	"LoadProfile": func(ctx context.Context, s *Store) error {
		_, err := s.Profiles().Load(ctx, "p1")
		return err
	},
	"SaveProfile": func(ctx context.Context, s *Store) error {
		return s.Profiles().Save(ctx, session.Profile{ProfileID: "p1", Achievements: map[string]bool{"lamp": true}})
	},
	"SessionLive": func(ctx context.Context, s *Store) error {
		_, err := s.Lifecycle().Session(ctx, "s1")
		return err
	},
	"SaveLive": func(ctx context.Context, s *Store) error {
		_, err := s.Lifecycle().Save(ctx, "v1")
		return err
	},
	"ProbeStore": func(ctx context.Context, s *Store) error { return s.Ready(ctx) },
	"DumpBlobs": func(ctx context.Context, s *Store) error {
		return s.Blobs(ctx, func(_, _, _ string) error { return nil })
	},
}

func wantEach(ctx context.Context, t *testing.T, s *Store, kind fault.StoreKind) {
	t.Helper()
	for statement, run := range operations {
		failure := wantKind(t, run(ctx, s), kind)
		if failure.Statement != statement {
			t.Errorf("the failure names statement %q, want %q", failure.Statement, statement)
		}
	}
}

func TestNotComposedYet(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{URL: "postgres://nobody@127.0.0.1:1/nothing"})
	wantEach(t.Context(), t, s, fault.Unreachable)

	failed := wantKind(t, s.Attempt(t.Context()), fault.Unreachable)
	if err := s.Ready(t.Context()); err != failed {
		t.Errorf("readiness says %v, want what start-up waits for: %v", err, failed)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	s := composed(t, Options{URL: postgrestest.Schema(t)})
	s.Close()
	wantEach(t.Context(), t, s, fault.Unreachable)
	wantKind(t, s.Attempt(t.Context()), fault.Unreachable)
}

func TestFullPool(t *testing.T) {
	t.Parallel()
	s := composed(t, Options{URL: postgrestest.Schema(t), PoolSize: 1})
	held, err := s.acquire(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		wantEach(within(t, 10*time.Millisecond), t, s, fault.PoolExhausted)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := get(gone, s, "s1"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one that shows that the caller gave up", err)
	}
	s.release(held)
	if err := s.Ready(within(t, time.Minute)); err != nil {
		t.Errorf("after the release: %v", err)
	}
}

func TestMissingTable(t *testing.T) {
	t.Parallel()
	schema := postgrestest.Schema(t)
	s := composed(t, Options{URL: schema})
	exec(t, connect(t, schema), "drop table session, save, profile, profile_achievement")
	wantEach(within(t, time.Minute), t, s, fault.StatementFailed)
	if got := s.Ready(within(t, time.Minute)).(*fault.StoreError).Detail(); got != "statement failed" {
		t.Errorf("readiness says %q", got)
	}
}

func TestRowThatDoesNotFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ column, spoil string }{
		{"attempt_counter", "alter table session alter attempt_counter type text using 'many'"},
		{"version", "alter table session drop constraint session_version_check, alter version type numeric using 'NaN'"},
		{"replay_compatible", "alter table session alter replay_compatible type text using 'secret'"},
		{"blob", "alter table session alter blob drop not null; update session set blob = null"},
		{"engine_version", "alter table session alter engine_version type bytea using '\\xff'"},
		{"audience", "alter table session drop constraint session_audience_check; update session set audience = 'secret'"},
	} {
		t.Run(c.column, func(t *testing.T) {
			t.Parallel()
			schema := postgrestest.Schema(t)
			if err := put(t.Context(), composed(t, Options{URL: schema}), record("s1")); err != nil {
				t.Fatal(err)
			}
			conn := connect(t, schema)
			for statement := range strings.SplitSeq(c.spoil, ";") {
				exec(t, conn, statement)
			}
			err := get(within(t, time.Minute), composed(t, Options{URL: schema}), "s1")
			failure := wantKind(t, err, fault.RowUndeserializable)
			if failure.Subject != c.column {
				t.Errorf("the failure names column %q, want %q", failure.Subject, c.column)
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "many") {
				t.Errorf("the error quotes the row: %v", err)
			}
		})
	}
}

// What a statement was given or what a row holds is in no error's text.
func TestErrorsHoldNoValues(t *testing.T) {
	t.Parallel()
	const secret = "swordfish"
	for mode := range execModes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			schema := postgrestest.Schema(t)
			s := composed(t, Options{URL: schema, ExecMode: mode})
			exec(t, connect(t, schema), "alter table session add check (blob::jsonb is not null)")
			for name, spoil := range map[string]func(*session.Record){
				"U+0000":         func(r *session.Record) { r.Blob = secret + "\x00" },
				"not UTF-8":      func(r *session.Record) { r.UpdatedAt = secret + "\xff" },
				"no audience":    func(r *session.Record) { r.Audience = secret },
				"no JSON":        func(r *session.Record) { r.Blob = secret },
				"id over 2.7 kB": func(r *session.Record) { r.SessionID = longID(secret) },
			} {
				r := record(secret)
				spoil(&r)
				err := put(within(t, time.Minute), s, r)
				wantKind(t, err, fault.StatementFailed)
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s: the error holds what was written: %v", name, err)
				}
			}
			if err := s.Ready(within(t, time.Minute)); err != nil {
				t.Errorf("after refused statements: %v", err)
			}
		})
	}
}

// longID is an id that no index takes, however it is compressed.
func longID(prefix string) string {
	id := []byte(prefix)
	for x := uint32(1); len(id) < 20_000; {
		x = x*1664525 + 1013904223
		id = append(id, 'a'+byte(x>>24)%26)
	}
	return string(id)
}

func TestUnusableOptions(t *testing.T) {
	const url = "postgres://holdfast:swordfish@127.0.0.1/holdfast"
	for _, c := range []struct {
		option string
		o      Options
	}{
		{"URL", Options{}},
		{"URL", Options{URL: "postgres://holdfast:swordfish@127.0.0.1:port/holdfast"}},
		{"URL", Options{URL: "mysql://holdfast:swordfish@127.0.0.1/holdfast"}},
		{"MigrationURL", Options{URL: url, MigrationURL: "swordfish"}},
		{"PoolSize", Options{URL: url, PoolSize: -1}},
		{"ExecMode", Options{URL: url, ExecMode: "fast"}},
		{"SessionTTL", Options{URL: url, SessionTTL: -1}},
		{"SaveTTL", Options{URL: url, SaveTTL: -1}},
		{"SweepTimeout", Options{URL: url, SweepTimeout: -1}},
	} {
		_, err := New(c.o)
		e, ok := errors.AsType[*OptionError](err)
		if !ok || e.Option != c.option {
			t.Errorf("%+v: error %v, want one of option %s", c.o, err, c.option)
			continue
		}
		if strings.Contains(err.Error(), "swordfish") {
			t.Errorf("the error holds a password: %v", err)
		}
	}
}

// A password is in no error of a connection that fails.
func TestRefusedConnection(t *testing.T) {
	t.Parallel()
	server := postgrestest.Server(t).URL()
	missing := strings.Replace(server, "/holdfast?", "/no_such_database?", 1)
	for _, url := range []string{missing, "postgres://holdfast:swordfish@127.0.0.1:1/holdfast"} {
		err := newStore(t, Options{URL: url}).Attempt(within(t, time.Minute))
		if got := wantKind(t, err, fault.Unreachable).Detail(); got != "store unreachable" {
			t.Errorf("detail %q", got)
		}
		if strings.Contains(err.Error(), "swordfish") {
			t.Errorf("the error holds a password: %v", err)
		}
	}
}
