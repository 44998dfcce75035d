package session

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// Two are inside at a time, whoever waits comes in when one leaves, and
// nothing is kept of a session that nobody is at.
func TestAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a admission
		var mu sync.Mutex
		inside, most, served := 0, 0, 0
		var all sync.WaitGroup
		for range 32 {
			all.Go(func() {
				if err := a.enter(t.Context(), "s"); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				inside++
				most = max(most, inside)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				inside--
				served++
				mu.Unlock()
				a.leave("s")
			})
		}
		synctest.Wait()
		// Another session is not held up.
		if err := a.enter(t.Context(), "other"); err != nil {
			t.Error(err)
		}
		a.leave("other")
		all.Wait()
		if most != 2 || served != 32 {
			t.Errorf("%d were inside at once, %d of 32 were served", most, served)
		}
		if len(a.doors) != 0 {
			t.Errorf("%d doors are left", len(a.doors))
		}
	})
}

// Whose time is up goes away, told to come back, and leaves nothing behind.
func TestAdmissionGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a admission
		for range abreast {
			if err := a.enter(t.Context(), "s"); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := a.enter(ctx, "s")
		if code := fault.CodeOf(err); code != fault.StorageFailure {
			t.Errorf("a third caller was answered %s: %v", code, err)
		}
		for range abreast {
			a.leave("s")
		}
		if len(a.doors) != 0 {
			t.Errorf("%d doors are left", len(a.doors))
		}
	})
}
