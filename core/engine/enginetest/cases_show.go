package enginetest

import (
	"reflect"
	"slices"

	"github.com/holdfast-dev/holdfast/core/engine"
)

var showCases = []Case{
	{"what a move shows is what the blob shows", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			w.play(t, s, func(p at) {
				shown, err := s.Engine.Scene(t.Context(), p.blob)
				if err != nil || !reflect.DeepEqual(shown, p.scene) {
					t.Fatalf("the blob shows another scene than the move did: %v\n%+v\n%+v", err, shown, p.scene)
				}
				view, err := s.Engine.View(t.Context(), p.blob)
				if err != nil || !reflect.DeepEqual(view, shown.View) {
					t.Fatalf("the view is not that of the scene: %v\n%+v\n%+v", err, view, shown.View)
				}
				if shown.GameID != w.Start.GameID || view.GameID != w.Start.GameID || view.Status != shown.Status {
					t.Fatalf("game %q is shown as %q and %q, %s and %s", w.Start.GameID, shown.GameID, view.GameID, shown.Status, view.Status)
				}
			})
		})
	}},
	{"kind views are canonical JSON", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			w.play(t, s, func(p at) {
				if err := canonical(string(p.scene.View.KindView)); err != nil {
					t.Fatalf("a kind view is not canonical: %v", err)
				}
			})
		})
	}},
	{"actions have ids of their own, and a reason where they are not available", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			w.play(t, s, func(p at) {
				var ids []string
				for _, a := range p.scene.Actions {
					if a.ID == "" || slices.Contains(ids, a.ID) {
						t.Fatalf("a scene offers the action %q, after %q", a.ID, ids)
					}
					ids = append(ids, a.ID)
					if a.Available != (a.ReasonKey == "") {
						t.Fatalf("action %q: available %v, reason %q", a.ID, a.Available, a.ReasonKey)
					}
				}
			})
		})
	}},
	{"every key that is shown has a text", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			w.play(t, s, func(p at) {
				texts, err := s.Engine.Strings(t.Context(), p.blob)
				if err != nil {
					t.Fatalf("strings: %v", err)
				}
				keys := []string{p.scene.TextKey}
				for _, c := range s.Engine.Campaigns() {
					if c.CampaignID == w.Start.CampaignID {
						keys = append(keys, c.TitleKey)
					}
				}
				for _, a := range p.scene.Actions {
					keys = append(keys, a.LabelKey)
					if !a.Available {
						keys = append(keys, a.ReasonKey)
					}
				}
				if p.outcome != nil {
					for _, m := range p.outcome.Result.Messages {
						keys = append(keys, m.Key)
					}
				}
				for key := range engine.ReasonTexts() {
					keys = append(keys, key)
				}
				for _, key := range keys {
					if texts[key] == "" {
						t.Fatalf("there is no text for %q", key)
					}
				}
			})
		})
	}},
	{"strings are the caller's to change", func(t T, s Subject) {
		blob := begin(t, s)
		first, err := s.Engine.Strings(t.Context(), blob)
		if err != nil {
			t.Fatalf("strings: %v", err)
		}
		clear(first)
		if second, err := s.Engine.Strings(t.Context(), blob); err != nil || len(second) == 0 {
			t.Fatalf("changing what one caller got changed what the next one gets: %v", err)
		}
	}},
}

// begin starts a game of the first campaign.
func begin(t T, s Subject) string {
	t.Helper()
	p, err := s.Engine.Start(t.Context(), engine.Start{CampaignID: s.Engine.Campaigns()[0].CampaignID, GameID: "game-1", Seed: "seed"})
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	return p.Blob
}
