package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Profile is where the CPU time of the Holdfast process goes under a work.
// Shares are of that process's samples, in per cent.
type Profile struct {
	Work string `json:"work"`
	File string `json:"file"`
	// Layers are exclusive: each sample belongs to one.
	Layers []Share `json:"layers"`
	// Top are the functions with the greatest cumulative shares.
	Top []Share `json:"top"`
}

// Share is a name with its part of the time, in per cent.
type Share struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// topFunctions is how many functions a profile names.
const topFunctions = 25

// profileAll runs a profiled Holdfast under each work that has a profile, so
// that a profile shows one of them alone.
func (r *rig) profileAll(ctx context.Context, o Options) ([]Profile, error) {
	var profiles []Profile
	for i, w := range r.selected(o) {
		if w.profile == "" {
			continue
		}
		o.Progress("profiling " + w.name)
		profile, err := r.profile(ctx, o, i, filepath.Join(o.ProfileFolder, w.profile))
		if err != nil {
			return nil, fmt.Errorf("profile of %s: %w", w.name, err)
		}
		profile.Work, profile.File = w.name, w.profile
		profiles = append(profiles, profile)
	}
	return profiles, nil
}

func (r *rig) profile(ctx context.Context, o Options, number int, file string) (p Profile, err error) {
	s, err := startService(ctx, holdfastName, o.Profiled(file), r.db.server.URL(), r.folder)
	if err != nil {
		return p, err
	}
	profiled := *r
	profiled.holdfast = s
	for _, c := range profiled.selected(o)[number].contenders {
		if c.name == holdfastName {
			_, err = c.run(ctx, 2*o.RoundTime)
		}
	}
	if err = errors.Join(err, s.stop()); err != nil {
		return p, err
	}
	top, err := pprof(ctx, "-top", "-cum", "-nodecount=200", file)
	if err != nil {
		return p, err
	}
	traces, err := pprof(ctx, "-traces", file)
	if err != nil {
		return p, err
	}
	if p.Top = readTop(top); len(p.Top) > topFunctions {
		p.Top = p.Top[:topFunctions]
	}
	p.Layers = layersOf(traces)
	return p, nil
}

// pprof is what the tool of that name prints.
func pprof(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", append([]string{"tool", "pprof"}, args...)...).Output()
	return string(out), err
}

// readTop reads the table of pprof -top, without the frames that merely hold
// all others: those say nothing of where the time goes.
func readTop(text string) []Share {
	var top []Share
	table := false
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if !table {
			table = len(fields) > 0 && fields[0] == "flat"
			continue
		}
		if len(fields) < 6 {
			continue
		}
		share, err := strconv.ParseFloat(strings.TrimSuffix(fields[4], "%"), 64)
		name := strings.Join(fields[5:], " ")
		if err == nil && !isScaffolding(name) {
			top = append(top, Share{shortName(name), share})
		}
	}
	return top
}

func isScaffolding(name string) bool {
	switch strings.TrimSuffix(name, " (inline)") {
	case "runtime.goexit", "runtime.main", "main.main", "net/http.(*conn).serve", "net/http.serverHandler.ServeHTTP", "runtime.mcall", "runtime.systemstack":
		return true
	}
	return false
}

// shortName leaves out of a function's name the path of its package and the
// types that it is made for.
func shortName(name string) string {
	name = strings.TrimSuffix(name, " (inline)")
	before, rest, generic := strings.Cut(name, "[")
	before = before[strings.LastIndexByte(before, '/')+1:]
	if !generic {
		return before
	}
	return before + "[…]" + rest[strings.LastIndexByte(rest, ']')+1:]
}

// layer is a part of the process that a frame of a stack betrays.
type layer struct {
	name   string
	frames []string // beginnings of functions' names
}

// Layers of a request, looked for from the innermost frame outwards: the
// first that is found has the sample.
var layers = []layer{
	{"engine: decode, play, encode the blob", []string{"github.com/holdfast-dev/holdfast/adapters/engine/"}},
	{"generated server: decode request, encode answer", []string{"github.com/holdfast-dev/holdfast/api/public."}},
	{"raw checks of the request", []string{"github.com/holdfast-dev/holdfast/core/wire."}},
	{"HTTP surface: correlation, buffers, conversion", []string{"github.com/holdfast-dev/holdfast/adapters/httpapi."}},
	{"dispatcher", []string{"github.com/holdfast-dev/holdfast/core/"}},
	{"pgx: protocol and pool", []string{"github.com/jackc/"}},
	{"store adapter", []string{"github.com/holdfast-dev/holdfast/adapters/postgres"}},
	{"net/http: requests and answers", []string{"net/http.", "net/textproto."}},
}

// Layers that go before: what the runtime and the kernel do for the others.
const (
	layerGC        = "garbage collection"
	layerKernelDB  = "kernel: the connections to PostgreSQL"
	layerKernelWeb = "kernel: the connections of clients"
	layerRuntime   = "Go's scheduler and network poller"
)

// layersOf sums up pprof -traces by layer, the greatest first.
func layersOf(text string) []Share {
	times := map[string]time.Duration{}
	var total time.Duration
	for block := range strings.SplitSeq(text, "-----------+") {
		_, block, _ = strings.Cut(block, "\n") // the rest of the rule
		lines := strings.Split(strings.TrimSpace(block), "\n")
		value, first, ok := strings.Cut(strings.TrimSpace(lines[0]), " ")
		spent, err := time.ParseDuration(value)
		if !ok || err != nil {
			continue
		}
		stack := []string{strings.TrimSpace(first)}
		for _, line := range lines[1:] {
			stack = append(stack, strings.TrimSpace(line))
		}
		times[layerOf(stack)] += spent
		total += spent
	}
	shares := make([]Share, 0, len(times))
	for name, spent := range times {
		shares = append(shares, Share{name, float64(int(1000*spent/total)) / 10})
	}
	sortShares(shares)
	return shares
}

func layerOf(stack []string) string {
	holds := func(prefixes ...string) bool {
		for _, frame := range stack {
			for _, p := range prefixes {
				if strings.HasPrefix(frame, p) {
					return true
				}
			}
		}
		return false
	}
	switch {
	case holds("runtime.gcBgMarkWorker", "runtime.gcAssist", "runtime.bgsweep", "runtime.bgscavenge", "runtime.gcStart"):
		return layerGC
	case holds("syscall.", "internal/runtime/syscall.") && holds("github.com/jackc/"):
		return layerKernelDB
	case holds("syscall.", "internal/runtime/syscall.") && holds("net/http."):
		return layerKernelWeb
	}
	for _, frame := range stack {
		for _, l := range layers {
			for _, beginning := range l.frames {
				if strings.HasPrefix(frame, beginning) {
					return l.name
				}
			}
		}
	}
	return layerRuntime
}
