package sessiontest

import (
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

var sessionCases = []Case{
	{Name: "session/round trip", Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		wantStored(t, env, record("s1"), 1)
	}},
	{Name: "session/zero values round trip", Run: func(t T, env Env) {
		want := session.Record{SessionID: "s1", Audience: session.Player}
		insert(t, env.Store, want)
		wantStored(t, env, want, 1)
	}},
	{Name: "session/blob byte for byte", Run: func(t T, env Env) {
		for name, text := range oddTexts {
			r := record("new " + name)
			r.Blob = text
			insert(t, env.Store, r)
			wantStored(t, env, r, 1)

			insert(t, env.Store, record("updated "+name))
			l := env.Store.Layer()
			u, _ := readIn(t, l, "updated "+name)
			u.Blob = text
			write(t, l, u)
			l.Close()
			wantStored(t, env, u, 2)
		}
	}},
	{Name: "session/engine texts verbatim", Run: func(t T, env Env) {
		for _, text := range oddInstants {
			r := record("at " + text)
			r.CreatedAt, r.UpdatedAt, r.EngineVersion = text, text+" ", text+"@"
			insert(t, env.Store, r)
			wantStored(t, env, r, 1)
		}
	}},
	{Name: "session/every field is written again", Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		want := session.Record{
			SessionID: "s1", Blob: "{}", Audience: session.Player, AttemptCounter: 1 << 60, ReplayCompatible: false,
			CreatedAt: "c", UpdatedAt: "u", ProfileID: "profile-2", EngineVersion: "other@2",
		}
		l := env.Store.Layer()
		readIn(t, l, "s1")
		write(t, l, want)
		l.Close()
		wantStored(t, env, want, 2)
	}},
	{Name: "session/no profile is not an odd profile", Run: func(t T, env Env) {
		for i, profile := range []string{"", "null", " ", "NULL", ""} {
			if i == 0 {
				r := record("s1")
				r.ProfileID = profile
				insert(t, env.Store, r)
			} else {
				l := env.Store.Layer()
				r, _ := readIn(t, l, "s1")
				r.ProfileID = profile
				write(t, l, r)
				l.Close()
			}
			if got, _ := read(t, env.Peer, "s1"); got.ProfileID != profile {
				t.Errorf("profile id %q, want %q", got.ProfileID, profile)
			}
		}
	}},
	{Name: "session/unknown is absent", Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		for _, id := range []string{"s2", "", "S1", "s1 ", " s1", "s1%", "s_", "ｓ1"} {
			wantAbsent(t, env.Store, id)
		}
	}},
	{Name: "session/expired is absent", Needs: []Ability{Expiring}, Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		insert(t, env.Store, record("s2"))
		env.Sessions.Age("s1", env.SessionTTL+hour)
		wantAbsent(t, env.Store, "s1")
		wantAbsent(t, env.Peer, "s1")
		wantStored(t, env, record("s2"), 1)
	}},
	{Name: "session/insert of a stored id collides", Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		other := session.Record{SessionID: "s1", Blob: "{}", Audience: session.Player}
		l := env.Peer.Layer()
		_, err := l.Sessions().Put(t.Context(), other)
		l.Close()
		wantFailure(t, err, fault.IDCollision)
		wantStored(t, env, record("s1"), 1)
	}},
	{Name: "session/insert of an expired id collides", Needs: []Ability{Expiring, Probing}, Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		env.Sessions.Age("s1", env.SessionTTL+hour)
		l := env.Peer.Layer()
		_, _, err := l.Sessions().Get(t.Context(), "s1") // a read that found nothing guards nothing
		if err == nil {
			t.Errorf("an expired session was read")
		}
		_, err = l.Sessions().Put(t.Context(), record("s1"))
		l.Close()
		wantFailure(t, err, fault.IDCollision)
		wantPresence(t, env.Store.Lifecycle().Session, "s1", session.Expired)
	}},
	{Name: "session/what cannot be stored changes nothing", Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		for _, spoil := range []func(*session.Record){
			func(r *session.Record) { r.Audience = "spectator" },
			func(r *session.Record) { r.Audience = "" },
			func(r *session.Record) { r.Blob = "a\x00b" },
			func(r *session.Record) { r.Blob = "a\xffb" },
			func(r *session.Record) { r.UpdatedAt = "\x00" },
		} {
			bad := record("s2")
			spoil(&bad)
			l := env.Store.Layer()
			_, err := l.Sessions().Put(t.Context(), bad)
			l.Close()
			wantFailure(t, err, fault.StatementFailed)
			wantAbsent(t, env.Peer, "s2")

			l = env.Store.Layer()
			bad, _ = readIn(t, l, "s1")
			spoil(&bad)
			_, err = l.Sessions().Put(t.Context(), bad)
			l.Close()
			wantFailure(t, err, fault.StatementFailed)
			wantStored(t, env, record("s1"), 1)
		}
	}},
	{Name: "session/a caller that gave up", Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		l := env.Store.Layer()
		_, _, err := l.Sessions().Get(cancelled(t), "s1")
		wantCancelled(t, err)
		_, err = l.Sessions().Put(cancelled(t), record("s2"))
		wantCancelled(t, err)
		r, _ := readIn(t, l, "s1")
		r.Blob = "{}"
		_, err = l.Sessions().Put(cancelled(t), r)
		wantCancelled(t, err)
		l.Close()
		wantAbsent(t, env.Peer, "s2")
		wantStored(t, env, record("s1"), 1)
	}},
}
