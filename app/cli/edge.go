package cli

import (
	"context"

	"github.com/holdfast-dev/holdfast/app"
	"github.com/holdfast-dev/holdfast/app/config"
)

type edgeCmd struct {
	config.Edge
}

// Run runs an edge until the process is asked to stop.
func (e *edgeCmd) Run(ctx context.Context, t terminal) error {
	if err := e.Check(); err != nil {
		return err
	}
	return run(ctx, app.NewEdge(&e.Edge, app.NewLogger(t.err)), func() {})
}
