package sessiontest

import (
	"errors"
	"sync"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

const racers = 32

// race runs n racers, every other one on the peer, and waits for them.
func race(env Env, n int, run func(i int, s session.Store)) {
	var wg sync.WaitGroup
	for i := range n {
		s := env.Store
		if i%2 == 1 {
			s = env.Peer
		}
		wg.Go(func() { run(i, s) })
	}
	wg.Wait()
}

// attempt is what became of one racer's write.
type attempt struct {
	record  session.Record
	version session.Version
	err     error
}

var raceCases = []Case{
	{Name: "race/one of many writes on one version lands", Needs: []Ability{Racing}, Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		attempts := make([]attempt, racers)
		var read sync.WaitGroup
		read.Add(racers)
		race(env, racers, func(i int, s session.Store) {
			l := s.Layer()
			defer l.Close()
			r, _, err := l.Sessions().Get(t.Context(), "s1")
			read.Done()
			read.Wait() // all have read before any writes
			if err == nil {
				r.AttemptCounter = int64(i)
				attempts[i].record = r
				attempts[i].version, err = l.Sessions().Put(t.Context(), r)
			}
			attempts[i].err = err
		})
		winner := landed(t, attempts)
		if len(winner) != 1 {
			t.Fatalf("%d writes landed, want 1", len(winner))
		}
		wantStored(t, env, winner[0].record, 2)
	}},
	{Name: "race/the version grows by the writes that landed", Needs: []Ability{Racing}, Run: func(t T, env Env) {
		insert(t, env.Store, record("s1"))
		const rounds = 4
		attempts := make([]attempt, racers*rounds)
		race(env, racers, func(i int, s session.Store) {
			for n := i * rounds; n < (i+1)*rounds; n++ {
				l := s.Layer()
				r, _, err := l.Sessions().Get(t.Context(), "s1")
				if err == nil {
					r.AttemptCounter = int64(n)
					attempts[n].record = r
					attempts[n].version, err = l.Sessions().Put(t.Context(), r)
				}
				attempts[n].err = err
				l.Close()
			}
		})
		versions := map[session.Version]session.Record{}
		accepted := landed(t, attempts)
		for _, a := range accepted {
			if _, twice := versions[a.version]; twice {
				t.Errorf("two writes landed as version %d", a.version)
			}
			versions[a.version] = a.record
		}
		last := session.Version(1 + len(accepted))
		wantStored(t, env, versions[last], last)
	}},
	{Name: "race/one of many inserts of one id lands", Run: func(t T, env Env) {
		attempts := make([]attempt, racers)
		race(env, racers, func(i int, s session.Store) {
			l := s.Layer()
			defer l.Close()
			r := record("s1")
			r.AttemptCounter = int64(i)
			v, err := l.Sessions().Put(t.Context(), r)
			attempts[i] = attempt{r, v, err}
		})
		var winner *attempt
		for i := range attempts {
			if attempts[i].err != nil {
				wantFailure(t, attempts[i].err, fault.IDCollision)
				continue
			}
			if winner != nil {
				t.Errorf("two inserts of one id landed")
			}
			winner = &attempts[i]
		}
		if winner == nil {
			t.Fatalf("no insert landed")
		}
		wantStored(t, env, winner.record, 1)
	}},
	{Name: "race/awards of many all land", Needs: []Ability{Adding}, Run: func(t T, env Env) {
		// Everybody awards the common ones, and one of his own; a map gives
		// them in any order.
		want := map[string]bool{}
		for i := range racers {
			want[achievement("common", i)] = true
			want[achievement("own", i)] = true
		}
		errs := make([]error, racers)
		race(env, racers, func(i int, s session.Store) {
			earned := map[string]bool{achievement("own", i): true}
			for j := range racers {
				earned[achievement("common", j)] = true
			}
			errs[i] = s.Profiles().Save(t.Context(), session.Profile{ProfileID: "p1", Achievements: earned})
		})
		if err := errors.Join(errs...); err != nil {
			t.Fatalf("save: %v", err)
		}
		wantProfile(t, env.Peer, "p1", want)
	}},
}

// landed returns the attempts that landed; each other must be a conflict.
func landed(t T, attempts []attempt) []attempt {
	t.Helper()
	var ok []attempt
	for _, a := range attempts {
		if a.err == nil {
			ok = append(ok, a)
			continue
		}
		wantConflict(t, a.err, session.WhyOvertaken)
	}
	return ok
}
