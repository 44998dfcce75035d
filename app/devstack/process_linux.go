package devstack

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// process is a row of the process table; state is T for a stopped and Z for a
// dead one that its parent has not collected.
type process struct {
	pid, parent int
	state       byte
}

// processes reads /proc; slim containers have no ps.
func processes() ([]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var all []process
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if p, ok := lookUp(pid); ok {
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// lookUp returns false if there is no such process.
func lookUp(pid int) (process, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	// pid (name) state parent …; the name may hold spaces and brackets.
	p := process{pid: pid}
	_, err = fmt.Sscanf(string(b[bytes.LastIndexByte(b, ')')+1:]), " %c %d", &p.state, &p.parent)
	return p, err == nil
}

// commandLine is that of a process, empty if there is none.
func commandLine(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.ReplaceAll(string(b), "\x00", " ")
}
