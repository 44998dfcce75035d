package sessiontest

import (
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

var guardCases = []Case{
	{Name: "guard/versions grow by one", Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		for want := session.Version(2); want <= 4; want++ {
			l := env.Store.Layer()
			r, before := readIn(t, l, "s1")
			if before != want-1 {
				t.Errorf("read version %d, want %d", before, want-1)
			}
			if got := write(t, l, r); got != want {
				t.Errorf("written version %d, want %d", got, want)
			}
			l.Close()
		}
	}},
	{Name: "guard/a layer goes on from its own write", Run: func(t T, env Env) {
		l := env.Store.Layer()
		write(t, l, record("s1"))
		for want := session.Version(2); want <= 3; want++ {
			if got := write(t, l, record("s1")); got != want {
				t.Errorf("written version %d, want %d", got, want)
			}
		}
		l.Close()
		wantStored(t, env, record("s1"), 3)
	}},
	{Name: "guard/one layer, two sessions", Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		insert(t, env.Store, record("s2"))
		l := env.Store.Layer()
		readIn(t, l, "s1")
		write(t, l, record("s1"))
		readIn(t, l, "s2")
		if got := write(t, l, record("s1")); got != 3 {
			t.Errorf("first session has version %d, want 3", got)
		}
		if got := write(t, l, record("s2")); got != 2 {
			t.Errorf("second session has version %d, want 2", got)
		}
		l.Close()
	}},
	{Name: "guard/the slower write loses and leaves nothing", Needs: []Ability{Racing}, Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		slow := env.Store.Layer()
		defer slow.Close()
		lost, _ := readIn(t, slow, "s1")

		fast := env.Peer.Layer()
		won, _ := readIn(t, fast, "s1")
		won.Blob, won.AttemptCounter = `{"room":"won"}`, 42
		write(t, fast, won)
		fast.Close()
		env.Sessions.Age("s1", hour)

		lost.Blob, lost.AttemptCounter, lost.UpdatedAt = `{"room":"lost"}`, 43, "later"
		for range 2 { // a second try of the same layer is as stale
			_, err := slow.Sessions().Put(t.Context(), lost)
			wantConflict(t, err, session.WhyOvertaken)
			wantStored(t, env, won, 2)
			wantAged(t, env.Sessions, "s1", env.SessionTTL)
		}
	}},
	{Name: "guard/an expired session is not brought back", Needs: []Ability{Expiring, Probing}, Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		l := env.Store.Layer()
		defer l.Close()
		r, _ := readIn(t, l, "s1")
		env.Sessions.Age("s1", env.SessionTTL+hour)
		_, err := l.Sessions().Put(t.Context(), r)
		wantConflict(t, err, session.WhyExpired)
		wantAbsent(t, env.Peer, "s1")
		wantPresence(t, env.Peer.Lifecycle().Session, "s1", session.Expired)
	}},
	{Name: "guard/overtaken counts before expired", Needs: []Ability{Expiring, Racing}, Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		l := env.Store.Layer()
		defer l.Close()
		r, _ := readIn(t, l, "s1")
		other := env.Peer.Layer()
		readIn(t, other, "s1")
		write(t, other, r)
		other.Close()
		env.Sessions.Age("s1", env.SessionTTL+hour)
		_, err := l.Sessions().Put(t.Context(), r)
		wantConflict(t, err, session.WhyOvertaken)
	}},
	{Name: "guard/a removed session is not brought back", Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		l := env.Store.Layer()
		r, _ := readIn(t, l, "s1")
		env.RemoveSession("s1")
		_, err := l.Sessions().Put(t.Context(), r)
		l.Close()
		wantConflict(t, err, session.WhyGone)
		wantAbsent(t, env.Peer, "s1")
	}},
	{Name: "guard/a write refreshes the expiry, a read does not", Needs: []Ability{Expiring}, Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		wantFullLife(t, env.Sessions, "s1", env.SessionTTL)
		env.Sessions.Age("s1", hour)
		l := env.Store.Layer()
		defer l.Close()
		r, _ := readIn(t, l, "s1")
		wantAged(t, env.Sessions, "s1", env.SessionTTL)
		write(t, l, r)
		wantFullLife(t, env.Sessions, "s1", env.SessionTTL)
	}},
	{Name: "guard/layers share no versions", Needs: []Ability{Racing}, Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		reader := env.Store.Layer()
		defer reader.Close()
		readIn(t, reader, "s1")
		stranger := env.Store.Layer()
		defer stranger.Close()
		_, err := stranger.Sessions().Put(t.Context(), record("s1"))
		wantFailure(t, err, fault.IDCollision)
		wantStored(t, env, record("s1"), 1)
	}},
	{Name: "guard/a closed layer writes nothing", Needs: []Ability{Racing}, Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		l := env.Store.Layer()
		r, _ := readIn(t, l, "s1")
		l.Close()
		r.Blob = "{}"
		if _, err := l.Sessions().Put(t.Context(), r); err == nil {
			t.Errorf("a write of a closed layer landed")
		}
		wantStored(t, env, record("s1"), 1)
	}},
	{Name: "guard/reads see the other instance's writes", Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		for i := range int64(3) {
			read(t, env.Store, "s1")
			l := env.Peer.Layer()
			r, _ := readIn(t, l, "s1")
			r.AttemptCounter = i
			write(t, l, r)
			l.Close()
			if got, _ := read(t, env.Store, "s1"); got.AttemptCounter != i {
				t.Errorf("read %d, want %d, which the other instance wrote", got.AttemptCounter, i)
			}
		}
	}},
}
