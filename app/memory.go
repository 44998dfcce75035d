package app

import "runtime/debug"

// gcPercent lets the heap grow to five times what is live before it is
// collected. What is live is small, a few megabytes for thousands of
// requests, and collecting it at every doubling takes an eighth of the
// process's time.
const gcPercent = 400

// TuneMemory sets how eagerly garbage is collected, unless GOGC says so.
func TuneMemory() {
	if before := debug.SetGCPercent(gcPercent); before != 100 {
		debug.SetGCPercent(before)
	}
}
