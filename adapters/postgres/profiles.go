package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/adapters/postgres/internal/dbsqlc"
	"github.com/holdfast-dev/holdfast/core/session"
)

// profileFormat is the format of the rows of a profile that this code writes
// and reads. A next one is written only once every instance reads it.
const profileFormat = 1

// Profiles returns the profile store.
func (s *Store) Profiles() session.Profiles { return (*profiles)(s) }

type profiles Store

// Load implements [session.Profiles].
func (p *profiles) Load(ctx context.Context, id string) (session.Profile, error) {
	const statement = "LoadProfile"
	conn, err := (*Store)(p).acquire(ctx, statement)
	if err != nil {
		return session.Profile{}, fmt.Errorf("%w: %w", session.ErrProfileCorrupt, err)
	}
	defer (*Store)(p).release(conn)
	row, err := queries.LoadProfile(ctx, conn, dbsqlc.LoadProfileParams{TenantID: tenant, ProfileID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return session.Profile{}, session.ErrProfileMissing
	}
	if err != nil {
		return session.Profile{}, fmt.Errorf("%w: %w", session.ErrProfileCorrupt, storeError(ctx, statement, err))
	}
	if row.FormatVersion != profileFormat {
		return session.Profile{}, fmt.Errorf("%w: format version %d", session.ErrProfileCorrupt, row.FormatVersion)
	}
	achievements := make(map[string]bool, len(row.Achievements))
	for _, a := range row.Achievements {
		achievements[a] = true
	}
	return session.Profile{ProfileID: id, Achievements: achievements}, nil
}

// Save implements [session.Profiles].
func (p *profiles) Save(ctx context.Context, profile session.Profile) error {
	const statement = "SaveProfile"
	conn, err := (*Store)(p).acquire(ctx, statement)
	if err != nil {
		return err
	}
	defer (*Store)(p).release(conn)
	achievements := make([]string, 0, len(profile.Achievements))
	for a, earned := range profile.Achievements {
		if earned {
			achievements = append(achievements, a)
		}
	}
	// Two saves that take the same rows in one order cannot deadlock.
	slices.Sort(achievements)
	err = queries.SaveProfile(ctx, conn, dbsqlc.SaveProfileParams{
		TenantID:      tenant,
		ProfileID:     profile.ProfileID,
		Achievements:  achievements,
		FormatVersion: profileFormat,
	})
	if err != nil {
		return storeError(ctx, statement, err)
	}
	return nil
}
