package storygraph

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// parseDocument reads the one YAML or JSON document of a file. What could
// take the parser's stack, time or memory is refused on the way: it recurses
// with the nesting and is quadratic in the members of a block mapping.
func parseDocument(log *faultLog, text []byte) (root ast.Node) {
	if !utf8.Valid(text) {
		log.add(0, 0, "", "is not UTF-8 text")
		return nil
	}
	if countMarks(text) > maxMarks {
		log.add(0, 0, "", "has too much structure for a campaign")
		return nil
	}
	defer func() {
		// A file must not be able to end the process by a slip of the parser.
		if r := recover(); r != nil {
			log.add(0, 0, "", "cannot be read as YAML or JSON")
			root = nil
		}
	}()
	tokens := lexer.Tokenize(string(text))
	if t, what := excess(tokens); what != "" {
		log.add(t.Position.Line, t.Position.Column, "", "%s", what)
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		line, column := 0, 0
		message := err.Error()
		if e, ok := errors.AsType[yaml.Error](err); ok {
			message = e.GetMessage()
			if t := e.GetToken(); t != nil && t.Position != nil {
				line, column = t.Position.Line, t.Position.Column
			}
		}
		log.add(line, column, "", "is neither YAML nor JSON: %s", message)
		return nil
	}
	var bodies []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil {
			bodies = append(bodies, d.Body)
		}
	}
	if len(bodies) != 1 {
		log.add(0, 0, "", "must hold one document, not %d", len(bodies))
		return nil
	}
	return bodies[0]
}

func countMarks(text []byte) int {
	n := 0
	for i, c := range text {
		switch c {
		case '\n', '\r', ',', '[', ']', '{', '}', ':', '?', '#', '&', '*', '!', '|', '>', '%', '@', '`', '"', '\'':
			n++
		case '-':
			if i+1 == len(text) || text[i+1] <= ' ' {
				n++
			}
		}
	}
	return n
}

// excess finds the first token that goes beyond a bound, and says which.
func excess(tokens token.Tokens) (*token.Token, string) {
	if len(tokens) > maxTokens {
		return tokens[maxTokens], "is too long a document for a campaign"
	}
	depth, chain, properties := 0, 0, 0
	members := make([]int, maxBlockColumn+1) // by column, of the mapping open there
	for i, t := range tokens {
		column := t.Position.Column
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
			chain = 0
		case token.SequenceEndType, token.MappingEndType:
			depth--
			chain = 0
		case token.CollectEntryType:
			chain = 0
		case token.AnchorType, token.AliasType, token.TagType, token.DirectiveType, token.MergeKeyType:
			properties++
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
			if depth > 0 {
				if t.Type == token.MappingValueType {
					chain++
				}
				break
			}
			if t.Type == token.MappingValueType && i > 0 && tokens[i-1].Position.Line == t.Position.Line {
				column = tokens[i-1].Position.Column
			}
			if column > maxBlockColumn {
				return t, "is nested too deeply"
			}
			clear(members[column+1:])
			if members[column]++; t.Type == token.MappingValueType && members[column] > maxMembers {
				return t, fmt.Sprintf("has more than %d members in one object", maxMembers)
			}
		}
		if depth > maxDepth || chain > maxDepth {
			return t, "is nested too deeply"
		}
		if properties > maxProperties {
			return t, "has too many anchors, aliases and tags"
		}
	}
	return nil, ""
}
