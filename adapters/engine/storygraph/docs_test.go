package storygraph_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/holdfast-dev/holdfast/adapters/engine/storygraph"
)

// The example of the documentation loads, its fault is what the loader
// prints, and the migration that it shows fits it.
func TestDocumentationIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../../docs/campaigns.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```(?:yaml)?\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 4 {
		t.Fatalf("the documentation has %d blocks", len(blocks))
	}
	example, printed, migration := blocks[1][1], blocks[2][1], blocks[3][1]
	ferry := func(text string) (*storygraph.Engine, error) {
		e, _, err := storygraph.Load(fstest.MapFS{"ferry.yaml": {Data: []byte(text)}})
		return e, err
	}
	old, err := ferry(strings.Replace(example, "version: 1", "version: 2", 1))
	if err != nil {
		t.Fatal(err)
	}
	_, err = ferry(strings.Replace(example, "goto: far-bank", "goto: farbank", 1))
	if err == nil || err.Error()+"\n" != printed {
		t.Errorf("the loader prints\n%v\nand the documentation has\n%s", err, printed)
	}
	next := strings.NewReplacer(
		"coins", "silver", "storm", "rain", "across", "over-the-water", "start: pier", "start: landing", "  pier:\n    text", "  landing:\n    text",
	).Replace(example)
	now, err := ferry(strings.Replace(next, "version: 1\n", migration, 1))
	if err != nil {
		t.Fatal(err)
	}
	g := begin(t, old, "ferry", "seed")
	p, err := now.Load(t.Context(), g.blob)
	if err != nil || p.Scene.Text != "A pier in the rain. You have 2 silver." {
		t.Errorf("%+v, %v", p.Scene, err)
	}
}
