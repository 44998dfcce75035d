package memory

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/holdfast-dev/holdfast/core/clock"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/session"
)

// Store is the session store in maps, guarded as the durable one is.
type Store struct {
	clock      clock.Clock
	sessionTTL time.Duration
	saveTTL    time.Duration

	mu       sync.Mutex
	sessions map[string]sessionRow
	saves    map[string]saveRow
	profiles map[string]profileRow
}

type sessionRow struct {
	record  session.Record
	version session.Version
	expires time.Time
}

type saveRow struct {
	save    session.Save
	expires time.Time
}

type profileRow struct {
	broken       bool
	achievements map[string]bool
}

var _ session.Store = (*Store)(nil)

// New returns an empty store whose rows expire by a clock: sessions so long
// after their last accepted write, saves so long after they were put.
func New(c clock.Clock, sessionTTL, saveTTL time.Duration) *Store {
	return &Store{
		clock:      c,
		sessionTTL: sessionTTL,
		saveTTL:    saveTTL,
		sessions:   map[string]sessionRow{},
		saves:      map[string]saveRow{},
		profiles:   map[string]profileRow{},
	}
}

// enter begins a statement: the caller holds the store until leave.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &fault.StoreError{Kind: fault.Unreachable, Cause: err}
	}
	s.mu.Lock()
	return nil
}

func (s *Store) leave() { s.mu.Unlock() }

func (s *Store) live(expires time.Time) bool { return expires.After(s.clock.Now()) }

// refuse is what the durable store refuses to hold: an audience that the
// schema does not know, and text that is not UTF-8 or holds U+0000.
func refuse(a session.Audience, texts ...string) error {
	if a != session.Player && a != session.AI {
		return &fault.StoreError{Kind: fault.StatementFailed}
	}
	for _, t := range texts {
		if !utf8.ValidString(t) || strings.Contains(t, "\x00") {
			return &fault.StoreError{Kind: fault.StatementFailed}
		}
	}
	return nil
}

// Blobs calls each for every stored blob, expired or not, by table ("save",
// then "session") and then bytewise by id, until it returns an error.
func (s *Store) Blobs(ctx context.Context, each func(table, id, blob string) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	for _, id := range slices.Sorted(maps.Keys(s.saves)) {
		if err := each("save", id, s.saves[id].save.Blob); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
		if err := each("session", id, s.sessions[id].record.Blob); err != nil {
			return err
		}
	}
	return nil
}
