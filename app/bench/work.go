package bench

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// Names of the contenders.
const (
	holdfastName = "Holdfast"
	pgbenchName  = "pgbench"
	naiveName    = "naive Go"
	floorName    = "net/http and pgx alone"
)

// contender does one work in one way.
type contender struct {
	name string
	// run works for a slot and returns what it measured.
	run func(ctx context.Context, round time.Duration) (Sample, error)
}

// work is one row of the table.
type work struct {
	name, unit string
	baseline   string
	goal       Goal
	contenders []contender
	// profile is the file of its profile; none is taken where it is empty.
	profile string
}

// rig is what works run on.
type rig struct {
	folder   string
	db       *database
	bench    pgbench
	holdfast *service
	naive    *service
	edge     *service
	bare     *service
	rows     int
}

const (
	many     = 16 // clients on sessions of their own
	fighters = 32 // clients that fight for one session
)

// works are the rows that play sessions bring.
func (r *rig) works() []work {
	submit := traffic{path: "/v1/submit-action", body: `{"sessionId":"%s","actionId":"` + actionID + `"}`, rows: r.rows, verify: accepted}
	scene := traffic{path: "/v1/get-scene", body: `{"sessionId":"%s"}`, clients: many, rows: r.rows, verify: shown}
	fight := submit
	fight.clients, fight.shared, fight.verify = fighters, true, acceptedOrLost
	alone := submit
	submit.clients, alone.clients = many, 1
	return []work{
		{
			name: "submit-action over HTTP, 16 clients on own sessions", unit: "actions/s", baseline: pgbenchName,
			goal:       Goal{Rate: 0.80, P99: 2},
			profile:    "submit-action.pprof",
			contenders: []contender{r.statements(submitScript, many), r.served(r.holdfast, submit), r.served(r.naive, submit), r.floor(submit)},
		},
		{
			name: "submit-action over HTTP, 1 client", unit: "actions/s", baseline: pgbenchName,
			goal:       Goal{Rate: 0.55},
			contenders: []contender{r.statements(submitScript, 1), r.served(r.holdfast, alone), r.served(r.naive, alone), r.floor(alone)},
		},
		{
			name: "get-scene over HTTP, 16 clients", unit: "scenes/s", baseline: pgbenchName,
			goal:       Goal{Rate: 0.65},
			profile:    "get-scene.pprof",
			contenders: []contender{r.statements(sceneScript, many), r.served(r.holdfast, scene), r.served(r.naive, scene), r.floor(scene)},
		},
		{
			name: "accepted writes, 32 clients fighting for one session", unit: "writes/s", baseline: naiveName,
			goal:       Goal{Rate: 2},
			profile:    "fight.pprof",
			contenders: []contender{r.fought(r.naive, fight), r.fought(r.holdfast, fight)},
		},
		{
			// Clients that wait for each answer: a rate is the inverse of a latency.
			name: "get-scene through the edge, 16 clients", unit: "scenes/s", baseline: bareName,
			goal:       Goal{Rate: 1 / 1.1},
			contenders: []contender{r.served(r.bare, scene), r.served(r.edge, scene)},
		},
	}
}

// selected are the works that a run is about.
func (r *rig) selected(o Options) []work {
	return slices.DeleteFunc(r.works(), func(w work) bool { return o.Only != nil && !o.Only.MatchString(w.name) })
}

// statements is pgbench over a script.
func (r *rig) statements(script string, clients int) contender {
	return contender{pgbenchName, func(ctx context.Context, round time.Duration) (Sample, error) {
		before := cpuTime(r.db.server.PID(), true)
		s, counted, used, err := r.bench.run(ctx, script, clients, round)
		if err != nil {
			return s, err
		}
		s.CPU = perOperation(counted, used, 0, cpuTime(r.db.server.PID(), true)-before)
		return s, nil
	}}
}

// served is a service under traffic.
func (r *rig) served(s *service, t traffic) contender {
	return contender{s.name, func(ctx context.Context, round time.Duration) (Sample, error) {
		sample, _, err := r.measure(ctx, s, t, round)
		return sample, err
	}}
}

// floor is what the libraries under a service cost alone, under its traffic.
func (r *rig) floor(t traffic) contender {
	t.path = strings.Replace(t.path, "/v1/", "/floor/", 1)
	c := r.served(r.naive, t)
	c.name = floorName
	return c
}

// fought is a service under traffic to one session, whose version must tell
// of every accepted write and of no other.
func (r *rig) fought(s *service, t traffic) contender {
	return contender{s.name, func(ctx context.Context, round time.Duration) (Sample, error) {
		before, err := r.db.version(ctx)
		if err != nil {
			return Sample{}, err
		}
		sample, counted, err := r.measure(ctx, s, t, round)
		if err != nil {
			return sample, err
		}
		after, err := r.db.version(ctx)
		if err == nil && after-before != int64(counted) {
			err = fmt.Errorf("%s: %d writes were accepted, the version has grown by %d", s.name, counted, after-before)
		}
		return sample, err
	}}
}

func (r *rig) measure(ctx context.Context, s *service, t traffic, round time.Duration) (Sample, int, error) {
	self, service, server := cpuTime(os.Getpid(), false), cpuTime(s.cmd.Process.Pid, false), cpuTime(r.db.server.PID(), true)
	seen, elapsed := t.drive(ctx, s.address, round)
	if seen.err != nil {
		return Sample{}, 0, fmt.Errorf("%s: %w", s.name, seen.err)
	}
	self, service, server = cpuTime(os.Getpid(), false)-self, cpuTime(s.cmd.Process.Pid, false)-service, cpuTime(r.db.server.PID(), true)-server
	sample := sampleOf(seen.latencies, seen.counted, elapsed)
	sample.CPU = perOperation(seen.counted, self, service, server)
	return sample, seen.counted, nil
}

// perOperation is nil where the system tells nothing.
func perOperation(operations int, client, service, database time.Duration) *CPU {
	if operations == 0 || database == 0 {
		return nil
	}
	each := func(d time.Duration) float64 { return math.Round(d.Seconds()*1e7/float64(operations)) / 10 }
	return &CPU{Client: each(client), Service: each(service), Database: each(database)}
}
