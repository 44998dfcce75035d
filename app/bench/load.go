package bench

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// grace is what an answer may take beyond the end of its slot.
const grace = 15 * time.Second

// traffic is what a number of clients send to a service, each the next
// request when it has the answer to the last.
type traffic struct {
	path, body string
	clients    int
	rows       int
	// shared makes all clients use the session of row 0; otherwise each has
	// sessions of its own: those whose row number leaves its number as the
	// remainder.
	shared bool
	// verify tells whether an answer counts, or that it must not happen.
	verify func(status int, body []byte) (counts bool, err error)
}

// tally is what one client saw.
type tally struct {
	latencies []time.Duration
	counted   int
	err       error
}

// drive sends the traffic for so long, and returns the latencies of all
// answers, how many of them count, and how long it took.
func (t traffic) drive(ctx context.Context, address string, round time.Duration) (all tally, elapsed time.Duration) {
	tallies := make([]tally, t.clients)
	clients := make([]*client, t.clients)
	begin := time.Now()
	for i := range clients {
		c, err := dial(ctx, address, begin.Add(round+grace))
		if err != nil {
			return tally{err: err}, 0
		}
		defer c.close()
		clients[i] = c
	}
	begin = time.Now()
	end := begin.Add(round)
	var running sync.WaitGroup
	for i := range clients {
		running.Go(func() { tallies[i] = t.play(ctx, clients[i], i, end) })
	}
	running.Wait()
	elapsed = time.Since(begin)
	for _, one := range tallies {
		if one.err != nil {
			return tally{err: one.err}, elapsed
		}
		all.latencies = slices.Concat(all.latencies, one.latencies)
		all.counted += one.counted
	}
	return all, elapsed
}

// play is what one client does.
func (t traffic) play(ctx context.Context, c *client, number int, end time.Time) tally {
	seen := tally{latencies: make([]time.Duration, 0, 1<<16)}
	req := newRequest(t.path, t.body)
	dice := rand.New(rand.NewPCG(uint64(number), uint64(end.UnixNano())))
	// Each client asks at least once, however slow the machine.
	for now := time.Now(); (len(seen.latencies) == 0 || now.Before(end)) && ctx.Err() == nil; {
		if !t.shared {
			req.address(number + t.clients*dice.IntN(t.rows/t.clients))
		}
		status, body, err := c.do(req.bytes)
		if err != nil {
			return tally{err: fmt.Errorf("%s: %w", t.path, err)}
		}
		then := now
		now = time.Now()
		seen.latencies = append(seen.latencies, now.Sub(then))
		counts, err := t.verify(status, body)
		if err != nil {
			return tally{err: fmt.Errorf("%s: %w", t.path, err)}
		}
		if counts {
			seen.counted++
		}
	}
	seen.err = ctx.Err()
	return seen
}

// accepted is an action that was taken.
func accepted(status int, body []byte) (bool, error) {
	if status != 200 || !bytes.Contains(body, []byte(`"ok":true`)) {
		return false, unexpected(status, body)
	}
	return true, nil
}

// acceptedOrLost is an action that was taken, or that lost its race.
func acceptedOrLost(status int, body []byte) (bool, error) {
	if status == 409 {
		return false, nil
	}
	return accepted(status, body)
}

// shown is a scene.
func shown(status int, body []byte) (bool, error) {
	if status != 200 || !bytes.Contains(body, []byte(`"status":"active"`)) {
		return false, unexpected(status, body)
	}
	return true, nil
}

func unexpected(status int, body []byte) error {
	return fmt.Errorf("unexpected answer %d: %.200s", status, body)
}
