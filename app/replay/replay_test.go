package replay

import (
	"bytes"
	"flag"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden transcript from an in-process run")

func TestMain(m *testing.M) {
	flag.Parse()
	postgrestest.Main(m)
}

const golden = "testdata/golden.txt"

// The rows that the fixture leaves behind.
const (
	wantSessions = 4
	wantSaves    = 1
)

func TestByteIdentity(t *testing.T) {
	all := requests(t)
	ways := []struct {
		name string
		run  func(*testing.T) run
	}{
		{"in process", func(t *testing.T) run { return inProcess(t, inMemory(t), all) }},
		{"in memory over HTTP", func(t *testing.T) run { return overHTTP(t, inMemory(t), all) }},
		{"durable over HTTP", func(t *testing.T) run { return overHTTP(t, durable(t, postgrestest.Schema(t)), all) }},
		{"durable over HTTP again", func(t *testing.T) run { return overHTTP(t, durable(t, postgrestest.Schema(t)), all) }},
		{"in memory through the edge", func(t *testing.T) run { return throughEdge(t, inMemory(t), all) }},
		{"durable through the edge", func(t *testing.T) run { return throughEdge(t, durable(t, postgrestest.Schema(t)), all) }},
		{"in memory through MCP", func(t *testing.T) run { return throughMCP(t, inMemory(t), all) }},
		{"durable through MCP", func(t *testing.T) run { return throughMCP(t, durable(t, postgrestest.Schema(t)), all) }},
		{"durable over HTTP in another locale", func(t *testing.T) run { return overHTTP(t, durable(t, otherLocale(t)), all) }},
	}
	if *rewrite {
		if err := os.WriteFile(golden, ways[0].run(t).transcript, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var blobs []byte
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			got, want := way.run(t), want
			if strings.HasSuffix(way.name, "through MCP") {
				want = onlyTools(t, want)
			}
			if d := difference(got.transcript, want); d != "" {
				t.Errorf("the transcript differs from %s at %s", golden, d)
			}
			if err := complete(got.dump); err != "" {
				t.Fatal(err)
			}
			if blobs == nil {
				blobs = got.dump
			}
			if d := difference(got.dump, blobs); d != "" {
				t.Errorf("the stored blobs differ from those of %q at %s", ways[0].name, d)
			}
		})
	}
}

// The comparison must be able to fail: two swapped actions leave other blobs,
// a changed member is another transcript, and an empty store is no dump.
func TestPerturbationsTurnRed(t *testing.T) {
	all := requests(t)
	honest := inProcess(t, inMemory(t), all)

	swapped := slices.Clone(all)
	climb := slices.Index(swapped, request{"submit-action", `{"sessionId":"00000000000000000000000000000006","actionId":"climb"}`})
	swapped[climb-1], swapped[climb] = swapped[climb], swapped[climb-1]
	if d := difference(inProcess(t, inMemory(t), swapped).dump, honest.dump); d == "" {
		t.Error("two swapped actions left the same blobs")
	}
	changed := bytes.Replace(honest.transcript, []byte(`"ok":true`), []byte(`"ok":false`), 1)
	if d := difference(changed, honest.transcript); d == "" {
		t.Error("a changed member went unnoticed")
	}
	if err := complete(overHTTP(t, durable(t, postgrestest.Schema(t)), nil).dump); err == "" {
		t.Error("the dump of an empty schema passed")
	}
}

// complete says what a dump lacks, so that two empty ones are not equal.
func complete(dump []byte) string {
	sessions := bytes.Count(dump, []byte(`["session",`))
	saves := bytes.Count(dump, []byte(`["save",`))
	if sessions != wantSessions || saves != wantSaves {
		return "the dump has not the rows of the fixture:\n" + string(dump)
	}
	return ""
}

// otherLocale makes a database whose order of texts is not the byte order.
func otherLocale(t *testing.T) string {
	t.Helper()
	server := postgrestest.Server(t).URL()
	conn, err := pgx.Connect(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	const name = "replay_other_locale"
	for _, statement := range []string{
		"drop database if exists " + name + " with (force)",
		"create database " + name + " template template0 locale_provider icu icu_locale 'de-AT' locale 'C'",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			if strings.Contains(err.Error(), "ICU is not supported") {
				t.Skip("this PostgreSQL is built without ICU, so it has no other locale for sure")
			}
			t.Fatal(err)
		}
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}
