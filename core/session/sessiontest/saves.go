package sessiontest

import (
	"context"
	"errors"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

// saves runs one call on the saves of a store, in an operation of its own.
func saves(s session.Store, call func(session.Saves) error) error {
	l := s.Layer()
	defer l.Close()
	return call(l.Saves())
}

func putSave(t T, s session.Store, v session.Save) {
	t.Helper()
	if err := saves(s, func(p session.Saves) error { return p.Put(t.Context(), v) }); err != nil {
		t.Fatalf("put save %q: %v", v.SaveID, err)
	}
}

func getSave(ctx context.Context, s session.Store, id string) (v session.Save, err error) {
	err = saves(s, func(p session.Saves) error {
		v, err = p.Get(ctx, id)
		return err
	})
	return v, err
}

func deleteSave(t T, s session.Store, id string) {
	t.Helper()
	if err := saves(s, func(p session.Saves) error { return p.Delete(t.Context(), id) }); err != nil {
		t.Errorf("delete save %q: %v", id, err)
	}
}

func wantSave(t T, env Env, want session.Save) {
	t.Helper()
	got, err := getSave(t.Context(), env.Peer, want.SaveID)
	if err != nil {
		t.Fatalf("get save %q: %v", want.SaveID, err)
	}
	if got != want {
		t.Errorf("stored save %q is not the one that was put", want.SaveID)
	}
}

func wantNoSave(t T, s session.Store, id string) {
	t.Helper()
	if _, err := getSave(t.Context(), s, id); !errors.Is(err, session.ErrAbsent) {
		t.Errorf("get save %q: error %v, want %v", id, err, session.ErrAbsent)
	}
}

var saveCases = []Case{
	{Name: "save/round trip", Run: func(t T, env Env) {
		putSave(t, env.Store, save("v1"))
		wantSave(t, env, save("v1"))
		zero := session.Save{SaveID: "v2", Audience: session.Player}
		putSave(t, env.Store, zero)
		wantSave(t, env, zero)
	}},
	{Name: "save/texts byte for byte", Run: func(t T, env Env) {
		for name, text := range oddTexts {
			v := save("blob " + name)
			v.Blob = text
			putSave(t, env.Store, v)
			wantSave(t, env, v)
		}
		for _, text := range oddInstants {
			v := save("at " + text)
			v.CreatedAt, v.CampaignID = text, text+" "
			putSave(t, env.Store, v)
			wantSave(t, env, v)
		}
	}},
	{Name: "save/unknown is absent", Run: func(t T, env Env) {
		putSave(t, env.Store, save("v1"))
		insert(t, env.Store, record("s1")) // an id of a session is none of a save
		for _, id := range []string{"v2", "", "V1", "v1 ", "s1"} {
			wantNoSave(t, env.Store, id)
		}
	}},
	{Name: "save/expired is absent", Needs: []Ability{Expiring}, Run: func(t T, env Env) {
		putSave(t, env.Store, save("v1"))
		putSave(t, env.Store, save("v2"))
		env.Saves.Age("v1", env.SaveTTL+hour)
		wantNoSave(t, env.Store, "v1")
		wantNoSave(t, env.Peer, "v1")
		wantSave(t, env, save("v2"))
	}},
	{Name: "save/put again replaces it whole", Run: func(t T, env Env) {
		putSave(t, env.Store, save("v1"))
		putSave(t, env.Store, save("v2"))
		want := session.Save{
			SaveID: "v1", Blob: "{}", CampaignID: "other", Audience: session.Player, EngineVersion: "other@2",
			SavedAtSeq: 1 << 60, CreatedAt: "c",
		}
		putSave(t, env.Peer, want)
		wantSave(t, env, want)
		wantSave(t, env, save("v2"))
	}},
	{Name: "save/put again gives it its whole life", Needs: []Ability{Expiring}, Run: func(t T, env Env) {
		putSave(t, env.Store, save("v1"))
		wantFullLife(t, env.Saves, "v1", env.SaveTTL)
		env.Saves.Age("v1", hour)
		wantSave(t, env, save("v1"))
		wantAged(t, env.Saves, "v1", env.SaveTTL)
		putSave(t, env.Store, save("v1"))
		wantFullLife(t, env.Saves, "v1", env.SaveTTL)

		env.Saves.Age("v1", env.SaveTTL+hour)
		putSave(t, env.Store, save("v1"))
		wantSave(t, env, save("v1"))
	}},
	{Name: "save/delete", Run: func(t T, env Env) {
		putSave(t, env.Store, save("v1"))
		putSave(t, env.Store, save("v2"))
		deleteSave(t, env.Store, "v1")
		wantNoSave(t, env.Peer, "v1")
		deleteSave(t, env.Peer, "v1")
		deleteSave(t, env.Store, "never there")
		wantSave(t, env, save("v2"))
	}},
	{Name: "save/what cannot be stored changes nothing", Run: func(t T, env Env) {
		putSave(t, env.Store, save("v1"))
		for _, id := range []string{"v1", "v2"} {
			for _, spoil := range []func(*session.Save){
				func(v *session.Save) { v.Audience = "spectator" },
				func(v *session.Save) { v.Blob = "a\x00b" },
				func(v *session.Save) { v.CampaignID = "a\xffb" },
			} {
				bad := save(id)
				spoil(&bad)
				err := saves(env.Store, func(p session.Saves) error { return p.Put(t.Context(), bad) })
				wantFailure(t, err, fault.StatementFailed)
			}
		}
		wantSave(t, env, save("v1"))
		wantNoSave(t, env.Peer, "v2")
	}},
	{Name: "save/a caller that gave up", Run: func(t T, env Env) {
		putSave(t, env.Store, save("v1"))
		_, err := getSave(cancelled(t), env.Store, "v1")
		wantCancelled(t, err)
		wantCancelled(t, saves(env.Store, func(p session.Saves) error { return p.Put(cancelled(t), save("v2")) }))
		wantCancelled(t, saves(env.Store, func(p session.Saves) error { return p.Delete(cancelled(t), "v1") }))
		wantSave(t, env, save("v1"))
		wantNoSave(t, env.Peer, "v2")
	}},
}
