CREATE TABLE conversations (
    id          UUID NOT NULL PRIMARY KEY,
    tenant_id   UUID NOT NULL REFERENCES tenants (id),
    title       TEXT,
    created_by  UUID,
    created_at  TIMESTAMPTZ NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX conversations_newest ON conversations (tenant_id, updated_at, id);

-- `seq` is the order in which messages were said.
CREATE TABLE messages (
    seq                BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id          UUID NOT NULL REFERENCES tenants (id),
    id                 TEXT COLLATE "C" NOT NULL,
    conversation_id    UUID NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    parent_id          TEXT COLLATE "C",
    role               TEXT NOT NULL,
    content            TEXT NOT NULL,
    status             TEXT NOT NULL,
    run_id             UUID,
    model              TEXT,
    usage              JSONB NOT NULL,
    dangling           JSONB NOT NULL,
    -- What still works on its sources, if anything does.
    async_job          UUID,
    created_at         TIMESTAMPTZ NOT NULL,
    updated_at         TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX messages_id ON messages (tenant_id, id);
CREATE INDEX messages_conversation ON messages (conversation_id, seq);

CREATE TABLE runs (
    id               UUID NOT NULL PRIMARY KEY,
    tenant_id        UUID NOT NULL REFERENCES tenants (id),
    conversation_id  UUID NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    question_id      TEXT COLLATE "C",
    message_id       TEXT COLLATE "C" NOT NULL,
    mode             TEXT NOT NULL,
    status           TEXT NOT NULL,
    error            TEXT,
    usage            JSONB NOT NULL,
    last_seq         BIGINT NOT NULL DEFAULT 0,
    is_cancelled     BIGINT NOT NULL DEFAULT 0,
    -- Until when the server that runs it has said that it is alive; nothing where an agent elsewhere does.
    alive_until      TIMESTAMPTZ,
    created_at       TIMESTAMPTZ NOT NULL,
    updated_at       TIMESTAMPTZ NOT NULL,
    finished_at      TIMESTAMPTZ
);
CREATE INDEX runs_newest ON runs (tenant_id, id);
CREATE INDEX runs_conversation ON runs (conversation_id);
CREATE INDEX runs_alive ON runs (alive_until) WHERE alive_until IS NOT NULL;

CREATE TABLE run_events (
    run_id      UUID NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq         BIGINT NOT NULL,
    kind        TEXT NOT NULL,
    data        JSONB NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (run_id, seq)
);

-- What the tools of a run returned, in order; results of the same work share its number.
CREATE TABLE run_sources (
    run_id   UUID NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    ordinal  BIGINT NOT NULL,
    number   BIGINT NOT NULL,
    source   JSONB NOT NULL,
    PRIMARY KEY (run_id, ordinal)
);

-- What a source was when it was cited is kept beside its id, which is lost with the source.
CREATE TABLE citations (
    id               UUID NOT NULL PRIMARY KEY,
    tenant_id        UUID NOT NULL REFERENCES tenants (id),
    conversation_id  UUID NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    message_id       TEXT COLLATE "C" NOT NULL,
    run_id           UUID,
    number           BIGINT NOT NULL,
    start_index      BIGINT NOT NULL,
    end_index        BIGINT NOT NULL,
    claim_start      BIGINT,
    claim_end        BIGINT,
    source_id        UUID REFERENCES sources (id) ON DELETE SET NULL,
    cited_id         TEXT NOT NULL,
    was_in_library   BIGINT NOT NULL,
    title            TEXT NOT NULL,
    file_name        TEXT NOT NULL,
    origin           TEXT NOT NULL,
    media_type       TEXT NOT NULL,
    is_image         BIGINT NOT NULL,
    url              TEXT,
    relevance        DOUBLE PRECISION,
    excerpt_count    BIGINT NOT NULL,
    quote            TEXT,
    revision_id      UUID REFERENCES revisions (id) ON DELETE SET NULL,
    text_sha256      BYTEA,
    content_sha256   BYTEA,
    start_char       BIGINT,
    end_char         BIGINT,
    prefix           TEXT NOT NULL,
    suffix           TEXT NOT NULL,
    first_page       BIGINT,
    last_page        BIGINT,
    verdict          TEXT,
    score            DOUBLE PRECISION,
    state            TEXT NOT NULL,
    -- What the source is about; known some time after it was cited.
    summary          TEXT,
    created_at       TIMESTAMPTZ NOT NULL,
    FOREIGN KEY (tenant_id, text_sha256) REFERENCES artifacts (tenant_id, sha256),
    FOREIGN KEY (tenant_id, content_sha256) REFERENCES artifacts (tenant_id, sha256)
);
CREATE UNIQUE INDEX citations_message ON citations (tenant_id, message_id, start_index, number);
CREATE INDEX citations_conversation ON citations (conversation_id);
CREATE INDEX citations_source ON citations (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX citations_revision ON citations (revision_id) WHERE revision_id IS NOT NULL;
CREATE INDEX citations_newest ON citations (tenant_id, created_at);
CREATE INDEX citations_text ON citations (tenant_id, text_sha256) WHERE text_sha256 IS NOT NULL;
CREATE INDEX citations_content ON citations (tenant_id, content_sha256) WHERE content_sha256 IS NOT NULL;
