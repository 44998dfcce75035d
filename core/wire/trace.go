package wire

// Child is the traceparent for a call that a request leads to: the same trace
// under the caller's own span (W3C Trace Context, section 4.3). It takes the
// request's traceparent, what [Correlation] made of it, and the id of the
// span, 16 lower-case hexadecimal digits that are not all zero. The request's
// flags go along if its traceparent is valid; else the trace is new and not
// sampled.
func Child(traceparent, correlation, span string) string {
	flags := byte('0')
	if validTraceparent(traceparent) {
		flags = knownFlags(traceparent[flagsAt+1])
	}
	return "00-" + correlation + "-" + span + "-0" + string(flags)
}

// knownFlags keeps of a hexadecimal digit the two flags that the standard
// defines, sampled and random; the others must be passed on as zero.
func knownFlags(digit byte) byte {
	if !isDigit(digit) {
		digit -= 'a' - 10
	}
	return '0' + digit&3
}
