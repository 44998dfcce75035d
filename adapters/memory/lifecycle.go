package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/holdfast-dev/holdfast/core/session"
)

// Lifecycle returns the lifecycle probe.
func (s *Store) Lifecycle() session.Lifecycle { return (*lifecycle)(s) }

type lifecycle Store

// Session implements [session.Lifecycle].
func (p *lifecycle) Session(ctx context.Context, id string) (session.Presence, error) {
	s := (*Store)(p)
	if err := s.enter(ctx); err != nil {
		return "", err
	}
	defer s.leave()
	row, ok := s.sessions[id]
	return s.presence(row.expires, ok), nil
}

// Save implements [session.Lifecycle].
func (p *lifecycle) Save(ctx context.Context, id string) (session.Presence, error) {
	s := (*Store)(p)
	if err := s.enter(ctx); err != nil {
		return "", err
	}
	defer s.leave()
	row, ok := s.saves[id]
	return s.presence(row.expires, ok), nil
}

func (s *Store) presence(expires time.Time, stored bool) session.Presence {
	switch {
	case !stored:
		return session.Absent
	case s.live(expires):
		return session.Live
	}
	return session.Expired
}

func corrupt(cause error) error { return fmt.Errorf("%w: %w", session.ErrProfileCorrupt, cause) }
