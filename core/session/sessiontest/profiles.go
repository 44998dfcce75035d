package sessiontest

import (
	"errors"
	"fmt"
	"maps"

	"github.com/holdfast-dev/holdfast/core/session"
)

func achievement(name string, i int) string { return fmt.Sprintf("%s-%02d", name, i) }

func saveProfile(t T, s session.Store, id string, achievements ...string) {
	t.Helper()
	p := session.Profile{ProfileID: id, Achievements: map[string]bool{}}
	for _, a := range achievements {
		p.Achievements[a] = true
	}
	if err := s.Profiles().Save(t.Context(), p); err != nil {
		t.Fatalf("save profile %q: %v", id, err)
	}
}

func wantProfile(t T, s session.Store, id string, want map[string]bool) {
	t.Helper()
	p, err := s.Profiles().Load(t.Context(), id)
	if err != nil {
		t.Fatalf("load profile %q: %v", id, err)
	}
	if p.ProfileID != id || !maps.Equal(p.Achievements, want) {
		t.Errorf("profile %q has %v, want %q with %v", p.ProfileID, p.Achievements, id, want)
	}
}

// wantOutcome checks which of the three outcomes loading a profile has.
func wantOutcome(t T, err, want error) {
	t.Helper()
	for _, outcome := range []error{session.ErrProfileMissing, session.ErrProfileCorrupt} {
		if errors.Is(err, outcome) != (outcome == want) {
			t.Errorf("load: error %v, want %v", err, want)
		}
	}
}

var profileCases = []Case{
	{Name: "profile/missing", Run: func(t T, env Env) {
		saveProfile(t, env.Store, "p1", "lamp")
		for _, id := range []string{"p2", "", "P1", "p1 "} {
			_, err := env.Store.Profiles().Load(t.Context(), id)
			wantOutcome(t, err, session.ErrProfileMissing)
		}
	}},
	{Name: "profile/the first save creates it", Run: func(t T, env Env) {
		saveProfile(t, env.Store, "p1", "lamp", "stairs")
		wantProfile(t, env.Peer, "p1", map[string]bool{"lamp": true, "stairs": true})
	}},
	{Name: "profile/without achievements it is there", Run: func(t T, env Env) {
		saveProfile(t, env.Store, "p1")
		wantProfile(t, env.Peer, "p1", map[string]bool{})
	}},
	{Name: "profile/what was not earned is not kept", Run: func(t T, env Env) {
		p := session.Profile{ProfileID: "p1", Achievements: map[string]bool{"lamp": true, "stairs": false}}
		if err := env.Store.Profiles().Save(t.Context(), p); err != nil {
			t.Fatalf("save: %v", err)
		}
		wantProfile(t, env.Peer, "p1", map[string]bool{"lamp": true})
	}},
	{Name: "profile/odd texts", Run: func(t T, env Env) {
		want := map[string]bool{}
		for name, text := range oddTexts {
			if name == "1 MiB" {
				continue // longer than a key may be
			}
			want[text] = true
		}
		if err := env.Store.Profiles().Save(t.Context(), session.Profile{ProfileID: "p é {},\"", Achievements: want}); err != nil {
			t.Fatalf("save: %v", err)
		}
		wantProfile(t, env.Peer, "p é {},\"", want)
	}},
	{Name: "profile/saves add", Needs: []Ability{Adding}, Run: func(t T, env Env) {
		saveProfile(t, env.Store, "p1", "lamp")
		saveProfile(t, env.Peer, "p1", "stairs")
		saveProfile(t, env.Store, "p1", "lamp")
		wantProfile(t, env.Peer, "p1", map[string]bool{"lamp": true, "stairs": true})
	}},
	{Name: "profile/who passes all that it knows loses nothing", Run: func(t T, env Env) {
		// The property of the port's caller, whether saves add or replace.
		saveProfile(t, env.Store, "p1", "lamp")
		p, err := env.Store.Profiles().Load(t.Context(), "p1")
		if err != nil {
			t.Fatalf("load: %v", err)
		}
		p.Achievements["stairs"] = true
		if err := env.Store.Profiles().Save(t.Context(), p); err != nil {
			t.Fatalf("save: %v", err)
		}
		wantProfile(t, env.Peer, "p1", map[string]bool{"lamp": true, "stairs": true})
	}},
	{Name: "profile/a loaded profile is the caller's", Run: func(t T, env Env) {
		saveProfile(t, env.Store, "p1", "lamp")
		p, err := env.Store.Profiles().Load(t.Context(), "p1")
		if err != nil {
			t.Fatalf("load: %v", err)
		}
		p.Achievements["stairs"] = true
		wantProfile(t, env.Store, "p1", map[string]bool{"lamp": true})
	}},
	{Name: "profile/profiles are apart", Run: func(t T, env Env) {
		saveProfile(t, env.Store, "p1", "lamp")
		saveProfile(t, env.Store, "p2", "stairs")
		wantProfile(t, env.Peer, "p1", map[string]bool{"lamp": true})
		wantProfile(t, env.Peer, "p2", map[string]bool{"stairs": true})
	}},
	{Name: "profile/one that cannot be understood", Run: func(t T, env Env) {
		saveProfile(t, env.Store, "p1", "lamp")
		env.BreakProfile("p1")
		_, err := env.Peer.Profiles().Load(t.Context(), "p1")
		wantOutcome(t, err, session.ErrProfileCorrupt)
	}},
	{Name: "profile/a failure reads as corrupt", Run: func(t T, env Env) {
		saveProfile(t, env.Store, "p1", "lamp")
		_, err := env.Store.Profiles().Load(cancelled(t), "p1")
		wantOutcome(t, err, session.ErrProfileCorrupt)
		wantCancelled(t, err)
		wantCancelled(t, env.Store.Profiles().Save(cancelled(t), session.Profile{ProfileID: "p2"}))
		_, err = env.Peer.Profiles().Load(t.Context(), "p2")
		wantOutcome(t, err, session.ErrProfileMissing)
	}},
}
