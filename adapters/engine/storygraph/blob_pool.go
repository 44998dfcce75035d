package storygraph

import "sync"

// states are between two uses. The variables of a state are by far the most
// that a request allocates.
var states = sync.Pool{New: func() any { return new(state) }}

// release ends the use of a state. What is kept for the next use is room
// only: no part of a blob stays behind.
func (s *state) release() {
	clear(s.vars)
	clear(s.names)
	clear(s.used)
	*s = state{vars: s.vars[:0], names: s.names[:0], used: s.used[:0]}
	states.Put(s)
}
