// Package config is the one place where settings are defined: each is a flag,
// an environment variable and a key of the config file by the flag's name
// (spec 40, Fixed names). It is the only reader of the environment.
package config

import (
	"time"
)

// Serve are the settings of an instance. A command sets other defaults of some
// with kong's set tag.
type Serve struct {
	Listen         string        `default:"${listen=127.0.0.1:8080}" env:"HOLDFAST_LISTEN" help:"Address of the public listener." placeholder:"HOST:PORT"`
	InternalListen string        `default:"${internal_listen=127.0.0.1:8081}" env:"HOLDFAST_INTERNAL_LISTEN" help:"Address of the internal listener, for operators: never one that players reach." placeholder:"HOST:PORT"`
	MCPHosts       []string      `name:"mcp-hosts" env:"HOLDFAST_MCP_HOSTS" help:"Hosts by which MCP clients may call the service, as HOST or HOST:PORT, comma separated; without it, the listener's own: localhost and its addresses, with its port." placeholder:"HOST"`
	Storage        string        `default:"durable" enum:"durable,in-memory" env:"HOLDFAST_STORAGE" help:"Where play sessions live: durable (PostgreSQL) or in-memory (for the replay, never a deployment)." placeholder:"KIND"`
	Campaigns      string        `env:"HOLDFAST_CAMPAIGNS" help:"Folder of campaign files; without it, the bundled campaigns." placeholder:"FOLDER"`
	RequestTimeout time.Duration `default:"10s" env:"HOLDFAST_REQUEST_TIMEOUT" help:"The longest that an operation may take."`
	PlaySessionTTL time.Duration `name:"play-session-ttl" default:"720h" env:"HOLDFAST_PLAY_SESSION_TTL" help:"How long a play session lives after its last accepted action."`
	SaveTTL        time.Duration `name:"save-ttl" default:"8760h" env:"HOLDFAST_SAVE_TTL" help:"How long a save lives after it was made."`
	Retention      time.Duration `default:"720h" env:"HOLDFAST_RETENTION" help:"How long an expired session or save is kept, so that it is answered as expired and not as unknown; at least ten request time-outs."`

	SweepInterval         time.Duration `default:"1h" env:"HOLDFAST_SWEEP_INTERVAL" help:"Time from one tick of the sweep to the next."`
	SweepBatch            int           `default:"5000" env:"HOLDFAST_SWEEP_BATCH" help:"The most rows that one statement of the sweep removes."`
	SweepBudget           time.Duration `default:"10m" env:"HOLDFAST_SWEEP_BUDGET" help:"The longest that one tick of the sweep goes on."`
	SweepStatementTimeout time.Duration `default:"5s" env:"HOLDFAST_SWEEP_STATEMENT_TIMEOUT" help:"The longest that one statement of the sweep may take."`

	Limits
	Database
	Seams
}

// Seams are for tests, which say so with TestSeams; without it they are
// refused.
type Seams struct {
	TestSeams      bool          `env:"HOLDFAST_TEST_SEAMS" help:"Allow the settings below, which are for tests and never for a deployment."`
	ReadWritePause time.Duration `default:"0s" env:"HOLDFAST_READ_WRITE_PAUSE" help:"For tests: wait between an action's read and its write."`
	ClockOffset    time.Duration `default:"0s" env:"HOLDFAST_CLOCK_OFFSET" help:"For tests: how far the instance's clock is ahead (or, negative, behind)."`
	Replay         bool          `env:"HOLDFAST_REPLAY" help:"For tests: count ids from 1 and let the clock stand still."`
	ReplayDump     string        `env:"HOLDFAST_REPLAY_DUMP" help:"For tests: write every stored blob to this file when the instance stops." placeholder:"FILE"`
}

// Database are the settings of the store's PostgreSQL.
type Database struct {
	DatabaseURL          string `env:"HOLDFAST_DATABASE_URL" help:"URL of the PostgreSQL database." placeholder:"postgres://USER@HOST:PORT/DATABASE"`
	MigrationDatabaseURL string `env:"HOLDFAST_MIGRATION_DATABASE_URL" help:"URL for migrations alone, where the other leads through a pooler; without it, the same." placeholder:"URL"`
	DatabaseSchema       string `default:"public" env:"HOLDFAST_DATABASE_SCHEMA" help:"Schema of the tables." placeholder:"NAME"`
	DatabasePool         int    `default:"16" env:"HOLDFAST_DATABASE_POOL" help:"The most connections to the database."`
	DatabaseExecMode     string `default:"cache_statement" enum:"cache_statement,cache_describe,describe_exec,exec,simple_protocol" env:"HOLDFAST_DATABASE_EXEC_MODE" help:"How statements are sent: cache_statement, cache_describe, describe_exec, exec or simple_protocol. Behind a pooler in transaction mode: cache_describe or exec." placeholder:"MODE"`
}
