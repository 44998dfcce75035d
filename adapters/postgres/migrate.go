package postgres

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"path"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/holdfast-dev/holdfast/core/fault"
	sqlfiles "github.com/holdfast-dev/holdfast/sql"
)

// Migration is a migration that this binary knows.
type Migration struct {
	Name    string
	Version int64
	// AppliedAt is zero where the migration is pending.
	AppliedAt time.Time
}

// Schema is the state of the schema, for operators.
type Schema struct {
	// Version is that of the database; above the last of Migrations where a
	// newer release has migrated it, which is fine.
	Version    int64
	Migrations []Migration
}

// Up migrates to head and returns the names of what it applied. It takes the
// advisory lock of the migration tool only where something is pending, and
// waits for it no longer than 5 s; the migrations take the time that they
// take. It fails with a *fault.StoreError.
func (s *Store) Up(ctx context.Context) ([]string, error) {
	db := stdlib.OpenDB(*s.configs.migration)
	defer db.Close()
	provider, err := newProvider(db, goose.WithSessionLocker(migrationLock{s.lockWait}))
	if err != nil {
		return nil, migrationError(ctx, err)
	}
	pending, err := s.pending(ctx, db, provider)
	if err != nil || !pending {
		return nil, err
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return nil, migrationError(ctx, err)
	}
	applied := make([]string, len(results))
	for i, r := range results {
		applied[i] = path.Base(r.Source.Path)
	}
	return applied, nil
}

// pending looks whether there is anything to do, within connectTimeout and
// without the lock, so that an instance that is up to date does not wait for
// another one's migration.
func (s *Store) pending(ctx context.Context, db *sql.DB, provider *goose.Provider) (bool, error) {
	look, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if err := s.ensureSchema(look, db); err != nil {
		return false, storeError(look, "create schema", err)
	}
	pending, err := provider.HasPending(look)
	if err != nil {
		return false, migrationError(look, err)
	}
	return pending, nil
}

// ensureSchema creates the schema that the options name where it is missing.
func (s *Store) ensureSchema(ctx context.Context, db *sql.DB) error {
	if s.configs.schema == "" {
		return nil
	}
	var there bool
	err := db.QueryRowContext(ctx, "select exists (select from pg_namespace where nspname = $1)", s.configs.schema).Scan(&there)
	if err != nil || there {
		return err
	}
	_, err = db.ExecContext(ctx, "create schema if not exists "+pgx.Identifier{s.configs.schema}.Sanitize())
	if isUniqueViolation(err) {
		return nil // another instance was faster
	}
	return err
}

// Status reads the state of the schema and changes nothing.
func (s *Store) Status(ctx context.Context) (Schema, error) {
	db := stdlib.OpenDB(*s.configs.migration)
	defer db.Close()
	provider, err := newProvider(db)
	if err != nil {
		return Schema{}, migrationError(ctx, err)
	}
	var schema Schema
	for _, source := range provider.ListSources() {
		schema.Migrations = append(schema.Migrations, Migration{Name: path.Base(source.Path), Version: source.Version})
	}
	// The tool would create its table, which is not for a look at the state.
	var begun bool
	err = db.QueryRowContext(ctx, "select to_regclass($1) is not null", goose.DefaultTablename).Scan(&begun)
	if err != nil {
		return Schema{}, storeError(ctx, "migration status", err)
	}
	if !begun {
		return schema, nil
	}
	if schema.Version, err = provider.GetDBVersion(ctx); err != nil {
		return Schema{}, migrationError(ctx, err)
	}
	states, err := provider.Status(ctx)
	if err != nil {
		return Schema{}, migrationError(ctx, err)
	}
	for i, state := range states {
		schema.Migrations[i].AppliedAt = state.AppliedAt
	}
	return schema, nil
}

// newProvider returns the migration tool over the embedded migrations. It is
// made anew for each attempt, and so is its lock.
func newProvider(db *sql.DB, options ...goose.ProviderOption) (*goose.Provider, error) {
	files, err := fs.Sub(sqlfiles.Migrations, "migrations")
	if err != nil {
		return nil, err
	}
	options = append(options, goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	return goose.NewProvider(goose.DialectPostgres, db, files, options...)
}

// migrationLock is goose's advisory lock with a bound on the wait and an
// error of its own when the bound is reached. Like goose's it polls: a
// statement that waits in the server would hold a snapshot, which a migration
// that builds an index concurrently would wait for in turn.
type migrationLock struct{ wait time.Duration }

const lockPoll = 25 * time.Millisecond

func (l migrationLock) SessionLock(ctx context.Context, conn *sql.Conn) error {
	bound := time.NewTimer(l.wait)
	defer bound.Stop()
	poll := time.NewTicker(lockPoll)
	defer poll.Stop()
	for {
		var locked bool
		err := lockQuery(ctx, conn, "select pg_try_advisory_lock($1)", &locked)
		if err != nil || locked {
			return err
		}
		select {
		case <-poll.C:
		case <-bound.C:
			return &fault.StoreError{Kind: fault.MigrationLockTimeout}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (migrationLock) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	var unlocked bool
	return lockQuery(ctx, conn, "select pg_advisory_unlock($1)", &unlocked)
}

// lockQuery bounds a statement on the lock: goose unlocks with a context that
// never ends.
func lockQuery(ctx context.Context, conn *sql.Conn, statement string, dest *bool) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return conn.QueryRowContext(ctx, statement, lock.DefaultLockID).Scan(dest)
}

// migrationError names the migration that the server refused. A connection
// that broke on the way, or a server that only reads, is what it is.
func migrationError(ctx context.Context, err error) error {
	failure := storeError(ctx, "migration", err)
	if failure.Kind != fault.StatementFailed {
		return failure
	}
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		return &fault.StoreError{
			Kind:    fault.MigrationRefused,
			Subject: path.Base(partial.Failed.Source.Path),
			Cause:   failure.Cause,
		}
	}
	if _, ok := errors.AsType[*pgconn.PgError](err); ok {
		return failure // before any migration: the tool's own table
	}
	return &fault.StoreError{Kind: fault.MigrationRefused, Subject: "migrations out of order", Cause: err}
}
