package storygraph

import (
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"

	"github.com/holdfast-dev/holdfast/core/engine"
)

func (b *builder) readScenes(o *object) []member {
	n, ok := o.need("scenes")
	if !ok {
		return nil
	}
	list := n.entries(maxScenes, isID)
	for _, m := range list {
		b.scenes[m.key] = &scene{id: m.key}
	}
	for _, m := range list {
		b.readScene(b.scenes[m.key], m)
	}
	return list
}

func (b *builder) readScene(s *scene, m member) {
	o, _ := m.value.object()
	if n, ok := o.need("text"); ok {
		s.textKey, _ = b.key(n, b.isVariable)
		if len(b.locales) > 0 {
			s.text = b.locales[0].text[s.textKey].template
		}
	}
	n, ends := o.take("ending")
	if ends {
		switch status, ok := n.text(); engine.Status(status) {
		case engine.Ended, engine.Abandoned:
			s.ending = engine.Status(status)
		default:
			if ok {
				n.fault("must be %s or %s", engine.Ended, engine.Abandoned)
			}
		}
	}
	actions, given := o.take("actions")
	o.end()
	b.lost = b.lost || (s.ending != "") == given
	switch {
	case given && ends:
		actions.fault("an ending has no actions")
	case given:
		b.readActions(s, actions)
	case !ends && !o.broken:
		m.at.fault("is a dead end: it has neither actions nor an ending")
	}
}

func (b *builder) readActions(s *scene, n node) {
	list := n.list(maxActions)
	if len(list) == 0 {
		n.fault("is a dead end: it has no actions")
		b.lost = true
	}
	for _, at := range list {
		o, ok := at.object()
		if !ok {
			b.lost = true
			continue
		}
		a := b.readAction(s, o)
		if s.action(a.id) != nil && a.id != "" {
			at.fault("action %q is in this scene twice", a.id)
		}
		s.actions = append(s.actions, a)
	}
}

func (b *builder) readAction(s *scene, o *object) *action {
	a := &action{}
	a.id, _ = o.needName("id", isID)
	if n, ok := o.need("label"); ok {
		a.label, _ = b.key(n, nil)
	}
	a.reason = b.takeKey(o, "reason")
	if o.flag("once", false) {
		a.usedKey = s.id + "/" + a.id
	}
	a.hidden = o.flag("hidden", false)
	if n, ok := o.take("when"); ok {
		a.when = b.lang.compile(n, b.lang.state, booleanKind)
	}
	if a.hidden && a.when == nil && a.usedKey == "" {
		o.fault("hidden needs when or once: there is nothing that could hide the action")
	}
	if n, ok := o.take("params"); ok {
		a.params = readParamList(n)
	}
	env, err := b.lang.with(a.params)
	if err != nil {
		o.fault("%v", err)
		return a
	}
	if n, ok := o.take("require"); ok {
		a.require = b.lang.compile(n, env, booleanKind)
	}
	a.outcome = b.readOutcome(o, env, a.id, b.isVariable)
	if n, ok := o.take("check"); ok {
		a.check = b.readCheck(n, env, a.id)
	}
	o.end()
	return a
}

func readParamList(n node) []param {
	var params []param
	for _, m := range n.entries(maxParams, isIdentifier) {
		o, ok := m.value.object()
		if !ok {
			continue
		}
		p := param{name: m.key}
		p.kind, p.bounds = readType(o)
		if choices, ok := o.take("choices"); ok && p.kind != 0 {
			for _, c := range choices.list(maxChoices) {
				p.choices = append(p.choices, readLiteral(c, p.kind, p.bounds))
			}
		}
		p.required = o.flag("required", false)
		otherwise, given := o.take("default")
		switch {
		case given == p.required:
			m.at.fault("must either be required or have a default")
		case given && p.kind != 0:
			p.otherwise = readLiteral(otherwise, p.kind, p.bounds)
		}
		o.end()
		params = append(params, p)
	}
	return params
}

// readOutcome takes the members of an object that say what happens.
func (b *builder) readOutcome(o *object, env *cel.Env, reason string, shows func(string) bool) outcome {
	out := outcome{reason: reason}
	if n, ok := o.take("effects"); ok {
		for _, at := range n.list(maxEffects) {
			if e, ok := b.readEffect(at, env); ok {
				out.effects = append(out.effects, e)
			}
		}
	}
	if n, ok := o.take("message"); ok {
		out.message = b.readMessage(n, shows)
	}
	if n, ok := o.take("award"); ok {
		for _, at := range n.list(maxAchievements) {
			id, ok := at.name(isID)
			if ok && !b.awards[id] {
				at.fault("there is no achievement %q", id)
			}
			b.awarded[id] = true
			out.awards = append(out.awards, id)
		}
	}
	if n, ok := o.take("goto"); ok {
		out.next = b.target(n)
	}
	return out
}

func (b *builder) readMessage(n node, shows func(string) bool) *message {
	o, ok := n.object()
	if !ok {
		return nil
	}
	m := &message{}
	if key, ok := o.need("key"); ok {
		m.key, m.params = b.key(key, shows)
	}
	if tone, ok := o.take("tone"); ok {
		switch t, ok := tone.text(); engine.Tone(t) {
		case engine.Neutral, engine.Positive, engine.Negative, engine.Absurd:
			m.tone = engine.Tone(t)
		default:
			if ok {
				tone.fault("must be %s, %s, %s or %s", engine.Neutral, engine.Positive, engine.Negative, engine.Absurd)
			}
		}
	}
	o.end()
	return m
}

func (b *builder) readEffect(at node, env *cel.Env) (effect, bool) {
	o, ok := at.object()
	if !ok {
		return effect{}, false
	}
	defer o.end()
	var e effect
	var name node
	for _, op := range []engine.Op{engine.Set, engine.Increment, engine.Decrement} {
		if n, ok := o.take(string(op)); ok {
			if e.op != "" {
				n.fault("an effect does one thing")
				continue
			}
			e.op, name = op, n
		}
	}
	literal, hasLiteral := o.take("value")
	computed, hasExpr := o.take("expr")
	if e.op == "" {
		at.fault("must set, increment or decrement a variable")
		return effect{}, false
	}
	id, ok := name.text()
	if !ok {
		return effect{}, false
	}
	if e.slot, ok = b.slots[id]; !ok {
		name.fault("there is no variable %q", id)
		return effect{}, false
	}
	b.touched[e.slot] = true
	v := b.vars[e.slot]
	counts := v.kind == integerKind || v.kind == numberKind
	switch {
	case v.kind == 0: // its type is a fault already
	case e.op != engine.Set && !counts:
		name.fault("%q is a %s, which cannot count", id, v.kind)
	case hasLiteral && hasExpr:
		at.fault("must have either value or expr")
	case hasExpr:
		e.expr = b.lang.compile(computed, env, v.kind)
	case hasLiteral && e.op == engine.Set:
		e.literal = readLiteral(literal, v.kind, v.bounds)
	case hasLiteral:
		e.literal = readLiteral(literal, v.kind, bounds{min: -maxInteger, max: maxInteger})
	case e.op == engine.Set:
		at.fault("must have value or expr")
	case v.kind == integerKind:
		e.literal = integerValue(1)
	default:
		e.literal = numberValue(1)
	}
	return e, true
}

func (b *builder) readCheck(n node, env *cel.Env, id string) *check {
	o, ok := n.object()
	if !ok {
		return nil
	}
	c := &check{}
	dice, isDice := o.take("dice")
	chance, isChance := o.take("chance")
	shows := b.isVariable
	switch {
	case isDice == isChance:
		n.fault("must have either dice or chance")
	case isDice:
		c.count, c.sides = readDice(dice)
		if m, ok := o.take("modifier"); ok {
			c.modifier = b.readAmount(m, env, -maxModifier, maxModifier)
		}
		if d, ok := o.need("difficulty"); ok {
			c.target = b.readAmount(d, env, -maxModifier, maxModifier)
		}
		shows = func(name string) bool {
			return name == nameRoll || name == nameTotal || name == nameDifficulty || b.isVariable(name)
		}
	default:
		c.target = b.readAmount(chance, env, 0, 100)
	}
	for _, branch := range []struct {
		name string
		to   *outcome
	}{{"success", &c.success}, {"failure", &c.failure}} {
		if at, ok := o.need(branch.name); ok {
			members, _ := at.object()
			*branch.to = b.readOutcome(members, env, id+"."+branch.name, shows)
			members.end()
		}
	}
	o.end()
	return c
}

// readDice reads "2d6".
func readDice(n node) (count, sides int64) {
	text, ok := n.text()
	if !ok {
		return 0, 0
	}
	left, right, _ := strings.Cut(text, "d")
	c, err1 := strconv.ParseUint(left, 10, 16)
	s, err2 := strconv.ParseUint(right, 10, 16)
	if err1 != nil || err2 != nil || c < 1 || c > maxDice || s < 2 || s > maxSides {
		n.fault("must be dice such as 2d6: at most %d of at most %d sides", maxDice, maxSides)
		return 0, 0
	}
	return int64(c), int64(s)
}

// readAmount reads an integer, or the text of an expression that gives one.
func (b *builder) readAmount(n node, env *cel.Env, low, high int64) amount {
	if n.isText() {
		return amount{expr: b.lang.compile(n, env, integerKind)}
	}
	i, ok := n.integer()
	if ok && (i < low || i > high) {
		n.fault("must be from %d to %d", low, high)
	}
	return amount{fixed: i}
}
