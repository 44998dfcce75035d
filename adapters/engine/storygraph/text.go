package storygraph

import (
	"slices"
	"strings"

	"github.com/go-faster/jx"
)

// template is a text with places for values, written {name}.
type template struct {
	// parts are texts and names in turn, beginning with a text.
	parts []string
}

// parseTemplate splits a text at its places. A brace that is no place makes
// it false.
func parseTemplate(text string) (template, bool) {
	var t template
	for {
		open := strings.IndexAny(text, "{}")
		if open < 0 {
			t.parts = append(t.parts, text)
			return t, true
		}
		end := strings.IndexByte(text[open:], '}')
		if text[open] == '}' || end < 0 {
			return template{}, false
		}
		name := text[open+1 : open+end]
		if !isIdentifier(name) {
			return template{}, false
		}
		t.parts = append(t.parts, text[:open], name)
		text = text[open+end+1:]
	}
}

// names are the names of the places, sorted, each once.
func (t template) names() []string {
	var names []string
	for i := 1; i < len(t.parts); i += 2 {
		names = append(names, t.parts[i])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// render fills in the variables.
func (t template) render(s *state) string {
	if len(t.parts) == 1 {
		return t.parts[0]
	}
	w := jx.GetWriter()
	defer jx.PutWriter(w)
	for i, part := range t.parts {
		if i%2 == 0 {
			w.RawStr(part)
			continue
		}
		if v := s.vars[s.campaign.slots[part]].value; v.kind == stringKind {
			w.RawStr(v.s)
		} else {
			v.encode(w)
		}
	}
	return w.String()
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isIdentifier: a variable, parameter or place: a_b2.
func isIdentifier(s string) bool { return isName(s, 64, "_") }

// isID: a campaign, scene, action or achievement: a-b_2.
func isID(s string) bool { return isName(s, 64, "_-") }

// isKey: a string key: a.b-c_2.
func isKey(s string) bool { return isName(s, 128, "_-.") }

// isLocale: a language tag: de, pt-BR.
func isLocale(s string) bool {
	return isName(strings.ToLower(s), 32, "-")
}

func isName(s string, longest int, also string) bool {
	if s == "" || len(s) > longest || !isLower(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLower(c) && !isDigit(c) && strings.IndexByte(also, c) < 0 {
			return false
		}
	}
	return true
}
