package cli

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/adapters/mcp"
	"github.com/holdfast-dev/holdfast/adapters/system"
	"github.com/holdfast-dev/holdfast/app"
	"github.com/holdfast-dev/holdfast/app/config"
	"github.com/holdfast-dev/holdfast/app/devstack"
)

type mcpCmd struct {
	URL   string `help:"Address of a running service (http://127.0.0.1:8080 where neither this nor --state is given)." placeholder:"URL" xor:"service"`
	State string `help:"Run a service of its own in place of a running one, with a database that this folder keeps. The settings below are for it." placeholder:"FOLDER" xor:"service"`

	config.Serve

	Install bool `env:"HOLDFAST_INSTALL" help:"Install PostgreSQL with the system's package manager where it is missing."`
}

// Run carries MCP messages between standard input and output and a service,
// until the input ends. All else that it says goes to standard error.
func (m *mcpCmd) Run(ctx context.Context, t terminal) error {
	if m.State != "" {
		return m.runWithService(ctx, t)
	}
	if m.URL == "" {
		m.URL = "http://127.0.0.1:8080"
	}
	if u, err := url.Parse(m.URL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return &config.Invalid{Flag: "url", Problem: "it is not the address of a service", Accepted: "http://HOST:PORT"}
	}
	return m.bridge(ctx, t, m.URL)
}

// runWithService brings a service up, and down once the input ends.
func (m *mcpCmd) runWithService(ctx context.Context, t terminal) error {
	log := app.NewLogger(t.err)
	if m.Storage == "durable" {
		database, err := devstack.StartPostgres(ctx, devstack.Options{State: m.State, Install: m.Install, DatabaseURL: m.DatabaseURL, Log: log})
		if err != nil {
			return err
		}
		defer func() { _ = database.Stop() }()
		m.DatabaseURL = database.URL()
	}
	host := m.callable()
	if len(m.MCPHosts) > 0 {
		m.MCPHosts = append(m.MCPHosts, host)
	}
	if err := m.Check(); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	var public *app.Public
	err := run(ctx, app.New(&m.Serve, log, fx.Populate(&public)), func() {
		go func() {
			_, port, _ := net.SplitHostPort(public.Address())
			ended <- m.bridge(ctx, t, "http://"+host+":"+port)
			stop()
		}()
	})
	select {
	case failed := <-ended:
		if err == nil {
			err = failed
		}
	default: // the service ended first
	}
	return err
}

// callable is the host by which the listener can be called from here.
func (m *mcpCmd) callable() string {
	host, _, _ := net.SplitHostPort(m.Listen)
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		return "127.0.0.1"
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

func (m *mcpCmd) bridge(ctx context.Context, t terminal, url string) error {
	bridge := mcp.Bridge{
		URL:          strings.TrimRight(url, "/"),
		Client:       &http.Client{Timeout: patience},
		Correlations: system.IDs{},
		Log:          app.NewLogger(t.err),
		BodyLimit:    int(m.BodyLimit),
	}
	if err := bridge.Run(ctx, t.in, t.out); err != nil {
		return fmt.Errorf("standard input and output: %w", err)
	}
	return nil
}
