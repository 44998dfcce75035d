package enginetest

import (
	"reflect"
	"slices"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

var endCases = []Case{
	{"a game that is over takes no moves", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			w.play(t, s, func(p at) {
				if p.scene.Status == engine.Active {
					return
				}
				over(t, s, p)
			})
		})
	}},
	{"a game that ended can be resumed, one that was abandoned cannot", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			w.play(t, s, func(p at) { resumes(t, s, p) })
		})
	}},
	{"an abandoned game is shown, but neither resumed nor played", func(t T, s Subject) {
		if s.Abandoned.Start.CampaignID == "" {
			return
		}
		blob := s.Abandoned.run(t, s)
		scene, err := s.Engine.Scene(t.Context(), blob)
		if err != nil || scene.Status != engine.Abandoned {
			t.Fatalf("the script of the abandoned game leads to status %q: %v", scene.Status, err)
		}
		p := at{blob: blob, scene: scene}
		resumes(t, s, p)
		over(t, s, p)
	}},
	{"achievements are sorted, and none is lost", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			var had []string
			w.play(t, s, func(p at) {
				if p.outcome == nil {
					return
				}
				now := p.outcome.Achievements
				if !slices.IsSorted(now) || len(slices.Compact(slices.Clone(now))) != len(now) {
					t.Fatalf("achievements are not sorted, each once: %q", now)
				}
				for _, id := range had {
					if !slices.Contains(now, id) {
						t.Fatalf("the achievement %q was lost", id)
					}
				}
				if !p.outcome.Result.OK && len(now) != len(had) {
					t.Fatalf("a refused move earned an achievement")
				}
				had = slices.Clone(now)
				if p.scene.Status == engine.Abandoned {
					return
				}
				r, err := s.Engine.Resume(t.Context(), p.blob)
				if err != nil || !slices.Equal(r.Achievements, now) {
					t.Fatalf("resume knows the achievements %q of %q: %v", r.Achievements, now, err)
				}
			})
		})
	}},
	{"a save of a version that is here loads as the same bytes", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			w.play(t, s, func(p at) {
				loaded, err := s.Engine.Load(t.Context(), p.blob)
				if err != nil {
					t.Fatalf("load: %v", err)
				}
				if loaded.Blob != p.blob || loaded.CampaignID != w.Start.CampaignID || !reflect.DeepEqual(loaded.Scene, p.scene) {
					t.Fatalf("a save of %q loads as another game of %q", w.Start.CampaignID, loaded.CampaignID)
				}
			})
		})
	}},
}

func over(t T, s Subject, p at) {
	t.Helper()
	for _, a := range p.scene.Actions {
		if a.Available {
			t.Fatalf("a game that is over offers the action %q", a.ID)
		}
	}
	for _, id := range []string{p.move.ActionID, "no such action"} {
		o, err := s.Engine.Apply(t.Context(), p.blob, engine.Move{ActionID: id})
		if err != nil || o.Result.OK {
			t.Fatalf("a game that is over takes the move %q: %v", id, err)
		}
		refused(t, p.blob, o)
		if code := o.Result.Errors[0].Code; code != engine.ReasonGameEnded {
			t.Fatalf("a game that is over refuses a move for %s", code)
		}
	}
}

func resumes(t T, s Subject, p at) {
	t.Helper()
	r, err := s.Engine.Resume(t.Context(), p.blob)
	if p.scene.Status == engine.Abandoned {
		if fault.CodeOf(err) != fault.InvalidState {
			t.Fatalf("resuming an abandoned game: %v", err)
		}
		return
	}
	if err != nil || !reflect.DeepEqual(r.Scene, p.scene) {
		t.Fatalf("resuming a game that is %s: %v", p.scene.Status, err)
	}
}
