CREATE TABLE jobs (
    id            BLOB NOT NULL PRIMARY KEY,
    tenant_id     BLOB NOT NULL REFERENCES tenants (id),
    kind          TEXT NOT NULL,
    payload       TEXT NOT NULL,
    dedupe_key    TEXT,
    state         TEXT NOT NULL,
    priority      INTEGER NOT NULL,
    progress      TEXT,
    result        TEXT,
    attempt       INTEGER NOT NULL DEFAULT 0,
    max_attempts  INTEGER NOT NULL,
    last_error    TEXT,
    lease         BLOB,
    lease_until   INTEGER,
    created_by    BLOB,
    run_at        INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    started_at    INTEGER,
    finished_at   INTEGER
) STRICT;
CREATE INDEX jobs_newest ON jobs (tenant_id, id);
CREATE INDEX jobs_queued ON jobs (priority, run_at, id) WHERE state = 'queued';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'running';
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE UNIQUE INDEX jobs_dedupe ON jobs (tenant_id, kind, dedupe_key) WHERE dedupe_key IS NOT NULL AND state = 'queued';

-- What happened to jobs, in the order in which watchers may see it. `writer` is the transaction on PostgreSQL.
CREATE TABLE job_events (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    writer      INTEGER NOT NULL DEFAULT 0,
    tenant_id   BLOB NOT NULL REFERENCES tenants (id),
    job_id      BLOB NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    change      TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX job_events_order ON job_events (tenant_id, writer, seq);
CREATE INDEX job_events_job ON job_events (job_id);
