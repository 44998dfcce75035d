package blackbox

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/app/devstack"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// world is a test's own database with the instances over it, and what the
// test must not find in their logs.
type world struct {
	testing.TB
	database string // URL; its connections work in schema
	schema   string
	*found
}

// found is what passed over the wire.
type found struct {
	mu      sync.Mutex
	secrets map[string]bool
	codes   map[fault.Code]bool
}

func newWorld(t testing.TB, database, schema string) *world {
	return &world{t, database, schema, &found{secrets: map[string]bool{}, codes: map[fault.Code]bool{}}}
}

// in is the world as a part of the test has it, which fails for itself.
func (w *world) in(t testing.TB) *world { return &world{t, w.database, w.schema, w.found} }

// setUp is a world in a fresh schema of the server that all tests share.
func setUp(t testing.TB) *world {
	t.Helper()
	database := postgrestest.Schema(t)
	u, err := url.Parse(database)
	must(t, err)
	return newWorld(t, database, u.Query().Get("search_path"))
}

// setUpOwn is a world over a server of its own, which the test may disturb.
func setUpOwn(t testing.TB) (*world, *devstack.Postgres) {
	t.Helper()
	server := postgrestest.Own(t)
	return newWorld(t, server.URL(), "public"), server
}

// setUpDatabase is a world in a database of its own on the shared server.
func setUpDatabase(t testing.TB) *world {
	t.Helper()
	server := postgrestest.Server(t).URL()
	name := "own_" + randomName()
	admin := newWorld(t, server, "public")
	admin.exec("create database " + name)
	t.Cleanup(func() { admin.exec("drop database " + name + " with (force)") })
	u, err := url.Parse(server)
	must(t, err)
	u.Path = "/" + name
	return newWorld(t, u.String(), "public")
}

// secret names texts that no log may hold.
func (w *found) secret(texts ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range texts {
		// What is so short stands in logs by chance.
		if len(s) >= 8 {
			w.secrets[s] = true
		}
	}
}

// leaked is a secret that a text holds, or "".
func (w *found) leaked(text string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for s := range w.secrets {
		if strings.Contains(text, s) {
			return s
		}
	}
	return ""
}

// saw notes a code that was answered.
func (w *found) saw(code fault.Code) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.codes[code] = true
}

// connect is a connection for what the test does behind the service's back.
func (w *world) connect() *pgx.Conn {
	w.Helper()
	conn, err := pgx.Connect(context.Background(), w.database)
	must(w, err)
	w.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// exec runs statements on a connection of their own.
func (w *world) exec(statements string) {
	w.Helper()
	conn, err := pgx.Connect(context.Background(), w.database)
	must(w, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(context.Background(), statements, pgx.QueryExecModeSimpleProtocol)
	must(w, err)
}

// ask is the one value that a query answers with.
func ask[T any](w *world, query string, args ...any) T {
	w.Helper()
	conn, err := pgx.Connect(context.Background(), w.database)
	must(w, err)
	defer func() { _ = conn.Close(context.Background()) }()
	var v T
	must(w, conn.QueryRow(context.Background(), query, args...).Scan(&v))
	return v
}

// version is the stored version of a session.
func (w *world) version(sessionID string) int64 {
	w.Helper()
	return ask[int64](w, "select version from session where session_id = $1", sessionID)
}

// rows counts all rows that play sessions can make.
func (w *world) rows() int {
	w.Helper()
	return ask[int](w, `select (select count(*) from session) + (select count(*) from save)
		+ (select count(*) from profile) + (select count(*) from profile_achievement)`)
}
