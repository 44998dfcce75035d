package clock_test

import (
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/core/clock"
)

func TestFixedStandsStill(t *testing.T) {
	at := time.Date(2026, time.March, 1, 12, 30, 0, 5, time.UTC)
	var c clock.Clock = clock.Fixed(at)
	for range 3 {
		if got := c.Now(); got != at {
			t.Errorf("now is %v, want %v", got, at)
		}
	}
}
