package storygraph

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/holdfast-dev/holdfast/campaigns"
	"github.com/holdfast-dev/holdfast/core/engine"
)

// bigCampaign writes a campaign of 120 variables, half integers and half
// texts, whose blobs are about 5 KB. Its action "work" changes a few of them;
// "reckon" does the same under a condition.
func bigCampaign() string {
	var b strings.Builder
	b.WriteString("kind: story-graph\nid: big\nversion: 1\ntitle: t\nstart: yard\nvariables:\n")
	for i := range 60 {
		fmt.Fprintf(&b, "  stock_of_goods_%02d: {type: integer, initial: %d, min: 0, max: 1000000}\n", i, 1000+i*37)
		fmt.Fprintf(&b, "  label_of_crate_%02d: {type: string, initial: crate number %d stands in row %d of the long northern hall}\n", i, i, i%7)
	}
	b.WriteString(`scenes:
  yard:
    text: t
    actions:
      - {id: work, label: t, effects: [{increment: stock_of_goods_07, value: 3}, {decrement: stock_of_goods_11}, {set: label_of_crate_05, value: moved}]}
      - {id: close, label: t, goto: end}
  office:
    text: t
    actions:
      - {id: reckon, label: t, when: stock_of_goods_01 > 10 && stock_of_goods_02 < 5000, effects: [{increment: stock_of_goods_07, expr: stock_of_goods_08 / 2}]}
      - {id: close, label: t, goto: end}
  end: {text: t, ending: ended}
strings: {en: {t: A yard full of crates.}}
`)
	return strings.Replace(b.String(), "goto: end}\n  office", "goto: end}\n      - {id: go, label: t, goto: office}\n  office", 1)
}

func loadText(tb testing.TB, text string) *Engine {
	tb.Helper()
	e, _, err := Load(fstest.MapFS{"campaign.yaml": {Data: []byte(text)}})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// startBig begins the big campaign and makes moves, the last of which must be
// accepted.
func startBig(tb testing.TB, moves ...string) (*Engine, string) {
	tb.Helper()
	e := loadText(tb, bigCampaign())
	p, err := e.Start(tb.Context(), engine.Start{CampaignID: "big", GameID: "game-1", Seed: "seed"})
	if err != nil {
		tb.Fatal(err)
	}
	blob := p.Blob
	for _, m := range moves {
		o, err := e.Apply(tb.Context(), blob, engine.Move{ActionID: m})
		if err != nil || !o.Result.OK {
			tb.Fatal(err, o.Result.Errors)
		}
		blob = o.Blob
	}
	return e, blob
}

func BenchmarkApply(b *testing.B) {
	run := func(name, action string, open func(testing.TB) (*Engine, string)) {
		b.Run(name, func(b *testing.B) {
			e, blob := open(b)
			ctx := b.Context()
			b.SetBytes(int64(len(blob)))
			b.ReportAllocs()
			for b.Loop() {
				if o, err := e.Apply(ctx, blob, engine.Move{ActionID: action}); err != nil || !o.Result.OK {
					b.Fatal(err)
				}
			}
		})
	}
	run("plain", "work", func(tb testing.TB) (*Engine, string) { return startBig(tb) })
	run("condition", "reckon", func(tb testing.TB) (*Engine, string) { return startBig(tb, "go") })
	run("saltmarsh", "haggle", saltmarsh)
}

func BenchmarkScene(b *testing.B) {
	run := func(name string, open func(testing.TB) (*Engine, string)) {
		b.Run(name, func(b *testing.B) {
			e, blob := open(b)
			ctx := b.Context()
			b.SetBytes(int64(len(blob)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Scene(ctx, blob); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("plain", func(tb testing.TB) (*Engine, string) { return startBig(tb) })
	run("changed", func(tb testing.TB) (*Engine, string) { return changedAll(tb) })
	run("saltmarsh", saltmarsh)
}

// changedAll is a big game in which no variable is what it was at the start.
func changedAll(tb testing.TB) (*Engine, string) {
	tb.Helper()
	e, blob := startBig(tb)
	s, err := e.open(blob)
	if err != nil {
		tb.Fatal(err)
	}
	defer s.release()
	for i := range s.vars {
		v := s.vars[i].value
		if v.f++; v.kind == stringKind {
			v = stringValue(strings.ToUpper(v.s))
		}
		s.vars[i].set(v)
	}
	return e, s.blob()
}

// saltmarsh is the game that the benchmark of the whole service plays.
func saltmarsh(tb testing.TB) (*Engine, string) {
	tb.Helper()
	const folder = "../../../app/bench/testdata/"
	text, err := os.ReadFile(folder + "campaigns/saltmarsh.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	blob, err := os.ReadFile(folder + "blob.json")
	if err != nil {
		tb.Fatal(err)
	}
	return loadText(tb, string(text)), strings.TrimSpace(string(blob))
}

func TestBigCampaignHasABlobOfFiveKilobytes(t *testing.T) {
	_, blob := startBig(t, "work")
	if len(blob) < 5000 || len(blob) > 8000 {
		t.Fatalf("the blob has %d bytes", len(blob))
	}
}

// BenchmarkLoad is what the bundled campaigns add to a start.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, _, err := Load(campaigns.FS); err != nil {
			b.Fatal(err)
		}
	}
}
