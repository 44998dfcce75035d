package devstack

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// process is a row of the process table; state is T for a stopped and Z for a
// dead one that its parent has not collected.
type process struct {
	pid, parent int
	state       byte
}

func processes() ([]process, error) {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,state=").Output()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var all []process
	for line := range strings.Lines(string(out)) {
		if p, ok := parseRow(line); ok {
			all = append(all, p)
		}
	}
	return all, nil
}

// lookUp returns false if there is no such process.
func lookUp(pid int) (process, bool) {
	out, _ := exec.Command("ps", "-o", "pid=,ppid=,state=", "-p", strconv.Itoa(pid)).Output()
	return parseRow(string(out))
}

func parseRow(row string) (p process, ok bool) {
	_, err := fmt.Sscanf(row, "%d %d %c", &p.pid, &p.parent, &p.state)
	return p, err == nil
}

// commandLine is that of a process, empty if there is none.
func commandLine(pid int) string {
	out, _ := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return strings.TrimSpace(string(out))
}
