package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// place is what a fault is done to.
type place string

const (
	onInstance place = "instance"
	onNetwork  place = "network of instance"
	onDatabase place = "PostgreSQL"
)

// faultKind is a kind of fault. run brings it about, holds it until its time or
// the context is over, and heals it; an error is one of the harness.
type faultKind struct {
	kind              string
	on                place
	shortest, longest time.Duration // how long it lasts
	run               func(context.Context, *world, step) error
}

var faults = []faultKind{
	{"instance: kill -9, restart", onInstance, 0, time.Second, killInstance},
	{"instance: SIGSTOP, SIGCONT", onInstance, 200 * time.Millisecond, 2500 * time.Millisecond, freezeInstance},
	{"instance: restart, clock off by 60 s", onInstance, 0, 0, shiftClock},
	{"PostgreSQL: kill -9, restart", onDatabase, 0, 500 * time.Millisecond, killDatabase},
	{"PostgreSQL: SIGSTOP, SIGCONT", onDatabase, 200 * time.Millisecond, 1500 * time.Millisecond, freezeDatabase},
	{"PostgreSQL: pools filled", onDatabase, 200 * time.Millisecond, 1500 * time.Millisecond, fillPools},
	{"network: connections cut", onNetwork, 0, time.Second, cutConnections},
	{"network: connections cut again and again", onNetwork, 300 * time.Millisecond, 1500 * time.Millisecond, flapConnections},
	{"network: connections delayed", onNetwork, 500 * time.Millisecond, 2 * time.Second, delayConnections},
	{"network: answers cut short", onNetwork, 500 * time.Millisecond, 2 * time.Second, cutAnswers},
	{"network: answers lost", onNetwork, 200 * time.Millisecond, 1500 * time.Millisecond, loseAnswers},
}

func (w *world) instanceOf(s step) *instance { return w.instances[s.instance] }

func killInstance(ctx context.Context, w *world, s step) error {
	i := w.instanceOf(s)
	if err := i.kill(); err != nil {
		return err
	}
	rest(ctx, s.hold)
	return i.start(0)
}

func shiftClock(_ context.Context, w *world, s step) error {
	i := w.instanceOf(s)
	if err := i.kill(); err != nil {
		return err
	}
	if s.dice%2 == 0 {
		return i.start(-time.Minute)
	}
	return i.start(time.Minute)
}

func freezeInstance(ctx context.Context, w *world, s step) error {
	i := w.instanceOf(s)
	if err := i.signal(freeze); err != nil {
		return err
	}
	rest(ctx, s.hold)
	return i.signal(thaw)
}

func killDatabase(ctx context.Context, w *world, s step) error {
	if err := w.server.Kill(); err != nil {
		return err
	}
	rest(ctx, s.hold)
	return w.server.Restart(context.WithoutCancel(ctx))
}

func freezeDatabase(ctx context.Context, w *world, s step) error {
	if err := w.server.Pause(); err != nil {
		return err
	}
	rest(ctx, s.hold)
	return w.server.Resume()
}

// fillPools locks the sessions or the saves away, so that every statement
// about them waits on a connection of its pool.
func fillPools(ctx context.Context, w *world, s step) error {
	// On its own time: it must give the lock back, and must not wait for ever.
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	conn, err := w.connect(own)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(own) }()
	table := []string{"session", "save"}[s.dice%2]
	if _, err := conn.Exec(own, "begin; lock table "+table+" in access exclusive mode"); err != nil {
		return err
	}
	rest(ctx, s.hold)
	_, err = conn.Exec(own, "rollback")
	return err
}

func cutConnections(ctx context.Context, w *world, s step) error {
	l := w.instanceOf(s).link
	l.cut()
	rest(ctx, s.hold)
	return l.mend()
}

func flapConnections(ctx context.Context, w *world, s step) error {
	l := w.instanceOf(s).link
	dice := rand.New(rand.NewPCG(s.dice, 0))
	for end := time.Now().Add(s.hold); time.Now().Before(end) && ctx.Err() == nil; {
		l.cut()
		if err := l.mend(); err != nil {
			return err
		}
		rest(ctx, 20*time.Millisecond+time.Duration(dice.Int64N(int64(100*time.Millisecond))))
	}
	return nil
}

func delayConnections(ctx context.Context, w *world, s step) error {
	l := w.instanceOf(s).link
	delay := 10 + int64(rand.New(rand.NewPCG(s.dice, 0)).IntN(200)) // milliseconds
	attributes := map[string]int64{"latency": delay, "jitter": delay / 2}
	err := errors.Join(l.add("latency", "upstream", attributes), l.add("latency", "downstream", attributes))
	if err != nil {
		return err
	}
	rest(ctx, s.hold)
	return l.clear()
}

// loseAnswers lets statements through and nothing back; in the end the
// connections break.
func loseAnswers(ctx context.Context, w *world, s step) error {
	l := w.instanceOf(s).link
	if err := l.add("timeout", "downstream", map[string]int64{"timeout": 0}); err != nil {
		return err
	}
	rest(ctx, s.hold)
	return l.clear()
}

// cutAnswers breaks each connection when it has brought so many bytes of
// answers, and leaves the others alone: what was asked is done.
func cutAnswers(ctx context.Context, w *world, s step) error {
	l := w.instanceOf(s).link
	bytes := 1500 + int64(rand.New(rand.NewPCG(s.dice, 0)).IntN(3000))
	if err := l.add("limit_data", "downstream", map[string]int64{"bytes": bytes}); err != nil {
		return err
	}
	rest(ctx, s.hold)
	return l.clear()
}
