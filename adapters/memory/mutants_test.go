package memory_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/memory"
	"github.com/holdfast-dev/holdfast/core/session/sessiontest"
)

// settable is a clock that a mutant sets back to get around the guard.
type settable struct {
	mu  sync.Mutex
	now time.Time
}

func (c *settable) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *settable) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// recorder is the T of a case that is expected to fail.
type recorder struct {
	ctx      context.Context
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return r.ctx }

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// verdict runs a case over a store with a fault, or none.
func verdict(t *testing.T, c sessiontest.Case, m mutant) []string {
	clock := &settable{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	store := memory.New(clock, sessionTTL, saveTTL)
	port := m.spoil(store, clock)
	env := sessiontest.Env{
		Store: port, Peer: port,
		SessionTTL: sessionTTL, SaveTTL: saveTTL,
		Sessions:      sessiontest.Rows{Age: store.AgeSession, Left: store.SessionLeft},
		Saves:         sessiontest.Rows{Age: store.AgeSave, Left: store.SaveLeft},
		RemoveSession: store.RemoveSession,
		BreakProfile:  store.BreakProfile,
	}
	r := &recorder{ctx: t.Context()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Run(r, env)
	}()
	<-done
	return r.failures
}

// Each mutant is caught by the cases that name its fault, and each case
// catches a mutant: one that catches none would prove nothing.
func TestMutants(t *testing.T) {
	cases := map[string]sessiontest.Case{}
	for _, c := range sessiontest.Cases() {
		if _, twice := cases[c.Name]; twice {
			t.Errorf("two cases are named %q", c.Name)
		}
		cases[c.Name] = c
		if failures := verdict(t, c, sound); len(failures) > 0 {
			t.Errorf("%s fails over a sound store: %s", c.Name, strings.Join(failures, "; "))
		}
	}
	useful := map[string]bool{}
	for _, m := range slices.Concat(sessionMutants, otherMutants) {
		if len(m.caughtBy) == 0 {
			t.Errorf("mutant %q: no case is to catch it", m.name)
		}
		for _, name := range m.caughtBy {
			c, ok := cases[name]
			if !ok {
				t.Errorf("mutant %q: there is no case %q", m.name, name)
				continue
			}
			useful[name] = true
			if len(verdict(t, c, m)) == 0 {
				t.Errorf("mutant %q: case %q does not catch it", m.name, name)
			}
		}
	}
	for name := range cases {
		if !useful[name] {
			t.Errorf("case %q: no mutant shows that it can fail", name)
		}
	}
}

// A case that needs what an implementation lacks is skipped, and only then.
func TestLacks(t *testing.T) {
	var lacking []sessiontest.Ability
	for _, c := range sessiontest.Cases() {
		for _, need := range c.Needs {
			if !slices.Contains(lacking, need) {
				lacking = append(lacking, need)
			}
		}
	}
	for _, a := range []sessiontest.Ability{sessiontest.Expiring, sessiontest.Racing, sessiontest.Adding, sessiontest.Probing} {
		if !slices.Contains(lacking, a) {
			t.Errorf("no case needs that %s", a)
		}
	}
}
