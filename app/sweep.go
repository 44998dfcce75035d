package app

import (
	"context"
	"log/slog"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/adapters/metrics"
	"github.com/holdfast-dev/holdfast/adapters/postgres"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/core/clock"
	"github.com/holdfast-dev/holdfast/core/session"
)

// startSweep runs the sweep beside serving, on neither its path nor that of
// the probes.
func startSweep(lc fx.Lifecycle, settings *config.Serve, store *postgres.Store, c clock.Clock, m *metrics.Metrics, log *slog.Logger) {
	sweep := &session.Sweep{
		Store:     store,
		Clock:     c,
		Log:       log,
		Removed:   m.Swept,
		Interval:  settings.SweepInterval,
		Retention: settings.Retention,
		Batch:     settings.SweepBatch,
		Budget:    settings.SweepBudget,
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	lc.Append(fx.Hook{
		OnStart: func(context.Context) error {
			go func() {
				defer close(done)
				sweep.Run(ctx)
			}()
			return nil
		},
		OnStop: func(context.Context) error {
			stop()
			<-done
			return nil
		},
	})
}
