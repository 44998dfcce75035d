package session

import (
	"context"

	"github.com/holdfast-dev/holdfast/core/engine"
)

// Act asks for an action on a session.
type Act struct {
	SessionID string
	ActionID  string
	Params    map[string]engine.Value
}

// PreviewAction gives the verdict and the changes that [Service.SubmitAction]
// would give now, and stores nothing. Faults: unknown_session,
// session_expired, invalid_state.
func (s *Service) PreviewAction(ctx context.Context, in Act) (Shown[engine.Result], error) {
	layer := s.store.Layer()
	defer layer.Close()
	at, err := s.read(ctx, layer, in.SessionID)
	if err != nil {
		return Shown[engine.Result]{}, err
	}
	out, _, err := s.apply(ctx, at, in)
	if err != nil {
		return Shown[engine.Result]{}, err
	}
	return Shown[engine.Result]{Value: out.Result, Version: at.version}, nil
}

// SubmitAction takes an action. A verdict against it is an answer like any
// other (OK false), stores nothing and leaves the session's expiry alone. Of
// two that race, one is stored; the other is concurrent_modification and has
// left no trace. Other faults: unknown_session, session_expired,
// invalid_state.
func (s *Service) SubmitAction(ctx context.Context, in Act, pre Precondition) (Shown[engine.Result], error) {
	if err := s.admit.enter(ctx, in.SessionID); err != nil {
		return Shown[engine.Result]{}, err
	}
	defer s.admit.leave(in.SessionID)
	layer := s.store.Layer()
	defer layer.Close()
	at, err := s.read(ctx, layer, in.SessionID)
	if err != nil {
		return Shown[engine.Result]{}, err
	}
	if err := pre.check(at.version); err != nil {
		return Shown[engine.Result]{}, s.refused(ctx, in.SessionID, err)
	}
	out, profile, err := s.apply(ctx, at, in)
	if err != nil {
		return Shown[engine.Result]{}, err
	}
	if !out.Result.OK {
		return Shown[engine.Result]{Value: out.Result, Version: at.version}, nil
	}
	if s.pause > 0 {
		sleep(ctx, s.pause)
	}

	rec := at.Record
	rec.Blob = out.Blob
	rec.AttemptCounter++
	rec.UpdatedAt = s.now()
	rec.EngineVersion = engine.VersionOf(at.engine)
	version, err := layer.Sessions().Put(ctx, rec)
	if err != nil {
		return Shown[engine.Result]{}, s.refused(ctx, in.SessionID, err)
	}
	// The profile comes after the session's write, so that a write that lost
	// leaves no achievement.
	if !s.award(ctx, profile, out.Achievements) {
		out.Result.Warnings = append(out.Result.Warnings, warning(engine.ReasonProfileWriteFailed))
	}
	return Shown[engine.Result]{Value: out.Result, Version: version}, nil
}

// apply runs the engine over a session and its profile.
func (s *Service) apply(ctx context.Context, at live, in Act) (engine.Outcome, profileState, error) {
	profile := s.loadProfile(ctx, at.ProfileID)
	out, err := at.engine.Apply(ctx, at.Blob, engine.Move{ActionID: in.ActionID, Params: in.Params, Achievements: profile.Achievements})
	if err != nil {
		return out, profile, err
	}
	if w, ok := profile.warning(out.ProfileRead); ok {
		out.Result.Warnings = append(out.Result.Warnings, w)
	}
	return out, profile, nil
}
