package blackbox

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/holdfast-dev/holdfast/api/client"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// Every code of the contract is answered by something, with its status (see
// checkAnswer); a code that nothing answers here fails.
func TestEveryCode(t *testing.T) {
	t.Parallel()
	seen := map[fault.Code]bool{}
	// Each case has a world of its own, whose codes it has seen at its end.
	for name, c := range map[string]func(*world){
		"malformed, unknown, unsupported": codesOfRequests,
		"campaigns":                       codesOfCampaigns,
		"expired":                         codesOfExpiry,
		"abandoned":                       codesOfAbandoned,
		"saves of older versions":         codesOfMigrations,
		"conflicts":                       codesOfConflicts,
		"broken rows":                     codesOfBrokenRows,
	} {
		t.Run(name, func(t *testing.T) {
			w := setUp(t)
			c(w)
			for code := range w.codes {
				seen[code] = true
			}
		})
	}
	if t.Failed() {
		return
	}
	for _, code := range publicCodes(t) {
		if !seen[code] {
			t.Errorf("no request was answered %s", code)
		}
	}
}

func codesOfRequests(w *world) {
	i := w.ready()
	i.want(fault.MalformedPayload, "get-scene", `[]`)
	i.want(fault.UnknownOperation, "get-scenes", `{}`)
	if a := i.send(http.MethodPost, "/v2/get-scene", `{}`); a.code() != fault.UnsupportedVersion {
		w.Errorf("/v2: %d %s", a.status, a.body)
	}
	const nobody = "00000000000000000000000000000000"
	for operation, members := range requests {
		for _, m := range members {
			switch m.name {
			case "sessionId":
				i.want(fault.UnknownSession, operation, body(operation, map[string]string{m.name: `"` + nobody + `"`}))
			case "saveId":
				i.want(fault.UnknownSave, operation, body(operation, map[string]string{m.name: `"` + nobody + `"`}))
			}
		}
	}
	if w.rows() != 0 {
		w.Error("refused requests stored rows")
	}
}

func codesOfCampaigns(w *world) {
	i := w.ready(campaigns(w, door, foreign))
	if line := i.log("a campaign is of a kind that no engine hosts; it is not offered"); line.Level != "WARN" {
		w.Errorf("the campaign that cannot be hosted is logged as %s", line.Level)
	}
	if list := decode[[]client.CampaignSummary](w, i.want("", "list-campaigns", `{}`)); len(list) != 1 || list[0].CampaignId != "door" {
		w.Errorf("campaigns %+v", list)
	}
	i.want(fault.UnknownCampaign, "create-session", `{"campaignId":"tiny"}`)
	i.want(fault.UnknownKind, "create-session", `{"campaignId":"ridge"}`)
	if w.rows() != 0 {
		w.Error("refused requests stored rows")
	}
}

func codesOfExpiry(w *world) {
	i := w.ready()
	session := i.create("expired")
	save := decode[client.SavedGame](w, i.want("", "save-game", of(session))).SaveId
	w.exec("update session set expires_at = now() - interval '1 second'; update save set expires_at = now() - interval '1 second'")
	before := w.version(session)
	for operation, members := range requests {
		for _, m := range members {
			if m.name == "sessionId" {
				i.want(fault.SessionExpired, operation, body(operation, map[string]string{m.name: `"` + session + `"`}))
			}
		}
	}
	i.want(fault.SaveExpired, "load-game", fmt.Sprintf(`{"saveId":%q}`, save))
	if w.version(session) != before || w.rows() != 2 {
		w.Error("refused requests changed rows")
	}
}

func codesOfAbandoned(w *world) {
	i := w.ready()
	session := i.create("abandoned")
	i.submit(session, "leave")
	scene := decode[client.Scene](w, i.want("", "get-scene", of(session)))
	if scene.Status != client.Abandoned {
		w.Errorf("the game is %s", scene.Status)
	}
	i.want(fault.InvalidState, "resume-session", of(session))
}

func codesOfMigrations(w *world) {
	first := w.ready(campaigns(w, door))
	session := decode[client.StartedSession](w, first.want("", "create-session", `{"campaignId":"door","seed":"1"}`)).SessionId
	first.submit(session, "knock")
	save := decode[client.SavedGame](w, first.want("", "save-game", of(session))).SaveId
	load := fmt.Sprintf(`{"saveId":%q}`, save)
	first.kill(w)
	blob := ask[string](w, "select blob from save where save_id = $1", save)

	gone := w.ready(campaigns(w, doorWithoutWay))
	gone.want(fault.SaveRequiresMigration, "load-game", load)
	gone.want(fault.InvalidState, "submit-action", act(session, "knock"))
	gone.want(fault.InvalidState, "preview-action", act(session, "knock"))
	gone.want(fault.InvalidState, "resume-session", of(session))
	gone.want(fault.InternalFailure, "get-scene", of(session))
	gone.kill(w)

	bad := w.ready(campaigns(w, doorWithBadWay))
	bad.want(fault.MigrationFailed, "load-game", load)
	bad.kill(w)
	if w.rows() != 2 {
		w.Error("a refused load stored rows")
	}

	good := w.ready(campaigns(w, doorWithWay))
	scene := decode[client.StartedSession](w, good.want("", "load-game", load)).Scene
	if scene.Body.Text != "Rapped 1 times." {
		w.Errorf("after the migration: %s", scene.Body.Text)
	}
	good.kill(w)

	// Side by side, the old session goes on under the version that it began
	// with, and so does its save.
	both := w.ready(campaigns(w, door, doorWithWay))
	both.submit(session, "knock")
	old := decode[client.StartedSession](w, both.want("", "load-game", load)).Scene
	if old.Body.Text != "Knocked 1 times." {
		w.Errorf("the save of a version that is there: %s", old.Body.Text)
	}
	if now := ask[string](w, "select blob from save where save_id = $1", save); now != blob {
		w.Error("loading changed the save")
	}
}

func codesOfConflicts(w *world) {
	i := w.ready()
	session := i.create("two tabs")
	seen := i.want("", "get-scene", of(session)).etag()
	i.want("", "submit-action", act(session, "fill"), "If-Match", seen)
	for _, operation := range []string{"submit-action", "save-game"} {
		i.want(fault.ConcurrentModification, operation, body(operation, map[string]string{
			"sessionId": `"` + session + `"`, "actionId": `"fill"`,
		}), "If-Match", seen)
	}
	line := i.log("a write lost its race")
	if line.Why != "precondition" || line.Session == "" {
		w.Errorf("the log says %+v of it", line)
	}
	if v := w.version(session); v != 2 || w.rows() != 1 {
		w.Errorf("refused writes left version %d and %d rows", v, w.rows())
	}
}

func codesOfBrokenRows(w *world) {
	i := w.ready()
	session := i.create("broken")
	save := decode[client.SavedGame](w, i.want("", "save-game", of(session))).SaveId
	w.secret(`xyzzy-plugh`)
	broken := func() {
		w.Helper()
		for operation, members := range requests {
			for _, m := range members {
				if m.name == "sessionId" {
					i.want(fault.InternalFailure, operation, body(operation, map[string]string{m.name: `"` + session + `"`}))
				}
			}
		}
		i.want(fault.InternalFailure, "load-game", fmt.Sprintf(`{"saveId":%q}`, save))
	}
	for _, blob := range []string{`{"xyzzy-plugh":1}`, `xyzzy-plugh`, ``, `null`} {
		w.exec("update session set blob = '" + blob + "'; update save set blob = '" + blob + "'")
		broken()
	}
	w.exec("update session set engine_version = 'chess@1'")
	i.want(fault.InternalFailure, "get-scene", of(session))

	// A row that does not fit its columns' types is the store's failure.
	w.exec("alter table session drop constraint session_audience_check; update session set audience = 'xyzzy-plugh'")
	a := i.want(fault.StorageFailure, "get-scene", of(session))
	for from := 0; ; {
		var line logLine
		if line, from = i.logFrom(from, "request failed"); line.Correlation == a.header.Get("X-Correlation-Id") {
			if line.Code != string(fault.StorageFailure) || line.Level != "ERROR" {
				w.Errorf("the log says %+v", line)
			}
			break
		}
	}
}
