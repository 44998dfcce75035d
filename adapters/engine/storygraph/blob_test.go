package storygraph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/holdfast-dev/holdfast/adapters/engine/storygraph"
	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// soundBlob is a game of tiny in which no member has its zero value.
const soundBlob = `{"format":1,"campaign":"tiny","version":1,"game":"game-1","status":"active","scene":"lamp","turn":4,"draws":2,` +
	`"seed":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","replay":true,` +
	`"variables":{"dread":0.375,"keeper":"Ann","lit":true,"oil":3},"achievements":["deserter","first-light"],"used":["stairs/sign"]}`

// manyVariables are, after the four of tiny, one more than there can be.
var manyVariables = func() string {
	var b strings.Builder
	for i := range 497 {
		fmt.Fprintf(&b, `,"v%03d":0`, i)
	}
	return b.String()
}()

// codes makes every call with a blob: what the show, the play and the load
// operations answer.
func codes(ctx context.Context, e *storygraph.Engine, blob string) map[string]fault.Code {
	code := func(err error) fault.Code {
		if err == nil {
			return ""
		}
		return fault.CodeOf(err)
	}
	_, scene := e.Scene(ctx, blob)
	_, view := e.View(ctx, blob)
	_, texts := e.Strings(ctx, blob)
	_, apply := e.Apply(ctx, blob, engine.Move{ActionID: "descend"})
	_, resume := e.Resume(ctx, blob)
	_, load := e.Load(ctx, blob)
	return map[string]fault.Code{
		"scene": code(scene), "view": code(view), "strings": code(texts), "apply": code(apply), "resume": code(resume), "load": code(load),
	}
}

func same(show, play, load fault.Code) map[string]fault.Code {
	return map[string]fault.Code{"scene": show, "view": show, "strings": show, "apply": play, "resume": play, "load": load}
}

func TestBlobsThatAreNotOurs(t *testing.T) {
	e := tiny(t)
	const internal, state, gone = fault.InternalFailure, fault.InvalidState, fault.SaveRequiresMigration
	for _, c := range []struct {
		name, old, new   string
		show, play, load fault.Code
	}{
		{"sound", "", "", "", "", ""},
		{"sound, other value", `"oil":3`, `"oil":9`, "", "", ""},
		{"another format", `"format":1`, `"format":2`, internal, internal, internal},
		{"member missing", `"turn":4,`, ``, internal, internal, internal},
		{"members swapped", `"turn":4,"draws":2`, `"draws":2,"turn":4`, internal, internal, internal},
		{"member twice", `"turn":4`, `"turn":4,"turn":4`, internal, internal, internal},
		{"unknown member", `"turn":4`, `"turn":4,"turns":4`, internal, internal, internal},
		{"white space", `"turn":4`, `"turn": 4`, internal, internal, internal},
		{"trailing byte", `"stairs/sign"]}`, `"stairs/sign"]}}`, internal, internal, internal},
		{"trailing newline", `"stairs/sign"]}`, "\"stairs/sign\"]}\n", internal, internal, internal},
		{"number as text", `"turn":4`, `"turn":"4"`, internal, internal, internal},
		{"number spelt otherwise", `0.375`, `3.75e-1`, internal, internal, internal},
		{"number with a zero", `0.375`, `0.3750`, internal, internal, internal},
		{"integer with a point", `"oil":3`, `"oil":3.0`, internal, internal, internal},
		{"minus zero", `"oil":3`, `"oil":-0`, internal, internal, internal},
		{"huge number", `"oil":3`, `"oil":1` + strings.Repeat("0", 400), internal, internal, internal},
		{"text spelt otherwise", `"Ann"`, `"\u0041nn"`, internal, internal, internal},
		{"slash escaped", `stairs/sign`, `stairs\/sign`, internal, internal, internal},
		{"U+0000", `"Ann"`, `"A\u0000n"`, internal, internal, internal},
		{"lone surrogate", `"Ann"`, `"A\ud800n"`, internal, internal, internal},
		{"not UTF-8", `"Ann"`, "\"A\xffn\"", internal, internal, internal},
		{"text too long", `"Ann"`, `"` + strings.Repeat("n", 1025) + `"`, internal, internal, internal},
		{"id of the game as long as may be", `"game-1"`, `"` + strings.Repeat("g", 1024) + `"`, "", "", ""},
		{"id of the game too long", `"game-1"`, `"` + strings.Repeat("g", 1025) + `"`, internal, internal, internal},
		{"more variables than a campaign can have", `"oil":3`, `"oil":3` + manyVariables, internal, internal, internal},
		{"negative counter", `"turn":4`, `"turn":-4`, internal, internal, internal},
		{"counter beyond 2^53", `"draws":2`, `"draws":9007199254740992`, internal, internal, internal},
		{"seed of another shape", `"seed":"ba`, `"seed":"BA`, internal, internal, internal},
		{"seed too short", `"seed":"ba`, `"seed":"`, internal, internal, internal},
		{"unknown status", `"active"`, `"paused"`, internal, internal, internal},
		{"variables out of order", `"dread":0.375,"keeper":"Ann"`, `"keeper":"Ann","dread":0.375`, internal, internal, internal},
		{"variable twice", `"oil":3`, `"oil":3,"oil":3`, internal, internal, internal},
		{"variable of no scalar", `"oil":3`, `"oil":[3]`, internal, internal, internal},
		{"achievements out of order", `"deserter","first-light"`, `"first-light","deserter"`, internal, internal, internal},
		{"achievement twice", `"deserter"`, `"deserter","deserter"`, internal, internal, internal},
		{"value out of bounds", `"oil":3`, `"oil":10`, internal, internal, internal},
		{"number out of bounds", `0.375`, `1.5`, internal, internal, internal},
		{"value of another type", `"lit":true`, `"lit":"true"`, internal, internal, internal},
		{"number for an integer", `"oil":3`, `"oil":3.5`, internal, internal, internal},
		{"scene that is not there", `"scene":"lamp"`, `"scene":"cellar"`, internal, state, internal},
		{"variable that is not there", `"oil":3`, `"oil":3,"water":1`, internal, state, internal},
		{"variable missing", `,"oil":3`, ``, internal, state, internal},
		{"variable of another name", `"oil":3`, `"oils":3`, internal, state, internal},
		{"achievement that is not there", `"deserter"`, `"defector"`, internal, state, internal},
		{"action that is not for once", `stairs/sign`, `stairs/climb`, internal, state, internal},
		{"action of no scene", `stairs/sign`, `cellar/sign`, internal, state, internal},
		{"status of another scene", `"active"`, `"ended"`, internal, state, internal},
		{"version that is gone", `"version":1`, `"version":7`, internal, state, gone},
		{"campaign that is gone", `"campaign":"tiny"`, `"campaign":"huge"`, internal, state, gone},
		{"campaign that is gone, out of order", `"campaign":"tiny","version":1`, `"version":1,"campaign":"huge"`, internal, internal, internal},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.old != "" && strings.Count(soundBlob, c.old) != 1 {
				t.Fatalf("%q is in the blob %d times", c.old, strings.Count(soundBlob, c.old))
			}
			got := codes(t.Context(), e, strings.Replace(soundBlob, c.old, c.new, 1))
			for call, want := range same(c.show, c.play, c.load) {
				if got[call] != want {
					t.Errorf("%s: %q, want %q", call, got[call], want)
				}
			}
		})
	}
}

// wide is a campaign of n variables that hold as long a text as they may, and
// an action that sets the first to a text which takes six times its length.
func wide(n int) string {
	var b strings.Builder
	b.WriteString("kind: story-graph\nid: wide\nversion: 1\ntitle: t\nstart: a\nstrings: {en: {t: T}}\nvariables:\n")
	for i := range n {
		fmt.Fprintf(&b, "  v%03d: {type: string, initial: '%s'}\n", i, strings.Repeat("é", 512))
	}
	b.WriteString("scenes:\n  b: {text: t, ending: ended}\n  a:\n    text: t\n    actions:\n      - {id: end, label: t, goto: b}\n")
	b.WriteString("      - id: swell\n        label: t\n        params: {s: {type: string, required: true}}\n        effects:\n")
	for i := range min(n, 64) {
		fmt.Fprintf(&b, "          - {set: v%03d, expr: params.s}\n", i)
	}
	b.WriteString("      - id: swell-more\n        label: t\n        params: {s: {type: string, required: true}}\n        effects:\n")
	for i := range min(n, 64) {
		fmt.Fprintf(&b, "          - {set: v%03d, expr: params.s}\n", n-1-i)
	}
	return b.String()
}

func TestBlobStaysWithinItsLimit(t *testing.T) {
	e, _, err := load(wide(450))
	if err != nil {
		t.Fatal(err)
	}
	g := begin(t, e, "wide", "seed")
	swollen := map[string]engine.Value{"s": strings.Repeat("\x01", 1024)}
	for _, c := range []struct{ action, want string }{{"swell", "ok"}, {"swell-more", "action_unavailable actionId"}} {
		if got := verdict(g.apply(c.action, swollen)); got != c.want {
			t.Errorf("%s: %s, want %s", c.action, got, c.want)
		}
		if len(g.blob) > engine.MaxBlob {
			t.Errorf("%s: %d bytes", c.action, len(g.blob))
		}
	}
	g.do("end")
	_, _, err = load(strings.ReplaceAll(strings.ReplaceAll(wide(450), "'", "\""), "éé", `\x01\x01\x01\x01`))
	if got, want := faults(t, err), []string{"small.yaml:1:1: begins with texts of more than 524288 bytes"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// FuzzBlob: whatever the bytes, an answer or a fault; and what is taken is
// what the engine would have written, so that loading keeps it.
func FuzzBlob(f *testing.F) {
	f.Add(soundBlob, "strike")
	f.Add(strings.Replace(soundBlob, `"version":1`, `"version":7`, 1), "descend")
	f.Add(strings.NewReplacer(`"lamp"`, `"light"`, "active", "ended").Replace(soundBlob), "")
	f.Add(`{"format":1}`, "")
	e, _, err := storygraph.Load(fstest.MapFS{
		"tiny.yaml":  {Data: []byte(tinyText(f))},
		"small.yaml": {Data: []byte(strings.Replace(small, "version: 1", "version: 3\nmigrates: [{from: 1, variables: {old: gold}, scenes: {yard: hall}}]", 1))},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, blob, action string) {
		ctx := t.Context()
		for call, code := range codes(ctx, e, blob) {
			switch {
			case code == "", code == fault.InternalFailure:
			case code == fault.InvalidState && (call == "apply" || call == "resume"):
			case (code == fault.SaveRequiresMigration || code == fault.MigrationFailed) && call == "load":
			default:
				t.Fatalf("%s answers %s", call, code)
			}
		}
		o, err := e.Apply(ctx, blob, engine.Move{ActionID: action})
		if err != nil {
			var known *fault.Error
			if !errors.As(err, &known) {
				t.Fatal(err)
			}
			return
		}
		p, err := e.Load(ctx, o.Blob)
		if err != nil || p.Blob != o.Blob {
			t.Fatalf("a blob that the engine wrote does not load: %v", err)
		}
	})
}
