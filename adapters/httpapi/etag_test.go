package httpapi

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/api/public"
	"github.com/holdfast-dev/holdfast/core/session"
)

func TestEntityTags(t *testing.T) {
	for list, want := range map[string][]string{
		`"a"`:             {"a"},
		`"a","b"`:         {"a", "b"},
		"\"a\" ,\t\"b\" ": {"a", "b"},
		`"a,b"`:           {"a,b"},
		`,"a",, "b",`:     {"a", "b"},
		`""`:              {""},
		`W/"a"`:           {},
		`W/"a", "b"`:      {"b"},
	} {
		if got, ok := entityTags(list); !ok || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v", list, got, ok)
		}
	}
	for _, list := range []string{``, `,`, `a`, `"a`, `a"`, `"a" "b"`, `"a"b`, `"a b"`, `'a'`, `w/"a"`, `W/ "a"`, `W/a`, `*, "a"`, `"a", *`} {
		if got, ok := entityTags(list); ok {
			t.Errorf("%s: got %q, want a refusal", list, got)
		}
	}
}

// A tag names a state in the one form in which it was given out.
func TestTagsHaveOneForm(t *testing.T) {
	const id = "0a6f4d0c5b7e4f7d9a3c2e1b8d6f5a4c"
	given := etag(id, 11).Value
	if want := session.AnyOf(11); !names(t, id, given, want) {
		t.Errorf("%s does not name the version that it was given for", given)
	}
	checksum, _, _ := strings.Cut(given, "-")
	for _, tag := range []string{checksum + `-+b"`, checksum + `-0b"`, checksum + `-B"`, checksum + `-"`, checksum + `"`, "W/" + given} {
		if !names(t, id, tag, session.AnyOf()) {
			t.Errorf("%s names a version", tag)
		}
	}
	if !names(t, "another", given, session.AnyOf()) {
		t.Errorf("%s names a version of another session", given)
	}
}

func names(t *testing.T, id, tag string, want session.Precondition) bool {
	t.Helper()
	got, err := precondition(id, public.NewOptString(tag))
	if err != nil {
		t.Fatalf("%s: %v", tag, err)
	}
	return reflect.DeepEqual(got, want)
}
