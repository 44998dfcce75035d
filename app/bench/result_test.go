package bench

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func rounds(name string, rates ...float64) ContenderResult {
	c := ContenderResult{Name: name}
	for _, r := range rates {
		c.Rounds = append(c.Rounds, Sample{Rate: r, P50: 1, P99: 1000 / r})
	}
	return c
}

// TestRatio: the median of the rounds' ratios, not the ratio of medians, so
// that a machine that slows down for a round slows both.
func TestRatio(t *testing.T) {
	base := rounds(pgbenchName, 1000, 500, 2000)
	ours := rounds(holdfastName, 900, 400, 1000)
	ratio, least, greatest := ours.ratio(base, rate)
	if ratio != 0.8 || least != 0.5 || greatest != 0.9 {
		t.Errorf("%v (%v–%v), want 0.8 (0.5–0.9)", ratio, least, greatest)
	}
	if ratio, _, _ := ours.ratio(ContenderResult{}, rate); ratio != 0 {
		t.Errorf("without a baseline the ratio is %v", ratio)
	}
}

func TestMet(t *testing.T) {
	for _, c := range []struct {
		name string
		goal Goal
		want bool
	}{
		{"rate reached", Goal{Rate: 0.8}, true},
		{"rate missed", Goal{Rate: 0.81}, false},
		{"tail within", Goal{Rate: 0.8, P99: 1.25}, true},
		{"tail beyond", Goal{Rate: 0.8, P99: 1.2}, false},
	} {
		w := WorkResult{Baseline: pgbenchName, Goal: c.goal, Contenders: []ContenderResult{rounds(pgbenchName, 1000), rounds(holdfastName, 800)}}
		if got := w.met(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestMarkdown: a goal that was missed is said to be missed.
func TestMarkdown(t *testing.T) {
	r := &Result{
		Date: "2026-01-02", Machine: Machine{OS: "linux", Arch: "amd64", CPUs: 2},
		Versions: map[string]string{"go": "go1.26.8", "postgresql": "15.1"},
		Works: []WorkResult{
			{
				Name: "one", Unit: "x/s", Baseline: pgbenchName, Goal: Goal{Rate: 0.9, P99: 2},
				Contenders: []ContenderResult{rounds(pgbenchName, 1000), rounds(holdfastName, 800), rounds(naiveName, 400)},
			},
			{
				Name: "two", Unit: "x/s", Baseline: naiveName, Goal: Goal{Rate: 2},
				Contenders: []ContenderResult{rounds(naiveName, 100), rounds(holdfastName, 250)},
			},
		},
	}
	page := r.Markdown()
	for _, want := range []string{
		"| one | pgbench | 1000 x/s | 800 | 0.80 (0.80–0.80) | at least 0.90: **not met** | 1.00 / 1.00 | 1.00 / 1.25 | at most 2.0 times: 1.25, met |\n",
		"| two | naive Go | 100 x/s | 250 | 2.50 (2.50–2.50) | at least 2.00: met |",
		"| one | 400 x/s | 0.40 | 2.00 |",
		"2 CPUs, linux/amd64. Go 1.26.8, PostgreSQL 15.1, Holdfast of an unknown commit.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks\n%s\nit is\n%s", want, page)
		}
	}
	for _, never := range []string{"CPU time of one operation", "Where the rest goes"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has a section %q of nothing", never)
		}
	}
}

// TestPageIsWrittenFromItsFile: docs/benchmarks.md is what
// docs/benchmarks.json gives.
func TestPageIsWrittenFromItsFile(t *testing.T) {
	text, err := os.ReadFile("../../docs/benchmarks.json")
	if err != nil {
		t.Fatal(err)
	}
	var r Result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != r.Markdown() {
		t.Error("docs/benchmarks.md is not what docs/benchmarks.json gives: task bench writes both")
	}
}
