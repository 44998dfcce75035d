-- The sweep: one bounded statement a batch. Rows that a writer or another
-- instance's sweep holds are skipped; the expiry is looked at again as the
-- row is locked and as it is deleted.

-- name: SweepSessions :execrows
with due as materialized (
    select s.session_id
    from session s
    where s.tenant_id = @tenant_id
      and s.expires_hour <= date_trunc('hour', (now() - sqlc.arg(retention)::interval) at time zone 'UTC')
      and s.expires_at <= now() - sqlc.arg(retention)::interval
    order by s.expires_hour
    limit sqlc.arg(batch)::integer
    for update skip locked
)
delete from session d using due
where d.tenant_id = @tenant_id and d.session_id = due.session_id
  and d.expires_at <= now() - sqlc.arg(retention)::interval;

-- name: SweepSaves :execrows
with due as materialized (
    select s.save_id
    from save s
    where s.tenant_id = @tenant_id
      and s.expires_hour <= date_trunc('hour', (now() - sqlc.arg(retention)::interval) at time zone 'UTC')
      and s.expires_at <= now() - sqlc.arg(retention)::interval
    order by s.expires_hour
    limit sqlc.arg(batch)::integer
    for update skip locked
)
delete from save d using due
where d.tenant_id = @tenant_id and d.save_id = due.save_id
  and d.expires_at <= now() - sqlc.arg(retention)::interval;

-- Bounds the statements of this transaction; in milliseconds.
-- name: SetStatementTimeout :exec
select set_config('statement_timeout', sqlc.arg(milliseconds)::text, true);
