// Package postgrestest gives tests a real PostgreSQL: one server for all tests
// of a process, and in it a fresh schema for each test.
package postgrestest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/app/devstack"
)

var shared struct {
	sync.Mutex
	server *devstack.Postgres
	err    error
}

// Main runs a package's tests, stops the server that they shared and exits.
// A package that uses [Server] or [Schema] calls it from its TestMain.
func Main(m *testing.M) {
	code := m.Run()
	shared.Lock()
	if shared.server != nil {
		if err := shared.server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// Server is the server that all tests of this process share: the one of
// HOLDFAST_DATABASE_URL, else one that the first caller starts. Without any,
// the test is skipped, or fails under CI=true or HOLDFAST_INSTALL=1.
func Server(t testing.TB) *devstack.Postgres {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		shared.server, shared.err = start(true)
	}
	failOrSkip(t, shared.err)
	return shared.server
}

// Own is a server for this test alone, which it may kill or pause. It is never
// that of HOLDFAST_DATABASE_URL.
func Own(t testing.TB) *devstack.Postgres {
	t.Helper()
	p, err := start(false)
	failOrSkip(t, err)
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Errorf("stop PostgreSQL: %v", err)
		}
	})
	return p
}

// Schema makes a schema for this test in the shared server, drops it after
// the test, and returns a URL whose connections work in it: it sets
// search_path to the schema's name and nothing else.
func Schema(t testing.TB) string {
	t.Helper()
	server := Server(t).URL()
	name := "test_" + strings.ToLower(rand.Text())
	execute(t, server, "create schema "+name)
	t.Cleanup(func() {
		// A connection that the test left in a transaction would block this.
		execute(t, server, "set lock_timeout = '5s'; drop schema "+name+" cascade")
	})
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal("HOLDFAST_DATABASE_URL is no URL")
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}

func start(external bool) (*devstack.Postgres, error) {
	o, required, err := devstack.FromEnv()
	if err != nil {
		return nil, err
	}
	if !external {
		o.DatabaseURL = ""
	}
	p, err := devstack.StartPostgres(context.Background(), o)
	if errors.Is(err, devstack.ErrNotFound) && !required {
		return nil, skip{err}
	}
	return p, err
}

// skip is an error that is no failure of the test.
type skip struct{ error }

func failOrSkip(t testing.TB, err error) {
	t.Helper()
	if s, ok := errors.AsType[skip](err); ok {
		t.Skipf("no server to test with: %v", s)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// execute runs statements on a connection of their own; the test's context is
// over when its clean-up runs.
func execute(t testing.TB, server, statements string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatalf("connect to the test server: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statements, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Errorf("%s: %v", statements, err)
	}
}
