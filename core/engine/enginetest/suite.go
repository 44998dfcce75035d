// Package enginetest is the conformance suite of the engine port. Every
// engine passes it.
//
// An adapter's test is a [Factory] and a call of [Run]. The cases are data,
// so that the suite's own test can run each over engines that are broken on
// purpose and see that it notices. What the suite cannot know is which moves
// a game is made of: it walks at random over the actions that scenes offer.
package enginetest

import (
	"context"
	"testing"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// Subject is an engine under test, with at least one campaign.
type Subject struct {
	Engine engine.Engine
	// Params are parameters worth trying, by the id of the action that takes
	// them. Where there are none, an action is tried without.
	Params map[string][]map[string]engine.Value
	// Achievements are ids that a profile may hold.
	Achievements []string
	// Abandoned leads to a game that was abandoned. Engines that have no such
	// games leave it empty.
	Abandoned Script
}

// Script is a game with the moves to make, each of which is accepted.
type Script struct {
	Start engine.Start
	Moves []engine.Move
}

// Factory makes the subject of one case.
type Factory func(t testing.TB) Subject

// T is what a case needs of a *testing.T.
type T interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Case is one property of the port.
type Case struct {
	Name string
	Run  func(t T, s Subject)
}

// Cases returns the suite.
func Cases() []Case {
	var all []Case
	for _, part := range [][]Case{startCases, moveCases, showCases, endCases, hostileCases} {
		all = append(all, part...)
	}
	return all
}

// Run runs the suite, its cases in parallel.
func Run(t *testing.T, factory Factory) {
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, factory(t))
		})
	}
}
