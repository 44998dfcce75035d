// Package config is the one place where settings are defined: each is a flag,
// an environment variable and a key of the config file by the flag's name
// (spec 40, Fixed names). It is the only reader of the environment.
package config

import (
	"time"
)

// Serve are the settings of an instance.
type Serve struct {
	Listen          string        `default:"127.0.0.1:8080" env:"HOLDFAST_LISTEN" help:"Address of the public listener." placeholder:"HOST:PORT"`
	Storage         string        `default:"durable" enum:"durable,in-memory" env:"HOLDFAST_STORAGE" help:"Where play sessions live: durable (PostgreSQL) or in-memory (for the replay, never a deployment)." placeholder:"KIND"`
	Campaigns       string        `env:"HOLDFAST_CAMPAIGNS" help:"Folder of campaign files; without it, the bundled campaigns." placeholder:"FOLDER"`
	RequestTimeout  time.Duration `default:"10s" env:"HOLDFAST_REQUEST_TIMEOUT" help:"The longest that an operation may take."`
	BodyLimit       Bytes         `default:"1MiB" env:"HOLDFAST_BODY_LIMIT" help:"The largest request body."`
	ShutdownTimeout time.Duration `default:"25s" env:"HOLDFAST_SHUTDOWN_TIMEOUT" help:"The longest that shutting down may take; requests that arrive in the first fifth of it are still served."`
	PlaySessionTTL  time.Duration `name:"play-session-ttl" default:"720h" env:"HOLDFAST_PLAY_SESSION_TTL" help:"How long a play session lives after its last accepted action."`
	SaveTTL         time.Duration `name:"save-ttl" default:"8760h" env:"HOLDFAST_SAVE_TTL" help:"How long a save lives after it was made."`

	Database
}

// Database are the settings of the store's PostgreSQL.
type Database struct {
	DatabaseURL          string `env:"HOLDFAST_DATABASE_URL" help:"URL of the PostgreSQL database." placeholder:"postgres://USER@HOST:PORT/DATABASE"`
	MigrationDatabaseURL string `env:"HOLDFAST_MIGRATION_DATABASE_URL" help:"URL for migrations alone, where the other leads through a pooler; without it, the same." placeholder:"URL"`
	DatabaseSchema       string `default:"public" env:"HOLDFAST_DATABASE_SCHEMA" help:"Schema of the tables." placeholder:"NAME"`
	DatabasePool         int    `default:"16" env:"HOLDFAST_DATABASE_POOL" help:"The most connections to the database."`
	DatabaseExecMode     string `default:"cache_statement" enum:"cache_statement,cache_describe,describe_exec,exec,simple_protocol" env:"HOLDFAST_DATABASE_EXEC_MODE" help:"How statements are sent: cache_statement, cache_describe, describe_exec, exec or simple_protocol. Behind a pooler in transaction mode: cache_describe or exec." placeholder:"MODE"`
}
