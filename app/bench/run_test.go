package bench

import (
	"errors"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/app/devstack"
)

// TestRun is a smoke run over real processes: everything that is measured
// works, answers as it must, and every contender of every work has a sample.
// It says nothing of how fast.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("a run takes some seconds")
	}
	result, err := Run(t.Context(), Options{
		Rounds: 1, RoundTime: 200 * time.Millisecond, Rows: 320, Backlog: 320, PoolSize: PoolSize,
		Holdfast: serve(t), Naive: child(t, "naive"), Binary: executable(t),
		Edge: EdgeProgram(executable(t), "edge"), BareProxy: child(t, "proxy"),
		Progress: func(line string) { t.Log(line) },
	})
	if _, required, _ := devstack.FromEnv(); errors.Is(err, devstack.ErrNotFound) && !required {
		t.Skip("no PostgreSQL to start on this machine")
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Works) != 5 {
		t.Errorf("%d works", len(result.Works))
	}
	for _, w := range result.Works {
		for _, c := range w.Contenders {
			// On a slow machine pgbench may come to nothing in its second.
			if len(c.Rounds) != 1 || c.Rounds[0].Rate <= 0 && c.Name != pgbenchName || c.Rounds[0].P99 < c.Rounds[0].P50 {
				t.Errorf("%s, %s: %+v", w.Name, c.Name, c.Rounds)
			}
		}
		if _, ok := w.of(w.Baseline); !ok {
			t.Errorf("%s has no baseline %s", w.Name, w.Baseline)
		}
		if _, ok := w.of(holdfastName); !ok {
			t.Errorf("%s is not measured on Holdfast", w.Name)
		}
	}
	if s := result.Sweep; s == nil || s.Rows != 320 || s.With.Rate <= 0 || s.Without.Rate <= 0 {
		t.Errorf("sweep %+v", s)
	}
	if s := result.Settings; s.Postgres["fsync"] != "on" || s.Postgres["synchronous_commit"] != "on" || s.BlobStored < 1500 || s.BlobStored > 1700 {
		t.Errorf("settings %+v", s)
	}
}

func TestRunRefusesWhatCannotBeMeasured(t *testing.T) {
	for _, o := range []Options{
		{Rounds: 0, RoundTime: time.Second, Rows: 100},
		{Rounds: 1, RoundTime: 0, Rows: 100},
		{Rounds: 1, RoundTime: time.Second, Rows: many - 1},
	} {
		if _, err := Run(t.Context(), o); !errors.Is(err, ErrOptions) {
			t.Errorf("%d rounds of %v over %d rows: %v", o.Rounds, o.RoundTime, o.Rows, err)
		}
	}
}
