package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/adapters/postgres/internal/dbsqlc"
	"github.com/holdfast-dev/holdfast/core/session"
)

// Lifecycle returns the lifecycle probe.
func (s *Store) Lifecycle() session.Lifecycle { return (*lifecycle)(s) }

type lifecycle Store

// Session implements [session.Lifecycle].
func (p *lifecycle) Session(ctx context.Context, id string) (session.Presence, error) {
	const statement = "SessionLive"
	conn, err := (*Store)(p).acquire(ctx, statement)
	if err != nil {
		return "", err
	}
	defer (*Store)(p).release(conn)
	live, err := queries.SessionLive(ctx, conn, dbsqlc.SessionLiveParams{TenantID: tenant, SessionID: id})
	return presence(ctx, statement, live, err)
}

// Save implements [session.Lifecycle].
func (p *lifecycle) Save(ctx context.Context, id string) (session.Presence, error) {
	const statement = "SaveLive"
	conn, err := (*Store)(p).acquire(ctx, statement)
	if err != nil {
		return "", err
	}
	defer (*Store)(p).release(conn)
	live, err := queries.SaveLive(ctx, conn, dbsqlc.SaveLiveParams{TenantID: tenant, SaveID: id})
	return presence(ctx, statement, live, err)
}

func presence(ctx context.Context, statement string, live bool, err error) (session.Presence, error) {
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return session.Absent, nil
	case err != nil:
		return "", storeError(ctx, statement, err)
	case live:
		return session.Live, nil
	}
	return session.Expired, nil
}
