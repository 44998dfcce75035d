package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/adapters/memory"
	"github.com/holdfast-dev/holdfast/adapters/metrics"
	"github.com/holdfast-dev/holdfast/adapters/postgres"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/core/backoff"
	"github.com/holdfast-dev/holdfast/core/health"
	"github.com/holdfast-dev/holdfast/core/session"
)

// Delays between attempts at a store that does not answer.
const (
	storeBackoff    = 250 * time.Millisecond
	storeBackoffCap = 5 * time.Second
)

// storeModule is the storage of a configuration. The store is invoked before
// what works with it, so that it stops after it.
func storeModule(storage string) fx.Option {
	if storage == "in-memory" {
		return fx.Module("store",
			fx.Provide(memory.NewReplay, newMemoryStore),
			fx.Invoke(func(session.Store) {}, dumpAtStop[*memory.Replay]),
		)
	}
	return fx.Module("store",
		fx.Provide(newPostgres, newStore),
		fx.Invoke(func(session.Store) {}, dumpAtStop[*postgres.Store], startSweep),
	)
}

// StoreOptions are the options of the store over the database of the
// settings.
func StoreOptions(d config.Database) postgres.Options {
	return postgres.Options{
		URL:          d.DatabaseURL,
		MigrationURL: d.MigrationDatabaseURL,
		Schema:       d.DatabaseSchema,
		PoolSize:     d.DatabasePool,
		ExecMode:     d.DatabaseExecMode,
	}
}

func newPostgres(settings *config.Serve) (*postgres.Store, error) {
	o := StoreOptions(settings.Database)
	o.SessionTTL, o.SaveTTL = settings.PlaySessionTTL, settings.SaveTTL
	o.SweepTimeout = settings.SweepStatementTimeout
	return OpenStore(o)
}

// OpenStore returns a store that is not composed yet. A URL that the driver
// cannot use is *config.Invalid.
func OpenStore(o postgres.Options) (*postgres.Store, error) {
	store, err := postgres.New(o)
	if e, ok := errors.AsType[*postgres.OptionError](err); ok {
		flag, isURL := map[string]string{"URL": "database-url", "MigrationURL": "migration-database-url"}[e.Option]
		if isURL {
			return nil, &config.Invalid{Flag: flag, Problem: "the driver cannot use one of its parts", Accepted: e.Accepted}
		}
	}
	return store, err
}

func newStore(lc fx.Lifecycle, store *postgres.Store, log *slog.Logger) (session.Store, *health.Probe, *metrics.Metrics) {
	keepTrying, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	lc.Append(fx.Hook{
		OnStart: func(ctx context.Context) error {
			if err := store.Attempt(ctx); err != nil {
				log.Error("the store is not ready; trying again", "error", err)
				go func() {
					defer close(done)
					compose(keepTrying, store, log)
				}()
				return nil
			}
			log.Info("the store is ready")
			close(done)
			return nil
		},
		OnStop: func(context.Context) error {
			stop()
			<-done
			store.Close()
			return nil
		},
	})
	return store, health.NewProbe(store.Ready), metrics.New(store.Pool)
}

// compose tries until the store is composed or the context ends.
func compose(ctx context.Context, store *postgres.Store, log *slog.Logger) {
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(backoff.Delay(n, storeBackoff, storeBackoffCap)):
		}
		err := store.Attempt(ctx)
		if err == nil {
			log.Info("the store is ready", "attempts", n+1)
			return
		}
		if ctx.Err() == nil {
			log.Error("the store is not ready; trying again", "error", err, "attempts", n+1)
		}
	}
}

func newMemoryStore(store *memory.Replay, log *slog.Logger) (session.Store, *health.Probe, *metrics.Metrics) {
	log.Warn("in-memory storage: sessions are lost when the process ends; this is for the replay and never a deployment")
	return store, health.NewProbe(func(context.Context) error { return nil }), metrics.New(func() (inUse, idle, limit int) { return 0, 0, 0 })
}
