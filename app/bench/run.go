package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// Options say how a run is done.
type Options struct {
	// Rounds is how often every contender has its slot, of RoundTime each.
	Rounds    int
	RoundTime time.Duration
	// Only selects works by their names; nil selects all.
	Only *regexp.Regexp
	// Rows is how many sessions there are.
	Rows int
	// Backlog is how many expired sessions the sweep meets; 0: none, and the
	// sweep is not measured.
	Backlog int
	// Holdfast and Naive are the services' programs, and Binary the file of
	// the first, which tells its version. Their pools have PoolSize
	// connections.
	Holdfast, Naive Program
	// Edge and BareProxy are proxies in front of Holdfast.
	Edge, BareProxy Program
	Binary          string
	PoolSize        int
	// Profiled runs Holdfast so that it writes a CPU profile to a file when
	// it stops. Nil: nothing is profiled.
	Profiled func(profile string) Program
	// ProfileFolder is where profiles are kept.
	ProfileFolder string
	// Progress is told of each slot; Log of what devstack does.
	Progress func(string)
	Log      *slog.Logger
}

// ErrOptions reports that nothing would be measured.
var ErrOptions = errors.New("there must be at least one round of more than no time, and 16 sessions")

// Run measures all works and returns what they gave. It starts its own
// PostgreSQL and stops everything that it started.
func Run(ctx context.Context, o Options) (_ *Result, err error) {
	if o.Rounds < 1 || o.RoundTime <= 0 || o.Rows < many {
		return nil, ErrOptions
	}
	folder, err := os.MkdirTemp("", "holdfast-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	// Started as root, PostgreSQL runs as another user, who must get through.
	if err := os.Chmod(folder, 0o711); err != nil {
		return nil, err
	}
	o.Progress("starting PostgreSQL and loading the sessions")
	db, err := startDatabase(ctx, filepath.Join(folder, "state"), o.Rows, o.Log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.stop()) }()

	url := db.server.URL()
	r := &rig{folder: folder, db: db, rows: o.Rows, bench: pgbench{
		program: filepath.Join(db.server.BinDir(), "pgbench"), url: url, folder: folder, rows: o.Rows,
	}}
	if r.holdfast, err = startService(ctx, holdfastName, o.Holdfast, url, folder); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.holdfast.stop()) }()
	if r.naive, err = startService(ctx, naiveName, o.Naive, url, folder); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.naive.stop()) }()
	stopProxies, err := r.proxies(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stopProxies()) }()

	result := &Result{Date: today(), Machine: thisMachine()}
	if result.Versions, err = versions(ctx, db, o.Binary); err != nil {
		return nil, err
	}
	if result.Works, err = r.measureAll(ctx, o); err != nil {
		return nil, err
	}
	if result.Settings, err = settingsOf(ctx, db, o); err != nil {
		return nil, err
	}
	if o.Backlog > 0 {
		if result.Sweep, err = r.sweepBacklog(ctx, o); err != nil {
			return nil, err
		}
	}
	if o.Profiled != nil {
		if result.Profiles, err = r.profileAll(ctx, o); err != nil {
			return nil, err
		}
	}
	return result, nil
}

func settingsOf(ctx context.Context, db *database, o Options) (Settings, error) {
	server, err := db.settings(ctx)
	if err != nil {
		return Settings{}, err
	}
	size, hot, err := db.stored(ctx)
	return Settings{
		Rounds: o.Rounds, RoundTime: o.RoundTime.String(), Rows: o.Rows, BlobBytes: len(blob), BlobStored: size,
		PoolSize: o.PoolSize, HOTUpdates: hot, Postgres: server,
	}, err
}

// measureAll lets every contender warm up and then runs the rounds.
func (r *rig) measureAll(ctx context.Context, o Options) ([]WorkResult, error) {
	works := r.selected(o)
	results := make([]WorkResult, len(works))
	for i, w := range works {
		results[i] = WorkResult{Name: w.name, Unit: w.unit, Baseline: w.baseline, Goal: w.goal}
		for _, c := range w.contenders {
			results[i].Contenders = append(results[i].Contenders, ContenderResult{Name: c.name})
		}
	}
	if _, err := r.db.settings(ctx); err != nil {
		return nil, err
	}
	for _, c := range r.works()[0].contenders {
		if _, err := c.run(ctx, o.RoundTime); err != nil {
			return nil, err
		}
	}
	for round := range o.Rounds {
		for i, w := range works {
			for j, c := range w.contenders {
				if err := r.db.settle(ctx); err != nil {
					return nil, err
				}
				s, err := c.run(ctx, o.RoundTime)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", w.name, err)
				}
				o.Progress(fmt.Sprintf("round %d  %-52s %-9s %8.0f %s  p99 %.2f ms", round+1, w.name, c.name, s.Rate, w.unit, s.P99))
				rounds := &results[i].Contenders[j].Rounds
				*rounds = append(slices.Clip(*rounds), s)
			}
		}
	}
	return results, nil
}
