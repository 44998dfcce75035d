package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/holdfast-dev/holdfast/core/clock"
	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/id"
)

// maxID is the length in bytes from which an id cannot be one that was minted
// here, so that the store is not asked for it.
const maxID = 128

// Service is the one dispatcher of the play-session operations; every surface
// goes through it. It holds no session between calls.
type Service struct {
	store   Store
	engines *engine.Registry
	clock   clock.Clock
	ids     id.Source
	log     *slog.Logger
	counted func(Why)
	admit   admission
	pause   time.Duration
}

// Options are the parts of a [Service].
type Options struct {
	Store   Store
	Engines *engine.Registry
	Clock   clock.Clock
	IDs     id.Source
	Log     *slog.Logger
	// Conflicted is told of every conflict.
	Conflicted func(Why)
	// ReadWritePause widens the window between read and write, so that tests
	// can make two callers meet in it. It is a test seam: zero does nothing.
	ReadWritePause time.Duration
}

// New returns the dispatcher over its parts.
func New(o Options) *Service {
	return &Service{store: o.Store, engines: o.Engines, clock: o.Clock, ids: o.IDs, log: o.Log, counted: o.Conflicted, pause: o.ReadWritePause}
}

// live is a session that an operation read, with the engine that hosts it.
type live struct {
	Record
	version Version
	engine  engine.Engine
}

// read gets a live session, or the fault that says what became of it.
func (s *Service) read(ctx context.Context, layer Layer, sessionID string) (live, error) {
	if len(sessionID) > maxID {
		return live{}, fault.New(fault.UnknownSession, nil)
	}
	rec, version, err := layer.Sessions().Get(ctx, sessionID)
	if errors.Is(err, ErrAbsent) {
		return live{}, s.gone(ctx, s.store.Lifecycle().Session, sessionID, fault.SessionExpired, fault.UnknownSession)
	}
	if err != nil {
		return live{}, err
	}
	eng, ok := s.engines.ForVersion(rec.EngineVersion)
	if !ok {
		return live{}, fault.New(fault.InternalFailure, fmt.Errorf("session %s: no engine for %q", id.Short(sessionID), rec.EngineVersion))
	}
	return live{Record: rec, version: version, engine: eng}, nil
}

// gone asks the lifecycle probe whether an id that is not live has expired.
// A probe that fails reads as absent.
func (s *Service) gone(ctx context.Context, probe func(context.Context, string) (Presence, error), of string, expired, unknown fault.Code) error {
	presence, err := probe(ctx, of)
	if err != nil {
		s.log.WarnContext(ctx, "lifecycle probe failed; the id reads as absent", "id", id.Short(of), "error", err)
		return fault.New(unknown, nil)
	}
	if presence == Expired {
		return fault.New(expired, nil)
	}
	return fault.New(unknown, nil)
}

// refused turns what a write or a precondition answered into the fault that
// callers see; the reason of a conflict stays in the log.
func (s *Service) refused(ctx context.Context, sessionID string, err error) error {
	conflict, ok := errors.AsType[*Conflict](err)
	if !ok {
		return err
	}
	s.counted(conflict.Why)
	s.log.InfoContext(ctx, "a write lost its race", "session", id.Short(sessionID), "why", string(conflict.Why), "error", conflict.Cause)
	return fault.New(fault.ConcurrentModification, conflict)
}

// now is the host's instant as records keep it.
func (s *Service) now() string { return s.clock.Now().UTC().Format(time.RFC3339Nano) }
