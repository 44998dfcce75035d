package app

import (
	"log/slog"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/adapters/system"
	"github.com/holdfast-dev/holdfast/core/clock"
	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/id"
	"github.com/holdfast-dev/holdfast/core/session"
)

// sessionsModule is the dispatcher of the play-session operations.
var sessionsModule = fx.Module("sessions",
	fx.Provide(
		func() clock.Clock { return system.Clock{} },
		func() id.Source { return system.IDs{} },
		func(store session.Store, engines *engine.Registry, c clock.Clock, ids id.Source, log *slog.Logger) *session.Service {
			return session.New(session.Options{Store: store, Engines: engines, Clock: c, IDs: ids, Log: log})
		},
	),
)
