package storygraph

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
)

// seedText is what a blob keeps of the seed: its SHA-256 in hexadecimal, which
// has one length whatever the seed is.
func seedText(seed string) string {
	sum := sha256.Sum256([]byte(seed))
	return hex.EncodeToString(sum[:])
}

// draw gives an integer in [0, n) and moves the counter of draws on. Draw
// number c takes u, the first 8 bytes, big-endian, of SHA-256 over the 64
// characters of the seed text and c as 8 bytes, big-endian; the result is the
// upper half of the 128-bit product of u and n. With n of a thousand at most,
// no result is likelier than another by more than 1 in 2^54.
func (s *state) draw(n int64) int64 {
	var block [sha256.Size*2 + 8]byte
	copy(block[:], s.seed)
	binary.BigEndian.PutUint64(block[sha256.Size*2:], uint64(s.draws))
	s.draws = min(s.draws+1, maxInteger)
	sum := sha256.Sum256(block[:])
	high, _ := bits.Mul64(binary.BigEndian.Uint64(sum[:8]), uint64(n))
	return int64(high)
}
