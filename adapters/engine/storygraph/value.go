package storygraph

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"github.com/go-faster/jx"
)

// kind is the type of a variable or parameter.
type kind uint8

const (
	integerKind kind = iota + 1
	numberKind
	stringKind
	booleanKind
)

var kinds = map[string]kind{"integer": integerKind, "number": numberKind, "string": stringKind, "boolean": booleanKind}

func (k kind) String() string {
	for name, kind := range kinds {
		if kind == k {
			return name
		}
	}
	return "unknown"
}

// value is a scalar. An integer is within ±(2^53-1), a number is finite and
// not minus zero, a string is UTF-8 without U+0000 of at most maxStringBytes.
type value struct {
	kind kind
	// f holds integers and numbers, and 1 for true. Integers of that size are
	// exact in it.
	f float64
	s string
}

func integerValue(i int64) value  { return value{kind: integerKind, f: float64(i)} }
func numberValue(f float64) value { return value{kind: numberKind, f: f + 0} } // -0 + 0 is 0
func stringValue(s string) value  { return value{kind: stringKind, s: s} }

func booleanValue(b bool) value {
	v := value{kind: booleanKind}
	if b {
		v.f = 1
	}
	return v
}

// exact makes an integer of what a file, a move or a blob gives; false where
// it is beyond 2^53-1.
func exact(i int64) (value, bool) {
	return integerValue(i), i >= -maxInteger && i <= maxInteger
}

// sound says that a value keeps to what the type promises.
func (v value) sound() bool {
	switch v.kind {
	case integerKind:
		return v.f >= -maxInteger && v.f <= maxInteger
	case numberKind:
		return !math.IsNaN(v.f) && !math.IsInf(v.f, 0)
	case stringKind:
		return len(v.s) <= maxStringBytes && utf8.ValidString(v.s) && strings.IndexByte(v.s, 0) < 0
	case booleanKind:
		return true
	}
	return false
}

func (v value) encode(w *jx.Writer) {
	switch v.kind {
	case integerKind:
		w.Int64(int64(v.f))
	case numberKind:
		w.Float64(v.f)
	case stringKind:
		w.Str(v.s)
	case booleanKind:
		w.Bool(v.f == 1)
	}
}

// raw is the value as JSON.
func (v value) raw() []byte {
	w := jx.GetWriter()
	defer jx.PutWriter(w)
	v.encode(w)
	return slices.Clone(w.Buf)
}

func (v value) cel() ref.Val {
	switch v.kind {
	case integerKind:
		return types.Int(int64(v.f))
	case numberKind:
		return types.Double(v.f)
	case stringKind:
		return types.String(v.s)
	default:
		return types.Bool(v.f == 1)
	}
}

// fromCEL takes the result of an expression as a value of kind k; an integer
// is taken as a number where one is wanted.
func fromCEL(r ref.Val, k kind) (value, bool) {
	var v value
	switch r := r.(type) {
	case types.Int:
		if k == numberKind {
			v = numberValue(float64(r))
			break
		}
		var ok bool
		if v, ok = exact(int64(r)); !ok {
			return value{}, false
		}
	case types.Double:
		v = numberValue(float64(r))
	case types.String:
		v = stringValue(string(r))
	case types.Bool:
		v = booleanValue(bool(r))
	}
	return v, v.kind == k && v.sound()
}

// bounds are the least and greatest that an integer or number may be. For
// other kinds they hold nothing and let everything pass.
type bounds struct{ min, max float64 }

// clamp brings a value to the nearest bound.
func (b bounds) clamp(v value) value {
	if v.kind == integerKind || v.kind == numberKind {
		v.f = min(max(v.f, b.min), b.max)
	}
	return v
}

func (b bounds) hold(v value) bool {
	return v.kind == stringKind || v.kind == booleanKind || v.f >= b.min && v.f <= b.max
}
