package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// step is a fault of the schedule.
type step struct {
	at    time.Duration // since the round began
	fault faultKind
	// instance is the number of the instance that the fault is about, from 0;
	// of no meaning for a fault of the database.
	instance int
	hold     time.Duration // how long the fault lasts
	dice     uint64        // for what else the fault has to decide
}

func (s step) String() string {
	if s.fault.on == onDatabase {
		return fmt.Sprintf("%v %s for %v", s.at, s.fault.kind, s.hold)
	}
	return fmt.Sprintf("%v %s for %v, instance %d", s.at, s.fault.kind, s.hold, s.instance+1)
}

// target is what cannot take two faults at once.
func (s step) target() string {
	if s.fault.on == onDatabase {
		return string(onDatabase)
	}
	return fmt.Sprintf("%s %d", s.fault.on, s.instance+1)
}

// Times between the beginnings of two faults, and how long a round stays as
// it is before and after them.
const (
	shortestGap = 400 * time.Millisecond
	longestGap  = 1300 * time.Millisecond
	quietBefore = 300 * time.Millisecond
	quietAfter  = 400 * time.Millisecond
)

// plan is the schedule of a run, drawn round by round from the seed and from
// nothing else. All kinds of faults take turns.
type plan struct {
	dice      *rand.Rand
	instances int
	bag       []faultKind
}

func newPlan(seed uint64, instances int) *plan {
	return &plan{dice: rand.New(rand.NewPCG(seed, 0)), instances: instances}
}

// next is the schedule of the next round.
func (p *plan) next(length time.Duration) (steps []step) {
	free := map[string]time.Duration{} // when a target has no fault any more
	for at := quietBefore; at < length-quietAfter; at += p.between(shortestGap, longestGap) {
		if len(p.bag) == 0 {
			p.bag = append(p.bag, faults...)
			p.dice.Shuffle(len(p.bag), func(i, j int) { p.bag[i], p.bag[j] = p.bag[j], p.bag[i] })
		}
		s := step{at: at, fault: p.bag[0], instance: p.dice.IntN(p.instances), dice: p.dice.Uint64()}
		s.hold = p.between(s.fault.shortest, s.fault.longest)
		if free[s.target()] > at {
			continue // the same fault is tried at the next point in time
		}
		free[s.target()] = at + s.hold
		p.bag = p.bag[1:]
		steps = append(steps, s)
	}
	return steps
}

func (p *plan) between(least, most time.Duration) time.Duration {
	return (least + time.Duration(p.dice.Int64N(int64(most-least)+1))).Round(time.Millisecond)
}

// disturb brings the faults of a round about and heals each when its time, or
// the round, is over. It returns when the context has ended and all is healed.
func (w *world) disturb(ctx context.Context, steps []step) error {
	began := time.Now()
	busy := map[string]*sync.Mutex{}
	for _, s := range steps {
		busy[s.target()] = &sync.Mutex{}
	}
	var (
		under sync.WaitGroup
		mu    sync.Mutex
		errs  []error
	)
	failed, fail := context.WithCancel(ctx)
	defer fail()
	for _, s := range steps {
		if !rest(failed, time.Until(began.Add(s.at))) {
			break
		}
		under.Go(func() {
			// Healing takes its time too, so that a fault may have to wait.
			busy[s.target()].Lock()
			defer busy[s.target()].Unlock()
			if ctx.Err() != nil {
				return
			}
			w.fault(s.fault.kind)
			if err := s.fault.run(ctx, w, s); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, fmt.Errorf("%v: %w", s, err))
				fail()
			}
		})
	}
	<-failed.Done()
	under.Wait()
	return errors.Join(errs...)
}

// rest waits, and reports whether the context lets the caller go on.
func rest(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
