// Command cmd runs the benchmark (task bench) and writes its Markdown page and
// its JSON. See package bench for what it measures.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/holdfast-dev/holdfast/app/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		if child, ok := children[args[0]]; ok {
			return child(ctx, args[1:])
		}
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	rounds := flags.Int("rounds", 5, "how often every contender has its turn")
	round := flags.Duration("round", 5*time.Second, "how long a turn takes")
	rows := flags.Int("rows", 100_000, "how many sessions there are")
	backlog := flags.Int("backlog", 1_000_000, "how many expired sessions the sweep meets; 0: the sweep is not measured")
	only := flags.String("only", "", "measure only works whose name matches this regular expression; nothing is written")
	quick := flags.Bool("quick", false, "a smoke run: one round of a second over 3,200 sessions, nothing is written")
	out := flags.String("out", "docs", "folder for benchmarks.md and benchmarks.json")
	profiles := flags.String("profile", "", "folder that keeps the CPU profiles of Holdfast, which are taken after the rounds; without it they go once they are read")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if *quick {
		*rounds, *round, *rows, *backlog, *out = 1, time.Second, 3_200, 3_200, ""
	}
	var selected *regexp.Regexp
	if *only != "" {
		var err error
		if selected, err = regexp.Compile(*only); err != nil {
			return err
		}
		*out = ""
		*backlog = 0
	}
	folder, err := os.MkdirTemp("", "holdfast-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	if *profiles == "" && !*quick {
		*profiles = folder
	}
	o, err := programs(ctx, folder, *profiles)
	if err != nil {
		return err
	}
	o.Rounds, o.RoundTime, o.Rows, o.Backlog, o.Only = *rounds, *round, *rows, *backlog, selected
	o.Progress = func(line string) { fmt.Fprintln(os.Stderr, line) }
	o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	result, err := bench.Run(ctx, o)
	if err != nil {
		return err
	}
	return write(result, *out)
}

// programs builds Holdfast and says how everything is run.
func programs(ctx context.Context, folder, profiles string) (bench.Options, error) {
	holdfast := filepath.Join(folder, "holdfast")
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=auto", "-o", holdfast, "github.com/holdfast-dev/holdfast/app/holdfast")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return bench.Options{}, fmt.Errorf("build Holdfast: %w", err)
	}
	campaigns := filepath.Join(folder, "campaigns")
	if err := os.CopyFS(campaigns, bench.Campaigns()); err != nil {
		return bench.Options{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return bench.Options{}, err
	}
	o := bench.Options{
		Binary: holdfast, PoolSize: bench.PoolSize,
		Holdfast:  bench.ServeProgram(campaigns, holdfast, "serve"),
		Naive:     child(self, "naive"),
		Edge:      bench.EdgeProgram(holdfast, "edge"),
		BareProxy: child(self, "proxy"),
	}
	if profiles != "" {
		if err := os.MkdirAll(profiles, 0o750); err != nil {
			return bench.Options{}, err
		}
		o.ProfileFolder = profiles
		o.Profiled = func(profile string) bench.Program {
			return bench.ServeProgram(campaigns, self, "profiled", profile)
		}
	}
	return o, nil
}

func write(result *bench.Result, folder string) error {
	page := result.Markdown()
	if folder == "" {
		_, err := fmt.Print(page)
		return err
	}
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "benchmarks.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "benchmarks.md"), []byte(page), 0o644)
}
