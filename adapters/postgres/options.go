package postgres

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options configure a [Store]. What is zero has its default (spec 40).
type Options struct {
	// URL is the server to serve from.
	URL string
	// MigrationURL is the server to migrate over: a direct one, where URL
	// leads to a transaction pooler. Default: URL.
	MigrationURL string
	// Schema is the schema of all tables, made by the migration where it is
	// missing. Where it is public (the default), the search path stays as the
	// URL and the server have it, since transaction poolers refuse to set one.
	Schema string
	// PoolSize bounds the connections of this process. Default: 16.
	PoolSize int
	// ExecMode names how pgx runs statements; behind a transaction pooler it
	// is cache_describe or exec. Default: cache_statement.
	ExecMode string
	// SessionTTL is how long a session lives after its last accepted write.
	// Default: 720 h.
	SessionTTL time.Duration
	// SaveTTL is how long a save lives after it was put. Default: 8760 h.
	SaveTTL time.Duration
	// SweepTimeout bounds one statement of the sweep. Default: 5 s.
	SweepTimeout time.Duration
}

// OptionError is an option of [New] that cannot be used. It does not quote
// the value, which may hold a password.
type OptionError struct {
	Option   string
	Accepted string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("postgres: option %s is not usable; accepted: %s", e.Option, e.Accepted)
}

// connectTimeout bounds everything that an attempt waits for but the
// migrations themselves: a connection, the migration lock, a look at the
// schema.
const connectTimeout = 5 * time.Second

var execModes = map[string]pgx.QueryExecMode{
	"cache_statement": pgx.QueryExecModeCacheStatement,
	"cache_describe":  pgx.QueryExecModeCacheDescribe,
	"describe_exec":   pgx.QueryExecModeDescribeExec,
	"exec":            pgx.QueryExecModeExec,
	"simple_protocol": pgx.QueryExecModeSimpleProtocol,
}

// configs are the two ways to the server that options describe.
type configs struct {
	pool      *pgxpool.Config
	migration *pgx.ConnConfig
	schema    string // to be made by the migration; empty where it is there
}

func (o Options) configs() (configs, error) {
	mode, ok := execModes[cmp.Or(o.ExecMode, "cache_statement")]
	switch {
	case !ok:
		return configs{}, &OptionError{"ExecMode", strings.Join(slices.Sorted(maps.Keys(execModes)), ", ")}
	case o.PoolSize < 0 || o.PoolSize > 10_000:
		return configs{}, &OptionError{"PoolSize", "1 to 10000"}
	case o.SessionTTL < 0:
		return configs{}, &OptionError{"SessionTTL", "a positive duration"}
	case o.SaveTTL < 0:
		return configs{}, &OptionError{"SaveTTL", "a positive duration"}
	case o.SweepTimeout < 0:
		return configs{}, &OptionError{"SweepTimeout", "a positive duration"}
	}
	pool, err := pgxpool.ParseConfig(o.URL)
	if err != nil || o.URL == "" {
		return configs{}, &OptionError{"URL", "postgres://user:password@host:port/database"}
	}
	direct, err := pgxpool.ParseConfig(cmp.Or(o.MigrationURL, o.URL))
	if err != nil {
		return configs{}, &OptionError{"MigrationURL", "postgres://user:password@host:port/database"}
	}
	migration := direct.ConnConfig
	schema := o.Schema
	if schema == "public" {
		schema = ""
	}
	for _, c := range []*pgx.ConnConfig{pool.ConnConfig, migration} {
		c.DefaultQueryExecMode = mode
		if c.ConnectTimeout <= 0 {
			c.ConnectTimeout = connectTimeout
		}
		if c.RuntimeParams["application_name"] == "" {
			c.RuntimeParams["application_name"] = "holdfast"
		}
		if schema != "" {
			c.RuntimeParams["search_path"] = pgx.Identifier{schema}.Sanitize()
		}
	}
	// After a failover a connection may lead to a server that only reads.
	closeOnFatal := pool.ConnConfig.OnPgError
	pool.ConnConfig.OnPgError = func(conn *pgconn.PgConn, e *pgconn.PgError) bool {
		return e.Code != readOnlyTransaction && closeOnFatal(conn, e)
	}
	pool.MaxConns = int32(cmp.Or(o.PoolSize, 16))
	// An idle connection whose server went away without a word costs a caller
	// this much, and no more.
	pool.PingTimeout = time.Second
	pool.MaxConnLifetimeJitter = pool.MaxConnLifetime / 6
	pool.AfterConnect = assertIsolation
	return configs{pool, migration, schema}, nil
}
