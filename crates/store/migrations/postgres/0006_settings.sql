-- What was set in the app; files, the environment and flags come before it.
CREATE TABLE settings (
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    name        text NOT NULL,
    value       jsonb NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, name)
);
