package memory_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/memory"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

// mutant is a store with one fault, and the cases that must notice it.
type mutant struct {
	name     string
	caughtBy []string
	spoil    func(s *memory.Store, c *settable) session.Store
}

var sound = mutant{spoil: func(s *memory.Store, _ *settable) session.Store { return s }}

// faulty is a store in which some calls are replaced. A nil one passes
// through.
type faulty struct {
	session.Store
	get       func(context.Context, session.Sessions, string) (session.Record, session.Version, error)
	put       func(context.Context, session.Sessions, session.Record) (session.Version, error)
	getSave   func(context.Context, session.Saves, string) (session.Save, error)
	putSave   func(context.Context, session.Saves, session.Save) error
	del       func(context.Context, session.Saves, string) error
	load      func(context.Context, string) (session.Profile, error)
	save      func(context.Context, session.Profile) error
	presence  func(session.Presence, error) (session.Presence, error)
	undying   bool // layers go on after Close
	lastLayer bool // one layer for all operations
	shared    session.Layer
	mu        sync.Mutex
}

func (f *faulty) Layer() session.Layer {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lastLayer {
		if f.shared == nil {
			f.shared = f.Store.Layer()
		}
		return faultyLayer{f.shared, f}
	}
	return faultyLayer{f.Store.Layer(), f}
}

func (f *faulty) Profiles() session.Profiles   { return faultyProfiles{f.Store.Profiles(), f} }
func (f *faulty) Lifecycle() session.Lifecycle { return faultyLifecycle{f.Store.Lifecycle(), f} }

type faultyLayer struct {
	session.Layer
	f *faulty
}

func (l faultyLayer) Sessions() session.Sessions { return faultySessions{l.Layer.Sessions(), l.f} }
func (l faultyLayer) Saves() session.Saves       { return faultySaves{l.Layer.Saves(), l.f} }

func (l faultyLayer) Close() {
	if !l.f.undying && !l.f.lastLayer {
		l.Layer.Close()
	}
}

type faultySessions struct {
	session.Sessions
	f *faulty
}

func (s faultySessions) Get(ctx context.Context, id string) (session.Record, session.Version, error) {
	if s.f.get != nil {
		return s.f.get(ctx, s.Sessions, id)
	}
	return s.Sessions.Get(ctx, id)
}

func (s faultySessions) Put(ctx context.Context, r session.Record) (session.Version, error) {
	if s.f.put != nil {
		return s.f.put(ctx, s.Sessions, r)
	}
	return s.Sessions.Put(ctx, r)
}

type faultySaves struct {
	session.Saves
	f *faulty
}

func (s faultySaves) Get(ctx context.Context, id string) (session.Save, error) {
	if s.f.getSave != nil {
		return s.f.getSave(ctx, s.Saves, id)
	}
	return s.Saves.Get(ctx, id)
}

func (s faultySaves) Put(ctx context.Context, v session.Save) error {
	if s.f.putSave != nil {
		return s.f.putSave(ctx, s.Saves, v)
	}
	return s.Saves.Put(ctx, v)
}

func (s faultySaves) Delete(ctx context.Context, id string) error {
	if s.f.del != nil {
		return s.f.del(ctx, s.Saves, id)
	}
	return s.Saves.Delete(ctx, id)
}

type faultyProfiles struct {
	session.Profiles
	f *faulty
}

func (p faultyProfiles) Load(ctx context.Context, id string) (session.Profile, error) {
	if p.f.load != nil {
		return p.f.load(ctx, id)
	}
	return p.Profiles.Load(ctx, id)
}

func (p faultyProfiles) Save(ctx context.Context, profile session.Profile) error {
	if p.f.save != nil {
		return p.f.save(ctx, profile)
	}
	return p.Profiles.Save(ctx, profile)
}

type faultyLifecycle struct {
	session.Lifecycle
	f *faulty
}

func (l faultyLifecycle) Session(ctx context.Context, id string) (session.Presence, error) {
	p, err := l.Lifecycle.Session(ctx, id)
	if l.f.presence != nil {
		return l.f.presence(p, err)
	}
	return p, err
}

func (l faultyLifecycle) Save(ctx context.Context, id string) (session.Presence, error) {
	p, err := l.Lifecycle.Save(ctx, id)
	if l.f.presence != nil {
		return l.f.presence(p, err)
	}
	return p, err
}

// over makes a mutant of a faulty store.
func over(build func(f *faulty, s *memory.Store, c *settable)) func(*memory.Store, *settable) session.Store {
	return func(s *memory.Store, c *settable) session.Store {
		f := &faulty{Store: s}
		build(f, s, c)
		return f
	}
}

// onRecord is a mutant that changes what is written.
func onRecord(change func(*session.Record)) func(*memory.Store, *settable) session.Store {
	return over(func(f *faulty, _ *memory.Store, _ *settable) {
		f.put = func(ctx context.Context, base session.Sessions, r session.Record) (session.Version, error) {
			change(&r)
			return base.Put(ctx, r)
		}
	})
}

// onSave is a mutant that changes which save is written.
func onSave(change func(*session.Save)) func(*memory.Store, *settable) session.Store {
	return over(func(f *faulty, _ *memory.Store, _ *settable) {
		f.putSave = func(ctx context.Context, base session.Saves, v session.Save) error {
			change(&v)
			return base.Put(ctx, v)
		}
	})
}

// onPutError is a mutant that does something else about a put that failed.
func onPutError(other func(ctx context.Context, s *memory.Store, c *settable, base session.Sessions, r session.Record, err error) (session.Version, error)) func(*memory.Store, *settable) session.Store {
	return over(func(f *faulty, s *memory.Store, c *settable) {
		f.put = func(ctx context.Context, base session.Sessions, r session.Record) (session.Version, error) {
			v, err := base.Put(ctx, r)
			if err != nil {
				return other(ctx, s, c, base, r, err)
			}
			return v, nil
		}
	})
}

func isConflict(err error, why session.Why) bool {
	c, ok := errors.AsType[*session.Conflict](err)
	return ok && c.Why == why
}

func isFailure(err error, kind fault.StoreKind) bool {
	e, ok := errors.AsType[*fault.StoreError](err)
	return ok && e.Kind == kind
}

// anyway writes over whatever is there.
func anyway(ctx context.Context, s *memory.Store, r session.Record) (session.Version, error) {
	l := s.Layer()
	defer l.Close()
	for {
		if _, _, err := l.Sessions().Get(ctx, r.SessionID); err != nil {
			return 0, err
		}
		v, err := l.Sessions().Put(ctx, r)
		if !isConflict(err, session.WhyOvertaken) {
			return v, err
		}
	}
}

// past runs something while the clock is so far back that expired rows live.
func past(c *settable, run func() (session.Version, error)) (session.Version, error) {
	const far = sessionTTL + saveTTL
	c.add(-far)
	defer c.add(far)
	return run()
}

func fold(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// replacing is a profile store that keeps what was saved last.
func replacing(f *faulty) {
	var mu sync.Mutex
	stored := map[string]map[string]bool{}
	f.save = func(_ context.Context, p session.Profile) error {
		mu.Lock()
		defer mu.Unlock()
		stored[p.ProfileID] = maps.Clone(p.Achievements)
		return nil
	}
	f.load = func(_ context.Context, id string) (session.Profile, error) {
		mu.Lock()
		defer mu.Unlock()
		a, ok := stored[id]
		if !ok {
			return session.Profile{}, session.ErrProfileMissing
		}
		return session.Profile{ProfileID: id, Achievements: maps.Clone(a)}, nil
	}
}

// detached runs a call although its caller gave up.
func detached(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

const day = 24 * time.Hour
