package storygraph

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// maxProblems is how many wrong parameters a verdict names.
const maxProblems = 16

// readParams checks the parameters of a move against those of its action, and
// returns the values in the action's order. Every wrong one is a problem; a
// name that the action does not have is not repeated.
func (a *action) readParams(given map[string]engine.Value) ([]value, []engine.Problem) {
	var problems []engine.Problem
	wrong := func(path string) {
		if len(problems) < maxProblems {
			problems = append(problems, refuse(engine.ReasonInvalidParams, path)...)
		}
	}
	known := 0
	values := make([]value, len(a.params))
	for i, p := range a.params {
		g, ok := given[p.name]
		if ok {
			known++
		}
		switch {
		case !ok && !p.required:
			values[i] = p.otherwise
			continue
		case ok:
			values[i], ok = p.read(g)
		}
		if !ok {
			wrong("params." + p.name)
		}
	}
	if known < len(given) {
		wrong("params")
	}
	return values, problems
}

// read takes a value for the parameter; false where it is of another type,
// out of bounds, none of the choices, or an integer that is not exact.
func (p *param) read(given engine.Value) (value, bool) {
	var v value
	switch g := given.(type) {
	case bool:
		v = booleanValue(g)
	case string:
		v = stringValue(g)
	case json.Number:
		if !json.Valid([]byte(g)) {
			return value{}, false
		}
		if p.kind == integerKind {
			i, err := strconv.ParseInt(string(g), 10, 64)
			var ok bool
			if v, ok = exact(i); err != nil || !ok {
				return value{}, false
			}
			break
		}
		f, err := strconv.ParseFloat(string(g), 64)
		inexact := math.Abs(f) > maxInteger && !strings.ContainsAny(string(g), ".eE")
		if err != nil || inexact {
			return value{}, false
		}
		v = numberValue(f)
	}
	if v.kind != p.kind || !v.sound() || !p.bounds.hold(v) {
		return value{}, false
	}
	return v, len(p.choices) == 0 || slices.Contains(p.choices, v)
}
