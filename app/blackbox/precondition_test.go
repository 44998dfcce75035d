package blackbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// If-Match holds an action to the states that it names, as RFC 9110 has it:
// one tag, a list, or any state; a weak tag names none.
func TestPreconditions(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	i := w.ready()
	session, other := i.create("mine"), i.create("another")
	old := i.want("", "get-scene", of(session)).etag()
	i.submit(session, "fill")
	i.submit(other, "fill")
	tag, foreign := i.want("", "get-scene", of(session)).etag(), i.want("", "get-scene", of(other)).etag()
	if old == tag || tag == foreign || !strings.HasPrefix(tag, `"`) {
		t.Fatalf("tags %s, %s, and %s of another session", old, tag, foreign)
	}
	for name, c := range map[string]struct {
		ifMatch string
		code    fault.Code
	}{
		"this state":         {tag, ""},
		"any state":          {"*", ""},
		"one of a list":      {`"other" ,` + tag + `, "more"`, ""},
		"with white space":   {" \t" + tag + " ", ""},
		"the state before":   {old, fault.ConcurrentModification},
		"another session's":  {foreign, fault.ConcurrentModification},
		"a weak tag":         {"W/" + tag, fault.ConcurrentModification},
		"none of a list":     {old + ", " + foreign, fault.ConcurrentModification},
		"an empty tag":       {`""`, fault.ConcurrentModification},
		"a tag with a comma": {`"a,b"`, fault.ConcurrentModification},
		"empty elements":     {`,"other",, ` + tag + `,`, ""},
		"a newer version":    {strings.TrimSuffix(tag, `"`) + `z"`, fault.ConcurrentModification},
		"a signed version":   {strings.Replace(tag, "-", "-+", 1), fault.ConcurrentModification},
	} {
		t.Run(name, func(t *testing.T) {
			w, i := w.in(t), i.in(t)
			before := w.version(session)
			i.want(c.code, "save-game", of(session), "If-Match", c.ifMatch)
			// A refused action shows that the check comes first, and writes nothing.
			i.want(c.code, "submit-action", act(session, "fly"), "If-Match", c.ifMatch)
			if w.version(session) != before {
				t.Error("the session was written")
			}
		})
	}
	t.Run("in two lines", func(t *testing.T) {
		i.wantLines(t, http.StatusOK, session, `"other"`, tag)
		i.wantLines(t, http.StatusConflict, session, old, foreign)
	})
	t.Run("empty", func(t *testing.T) { i.wantLines(t, http.StatusBadRequest, session, "") })
}

// wantLines saves a game under several If-Match lines.
func (i *instance) wantLines(t *testing.T, status int, session string, lines ...string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, i.url+"/v1/save-game", strings.NewReader(of(session)))
	must(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header["If-Match"] = lines
	resp, err := i.http.Do(req)
	must(t, err)
	must(t, resp.Body.Close())
	if resp.StatusCode != status {
		t.Errorf("If-Match lines %q: got %d, want %d", lines, resp.StatusCode, status)
	}
}

// Whatever only looks leaves the session's row as it is, its expiry included.
func TestReadsWriteNothing(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	i := w.ready()
	session := i.create("reads")
	before := ask[string](w, "select s::text from session s")
	for operation, members := range requests {
		if operation != "submit-action" && len(members) > 0 && members[0].name == "sessionId" {
			i.want("", operation, body(operation, map[string]string{"sessionId": `"` + session + `"`, "actionId": `"fill"`}))
		}
	}
	if after := ask[string](w, "select s::text from session s"); after != before {
		t.Errorf("the row was\n%s\nand is\n%s", before, after)
	}
	if n := ask[int](w, "select count(*) from save"); n != 1 {
		t.Errorf("%d saves", n)
	}
}
