package replay

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/app"
	"github.com/holdfast-dev/holdfast/app/config"
)

// throughEdge runs requests through an edge in front of an instance's public
// listener.
func throughEdge(t *testing.T, s *config.Serve, all []request) run {
	t.Helper()
	var public *app.Public
	var edge *app.Edge
	return through(t, s, all, fx.Populate(&public), func(r *http.Request) *http.Response {
		if edge == nil {
			edge = startEdge(t, "http://"+public.Address())
		}
		r.URL.Scheme, r.URL.Host = "http", edge.Address()
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	})
}

func startEdge(t *testing.T, upstream string) (edge *app.Edge) {
	t.Helper()
	proxy := app.NewEdge(&config.Edge{
		EdgeListen:    "127.0.0.1:0",
		EdgeUpstreams: []string{upstream},
		EdgeTimeout:   time.Minute,
		Limits:        config.Limits{BodyLimit: 1 << 20, ShutdownTimeout: 10 * time.Millisecond},
	}, slog.New(slog.DiscardHandler), fx.Populate(&edge))
	if err := proxy.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proxy.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return edge
}
