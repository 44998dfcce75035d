package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// tester is what a test, a fuzz target and a rapid property have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// at is where Check finds the fault: "" for none, else pointer and reason.
func at(t tester, body string, l wire.Limits) string {
	t.Helper()
	err := wire.Check([]byte(body), l)
	if err == nil {
		return ""
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != fault.MalformedPayload || f.Cause != nil {
		t.Fatalf("Check returned %#v, want a bare malformed_payload", err)
	}
	return f.At
}

func TestCheck(t *testing.T) {
	object := wire.Limits{Object: true}
	for _, tc := range []struct {
		name, body string
		limits     wire.Limits
		want       string
	}{
		{"object", `{"a":1,"b":[true,false,null],"c":{"d":"e"}}`, object, ""},
		{"white space of all four kinds", " \t\r\n{ \"a\"\t:\n1 ,\r\"b\" : [ 1 , 2 ] } \n", object, ""},
		{"empty object", `{}`, object, ""},
		{"empty array", `[ ]`, wire.Limits{}, ""},
		{"scalar", `"x"`, wire.Limits{}, ""},
		{"empty name", `{"":{"":1}}`, object, ""},
		{"names that differ in case", `{"a":1,"A":2}`, object, ""},
		{"one name in two objects", `{"a":{"x":1},"b":{"x":1},"x":[{"x":1},{"x":2}]}`, object, ""},
		{"all escapes", `["\"\\\/\b\f\n\r\t\u00e9\uABCD\uabcd"]`, wire.Limits{}, ""},
		{"all planes raw", `["é€𝄞` + "\x7f\u2028\uffff" + `"]`, wire.Limits{}, ""},

		{"empty", ``, wire.Limits{}, " syntax"},
		{"white space alone", " \n", wire.Limits{}, " syntax"},
		{"byte order mark", "\ufeff{}", wire.Limits{}, " syntax"},
		{"second value", `{} {}`, wire.Limits{}, " trailing"},
		{"trailing comma behind the value", `{},`, wire.Limits{}, " trailing"},
		{"trailing NUL", "{}\x00", wire.Limits{}, " trailing"},
		{"array where an object must be", `[]`, object, " type"},
		{"null where an object must be", ` null`, object, " type"},
		{"nothing where an object must be", ``, object, " syntax"},
		{"garbage where an object must be", `x`, object, " syntax"},

		{"cut in an object", `{`, wire.Limits{}, " syntax"},
		{"cut behind a name", `{"a"`, wire.Limits{}, "/a syntax"},
		{"cut behind a colon", `{"a":`, wire.Limits{}, "/a syntax"},
		{"cut in an array", `{"a":[1,`, wire.Limits{}, "/a/1 syntax"},
		{"cut in a string", `{"a":["b`, wire.Limits{}, "/a/0 syntax"},
		{"cut in an escape", `"\`, wire.Limits{}, " syntax"},
		{"cut in hex digits", `"\u12`, wire.Limits{}, " syntax"},
		{"cut in a literal", `[tru`, wire.Limits{}, "/0 syntax"},
		{"comma at the end of an object", `{"a":1,}`, wire.Limits{}, " syntax"},
		{"comma at the end of an array", `[1,]`, wire.Limits{}, "/1 syntax"},
		{"comma alone", `[,]`, wire.Limits{}, "/0 syntax"},
		{"no comma", `[1 2]`, wire.Limits{}, " syntax"},
		{"no colon", `{"a" 1}`, wire.Limits{}, "/a syntax"},
		{"wrong bracket", `{"a":[1}`, wire.Limits{}, "/a syntax"},
		{"name that is no string", `{a:1}`, wire.Limits{}, " syntax"},
		{"apostrophes", `{'a':1}`, wire.Limits{}, " syntax"},
		{"comment", `{/**/}`, wire.Limits{}, " syntax"},
		{"literal in capitals", `[True]`, wire.Limits{}, "/0 syntax"},
		{"literal and more", `[nulls]`, wire.Limits{}, " syntax"},
		{"NaN", `[NaN]`, wire.Limits{}, "/0 syntax"},
		{"unknown escape", `["\x41"]`, wire.Limits{}, "/0 syntax"},
		{"escape in capitals", `["\U0041"]`, wire.Limits{}, "/0 syntax"},
		{"hex digit out of range", `["\u00g0"]`, wire.Limits{}, "/0 syntax"},
		{"raw line break in a string", "[\"a\nb\"]", wire.Limits{}, "/0 syntax"},
		{"raw tab in a name", "{\"a\tb\":1}", wire.Limits{}, " syntax"},
		{"form feed as white space", "[\f]", wire.Limits{}, "/0 syntax"},
		{"no-break space as white space", "[\u00a01]", wire.Limits{}, "/0 syntax"},

		{"escaped NUL", `{"a":["x","\u0000"]}`, wire.Limits{}, "/a/1 nul"},
		{"escaped NUL in a name", `{"a":{"b\u0000":1}}`, wire.Limits{}, "/a nul"},
		{"raw NUL in a string", "{\"a\":\"\x00\"}", wire.Limits{}, "/a nul"},
		{"raw NUL in a name", "{\"\x00\":1}", wire.Limits{}, " nul"},
		{"raw NUL between values", "[1,\x00 2]", wire.Limits{}, "/1 nul"},
		{"raw NUL alone", "\x00", wire.Limits{}, " nul"},
		{"escaped backslash before u0000", `["\\u0000"]`, wire.Limits{}, ""},

		{"surrogate pair", `["\ud834\udd1e","\uDBFF\uDFFF"]`, wire.Limits{}, ""},
		{"neighbours of the surrogates", `["\ud7ff\ue000"]`, wire.Limits{}, ""},
		{"high surrogate alone", `["\ud800"]`, wire.Limits{}, "/0 surrogate"},
		{"high surrogate and text", `["\udbffabcdef"]`, wire.Limits{}, "/0 surrogate"},
		{"high surrogate and another escape", `["\ud800\n12345"]`, wire.Limits{}, "/0 surrogate"},
		{"two high surrogates", `["\ud800\ud800"]`, wire.Limits{}, "/0 surrogate"},
		{"low surrogate alone", `["\udc00"]`, wire.Limits{}, "/0 surrogate"},
		{"pair the wrong way round", `["\udd1e\ud834"]`, wire.Limits{}, "/0 surrogate"},
		{"lone surrogate in a name", `{"a":1,"\udfff":2}`, wire.Limits{}, " surrogate"},
		{"raw surrogate", "[\"\xed\xa0\x80\"]", wire.Limits{}, "/0 utf8"},

		{"stray continuation byte", "[\"\x80\"]", wire.Limits{}, "/0 utf8"},
		{"overlong form", "[\"\xc0\x80\"]", wire.Limits{}, "/0 utf8"},
		{"beyond U+10FFFF", "[\"\xf4\x90\x80\x80\"]", wire.Limits{}, "/0 utf8"},
		{"sequence cut by the quote", "[\"\xe2\x82\"]", wire.Limits{}, "/0 utf8"},
		{"sequence cut by the end", "\"\xf0\x9d\x84", wire.Limits{}, " utf8"},
		{"invalid in a name", "{\"\xff\":1}", wire.Limits{}, " utf8"},
		{"invalid outside strings", "{\"a\":\xff}", wire.Limits{}, "/a utf8"},
		{"replacement character as such", `["` + "\ufffd" + `"]`, wire.Limits{}, ""},

		{"duplicate", `{"a":1,"b":2,"a":3}`, wire.Limits{}, "/a duplicate"},
		{"duplicate with another value type", `{"a":{"b":{},"b":[]}}`, wire.Limits{}, "/a/b duplicate"},
		{"duplicate by an escape", `{"ab":1,"\u0061\u0062":2}`, wire.Limits{}, "/ab duplicate"},
		{"duplicate by two escapes", `{"\/":1,"\u002F":2}`, wire.Limits{}, "/~1 duplicate"},
		{"duplicate beyond the first plane", `{"𝄞":1,"\ud834\uDD1E":2}`, wire.Limits{}, "/%F0%9D%84%9E duplicate"},
		{"duplicate control characters", `{"\b\f\n\r\t":1,"\u0008\u000c\u000a\u000d\u0009":2}`, wire.Limits{}, "/%08%0C%0A%0D%09 duplicate"},
		{"duplicate behind a nested object", `{"a":{"b":{"c":1}},"a":1}`, wire.Limits{}, "/a duplicate"},
		{"duplicate empty name", `[{"":1,"":2}]`, wire.Limits{}, "/0/ duplicate"},
		{"names that only look escaped", `{"a":1,"\\u0061":2}`, wire.Limits{}, ""},

		{"integers", `[0,-0,1,-1,10,9007199254740993,18446744073709551615]`, wire.Limits{}, ""},
		{"decimals", `[0.0,-0.5,1.25e2,1E+2,1e-2,0e0,1e05]`, wire.Limits{}, ""},
		{"ends of a double's range", `[1.7976931348623157e308,-1.7976931348623157E+308,5e-324,2.2250738585072014e-308]`, wire.Limits{}, ""},
		{"zero with a wild exponent", `[0e999,-0.00E-99999]`, wire.Limits{}, ""},
		{"64 bytes", `[` + strings.Repeat("9", 64) + `]`, wire.Limits{}, ""},
		{"65 bytes", `[` + strings.Repeat("9", 65) + `]`, wire.Limits{}, "/0 number"},
		{"400 digits", `{"seed":` + strings.Repeat("1", 400) + `}`, wire.Limits{}, "/seed number"},
		{"400 decimals", `{"seed":0.` + strings.Repeat("1", 400) + `}`, wire.Limits{}, "/seed number"},
		{"400 digits of exponent", `{"seed":0e` + strings.Repeat("1", 400) + `}`, wire.Limits{}, "/seed number"},
		{"overflow", `[1,1e999]`, wire.Limits{}, "/1 number"},
		{"overflow by a little", `[1.7976931348623159e308]`, wire.Limits{}, "/0 number"},
		{"overflow by leading digits", `[1000000000e300]`, wire.Limits{}, "/0 number"},
		{"negative overflow", `[-1e400]`, wire.Limits{}, "/0 number"},
		{"underflow", `[1e-999]`, wire.Limits{}, "/0 number"},
		{"leading zero", `[01]`, wire.Limits{}, "/0 syntax"},
		{"leading zero behind the sign", `[-00]`, wire.Limits{}, "/0 syntax"},
		{"plus", `[+1]`, wire.Limits{}, "/0 syntax"},
		{"sign alone", `[-]`, wire.Limits{}, "/0 syntax"},
		{"point without digits", `[1.]`, wire.Limits{}, "/0 syntax"},
		{"point first", `[.5]`, wire.Limits{}, "/0 syntax"},
		{"exponent without digits", `[1e+]`, wire.Limits{}, "/0 syntax"},
		{"hexadecimal", `[0x10]`, wire.Limits{}, " syntax"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := at(t, tc.body, tc.limits); got != tc.want {
				t.Errorf("fault at %q, want %q", got, tc.want)
			}
		})
	}
}

func TestCheckSize(t *testing.T) {
	filled := func(n int) string { return `"` + strings.Repeat("x", n-2) + `"` }
	for _, tc := range []struct {
		limit, size int
		want        string
	}{
		{0, 1 << 20, ""},
		{0, 1<<20 + 1, " size"},
		{100, 100, ""},
		{100, 101, " size"},
		{2 << 20, 2 << 20, ""},
	} {
		if got := at(t, filled(tc.size), wire.Limits{Size: tc.limit}); got != tc.want {
			t.Errorf("%d bytes at a limit of %d: fault at %q, want %q", tc.size, tc.limit, got, tc.want)
		}
	}
}

func TestCheckDepth(t *testing.T) {
	arrays := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	objects := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for _, tc := range []struct {
		name, body string
		limit      int
		want       string
	}{
		{"64 arrays", arrays(64), 0, ""},
		{"65 arrays", arrays(65), 0, strings.Repeat("/0", 64) + " depth"},
		{"64 objects", objects(64), 0, ""},
		{"65 objects", objects(65), 0, strings.Repeat("/a", 64) + " depth"},
		{"objects and arrays", `[{"a":[{"b":[]}]}]`, 4, "/0/a/0/b depth"},
		{"siblings do not add up", `[[],[],[[]],{},{"a":[]}]`, 3, ""},
		{"a limit above the default", arrays(200), 200, ""},
		{"just above it", arrays(201), 200, ""},
		{"1 MiB of opening brackets", strings.Repeat("[", 1<<20), 0, strings.Repeat("/0", 64) + " depth"},
		{"1 MiB of opening objects", strings.Repeat(`{"":`, 1<<18), 0, strings.Repeat("/", 64) + " depth"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := tc.want
			if tc.name == "just above it" {
				want = strings.Repeat("/0", 98) + "/... depth"
			}
			if got := at(t, tc.body, wire.Limits{Depth: tc.limit}); got != want {
				t.Errorf("fault at %q, want %q", got, want)
			}
		})
	}
}

// TestCheckManyMembers crosses the size at which an object's names are found
// by a map, in the outer and in the inner object.
func TestCheckManyMembers(t *testing.T) {
	members := func(n int, more string) string {
		var b strings.Builder
		b.WriteByte('{')
		for i := range n {
			fmt.Fprintf(&b, `"k%d":%d,`, i, i)
		}
		b.WriteString(more + `"last":0}`)
		return b.String()
	}
	for _, n := range []int{62, 63, 64, 65, 66, 1000, 5000} {
		for _, tc := range []struct{ more, want string }{
			{"", ""},
			{`"k0":1,`, "/k0 duplicate"},
			{`"\u006b0":1,`, "/k0 duplicate"},
			{fmt.Sprintf(`"k%d":1,`, n-1), fmt.Sprintf("/k%d duplicate", n-1)},
			{`"last":1,`, "/last duplicate"},
			{`"in":{"k0":1,"k1":2,"last":3},`, ""},
			{`"in":{"x":1,"x":2},`, "/in/x duplicate"},
			{`"in":{"x":1},"in":1,`, "/in duplicate"},
		} {
			if got := at(t, members(n, tc.more), wire.Limits{}); got != tc.want {
				t.Errorf("%d members and %s: fault at %q, want %q", n, tc.more, got, tc.want)
			}
		}
	}
	inner := members(1000, "")
	if got := at(t, `{"a":`+inner+`,"b":`+inner+`,"a":1}`, wire.Limits{}); got != "/a duplicate" {
		t.Errorf("fault at %q behind large inner objects, want /a duplicate", got)
	}
	body := members(100_000, "")
	if got := at(t, body, wire.Limits{Size: len(body)}); got != "" {
		t.Errorf("100,000 members: fault at %q", got)
	}
}

// TestCheckAllocates holds the good path to its promise, for a body as large
// as a typical game state.
func TestCheckAllocates(t *testing.T) {
	body := sampleBody()
	if len(body) < 5000 || !json.Valid(body) {
		t.Fatalf("the sample of %d bytes is no use", len(body))
	}
	if n := testing.AllocsPerRun(10, func() {
		if err := wire.Check(body, wire.Limits{Object: true}); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// TestCheckLeaksNoValue looks for the payload in the error's text.
func TestCheckLeaksNoValue(t *testing.T) {
	for _, bad := range []string{`"hunter2\u0000"`, `"hunter2" x`, `"hunter2`, `"hunter2\ud800"`, "\"hunter2\xff\""} {
		err := wire.Check([]byte(`{"password":`+bad+`}`), wire.Limits{})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("error %v", err)
		}
	}
	digits := new(big.Int).Exp(big.NewInt(7), big.NewInt(400), nil).String()
	if err := wire.Check([]byte(`{"pin":`+digits+`}`), wire.Limits{}); err == nil || strings.Contains(err.Error(), digits[:8]) {
		t.Errorf("error %v", err)
	}
}
