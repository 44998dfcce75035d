package bench

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// median of values; the mean of the middle two where their number is even. It
// is 0 for none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// percentile of latencies, by the nearest rank: the least of them that p per
// cent do not exceed. It sorts them. It is 0 for none.
func percentile(latencies []time.Duration, p float64) time.Duration {
	if len(latencies) == 0 {
		return 0
	}
	slices.Sort(latencies)
	rank := int(math.Ceil(p / 100 * float64(len(latencies))))
	return latencies[max(rank, 1)-1]
}

// sampleOf sums up one slot.
func sampleOf(latencies []time.Duration, counted int, elapsed time.Duration) Sample {
	return Sample{
		Rate: float64(counted) / elapsed.Seconds(),
		P50:  milliseconds(percentile(latencies, 50)),
		P99:  milliseconds(percentile(latencies, 99)),
	}
}

func milliseconds(d time.Duration) float64 {
	return math.Round(d.Seconds()*1e6) / 1e3
}

// sortShares puts the greatest first, and those that are alike by name.
func sortShares(shares []Share) {
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Name, b.Name))
	})
}
