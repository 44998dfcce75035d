package backoff_test

import (
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/core/backoff"
)

func TestDelay(t *testing.T) {
	for _, c := range []struct {
		n    int
		want time.Duration
	}{
		{1, 250 * time.Millisecond},
		{2, 500 * time.Millisecond},
		{5, 4 * time.Second},
		{8, 32 * time.Second},
		{9, time.Minute},
		{1 << 30, time.Minute},
	} {
		if got := backoff.Delay(c.n, 250*time.Millisecond, time.Minute); got != c.want {
			t.Errorf("Delay(%d) = %v, want %v", c.n, got, c.want)
		}
	}
}
