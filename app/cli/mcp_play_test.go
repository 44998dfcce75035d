package cli_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-dev/holdfast/core/session"
)

// player plays by tools.
type player struct {
	*testing.T
	*sdk.ClientSession
}

// call calls a tool that must succeed, and returns its text, which must be the
// same JSON as the structured content.
func (p player) call(tool string, arguments map[string]any) string {
	p.Helper()
	text, isError := p.try(tool, arguments)
	if isError {
		p.Fatalf("%s %v: %s", tool, arguments, text)
	}
	return text
}

func (p player) try(tool string, arguments map[string]any) (text string, isError bool) {
	p.Helper()
	params := &sdk.CallToolParams{Name: tool}
	if arguments != nil {
		params.Arguments = arguments
	}
	r, err := p.CallTool(p.Context(), params)
	if err != nil {
		p.Fatalf("%s %v: %v", tool, arguments, err)
	}
	text = r.Content[0].(*sdk.TextContent).Text
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		p.Fatalf("%s: %v", tool, err)
	}
	if list, ok := want.([]any); ok {
		want = map[string]any{"result": list}
	}
	if !reflect.DeepEqual(r.StructuredContent, want) {
		p.Errorf("%s: structured content %v is not the text %s", tool, r.StructuredContent, text)
	}
	return text, r.IsError
}

// member is a text in an object.
func member(t *testing.T, object string, name string) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		t.Fatalf("%s: %v", object, err)
	}
	text, ok := members[name].(string)
	if !ok {
		t.Fatalf("%s has no %s", object, name)
	}
	return text
}

// play plays the tiny campaign to its end with every tool, and again from a
// save. It returns both sessions.
func (p player) play() (sessionID, loaded string) {
	p.Helper()
	listed, err := p.ListTools(p.Context(), nil)
	if err != nil || len(listed.Tools) != 10 {
		p.Fatalf("%v tools, %v", listed, err)
	}
	if campaigns := p.call("list_campaigns", nil); !strings.Contains(campaigns, `"campaignId":"tiny"`) {
		p.Fatal(campaigns)
	}
	sessionID = member(p.T, p.call("start_game", map[string]any{"campaignId": "tiny", "seed": "replay"}), "sessionId")
	of := func(id string, more ...any) map[string]any {
		arguments := map[string]any{"sessionId": id}
		for i := 0; i < len(more); i += 2 {
			arguments[more[i].(string)] = more[i+1]
		}
		return arguments
	}
	p.call("get_scene", of(sessionID))
	p.call("get_state", of(sessionID))
	if texts := p.call("get_strings", of(sessionID)); !strings.Contains(texts, `"stairs.fill":"Fill the can"`) {
		p.Error(texts)
	}
	fill := of(sessionID, "actionId", "fill", "params", map[string]any{"measures": 2})
	preview := p.call("preview_action", fill)
	if taken := p.call("choose", fill); taken != preview {
		p.Errorf("the preview is not what came:\n%s\n%s", preview, taken)
	}
	p.call("choose", of(sessionID, "actionId", "sign", "params", map[string]any{"name": "Ömer <3 & 𝄞", "oath": true}))
	saveID := member(p.T, p.call("save_game", of(sessionID)), "saveId")
	p.finish(sessionID)
	if scene := p.call("continue_game", of(sessionID)); member(p.T, scene, "status") != "ended" {
		p.Error(scene)
	}
	loaded = member(p.T, p.call("load_game", map[string]any{"saveId": saveID}), "sessionId")
	p.finish(loaded)
	return sessionID, loaded
}

// finish climbs and strikes the light; the dice of the seed make it catch at
// once.
func (p player) finish(sessionID string) {
	p.Helper()
	for _, action := range []string{"climb", "strike"} {
		r := p.call("choose", map[string]any{"sessionId": sessionID, "actionId": action})
		if !strings.HasPrefix(r, `{"ok":true,`) {
			p.Fatalf("%s: %s", action, r)
		}
	}
	if scene := p.call("get_scene", map[string]any{"sessionId": sessionID}); member(p.T, scene, "status") != "ended" {
		p.Errorf("the game did not end: %s", scene)
	}
}

// connect is the SDK's client over a transport.
func connect(t *testing.T, transport sdk.Transport, options *sdk.ClientSessionOptions) player {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return player{t, session}
}

// The SDK's client plays a campaign over HTTP, in the newest version of the
// protocol and in the one before, as an agent.
func TestCampaignOverStreamableHTTP(t *testing.T) {
	i := newInstance(t, brief).stopped()
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			p := connect(t, &sdk.StreamableClientTransport{Endpoint: i.url + "/mcp"}, &sdk.ClientSessionOptions{ProtocolVersion: version})
			if got := p.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("the protocol is %s", got)
			}
			played, loaded := p.play()
			for _, id := range []string{played, loaded} {
				if a := i.audience(id); a != session.AI {
					t.Errorf("the session is for %s", a)
				}
			}
			// Both surfaces show one session, in the same bytes.
			asked := `{"sessionId":"` + played + `"}`
			for tool, path := range map[string]string{"get_scene": "/v1/get-scene", "get_state": "/v1/get-view", "get_strings": "/v1/get-strings"} {
				if text := p.call(tool, map[string]any{"sessionId": played}); text != i.post(path, asked) {
					t.Errorf("%s: %s, over HTTP %s", tool, text, i.post(path, asked))
				}
			}
		})
	}
}

// A save keeps its audience, whichever surface loads it; a session that
// begins over HTTP is a player's.
func TestAudienceGoesWithTheSave(t *testing.T) {
	i := newInstance(t, brief).stopped()
	p := connect(t, &sdk.StreamableClientTransport{Endpoint: i.url + "/mcp"}, nil)

	agents := member(t, p.call("start_game", map[string]any{"campaignId": "tiny"}), "sessionId")
	saved := p.call("save_game", map[string]any{"sessionId": agents})
	if a := i.audience(member(t, i.post("/v1/load-game", saved), "sessionId")); a != session.AI {
		t.Errorf("an agent's save loaded over HTTP is for %s", a)
	}
	players := member(t, i.post("/v1/create-session", `{"campaignId":"tiny"}`), "sessionId")
	if a := i.audience(players); a != session.Player {
		t.Errorf("a session over HTTP is for %s", a)
	}
	saved = i.post("/v1/save-game", `{"sessionId":"`+players+`"}`)
	loaded := p.call("load_game", map[string]any{"saveId": member(t, saved, "saveId")})
	if a := i.audience(member(t, loaded, "sessionId")); a != session.Player {
		t.Errorf("a player's save loaded over MCP is for %s", a)
	}
}

// An error of an operation is the tool's error, with the body of the HTTP
// answer; a verdict of the rules is none.
func TestErrorsOfTools(t *testing.T) {
	i := newInstance(t, brief).stopped()
	p := connect(t, &sdk.StreamableClientTransport{Endpoint: i.url + "/mcp"}, nil)
	id := member(t, p.call("start_game", map[string]any{"campaignId": "tiny"}), "sessionId")
	for name, c := range map[string]struct {
		tool      string
		arguments map[string]any
		code      string
	}{
		"an unknown argument": {"list_campaigns", map[string]any{"extra": nil}, "malformed_payload"},
		"a wrong type":        {"get_scene", map[string]any{"sessionId": 5}, "malformed_payload"},
		"a missing argument":  {"get_scene", nil, "malformed_payload"},
		"a nested param":      {"choose", map[string]any{"sessionId": id, "actionId": "fill", "params": map[string]any{"a": []int{1}}}, "malformed_payload"},
		"too large":           {"get_scene", map[string]any{"sessionId": strings.Repeat("x", 1<<20)}, "malformed_payload"},
		"a seed beyond int64": {"start_game", map[string]any{"campaignId": "tiny", "seed": json.Number("9223372036854775808")}, "malformed_payload"},
		"no campaign":         {"start_game", map[string]any{"campaignId": "none"}, "unknown_campaign"},
		"no session":          {"get_scene", map[string]any{"sessionId": "none"}, "unknown_session"},
		"no save":             {"load_game", map[string]any{"saveId": "none"}, "unknown_save"},
	} {
		t.Run(name, func(t *testing.T) {
			text, isError := player{t, p.ClientSession}.try(c.tool, c.arguments)
			if !isError || !strings.HasPrefix(text, `{"code":"`+c.code+`","correlation":"`) {
				t.Errorf("%.200s", text)
			}
		})
	}
	gone := map[string]any{"sessionId": id, "actionId": "leave"}
	p.call("choose", gone)
	if text := p.call("choose", gone); !strings.HasPrefix(text, `{"ok":false,"errors":[{"code":"game_ended"`) {
		t.Error(text)
	}
	if text, isError := p.try("continue_game", map[string]any{"sessionId": id}); !isError || member(t, text, "code") != "invalid_state" {
		t.Error(text)
	}
}

// A client that has lost an answer can send its action again under If-Match.
func TestPreconditionInMeta(t *testing.T) {
	i := newInstance(t, brief).stopped()
	p := connect(t, &sdk.StreamableClientTransport{Endpoint: i.url + "/mcp"}, nil)
	started, err := p.CallTool(t.Context(), &sdk.CallToolParams{Name: "start_game", Arguments: map[string]any{"campaignId": "tiny"}})
	if err != nil {
		t.Fatal(err)
	}
	act := &sdk.CallToolParams{
		Name:      "choose",
		Arguments: map[string]any{"sessionId": started.StructuredContent.(map[string]any)["sessionId"], "actionId": "fill"},
		Meta:      sdk.Meta{"holdfast/if-match": started.Meta["holdfast/etag"]},
	}
	for n, wantError := range []bool{false, true} {
		r, err := p.CallTool(t.Context(), act)
		if err != nil || r.IsError != wantError {
			t.Fatalf("time %d: %+v %v", n+1, r, err)
		}
		if text := r.Content[0].(*sdk.TextContent).Text; wantError && member(t, text, "code") != "concurrent_modification" {
			t.Error(text)
		}
	}
}
