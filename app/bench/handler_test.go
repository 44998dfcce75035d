package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/holdfast-dev/holdfast/adapters/httpapi"
	"github.com/holdfast-dev/holdfast/adapters/memory"
	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/adapters/system"
	"github.com/holdfast-dev/holdfast/app/bench/naive"
	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/health"
	"github.com/holdfast-dev/holdfast/core/session"
)

// newHandler is the public surface over a store, as an instance has it.
func newHandler(t testing.TB, store session.Store) http.Handler {
	t.Helper()
	registry, err := engine.NewRegistry([]engine.Engine{engine.Guard(stories(t), 2*time.Second)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	handler, err := httpapi.New(httpapi.Options{
		Sessions:     session.New(session.Options{Store: store, Engines: registry, Clock: system.Clock{}, IDs: system.IDs{}, Log: log}),
		Health:       health.NewProbe(func(context.Context) error { return nil }),
		Correlations: system.IDs{},
		Log:          log,
		Observe:      func(string, int, time.Duration) {},
		BodyLimit:    1 << 20,
		Timeout:      10 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// sink is a response that keeps its body's buffer.
type sink struct {
	header http.Header
	status int
	body   []byte
}

func (s *sink) Header() http.Header    { return s.header }
func (s *sink) WriteHeader(status int) { s.status = status }
func (s *sink) Write(p []byte) (int, error) {
	s.body = append(s.body, p...)
	return len(p), nil
}

// calls is a request to a handler that can be made again and again without an
// allocation of its own.
type calls struct {
	handler http.Handler
	request *http.Request
	body    []byte
	reader  *bytes.Reader
	sink    sink
}

func newCalls(handler http.Handler, path, body string) *calls {
	c := &calls{handler: handler, body: []byte(body), reader: bytes.NewReader(nil), sink: sink{header: http.Header{}}}
	c.request = httptest.NewRequestWithContext(context.Background(), http.MethodPost, path, nil)
	c.request.Header.Set("Content-Type", "application/json")
	return c
}

func (c *calls) call() (int, []byte) {
	c.reader.Reset(c.body)
	c.request.Body, c.request.ContentLength = io.NopCloser(c.reader), int64(len(c.body))
	clear(c.sink.header)
	c.sink.status, c.sink.body = http.StatusOK, c.sink.body[:0]
	c.handler.ServeHTTP(&c.sink, c.request)
	return c.sink.status, c.sink.body
}

func submitBody(id string) string {
	return fmt.Sprintf(`{"sessionId":"%s","actionId":"%s"}`, id, actionID)
}

func BenchmarkSubmitAction(b *testing.B) {
	benchmarkHandler(b, "/v1/submit-action", submitBody(sessionID(0)), accepted)
}

func BenchmarkGetScene(b *testing.B) {
	benchmarkHandler(b, "/v1/get-scene", fmt.Sprintf(`{"sessionId":"%s"}`, sessionID(0)), shown)
}

// benchmarkHandler measures the handler without a network before it, over
// each store.
func benchmarkHandler(b *testing.B, path, body string, verify func(int, []byte) (bool, error)) {
	for _, c := range []struct {
		name string
		open func(testing.TB) session.Store
	}{
		{"memory", func(testing.TB) session.Store { return memory.New(system.Clock{}, time.Hour, time.Hour) }},
		{"postgres", func(b testing.TB) session.Store { return openStore(b, postgrestest.Schema(b)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			store := c.open(b)
			layer := store.Layer()
			if _, err := layer.Sessions().Put(context.Background(), record(sessionID(0))); err != nil {
				b.Fatal(err)
			}
			layer.Close()
			calls := newCalls(newHandler(b, store), path, body)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := verify(calls.call()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestNaiveDoesTheSameWork: from the same row, the naive service answers what
// Holdfast answers, and leaves the same blob, byte for byte.
func TestNaiveDoesTheSameWork(t *testing.T) {
	url := postgrestest.Schema(t)
	put(t, url, sessionID(1))
	put(t, url, sessionID(2))
	pool, err := pgxpool.New(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	other, err := naive.New(pool, Campaigns(), CampaignFile)
	if err != nil {
		t.Fatal(err)
	}
	ours := newHandler(t, openStore(t, url))
	for _, path := range []string{"/v1/get-scene", "/v1/submit-action", "/v1/submit-action", "/v1/get-scene"} {
		body := func(id string) string {
			if path == "/v1/get-scene" {
				return fmt.Sprintf(`{"sessionId":"%s"}`, id)
			}
			return submitBody(id)
		}
		status, answer := newCalls(ours, path, body(sessionID(1))).call()
		theirStatus, theirs := newCalls(other, path, body(sessionID(2))).call()
		if status != 200 || theirStatus != 200 || !reflect.DeepEqual(decoded(t, answer), decoded(t, theirs)) {
			t.Fatalf("%s: Holdfast %d\n%s\nnaive %d\n%s", path, status, answer, theirStatus, theirs)
		}
	}
	blobs := map[string]int{}
	rows, err := connect(t, url).Query(context.Background(), "select blob, version, attempt_counter from session")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var text string
		var version, attempts int
		if err := rows.Scan(&text, &version, &attempts); err != nil {
			t.Fatal(err)
		}
		blobs[text]++
		if version != 3 || attempts != 2 {
			t.Errorf("version %d after %d attempts, want 3 after 2", version, attempts)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(blobs) != 1 {
		t.Errorf("two actions left different blobs: %v", blobs)
	}
}

func decoded(t *testing.T, body []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return v
}
