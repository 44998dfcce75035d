package bench

import (
	"context"
	"debug/buildinfo"
	"runtime"
	"slices"
	"time"
)

// Result is everything that a run measured; its JSON is the file from which
// docs/benchmarks.md is written.
type Result struct {
	Date     string            `json:"date"`
	Machine  Machine           `json:"machine"`
	Versions map[string]string `json:"versions"`
	Settings Settings          `json:"settings"`
	Works    []WorkResult      `json:"works"`
	Sweep    *SweepResult      `json:"sweep,omitempty"`
	Profiles []Profile         `json:"profiles,omitempty"`
}

// Machine is where the run was: client, services and database on one machine.
type Machine struct {
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	Kernel    string `json:"kernel,omitempty"`
	Processor string `json:"processor,omitempty"`
	CPUs      int    `json:"cpus"`
}

// Settings are those of the run.
type Settings struct {
	Rounds     int     `json:"rounds"`
	RoundTime  string  `json:"round_time"`
	Rows       int     `json:"rows"`
	BlobBytes  int     `json:"blob_bytes"`
	BlobStored int     `json:"blob_stored_bytes"`
	PoolSize   int     `json:"pool_size"`
	HOTUpdates float64 `json:"hot_updates"`
	// Postgres are the server's settings, by name.
	Postgres map[string]string `json:"postgresql"`
}

// Sample is what one slot measured. Latencies are in milliseconds.
type Sample struct {
	Rate float64 `json:"rate"`
	P50  float64 `json:"p50_ms"`
	P99  float64 `json:"p99_ms"`
	// CPU is the CPU time that each part used for one counted operation, in
	// microseconds; empty where the system does not tell.
	CPU *CPU `json:"cpu_us,omitempty"`
}

// CPU is where the time of an operation goes, in microseconds.
type CPU struct {
	Client   float64 `json:"client"`
	Service  float64 `json:"service,omitempty"`
	Database float64 `json:"database"`
}

// WorkResult is a work with what its contenders did.
type WorkResult struct {
	Name       string            `json:"name"`
	Unit       string            `json:"unit"`
	Baseline   string            `json:"baseline"`
	Goal       Goal              `json:"goal"`
	Contenders []ContenderResult `json:"contenders"`
}

// ContenderResult is what a contender did, round by round.
type ContenderResult struct {
	Name   string   `json:"name"`
	Rounds []Sample `json:"rounds"`
}

// Goal is what is expected of Holdfast, as multiples of the baseline.
type Goal struct {
	// Rate is the least multiple of the baseline's rate.
	Rate float64 `json:"rate"`
	// P99 is the greatest multiple of its 99th percentile; 0: no goal.
	P99 float64 `json:"p99,omitempty"`
}

// of finds a contender's result.
func (w WorkResult) of(name string) (ContenderResult, bool) {
	i := slices.IndexFunc(w.Contenders, func(c ContenderResult) bool { return c.Name == name })
	if i < 0 {
		return ContenderResult{}, false
	}
	return w.Contenders[i], true
}

// median of a quantity over the rounds.
func (c ContenderResult) median(of func(Sample) float64) float64 {
	values := make([]float64, len(c.Rounds))
	for i, s := range c.Rounds {
		values[i] = of(s)
	}
	return median(values)
}

// ratio is the median, least and greatest of the rounds' ratios of a quantity
// to a baseline's.
func (c ContenderResult) ratio(to ContenderResult, of func(Sample) float64) (middle, least, greatest float64) {
	var ratios []float64
	for i := range min(len(c.Rounds), len(to.Rounds)) {
		if base := of(to.Rounds[i]); base > 0 {
			ratios = append(ratios, of(c.Rounds[i])/base)
		}
	}
	if len(ratios) == 0 {
		return 0, 0, 0
	}
	return median(ratios), slices.Min(ratios), slices.Max(ratios)
}

func rate(s Sample) float64 { return s.Rate }
func p50(s Sample) float64  { return s.P50 }
func p99(s Sample) float64  { return s.P99 }

// met says whether Holdfast reached the goal of a work.
func (w WorkResult) met() bool {
	ours, _ := w.of(holdfastName)
	base, _ := w.of(w.Baseline)
	ratio, _, _ := ours.ratio(base, rate)
	slow, _, _ := ours.ratio(base, p99)
	return ratio >= w.Goal.Rate && (w.Goal.P99 == 0 || slow <= w.Goal.P99)
}

func thisMachine() Machine {
	return Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Kernel: kernel(), Processor: processor(), CPUs: runtime.NumCPU()}
}

// versions of what was measured. The commit is that which the measured binary
// was built from, where its build recorded one.
func versions(ctx context.Context, db *database, binary string) (map[string]string, error) {
	server, err := db.serverVersion(ctx)
	if err != nil {
		return nil, err
	}
	v := map[string]string{"go": runtime.Version(), "postgresql": server}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v["holdfast"] = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				v["holdfast_modified"] = "true"
			}
		}
	}
	return v, nil
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }
