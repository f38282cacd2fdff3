-- Texts that are written here. What a version holds is a manifest; this is the newest one, ready to be shown.
-- `citation_count` is the last number that was given out.
CREATE TABLE documents (
    id               BLOB NOT NULL PRIMARY KEY,
    tenant_id        BLOB NOT NULL REFERENCES tenants (id),
    title            TEXT NOT NULL,
    format           TEXT NOT NULL,
    style            TEXT NOT NULL,
    locale           TEXT NOT NULL,
    template         TEXT NOT NULL,
    cite_as          TEXT NOT NULL,
    missing          TEXT NOT NULL,
    authors          TEXT NOT NULL,
    date             TEXT,
    version          INTEGER NOT NULL,
    manifest_sha256  BLOB NOT NULL,
    text_sha256      BLOB NOT NULL,
    citation_count   INTEGER NOT NULL,
    created_by       BLOB,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL
) STRICT;
CREATE INDEX documents_newest ON documents (tenant_id, updated_at, id);

CREATE TABLE document_versions (
    document_id      BLOB NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    version          INTEGER NOT NULL,
    manifest_sha256  BLOB NOT NULL,
    title            TEXT NOT NULL,
    message          TEXT,
    char_count       INTEGER NOT NULL,
    added            INTEGER NOT NULL,
    removed          INTEGER NOT NULL,
    created_by       BLOB,
    created_at       INTEGER NOT NULL,
    PRIMARY KEY (document_id, version)
) STRICT, WITHOUT ROWID;

-- What a document is written from.
CREATE TABLE document_sources (
    document_id  BLOB NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    source_id    BLOB NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    added_at     INTEGER NOT NULL,
    PRIMARY KEY (document_id, source_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_sources_source ON document_sources (source_id);

-- `position` is where it stands in the newest text; `was_marked` says that its marker has stood in it, so that a citation
-- whose marker was taken out is not set. What its source was is kept for when it is gone.
CREATE TABLE document_citations (
    id               BLOB NOT NULL PRIMARY KEY,
    tenant_id        BLOB NOT NULL REFERENCES tenants (id),
    document_id      BLOB NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    citation_number  INTEGER NOT NULL,
    source_id        BLOB REFERENCES sources (id) ON DELETE SET NULL,
    position         INTEGER NOT NULL,
    is_marked        INTEGER NOT NULL,
    was_marked       INTEGER NOT NULL,
    locator          TEXT,
    prefix           TEXT,
    suffix           TEXT,
    quote            TEXT,
    title            TEXT NOT NULL,
    source_type      TEXT NOT NULL,
    url              TEXT,
    item             TEXT NOT NULL,
    created_at       INTEGER NOT NULL,
    UNIQUE (document_id, citation_number)
) STRICT;
CREATE INDEX document_citations_source ON document_citations (source_id) WHERE source_id IS NOT NULL;

-- Styles of CSL that were brought.
CREATE TABLE styles (
    tenant_id   BLOB NOT NULL REFERENCES tenants (id),
    name        TEXT NOT NULL,
    title       TEXT NOT NULL,
    text        TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, name)
) STRICT, WITHOUT ROWID;
