package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/app/devstack"
)

// play runs with a fixed seed and returns the report; without a PostgreSQL to
// be had the test is skipped, or fails where it must not be.
func play(t *testing.T, s settings) *report {
	t.Helper()
	if testing.Short() {
		t.Skip("a chaos run takes its time")
	}
	s.instances, s.race, s.progress = 3, raced, t.Output()
	r, err := run(t.Context(), s)
	if errors.Is(err, devstack.ErrNotFound) {
		if _, required, _ := devstack.FromEnv(); !required {
			t.Skipf("no server to test with: %v", err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	r.print(t.Output())
	return r
}

// The suite's own chaos run (spec 60).
func TestChaos(t *testing.T) {
	r := play(t, settings{seed: 1, duration: 16 * time.Second})
	if !r.passed() {
		t.Error(r.verdict())
	}
	if r.count(ok) == 0 || r.count(refused) == 0 || r.count(maybe) == 0 || r.checked == 0 || r.saves == 0 {
		t.Error("the run has nothing of what it is to check")
	}
	if len(r.faults) != len(faults) {
		t.Errorf("the run had %d kinds of faults, want %d", len(r.faults), len(faults))
	}
}

// The run can fail: with the guard taken out of the guarded write it does
// (spec 10, proof 4).
func TestChaosCatchesMissingGuard(t *testing.T) {
	r := play(t, settings{seed: 1, duration: 20 * time.Second, mutant: "guard"})
	if r.passed() {
		t.Error(r.verdict())
	}
}

// Every mutant still fits the code. (All of them are run by
// `task chaos -- -mutant all`.)
func TestMutantsFit(t *testing.T) {
	root, err := moduleRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range mutantNames() {
		files, err := mutated(root, name)
		if err != nil {
			t.Error(err)
		}
		for file, content := range files {
			original, err := os.ReadFile(filepath.Join(root, file))
			if err != nil || content == string(original) {
				t.Errorf("mutant %s changes nothing in %s (%v)", name, file, err)
			}
		}
	}
	if _, err := mutated(root, "none"); err == nil || !strings.Contains(err.Error(), "guard") {
		t.Errorf("an unknown mutant gives %v, want the names of those there are", err)
	}
}

func TestCommandRefuses(t *testing.T) {
	for _, args := range [][]string{{"-instances", "1"}, {"-instances", "5"}, {"-duration", "0s"}, {"-duration", "x"}, {"more"}} {
		var out bytes.Buffer
		if code := command(context.Background(), args, &out); code != 1 || out.Len() == 0 {
			t.Errorf("%q: code %d, %q", args, code, &out)
		}
	}
}
