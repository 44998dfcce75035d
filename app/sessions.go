package app

import (
	"log/slog"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/adapters/metrics"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/core/clock"
	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/id"
	"github.com/holdfast-dev/holdfast/core/session"
)

// sessionsModule is the dispatcher of the play-session operations.
var sessionsModule = fx.Module("sessions",
	fx.Provide(func(settings *config.Serve, store session.Store, engines *engine.Registry, c clock.Clock, ids id.Source, m *metrics.Metrics, log *slog.Logger) *session.Service {
		return session.New(session.Options{
			Store:          store,
			Engines:        engines,
			Clock:          c,
			IDs:            ids,
			Log:            log,
			Conflicted:     m.Conflict,
			ReadWritePause: settings.ReadWritePause,
		})
	}),
)
