package mcp

import (
	"encoding/json"
	"fmt"
	"maps"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-dev/holdfast/api/contract"
)

// instructions tell an agent how the tools belong together.
const instructions = `Play text games that are kept safe on the server. list_campaigns shows what can be played, start_game begins a game ` +
	`and returns its sessionId. A scene has a text and actions; take one of them with choose (preview_action shows what it would do). ` +
	`get_strings resolves the keys of labels and reasons. save_game and load_game keep and restore a game, continue_game comes back to one. ` +
	`A result with ok false is the game's own verdict; an error has a code: after concurrent_modification look at the scene again ` +
	`before you decide, after storage_failure wait a moment and try again.`

// tool is a public operation as the contract describes it (api/contract).
type tool struct {
	Name, Path, Summary, Description string
	Request, Response                map[string]any
}

// contractTools are the tools of the contract.
func contractTools() ([]tool, error) {
	var tools []tool
	if err := json.Unmarshal(contract.Tools, &tools); err != nil {
		return nil, fmt.Errorf("the contract's tools: %w", err)
	}
	return tools, nil
}

// newServer returns the SDK's server with a tool for each operation, and the
// names of the tools.
func newServer(o Options) (*sdk.Server, map[string]bool, error) {
	tools, err := contractTools()
	if err != nil {
		return nil, nil, err
	}
	server := sdk.NewServer(
		&sdk.Implementation{Name: "holdfast", Title: "Holdfast play sessions", Version: o.Version},
		&sdk.ServerOptions{
			Instructions: instructions,
			// The list of tools is that of the contract: it does not change.
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		})
	names := map[string]bool{}
	for _, t := range tools {
		names[t.Name] = true
		server.AddTool(&sdk.Tool{
			Name:         t.Name,
			Title:        t.Summary,
			Description:  t.Summary + ".\n\n" + t.Description,
			InputSchema:  t.Request,
			OutputSchema: outputSchema(t.Response),
		}, caller{operations: o.Operations, path: t.Path}.call)
	}
	return server, names, nil
}

// outputSchema is the schema of structuredContent: the operation's response,
// in an object if it is an array, or an error. Clients hold errors to it too.
func outputSchema(response map[string]any) map[string]any {
	shape := maps.Clone(response)
	defs := shape["$defs"]
	delete(shape, "$defs")
	if shape["type"] == "array" {
		shape = map[string]any{
			"type":                 "object",
			"additionalProperties": false,
			"required":             []string{resultMember},
			"properties":           map[string]any{resultMember: shape},
		}
	}
	schema := map[string]any{"type": "object", "anyOf": []any{shape, errorSchema}}
	if defs != nil {
		schema["$defs"] = defs
	}
	return schema
}

// errorSchema is the contract's error envelope. The codes are not listed: the
// description of each tool names its own.
var errorSchema = map[string]any{
	"type":                 "object",
	"additionalProperties": false,
	"required":             []string{"code", "correlation"},
	"properties": map[string]any{
		"code":        map[string]any{"type": "string"},
		"correlation": map[string]any{"type": "string", "description": "Names the request in the service's logs."},
	},
}
