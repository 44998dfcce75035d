package app

import (
	"context"
	"log/slog"

	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"github.com/holdfast-dev/holdfast/adapters/edge"
	"github.com/holdfast-dev/holdfast/adapters/system"
	"github.com/holdfast-dev/holdfast/app/config"
)

// NewEdge composes an edge (spec 10, The edge). It starts whether or not the
// service answers.
func NewEdge(settings *config.Edge, log *slog.Logger, more ...fx.Option) *fx.App {
	return fx.New(
		fx.WithLogger(func() fxevent.Logger { return fxevent.NopLogger }),
		fx.StartTimeout(startTimeout),
		fx.StopTimeout(settings.ShutdownTimeout+stopMargin),
		fx.Supply(settings, log),
		fx.Provide(newEdge),
		fx.Invoke(func(*Edge) {}),
		fx.Options(more...),
	)
}

// Edge is the edge's listener.
type Edge struct{ *Listener }

func newEdge(lc fx.Lifecycle, stop fx.Shutdowner, settings *config.Edge, log *slog.Logger) (*Edge, error) {
	upstreams, err := settings.Upstreams()
	if err != nil {
		return nil, err
	}
	proxy := edge.New(edge.Options{
		Upstreams: upstreams,
		Timeout:   settings.EdgeTimeout,
		BodyLimit: int(settings.BodyLimit),
		IDs:       system.IDs{},
		Log:       log,
	})
	e := &Edge{newListener("edge", proxy, settings.EdgeTimeout, stop, log)}
	lc.Append(fx.Hook{
		OnStart: func(ctx context.Context) error { return e.start(ctx, settings.EdgeListen, "edge-listen") },
		OnStop: func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, settings.ShutdownTimeout)
			defer cancel()
			drain(ctx, proxy, settings.ShutdownTimeout/5)
			// Before the listener, which would wait for streams.
			proxy.Close()
			return e.stop(ctx)
		},
	})
	return e, nil
}
