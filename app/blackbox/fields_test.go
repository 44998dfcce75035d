package blackbox

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// Two instances that mint the same ids: the second session does not land on
// the first.
func TestFieldCreateIfAbsent(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	replay := []string{"HOLDFAST_TEST_SEAMS=1", "HOLDFAST_REPLAY=true"}
	a, b := w.ready(replay...), w.ready(replay...)
	session := a.create("first")
	before := ask[string](w, "select session::text from session")
	b.want(fault.StorageFailure, "create-session", `{"campaignId":"tiny","seed":"second"}`)
	if after := ask[string](w, "select session::text from session"); after != before {
		t.Errorf("session %s was %s and is %s", session, before, after)
	}
}

// The instances' clocks are a minute off, one behind and one ahead: what
// expires is decided by the database's.
func TestFieldClocks(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	off := func(by string) *instance {
		return w.ready("HOLDFAST_TEST_SEAMS=1", "HOLDFAST_CLOCK_OFFSET="+by, "HOLDFAST_PLAY_SESSION_TTL=30s", "HOLDFAST_SAVE_TTL=30s")
	}
	instances := []*instance{off("-60s"), off("60s")}
	for _, of1 := range instances {
		session := of1.create("clock")
		for _, i := range instances {
			i.submit(session, "fill")
			if left := ask[float64](w, "select extract(epoch from expires_at - now())::float8 from session where session_id = $1", session); left <= 0 || left > 30 {
				t.Errorf("%.1f s left of 30 after a write", left)
			}
		}
	}
	session := instances[0].create("over")
	w.exec("update session set expires_at = now() - interval '1 millisecond' where session_id = '" + session + "'")
	for _, i := range instances {
		i.want(fault.SessionExpired, "get-scene", of(session))
		i.want(fault.SessionExpired, "submit-action", act(session, "fill"))
	}
}

// A sweep every second on one instance while half of the sessions, at the end
// of their idle time, are written through another: the written ones live, the
// rest go.
func TestFieldSweepAgainstTouch(t *testing.T) {
	t.Parallel()
	const sessions, callers = 500, 8
	w := setUp(t)
	b := w.ready()
	w.ready("HOLDFAST_SWEEP_INTERVAL=1s", "HOLDFAST_SWEEP_BATCH=50", "HOLDFAST_RETENTION=3s", "HOLDFAST_REQUEST_TIMEOUT=300ms")
	w.exec(`insert into session (tenant_id, session_id, version, blob, audience, attempt_counter, replay_compatible,
			engine_version, engine_created_at, engine_updated_at, expires_at)
		select tenant_id, 'touch-'||n, version, blob, audience, attempt_counter, replay_compatible,
			engine_version, engine_created_at, engine_updated_at, now() + n * interval '12 milliseconds'
		from session, generate_series(1, ` + fmt.Sprint(sessions) + `) n where session_id = '` + b.create("touched") + `'`)

	var mu sync.Mutex
	written := map[string]bool{}
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			for n := 2 * (caller + 1); n <= sessions; n += 2 * callers {
				id := fmt.Sprintf("touch-%d", n)
				answer := b.post("submit-action", act(id, "fill"))
				switch code := answer.code(); {
				case answer.status == http.StatusOK:
					mu.Lock()
					written[id] = true
					mu.Unlock()
				case code != fault.SessionExpired && code != fault.UnknownSession && code != fault.ConcurrentModification:
					t.Errorf("a touch was answered %d %s", answer.status, answer.body)
				}
			}
		})
	}
	group.Wait()
	if len(written) == 0 {
		t.Fatal("no session was written before its time was up")
	}

	conn := w.connect()
	eventually(t, "the end of what was not written", func() bool {
		rows, err := conn.Query(context.Background(), "select session_id from session where session_id like 'touch-%'")
		must(t, err)
		left, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
		kept := 0
		for _, id := range left {
			if written[id] {
				kept++
			}
		}
		if kept != len(written) {
			t.Fatalf("%d of %d written sessions were swept", len(written)-kept, len(written))
		}
		return len(left) == len(written)
	})
	for id := range written {
		b.want("", "get-scene", of(id))
		break
	}
}
