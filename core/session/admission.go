package session

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// abreast is how many actions on one session an instance works on at a time.
// Of those that meet, all but one lose, after a read and a whole computation;
// so more than two only make more losers. It also bounds what one contested
// session takes of the store's connections, since a guarded write waits there
// for the one before it. It is no part of the guarantee: with any number, and
// with any number of instances, the guarded write decides.
const abreast = 2

// admission lets actions on one session in, [abreast] at a time; the others
// wait their turn before they read. The zero value is ready.
type admission struct {
	mu    sync.Mutex
	doors map[string]*door
}

// door is the way to one session. It exists as long as somebody is inside.
type door struct {
	inside int
	// waiting are those whose turn has not come, the first first; a turn comes
	// by closing the channel.
	waiting []chan struct{}
}

// enter waits for a place. Whoever got one leaves it.
func (a *admission) enter(ctx context.Context, sessionID string) error {
	turn := a.knock(sessionID)
	if turn == nil {
		return nil
	}
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	if a.turnBack(sessionID, turn) {
		// Those inside are held up where actions are held up: in the store.
		return fmt.Errorf("waiting for other actions on the session: %w", ctx.Err())
	}
	return nil // the turn came at the same moment
}

// knock takes a place, or a turn where none is free.
func (a *admission) knock(sessionID string) (turn chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d, ok := a.doors[sessionID]
	if !ok {
		if a.doors == nil {
			a.doors = map[string]*door{}
		}
		a.doors[sessionID] = &door{inside: 1}
		return nil
	}
	if d.inside < abreast {
		d.inside++
		return nil
	}
	turn = make(chan struct{})
	d.waiting = append(d.waiting, turn)
	return turn
}

// leave gives a place to who waits longest.
func (a *admission) leave(sessionID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.doors[sessionID]
	if len(d.waiting) > 0 {
		close(d.waiting[0])
		d.waiting = d.waiting[1:]
		return
	}
	d.inside--
	if d.inside == 0 {
		delete(a.doors, sessionID)
	}
}

// turnBack gives a turn up; false where it has come already.
func (a *admission) turnBack(sessionID string, turn chan struct{}) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.doors[sessionID]
	if d == nil {
		return false
	}
	i := slices.Index(d.waiting, turn)
	if i < 0 {
		return false
	}
	d.waiting = slices.Delete(d.waiting, i, i+1)
	return true
}
