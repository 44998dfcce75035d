package app

import (
	"context"
	"log/slog"
	"net/http"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/adapters/metrics"
	"github.com/holdfast-dev/holdfast/app/config"
)

// internalModule is the internal listener, which serves operators and never
// players.
var internalModule = fx.Module("internal",
	fx.Provide(newInternal),
	fx.Invoke(func(*Internal) {}),
)

// Internal is the internal listener.
type Internal struct{ *Listener }

func newInternal(lc fx.Lifecycle, stop fx.Shutdowner, settings *config.Serve, m *metrics.Metrics, log *slog.Logger) *Internal {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	i := &Internal{newListener("internal", mux, settings.RequestTimeout, stop, log)}
	lc.Append(fx.Hook{
		OnStart: func(ctx context.Context) error { return i.start(ctx, settings.InternalListen, "internal-listen") },
		OnStop:  func(ctx context.Context) error { return i.stop(ctx) },
	})
	return i
}
