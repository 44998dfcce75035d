// Package sessiontest is the conformance suite of the storage port of play
// sessions. Every implementation passes it, or names what it lacks and why.
//
// An adapter's test is a [Factory] and a call of [Run]. The cases are data,
// so that the suite's own test can run each over stores that are broken on
// purpose and see that it notices.
package sessiontest

import (
	"context"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/core/session"
)

// Env is a fresh, empty store for one case, with what a case does behind the
// port's back.
type Env struct {
	// Store and Peer are two handles on one storage, as two instances have
	// them. Where there is only one handle they are the same.
	Store, Peer session.Store

	// The idle time of a session and the life of a save, at least 2 h.
	SessionTTL, SaveTTL time.Duration
	Sessions, Saves     Rows
	// RemoveSession removes a session's row, as the sweep does.
	RemoveSession func(id string)
	// BreakProfile makes a stored profile's row one that cannot be
	// understood.
	BreakProfile func(id string)

	// Lacks holds what the implementation cannot do, with the reason.
	Lacks map[Ability]string
}

// Rows reaches the expiry of stored rows.
type Rows struct {
	// Age brings the expiry of a row forward by so much.
	Age func(id string, by time.Duration)
	// Left is the time until a row expires, by the store's clock.
	Left func(id string) time.Duration
}

// Factory makes the environment of one case.
type Factory func(t testing.TB) Env

// Ability is something that an implementation may lack.
type Ability string

// The abilities that the reference of the replay lacks.
const (
	// Expiring: rows expire, and an expired one is absent to reads.
	Expiring Ability = "rows expire"
	// Racing: two operations may hold one session at a time, and the slower
	// write is refused.
	Racing Ability = "operations race"
	// Adding: saving a profile adds to it.
	Adding Ability = "profile saves add"
	// Probing: the lifecycle probe tells what is stored.
	Probing Ability = "the lifecycle probe answers"
)

// T is what a case needs of a *testing.T.
type T interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Case is one property of the port.
type Case struct {
	Name  string
	Needs []Ability
	Run   func(t T, env Env)
}

// Cases returns the suite.
func Cases() []Case {
	var all []Case
	for _, part := range [][]Case{sessionCases, guardCases, raceCases, saveCases, profileCases, lifecycleCases} {
		all = append(all, part...)
	}
	return all
}

// Run runs the suite, its cases in parallel.
func Run(t *testing.T, factory Factory) {
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			env := factory(t)
			for _, need := range c.Needs {
				if reason, lacks := env.Lacks[need]; lacks {
					t.Skipf("%s: %s", need, reason)
				}
			}
			c.Run(t, env)
		})
	}
}
