package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of the kernel's CPU times: USER_HZ, which is 100 on every
// architecture that Go runs on.
const tick = 10 * time.Millisecond

// cpuTime is the CPU time that a process has used; with its children, that of
// the live ones and of those that it has waited for too. It is 0 for a
// process that has gone.
func cpuTime(pid int, withChildren bool) time.Duration {
	own, gone, _ := readStat(pid)
	if !withChildren {
		return own
	}
	for {
		total := own + gone + childrenTime(pid)
		// A child that ended between the two looks would be missing.
		before := gone
		if own, gone, _ = readStat(pid); gone == before {
			return total
		}
	}
}

func childrenTime(pid int) (total time.Duration) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is sound
	for _, path := range stats {
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			continue
		}
		if used, _, parent := readStat(child); parent == pid {
			total += used
		}
	}
	return total
}

// readStat reads what a process has used itself, what its children had that
// it waited for, and its parent (proc(5), /proc/pid/stat).
func readStat(pid int) (own, children time.Duration, parent int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, 0
	}
	// The name in parentheses may hold anything, so fields are counted after it.
	_, rest, _ := strings.Cut(string(b[strings.LastIndexByte(string(b), ')'):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 15 {
		return 0, 0, 0
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(fields[i]) // the kernel writes numbers
		return n
	}
	ticks := func(n int) time.Duration { return time.Duration(n) * tick }
	return ticks(number(11) + number(12)), ticks(number(13) + number(14)), number(1)
}
