package sessiontest

import (
	"context"

	"github.com/holdfast-dev/holdfast/core/session"
)

type probe func(ctx context.Context, id string) (session.Presence, error)

func wantPresence(t T, ask probe, id string, want session.Presence) {
	t.Helper()
	got, err := ask(t.Context(), id)
	if err != nil {
		t.Fatalf("probe %q: %v", id, err)
	}
	if got != want {
		t.Errorf("probe says that %q is %q, want %q", id, got, want)
	}
}

var lifecycleCases = []Case{
	{Name: "lifecycle/sessions", Needs: []Ability{Probing, Expiring}, Run: func(t T, env Env) {
		ask := env.Peer.Lifecycle().Session
		wantPresence(t, ask, "s1", session.Absent)
		insert(t, env.Store, record("s1"))
		wantPresence(t, ask, "s1", session.Live)
		wantPresence(t, ask, "S1", session.Absent)
		env.Sessions.Age("s1", env.SessionTTL+hour)
		wantPresence(t, ask, "s1", session.Expired)
		env.RemoveSession("s1")
		wantPresence(t, ask, "s1", session.Absent)
		putSave(t, env.Store, save("v1"))
		wantPresence(t, ask, "v1", session.Absent)
	}},
	{Name: "lifecycle/saves", Needs: []Ability{Probing, Expiring}, Run: func(t T, env Env) {
		ask := env.Peer.Lifecycle().Save
		wantPresence(t, ask, "v1", session.Absent)
		putSave(t, env.Store, save("v1"))
		wantPresence(t, ask, "v1", session.Live)
		wantPresence(t, ask, "V1", session.Absent)
		env.Saves.Age("v1", env.SaveTTL+hour)
		wantPresence(t, ask, "v1", session.Expired)
		deleteSave(t, env.Store, "v1")
		wantPresence(t, ask, "v1", session.Absent)
		insert(t, env.Store, record("s1"))
		wantPresence(t, ask, "s1", session.Absent)
	}},
	{Name: "lifecycle/asking changes nothing", Needs: []Ability{Probing, Expiring}, Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		putSave(t, env.Store, save("v1"))
		env.Sessions.Age("s1", hour)
		env.Saves.Age("v1", hour)
		wantPresence(t, env.Store.Lifecycle().Session, "s1", session.Live)
		wantPresence(t, env.Store.Lifecycle().Save, "v1", session.Live)
		wantAged(t, env.Sessions, "s1", env.SessionTTL)
		wantAged(t, env.Saves, "v1", env.SaveTTL)
		wantStored(t, env, record("s1"), 1)
		wantSave(t, env, save("v1"))
	}},
	{Name: "lifecycle/a failure is no answer", Needs: []Ability{Probing}, Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		for _, ask := range []probe{env.Store.Lifecycle().Session, env.Store.Lifecycle().Save} {
			got, err := ask(cancelled(t), "s1")
			wantCancelled(t, err)
			if got != "" {
				t.Errorf("a probe that failed says %q", got)
			}
		}
	}},
}
