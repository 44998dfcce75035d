package blackbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/api/client"
	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// places are the free-form places of requests, each with a request that has a
// JSON value there.
var places = map[string]struct{ operation, format string }{
	"session":     {"get-scene", `{"sessionId":%s}`},
	"save":        {"load-game", `{"saveId":%s}`},
	"campaign":    {"create-session", `{"campaignId":%s}`},
	"seed":        {"create-session", `{"campaignId":"tiny","seed":%s}`},
	"profile":     {"create-session", `{"campaignId":"tiny","profileId":%s}`},
	"action":      {"submit-action", `{"sessionId":"SESSION","actionId":%s}`},
	"param":       {"submit-action", `{"sessionId":"SESSION","actionId":"sign","params":{"name":%s}}`},
	"other param": {"submit-action", `{"sessionId":"SESSION","actionId":"fill","params":{"any":%s}}`},
	"param name":  {"submit-action", `{"sessionId":"SESSION","actionId":"fill","params":{%s:1}}`},
}

func TestFieldOddText(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	w.secret(marker)
	i := w.ready()
	session := i.create("odd")
	before, state := w.rows(), ask[string](w, "select s::text from session s")
	texts := map[string]string{
		"U+0000":         `"` + marker + `\u0000"`,
		"U+0000 raw":     "\"" + marker + "\x00\"",
		"high surrogate": `"` + marker + `\ud800"`,
		"low surrogate":  `"\udfff` + marker + `"`,
		"invalid UTF-8":  "\"" + marker + "\xc3\x28\"",
		"duplicates":     `{"` + marker + `":1,"` + marker + `":2}`,
		"1 MiB of depth": strings.Repeat(`[`, 1<<20),
		"deep objects":   strings.Repeat(`{"a":`, 1<<17),
		"400 digits":     strings.Repeat("7", 400),
	}
	for place, at := range places {
		t.Run(place, func(t *testing.T) {
			i := i.in(t)
			for name, text := range texts {
				a := i.post(at.operation, strings.Replace(fmt.Sprintf(at.format, text), "SESSION", session, 1))
				if a.code() != fault.MalformedPayload {
					t.Errorf("%s: got %d %.200s", name, a.status, a.body)
				}
				if strings.Contains(a.at(), marker) && place != "param name" && name != "duplicates" {
					t.Errorf("%s: the answer shows a value: %s", name, a.at())
				}
			}
		})
	}
	if w.rows() != before || ask[string](w, "select s::text from session s") != state {
		t.Error("odd texts stored something")
	}
}

func TestFieldOddIDs(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	i := w.ready()
	session := i.create("ids")
	save := decode[struct{ SaveID string }](t, i.want("", "save-game", of(session))).SaveID
	before, state := w.rows(), ask[string](w, "select s::text from session s")
	ids := map[string]string{
		"empty":          "",
		"10 kB":          strings.Repeat("0a6f4d0c5b", 1000),
		"129 bytes":      strings.Repeat("a", 129),
		"path":           "../../../etc/passwd",
		"percent":        "%00%00%00%00",
		"emoji":          "🧙🧙🧙🧙",
		"quote":          `' or '1'='1`,
		"upper case":     strings.ToUpper(session),
		"with space":     session + " ",
		"cut":            session[:31],
		"a save's":       save,
		"line separator": "\u2028\u2029\u202e",
		"newline":        session + "\n",
	}
	for name, id := range ids {
		t.Run(name, func(t *testing.T) {
			i := i.in(t)
			w.secret(id)
			quoted, err := json.Marshal(id)
			must(t, err)
			for operation, members := range requests {
				for _, m := range members {
					if m.name != "sessionId" && m.name != "saveId" && m.name != "campaignId" {
						continue
					}
					if m.name == "saveId" && id == save {
						continue
					}
					a := i.post(operation, body(operation, map[string]string{m.name: string(quoted)}))
					if a.status != http.StatusNotFound && a.status != http.StatusBadRequest {
						t.Errorf("%s: got %d %s", operation, a.status, a.body)
					}
					if id != "" && strings.Contains(fmt.Sprint(a.header, string(a.body)), id) {
						t.Errorf("%s: the answer repeats the id", operation)
					}
				}
			}
		})
	}
	// An action's id is the game's to judge, whatever it looks like.
	for name, id := range ids {
		quoted, err := json.Marshal(id)
		must(t, err)
		a := i.want("", "submit-action", fmt.Sprintf(`{"sessionId":%q,"actionId":%s,"params":{%s:%s}}`, session, quoted, quoted, quoted))
		if r := decode[client.ActionResult](t, a); r.Ok || r.Errors[0].Code != engine.ReasonUnknownAction {
			t.Errorf("action %s: %s", name, a.body)
		}
	}
	if w.rows() != before || ask[string](w, "select s::text from session s") != state {
		t.Error("odd ids stored something")
	}
}
