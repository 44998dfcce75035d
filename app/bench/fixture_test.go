package bench

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/adapters/engine/storygraph"
	"github.com/holdfast-dev/holdfast/adapters/postgres"
	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/core/engine"
)

func stories(t testing.TB) engine.Engine {
	t.Helper()
	e, unhosted, err := storygraph.Load(Campaigns())
	if err != nil || len(unhosted) > 0 {
		t.Fatalf("campaign: %v, unhosted %v", err, unhosted)
	}
	return e
}

// TestBlob: the engine writes exactly the committed bytes, and they have the
// size that the measurements are about.
func TestBlob(t *testing.T) {
	e := stories(t)
	at, err := e.Start(context.Background(), engine.Start{CampaignID: campaignID, GameID: gameID, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	if at.Blob != blob {
		t.Errorf("the engine begins the campaign with\n%s\ntestdata/blob.json holds\n%s", at.Blob, blob)
	}
	if n := len(blob); n < 4900 || n > 5200 {
		t.Errorf("the blob has %d bytes, want about 5 KB", n)
	}
	if v := e.Kind() + "@" + e.Version(); v != engineVersion {
		t.Errorf("the engine is %s, the rows say %s", v, engineVersion)
	}
	var state struct {
		Variables map[string]any `json:"variables"`
	}
	if err := json.Unmarshal([]byte(blob), &state); err != nil {
		t.Fatal(err)
	}
	if n := len(state.Variables); n < 110 || n > 130 {
		t.Errorf("%d variables, want about 120", n)
	}
	if n := len(at.Scene.Actions); n < 4 || n > 5 {
		t.Errorf("%d actions in the scene, want 4 or 5", n)
	}
}

// TestAction: the measured action counts one variable and nothing else, stays
// in its scene, and keeps the blob's size however often it is taken.
func TestAction(t *testing.T) {
	e := stories(t)
	at := blob
	for turn := 1; turn <= 3; turn++ {
		out, err := e.Apply(context.Background(), at, engine.Move{ActionID: actionID})
		if err != nil || !out.Result.OK {
			t.Fatalf("turn %d: %+v, %v", turn, out.Result, err)
		}
		if n := len(out.Result.Changes); n != 1 || out.Result.Changes[0].Path != "variables.haggle_rounds" {
			t.Errorf("turn %d: changes %+v", turn, out.Result.Changes)
		}
		if out.Result.Scene.TextKey != "quay.text" || len(out.Blob) != len(blob) {
			t.Errorf("turn %d: scene %s, blob of %d bytes", turn, out.Result.Scene.TextKey, len(out.Blob))
		}
		at = out.Blob
	}
}

// TestStoredBlob: the server keeps the blob in about 1.6 KB, by pglz.
func TestStoredBlob(t *testing.T) {
	url := postgrestest.Schema(t)
	put(t, url, sessionID(0))
	conn := connect(t, url)
	var size int
	var method string
	err := conn.QueryRow(context.Background(), "select pg_column_size(blob), pg_column_compression(blob) from session").Scan(&size, &method)
	if err != nil {
		t.Fatal(err)
	}
	if size < 1500 || size > 1700 || method != "pglz" {
		t.Errorf("the blob is stored in %d bytes by %s", size, method)
	}
}

// TestSessionID: ids have the length of minted ones, and that which pgbench
// makes of the same row number.
func TestSessionID(t *testing.T) {
	for _, c := range []struct {
		row  int
		want string
	}{
		{0, "00000000000001000000000000000000"},
		{99_999, "00000000000001000000000000099999"},
	} {
		if got := sessionID(c.row); got != c.want || len(got) != 32 {
			t.Errorf("row %d: %s, want %s", c.row, got, c.want)
		}
	}
}

// put writes a session through the store.
func put(t testing.TB, url, id string) {
	t.Helper()
	layer := openStore(t, url).Layer()
	defer layer.Close()
	if _, err := layer.Sessions().Put(context.Background(), record(id)); err != nil {
		t.Fatal(err)
	}
}

func openStore(t testing.TB, url string) *postgres.Store {
	t.Helper()
	store, err := postgres.New(postgres.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	if err := store.Attempt(context.Background()); err != nil {
		t.Fatal(err)
	}
	return store
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
