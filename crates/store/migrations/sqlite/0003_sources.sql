CREATE TABLE sources (
    id                BLOB NOT NULL PRIMARY KEY,
    tenant_id         BLOB NOT NULL REFERENCES tenants (id),
    kind              TEXT NOT NULL,
    origin            TEXT NOT NULL,
    reference         TEXT NOT NULL,
    edited            TEXT NOT NULL,
    url               TEXT,
    url_key           TEXT,
    canonical_url     TEXT,
    site_name         TEXT,
    favicon           TEXT,
    metadata          TEXT NOT NULL,
    tags              TEXT NOT NULL,
    document_id       BLOB,
    project_id        BLOB,
    run_id            BLOB,
    message_id        TEXT,
    external_id       TEXT,
    is_available      INTEGER NOT NULL,
    status            TEXT NOT NULL,
    extraction_error  TEXT,
    embedding         TEXT NOT NULL,
    embedding_error   TEXT,
    revision_id       BLOB,
    -- What a person would look for it by, in lower case: title, authors, address, file name, tags.
    words             TEXT NOT NULL,
    created_by        BLOB,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    accessed_at       INTEGER NOT NULL
) STRICT;
CREATE INDEX sources_newest ON sources (tenant_id, id);
CREATE INDEX sources_kind ON sources (tenant_id, kind, id);
CREATE INDEX sources_document ON sources (tenant_id, document_id, id) WHERE document_id IS NOT NULL;
CREATE INDEX sources_run ON sources (tenant_id, run_id, id) WHERE run_id IS NOT NULL;
CREATE INDEX sources_message ON sources (tenant_id, message_id, id) WHERE message_id IS NOT NULL;
CREATE INDEX sources_url ON sources (tenant_id, url_key) WHERE url_key IS NOT NULL;
CREATE INDEX sources_external ON sources (tenant_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX sources_unfinished ON sources (tenant_id, id) WHERE status = 'pending' OR embedding = 'pending';

CREATE TABLE revisions (
    id                BLOB NOT NULL PRIMARY KEY,
    tenant_id         BLOB NOT NULL REFERENCES tenants (id),
    source_id         BLOB NOT NULL REFERENCES sources (id),
    number            INTEGER NOT NULL,
    content_sha256    BLOB NOT NULL,
    text_sha256       BLOB,
    thumbnail_sha256  BLOB,
    media_type        TEXT NOT NULL,
    filename          TEXT,
    size_bytes        INTEGER NOT NULL,
    text_chars        INTEGER NOT NULL DEFAULT 0,
    page_count        INTEGER,
    chunk_count       INTEGER NOT NULL DEFAULT 0,
    language          TEXT,
    manifest_sha256   BLOB,
    validators        TEXT NOT NULL,
    created_at        INTEGER NOT NULL,
    extracted_at      INTEGER,
    FOREIGN KEY (tenant_id, content_sha256) REFERENCES artifacts (tenant_id, sha256),
    FOREIGN KEY (tenant_id, text_sha256) REFERENCES artifacts (tenant_id, sha256),
    FOREIGN KEY (tenant_id, thumbnail_sha256) REFERENCES artifacts (tenant_id, sha256)
) STRICT;
CREATE UNIQUE INDEX revisions_order ON revisions (source_id, number);
CREATE INDEX revisions_content ON revisions (tenant_id, content_sha256);
CREATE INDEX revisions_text ON revisions (tenant_id, text_sha256);
CREATE INDEX revisions_thumbnail ON revisions (tenant_id, thumbnail_sha256) WHERE thumbnail_sha256 IS NOT NULL;

CREATE TABLE marks (
    revision_id  BLOB NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
    ordinal      INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    label        TEXT NOT NULL,
    number       INTEGER,
    level        INTEGER NOT NULL,
    start_char   INTEGER NOT NULL,
    end_char     INTEGER NOT NULL,
    PRIMARY KEY (revision_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunks (
    seq          INTEGER PRIMARY KEY,
    id           BLOB NOT NULL UNIQUE,
    tenant_id    BLOB NOT NULL REFERENCES tenants (id),
    source_id    BLOB NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    revision_id  BLOB NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
    ordinal      INTEGER NOT NULL,
    start_char   INTEGER NOT NULL,
    end_char     INTEGER NOT NULL,
    tokens       INTEGER NOT NULL,
    page         INTEGER,
    place        TEXT NOT NULL,
    content      TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX chunks_order ON chunks (revision_id, ordinal);
CREATE INDEX chunks_source ON chunks (source_id);

-- The words of chunks; the text itself stands in `chunks`.
CREATE VIRTUAL TABLE chunk_words USING fts5 (
    content, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER chunks_kept AFTER INSERT ON chunks BEGIN
    INSERT INTO chunk_words (rowid, content) VALUES (new.seq, new.content);
END;
CREATE TRIGGER chunks_gone AFTER DELETE ON chunks BEGIN
    DELETE FROM chunk_words WHERE rowid = old.seq;
END;

-- A way of turning text into vectors. Search uses the one that is in use; another may be filling beside it.
CREATE TABLE embedding_spaces (
    id          INTEGER PRIMARY KEY,
    provider    TEXT NOT NULL,
    model       TEXT NOT NULL,
    dimension   INTEGER NOT NULL,
    in_use      INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    UNIQUE (provider, model, dimension)
) STRICT;

CREATE TABLE chunk_vectors (
    space_id  INTEGER NOT NULL REFERENCES embedding_spaces (id) ON DELETE CASCADE,
    chunk_id  BLOB NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    vector    BLOB NOT NULL,
    PRIMARY KEY (space_id, chunk_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX chunk_vectors_chunk ON chunk_vectors (chunk_id);
