package wire

import (
	"math"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// Bounds of a body where [Limits] does not set its own.
const (
	DefaultSize  = 1 << 20 // bytes
	DefaultDepth = 64      // levels of objects and arrays
)

// Limits are the bounds that [Check] holds a body to.
type Limits struct {
	// Size is the most bytes of a body; 0 means DefaultSize.
	Size int
	// Depth is how many objects and arrays may lie in one another, the
	// outermost counted; 0 means DefaultDepth.
	Depth int
	// Object demands that the value is an object.
	Object bool
}

// Check refuses a body that is not exactly one JSON value (RFC 8259) in valid
// UTF-8 within the limits, or that holds U+0000, half a surrogate pair, two
// members of one name in an object, or a number that [MaxNumber] or the range
// of a double excludes. An empty body is no value: a surface that reads it as
// {} does so before.
//
// The error is a [fault.Error] of malformed_payload whose At is the RFC 6901
// pointer of the innermost value at fault (see [AppendPointer] for how it is
// written; empty is the whole body) and a reason word. It never quotes a
// value. The body is read once and not kept; nothing is allocated for a body
// that passes, unless one of its objects has very many members.
func Check(body []byte, l Limits) error {
	if l.Size == 0 {
		l.Size = DefaultSize
	}
	if l.Depth == 0 {
		l.Depth = DefaultDepth
	}
	if len(body) > l.Size || len(body) > math.MaxUint32 {
		return fault.Malformed("", ReasonSize)
	}
	var (
		frameBuf [DefaultDepth]frame
		nameBuf  [2 * few]name
	)
	frames, names, reason := scan(body, l, frameBuf[:0], nameBuf[:0])
	if reason != "" {
		return fault.Malformed(pointer(body, frames, names), reason)
	}
	return nil
}

// frame is an open object or array.
type frame struct {
	object bool
	// inside says that an element or a member is being read: the one at
	// index, or the one whose name is the object's latest.
	inside bool
	index  int
	// names is where the object's names begin among all names.
	names int
	// table finds the names of an object that has more than few.
	table table
}

// scan reads a whole body and returns the reason why it is malformed, or "",
// and where it stopped: the open objects and arrays, the innermost last, and
// the names of the open objects' members so far. It takes and returns both
// stacks by value, so that they stay on the caller's.
func scan(body []byte, l Limits, frames []frame, names []name) (_ []frame, _ []name, reason string) {
	i := space(body, 0)
	if l.Object && i < len(body) && body[i] != '{' && startsValue(body[i]) {
		return frames, names, ReasonType
	}
	for {
		// A value begins at i.
		if i == len(body) {
			return frames, names, ReasonSyntax
		}
		opened := false
		switch b := body[i]; {
		case b == '"':
			i, reason = text(body, i+1)
		case b == '{' || b == '[':
			if len(frames) == l.Depth {
				return frames, names, ReasonDepth
			}
			frames = append(frames, frame{object: b == '{', index: -1, names: len(names)})
			i, opened = space(body, i+1), true
			if i < len(body) && body[i] == closing(b == '{') {
				frames = frames[:len(frames)-1]
				i, opened = i+1, false
			}
		case b == '-' || isDigit(b):
			i, reason = number(body, i)
		case b == 't':
			i, reason = literal(body, i, "true")
		case b == 'f':
			i, reason = literal(body, i, "false")
		case b == 'n':
			i, reason = literal(body, i, "null")
		default:
			reason = unexpected(body, i)
		}
		if reason != "" {
			return frames, names, reason
		}
		// A container opened before i, or a value ended there, and with it
		// perhaps those around it.
		for !opened {
			i = space(body, i)
			if len(frames) == 0 {
				if i < len(body) {
					reason = ReasonTrailing
				}
				return frames, names, reason
			}
			f := &frames[len(frames)-1]
			f.inside = false
			switch {
			case i < len(body) && body[i] == ',':
				i, opened = space(body, i+1), true
			case i < len(body) && body[i] == closing(f.object):
				i++
				names = names[:f.names]
				frames = frames[:len(frames)-1]
			default:
				return frames, names, unexpected(body, i)
			}
		}
		// An element or a member begins at i.
		f := &frames[len(frames)-1]
		if !f.object {
			f.index++
			f.inside = true
			continue
		}
		if i, names, reason = member(body, i, f, names); reason != "" {
			return frames, names, reason
		}
	}
}

// member enters the next member of the object f: it reads up to the value.
func member(body []byte, i int, f *frame, names []name) (next int, _ []name, reason string) {
	if i == len(body) || body[i] != '"' {
		return i, names, unexpected(body, i)
	}
	end, reason := text(body, i+1)
	if reason != "" {
		return i, names, reason
	}
	names = append(names, newName(body, i+1, end-1))
	f.inside = true
	if !distinct(body, f, names) {
		return i, names, ReasonDuplicate
	}
	i = space(body, end)
	if i == len(body) || body[i] != ':' {
		return i, names, unexpected(body, i)
	}
	return space(body, i+1), names, ""
}

func closing(object bool) byte {
	if object {
		return '}'
	}
	return ']'
}
