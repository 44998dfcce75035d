package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/holdfast-dev/holdfast/adapters/postgres/internal/dbsqlc"
	"github.com/holdfast-dev/holdfast/core/session"
)

type saves Store

// Get implements [session.Saves].
func (p *saves) Get(ctx context.Context, id string) (session.Save, error) {
	const statement = "GetSave"
	conn, err := (*Store)(p).acquire(ctx, statement)
	if err != nil {
		return session.Save{}, err
	}
	defer (*Store)(p).release(conn)
	row, err := queries.GetSave(ctx, conn, dbsqlc.GetSaveParams{TenantID: tenant, SaveID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return session.Save{}, session.ErrAbsent
	}
	if err != nil {
		return session.Save{}, storeError(ctx, statement, err)
	}
	audience, err := audienceOf(statement, row.Audience)
	if err != nil {
		return session.Save{}, err
	}
	return session.Save{
		SaveID:           id,
		Blob:             row.Blob,
		CampaignID:       row.CampaignID,
		Audience:         audience,
		ProfileID:        row.ProfileID.String,
		EngineVersion:    row.EngineVersion,
		SavedAtSeq:       row.SavedAtSeq,
		ReplayCompatible: row.ReplayCompatible,
		CreatedAt:        row.EngineCreatedAt,
	}, nil
}

// Put implements [session.Saves].
func (p *saves) Put(ctx context.Context, s session.Save) error {
	const statement = "PutSave"
	conn, err := (*Store)(p).acquire(ctx, statement)
	if err != nil {
		return err
	}
	defer (*Store)(p).release(conn)
	err = queries.PutSave(ctx, conn, dbsqlc.PutSaveParams{
		TenantID:         tenant,
		SaveID:           s.SaveID,
		Blob:             s.Blob,
		CampaignID:       s.CampaignID,
		Audience:         string(s.Audience),
		ProfileID:        nullIfEmpty(s.ProfileID),
		EngineVersion:    s.EngineVersion,
		SavedAtSeq:       s.SavedAtSeq,
		ReplayCompatible: s.ReplayCompatible,
		EngineCreatedAt:  s.CreatedAt,
		Ttl:              p.saveTTL,
	})
	if err != nil {
		return storeError(ctx, statement, err)
	}
	return nil
}

// Delete implements [session.Saves].
func (p *saves) Delete(ctx context.Context, id string) error {
	const statement = "DeleteSave"
	conn, err := (*Store)(p).acquire(ctx, statement)
	if err != nil {
		return err
	}
	defer (*Store)(p).release(conn)
	if err := queries.DeleteSave(ctx, conn, dbsqlc.DeleteSaveParams{TenantID: tenant, SaveID: id}); err != nil {
		return storeError(ctx, statement, err)
	}
	return nil
}
