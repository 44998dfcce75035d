package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/holdfast-dev/holdfast/adapters/postgres/internal/dbsqlc"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

// layer is the session layer of one operation: the versions that it read.
type layer struct {
	store *Store
	read  []rowVersion
	// inline holds the first of read: an operation reads one session.
	inline [1]rowVersion
}

type rowVersion struct {
	id      string
	version session.Version
}

// Layer composes the session layer of one operation.
func (s *Store) Layer() session.Layer {
	l := &layer{store: s}
	l.read = l.inline[:0]
	return l
}

func (l *layer) Sessions() session.Sessions { return (*sessions)(l) }
func (l *layer) Saves() session.Saves       { return (*saves)(l.store) }

// Close forgets what was read.
func (l *layer) Close() { l.read = nil }

func (l *layer) version(id string) (session.Version, bool) {
	for _, r := range l.read {
		if r.id == id {
			return r.version, true
		}
	}
	return 0, false
}

func (l *layer) remember(id string, v session.Version) {
	for i := range l.read {
		if l.read[i].id == id {
			l.read[i].version = v
			return
		}
	}
	l.read = append(l.read, rowVersion{id, v})
}

type sessions layer

// Get implements [session.Sessions].
func (p *sessions) Get(ctx context.Context, id string) (session.Record, session.Version, error) {
	const statement = "GetSession"
	conn, err := p.store.acquire(ctx, statement)
	if err != nil {
		return session.Record{}, 0, err
	}
	defer p.store.release(conn)
	row, err := queries.GetSession(ctx, conn, dbsqlc.GetSessionParams{TenantID: tenant, SessionID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return session.Record{}, 0, session.ErrAbsent
	}
	if err != nil {
		return session.Record{}, 0, storeError(ctx, statement, err)
	}
	audience, err := audienceOf(statement, row.Audience)
	if err != nil {
		return session.Record{}, 0, err
	}
	v := session.Version(row.Version)
	(*layer)(p).remember(id, v)
	return session.Record{
		SessionID:        id,
		Blob:             row.Blob,
		Audience:         audience,
		AttemptCounter:   row.AttemptCounter,
		ReplayCompatible: row.ReplayCompatible,
		CreatedAt:        row.EngineCreatedAt,
		UpdatedAt:        row.EngineUpdatedAt,
		ProfileID:        row.ProfileID.String,
		EngineVersion:    row.EngineVersion,
	}, v, nil
}

// Put implements [session.Sessions].
func (p *sessions) Put(ctx context.Context, r session.Record) (session.Version, error) {
	v, read := (*layer)(p).version(r.SessionID)
	var err error
	if read {
		v, err = p.update(ctx, r, v)
	} else {
		v, err = p.insert(ctx, r)
	}
	if err != nil {
		return 0, err
	}
	(*layer)(p).remember(r.SessionID, v)
	return v, nil
}

func (p *sessions) insert(ctx context.Context, r session.Record) (session.Version, error) {
	const statement = "InsertSession"
	conn, err := p.store.acquire(ctx, statement)
	if err != nil {
		return 0, err
	}
	defer p.store.release(conn)
	err = queries.InsertSession(ctx, conn, dbsqlc.InsertSessionParams{
		TenantID:         tenant,
		SessionID:        r.SessionID,
		Blob:             r.Blob,
		Audience:         string(r.Audience),
		AttemptCounter:   r.AttemptCounter,
		ReplayCompatible: r.ReplayCompatible,
		ProfileID:        nullIfEmpty(r.ProfileID),
		EngineVersion:    r.EngineVersion,
		EngineCreatedAt:  r.CreatedAt,
		EngineUpdatedAt:  r.UpdatedAt,
		Ttl:              p.store.sessionTTL,
	})
	if isUniqueViolation(err) {
		return 0, &fault.StoreError{Kind: fault.IDCollision, Statement: statement}
	}
	if err != nil {
		return 0, storeError(ctx, statement, err)
	}
	return 1, nil
}

func (p *sessions) update(ctx context.Context, r session.Record, read session.Version) (session.Version, error) {
	const statement = "UpdateSession"
	conn, err := p.store.acquire(ctx, statement)
	if err != nil {
		return 0, err
	}
	defer p.store.release(conn)
	v, err := queries.UpdateSession(ctx, conn, dbsqlc.UpdateSessionParams{
		Blob:             r.Blob,
		Audience:         string(r.Audience),
		AttemptCounter:   r.AttemptCounter,
		ReplayCompatible: r.ReplayCompatible,
		ProfileID:        nullIfEmpty(r.ProfileID),
		EngineVersion:    r.EngineVersion,
		EngineCreatedAt:  r.CreatedAt,
		EngineUpdatedAt:  r.UpdatedAt,
		Ttl:              p.store.sessionTTL,
		TenantID:         tenant,
		SessionID:        r.SessionID,
		ReadVersion:      int64(read),
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, classify(ctx, conn, r.SessionID, read)
	}
	if err != nil {
		return 0, storeError(ctx, statement, err)
	}
	return session.Version(v), nil
}

// classify reads again why a guarded write met no row, over the connection
// that the write used.
func classify(ctx context.Context, conn *pgxpool.Conn, id string, read session.Version) *session.Conflict {
	row, err := queries.ClassifySession(ctx, conn, dbsqlc.ClassifySessionParams{TenantID: tenant, SessionID: id})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return &session.Conflict{Why: session.WhyGone}
	case err != nil:
		return &session.Conflict{Why: session.WhyUnknown, Cause: storeError(ctx, "ClassifySession", err)}
	case row.Version != int64(read):
		return &session.Conflict{Why: session.WhyOvertaken}
	case !row.Live:
		return &session.Conflict{Why: session.WhyExpired}
	}
	// The row is as it was read after all, which only a database clock that
	// was set back explains. The write has not landed.
	return &session.Conflict{Why: session.WhyUnknown}
}

// nullIfEmpty is how a record without a profile is stored.
func nullIfEmpty(id string) pgtype.Text { return pgtype.Text{String: id, Valid: id != ""} }

func audienceOf(statement, stored string) (session.Audience, error) {
	switch a := session.Audience(stored); a {
	case session.Player, session.AI:
		return a, nil
	}
	return "", &fault.StoreError{Kind: fault.RowUndeserializable, Statement: statement, Subject: "audience"}
}
