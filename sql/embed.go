// Package sqlfiles holds the schema of the store. The migrations are applied
// in the order of their numbers by adapters/postgres; every one after the
// first must work with the code before it, since instances of two releases
// share one store during a rolling deploy (spec 10, Start-up). The queries
// beside them are compiled by sqlc into adapters/postgres/internal/dbsqlc.
package sqlfiles

import "embed"

//go:generate go tool -modfile=../tools/go.mod sqlc generate -f ../sqlc.yaml

// Migrations holds the migration files under "migrations".
//
//go:embed migrations/*.sql
var Migrations embed.FS
