package id

import (
	"crypto/sha256"
	"encoding/hex"
)

// Short is a short hash of an id, for logs: whoever knows a session's id can
// play it, so the id itself is never logged.
func Short(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}
