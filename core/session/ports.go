package session

import (
	"context"
	"errors"
	"fmt"
)

// Store is the storage port of play sessions. It is process-lived and safe
// for concurrent use. Every error of its parts that is not named at the
// method is a *fault.StoreError.
type Store interface {
	// Layer composes the session layer of one operation.
	Layer() Layer
	Profiles() Profiles
	Lifecycle() Lifecycle
}

// Layer is the session layer of one operation, and is used by one goroutine.
// It holds the versions that it read and is of no use after Close.
type Layer interface {
	Sessions() Sessions
	Saves() Saves
	Close()
}

// Sessions reads and writes play sessions.
type Sessions interface {
	// Get reads a live session and remembers its version in the layer.
	// ErrAbsent where there is none or it has expired by the store's clock.
	Get(ctx context.Context, sessionID string) (Record, Version, error)
	// Put writes the session in one statement, atomically, and returns the
	// row's new version. For an id that the layer read (or put) before, it is
	// the guarded write: it lands only if the row is still at that version and
	// has not expired, else *Conflict and nothing changed. For any other id it
	// is an insert: a row that is there already is an id collision
	// (*fault.StoreError) and stays as it is, expired or not. An accepted
	// write sets the expiry to the store's now plus the idle TTL.
	Put(ctx context.Context, r Record) (Version, error)
}

// Saves reads and writes saves.
type Saves interface {
	// Get reads a live save; ErrAbsent where there is none or it has expired.
	Get(ctx context.Context, saveID string) (Save, error)
	// Put inserts or replaces a save, recomputing what the store owns of it.
	Put(ctx context.Context, s Save) error
	// Delete removes a save; one that is not there is no error.
	Delete(ctx context.Context, saveID string) error
}

// Profiles reads and writes profiles.
type Profiles interface {
	// Load reads a profile. ErrProfileMissing where there is none,
	// ErrProfileCorrupt where its row cannot be understood (an unknown format
	// version included) or the store failed; the port has no finer answer,
	// and the cause is wrapped for the log.
	Load(ctx context.Context, profileID string) (Profile, error)
	// Save adds achievements to a profile, creating it where it is missing.
	// Whatever was there stays: concurrent saves of different achievements
	// all land. (A reference store may replace instead; callers pass all that
	// they know of, so that the difference does not show.)
	Save(ctx context.Context, p Profile) error
}

// Lifecycle says whether an id is live, expired or absent, and never more.
type Lifecycle interface {
	Session(ctx context.Context, sessionID string) (Presence, error)
	Save(ctx context.Context, saveID string) (Presence, error)
}

// Presence is what the lifecycle probe says of an id.
type Presence string

// The answers of the lifecycle probe. Expired holds as long as the row is
// retained; after that the id is absent.
const (
	Live    Presence = "live"
	Expired Presence = "expired"
	Absent  Presence = "absent"
)

// Errors of the ports.
var (
	ErrAbsent         = errors.New("session store: absent")
	ErrProfileMissing = errors.New("profile store: missing")
	ErrProfileCorrupt = errors.New("profile store: corrupt")
)

// Why says why a guarded write did not land. It is for the log, a metric and
// the store's tests: callers are told concurrent_modification whatever it is.
type Why string

// The reasons of a conflict.
const (
	WhyGone      Why = "absent"        // the row is not there any more
	WhyOvertaken Why = "other_version" // another write landed first
	WhyExpired   Why = "expired"       // the version stands, its time has passed
	WhyUnknown   Why = "unclassified"  // the re-read failed
	WhyPrecluded Why = "precondition"  // If-Match named another state
)

// Whys lists the reasons of a conflict.
func Whys() []Why {
	return []Why{WhyGone, WhyOvertaken, WhyExpired, WhyUnknown, WhyPrecluded}
}

// Conflict is a guarded write that did not land.
type Conflict struct {
	Why Why
	// Cause is the error of a re-read that failed.
	Cause error
}

func (c *Conflict) Error() string {
	if c.Cause != nil {
		return fmt.Sprintf("guarded write did not land: %s: %v", c.Why, c.Cause)
	}
	return fmt.Sprintf("guarded write did not land: %s", c.Why)
}

func (c *Conflict) Unwrap() error { return c.Cause }
