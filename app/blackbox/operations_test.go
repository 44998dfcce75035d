package blackbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/holdfast-dev/holdfast/api/client"
	"github.com/holdfast-dev/holdfast/core/engine"
)

// Every operation does what it says, through the generated client; the way to
// the service holds every answer to the contract's shapes (see checked).
func TestOperations(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	i := w.ready()
	ctx := t.Context()

	campaigns, err := i.api.ListCampaignsWithResponse(ctx, client.ListCampaignsRequest{})
	must(t, err)
	if list := *campaigns.JSON200; !slices.Contains(list, client.CampaignSummary{CampaignId: "tiny", KindId: "story-graph", TitleKey: "title"}) {
		t.Errorf("campaigns %+v lack tiny", list)
	}
	seed := "seven"
	created, err := i.api.CreateSessionWithResponse(ctx, client.CreateSessionRequest{CampaignId: "tiny", Seed: &seed})
	must(t, err)
	started := created.JSON200
	if !correlation.MatchString(started.SessionId) || !correlation.MatchString(started.Scene.GameId) {
		t.Errorf("session %q, game %q: want 32 hexadecimal digits", started.SessionId, started.Scene.GameId)
	}
	if ids := actionIDs(started.Scene); !slices.Equal(ids, []string{"fill", "sign", "climb", "boat", "leave"}) || started.Scene.Status != client.Active {
		t.Errorf("it begins %s with %v", started.Scene.Status, ids)
	}
	if v := w.version(started.SessionId); v != 1 {
		t.Errorf("version %d after the insert", v)
	}
	etag := *created.Headers200.ETag
	session := client.SessionRequest{SessionId: started.SessionId}

	scene, err := i.api.GetSceneWithResponse(ctx, session)
	must(t, err)
	same(t, "the scene", *scene.JSON200, started.Scene)
	view, err := i.api.GetViewWithResponse(ctx, session)
	must(t, err)
	same(t, "the view", *view.JSON200, started.Scene.View)
	for what, tag := range map[string]*string{"get-scene": scene.Headers200.ETag, "get-view": view.Headers200.ETag} {
		if tag == nil || *tag != etag {
			t.Errorf("%s has another ETag for the same state", what)
		}
	}
	i.stringsResolve(session)

	params := client.Params{"measures": json.RawMessage("3")}
	fill := client.ActionRequest{SessionId: started.SessionId, ActionId: "fill", Params: &params}
	previewed, err := i.api.PreviewActionWithResponse(ctx, fill)
	must(t, err)
	if v := w.version(started.SessionId); v != 1 || *previewed.Headers200.ETag != etag {
		t.Errorf("a preview changed the session: version %d", v)
	}
	submitted, err := i.api.SubmitActionWithResponse(ctx, &client.SubmitActionParams{IfMatch: &etag}, fill)
	must(t, err)
	same(t, "the verdict", submitted.JSON200, previewed.JSON200)
	oil := change(t, *submitted.JSON200, "variables.oil")
	if oil.Op != client.Increment || string(oil.Value) != "5" || string(*oil.Previous) != "2" || oil.Reason != "fill" || !oil.Visible {
		t.Errorf("three measures on two: %+v", oil)
	}
	if m := submitted.JSON200.Messages; len(m) != 1 || m[0].Key != "stairs.filled" || *m[0].Tone != client.Neutral || string((*m[0].Params)["oil"]) != "5" {
		t.Errorf("messages %+v", m)
	}
	if v := w.version(started.SessionId); v != 2 || *submitted.Headers200.ETag == etag {
		t.Errorf("an accepted action left version %d and the ETag %s", v, *submitted.Headers200.ETag)
	}
	scene, err = i.api.GetSceneWithResponse(ctx, session)
	must(t, err)
	same(t, "the scene after it", *scene.JSON200, *submitted.JSON200.Scene)
	resumed, err := i.api.ResumeSessionWithResponse(ctx, session)
	must(t, err)
	same(t, "the scene of who comes back", *resumed.JSON200, *scene.JSON200)

	saved, err := i.api.SaveGameWithResponse(ctx, &client.SaveGameParams{}, session)
	must(t, err)
	i.submit(started.SessionId, "climb")
	loaded, err := i.api.LoadGameWithResponse(ctx, client.LoadGameRequest{SaveId: saved.JSON200.SaveId})
	must(t, err)
	if loaded.JSON200.SessionId == started.SessionId {
		t.Error("load-game did not make a fresh session")
	}
	same(t, "the loaded scene", loaded.JSON200.Scene, *scene.JSON200)
	if blobs := ask[int](w, "select count(distinct blob) from (select blob from save union all select blob from session where session_id = $1) b", loaded.JSON200.SessionId); blobs != 1 {
		t.Error("the loaded session does not have the save's bytes")
	}
}

// stringsResolve holds get-strings to having a text for every key that the
// scene shows and for every reason code.
func (i *instance) stringsResolve(session client.SessionRequest) {
	t := i.world
	strings, err := i.api.GetStringsWithResponse(t.Context(), session)
	must(t, err)
	scene, err := i.api.GetSceneWithResponse(t.Context(), session)
	must(t, err)
	keys := []string{"title", scene.JSON200.Body.TextKey}
	for _, a := range scene.JSON200.Actions {
		keys = append(keys, a.LabelKey)
		if a.ReasonKey != nil {
			keys = append(keys, *a.ReasonKey)
		}
	}
	for key := range engine.ReasonTexts() {
		keys = append(keys, key)
	}
	for _, key := range keys {
		if (*strings.JSON200)[key] == "" {
			t.Errorf("no text for %s", key)
		}
	}
	var order []string
	d := json.NewDecoder(bytes.NewReader(strings.Body))
	for token, err := d.Token(); err == nil; token, err = d.Token() {
		if s, ok := token.(string); ok {
			order = append(order, s)
		}
	}
	if !sortedPairs(order) {
		t.Errorf("get-strings is not sorted by key")
	}
}

// sortedPairs tells whether the even elements are in order.
func sortedPairs(pairs []string) bool {
	for n := 2; n < len(pairs); n += 2 {
		if pairs[n-2] >= pairs[n] {
			return false
		}
	}
	return true
}

// A verdict of the rules is a 200, whatever it is, and writes nothing.
func TestRefusedActionsWriteNothing(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	i := w.ready()
	session := i.create("refused")
	ended := i.create("ended")
	i.submit(ended, "leave")
	for name, c := range map[string]struct {
		session, action, params string
		code, path              string
	}{
		"unknown":         {session, "fly", `{}`, engine.ReasonUnknownAction, "actionId"},
		"not now":         {session, "climb", `{}`, engine.ReasonConditionUnmet, "actionId"},
		"unmet":           {session, "sign", `{"name":""}`, engine.ReasonConditionUnmet, "actionId"},
		"no parameter":    {session, "sign", `{}`, engine.ReasonInvalidParams, "params.name"},
		"its type":        {session, "fill", `{"measures":"two"}`, engine.ReasonInvalidParams, "params.measures"},
		"out of range":    {session, "fill", `{"measures":4}`, engine.ReasonInvalidParams, "params.measures"},
		"beyond 2^53":     {session, "fill", `{"measures":9007199254740993}`, engine.ReasonInvalidParams, "params.measures"},
		"another one":     {session, "fill", `{"colour":true}`, engine.ReasonInvalidParams, "params"},
		"of an ended one": {ended, "leave", `{}`, engine.ReasonGameEnded, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, i := w.in(t), i.in(t)
			before := ask[string](w, "select md5(string_agg(s::text, '' order by session_id)) from session s")
			for _, operation := range []string{"preview-action", "submit-action"} {
				a := i.want("", operation, fmt.Sprintf(`{"sessionId":%q,"actionId":%q,"params":%s}`, c.session, c.action, c.params))
				r := decode[client.ActionResult](t, a)
				if r.Ok || len(r.Errors) != 1 || r.Scene != nil {
					t.Fatalf("%s: %s", operation, a.body)
				}
				e := r.Errors[0]
				path := ""
				if e.Path != nil {
					path = *e.Path
				}
				if e.Code != c.code || e.MessageKey != "core.reason."+c.code || path != c.path {
					t.Errorf("%s: %s at %q, want %s at %q", operation, e.Code, path, c.code, c.path)
				}
			}
			if after := ask[string](w, "select md5(string_agg(s::text, '' order by session_id)) from session s"); after != before {
				t.Error("a refused action wrote something")
			}
		})
	}
}

func TestProbes(t *testing.T) {
	t.Parallel()
	i := setUp(t).ready()
	if a := i.send(http.MethodGet, "/livez", ""); a.status != 200 || string(a.body) != `{"status":"live"}` {
		t.Errorf("/livez: %d %s", a.status, a.body)
	}
	if a := i.send(http.MethodGet, "/readyz", ""); a.status != 200 || string(a.body) != `{"status":"ready","checks":{"store":"ok","journal":"off"}}` {
		t.Errorf("/readyz: %d %s", a.status, a.body)
	}
}

func actionIDs(s client.Scene) (ids []string) {
	for _, a := range s.Actions {
		ids = append(ids, a.Id)
	}
	return ids
}

func change(t testing.TB, r client.ActionResult, path string) client.Change {
	t.Helper()
	for _, c := range r.Changes {
		if c.Path == path {
			return c
		}
	}
	t.Fatalf("no change of %s in %+v", path, r.Changes)
	return client.Change{}
}

// same compares what two answers show, member by member.
func same(t testing.TB, what string, got, want any) {
	t.Helper()
	g, err := json.Marshal(got)
	must(t, err)
	w, err := json.Marshal(want)
	must(t, err)
	if !bytes.Equal(g, w) {
		t.Errorf("%s is\n%s\nwant\n%s", what, g, w)
	}
}
