package blackbox

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// The internal listener counts what happened, by name, and shows nothing of
// what callers sent or were given.
func TestMetrics(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	i := w.ready()
	session := i.create("counted")
	i.submit(session, "fill")
	i.want(fault.ConcurrentModification, "submit-action", act(session, "fill"), "If-Match", `"other"`)
	i.want(fault.UnknownSession, "get-scene", of(strings.Repeat("ab", 16)))
	i.want(fault.UnknownOperation, "plugh-xyzzy", `{}`)
	w.secret("plugh-xyzzy")

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+i.listening("internal")+"/metrics", nil)
	must(t, err)
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	must(t, err)
	if want := `holdfast_play_session_conflicts_total{why="precondition"} 1`; !strings.Contains(string(body), want) {
		t.Errorf("no %s in\n%s", want, body)
	}
	if s := w.leaked(string(body)); s != "" {
		t.Errorf("the metrics hold %q", s)
	}
}
