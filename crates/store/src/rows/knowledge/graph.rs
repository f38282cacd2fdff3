//! The graph: which events touch whom, put so that the newest of thousands are found by reading a few.
//!
//! It is derived. Whatever is wrong with it is put right by making it again from events, entities and who counts as
//! whom.

use ibid_domain::{Category, EntityId, EventId, RevisionId, SourceId};

use super::{Knowledge, id_values};
use crate::{
    EngineKind, Result,
    sql::{SqlRow, SqlValue, params, placeholder_list, placeholder_rows, to_sql_int},
};

/// Part of the knowledge graph to rebuild.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphPart {
    /// Links to the events of one source.
    Source(SourceId),
    /// Links to the events in which these entities, or those merged into them, take part.
    Entities(Vec<EntityId>),
    All,
}

impl GraphPart {
    /// Returns the SQL condition for the events `e` of this part; `$1` is the tenant, its own parameters start at `$2`.
    pub(super) fn event_condition(&self) -> (String, Vec<SqlValue>) {
        match self {
            Self::Source(id) => ("e.source_id = $2".to_owned(), params![*id]),
            Self::Entities(of) if of.is_empty() => ("1 = 0".to_owned(), vec![]),
            Self::Entities(of) => {
                let list = placeholder_list(2, of.len());
                let family = format!("SELECT id FROM entities WHERE root_id IN {list} OR id IN {list}");
                let condition = format!(
                    "e.id IN (SELECT event_id FROM event_actors WHERE entity_id IN ({family})
                              UNION SELECT event_id FROM event_subjects WHERE entity_id IN ({family}))"
                );
                (condition, id_values(of))
            }
            Self::All => ("1 = 1".to_owned(), vec![]),
        }
    }
}

/// That an event touches an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct EventLink {
    pub entity: EntityId,
    pub event: EventId,
    /// True if the entity acts in the event, false if the event is about it.
    pub acts: bool,
    /// Sort key of the event: date, confidence, weight, id; the greater is the better.
    pub rank: (i64, f64, i64, EventId),
}

/// Query for links from entities to events.
#[derive(Clone, Debug, Default)]
pub struct EventLinkQuery {
    /// Events that touch one of these.
    pub entities: Vec<EntityId>,
    /// Of one of these categories, if there are any.
    pub categories: Vec<Category>,
    /// But none of these revisions.
    pub without_revisions: Vec<RevisionId>,
    /// Events to leave out of the result.
    pub without_events: Vec<EventId>,
    /// Also what was remembered of conversations.
    pub memories: bool,
    /// Maximum number of different events.
    pub limit: usize,
}

/// Events one step away from an entity, with all who take part in them.
#[derive(Clone, Debug, Default)]
pub struct Neighborhood {
    /// Newest events of the entity, as many as asked for.
    pub events: Vec<EventId>,
    /// Links from those events to everyone who takes part.
    pub links: Vec<EventLink>,
    /// Number of events of the entity in all.
    pub total: u64,
}

/// Number of rows in the base tables and in the graph derived from them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphCounts {
    /// Entities that count as themselves.
    pub entities: u64,
    /// Entities that count as others.
    pub merged: u64,
    /// Events of current revisions.
    pub events: u64,
    /// Parts that actors have, by the tables.
    pub actors: u64,
    /// Parts that subjects have, by the tables.
    pub subjects: u64,
    /// Parts that actors have, by the graph.
    pub actor_links: u64,
    /// Parts that subjects have, by the graph.
    pub subject_links: u64,
    /// Number of mentions of entities in texts.
    pub mentions: u64,
}

/// Query for all links that the base tables imply: participants of events of current revisions.
const PARTS: &str = "
    SELECT DISTINCT f.root_id AS entity_id, e.sorted_at, e.confidence,
        CASE e.category WHEN 'Decision' THEN 3 WHEN 'Commitment' THEN 2 WHEN 'QualityRisk' THEN 1 ELSE 0 END AS weight,
        e.id AS event_id, p.part, e.category, CASE s.origin WHEN 'memory' THEN 1 ELSE 0 END AS is_memory, e.revision_id,
        e.tenant_id
    FROM events e
    JOIN extractions x ON x.revision_id = e.revision_id AND x.is_current = 1
    JOIN sources s ON s.id = e.source_id
    JOIN (SELECT event_id, entity_id, 'actor' AS part FROM event_actors
          UNION ALL SELECT event_id, entity_id, 'subject' FROM event_subjects) p ON p.event_id = e.id
    JOIN entities f ON f.id = p.entity_id
    WHERE e.tenant_id = $1 AND ";

/// So many ways to events are read for each that is asked for: most are reached in one or two.
const WAYS: usize = 4;
/// So many are read where that was not enough.
const MOST: usize = 4_000;

const LINK: &str = "entity_id, sorted_at, confidence, weight, event_id, part";

impl Knowledge<'_> {
    /// Makes a part of the graph again. Doing it twice changes nothing.
    pub async fn rebuild_links(&mut self, part: &GraphPart) -> Result<u64> {
        let (condition, of) = part.event_condition();
        let mut values = params![self.scope.tenant()];
        values.extend(of);
        let sql = match part {
            GraphPart::All => "DELETE FROM graph_links WHERE tenant_id = $1".to_owned(),
            _ => format!(
                "DELETE FROM graph_links WHERE event_id IN (SELECT e.id FROM events e WHERE e.tenant_id = $1 AND {condition})"
            ),
        };
        self.tx.execute_built(sql, values.clone()).await?;
        let sql = format!(
            "INSERT INTO graph_links (entity_id, sorted_at, confidence, weight, event_id, part, category, is_memory,
                 revision_id, tenant_id) {PARTS} {condition} ON CONFLICT DO NOTHING"
        );
        self.tx.execute_built(sql, values).await
    }

    /// Returns the links of the events nearest to a position in a revision, nearest first.
    pub async fn links_near(&mut self, revision: RevisionId, place: usize, count: i64) -> Result<Vec<EventLink>> {
        let place = to_sql_int(place as u64);
        let sql = format!(
            "SELECT l.{}, near.distance FROM (
                 SELECT * FROM (SELECT id, start_char - $2 AS distance FROM events
                                WHERE revision_id = $1 AND start_char >= $2 ORDER BY start_char LIMIT $3) AS later
                 UNION ALL
                 SELECT * FROM (SELECT id, $2 - start_char AS distance FROM events
                                WHERE revision_id = $1 AND start_char < $2 ORDER BY start_char DESC LIMIT $3) AS earlier
             ) near JOIN graph_links l ON l.event_id = near.id
             WHERE l.tenant_id = $4 ORDER BY near.distance, l.event_id, l.entity_id, l.part",
            LINK.replace(", ", ", l.")
        );
        let rows = self.tx.rows_built(sql, params![revision, place, count, self.scope.tenant()]).await?;
        rows.iter().map(read_link).collect()
    }

    /// Returns the links from these events to entities.
    pub async fn links_of(&mut self, events: &[EventId]) -> Result<Vec<EventLink>> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT {LINK} FROM graph_links WHERE tenant_id = $1 AND event_id IN {} ORDER BY event_id, entity_id, part",
            placeholder_list(2, events.len())
        );
        let mut values = params![self.scope.tenant()];
        values.extend(id_values(events));
        let rows = self.tx.rows_built(sql, values).await?;
        rows.iter().map(read_link).collect()
    }

    /// All ways to the best events of these entities, the best event first.
    pub async fn find_links(&mut self, query: &EventLinkQuery) -> Result<Vec<EventLink>> {
        if query.entities.is_empty() || query.limit == 0 {
            return Ok(Vec::new());
        }
        let most = query.limit * WAYS;
        let links = self.fetch_links(query, most).await?;
        // Cut off among the ways to an event that is asked for, they are read again.
        let mut events: Vec<EventId> = links.iter().map(|link| link.event).collect();
        events.dedup();
        if links.len() < most || events.len() > query.limit { Ok(links) } else { self.fetch_links(query, MOST).await }
    }

    /// So many ways to events, the best event first.
    async fn fetch_links(&mut self, query: &EventLinkQuery, most: usize) -> Result<Vec<EventLink>> {
        // The same event may be there twice: by what somebody does and by what is done to them.
        let mut values = params![to_sql_int(2 * query.limit as u64)];
        values.extend(id_values(&query.entities));
        let mut condition = String::new();
        let mut narrow = |words: &str, with: Vec<SqlValue>, values: &mut Vec<SqlValue>| {
            if !with.is_empty() {
                condition.push_str(&format!(" AND {words} {}", placeholder_list(values.len() + 1, with.len())));
                values.extend(with);
            }
        };
        let categories = query.categories.iter().map(|one| SqlValue::from(one.as_str())).collect();
        narrow("category IN", categories, &mut values);
        narrow("revision_id NOT IN", id_values(&query.without_revisions), &mut values);
        narrow("event_id NOT IN", id_values(&query.without_events), &mut values);
        if !query.memories {
            condition.push_str(" AND is_memory = 0");
        }
        let order = "ORDER BY sorted_at DESC, confidence DESC, weight DESC, event_id DESC, part DESC";
        let first = format!("{order} LIMIT $1");
        let count = query.entities.len();
        let sql = match self.tx.engine() {
            EngineKind::Postgres => format!(
                "SELECT l.* FROM (VALUES {}) AS of (entity_id) CROSS JOIN LATERAL (
                     SELECT {LINK} FROM graph_links WHERE entity_id = of.entity_id {condition} {first}) l
                 {order} LIMIT {most}",
                placeholder_rows(2, count, 1)
            ),
            EngineKind::Sqlite => {
                let one = |at: usize| {
                    format!(
                        "SELECT * FROM (SELECT {LINK} FROM graph_links WHERE entity_id = ${} {condition} {first})",
                        at + 2
                    )
                };
                format!("{} {order} LIMIT {most}", (0..count).map(one).collect::<Vec<_>>().join(" UNION ALL "))
            }
        };
        let rows = self.tx.rows_built(sql, values).await?;
        let mut links = rows.iter().map(read_link).collect::<Result<Vec<_>>>()?;
        links.sort_by(|a, b| {
            let (x, y) = (a.rank, b.rank);
            y.0.cmp(&x.0)
                .then(y.1.total_cmp(&x.1))
                .then(y.2.cmp(&x.2))
                .then(y.3.cmp(&x.3))
                .then(a.acts.cmp(&b.acts).reverse())
        });
        Ok(links)
    }

    /// Returns the newest events of an entity and everyone who takes part in them.
    pub async fn neighborhood(&mut self, entity: EntityId, events: i64) -> Result<Neighborhood> {
        let sql = format!(
            "SELECT DISTINCT {} FROM graph_links WHERE tenant_id = $1 AND entity_id = $2
             ORDER BY sorted_at DESC, confidence DESC, weight DESC, event_id DESC LIMIT $3",
            "event_id, sorted_at, confidence, weight"
        );
        let rows = self.tx.rows_built(sql, params![self.scope.tenant(), entity, events]).await?;
        let near: Vec<EventId> = rows.iter().map(|row| row.get("event_id")).collect::<Result<_>>()?;
        let sql = "SELECT COUNT(DISTINCT event_id) AS count FROM graph_links WHERE tenant_id = $1 AND entity_id = $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), entity]).await?;
        let total = row.map_or(Ok(0), |row| row.get("count"))?;
        let links = self.links_of(&near).await?;
        Ok(Neighborhood { events: near, links, total })
    }

    /// Counts the rows of the base tables and of the graph.
    pub async fn graph_counts(&mut self) -> Result<GraphCounts> {
        let tenant = self.scope.tenant();
        let mut count = async |sql: &'static str| -> Result<u64> {
            let row = self.tx.fetch_optional(sql, params![tenant]).await?;
            row.map_or(Ok(0), |row| row.get("count"))
        };
        Ok(GraphCounts {
            entities: count("SELECT COUNT(*) AS count FROM entities WHERE tenant_id = $1 AND root_id = id").await?,
            merged: count("SELECT COUNT(*) AS count FROM entities WHERE tenant_id = $1 AND root_id <> id").await?,
            events: count(
                "SELECT COUNT(*) AS count FROM events e JOIN extractions x ON x.revision_id = e.revision_id
                     AND x.is_current = 1 WHERE e.tenant_id = $1",
            )
            .await?,
            actors: count(
                "SELECT COUNT(*) AS count FROM (SELECT DISTINCT e.id, f.root_id FROM events e
                     JOIN extractions x ON x.revision_id = e.revision_id AND x.is_current = 1
                     JOIN event_actors p ON p.event_id = e.id JOIN entities f ON f.id = p.entity_id
                     WHERE e.tenant_id = $1) AS parts",
            )
            .await?,
            subjects: count(
                "SELECT COUNT(*) AS count FROM (SELECT DISTINCT e.id, f.root_id FROM events e
                     JOIN extractions x ON x.revision_id = e.revision_id AND x.is_current = 1
                     JOIN event_subjects p ON p.event_id = e.id JOIN entities f ON f.id = p.entity_id
                     WHERE e.tenant_id = $1) AS parts",
            )
            .await?,
            actor_links: count("SELECT COUNT(*) AS count FROM graph_links WHERE tenant_id = $1 AND part = 'actor'")
                .await?,
            subject_links: count("SELECT COUNT(*) AS count FROM graph_links WHERE tenant_id = $1 AND part = 'subject'")
                .await?,
            mentions: count(
                "SELECT COUNT(*) AS count FROM entity_mentions m
                     JOIN extractions x ON x.revision_id = m.revision_id AND x.is_current = 1 WHERE m.tenant_id = $1",
            )
            .await?,
        })
    }
}

fn read_link(row: &SqlRow) -> Result<EventLink> {
    let event: EventId = row.get("event_id")?;
    let at: ibid_domain::Timestamp = row.get("sorted_at")?;
    Ok(EventLink {
        entity: row.get("entity_id")?,
        event,
        acts: row.get::<String>("part")? == "actor",
        rank: (at.as_micros(), row.get("confidence")?, row.get("weight")?, event),
    })
}
