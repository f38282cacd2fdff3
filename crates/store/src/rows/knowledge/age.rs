//! The graph `nur` in Apache AGE, for those who ask in Cypher. Only on PostgreSQL, and only where AGE is installed;
//! Ibid itself never reads it.
//!
//! Rows go straight into the tables that AGE keeps a label's nodes and edges in, which is a hundred times as fast as
//! MERGE. A node's id is made of its row's number, so that writing it twice is writing it once.

use super::{GraphPart, Knowledge};
use crate::{EngineKind, Result, sql::params};

/// State and size of the Apache AGE graph `nur`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgeState {
    /// True if AGE is installed and the graph is set up.
    pub ready: bool,
    /// Number of nodes with the label `Entity`.
    pub entities: u64,
    /// Number of nodes with the label `Event`.
    pub events: u64,
    /// Number of edges with the label `ACTED_IN`.
    pub acted_in: u64,
    /// Number of edges with the label `ABOUT`.
    pub about: u64,
    /// Number of edges with the label `POSSIBLY_SAME`.
    pub possibly_same: u64,
}

/// Sets AGE, the graph, its labels and their indexes up where they are missing. What cannot be done is left: the rest
/// of Ibid needs none of it.
const SET_UP: &str = r#"
DO $$
DECLARE
    label TEXT;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'age') THEN
        RETURN;
    END IF;
    CREATE EXTENSION IF NOT EXISTS age;
    IF NOT EXISTS (SELECT 1 FROM ag_catalog.ag_graph WHERE name = 'nur') THEN
        PERFORM ag_catalog.create_graph('nur');
    END IF;
    FOREACH label IN ARRAY ARRAY['Entity', 'Event'] LOOP
        IF to_regclass(format('nur.%I', label)) IS NULL THEN
            PERFORM ag_catalog.create_vlabel('nur', label);
            EXECUTE format('CREATE UNIQUE INDEX ON nur.%I (id)', label);
            EXECUTE format(
                'CREATE INDEX ON nur.%I (ag_catalog.agtype_access_operator(properties, %L::ag_catalog.agtype))',
                label, '"' || lower(label) || '_id"');
        END IF;
    END LOOP;
    FOREACH label IN ARRAY ARRAY['ACTED_IN', 'ABOUT', 'POSSIBLY_SAME'] LOOP
        IF to_regclass(format('nur.%I', label)) IS NULL THEN
            PERFORM ag_catalog.create_elabel('nur', label);
            EXECUTE format('CREATE INDEX ON nur.%I (start_id)', label);
            EXECUTE format('CREATE INDEX ON nur.%I (end_id)', label);
        END IF;
    END LOOP;
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'the graph nur was not set up: %', SQLERRM;
END $$"#;

/// The id of a node: its label's number, then its row's.
const NODES: &str = "
    label AS (SELECT l.name::text AS name, l.id FROM ag_catalog.ag_label l
              JOIN ag_catalog.ag_graph g ON g.graphid = l.graph WHERE g.name = 'nur'),
    event_label AS (SELECT id FROM label WHERE name = 'Event'),
    entity_label AS (SELECT id FROM label WHERE name = 'Entity')";

impl Knowledge<'_> {
    /// Sets the AGE graph up if needed; returns `false` if it is not available.
    async fn age_ready(&mut self) -> Result<bool> {
        if self.tx.engine() != EngineKind::Postgres {
            return Ok(false);
        }
        if !self.graph_is_there().await? {
            self.tx.lock_key("age").await?;
            self.tx.execute(SET_UP, vec![]).await?;
            if !self.graph_is_there().await? {
                return Ok(false);
            }
        }
        self.see_operators().await?;
        Ok(true)
    }

    /// True if the AGE graph is set up completely: checks for its last label.
    async fn graph_is_there(&mut self) -> Result<bool> {
        let sql = r#"SELECT CASE WHEN to_regclass('nur."POSSIBLY_SAME"') IS NULL THEN 0 ELSE 1 END::bigint AS ready"#;
        let row = self.tx.fetch_optional(sql, vec![]).await?;
        row.map_or(Ok(false), |row| row.get("ready"))
    }

    /// AGE compares its ids by operators that are found by their names only, for the rest of this transaction.
    async fn see_operators(&mut self) -> Result<()> {
        let sql = "SELECT set_config('search_path', current_setting('search_path') || ', ag_catalog', true)";
        self.tx.execute(sql, vec![]).await?;
        Ok(())
    }

    /// Brings a part of the graph `nur` up to what the tables say. Says whether there is one. With `purge`, what no table
    /// has any more is looked for in all of the graph.
    pub async fn sync_age_graph(&mut self, part: &GraphPart, purge: bool) -> Result<bool> {
        if !self.age_ready().await? {
            return Ok(false);
        }
        let (condition, of) = part.event_condition();
        let mut values = params![self.scope.tenant()];
        values.extend(of);
        let chosen = format!("chosen AS (SELECT e.* FROM events e WHERE e.tenant_id = $1 AND {condition})");
        let current = "current AS (SELECT e.* FROM chosen e JOIN extractions x ON x.revision_id = e.revision_id AND x.is_current = 1)";
        // Edges go first, and come last.
        let gone = [(r#"nur."ACTED_IN""#, "end_id"), (r#"nur."ABOUT""#, "start_id")];
        for (edges, event) in gone {
            let sql = format!(
                "WITH {NODES}, {chosen} DELETE FROM {edges} WHERE {event} IN (
                     SELECT ag_catalog._graphid((SELECT id FROM event_label)::int, seq) FROM chosen)"
            );
            self.tx.execute_built(sql, values.clone()).await?;
        }
        let sql = format!(
            r#"WITH {NODES}, {chosen}, {current} INSERT INTO nur."Event" (id, properties)
               SELECT ag_catalog._graphid((SELECT id FROM event_label)::int, e.seq), jsonb_build_object(
                   'event_id', e.id, 'category', e.category, 'narrative', e.narrative, 'artifact_uid', e.source_id,
                   'revision_id', e.revision_id, 'event_time', COALESCE(e.event_date, e.document_date),
                   'dated_by', CASE WHEN e.event_date IS NOT NULL THEN 'text'
                                    WHEN e.document_date IS NOT NULL THEN 'document' END,
                   'confidence', e.confidence, 'tenant_id', e.tenant_id)::text::ag_catalog.agtype
               FROM current e ON CONFLICT (id) DO UPDATE SET properties = excluded.properties"#
        );
        self.tx.execute_built(sql, values.clone()).await?;
        // Whoever has a part in them, and those who were asked about.
        let (touched, more) = match part {
            GraphPart::Entities(of) if !of.is_empty() => {
                let list = crate::sql::placeholder_list(values.len() + 1, of.len());
                (format!("UNION SELECT root_id FROM entities WHERE id IN {list}"), super::id_values(of))
            }
            GraphPart::Source(_) => (
                "UNION SELECT f.root_id FROM entity_mentions m JOIN entities f ON f.id = m.entity_id WHERE m.source_id = $2"
                    .to_owned(),
                vec![],
            ),
            GraphPart::All => ("UNION SELECT root_id FROM entities WHERE tenant_id = $1".to_owned(), vec![]),
            GraphPart::Entities(_) => (String::new(), vec![]),
        };
        let mut with_touched = values.clone();
        with_touched.extend(more);
        let touched = format!(
            "touched AS (SELECT f.root_id AS id FROM chosen e JOIN (SELECT event_id, entity_id FROM event_actors
                 UNION ALL SELECT event_id, entity_id FROM event_subjects) p ON p.event_id = e.id
                 JOIN entities f ON f.id = p.entity_id {touched})"
        );
        let sql = format!(
            r#"WITH {NODES}, {chosen}, {touched} INSERT INTO nur."Entity" (id, properties)
               SELECT ag_catalog._graphid((SELECT id FROM entity_label)::int, n.seq), jsonb_build_object(
                   'entity_id', n.id, 'canonical_name', n.name, 'type', n.kind, 'role', n.role,
                   'organization', n.organization, 'tenant_id', n.tenant_id)::text::ag_catalog.agtype
               FROM entities n WHERE n.root_id = n.id AND n.id IN (SELECT id FROM touched)
               ON CONFLICT (id) DO UPDATE SET properties = excluded.properties"#
        );
        self.tx.execute_built(sql, with_touched.clone()).await?;
        let sql = format!(
            r#"WITH {NODES}, {chosen}, {current} INSERT INTO nur."ACTED_IN" (start_id, end_id, properties)
               SELECT ag_catalog._graphid((SELECT id FROM entity_label)::int, n.seq),
                   ag_catalog._graphid((SELECT id FROM event_label)::int, e.seq),
                   jsonb_build_object('role', MIN(p.role))::text::ag_catalog.agtype
               FROM current e JOIN event_actors p ON p.event_id = e.id JOIN entities f ON f.id = p.entity_id
               JOIN entities n ON n.id = f.root_id GROUP BY n.seq, e.seq"#
        );
        self.tx.execute_built(sql, values.clone()).await?;
        let sql = format!(
            r#"WITH {NODES}, {chosen}, {current} INSERT INTO nur."ABOUT" (start_id, end_id, properties)
               SELECT DISTINCT ag_catalog._graphid((SELECT id FROM event_label)::int, e.seq),
                   ag_catalog._graphid((SELECT id FROM entity_label)::int, n.seq), '{{}}'::text::ag_catalog.agtype
               FROM current e JOIN event_subjects p ON p.event_id = e.id JOIN entities f ON f.id = p.entity_id
               JOIN entities n ON n.id = f.root_id"#
        );
        self.tx.execute_built(sql, values.clone()).await?;
        let sql = format!(
            r#"WITH {NODES}, {chosen}, {touched}, node AS (
                   SELECT ag_catalog._graphid((SELECT id FROM entity_label)::int, n.seq) AS id
                   FROM entities n WHERE n.id IN (SELECT id FROM touched))
               DELETE FROM nur."POSSIBLY_SAME" WHERE start_id IN (SELECT id FROM node) OR end_id IN (SELECT id FROM node)"#
        );
        self.tx.execute_built(sql, with_touched.clone()).await?;
        let sql = format!(
            r#"WITH {NODES}, {chosen}, {touched} INSERT INTO nur."POSSIBLY_SAME" (start_id, end_id, properties)
               SELECT ag_catalog._graphid((SELECT id FROM entity_label)::int, a.seq),
                   ag_catalog._graphid((SELECT id FROM entity_label)::int, b.seq),
                   jsonb_build_object('confidence', MAX(p.confidence), 'reason', MIN(p.reason))::text::ag_catalog.agtype
               FROM entity_pairs p JOIN entities x ON x.id = p.a_id JOIN entities y ON y.id = p.b_id
               JOIN entities a ON a.id = x.root_id JOIN entities b ON b.id = y.root_id
               WHERE p.tenant_id = $1 AND p.state = 'open' AND a.id <> b.id
               AND (a.id IN (SELECT id FROM touched) OR b.id IN (SELECT id FROM touched)) GROUP BY a.seq, b.seq"#
        );
        self.tx.execute_built(sql, with_touched).await?;
        if purge {
            self.purge_age_graph().await?;
        }
        Ok(true)
    }

    /// Takes out of the graph `nur` what no table has any more.
    async fn purge_age_graph(&mut self) -> Result<()> {
        let nodes = [
            (
                r#"nur."Event""#,
                "event_label",
                "SELECT e.seq FROM events e JOIN extractions x ON x.revision_id = e.revision_id AND x.is_current = 1",
            ),
            (r#"nur."Entity""#, "entity_label", "SELECT seq FROM entities WHERE root_id = id"),
        ];
        for (table, label, kept) in nodes {
            let sql = format!(
                "WITH {NODES}, kept AS (SELECT ag_catalog._graphid((SELECT id FROM {label})::int, k.seq) AS id FROM ({kept}) k)
                 DELETE FROM {table} n WHERE NOT EXISTS (SELECT 1 FROM kept WHERE kept.id = n.id)"
            );
            self.tx.execute_built(sql, vec![]).await?;
        }
        let edges = [
            (r#"nur."ACTED_IN""#, r#"nur."Entity""#, r#"nur."Event""#),
            (r#"nur."ABOUT""#, r#"nur."Event""#, r#"nur."Entity""#),
            (r#"nur."POSSIBLY_SAME""#, r#"nur."Entity""#, r#"nur."Entity""#),
        ];
        for (edge, start, end) in edges {
            let sql = format!(
                "DELETE FROM {edge} d WHERE NOT EXISTS (SELECT 1 FROM {start} n WHERE n.id = d.start_id)
                 OR NOT EXISTS (SELECT 1 FROM {end} n WHERE n.id = d.end_id)"
            );
            self.tx.execute_built(sql, vec![]).await?;
        }
        Ok(())
    }

    /// Returns the state of the AGE graph; `None` on SQLite.
    pub async fn age_state(&mut self) -> Result<Option<AgeState>> {
        if self.tx.engine() != EngineKind::Postgres {
            return Ok(None);
        }
        if !self.graph_is_there().await? {
            return Ok(Some(AgeState::default()));
        }
        // Whether a table is there is known before what it holds can be seen.
        let sql =
            "SELECT COUNT(*) AS count FROM ag_catalog.ag_label l JOIN ag_catalog.ag_graph g ON g.graphid = l.graph
                   WHERE g.name = 'nur' AND l.name IN ('Entity', 'Event')";
        if self.tx.fetch_optional(sql, vec![]).await?.map_or(Ok(0), |row| row.get::<i64>("count"))? < 2 {
            return Ok(Some(AgeState::default()));
        }
        self.see_operators().await?;
        // The tables are shared by all tenants; each counts its own.
        let sql = r#"WITH event_gid AS (
                         SELECT ag_catalog._graphid((SELECT l.id FROM ag_catalog.ag_label l JOIN ag_catalog.ag_graph g
                             ON g.graphid = l.graph WHERE g.name = 'nur' AND l.name = 'Event')::int, seq) AS id
                         FROM events WHERE tenant_id = $1),
                     entity_gid AS (
                         SELECT ag_catalog._graphid((SELECT l.id FROM ag_catalog.ag_label l JOIN ag_catalog.ag_graph g
                             ON g.graphid = l.graph WHERE g.name = 'nur' AND l.name = 'Entity')::int, seq) AS id
                         FROM entities WHERE tenant_id = $1)
                     SELECT (SELECT COUNT(*) FROM nur."Entity" n JOIN entity_gid g ON g.id = n.id) AS entities,
                         (SELECT COUNT(*) FROM nur."Event" n JOIN event_gid g ON g.id = n.id) AS events,
                         (SELECT COUNT(*) FROM nur."ACTED_IN" d JOIN event_gid g ON g.id = d.end_id) AS acted_in,
                         (SELECT COUNT(*) FROM nur."ABOUT" d JOIN event_gid g ON g.id = d.start_id) AS about,
                         (SELECT COUNT(*) FROM nur."POSSIBLY_SAME" d JOIN entity_gid g ON g.id = d.start_id) AS possibly_same"#;
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant()]).await?;
        let Some(row) = row else { return Ok(Some(AgeState::default())) };
        Ok(Some(AgeState {
            ready: true,
            entities: row.get("entities")?,
            events: row.get("events")?,
            acted_in: row.get("acted_in")?,
            about: row.get("about")?,
            possibly_same: row.get("possibly_same")?,
        }))
    }
}
