package storygraph

import (
	"slices"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// exits are the scenes that an action can lead to; nothing where it stays.
func (a *action) exits() []*scene {
	ways := []*scene{a.outcome.next}
	if a.check != nil {
		// A branch without a way of its own takes the action's.
		for _, branch := range []*outcome{&a.check.success, &a.check.failure} {
			ways = append(ways, branch.next)
		}
		if a.check.success.next != nil && a.check.failure.next != nil {
			ways = ways[1:]
		}
	}
	return slices.DeleteFunc(ways, func(s *scene) bool { return s == nil })
}

// checkGraph finds the scenes that no play can reach, and those from which no
// play can reach an ending, as far as the ways between them tell.
func (b *builder) checkGraph(scenes []member) {
	reached := map[*scene]bool{}
	before := map[*scene][]*scene{}
	var endings []*scene
	visit(b.start, reached, func(s *scene) (next []*scene) {
		if s.ending != "" {
			endings = append(endings, s)
		}
		for _, a := range s.actions {
			next = append(next, a.exits()...)
		}
		for _, to := range next {
			before[to] = append(before[to], s)
		}
		return next
	})
	ends := map[*scene]bool{}
	for _, s := range endings {
		visit(s, ends, func(s *scene) []*scene { return before[s] })
	}
	for _, m := range scenes {
		switch s := b.scenes[m.key]; {
		case !reached[s]:
			m.at.fault("cannot be reached from the start")
		case !ends[s]:
			m.at.fault("is a dead end: no ending can be reached from it")
		}
	}
}

// visit goes from a scene to all that can be reached by next, without
// recursion.
func visit(from *scene, seen map[*scene]bool, next func(*scene) []*scene) {
	if seen[from] {
		return
	}
	seen[from] = true
	for queue := []*scene{from}; len(queue) > 0; {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, to := range next(s) {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
}

// checkUnused finds what is declared and does nothing, which is most often a
// slip of the pen somewhere else.
func (b *builder) checkUnused(achievements, variables []member) {
	core := engine.ReasonTexts()
	for _, l := range b.locales {
		for key, t := range l.text {
			if _, reason := core[key]; !reason && !b.usedKey[key] {
				t.at.fault("is a text that nothing uses")
			}
		}
	}
	for _, m := range achievements {
		if !b.awarded[m.key] {
			m.at.fault("is an achievement that no action awards")
		}
	}
	for slot, m := range variables {
		if !b.vars[slot].visible && !b.touched[slot] && !b.lang.seen[m.key] {
			m.at.fault("is a hidden variable that nothing uses")
		}
	}
}
