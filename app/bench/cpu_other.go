//go:build !linux

package bench

import "time"

// cpuTime is not known on this system.
func cpuTime(int, bool) time.Duration { return 0 }
