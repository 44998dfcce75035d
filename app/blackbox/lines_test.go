package blackbox

import (
	"bufio"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds every wait for something that must come. Nothing is
// asserted of how fast it comes.
const patience = 60 * time.Second

// output collects the lines of a process's output and wakes who waits for one.
type output struct {
	mu      sync.Mutex
	lines   []string
	ended   bool
	changed chan struct{} // closed at each change
}

func newOutput() *output { return &output{changed: make(chan struct{})} }

// read collects until the output ends.
func (o *output) read(from io.Reader) {
	r := bufio.NewReader(from)
	for {
		line, err := r.ReadString('\n')
		o.mu.Lock()
		if line != "" {
			o.lines = append(o.lines, strings.TrimSuffix(line, "\n"))
		}
		o.ended = err != nil
		close(o.changed)
		o.changed = make(chan struct{})
		o.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// all are the lines up to now.
func (o *output) all() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.lines...)
}

// await returns the first line from the given one on that is wanted, and the
// number of the line after it.
func (o *output) await(t testing.TB, what string, from int, wanted func(string) bool) (string, int) {
	t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		o.mu.Lock()
		lines, ended, changed := o.lines, o.ended, o.changed
		o.mu.Unlock()
		for ; from < len(lines); from++ {
			if wanted(lines[from]) {
				return lines[from], from + 1
			}
		}
		if ended {
			t.Fatalf("the output ended before %s:\n%s", what, strings.Join(lines, "\n"))
		}
		select {
		case <-changed:
		case <-timeout.C:
			t.Fatalf("no %s in:\n%s", what, strings.Join(lines, "\n"))
		}
	}
}

// eventually waits for something that gives no sign when it happens.
func eventually(t testing.TB, what string, happened func() bool) {
	t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for !happened() {
		select {
		case <-look.C:
		case <-timeout.C:
			t.Fatalf("never came: %s", what)
		}
	}
}
