package cli

import (
	"context"
	"fmt"

	"go.uber.org/dig"
	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/app"
	"github.com/holdfast-dev/holdfast/app/config"
)

type serve struct {
	config.Serve
}

// Run runs an instance until the process is asked to stop.
func (s *serve) Run(ctx context.Context, t terminal) error {
	if err := s.Check(); err != nil {
		return err
	}
	return run(ctx, app.New(&s.Serve, app.NewLogger(t.err)), func() {})
}

// run starts an instance, says so, and stops it when the context ends or a
// part of it fails.
func run(ctx context.Context, instance *fx.App, started func()) error {
	app.TuneMemory()
	// Whoever asks an instance to stop while it starts has it stopped in good
	// order: the attempt at the store, which is bounded, is not broken off.
	startCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), instance.StartTimeout())
	defer cancel()
	if err := instance.Start(startCtx); err != nil {
		return fmt.Errorf("start-up: %w", dig.RootCause(err)) // without the way there through fx
	}
	started()
	var failed error
	select {
	case <-ctx.Done():
	case signal := <-instance.Wait():
		if signal.ExitCode != 0 {
			failed = fmt.Errorf("a part of the instance failed; the log says which")
		}
	}
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), instance.StopTimeout())
	defer cancel()
	if err := instance.Stop(stopCtx); err != nil {
		return fmt.Errorf("shutdown: %w", err)
	}
	return failed
}
