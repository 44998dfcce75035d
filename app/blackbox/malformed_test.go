package blackbox

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// member is a member of a request.
type member struct {
	name     string
	required bool
	// valid is a value that is well formed.
	valid string
	// types are values of wrong JSON types.
	types []string
	// values are of the right type and not allowed all the same.
	values []string
}

var (
	anID   = member{"", true, `"0a6f4d0c5b7e4f7d9a3c2e1b8d6f5a4c"`, []string{`null`, `1`, `true`, `[]`, `{}`}, nil}
	params = member{"params", false, `{}`, []string{`null`, `1`, `true`, `"plugh"`, `[]`}, nil}
)

func (m member) as(name string) member {
	m.name = name
	return m
}

// requests are the operations with the members of their requests.
var requests = map[string][]member{
	"list-campaigns": nil,
	"create-session": {
		anID.as("campaignId"),
		{"seed", false, `"seven"`, []string{`null`, `true`, `[]`, `{}`, `1.5`}, []string{`"` + strings.Repeat("s", 257) + `"`}},
		{"profileId", false, `"ada"`, []string{`null`, `1`, `true`, `[]`, `{}`}, []string{`""`, `"` + strings.Repeat("p", 129) + `"`}},
	},
	"get-scene":      {anID.as("sessionId")},
	"get-view":       {anID.as("sessionId")},
	"get-strings":    {anID.as("sessionId")},
	"preview-action": {anID.as("sessionId"), anID.as("actionId"), params},
	"submit-action":  {anID.as("sessionId"), anID.as("actionId"), params},
	"resume-session": {anID.as("sessionId")},
	"save-game":      {anID.as("sessionId")},
	"load-game":      {anID.as("saveId")},
}

// body is a request with values by member; "" leaves a member out. Optional
// members are only there where they are given.
func body(operation string, values map[string]string) string {
	var b strings.Builder
	for _, m := range requests[operation] {
		value, given := values[m.name]
		if !given && m.required {
			value = m.valid
		}
		if value == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "%q:%s", m.name, value)
	}
	return "{" + b.String() + "}"
}

// with is a well-formed request that has one more member.
func with(operation, more string) string {
	b := body(operation, nil)
	if b == "{}" {
		return "{" + more + "}"
	}
	return strings.TrimSuffix(b, "}") + "," + more + "}"
}

// malformed is a request that must be refused at a place.
type malformed struct {
	name    string
	body    string
	at      string
	headers []string
	query   string
}

// marker stands in values, which no answer and no log may show.
const marker = "xyzzy-plugh"

// malformedKinds are what is malformed whatever the operation.
func malformedKinds(operation string) []malformed {
	sound := body(operation, nil)
	empty := strings.TrimSuffix(sound, "}")
	deep := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	cases := []malformed{
		{name: "undeclared member", body: with(operation, `"plugh":"`+marker+`"`), at: "/plugh undeclared"},
		{name: "undeclared null", body: with(operation, `"plugh":null`), at: "/plugh undeclared"},
		{name: "duplicate member", body: with(operation, `"d":1,"d":1`), at: "/d duplicate"},
		{name: "duplicate by escape", body: with(operation, `"d":1,"\u0064":1`), at: "/d duplicate"},
		{name: "trailing value", body: sound + `{"t":"` + marker + `"}`, at: "trailing"},
		{name: "trailing word", body: sound + marker, at: "trailing"},
		{name: "trailing NUL", body: sound + "\x00", at: "trailing"},
		{name: "array", body: `["` + marker + `"]`, at: "type"},
		{name: "null", body: `null`, at: "type"},
		{name: "number", body: `12`, at: "type"},
		{name: "text", body: `"` + marker + `"`, at: "type"},
		{name: "true", body: `true`, at: "type"},
		{name: "white space alone", body: " \n", at: "syntax"},
		{name: "cut short", body: empty, at: "syntax"},
		{name: "comma at the end", body: with(operation, `"a":1,`), at: "syntax"},
		{name: "single quotes", body: "{'" + marker + "':1}", at: "syntax"},
		{name: "comment", body: sound + "//" + marker, at: "trailing"},
		{name: "byte order mark", body: "\xef\xbb\xbf" + sound, at: "syntax"},
		{name: "NaN", body: with(operation, `"n":NaN`), at: "/n syntax"},
		{name: "65 levels", body: with(operation, `"n":`+deep(64)), at: "/n" + strings.Repeat("/0", 63) + " depth"},
		{name: "invalid UTF-8", body: with(operation, `"u":"`+marker+"\xff\""), at: "/u utf8"},
		{name: "invalid UTF-8 outside", body: sound[:1] + "\xff" + sound[1:], at: "utf8"},
		{name: "invalid UTF-8 in a name", body: with(operation, "\"u\xff\":1"), at: "utf8"},
		{name: "overlong UTF-8", body: with(operation, "\"u\":\"\xc0\xaf\""), at: "/u utf8"},
		{name: "surrogate as UTF-8", body: with(operation, "\"u\":\"\xed\xa0\x80\""), at: "/u utf8"},
		{name: "U+0000 raw", body: with(operation, "\"u\":\""+marker+"\x00\""), at: "/u nul"},
		{name: "U+0000 escaped", body: with(operation, `"u":"`+marker+`\u0000"`), at: "/u nul"},
		{name: "U+0000 in a name", body: with(operation, `"u\u0000":1`), at: "nul"},
		{name: "lone high surrogate", body: with(operation, `"u":"\ud83d`+marker+`"`), at: "/u surrogate"},
		{name: "lone low surrogate", body: with(operation, `"u":"\ude00`+marker+`"`), at: "/u surrogate"},
		{name: "400 digits", body: with(operation, `"n":1`+strings.Repeat("0", 399)), at: "/n number"},
		{name: "beyond a double", body: with(operation, `"n":1e999`), at: "/n number"},
		{name: "over 1 MiB", body: sound + strings.Repeat(" ", 1<<20), at: "size"},
		{name: "query", body: sound, query: "?" + marker + "=1", at: "query"},
		{name: "no content type", body: sound, headers: []string{"Content-Type", ""}, at: "content-type"},
	}
	for _, contentType := range []string{"text/plain", "text/json", "application/jsonp", "application/json; charset=latin1", "multipart/form-data", marker, ";"} {
		cases = append(cases, malformed{
			name: "content type " + contentType, body: sound, headers: []string{"Content-Type", contentType}, at: "content-type",
		})
	}
	for _, m := range requests[operation] {
		if m.required {
			cases = append(cases, malformed{name: "no " + m.name, body: body(operation, map[string]string{m.name: ""}), at: "/" + m.name + " missing"})
		}
		for _, value := range m.types {
			cases = append(cases, malformed{name: m.name + " " + value, body: body(operation, map[string]string{m.name: value}), at: "/" + m.name + " type"})
		}
		for _, value := range m.values {
			cases = append(cases, malformed{name: fmt.Sprintf("%s of %d bytes", m.name, len(value)), body: body(operation, map[string]string{m.name: value}), at: "/" + m.name + " value"})
		}
		twice := fmt.Sprintf("%q:%s", m.name, m.valid)
		cases = append(cases, malformed{name: m.name + " twice", body: body(operation, map[string]string{m.name: m.valid + "," + twice}), at: "/" + m.name + " duplicate"})
	}
	if operation == "preview-action" || operation == "submit-action" {
		for _, value := range []string{`null`, `[]`, `{}`, `["` + marker + `"]`, `{"a":1}`} {
			cases = append(cases, malformed{name: "param " + value, body: body(operation, map[string]string{"params": `{"a b/c~d":` + value + `}`}), at: "/params/a%20b~1c~0d type"})
		}
		cases = append(cases,
			malformed{name: "64 levels in a param", body: body(operation, map[string]string{"params": `{"a":` + deep(62) + `}`}), at: "/params/a type"},
			malformed{name: "65 levels in a param", body: body(operation, map[string]string{"params": `{"a":` + deep(63) + `}`}), at: "/params/a" + strings.Repeat("/0", 62) + " depth"},
			malformed{name: "param twice", body: body(operation, map[string]string{"params": `{"a":1,"a":1}`}), at: "/params/a duplicate"},
		)
	}
	if operation == "create-session" {
		for _, value := range []string{`9223372036854775808`, `-9223372036854775809`, `1e3`, `7.0`} {
			cases = append(cases, malformed{name: "seed " + value, body: body(operation, map[string]string{"seed": value}), at: "/seed type"})
		}
	}
	if operation == "submit-action" || operation == "save-game" {
		for _, tag := range []string{marker, `"` + marker, `"a", b`, `"a" "b"`, `*, "a"`, `'a'`, `W/a`, `,`} {
			cases = append(cases, malformed{name: "If-Match " + tag, body: sound, headers: []string{"If-Match", tag}, at: "if-match"})
		}
	}
	return cases
}

// Whatever is malformed is refused before anything else looks at it, says
// where and never what, and changes nothing.
func TestMalformed(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	w.secret(marker)
	i := w.ready()
	for _, operation := range slices.Sorted(maps.Keys(requests)) {
		t.Run(operation, func(t *testing.T) {
			for _, c := range malformedKinds(operation) {
				i.in(t).refuses(operation, c)
			}
		})
	}
	if n := w.rows(); n != 0 {
		t.Errorf("malformed requests stored %d rows", n)
	}
}

func (i *instance) refuses(operation string, c malformed) {
	t := i.world
	t.Helper()
	a := i.send(http.MethodPost, "/v1/"+operation+c.query, c.body, c.headers...)
	if a.code() != fault.MalformedPayload || a.at() != c.at {
		t.Errorf("%s: got %d %q at %q, want it at %q", c.name, a.status, a.code(), a.at(), c.at)
	}
	if strings.Contains(fmt.Sprint(a.header, string(a.body)), marker) {
		t.Errorf("%s: the answer shows a value: %v %s", c.name, a.header, a.body)
	}
}

// What is on the right side of every bound is taken.
func TestWellFormed(t *testing.T) {
	t.Parallel()
	i := setUp(t).ready()
	session := i.create("well-formed")
	list := strings.Repeat(" ", 1<<20-2) + "{}"
	for name, c := range map[string]struct {
		operation, body string
		headers         []string
	}{
		"1 MiB":                     {"list-campaigns", list, nil},
		"no body":                   {"list-campaigns", "", nil},
		"no body, content type":     {"list-campaigns", "", []string{"Content-Type", "application/json"}},
		"white space":               {"get-scene", "\r\n\t " + of(session) + "\n", nil},
		"charset":                   {"get-scene", of(session), []string{"Content-Type", `Application/JSON; charset="UTF-8"`}},
		"escapes":                   {"get-scene", strings.Replace(of(session), "sessionId", `session\u0049d`, 1), nil},
		"surrogate pair":            {"preview-action", fmt.Sprintf(`{"sessionId":%q,"actionId":"\ud83d\ude00"}`, session), nil},
		"seed, integer":             {"create-session", `{"campaignId":"tiny","seed":-9223372036854775808}`, nil},
		"seed, 256 characters":      {"create-session", `{"campaignId":"tiny","seed":"` + strings.Repeat("é", 256) + `"}`, nil},
		"seed, empty":               {"create-session", `{"campaignId":"tiny","seed":""}`, nil},
		"profile of 128 characters": {"create-session", `{"campaignId":"tiny","profileId":"` + strings.Repeat("é", 128) + `"}`, nil},
		"64 digits":                 {"preview-action", fmt.Sprintf(`{"sessionId":%q,"actionId":"fill","params":{"measures":1%s}}`, session, strings.Repeat("0", 63)), nil},
		"scalars":                   {"preview-action", fmt.Sprintf(`{"sessionId":%q,"actionId":"fill","params":{"a":"","b":-0.5e-3,"c":false}}`, session), nil},
		"If-Match *":                {"save-game", of(session), []string{"If-Match", "*"}},
	} {
		t.Run(name, func(t *testing.T) { i.in(t).want("", c.operation, c.body, c.headers...) })
	}
}

// A seed beyond 2^53 is taken digit by digit.
func TestLargeSeedsAreExact(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	i := w.ready()
	seedOf := func(seed string) string {
		session := decode[struct{ SessionID string }](t, i.want("", "create-session", `{"campaignId":"tiny","seed":`+seed+`}`)).SessionID
		return ask[string](w, "select blob::json->>'seed' from session where session_id = $1", session)
	}
	if seedOf("9007199254740993") != seedOf(`"9007199254740993"`) {
		t.Error("a number is not taken as its digits")
	}
	if seedOf("9007199254740993") == seedOf("9007199254740992") {
		t.Error("two seeds beyond 2^53 are one")
	}
}
