package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"

	"github.com/holdfast-dev/holdfast/app/bench"
	"github.com/holdfast-dev/holdfast/app/bench/naive"
	"github.com/holdfast-dev/holdfast/app/cli"
)

// children are the processes that the benchmark starts of itself.
var children = map[string]func(context.Context, []string) error{
	"naive":    runNaive,
	"proxy":    runProxy,
	"profiled": runProfiled,
}

// child is one of them, run by this program.
func child(self, name string) bench.Program {
	return func(listen, behind string) bench.Command {
		return bench.Command{Path: self, Args: []string{name, listen, behind}}
	}
}

var errChild = errors.New("this command is for the benchmark itself")

// runNaive runs the naive service: the address to listen on, the database's URL.
func runNaive(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errChild
	}
	return naive.Serve(ctx, args[0], args[1], bench.PoolSize, bench.Campaigns(), bench.CampaignFile)
}

// runProxy runs the bare proxy: the address to listen on, the service's URL.
func runProxy(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errChild
	}
	return bench.BareProxy(ctx, args[0], args[1])
}

// runProfiled runs `holdfast serve` with the settings of the environment, and
// writes a CPU profile of it to a file when it stops.
func runProfiled(ctx context.Context, args []string) (err error) {
	if len(args) != 1 {
		return errChild
	}
	file, err := os.Create(args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	if code := cli.Run(ctx, []string{"serve"}, os.Stdin, os.Stdout, os.Stderr); code != 0 {
		return fmt.Errorf("serve ended with exit code %d", code)
	}
	return nil
}
