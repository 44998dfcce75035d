package memory_test

import (
	"context"
	"errors"
	"strings"

	"github.com/holdfast-dev/holdfast/adapters/memory"
	"github.com/holdfast-dev/holdfast/core/session"
)

// otherMutants are faults of saves, profiles and the lifecycle probe.
var otherMutants = []mutant{
	// Saves.
	{"loses a field of a save", []string{"save/round trip"},
		onSave(func(v *session.Save) { v.SavedAtSeq = 0 })},
	{"trims saves", []string{"save/texts byte for byte"},
		onSave(func(v *session.Save) { v.Blob = strings.TrimSpace(v.Blob) })},
	{"finds a save by another id", []string{"save/unknown is absent"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.getSave = func(ctx context.Context, base session.Saves, id string) (session.Save, error) {
				return base.Get(ctx, fold(id))
			}
		})},
	{"reads expired saves", []string{"save/expired is absent"},
		over(func(f *faulty, _ *memory.Store, c *settable) {
			f.getSave = func(ctx context.Context, base session.Saves, id string) (v session.Save, err error) {
				_, err = past(c, func() (session.Version, error) {
					v, err = base.Get(ctx, id)
					return 0, err
				})
				return v, err
			}
		})},
	{"keeps the first save", []string{"save/put again replaces it whole"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.putSave = func(ctx context.Context, base session.Saves, v session.Save) error {
				if _, err := base.Get(ctx, v.SaveID); err == nil {
					return nil
				}
				return base.Put(ctx, v)
			}
		})},
	{"does not recompute a save's expiry", []string{"save/put again gives it its whole life"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.putSave = func(ctx context.Context, base session.Saves, v session.Save) error {
				left, stored := s.SaveLeft(v.SaveID), true
				if _, err := base.Get(ctx, v.SaveID); errors.Is(err, session.ErrAbsent) {
					stored = false
				}
				err := base.Put(ctx, v)
				if stored {
					s.AgeSave(v.SaveID, saveTTL-left)
				}
				return err
			}
		})},
	{"refreshes a save on a read", []string{"save/put again gives it its whole life"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.getSave = func(ctx context.Context, base session.Saves, id string) (session.Save, error) {
				s.AgeSave(id, s.SaveLeft(id)-saveTTL)
				return base.Get(ctx, id)
			}
		})},
	{"deletes nothing", []string{"save/delete"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.del = func(context.Context, session.Saves, string) error { return nil }
		})},
	{"minds a save that is not there", []string{"save/delete"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.del = func(ctx context.Context, base session.Saves, id string) error {
				if _, err := base.Get(ctx, id); err != nil {
					return err
				}
				return base.Delete(ctx, id)
			}
		})},
	{"removes before it writes a save", []string{"save/what cannot be stored changes nothing"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.putSave = func(ctx context.Context, base session.Saves, v session.Save) error {
				return errors.Join(base.Delete(ctx, v.SaveID), base.Put(ctx, v))
			}
		})},
	{"deletes although the caller gave up", []string{"save/a caller that gave up"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.del = func(ctx context.Context, base session.Saves, id string) error {
				return errors.Join(base.Delete(detached(ctx), id), base.Delete(ctx, id))
			}
		})},

	// Profiles.
	{"saves replace", []string{"profile/saves add", "race/awards of many all land"},
		over(func(f *faulty, _ *memory.Store, _ *settable) { replacing(f) })},
	{"keeps what was not earned", []string{"profile/what was not earned is not kept"},
		over(func(f *faulty, _ *memory.Store, _ *settable) { replacing(f) })},
	{"finds an empty profile where there is none", []string{"profile/missing"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.load = func(ctx context.Context, id string) (session.Profile, error) {
				p, err := s.Profiles().Load(ctx, id)
				if errors.Is(err, session.ErrProfileMissing) {
					return session.Profile{ProfileID: id}, nil
				}
				return p, err
			}
		})},
	{"saves only what is there already", []string{"profile/the first save creates it", "profile/profiles are apart"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.save = func(ctx context.Context, p session.Profile) error {
				if _, err := s.Profiles().Load(ctx, p.ProfileID); err != nil {
					return nil
				}
				return s.Profiles().Save(ctx, p)
			}
		})},
	{"does not create an empty profile", []string{"profile/without achievements it is there"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.save = func(ctx context.Context, p session.Profile) error {
				if len(p.Achievements) == 0 {
					return nil
				}
				return s.Profiles().Save(ctx, p)
			}
		})},
	{"folds achievements", []string{"profile/odd texts"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.save = func(ctx context.Context, p session.Profile) error {
				folded := session.Profile{ProfileID: p.ProfileID, Achievements: map[string]bool{}}
				for a, earned := range p.Achievements {
					folded.Achievements[fold(a)] = earned
				}
				return s.Profiles().Save(ctx, folded)
			}
		})},
	{"keeps only the first save of a profile", []string{"profile/who passes all that it knows loses nothing"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.save = func(ctx context.Context, p session.Profile) error {
				if _, err := s.Profiles().Load(ctx, p.ProfileID); err == nil {
					return nil
				}
				return s.Profiles().Save(ctx, p)
			}
		})},
	{"hands out its own map", []string{"profile/a loaded profile is the caller's"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			kept := map[string]session.Profile{}
			f.load = func(ctx context.Context, id string) (session.Profile, error) {
				if p, ok := kept[id]; ok {
					return p, nil
				}
				p, err := s.Profiles().Load(ctx, id)
				kept[id] = p
				return p, err
			}
		})},
	{"one profile for all", []string{"profile/profiles are apart", "profile/missing"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.save = func(ctx context.Context, p session.Profile) error {
				return errors.Join(s.Profiles().Save(ctx, p),
					s.Profiles().Save(ctx, session.Profile{ProfileID: "p1", Achievements: p.Achievements}),
					s.Profiles().Save(ctx, session.Profile{ProfileID: "p2", Achievements: p.Achievements}))
			}
		})},
	{"calls a corrupt profile missing", []string{"profile/one that cannot be understood", "profile/a failure reads as corrupt"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.load = func(ctx context.Context, id string) (session.Profile, error) {
				p, err := s.Profiles().Load(ctx, id)
				if errors.Is(err, session.ErrProfileCorrupt) {
					err = session.ErrProfileMissing
				}
				return p, err
			}
		})},
	{"hides why a profile could not be loaded", []string{"profile/a failure reads as corrupt"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.load = func(ctx context.Context, id string) (session.Profile, error) {
				p, err := s.Profiles().Load(ctx, id)
				if errors.Is(err, session.ErrProfileCorrupt) {
					err = session.ErrProfileCorrupt
				}
				return p, err
			}
		})},

	// The lifecycle probe.
	{"calls expired absent", []string{"lifecycle/sessions", "lifecycle/saves", "guard/an expired session is not brought back", "session/insert of an expired id collides"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.presence = func(p session.Presence, err error) (session.Presence, error) {
				if p == session.Expired {
					return session.Absent, err
				}
				return p, err
			}
		})},
	{"calls absent expired", []string{"lifecycle/sessions", "lifecycle/saves"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.presence = func(p session.Presence, err error) (session.Presence, error) {
				if p == session.Absent {
					return session.Expired, err
				}
				return p, err
			}
		})},
	{"the probe tells more than it may", []string{"lifecycle/sessions", "lifecycle/saves"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.presence = func(p session.Presence, err error) (session.Presence, error) { return p + ": stairs", err }
		})},
	{"the probe refreshes", []string{"lifecycle/asking changes nothing"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.presence = func(p session.Presence, err error) (session.Presence, error) {
				s.AgeSession("s1", -day)
				s.AgeSave("v1", -day)
				return p, err
			}
		})},
	{"a failed probe answers", []string{"lifecycle/a failure is no answer"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.presence = func(p session.Presence, err error) (session.Presence, error) {
				if err != nil {
					return session.Absent, nil
				}
				return p, nil
			}
		})},
}
