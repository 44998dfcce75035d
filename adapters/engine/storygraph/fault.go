package storygraph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing that is wrong with a campaign file.
type Fault struct {
	File string
	// Line and Column count from 1; both are 0 where the fault is the file's
	// as a whole.
	Line, Column int
	// Path leads to the member, such as "scenes.hall.actions[0].goto".
	Path    string
	Message string
}

func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	b.WriteString(": ")
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Message)
	return b.String()
}

// LoadError holds every fault that [Load] found, ordered by file and place.
type LoadError struct {
	Faults []Fault
	// Left is how many more there were beyond the bound on Faults.
	Left int
}

func (e *LoadError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d fault(s)", len(e.Faults)+e.Left)
	for _, f := range e.Faults {
		b.WriteString("\n  " + f.String())
	}
	if e.Left > 0 {
		fmt.Fprintf(&b, "\n  and %d more", e.Left)
	}
	return b.String()
}

// faultLog collects the faults of one file.
type faultLog struct {
	file  string
	found []Fault
	left  int
}

func (l *faultLog) add(line, column int, path, format string, args ...any) {
	f := Fault{File: l.file, Line: line, Column: column, Path: path, Message: fmt.Sprintf(format, args...)}
	switch {
	case slices.Contains(l.found, f): // of a text, say, that is used twice
	case len(l.found) == maxFaults:
		l.left++
	default:
		l.found = append(l.found, f)
	}
}

// clean says that nothing has been found.
func (l *faultLog) clean() bool { return len(l.found) == 0 }

// loadError joins the faults of all files; nil where there are none.
func loadError(logs []*faultLog) error {
	var e LoadError
	for _, l := range logs {
		e.Faults = append(e.Faults, l.found...)
		e.Left += l.left
	}
	if len(e.Faults) == 0 {
		return nil
	}
	slices.SortStableFunc(e.Faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if over := len(e.Faults) - maxFaults; over > 0 {
		e.Faults, e.Left = e.Faults[:maxFaults], e.Left+over
	}
	return &e
}
