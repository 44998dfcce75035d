package storygraph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

func (b *builder) readMigrations(o *object) {
	n, ok := o.take("migrates")
	if !ok {
		return
	}
	for _, at := range n.list(maxMembers) {
		o, ok := at.object()
		if !ok {
			continue
		}
		from := int64(0)
		if n, ok := o.need("from"); ok {
			from, ok = n.integer()
			switch {
			case ok && (from < 1 || from >= b.version):
				n.fault("must be an older version than this one")
			case ok && b.migrations[from] != nil:
				n.fault("version %d is migrated twice", from)
			}
		}
		b.migrations[from] = &migration{
			scenes: renames(o, "scenes", isID, false, func(id string) bool { return b.scenes[id] != nil }),
			variables: renames(o, "variables", isIdentifier, true, func(id string) bool {
				return b.isVariable(id)
			}),
			achievements: renames(o, "achievements", isID, true, func(id string) bool { return b.awards[id] }),
		}
		o.end()
	}
}

// renames reads a table of old and new names. Where things can be dropped,
// false in place of the new name does so.
func renames(o *object, member string, valid func(string) bool, droppable bool, has func(string) bool) map[string]string {
	n, ok := o.take(member)
	if !ok {
		return nil
	}
	table := map[string]string{}
	taken := map[string]bool{}
	for _, m := range n.entries(maxMembers, valid) {
		if droppable && !m.value.isText() {
			if keep, ok := m.value.ast.(*ast.BoolNode); !ok || keep.Value {
				m.value.fault("must be a new name, or false to drop the old one")
			}
			table[m.key] = ""
			continue
		}
		to, ok := m.value.name(valid)
		switch {
		case !ok:
		case !has(to):
			m.value.fault("there is no %q in this version", to)
		case droppable && taken[to]:
			m.value.fault("%q is the new name of two", to)
		default:
			taken[to] = true
			table[m.key] = to
		}
	}
	return table
}

// Load implements engine.Engine. A blob that does not fit its campaign
// version is internal_failure: load-game has no finer code.
func (e *Engine) Load(_ context.Context, blob string) (engine.Position, error) {
	s, err := e.decode(blob)
	if err != nil {
		return engine.Position{}, err
	}
	defer s.release()
	if s.campaign != nil {
		if err := s.check(); err != nil {
			return engine.Position{}, toShow(err)
		}
		return s.position(blob), nil
	}
	c := e.newest[s.campaignID]
	if c == nil || c.migrations[s.version] == nil {
		return engine.Position{}, fault.New(fault.SaveRequiresMigration, errGone)
	}
	if err := s.migrate(c); err != nil {
		return engine.Position{}, fault.New(fault.MigrationFailed, err)
	}
	return s.position(s.blob()), nil
}

var errMigration = errors.New("story-graph: the migration does not fit the save")

// migrate brings the state of a version that is gone to version c. Variables
// that are new begin with their initial value; a value out of its new bounds
// is brought to the nearest.
func (s *state) migrate(c *campaign) error {
	m := c.migrations[s.version]
	name := func(table map[string]string, old string) string {
		if to, ok := table[old]; ok {
			return to
		}
		return old
	}
	at := c.scenes[name(m.scenes, s.sceneID)]
	if at == nil || at.status() != s.status {
		return fmt.Errorf("%w: its scene has no counterpart of the same status", errMigration)
	}
	vars := c.initial()
	carried := make([]bool, len(c.vars))
	for i, old := range s.vars {
		to := name(m.variables, s.names[i])
		if to == "" {
			continue
		}
		slot, ok := c.slots[to]
		if !ok || carried[slot] {
			return fmt.Errorf("%w: one of its variables has no counterpart of its own", errMigration)
		}
		v, ok := old.value.as(c.vars[slot].kind)
		if !ok {
			return fmt.Errorf("%w: one of its variables is of another type now", errMigration)
		}
		carried[slot] = true
		vars[slot].set(c.vars[slot].bounds.clamp(v))
	}
	var earned []string
	for _, old := range s.achievements {
		to := name(m.achievements, old)
		if to == "" {
			continue
		}
		if !c.awards[to] {
			return fmt.Errorf("%w: one of its achievements has no counterpart", errMigration)
		}
		earned = insert(earned, to)
	}
	var used []string
	for _, key := range s.used {
		in, id, _ := strings.Cut(key, "/")
		if key = name(m.scenes, in) + "/" + id; c.hasOnce(key) {
			used = insert(used, key)
		}
	}
	s.campaign, s.version, s.sceneID, s.replay = c, c.version, at.id, false
	s.vars, s.achievements, s.used = vars, slices.Clip(earned), used
	return nil
}

// as gives the value as another kind where nothing is lost by it. A number of
// a version that is gone may have been an integer: the blob does not say.
func (v value) as(k kind) (value, bool) {
	if v.kind == numberKind && k == integerKind && v.f == math.Trunc(v.f) {
		v.kind = k
	}
	return v, v.kind == k && v.sound()
}
