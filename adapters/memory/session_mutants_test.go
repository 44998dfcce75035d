package memory_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/holdfast-dev/holdfast/adapters/memory"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

// sessionMutants are faults of what is stored of a session and of its guard.
var sessionMutants = []mutant{
	// What is stored.
	{"loses a field", []string{"session/round trip"},
		onRecord(func(r *session.Record) { r.ReplayCompatible = false })},
	{"fills in zero values", []string{"session/zero values round trip"},
		onRecord(func(r *session.Record) {
			if r.CreatedAt == "" {
				r.CreatedAt = "1970-01-01T00:00:00Z"
			}
		})},
	{"trims blobs", []string{"session/blob byte for byte"},
		onRecord(func(r *session.Record) { r.Blob = strings.TrimSpace(r.Blob) })},
	{"renormalises blobs", []string{"session/blob byte for byte"},
		onRecord(func(r *session.Record) {
			var v any
			if json.Unmarshal([]byte(r.Blob), &v) == nil {
				b, _ := json.Marshal(v)
				r.Blob = string(b)
			}
		})},
	{"cuts blobs", []string{"session/blob byte for byte"},
		onRecord(func(r *session.Record) { r.Blob = r.Blob[:min(len(r.Blob), 1<<16)] })},
	{"normalises instants", []string{"session/engine texts verbatim"},
		onRecord(func(r *session.Record) { r.CreatedAt = strings.Replace(r.CreatedAt, "+00:00", "Z", 1) })},
	{"updates only the blob", []string{"session/every field is written again"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.put = func(ctx context.Context, base session.Sessions, r session.Record) (session.Version, error) {
				l := s.Layer()
				defer l.Close()
				if old, _, err := l.Sessions().Get(ctx, r.SessionID); err == nil {
					old.Blob = r.Blob
					r = old
				}
				return base.Put(ctx, r)
			}
		})},
	{"keeps a profile that was dropped", []string{"session/no profile is not an odd profile"},
		onRecord(func(r *session.Record) {
			if r.ProfileID == "" {
				r.ProfileID = "null"
			}
		})},
	{"folds ids", []string{"session/unknown is absent"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.get = func(ctx context.Context, base session.Sessions, id string) (session.Record, session.Version, error) {
				return base.Get(ctx, fold(id))
			}
		})},
	{"reads expired sessions", []string{"session/expired is absent", "session/insert of an expired id collides"},
		over(func(f *faulty, _ *memory.Store, c *settable) {
			f.get = func(ctx context.Context, base session.Sessions, id string) (r session.Record, v session.Version, err error) {
				_, err = past(c, func() (session.Version, error) {
					r, v, err = base.Get(ctx, id)
					return v, err
				})
				return r, v, err
			}
		})},
	{"upserts on insert", []string{"session/insert of a stored id collides", "race/one of many inserts of one id lands", "guard/layers share no versions"},
		onPutError(func(ctx context.Context, s *memory.Store, _ *settable, _ session.Sessions, r session.Record, err error) (session.Version, error) {
			if isFailure(err, fault.IDCollision) {
				return anyway(ctx, s, r)
			}
			return 0, err
		})},
	{"inserts over an expired row", []string{"session/insert of an expired id collides"},
		onPutError(func(ctx context.Context, s *memory.Store, c *settable, _ session.Sessions, r session.Record, err error) (session.Version, error) {
			if isFailure(err, fault.IDCollision) && s.SessionLeft(r.SessionID) <= 0 {
				s.RemoveSession(r.SessionID)
				l := s.Layer()
				defer l.Close()
				return l.Sessions().Put(ctx, r)
			}
			return 0, err
		})},
	{"calls a collision a conflict", []string{"session/insert of a stored id collides", "session/insert of an expired id collides", "race/one of many inserts of one id lands"},
		onPutError(func(_ context.Context, _ *memory.Store, _ *settable, _ session.Sessions, _ session.Record, err error) (session.Version, error) {
			if isFailure(err, fault.IDCollision) {
				return 0, &session.Conflict{Why: session.WhyOvertaken}
			}
			return 0, err
		})},
	{"stores any audience", []string{"session/what cannot be stored changes nothing"},
		onRecord(func(r *session.Record) {
			if r.Audience != session.AI {
				r.Audience = session.Player
			}
		})},
	{"goes on when the caller gave up", []string{"session/a caller that gave up"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.put = func(ctx context.Context, base session.Sessions, r session.Record) (session.Version, error) {
				return base.Put(detached(ctx), r)
			}
		})},
	{"hides that the caller gave up", []string{"session/a caller that gave up"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.get = func(ctx context.Context, base session.Sessions, id string) (session.Record, session.Version, error) {
				r, v, err := base.Get(ctx, id)
				if isFailure(err, fault.Unreachable) {
					err = &fault.StoreError{Kind: fault.Unreachable}
				}
				return r, v, err
			}
		})},

	// The guard.
	{"does not count the version on", []string{"guard/versions grow by one", "guard/a layer goes on from its own write", "guard/one layer, two sessions"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			f.put = func(ctx context.Context, base session.Sessions, r session.Record) (session.Version, error) {
				v, err := base.Put(ctx, r)
				return min(v, 1), err
			}
		})},
	{"forgets its own write", []string{"guard/a layer goes on from its own write", "guard/one layer, two sessions", "race/the version grows by the writes that landed"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.put = func(ctx context.Context, base session.Sessions, r session.Record) (session.Version, error) {
				v, err := base.Put(ctx, r)
				if err == nil { // the row moves on, the layer does not
					_, err = anyway(ctx, s, r)
				}
				return v, err
			}
		})},
	{"guards without the version", []string{"guard/the slower write loses and leaves nothing", "race/one of many writes on one version lands"},
		onPutError(func(ctx context.Context, s *memory.Store, _ *settable, _ session.Sessions, r session.Record, err error) (session.Version, error) {
			if isConflict(err, session.WhyOvertaken) {
				return anyway(ctx, s, r)
			}
			return 0, err
		})},
	{"tries again by itself", []string{"guard/the slower write loses and leaves nothing", "race/one of many writes on one version lands"},
		onPutError(func(ctx context.Context, s *memory.Store, _ *settable, base session.Sessions, r session.Record, err error) (session.Version, error) {
			if isConflict(err, session.WhyOvertaken) {
				if _, _, err := base.Get(ctx, r.SessionID); err != nil {
					return 0, err
				}
				return base.Put(ctx, r)
			}
			return 0, err
		})},
	{"learns the version from a conflict", []string{"guard/the slower write loses and leaves nothing"},
		onPutError(func(ctx context.Context, _ *memory.Store, _ *settable, base session.Sessions, r session.Record, err error) (session.Version, error) {
			if isConflict(err, session.WhyOvertaken) {
				_, _, _ = base.Get(ctx, r.SessionID)
			}
			return 0, err
		})},
	{"a losing write leaves its time", []string{"guard/the slower write loses and leaves nothing"},
		onPutError(func(_ context.Context, s *memory.Store, _ *settable, _ session.Sessions, r session.Record, err error) (session.Version, error) {
			if isConflict(err, session.WhyOvertaken) {
				s.AgeSession(r.SessionID, -day)
			}
			return 0, err
		})},
	{"takes a lost race for a success", []string{"race/one of many writes on one version lands", "guard/overtaken counts before expired"},
		onPutError(func(_ context.Context, _ *memory.Store, _ *settable, _ session.Sessions, _ session.Record, err error) (session.Version, error) {
			if isConflict(err, session.WhyOvertaken) {
				return 2, nil
			}
			return 0, err
		})},
	{"takes a lost race for an outage", []string{"race/one of many writes on one version lands", "guard/the slower write loses and leaves nothing"},
		onPutError(func(_ context.Context, _ *memory.Store, _ *settable, _ session.Sessions, _ session.Record, err error) (session.Version, error) {
			if isConflict(err, session.WhyOvertaken) {
				return 0, &fault.StoreError{Kind: fault.StatementFailed, Statement: "UpdateSession"}
			}
			return 0, err
		})},
	{"guards without the expiry", []string{"guard/an expired session is not brought back"},
		onPutError(func(ctx context.Context, _ *memory.Store, c *settable, base session.Sessions, r session.Record, err error) (session.Version, error) {
			if isConflict(err, session.WhyExpired) {
				return past(c, func() (session.Version, error) { return base.Put(ctx, r) })
			}
			return 0, err
		})},
	{"removes what has expired", []string{"guard/an expired session is not brought back"},
		onPutError(func(_ context.Context, s *memory.Store, _ *settable, _ session.Sessions, r session.Record, err error) (session.Version, error) {
			if isConflict(err, session.WhyExpired) {
				s.RemoveSession(r.SessionID)
			}
			return 0, err
		})},
	{"looks at the expiry first", []string{"guard/overtaken counts before expired"},
		onPutError(func(_ context.Context, s *memory.Store, _ *settable, _ session.Sessions, r session.Record, err error) (session.Version, error) {
			if isConflict(err, session.WhyOvertaken) && s.SessionLeft(r.SessionID) <= 0 {
				return 0, &session.Conflict{Why: session.WhyExpired}
			}
			return 0, err
		})},
	{"writes a removed row again", []string{"guard/a removed session is not brought back"},
		onPutError(func(ctx context.Context, s *memory.Store, _ *settable, _ session.Sessions, r session.Record, err error) (session.Version, error) {
			if isConflict(err, session.WhyGone) {
				l := s.Layer()
				defer l.Close()
				return l.Sessions().Put(ctx, r)
			}
			return 0, err
		})},
	{"refreshes on a read", []string{"guard/a write refreshes the expiry, a read does not"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.get = func(ctx context.Context, base session.Sessions, id string) (session.Record, session.Version, error) {
				s.AgeSession(id, s.SessionLeft(id)-sessionTTL)
				return base.Get(ctx, id)
			}
		})},
	{"does not refresh on a write", []string{"guard/a write refreshes the expiry, a read does not"},
		over(func(f *faulty, s *memory.Store, _ *settable) {
			f.put = func(ctx context.Context, base session.Sessions, r session.Record) (session.Version, error) {
				left := s.SessionLeft(r.SessionID)
				v, err := base.Put(ctx, r)
				if v > 1 {
					s.AgeSession(r.SessionID, sessionTTL-left)
				}
				return v, err
			}
		})},
	{"one layer for all", []string{"guard/layers share no versions", "guard/the slower write loses and leaves nothing"},
		over(func(f *faulty, _ *memory.Store, _ *settable) { f.lastLayer = true; f.undying = true })},
	{"layers outlive their operation", []string{"guard/a closed layer writes nothing"},
		over(func(f *faulty, _ *memory.Store, _ *settable) { f.undying = true })},
	{"caches what it read", []string{"guard/reads see the other instance's writes"},
		over(func(f *faulty, _ *memory.Store, _ *settable) {
			var mu sync.Mutex
			cache := map[string]session.Record{}
			f.get = func(ctx context.Context, base session.Sessions, id string) (session.Record, session.Version, error) {
				r, v, err := base.Get(ctx, id)
				mu.Lock()
				defer mu.Unlock()
				if old, ok := cache[id]; ok {
					return old, v, err
				}
				if err == nil {
					cache[id] = r
				}
				return r, v, err
			}
		})},
}
