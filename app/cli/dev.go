package cli

import (
	"context"
	"fmt"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/app"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/app/devstack"
	"github.com/holdfast-dev/holdfast/core/engine"
)

type dev struct {
	config.Serve

	State   string `default:".holdfast" help:"Folder that keeps the database and its port between runs." placeholder:"FOLDER"`
	Install bool   `env:"HOLDFAST_INSTALL" help:"Install PostgreSQL with the system's package manager where it is missing."`
}

// Run starts a database and an instance over it, and says how to play.
func (d *dev) Run(ctx context.Context, t terminal) error {
	log := app.NewLogger(t.err)
	if d.Storage == "durable" {
		_, _ = fmt.Fprintln(t.out, "Starting PostgreSQL …")
		database, err := devstack.StartPostgres(ctx, devstack.Options{State: d.State, Install: d.Install, DatabaseURL: d.DatabaseURL, Log: log})
		if err != nil {
			return err
		}
		defer func() { _ = database.Stop() }()
		d.DatabaseURL = database.URL()
	}
	if err := d.Check(); err != nil {
		return err
	}
	var public *app.Public
	var engines *engine.Registry
	instance := app.New(&d.Serve, log, fx.Populate(&public, &engines))
	return run(ctx, instance, func() { d.greet(t, public.Address(), engines.Campaigns()) })
}

func (d *dev) greet(t terminal, address string, campaigns []engine.Summary) {
	url := "http://" + address
	_, _ = fmt.Fprintf(t.out, "\nHoldfast is ready.\n  play sessions   %s/v1/…\n  readiness       %s/readyz\n", url, url)
	if d.Storage == "durable" {
		_, _ = fmt.Fprintf(t.out, "  database        %s\n", d.DatabaseURL)
	}
	if len(campaigns) > 0 {
		_, _ = fmt.Fprintf(t.out, "\nBegin a game:\n  curl -s %s/v1/create-session -H 'content-type: application/json' -d '{\"campaignId\":\"%s\"}'\n", url, campaigns[0].CampaignID)
	}
	_, _ = fmt.Fprintf(t.out, "Or play in another terminal:\n  go run ./app/holdfast play --url %s\n\nCtrl-C stops it; the games stay in %s.\n", url, d.State)
}
