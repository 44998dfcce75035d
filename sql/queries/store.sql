-- What readiness asks of the store: the isolation level that statements run
-- at, and whether a write would be taken. The update matches no row, but a
-- server that is read-only, or a role that may not write, refuses it.
-- name: ProbeStore :one
with written as (
    update session set version = version where false returning 1
)
select current_setting('transaction_isolation')::text as isolation,
       exists (select from written)::boolean as touched;

-- Every stored blob, by table and then bytewise by id.
-- name: DumpBlobs :many
select 'save'::text as kind, save_id as id, blob from save where save.tenant_id = @tenant_id
union all
select 'session'::text, session_id, blob from session where session.tenant_id = @tenant_id
order by kind, id;
