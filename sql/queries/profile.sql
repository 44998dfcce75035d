-- name: LoadProfile :one
select p.format_version,
       array(
           select a.achievement_id from profile_achievement as a
           where a.tenant_id = p.tenant_id and a.profile_id = p.profile_id
       )::text[] as achievements
from profile as p
where p.tenant_id = @tenant_id and p.profile_id = @profile_id;

-- Adds to a profile and creates it where it is missing, in one statement. The
-- caller sorts the achievements, so that two saves take rows in one order.
-- name: SaveProfile :exec
with created as (
    insert into profile (tenant_id, profile_id, format_version)
    values (@tenant_id, @profile_id, @format_version)
    on conflict do nothing
)
insert into profile_achievement (tenant_id, profile_id, achievement_id)
select @tenant_id, @profile_id, unnest(@achievements::text[])
on conflict do nothing;
