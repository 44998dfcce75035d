package app

import (
	"context"
	"io"
	"log/slog"

	"github.com/holdfast-dev/holdfast/core/wire"
)

// NewLogger returns a logger of JSON lines that show the correlation of the
// request that they belong to.
func NewLogger(w io.Writer) *slog.Logger {
	return slog.New(correlated{slog.NewJSONHandler(w, nil)})
}

type correlated struct{ slog.Handler }

func (c correlated) Handle(ctx context.Context, r slog.Record) error {
	if id := wire.CorrelationOf(ctx); id != "" {
		r.AddAttrs(slog.String("correlation", id))
	}
	return c.Handler.Handle(ctx, r)
}

func (c correlated) WithAttrs(attrs []slog.Attr) slog.Handler {
	return correlated{c.Handler.WithAttrs(attrs)}
}

func (c correlated) WithGroup(name string) slog.Handler { return correlated{c.Handler.WithGroup(name)} }
