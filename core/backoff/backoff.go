// Package backoff is the one formula of delays between attempts.
package backoff

import "time"

// Delay is how long to wait after the n-th failure in a row, n from 1:
// min(limit, base · 2^(n-1)).
func Delay(n int, base, limit time.Duration) time.Duration {
	d := base
	for i := 1; i < n && d < limit; i++ {
		d *= 2
	}
	return min(d, limit)
}
