package wire_test

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/holdfast-dev/holdfast/core/wire"
)

func TestAppendPointer(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, tc := range []struct {
		members []string
		want    string
	}{
		{nil, ""},
		{[]string{"params", "key"}, "/params/key"},
		{[]string{""}, "/"},
		{[]string{"a/b", "m~n", "~1"}, "/a~1b/m~0n/~01"},
		{[]string{"a b%41\r\nx-evil: 1"}, "/a%20b%2541%0D%0Ax-evil:%201"},
		{[]string{"é", "\xff", "\x7f"}, "/%C3%A9/%FF/%7F"},
		{[]string{long}, "/" + long[:196] + "..."},
		{[]string{long, "more", "~"}, "/" + long[:196] + "..."},
		{[]string{long[:196], "b"}, "/" + long[:196] + "..."},
		{[]string{long[:195], "b"}, "/" + long[:195] + "/..."},
		{[]string{long[:194] + "é"}, "/" + long[:194] + "..."},
		{[]string{long[:195] + "~"}, "/" + long[:195] + "..."},
	} {
		var got []byte
		for _, m := range tc.members {
			got = wire.AppendPointer(got, m)
		}
		if string(got) != tc.want {
			t.Errorf("%q: %s, want %s", tc.members, got, tc.want)
		}
	}
}

// TestAppendPointerIsUndone reads a pointer back by the two standards that it
// is written by.
func TestAppendPointerIsUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.SliceOfN(rapid.StringN(-1, -1, 15), 0, 4).Draw(t, "members")
		var pointer []byte
		for _, m := range members {
			pointer = wire.AppendPointer(pointer, m)
		}
		for _, b := range pointer {
			if b <= ' ' || b > '~' {
				t.Fatalf("%q is not safe in a header", pointer)
			}
		}
		plain, err := url.PathUnescape(string(pointer))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, token := range strings.Split(plain, "/")[1:] {
			got = append(got, strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
		}
		if len(got) != len(members) || strings.Join(got, "\x00") != strings.Join(members, "\x00") {
			t.Fatalf("%q reads back as %q, want %q", pointer, got, members)
		}
	})
}
