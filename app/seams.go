package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/adapters/system"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/core/clock"
	"github.com/holdfast-dev/holdfast/core/id"
)

// replayInstant is where the clock of the replay profile stands.
var replayInstant = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// identityModule is time and identity: the machine's own, or those of the
// test seams.
var identityModule = fx.Module("identity",
	fx.Provide(
		func(settings *config.Serve) clock.Clock {
			switch {
			case settings.Replay:
				return clock.Fixed(replayInstant)
			case settings.ClockOffset != 0:
				return clock.Offset{Of: system.Clock{}, By: settings.ClockOffset}
			}
			return system.Clock{}
		},
		func(settings *config.Serve) id.Source {
			if settings.Replay {
				return &id.Counting{}
			}
			return system.IDs{}
		},
	),
)

// dumper is a store that can show every blob that it holds.
type dumper interface {
	Blobs(ctx context.Context, each func(table, id, blob string) error) error
}

// dumpAtStop writes the stored blobs to a file when the instance stops, after
// the last request: one JSON array of table, id and blob a line.
func dumpAtStop[S dumper](lc fx.Lifecycle, settings *config.Serve, store S) {
	if settings.ReplayDump == "" {
		return
	}
	lc.Append(fx.StopHook(func(ctx context.Context) error {
		f, err := os.Create(settings.ReplayDump)
		if err != nil {
			return fmt.Errorf("replay dump: %w", err)
		}
		w := bufio.NewWriter(f)
		lines := json.NewEncoder(w)
		lines.SetEscapeHTML(false)
		err = store.Blobs(ctx, func(table, id, blob string) error { return lines.Encode([]string{table, id, blob}) })
		return errors.Join(err, w.Flush(), f.Close())
	}))
}
