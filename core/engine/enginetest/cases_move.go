package enginetest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/holdfast-dev/holdfast/core/engine"
)

var reasons = []string{
	engine.ReasonUnknownAction, engine.ReasonActionUnavailable, engine.ReasonConditionUnmet, engine.ReasonInvalidParams, engine.ReasonGameEnded,
}

var moveCases = []Case{
	{"blobs are canonical JSON text", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			w.play(t, s, func(p at) {
				if err := canonical(p.blob); err != nil {
					t.Fatalf("a blob is not canonical: %v", err)
				}
			})
		})
	}},
	{"a refused move changes nothing", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			w.play(t, s, func(p at) {
				if p.outcome != nil && !p.outcome.Result.OK {
					refused(t, p.before, *p.outcome)
				}
				tries := []engine.Move{{ActionID: "no such action"}, {ActionID: ""}}
				for _, a := range p.scene.Actions {
					if !a.Available {
						tries = append(tries, engine.Move{ActionID: a.ID})
					}
				}
				for _, m := range tries {
					o, err := s.Engine.Apply(t.Context(), p.blob, m)
					if err != nil {
						t.Fatalf("the impossible move %q is an error: %v", m.ActionID, err)
					}
					if o.Result.OK {
						t.Fatalf("the impossible move %q was accepted", m.ActionID)
					}
					refused(t, p.blob, o)
				}
			})
		})
	}},
	{"odd parameters give a verdict, and are refused where they are unknown", func(t T, s Subject) {
		odd := []engine.Value{nil, true, "\x00", "\xff", json.Number("1e400"), json.Number("9007199254740993"), json.Number("no number"), 7, []string{"x"}, map[string]int{}}
		onWalks(t, s, func(t T, w walk) {
			tried := 0
			w.play(t, s, func(p at) {
				for _, a := range p.scene.Actions {
					if !a.Available {
						continue
					}
					// One a time is enough: there are many walks.
					v := odd[tried%len(odd)]
					tried++
					m := engine.Move{ActionID: a.ID, Params: map[string]engine.Value{"no such parameter": v}}
					o, err := s.Engine.Apply(t.Context(), p.blob, m)
					if err != nil || o.Result.OK {
						t.Fatalf("the unknown parameter %v of %q: accepted %v, %v", v, a.ID, o.Result.OK, err)
					}
					refused(t, p.blob, o)
					if code := o.Result.Errors[0].Code; code != engine.ReasonInvalidParams {
						t.Fatalf("the unknown parameter %v of %q is %s", v, a.ID, code)
					}
					for _, known := range s.Params[a.ID] {
						for name := range known {
							m.Params = maps.Clone(known)
							m.Params[name] = v
							o, err := s.Engine.Apply(t.Context(), p.blob, m)
							if err != nil {
								t.Fatalf("the parameter %q of %q as %v: %v", name, a.ID, v, err)
							}
							if err := canonical(o.Blob); err != nil {
								t.Fatalf("the parameter %q of %q as %v: the blob is not canonical: %v", name, a.ID, v, err)
							}
						}
					}
				}
			})
		})
	}},
	{"an accepted move has no errors and canonical changes", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			w.play(t, s, func(p at) {
				if p.outcome == nil || !p.outcome.Result.OK {
					return
				}
				if n := len(p.outcome.Result.Errors); n > 0 {
					t.Fatalf("the accepted move %q has %d errors", p.move.ActionID, n)
				}
				for _, c := range p.outcome.Result.Changes {
					if c.Path == "" || !slices.Contains([]engine.Op{engine.Set, engine.Increment, engine.Decrement}, c.Op) {
						t.Fatalf("change %+v", c)
					}
					for _, raw := range []json.RawMessage{c.Value, c.Previous} {
						if raw == nil {
							continue
						}
						if err := canonical(string(raw)); err != nil {
							t.Fatalf("change of %q: %v", c.Path, err)
						}
					}
					if c.Value == nil {
						t.Fatalf("the change of %q has no value", c.Path)
					}
				}
				for _, m := range p.outcome.Result.Messages {
					if m.Params == nil {
						continue
					}
					var scalars map[string]any
					if err := canonical(string(m.Params)); err != nil || json.Unmarshal(m.Params, &scalars) != nil {
						t.Fatalf("the params of message %q are no canonical object: %v", m.Key, err)
					}
				}
			})
		})
	}},
	{"a move does not touch what came in", func(t T, s Subject) {
		onWalks(t, s, func(t T, w walk) {
			w.play(t, s, func(p at) {
				if p.outcome == nil {
					return
				}
				m := engine.Move{ActionID: p.move.ActionID, Params: maps.Clone(p.move.Params), Achievements: maps.Clone(p.move.Achievements)}
				again, err := s.Engine.Apply(t.Context(), p.before, m)
				if err != nil || !reflect.DeepEqual(again, *p.outcome) {
					t.Fatalf("the move %q does not give the same outcome a second time: %v", m.ActionID, err)
				}
				if !reflect.DeepEqual(m, p.move) {
					t.Fatalf("applying %q changed the move", m.ActionID)
				}
			})
		})
	}},
	{"the profile matters only where the outcome says that it was read", func(t T, s Subject) {
		all := map[string]bool{}
		for _, id := range s.Achievements {
			all[id] = true
		}
		onWalks(t, s, func(t T, w walk) {
			w.play(t, s, func(p at) {
				for _, a := range p.scene.Actions {
					tries := s.Params[a.ID]
					if len(tries) == 0 {
						tries = []map[string]engine.Value{nil}
					}
					for _, params := range tries {
						without, err1 := s.Engine.Apply(t.Context(), p.blob, engine.Move{ActionID: a.ID, Params: params})
						with, err2 := s.Engine.Apply(t.Context(), p.blob, engine.Move{ActionID: a.ID, Params: params, Achievements: all})
						if err1 != nil || err2 != nil {
							t.Fatalf("apply %q: %v, %v", a.ID, err1, err2)
						}
						if without.ProfileRead && with.ProfileRead {
							continue
						}
						if without.ProfileRead != with.ProfileRead || !reflect.DeepEqual(without, with) {
							t.Fatalf("the profile matters to %q, and the outcome does not say so", a.ID)
						}
					}
				}
			})
		})
	}},
	{"behind the guard the engine answers the same", func(t T, s Subject) {
		guarded := s
		guarded.Engine = engine.Guard(s.Engine, time.Hour)
		onWalks(t, s, func(t T, w walk) {
			var bare, behind []at
			w.play(t, s, func(p at) { bare = append(bare, p) })
			w.play(t, guarded, func(p at) { behind = append(behind, p) })
			if !reflect.DeepEqual(bare, behind) {
				t.Fatalf("the guard changes what the engine answers")
			}
		})
	}},
}

// refused checks the outcome of a move that was refused.
func refused(t T, before string, o engine.Outcome) {
	t.Helper()
	if o.Blob != before {
		t.Fatalf("a refused move changed the blob")
	}
	r := o.Result
	if r.Scene != nil || len(r.Changes) > 0 || len(r.Messages) > 0 {
		t.Fatalf("a refused move has a scene, changes or messages")
	}
	if len(r.Errors) == 0 {
		t.Fatalf("a refused move says no reason")
	}
	for _, p := range r.Errors {
		if !slices.Contains(reasons, p.Code) || p.MessageKey != engine.ReasonKey(p.Code) {
			t.Fatalf("a refused move has the reason %q with the key %q", p.Code, p.MessageKey)
		}
	}
}
