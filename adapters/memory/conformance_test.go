package memory_test

import (
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/memory"
	"github.com/holdfast-dev/holdfast/core/clock"
	"github.com/holdfast-dev/holdfast/core/session"
	"github.com/holdfast-dev/holdfast/core/session/sessiontest"
)

const (
	sessionTTL = 720 * time.Hour
	saveTTL    = 8760 * time.Hour
)

func env(port session.Store, s *memory.Store) sessiontest.Env {
	return sessiontest.Env{
		Store: port, Peer: port,
		SessionTTL: sessionTTL, SaveTTL: saveTTL,
		Sessions:      sessiontest.Rows{Age: s.AgeSession, Left: s.SessionLeft},
		Saves:         sessiontest.Rows{Age: s.AgeSave, Left: s.SaveLeft},
		RemoveSession: s.RemoveSession,
		BreakProfile:  s.BreakProfile,
	}
}

func TestConformance(t *testing.T) {
	sessiontest.Run(t, func(testing.TB) sessiontest.Env {
		s := memory.New(clock.Fixed(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)), sessionTTL, saveTTL)
		return env(s, s)
	})
}

func TestReplayConformance(t *testing.T) {
	sessiontest.Run(t, func(testing.TB) sessiontest.Env {
		r := memory.NewReplay()
		e := env(r, r.Store)
		e.Lacks = map[sessiontest.Ability]string{
			sessiontest.Expiring: "the replay runs on a clock that stands",
			sessiontest.Racing:   "operations on one session are queued, and all are applied",
			sessiontest.Adding:   "the reference replaces a profile; its caller passes all that it knows",
			sessiontest.Probing:  "the probe of the in-memory configuration answers absent",
		}
		return e
	})
}
