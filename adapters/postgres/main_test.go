package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

func TestMain(m *testing.M) { postgrestest.Main(m) }

// newStore is a store that is not composed.
func newStore(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// composed is a store that serves.
func composed(t testing.TB, o Options) *Store {
	t.Helper()
	s := newStore(t, o)
	if err := s.Attempt(within(t, time.Minute)); err != nil {
		t.Fatal(err)
	}
	return s
}

// within is the test's context with a deadline, for calls that must end.
func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// connect is a connection for what tests do behind the store's back. It is
// closed before the schema is dropped.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func exec(t testing.TB, conn *pgx.Conn, statement string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// ask is the one value that a query answers with.
func ask[V any](t testing.TB, conn *pgx.Conn, query string, args ...any) V {
	t.Helper()
	var v V
	if err := conn.QueryRow(t.Context(), query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// database is a database of its own in the shared server, for tests of what
// belongs to a database: its defaults, the migration lock.
func database(t testing.TB) string {
	t.Helper()
	server := postgrestest.Server(t).URL()
	name := "test_" + strings.ToLower(rand.Text())
	conn := connect(t, server)
	exec(t, conn, "create database "+name)
	t.Cleanup(func() { exec(t, conn, "drop database "+name+" with (force)") })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal("the server's URL is no URL")
	}
	u.Path = "/" + name
	return u.String()
}

// wantKind checks for a failure of the store and returns it.
func wantKind(t testing.TB, err error, kind fault.StoreKind) *fault.StoreError {
	t.Helper()
	failure, ok := errors.AsType[*fault.StoreError](err)
	if !ok {
		t.Fatalf("error %v, want a failure of the store: %s", err, kind)
	}
	if failure.Kind != kind {
		t.Fatalf("failure %q, want %q: %v", failure.Kind, kind, err)
	}
	return failure
}

func get(ctx context.Context, s *Store, id string) error {
	l := s.Layer()
	defer l.Close()
	_, _, err := l.Sessions().Get(ctx, id)
	return err
}

func put(ctx context.Context, s *Store, r session.Record) error {
	l := s.Layer()
	defer l.Close()
	_, err := l.Sessions().Put(ctx, r)
	return err
}

func record(id string) session.Record {
	return session.Record{SessionID: id, Blob: `{"room":"stairs"}`, Audience: session.Player, EngineVersion: "story-graph@1"}
}

func save(id string) session.Save {
	return session.Save{SaveID: id, Blob: `{"room":"stairs"}`, Audience: session.Player, EngineVersion: "story-graph@1"}
}

// until calls a function until it is true; what it asks takes its own time.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	ctx := within(t, time.Minute)
	for !ok() {
		if ctx.Err() != nil {
			t.Fatalf("never: %s", what)
		}
	}
}
