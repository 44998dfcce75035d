package main

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/holdfast-dev/holdfast/api/client"
)

// state is what a game of the ledger shows.
type state struct {
	register string
	sum      int64
	trail    string // the ids of all writes in their order
}

// idLength is the length of a write's id in the trail.
const idLength = 4

// stateOf reads the state that a view shows.
func stateOf(v client.View) (state, error) {
	var kind struct {
		Achievements    []string `json:"achievements"`
		CampaignID      string   `json:"campaignId"`
		CampaignVersion int      `json:"campaignVersion"`
		Scene           string   `json:"scene"`
		Turn            int      `json:"turn"`
		Variables       struct {
			Register string `json:"register"`
			Sum      int64  `json:"sum"`
			Trail    string `json:"trail"`
		} `json:"variables"`
	}
	if err := strictly(v.KindView, &kind); err != nil {
		return state{}, &malformed{err.Error()}
	}
	if kind.Turn*idLength != len(kind.Variables.Trail) {
		return state{}, &malformed{"a state whose number of turns is not that of its writes"}
	}
	return state{kind.Variables.Register, kind.Variables.Sum, kind.Variables.Trail}, nil
}

// write is what an action does to a state.
type write struct {
	id     string
	amount int64 // 0: the register is set to the id
}

func (s state) after(w write) state {
	if w.amount == 0 {
		s.register = w.id
	}
	s.sum += w.amount
	s.trail += w.id
	return s
}

func (w write) params(note string) client.Params {
	params := client.Params{"id": quoted(w.id), "note": quoted(note)}
	if w.amount > 0 {
		params["amount"], _ = json.Marshal(w.amount)
	}
	return params
}

func (w write) action() string {
	if w.amount > 0 {
		return "add"
	}
	return "write"
}

func quoted(s string) json.RawMessage {
	raw, _ := json.Marshal(s) // a string is always marshalled
	return raw
}

// operation is an entry of a session's history.
type operation struct {
	kind      string // the operation's name
	player    int
	call, ret int64 // nanoseconds since the round began
	outcome   outcome
	// write is what a submit-action is about.
	write *write
	// ifMatch is the tag that the state had to have; empty: any.
	ifMatch string
	// etag is the tag that was answered; shown the state that came with it.
	etag  string
	shown *state
	// save is what a save-game made; its state is learnt by loading it.
	save *save
}

// session is a play session with all that players did to it.
type session struct {
	id string
	// first is the state that it began in, with its tag.
	first     state
	firstETag string

	mu      sync.Mutex
	history []operation
	etag    string // of the state that was shown last
	spent   bool   // it was seen to take no more writes
}

func (s *session) record(o operation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history = append(s.history, o)
	if o.shown != nil {
		s.etag = o.etag
	}
	s.spent = s.spent || o.outcome == rejected
}

func (s *session) isSpent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spent
}

func (s *session) lastETag() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.etag
}

// save is an acknowledged save.
type save struct {
	id string

	mu    sync.Mutex
	state *state // what a load of it showed; nil: not loaded yet
}

// loaded notes what a load showed and reports whether it is what every load
// before it showed.
func (s *save) loaded(shown state) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == nil {
		s.state = &shown
	}
	return *s.state == shown
}

// full says whether the campaign takes no more writes in a state.
func (s state) full() bool { return len(s.trail) >= 320 }

// writes splits what a trail has beyond that of an earlier state into ids.
func (s state) writes(since state) (ids []string, follows bool) {
	rest, follows := strings.CutPrefix(s.trail, since.trail)
	if !follows || len(rest)%idLength != 0 {
		return nil, false
	}
	for ; rest != ""; rest = rest[idLength:] {
		ids = append(ids, rest[:idLength])
	}
	return ids, true
}
