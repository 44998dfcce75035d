package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-dev/holdfast/api/client"
	"github.com/holdfast-dev/holdfast/core/fault"
)

const (
	players = 12
	// shared is how many sessions are played at a time, by all players.
	shared = 4
	// A player rests for so long between two operations.
	shortestRest = 5 * time.Millisecond
	longestRest  = 35 * time.Millisecond
	// What it rests longer after a maybe.
	afterMaybe = 60 * time.Millisecond
)

// round is what the players of one round do and remember.
type round struct {
	world *world
	began time.Time
	slots [shared]atomic.Pointer[session] // what is played now
	ids   atomic.Int64

	mu       sync.Mutex
	sessions []*session
	saves    []*save
	// maybeSessions and maybeSaves count those that may be there although
	// nobody was told.
	maybeSessions, maybeSaves int
	accused                   int // sessions found wrong
}

func newRound(w *world) *round { return &round{world: w, began: time.Now()} }

// now is the time of histories.
func (r *round) now() int64 { return time.Since(r.began).Nanoseconds() }

// nextID is the id of a write, of its own in the round.
func (r *round) nextID() string {
	n := strconv.FormatInt(r.ids.Add(1), 36)
	return "0000"[:max(0, idLength-len(n))] + n
}

// play lets all players play until the context ends.
func (r *round) play(ctx context.Context) {
	var all sync.WaitGroup
	for n := range players {
		p := r.newPlayer(n)
		all.Go(func() { p.play(ctx) })
	}
	all.Wait()
}

// player is one client. It asks one operation at a time, each through any of
// the instances.
type player struct {
	*round
	n     int
	dice  *rand.Rand
	lines []*line
	// weary is what the player rests longer before the next operation.
	weary time.Duration
}

func (r *round) newPlayer(n int) *player {
	seed := r.world.seed*1_000_003 + uint64(r.world.rounds)
	p := &player{round: r, n: n, dice: rand.New(rand.NewPCG(seed, uint64(n+1)))}
	for _, i := range r.world.instances {
		p.lines = append(p.lines, &line{instance: i})
	}
	return p
}

func (p *player) play(ctx context.Context) {
	defer p.close()
	for rest(ctx, p.weary+p.between(shortestRest, longestRest)) {
		slot := &p.slots[p.dice.IntN(shared)]
		s := slot.Load()
		if s == nil || s.isSpent() {
			p.begin(slot)
			continue
		}
		switch n := p.dice.IntN(100); {
		case n < 60:
			p.act(s)
		case n < 70:
			p.getScene(s)
		case n < 80:
			p.getView(s)
		case n < 88:
			p.resume(s)
		case n < 98:
			p.saveGame(s)
		default:
			p.begin(slot)
		}
	}
}

func (p *player) close() {
	for _, l := range p.lines {
		l.close()
	}
}

func (p *player) between(least, most time.Duration) time.Duration {
	return least + time.Duration(p.dice.Int64N(int64(most-least)+1))
}

// begin puts a fresh session into a slot: a new game, or one from a save.
func (p *player) begin(slot *atomic.Pointer[session]) {
	var s *session
	if saved := p.anySave(); saved != nil && p.dice.IntN(3) == 0 {
		s, _ = p.load(saved)
	} else {
		s = p.create()
	}
	if s != nil && !s.first.full() {
		slot.Store(s)
	}
}

func (p *player) anySave() *save {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.saves) == 0 {
		return nil
	}
	return p.saves[p.dice.IntN(len(p.saves))]
}

func (p *player) act(s *session) {
	o := operation{kind: "submit-action", write: &write{id: p.nextID()}}
	if p.dice.IntN(3) == 0 {
		o.write.amount = 1 + p.dice.Int64N(9)
	}
	if p.dice.IntN(2) == 0 {
		o.ifMatch = s.lastETag()
	}
	params := o.write.params(mark + o.write.id)
	var result client.ActionResult
	p.ask(s, &o, client.ActionRequest{SessionId: s.id, ActionId: o.write.action(), Params: &params}, &result, func() (*client.View, error) {
		if !result.Ok {
			o.outcome = rejected
			return nil, nil
		}
		if result.Scene == nil {
			return nil, &malformed{"an action that was taken shows no scene"}
		}
		return &result.Scene.View, nil
	})
}

func (p *player) getScene(s *session) {
	var scene client.Scene
	p.ask(s, &operation{kind: "get-scene"}, client.SessionRequest{SessionId: s.id}, &scene, func() (*client.View, error) { return &scene.View, nil })
}

func (p *player) resume(s *session) {
	var scene client.Scene
	p.ask(s, &operation{kind: "resume-session"}, client.SessionRequest{SessionId: s.id}, &scene, func() (*client.View, error) { return &scene.View, nil })
}

func (p *player) getView(s *session) {
	var view client.View
	p.ask(s, &operation{kind: "get-view"}, client.SessionRequest{SessionId: s.id}, &view, func() (*client.View, error) { return &view, nil })
}

func (p *player) saveGame(s *session) {
	o := operation{kind: "save-game"}
	if p.dice.IntN(2) == 0 {
		o.ifMatch = s.lastETag()
	}
	var saved client.SavedGame
	p.ask(s, &o, client.SessionRequest{SessionId: s.id}, &saved, func() (*client.View, error) {
		o.save = &save{id: saved.SaveId}
		return nil, nil
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	switch o.outcome {
	case ok:
		p.fresh(saved.SaveId)
		p.saves = append(p.saves, o.save)
	case maybe:
		p.maybeSaves++
	}
}

func (p *player) create() *session {
	seed := mark + "seed"
	return p.start("create-session", client.CreateSessionRequest{CampaignId: "ledger", Seed: &seed}, func(s state) error {
		if s != (state{}) {
			return &malformed{"a new game is not at its beginning"}
		}
		return nil
	})
}

// load begins a session from a save. It reports whether the save was loaded.
func (p *player) load(from *save) (*session, bool) {
	s := p.start("load-game", client.LoadGameRequest{SaveId: from.id}, func(shown state) error {
		if !from.loaded(shown) {
			return fmt.Errorf("one save loads to two states")
		}
		return nil
	})
	return s, s != nil
}

// start begins a session; nil where that was not acknowledged.
func (p *player) start(kind string, in any, holds func(state) error) *session {
	o := operation{kind: kind}
	s := &session{}
	var started client.StartedSession
	p.ask(s, &o, in, &started, func() (*client.View, error) { return &started.Scene.View, nil })
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.outcome == maybe {
		p.maybeSessions++
	}
	if o.outcome != ok {
		return nil
	}
	if err := holds(*o.shown); err != nil {
		p.world.violate("%s: %v", kind, err)
	}
	p.fresh(started.SessionId)
	s = &session{id: started.SessionId, first: *o.shown, firstETag: o.etag, etag: o.etag}
	p.sessions = append(p.sessions, s)
	return s
}

// fresh holds that an id was never given before.
func (r *round) fresh(id string) {
	if r.world.isSecret(id) {
		r.world.violate("an id was given twice")
	}
	r.world.keepSecret(id)
}

// patienceOf is how long a player waits for an answer: mostly longer than an
// instance may take, sometimes so short that answers are lost.
func (p *player) patienceOf() time.Duration {
	switch n := p.dice.IntN(100); {
	case n < 4:
		return p.between(time.Millisecond, 15*time.Millisecond)
	case n < 60:
		return p.between(300*time.Millisecond, time.Second)
	}
	return requestTimeout + time.Second
}

// ask sends an operation and records what it came to. view gives the view
// that the answer shows, or nil.
func (p *player) ask(s *session, o *operation, in, out any, view func() (*client.View, error)) {
	// The round's end does not cut an answer short.
	ctx, cancel := context.WithTimeout(context.Background(), p.patienceOf())
	defer cancel()
	l := p.lines[p.dice.IntN(len(p.lines))]
	o.player = p.n
	o.call = p.now()
	a, err := l.call(ctx, o.kind, in, o.ifMatch, out)
	o.ret = p.now()
	o.outcome = judge(a, err, o)
	if o.outcome == ok {
		err = p.read(o, a, view)
	}
	if o.outcome == wrong {
		p.world.violate("%s through instance %d was answered %d %s %v", o.kind, l.instance.n, a.status, a.code, err)
	}
	p.weary = 0
	if o.outcome == maybe || o.outcome == unreachable {
		p.weary = afterMaybe
	}
	p.world.operation(o.kind, o.outcome)
	s.record(*o)
}

// read takes from a 200 what it shows.
func (p *player) read(o *operation, a answer, view func() (*client.View, error)) error {
	v, err := view()
	if err == nil && v != nil {
		o.shown = new(state)
		*o.shown, err = stateOf(*v)
	}
	o.etag = a.etag
	if err == nil && (a.etag == "") != (o.kind == "save-game") {
		err = &malformed{"an ETag belongs to what shows a session's state, and to nothing else"}
	}
	if err != nil {
		o.outcome = wrong
	}
	return err
}

// judge says what an answer means.
func judge(a answer, err error, o *operation) outcome {
	_, bad := errors.AsType[*malformed](err)
	switch {
	case bad:
		return wrong
	case errors.Is(err, errUnreachable):
		return unreachable
	case err != nil:
		return maybe
	case a.status == http.StatusOK:
		return ok
	case a.status == http.StatusServiceUnavailable && a.code == fault.StorageFailure:
		return maybe
	case a.status == http.StatusConflict && a.code == fault.ConcurrentModification && (o.write != nil || o.kind == "save-game" && o.ifMatch != ""):
		return refused
	}
	return wrong
}
