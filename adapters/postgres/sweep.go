package postgres

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/adapters/postgres/internal/dbsqlc"
	"github.com/holdfast-dev/holdfast/core/session"
)

var _ session.Sweepable = (*Store)(nil)

// SweepSessions implements [session.Sweepable].
func (s *Store) SweepSessions(ctx context.Context, retention time.Duration, limit int) (int, error) {
	return s.sweep(ctx, "SweepSessions", func(tx pgx.Tx) (int64, error) {
		return queries.SweepSessions(ctx, tx, dbsqlc.SweepSessionsParams{TenantID: tenant, Retention: interval(retention), Batch: int32(limit)})
	})
}

// SweepSaves implements [session.Sweepable].
func (s *Store) SweepSaves(ctx context.Context, retention time.Duration, limit int) (int, error) {
	return s.sweep(ctx, "SweepSaves", func(tx pgx.Tx) (int64, error) {
		return queries.SweepSaves(ctx, tx, dbsqlc.SweepSavesParams{TenantID: tenant, Retention: interval(retention), Batch: int32(limit)})
	})
}

// sweep runs one batch under the sweep's statement time-out. The time-out is
// set for a transaction and not for the session, so that it holds, and ends,
// behind a transaction pooler too. The server keeps it; the context is only
// for a server that does not answer any more.
func (s *Store) sweep(ctx context.Context, statement string, batch func(pgx.Tx) (int64, error)) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, s.sweepTimeout+connectTimeout)
	defer cancel()
	conn, err := s.acquire(ctx, statement)
	if err != nil {
		return 0, err
	}
	defer s.release(conn)
	var removed int64
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if err := queries.SetStatementTimeout(ctx, tx, strconv.FormatInt(s.sweepTimeout.Milliseconds(), 10)); err != nil {
			return err
		}
		var err error
		removed, err = batch(tx)
		return err
	})
	if err != nil {
		return 0, storeError(ctx, statement, err)
	}
	return int(removed), nil
}
