// Package clock is the port of time. The core never reads the machine's
// clock itself; what expires is decided by the store's clock, so this one
// only dates records and paces work.
package clock

import "time"

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// Fixed is a clock that stands still, for the replay profile and tests.
type Fixed time.Time

// Now returns the instant that the clock stands at.
func (f Fixed) Now() time.Time { return time.Time(f) }
