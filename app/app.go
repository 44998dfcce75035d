// Package app wires the parts of an instance together with fx: one module a
// concern, each in the file of its name. Nothing else imports fx.
package app

import (
	"log/slog"
	"time"

	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"github.com/holdfast-dev/holdfast/app/config"
)

// startTimeout bounds start-up: the first attempt at the store is bounded by
// itself, so this only ends a start that hangs for another reason.
const startTimeout = time.Minute

// stopMargin is what stopping may take beyond the drain time, to close what
// is idle by then.
const stopMargin = 5 * time.Second

// New composes an instance of the service. Start runs it: the contract's
// engine version is held against the binary's, the first attempt at the store
// is made, then the listener binds; a store that does not answer is tried
// again in the background (spec 10, Start-up).
func New(settings *config.Serve, log *slog.Logger, more ...fx.Option) *fx.App {
	return fx.New(
		fx.WithLogger(func() fxevent.Logger { return fxevent.NopLogger }),
		fx.StartTimeout(startTimeout),
		fx.StopTimeout(settings.ShutdownTimeout+stopMargin),
		fx.Supply(settings, log),
		contractModule,
		identityModule,
		enginesModule,
		storeModule(settings.Storage),
		sessionsModule,
		internalModule,
		mcpModule,
		publicModule,
		fx.Options(more...),
	)
}
