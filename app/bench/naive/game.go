package naive

import (
	"encoding/json"
	"fmt"
	"strings"
)

// play takes an action: effects that count or set a variable, a message, a
// way to another scene. The benchmark's measured action needs no more.
func (s *server) play(r *row, actionID string) (map[string]any, error) {
	var action map[string]any
	for _, a := range r.sceneDef["actions"].([]any) {
		if a := a.(map[string]any); a["id"] == actionID {
			action = a
		}
	}
	if action == nil {
		return nil, fmt.Errorf("unknown action")
	}
	changes := []any{}
	effects, _ := action["effects"].([]any)
	for _, e := range effects {
		name, ok := e.(map[string]any)["increment"].(string)
		if !ok {
			return nil, fmt.Errorf("unknown effect")
		}
		before := r.variables[name].(float64)
		r.variables[name] = before + 1
		changes = append(changes, map[string]any{
			"path": "variables." + name, "op": "increment", "value": before + 1, "previous": before,
			"reason": actionID, "visible": s.visible(name),
		})
	}
	r.state["turn"] = r.state["turn"].(float64) + 1
	messages := []any{}
	if m, ok := action["message"].(map[string]any); ok {
		message := map[string]any{"key": m["key"], "tone": m["tone"], "visible": true}
		if params := s.params(s.text(m["key"].(string)), r); len(params) > 0 {
			message["params"] = params
		}
		messages = append(messages, message)
	}
	return map[string]any{
		"ok": true, "scene": s.show(r), "errors": []any{}, "warnings": []any{}, "changes": changes, "messages": messages,
	}, nil
}

// show is the scene as the player sees it.
func (s *server) show(r *row) map[string]any {
	key := r.sceneDef["text"].(string)
	text := s.text(key)
	for name, value := range s.params(text, r) {
		text = strings.ReplaceAll(text, "{"+name+"}", fmt.Sprint(value))
	}
	actions := []any{}
	for _, a := range r.sceneDef["actions"].([]any) {
		a := a.(map[string]any)
		actions = append(actions, map[string]any{"id": a["id"], "labelKey": a["label"], "available": true})
	}
	variables := map[string]any{}
	for name, value := range r.variables {
		if s.visible(name) {
			variables[name] = value
		}
	}
	return map[string]any{
		"gameId": r.state["game"], "status": r.state["status"],
		"body":    map[string]any{"textKey": key, "text": text},
		"actions": actions,
		"view": map[string]any{
			"gameId": r.state["game"], "status": r.state["status"],
			"kindView": map[string]any{
				"achievements": r.state["achievements"], "campaignId": r.state["campaign"],
				"campaignVersion": r.state["version"], "scene": r.state["scene"], "turn": r.state["turn"],
				"variables": variables,
			},
		},
	}
}

func (s *server) text(key string) string {
	return s.campaign["strings"].(map[string]any)["en"].(map[string]any)[key].(string)
}

func (s *server) visible(name string) bool {
	visible, given := s.campaign["variables"].(map[string]any)[name].(map[string]any)["visible"].(bool)
	return visible || !given
}

// params are the variables that a text shows, as {name}.
func (s *server) params(text string, r *row) map[string]any {
	params := map[string]any{}
	for part := range strings.SplitSeq(text, "{") {
		name, _, ok := strings.Cut(part, "}")
		if !ok {
			continue
		}
		value := r.variables[name]
		if number, ok := value.(float64); ok {
			value = int64(number)
		}
		params[name] = value
	}
	return params
}

// encode writes the state in the order of members that blobs have; what is
// below is sorted, which encoding/json does.
func encode(state map[string]any) ([]byte, error) {
	return json.Marshal(struct {
		Format       any `json:"format"`
		Campaign     any `json:"campaign"`
		Version      any `json:"version"`
		Game         any `json:"game"`
		Status       any `json:"status"`
		Scene        any `json:"scene"`
		Turn         any `json:"turn"`
		Draws        any `json:"draws"`
		Seed         any `json:"seed"`
		Replay       any `json:"replay"`
		Variables    any `json:"variables"`
		Achievements any `json:"achievements"`
		Used         any `json:"used"`
	}{
		state["format"], state["campaign"], state["version"], state["game"], state["status"], state["scene"], state["turn"],
		state["draws"], state["seed"], state["replay"], state["variables"], state["achievements"], state["used"],
	})
}
