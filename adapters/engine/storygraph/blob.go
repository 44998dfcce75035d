package storygraph

import (
	"github.com/go-faster/jx"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// state is a blob decoded. Those that decode gives come from a pool (see
// release): of what they hold, only strings and the list of achievements may
// go into an answer.
type state struct {
	// campaign is nil where its version is not loaded.
	campaign   *campaign
	campaignID string
	version    int64
	game       string
	status     engine.Status
	sceneID    string
	turn       int64
	draws      int64
	seed       string // see seedText
	replay     bool   // Position.ReplayCompatible
	// vars are sorted by name; of a loaded campaign, the index is the slot.
	vars         []held
	achievements []string // sorted
	used         []string // once-only actions taken, sorted

	// text is the blob that the state was read from; empty where there is
	// none. What follows is what decode found out about its variables.
	text string
	// names are those of vars where the campaign is not loaded.
	names []string
	// foreign: a variable is not the one that the campaign has in its place.
	foreign bool
	// unfit: a value is not one that the variable of its name can have.
	unfit bool
}

// held is what a variable holds.
type held struct {
	value value
	// from and to enclose the variable as a member in the text that the state
	// was read from.
	from, to int32
	// changed: it is no longer, or never was, as the text has it.
	changed bool
}

func (h *held) set(to value) { h.value, h.changed = to, true }

// initial are the variables at the start.
func (c *campaign) initial() []held {
	vars := make([]held, len(c.vars))
	for i := range c.vars {
		vars[i].set(c.vars[i].initial)
	}
	return vars
}

// encode writes the blob of a state whose campaign is loaded: members in this
// order, maps and lists sorted. decode reads exactly what it writes.
func (s *state) encode(w *jx.Writer) {
	w.RawStr(`{"format":1,"campaign":`)
	w.Str(s.campaignID)
	w.RawStr(`,"version":`)
	w.Int64(s.version)
	w.RawStr(`,"game":`)
	w.Str(s.game)
	w.RawStr(`,"status":`)
	w.Str(string(s.status))
	w.RawStr(`,"scene":`)
	w.Str(s.sceneID)
	w.RawStr(`,"turn":`)
	w.Int64(s.turn)
	w.RawStr(`,"draws":`)
	w.Int64(s.draws)
	w.RawStr(`,"seed":`)
	w.Str(s.seed)
	w.RawStr(`,"replay":`)
	w.Bool(s.replay)
	w.RawStr(`,"variables":{`)
	s.encodeVariables(w, true)
	w.RawStr(`},"achievements":`)
	encodeList(w, s.achievements)
	w.RawStr(`,"used":`)
	encodeList(w, s.used)
	w.ObjEnd()
}

// encodeVariables writes all variables, or the visible ones, as members.
// Neighbours that are as the text has them are copied from it in one piece:
// most moves change little of a large state.
func (s *state) encodeVariables(w *jx.Writer, all bool) {
	from, to := 0, 0 // what is to be copied next
	first := true
	for i := range s.vars {
		h, declared := &s.vars[i], &s.campaign.vars[i]
		if !all && !declared.visible {
			continue
		}
		if !h.changed && int(h.from) == to+len(",") {
			to = int(h.to)
			continue
		}
		w.RawStr(s.text[from:to])
		if !first {
			w.Comma()
		}
		first = false
		if h.changed {
			w.RawStr(declared.field)
			h.value.encode(w)
			from, to = 0, 0
		} else {
			from, to = int(h.from), int(h.to)
		}
	}
	w.RawStr(s.text[from:to])
}

func encodeList(w *jx.Writer, list []string) {
	w.ArrStart()
	for i, s := range list {
		if i > 0 {
			w.Comma()
		}
		w.Str(s)
	}
	w.ArrEnd()
}

func (s *state) blob() string {
	w := jx.GetWriter()
	defer jx.PutWriter(w)
	s.encode(w)
	return w.String()
}
