package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/adapters/postgres"
	"github.com/holdfast-dev/holdfast/app/devstack"
	"github.com/holdfast-dev/holdfast/core/session"
)

// database is the PostgreSQL that all contenders share.
type database struct {
	server *devstack.Postgres
	admin  *pgx.Conn
}

// startDatabase starts a server whose files are in a folder that survives, so
// that devstack leaves its durability alone, and loads the rows.
func startDatabase(ctx context.Context, folder string, rows int, log *slog.Logger) (_ *database, err error) {
	db := &database{}
	if db.server, err = devstack.StartPostgres(ctx, devstack.Options{State: folder, Log: log}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.stop())
		}
	}()
	if db.admin, err = pgx.Connect(ctx, db.server.URL()); err != nil {
		return nil, err
	}
	// No checkpoint in a slot: one is made before each.
	for _, setting := range []string{"checkpoint_timeout = '1d'", "max_wal_size = '16GB'", "autovacuum = off"} {
		if _, err := db.admin.Exec(ctx, "alter system set "+setting); err != nil {
			return nil, err
		}
	}
	if _, err := db.admin.Exec(ctx, "select pg_reload_conf()"); err != nil {
		return nil, err
	}
	return db, db.load(ctx, rows)
}

func (db *database) stop() error {
	if db.admin != nil {
		_ = db.admin.Close(context.Background())
	}
	return db.server.Stop()
}

// load writes one session through the store and copies it to all the others.
func (db *database) load(ctx context.Context, rows int) error {
	store, err := postgres.New(postgres.Options{URL: db.server.URL()})
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Attempt(ctx); err != nil {
		return err
	}
	layer := store.Layer()
	defer layer.Close()
	if _, err := layer.Sessions().Put(ctx, record(sessionID(0))); err != nil {
		return err
	}
	columns, err := db.columns(ctx)
	if err != nil {
		return err
	}
	values := strings.Replace(columns, "session_id", fmt.Sprintf("'%s' || (%d + row)", idPrefix, idBase), 1)
	_, err = db.admin.Exec(ctx, fmt.Sprintf(
		"insert into session (%s) select %s from session, generate_series(1, %d) as row", columns, values, rows-1))
	if err != nil {
		return err
	}
	_, err = db.admin.Exec(ctx, "vacuum analyze session")
	return err
}

// columns lists the session's columns that are written, whatever they are in
// this version of the schema.
func (db *database) columns(ctx context.Context) (list string, err error) {
	err = db.admin.QueryRow(ctx, `select string_agg(quote_ident(column_name), ', ' order by ordinal_position)
		from information_schema.columns
		where table_schema = 'public' and table_name = 'session' and is_generated = 'NEVER'`).Scan(&list)
	return list, err
}

// record is a session as create-session writes it.
func record(id string) session.Record {
	now := time.Now().UTC().Format(time.RFC3339Nano)
	return session.Record{
		SessionID: id, Blob: blob, Audience: session.Player, ReplayCompatible: true,
		CreatedAt: now, UpdatedAt: now, EngineVersion: engineVersion,
	}
}

// settle gives every slot the same beginning.
func (db *database) settle(ctx context.Context) error {
	for _, statement := range []string{"vacuum session", "checkpoint"} {
		if _, err := db.admin.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// version is how often the session of row 0 was written.
func (db *database) version(ctx context.Context) (v int64, err error) {
	err = db.admin.QueryRow(ctx, "select version from session where session_id = $1", sessionID(0)).Scan(&v)
	return v, err
}

// reported are the server's settings that a reader of the numbers needs.
var reported = []string{
	"fsync", "synchronous_commit", "full_page_writes", "wal_level", "wal_compression", "shared_buffers",
	"max_wal_size", "checkpoint_timeout", "autovacuum",
}

var errNotDurable = errors.New("the measured PostgreSQL must have fsync and synchronous_commit on")

// settings reads them, and refuses to measure a server that does not keep what
// it acknowledged.
func (db *database) settings(ctx context.Context) (map[string]string, error) {
	settings := map[string]string{}
	for _, name := range reported {
		var value string
		if err := db.admin.QueryRow(ctx, "select current_setting($1)", name).Scan(&value); err != nil {
			return nil, err
		}
		settings[name] = value
	}
	if settings["fsync"] != "on" || settings["synchronous_commit"] != "on" {
		return nil, errNotDurable
	}
	return settings, nil
}

// stored is the size of a row's blob as the server keeps it, in bytes, and
// how many of all updates of the table were HOT, from 0 to 1.
func (db *database) stored(ctx context.Context) (size int, hot float64, err error) {
	err = db.admin.QueryRow(ctx, `select pg_column_size(blob),
		(select n_tup_hot_upd::float8 / greatest(n_tup_upd, 1) from pg_stat_user_tables where relname = 'session')
		from session where session_id = $1`, sessionID(0)).Scan(&size, &hot)
	return size, hot, err
}

func (db *database) serverVersion(ctx context.Context) (v string, err error) {
	err = db.admin.QueryRow(ctx, "show server_version").Scan(&v)
	return v, err
}
