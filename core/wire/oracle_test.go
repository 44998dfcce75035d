package wire_test

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/holdfast-dev/holdfast/core/wire"
)

var (
	escapedBackslash = regexp.MustCompile(`\\\\`)
	surrogatePair    = regexp.MustCompile(`\\u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)
	surrogate        = regexp.MustCompile(`\\u[dD][89a-fA-F]`)
)

// acceptable decides with encoding/json, and nothing of the package under
// test, what Check must accept at the default limits.
func acceptable(body []byte) bool {
	if len(body) > wire.DefaultSize || !json.Valid(body) || !utf8.Valid(body) {
		return false
	}
	rest := escapedBackslash.ReplaceAll(body, []byte("  "))
	if surrogate.Match(surrogatePair.ReplaceAll(rest, []byte(" "))) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var open []map[string]bool // the names of each open container; nil for an array
	isName := false
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return true
		}
		if err != nil {
			return false
		}
		inObject := len(open) > 0 && open[len(open)-1] != nil
		switch tok := tok.(type) {
		case json.Delim:
			switch tok {
			case '{':
				open, isName = append(open, map[string]bool{}), true
			case '[':
				open, isName = append(open, nil), false
			default:
				open = open[:len(open)-1]
				isName = len(open) > 0 && open[len(open)-1] != nil
			}
			if len(open) > wire.DefaultDepth {
				return false
			}
			continue
		case string:
			if strings.ContainsRune(tok, 0) {
				return false
			}
			if isName {
				if open[len(open)-1][tok] {
					return false
				}
				open[len(open)-1][tok] = true
				isName = false
				continue
			}
		case json.Number:
			v, err := strconv.ParseFloat(tok.String(), 64)
			mantissa, _, _ := strings.Cut(strings.ToLower(tok.String()), "e")
			if err != nil || len(tok) > wire.MaxNumber || v == 0 && strings.ContainsAny(mantissa, "123456789") {
				return false
			}
		}
		isName = inObject
	}
}

var reasons = []string{
	wire.ReasonSize, wire.ReasonDepth, wire.ReasonSyntax, wire.ReasonTrailing, wire.ReasonUTF8,
	wire.ReasonNUL, wire.ReasonSurrogate, wire.ReasonDuplicate, wire.ReasonNumber,
}

var headerSafe = regexp.MustCompile(`^(/[!-~]*)? [a-z0-9]+$`)

// agree compares Check with the oracle, and looks at the form of its fault.
func agree(t tester, body []byte) {
	t.Helper()
	fault := at(t, string(body), wire.Limits{})
	if want := acceptable(body); want != (fault == "") {
		t.Fatalf("fault at %q for %q, acceptable: %t", fault, body, want)
	}
	if fault == "" {
		return
	}
	pointer, reason, _ := strings.Cut(fault, " ")
	if !headerSafe.MatchString(fault) || len(pointer) > wire.MaxPointer || !slices.Contains(reasons, reason) {
		t.Fatalf("fault at %q is not in form, for %q", fault, body)
	}
	if (reason == wire.ReasonSyntax || reason == wire.ReasonTrailing) && json.Valid(body) {
		t.Fatalf("fault at %q in valid JSON %q", fault, body)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(sampleBody())
	f.Fuzz(func(t *testing.T, body []byte) { agree(t, body) })
}
