// Command chaos plays games against several instances of Holdfast over one
// PostgreSQL while it kills, freezes and cuts off whatever it can, and then
// holds what the instances had acknowledged to what is there (spec 60,
// Chaos).
//
//	go run ./app/chaos -duration 2m -seed 7 -instances 3
//
// A run is a row of rounds. In a round players take actions on a few sessions
// that they share, through all instances, and the nemesis works through its
// schedule, which follows from the seed alone. Then everything is healed,
// every instance has to come back by itself, and the round's sessions are
// checked: each one's history by a linearizability checker, every acknowledged
// write and save against what is stored. So histories are short, memory is
// bounded, and a violation is found in the round that it is in.
//
// # What an answer means
//
// A 200 is a promise. A refusal (409) promises that nothing was done. A 503, a
// time-out and a lost connection are a maybe: the write may land as long as
// its request or one of its statements is still under way, or never. The end
// of a round waits until none of them is, see [world.settle].
//
// # How the order of the writes is known
//
// Each write of the campaign appends four characters of its own to the game's
// trail, so that every state that is shown tells all writes before it. Which
// of the maybes landed, and where, is read off the trail at the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command(ctx, os.Args[1:], os.Stdout)
	stop()
	os.Exit(code)
}

// command runs what the arguments ask for. It returns 0 where everything held
// (or, with a mutant, where the mutant was caught), else 1.
func command(ctx context.Context, args []string, out io.Writer) int {
	s := settings{progress: out}
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.DurationVar(&s.duration, "duration", 2*time.Minute, "how long to go on; the round that is under way is finished")
	flags.Uint64Var(&s.seed, "seed", rand.Uint64N(1_000_000), "decides the schedule of faults and what the players try")
	flags.IntVar(&s.instances, "instances", 3, "how many instances, 2 to 4")
	flags.StringVar(&s.mutant, "mutant", "", "build the instances with this fault and expect to catch it, or all: "+strings.Join(mutantNames(), ", "))
	flags.BoolVar(&s.race, "race", false, "build the instances with the race detector")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 1
	}
	if flags.NArg() > 0 || s.instances < 2 || s.instances > 4 || s.duration <= 0 {
		_, _ = fmt.Fprintln(out, "chaos: -instances is 2 to 4, -duration above zero, and there are no other arguments")
		return 1
	}
	mutants := []string{s.mutant}
	if s.mutant == "all" {
		mutants = mutantNames()
	}
	code := 0
	for _, s.mutant = range mutants {
		code = max(code, once(ctx, s, out))
	}
	return code
}

func once(ctx context.Context, s settings, out io.Writer) int {
	r, err := run(ctx, s)
	if err != nil {
		_, _ = fmt.Fprintf(out, "chaos (seed %d): the run itself failed: %v\n", s.seed, err)
		return 1
	}
	r.print(out)
	if r.passed() != (s.mutant == "") {
		return 1
	}
	return 0
}
