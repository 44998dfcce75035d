package storygraph

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// answers makes every call with a blob and gives all that came back.
func answers(tb testing.TB, e *Engine, blob, action string) []any {
	ctx := tb.Context()
	var all []any
	add := func(v any, err error) { all = append(all, v, err) }
	scene, err := e.Scene(ctx, blob)
	add(scene, err)
	view, err := e.View(ctx, blob)
	add(view, err)
	texts, err := e.Strings(ctx, blob)
	add(texts, err)
	outcome, err := e.Apply(ctx, blob, engine.Move{ActionID: action})
	if outcome.Result.Scene != nil {
		add(*outcome.Result.Scene, nil)
		outcome.Result.Scene = nil
	}
	add(outcome, err)
	resumed, err := e.Resume(ctx, blob)
	add(resumed, err)
	loaded, err := e.Load(ctx, blob)
	add(loaded, err)
	return all
}

func shown(all []any) string { return fmt.Sprintf("%+v", all) }

// TestAnswersOutliveTheirState: states are used again, and answers that were
// given stay what they are.
func TestAnswersOutliveTheirState(t *testing.T) {
	e := loadText(t, sample)
	begin := e.newest["sample"].begin(engine.Start{CampaignID: "sample", GameID: "one \\", Seed: "seed"})
	first := begin.blob()
	begin.game, begin.turn, begin.achievements, begin.used = "another", 7, []string{"two"}, []string{"a/y"}
	for i := range begin.vars {
		if begin.vars[i].value.kind == stringKind {
			begin.vars[i].set(stringValue("quite another \n text"))
		}
	}
	second := begin.blob()
	broken := strings.Replace(second, `"g_truth":false`, `"g_truth":"false"`, 1)
	blobs := []string{first, second, broken, second[:300], strings.Replace(first, `"version":2`, `"version":1`, 1)}
	kept, want := make([][]any, len(blobs)), make([]string, len(blobs))
	for i, blob := range blobs {
		kept[i] = answers(t, e, blob, "x")
		want[i] = shown(kept[i])
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 25 {
				for i, blob := range blobs {
					if got := shown(answers(t, e, blob, "x")); got != want[i] {
						t.Errorf("blob %d: %s\ninstead of\n%s", i, got, want[i])
					}
				}
			}
		})
	}
	group.Wait()
	for i := range blobs {
		if got := shown(kept[i]); got != want[i] {
			t.Errorf("blob %d: the answer became %s\nfrom\n%s", i, got, want[i])
		}
	}
}

func TestReleaseKeepsNothingOfABlob(t *testing.T) {
	e := loadText(t, sample)
	blob := e.newest["sample"].begin(engine.Start{CampaignID: "sample", GameID: "g", Seed: "seed"}).blob()
	blob = strings.Replace(blob, `"used":[]`, `"used":["a/x"]`, 1)
	for _, blob := range []string{blob, strings.Replace(blob, `"version":2`, `"version":1`, 1)} {
		s, err := e.decode(blob)
		if err != nil {
			t.Fatal(err)
		}
		vars, names, used := s.vars, s.names, s.used
		s.release()
		for _, h := range vars {
			if h != (held{}) {
				t.Errorf("a variable is left: %+v", h)
			}
		}
		if left := strings.Join(names, "") + strings.Join(used, ""); left != "" {
			t.Errorf("%q is left", left)
		}
	}
}
