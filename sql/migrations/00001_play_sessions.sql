-- Play sessions, saves, profiles and achievements (spec 10, The store).
-- No statement names a schema: the connection's search_path decides.

-- +goose Up

-- A write of a session must be a HOT update, so no index may hold a column
-- that every write changes: expiry is indexed by its hour, which most writes
-- leave as it is, and pages keep room for the next row version. pglz brings a
-- blob of 5 KB under the 2 kB at which a row would move out of line.
create table session (
    tenant_id         text collate "C" not null,
    session_id        text collate "C" not null,
    version           bigint not null check (version >= 1),
    blob              text compression pglz not null,
    audience          text not null check (audience in ('player', 'ai')),
    attempt_counter   bigint not null,
    replay_compatible boolean not null,
    profile_id        text collate "C",
    engine_version    text not null,
    engine_created_at text not null,
    engine_updated_at text not null,
    expires_at        timestamptz not null,
    expires_hour      timestamp generated always as (date_trunc('hour', expires_at at time zone 'UTC')) stored,
    row_created_at    timestamptz not null default now(),
    row_updated_at    timestamptz not null default now(),
    primary key (tenant_id, session_id)
) with (
    fillfactor = 60,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.05
);

create index session_expiry on session (tenant_id, expires_hour);

create table save (
    tenant_id         text collate "C" not null,
    save_id           text collate "C" not null,
    blob              text compression pglz not null,
    campaign_id       text not null,
    audience          text not null check (audience in ('player', 'ai')),
    profile_id        text collate "C",
    engine_version    text not null,
    saved_at_seq      bigint not null,
    replay_compatible boolean not null,
    engine_created_at text not null,
    expires_at        timestamptz not null,
    expires_hour      timestamp generated always as (date_trunc('hour', expires_at at time zone 'UTC')) stored,
    row_created_at    timestamptz not null default now(),
    row_updated_at    timestamptz not null default now(),
    primary key (tenant_id, save_id)
) with (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.05
);

create index save_expiry on save (tenant_id, expires_hour);

-- Profiles have no expiry and are never swept.
create table profile (
    tenant_id      text collate "C" not null,
    profile_id     text collate "C" not null,
    format_version integer not null,
    row_created_at timestamptz not null default now(),
    primary key (tenant_id, profile_id)
);

create table profile_achievement (
    tenant_id      text collate "C" not null,
    profile_id     text collate "C" not null,
    achievement_id text collate "C" not null,
    row_created_at timestamptz not null default now(),
    primary key (tenant_id, profile_id, achievement_id),
    foreign key (tenant_id, profile_id) references profile (tenant_id, profile_id)
);

-- +goose Down
drop table profile_achievement;
drop table profile;
drop table save;
drop table session;
