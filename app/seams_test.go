package app

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/engine/storygraph"
	"github.com/holdfast-dev/holdfast/adapters/memory"
	"github.com/holdfast-dev/holdfast/adapters/system"
	"github.com/holdfast-dev/holdfast/campaigns"
	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/session"
)

// The pause between read and write waits for just as long as it is told, and
// not at all at zero.
func TestReadWritePause(t *testing.T) {
	stories, _, err := storygraph.Load(campaigns.FS)
	if err != nil {
		t.Fatal(err)
	}
	engines, err := engine.NewRegistry([]engine.Engine{stories}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, pause := range []time.Duration{0, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			s := session.New(session.Options{
				Store:          memory.New(system.Clock{}, time.Hour, time.Hour),
				Engines:        engines,
				Clock:          system.Clock{},
				IDs:            system.IDs{},
				Log:            slog.New(slog.DiscardHandler),
				Conflicted:     func(session.Why) {},
				ReadWritePause: pause,
			})
			begun, err := s.CreateSession(t.Context(), session.Begin{CampaignID: "tiny", Audience: session.Player})
			if err != nil {
				t.Fatal(err)
			}
			before := time.Now()
			act := session.Act{SessionID: begun.SessionID, ActionID: "fill"}
			if _, err := s.SubmitAction(t.Context(), act, session.Precondition{}); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(before); took != pause {
				t.Errorf("with a pause of %v an action took %v", pause, took)
			}
			// Whoever leaves in the pause does not wait for its end.
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			before = time.Now()
			_, err = s.SubmitAction(ctx, act, session.Precondition{})
			if took := time.Since(before); took > time.Second {
				t.Errorf("a caller who left after 1s waited for %v: %v", took, err)
			}
		})
	}
}
