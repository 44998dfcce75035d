package blackbox

import (
	"fmt"

	"github.com/holdfast-dev/holdfast/api/client"
)

// create begins a game of the tiny campaign and returns its session's id.
func (i *instance) create(seed string) string {
	i.world.Helper()
	a := i.want("", "create-session", fmt.Sprintf(`{"campaignId":"tiny","seed":%q}`, seed))
	return decode[client.StartedSession](i.world, a).SessionId
}

// of is a request about a session.
func of(sessionID string) string { return fmt.Sprintf(`{"sessionId":%q}`, sessionID) }

// act is a request for an action.
func act(sessionID, actionID string) string {
	return fmt.Sprintf(`{"sessionId":%q,"actionId":%q}`, sessionID, actionID)
}

// submit takes an action that the rules must allow.
func (i *instance) submit(sessionID, actionID string) client.ActionResult {
	i.world.Helper()
	r := decode[client.ActionResult](i.world, i.want("", "submit-action", act(sessionID, actionID)))
	if !r.Ok {
		i.world.Fatalf("%s was refused: %+v", actionID, r.Errors)
	}
	return r
}
