package blackbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/holdfast-dev/holdfast/api/client"
	"github.com/holdfast-dev/holdfast/api/contract"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// openapi is the contract with the schemas in it.
type openapi struct {
	root map[string]any

	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

// theContract is read once.
var theContract = sync.OnceValues(func() (*openapi, error) {
	text, err := yaml.YAMLToJSON(contract.YAML)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	root, ok := doc.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the contract is no object")
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("openapi.json", doc); err != nil {
		return nil, err
	}
	return &openapi{root: root, compiler: c}, nil
})

// at walks the contract, over references.
func (o *openapi) at(names ...string) (node any, pointer string) {
	node = o.root
	for _, name := range names {
		object, ok := node.(map[string]any)
		if !ok {
			return nil, ""
		}
		if ref, ok := object["$ref"].(string); ok {
			path := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
			node, pointer = o.at(path...)
			if object, ok = node.(map[string]any); !ok {
				return nil, ""
			}
		}
		node = object[name]
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	return node, pointer
}

// validate holds a value to the schema at a pointer of the contract.
func (o *openapi) validate(pointer string, value any) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	schema, err := o.compiler.Compile("openapi.json#" + pointer)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// check holds a body to the schema that the contract has for an operation's
// answer; a status that it does not name is the default's.
func (o *openapi) check(method, path string, status int, body []byte) error {
	responses, _ := o.at("paths", path, strings.ToLower(method), "responses")
	named, ok := responses.(map[string]any)
	if !ok {
		// The contract does not have the path: its errors have one shape.
		path, method, named = "/v1/list-campaigns", "POST", map[string]any{}
	}
	which := fmt.Sprint(status)
	if named[which] == nil {
		which = "default"
	}
	schema, pointer := o.at("paths", path, strings.ToLower(method), "responses", which, "content", "application/json", "schema")
	if schema == nil {
		return fmt.Errorf("the contract has no schema for %s %s %s", method, path, which)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return o.validate(pointer, value)
}

// shapes are the generated client's types of the answers.
var shapes = map[string]func() any{
	"/v1/list-campaigns": func() any { return new([]client.CampaignSummary) },
	"/v1/create-session": func() any { return new(client.StartedSession) },
	"/v1/get-scene":      func() any { return new(client.Scene) },
	"/v1/get-view":       func() any { return new(client.View) },
	"/v1/get-strings":    func() any { return new(client.Strings) },
	"/v1/preview-action": func() any { return new(client.ActionResult) },
	"/v1/submit-action":  func() any { return new(client.ActionResult) },
	"/v1/resume-session": func() any { return new(client.Scene) },
	"/v1/save-game":      func() any { return new(client.SavedGame) },
	"/v1/load-game":      func() any { return new(client.StartedSession) },
}

// strictly decodes a body into a type that has all its members.
func strictly(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func TestContractExamplesFitTheirSchemas(t *testing.T) {
	o, err := theContract()
	must(t, err)
	found := 0
	var walk func(node any, pointer string)
	walk = func(node any, pointer string) {
		switch node := node.(type) {
		case map[string]any:
			if example, ok := node["example"]; ok && node["schema"] != nil {
				found++
				if err := o.validate(pointer+"/schema", example); err != nil {
					t.Errorf("the example at %s: %v", pointer, err)
				}
			}
			for name, child := range node {
				walk(child, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
			}
		case []any:
			for i, child := range node {
				walk(child, fmt.Sprintf("%s/%d", pointer, i))
			}
		}
	}
	walk(o.root, "")
	// Ten requests, seven kinds of answers, errors, and the probes' three.
	if want := 10 + 7 + 1 + 3; found != want {
		t.Errorf("%d examples, want %d", found, want)
	}
	started := []byte(`{"sessionId":"s","scene":{"gameId":"g","status":"active","body":{"textKey":"k","text":"t"},"actions":[],"view":{"gameId":"g","status":"active","kindView":1}}}`)
	must(t, o.check("POST", "/v1/create-session", 200, started))
	for what, body := range map[string]string{
		"another member": strings.Replace(string(started), `"text":"t"`, `"text":"t","more":1`, 1),
		"a status":       strings.Replace(string(started), `"status":"active"`, `"status":"paused"`, 1),
		"a missing one":  strings.Replace(string(started), `"sessionId":"s",`, "", 1),
	} {
		if o.check("POST", "/v1/create-session", 200, []byte(body)) == nil {
			t.Errorf("an answer with %s passes", what)
		}
	}
}

// publicCodes are the codes that the contract names.
func publicCodes(t testing.TB) (codes []fault.Code) {
	t.Helper()
	o, err := theContract()
	must(t, err)
	list, _ := o.at("components", "schemas", "ErrorCode", "enum")
	for _, code := range list.([]any) {
		codes = append(codes, fault.Code(code.(string)))
	}
	return codes
}
