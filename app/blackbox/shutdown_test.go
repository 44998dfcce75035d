package blackbox

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-dev/holdfast/api/client"
)

// An instance that is asked to stop is not ready at once, serves what still
// arrives for a while, answers what is in flight, and exits with 0.
func TestShutdown(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	// The drain is long enough to be watched and a request may take longer.
	i := w.ready("HOLDFAST_SHUTDOWN_TIMEOUT=20s", "HOLDFAST_REQUEST_TIMEOUT=60s")
	session := i.create("shutdown")
	etag := i.want("", "get-scene", of(session)).etag()
	release := w.locked(session)
	inFlight := i.submitRaw(act(session, "fill"), etag)
	eventually(t, "the request in flight", func() bool { return w.waiting() == 1 })

	i.terminate(t)
	eventually(t, "not ready", func() bool { return i.readiness().Status == "not ready" })
	if r := i.readiness(); r.Detail != "draining" || r.Checks.Store != "ok" {
		t.Errorf("readiness %+v while it drains", r)
	}
	if a := i.send(http.MethodGet, "/livez", ""); a.status != http.StatusOK {
		t.Errorf("/livez while it drains: %d %s", a.status, a.body)
	}
	i.want("", "get-scene", of(session))
	// The listener closes at the end of the drain, and the process waits on.
	eventually(t, "the end of the drain", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(i.url, "http://"))
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	select {
	case <-i.exited:
		t.Fatal("it did not wait for the request in flight")
	default:
	}
	release()
	a := i.answerOn(inFlight, "/v1/submit-action")
	if a.status != http.StatusOK || !decode[client.ActionResult](t, a).Ok {
		t.Errorf("the request in flight was answered %d %s", a.status, a.body)
	}
	if code := i.wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if v := w.version(session); v != 2 {
		t.Errorf("version %d after the answered action", v)
	}
	if n := ask[int](w, "select count(*) from pg_stat_activity where application_name = 'holdfast' and query like '%'||$1||'%'", session); n != 0 {
		t.Errorf("%d connections are left", n)
	}
}

// A request that does not end cannot keep a process from stopping.
func TestShutdownIsBounded(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	i := w.ready("HOLDFAST_SHUTDOWN_TIMEOUT=1s", "HOLDFAST_REQUEST_TIMEOUT=60s")
	session := i.create("bounded")
	etag := i.want("", "get-scene", of(session)).etag()
	release := w.locked(session)
	i.submitRaw(act(session, "fill"), etag)
	eventually(t, "the request in flight", func() bool { return w.waiting() == 1 })
	i.terminate(t)
	if code := i.wait(t); code == 0 {
		t.Error("exit code 0, though a request was cut off")
	}
	release()
}

// In memory, where nothing has to drain, an interrupt ends it cleanly as well.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	i := w.watch(start(t, []string{"HOLDFAST_STORAGE=in-memory", "HOLDFAST_LISTEN=127.0.0.1:0", "HOLDFAST_INTERNAL_LISTEN=127.0.0.1:0", "HOLDFAST_SHUTDOWN_TIMEOUT=1s"}, "serve"))
	i.connect(i.listening("public"))
	i.create("interrupt")
	i.interrupt(t)
	if code := i.wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if len(i.out.all()) != 0 {
		t.Errorf("standard output holds %q; logs belong to standard error", i.out.all())
	}
}
