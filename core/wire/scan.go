package wire

import (
	"strconv"
	"unicode/utf8"
)

// MaxNumber is the most bytes that a number may be written in. The longest
// shortest form of a double has 24, a 128-bit integer 40; what is longer is
// not a quantity but an attack on whoever parses it.
const MaxNumber = 64

// plain are the bytes that stand for themselves in a string: printable ASCII
// and DEL but for the quote and the backslash.
var plain = func() (t [256]bool) {
	for b := ' '; b < utf8.RuneSelf; b++ {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// space skips white space.
func space(body []byte, i int) int {
	for i < len(body) {
		switch body[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// text reads a string from behind its opening quote to behind its closing
// one.
func text(body []byte, i int) (next int, reason string) {
	for i < len(body) {
		b := body[i]
		switch {
		case plain[b]:
			i++
		case b == '"':
			return i + 1, ""
		case b == '\\':
			if i, reason = escape(body, i+1); reason != "" {
				return i, reason
			}
		case b >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(body[i:])
			if r == utf8.RuneError && n == 1 {
				return i, ReasonUTF8
			}
			i += n
		default:
			return i, unexpected(body, i)
		}
	}
	return i, ReasonSyntax
}

// escape reads an escape sequence from behind its backslash.
func escape(body []byte, i int) (next int, reason string) {
	if i == len(body) {
		return i, ReasonSyntax
	}
	switch body[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, ""
	case 'u':
	default:
		return i, unexpected(body, i)
	}
	u, ok := hex4(body[i+1:])
	switch {
	case !ok:
		return i, ReasonSyntax
	case u == 0:
		return i, ReasonNUL
	case isLow(u):
		return i, ReasonSurrogate
	case !isHigh(u):
		return i + 5, ""
	}
	i += 5
	if len(body) < i+2 || body[i] != '\\' || body[i+1] != 'u' {
		return i, ReasonSurrogate
	}
	if u, ok = hex4(body[i+2:]); !ok || !isLow(u) {
		return i, ReasonSurrogate
	}
	return i + 6, ""
}

// number reads a number.
func number(body []byte, i int) (next int, reason string) {
	start := i
	if body[i] == '-' {
		i++
	}
	whole := i
	i = digits(body, i)
	if i == whole || body[whole] == '0' && i > whole+1 {
		return i, ReasonSyntax
	}
	if i < len(body) && body[i] == '.' {
		fraction := i + 1
		if i = digits(body, fraction); i == fraction {
			return i, ReasonSyntax
		}
	}
	mantissa, exponent := i, i
	if i < len(body) && (body[i] == 'e' || body[i] == 'E') {
		i++
		if i < len(body) && (body[i] == '+' || body[i] == '-') {
			i++
		}
		exponent = i
		if i = digits(body, exponent); i == exponent {
			return i, ReasonSyntax
		}
	}
	if i-start > MaxNumber {
		return i, ReasonNumber
	}
	// So short a number leaves the range of a double only by an exponent of
	// three digits.
	if i-exponent > 2 && !isDouble(body, start, mantissa, i) {
		return i, ReasonNumber
	}
	return i, ""
}

// isDouble says whether a number is in the range of a double: it neither
// overflows nor vanishes.
func isDouble(body []byte, start, mantissa, end int) bool {
	v, err := strconv.ParseFloat(string(body[start:end]), 64)
	if err != nil {
		return false
	}
	if v != 0 {
		return true
	}
	for _, b := range body[start:mantissa] {
		if '1' <= b && b <= '9' {
			return false
		}
	}
	return true
}

func digits(body []byte, i int) int {
	for i < len(body) && isDigit(body[i]) {
		i++
	}
	return i
}

// literal reads one of JSON's three names.
func literal(body []byte, i int, word string) (next int, reason string) {
	for k := range len(word) {
		if i+k == len(body) || body[i+k] != word[k] {
			return i, unexpected(body, i+k)
		}
	}
	return i + len(word), ""
}

// unexpected is the reason for a byte that the grammar does not allow at i.
func unexpected(body []byte, i int) string {
	if i == len(body) {
		return ReasonSyntax
	}
	if body[i] == 0 {
		return ReasonNUL
	}
	if r, n := utf8.DecodeRune(body[i:]); r == utf8.RuneError && n == 1 {
		return ReasonUTF8
	}
	return ReasonSyntax
}

func startsValue(b byte) bool {
	switch b {
	case '"', '[', '{', '-', 't', 'f', 'n':
		return true
	}
	return isDigit(b)
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isHigh(u rune) bool { return 0xd800 <= u && u < 0xdc00 }

func isLow(u rune) bool { return 0xdc00 <= u && u < 0xe000 }

// hex4 is the value of the four hexadecimal digits that b begins with.
func hex4(b []byte) (u rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, d := range b[:4] {
		switch {
		case isDigit(d):
			d -= '0'
		case 'a' <= d && d <= 'f':
			d -= 'a' - 10
		case 'A' <= d && d <= 'F':
			d -= 'A' - 10
		default:
			return 0, false
		}
		u = u<<4 | rune(d)
	}
	return u, true
}
