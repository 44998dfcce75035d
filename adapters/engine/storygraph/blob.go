package storygraph

import (
	"github.com/go-faster/jx"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// blobFormat is the value of the first member of every blob. encode has it in
// its first literal.
const blobFormat = 1

// state is a blob decoded.
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
	vars         []namedValue
	achievements []string // sorted
	used         []string // once-only actions taken, sorted
}

// namedValue is a variable of a state.
type namedValue struct {
	field string // see variable
	value value
	// text is the value as canonical JSON, as the blob has it; empty where it
	// was not written yet.
	text string
}

func field(name string) string { return `"` + name + `":` }

func (v *namedValue) name() string { return v.field[1 : len(v.field)-2] }

func (v *namedValue) set(to value) { v.value, v.text = to, "" }

func (v *namedValue) encode(w *jx.Writer) {
	w.RawStr(v.field)
	if v.text != "" {
		w.RawStr(v.text)
	} else {
		v.value.encode(w)
	}
}

// initial are the variables at the start.
func (c *campaign) initial() []namedValue {
	vars := make([]namedValue, len(c.vars))
	for i, v := range c.vars {
		vars[i] = namedValue{field: v.field, value: v.initial}
	}
	return vars
}

// encode writes the blob: members in this order, maps and lists sorted. It
// notes in ends where the value of each variable ends, where that is wanted.
func (s *state) encode(w *jx.Writer, ends []int) {
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
	for i := range s.vars {
		if i > 0 {
			w.Comma()
		}
		s.vars[i].encode(w)
		if ends != nil {
			ends[i] = len(w.Buf)
		}
	}
	w.RawStr(`},"achievements":`)
	encodeList(w, s.achievements)
	w.RawStr(`,"used":`)
	encodeList(w, s.used)
	w.ObjEnd()
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
	s.encode(w, nil)
	return w.String()
}
