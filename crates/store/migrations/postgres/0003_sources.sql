CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE sources (
    id                UUID NOT NULL PRIMARY KEY,
    tenant_id         UUID NOT NULL REFERENCES tenants (id),
    kind              TEXT NOT NULL,
    origin            TEXT NOT NULL,
    reference         JSONB NOT NULL,
    edited            JSONB NOT NULL,
    url               TEXT,
    url_key           TEXT COLLATE "C",
    canonical_url     TEXT,
    site_name         TEXT,
    favicon           TEXT,
    metadata          JSONB NOT NULL,
    tags              JSONB NOT NULL,
    document_id       UUID,
    project_id        UUID,
    run_id            UUID,
    message_id        TEXT COLLATE "C",
    external_id       TEXT COLLATE "C",
    is_available      BIGINT NOT NULL,
    status            TEXT NOT NULL,
    extraction_error  JSONB,
    embedding         TEXT NOT NULL,
    embedding_error   TEXT,
    revision_id       UUID,
    -- What a person would look for it by, in lower case: title, authors, address, file name, tags.
    words             TEXT COLLATE "C" NOT NULL,
    created_by        UUID,
    created_at        TIMESTAMPTZ NOT NULL,
    updated_at        TIMESTAMPTZ NOT NULL,
    accessed_at       TIMESTAMPTZ NOT NULL
);
CREATE INDEX sources_newest ON sources (tenant_id, id);
CREATE INDEX sources_kind ON sources (tenant_id, kind, id);
CREATE INDEX sources_document ON sources (tenant_id, document_id, id) WHERE document_id IS NOT NULL;
CREATE INDEX sources_run ON sources (tenant_id, run_id, id) WHERE run_id IS NOT NULL;
CREATE INDEX sources_message ON sources (tenant_id, message_id, id) WHERE message_id IS NOT NULL;
CREATE INDEX sources_url ON sources (tenant_id, url_key) WHERE url_key IS NOT NULL;
CREATE INDEX sources_external ON sources (tenant_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX sources_unfinished ON sources (tenant_id, id) WHERE status = 'pending' OR embedding = 'pending';

CREATE TABLE revisions (
    id                UUID NOT NULL PRIMARY KEY,
    tenant_id         UUID NOT NULL REFERENCES tenants (id),
    source_id         UUID NOT NULL REFERENCES sources (id),
    number            BIGINT NOT NULL,
    content_sha256    BYTEA NOT NULL,
    text_sha256       BYTEA,
    thumbnail_sha256  BYTEA,
    media_type        TEXT NOT NULL,
    filename          TEXT,
    size_bytes        BIGINT NOT NULL,
    text_chars        BIGINT NOT NULL DEFAULT 0,
    page_count        BIGINT,
    chunk_count       BIGINT NOT NULL DEFAULT 0,
    language          TEXT,
    manifest_sha256   BYTEA,
    validators        JSONB NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL,
    extracted_at      TIMESTAMPTZ,
    FOREIGN KEY (tenant_id, content_sha256) REFERENCES artifacts (tenant_id, sha256),
    FOREIGN KEY (tenant_id, text_sha256) REFERENCES artifacts (tenant_id, sha256),
    FOREIGN KEY (tenant_id, thumbnail_sha256) REFERENCES artifacts (tenant_id, sha256)
);
CREATE UNIQUE INDEX revisions_order ON revisions (source_id, number);
CREATE INDEX revisions_content ON revisions (tenant_id, content_sha256);
CREATE INDEX revisions_text ON revisions (tenant_id, text_sha256);
CREATE INDEX revisions_thumbnail ON revisions (tenant_id, thumbnail_sha256) WHERE thumbnail_sha256 IS NOT NULL;

CREATE TABLE marks (
    revision_id  UUID NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
    ordinal      BIGINT NOT NULL,
    kind         TEXT NOT NULL,
    label        TEXT NOT NULL,
    number       BIGINT,
    level        BIGINT NOT NULL,
    start_char   BIGINT NOT NULL,
    end_char     BIGINT NOT NULL,
    PRIMARY KEY (revision_id, ordinal)
);

CREATE TABLE chunks (
    seq          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           UUID NOT NULL UNIQUE,
    tenant_id    UUID NOT NULL REFERENCES tenants (id),
    source_id    UUID NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    revision_id  UUID NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
    ordinal      BIGINT NOT NULL,
    start_char   BIGINT NOT NULL,
    end_char     BIGINT NOT NULL,
    tokens       BIGINT NOT NULL,
    page         BIGINT,
    place        JSONB NOT NULL,
    content      TEXT NOT NULL
);
CREATE UNIQUE INDEX chunks_order ON chunks (revision_id, ordinal);
CREATE INDEX chunks_source ON chunks (source_id);
-- Words as they stand, not stemmed: a document of any language is found by them.
CREATE INDEX chunks_words ON chunks USING gin (to_tsvector('simple', content));

-- A way of turning text into vectors. Search uses the one that is in use; another may be filling beside it.
CREATE TABLE embedding_spaces (
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider    TEXT NOT NULL,
    model       TEXT NOT NULL,
    dimension   BIGINT NOT NULL,
    in_use      BIGINT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    UNIQUE (provider, model, dimension)
);

CREATE TABLE chunk_vectors (
    space_id  BIGINT NOT NULL REFERENCES embedding_spaces (id) ON DELETE CASCADE,
    chunk_id  UUID NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    vector    vector NOT NULL,
    PRIMARY KEY (space_id, chunk_id)
);
CREATE INDEX chunk_vectors_chunk ON chunk_vectors (chunk_id);
