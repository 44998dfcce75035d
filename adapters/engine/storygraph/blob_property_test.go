package storygraph

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-faster/jx"
	"pgregory.net/rapid"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// sample is a campaign with variables of each kind, shown and hidden, in each
// neighbourhood.
const sample = `
kind: story-graph
id: sample
version: 2
title: l
start: a
variables:
  a_number: {type: number, initial: 0.375}
  b_text: {type: string, initial: begin}
  c_integer: {type: integer, initial: 1, visible: false}
  d_truth: {type: boolean, initial: true}
  e_integer: {type: integer, initial: 12}
  f_text: {type: string, initial: '', visible: false}
  g_truth: {type: boolean, initial: false, visible: false}
  h_number: {type: number, initial: 1.0e+21}
achievements: {one: {title: l}, two: {title: l}}
scenes:
  a:
    text: t
    actions:
      - {id: x, label: l, once: true, award: [one, two], effects: [{set: c_integer, value: 2}, {set: f_text, value: x}, {set: g_truth, value: true}]}
      - {id: y, label: l, once: true}
      - {id: z, label: l, goto: b}
  b: {text: t, ending: ended}
strings: {en: {t: '{c_integer} {f_text} {g_truth}', l: L}}
`

var texts = rapid.OneOf(
	rapid.StringN(0, 40, 200),
	rapid.StringOfN(rapid.RuneFrom([]rune("a\"\\/\x01\x08\x0c\x1f\x7f\n\r\t<&é\u2028\ufffd🗝")), 0, 20, -1),
).Filter(func(s string) bool { return soundID(s) })

func drawValue(t *rapid.T, declared variable) value {
	var v value
	switch declared.kind {
	case integerKind:
		v = integerValue(rapid.OneOf(rapid.Int64Range(-20, 200), rapid.Int64Range(-maxInteger, maxInteger)).Draw(t, "integer"))
	case numberKind:
		v = numberValue(rapid.OneOf(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), rapid.Float64Range(-2, 2),
			rapid.SampledFrom([]float64{0, 1e-6, 1e-7, 1e20, 1e21, -1.5e-9, 5e-324})).Draw(t, "number"))
	case stringKind:
		v = stringValue(texts.Draw(t, "text"))
	default:
		v = booleanValue(rapid.Bool().Draw(t, "truth"))
	}
	return rapid.SampledFrom([]value{v, declared.initial}).Draw(t, "value")
}

func drawState(t *rapid.T, c *campaign) *state {
	counter := rapid.OneOf(rapid.Int64Range(0, 12), rapid.Int64Range(0, maxInteger))
	s := c.begin(engine.Start{CampaignID: c.id, GameID: texts.Draw(t, "game"), Seed: texts.Draw(t, "seed")})
	s.turn, s.draws = counter.Draw(t, "turn"), counter.Draw(t, "draws")
	s.replay = rapid.Bool().Draw(t, "replay")
	if rapid.Bool().Draw(t, "ended") {
		s.sceneID, s.status = "b", engine.Ended
	}
	for i := range s.vars {
		s.vars[i].set(drawValue(t, c.vars[i]))
	}
	some := func(all ...string) []string {
		return slices.DeleteFunc(all, func(string) bool { return rapid.Bool().Draw(t, "left out") })
	}
	s.achievements, s.used = some("one", "two"), some("a/x", "a/y")
	return s
}

// agree holds decode against the oracle: it takes the same blobs, and reads
// the same out of them.
func agree(t interface{ Fatalf(string, ...any) }, e *Engine, blob string) {
	want, sound := readPlain(e, blob)
	s, err := e.decode(blob)
	if (err == nil) != sound {
		t.Fatalf("decode: %v, but sound is %v: %q", err, sound, blob)
	}
	if err != nil {
		return
	}
	defer s.release()
	got := plain{
		campaign: s.campaign, campaignID: s.campaignID, format: 1, version: s.version, game: s.game, status: string(s.status),
		scene: s.sceneID, turn: s.turn, draws: s.draws, seed: s.seed, replay: s.replay, earned: s.achievements, used: append([]string(nil), s.used...),
	}
	foreign, unfit := false, false
	for i, h := range s.vars {
		got.values = append(got.values, h.value)
		if s.campaign == nil {
			continue
		}
		if i >= len(s.campaign.vars) || want.names[i] != s.campaign.vars[i].name {
			foreign = true
		} else if declared := s.campaign.vars[i]; h.value.kind != declared.kind || !declared.bounds.hold(h.value) {
			unfit = true
		}
	}
	if got.names = append([]string(nil), s.names...); s.campaign != nil {
		got.names = want.names
	}
	if a, b := fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", *want); a != b || foreign != s.foreign || unfit != s.unfit {
		t.Fatalf("%q\nread as  %s, foreign %v, unfit %v\ninstead of %s, %v, %v", blob, a, s.foreign, s.unfit, b, foreign, unfit)
	}
	if s.campaign != nil && s.fits() && s.blob() != blob {
		t.Fatalf("%q\nis written again as\n%q", blob, s.blob())
	}
}

func TestDecodeTakesWhatEncodeWrites(t *testing.T) {
	e := loadText(t, sample)
	rapid.Check(t, func(t *rapid.T) {
		blob := drawState(t, e.newest["sample"]).blob()
		agree(t, e, blob)
		s, err := e.decode(blob)
		if err != nil {
			t.Fatalf("%v: %s", err, blob)
		}
		s.release()
		agree(t, e, strings.Replace(blob, `"version":2`, `"version":1`, 1)) // not loaded
	})
}

// TestChangedStateIsWrittenAsIfFromNothing: what is copied from the old blob
// and what is written anew make the same blob and view as writing all anew.
func TestChangedStateIsWrittenAsIfFromNothing(t *testing.T) {
	e := loadText(t, sample)
	c := e.newest["sample"]
	rapid.Check(t, func(t *rapid.T) {
		s, err := e.open(drawState(t, c).blob())
		if err != nil {
			t.Fatal(err)
		}
		defer s.release()
		for i := range s.vars {
			if rapid.Bool().Draw(t, "changed") {
				s.vars[i].set(drawValue(t, c.vars[i]))
			}
		}
		blob, view := s.blob(), string(s.view().KindView)
		s.text = ""
		for i := range s.vars {
			s.vars[i].set(s.vars[i].value)
		}
		if fresh := s.blob(); blob != fresh {
			t.Fatalf("%s\ninstead of\n%s", blob, fresh)
		}
		if fresh := string(s.view().KindView); view != fresh || !jx.Valid([]byte(view)) {
			t.Fatalf("%s\ninstead of\n%s", view, fresh)
		}
		for _, declared := range c.vars {
			if strings.Contains(view, declared.field) != declared.visible {
				t.Fatalf("%s, visible %v: %s", declared.field, declared.visible, view)
			}
		}
	})
}

// TestMutatedBlobs: a blob with a few bytes wrong is taken exactly where it
// is what could have been written.
func TestMutatedBlobs(t *testing.T) {
	e := loadText(t, sample)
	pieces := rapid.SampledFrom([]string{
		"", "0", "1", "9", "-", "-0", ".", ".0", "e", "E+1", "+", " ", "\t", "\n", `"`, `\`, `\n`, `\"`, `\/`, `\b`, `\u0008`, `\u000a`, `\u001F`, `\u001f`, `\u0000`,
		`\u0041`, "\x00", "\x1f", "\x7f", "\x80", "\xff", "é", ",", ":", "{", "}", "[", "]", "true", "false", "null", "a", "z_", "_", "/", `,"a/z"`, `"x":1,`, `"h_nummer":1`,
		"9007199254740991", "9007199254740992", "90071992547409910", "99999999999999999999", "1e400", "1e21", "1e+21", "1e-7", "0.1", "Inf", "0x1", "1_0",
	})
	rapid.Check(t, func(t *rapid.T) {
		blob := drawState(t, e.newest["sample"]).blob()
		if rapid.Bool().Draw(t, "gone") {
			blob = strings.Replace(blob, `"version":2`, `"version":1`, 1)
		}
		for range rapid.IntRange(1, 2).Draw(t, "mutations") {
			at := rapid.IntRange(0, len(blob)).Draw(t, "at")
			to := min(at+rapid.IntRange(0, 6).Draw(t, "cut"), len(blob))
			blob = blob[:at] + pieces.Draw(t, "piece") + blob[to:]
		}
		agree(t, e, blob)
	})
}

// TestWrongByteInABlob puts each byte that means something in JSON, or that
// strings treat in their own way, in every place, and leaves every byte out.
func TestWrongByteInABlob(t *testing.T) {
	const bytes = "\"\\/,:{}[]-+.0159eEabunrtxX_ \n\x00\x1f\x7f\x80\xc3\xff"
	e := loadText(t, sample)
	s := e.newest["sample"].begin(engine.Start{CampaignID: "sample", GameID: "g\n\x01\"", Seed: "seed"})
	s.vars[1].set(stringValue("é\\\x1f"))
	s.vars[4].set(integerValue(-10))
	s.achievements, s.used = []string{"one"}, []string{"a/x", "a/y"}
	blob := []byte(s.blob())
	agree(t, e, string(blob))
	for at, was := range blob {
		for i := range len(bytes) {
			blob[at] = bytes[i]
			agree(t, e, string(blob))
		}
		blob[at] = was
		agree(t, e, string(slices.Delete(slices.Clone(blob), at, at+1)))
	}
}

// FuzzDecode holds decode against the oracle.
func FuzzDecode(f *testing.F) {
	e := loadText(f, sample)
	blob := e.newest["sample"].begin(engine.Start{CampaignID: "sample", GameID: "g\n", Seed: "seed"}).blob()
	f.Add(blob)
	f.Add(strings.Replace(blob, `"version":2`, `"version":1`, 1))
	f.Add(strings.NewReplacer(`0.375`, `1e-7`, `:1,`, `:9007199254740991,`, `begin`, `\u001f\\`, `"used":[]`, `"used":["a/x","a/y"]`).Replace(blob))
	f.Fuzz(func(t *testing.T, blob string) { agree(t, e, blob) })
}
