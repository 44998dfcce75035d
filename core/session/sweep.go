package session

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/holdfast-dev/holdfast/core/clock"
)

// Sweepable removes rows that nobody can reach any more. A batch is one
// statement, atomic and bounded in rows and time; it skips rows that are
// locked and looks at the expiry again as it deletes, so that instances that
// sweep at once, and writes, need no coordination. Errors are
// *fault.StoreError and name the statement.
type Sweepable interface {
	// SweepSessions removes at most limit sessions that expired longer ago
	// than retention by the store's clock, and says how many.
	SweepSessions(ctx context.Context, retention time.Duration, limit int) (int, error)
	// SweepSaves is the same for saves.
	SweepSaves(ctx context.Context, retention time.Duration, limit int) (int, error)
}

// Sweep removes expired sessions and saves once they are past their
// retention (spec 10, Sweep). Profiles are never swept.
type Sweep struct {
	Store Sweepable
	Clock clock.Clock
	Log   *slog.Logger
	// Removed is told of every batch.
	Removed func(rows int)

	// Interval is the time from one tick to the next.
	Interval time.Duration
	// Retention is how long an expired row is kept, so that its id is answered
	// as expired and not as unknown.
	Retention time.Duration
	// Batch is the most rows of one statement.
	Batch int
	// Budget is the longest that one tick goes on.
	Budget time.Duration
}

// Run ticks until the context ends. Ticks never overlap; one that fails is
// logged and the next one tries again.
func (s *Sweep) Run(ctx context.Context) {
	for {
		if !sleep(ctx, s.Interval) {
			return
		}
		if err := s.Tick(ctx); err != nil && !errors.Is(ctx.Err(), context.Canceled) {
			s.Log.ErrorContext(ctx, "the sweep failed; the next tick goes on", "error", err)
		}
	}
}

// Tick removes batch after batch until none is full or the budget ends. After
// each batch it rests for as long as the batch took, so that serving has at
// least half of the store's time.
func (s *Sweep) Tick(ctx context.Context) error {
	end := s.Clock.Now().Add(s.Budget)
	for _, table := range []func(context.Context, time.Duration, int) (int, error){s.Store.SweepSessions, s.Store.SweepSaves} {
		for s.Clock.Now().Before(end) {
			began := s.Clock.Now()
			n, err := table(ctx, s.Retention, s.Batch)
			if err != nil {
				return err
			}
			s.Removed(n)
			if n == 0 {
				break
			}
			if !sleep(ctx, s.Clock.Now().Sub(began)) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// sleep waits, and reports whether the context lets the caller go on.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
