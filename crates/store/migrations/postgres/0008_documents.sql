-- Texts that are written here. What a version holds is a manifest; this is the newest one, ready to be shown.
-- `citation_count` is the last number that was given out.
CREATE TABLE documents (
    id               UUID NOT NULL PRIMARY KEY,
    tenant_id        UUID NOT NULL REFERENCES tenants (id),
    title            TEXT NOT NULL,
    format           TEXT NOT NULL,
    style            TEXT NOT NULL,
    locale           TEXT NOT NULL,
    template         TEXT NOT NULL,
    cite_as          TEXT NOT NULL,
    missing          TEXT NOT NULL,
    authors          JSONB NOT NULL,
    date             TEXT,
    version          BIGINT NOT NULL,
    manifest_sha256  BYTEA NOT NULL,
    text_sha256      BYTEA NOT NULL,
    citation_count   BIGINT NOT NULL,
    created_by       UUID,
    created_at       TIMESTAMPTZ NOT NULL,
    updated_at       TIMESTAMPTZ NOT NULL
);
CREATE INDEX documents_newest ON documents (tenant_id, updated_at, id);

CREATE TABLE document_versions (
    document_id      UUID NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    version          BIGINT NOT NULL,
    manifest_sha256  BYTEA NOT NULL,
    title            TEXT NOT NULL,
    message          TEXT,
    char_count       BIGINT NOT NULL,
    added            BIGINT NOT NULL,
    removed          BIGINT NOT NULL,
    created_by       UUID,
    created_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (document_id, version)
);

-- What a document is written from.
CREATE TABLE document_sources (
    document_id  UUID NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    source_id    UUID NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    added_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (document_id, source_id)
);
CREATE INDEX document_sources_source ON document_sources (source_id);

-- `position` is where it stands in the newest text; `was_marked` says that its marker has stood in it, so that a citation
-- whose marker was taken out is not set. What its source was is kept for when it is gone.
CREATE TABLE document_citations (
    id               UUID NOT NULL PRIMARY KEY,
    tenant_id        UUID NOT NULL REFERENCES tenants (id),
    document_id      UUID NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    citation_number  BIGINT NOT NULL,
    source_id        UUID REFERENCES sources (id) ON DELETE SET NULL,
    position         BIGINT NOT NULL,
    is_marked        BIGINT NOT NULL,
    was_marked       BIGINT NOT NULL,
    locator          TEXT,
    prefix           TEXT,
    suffix           TEXT,
    quote            TEXT,
    title            TEXT NOT NULL,
    source_type      TEXT NOT NULL,
    url              TEXT,
    item             JSONB NOT NULL,
    created_at       TIMESTAMPTZ NOT NULL,
    UNIQUE (document_id, citation_number)
);
CREATE INDEX document_citations_source ON document_citations (source_id) WHERE source_id IS NOT NULL;

-- Styles of CSL that were brought.
CREATE TABLE styles (
    tenant_id   UUID NOT NULL REFERENCES tenants (id),
    name        TEXT NOT NULL,
    title       TEXT NOT NULL,
    text        TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (tenant_id, name)
);
