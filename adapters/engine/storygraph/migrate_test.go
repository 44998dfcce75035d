package storygraph_test

import (
	"io/fs"
	"maps"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/holdfast-dev/holdfast/adapters/engine/storygraph"
	"github.com/holdfast-dev/holdfast/campaigns"
	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

func tinyText(tb testing.TB) string {
	tb.Helper()
	text, err := fs.ReadFile(campaigns.FS, "tiny.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// second is the next version of small: a scene, a variable and an achievement
// have other names, one variable is gone, one is new, the bounds are closer.
func second(migrates string) string {
	return strings.NewReplacer(
		"version: 1", "version: 2\nmigrates:\n  - "+migrates,
		"gold: {type: integer, initial: 3, min: 0, max: 10}", "coins: {type: integer, initial: 3, min: 0, max: 5}",
		"name: {type: string, initial: nobody}", "luck: {type: boolean, initial: true}",
		"{set: name, value: fool}", "{set: luck, value: false}",
		"increment: gold", "increment: coins", "{gold}", "{coins}", "when: gold", "when: coins",
		"rich", "wealthy", "start: hall", "start: lobby", "  hall:\n    text", "  lobby:\n    text", "hall: You", "hall: You",
	).Replace(small)
}

func TestMigration(t *testing.T) {
	const whole = "{from: 1, scenes: {hall: lobby}, variables: {gold: coins, name: false}, achievements: {rich: wealthy}}"
	old, _, err := load(small)
	if err != nil {
		t.Fatal(err)
	}
	g := begin(t, old, "small", "abc")
	g.do("dig", "dig", "dig", "dig")
	for _, c := range []struct {
		name, text string
		code       fault.Code
		want       string
	}{
		{"whole", second(whole), "",
			`{"format":1,"campaign":"small","version":2,"game":"game-1","status":"active","scene":"lobby","turn":4,"draws":0,` +
				`"seed":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","replay":false,` +
				`"variables":{"coins":5,"luck":true},"achievements":["wealthy"],"used":[]}`},
		{"of another version", strings.Replace(second(whole), "version: 2", "version: 3", 1), "", ""},
		{"none", strings.Replace(second(whole), "\nmigrates:\n  - "+whole, "", 1), fault.SaveRequiresMigration, ""},
		{"only of another version", strings.NewReplacer("version: 2", "version: 3", "from: 1", "from: 2").Replace(second(whole)), fault.SaveRequiresMigration, ""},
		{"scene without a counterpart", second(strings.Replace(whole, "scenes: {hall: lobby}, ", "", 1)), fault.MigrationFailed, ""},
		{"scene of another status", second(strings.Replace(whole, "hall: lobby", "hall: out", 1)), fault.MigrationFailed, ""},
		{"variable without a counterpart", second(strings.Replace(whole, ", name: false", "", 1)), fault.MigrationFailed, ""},
		{"variable of another type", second(strings.Replace(whole, "gold: coins, name: false", "gold: luck, name: false", 1)), fault.MigrationFailed, ""},
		{"achievement without a counterpart", second(strings.Replace(whole, ", achievements: {rich: wealthy}", "", 1)), fault.MigrationFailed, ""},
		{"achievement dropped", second(strings.Replace(whole, "rich: wealthy", "rich: false", 1)), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _, err := load(c.text)
			if err != nil {
				t.Fatal(err)
			}
			p, err := e.Load(t.Context(), g.blob)
			if c.code != "" {
				if fault.CodeOf(err) != c.code {
					t.Fatalf("got %v, want %s", err, c.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.want != "" && p.Blob != c.want {
				t.Errorf("got  %s\nwant %s", p.Blob, c.want)
			}
			if p.ReplayCompatible || p.CampaignID != "small" || p.Scene.TextKey != "hall" {
				t.Errorf("position %+v", p)
			}
			again, err := e.Load(t.Context(), p.Blob)
			if err != nil || again.Blob != p.Blob || again.ReplayCompatible {
				t.Errorf("loaded again: %+v, %v", again, err)
			}
		})
	}
}

func TestMigrationKeepsOnceOnlyActionsThatAreStillThere(t *testing.T) {
	text := strings.Replace(small, "- id: dig\n", "- id: dig\n        once: true\n", 1)
	old, _, err := load(text)
	if err != nil {
		t.Fatal(err)
	}
	g := begin(t, old, "small", "abc")
	g.do("dig")
	next := strings.Replace(text, "version: 1", "version: 2\nmigrates: [{from: 1}]", 1)
	for _, c := range []struct{ text, used string }{
		{next, `"used":["hall/dig"]`},
		{strings.Replace(next, "        once: true\n", "", 1), `"used":[]`},
	} {
		e, _, err := load(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := e.Load(t.Context(), g.blob); err != nil || !strings.Contains(p.Blob, c.used) {
			t.Errorf("got %s, %v; want %s", p.Blob, err, c.used)
		}
	}
}

func TestFaultsOfMigrations(t *testing.T) {
	_, _, err := load(second("{from: 1, scenes: {hall: hal}, variables: {gold: coin, name: true, s: coins, u: coins}, achievements: {rich: 1}, x: 1}"))
	want := []string{
		`small.yaml:5:30: migrates[0].scenes.hall: there is no "hal" in this version`,
		`small.yaml:5:54: migrates[0].variables.gold: there is no "coin" in this version`,
		`small.yaml:5:66: migrates[0].variables.name: must be a new name, or false to drop the old one`,
		`small.yaml:5:85: migrates[0].variables.u: "coins" is the new name of two`,
		`small.yaml:5:114: migrates[0].achievements.rich: must be a new name, or false to drop the old one`,
		`small.yaml:5:118: migrates[0].x: is not a member of the format`,
	}
	if got := faults(t, err); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// A game goes on under the version that it began with, while new games begin
// in the newest.
func TestVersionsSideBySide(t *testing.T) {
	old, _, err := load(small)
	if err != nil {
		t.Fatal(err)
	}
	g := begin(t, old, "small", "abc")
	both, _, err := storygraph.Load(fstest.MapFS{
		"small-1.yaml": {Data: []byte(small)},
		"small-2.yaml": {Data: []byte(second("{from: 1, scenes: {hall: lobby}, variables: {gold: coins, name: false}}"))},
	})
	if err != nil {
		t.Fatal(err)
	}
	live := *g
	live.e = both
	live.do("dig")
	if !strings.Contains(live.blob, `"version":1,`) || !strings.Contains(live.blob, `"gold":4`) {
		t.Errorf("the live game: %s", live.blob)
	}
	if p, err := both.Load(t.Context(), g.blob); err != nil || p.Blob != g.blob {
		t.Errorf("the save: %s, %v", p.Blob, err)
	}
	if fresh := begin(t, both, "small", "abc"); !strings.Contains(fresh.blob, `"version":2,`) {
		t.Errorf("the new game: %s", fresh.blob)
	}
	if list := both.Campaigns(); len(list) != 1 {
		t.Errorf("campaigns %v", list)
	}
	// Without the old version, what its live games can be asked for fails in
	// the way that each operation has.
	newer, _, err := load(second("{from: 1, scenes: {hall: lobby}, variables: {gold: coins, name: false}}"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := codes(t.Context(), newer, g.blob), same(fault.InternalFailure, fault.InvalidState, ""); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestStringsAreTheDefaultLocalesOverTheReasons(t *testing.T) {
	text := strings.Replace(small, "    t: Text\n", "    t: Text\n    core.reason.game_ended: Enough!\n", 1)
	e, _, err := load(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Strings(t.Context(), begin(t, e, "small", "abc").blob)
	if err != nil {
		t.Fatal(err)
	}
	want := engine.ReasonTexts()
	maps.Copy(want, map[string]string{
		"t": "Text", "hall": "You have {gold} gold.", "dug": "You found {gold}.", "core.reason.game_ended": "Enough!",
	})
	if !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
