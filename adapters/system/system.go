// Package system implements the ports of time and identity with what the
// operating system gives: its clock and its randomness.
package system

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/holdfast-dev/holdfast/core/clock"
	"github.com/holdfast-dev/holdfast/core/id"
)

var (
	_ clock.Clock = Clock{}
	_ id.Source   = IDs{}
)

// Clock is the machine's clock.
type Clock struct{}

// Now returns the current instant in UTC.
func (Clock) Now() time.Time { return time.Now().UTC() }

// IDs mints random ids. It is safe for concurrent use.
type IDs struct{}

// Next returns 128 bits of the system's cryptographic randomness as 32
// lower-case hexadecimal digits. Without randomness the process ends (see
// [rand.Read]): no id is better than one that can be guessed.
func (IDs) Next() string {
	var b [16]byte
	// Read never returns an error.
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
