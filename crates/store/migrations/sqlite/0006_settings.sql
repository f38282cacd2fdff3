-- What was set in the app; files, the environment and flags come before it.
CREATE TABLE settings (
    tenant_id   BLOB NOT NULL REFERENCES tenants (id),
    name        TEXT NOT NULL,
    value       TEXT NOT NULL,
    updated_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, name)
) STRICT, WITHOUT ROWID;
