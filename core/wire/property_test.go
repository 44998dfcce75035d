package wire_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/holdfast-dev/holdfast/core/wire"
)

// document writes a random acceptable JSON text, and remembers where a fault
// can be planted.
type document struct {
	t *rapid.T
	b strings.Builder
	// names are the objects' members as (pointer, name), and the offset right
	// behind the object's opening brace.
	names []planted
	// strings are the offsets right behind the opening quotes of values, with
	// the pointers of these.
	strings []planted
}

type planted struct {
	pointer string
	name    string
	offset  int
}

func (d *document) space() {
	d.b.WriteString(rapid.SampledFrom([]string{"", "", "", " ", "\n", "\t\r"}).Draw(d.t, "space"))
}

func (d *document) value(pointer string, depth int) {
	d.space()
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch rapid.IntRange(0, kinds-1).Draw(d.t, "kind") {
	case 0:
		d.b.WriteString(rapid.SampledFrom([]string{"true", "false", "null"}).Draw(d.t, "literal"))
	case 1:
		d.b.WriteString(strconv.FormatInt(rapid.Int64().Draw(d.t, "integer"), 10))
	case 2:
		format := rapid.SampledFrom([]byte("eg")).Draw(d.t, "format")
		d.b.WriteString(strconv.FormatFloat(rapid.Float64().Draw(d.t, "double"), format, -1, 64))
	case 3:
		d.strings = append(d.strings, planted{pointer: pointer, offset: d.b.Len() + 1})
		d.text(word(d.t))
	case 4:
		d.b.WriteByte('[')
		for i := range rapid.IntRange(0, 4).Draw(d.t, "length") {
			if i > 0 {
				d.b.WriteByte(',')
			}
			d.value(fmt.Sprintf("%s/%d", pointer, i), depth-1)
		}
		d.space()
		d.b.WriteByte(']')
	case 5:
		d.object(pointer, depth)
	}
	d.space()
}

func (d *document) object(pointer string, depth int) {
	d.b.WriteByte('{')
	brace := d.b.Len()
	members := rapid.SliceOfNDistinct(rapid.Custom(word), 0, 5, rapid.ID[string]).Draw(d.t, "names")
	for i, name := range members {
		if i > 0 {
			d.b.WriteByte(',')
		}
		d.space()
		d.text(name)
		d.space()
		d.b.WriteByte(':')
		at := string(wire.AppendPointer([]byte(pointer), name))
		d.names = append(d.names, planted{at, name, brace})
		d.value(at, depth-1)
	}
	d.space()
	d.b.WriteByte('}')
}

// word is a short text without U+0000; few letters, so that names are often
// alike.
func word(t *rapid.T) string {
	letter := rapid.OneOf(
		rapid.SampledFrom([]rune("ab/~%\"\\ \n")),
		rapid.Rune().Filter(func(r rune) bool { return r != 0 }),
	)
	return rapid.StringOfN(letter, 0, 4, -1).Draw(t, "word")
}

// text writes a string with each character in one of the ways in which JSON
// can spell it.
func (d *document) text(s string) {
	d.b.WriteByte('"')
	for _, r := range s {
		switch {
		case rapid.Bool().Draw(d.t, "escaped"):
			spell := rapid.SampledFrom([]string{`\u%04x`, `\u%04X`}).Draw(d.t, "spelling")
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&d.b, spell, u)
			}
		case r < ' ' || r == '"' || r == '\\':
			quoted, _ := json.Marshal(string(r))
			d.b.Write(quoted[1 : len(quoted)-1])
		default:
			d.b.WriteRune(r)
		}
	}
	d.b.WriteByte('"')
}

func draw(t *rapid.T) *document {
	d := &document{t: t}
	d.space()
	d.object("", 4)
	d.space()
	return d
}

func (d *document) with(offset int, insert string) string {
	text := d.b.String()
	return text[:offset] + insert + text[offset:]
}

func TestCheckAcceptsWhatIsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := draw(t).b.String()
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatalf("the generator wrote no JSON: %v: %q", err, body)
		}
		if err := wire.Check([]byte(body), wire.Limits{Object: true}); err != nil {
			t.Fatalf("%v: %q", err, body)
		}
	})
}

// TestCheckFindsPlantedFaults plants one fault into an acceptable body and
// expects it to be found where it is.
func TestCheckFindsPlantedFaults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		var body, want string
		switch kind := rapid.IntRange(0, 2).Draw(t, "fault"); {
		case kind == 0 && len(d.names) > 0:
			// The copy comes first, so the original is the duplicate.
			n := rapid.SampledFrom(d.names).Draw(t, "member")
			twin := &document{t: t}
			twin.text(n.name)
			body, want = d.with(n.offset, twin.b.String()+`:0,`), n.pointer+" duplicate"
		case kind == 1 && len(d.strings) > 0:
			s := rapid.SampledFrom(d.strings).Draw(t, "string")
			bad := rapid.SampledFrom([][2]string{
				{`\u0000`, "nul"}, {"\x00", "nul"},
				{`\uD9ab.`, "surrogate"}, {`\udC00`, "surrogate"},
				{"\xff", "utf8"}, {"\xed\xbf\xbf", "utf8"},
				{"\x1f", "syntax"}, {`\v`, "syntax"},
			}).Draw(t, "bad")
			body, want = d.with(s.offset, bad[0]), s.pointer+" "+bad[1]
		default:
			text := d.b.String()
			body, want = text+rapid.SampledFrom([]string{"{}", "null", ",", "x"}).Draw(t, "more"), " trailing"
		}
		if got := at(t, body, wire.Limits{}); got != want {
			t.Fatalf("fault at %q, want %q: %q", got, want, body)
		}
	})
}

// TestCheckAgreesOnMutations changes, drops or adds a few bytes of an
// acceptable body: whether what comes out is acceptable, encoding/json
// decides.
func TestCheckAgreesOnMutations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := []byte(draw(t).b.String())
		for range rapid.IntRange(1, 3).Draw(t, "mutations") {
			if len(body) == 0 {
				break
			}
			i := rapid.IntRange(0, len(body)-1).Draw(t, "at")
			b := rapid.OneOf(rapid.SampledFrom([]byte(`{}[]",:\u0dea1-.`)), rapid.Byte()).Draw(t, "byte")
			switch rapid.IntRange(0, 3).Draw(t, "mutation") {
			case 0:
				body[i] = b
			case 1:
				body = append(body[:i], body[i+1:]...)
			case 2:
				body = append(body[:i], append([]byte{b}, body[i:]...)...)
			case 3:
				body = body[:i]
			}
		}
		agree(t, body)
	})
}
