package storygraph

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// Reasons why a blob is refused. They hold nothing of it.
var (
	errNotCanonical = errors.New("story-graph: the blob is not in the form in which blobs are written")
	errFormat       = errors.New("story-graph: the blob is of another format")
	errValue        = errors.New("story-graph: a value in the blob is out of its bounds")
	errGone         = errors.New("story-graph: the blob's campaign version is not loaded")
	errForeign      = errors.New("story-graph: the blob names what its campaign version does not have")
)

// decode reads a blob. It takes exactly what encode can write: other orders,
// duplicates, white space, other spellings of a number or a string, and
// trailing bytes are refused. Errors are internal_failure. The state must be
// released.
func (e *Engine) decode(blob string) (*state, error) {
	if len(blob) > engine.MaxBlob || !utf8.ValidString(blob) {
		return nil, fault.New(fault.InternalFailure, errNotCanonical)
	}
	s := states.Get().(*state)
	if err := e.read(s, blob); err != nil {
		s.release()
		return nil, fault.New(fault.InternalFailure, err)
	}
	return s, nil
}

func (e *Engine) read(s *state, blob string) error {
	r := &scanner{text: blob}
	s.text = blob
	r.expect(`{"format":`)
	if !r.accept(`1,"campaign":`) {
		r.fail(errFormat)
	}
	s.campaignID = r.string()
	r.expect(`,"version":`)
	s.version = r.integer(1)
	r.expect(`,"game":`)
	s.game = r.string()
	r.expect(`,"status":`)
	s.readStatus(r)
	r.expect(`,"scene":`)
	s.sceneID = r.string()
	r.expect(`,"turn":`)
	s.turn = r.integer(0)
	r.expect(`,"draws":`)
	s.draws = r.integer(0)
	r.expect(`,"seed":`)
	s.seed = r.string()
	r.expect(`,"replay":`)
	s.replay = r.boolean()
	if r.err == nil && (!isID(s.campaignID) || len(s.game) > maxIDBytes || !isID(s.sceneID) || !isSeedText(s.seed)) {
		r.fail(errValue)
	}
	r.expect(`,"variables":{`)
	s.campaign = e.versions[edition{s.campaignID, s.version}]
	s.readVariables(r)
	r.expect(`,"achievements":`)
	s.achievements = readList(r, nil, maxAchievements, isID)
	r.expect(`,"used":`)
	s.used = readList(r, s.used, maxScenes*maxActions, isUsedKey)
	r.expect(`}`)
	if r.at != len(blob) {
		r.fail(errNotCanonical)
	}
	return r.err
}

func (s *state) readStatus(r *scanner) {
	text := r.string()
	for _, status := range []engine.Status{engine.Active, engine.Ended, engine.Abandoned} {
		if text == string(status) {
			s.status = status
			return
		}
	}
	r.fail(errValue)
}

// readVariables takes the members of "variables" and the brace after them.
func (s *state) readVariables(r *scanner) {
	var declared []variable
	if s.campaign != nil {
		declared = s.campaign.vars
	}
	last := ""
	for i := 0; !r.accept("}") && r.err == nil; i++ {
		if i > 0 {
			r.expect(",")
		}
		if i == maxVariables {
			r.fail(errValue)
		}
		h := held{from: int32(r.at)}
		var known *variable
		if i < len(declared) {
			known = &declared[i]
		}
		var name string
		switch {
		case known != nil && r.member(known.member):
			// Much of a state is as it was at the start.
			name, h.value = known.name, known.initial
		case known != nil && r.accept(known.field):
			name, h.value = known.name, r.value(known.kind)
			s.unfit = s.unfit || h.value.kind != known.kind || !known.bounds.hold(h.value)
		default:
			name = r.name()
			h.value = r.value(0)
			s.foreign = s.foreign || s.campaign != nil
		}
		if s.campaign == nil {
			s.names = append(s.names, name)
		}
		// Those that the campaign has are in order among themselves.
		if (s.foreign || s.campaign == nil) && name <= last {
			r.fail(errNotCanonical)
		}
		last, h.to = name, int32(r.at)
		s.vars = append(s.vars, h)
	}
}

// readList takes a list of strings that ascend, and appends it to list.
func readList(r *scanner, list []string, longest int, valid func(string) bool) []string {
	r.expect("[")
	last := ""
	for n := 0; !r.accept("]") && r.err == nil; n++ {
		if n > 0 {
			r.expect(",")
		}
		s := r.string()
		if n == longest || !valid(s) || s <= last {
			r.fail(errValue)
		}
		list, last = append(list, s), s
	}
	return list
}

func isUsedKey(s string) bool {
	scene, action, ok := strings.Cut(s, "/")
	return ok && isID(scene) && isID(action)
}

func isSeedText(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func soundID(s string) bool {
	return len(s) <= maxIDBytes && utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
}
