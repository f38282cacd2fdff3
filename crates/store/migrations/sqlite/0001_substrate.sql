-- Times are microseconds since 1970, ids and hashes are raw bytes, JSON is text.
CREATE TABLE tenants (
    id          BLOB NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
    id          BLOB NOT NULL PRIMARY KEY,
    tenant_id   BLOB NOT NULL REFERENCES tenants (id),
    name        TEXT NOT NULL,
    role        TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX users_tenant ON users (tenant_id, id);

CREATE TABLE artifacts (
    tenant_id        BLOB NOT NULL REFERENCES tenants (id),
    sha256           BLOB NOT NULL,
    media_type       TEXT NOT NULL,
    size_bytes       INTEGER NOT NULL,
    filename         TEXT,
    storage_uri      TEXT NOT NULL,
    storage_class    TEXT NOT NULL,
    entity_type      TEXT,
    entity_metadata  TEXT,
    created_by       BLOB,
    reference_count  INTEGER NOT NULL DEFAULT 0,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX artifacts_newest ON artifacts (tenant_id, created_at, sha256);
CREATE INDEX artifacts_type ON artifacts (tenant_id, entity_type, created_at, sha256) WHERE entity_type IS NOT NULL;
CREATE INDEX artifacts_unreferenced ON artifacts (tenant_id, updated_at) WHERE reference_count = 0;

-- Blobs whose artifact is gone and whose bytes are still to be removed.
CREATE TABLE condemned_blobs (
    tenant_id   BLOB NOT NULL REFERENCES tenants (id),
    sha256      BLOB NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, sha256)
) STRICT, WITHOUT ROWID;

CREATE TABLE manifests (
    tenant_id         BLOB NOT NULL REFERENCES tenants (id),
    sha256            BLOB NOT NULL,
    parent_sha256     BLOB,
    message           TEXT,
    entry_count       INTEGER NOT NULL,
    total_size_bytes  INTEGER NOT NULL,
    created_by        BLOB,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, sha256),
    FOREIGN KEY (tenant_id, parent_sha256) REFERENCES manifests (tenant_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX manifests_children ON manifests (tenant_id, parent_sha256);

CREATE TABLE manifest_entries (
    tenant_id        BLOB NOT NULL,
    manifest_sha256  BLOB NOT NULL,
    path             TEXT NOT NULL,
    artifact_sha256  BLOB NOT NULL,
    media_type       TEXT NOT NULL,
    size_bytes       INTEGER NOT NULL,
    entity_type      TEXT,
    PRIMARY KEY (tenant_id, manifest_sha256, path),
    FOREIGN KEY (tenant_id, manifest_sha256) REFERENCES manifests (tenant_id, sha256),
    FOREIGN KEY (tenant_id, artifact_sha256) REFERENCES artifacts (tenant_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX manifest_entries_artifact ON manifest_entries (tenant_id, artifact_sha256);

CREATE TABLE pointers (
    id               BLOB NOT NULL PRIMARY KEY,
    tenant_id        BLOB NOT NULL REFERENCES tenants (id),
    namespace        TEXT NOT NULL,
    name             TEXT NOT NULL,
    manifest_sha256  BLOB,
    pointer_type     TEXT NOT NULL,
    description      TEXT,
    meta             TEXT NOT NULL,
    created_by       BLOB,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    deleted_at       INTEGER,
    FOREIGN KEY (tenant_id, manifest_sha256) REFERENCES manifests (tenant_id, sha256)
) STRICT;
CREATE UNIQUE INDEX pointers_name ON pointers (tenant_id, namespace, name) WHERE deleted_at IS NULL;
CREATE INDEX pointers_manifest ON pointers (tenant_id, manifest_sha256);
CREATE INDEX pointers_deleted ON pointers (tenant_id, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE pointer_history (
    id                    BLOB NOT NULL PRIMARY KEY,
    tenant_id             BLOB NOT NULL REFERENCES tenants (id),
    pointer_id            BLOB NOT NULL REFERENCES pointers (id),
    seq                   INTEGER NOT NULL,
    from_manifest_sha256  BLOB,
    to_manifest_sha256    BLOB,
    reason                TEXT,
    changed_by            BLOB,
    created_at            INTEGER NOT NULL,
    FOREIGN KEY (tenant_id, from_manifest_sha256) REFERENCES manifests (tenant_id, sha256),
    FOREIGN KEY (tenant_id, to_manifest_sha256) REFERENCES manifests (tenant_id, sha256)
) STRICT;
CREATE UNIQUE INDEX pointer_history_order ON pointer_history (pointer_id, seq);
CREATE INDEX pointer_history_from ON pointer_history (tenant_id, from_manifest_sha256);
CREATE INDEX pointer_history_to ON pointer_history (tenant_id, to_manifest_sha256);

CREATE TABLE idempotency_keys (
    tenant_id     BLOB NOT NULL REFERENCES tenants (id),
    key           TEXT NOT NULL,
    fingerprint   BLOB NOT NULL,
    claim         BLOB NOT NULL,
    status        INTEGER,
    content_type  TEXT,
    body          BLOB,
    created_at    INTEGER NOT NULL,
    locked_until  INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
