package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// assertPreparedStatements refuses the exec mode cache_statement behind a
// transaction pooler that does not keep a client's prepared statements: it
// would work until two clients are busy at once, and then fail at random. It
// asks only where something stands between this process and the server.
func assertPreparedStatements(ctx context.Context, pool *pgxpool.Pool) error {
	config := pool.Config()
	if config.ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement || config.MaxConns < 2 {
		return nil
	}
	a, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer a.Release()
	var pid uint32
	if err := a.QueryRow(ctx, "select pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid); err != nil {
		return err
	}
	if pid == a.Conn().PgConn().PID() {
		return nil
	}
	b, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer b.Release()
	// The name is always the same: a pooler that mixes clients up keeps it on
	// a server connection, where the next attempt runs into it.
	const name = "holdfast_pooler_check"
	if _, err := a.Conn().Prepare(ctx, name, "select 1"); err != nil {
		return preparedStatementError(err)
	}
	// While b holds the server connection that a used last, a gets another.
	if _, err := b.Exec(ctx, "begin", pgx.QueryExecModeSimpleProtocol); err != nil {
		return err
	}
	// A pooler that has no other lets a wait, and proves nothing.
	wait, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err = a.Exec(wait, name)
	if _, rollback := b.Exec(ctx, "rollback", pgx.QueryExecModeSimpleProtocol); rollback != nil {
		return rollback
	}
	return preparedStatementError(err)
}

// preparedStatementError is nil for an error that does not speak of prepared
// statements.
func preparedStatementError(err error) error {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || (e.Code != unknownPreparedStatement && e.Code != duplicatePreparedStatement) {
		return nil
	}
	return &fault.StoreError{Kind: fault.StatementFailed, Statement: "start-up", Cause: serverErrorOf(e)}
}
