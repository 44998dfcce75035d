package health_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/health"
)

func TestEvaluate(t *testing.T) {
	for _, c := range []struct {
		name  string
		store error
		drain bool
		want  health.Report
	}{
		{"ready", nil, false, health.Report{Status: health.Ready, Store: health.OK, Journal: health.Off}},
		{"draining", nil, true, health.Report{Status: health.NotReady, Detail: "draining", Store: health.OK, Journal: health.Off}},
		{
			"isolation level", &fault.StoreError{Kind: fault.IsolationUnsupported, Subject: "serializable"}, false,
			health.Report{Status: health.NotReady, Detail: "isolation level: serializable", Store: health.Failed, Journal: health.Off},
		},
		{
			"draining while the store is down", &fault.StoreError{Kind: fault.Unreachable}, true,
			health.Report{Status: health.NotReady, Detail: "draining", Store: health.Failed, Journal: health.Off},
		},
		{
			"an error of no kind", errors.New("secret"), false,
			health.Report{Status: health.NotReady, Detail: "store unreachable", Store: health.Failed, Journal: health.Off},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := health.NewProbe(func(context.Context) error { return c.store })
			if c.drain {
				p.Drain()
			}
			if got := p.Evaluate(t.Context()); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// A store that hangs is not waited for beyond the probe's time, and the next
// call asks it afresh.
func TestEvaluateIsBoundedAndKeepsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := true
		p := health.NewProbe(func(ctx context.Context) error {
			if hangs {
				<-ctx.Done()
				return &fault.StoreError{Kind: fault.Unreachable, Cause: ctx.Err()}
			}
			return nil
		})
		begun := time.Now()
		if got := p.Evaluate(t.Context()); got.Status != health.NotReady || got.Detail != "store unreachable" {
			t.Errorf("a store that hangs: %+v", got)
		}
		if took := time.Since(begun); took != 2*time.Second {
			t.Errorf("the probe took %v, want 2s", took)
		}
		hangs = false
		if got := p.Evaluate(t.Context()); got.Status != health.Ready {
			t.Errorf("once the store answers: %+v", got)
		}
	})
}
