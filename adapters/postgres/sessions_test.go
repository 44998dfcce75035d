package postgres

import (
	"errors"
	"testing"
	"time"

	"github.com/holdfast-dev/holdfast/adapters/postgres/postgrestest"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

// A guarded write that met no row is a conflict, even where nobody can say
// why any more.
func TestUnclassifiedConflict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, trigger string
		cause         bool
	}{
		{"the row is as it was read", "", false},
		// The trigger takes the table out of the connection's sight.
		{"the re-read fails", "perform set_config('search_path', 'nowhere', false);", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url := postgrestest.Schema(t)
			conn := connect(t, url)
			s := composed(t, Options{URL: url, PoolSize: 1})
			if err := put(t.Context(), s, record("s1")); err != nil {
				t.Fatal(err)
			}
			exec(t, conn, "create function refuse() returns trigger language plpgsql as $$begin "+
				c.trigger+" return null; end$$")
			exec(t, conn, "create trigger refuse before update on session for each row execute function refuse()")
			l := s.Layer()
			r, _, err := l.Sessions().Get(t.Context(), "s1")
			if err != nil {
				t.Fatal(err)
			}
			_, err = l.Sessions().Put(within(t, time.Minute), r)
			conflict, ok := errors.AsType[*session.Conflict](err)
			if !ok || conflict.Why != session.WhyUnknown {
				t.Fatalf("error %v, want an unclassified conflict", err)
			}
			if c.cause {
				if got := wantKind(t, conflict.Cause, fault.StatementFailed).Statement; got != "ClassifySession" {
					t.Errorf("the cause names statement %q", got)
				}
			} else if conflict.Cause != nil {
				t.Errorf("cause %v", conflict.Cause)
			}
		})
	}
}
