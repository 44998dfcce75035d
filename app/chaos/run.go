package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// settings say what a run is.
type settings struct {
	seed      uint64
	duration  time.Duration
	instances int
	mutant    string // empty: the code as it is
	race      bool
	progress  io.Writer
}

// roundLength is how long the players play between two checks.
const roundLength = 8 * time.Second

// run is a whole run. Its error is that of the harness: what the harness finds
// is in the report. It stops at the first round with a violation.
func run(ctx context.Context, s settings) (_ *report, err error) {
	dir, err := os.MkdirTemp("", "holdfast-chaos-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// PostgreSQL's user must be able to reach its own folder below this one.
	if err := os.Chmod(dir, 0o711); err != nil {
		return nil, err
	}
	_, _ = fmt.Fprintf(s.progress, "chaos: seed %d, %d instances, %v%s\n", s.seed, s.instances, s.duration, withMutant(s.mutant))
	binary, err := build(ctx, dir, s.mutant, s.race)
	if err != nil {
		return nil, fmt.Errorf("build holdfast: %w", err)
	}
	r := newReport(s)
	w, err := newWorld(ctx, dir, binary, s.instances, r)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if err := w.settle(ctx); err != nil {
		return nil, err
	}
	plan := newPlan(s.seed, s.instances)
	for began := time.Now(); r.passed() && (r.rounds == 0 || time.Since(began) < s.duration); {
		r.rounds++
		if err := playRound(ctx, w, plan.next(roundLength)); err != nil {
			return nil, fmt.Errorf("round %d: %w", r.rounds, err)
		}
		_, _ = fmt.Fprintf(s.progress, "chaos: round %d, %v: %s\n", r.rounds, time.Since(began).Round(time.Second), r.summary())
	}
	if r.passed() {
		w.terminate()
	}
	return r, nil
}

func withMutant(name string) string {
	if name == "" {
		return ""
	}
	return ", mutant " + name
}

// playRound plays, disturbs, heals and checks.
func playRound(ctx context.Context, w *world, steps []step) error {
	stored, err := w.stored(ctx)
	if err != nil {
		return err
	}
	r := newRound(w)
	playing, stop := context.WithTimeout(ctx, roundLength)
	defer stop()
	played := make(chan struct{})
	go func() {
		defer close(played)
		r.play(playing)
	}()
	err = w.disturb(playing, steps)
	stop() // where a fault could not be brought about, there is nothing to wait for
	<-played
	if err != nil {
		return err
	}
	if err := w.settle(ctx); err != nil {
		return err
	}
	return r.check(ctx, stored)
}
