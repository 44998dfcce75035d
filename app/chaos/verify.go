package main

import (
	"fmt"
	"math"
	"time"

	"github.com/anishathalye/porcupine"
)

// checkerLimit bounds the search for an order of one session's history.
const checkerLimit = 20 * time.Second

// forever is the end of an operation that may take effect at any time.
const forever = math.MaxInt64

// last is what a session is found to be when everything has come to rest.
type last struct {
	state
	at int64 // when it was read
}

// verify holds a session's history to its last state. It returns what is
// wrong, and the history as the linearizability checker had it, with its
// findings.
func (s *session) verify(end last) (wrongs []string, found finding) {
	wrong := func(format string, args ...any) { wrongs = append(wrongs, fmt.Sprintf(format, args...)) }

	// The order of the writes, as the trail tells it.
	ids, follows := end.writes(s.first)
	if !follows {
		wrong("the last state does not go on from the first: %q, then %q", s.first.trail, end.trail)
	}
	landed := map[string]int{} // the version that each write made
	for n, id := range ids {
		if landed[id] > 0 {
			wrong("write %s was applied twice", id)
		}
		landed[id] = n + 2
	}
	known := map[string]bool{}
	for _, o := range s.history {
		if o.write == nil {
			continue
		}
		known[o.write.id] = true
		switch is := landed[o.write.id] > 0; {
		case o.outcome == ok && !is:
			wrong("write %s was acknowledged and is lost", o.write.id)
		case o.outcome != ok && o.outcome != maybe && is:
			wrong("write %s was %s and is applied", o.write.id, o.outcome)
		}
	}
	for _, id := range ids {
		if !known[id] {
			wrong("write %s was applied and asked for by nobody", id)
		}
	}
	versions, problems := s.versions()
	wrongs = append(wrongs, problems...)
	wrongs = append(wrongs, s.conflicts(landed)...)

	found = s.linearize(end, landed, versions)
	if found.verdict != porcupine.Ok {
		wrong("the linearizability checker says %s", found.verdict)
	}
	return wrongs, found
}

// versions maps the tags that were shown to the versions that their states
// have: the first is 1, and each write makes one more.
func (s *session) versions() (versions map[string]int, wrongs []string) {
	versions = map[string]int{s.firstETag: 1}
	shown := map[string]state{s.firstETag: s.first}
	tags := map[int]string{1: s.firstETag}
	for _, o := range s.history {
		if o.shown == nil {
			continue
		}
		ids, follows := o.shown.writes(s.first)
		if !follows {
			wrongs = append(wrongs, fmt.Sprintf("%s showed a state that does not go on from the first: %q, then %q", o.kind, s.first.trail, o.shown.trail))
			continue
		}
		version := 1 + len(ids)
		if before, seen := shown[o.etag]; seen && before != *o.shown {
			wrongs = append(wrongs, fmt.Sprintf("one ETag %s shows two states: %+v and %+v", o.etag, before, *o.shown))
		}
		if tag, seen := tags[version]; seen && tag != o.etag {
			wrongs = append(wrongs, fmt.Sprintf("states after %d writes have two ETags: %s and %s", len(ids), tag, o.etag))
		}
		versions[o.etag], shown[o.etag], tags[version] = version, *o.shown, o.etag
	}
	return versions, wrongs
}

// conflicts holds that a write without a precondition is refused only where
// another one landed meanwhile.
func (s *session) conflicts(landed map[string]int) (wrongs []string) {
	for _, o := range s.history {
		if o.outcome != refused || o.ifMatch != "" {
			continue
		}
		rival := false
		for _, other := range s.history {
			overlaps := other.call <= o.ret && (other.ret >= o.call || other.outcome == maybe)
			if other.write != nil && landed[other.write.id] > 0 && overlaps {
				rival = true
				break
			}
		}
		if !rival {
			wrongs = append(wrongs, fmt.Sprintf("write %s was refused without a rival", o.write.id))
		}
	}
	return wrongs
}

// finding is what the linearizability checker makes of a history.
type finding struct {
	model   porcupine.Model
	history []porcupine.Operation
	verdict porcupine.CheckResult
}

// linearize puts a history before the linearizability checker.
func (s *session) linearize(end last, landed map[string]int, versions map[string]int) finding {
	f := finding{model: model(versioned{1, s.first})}
	for _, o := range s.history {
		in := call{kind: o.kind, write: o.write, ifMatch: versions[o.ifMatch]}
		out := result{version: versions[o.etag], state: o.shown}
		ret := o.ret
		switch o.outcome {
		case ok:
			if o.save != nil {
				out.state = o.save.state
			}
		case rejected:
			in.write, in.rejected = nil, true
		case refused:
			if o.ifMatch == "" {
				continue // see conflicts
			}
			in.refused = true
		case maybe:
			if o.write == nil || landed[o.write.id] == 0 {
				continue
			}
			out.version, ret = landed[o.write.id], forever
		default:
			continue
		}
		f.history = append(f.history, porcupine.Operation{ClientId: o.player, Input: in, Call: o.call, Output: out, Return: ret})
	}
	f.history = append(f.history, porcupine.Operation{
		ClientId: players, Input: call{kind: "last state"}, Output: result{state: &end.state}, Call: end.at, Return: end.at,
	})
	f.verdict = porcupine.CheckOperationsTimeout(f.model, f.history, checkerLimit)
	return f
}

// draw writes the history as a page that a browser shows.
func (f finding) draw(path string) error {
	_, info := porcupine.CheckOperationsVerbose(f.model, f.history, checkerLimit)
	return porcupine.VisualizePath(f.model, info, path)
}
