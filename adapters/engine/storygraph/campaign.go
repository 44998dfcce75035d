package storygraph

import "github.com/holdfast-dev/holdfast/core/engine"

// campaign is one version of a campaign, checked and ready to play.
type campaign struct {
	id      string
	version int64
	title   string // text key
	strings map[string]string
	vars    []variable // sorted by name; the index is the slot
	slots   map[string]int
	start   *scene
	scenes  map[string]*scene
	// awards are the ids of the achievements.
	awards     map[string]bool
	migrations map[int64]*migration // by the version that they take
}

type variable struct {
	name    string
	field   string // how the variable begins as a member of a blob: "name":
	member  string // the member with the initial value
	path    string // where the changes of moves say that it is
	kind    kind
	initial value
	bounds  bounds
	visible bool
}

type scene struct {
	id      string
	textKey string
	text    template
	actions []*action
	// ending is empty where the game goes on.
	ending engine.Status
}

type action struct {
	id     string
	label  string // text key
	reason string // text key of why its condition does not hold
	// usedKey marks a once-only action in the blob; empty for others.
	usedKey string
	hidden  bool  // not shown while it is not available
	when    *expr // looks at the state; nil holds
	require *expr // looks at the move too; nil holds
	params  []param
	outcome outcome
	check   *check
}

// param is a parameter of an action, which comes with the move or has a value
// otherwise.
type param struct {
	name      string
	kind      kind
	bounds    bounds
	choices   []value
	required  bool
	otherwise value
}

// outcome is what happens when an action, or a branch of its check, is taken.
type outcome struct {
	// reason stands in the changes.
	reason  string
	effects []effect
	message *message
	awards  []string
	next    *scene // nil stays
}

type effect struct {
	op      engine.Op
	slot    int
	literal value
	expr    *expr // in place of literal
}

type message struct {
	key  string
	tone engine.Tone
	// params are the names that its text shows, sorted.
	params []string
}

// check is a throw of the seeded dice, or a chance in a hundred.
type check struct {
	count, sides int64 // dice; count is 0 for a chance
	modifier     amount
	target       amount // difficulty, or chance
	success      outcome
	failure      outcome
}

// amount is an integer that is fixed or computed.
type amount struct {
	fixed int64
	expr  *expr
}

func (a amount) of(s *scope) (int64, bool) {
	if a.expr == nil {
		return a.fixed, true
	}
	v, ok := a.expr.eval(s, integerKind)
	return min(max(int64(v.f), -maxModifier), maxModifier), ok
}

// migration says how a blob of an older version becomes one of this. What it
// does not name keeps its name; an empty new name drops what it names.
type migration struct {
	scenes       map[string]string
	variables    map[string]string
	achievements map[string]string
}
