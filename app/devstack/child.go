package devstack

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// account is the user that servers run as when this process is root.
type account struct {
	name     string
	uid, gid uint32
}

// command is a program to run under the watchdog.
type command struct {
	path  string
	args  []string
	dir   string
	stdin string
	out   *os.File // standard output and error
}

// wait gives a condition up to limit to become true.
func wait(limit time.Duration, cond func() bool) bool {
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		if cond() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// tail is the end of a server's log, for an error's text.
func tail(log string) string {
	b, err := os.ReadFile(log)
	if err != nil {
		return err.Error()
	}
	return lastLines(string(b))
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}

// errFailed is a program's failure with the end of what it printed.
func errFailed(what string, err error, log string) error {
	return fmt.Errorf("%s: %w; its log ends with:\n%s", what, err, tail(log))
}
