// Package health decides whether an instance is ready (spec 10, Start-up,
// probes, shutdown).
package health

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// Timeout bounds one evaluation of readiness.
const Timeout = 2 * time.Second

// Status sums an instance's readiness up.
type Status string

// The statuses of readiness.
const (
	Ready    Status = "ready"
	Degraded Status = "degraded"
	NotReady Status = "not ready"
)

// Check is what the probe found of one dependency.
type Check string

// The results of a check.
const (
	OK     Check = "ok"
	Failed Check = "failed"
	Off    Check = "off"
)

// Report is the answer of the readiness probe.
type Report struct {
	Status  Status
	Detail  string
	Store   Check
	Journal Check
}

// Probe evaluates readiness afresh at every call; nothing of a call is kept.
type Probe struct {
	store    func(context.Context) error
	draining atomic.Bool
}

// NewProbe returns a probe that asks the store with the given function.
func NewProbe(store func(context.Context) error) *Probe { return &Probe{store: store} }

// Drain makes the instance not ready from now on: it is shutting down.
func (p *Probe) Drain() { p.draining.Store(true) }

// Evaluate asks the store, for at most [Timeout].
func (p *Probe) Evaluate(ctx context.Context) Report {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	r := Report{Status: Ready, Store: OK, Journal: Off}
	if err := p.store(ctx); err != nil {
		r.Status, r.Store, r.Detail = NotReady, Failed, detail(err)
	}
	if p.draining.Load() {
		r.Status, r.Detail = NotReady, "draining"
	}
	return r
}

func detail(err error) string {
	if e, ok := errors.AsType[*fault.StoreError](err); ok {
		return e.Detail()
	}
	return string(fault.Unreachable)
}
