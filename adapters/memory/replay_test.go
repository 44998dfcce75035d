package memory

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

func record(id string) session.Record {
	return session.Record{SessionID: id, Blob: "{}", Audience: session.Player}
}

func begun(t *testing.T, ids ...string) *Replay {
	t.Helper()
	r := NewReplay()
	l := r.Layer()
	defer l.Close()
	for _, id := range ids {
		if _, err := l.Sessions().Put(t.Context(), record(id)); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// inLine is how many operations hold or wait for a session.
func (r *Replay) inLine(id string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if q := r.queues[id]; q != nil {
		return q.inLine
	}
	return 0
}

// Both of two operations on one session are applied, one after the other.
func TestReplayQueues(t *testing.T) {
	r := begun(t, "s1", "s2")
	first := r.Layer()
	got, _, err := first.Sessions().Get(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}

	second := make(chan session.Record)
	go func() {
		l := r.Layer()
		defer l.Close()
		seen, _, err := l.Sessions().Get(t.Context(), "s1")
		if err != nil {
			t.Error(err)
		}
		second <- seen
		seen.AttemptCounter++
		if _, err := l.Sessions().Put(t.Context(), seen); err != nil {
			t.Error(err)
		}
		second <- seen
	}()
	for r.inLine("s1") < 2 { // until the second operation stands in line
		select {
		case <-second:
			t.Fatal("the second operation did not wait")
		default:
		}
	}
	// Another session has a line of its own.
	other := r.Layer()
	if _, _, err := other.Sessions().Get(t.Context(), "s2"); err != nil {
		t.Error(err)
	}
	other.Close()

	got.AttemptCounter++
	if _, err := first.Sessions().Put(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	select {
	case <-second:
		t.Fatal("the second operation went on before the first was closed")
	default:
	}
	first.Close()
	first.Close() // again is no second turn for anybody

	if seen := <-second; seen.AttemptCounter != 1 {
		t.Errorf("the second operation read %d, want the first one's 1", seen.AttemptCounter)
	}
	if seen := <-second; seen.AttemptCounter != 2 {
		t.Errorf("the second operation wrote %d, want 2", seen.AttemptCounter)
	}
}

// 32 operations at once are all applied, and the queues are gone afterwards.
func TestReplayAppliesAll(t *testing.T) {
	r := begun(t, "s1")
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			l := r.Layer()
			defer l.Close()
			got, _, err := l.Sessions().Get(t.Context(), "s1")
			if err != nil {
				t.Error(err)
			}
			got.AttemptCounter++
			if _, err := l.Sessions().Put(t.Context(), got); err != nil {
				t.Error(err)
			}
			if _, _, err := l.Sessions().Get(t.Context(), "absent"); !errors.Is(err, session.ErrAbsent) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	l := r.Layer()
	got, version, err := l.Sessions().Get(t.Context(), "s1")
	if err != nil || got.AttemptCounter != 32 || version != 33 {
		t.Errorf("counter %d, version %d, error %v; want 32 and 33", got.AttemptCounter, version, err)
	}
	l.Close()
	if len(r.queues) != 0 {
		t.Errorf("%d queues are left", len(r.queues))
	}
}

func TestReplayWaitEndsWithItsCaller(t *testing.T) {
	r := begun(t, "s1")
	holder := r.Layer()
	if _, _, err := holder.Sessions().Get(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		l := r.Layer()
		defer l.Close()
		_, _, err := l.Sessions().Get(ctx, "s1")
		ended <- err
		_, err = l.Sessions().Put(ctx, record("s1"))
		ended <- err
	}()
	for r.inLine("s1") < 2 {
		select {
		case err := <-ended:
			t.Fatalf("did not wait: %v", err)
		default:
		}
	}
	cancel()
	for range 2 {
		err := <-ended
		if _, ok := errors.AsType[*fault.StoreError](err); !ok || !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want a failure of the store that shows that the caller gave up", err)
		}
	}
	holder.Close()
	if len(r.queues) != 0 {
		t.Errorf("%d queues are left", len(r.queues))
	}
	if got := r.SessionLeft("s1"); got <= 0 {
		t.Errorf("the session has %v left", got)
	}
}

func TestReplayKnowsNoLifecycle(t *testing.T) {
	r := begun(t, "s1")
	for _, ask := range []func(context.Context, string) (session.Presence, error){r.Lifecycle().Session, r.Lifecycle().Save} {
		if got, err := ask(t.Context(), "s1"); got != session.Absent || err != nil {
			t.Errorf("the probe says %q, error %v; want absent", got, err)
		}
	}
}

// The declared divergence of the reference.
func TestReplayReplacesProfiles(t *testing.T) {
	p := NewReplay().Profiles()
	for _, a := range []string{"lamp", "stairs"} {
		if err := p.Save(t.Context(), session.Profile{ProfileID: "p1", Achievements: map[string]bool{a: true}}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := p.Load(t.Context(), "p1")
	if err != nil || len(got.Achievements) != 1 || !got.Achievements["stairs"] {
		t.Errorf("profile %v, error %v; want the last save alone", got.Achievements, err)
	}
}

// Blobs come by table and bytewise by id, the expired ones too.
func TestBlobs(t *testing.T) {
	r := begun(t, "b", "B", "é", "a")
	r.AgeSession("a", 1<<60)
	l := r.Layer()
	defer l.Close()
	if err := l.Saves().Put(t.Context(), session.Save{SaveID: "v", Blob: "{}", Audience: session.AI}); err != nil {
		t.Fatal(err)
	}
	var got string
	err := r.Blobs(t.Context(), func(table, id, blob string) error {
		got += table + " " + id + " " + blob + ","
		return nil
	})
	if want := "save v {},session B {},session a {},session b {},session é {},"; got != want || err != nil {
		t.Errorf("got %s, error %v, want %s", got, err, want)
	}
	stop := errors.New("stop")
	calls := 0
	err = r.Blobs(t.Context(), func(_, _, _ string) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("%d calls, error %v; want the first to end it", calls, err)
	}
}
