package storygraph

import (
	"strconv"
	"strings"

	"github.com/go-faster/jx"
)

// scanner takes canonical JSON apart, from the front. It knows one spelling
// of each value, the one that a jx.Writer gives it, and takes no other. After
// the first thing that is wrong, err is set and nothing that it returns is of
// use. The text must be UTF-8.
type scanner struct {
	text string
	at   int // what is before it has been taken
	err  error
}

func (r *scanner) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.at = len(r.text) // there is nothing more to take, so that all loops end
}

// peek is the next byte; 0, which no JSON has, at the end.
func (r *scanner) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// accept takes a literal if it comes next.
func (r *scanner) accept(literal string) bool {
	if !strings.HasPrefix(r.text[r.at:], literal) {
		return false
	}
	r.at += len(literal)
	return true
}

func (r *scanner) expect(literal string) {
	if !r.accept(literal) {
		r.fail(errNotCanonical)
	}
}

// member takes a whole member of an object if it comes next.
func (r *scanner) member(literal string) bool {
	end := r.at + len(literal)
	if end >= len(r.text) || r.text[r.at:end] != literal || r.text[end] != ',' && r.text[end] != '}' {
		return false
	}
	r.at = end
	return true
}

func (r *scanner) boolean() bool {
	if r.accept("true") {
		return true
	}
	r.expect("false")
	return false
}

// name takes the name of a variable that begins a member.
func (r *scanner) name() string {
	name := r.string()
	if !isIdentifier(name) {
		r.fail(errNotCanonical)
	}
	r.expect(":")
	return name
}

// integer takes an integer from low, at least -(2^53-1), to 2^53-1.
func (r *scanner) integer(low int64) int64 {
	const digits = len("9007199254740991")
	negative := r.accept("-")
	from, i := r.at, int64(0)
	for ; isDigit(r.peek()) && r.at-from < digits; r.at++ {
		i = i*10 + int64(r.text[r.at]-'0')
	}
	switch n := r.at - from; {
	case n == 0, isDigit(r.peek()), r.text[from] == '0' && (n > 1 || negative):
		r.fail(errNotCanonical)
		return 0
	}
	if negative {
		i = -i
	}
	if i < low || i > maxInteger {
		r.fail(errValue)
		return 0
	}
	return i
}

// value takes a scalar. Only the kind of variable that it is meant for tells
// an integer from a number.
func (r *scanner) value(meant kind) value {
	switch c := r.peek(); {
	case c == '"':
		v := stringValue(r.string())
		if len(v.s) > maxStringBytes {
			r.fail(errValue)
		}
		return v
	case c == 't', c == 'f':
		return booleanValue(r.boolean())
	case meant == integerKind:
		return integerValue(r.integer(-maxInteger))
	default:
		return r.number()
	}
}

// number takes a number. Which of its spellings is canonical, only writing it
// again tells.
func (r *scanner) number() value {
	from := r.at
	for c := r.peek(); isDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e'; c = r.peek() {
		r.at++
	}
	text := r.text[from:r.at]
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		r.fail(errNotCanonical)
		return value{}
	}
	v := numberValue(f)
	w := jx.GetWriter()
	defer jx.PutWriter(w)
	if v.encode(w); string(w.Buf) != text {
		r.fail(errNotCanonical)
	}
	return v
}

// string takes a string without U+0000.
func (r *scanner) string() string {
	r.expect(`"`)
	rest := r.text[r.at:]
	i := 0
	for i < len(rest) && plainByte[rest[i]] {
		i++
	}
	switch {
	case i < len(rest) && rest[i] == '"':
		r.at += i + 1
		return rest[:i]
	case i < len(rest) && rest[i] == '\\':
		r.at += i
		return r.escaped(rest[:i])
	}
	r.fail(errNotCanonical)
	return ""
}

// plainByte tells the bytes that strings have as they are: a table, because
// most of what is read is strings.
var plainByte = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return plain
}()

// escapes are the characters that a canonical string has in another form.
var escapes = func() map[string]byte {
	forms := map[string]byte{}
	for c := range byte(0x80) {
		var w jx.Writer
		w.Str(string(rune(c)))
		if form := string(w.Buf[1 : len(w.Buf)-1]); form[0] == '\\' && c != 0 {
			forms[form] = c
		}
	}
	return forms
}()

// escaped takes the rest of a string that begins with start and goes on with
// an escape.
func (r *scanner) escaped(start string) string {
	b := []byte(start)
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case plainByte[c]:
			b = append(b, c)
			r.at++
		case c == '"':
			r.at++
			return string(b)
		default:
			form := r.text[r.at:min(r.at+len(`\n`), len(r.text))]
			if form == `\u` {
				form = r.text[r.at:min(r.at+len(`\u001f`), len(r.text))]
			}
			plain, ok := escapes[form]
			if !ok {
				r.fail(errNotCanonical)
				break
			}
			b = append(b, plain)
			r.at += len(form)
		}
	}
	r.fail(errNotCanonical)
	return ""
}
