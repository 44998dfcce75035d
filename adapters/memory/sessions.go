package memory

import (
	"context"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

type layer struct {
	store *Store
	read  map[string]session.Version
}

// Layer composes the session layer of one operation.
func (s *Store) Layer() session.Layer {
	return &layer{store: s, read: map[string]session.Version{}}
}

func (l *layer) Sessions() session.Sessions { return (*sessions)(l) }
func (l *layer) Saves() session.Saves       { return (*saves)(l.store) }
func (l *layer) Close()                     { clear(l.read) }

type sessions layer

// Get implements [session.Sessions].
func (p *sessions) Get(ctx context.Context, id string) (session.Record, session.Version, error) {
	if err := p.store.enter(ctx); err != nil {
		return session.Record{}, 0, err
	}
	defer p.store.leave()
	row, ok := p.store.sessions[id]
	if !ok || !p.store.live(row.expires) {
		return session.Record{}, 0, session.ErrAbsent
	}
	p.read[id] = row.version
	return row.record, row.version, nil
}

// Put implements [session.Sessions].
func (p *sessions) Put(ctx context.Context, r session.Record) (session.Version, error) {
	if err := refuse(r.Audience, r.SessionID, r.Blob, r.CreatedAt, r.UpdatedAt, r.ProfileID, r.EngineVersion); err != nil {
		return 0, err
	}
	if err := p.store.enter(ctx); err != nil {
		return 0, err
	}
	defer p.store.leave()
	row, stored := p.store.sessions[r.SessionID]
	read, guarded := p.read[r.SessionID]
	if !guarded && stored {
		return 0, &fault.StoreError{Kind: fault.IDCollision}
	}
	if guarded {
		switch {
		case !stored:
			return 0, &session.Conflict{Why: session.WhyGone}
		case row.version != read:
			return 0, &session.Conflict{Why: session.WhyOvertaken}
		case !p.store.live(row.expires):
			return 0, &session.Conflict{Why: session.WhyExpired}
		}
	}
	row = sessionRow{record: r, version: row.version + 1, expires: p.store.clock.Now().Add(p.store.sessionTTL)}
	p.store.sessions[r.SessionID] = row
	p.read[r.SessionID] = row.version
	return row.version, nil
}
