package cli

import (
	"context"
	"fmt"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/adapters/mcp"
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
	var (
		public   *app.Public
		internal *app.Internal
		engines  *engine.Registry
	)
	instance := app.New(&d.Serve, log, fx.Populate(&public, &internal, &engines))
	return run(ctx, instance, func() { d.greet(t, public.Address(), internal.Address(), engines.Campaigns()) })
}

func (d *dev) greet(t terminal, public, internal string, campaigns []engine.Summary) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(t.out, format+"\n", args...) }
	url := "http://" + public
	say("\nHoldfast is ready.")
	say("  play sessions   %s/v1/…", url)
	say("  for agents      %s%s (MCP)", url, mcp.Path)
	say("  readiness       %s/readyz", url)
	say("  metrics         http://%s/metrics", internal)
	kept := "and the games with it"
	if d.Storage == "durable" {
		say("  database        %s", d.DatabaseURL)
		kept = "the games stay in the database"
	}
	if len(campaigns) > 0 {
		say("\nBegin a game:\n  curl -s %s/v1/create-session -H 'content-type: application/json' -d '{\"campaignId\":\"%s\"}'", url, campaigns[0].CampaignID)
	}
	say("Or play in another terminal:\n  go run ./app/holdfast play --url %s\n\nCtrl-C stops it, %s.", url, kept)
}
