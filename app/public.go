package app

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/adapters/httpapi"
	"github.com/holdfast-dev/holdfast/adapters/mcp"
	"github.com/holdfast-dev/holdfast/adapters/metrics"
	"github.com/holdfast-dev/holdfast/adapters/system"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/core/health"
	"github.com/holdfast-dev/holdfast/core/session"
)

// publicModule is the public listener.
var publicModule = fx.Module("public",
	fx.Provide(newOperations, newPublicHandler, newPublic),
	fx.Invoke(func(*Public) {}),
)

// Public is the public listener.
type Public struct{ *Listener }

// PublicHandler is what the public listener serves.
type PublicHandler struct{ http.Handler }

func newPublicHandler(o operations, m mcpHandler) PublicHandler {
	docs := httpapi.NewDocs(system.IDs{})
	return PublicHandler{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == mcp.Path:
			m.ServeHTTP(w, r)
		case docs.Has(r):
			docs.ServeHTTP(w, r)
		default:
			o.ServeHTTP(w, r)
		}
	})}
}

// operations is the HTTP surface.
type operations struct{ http.Handler }

func newOperations(settings *config.Serve, sessions *session.Service, probe *health.Probe, m *metrics.Metrics, log *slog.Logger) (operations, error) {
	handler, err := httpapi.New(httpapi.Options{
		Sessions:     sessions,
		Health:       probe,
		Correlations: system.IDs{},
		Log:          log,
		Observe:      m.Operation,
		BodyLimit:    int(settings.BodyLimit),
		Timeout:      settings.RequestTimeout,
	})
	return operations{handler}, err
}

func newPublic(lc fx.Lifecycle, stop fx.Shutdowner, settings *config.Serve, handler PublicHandler, probe *health.Probe, log *slog.Logger) *Public {
	p := &Public{newListener("public", handler, settings.RequestTimeout, stop, log)}
	lc.Append(fx.Hook{
		OnStart: func(ctx context.Context) error { return p.start(ctx, settings.Listen, "listen") },
		OnStop: func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, settings.ShutdownTimeout)
			defer cancel()
			drain(ctx, probe, settings.ShutdownTimeout/5)
			return p.stop(ctx)
		},
	})
	return p
}

// drain makes the instance not ready and lets requests that still arrive be
// served for a while, so that whoever routes to it can notice first.
func drain(ctx context.Context, probe interface{ Drain() }, grace time.Duration) {
	probe.Drain()
	select {
	case <-time.After(grace):
	case <-ctx.Done():
	}
}
