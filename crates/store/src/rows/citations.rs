//! Citations of messages: what was cited, as it was when it was cited.

use std::collections::BTreeMap;

use ibid_domain::{
    Citation, CitationId, CitationState, ConversationId, MessageId, Sha256, SourceId, Span, Timestamp,
    citation::{Anchor, CitationSnapshot},
};

use crate::{
    EngineKind, Result, Scope, Tx,
    rows::to_json_value,
    sql::{PrefixedRow, SqlValue, params, placeholder_list, placeholder_rows, to_sql_int},
};

/// The citations of one tenant's messages.
pub struct Citations<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The citations that this scope may see.
    pub fn citations<'a>(&'a mut self, scope: &'a Scope) -> Citations<'a> {
        Citations { tx: self, scope }
    }
}

/// Restricts the citations that are counted; an unset field does not restrict.
#[derive(Clone, Copy, Debug, Default)]
pub struct CitationFilter {
    /// Only those of this conversation.
    pub conversation: Option<ConversationId>,
    pub source: Option<SourceId>,
    /// Only those made from then on.
    pub since: Option<Timestamp>,
    /// Only citations created before this time.
    pub until: Option<Timestamp>,
}

/// A cited source with the number of its citations.
#[derive(Clone, Debug, PartialEq)]
pub struct CitedSource {
    /// The source; none if it was deleted, or is none of the library's.
    pub source: Option<SourceId>,
    /// Its title when it was cited last.
    pub title: String,
    /// File name at the time of citing.
    pub file_name: String,
    /// Media type at the time of citing.
    pub media_type: String,
    /// True if it was a source of the library, and not only a tool's result.
    pub was_in_library: bool,
    pub citations: u64,
    /// Number of messages that cite it.
    pub messages: u64,
    pub last_cited_at: Timestamp,
}

/// Number of citations in all and by verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct CitationTotals {
    pub citations: u64,
    /// Number of messages with citations.
    pub messages: u64,
    /// Number of different sources cited.
    pub sources: u64,
    /// Number of citations by verdict; `None` stands for those not checked.
    pub verdicts: Vec<(Option<String>, u64)>,
    /// Number of citations whose source no longer has the quoted words.
    pub changed: u64,
    /// Number of citations whose source was deleted.
    pub deleted: u64,
}

const COLUMNS: &[&str] = &[
    "id",
    "conversation_id",
    "message_id",
    "run_id",
    "number",
    "start_index",
    "end_index",
    "claim_start",
    "claim_end",
    "source_id",
    "cited_id",
    "was_in_library",
    "title",
    "file_name",
    "origin",
    "media_type",
    "is_image",
    "url",
    "relevance",
    "excerpt_count",
    "quote",
    "revision_id",
    "text_sha256",
    "content_sha256",
    "start_char",
    "end_char",
    "prefix",
    "suffix",
    "first_page",
    "last_page",
    "verdict",
    "score",
    "why",
    "state",
    "summary",
    "created_at",
];

impl Citations<'_> {
    /// Keeps citations; those that are kept already stay as they are. Says how many are new.
    pub async fn add(&mut self, citations: &[Citation]) -> Result<u64> {
        let mut named: BTreeMap<Sha256, i64> = BTreeMap::new();
        let sql = format!(
            "INSERT INTO citations (tenant_id, {}) VALUES {}
             ON CONFLICT (tenant_id, message_id, start_index, number) DO NOTHING",
            COLUMNS.join(", "),
            placeholder_rows(1, 1, COLUMNS.len() + 1)
        );
        let mut added = 0;
        for citation in citations {
            let mut values = params![self.scope.tenant()];
            values.extend(column_values(citation)?);
            if self.tx.execute_built(sql.clone(), values).await? == 1 {
                added += 1;
                for sha256 in citation.anchor.iter().flat_map(|anchor| [anchor.text, anchor.content]) {
                    *named.entry(sha256).or_default() += 1;
                }
            }
        }
        self.tx.artifacts(self.scope).count_references(&named).await?;
        Ok(added)
    }

    /// The citations of a message, in the order in which they stand.
    pub async fn of_message(&mut self, id: &MessageId) -> Result<Vec<Citation>> {
        let sql = "SELECT * FROM citations WHERE tenant_id = $1 AND message_id = $2 ORDER BY start_index, number";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), id]).await?;
        rows.iter().map(|row| read_citation(row.with_prefix(""))).collect()
    }

    /// The citations of many messages at once, in the order in which they stand in each.
    pub async fn of_messages(&mut self, ids: &[&MessageId]) -> Result<Vec<Citation>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT * FROM citations WHERE tenant_id = $1 AND message_id IN {} ORDER BY message_id, start_index, number",
            placeholder_list(2, ids.len())
        );
        let mut values = params![self.scope.tenant()];
        values.extend(ids.iter().map(|id| SqlValue::from(*id)));
        let rows = self.tx.rows_built(sql, values).await?;
        rows.iter().map(|row| read_citation(row.with_prefix(""))).collect()
    }

    /// Lists every citation of a source, newest first.
    pub async fn list_citing(&mut self, source: SourceId) -> Result<Vec<Citation>> {
        let sql = "SELECT * FROM citations WHERE tenant_id = $1 AND source_id = $2 ORDER BY id DESC";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), source]).await?;
        rows.iter().map(|row| read_citation(row.with_prefix(""))).collect()
    }

    /// Of each citation of a source whether it is still what the source says, once for all of them.
    pub async fn judge_state(&mut self, id: SourceId, still_says: impl Fn(&str) -> bool) -> Result<u64> {
        let sql =
            "SELECT id, quote, state FROM citations WHERE tenant_id = $1 AND source_id = $2 AND quote IS NOT NULL";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), id]).await?;
        let mut changed = 0;
        for row in rows {
            let state = match still_says(&row.get::<String>("quote")?) {
                true => CitationState::Current,
                false => CitationState::Changed,
            };
            if row.parse::<CitationState>("state")? != state {
                let id: CitationId = row.get("id")?;
                changed += self
                    .tx
                    .execute("UPDATE citations SET state = $2 WHERE id = $1", params![id, state.as_str()])
                    .await?;
            }
        }
        Ok(changed)
    }

    /// Keeps what a source is about with the citations of a message that cite it.
    pub async fn set_summary(&mut self, message: &MessageId, source: SourceId, summary: &str) -> Result<()> {
        let sql = "UPDATE citations SET summary = $4 WHERE tenant_id = $1 AND message_id = $2 AND source_id = $3";
        self.tx.execute(sql, params![self.scope.tenant(), message, source, summary]).await?;
        Ok(())
    }

    /// Takes back the references of all that a conversation cites, before it is removed.
    pub(super) async fn release_conversation(&mut self, id: ConversationId) -> Result<()> {
        let sql = "SELECT sha256, COUNT(*) AS count FROM (
                       SELECT text_sha256 AS sha256 FROM citations WHERE tenant_id = $1 AND conversation_id = $2
                       UNION ALL SELECT content_sha256 FROM citations WHERE tenant_id = $1 AND conversation_id = $2
                   ) AS named WHERE sha256 IS NOT NULL GROUP BY sha256";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), id]).await?;
        let named = rows
            .iter()
            .map(|row| Ok((row.get("sha256")?, -row.get::<i64>("count")?)))
            .collect::<Result<BTreeMap<Sha256, i64>>>()?;
        // They go first: an artifact that nothing names may be removed at once.
        self.tx
            .execute(
                "DELETE FROM citations WHERE tenant_id = $1 AND conversation_id = $2",
                params![self.scope.tenant(), id],
            )
            .await?;
        self.tx.artifacts(self.scope).count_references(&named).await
    }

    /// The sources that are cited most.
    pub async fn most_cited(&mut self, filter: &CitationFilter, count: i64) -> Result<Vec<CitedSource>> {
        let (condition, mut values) = self.filter_condition(filter);
        values.push(count.into());
        // What is none of the library's, or no more, is told apart by its address or name.
        let sql = format!(
            "SELECT source_id, MAX(title) AS title, MAX(file_name) AS file_name, MAX(media_type) AS media_type,
                 MAX(was_in_library) AS was_in_library, COUNT(*) AS citations, COUNT(DISTINCT message_id) AS messages,
                 MAX(created_at) AS last_cited_at
             FROM citations WHERE {condition}
             GROUP BY source_id, CASE WHEN source_id IS NULL THEN COALESCE(url, file_name) END
             ORDER BY citations DESC, last_cited_at DESC LIMIT ${}",
            values.len()
        );
        let rows = self.tx.rows_built(sql, values).await?;
        rows.iter()
            .map(|row| {
                Ok(CitedSource {
                    source: row.get("source_id")?,
                    title: row.get("title")?,
                    file_name: row.get("file_name")?,
                    media_type: row.get("media_type")?,
                    was_in_library: row.get("was_in_library")?,
                    citations: row.get("citations")?,
                    messages: row.get("messages")?,
                    last_cited_at: row.get("last_cited_at")?,
                })
            })
            .collect()
    }

    /// Counts citations by UTC day, as `2026-01-31`, oldest first.
    pub async fn per_day(&mut self, filter: &CitationFilter) -> Result<Vec<(String, u64)>> {
        let day = match self.tx.engine() {
            EngineKind::Sqlite => "strftime('%Y-%m-%d', created_at / 1000000, 'unixepoch')",
            EngineKind::Postgres => "to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
        };
        let (condition, values) = self.filter_condition(filter);
        let sql =
            format!("SELECT {day} AS day, COUNT(*) AS count FROM citations WHERE {condition} GROUP BY 1 ORDER BY 1");
        let rows = self.tx.rows_built(sql, values).await?;
        rows.iter().map(|row| Ok((row.get("day")?, row.get("count")?))).collect()
    }

    /// The conversations that cite most: how many citations, and of how many sources.
    pub async fn per_conversation(
        &mut self,
        filter: &CitationFilter,
        count: i64,
    ) -> Result<Vec<(ConversationId, Option<String>, u64, u64)>> {
        let (condition, mut values) = self.filter_condition(filter);
        let source = self.source_key();
        values.push(count.into());
        let sql = format!(
            "SELECT c.id, c.title, n.citations, n.sources FROM (
                 SELECT conversation_id, COUNT(*) AS citations,
                     COUNT(DISTINCT {source}) AS sources
                 FROM citations WHERE {condition} GROUP BY conversation_id
             ) n JOIN conversations c ON c.id = n.conversation_id ORDER BY n.citations DESC, c.id DESC LIMIT ${}",
            values.len()
        );
        let rows = self.tx.rows_built(sql, values).await?;
        rows.iter()
            .map(|row| Ok((row.get("id")?, row.get("title")?, row.get("citations")?, row.get("sources")?)))
            .collect()
    }

    /// Counts the citations that a filter matches.
    pub async fn totals(&mut self, filter: &CitationFilter) -> Result<CitationTotals> {
        let (condition, values) = self.filter_condition(filter);
        let source = self.source_key();
        let sql = format!(
            "SELECT COUNT(*) AS citations, COUNT(DISTINCT message_id) AS messages,
                 COUNT(DISTINCT {source}) AS sources,
                 COUNT(CASE WHEN state = 'changed' THEN 1 END) AS changed,
                 COUNT(CASE WHEN was_in_library = 1 AND source_id IS NULL THEN 1 END) AS deleted
             FROM citations WHERE {condition}"
        );
        let rows = self.tx.rows_built(sql, values.clone()).await?;
        let sql = format!(
            "SELECT verdict, COUNT(*) AS count FROM citations WHERE {condition} GROUP BY verdict ORDER BY count DESC, verdict"
        );
        let verdicts = self.tx.rows_built(sql, values).await?;
        let verdicts =
            verdicts.iter().map(|row| Ok((row.get("verdict")?, row.get("count")?))).collect::<Result<_>>()?;
        let count = |name: &str| rows.first().map_or(Ok(0), |row| row.get(name));
        Ok(CitationTotals {
            citations: count("citations")?,
            messages: count("messages")?,
            sources: count("sources")?,
            changed: count("changed")?,
            deleted: count("deleted")?,
            verdicts,
        })
    }

    /// Returns the SQL expression that identifies a cited source, even a deleted one.
    fn source_key(&self) -> &'static str {
        match self.tx.engine() {
            EngineKind::Sqlite => "CASE WHEN source_id IS NULL THEN COALESCE(url, file_name) ELSE hex(source_id) END",
            EngineKind::Postgres => "COALESCE(source_id::text, url, file_name)",
        }
    }

    fn filter_condition(&self, filter: &CitationFilter) -> (String, Vec<SqlValue>) {
        let mut sql = "tenant_id = $1".to_owned();
        let mut values = params![self.scope.tenant()];
        let mut also = |condition: &str, value: SqlValue| {
            values.push(value);
            sql += &format!(" AND {condition} ${}", values.len());
        };
        if let Some(id) = filter.conversation {
            also("conversation_id =", id.into());
        }
        if let Some(id) = filter.source {
            also("source_id =", id.into());
        }
        if let Some(at) = filter.since {
            also("created_at >=", at.into());
        }
        if let Some(at) = filter.until {
            also("created_at <", at.into());
        }
        (sql, values)
    }
}

/// Returns the values of a citation in the order of [`COLUMNS`].
fn column_values(citation: &Citation) -> Result<Vec<SqlValue>> {
    let Citation { snapshot, anchor, .. } = citation;
    let anchor = anchor.as_ref();
    let span = anchor.and_then(|anchor| anchor.span);
    let pages = anchor.and_then(|anchor| anchor.pages);
    let place = |place: usize| to_sql_int(place as u64);
    Ok(params![
        citation.id,
        citation.conversation,
        &citation.message,
        citation.run,
        i64::from(citation.number),
        place(citation.marker.start),
        place(citation.marker.end),
        citation.claim.map(|claim| place(claim.start)),
        citation.claim.map(|claim| place(claim.end)),
        citation.source,
        citation.cited_id.as_str(),
        i64::from(snapshot.was_in_library),
        snapshot.title.as_str(),
        snapshot.file_name.as_str(),
        snapshot.origin.as_str(),
        snapshot.media_type.as_str(),
        i64::from(snapshot.is_image),
        snapshot.url.as_deref(),
        snapshot.relevance,
        to_sql_int(snapshot.excerpt_count),
        citation.quote.as_deref(),
        anchor.and_then(|anchor| anchor.revision),
        anchor.map(|anchor| anchor.text),
        anchor.map(|anchor| anchor.content),
        span.map(|span| place(span.start)),
        span.map(|span| place(span.end)),
        anchor.map_or("", |anchor| &anchor.prefix),
        anchor.map_or("", |anchor| &anchor.suffix),
        pages.map(|(first, _)| i64::from(first)),
        pages.map(|(_, last)| i64::from(last)),
        citation.verdict.map(|verdict| verdict.as_str()),
        citation.score,
        to_json_value(&citation.why)?,
        citation.state.as_str(),
        citation.summary.as_deref(),
        citation.created_at,
    ])
}

fn read_citation(row: PrefixedRow<'_>) -> Result<Citation> {
    let span = |start: &str, end: &str| -> Result<Option<Span>> {
        let (start, end): (Option<u64>, Option<u64>) = (row.get(start)?, row.get(end)?);
        Ok(start.zip(end).map(|(start, end)| Span::new(start as usize, end as usize)))
    };
    let page = |name: &str| -> Result<Option<u32>> {
        Ok(row.get::<Option<u64>>(name)?.map(|page| u32::try_from(page).unwrap_or(u32::MAX)))
    };
    let (text, content): (Option<Sha256>, Option<Sha256>) = (row.get("text_sha256")?, row.get("content_sha256")?);
    let anchor = match text.zip(content) {
        Some((text, content)) => Some(Anchor {
            revision: row.get("revision_id")?,
            text,
            content,
            span: span("start_char", "end_char")?,
            prefix: row.get("prefix")?,
            suffix: row.get("suffix")?,
            pages: page("first_page")?.zip(page("last_page")?),
        }),
        None => None,
    };
    Ok(Citation {
        id: row.get("id")?,
        message: row.get("message_id")?,
        conversation: row.get("conversation_id")?,
        run: row.get("run_id")?,
        number: u32::try_from(row.get::<u64>("number")?).unwrap_or(u32::MAX),
        marker: span("start_index", "end_index")?.unwrap_or_default(),
        claim: span("claim_start", "claim_end")?,
        source: row.get("source_id")?,
        cited_id: row.get("cited_id")?,
        snapshot: CitationSnapshot {
            was_in_library: row.get("was_in_library")?,
            title: row.get("title")?,
            file_name: row.get("file_name")?,
            origin: row.parse("origin")?,
            media_type: row.get("media_type")?,
            is_image: row.get("is_image")?,
            url: row.get("url")?,
            relevance: row.get("relevance")?,
            excerpt_count: row.get("excerpt_count")?,
        },
        quote: row.get("quote")?,
        anchor,
        verdict: row.parse_opt("verdict")?,
        score: row.get("score")?,
        why: row.parse_json("why")?,
        state: row.parse("state")?,
        summary: row.get("summary")?,
        created_at: row.get("created_at")?,
    })
}
