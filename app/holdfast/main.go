// Command holdfast is the durability service of a game back end.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/holdfast-dev/holdfast/app/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
