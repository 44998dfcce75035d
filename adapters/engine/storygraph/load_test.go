package storygraph_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/holdfast-dev/holdfast/adapters/engine/storygraph"
	"github.com/holdfast-dev/holdfast/core/engine"
)

// small is a sound campaign. Tests change a part of it to see what the loader
// says.
const small = `kind: story-graph
id: small
version: 1
title: t
variables:
  gold: {type: integer, initial: 3, min: 0, max: 10}
  name: {type: string, initial: nobody}
achievements:
  rich: {title: t}
start: hall
scenes:
  hall:
    text: hall
    actions:
      - id: dig
        label: t
        when: gold < 10
        reason: t
        params:
          deep: {type: integer, min: 1, max: 9, default: 1}
        effects:
          - {increment: gold, expr: params.deep}
        message: {key: dug, tone: positive}
        award: [rich]
      - id: leave
        label: t
        check:
          dice: 1d6
          difficulty: 3
          success: {goto: out}
          failure: {effects: [{set: name, value: fool}]}
  out:
    text: t
    ending: ended
strings:
  en:
    t: Text
    hall: You have {gold} gold.
    dug: You found {gold}.
`

func load(text string) (*storygraph.Engine, []engine.Summary, error) {
	return storygraph.Load(fstest.MapFS{"small.yaml": {Data: []byte(text)}})
}

// faults are the lines of a load error, without its head.
func faults(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var all *storygraph.LoadError
	if !errors.As(err, &all) {
		t.Fatalf("not a LoadError: %v", err)
	}
	lines := strings.Split(err.Error(), "\n  ")
	return lines[1:]
}

func TestSoundCampaignLoads(t *testing.T) {
	e, foreign, err := load(small)
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Summary{{CampaignID: "small", KindID: "story-graph", TitleKey: "t"}}
	if got := e.Campaigns(); !slices.Equal(got, want) || len(foreign) != 0 {
		t.Errorf("campaigns %v, foreign %v", got, foreign)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           []string
	}{
		{"unknown member", "start: hall", "start: hall\nbegin: hall", []string{`small.yaml:11:1: begin: is not a member of the format`}},
		{"unknown member inside", "max: 10}", "maximum: 10}", []string{`small.yaml:6:45: variables.gold.maximum: is not a member of the format`}},
		{"member twice", "start: hall", "start: hall\nstart: out", []string{`small.yaml:11:1: start: is here twice`}},
		{"scene twice", "  out:\n", "  hall: {text: t, ending: ended}\n  out:\n", []string{`small.yaml:32:3: scenes.hall: is here twice`}},
		{"action twice", "id: leave", "id: dig", []string{`small.yaml:25:9: scenes.hall.actions[1]: action "dig" is in this scene twice`}},
		{"missing member", "title: t\nvariables", "variables", []string{`small.yaml:1:1: "title" is missing`}},
		{"nothing there", "start: hall", "start:", []string{`small.yaml:10:7: start: must be text, but there is nothing`}},
		{"version", "version: 1", "version: 0", []string{`small.yaml:3:10: version: must be 1 or more`}},
		{"version as text", "version: 1", `version: "1"`, []string{`small.yaml:3:10: version: must be an integer of at most 2^53-1`}},
		{"version in hexadecimal", "version: 1", `version: 0x1`, []string{`small.yaml:3:10: version: must be an integer of at most 2^53-1, not 0x1`}},
		{"id", "id: small", "id: Sm/all", []string{`small.yaml:2:5: id: "Sm/all" is not a valid name here`}},
		{"unknown target", "goto: out", "goto: outt", []string{`small.yaml:30:27: scenes.hall.actions[1].check.success.goto: there is no scene "outt"`}},
		{"unknown start", "start: hall", "start: hal", []string{`small.yaml:10:8: start: there is no scene "hal"`}},
		{"unreachable scene", "  out:\n", "  cellar: {text: t, actions: [{id: up, label: t, goto: out}]}\n  out:\n", []string{`small.yaml:32:3: scenes.cellar: cannot be reached from the start`}},
		{"dead end", "    ending: ended\n", "", []string{`small.yaml:32:3: scenes.out: is a dead end: it has neither actions nor an ending`}},
		{"circle without an ending", "ending: ended", "actions: [{id: back, label: t, goto: hall}]", []string{
			`small.yaml:12:3: scenes.hall: is a dead end: no ending can be reached from it`,
			`small.yaml:32:3: scenes.out: is a dead end: no ending can be reached from it`,
		}},
		{"no actions", "ending: ended", "actions: []", []string{`small.yaml:34:14: scenes.out.actions: is a dead end: it has no actions`}},
		{"ending with actions", "ending: ended", "ending: ended\n    actions: [{id: back, label: t, goto: hall}]", []string{`small.yaml:35:14: scenes.out.actions: an ending has no actions`}},
		{"unknown ending", "ending: ended", "ending: over", []string{`small.yaml:34:13: scenes.out.ending: must be ended or abandoned`}},
		{"text missing in one locale", "    dug: You found {gold}.\n", "    dug: You found {gold}.\n  de: {t: Text, hall: 'Du hast {gold} Gold.'}\n", []string{`small.yaml:23:24: scenes.hall.actions[0].message.key: has no text for "dug" in locale "de"`}},
		{"text missing", "reason: t", "reason: why", []string{`small.yaml:18:17: scenes.hall.actions[0].reason: has no text for "why" in locale "en"`}},
		{"unreachable scene beside another fault", "  out:\n", "  cellar: {text: t, actions: [{id: up, label: t, goto: out, x: 1}]}\n  out:\n", []string{
			`small.yaml:32:3: scenes.cellar: cannot be reached from the start`, `small.yaml:32:61: scenes.cellar.actions[0].x: is not a member of the format`,
		}},
		{"scene that is no object", "  out:\n    text: t\n    ending: ended\n", "  out: t\n", []string{`small.yaml:32:8: scenes.out: must be an object, not text`}},
		{"unused text", "    t: Text\n", "    t: Text\n    u: Unused\n", []string{`small.yaml:38:8: strings.en.u: is a text that nothing uses`}},
		{"unknown name in a text", "You have {gold}", "You have {silver}", []string{`small.yaml:38:11: strings.en.hall: shows {silver}, which is not known where "hall" is used`}},
		{"value in a label", "    t: Text", "    t: Text {gold}", []string{`small.yaml:37:8: strings.en.t: shows {gold}, which is not known where "t" is used`}},
		{"brace", "You have {gold} gold", "You have {gold gold", []string{`small.yaml:38:11: strings.en.hall: has a brace that is not part of a {name}`}},
		{"too many values in a text", "You have {gold} gold", "x" + strings.Repeat("{gold}", 65), []string{`small.yaml:38:11: strings.en.hall: shows more than 64 values`}},
		{"no default locale", "title: t\n", "title: t\nlocale: de\n", []string{`small.yaml:37:3: strings: has no texts of the default locale "de"`}},
		{"expression does not parse", "when: gold < 10", "when: gold <", []string{`small.yaml:17:15: scenes.hall.actions[0].when: is a bad expression at 1:7: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`}},
		{"expression of unknown name", "when: gold < 10", "when: silver < 10", []string{`small.yaml:17:15: scenes.hall.actions[0].when: is a bad expression at 1:1: undeclared reference to 'silver' (in container '')`}},
		{"expression of wrong type", "when: gold < 10", "when: gold + 1", []string{`small.yaml:17:15: scenes.hall.actions[0].when: must give a value of type boolean, not int`}},
		{"when looks at the move", "when: gold < 10", "when: params.deep < 10", []string{`small.yaml:17:15: scenes.hall.actions[0].when: is a bad expression at 1:1: undeclared reference to 'params' (in container '')`}},
		{"expression with a loop", "when: gold < 10", "when: '[1, 2].all(x, x > 0)'", []string{`small.yaml:17:15: scenes.hall.actions[0].when: is a bad expression at 1:11: undeclared reference to 'all' (in container '')`,
			`small.yaml:17:15: scenes.hall.actions[0].when: is a bad expression at 1:12: undeclared reference to 'x' (in container '')`,
			`small.yaml:17:15: scenes.hall.actions[0].when: is a bad expression at 1:15: undeclared reference to 'x' (in container '')`}},
		{"unknown achievement in an expression", "when: gold < 10", `when: '!("poor" in achievements)'`, []string{`small.yaml:17:15: scenes.hall.actions[0].when: there is no achievement "poor"`}},
		{"long expression", "when: gold < 10", "when: gold < 10" + strings.Repeat(" && gold < 10", 90), []string{`small.yaml:17:15: scenes.hall.actions[0].when: is an expression of more than 1000 characters`}},
		{"unknown variable", "{set: name, value: fool}", "{set: nam, value: fool}", []string{`small.yaml:31:37: scenes.hall.actions[1].check.failure.effects[0].set: there is no variable "nam"`}},
		{"wrong type of an effect", "{set: name, value: fool}", "{set: name, value: 7}", []string{`small.yaml:31:50: scenes.hall.actions[1].check.failure.effects[0].value: must be text, not 7`}},
		{"wrong type of an expression", "expr: params.deep", "expr: name", []string{`small.yaml:22:37: scenes.hall.actions[0].effects[0].expr: must give a value of type integer, not string`}},
		{"text cannot count", "{set: name, value: fool}", "{increment: name}", []string{`small.yaml:31:43: scenes.hall.actions[1].check.failure.effects[0].increment: "name" is a string, which cannot count`}},
		{"effect out of bounds", "{set: name, value: fool}", "{set: gold, value: 11}", []string{`small.yaml:31:50: scenes.hall.actions[1].check.failure.effects[0].value: is out of bounds`}},
		{"effect of nothing", "{set: name, value: fool}", "{value: fool}", []string{`small.yaml:31:31: scenes.hall.actions[1].check.failure.effects[0]: must set, increment or decrement a variable`}},
		{"effect of two things", "{set: name, value: fool}", "{set: name, increment: gold, value: fool}", []string{`small.yaml:31:54: scenes.hall.actions[1].check.failure.effects[0].increment: an effect does one thing`}},
		{"wrong type of an initial value", "initial: 3", "initial: three", []string{`small.yaml:6:34: variables.gold.initial: must be an integer of at most 2^53-1, not text`}},
		{"initial value out of bounds", "initial: 3", "initial: 11", []string{`small.yaml:6:34: variables.gold.initial: is out of bounds`}},
		{"initial value beyond 2^53", "initial: 3, min: 0, max: 10", "initial: 9007199254740992", []string{`small.yaml:6:34: variables.gold.initial: must be an integer of at most 2^53-1, not 9007199254740992`}},
		{"unknown type", "type: string", "type: text", []string{`small.yaml:7:16: variables.name.type: must be one of boolean, integer, number, string`}},
		{"bounds of a text", "initial: nobody", "initial: nobody, min: 1", []string{`small.yaml:7:46: variables.name.min: bounds an integer or a number, and nothing else`}},
		{"bounds crossed", "min: 0, max: 10", "min: 4, max: 3", []string{
			`small.yaml:6:34: variables.gold.initial: is out of bounds`, `small.yaml:6:42: variables.gold.min: must not be greater than max`}},
		{"reserved name", "  name: {", "  turn: {type: boolean, initial: true}\n  name: {", []string{`small.yaml:7:3: variables.turn: is not a valid name here`}},
		{"hidden variable of no use", "  name: {", "  mood: {type: boolean, initial: true, visible: false}\n  name: {", []string{`small.yaml:7:3: variables.mood: is a hidden variable that nothing uses`}},
		{"parameter of no value", "default: 1", "required: false", []string{`small.yaml:20:11: scenes.hall.actions[0].params.deep: must either be required or have a default`}},
		{"achievement of no use", "  rich: {title: t}", "  rich: {title: t}\n  poor: {title: t}", []string{`small.yaml:10:3: achievements.poor: is an achievement that no action awards`}},
		{"unknown achievement", "award: [rich]", "award: [rich, poor]", []string{`small.yaml:24:23: scenes.hall.actions[0].award[1]: there is no achievement "poor"`}},
		{"dice", "dice: 1d6", "dice: d6", []string{`small.yaml:28:17: scenes.hall.actions[1].check.dice: must be dice such as 2d6: at most 20 of at most 1000 sides`}},
		{"dice and chance", "dice: 1d6", "dice: 1d6\n          chance: 3", []string{`small.yaml:28:11: scenes.hall.actions[1].check: must have either dice or chance`, `small.yaml:30:11: scenes.hall.actions[1].check.difficulty: is not a member of the format`}},
		{"chance", "dice: 1d6\n          difficulty: 3", "chance: 101", []string{`small.yaml:28:19: scenes.hall.actions[1].check.chance: must be from 0 to 100`}},
		{"tone", "tone: positive", "tone: loud", []string{`small.yaml:23:35: scenes.hall.actions[0].message.tone: must be neutral, positive, negative or absurd`}},
		{"hidden without a condition", "      - id: leave\n", "      - id: leave\n        hidden: true\n", []string{`small.yaml:25:9: scenes.hall.actions[1]: hidden needs when or once: there is nothing that could hide the action`}},
		{"anchor", "initial: nobody", "initial: &a nobody", []string{`small.yaml:7:33: variables.name.initial: must be text; anchors, aliases and tags are not part of the format`}},
		{"migration of a newer version", "start: hall", "start: hall\nmigrates: [{from: 1}]", []string{`small.yaml:11:19: migrates[0].from: must be an older version than this one`}},
		{"not YAML", "start: hall", "start: [hall", []string{`small.yaml:11:1: is neither YAML nor JSON: ',' or ']' must be specified`}},
		{"two documents", "strings:", "---\nstrings:", []string{`small.yaml: must hold one document, not 2`}},
		{"U+0000", "t: Text", `t: "a\0b"`, []string{`small.yaml:37:8: strings.en.t: must not hold U+0000`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(small, c.old) != 1 {
				t.Fatalf("%q is in the campaign %d times", c.old, strings.Count(small, c.old))
			}
			_, _, err := load(strings.Replace(small, c.old, c.new, 1))
			if got := faults(t, err); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestEveryFaultIsReportedAtOnce(t *testing.T) {
	text := small
	for _, change := range [][2]string{{"goto: out", "goto: outt"}, {"when: gold < 10", "when: silver < 10"}, {"initial: 3", "initial: three"}, {"dug: You", "dig: You"}} {
		text = strings.Replace(text, change[0], change[1], 1)
	}
	_, _, err := load(text)
	var paths []string
	var all *storygraph.LoadError
	if errors.As(err, &all) {
		for _, f := range all.Faults {
			paths = append(paths, f.Path)
		}
	}
	want := []string{
		"variables.gold.initial", "scenes.hall.actions[0].when", "scenes.hall.actions[0].message.key",
		"scenes.hall.actions[1].check.success.goto", "strings.en.dig",
	}
	if !slices.Equal(paths, want) {
		t.Errorf("faults at %q\n%v", paths, err)
	}
}

func TestFolder(t *testing.T) {
	version2 := strings.Replace(small, "version: 1", "version: 2", 1)
	foreign := "kind: card-game\nid: patience\ntitle: patience.title\ndeck: &d [1, 2]\nagain: *d\n"
	_, other, err := storygraph.Load(fstest.MapFS{
		"a.yaml":         {Data: []byte(version2)},
		"b.yml":          {Data: []byte(small)},
		"patience.json":  {Data: []byte(`{"kind": "card-game", "id": "patience", "title": "patience.title"}`)},
		"patience.yaml":  {Data: []byte(foreign)},
		"readme.md":      {Data: []byte("# Not a campaign")},
		".hidden.yaml":   {Data: []byte("{")},
		"sub/other.yaml": {Data: []byte("{")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []engine.Summary{{CampaignID: "patience", KindID: "card-game", TitleKey: "patience.title"}}; !slices.Equal(other, want) {
		t.Errorf("foreign %v", other)
	}
	_, _, err = storygraph.Load(fstest.MapFS{
		"a.yaml": {Data: []byte(small)},
		"b.yaml": {Data: []byte(small)},
		"c.yaml": {Data: []byte("kind: card-game\nid: small\n")},
		"d.yaml": {Data: []byte("id: none\n")},
		"e.yaml": {Data: []byte("- kind\n")},
		"f.yaml": {Data: nil},
	})
	want := []string{
		`b.yaml:1:1: version 1 of campaign "small" is there already`,
		`c.yaml:1:1: campaign "small" is there already, of kind "story-graph"`,
		`d.yaml:1:1: "kind" is missing`,
		`e.yaml:1:1: must be an object, not a list`,
		`f.yaml: must hold one document, not 0`,
	}
	if got := faults(t, err); !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestFolderOfNothing(t *testing.T) {
	e, foreign, err := storygraph.Load(fstest.MapFS{})
	if err != nil || len(e.Campaigns()) != 0 || len(foreign) != 0 {
		t.Error(e.Campaigns(), foreign, err)
	}
	if _, _, err := storygraph.Load(os.DirFS(filepath.Join(t.TempDir(), "missing"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// A campaign may be JSON: YAML is a superset of it.
func TestJSONCampaign(t *testing.T) {
	text := `{"kind": "story-graph", "id": "small", "version": 1, "title": "t", "start": "a",
 "scenes": {"a": {"text": "t", "ending": "ended"}},
 "strings": {"en": {"t": "Text \u00e9 \ud83d\ude00", "u": "x"}}}`
	_, _, err := storygraph.Load(fstest.MapFS{"small.json": {Data: []byte(text)}})
	if got, want := faults(t, err), []string{`small.json:3:59: strings.en.u: is a text that nothing uses`}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestOddFilesDoNotHang(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("real", small)
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("real", "linked.yaml") // as mounted configuration is
	link("loop.yaml", "loop.yaml")
	link("/dev/zero", "zero.yaml")
	link("gone", "gone.yaml")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	write("large.yaml", "# "+strings.Repeat("x", 4<<20))
	_, _, err := storygraph.Load(os.DirFS(dir))
	var files []string
	for _, line := range faults(t, err) {
		file, _, _ := strings.Cut(line, ":")
		files = append(files, file)
	}
	if want := []string{"gone.yaml", "large.yaml", "loop.yaml", "pipe.yaml", "zero.yaml"}; !slices.Equal(files, want) {
		t.Errorf("faults in %q:\n%v", files, err)
	}
}

// Each is refused by a bound, before it can take stack, time or memory.
func TestHostileFiles(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'z'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+", ", 8) + "*" + string(c-1) + "]\n"
	}
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("k" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + ": v\n")
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"alias bomb":       "kind: story-graph\nid: bomb\n" + bomb,
		"flow nesting":     strings.Repeat("[", 10_000),
		"flow objects":     strings.Repeat("{a: ", 10_000),
		"block nesting":    strings.Repeat("- ", 10_000),
		"question marks":   strings.Repeat("? ", 10_000),
		"implicit pairs":   "[" + strings.Repeat("a: ", 10_000) + "]",
		"anchors":          strings.Repeat("&a ", 10_000) + "x",
		"tags":             strings.Repeat("!t ", 10_000) + "x",
		"tags below":       strings.Repeat("!t\n", 10_000) + "x",
		"members":          keys(6_000),
		"entries":          "[" + strings.Repeat("1,", 450_000) + "]",
		"lines":            strings.Repeat("- a\n", 450_000),
		"commas":           strings.Repeat(",", 4<<20),
		"tabs":             strings.Repeat("\t", 10_000),
		"carriage returns": strings.Repeat("\r", 450_000),
		"not UTF-8":        "a: \xff\xfe",
		"unended text":     `a: "` + strings.Repeat("x", 10_000),
		"block text":       "a: |\n" + strings.Repeat("  x\n", 300_000),
		"number":           "kind: story-graph\nid: a\nversion: 1" + strings.Repeat("0", 10_000),
		"deep expression":  strings.Replace(small, "gold < 10", strings.Repeat("(", 400)+"true"+strings.Repeat(")", 400), 1),
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := load(text); len(faults(t, err)) == 0 {
				t.Error("it was taken")
			} else if len(err.Error()) > 100_000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

func FuzzCampaign(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(`{"kind": "story-graph", "id": "a", "version": 1}`))
	f.Add([]byte("kind: card-game\nid: b\n"))
	f.Add([]byte("a: &a [*a]\n? b\n: - - c\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, foreign, err := storygraph.Load(fstest.MapFS{"a.yaml": {Data: text}})
		if (err == nil) != (e != nil) || err != nil && foreign != nil {
			t.Fatal(e, foreign, err)
		}
		if err != nil {
			if len(faults(t, err)) == 0 {
				t.Fatal("an error without faults")
			}
			return
		}
		for _, c := range e.Campaigns() {
			p, err := e.Start(t.Context(), engine.Start{CampaignID: c.CampaignID})
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range p.Scene.Actions {
				if _, err := e.Apply(t.Context(), p.Blob, engine.Move{ActionID: a.ID}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
