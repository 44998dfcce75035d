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

// Offset is a clock that runs ahead of another one, or behind it.
type Offset struct {
	Of Clock
	By time.Duration
}

// Now returns the other clock's instant, moved.
func (o Offset) Now() time.Time { return o.Of.Now().Add(o.By) }
