-- Which revisions were read for what they tell, and by whom.
CREATE TABLE extractions (
    revision_id  UUID NOT NULL PRIMARY KEY REFERENCES revisions (id) ON DELETE CASCADE,
    tenant_id    UUID NOT NULL REFERENCES tenants (id),
    source_id    UUID NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    extractor    TEXT NOT NULL,
    -- Whether it is the newest of its source that was read: what it tells is what is known.
    is_current   BIGINT NOT NULL,
    -- Quotes of a model that do not stand in the text.
    dropped      BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL
);
CREATE INDEX extractions_source ON extractions (source_id);

-- absent: nothing to read; pending: to be read; ready: read; failed: could not be read.
ALTER TABLE sources ADD COLUMN knowledge TEXT NOT NULL DEFAULT 'absent';
CREATE INDEX sources_unread ON sources (tenant_id, id) WHERE knowledge = 'pending';
-- What was here before is read now, but for passages of another store, which are many and short.
UPDATE sources SET knowledge = 'pending' WHERE status IN ('indexed', 'ready') AND revision_id IN (
    SELECT id FROM revisions WHERE chunk_count > 0 AND manifest_sha256 IS NOT NULL);

-- `id` follows from revision, category and words, so that reading again finds the same event. `event_date` is as exact
-- as the text is; `sorted_at` is when it begins, or long ago where that is not known.
CREATE TABLE events (
    seq          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           UUID NOT NULL UNIQUE,
    tenant_id    UUID NOT NULL REFERENCES tenants (id),
    source_id    UUID NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    revision_id  UUID NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
    -- Where its words begin.
    start_char   BIGINT NOT NULL,
    category     TEXT NOT NULL,
    narrative    TEXT NOT NULL,
    event_date   TEXT,
    sorted_at    TIMESTAMPTZ NOT NULL,
    confidence   DOUBLE PRECISION NOT NULL,
    extractor    TEXT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL
);
CREATE INDEX events_revision ON events (revision_id, start_char, id);
CREATE INDEX events_source ON events (source_id);
CREATE INDEX events_newest ON events (tenant_id, sorted_at, id);

CREATE TABLE event_evidence (
    event_id    UUID NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    ordinal     BIGINT NOT NULL,
    quote       TEXT NOT NULL,
    start_char  BIGINT NOT NULL,
    end_char    BIGINT NOT NULL,
    PRIMARY KEY (event_id, ordinal)
);

-- One that was found to be another keeps its row, its names, its mentions and its part in events: `root_id` says whose
-- they count as. A root is its own. Undoing a merge is setting `root_id` back.
CREATE TABLE entities (
    seq                BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id                 UUID NOT NULL UNIQUE,
    tenant_id          UUID NOT NULL REFERENCES tenants (id),
    root_id            UUID NOT NULL,
    kind               TEXT NOT NULL,
    name               TEXT NOT NULL,
    normalized_name    TEXT COLLATE "C" NOT NULL,
    role               TEXT,
    organization       TEXT,
    email              TEXT,
    context            TEXT,
    needs_review       BIGINT NOT NULL DEFAULT 0,
    -- Of the whole family, at its root.
    mention_count      BIGINT NOT NULL DEFAULT 0,
    first_source_id    UUID NOT NULL,
    first_revision_id  UUID NOT NULL,
    created_at         TIMESTAMPTZ NOT NULL,
    updated_at         TIMESTAMPTZ NOT NULL
);
CREATE INDEX entities_root ON entities (root_id);
CREATE INDEX entities_often ON entities (tenant_id, mention_count, id) WHERE root_id = id;
CREATE INDEX entities_name ON entities (tenant_id, kind, normalized_name);
CREATE INDEX entities_review ON entities (tenant_id, id) WHERE needs_review = 1;

-- The meaning of `name, type, role, organisation`.
CREATE TABLE entity_vectors (
    entity_id  UUID NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    space_id   BIGINT NOT NULL REFERENCES embedding_spaces (id) ON DELETE CASCADE,
    vector     vector NOT NULL,
    PRIMARY KEY (entity_id, space_id)
);
CREATE INDEX entity_vectors_space ON entity_vectors (space_id);

CREATE TABLE entity_aliases (
    entity_id         UUID NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    normalized_alias  TEXT COLLATE "C" NOT NULL,
    alias             TEXT NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (entity_id, normalized_alias)
);

-- Under what it is looked for by those who may be the same.
CREATE TABLE entity_keys (
    tenant_id  UUID NOT NULL REFERENCES tenants (id),
    key        TEXT COLLATE "C" NOT NULL,
    entity_id  UUID NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    PRIMARY KEY (tenant_id, key, entity_id)
);
CREATE INDEX entity_keys_entity ON entity_keys (entity_id);

-- Every place that names one, with what stands there about it.
CREATE TABLE entity_mentions (
    id            UUID NOT NULL PRIMARY KEY,
    tenant_id     UUID NOT NULL REFERENCES tenants (id),
    entity_id     UUID NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    source_id     UUID NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    revision_id   UUID NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
    surface       TEXT NOT NULL,
    start_char    BIGINT NOT NULL,
    end_char      BIGINT NOT NULL,
    -- The fullest name of it in that text, and what that text says of it.
    name          TEXT NOT NULL,
    role          TEXT,
    organization  TEXT,
    email         TEXT,
    confidence    DOUBLE PRECISION NOT NULL,
    extractor     TEXT NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL
);
CREATE INDEX entity_mentions_entity ON entity_mentions (entity_id, revision_id, start_char);
CREATE INDEX entity_mentions_revision ON entity_mentions (revision_id, start_char);
CREATE INDEX entity_mentions_source ON entity_mentions (source_id);

CREATE TABLE event_actors (
    event_id   UUID NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    entity_id  UUID NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    role       TEXT NOT NULL,
    PRIMARY KEY (event_id, entity_id)
);
CREATE INDEX event_actors_entity ON event_actors (entity_id);

CREATE TABLE event_subjects (
    event_id   UUID NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    entity_id  UUID NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    PRIMARY KEY (event_id, entity_id)
);
CREATE INDEX event_subjects_entity ON event_subjects (entity_id);

-- Two that may be the same. `state` is open, same or different; what a person decided is never asked again.
CREATE TABLE entity_pairs (
    id          UUID NOT NULL PRIMARY KEY,
    tenant_id   UUID NOT NULL REFERENCES tenants (id),
    a_id        UUID NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    b_id        UUID NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    confidence  DOUBLE PRECISION NOT NULL,
    reason      TEXT NOT NULL,
    state       TEXT NOT NULL,
    decided_by  UUID,
    decided_at  TIMESTAMPTZ,
    created_at  TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX entity_pairs_both ON entity_pairs (a_id, b_id);
CREATE INDEX entity_pairs_b ON entity_pairs (b_id);
CREATE INDEX entity_pairs_open ON entity_pairs (tenant_id, confidence, id) WHERE state = 'open';

-- `moved` is which entities counted as others before, and as whom.
CREATE TABLE entity_merges (
    id          UUID NOT NULL PRIMARY KEY,
    tenant_id   UUID NOT NULL REFERENCES tenants (id),
    from_id     UUID NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    into_id     UUID NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    pair_id     UUID,
    moved       JSONB NOT NULL,
    created_by  UUID,
    created_at  TIMESTAMPTZ NOT NULL,
    undone_at   TIMESTAMPTZ
);
CREATE INDEX entity_merges_from ON entity_merges (from_id);
CREATE INDEX entity_merges_into ON entity_merges (into_id);

-- The graph: which events of current revisions touch which root, with all that choosing among them asks for. Derived
-- from the tables above by `graph_upsert`.
CREATE TABLE graph_links (
    entity_id    UUID NOT NULL,
    sorted_at    TIMESTAMPTZ NOT NULL,
    confidence   DOUBLE PRECISION NOT NULL,
    -- Decisions before promises before risks before the rest.
    weight       BIGINT NOT NULL,
    event_id     UUID NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    part         TEXT NOT NULL,
    category     TEXT NOT NULL,
    is_memory    BIGINT NOT NULL,
    revision_id  UUID NOT NULL,
    tenant_id    UUID NOT NULL,
    PRIMARY KEY (entity_id, sorted_at, confidence, weight, event_id, part) INCLUDE (category, is_memory, revision_id)
);
CREATE INDEX graph_links_event ON graph_links (event_id);
