package wire

import "strconv"

// MaxPointer is the most bytes of a pointer in an error.
const MaxPointer = 200

// cut ends a pointer that was too long.
const cut = "..."

// AppendPointer appends a member's name to a JSON pointer, in the form in
// which a pointer stands in an error and in a header: RFC 6901's ~0 and ~1,
// and every byte that is not printable ASCII, the space and the percent sign
// percent-encoded as in a URI. What does not fit into [MaxPointer] bytes is
// cut, visibly ("..."), and a pointer that was cut stays as it is.
func AppendPointer(dst []byte, member string) []byte {
	const hex = "0123456789ABCDEF"
	dst, ok := appendUnit(dst, "/")
	for i := 0; ok && i < len(member); i++ {
		unit := member[i : i+1]
		switch b := member[i]; {
		case b == '~':
			unit = "~0"
		case b == '/':
			unit = "~1"
		case b <= ' ' || b > '~' || b == '%':
			unit = string([]byte{'%', hex[b>>4], hex[b&15]})
		}
		dst, ok = appendUnit(dst, unit)
	}
	return dst
}

// appendUnit appends what must not be split, or the mark that it did not fit.
func appendUnit(dst []byte, unit string) ([]byte, bool) {
	switch {
	case len(dst)+len(unit)+len(cut) <= MaxPointer:
		return append(dst, unit...), true
	case len(dst)+len(cut) <= MaxPointer:
		return append(dst, cut...), false
	}
	return dst, false
}

// pointer is where a scan stopped.
func pointer(body []byte, frames []frame, all []name) string {
	var p []byte
	for i, f := range frames {
		names := all
		if i+1 < len(frames) {
			names = names[:frames[i+1].names]
		}
		switch {
		case !f.inside:
		case f.object:
			n := names[len(names)-1]
			p = AppendPointer(p, string(unescape(body[n.start:n.end])))
		default:
			p = AppendPointer(p, strconv.Itoa(f.index))
		}
	}
	return string(p)
}
