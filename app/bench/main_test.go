package bench

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/app/bench/naive"
	"github.com/holdfast-dev/holdfast/app/cli"
)

// TestMain lets the test binary be the services that a run measures, as
// processes of their own, without building anything.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		switch os.Args[1] {
		case "serve", "edge":
			os.Exit(cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		case "naive":
			if err := naive.Serve(ctx, os.Args[2], os.Args[3], PoolSize, Campaigns(), CampaignFile); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case "proxy":
			if err := BareProxy(ctx, os.Args[2], os.Args[3]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	postgrestest.Main(m)
}

// serve and child are those processes.
func serve(t *testing.T) Program {
	t.Helper()
	campaigns := t.TempDir()
	if err := os.CopyFS(campaigns, Campaigns()); err != nil {
		t.Fatal(err)
	}
	return ServeProgram(campaigns, executable(t), "serve")
}

func child(t *testing.T, name string) Program {
	t.Helper()
	self := executable(t)
	return func(listen, behind string) Command { return Command{Path: self, Args: []string{name, listen, behind}} }
}

func executable(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}
