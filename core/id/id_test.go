package id_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/holdfast-dev/holdfast/core/id"
)

var _ id.Source = (*id.Counting)(nil)

func TestCountingBeginsAtOne(t *testing.T) {
	var c id.Counting
	for _, want := range []string{
		"00000000000000000000000000000001",
		"00000000000000000000000000000002",
		"00000000000000000000000000000003",
	} {
		if got := c.Next(); got != want {
			t.Errorf("id %s, want %s", got, want)
		}
	}
	for range 12 {
		c.Next()
	}
	if got, want := c.Next(), "00000000000000000000000000000010"; got != want {
		t.Errorf("the sixteenth id is %s, want %s", got, want)
	}
}

func TestCountingSkipsAndRepeatsNothingUnderConcurrency(t *testing.T) {
	const goroutines, each = 8, 250
	var c id.Counting
	var mu sync.Mutex
	seen := map[string]int{}
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				next := c.Next()
				mu.Lock()
				seen[next]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for n := 1; n <= goroutines*each; n++ {
		if got := seen[fmt.Sprintf("%032x", n)]; got != 1 {
			t.Errorf("id %d came %d times", n, got)
		}
	}
}

// TestShort: the digest is that of FIPS 180-2's example "abc".
func TestShort(t *testing.T) {
	if got, want := id.Short("abc"), "ba7816bf8f01"; got != want {
		t.Errorf("short hash %s, want %s", got, want)
	}
}
