package session_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

// backlog is a store with so many rows past their retention, of which each
// statement takes a second.
type backlog struct {
	sessions, saves int
	statements      int
	running         bool
	overlapped      bool
	failures        int // so many statements fail first
}

func (b *backlog) SweepSessions(ctx context.Context, _ time.Duration, limit int) (int, error) {
	return b.remove(ctx, &b.sessions, limit)
}

func (b *backlog) SweepSaves(ctx context.Context, _ time.Duration, limit int) (int, error) {
	return b.remove(ctx, &b.saves, limit)
}

func (b *backlog) remove(_ context.Context, rows *int, limit int) (int, error) {
	b.overlapped = b.overlapped || b.running
	b.running = true
	time.Sleep(time.Second)
	b.running = false
	b.statements++
	if b.statements <= b.failures {
		return 0, &fault.StoreError{Kind: fault.StatementFailed, Statement: "SweepSessions"}
	}
	n := min(*rows, limit)
	*rows -= n
	return n, nil
}

// wall is the clock of the synctest bubble.
type wall struct{}

func (wall) Now() time.Time { return time.Now() }

func newSweep(b *backlog, log *bytes.Buffer) (*session.Sweep, *int) {
	removed := new(int)
	return &session.Sweep{
		Store:     b,
		Clock:     wall{},
		Log:       slog.New(slog.NewTextHandler(log, nil)),
		Removed:   func(n int) { *removed += n },
		Interval:  time.Hour,
		Retention: 720 * time.Hour,
		Batch:     5000,
		Budget:    10 * time.Minute,
	}, removed
}

func TestSweepRemovesABacklogInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &backlog{sessions: 12_000, saves: 5_000}
		sweep, removed := newSweep(b, &bytes.Buffer{})
		if err := sweep.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		if b.sessions != 0 || b.saves != 0 || *removed != 17_000 {
			t.Errorf("left %d sessions and %d saves, counted %d removed", b.sessions, b.saves, *removed)
		}
		// 5000, 5000, 2000, none; 5000, none.
		if b.statements != 6 {
			t.Errorf("%d statements, want 6", b.statements)
		}
	})
}

func TestSweepRestsAsLongAsItWorked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &backlog{sessions: 10_000}
		sweep, _ := newSweep(b, &bytes.Buffer{})
		began := time.Now()
		if err := sweep.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		// Four statements of a second; a rest after each of the two that found rows.
		if got := time.Since(began); got != 6*time.Second {
			t.Errorf("the tick took %v, want 6s", got)
		}
	})
}

func TestSweepEndsWithItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &backlog{sessions: 1 << 40}
		sweep, _ := newSweep(b, &bytes.Buffer{})
		began := time.Now()
		if err := sweep.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(began); got != sweep.Budget {
			t.Errorf("the tick took %v of a budget of %v", got, sweep.Budget)
		}
	})
}

func TestSweepTicksNeverOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &backlog{sessions: 1 << 40}
		sweep, _ := newSweep(b, &bytes.Buffer{})
		sweep.Interval = time.Second
		sweep.Budget = time.Minute
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		sweep.Run(ctx)
		if b.overlapped {
			t.Error("two statements ran at once")
		}
		if b.statements == 0 {
			t.Error("no tick ran")
		}
	})
}

func TestSweepLogsTheStatementThatFailedAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &backlog{sessions: 10, failures: 1}
		var log bytes.Buffer
		sweep, removed := newSweep(b, &log)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			sweep.Run(ctx)
		}()
		time.Sleep(sweep.Interval + time.Minute)
		synctest.Wait()
		if !strings.Contains(log.String(), "SweepSessions") {
			t.Errorf("the log does not name the statement: %s", log.String())
		}
		time.Sleep(sweep.Interval)
		synctest.Wait()
		if *removed != 10 {
			t.Errorf("the next tick removed %d rows, want 10", *removed)
		}
		cancel()
		<-done
	})
}
