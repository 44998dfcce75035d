package enginetest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// walk is a random game: where it starts, and for each step which of the
// scene's actions is taken, with which parameters and profile.
type walk struct {
	Start engine.Start
	Steps []step
}

type step struct {
	Action int // of those that are available, modulo their number
	Params int // of those worth trying, modulo their number
	Held   []string
}

// walks generates walks over the subject's campaigns.
func walks(s Subject) *rapid.Generator[walk] {
	var ids []string
	for _, c := range s.Engine.Campaigns() {
		ids = append(ids, c.CampaignID)
	}
	return rapid.Custom(func(t *rapid.T) walk {
		steps := rapid.Custom(func(t *rapid.T) step {
			held := rapid.SliceOfN(rapid.Just(""), 0, 0)
			if len(s.Achievements) > 0 {
				held = rapid.SliceOfDistinct(rapid.SampledFrom(s.Achievements), rapid.ID)
			}
			return step{
				Action: rapid.IntRange(0, 59).Draw(t, "action"),
				Params: rapid.IntRange(0, 59).Draw(t, "params"),
				Held:   held.Draw(t, "held"),
			}
		})
		return walk{
			Start: engine.Start{
				CampaignID: rapid.SampledFrom(ids).Draw(t, "campaign"),
				GameID:     rapid.SampledFrom([]string{"game-1", "", "spiel – „7“ 🗝️ \\ \" </script>"}).Draw(t, "game"),
				Seed:       rapid.SampledFrom([]string{"", "seed", "17", "\u2028 é e\u0301", "x"}).Draw(t, "seed"),
			},
			Steps: rapid.SliceOfN(steps, 0, 15).Draw(t, "steps"),
		}
	})
}

// exampleWalks is how many walks a case takes where nobody shrinks a failure.
const exampleWalks = 60

// onWalks holds a property against random walks. Under the testing package
// rapid looks for the smallest walk that breaks it.
func onWalks(t T, s Subject, holds func(t T, w walk)) {
	t.Helper()
	generator := walks(s)
	if tb, ok := t.(*testing.T); ok {
		rapid.Check(tb, func(t *rapid.T) { holds(t, generator.Draw(t, "walk")) })
		return
	}
	for i := range exampleWalks {
		holds(t, generator.Example(i))
	}
}

// at is a point of a walk.
type at struct {
	blob  string
	scene engine.Scene
	// move and outcome led here; outcome is nil at the start.
	before  string
	move    engine.Move
	outcome *engine.Outcome
}

// play plays a walk and visits every point of it, the start included. It ends
// where no action is available.
func (w walk) play(t T, s Subject, visit func(p at)) {
	t.Helper()
	begun, err := s.Engine.Start(t.Context(), w.Start)
	if err != nil {
		t.Fatalf("start %q: %v", w.Start.CampaignID, err)
	}
	p := at{blob: begun.Blob, scene: begun.Scene}
	visit(p)
	for _, step := range w.Steps {
		move, ok := s.move(p.scene, step)
		if !ok {
			return
		}
		o, err := s.Engine.Apply(t.Context(), p.blob, move)
		if err != nil {
			t.Fatalf("apply %q: %v", move.ActionID, err)
		}
		next := at{blob: o.Blob, scene: p.scene, before: p.blob, move: move, outcome: &o}
		if o.Result.OK {
			if o.Result.Scene == nil {
				t.Fatalf("the accepted move %q shows no scene", move.ActionID)
			}
			next.scene = *o.Result.Scene
		}
		visit(next)
		p = next
	}
}

// move is the move of a step from a scene; false where there is none.
func (s Subject) move(from engine.Scene, step step) (engine.Move, bool) {
	var open []string
	for _, a := range from.Actions {
		if a.Available {
			open = append(open, a.ID)
		}
	}
	if len(open) == 0 {
		return engine.Move{}, false
	}
	m := engine.Move{ActionID: open[step.Action%len(open)], Achievements: map[string]bool{}}
	if tries := s.Params[m.ActionID]; len(tries) > 0 {
		m.Params = tries[step.Params%len(tries)]
	}
	for _, id := range step.Held {
		m.Achievements[id] = true
	}
	return m, true
}

// run makes the moves of a script, all of which must be accepted.
func (c Script) run(t T, s Subject) string {
	t.Helper()
	begun, err := s.Engine.Start(t.Context(), c.Start)
	if err != nil {
		t.Fatalf("start %q: %v", c.Start.CampaignID, err)
	}
	blob := begun.Blob
	for _, m := range c.Moves {
		o, err := s.Engine.Apply(t.Context(), blob, m)
		if err != nil {
			t.Fatalf("apply %q: %v", m.ActionID, err)
		}
		if !o.Result.OK {
			t.Fatalf("the move %q was refused: %+v", m.ActionID, o.Result.Errors)
		}
		blob = o.Blob
	}
	return blob
}
