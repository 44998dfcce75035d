package system_test

import (
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/system"
)

func TestClockIsTheMachines(t *testing.T) {
	before := time.Now()
	now := system.Clock{}.Now()
	after := time.Now()
	if now.Before(before) || now.After(after) {
		t.Errorf("%v does not lie between %v and %v", now, before, after)
	}
	if now.Location() != time.UTC {
		t.Errorf("%v is not in UTC", now)
	}
}

// TestIDs: 20,000 ids from 4 goroutines are in form and all different, and
// every one of the 128 bits takes both values.
func TestIDs(t *testing.T) {
	const goroutines, each = 4, 5000
	ids := make([][each]string, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				ids[g][i] = system.IDs{}.Next()
			}
		})
	}
	wg.Wait()
	form := regexp.MustCompile(`^[0-9a-f]{32}$`)
	seen := map[string]bool{}
	var digits [32]map[byte]bool
	for g := range ids {
		for _, id := range ids[g] {
			if !form.MatchString(id) {
				t.Fatalf("id %q", id)
			}
			if seen[id] {
				t.Fatalf("id %q came twice", id)
			}
			seen[id] = true
			for i := range digits {
				if digits[i] == nil {
					digits[i] = map[byte]bool{}
				}
				digits[i][id[i]] = true
			}
		}
	}
	for i, d := range digits {
		if len(d) != 16 {
			t.Errorf("digit %d took %d values in %d ids, want all 16", i, len(d), goroutines*each)
		}
	}
}
