package postgres

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/core/session"
)

// flush makes the statistics of a store of one connection visible.
func flush(t *testing.T, s *Store) {
	t.Helper()
	conn, err := s.acquire(within(t, time.Minute), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer s.release(conn)
	if _, err := conn.Exec(t.Context(), "select pg_stat_force_next_flush()"); err != nil {
		t.Skipf("this server cannot flush its statistics: %v", err)
	}
}

// story is a blob of about 5 KB, as compressible as a game's is.
func story(seed int) string {
	var b strings.Builder
	b.WriteString(`{"campaign":"lighthouse","vars":{`)
	for i := range 120 {
		fmt.Fprintf(&b, `"variable_%03d":{"kind":"counter","value":%d},`, i, (seed+1)*(i+7)*7919%100_000)
	}
	b.WriteString(`"end":0}}`)
	return b.String()
}

// An accepted write touches no index, and reads and writes go by the key.
func TestWritesAreHOT(t *testing.T) {
	// Not in parallel: the server prunes late while transactions of others run,
	// in whatever database, and then the next row version finds no room.
	// A transaction of another test in the same database would keep old row
	// versions from being pruned.
	url := database(t)
	conn := connect(t, url)
	s := composed(t, Options{URL: url, PoolSize: 1})
	// So would a vacuum or an analyze of the server's own.
	exec(t, conn, "alter table session set (autovacuum_enabled = false)")
	const sessions, writes = 100, 10
	for i := range sessions {
		r := record(fmt.Sprintf("s%04d", i))
		r.Blob = story(i)
		if err := put(t.Context(), s, r); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, conn, "analyze session")
	scans := func() int {
		return ask[int](t, conn, "select seq_scan from pg_stat_user_tables where relid = 'session'::regclass")
	}
	flush(t, s)
	before := scans()
	for n := range writes {
		for i := range sessions {
			l := s.Layer()
			r, _, err := l.Sessions().Get(t.Context(), fmt.Sprintf("s%04d", i))
			if err != nil {
				t.Fatal(err)
			}
			r.Blob = story(i + n)
			if _, err := l.Sessions().Put(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	flush(t, s)
	if after := scans(); after != before {
		t.Errorf("%d sequential scans of the sessions", after-before)
	}
	hot := ask[float64](t, conn, "select n_tup_hot_upd::float8 / n_tup_upd from pg_stat_user_tables where relid = 'session'::regclass")
	// Each row may cross an hour once, which is a tenth of its writes.
	if hot < 0.75 {
		t.Errorf("%.0f %% of the writes were HOT", 100*hot)
	}
	// The server's default may be lz4, which leaves such a blob too long.
	if c := ask[string](t, conn, "select string_agg(distinct attcompression::text, '') from pg_attribute where attname = 'blob' and attrelid in ('session'::regclass, 'save'::regclass)"); c != "p" {
		t.Errorf("blobs are compressed by %q, want pglz", c)
	}
	if out := ask[int](t, conn, "select pg_relation_size(reltoastrelid) from pg_class where oid = 'session'::regclass"); out != 0 {
		t.Errorf("%d bytes of blobs were moved out of line", out)
	}
}

// The sweep finds what is long expired by the expiry index.
func TestExpiryIndex(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	conn := connect(t, url)
	s := composed(t, Options{URL: url})
	if err := put(t.Context(), s, record("s1")); err != nil {
		t.Fatal(err)
	}
	if err := s.Layer().Saves().Put(t.Context(), save("v1")); err != nil {
		t.Fatal(err)
	}
	for table, key := range map[string]string{"session": "session_id", "save": "save_id"} {
		columns := ask[string](t, conn, `
			select string_agg(quote_ident(column_name), ', ') from information_schema.columns
			where table_schema = current_schema() and table_name = $1
			  and is_generated = 'NEVER' and column_name not in ($2, 'expires_at')`, table, key)
		exec(t, conn, "insert into "+table+" ("+key+", expires_at, "+columns+") "+
			"select n::text, now() + n * interval '1 minute', "+columns+" from "+table+", generate_series(1, 5000) as n")
		exec(t, conn, "analyze "+table)
		rows, err := conn.Query(t.Context(), "explain select from "+table+` as r
			where r.tenant_id = 'implicit-tenant' and r.expires_at < now() + interval '2 hours'
			  and r.expires_hour <= date_trunc('hour', (now() + interval '2 hours') at time zone 'UTC')`)
		if err != nil {
			t.Fatal(err)
		}
		var plan strings.Builder
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			plan.WriteString(line + "\n")
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan.String(), table+"_expiry") {
			t.Errorf("the expiry index of %s is not used:\n%s", table, plan.String())
		}
	}
}

// Blobs come by table and bytewise by id, the expired ones too.
func TestBlobs(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	s := composed(t, Options{URL: url})
	for _, id := range []string{"b", "B", "é", "a-", "a", "_"} {
		r := record(id)
		r.Blob = "session " + id
		v := save(id)
		v.Blob = "save " + id
		if err := put(t.Context(), s, r); err != nil {
			t.Fatal(err)
		}
		if err := s.Layer().Saves().Put(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, connect(t, url), "update session set expires_at = now() - interval '1 day' where session_id = 'a'")
	var got []string
	err := s.Blobs(t.Context(), func(table, id, blob string) error {
		if blob != table+" "+id {
			t.Errorf("blob of %s %q is %q", table, id, blob)
		}
		got = append(got, blob)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "save B,save _,save a,save a-,save b,save é,session B,session _,session a,session a-,session b,session é"
	if strings.Join(got, ",") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ","), want)
	}
}

// The store's own columns, which the port does not show.
func TestHostColumns(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	conn := connect(t, url)
	s := composed(t, Options{URL: url, SessionTTL: 90 * time.Minute, SaveTTL: 1000 * time.Hour})
	if err := put(t.Context(), s, record("s1")); err != nil {
		t.Fatal(err)
	}
	if err := s.Profiles().Save(t.Context(), session.Profile{ProfileID: "p1", Achievements: map[string]bool{"lamp": true}}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]bool{
		"select tenant_id = 'implicit-tenant' and version = 1 and profile_id is null from session":                    true,
		"select expires_at = row_updated_at + interval '90 minutes' and row_created_at = row_updated_at from session": true,
		"select expires_hour = date_trunc('hour', expires_at at time zone 'UTC') from session":                        true,
		"select format_version = 1 and tenant_id = 'implicit-tenant' from profile":                                    true,
		"select tenant_id = 'implicit-tenant' and achievement_id = 'lamp' from profile_achievement":                   true,
		"select count(*) = 1 from profile_achievement":                                                                true,
	} {
		if got := ask[bool](t, conn, query); got != want {
			t.Errorf("%s: %v", query, got)
		}
	}
	exec(t, conn, "update session set row_created_at = row_created_at - interval '1 day', row_updated_at = row_updated_at - interval '1 day'")
	l := s.Layer()
	r, _, err := l.Sessions().Get(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Sessions().Put(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if !ask[bool](t, conn, "select version = 2 and expires_at = row_updated_at + interval '90 minutes' and row_updated_at > row_created_at + interval '1 hour' from session") {
		t.Errorf("an accepted write does not set the store's columns")
	}
	for range 2 {
		if err := s.Layer().Saves().Put(t.Context(), save("v1")); err != nil {
			t.Fatal(err)
		}
		if !ask[bool](t, conn, "select expires_at = row_updated_at + interval '1000 hours' and row_created_at = row_updated_at and tenant_id = 'implicit-tenant' from save") {
			t.Errorf("a put save does not set the store's columns")
		}
		exec(t, conn, "update save set row_created_at = now() - interval '1 day', row_updated_at = now() - interval '1 day', expires_at = now()")
	}
}
