package wire

import "github.com/holdfast-dev/holdfast/core/fault"

// AppendError appends the body of an error answer on the public side: exactly
// the code and the correlation, which is what [Correlation] returned.
func AppendError(dst []byte, code fault.Code, correlation string) []byte {
	dst = append(dst, `{"code":"`...)
	dst = append(dst, code...)
	dst = append(dst, `","correlation":"`...)
	dst = append(dst, correlation...)
	return append(dst, `"}`...)
}

// Positions in a traceparent of version 00: version-traceid-parentid-flags.
const (
	traceIDAt      = 3
	parentIDAt     = 36
	flagsAt        = 53
	traceparentLen = 55
)

// Correlation is the trace id of a traceparent header if it is valid by W3C
// Trace Context (level 2, section 3.2), else what fresh mints: 32 lower-case
// hexadecimal digits that are not all zero. A request with several such
// headers has no valid one; pass "".
func Correlation(traceparent string, fresh func() string) string {
	if !validTraceparent(traceparent) {
		return fresh()
	}
	return traceparent[traceIDAt : parentIDAt-1]
}

func validTraceparent(s string) bool {
	if len(s) < traceparentLen || s[2] != '-' || s[parentIDAt-1] != '-' || s[flagsAt-1] != '-' {
		return false
	}
	version, traceID, parentID, flags := s[:2], s[traceIDAt:parentIDAt-1], s[parentIDAt:flagsAt-1], s[flagsAt:traceparentLen]
	if !isHex(version) || !isHex(traceID) || !isHex(parentID) || !isHex(flags) {
		return false
	}
	if isZero(traceID) || isZero(parentID) || version == "ff" {
		return false
	}
	// A later version may have more fields behind those that are known here.
	return len(s) == traceparentLen || version != "00" && s[traceparentLen] == '-'
}

// isHex says whether s is lower-case hexadecimal.
func isHex(s string) bool {
	for i := range len(s) {
		if b := s[i]; !isDigit(b) && (b < 'a' || b > 'f') {
			return false
		}
	}
	return true
}

func isZero(s string) bool {
	for i := range len(s) {
		if s[i] != '0' {
			return false
		}
	}
	return true
}
