//! What happened, who had a part in it, and the words that say so.

use std::collections::{BTreeMap, BTreeSet};

use ibid_domain::{
    ActorRole, Category, Cursor, EntityId, Event, EventId, Limit, Page, PartialDate, Participant, Quote, RevisionId,
    SourceId, Span, Timestamp,
};

use super::{BATCH, Knowledge, LONG_AGO, id_values};
use crate::{
    Result,
    sql::{SqlRow, SqlValue, params, placeholder_list, to_sql_int},
};

/// An event to insert, with its participants and quotes.
#[derive(Clone, Debug)]
pub struct NewEvent {
    pub id: EventId,
    pub category: Category,
    /// Short description of the event.
    pub narrative: String,
    /// Date of the event; `None` if the text does not tell it.
    pub date: Option<PartialDate>,
    /// Date of the document or message that tells of it; `None` if it has none.
    pub document_date: Option<PartialDate>,
    /// Confidence of the extractor, from 0 to 1.
    pub confidence: f64,
    /// Entities that act in the event, with their roles.
    pub actors: Vec<(EntityId, ActorRole)>,
    /// Entities that the event is about.
    pub subjects: Vec<EntityId>,
    /// Quotes from the revision's text that support it.
    pub evidence: Vec<Quote>,
}

/// Restricts a list of events; an unset field does not restrict.
#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// Only those of one of these categories, if there are any.
    pub categories: Vec<Category>,
    /// Only those in which this one, or one that counts as it, has a part.
    pub entity: Option<EntityId>,
    /// Only those that this source tells.
    pub source: Option<SourceId>,
    /// Only those at this time or later.
    pub from: Option<Timestamp>,
    /// Only those before this time.
    pub to: Option<Timestamp>,
}

impl Knowledge<'_> {
    /// Makes the events of a revision these, and no others. Says how many are new and how many are gone.
    pub async fn set_events(
        &mut self,
        source: SourceId,
        revision: RevisionId,
        extractor: &str,
        events: &[NewEvent],
    ) -> Result<(u64, u64)> {
        const COLUMNS: &[&str] = &[
            "id",
            "tenant_id",
            "source_id",
            "revision_id",
            "start_char",
            "category",
            "narrative",
            "event_date",
            "document_date",
            "sorted_at",
            "confidence",
            "extractor",
            "created_at",
        ];
        let sql = "SELECT id FROM events WHERE tenant_id = $1 AND revision_id = $2";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), revision]).await?;
        let known: BTreeSet<EventId> = rows.iter().map(|row| row.get("id")).collect::<Result<_>>()?;
        let now_told: BTreeSet<EventId> = events.iter().map(|event| event.id).collect();
        let gone: Vec<EventId> = known.difference(&now_told).copied().collect();
        for batch in gone.chunks(BATCH) {
            let sql = format!("DELETE FROM events WHERE id IN {}", placeholder_list(1, batch.len()));
            self.tx.execute_built(sql, id_values(batch)).await?;
        }
        let (tenant, now) = (self.scope.tenant(), self.tx.now());
        let row = |event: &NewEvent| {
            params![
                event.id,
                tenant,
                source,
                revision,
                to_sql_int(event.evidence.first().map_or(0, |quote| quote.span.start as u64)),
                event.category.as_str(),
                event.narrative.as_str(),
                event.date.map(|date| date.to_string()),
                event.document_date.map(|date| date.to_string()),
                event.date.or(event.document_date).and_then(PartialDate::start_timestamp).unwrap_or(LONG_AGO),
                event.confidence,
                extractor,
                now,
            ]
        };
        let rows: Vec<_> = events.iter().map(row).collect();
        let again = "ON CONFLICT (id) DO UPDATE SET start_char = excluded.start_char, narrative = excluded.narrative,
                     event_date = excluded.event_date, document_date = excluded.document_date,
                     sorted_at = excluded.sorted_at, confidence = excluded.confidence, extractor = excluded.extractor";
        self.insert_rows("events", COLUMNS, rows, again).await?;

        let all: Vec<EventId> = now_told.iter().copied().collect();
        for batch in all.chunks(BATCH) {
            let list = placeholder_list(1, batch.len());
            for table in ["event_evidence", "event_actors", "event_subjects"] {
                self.tx
                    .execute_built(format!("DELETE FROM {table} WHERE event_id IN {list}"), id_values(batch))
                    .await?;
            }
        }
        let (mut evidence, mut actors, mut subjects) = (Vec::new(), Vec::new(), Vec::new());
        for event in events {
            for (ordinal, quote) in event.evidence.iter().enumerate() {
                evidence.push(params![
                    event.id,
                    to_sql_int(ordinal as u64),
                    quote.quote.as_str(),
                    to_sql_int(quote.span.start as u64),
                    to_sql_int(quote.span.end as u64),
                ]);
            }
            actors.extend(event.actors.iter().map(|(id, role)| params![event.id, *id, role.as_str()]));
            subjects.extend(event.subjects.iter().map(|id| params![event.id, *id]));
        }
        let columns = &["event_id", "ordinal", "quote", "start_char", "end_char"];
        self.insert_rows("event_evidence", columns, evidence, "").await?;
        let once = "ON CONFLICT DO NOTHING";
        self.insert_rows("event_actors", &["event_id", "entity_id", "role"], actors, once).await?;
        self.insert_rows("event_subjects", &["event_id", "entity_id"], subjects, once).await?;
        Ok((now_told.difference(&known).count() as u64, gone.len() as u64))
    }

    /// Gives the part that one has in some events of a revision to another one.
    pub async fn move_parts(&mut self, from: EntityId, to: EntityId, events: &[EventId]) -> Result<()> {
        for batch in events.chunks(BATCH) {
            for table in ["event_actors", "event_subjects"] {
                let sql = format!(
                    "UPDATE {table} SET entity_id = $2 WHERE event_id IN {}
                     AND entity_id IN (SELECT id FROM entities WHERE id = $1 OR root_id = $1)",
                    placeholder_list(3, batch.len())
                );
                let mut values = params![from, to];
                values.extend(id_values(batch));
                self.tx.execute_built(sql, values).await?;
            }
        }
        Ok(())
    }

    /// Events whose words hold one of these mentions.
    pub async fn events_around(&mut self, mentions: &[ibid_domain::MentionId]) -> Result<Vec<EventId>> {
        let mut found = BTreeSet::new();
        for batch in mentions.chunks(BATCH) {
            let sql = format!(
                "SELECT DISTINCT e.id FROM entity_mentions m JOIN events e ON e.revision_id = m.revision_id
                 JOIN event_evidence v ON v.event_id = e.id AND v.start_char <= m.start_char AND v.end_char >= m.end_char
                 WHERE m.tenant_id = $1 AND m.id IN {}",
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(id_values(batch));
            for row in self.tx.rows_built(sql, values).await? {
                found.insert(row.get("id")?);
            }
        }
        Ok(found.into_iter().collect())
    }

    /// The events that begin in these chunks, by their numbers: chunk, event, source and narrative.
    pub async fn events_in(&mut self, chunks: &[i64]) -> Result<Vec<(i64, EventId, SourceId, String)>> {
        let mut found = Vec::new();
        for batch in chunks.chunks(BATCH) {
            let sql = format!(
                "SELECT c.seq, e.id, e.source_id, e.narrative FROM chunks c JOIN events e ON e.revision_id = c.revision_id
                     AND e.start_char >= c.start_char AND e.start_char < c.end_char
                 WHERE e.tenant_id = $1 AND c.seq IN {} ORDER BY c.seq, e.start_char, e.id",
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(batch.iter().map(|seq| SqlValue::from(*seq)));
            for row in self.tx.rows_built(sql, values).await? {
                found.push((row.get("seq")?, row.get("id")?, row.get("source_id")?, row.get("narrative")?));
            }
        }
        Ok(found)
    }

    /// Returns events with their participants and quotes; missing ids are left out.
    pub async fn events_by_id(&mut self, wanted: &[EventId]) -> Result<BTreeMap<EventId, Event>> {
        let mut found = BTreeMap::new();
        for batch in wanted.chunks(BATCH) {
            let sql = format!(
                "SELECT * FROM events WHERE {} = $1 AND id IN {}",
                self.tenant_column(),
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(id_values(batch));
            let rows = self.tx.rows_built(sql, values).await?;
            let events = rows.iter().map(read_event).collect::<Result<Vec<_>>>()?;
            found.extend(self.with_parts(events).await?.into_iter().map(|event| (event.id, event)));
        }
        Ok(found)
    }

    /// The words that the events of a revision were taken from.
    pub async fn quotes_of(&mut self, revision: RevisionId) -> Result<Vec<(EventId, Quote)>> {
        let sql = "SELECT q.event_id, q.quote, q.start_char, q.end_char FROM events e
                   JOIN event_evidence q ON q.event_id = e.id
                   WHERE e.tenant_id = $1 AND e.revision_id = $2 ORDER BY q.start_char, q.event_id";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), revision]).await?;
        let place = |row: &SqlRow, name: &str| -> Result<usize> { Ok(row.get::<u64>(name)? as usize) };
        let read = |row: &SqlRow| {
            let span = Span::new(place(row, "start_char")?, place(row, "end_char")?);
            Ok((row.get("event_id")?, Quote { quote: row.get("quote")?, span }))
        };
        rows.iter().map(read).collect()
    }

    /// Events of current revisions, the newest first; those without a time last.
    pub async fn list_events(
        &mut self,
        filter: &EventFilter,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<Event>> {
        let mut values = params![self.scope.tenant()];
        let mut sql =
            "SELECT e.* FROM events e JOIN extractions x ON x.revision_id = e.revision_id AND x.is_current = 1
                       WHERE e.tenant_id = $1"
                .to_owned();
        let mut also = |condition: &str, value: SqlValue| {
            values.push(value);
            sql.push_str(&condition.replace('?', &format!("${}", values.len())));
        };
        if let Some(entity) = filter.entity {
            also(
                " AND (EXISTS (SELECT 1 FROM event_actors p JOIN entities f ON f.id = p.entity_id
                               WHERE p.event_id = e.id AND (f.root_id = ? OR f.id = ?))
                    OR EXISTS (SELECT 1 FROM event_subjects p JOIN entities f ON f.id = p.entity_id
                               WHERE p.event_id = e.id AND (f.root_id = ? OR f.id = ?)))",
                entity.into(),
            );
        }
        if let Some(source) = filter.source {
            also(" AND e.source_id = ?", source.into());
        }
        if let Some(from) = filter.from {
            also(" AND e.sorted_at >= ?", from.into());
        }
        if let Some(to) = filter.to {
            also(" AND COALESCE(e.event_date, e.document_date) IS NOT NULL AND e.sorted_at < ?", to.into());
        }
        if let Some(cursor) = after {
            let [micros, id] = cursor.key_parts()?;
            let at = Timestamp::from_micros(micros.parse().map_err(|_| Cursor::invalid_cursor())?);
            also(" AND (e.sorted_at < ?", at.into());
            also(" OR (e.sorted_at = ?", at.into());
            also(" AND e.id < ?))", id.parse::<EventId>().map_err(|_| Cursor::invalid_cursor())?.into());
        }
        if !filter.categories.is_empty() {
            sql.push_str(" AND e.category IN ");
            sql.push_str(&placeholder_list(values.len() + 1, filter.categories.len()));
            values.extend(filter.categories.iter().map(|category| SqlValue::from(category.as_str())));
        }
        values.push(limit.probe_count().into());
        sql.push_str(&format!(" ORDER BY e.sorted_at DESC, e.id DESC LIMIT ${}", values.len()));
        let rows = self.tx.rows_built(sql, values).await?;
        let events = rows.iter().map(read_event).collect::<Result<Vec<_>>>()?;
        let mut page = Page::from_rows(events, limit, |last| {
            let date = last.best_date().and_then(|(date, _)| date.start_timestamp());
            let at = date.unwrap_or(LONG_AGO);
            vec![at.as_micros().to_string(), last.id.to_string()]
        });
        page.items = self.with_parts(page.items).await?;
        Ok(page)
    }

    /// Adds words and participants, the latter as whom they count.
    async fn with_parts(&mut self, mut events: Vec<Event>) -> Result<Vec<Event>> {
        if events.is_empty() {
            return Ok(events);
        }
        let wanted: Vec<EventId> = events.iter().map(|event| event.id).collect();
        let list = placeholder_list(1, wanted.len());
        let mut quotes: BTreeMap<EventId, Vec<Quote>> = BTreeMap::new();
        let mut parts: BTreeMap<EventId, Vec<Participant>> = BTreeMap::new();
        // Words and participants at once: on a server every question costs a journey.
        let part = "JOIN entities f ON f.id = p.entity_id JOIN entities r ON r.id = f.root_id WHERE p.event_id IN";
        let sql = format!(
            "SELECT event_id, ordinal AS place, quote, start_char, end_char, NULL AS role, NULL AS id, NULL AS name, NULL AS kind
                 FROM event_evidence WHERE event_id IN {list}
             UNION ALL SELECT p.event_id, r.seq, NULL, NULL, NULL, p.role, r.id, r.name, r.kind FROM event_actors p {part} {list}
             UNION ALL SELECT p.event_id, r.seq, NULL, NULL, NULL, NULL, r.id, r.name, r.kind FROM event_subjects p {part} {list}
             ORDER BY 1, 2"
        );
        for row in self.tx.rows_built(sql, id_values(&wanted)).await? {
            let event: EventId = row.get("event_id")?;
            if let Some(quote) = row.get::<Option<String>>("quote")? {
                let place = |name: &str| -> Result<usize> { Ok(row.get::<u64>(name)? as usize) };
                let span = Span::new(place("start_char")?, place("end_char")?);
                quotes.entry(event).or_default().push(Quote { quote, span });
                continue;
            }
            let one = Participant {
                entity: row.get("id")?,
                name: row.get("name")?,
                kind: row.parse("kind")?,
                role: row.parse_opt("role")?,
            };
            let of_event = parts.entry(event).or_default();
            if !of_event.iter().any(|known| known.entity == one.entity && known.role.is_some() == one.role.is_some()) {
                of_event.push(one);
            }
        }
        for event in &mut events {
            event.evidence = quotes.remove(&event.id).unwrap_or_default();
            let parts = parts.remove(&event.id).unwrap_or_default();
            (event.actors, event.subjects) = parts.into_iter().partition(|one| one.role.is_some());
        }
        Ok(events)
    }
}

fn read_event(row: &SqlRow) -> Result<Event> {
    Ok(Event {
        id: row.get("id")?,
        source: row.get("source_id")?,
        revision: row.get("revision_id")?,
        category: row.parse("category")?,
        narrative: row.get("narrative")?,
        date: row.parse_opt("event_date")?,
        document_date: row.parse_opt("document_date")?,
        confidence: row.get("confidence")?,
        extractor: row.get("extractor")?,
        actors: Vec::new(),
        subjects: Vec::new(),
        evidence: Vec::new(),
        created_at: row.get("created_at")?,
    })
}
