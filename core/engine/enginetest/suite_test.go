package enginetest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/engine/enginetest"
)

func subject(bug string) enginetest.Subject {
	return enginetest.Subject{
		Engine: toy{bug: bug, calls: new(atomic.Int64)},
		Params: map[string][]map[string]engine.Value{"add": {
			{"by": json.Number("1")}, {"by": json.Number("3")}, {"by": json.Number("77")}, {"by": "three"}, nil,
		}},
		Achievements: []string{"ace", "other"},
		Abandoned: enginetest.Script{
			Start: engine.Start{CampaignID: "up", GameID: "game-1", Seed: "seed"},
			Moves: []engine.Move{{ActionID: "give-up"}},
		},
	}
}

func TestSuiteTakesASoundEngine(t *testing.T) {
	enginetest.Run(t, func(testing.TB) enginetest.Subject { return subject("") })
}

// mutants are engines that are broken in one way each, with the case that
// must notice.
var mutants = []struct{ bug, noticedBy string }{
	{"campaigns unsorted", "campaigns are sorted, of the engine's kind, and can be started"},
	{"campaign of another kind", "campaigns are sorted, of the engine's kind, and can be started"},
	{"start keeps no game id", "campaigns are sorted, of the engine's kind, and can be started"},
	{"unknown campaign starts", "an unknown campaign cannot be started"},
	{"odd ids in the blob", "odd seeds and game ids start a game or are refused"},
	{"calls in the blob", "the same request and moves give the same bytes"},
	{"counts its calls", "the same request and moves give the same bytes"},
	{"blob with white space", "blobs are canonical JSON text"},
	{"blob with a double member", "blobs are canonical JSON text"},
	{"blob not canonical when ended", "blobs are canonical JSON text"},
	{"refusal changes the blob", "a refused move changes nothing"},
	{"refusal without a reason", "a refused move changes nothing"},
	{"refusal with its own code", "a refused move changes nothing"},
	{"unavailable action is taken", "a refused move changes nothing"},
	{"unknown action is an error", "a refused move changes nothing"},
	{"unknown parameters pass", "odd parameters give a verdict, and are refused where they are unknown"},
	{"panic on a parameter", "odd parameters give a verdict, and are refused where they are unknown"},
	{"accepted with errors", "an accepted move has no errors and canonical changes"},
	{"accepted without a scene", "an accepted move has no errors and canonical changes"},
	{"change without a path", "an accepted move has no errors and canonical changes"},
	{"change with white space", "an accepted move has no errors and canonical changes"},
	{"message params are a list", "an accepted move has no errors and canonical changes"},
	{"move changes its parameters", "a move does not touch what came in"},
	{"profile read in silence", "the profile matters only where the outcome says that it was read"},
	{"scene differs from the move's", "what a move shows is what the blob shows"},
	{"view of another status", "what a move shows is what the blob shows"},
	{"kind view with white space", "kind views are canonical JSON"},
	{"no reason", "actions have ids of their own, and a reason where they are not available"},
	{"action twice", "actions have ids of their own, and a reason where they are not available"},
	{"no texts of reasons", "every key that is shown has a text"},
	{"no text of a label", "every key that is shown has a text"},
	{"no text of a message", "every key that is shown has a text"},
	{"strings shared", "strings are the caller's to change"},
	{"moves after the end", "a game that is over takes no moves"},
	{"actions after the end", "a game that is over takes no moves"},
	{"unknown action after the end", "a game that is over takes no moves"},
	{"abandoned game resumes", "a game that ended can be resumed, one that was abandoned cannot"},
	{"ended game does not resume", "a game that ended can be resumed, one that was abandoned cannot"},
	{"abandoning ends", "an abandoned game is shown, but neither resumed nor played"},
	{"achievements unsorted", "achievements are sorted, and none is lost"},
	{"achievement lost", "achievements are sorted, and none is lost"},
	{"resume forgets achievements", "achievements are sorted, and none is lost"},
	{"load writes other bytes", "a save of a version that is here loads as the same bytes"},
	{"blob read leniently", "what is no blob is internal_failure"},
	{"internal failure is invalid state", "what is no blob is internal_failure"},
	{"panic on a truncated blob", "what is no blob is internal_failure"},
	{"fault of another operation", "a damaged blob is an answer or a fault that the operation has"},
	{"fault quotes the blob", "faults say nothing of the blob"},
	{"calls in the blob", "several callers do not disturb each other"},
	{"looks at the deadline", "behind the guard the engine answers the same"},
	{"panic on a truncated blob", "a blob with another blob's parts is an answer or a fault"},
}

func TestEveryCaseHasAMutant(t *testing.T) {
	for _, c := range enginetest.Cases() {
		if !slices.ContainsFunc(mutants, func(m struct{ bug, noticedBy string }) bool { return m.noticedBy == c.Name }) {
			t.Errorf("no engine is broken for the case %q", c.Name)
		}
	}
}

func TestSuiteNoticesABrokenEngine(t *testing.T) {
	cases := map[string]enginetest.Case{}
	for _, c := range enginetest.Cases() {
		cases[c.Name] = c
	}
	for _, m := range mutants {
		t.Run(m.bug, func(t *testing.T) {
			c, ok := cases[m.noticedBy]
			if !ok {
				t.Fatalf("there is no case %q", m.noticedBy)
			}
			if failure := verdict(t, c, subject("")); failure != "" {
				t.Fatalf("the case fails a sound engine: %s", failure)
			}
			if verdict(t, c, subject(m.bug)) == "" {
				t.Errorf("the case %q takes it", c.Name)
			}
		})
	}
}

// recorder is a T that keeps the first failure.
type recorder struct {
	ctx     context.Context
	failure string
}

func (*recorder) Helper()                    {}
func (r *recorder) Context() context.Context { return r.ctx }

func (r *recorder) Errorf(format string, args ...any) {
	if r.failure == "" {
		r.failure = fmt.Sprintf(format, args...)
	}
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// verdict runs a case and returns its failure; a panic of the engine is one.
func verdict(t *testing.T, c enginetest.Case, s enginetest.Subject) string {
	r := &recorder{ctx: t.Context()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.Errorf("panic: %v", p)
			}
		}()
		c.Run(r, s)
	}()
	<-done
	return r.failure
}
