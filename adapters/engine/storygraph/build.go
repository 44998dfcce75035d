package storygraph

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// builder turns a file into a campaign. It goes on after a fault, so that all
// of them are found; what it builds is of use only where there was none.
type builder struct {
	*campaign
	log     *faultLog
	lang    *language
	locales []*locale // the default one first
	usedKey map[string]bool
	awarded map[string]bool
	touched map[int]bool // variables that an effect or a text names
	// lost is set where a way or an ending is not known, so that nothing can
	// be said about what reaches what.
	lost bool
}

type locale struct {
	name string
	text map[string]localText
}

type localText struct {
	at       node
	text     string
	template template
}

// Names that the text of a message after a throw of dice may show.
const (
	nameRoll       = "roll"
	nameTotal      = "total"
	nameDifficulty = "difficulty"
)

// build checks a campaign in full. What it returns is of use only where the
// log has stayed clean.
func build(o *object) *campaign {
	b := &builder{
		campaign: &campaign{
			strings: map[string]string{}, slots: map[string]int{}, scenes: map[string]*scene{},
			awards: map[string]bool{}, migrations: map[int64]*migration{},
		},
		log: o.log, usedKey: map[string]bool{}, awarded: map[string]bool{}, touched: map[int]bool{},
	}
	b.id, _ = o.needName("id", isID)
	if n, ok := o.need("version"); ok {
		if b.version, ok = n.integer(); ok && b.version < 1 {
			n.fault("must be 1 or more")
		}
	}
	b.readLocales(o)
	if n, ok := o.need("title"); ok {
		b.title, _ = b.key(n, nil)
	}
	achievements := b.readAchievements(o)
	variables := b.readVariables(o)
	var err error
	if b.lang, err = newLanguage(b.vars, b.awards); err != nil {
		o.fault("%v", err)
		return b.campaign
	}
	scenes := b.readScenes(o)
	b.readStart(o)
	b.readMigrations(o)
	o.end()
	if !b.lost {
		b.checkGraph(scenes)
	}
	b.checkUnused(achievements, variables)
	return b.campaign
}

func (b *builder) readLocales(o *object) {
	main := "en"
	at, given := o.take("locale")
	if given {
		main, _ = at.name(isLocale)
	}
	n, ok := o.need("strings")
	if !ok {
		return
	}
	for _, m := range n.entries(maxLocales, isLocale) {
		l := &locale{name: m.key, text: map[string]localText{}}
		for _, t := range m.value.entries(maxMembers, isKey) {
			text, ok := t.value.text()
			parsed, whole := parseTemplate(text)
			switch {
			case ok && !whole:
				t.value.fault("has a brace that is not part of a {name}")
			case len(parsed.parts)/2 > maxPlaces:
				t.value.fault("shows more than %d values", maxPlaces)
			}
			l.text[t.key] = localText{at: t.value, text: text, template: parsed}
		}
		b.locales = append(b.locales, l)
	}
	i := slices.IndexFunc(b.locales, func(l *locale) bool { return l.name == main })
	if i < 0 {
		n.fault("has no texts of the default locale %q", main)
		return
	}
	b.locales[0], b.locales[i] = b.locales[i], b.locales[0]
	b.strings = engine.ReasonTexts()
	for key, t := range b.locales[0].text {
		b.strings[key] = t.text
	}
}

// key reads a string key and checks that every locale has a text for it that
// shows no other names than those that may be shown. It returns the names
// that the texts show, sorted.
func (b *builder) key(n node, may func(name string) bool) (key string, shown []string) {
	key, ok := n.name(isKey)
	if !ok {
		return "", nil
	}
	b.usedKey[key] = true
	if _, core := engine.ReasonTexts()[key]; core {
		return key, nil
	}
	for _, l := range b.locales {
		t, ok := l.text[key]
		if !ok {
			n.fault("has no text for %q in locale %q", key, l.name)
			continue
		}
		for _, name := range t.template.names() {
			if may == nil || !may(name) {
				t.at.fault("shows {%s}, which is not known where %q is used", name, key)
				continue
			}
			shown = append(shown, name)
			if slot, ok := b.slots[name]; ok {
				b.touched[slot] = true
			}
		}
	}
	slices.Sort(shown)
	return key, slices.Compact(shown)
}

func (b *builder) isVariable(name string) bool {
	_, ok := b.slots[name]
	return ok
}

// takeKey reads a string key of an object that may be left out.
func (b *builder) takeKey(o *object, member string) string {
	n, ok := o.take(member)
	if !ok {
		return ""
	}
	key, _ := b.key(n, nil)
	return key
}

func (b *builder) readAchievements(o *object) []member {
	n, ok := o.take("achievements")
	if !ok {
		return nil
	}
	list := n.entries(maxAchievements, isID)
	for _, m := range list {
		b.awards[m.key] = true
		a, _ := m.value.object()
		if title, ok := a.need("title"); ok {
			b.key(title, nil)
		}
		b.takeKey(a, "text")
		a.end()
	}
	return list
}

// reserved are names that variables and parameters cannot have: those that
// expressions and texts know already, and the words of the language.
var reserved = strings.Fields(nameTurn + " " + nameAchievements + " " + nameRoll + " " + nameTotal + " " + nameDifficulty + ` params profile
	as break const continue else false for function if import in let loop null package namespace return true var void while
	bool bytes double duration dyn int list map null_type string timestamp type uint google`)

func (b *builder) readVariables(o *object) []member {
	n, ok := o.take("variables")
	if !ok {
		return nil
	}
	list := n.entries(maxVariables, isVariableName)
	slices.SortFunc(list, func(a, b member) int { return strings.Compare(a.key, b.key) })
	for slot, m := range list {
		v := variable{name: m.key, field: `"` + m.key + `":`, path: "variables." + m.key}
		d, _ := m.value.object()
		v.kind, v.bounds = readType(d)
		if initial, ok := d.need("initial"); ok && v.kind != 0 {
			v.initial = readLiteral(initial, v.kind, v.bounds)
		}
		v.member = v.field + string(v.initial.raw())
		v.visible = d.flag("visible", true)
		d.end()
		b.slots[v.name] = slot
		b.vars = append(b.vars, v)
	}
	return list
}

func isVariableName(s string) bool { return isIdentifier(s) && !slices.Contains(reserved, s) }

// readType reads what variables and parameters have in common.
func readType(o *object) (kind, bounds) {
	var k kind
	if n, ok := o.need("type"); ok {
		if name, ok := n.text(); ok {
			if k = kinds[name]; k == 0 {
				n.fault("must be one of %s", strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
			}
		}
	}
	within := bounds{min: -math.MaxFloat64, max: math.MaxFloat64}
	if k == integerKind {
		within = bounds{min: -maxInteger, max: maxInteger}
	}
	low, hasLow := readBound(o, "min", k, &within.min)
	_, hasHigh := readBound(o, "max", k, &within.max)
	if hasLow && hasHigh && within.min > within.max {
		low.fault("must not be greater than max")
	}
	return k, within
}

func readBound(o *object, name string, k kind, to *float64) (node, bool) {
	n, ok := o.take(name)
	if !ok {
		return n, false
	}
	switch k {
	case integerKind:
		var i int64
		if i, ok = n.integer(); ok {
			*to = float64(i)
		}
	case numberKind:
		var f float64
		if f, ok = n.number(); ok {
			*to = f
		}
	default:
		n.fault("bounds an integer or a number, and nothing else")
		ok = false
	}
	return n, ok
}

// readLiteral reads a value of a kind that is within bounds.
func readLiteral(n node, k kind, within bounds) value {
	var v value
	var ok bool
	switch k {
	case integerKind:
		var i int64
		i, ok = n.integer()
		v = integerValue(i)
	case numberKind:
		var f float64
		f, ok = n.number()
		v = numberValue(f)
	case stringKind:
		var s string
		s, ok = n.text()
		v = stringValue(s)
	case booleanKind:
		var b bool
		b, ok = n.boolean()
		v = booleanValue(b)
	}
	switch {
	case !ok:
	case !v.sound():
		n.fault("is longer than %d bytes", maxStringBytes)
	case !within.hold(v):
		n.fault("is out of bounds")
	}
	return v
}

func (b *builder) readStart(o *object) {
	n, ok := o.need("start")
	if ok {
		b.start = b.target(n)
	}
	b.lost = b.lost || b.start == nil
}

// target reads the id of a scene.
func (b *builder) target(n node) *scene {
	id, ok := n.name(isID)
	s := b.scenes[id]
	if ok && s == nil {
		n.fault("there is no scene %q", id)
	}
	b.lost = b.lost || s == nil
	return s
}
