package blackbox

import (
	"context"
	"fmt"
	"net"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// locked holds a session's row, so that writes of it wait, until the returned
// function is called.
func (w *world) locked(sessionID string) (release func()) {
	w.Helper()
	conn := w.connect()
	_, err := conn.Exec(context.Background(), "begin")
	must(w, err)
	tag, err := conn.Exec(context.Background(), "select from session where session_id = $1 for update", sessionID)
	must(w, err)
	if tag.RowsAffected() != 1 {
		w.Fatal("there is no such row to lock")
	}
	return func() {
		w.Helper()
		_, err := conn.Exec(context.Background(), "rollback", pgx.QueryExecModeSimpleProtocol)
		must(w, err)
	}
}

// waiting counts the statements that wait for the lock of a row in the
// world's schema.
func (w *world) waiting() int {
	w.Helper()
	return ask[int](w, `select count(*) from pg_stat_activity a where wait_event_type = 'Lock'
		and exists (select from pg_locks l where l.pid = a.pid and l.relation = to_regclass('session'))`)
}

// submitRaw sends a submit-action and leaves the answer to the caller.
func (i *instance) submitRaw(request, etag string) net.Conn {
	i.world.Helper()
	conn := i.dial()
	_, err := fmt.Fprintf(conn, "POST /v1/submit-action HTTP/1.1\r\nHost: holdfast\r\nContent-Type: application/json\r\nIf-Match: %s\r\nContent-Length: %d\r\n\r\n%s", etag, len(request), request)
	must(i.world, err)
	return conn
}

// An action whose answer was lost is sent again under the same If-Match, and
// applied once, whether the first landed or not.
func TestFieldLostAnswer(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	a, b := w.ready(), w.ready()

	t.Run("it landed", func(t *testing.T) {
		w, a, b := w.in(t), a.in(t), b.in(t)
		session := a.create("landed")
		etag := a.want("", "get-scene", of(session)).etag()
		conn := a.submitRaw(act(session, "fill"), etag)
		eventually(t, "the write", func() bool { return w.version(session) == 2 })
		must(t, conn.Close())
		b.want(fault.ConcurrentModification, "submit-action", act(session, "fill"), "If-Match", etag)
		if v := w.version(session); v != 2 {
			t.Errorf("version %d: it was applied %d times", v, v-1)
		}
	})
	t.Run("cut while it waits", func(t *testing.T) {
		w, a, b := w.in(t), a.in(t), b.in(t)
		session := a.create("cut")
		etag := a.want("", "get-scene", of(session)).etag()
		release := w.locked(session)
		conn := a.submitRaw(act(session, "fill"), etag)
		eventually(t, "the write that waits", func() bool { return w.waiting() == 1 })
		must(t, conn.Close())
		// The service gives the statement up when it notices.
		eventually(t, "the end of the write", func() bool { return w.waiting() == 0 })
		release()
		if v := w.version(session); v != 1 {
			t.Errorf("version %d of a session whose only write was given up", v)
		}
		b.want("", "submit-action", act(session, "fill"), "If-Match", etag)
		if v := w.version(session); v != 2 {
			t.Errorf("version %d: it was applied %d times", v, v-1)
		}
	})
	t.Run("the instance killed while it waits", func(t *testing.T) {
		w, b := w.in(t), b.in(t)
		victim := w.ready()
		session := b.create("killed")
		etag := b.want("", "get-scene", of(session)).etag()
		release := w.locked(session)
		victim.submitRaw(act(session, "fill"), etag)
		eventually(t, "the write that waits", func() bool { return w.waiting() == 1 })
		victim.kill(t)
		release()
		eventually(t, "the end of the write", func() bool { return w.waiting() == 0 })
		// The statement may land or not; either way it counts once.
		again := b.post("submit-action", act(session, "fill"), "If-Match", etag)
		if again.status != 200 && again.code() != fault.ConcurrentModification {
			t.Errorf("sent again: %d %s", again.status, again.body)
		}
		if v := w.version(session); v != 2 {
			t.Errorf("version %d: it was applied %d times", v, v-1)
		}
	})
}
