package memory

import (
	"context"
	"maps"

	"github.com/holdfast-dev/holdfast/core/session"
)

// Profiles returns the profile store.
func (s *Store) Profiles() session.Profiles { return (*profiles)(s) }

type profiles Store

// Load implements [session.Profiles].
func (p *profiles) Load(ctx context.Context, id string) (session.Profile, error) {
	s := (*Store)(p)
	if err := s.enter(ctx); err != nil {
		return session.Profile{}, corrupt(err)
	}
	defer s.leave()
	row, ok := s.profiles[id]
	switch {
	case !ok:
		return session.Profile{}, session.ErrProfileMissing
	case row.broken:
		return session.Profile{}, session.ErrProfileCorrupt
	}
	return session.Profile{ProfileID: id, Achievements: maps.Clone(row.achievements)}, nil
}

// Save implements [session.Profiles]: it adds.
func (p *profiles) Save(ctx context.Context, profile session.Profile) error {
	return (*Store)(p).saveProfile(ctx, profile, false)
}

func (s *Store) saveProfile(ctx context.Context, profile session.Profile, replace bool) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	row := s.profiles[profile.ProfileID]
	if replace || row.achievements == nil {
		row.achievements = map[string]bool{}
	}
	for a, earned := range profile.Achievements {
		if earned {
			row.achievements[a] = true
		}
	}
	s.profiles[profile.ProfileID] = row
	return nil
}
