package mcp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-dev/holdfast/api/contract"
)

// connect is the SDK's client at the surface.
func (s *surface) connect() *sdk.ClientSession {
	s.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(s.Context(), &sdk.StreamableClientTransport{Endpoint: s.url}, nil)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = session.Close() })
	return session
}

// The tools are the contract's operations one to one, and their schemas the
// contract's, read here from the contract's own text.
func TestSchemasEqualTheContract(t *testing.T) {
	listed, err := newSurface(t).connect().ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*sdk.Tool{}
	for _, tool := range listed.Tools {
		byName[tool.Name] = tool
	}
	text, err := yaml.YAMLToJSON(contract.YAML)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	operations := map[string]string{}
	for path, methods := range root["paths"].(map[string]any) {
		op, ok := methods.(map[string]any)["post"].(map[string]any)
		if !ok || op["x-mcp-tool"] == nil {
			continue
		}
		name := op["x-mcp-tool"].(string)
		operations[name] = path
		tool := byName[name]
		if tool == nil {
			t.Errorf("no tool %s", name)
			continue
		}
		if want := at(root, op, "requestBody", "content", "application/json", "schema"); !reflect.DeepEqual(inline(t, tool.InputSchema, tool.InputSchema), inline(t, root, want)) {
			t.Errorf("%s: the input schema is not the contract's request:\n%v", name, tool.InputSchema)
		}
		shape := at(root, op, "responses", "200", "content", "application/json", "schema")
		want := inline(t, root, shape)
		if want.(map[string]any)["type"] == "array" {
			want = map[string]any{"type": "object", "additionalProperties": false, "required": []any{"result"}, "properties": map[string]any{"result": want}}
		}
		output := inline(t, tool.OutputSchema, tool.OutputSchema).(map[string]any)
		alternatives := output["anyOf"].([]any)
		if output["type"] != "object" || len(alternatives) != 2 || !reflect.DeepEqual(alternatives[0], want) {
			t.Errorf("%s: the output schema is not the contract's response:\n%v", name, output)
		}
		envelope := inline(t, root, at(root, root, "components", "schemas", "Error")).(map[string]any)
		code := envelope["properties"].(map[string]any)["code"].(map[string]any)
		clear(code)
		code["type"] = "string"
		if !reflect.DeepEqual(alternatives[1], any(envelope)) {
			t.Errorf("%s: the error in the output schema is not the contract's: %v", name, alternatives[1])
		}
		if !strings.Contains(tool.Description, strings.TrimSpace(op["description"].(string))) || tool.Title != op["summary"] {
			t.Errorf("%s is described as %q", name, tool.Description)
		}
	}
	if len(listed.Tools) != len(operations) || !maps.Equal(operations, tools) {
		t.Errorf("tools %v, operations %v, want %v", slices.Sorted(maps.Keys(byName)), operations, tools)
	}
}

// at walks a document over references.
func at(root map[string]any, node any, names ...string) any {
	for _, name := range names {
		node = deref(root, node).(map[string]any)[name]
	}
	return node
}

func deref(root map[string]any, node any) any {
	object, ok := node.(map[string]any)
	if !ok {
		return node
	}
	ref, ok := object["$ref"].(string)
	if !ok {
		return node
	}
	return at(root, root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
}

// inline is a schema with what it refers to in place, without extensions.
func inline(t *testing.T, root, node any) any {
	t.Helper()
	switch node := deref(root.(map[string]any), node).(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range node {
			if name != "$defs" && !strings.HasPrefix(name, "x-") {
				out[name] = inline(t, root, value)
			}
		}
		return out
	case []any:
		out := make([]any, len(node))
		for i, value := range node {
			out[i] = inline(t, root, value)
		}
		return out
	default:
		return node
	}
}

// Each version of the protocol that clients speak is spoken: the handshake of
// initialize, and the one without a session.
func TestProtocolVersions(t *testing.T) {
	s := newSurface(t)
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		got := struct{ Result sdk.InitializeResult }{}
		r := s.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, version))
		if err := json.Unmarshal([]byte(r.body), &got); err != nil || got.Result.ProtocolVersion != version || got.Result.ServerInfo.Name != "holdfast" {
			t.Errorf("%s: %s", version, r.body)
		}
		if got.Result.Instructions == "" || got.Result.Capabilities.Tools == nil || got.Result.Capabilities.Tools.ListChanged {
			t.Errorf("%s: %s", version, r.body)
		}
		if r.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: a session id was given out", version)
		}
		if r := s.post(call("get_scene", "{}"), "Mcp-Protocol-Version", version); s.decode(r).Result == nil {
			t.Errorf("%s: a call without a session: %s", version, r.body)
		}
	}
	// The SDK's client begins with the newest.
	session := s.connect()
	if v := session.InitializeResult().ProtocolVersion; v != "2026-07-28" {
		t.Errorf("the SDK's client speaks %s", v)
	}
	if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "get_scene"}); err != nil {
		t.Error(err)
	}
	if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("an unknown tool was called")
	}
	unknown := s.post(`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, "Mcp-Protocol-Version", "2026-07-28")
	if unknown.status != 404 || s.decode(unknown).Error.Code != -32601 {
		t.Errorf("an unknown method in the newest version: %d %s", unknown.status, unknown.body)
	}
}
