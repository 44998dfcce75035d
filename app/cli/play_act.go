package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/holdfast-dev/holdfast/api/client"
	"github.com/holdfast-dev/holdfast/core/fault"
)

func (g *game) create(ctx context.Context, req client.CreateSessionRequest) error {
	r, err := call(ctx, &g.wire, func() (*client.CreateSessionResponse, error) { return g.api.CreateSessionWithResponse(ctx, req) })
	if err != nil {
		return err
	}
	return g.enter(ctx, r.JSON200.SessionId, r.HTTPResponse, r.JSON200.Scene)
}

func (g *game) load(ctx context.Context, saveID string) error {
	r, err := call(ctx, &g.wire, func() (*client.LoadGameResponse, error) {
		return g.api.LoadGameWithResponse(ctx, client.LoadGameRequest{SaveId: saveID})
	})
	if err != nil {
		return err
	}
	return g.enter(ctx, r.JSON200.SessionId, r.HTTPResponse, r.JSON200.Scene)
}

func (g *game) resume(ctx context.Context, sessionID string) error {
	r, err := call(ctx, &g.wire, func() (*client.ResumeSessionResponse, error) {
		return g.api.ResumeSessionWithResponse(ctx, client.SessionRequest{SessionId: sessionID})
	})
	if err != nil {
		return err
	}
	return g.enter(ctx, sessionID, r.HTTPResponse, *r.JSON200)
}

// enter makes a session the one that is played.
func (g *game) enter(ctx context.Context, sessionID string, from *http.Response, scene client.Scene) error {
	r, err := call(ctx, &g.wire, func() (*client.GetStringsResponse, error) {
		return g.api.GetStringsWithResponse(ctx, client.SessionRequest{SessionId: sessionID})
	})
	if err != nil {
		return err
	}
	g.session, g.etag, g.texts, g.scene = sessionID, from.Header.Get("ETag"), *r.JSON200, scene
	return nil
}

func (g *game) save(ctx context.Context) error {
	r, err := call(ctx, &g.wire, func() (*client.SaveGameResponse, error) {
		return g.api.SaveGameWithResponse(ctx, &client.SaveGameParams{}, client.SessionRequest{SessionId: g.session})
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(g.out, "Saved. To load it: load %s\n", r.JSON200.SaveId)
	return err
}

func (g *game) campaigns(ctx context.Context) ([]client.CampaignSummary, error) {
	r, err := call(ctx, &g.wire, func() (*client.ListCampaignsResponse, error) {
		return g.api.ListCampaignsWithResponse(ctx, client.ListCampaignsRequest{})
	})
	if err != nil {
		return nil, err
	}
	return *r.JSON200, nil
}

// act takes an action on the state that the player has seen (If-Match), so
// that it can be sent again after an answer was lost: if it had landed, the
// state is another one and the service refuses the second.
func (g *game) act(ctx context.Context, actionID string, params client.Params) error {
	req := client.ActionRequest{SessionId: g.session, ActionId: actionID}
	if len(params) > 0 {
		req.Params = &params
	}
	seen := &client.SubmitActionParams{IfMatch: &g.etag}
	r, err := call(ctx, &g.wire, func() (*client.SubmitActionResponse, error) { return g.api.SubmitActionWithResponse(ctx, seen, req) })
	if is(err, fault.ConcurrentModification) {
		_, _ = fmt.Fprintln(g.out, "The game has moved on: this action's answer was lost, or someone else plays too. It stands here now.")
		return g.reread(ctx)
	}
	if err != nil {
		return err
	}
	g.etag = r.HTTPResponse.Header.Get("ETag")
	g.verdict(*r.JSON200)
	return nil
}

func (g *game) reread(ctx context.Context) error {
	r, err := call(ctx, &g.wire, func() (*client.GetSceneResponse, error) {
		return g.api.GetSceneWithResponse(ctx, client.SessionRequest{SessionId: g.session})
	})
	if err != nil {
		return err
	}
	g.etag, g.scene = r.HTTPResponse.Header.Get("ETag"), *r.JSON200
	g.show()
	return nil
}

// verdict shows what an action brought.
func (g *game) verdict(r client.ActionResult) {
	for _, e := range r.Errors {
		_, _ = fmt.Fprintf(g.out, "! %s\n", g.text(e.MessageKey))
	}
	for _, w := range r.Warnings {
		_, _ = fmt.Fprintf(g.out, "! %s\n", g.text(w.MessageKey))
	}
	for _, m := range r.Messages {
		if m.Visible {
			_, _ = fmt.Fprintf(g.out, "* %s\n", fill(g.text(m.Key), m.Params))
		}
	}
	if r.Ok && r.Scene != nil {
		g.scene = *r.Scene
		g.show()
	}
}

// fill puts a message's parameters into its text, where it names them in
// braces.
func fill(text string, params *client.Params) string {
	if params == nil {
		return text
	}
	for name, value := range *params {
		var s string
		if json.Unmarshal(value, &s) != nil {
			s = string(value)
		}
		text = strings.ReplaceAll(text, "{"+name+"}", s)
	}
	return text
}

// parameters reads NAME=VALUE words: true, false and numbers as such,
// anything else as text.
func parameters(words []string) (client.Params, error) {
	params := client.Params{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q is not NAME=VALUE", word)
		}
		raw := []byte(value)
		if _, err := strconv.ParseFloat(value, 64); (err != nil || !json.Valid(raw)) && value != "true" && value != "false" {
			var err error
			if raw, err = json.Marshal(value); err != nil {
				return nil, err
			}
		}
		params[name] = raw
	}
	return params, nil
}
