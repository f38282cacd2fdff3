CREATE TABLE conversations (
    id          BLOB NOT NULL PRIMARY KEY,
    tenant_id   BLOB NOT NULL REFERENCES tenants (id),
    title       TEXT,
    created_by  BLOB,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX conversations_newest ON conversations (tenant_id, updated_at, id);

-- `seq` is the order in which messages were said.
CREATE TABLE messages (
    seq                INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id          BLOB NOT NULL REFERENCES tenants (id),
    id                 TEXT NOT NULL,
    conversation_id    BLOB NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    parent_id          TEXT,
    role               TEXT NOT NULL,
    content            TEXT NOT NULL,
    status             TEXT NOT NULL,
    run_id             BLOB,
    model              TEXT,
    usage              TEXT NOT NULL,
    dangling           TEXT NOT NULL,
    -- What still works on its sources, if anything does.
    async_job          BLOB,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX messages_id ON messages (tenant_id, id);
CREATE INDEX messages_conversation ON messages (conversation_id, seq);

CREATE TABLE runs (
    id               BLOB NOT NULL PRIMARY KEY,
    tenant_id        BLOB NOT NULL REFERENCES tenants (id),
    conversation_id  BLOB NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    question_id      TEXT,
    message_id       TEXT NOT NULL,
    mode             TEXT NOT NULL,
    status           TEXT NOT NULL,
    error            TEXT,
    usage            TEXT NOT NULL,
    last_seq         INTEGER NOT NULL DEFAULT 0,
    is_cancelled     INTEGER NOT NULL DEFAULT 0,
    -- Until when the server that runs it has said that it is alive; nothing where an agent elsewhere does.
    alive_until      INTEGER,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    finished_at      INTEGER
) STRICT;
CREATE INDEX runs_newest ON runs (tenant_id, id);
CREATE INDEX runs_conversation ON runs (conversation_id);
CREATE INDEX runs_alive ON runs (alive_until) WHERE alive_until IS NOT NULL;

CREATE TABLE run_events (
    run_id      BLOB NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq         INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    data        TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

-- What the tools of a run returned, in order; results of the same work share its number.
CREATE TABLE run_sources (
    run_id   BLOB NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    ordinal  INTEGER NOT NULL,
    number   INTEGER NOT NULL,
    source   TEXT NOT NULL,
    PRIMARY KEY (run_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What a source was when it was cited is kept beside its id, which is lost with the source.
CREATE TABLE citations (
    id               BLOB NOT NULL PRIMARY KEY,
    tenant_id        BLOB NOT NULL REFERENCES tenants (id),
    conversation_id  BLOB NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    message_id       TEXT NOT NULL,
    run_id           BLOB,
    number           INTEGER NOT NULL,
    start_index      INTEGER NOT NULL,
    end_index        INTEGER NOT NULL,
    claim_start      INTEGER,
    claim_end        INTEGER,
    source_id        BLOB REFERENCES sources (id) ON DELETE SET NULL,
    cited_id         TEXT NOT NULL,
    was_in_library   INTEGER NOT NULL,
    title            TEXT NOT NULL,
    file_name        TEXT NOT NULL,
    origin           TEXT NOT NULL,
    media_type       TEXT NOT NULL,
    is_image         INTEGER NOT NULL,
    url              TEXT,
    relevance        REAL,
    excerpt_count    INTEGER NOT NULL,
    quote            TEXT,
    revision_id      BLOB REFERENCES revisions (id) ON DELETE SET NULL,
    text_sha256      BLOB,
    content_sha256   BLOB,
    start_char       INTEGER,
    end_char         INTEGER,
    prefix           TEXT NOT NULL,
    suffix           TEXT NOT NULL,
    first_page       INTEGER,
    last_page        INTEGER,
    verdict          TEXT,
    score            REAL,
    state            TEXT NOT NULL,
    -- What the source is about; known some time after it was cited.
    summary          TEXT,
    created_at       INTEGER NOT NULL,
    FOREIGN KEY (tenant_id, text_sha256) REFERENCES artifacts (tenant_id, sha256),
    FOREIGN KEY (tenant_id, content_sha256) REFERENCES artifacts (tenant_id, sha256)
) STRICT;
CREATE UNIQUE INDEX citations_message ON citations (tenant_id, message_id, start_index, number);
CREATE INDEX citations_conversation ON citations (conversation_id);
CREATE INDEX citations_source ON citations (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX citations_revision ON citations (revision_id) WHERE revision_id IS NOT NULL;
CREATE INDEX citations_newest ON citations (tenant_id, created_at);
CREATE INDEX citations_text ON citations (tenant_id, text_sha256) WHERE text_sha256 IS NOT NULL;
CREATE INDEX citations_content ON citations (tenant_id, content_sha256) WHERE content_sha256 IS NOT NULL;
