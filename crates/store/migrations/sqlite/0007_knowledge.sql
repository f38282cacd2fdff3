-- Which revisions were read for what they tell, and by whom.
CREATE TABLE extractions (
    revision_id  BLOB NOT NULL PRIMARY KEY REFERENCES revisions (id) ON DELETE CASCADE,
    tenant_id    BLOB NOT NULL REFERENCES tenants (id),
    source_id    BLOB NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    extractor    TEXT NOT NULL,
    -- Whether it is the newest of its source that was read: what it tells is what is known.
    is_current   INTEGER NOT NULL,
    -- Quotes of a model that do not stand in the text.
    dropped      INTEGER NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
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
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           BLOB NOT NULL UNIQUE,
    tenant_id    BLOB NOT NULL REFERENCES tenants (id),
    source_id    BLOB NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    revision_id  BLOB NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
    -- Where its words begin.
    start_char   INTEGER NOT NULL,
    category     TEXT NOT NULL,
    narrative    TEXT NOT NULL,
    event_date   TEXT,
    sorted_at    INTEGER NOT NULL,
    confidence   REAL NOT NULL,
    extractor    TEXT NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX events_revision ON events (revision_id, start_char, id);
CREATE INDEX events_source ON events (source_id);
CREATE INDEX events_newest ON events (tenant_id, sorted_at, id);

CREATE TABLE event_evidence (
    event_id    BLOB NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    ordinal     INTEGER NOT NULL,
    quote       TEXT NOT NULL,
    start_char  INTEGER NOT NULL,
    end_char    INTEGER NOT NULL,
    PRIMARY KEY (event_id, ordinal)
) STRICT, WITHOUT ROWID;

-- One that was found to be another keeps its row, its names, its mentions and its part in events: `root_id` says whose
-- they count as. A root is its own. Undoing a merge is setting `root_id` back.
CREATE TABLE entities (
    seq                INTEGER PRIMARY KEY AUTOINCREMENT,
    id                 BLOB NOT NULL UNIQUE,
    tenant_id          BLOB NOT NULL REFERENCES tenants (id),
    root_id            BLOB NOT NULL,
    kind               TEXT NOT NULL,
    name               TEXT NOT NULL,
    normalized_name    TEXT NOT NULL,
    role               TEXT,
    organization       TEXT,
    email              TEXT,
    context            TEXT,
    needs_review       INTEGER NOT NULL DEFAULT 0,
    -- Of the whole family, at its root.
    mention_count      INTEGER NOT NULL DEFAULT 0,
    first_source_id    BLOB NOT NULL,
    first_revision_id  BLOB NOT NULL,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL
) STRICT;
CREATE INDEX entities_root ON entities (root_id);
CREATE INDEX entities_often ON entities (tenant_id, mention_count, id) WHERE root_id = id;
CREATE INDEX entities_name ON entities (tenant_id, kind, normalized_name);
CREATE INDEX entities_review ON entities (tenant_id, id) WHERE needs_review = 1;

-- The meaning of `name, type, role, organisation`.
CREATE TABLE entity_vectors (
    entity_id  BLOB NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    space_id   INTEGER NOT NULL REFERENCES embedding_spaces (id) ON DELETE CASCADE,
    vector     BLOB NOT NULL,
    PRIMARY KEY (entity_id, space_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_vectors_space ON entity_vectors (space_id);

CREATE TABLE entity_aliases (
    entity_id         BLOB NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    normalized_alias  TEXT NOT NULL,
    alias             TEXT NOT NULL,
    created_at        INTEGER NOT NULL,
    PRIMARY KEY (entity_id, normalized_alias)
) STRICT, WITHOUT ROWID;

-- Under what it is looked for by those who may be the same.
CREATE TABLE entity_keys (
    tenant_id  BLOB NOT NULL REFERENCES tenants (id),
    key        TEXT NOT NULL,
    entity_id  BLOB NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    PRIMARY KEY (tenant_id, key, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_keys_entity ON entity_keys (entity_id);

-- Every place that names one, with what stands there about it.
CREATE TABLE entity_mentions (
    id            BLOB NOT NULL PRIMARY KEY,
    tenant_id     BLOB NOT NULL REFERENCES tenants (id),
    entity_id     BLOB NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    source_id     BLOB NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    revision_id   BLOB NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
    surface       TEXT NOT NULL,
    start_char    INTEGER NOT NULL,
    end_char      INTEGER NOT NULL,
    -- The fullest name of it in that text, and what that text says of it.
    name          TEXT NOT NULL,
    role          TEXT,
    organization  TEXT,
    email         TEXT,
    confidence    REAL NOT NULL,
    extractor     TEXT NOT NULL,
    created_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_mentions_entity ON entity_mentions (entity_id, revision_id, start_char);
CREATE INDEX entity_mentions_revision ON entity_mentions (revision_id, start_char);
CREATE INDEX entity_mentions_source ON entity_mentions (source_id);

CREATE TABLE event_actors (
    event_id   BLOB NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    entity_id  BLOB NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    role       TEXT NOT NULL,
    PRIMARY KEY (event_id, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_actors_entity ON event_actors (entity_id);

CREATE TABLE event_subjects (
    event_id   BLOB NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    entity_id  BLOB NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    PRIMARY KEY (event_id, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_subjects_entity ON event_subjects (entity_id);

-- Two that may be the same. `state` is open, same or different; what a person decided is never asked again.
CREATE TABLE entity_pairs (
    id          BLOB NOT NULL PRIMARY KEY,
    tenant_id   BLOB NOT NULL REFERENCES tenants (id),
    a_id        BLOB NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    b_id        BLOB NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    confidence  REAL NOT NULL,
    reason      TEXT NOT NULL,
    state       TEXT NOT NULL,
    decided_by  BLOB,
    decided_at  INTEGER,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX entity_pairs_both ON entity_pairs (a_id, b_id);
CREATE INDEX entity_pairs_b ON entity_pairs (b_id);
CREATE INDEX entity_pairs_open ON entity_pairs (tenant_id, confidence, id) WHERE state = 'open';

-- `moved` is which entities counted as others before, and as whom.
CREATE TABLE entity_merges (
    id          BLOB NOT NULL PRIMARY KEY,
    tenant_id   BLOB NOT NULL REFERENCES tenants (id),
    from_id     BLOB NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    into_id     BLOB NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    pair_id     BLOB,
    moved       TEXT NOT NULL,
    created_by  BLOB,
    created_at  INTEGER NOT NULL,
    undone_at   INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_merges_from ON entity_merges (from_id);
CREATE INDEX entity_merges_into ON entity_merges (into_id);

-- The graph: which events of current revisions touch which root, with all that choosing among them asks for. Derived
-- from the tables above by `graph_upsert`.
CREATE TABLE graph_links (
    entity_id    BLOB NOT NULL,
    sorted_at    INTEGER NOT NULL,
    confidence   REAL NOT NULL,
    -- Decisions before promises before risks before the rest.
    weight       INTEGER NOT NULL,
    event_id     BLOB NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    part         TEXT NOT NULL,
    category     TEXT NOT NULL,
    is_memory    INTEGER NOT NULL,
    revision_id  BLOB NOT NULL,
    tenant_id    BLOB NOT NULL,
    PRIMARY KEY (entity_id, sorted_at, confidence, weight, event_id, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX graph_links_event ON graph_links (event_id);
