// Package id is the port of identity.
package id

import (
	"fmt"
	"sync/atomic"
)

// Source mints ids: 32 lower-case hexadecimal digits that name a session, a
// save or a game. Random sources use 128 bits of randomness, because a
// session's id is all that a caller needs to play it.
type Source interface {
	Next() string
}

// Counting mints 1, 2, 3 …, for the replay profile and tests. The zero value
// is ready.
type Counting struct{ n atomic.Uint64 }

// Next returns the next number as an id.
func (c *Counting) Next() string { return fmt.Sprintf("%032x", c.n.Add(1)) }
