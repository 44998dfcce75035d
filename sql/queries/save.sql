-- name: GetSave :one
select blob, campaign_id, audience, profile_id, engine_version, saved_at_seq,
       replay_compatible, engine_created_at
from save
where tenant_id = @tenant_id and save_id = @save_id and expires_at > now();

-- A save that is put again is written anew, the store's own columns included.
-- name: PutSave :exec
insert into save (
    tenant_id, save_id, blob, campaign_id, audience, profile_id, engine_version,
    saved_at_seq, replay_compatible, engine_created_at, expires_at
) values (
    @tenant_id, @save_id, @blob, @campaign_id, @audience, @profile_id, @engine_version,
    @saved_at_seq, @replay_compatible, @engine_created_at, now() + sqlc.arg(ttl)::interval
)
on conflict (tenant_id, save_id) do update set
    blob              = excluded.blob,
    campaign_id       = excluded.campaign_id,
    audience          = excluded.audience,
    profile_id        = excluded.profile_id,
    engine_version    = excluded.engine_version,
    saved_at_seq      = excluded.saved_at_seq,
    replay_compatible = excluded.replay_compatible,
    engine_created_at = excluded.engine_created_at,
    expires_at        = excluded.expires_at,
    row_created_at    = now(),
    row_updated_at    = now();

-- name: DeleteSave :exec
delete from save where tenant_id = @tenant_id and save_id = @save_id;

-- name: SaveLive :one
select (expires_at > now())::boolean as live
from save
where tenant_id = @tenant_id and save_id = @save_id;
