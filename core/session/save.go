package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdfast-dev/holdfast/core/fault"
	"github.com/holdfast-dev/holdfast/core/id"
)

// SaveGame makes a new save of a session and returns its id. The save shows a
// state that the session had; without a precondition it may be overtaken by
// the time that it is written. Faults: unknown_session, session_expired,
// concurrent_modification (with a precondition).
func (s *Service) SaveGame(ctx context.Context, sessionID string, pre Precondition) (string, error) {
	layer := s.store.Layer()
	defer layer.Close()
	at, err := s.read(ctx, layer, sessionID)
	if err != nil {
		return "", err
	}
	if err := pre.check(at.version); err != nil {
		return "", s.refused(ctx, sessionID, err)
	}
	position, err := at.engine.Load(ctx, at.Blob)
	if err != nil {
		// A live session that its engine cannot load is broken; only a save
		// can ask for a migration.
		return "", fault.New(fault.InternalFailure, fmt.Errorf("session %s: %w", id.Short(sessionID), err))
	}
	save := Save{
		SaveID:           s.ids.Next(),
		Blob:             at.Blob,
		CampaignID:       position.CampaignID,
		Audience:         at.Audience,
		ProfileID:        at.ProfileID,
		EngineVersion:    at.EngineVersion,
		SavedAtSeq:       at.AttemptCounter,
		ReplayCompatible: at.ReplayCompatible,
		CreatedAt:        s.now(),
	}
	if err := layer.Saves().Put(ctx, save); err != nil {
		return "", err
	}
	return save.SaveID, nil
}

func (s *Service) readSave(ctx context.Context, saveID string) (Save, error) {
	if len(saveID) > maxID {
		return Save{}, fault.New(fault.UnknownSave, nil)
	}
	layer := s.store.Layer()
	defer layer.Close()
	save, err := layer.Saves().Get(ctx, saveID)
	if errors.Is(err, ErrAbsent) {
		return Save{}, s.gone(ctx, s.store.Lifecycle().Save, saveID, fault.SaveExpired, fault.UnknownSave)
	}
	return save, err
}
