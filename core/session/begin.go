package session

import (
	"context"
	"errors"
	"strconv"

	"github.com/holdfast-dev/holdfast/core/engine"
	"github.com/holdfast-dev/holdfast/core/fault"
)

// Begin asks for a new session.
type Begin struct {
	CampaignID string
	// Seed is nil where the caller leaves it to the service.
	Seed *string
	// ProfileID is empty where no profile is wanted.
	ProfileID string
	Audience  Audience
}

// Started is a new session at its first scene.
type Started struct {
	SessionID string
	Scene     engine.Scene
	Version   Version
}

// ListCampaigns lists what can be started, sorted by id.
func (s *Service) ListCampaigns() []engine.Summary { return s.engines.Campaigns() }

// CreateSession begins a campaign. Faults: unknown_campaign, unknown_kind.
func (s *Service) CreateSession(ctx context.Context, in Begin) (Started, error) {
	eng, err := s.engines.ForCampaign(in.CampaignID)
	if err != nil {
		return Started{}, err
	}
	start := engine.Start{CampaignID: in.CampaignID, GameID: s.ids.Next()}
	if in.Seed != nil {
		start.Seed = *in.Seed
	} else {
		start.Seed = s.ids.Next()
	}
	at, err := eng.Start(ctx, start)
	if err != nil {
		return Started{}, err
	}
	now := s.now()
	return s.insert(ctx, at, Record{
		SessionID:        s.ids.Next(),
		Blob:             at.Blob,
		Audience:         in.Audience,
		ReplayCompatible: at.ReplayCompatible,
		CreatedAt:        now,
		UpdatedAt:        now,
		ProfileID:        in.ProfileID,
		EngineVersion:    engine.VersionOf(eng),
	})
}

// LoadGame begins a fresh session from a save, for the save's audience and
// profile. Faults: unknown_save, save_expired, save_requires_migration,
// migration_failed.
func (s *Service) LoadGame(ctx context.Context, saveID string) (Started, error) {
	save, err := s.readSave(ctx, saveID)
	if err != nil {
		return Started{}, err
	}
	eng, ok := s.engines.ForVersion(save.EngineVersion)
	if !ok {
		return Started{}, fault.New(fault.SaveRequiresMigration, errors.New("no engine for "+strconv.Quote(save.EngineVersion)))
	}
	at, err := eng.Load(ctx, save.Blob)
	if err != nil {
		return Started{}, err
	}
	now := s.now()
	return s.insert(ctx, at, Record{
		SessionID:        s.ids.Next(),
		Blob:             at.Blob,
		Audience:         save.Audience,
		AttemptCounter:   save.SavedAtSeq,
		ReplayCompatible: save.ReplayCompatible && at.ReplayCompatible,
		CreatedAt:        now,
		UpdatedAt:        now,
		ProfileID:        save.ProfileID,
		EngineVersion:    engine.VersionOf(eng),
	})
}

func (s *Service) insert(ctx context.Context, at engine.Position, rec Record) (Started, error) {
	layer := s.store.Layer()
	defer layer.Close()
	version, err := layer.Sessions().Put(ctx, rec)
	if err != nil {
		return Started{}, s.refused(ctx, rec.SessionID, err)
	}
	return Started{SessionID: rec.SessionID, Scene: at.Scene, Version: version}, nil
}
