package memory

import (
	"context"
	"sync"
	"time"

	"github.com/holdfast-dev/holdfast/core/clock"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

// Replay is the store of the in-memory configuration. Of two operations on
// one session, the second waits until the first has closed its layer, and
// both are applied. Nothing expires, the lifecycle probe finds nothing, and
// saving a profile replaces it.
type Replay struct {
	*Store

	mu     sync.Mutex
	queues map[string]*queue
}

var _ session.Store = (*Replay)(nil)

// queue is the line of operations at one session: who holds the token is at
// the front. It exists as long as somebody holds or waits.
type queue struct {
	token  chan struct{}
	inLine int
}

// NewReplay returns an empty store.
func NewReplay() *Replay {
	return &Replay{
		Store:  New(clock.Fixed{}, time.Hour, time.Hour), // a clock that stands: nothing expires
		queues: map[string]*queue{},
	}
}

// Layer composes the view of one operation. It must be closed, or the
// sessions that it touched stay queued.
func (r *Replay) Layer() session.Layer {
	return &replayLayer{Layer: r.Store.Layer(), replay: r}
}

// Profiles returns the profile store, the reference of its port.
func (r *Replay) Profiles() session.Profiles { return replayProfiles{r.Store.Profiles(), r.Store} }

// Lifecycle returns a probe that answers absent, whatever the id.
func (r *Replay) Lifecycle() session.Lifecycle { return nothing{} }

// wait stands in line at a session until it is this operation's turn.
func (r *Replay) wait(ctx context.Context, id string) error {
	r.mu.Lock()
	q, ok := r.queues[id]
	if !ok {
		q = &queue{token: make(chan struct{}, 1)}
		q.token <- struct{}{}
		r.queues[id] = q
	}
	q.inLine++
	r.mu.Unlock()
	select {
	case <-q.token:
		return nil
	case <-ctx.Done():
		r.quit(id)
		return &fault.StoreError{Kind: fault.Unreachable, Cause: ctx.Err()}
	}
}

// leave lets the next one in.
func (r *Replay) leave(id string) {
	r.mu.Lock()
	r.queues[id].token <- struct{}{}
	r.mu.Unlock()
	r.quit(id)
}

func (r *Replay) quit(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.queues[id]
	if q.inLine--; q.inLine == 0 {
		delete(r.queues, id)
	}
}

type replayLayer struct {
	session.Layer
	replay *Replay
	held   []string
}

func (l *replayLayer) Sessions() session.Sessions {
	return replaySessions{l.Layer.Sessions(), l}
}

// Close ends the operation and lets the next ones on.
func (l *replayLayer) Close() {
	l.Layer.Close()
	for _, id := range l.held {
		l.replay.leave(id)
	}
	l.held = nil
}

func (l *replayLayer) hold(ctx context.Context, id string) error {
	for _, held := range l.held {
		if held == id {
			return nil
		}
	}
	if err := l.replay.wait(ctx, id); err != nil {
		return err
	}
	l.held = append(l.held, id)
	return nil
}

type replaySessions struct {
	session.Sessions
	layer *replayLayer
}

// Get implements [session.Sessions].
func (s replaySessions) Get(ctx context.Context, id string) (session.Record, session.Version, error) {
	if err := s.layer.hold(ctx, id); err != nil {
		return session.Record{}, 0, err
	}
	return s.Sessions.Get(ctx, id)
}

// Put implements [session.Sessions].
func (s replaySessions) Put(ctx context.Context, r session.Record) (session.Version, error) {
	if err := s.layer.hold(ctx, r.SessionID); err != nil {
		return 0, err
	}
	return s.Sessions.Put(ctx, r)
}

type replayProfiles struct {
	session.Profiles
	store *Store
}

// Save implements [session.Profiles]: it replaces.
func (p replayProfiles) Save(ctx context.Context, profile session.Profile) error {
	return p.store.saveProfile(ctx, profile, true)
}

type nothing struct{}

// Session implements [session.Lifecycle].
func (nothing) Session(context.Context, string) (session.Presence, error) {
	return session.Absent, nil
}

// Save implements [session.Lifecycle].
func (nothing) Save(context.Context, string) (session.Presence, error) {
	return session.Absent, nil
}
