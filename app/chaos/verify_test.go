package main

import (
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
)

// story builds a history by hand. Instants are whole numbers, and the tag of
// the state after n writes is "v1", "v2" and so on.
type story struct{ session }

func newStory() *story { return &story{session{id: "s", firstETag: "v1"}} }

// shows is the state after these writes.
func shows(ids ...string) *state {
	s := state{}
	for _, id := range ids {
		s = s.after(write{id: id})
	}
	return &s
}

func tag(s *state) string { return "v" + string(rune('1'+len(s.trail)/idLength)) }

func (s *story) add(o operation) *story {
	if o.shown != nil && o.etag == "" {
		o.etag = tag(o.shown)
	}
	if o.kind == "" {
		o.kind = "submit-action"
	}
	s.record(o)
	return s
}

// wrote is an acknowledged write.
func (s *story) wrote(call, ret int64, id, ifMatch string, shown *state) *story {
	return s.add(operation{call: call, ret: ret, outcome: ok, write: &write{id: id}, ifMatch: ifMatch, shown: shown})
}

// tried is a write that was not acknowledged.
func (s *story) tried(call, ret int64, id, ifMatch string, o outcome) *story {
	return s.add(operation{call: call, ret: ret, outcome: o, write: &write{id: id}, ifMatch: ifMatch})
}

func (s *story) saw(call, ret int64, shown *state) *story {
	return s.add(operation{kind: "get-scene", call: call, ret: ret, outcome: ok, shown: shown})
}

func (s *story) saved(call, ret int64, ifMatch string, holds *state) *story {
	return s.add(operation{kind: "save-game", call: call, ret: ret, outcome: ok, ifMatch: ifMatch, save: &save{id: "x", state: holds}})
}

func TestVerify(t *testing.T) {
	const a, b, c = "000a", "000b", "000c"
	full := state{trail: strings.Repeat("zzzz", 80)}
	for name, test := range map[string]struct {
		story *story
		end   *state
		// wrong stands in what is found; empty: nothing is.
		wrong string
		// illegal: the linearizability checker says so.
		illegal bool
	}{
		"nothing happened": {story: newStory(), end: shows()},
		"one after the other": {
			story: newStory().wrote(1, 2, a, "", shows(a)).saw(3, 4, shows(a)).wrote(5, 6, b, "v2", shows(a, b)),
			end:   shows(a, b),
		},
		"two at once, one refused": {
			story: newStory().wrote(1, 5, a, "", shows(a)).tried(2, 6, b, "", refused),
			end:   shows(a),
		},
		"a read beside a write shows either": {
			story: newStory().wrote(1, 9, a, "", shows(a)).saw(2, 3, shows()).saw(4, 5, shows(a)),
			end:   shows(a),
		},
		"a maybe that landed late": {
			story: newStory().tried(1, 2, a, "", maybe).saw(3, 4, shows()).wrote(5, 6, b, "", shows(b)).saw(9, 10, shows(b, a)),
			end:   shows(b, a),
		},
		"a maybe that never landed": {
			story: newStory().tried(1, 2, a, "", maybe).wrote(5, 6, b, "v1", shows(b)),
			end:   shows(b),
		},
		"a maybe was the rival": {
			story: newStory().tried(1, 2, a, "", maybe).tried(7, 8, b, "", refused),
			end:   shows(a),
		},
		"a save beside a write": {
			story: newStory().wrote(1, 9, a, "", shows(a)).saved(2, 8, "", shows()).saved(3, 8, "v2", shows(a)),
			end:   shows(a),
		},
		"an acknowledged write is lost": {
			story: newStory().wrote(1, 2, a, "", shows(a)).wrote(3, 4, b, "", shows(b)),
			end:   shows(b), wrong: "write 000a was acknowledged and is lost", illegal: true,
		},
		"a refused write is there": {
			story: newStory().tried(1, 5, a, "", refused).wrote(2, 3, b, "", shows(a, b)),
			end:   shows(a, b), wrong: "write 000a was refused and is applied", illegal: true,
		},
		"a write that was never sent is there": {
			story: newStory().tried(1, 5, a, "", unreachable),
			end:   shows(a), wrong: "write 000a was unreachable and is applied", illegal: true,
		},
		"a write that nobody asked for": {
			story: newStory(), end: shows(c), wrong: "asked for by nobody", illegal: true,
		},
		"a write applied twice": {
			story: newStory().tried(1, 2, a, "", maybe),
			end:   shows(a, a), wrong: "applied twice", illegal: true,
		},
		"a maybe whose effect went away": {
			story: newStory().tried(1, 2, a, "", maybe).saw(3, 4, shows(a)).saw(5, 6, shows()),
			end:   shows(), wrong: "Illegal", illegal: true,
		},
		"a stale read": {
			story: newStory().wrote(1, 2, a, "", shows(a)).saw(3, 4, shows()),
			end:   shows(a), wrong: "Illegal", illegal: true,
		},
		"a read from the future": {
			story: newStory().saw(1, 2, shows(a)).wrote(3, 4, a, "", shows(a)),
			end:   shows(a), wrong: "Illegal", illegal: true,
		},
		"a precondition that did not hold": {
			story: newStory().wrote(1, 2, a, "", shows(a)).wrote(3, 4, b, "v1", shows(a, b)),
			end:   shows(a, b), wrong: "Illegal", illegal: true,
		},
		"a precondition that held, refused": {
			story: newStory().wrote(1, 2, a, "", shows(a)).tried(3, 4, b, "v2", refused),
			end:   shows(a), wrong: "Illegal", illegal: true,
		},
		"a refusal without a rival": {
			story: newStory().wrote(1, 2, a, "", shows(a)).tried(3, 4, b, "", refused),
			end:   shows(a), wrong: "write 000b was refused without a rival",
		},
		"a save of a state that was over": {
			story: newStory().wrote(1, 2, a, "", shows(a)).saved(3, 4, "", shows()),
			end:   shows(a), wrong: "Illegal", illegal: true,
		},
		"a save of another state than its precondition's": {
			story: newStory().wrote(1, 9, a, "", shows(a)).saw(2, 3, shows(a)).saved(1, 8, "v2", shows()),
			end:   shows(a), wrong: "Illegal", illegal: true,
		},
		"a rejection while there is room": {
			story: newStory().wrote(1, 2, a, "", shows(a)).add(operation{call: 3, ret: 4, outcome: rejected, write: &write{id: b}, etag: "v2"}),
			end:   shows(a), wrong: "Illegal", illegal: true,
		},
		"a rejected write is there": {
			story: newStory().add(operation{call: 3, ret: 4, outcome: rejected, write: &write{id: b}, etag: "v1"}),
			end:   shows(b), wrong: "write 000b was rejected and is applied", illegal: true,
		},
		"a rejection when the trail is full": {
			story: &story{session{firstETag: "v1", first: full, history: []operation{{call: 3, ret: 4, outcome: rejected, write: &write{id: b}, etag: "v1"}}}},
			end:   &full,
		},
		"one tag, two states": {
			story: newStory().wrote(1, 2, a, "", shows(a)).add(operation{kind: "get-scene", call: 3, ret: 4, outcome: ok, shown: shows(), etag: "v2"}),
			end:   shows(a), wrong: "shows two states", illegal: true,
		},
		"one state, two tags": {
			story: newStory().wrote(1, 2, a, "", shows(a)).add(operation{kind: "get-scene", call: 3, ret: 4, outcome: ok, shown: shows(a), etag: "v9"}),
			end:   shows(a), wrong: "have two ETags",
		},
		"a state of another game": {
			story: newStory().saw(1, 2, &state{trail: "odd"}),
			end:   shows(), wrong: "does not go on from the first", illegal: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			wrongs, found := test.story.verify(last{*test.end, 100})
			if all := strings.Join(wrongs, "\n"); !strings.Contains(all, test.wrong) || (test.wrong == "") != (all == "") {
				t.Errorf("found %q, want %q", all, test.wrong)
			}
			want := porcupine.Ok
			if test.illegal {
				want = porcupine.Illegal
			}
			if found.verdict != want {
				t.Errorf("the checker says %s, want %s", found.verdict, want)
			}
		})
	}
}

// A sum is checked as the register is: here one addition is missing in it.
func TestVerifySum(t *testing.T) {
	torn := state{sum: 3, trail: "000a000b"}
	s := newStory()
	s.add(operation{call: 1, ret: 2, outcome: ok, write: &write{"000a", 3}, shown: &state{sum: 3, trail: "000a"}})
	s.add(operation{call: 3, ret: 4, outcome: ok, write: &write{"000b", 4}, shown: &torn})
	if wrongs, _ := s.verify(last{torn, 9}); len(wrongs) != 1 {
		t.Errorf("found %q, want the verdict alone", wrongs)
	}
}

func TestStored(t *testing.T) {
	s := newStory().wrote(1, 2, "000a", "", shows("000a")).tried(3, 4, "000b", "", maybe).tried(5, 6, "000c", "v1", refused)
	for name, test := range map[string]struct {
		versions map[string]int
		end      *state
		wrongs   int
	}{
		"the maybe did not land": {map[string]int{"s": 2}, shows("000a"), 0},
		"the maybe landed":       {map[string]int{"s": 3}, shows("000a", "000b"), 0},
		"the row is gone":        {map[string]int{}, shows("000a"), 1},
		"too few":                {map[string]int{"s": 1}, shows(), 1},
		"too many":               {map[string]int{"s": 4}, shows("000a", "000b", "000c"), 1},
		"not what is shown":      {map[string]int{"s": 3}, shows("000a"), 1},
	} {
		if wrongs := s.stored(test.versions, last{*test.end, 9}); len(wrongs) != test.wrongs {
			t.Errorf("%s: found %q", name, wrongs)
		}
	}
}

func TestBetween(t *testing.T) {
	for _, test := range []struct {
		made, acknowledged, maybes int
		holds                      bool
	}{{3, 3, 0, true}, {4, 3, 1, true}, {2, 3, 1, false}, {5, 3, 1, false}} {
		w := &world{report: newReport(settings{})}
		w.between("sessions", test.made, test.acknowledged, test.maybes)
		if w.passed() != test.holds {
			t.Errorf("%+v: %q", test, w.violations)
		}
	}
}
