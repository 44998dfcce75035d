package storygraph

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/checker"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types/ref"
)

// Names that expressions know besides a campaign's variables.
const (
	nameTurn         = "turn"
	nameAchievements = "achievements"
	nameProfile      = "profile.achievements"
	prefixParams     = "params."
)

// expr is a compiled expression.
type expr struct{ program cel.Program }

// language compiles the expressions of one campaign. There are no macros, so
// no loops: what an expression costs is bounded by its length and its texts.
type language struct {
	state *cel.Env // what an action's availability may look at
	move  *cel.Env // and what only a move has: the profile
	// seen collects the names that any expression refers to.
	seen map[string]bool
	// awards are the ids of the campaign's achievements.
	awards map[string]bool
}

func newLanguage(vars []variable, awards map[string]bool) (*language, error) {
	held := cel.MapType(cel.StringType, cel.BoolType)
	options := []cel.EnvOption{
		cel.ClearMacros(),
		cel.ParserExpressionSizeLimit(maxExprRunes),
		cel.ParserRecursionLimit(maxDepth),
		cel.ExpressionNodeLimit(maxExprRunes),
		cel.CrossTypeNumericComparisons(true),
		cel.RegexProgramSizeLimit(maxExprRunes),
		cel.ExtendedValidations(),
		cel.Variable(nameTurn, cel.IntType),
		cel.Variable(nameAchievements, held),
	}
	for _, v := range vars {
		options = append(options, cel.Variable(v.name, v.kind.cel()))
	}
	state, err := cel.NewEnv(options...)
	if err != nil {
		return nil, fmt.Errorf("story-graph: expression language: %w", err)
	}
	move, err := state.Extend(cel.Variable(nameProfile, held))
	if err != nil {
		return nil, fmt.Errorf("story-graph: expression language: %w", err)
	}
	return &language{state: state, move: move, seen: map[string]bool{}, awards: awards}, nil
}

// with is the language of a move that brings parameters.
func (l *language) with(params []param) (*cel.Env, error) {
	if len(params) == 0 {
		return l.move, nil
	}
	options := make([]cel.EnvOption, len(params))
	for i, p := range params {
		options[i] = cel.Variable(prefixParams+p.name, p.kind.cel())
	}
	return l.move.Extend(options...)
}

func (k kind) cel() *cel.Type {
	switch k {
	case integerKind:
		return cel.IntType
	case numberKind:
		return cel.DoubleType
	case stringKind:
		return cel.StringType
	default:
		return cel.BoolType
	}
}

// compile compiles the expression that is the text of n and checks that it
// gives a value of kind want. What is wrong is a fault, and gives nil.
func (l *language) compile(n node, env *cel.Env, want kind) *expr {
	text, ok := n.text()
	if !ok {
		return nil
	}
	if utf8.RuneCountInString(text) > maxExprRunes {
		n.fault("is an expression of more than %d characters", maxExprRunes)
		return nil
	}
	compiled, issues := env.Compile(text)
	if issues.Err() != nil {
		for _, e := range issues.Errors() {
			message, _, _ := strings.Cut(e.Message, "\n")
			n.fault("is a bad expression at %d:%d: %s", e.Location.Line(), e.Location.Column()+1, message)
		}
		return nil
	}
	if got := compiled.OutputType(); !got.IsExactType(want.cel()) && !(want == numberKind && got.IsExactType(cel.IntType)) {
		n.fault("must give a value of type %s, not %s", want, cel.FormatCELType(got))
		return nil
	}
	if cost, err := env.EstimateCost(compiled, sizes{}); err != nil || cost.Max > maxExprCost {
		n.fault("is too costly an expression")
		return nil
	}
	program, err := env.Program(compiled, cel.CostLimit(maxExprCost))
	if err != nil {
		n.fault("is a bad expression: %v", err)
		return nil
	}
	tree := compiled.NativeRep()
	for _, r := range tree.ReferenceMap() {
		l.seen[r.Name] = true
	}
	l.checkAwards(n, tree)
	return &expr{program: program}
}

// checkAwards finds `"id" in achievements` where no achievement has that id.
// Those of the profile may be other campaigns'.
func (l *language) checkAwards(n node, tree *ast.AST) {
	for _, call := range ast.MatchDescendants(ast.NavigateAST(tree), ast.FunctionMatcher(operators.In)) {
		args := call.AsCall().Args()
		if len(args) != 2 || args[0].Kind() != ast.LiteralKind || args[1].Kind() != ast.IdentKind || args[1].AsIdent() != nameAchievements {
			continue
		}
		if id, ok := args[0].AsLiteral().Value().(string); ok && !l.awards[id] {
			n.fault("there is no achievement %q", id)
		}
	}
}

// sizes tells the estimator how long the texts and maps can be.
type sizes struct{}

func (sizes) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	if len(n.Path()) == 1 && strings.HasSuffix(n.Path()[0], nameAchievements) {
		return &checker.SizeEstimate{Min: 0, Max: math.MaxUint32}
	}
	return &checker.SizeEstimate{Min: 0, Max: maxStringBytes}
}

func (sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// scope is what an expression sees while it is evaluated: the state, and of a
// move its parameters and the achievements of the profile.
type scope struct {
	state   *state
	action  *action
	params  []value
	profile map[string]bool
	// profileRead is set where an expression looked at the profile.
	profileRead bool
}

func (*scope) Parent() cel.Activation { return nil }

func (s *scope) ResolveName(name string) (any, bool) {
	if slot, ok := s.state.campaign.slots[name]; ok {
		return s.state.vars[slot].value.cel(), true
	}
	switch name {
	case nameTurn:
		return s.state.turn, true
	case nameAchievements:
		held := make(map[string]bool, len(s.state.achievements))
		for _, id := range s.state.achievements {
			held[id] = true
		}
		return held, true
	case nameProfile:
		s.profileRead = true
		held := make(map[string]bool, len(s.profile))
		for id, has := range s.profile {
			if has {
				held[id] = true
			}
		}
		return held, true
	}
	if param, ok := strings.CutPrefix(name, prefixParams); ok {
		for i, p := range s.action.params {
			if p.name == param {
				return s.params[i].cel(), true
			}
		}
	}
	return nil, false
}

// eval evaluates an expression; false where it fails or costs too much.
func (x *expr) eval(s *scope, want kind) (value, bool) {
	var out ref.Val
	out, _, err := x.program.Eval(s)
	if err != nil {
		return value{}, false
	}
	return fromCEL(out, want)
}

// holds evaluates a condition. One that fails does not hold.
func (x *expr) holds(s *scope) bool {
	if x == nil {
		return true
	}
	v, ok := x.eval(s, booleanKind)
	return ok && v == booleanValue(true)
}
