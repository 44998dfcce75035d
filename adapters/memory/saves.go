package memory

import (
	"context"

	"github.com/holdfast-dev/holdfast/core/session"
)

type saves Store

// Get implements [session.Saves].
func (p *saves) Get(ctx context.Context, id string) (session.Save, error) {
	s := (*Store)(p)
	if err := s.enter(ctx); err != nil {
		return session.Save{}, err
	}
	defer s.leave()
	row, ok := s.saves[id]
	if !ok || !s.live(row.expires) {
		return session.Save{}, session.ErrAbsent
	}
	return row.save, nil
}

// Put implements [session.Saves].
func (p *saves) Put(ctx context.Context, save session.Save) error {
	s := (*Store)(p)
	if err := refuse(save.Audience, save.SaveID, save.Blob, save.CampaignID, save.ProfileID, save.EngineVersion, save.CreatedAt); err != nil {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	s.saves[save.SaveID] = saveRow{save: save, expires: s.clock.Now().Add(s.saveTTL)}
	return nil
}

// Delete implements [session.Saves].
func (p *saves) Delete(ctx context.Context, id string) error {
	s := (*Store)(p)
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	delete(s.saves, id)
	return nil
}
