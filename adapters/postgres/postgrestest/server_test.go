package postgrestest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { Main(m) }

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func exec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func count(t *testing.T, conn *pgx.Conn, sql string) (n int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

func TestSchemasAreApart(t *testing.T) {
	a, b := connect(t, Schema(t)), connect(t, Schema(t))
	exec(t, a, "create table item (id int)")
	exec(t, a, "insert into item values (1)")
	exec(t, b, "create table item (id int)")
	if n := count(t, b, "select count(*) from item"); n != 0 {
		t.Errorf("a fresh schema shows %d rows of another", n)
	}
	if n := count(t, a, "select count(*) from item"); n != 1 {
		t.Errorf("got %d rows, want 1", n)
	}
}

func TestSchemaIsDropped(t *testing.T) {
	t.Run("with a table", func(t *testing.T) {
		exec(t, connect(t, Schema(t)), "create table dropped_with_its_schema (id int)")
	})
	conn := connect(t, Server(t).URL())
	if n := count(t, conn, "select count(*) from pg_class where relname = 'dropped_with_its_schema'"); n != 0 {
		t.Errorf("%d tables outlive their test", n)
	}
}

func TestOwnIsAnotherServer(t *testing.T) {
	own := Own(t)
	if own.URL() == Server(t).URL() {
		t.Fatal("Own gave the shared server")
	}
	if err := own.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := pgx.Connect(t.Context(), own.URL()); err == nil {
		t.Error("the killed server still answers")
	}
	connect(t, Server(t).URL())
}
