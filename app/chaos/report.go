package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"text/tabwriter"
)

// outcome is what an operation came to.
type outcome string

const (
	ok          outcome = "ok"
	rejected    outcome = "rejected"    // the game's rules said no
	refused     outcome = "refused"     // 409: nothing was done
	maybe       outcome = "maybe"       // 503, time-out, connection lost
	unreachable outcome = "unreachable" // never sent
	wrong       outcome = "wrong"       // an answer that must not be
)

var outcomes = []outcome{ok, rejected, refused, maybe, unreachable, wrong}

// maxViolations bounds what a report keeps; the rest is counted.
const maxViolations = 20

// report collects what a run did and found. Its methods may be called from
// several goroutines; rounds is the main one's.
type report struct {
	settings
	rounds int

	mu         sync.Mutex
	operations map[string]map[outcome]int
	faults     map[string]int
	violations []string
	more       int // violations that were not kept
	checked    int // sessions whose history was checked
	saves      int // saves that were loaded and found right
}

func newReport(s settings) *report {
	return &report{settings: s, operations: map[string]map[outcome]int{}, faults: map[string]int{}}
}

// violate notes something that must not be.
func (r *report) violate(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.violations) == maxViolations {
		r.more++
		return
	}
	r.violations = append(r.violations, fmt.Sprintf(format, args...))
}

func (r *report) operation(kind string, o outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.operations[kind] == nil {
		r.operations[kind] = map[outcome]int{}
	}
	r.operations[kind][o]++
}

func (r *report) fault(kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[kind]++
}

func (r *report) sound(sessions, saves int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.checked += sessions
	r.saves += saves
}

func (r *report) passed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.violations) == 0
}

// count is how many operations of all kinds came to an outcome.
func (r *report) count(o outcome) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, counts := range r.operations {
		n += counts[o]
	}
	return n
}

func (r *report) summary() string {
	return fmt.Sprintf("%d operations ok, %d refused, %d maybe; %d faults; %d sessions checked; %d violations",
		r.count(ok), r.count(refused), r.count(maybe), total(r.faults), r.checked, len(r.violations)+r.more)
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// print writes the whole report. The run is over by then.
func (r *report) print(to io.Writer) {
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	header := "\noperation"
	for _, o := range outcomes {
		header += "\t" + string(o)
	}
	_, _ = fmt.Fprintln(t, header)
	for _, kind := range slices.Sorted(maps.Keys(r.operations)) {
		row := kind
		for _, o := range outcomes {
			row += fmt.Sprintf("\t%d", r.operations[kind][o])
		}
		_, _ = fmt.Fprintln(t, row)
	}
	_ = t.Flush()
	_, _ = fmt.Fprintln(t, "\nfault\tcount")
	for _, kind := range slices.Sorted(maps.Keys(r.faults)) {
		_, _ = fmt.Fprintf(t, "%s\t%d\n", kind, r.faults[kind])
	}
	_ = t.Flush()
	_, _ = fmt.Fprintf(to, "\n%d rounds; %d sessions and %d saves checked.\n", r.rounds, r.checked, r.saves)
	for _, v := range r.violations {
		_, _ = fmt.Fprintf(to, "\nVIOLATION (seed %d, round %d): %s\n", r.seed, r.rounds, v)
	}
	if r.more > 0 {
		_, _ = fmt.Fprintf(to, "\n… and %d more.\n", r.more)
	}
	_, _ = fmt.Fprintf(to, "\nverdict: %s\n", r.verdict())
}

func (r *report) verdict() string {
	switch {
	case r.mutant != "" && r.passed():
		return fmt.Sprintf("mutant %s SURVIVED (seed %d)", r.mutant, r.seed)
	case r.mutant != "":
		return fmt.Sprintf("mutant %s was caught (seed %d)", r.mutant, r.seed)
	case r.passed():
		return fmt.Sprintf("everything held (seed %d)", r.seed)
	}
	return fmt.Sprintf("VIOLATED; -seed %d -instances %d replays the schedule of faults", r.seed, r.instances)
}
