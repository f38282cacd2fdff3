CREATE TABLE tenants (
    id          UUID NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL
);

CREATE TABLE users (
    id          UUID NOT NULL PRIMARY KEY,
    tenant_id   UUID NOT NULL REFERENCES tenants (id),
    name        TEXT NOT NULL,
    role        TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX users_tenant ON users (tenant_id, id);

CREATE TABLE artifacts (
    tenant_id        UUID NOT NULL REFERENCES tenants (id),
    sha256           BYTEA NOT NULL,
    media_type       TEXT NOT NULL,
    size_bytes       BIGINT NOT NULL,
    filename         TEXT,
    storage_uri      TEXT NOT NULL,
    storage_class    TEXT NOT NULL,
    entity_type      TEXT,
    entity_metadata  JSONB,
    created_by       UUID,
    reference_count  BIGINT NOT NULL DEFAULT 0,
    created_at       TIMESTAMPTZ NOT NULL,
    updated_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (tenant_id, sha256)
);
CREATE INDEX artifacts_newest ON artifacts (tenant_id, created_at, sha256);
CREATE INDEX artifacts_type ON artifacts (tenant_id, entity_type, created_at, sha256) WHERE entity_type IS NOT NULL;
CREATE INDEX artifacts_unreferenced ON artifacts (tenant_id, updated_at) WHERE reference_count = 0;

-- Blobs whose artifact is gone and whose bytes are still to be removed.
CREATE TABLE condemned_blobs (
    tenant_id   UUID NOT NULL REFERENCES tenants (id),
    sha256      BYTEA NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (tenant_id, sha256)
);

CREATE TABLE manifests (
    tenant_id         UUID NOT NULL REFERENCES tenants (id),
    sha256            BYTEA NOT NULL,
    parent_sha256     BYTEA,
    message           TEXT,
    entry_count       BIGINT NOT NULL,
    total_size_bytes  BIGINT NOT NULL,
    created_by        UUID,
    created_at        TIMESTAMPTZ NOT NULL,
    updated_at        TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (tenant_id, sha256),
    FOREIGN KEY (tenant_id, parent_sha256) REFERENCES manifests (tenant_id, sha256)
);
CREATE INDEX manifests_children ON manifests (tenant_id, parent_sha256);

CREATE TABLE manifest_entries (
    tenant_id        UUID NOT NULL,
    manifest_sha256  BYTEA NOT NULL,
    path             TEXT COLLATE "C" NOT NULL,
    artifact_sha256  BYTEA NOT NULL,
    media_type       TEXT NOT NULL,
    size_bytes       BIGINT NOT NULL,
    entity_type      TEXT,
    PRIMARY KEY (tenant_id, manifest_sha256, path),
    FOREIGN KEY (tenant_id, manifest_sha256) REFERENCES manifests (tenant_id, sha256),
    FOREIGN KEY (tenant_id, artifact_sha256) REFERENCES artifacts (tenant_id, sha256)
);
CREATE INDEX manifest_entries_artifact ON manifest_entries (tenant_id, artifact_sha256);

CREATE TABLE pointers (
    id               UUID NOT NULL PRIMARY KEY,
    tenant_id        UUID NOT NULL REFERENCES tenants (id),
    namespace        TEXT COLLATE "C" NOT NULL,
    name             TEXT COLLATE "C" NOT NULL,
    manifest_sha256  BYTEA,
    pointer_type     TEXT NOT NULL,
    description      TEXT,
    meta             JSONB NOT NULL,
    created_by       UUID,
    created_at       TIMESTAMPTZ NOT NULL,
    updated_at       TIMESTAMPTZ NOT NULL,
    deleted_at       TIMESTAMPTZ,
    FOREIGN KEY (tenant_id, manifest_sha256) REFERENCES manifests (tenant_id, sha256)
);
CREATE UNIQUE INDEX pointers_name ON pointers (tenant_id, namespace, name) WHERE deleted_at IS NULL;
CREATE INDEX pointers_manifest ON pointers (tenant_id, manifest_sha256);
CREATE INDEX pointers_deleted ON pointers (tenant_id, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE pointer_history (
    id                    UUID NOT NULL PRIMARY KEY,
    tenant_id             UUID NOT NULL REFERENCES tenants (id),
    pointer_id            UUID NOT NULL REFERENCES pointers (id),
    seq                   BIGINT NOT NULL,
    from_manifest_sha256  BYTEA,
    to_manifest_sha256    BYTEA,
    reason                TEXT,
    changed_by            UUID,
    created_at            TIMESTAMPTZ NOT NULL,
    FOREIGN KEY (tenant_id, from_manifest_sha256) REFERENCES manifests (tenant_id, sha256),
    FOREIGN KEY (tenant_id, to_manifest_sha256) REFERENCES manifests (tenant_id, sha256)
);
CREATE UNIQUE INDEX pointer_history_order ON pointer_history (pointer_id, seq);
CREATE INDEX pointer_history_from ON pointer_history (tenant_id, from_manifest_sha256);
CREATE INDEX pointer_history_to ON pointer_history (tenant_id, to_manifest_sha256);

CREATE TABLE idempotency_keys (
    tenant_id     UUID NOT NULL REFERENCES tenants (id),
    key           TEXT NOT NULL,
    fingerprint   BYTEA NOT NULL,
    claim         UUID NOT NULL,
    status        BIGINT,
    content_type  TEXT,
    body          BYTEA,
    created_at    TIMESTAMPTZ NOT NULL,
    locked_until  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (tenant_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
