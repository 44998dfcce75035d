package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Markdown is the page that docs/benchmarks.md holds.
func (r *Result) Markdown() string {
	var b strings.Builder
	b.WriteString("# Benchmarks\n\n")
	b.WriteString("<!-- Written by `task bench` from benchmarks.json, which lies beside it. Edits are lost. -->\n\n")
	r.setup(&b)
	r.table(&b)
	r.naive(&b)
	r.floor(&b)
	r.sweep(&b)
	r.perOperation(&b)
	r.profiles(&b)
	return b.String()
}

func (r *Result) setup(b *strings.Builder) {
	m, s := r.Machine, r.Settings
	machine := fmt.Sprintf("%d CPUs", m.CPUs)
	if m.Processor != "" {
		machine += " (" + m.Processor + ")"
	}
	machine += fmt.Sprintf(", %s/%s", m.OS, m.Arch)
	if m.Kernel != "" {
		machine += ", kernel " + m.Kernel
	}
	fmt.Fprintf(b, "One run of %s on one machine, clients, services and database together: %s. Go %s, PostgreSQL %s, Holdfast %s.\n\n",
		r.Date, machine, strings.TrimPrefix(r.Versions["go"], "go"), r.Versions["postgresql"], r.commit())
	fmt.Fprintf(b, "%d interleaved rounds of %s for each contender; a rate is the median of its rounds, a ratio the median of the rounds' ratios, with the least and the greatest in brackets. ",
		s.Rounds, s.RoundTime)
	fmt.Fprintf(b, "%d sessions with a blob of %d bytes of canonical JSON, which the server keeps in %d; services have %d connections and prepared statements. Before every slot: vacuum and checkpoint. %.0f %% of all updates were HOT.\n\n",
		s.Rows, s.BlobBytes, s.BlobStored, s.PoolSize, 100*s.HOTUpdates)
	b.WriteString("PostgreSQL:")
	separator := " "
	for _, name := range slices.Sorted(maps.Keys(s.Postgres)) {
		fmt.Fprintf(b, "%s`%s` %s", separator, name, s.Postgres[name])
		separator = ", "
	}
	b.WriteString(".\n\n")
}

func (r *Result) commit() string {
	commit := r.Versions["holdfast"]
	if commit == "" {
		return "of an unknown commit"
	}
	commit = commit[:min(len(commit), 12)]
	if r.Versions["holdfast_modified"] != "" {
		commit += " with changes"
	}
	return commit
}

func (r *Result) table(b *strings.Builder) {
	b.WriteString("## Against the baseline\n\n")
	b.WriteString("| work | baseline | its rate | Holdfast | ratio | goal | p50 ms, baseline / Holdfast | p99 ms, baseline / Holdfast | goal |\n")
	b.WriteString("|---|---|---:|---:|---:|---|---:|---:|---|\n")
	for _, w := range r.Works {
		base, _ := w.of(w.Baseline)
		ours, _ := w.of(holdfastName)
		ratio, least, greatest := ours.ratio(base, rate)
		slow, _, _ := ours.ratio(base, p99)
		tail := ""
		if w.Goal.P99 > 0 {
			tail = fmt.Sprintf("at most %.1f times: %.2f, %s", w.Goal.P99, slow, verdict(slow <= w.Goal.P99))
		}
		fmt.Fprintf(b, "| %s | %s | %.0f %s | %.0f | %.2f (%.2f–%.2f) | at least %.2f: %s | %.2f / %.2f | %.2f / %.2f | %s |\n",
			w.Name, w.Baseline, base.median(rate), w.Unit, ours.median(rate), ratio, least, greatest,
			w.Goal.Rate, verdict(ratio >= w.Goal.Rate), base.median(p50), ours.median(p50), base.median(p99), ours.median(p99), tail)
	}
	b.WriteString("\n")
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "**not met**"
}

// naive shows where an ordinary program stands, for information.
func (r *Result) naive(b *strings.Builder) {
	b.WriteString("## An ordinary Go service beside it\n\n")
	b.WriteString("net/http, encoding/json over maps, pgx; same rows, same guarded update, in a process of its own. For information.\n\n")
	r.beside(b, naiveName)
}

// floor shows what no service over these libraries can pass.
func (r *Result) floor(b *strings.Builder) {
	measured := func(w WorkResult) bool { _, ok := w.of(floorName); return ok }
	if !slices.ContainsFunc(r.Works, measured) {
		return
	}
	b.WriteString("## The floor under any Go service\n\n")
	b.WriteString("net/http and pgx alone: the same statements, an answer of the same size, no JSON read or written, no rule played. Where the floor itself is under a goal, the goal lies beyond net/http and pgx on this machine.\n\n")
	r.beside(b, floorName)
}

// beside is a table of the works in which a contender takes part.
func (r *Result) beside(b *strings.Builder, name string) {
	fmt.Fprintf(b, "| work | %s | of the baseline | Holdfast of it | p99 ms, it / Holdfast |\n|---|---:|---:|---:|---:|\n", name)
	for _, w := range r.Works {
		other, ok := w.of(name)
		if !ok {
			continue
		}
		base, _ := w.of(w.Baseline)
		ours, _ := w.of(holdfastName)
		of, _, _ := other.ratio(base, rate)
		times, _, _ := ours.ratio(other, rate)
		fmt.Fprintf(b, "| %s | %.0f %s | %.2f | %.2f | %.2f / %.2f |\n",
			w.Name, other.median(rate), w.Unit, of, times, other.median(p99), ours.median(p99))
	}
	b.WriteString("\n")
}

// perOperation shows the CPU time of each part. With all parts on one machine
// that is busy, it is what decides the rate.
func (r *Result) perOperation(b *strings.Builder) {
	var rows strings.Builder
	for _, w := range r.Works {
		for _, c := range w.Contenders {
			if len(c.Rounds) == 0 || c.Rounds[0].CPU == nil {
				continue
			}
			part := func(of func(*CPU) float64) float64 {
				return c.median(func(s Sample) float64 {
					if s.CPU == nil {
						return 0
					}
					return of(s.CPU)
				})
			}
			client, service, database := part(func(c *CPU) float64 { return c.Client }), part(func(c *CPU) float64 { return c.Service }), part(func(c *CPU) float64 { return c.Database })
			fmt.Fprintf(&rows, "| %s | %s | %.0f | %.0f | %.0f | %.0f |\n", w.Name, c.Name, client, service, database, client+service+database)
		}
	}
	if rows.Len() == 0 {
		return
	}
	b.WriteString("## CPU time of one operation, in microseconds\n\n")
	b.WriteString("The load generator, or pgbench itself; the service; PostgreSQL with all its processes. In the fight for one session: of one accepted write, with all that lost to it.\n\n")
	b.WriteString("| work | contender | client | service | PostgreSQL | together |\n|---|---|---:|---:|---:|---:|\n")
	b.WriteString(rows.String())
	b.WriteString("\n")
}

func (r *Result) profiles(b *strings.Builder) {
	if len(r.Profiles) == 0 {
		return
	}
	b.WriteString("## Where the rest goes\n\n")
	b.WriteString("CPU profiles of the Holdfast process alone, each taken under one operation. A layer has the samples whose innermost known frame is its own; system calls are told apart by the connection that they serve.\n\n")
	for _, p := range r.Profiles {
		fmt.Fprintf(b, "### %s\n\n%s\n\n", p.Work, p.reading())
		b.WriteString("| layer | share of the process |\n|---|---:|\n")
		for _, s := range p.Layers {
			fmt.Fprintf(b, "| %s | %.1f %% |\n", s.Name, s.Share)
		}
		b.WriteString("\n| function | cumulative share |\n|---|---:|\n")
		for _, s := range p.Top {
			fmt.Fprintf(b, "| `%s` | %.1f %% |\n", s.Name, s.Share)
		}
		b.WriteString("\n")
	}
}

// reading says in a sentence what the layers come to.
func (p Profile) reading() string {
	var kernel, ours, libraries float64
	for _, s := range p.Layers {
		switch s.Name {
		case layerKernelDB, layerKernelWeb:
			kernel += s.Share
		case layers[0].name, layers[2].name, layers[3].name, layers[4].name, layers[6].name:
			ours += s.Share
		default:
			libraries += s.Share
		}
	}
	return fmt.Sprintf("Of the process's CPU time, %.0f %% is the kernel's, for bytes to and from clients and PostgreSQL, which any service over the same two connections pays; %.0f %% is Holdfast's own code (engine, checks, dispatcher, store adapter); %.0f %% is the generated server, pgx, net/http, garbage collection and Go's scheduler.",
		kernel, ours, libraries)
}
