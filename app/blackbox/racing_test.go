package blackbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/holdfast-dev/holdfast/api/client"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// attempt is one submit-action of a caller that races others.
type attempt struct {
	answer
	ok bool
}

// race lets callers submit at once, in turn through the instances, and
// returns what each was answered.
func race(w *world, instances []*instance, callers, each int, request func(caller int) string, headers ...string) []attempt {
	w.Helper()
	all := make([]attempt, callers*each)
	begin := make(chan struct{})
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			<-begin
			for n := range each {
				a := instances[(caller+n)%len(instances)].post("submit-action", request(caller), headers...)
				all[caller*each+n] = attempt{a, a.status == http.StatusOK && decode[client.ActionResult](w, a).Ok}
			}
		})
	}
	close(begin)
	group.Wait()
	return all
}

// accepted counts the writes that were acknowledged; whoever did not get one
// was told that another was faster.
func accepted(w *world, all []attempt) (n int64) {
	w.Helper()
	for _, a := range all {
		switch {
		case a.ok:
			n++
		case a.code() != fault.ConcurrentModification:
			w.Errorf("a racing action was answered %d %s", a.status, a.body)
		}
	}
	return n
}

// Of 32 callers on one session through two processes, exactly those that were
// told so have written.
func TestRacesOnOneSession(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	instances := []*instance{w.ready(), w.ready()}
	session := instances[0].create("race")
	n := accepted(w, race(w, instances, 32, 10, func(int) string { return act(session, "fill") }))
	if n == 0 {
		t.Error("none of the racing actions was accepted")
	}
	if v := w.version(session); v != 1+n {
		t.Errorf("version %d after %d accepted actions on version 1", v, n)
	}
	if turn := ask[int64](w, "select (blob::json->>'turn')::bigint from session"); turn != n {
		t.Errorf("the game stands at turn %d after %d accepted actions", turn, n)
	}
	if counted := ask[int64](w, "select attempt_counter from session"); counted != n {
		t.Errorf("the attempt counter is %d after %d accepted actions", counted, n)
	}
}

// Callers with a session each do not get into one another's way.
func TestRacesOnOwnSessions(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	instances := []*instance{w.ready(), w.ready()}
	sessions := make([]string, 32)
	for n := range sessions {
		sessions[n] = instances[0].create(fmt.Sprint("own ", n))
	}
	all := race(w, instances, 32, 5, func(caller int) string { return act(sessions[caller], "fill") })
	if n := accepted(w, all); n != 32*5 {
		t.Errorf("%d of %d actions were accepted", n, 32*5)
	}
	if wrong := ask[int](w, "select count(*) from session where version <> 6"); wrong != 0 {
		t.Errorf("%d sessions are not at version 6", wrong)
	}
}

// Of two that have both read the session, exactly one lands, within one
// instance and across two; the other has left no trace.
func TestTwoCallersMeet(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	a, b := w.ready(), w.ready()
	for name, instances := range map[string][]*instance{"one instance": {a, a}, "two instances": {a, b}} {
		t.Run(name, func(t *testing.T) {
			w, a := w.in(t), a.in(t)
			session := a.create(name)
			release := w.locked(session)
			var all []attempt
			done := make(chan struct{})
			go func() {
				defer close(done)
				all = race(w, instances, 2, 1, func(caller int) string { return act(session, []string{"fill", "leave"}[caller]) })
			}()
			eventually(t, "two that wait to write", func() bool { return w.waiting() == 2 })
			release()
			<-done
			if accepted(w, all) != 1 {
				t.Fatalf("answers %d %d, want one 200 and one 409", all[0].status, all[1].status)
			}
			winner, loser := all[0], all[1]
			if loser.ok {
				winner, loser = loser, winner
			}
			stored := decode[client.Scene](t, a.want("", "get-scene", of(session)))
			same(t, "the stored scene", stored, *decode[client.ActionResult](t, winner.answer).Scene)
			if v := w.version(session); v != 2 || w.rows() > 2 {
				t.Errorf("version %d after one accepted action, %d rows", v, w.rows())
			}
			if line := lostRace(instances, loser.header.Get("X-Correlation-Id")); line.Why != "other_version" {
				t.Errorf("the log says of it: %+v", line)
			}
		})
	}
}

// lostRace waits for what the log of one of the instances says of a request
// that lost its race.
func lostRace(instances []*instance, correlation string) (line logLine) {
	eventually(instances[0].world, "the log line of the lost race", func() bool {
		for _, i := range instances {
			for _, text := range i.err.all() {
				line = logLine{}
				if json.Unmarshal([]byte(text), &line) == nil && line.Correlation == correlation && line.Message == "a write lost its race" {
					return true
				}
			}
		}
		return false
	})
	return line
}

func TestFieldRacingWriters(t *testing.T) {
	t.Parallel()
	w := setUp(t)
	instances := []*instance{w.ready(), w.ready()}
	session := instances[0].create("writers")

	all := race(w, instances, 25, 1, func(int) string { return act(session, "fill") })
	n := accepted(w, all)
	if v := w.version(session); n == 0 || v != 1+n {
		t.Errorf("version %d after %d accepted actions on version 1", v, n)
	}
	now := instances[1].want("", "get-scene", of(session))
	lastWins := false
	for _, a := range all {
		if a.ok && a.etag() == now.etag() {
			lastWins = true
			same(t, "the stored scene", decode[client.Scene](t, now), *decode[client.ActionResult](t, a.answer).Scene)
		}
	}
	if !lastWins {
		t.Error("the stored state is no winner's")
	}

	all = race(w, instances, 25, 1, func(int) string { return act(session, "fill") }, "If-Match", now.etag())
	if got := accepted(w, all); got != 1 {
		t.Errorf("%d of 25 were accepted on one ETag", got)
	}
	if v := w.version(session); v != 2+n {
		t.Errorf("version %d after %d accepted actions on version 1", v, n+1)
	}
}
