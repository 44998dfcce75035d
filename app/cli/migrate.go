package cli

import (
	"context"
	"fmt"

	"github.com/holdfast-dev/holdfast/adapters/postgres"
	"github.com/holdfast-dev/holdfast/app"
	"github.com/holdfast-dev/holdfast/app/config"
)

type migrate struct {
	Up     migrateUp     `cmd:"" help:"Bring the schema up to date."`
	Status migrateStatus `cmd:"" help:"Show which migrations the schema has."`
}

type migrateUp struct {
	config.Database
}

// Run brings the schema up to date.
func (m *migrateUp) Run(ctx context.Context, t terminal) error {
	store, err := openStore(&m.Database)
	if err != nil {
		return err
	}
	defer store.Close()
	applied, err := store.Up(ctx)
	if err != nil {
		return err
	}
	for _, name := range applied {
		_, _ = fmt.Fprintln(t.out, "applied", name)
	}
	if len(applied) == 0 {
		_, _ = fmt.Fprintln(t.out, "the schema is up to date")
	}
	return nil
}

type migrateStatus struct {
	config.Database
}

// Run shows each migration and when it was applied.
func (m *migrateStatus) Run(ctx context.Context, t terminal) error {
	store, err := openStore(&m.Database)
	if err != nil {
		return err
	}
	defer store.Close()
	schema, err := store.Status(ctx)
	if err != nil {
		return err
	}
	newest := int64(0)
	for _, migration := range schema.Migrations {
		state := "pending"
		if !migration.AppliedAt.IsZero() {
			state = "applied " + migration.AppliedAt.UTC().Format("2006-01-02 15:04:05Z")
		}
		_, _ = fmt.Fprintf(t.out, "%-32s %s\n", migration.Name, state)
		newest = max(newest, migration.Version)
	}
	if schema.Version > newest {
		_, _ = fmt.Fprintf(t.out, "the schema is at %d, of a newer release; this one works with it\n", schema.Version)
	}
	return nil
}

func openStore(d *config.Database) (*postgres.Store, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	return app.OpenStore(app.StoreOptions(*d))
}
