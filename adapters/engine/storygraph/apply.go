package storygraph

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/go-faster/jx"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// Apply implements engine.Engine. A move is looked at in this order, and the
// first that is wrong is the verdict: the game is over (game_ended), the scene
// has no such action (unknown_action), the action was taken and is for once
// (action_unavailable), its condition does not hold (condition_unmet), its
// parameters are wrong (invalid_params), what it requires does not hold
// (condition_unmet), what it does cannot be computed, or makes too large a
// blob (action_unavailable).
func (e *Engine) Apply(_ context.Context, blob string, move engine.Move) (engine.Outcome, error) {
	s, err := e.open(blob)
	if err != nil {
		return engine.Outcome{}, err
	}
	defer s.release()
	earned := s.achievements
	look := &scope{state: s, profile: move.Achievements}
	result, problems := s.take(move, look)
	var after string
	if problems == nil {
		// Only a campaign of hundreds of long texts or thousands of once-only
		// actions can come here.
		if after = s.blob(); len(after) > engine.MaxBlob {
			problems = refuse(engine.ReasonActionUnavailable, actionPath)
		}
	}
	if problems != nil {
		return engine.Outcome{
			Blob: blob, Result: engine.Result{Errors: problems}, Achievements: earned, ProfileRead: look.profileRead,
		}, nil
	}
	shown := s.show()
	result.OK, result.Scene = true, &shown
	return engine.Outcome{Blob: after, Result: result, Achievements: s.achievements, ProfileRead: look.profileRead}, nil
}

// actionPath is the path of a problem with the action itself.
const actionPath = "actionId"

func refuse(code, path string) []engine.Problem {
	return []engine.Problem{{Code: code, MessageKey: engine.ReasonKey(code), Path: path}}
}

// take makes a move on the state. Where it is refused, the state is spoilt
// and must not be written.
func (s *state) take(move engine.Move, look *scope) (engine.Result, []engine.Problem) {
	if s.status != engine.Active {
		return engine.Result{}, refuse(engine.ReasonGameEnded, "")
	}
	a := s.campaign.scenes[s.sceneID].action(move.ActionID)
	if a == nil {
		return engine.Result{}, refuse(engine.ReasonUnknownAction, actionPath)
	}
	if code := s.unavailable(a, look); code != "" {
		return engine.Result{}, refuse(code, actionPath)
	}
	params, problems := a.readParams(move.Params)
	if problems != nil {
		return engine.Result{}, problems
	}
	look.action, look.params = a, params
	if !a.require.holds(look) {
		return engine.Result{}, refuse(engine.ReasonConditionUnmet, actionPath)
	}
	t := &turn{scope: look}
	if !t.play(a) {
		return engine.Result{}, refuse(engine.ReasonActionUnavailable, actionPath)
	}
	return engine.Result{Changes: t.changes, Messages: t.messages}, nil
}

// turn is what one move does.
type turn struct {
	*scope
	throw    throw
	changes  []engine.Change
	messages []engine.Message
}

// throw is the result of a check's dice, for messages to show.
type throw struct{ roll, total, difficulty int64 }

// play does what an action does; false where some of it cannot be computed.
func (t *turn) play(a *action) bool {
	s := t.state
	next, ok := t.apply(&a.outcome)
	if !ok {
		return false
	}
	if a.check != nil {
		branch, ok := t.decide(a.check)
		if !ok {
			return false
		}
		after, ok := t.apply(branch)
		if !ok {
			return false
		}
		if after != nil {
			next = after
		}
	}
	s.turn = min(s.turn+1, maxInteger)
	if a.usedKey != "" {
		s.used = insert(s.used, a.usedKey)
	}
	if next != nil {
		t.move(next, a.id)
	}
	return true
}

// apply does what an outcome does, and returns where it leads; nil stays.
func (t *turn) apply(o *outcome) (*scene, bool) {
	for i := range o.effects {
		if !t.change(&o.effects[i], o.reason) {
			return nil, false
		}
	}
	for _, id := range o.awards {
		if _, has := slices.BinarySearch(t.state.achievements, id); !has {
			t.state.achievements = insert(t.state.achievements, id)
			t.note("achievements."+id, engine.Set, json.RawMessage("true"), nil, o.reason, true)
		}
	}
	if o.message != nil {
		t.messages = append(t.messages, t.say(o.message))
	}
	return o.next, true
}

func (t *turn) move(to *scene, reason string) {
	s := t.state
	if to.id != s.sceneID {
		t.note("scene", engine.Set, text(to.id), text(s.sceneID), reason, true)
		s.sceneID = to.id
	}
	if status := to.status(); status != s.status {
		t.note("status", engine.Set, text(string(status)), text(string(s.status)), reason, true)
		s.status = status
	}
}

func (t *turn) note(path string, op engine.Op, value, previous json.RawMessage, reason string, visible bool) {
	t.changes = append(t.changes, engine.Change{Path: path, Op: op, Value: value, Previous: previous, Reason: reason, Visible: visible})
}

func text(s string) json.RawMessage { return stringValue(s).raw() }

// change changes a variable, within its bounds; what stays as it was is not
// reported.
func (t *turn) change(f *effect, reason string) bool {
	declared := &t.state.campaign.vars[f.slot]
	by, ok := f.literal, true
	if f.expr != nil {
		by, ok = f.expr.eval(t.scope, declared.kind)
	}
	if !ok {
		return false
	}
	before := t.state.vars[f.slot].value
	after := by
	switch f.op {
	case engine.Increment:
		after = before.plus(by, 1)
	case engine.Decrement:
		after = before.plus(by, -1)
	}
	after = declared.bounds.clamp(after)
	if !after.sound() {
		return false
	}
	if after != before {
		t.state.vars[f.slot].set(after)
		t.note(declared.path, f.op, after.raw(), before.raw(), reason, declared.visible)
	}
	return true
}

// plus adds another value of its kind, sign times. A sum of integers that is
// beyond 2^53 may be off by one; the bounds clamp it in any case.
func (v value) plus(by value, sign float64) value {
	v.f = v.f + sign*by.f + 0
	return v
}

// decide throws the dice, or takes the chance, and picks the branch.
func (t *turn) decide(c *check) (*outcome, bool) {
	target, ok := c.target.of(t.scope)
	if !ok {
		return nil, false
	}
	if c.count == 0 {
		if t.state.draw(100) < target {
			return &c.success, true
		}
		return &c.failure, true
	}
	modifier, ok := c.modifier.of(t.scope)
	if !ok {
		return nil, false
	}
	roll := c.count
	for range c.count {
		roll += t.state.draw(c.sides)
	}
	t.throw = throw{roll: roll, total: roll + modifier, difficulty: target}
	if t.throw.total >= target {
		return &c.success, true
	}
	return &c.failure, true
}

// say is the message with the values that its text shows.
func (t *turn) say(m *message) engine.Message {
	said := engine.Message{Key: m.key, Tone: m.tone, Visible: true}
	if len(m.params) == 0 {
		return said
	}
	var w jx.Writer
	w.ObjStart()
	for i, name := range m.params {
		if i > 0 {
			w.Comma()
		}
		w.FieldStart(name)
		switch name {
		case nameRoll:
			w.Int64(t.throw.roll)
		case nameTotal:
			w.Int64(t.throw.total)
		case nameDifficulty:
			w.Int64(t.throw.difficulty)
		default:
			t.state.vars[t.state.campaign.slots[name]].value.encode(&w)
		}
	}
	w.ObjEnd()
	said.Params = w.Buf
	return said
}

// insert puts s into a sorted list. The list that came in is left alone.
func insert(list []string, s string) []string {
	at, has := slices.BinarySearch(list, s)
	if has {
		return list
	}
	return slices.Insert(slices.Clip(list), at, s)
}
