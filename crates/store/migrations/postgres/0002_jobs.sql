CREATE TABLE jobs (
    id            UUID NOT NULL PRIMARY KEY,
    tenant_id     UUID NOT NULL REFERENCES tenants (id),
    kind          TEXT NOT NULL,
    payload       JSONB NOT NULL,
    dedupe_key    TEXT,
    state         TEXT NOT NULL,
    priority      BIGINT NOT NULL,
    progress      JSONB,
    result        JSONB,
    attempt       BIGINT NOT NULL DEFAULT 0,
    max_attempts  BIGINT NOT NULL,
    last_error    TEXT,
    lease         UUID,
    lease_until   TIMESTAMPTZ,
    created_by    UUID,
    run_at        TIMESTAMPTZ NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    updated_at    TIMESTAMPTZ NOT NULL,
    started_at    TIMESTAMPTZ,
    finished_at   TIMESTAMPTZ
);
CREATE INDEX jobs_newest ON jobs (tenant_id, id);
CREATE INDEX jobs_queued ON jobs (priority, run_at, id) WHERE state = 'queued';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'running';
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE UNIQUE INDEX jobs_dedupe ON jobs (tenant_id, kind, dedupe_key) WHERE dedupe_key IS NOT NULL AND state = 'queued';

-- What happened to jobs, in the order in which watchers may see it. `writer` is the transaction on PostgreSQL.
CREATE TABLE job_events (
    seq         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    writer      BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
    tenant_id   UUID NOT NULL REFERENCES tenants (id),
    job_id      UUID NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    change      TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX job_events_order ON job_events (tenant_id, writer, seq);
CREATE INDEX job_events_job ON job_events (job_id);
