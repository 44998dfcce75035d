// Package metrics counts what operators watch and serves it to Prometheus
// (spec 40, Signals). Metrics are named after the domain and never carry an
// id, a payload or a key.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/holdfast-dev/holdfast/core/session"
)

// Metrics is a set of metrics of one instance.
type Metrics struct {
	registry   *prometheus.Registry
	operations *prometheus.HistogramVec
	conflicts  map[session.Why]prometheus.Counter
	swept      prometheus.Counter
}

// New returns metrics at zero. pool says at each scrape how many connections
// the store has: in use, idle, and at the most.
func New(pool func() (inUse, idle, limit int)) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		operations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "holdfast_operation_duration_seconds",
			Help:    "Time from a request's arrival to its complete answer, by operation and status.",
			Buckets: []float64{.0005, .001, .002, .004, .008, .016, .032, .064, .128, .25, .5, 1, 2, 4, 8},
		}, []string{"operation", "status"}),
		conflicts: map[session.Why]prometheus.Counter{},
		swept: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_sweep_removed_total",
			Help: "Expired sessions and saves that the sweep removed after their retention.",
		}),
	}
	conflicts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "holdfast_play_session_conflicts_total",
		Help: "Play-session operations answered concurrent_modification, by why.",
	}, []string{"why"})
	for _, why := range session.Whys() {
		m.conflicts[why] = conflicts.WithLabelValues(string(why))
	}
	m.registry.MustRegister(
		m.operations, conflicts, m.swept,
		gauge("holdfast_store_connections_in_use", "Connections of the store's pool that a statement holds.", func() int { n, _, _ := pool(); return n }),
		gauge("holdfast_store_connections_idle", "Connections of the store's pool that wait for work.", func() int { _, n, _ := pool(); return n }),
		gauge("holdfast_store_connections_limit", "The most connections of the store's pool.", func() int { _, _, n := pool(); return n }),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

func gauge(name, help string, value func() int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) })
}

// Operation records an answered request.
func (m *Metrics) Operation(operation string, status int, took time.Duration) {
	m.operations.WithLabelValues(operation, strconv.Itoa(status)).Observe(took.Seconds())
}

// Conflict counts a concurrent_modification.
func (m *Metrics) Conflict(why session.Why) { m.conflicts[why].Inc() }

// Swept counts rows that the sweep removed.
func (m *Metrics) Swept(rows int) { m.swept.Add(float64(rows)) }

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
