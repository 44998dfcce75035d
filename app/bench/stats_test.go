package bench

import (
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"none", nil, 0},
		{"one", []float64{3}, 3},
		{"odd, unsorted", []float64{9, 1, 5}, 5},
		{"even", []float64{4, 1, 2, 100}, 3},
		{"an outlier moves nothing", []float64{10, 11, 12, 13, 10_000}, 12},
	} {
		if got := median(c.values); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestMedianLeavesItsArgument(t *testing.T) {
	values := []float64{3, 1, 2}
	median(values)
	if values[0] != 3 || values[1] != 1 || values[2] != 2 {
		t.Errorf("the values are %v now", values)
	}
}

// TestPercentile: nearest rank over 1 … 100 ms makes the pth percentile p ms.
func TestPercentile(t *testing.T) {
	var hundred []time.Duration
	for i := 100; i >= 1; i-- {
		hundred = append(hundred, time.Duration(i)*time.Millisecond)
	}
	for _, c := range []struct {
		name string
		of   []time.Duration
		p    float64
		want time.Duration
	}{
		{"none", nil, 99, 0},
		{"one", []time.Duration{7}, 99, 7},
		{"the least", hundred, 0, time.Millisecond},
		{"half", hundred, 50, 50 * time.Millisecond},
		{"99", hundred, 99, 99 * time.Millisecond},
		{"between ranks it is the next", hundred, 98.5, 99 * time.Millisecond},
		{"the greatest", hundred, 100, 100 * time.Millisecond},
		{"two", []time.Duration{2, 1}, 50, 1},
	} {
		if got := percentile(c.of, c.p); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestSampleOf(t *testing.T) {
	latencies := []time.Duration{4 * time.Millisecond, time.Millisecond, 1500 * time.Microsecond}
	got := sampleOf(latencies, 2, 4*time.Second)
	if got.Rate != 0.5 || got.P50 != 1.5 || got.P99 != 4 {
		t.Errorf("%+v", got)
	}
}
