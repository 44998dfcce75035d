package bench

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// SweepResult is what the sweep of a backlog cost those who were served
// meanwhile. Latencies are in milliseconds.
type SweepResult struct {
	Rows    int     `json:"rows"`
	Seconds float64 `json:"seconds"`
	// Without and With are get-scene by 16 clients, before the backlog was
	// there and while it was swept.
	Without Sample `json:"without"`
	With    Sample `json:"with"`
}

// Goals of the sweep.
const (
	sweepBudget = 10 * time.Minute // the default of HOLDFAST_SWEEP_BUDGET
	sweepP99    = 2.0
)

// sweepBacklog measures get-scene without a sweep, then lets an instance that
// sweeps every second meet a backlog of expired sessions, and measures
// get-scene of the same instance until the backlog is gone.
func (r *rig) sweepBacklog(ctx context.Context, o Options) (*SweepResult, error) {
	scene := traffic{path: "/v1/get-scene", body: `{"sessionId":"%s"}`, clients: many, rows: r.rows, verify: shown}
	program := func(listen, url string) Command {
		c := o.Holdfast(listen, url)
		c.Env = append(c.Env, "HOLDFAST_SWEEP_INTERVAL=1s")
		return c
	}
	s, err := startService(ctx, holdfastName, program, r.db.server.URL(), r.folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.stop() }()

	result := &SweepResult{Rows: o.Backlog}
	if err := r.db.settle(ctx); err != nil {
		return nil, err
	}
	seen, elapsed := scene.drive(ctx, s.address, time.Duration(o.Rounds)*o.RoundTime)
	if seen.err != nil {
		return nil, seen.err
	}
	result.Without = sampleOf(seen.latencies, seen.counted, elapsed)
	o.Progress(fmt.Sprintf("sweep    %-52s p99 %.2f ms", "get-scene without a backlog", result.Without.P99))

	// The rows come in one transaction, so the sweep meets them all at once.
	if err := r.db.loadExpired(ctx, o.Backlog); err != nil {
		return nil, err
	}
	begun := time.Now()
	var during tally
	for left := 1; left > 0; {
		if time.Since(begun) > sweepBudget {
			return nil, fmt.Errorf("%d of %d expired sessions are left after %v", left, o.Backlog, sweepBudget)
		}
		seen, _ := scene.drive(ctx, s.address, time.Second)
		if seen.err != nil {
			return nil, seen.err
		}
		during.latencies = append(during.latencies, seen.latencies...)
		during.counted += seen.counted
		if left, err = r.db.expired(ctx); err != nil {
			return nil, err
		}
	}
	result.Seconds = time.Since(begun).Seconds()
	result.With = sampleOf(during.latencies, during.counted, time.Since(begun))
	o.Progress(fmt.Sprintf("sweep    %-52s p99 %.2f ms", fmt.Sprintf("get-scene while %d went in %.0f s", o.Backlog, result.Seconds), result.With.P99))
	return result, nil
}

// loadExpired copies the session of row 0 to sessions that are past their
// retention.
func (db *database) loadExpired(ctx context.Context, rows int) error {
	columns, err := db.columns(ctx)
	if err != nil {
		return err
	}
	values := strings.Replace(columns, "session_id", "'expired-' || row", 1)
	values = strings.Replace(values, "expires_at", "now() - interval '1000 hours' - row * interval '1 millisecond'", 1)
	_, err = db.admin.Exec(ctx, fmt.Sprintf(
		"insert into session (%s) select %s from session, generate_series(1, %d) as row where session_id = '%s'", columns, values, rows, sessionID(0)))
	return err
}

// expired tells whether any expired session is left.
func (db *database) expired(ctx context.Context) (left int, err error) {
	err = db.admin.QueryRow(ctx, "select count(*) from (select 1 from session where session_id like 'expired-%' limit 1) as left_over").Scan(&left)
	return left, err
}

// sweep is the sweep's part of the page.
func (r *Result) sweep(b *strings.Builder) {
	s := r.Sweep
	if s == nil {
		return
	}
	b.WriteString("## The sweep of a backlog, while serving\n\n")
	b.WriteString("An instance that serves get-scene to 16 clients meets a backlog of expired sessions. Goals: done within the sweep's budget of 10 minutes, and a 99th percentile of serving of at most twice that without the backlog.\n\n")
	b.WriteString("| expired sessions | gone after | scenes/s, without / with | p50 ms, without / with | p99 ms, without / with | times | goal |\n|---:|---:|---:|---:|---:|---:|---|\n")
	times := s.With.P99 / s.Without.P99
	fmt.Fprintf(b, "| %d | %.0f s | %.0f / %.0f | %.2f / %.2f | %.2f / %.2f | %.2f | %s |\n\n",
		s.Rows, s.Seconds, s.Without.Rate, s.With.Rate, s.Without.P50, s.With.P50, s.Without.P99, s.With.P99, times,
		verdict(times <= sweepP99 && s.Seconds <= sweepBudget.Seconds()))
}
