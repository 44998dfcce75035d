package main

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func schedule(seed uint64, rounds int) (steps []string) {
	p := newPlan(seed, 3)
	for range rounds {
		for _, s := range p.next(roundLength) {
			steps = append(steps, fmt.Sprint(s, s.dice))
		}
	}
	return steps
}

func TestSeedReplaysSchedule(t *testing.T) {
	first := schedule(7, 5)
	if !slices.Equal(first, schedule(7, 5)) {
		t.Error("one seed gives two schedules")
	}
	if slices.Equal(first, schedule(8, 5)) {
		t.Error("two seeds give one schedule")
	}
}

func TestSchedule(t *testing.T) {
	for seed := range uint64(200) {
		p := newPlan(seed, 2)
		seen := map[string]int{}
		for range 3 {
			until := map[string]time.Duration{}
			for _, s := range p.next(roundLength) {
				seen[s.fault.kind]++
				if s.at < until[s.target()] {
					t.Errorf("seed %d: %v while %s has another fault", seed, s, s.target())
				}
				until[s.target()] = s.at + s.hold
				if s.at > roundLength || s.hold < s.fault.shortest || s.hold > s.fault.longest || s.instance > 1 {
					t.Errorf("seed %d: %v is out of bounds", seed, s)
				}
			}
		}
		if len(seen) != len(faults) {
			t.Errorf("seed %d: three rounds have %v and no other fault", seed, seen)
		}
	}
}
