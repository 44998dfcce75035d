package replay

import (
	"cmp"
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/app"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/campaigns"
)

// run is what one way through the fixture gave.
type run struct {
	transcript []byte
	// dump are the stored blobs, one a line, ordered by table and id.
	dump []byte
}

// settings are those of the replay profile, with the one campaign that the
// fixture plays: the transcript must not change with what else is bundled.
func settings(t *testing.T) *config.Serve {
	t.Helper()
	folder := t.TempDir()
	tiny, err := fs.ReadFile(campaigns.FS, "tiny.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "tiny.yaml"), tiny, 0o600); err != nil {
		t.Fatal(err)
	}
	return &config.Serve{
		Campaigns:             folder,
		Listen:                "127.0.0.1:0",
		InternalListen:        "127.0.0.1:0",
		RequestTimeout:        30 * time.Second,
		Limits:                config.Limits{BodyLimit: 1 << 20, ShutdownTimeout: 10 * time.Millisecond},
		PlaySessionTTL:        720 * time.Hour,
		SaveTTL:               8760 * time.Hour,
		Retention:             720 * time.Hour,
		SweepInterval:         time.Hour,
		SweepBatch:            5000,
		SweepBudget:           time.Minute,
		SweepStatementTimeout: 5 * time.Second,
		Seams:                 config.Seams{TestSeams: true, Replay: true, ReplayDump: filepath.Join(t.TempDir(), "dump")},
	}
}

func inMemory(t *testing.T) *config.Serve {
	s := settings(t)
	s.Storage = "in-memory"
	return s
}

func durable(t *testing.T, databaseURL string) *config.Serve {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	s := settings(t)
	s.Storage = "durable"
	s.DatabaseURL = databaseURL
	s.DatabaseSchema = cmp.Or(u.Query().Get("search_path"), "public")
	s.DatabasePool = 4
	s.DatabaseExecMode = "cache_statement"
	return s
}

// overHTTP runs requests through an instance's public listener.
func overHTTP(t *testing.T, s *config.Serve, all []request) run {
	t.Helper()
	var public *app.Public
	return through(t, s, all, fx.Populate(&public), func(r *http.Request) *http.Response {
		r.URL.Scheme, r.URL.Host = "http", public.Address()
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	})
}

// inProcess runs requests through an instance's handler, without a network.
func inProcess(t *testing.T, s *config.Serve, all []request) run {
	t.Helper()
	var handler app.PublicHandler
	return through(t, s, all, fx.Populate(&handler), func(r *http.Request) *http.Response {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Result()
	})
}

func through(t *testing.T, s *config.Serve, all []request, more fx.Option, send func(*http.Request) *http.Response) run {
	t.Helper()
	instance := app.New(s, slog.New(slog.DiscardHandler), more)
	if err := instance.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := run{transcript: transcript(t, all, send)}
	http.DefaultClient.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	if err := instance.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	var err error
	if r.dump, err = os.ReadFile(s.ReplayDump); err != nil {
		t.Fatal(err)
	}
	return r
}
