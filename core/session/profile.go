package session

import (
	"context"
	"errors"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/id"
)

// profileState is what an operation knows of a session's profile. Without a
// profile it is the zero value; one that could not be read has no
// achievements.
type profileState struct {
	Profile
	err error
}

// loadProfile reads a profile. It never fails an operation: what went wrong
// becomes a warning (spec 10, Profiles).
func (s *Service) loadProfile(ctx context.Context, profileID string) profileState {
	if profileID == "" {
		return profileState{}
	}
	profile, err := s.store.Profiles().Load(ctx, profileID)
	if err != nil {
		if !errors.Is(err, ErrProfileMissing) {
			s.log.WarnContext(ctx, "a profile could not be read", "profile", id.Short(profileID), "error", err)
		}
		return profileState{Profile: Profile{ProfileID: profileID}, err: err}
	}
	return profileState{Profile: profile}
}

// warning is the warning that the state calls for. A profile that is not
// there yet concerns only an action that asked for it.
func (p profileState) warning(read bool) (engine.Problem, bool) {
	switch {
	case p.err == nil:
		return engine.Problem{}, false
	case errors.Is(p.err, ErrProfileMissing):
		return warning(engine.ReasonProfileMissing), read
	default:
		return warning(engine.ReasonProfileCorrupt), true
	}
}

// award adds a game's achievements to the profile where it lacks any. It
// reports whether they are there now; where they are not, the next action or
// resume-session tries again.
func (s *Service) award(ctx context.Context, p profileState, earned []string) bool {
	if p.ProfileID == "" {
		return true
	}
	all := make(map[string]bool, len(p.Achievements)+len(earned))
	for a := range p.Achievements {
		all[a] = true
	}
	known := len(all)
	for _, a := range earned {
		all[a] = true
	}
	if len(all) == known {
		return true
	}
	if err := s.store.Profiles().Save(ctx, Profile{ProfileID: p.ProfileID, Achievements: all}); err != nil {
		s.log.WarnContext(ctx, "a profile could not be written", "profile", id.Short(p.ProfileID), "error", err)
		return false
	}
	return true
}

func warning(code string) engine.Problem {
	return engine.Problem{Code: code, MessageKey: engine.ReasonKey(code)}
}
