package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// fake is an engine of one kind whose every call runs act first and then
// answers with the blob out.
type fake struct {
	kind      string
	campaigns []engine.Summary
	act       func(context.Context) error
	out       string
}

func (f fake) Kind() string                { return f.kind }
func (f fake) Version() string             { return "7" }
func (f fake) Campaigns() []engine.Summary { return f.campaigns }

func (f fake) Start(ctx context.Context, _ engine.Start) (engine.Position, error) {
	return engine.Position{Blob: f.out, CampaignID: "start"}, f.act(ctx)
}

func (f fake) Scene(ctx context.Context, _ string) (engine.Scene, error) {
	return engine.Scene{Text: "scene"}, f.act(ctx)
}

func (f fake) View(ctx context.Context, _ string) (engine.View, error) {
	return engine.View{GameID: "view"}, f.act(ctx)
}

func (f fake) Strings(ctx context.Context, _ string) (map[string]string, error) {
	return map[string]string{"key": "strings"}, f.act(ctx)
}

func (f fake) Apply(ctx context.Context, _ string, _ engine.Move) (engine.Outcome, error) {
	return engine.Outcome{Blob: f.out, Achievements: []string{"apply"}}, f.act(ctx)
}

func (f fake) Resume(ctx context.Context, _ string) (engine.Resumed, error) {
	return engine.Resumed{Achievements: []string{"resume"}}, f.act(ctx)
}

func (f fake) Load(ctx context.Context, _ string) (engine.Position, error) {
	return engine.Position{Blob: f.out, CampaignID: "load"}, f.act(ctx)
}

// call is one method of the port, told by what it answers.
type call struct {
	name string
	// in and out say whether a blob goes in and comes out.
	in, out bool
	do      func(ctx context.Context, e engine.Engine, blob string) (answer string, err error)
}

var calls = []call{
	{"start", false, true, func(ctx context.Context, e engine.Engine, _ string) (string, error) {
		p, err := e.Start(ctx, engine.Start{})
		return p.CampaignID + p.Blob, err
	}},
	{"scene", true, false, func(ctx context.Context, e engine.Engine, blob string) (string, error) {
		s, err := e.Scene(ctx, blob)
		return s.Text, err
	}},
	{"view", true, false, func(ctx context.Context, e engine.Engine, blob string) (string, error) {
		v, err := e.View(ctx, blob)
		return v.GameID, err
	}},
	{"strings", true, false, func(ctx context.Context, e engine.Engine, blob string) (string, error) {
		m, err := e.Strings(ctx, blob)
		return m["key"], err
	}},
	{"apply", true, true, func(ctx context.Context, e engine.Engine, blob string) (string, error) {
		o, err := e.Apply(ctx, blob, engine.Move{})
		return strings.Join(o.Achievements, "") + o.Blob, err
	}},
	{"resume", true, false, func(ctx context.Context, e engine.Engine, blob string) (string, error) {
		r, err := e.Resume(ctx, blob)
		return strings.Join(r.Achievements, ""), err
	}},
	{"load", true, true, func(ctx context.Context, e engine.Engine, blob string) (string, error) {
		p, err := e.Load(ctx, blob)
		return p.CampaignID + p.Blob, err
	}},
}

func fine(context.Context) error { return nil }

func TestGuardPassesOn(t *testing.T) {
	largest := strings.Repeat("x", engine.MaxBlob)
	refusal := fault.New(fault.InvalidState, nil)
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			want := c.name
			if c.out {
				want += largest
			}
			guarded := engine.Guard(fake{act: fine, out: largest}, time.Minute)
			if got, err := c.do(t.Context(), guarded, largest); err != nil || got != want {
				t.Errorf("answer of %d bytes and %v, want the engine's of %d", len(got), err, len(want))
			}
			guarded = engine.Guard(fake{act: func(context.Context) error { return refusal }}, time.Minute)
			if _, err := c.do(t.Context(), guarded, ""); err != refusal {
				t.Errorf("error %v, want the engine's own", err)
			}
		})
	}
	guarded := engine.Guard(fake{kind: "k", campaigns: []engine.Summary{{CampaignID: "c"}}}, time.Minute)
	if guarded.Kind() != "k" || guarded.Version() != "7" || guarded.Campaigns()[0].CampaignID != "c" {
		t.Error("the guard changes what the engine is")
	}
}

func TestGuardCatchesPanics(t *testing.T) {
	const secret = "hunter2"
	for _, c := range calls {
		for _, value := range []any{secret, errors.New(secret), nil} {
			guarded := engine.Guard(fake{out: secret, act: func(context.Context) error { panic(value) }}, time.Minute)
			got, err := c.do(t.Context(), guarded, "")
			if fault.CodeOf(err) != fault.InternalFailure || !strings.Contains(err.Error(), "panic") {
				t.Errorf("%s: error %v, want internal_failure for a panic", c.name, err)
			}
			if got != "" || strings.Contains(err.Error(), secret) {
				t.Errorf("%s: answer %q, error %v: something of the panic got out", c.name, got, err)
			}
		}
	}
}

func TestGuardBoundsBlobs(t *testing.T) {
	huge := strings.Repeat("x", engine.MaxBlob+1)
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			if c.in {
				called := false
				guarded := engine.Guard(fake{act: func(context.Context) error { called = true; return nil }}, time.Minute)
				if got, err := c.do(t.Context(), guarded, huge); fault.CodeOf(err) != fault.InternalFailure || err == nil || got != "" {
					t.Errorf("too large a blob in: answer %q, error %v, want internal_failure", got, err)
				}
				if called {
					t.Error("the engine was given too large a blob")
				}
			}
			if c.out {
				guarded := engine.Guard(fake{act: fine, out: huge}, time.Minute)
				got, err := c.do(t.Context(), guarded, "")
				if err == nil || fault.CodeOf(err) != fault.InternalFailure || got != "" {
					t.Errorf("too large a blob out: answer of %d bytes, error %v, want internal_failure", len(got), err)
				}
				if err != nil && strings.Contains(err.Error(), "xx") {
					t.Error("the error quotes the blob")
				}
			}
		})
	}
}

// TestGuardBoundsTime lets the engine wait for the end that its context sets.
func TestGuardBoundsTime(t *testing.T) {
	const limit = 5 * time.Millisecond
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			begun := time.Now()
			guarded := engine.Guard(fake{act: func(ctx context.Context) error {
				if until, ok := ctx.Deadline(); !ok || until.Before(begun.Add(limit)) || until.After(time.Now().Add(limit)) {
					t.Errorf("the engine may run until %v (%t), which is not %v after its call", until, ok, limit)
				}
				<-ctx.Done()
				return ctx.Err()
			}}, limit)
			_, err := c.do(t.Context(), guarded, "")
			if !errors.Is(err, context.DeadlineExceeded) || fault.CodeOf(err) != fault.InternalFailure {
				t.Errorf("error %v, want an internal_failure for the deadline", err)
			}
		})
	}
	t.Run("the caller's deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		guarded := engine.Guard(fake{act: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}, time.Hour)
		if _, err := guarded.Scene(ctx, ""); !errors.Is(err, context.DeadlineExceeded) || fault.CodeOf(err) != fault.InternalFailure {
			t.Errorf("error %v, want an internal_failure for the deadline", err)
		}
	})
	t.Run("the caller's deadline is over before the call", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 0)
		defer cancel()
		guarded := engine.Guard(fake{act: func(context.Context) error { t.Error("the call was made"); return nil }}, time.Hour)
		if _, err := guarded.Scene(ctx, ""); fault.CodeOf(err) != fault.StorageFailure {
			t.Errorf("error %v is answered %s, want storage_failure", err, fault.CodeOf(err))
		}
	})
	t.Run("the caller's own end", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		guarded := engine.Guard(fake{act: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}, time.Hour)
		if _, err := guarded.Scene(ctx, ""); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the cancellation", err)
		}
	})
}
