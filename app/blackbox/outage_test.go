package blackbox

import (
	"net/http"
	"sync"
	"testing"

	"github.com/holdfast-dev/holdfast/api/client"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// poolOf is the pool of instances whose connections are counted.
const poolOf = 3

// connections counts an instance's connections to the store.
func (w *world) connections() int {
	w.Helper()
	return ask[int](w, "select count(*) from pg_stat_activity where application_name = 'holdfast' and datname = current_database()")
}

// serves holds an instance to being well again: every connection of its pool
// works, at once, and it has no more of them.
func (i *instance) serves(session string) {
	w := i.world
	w.Helper()
	i.becomesReady()
	var group sync.WaitGroup
	for range 2 * poolOf {
		group.Go(func() {
			if a := i.post("get-scene", of(session)); a.status != http.StatusOK {
				w.Errorf("after the outage: %d %s", a.status, a.body)
			}
		})
	}
	group.Wait()
	i.submit(session, "fill")
	eventually(w, "the end of connections from before", func() bool { return w.connections() <= poolOf })
}

func TestFieldStoppedDatabase(t *testing.T) {
	t.Parallel()
	w, server := setUpOwn(t)
	i := w.ready("HOLDFAST_DATABASE_POOL=3", "HOLDFAST_REQUEST_TIMEOUT=1s")
	session := i.create("stopped")
	must(t, server.Pause())
	resume := sync.OnceValue(server.Resume)
	t.Cleanup(func() { _ = resume() })

	if r := i.readiness(); r.Status != "not ready" || r.Checks.Store != "failed" {
		t.Errorf("readiness %+v of a stopped database", r)
	}
	if a := i.send(http.MethodGet, "/livez", ""); a.status != http.StatusOK {
		t.Errorf("/livez: %d", a.status)
	}
	// More callers than connections, who all get an answer.
	var group sync.WaitGroup
	for range 3 * poolOf {
		group.Go(func() {
			if a := i.post("submit-action", act(session, "fill")); a.code() != fault.StorageFailure {
				t.Errorf("an action without a database: %d %s", a.status, a.body)
			}
		})
	}
	group.Wait()
	i.want(fault.MalformedPayload, "submit-action", `{}x`)
	if a := i.send(http.MethodGet, "/livez", ""); a.status != http.StatusOK {
		t.Errorf("/livez: %d", a.status)
	}
	must(t, resume())
	i.serves(session)
}

// A database that is killed under an instance costs its callers 503s, and the
// instance nothing.
func TestKilledDatabase(t *testing.T) {
	t.Parallel()
	w, server := setUpOwn(t)
	i := w.ready("HOLDFAST_DATABASE_POOL=3")
	session := i.create("killed")
	before := w.version(session)
	must(t, server.Kill())
	i.notReady("store unreachable")
	must(t, server.Restart(t.Context()))
	i.becomesReady()
	if v := w.version(session); v != before {
		t.Errorf("version %d, was %d before the outage", v, before)
	}
	i.serves(session)
}

// A profile that cannot be read or written is a warning and never more, and
// is caught up by whoever comes back.
func TestProfileWarnings(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	i := w.ready()
	begin := func(seed string) string {
		return decode[client.StartedSession](t, i.want("", "create-session", `{"campaignId":"tiny","seed":"`+seed+`","profileId":"keeper of lights"}`)).SessionId
	}
	warned := func(r client.ActionResult) string {
		t.Helper()
		if len(r.Warnings) == 0 {
			return ""
		}
		if r.Warnings[0].MessageKey != "core.reason."+r.Warnings[0].Code {
			t.Errorf("warning %+v", r.Warnings[0])
		}
		return r.Warnings[0].Code
	}
	try := func(session, action string) client.ActionResult {
		t.Helper()
		return decode[client.ActionResult](t, i.want("", "submit-action", act(session, action)))
	}

	session := begin("1")
	if got := warned(try(session, "fill")); got != "" {
		t.Errorf("an action that reads no profile warns of %s", got)
	}
	if r := try(session, "boat"); r.Ok || warned(r) != "profile_missing" {
		t.Errorf("an action that reads a profile that is not there: %+v", r)
	}

	// Light the lamp while the achievement cannot be written.
	w.exec("alter table profile_achievement rename to away")
	lit := ""
	for seed := 'a'; lit == ""; seed++ {
		session := begin(string(seed))
		i.submit(session, "fill")
		i.submit(session, "climb")
		r := i.submit(session, "strike")
		if r.Scene.Status == client.Ended {
			lit = session
			if got := warned(r); got != "profile_corrupt" && got != "profile_write_failed" {
				t.Errorf("an achievement that cannot be written warns of %q", got)
			}
		}
	}
	w.exec("alter table away rename to profile_achievement")
	if n := ask[int](w, "select count(*) from profile_achievement"); n != 0 {
		t.Fatalf("%d achievements", n)
	}
	i.want("", "resume-session", of(lit))
	if got := ask[string](w, "select string_agg(achievement_id, ',') from profile_achievement"); got != "first-light" {
		t.Errorf("after resume-session the profile has %q", got)
	}

	w.exec("update profile set format_version = 2")
	session = begin("2")
	if r := try(session, "boat"); r.Ok || warned(r) != "profile_corrupt" {
		t.Errorf("a profile of an unknown format: %+v", r)
	}
	w.exec("update profile set format_version = 1")
	if r := try(session, "boat"); !r.Ok || warned(r) != "" {
		t.Errorf("with the achievement: %+v", r)
	}
}
