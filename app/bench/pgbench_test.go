package bench

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestScriptsAreTheStoresStatements: pgbench sends what the store sends.
func TestScriptsAreTheStoresStatements(t *testing.T) {
	text, err := os.ReadFile("../../sql/queries/session.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ query, script string }{
		{"GetSession :one", scriptSelect},
		{"UpdateSession :one", scriptUpdate},
	} {
		_, query, ok := strings.Cut(string(text), "-- name: "+c.query)
		if !ok {
			t.Fatalf("no query %s", c.query)
		}
		query, _, _ = strings.Cut(query, ";")
		query = strings.NewReplacer(
			"@tenant_id", "'implicit-tenant'",
			"@session_id", "'0000000000000' || :id",
			"@read_version", ":version",
			"sqlc.arg(ttl)::interval", "interval '720 hours'",
			"@attempt_counter", "cast(:attempt_counter as bigint) + 1",
			"@profile_id", "nullif(:profile_id, '')",
			"@", ":",
		).Replace(query)
		if got, want := words(c.script), words(query); got != want {
			t.Errorf("%s: the script has\n%s\nthe store\n%s", c.query, got, want)
		}
	}
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// TestNaiveStatementsAreTheStoresStatements: so does the naive service.
func TestNaiveStatementsAreTheStoresStatements(t *testing.T) {
	generated, err := os.ReadFile("../../adapters/postgres/internal/dbsqlc/session.sql.go")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile("naive/server.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"getSession", "updateSession"} {
		want := regexp.MustCompile("const " + name + " = `[^\n]*\n([^`]*)`").FindSubmatch(generated)
		if want == nil {
			t.Fatalf("no statement %s", name)
		}
		if !strings.Contains(words(string(theirs)), words(string(want[1]))) {
			t.Errorf("%s: the naive service does not have\n%s", name, want[1])
		}
	}
}

func TestReadRate(t *testing.T) {
	const printed = `pgbench (15.18)
transaction type: s.sql
number of transactions actually processed: 1815
number of failed transactions: 0 (0.000%)
latency average = 8.8 ms
initial connection time = 21.5 ms
tps = 1816.250001 (without initial connection time)
`
	if rate, err := readRate([]byte(printed)); err != nil || rate != 1816.250001 {
		t.Errorf("rate %v, %v", rate, err)
	}
	if _, err := readRate([]byte(strings.Replace(printed, "transactions: 0 (0.000%)", "transactions: 3 (0.165%)", 1))); err == nil {
		t.Error("failed transactions were not reported")
	}
	if rate, err := readRate([]byte("number of transactions actually processed: 0\n")); err != nil || rate != 0 {
		t.Errorf("no transaction: rate %v, %v", rate, err)
	}
	if _, err := readRate([]byte("pgbench (15.18)\n")); err == nil {
		t.Error("a missing rate was not reported")
	}
}

func TestReadLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.1")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("0 1 1200 0 1764500000 113265\n1 1 900 0 1764500000 113300\n")
	got, err := readLog([]time.Duration{5}, path)
	if want := []time.Duration{5, 1200 * time.Microsecond, 900 * time.Microsecond}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, wrong := range []string{"0 1\n", "0 1 failed 0 1764500000 113265\n"} {
		write(wrong)
		if _, err := readLog(nil, path); err == nil {
			t.Errorf("log %q was taken", wrong)
		}
	}
}
