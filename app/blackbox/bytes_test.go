package blackbox

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/holdfast-dev/holdfast/api/client"
)

// transcript plays every operation and returns the answers' bodies, with the
// ids that are minted named in the order in which they come.
func (i *instance) transcript() (bodies []string) {
	names := map[string]string{}
	say := func(operation, body string) answer {
		i.world.Helper()
		a := i.want("", operation, body)
		text := a.body
		var ids struct {
			SessionID, SaveID, GameID string
			Scene                     struct{ GameID string }
		}
		if operation != "list-campaigns" && operation != "get-strings" {
			ids = decode[struct {
				SessionID, SaveID, GameID string
				Scene                     struct{ GameID string }
			}](i.world, a)
		}
		for _, id := range []string{ids.SessionID, ids.SaveID, ids.GameID, ids.Scene.GameID} {
			if id != "" && names[id] == "" {
				names[id] = fmt.Sprint("id", len(names))
			}
			if id != "" {
				text = bytes.ReplaceAll(text, []byte(id), []byte(names[id]))
			}
		}
		bodies = append(bodies, operation+" "+string(text))
		return a
	}
	say("list-campaigns", `{}`)
	session := decode[client.StartedSession](i.world, say("create-session", `{"campaignId":"tiny","seed":"bytes"}`)).SessionId
	for _, action := range []string{
		`"fill","params":{"measures":3}`, `"sign","params":{"oath":true,"name":"Zoë <&> \"\u2028"}`, `"fly"`, `"boat"`, `"climb"`,
		`"strike"`, `"strike"`, `"descend"`, `"whistle"`, `"strike"`, `"fill","params":{"b":1,"a":2}`,
	} {
		request := fmt.Sprintf(`{"sessionId":%q,"actionId":%s}`, session, action)
		say("preview-action", request)
		say("submit-action", request)
		for _, show := range []string{"get-scene", "get-view", "get-strings"} {
			say(show, of(session))
		}
	}
	save := decode[client.SavedGame](i.world, say("save-game", of(session))).SaveId
	say("load-game", fmt.Sprintf(`{"saveId":%q}`, save))
	return bodies
}

// The same calls with the same seed give the same bytes on every instance.
func TestSameCallsSameBytes(t *testing.T) {
	t.Parallel()
	one, other := setUp(t).ready(), setUp(t).ready("HOLDFAST_DATABASE_EXEC_MODE=simple_protocol")
	want := one.transcript()
	for _, i := range []*instance{one, other} {
		got := i.transcript()
		for n := range want {
			if got[n] != want[n] {
				t.Errorf("answer %d is\n%s\nand was\n%s", n, got[n], want[n])
			}
		}
	}
}
