-- What changed and has to be taken over by the search index beside the database, in order. Rows that the index has
-- taken over for good are forgotten; the last one stays, so that an index knows whether it missed any.
CREATE TABLE index_log (
    position   INTEGER PRIMARY KEY AUTOINCREMENT,
    -- chunks, vectors, source, gone or space
    kind       TEXT NOT NULL,
    source_id  BLOB,
    -- The chunks from this seq to that one.
    first_seq  INTEGER,
    last_seq   INTEGER,
    space_id   INTEGER
) STRICT;
-- What was here before is not in the log: an index that begins here reads the library itself.
INSERT INTO index_log (kind) VALUES ('start');

-- Bytes of artifacts that are too small and too many to lie in a file each: passages that were imported.
CREATE TABLE small_blobs (
    tenant_id  BLOB NOT NULL,
    sha256     BLOB NOT NULL,
    bytes      BLOB NOT NULL,
    PRIMARY KEY (tenant_id, sha256),
    FOREIGN KEY (tenant_id, sha256) REFERENCES artifacts (tenant_id, sha256) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX revisions_manifest ON revisions (tenant_id, manifest_sha256) WHERE manifest_sha256 IS NOT NULL;
