package session

import (
	"context"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// Shown is a part of a session's state with the version that it shows.
type Shown[T any] struct {
	Value   T
	Version Version
}

// GetScene shows the scene that a session stands at. Faults: unknown_session,
// session_expired. Reading never extends a session's life.
func (s *Service) GetScene(ctx context.Context, sessionID string) (Shown[engine.Scene], error) {
	return show(ctx, s, sessionID, engine.Engine.Scene)
}

// GetView shows the visible state of a session. Faults: unknown_session,
// session_expired.
func (s *Service) GetView(ctx context.Context, sessionID string) (Shown[engine.View], error) {
	return show(ctx, s, sessionID, engine.Engine.View)
}

// GetStrings resolves the keys of a session's campaign. Faults:
// unknown_session, session_expired.
func (s *Service) GetStrings(ctx context.Context, sessionID string) (map[string]string, error) {
	shown, err := show(ctx, s, sessionID, engine.Engine.Strings)
	return shown.Value, err
}

// ResumeSession shows the scene to a player who comes back, and writes the
// achievements of the game that the profile lacks: those whose writing failed
// earlier. Faults: unknown_session, session_expired, invalid_state.
func (s *Service) ResumeSession(ctx context.Context, sessionID string) (Shown[engine.Scene], error) {
	layer := s.store.Layer()
	defer layer.Close()
	at, err := s.read(ctx, layer, sessionID)
	if err != nil {
		return Shown[engine.Scene]{}, err
	}
	resumed, err := at.engine.Resume(ctx, at.Blob)
	if err != nil {
		return Shown[engine.Scene]{}, err
	}
	if len(resumed.Achievements) > 0 {
		s.award(ctx, s.loadProfile(ctx, at.ProfileID), resumed.Achievements)
	}
	return Shown[engine.Scene]{Value: resumed.Scene, Version: at.version}, nil
}

func show[T any](ctx context.Context, s *Service, sessionID string, of func(engine.Engine, context.Context, string) (T, error)) (Shown[T], error) {
	layer := s.store.Layer()
	defer layer.Close()
	at, err := s.read(ctx, layer, sessionID)
	if err != nil {
		return Shown[T]{}, err
	}
	value, err := of(at.engine, ctx, at.Blob)
	if err != nil {
		return Shown[T]{}, err
	}
	return Shown[T]{Value: value, Version: at.version}, nil
}
