-- name: GetSession :one
select blob, audience, attempt_counter, replay_compatible, profile_id,
       engine_version, engine_created_at, engine_updated_at, version
from session
where tenant_id = @tenant_id and session_id = @session_id and expires_at > now();

-- name: InsertSession :exec
insert into session (
    tenant_id, session_id, version, blob, audience, attempt_counter, replay_compatible,
    profile_id, engine_version, engine_created_at, engine_updated_at, expires_at
) values (
    @tenant_id, @session_id, 1, @blob, @audience, @attempt_counter, @replay_compatible,
    @profile_id, @engine_version, @engine_created_at, @engine_updated_at, now() + sqlc.arg(ttl)::interval
);

-- The guarded write: it lands only on the version that was read, and never
-- brings back a row whose time has passed.
-- name: UpdateSession :one
update session set
    version           = version + 1,
    blob              = @blob,
    audience          = @audience,
    attempt_counter   = @attempt_counter,
    replay_compatible = @replay_compatible,
    profile_id        = @profile_id,
    engine_version    = @engine_version,
    engine_created_at = @engine_created_at,
    engine_updated_at = @engine_updated_at,
    expires_at        = now() + sqlc.arg(ttl)::interval,
    row_updated_at    = now()
where tenant_id = @tenant_id and session_id = @session_id
  and version = @read_version and expires_at > now()
returning version;

-- What became of a row that a guarded write did not meet as it was read.
-- name: ClassifySession :one
select version, (expires_at > now())::boolean as live
from session
where tenant_id = @tenant_id and session_id = @session_id;

-- name: SessionLive :one
select (expires_at > now())::boolean as live
from session
where tenant_id = @tenant_id and session_id = @session_id;
