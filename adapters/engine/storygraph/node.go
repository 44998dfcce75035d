package storygraph

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// node is a value in a campaign file, with the way to it and the log that
// takes what is wrong with it.
type node struct {
	ast  ast.Node
	path string
	log  *faultLog
}

func (n node) fault(format string, args ...any) {
	line, column := position(n.ast)
	n.log.add(line, column, n.path, format, args...)
}

// position is where a value begins. The parser places a block mapping at its
// first colon; readers look for it at its first key.
func position(n ast.Node) (line, column int) {
	for {
		switch m := n.(type) {
		case *ast.MappingNode:
			if !m.IsFlowStyle && len(m.Values) > 0 {
				n = m.Values[0].Key
				continue
			}
		case *ast.MappingValueNode:
			n = m.Key
			continue
		}
		break
	}
	if n == nil {
		return 0, 0
	}
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return 0, 0
	}
	return t.Position.Line, t.Position.Column
}

// member is one member of an object.
type member struct {
	key   string
	at    node // the key itself
	value node
	taken bool
}

// object is a mapping whose members are taken one by one; what is left over
// is unknown.
type object struct {
	node
	members []member
	// broken is set where the value is no object, which is fault enough.
	broken bool
}

// object reads a mapping. What is not one is a fault, and gives an object
// without members and false.
func (n node) object() (*object, bool) {
	o := &object{node: n}
	var values []*ast.MappingValueNode
	switch m := n.ast.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		n.fault("must be an object%s", n.instead())
		o.broken = true
		return o, false
	}
	first := map[string]bool{}
	for _, v := range values {
		at := node{ast: v.Key, path: n.path, log: n.log}
		s, ok := v.Key.(*ast.StringNode)
		if !ok {
			at.fault("a key must be plain text; quote it")
			continue
		}
		key := s.Value
		at.path = join(n.path, key)
		if first[key] {
			at.fault("is here twice")
			continue
		}
		first[key] = true
		o.members = append(o.members, member{key: key, at: at, value: node{ast: v.Value, path: at.path, log: n.log}})
	}
	return o, true
}

func join(path, key string) string {
	if len(key) > 80 {
		key = key[:80] + "…"
	}
	if !printable(key) {
		key = strconv.QuoteToASCII(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) })
}

// take takes a member; false where it is not there.
func (o *object) take(key string) (node, bool) {
	for i := range o.members {
		if m := &o.members[i]; m.key == key {
			m.taken = true
			return m.value, true
		}
	}
	return node{}, false
}

// need takes a member that must be there.
func (o *object) need(key string) (node, bool) {
	n, ok := o.take(key)
	if !ok && !o.broken {
		o.fault("%q is missing", key)
	}
	return n, ok
}

// end reports the members that nobody took.
func (o *object) end() {
	for _, m := range o.members {
		if !m.taken {
			m.at.fault("is not a member of the format")
		}
	}
}

// entries reads an object that is keyed by ids of the author's choice.
func (n node) entries(limit int, valid func(string) bool) []member {
	o, _ := n.object()
	if len(o.members) > limit {
		n.fault("has %d entries, the limit is %d", len(o.members), limit)
		return nil
	}
	var kept []member
	for _, m := range o.members {
		if !valid(m.key) {
			m.at.fault("is not a valid name here")
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

func (n node) list(limit int) []node {
	s, ok := n.ast.(*ast.SequenceNode)
	if !ok {
		n.fault("must be a list%s", n.instead())
		return nil
	}
	if len(s.Values) > limit {
		n.fault("has %d entries, the limit is %d", len(s.Values), limit)
		return nil
	}
	list := make([]node, len(s.Values))
	for i, v := range s.Values {
		list[i] = node{ast: v, path: fmt.Sprintf("%s[%d]", n.path, i), log: n.log}
	}
	return list
}

// isText says that the value is written as text.
func (n node) isText() bool {
	switch n.ast.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return true
	}
	return false
}

func (n node) text() (string, bool) {
	var s string
	switch v := n.ast.(type) {
	case *ast.StringNode:
		s = v.Value
	case *ast.LiteralNode:
		s = strings.TrimSuffix(v.Value.Value, "\n")
	default:
		n.fault("must be text%s", n.instead())
		return "", false
	}
	if len(s) > maxTextBytes {
		n.fault("is longer than %d bytes", maxTextBytes)
		return "", false
	}
	if strings.ContainsRune(s, 0) {
		n.fault("must not hold U+0000")
		return "", false
	}
	return s, true
}

// name reads the text of an id.
func (n node) name(valid func(string) bool) (string, bool) {
	s, ok := n.text()
	if ok && !valid(s) {
		n.fault("%s is not a valid name here", strconv.Quote(s))
		return "", false
	}
	return s, ok
}

func (n node) boolean() (value, ok bool) {
	b, ok := n.ast.(*ast.BoolNode)
	if !ok {
		n.fault("must be true or false%s", n.instead())
		return false, false
	}
	return b.Value, true
}

// flag takes a boolean member that may be left out.
func (o *object) flag(key string, otherwise bool) bool {
	n, ok := o.take(key)
	if !ok {
		return otherwise
	}
	v, _ := n.boolean()
	return v
}

func (n node) integer() (int64, bool) {
	if v, ok := n.ast.(*ast.IntegerNode); ok {
		text := v.GetToken().Value
		i, err := strconv.ParseInt(text, 10, 64)
		if err == nil && i >= -maxInteger && i <= maxInteger && json.Valid([]byte(text)) {
			return i, true
		}
	}
	n.fault("must be an integer of at most 2^53-1%s", n.instead())
	return 0, false
}

func (n node) number() (float64, bool) {
	switch n.ast.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		text := n.ast.GetToken().Value
		if f, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) {
			return f + 0, true
		}
	}
	n.fault("must be a number%s", n.instead())
	return 0, false
}

// instead says what a value of the wrong kind is, where that helps.
func (n node) instead() string {
	switch v := n.ast.(type) {
	case *ast.NullNode:
		return ", but there is nothing"
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		return "; anchors, aliases and tags are not part of the format"
	case *ast.MappingNode, *ast.MappingValueNode:
		return ", not an object"
	case *ast.SequenceNode:
		return ", not a list"
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode:
		return ", not " + v.GetToken().Value
	case *ast.StringNode:
		if t := v.GetToken(); t.Type == token.StringType && len(v.Value) <= 40 {
			return ", not text"
		}
	}
	return ""
}
