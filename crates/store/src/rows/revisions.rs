//! Revisions of sources, the marks over their text, and the chunks it was cut into.

use std::collections::{BTreeMap, HashMap};

use ibid_domain::{
    ChunkId, Cursor, JsonObject, Limit, Mark, MarkKind, Page, Place, Revision, RevisionId, Sha256, SourceId, Span,
};

use crate::{
    EngineKind, Error, Result, Scope, Tx,
    sql::{PrefixedRow, SqlRow, params, placeholder_list, placeholder_rows, to_sql_int},
};

/// Maximum number of rows in one statement.
const BATCH: usize = 200;

/// The revisions of one tenant's sources.
pub struct Revisions<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The revisions that this scope may see.
    pub fn revisions<'a>(&'a mut self, scope: &'a Scope) -> Revisions<'a> {
        Revisions { tx: self, scope }
    }
}

/// Bytes that are a source's content from now on.
#[derive(Clone, Debug)]
pub struct NewRevision {
    pub source: SourceId,
    /// The bytes, an artifact that is kept already.
    pub content: Sha256,
    /// Media type, as far as the uploader or server told it.
    pub media_type: String,
    pub filename: Option<String>,
    pub size_bytes: u64,
    /// `ETag` and `Last-Modified` of the web server, to ask later if the page changed.
    pub validators: JsonObject,
}

/// A stretch of a revision's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    pub id: ChunkId,
    pub source: SourceId,
    /// Revision whose text it is a part of.
    pub revision: RevisionId,
    /// Number within the revision, from 0.
    pub ordinal: u64,
    /// Range in the revision's text, in characters.
    pub span: Span,
    /// Length of the chunk, in tokens.
    pub tokens: u64,
    /// Page, section or sheet, for people.
    pub place: Place,
    pub content: String,
    /// True if it has a vector in the embedding space in use.
    pub embedded: bool,
}

impl Revisions<'_> {
    /// Keeps new bytes of a source, which the caller holds.
    pub async fn add(&mut self, new: NewRevision) -> Result<Revision> {
        self.tx.artifacts(self.scope).count_references(&BTreeMap::from([(new.content, 1)])).await?;
        let row = self
            .tx
            .fetch_optional(
                "INSERT INTO revisions (id, tenant_id, source_id, number, content_sha256, media_type, filename, size_bytes,
                     validators, created_at)
                 VALUES ($1, $2, $3, 1 + COALESCE((SELECT MAX(number) FROM revisions WHERE source_id = $3), 0), $4, $5, $6,
                     $7, $8, $9)
                 RETURNING *",
                params![
                    RevisionId::new(),
                    self.scope.tenant(),
                    new.source,
                    new.content,
                    new.media_type,
                    new.filename,
                    to_sql_int(new.size_bytes),
                    new.validators,
                    self.tx.now(),
                ],
            )
            .await?;
        read_revision(&row.ok_or_else(|| Error::Corrupt("an insert returned nothing".to_owned()))?)
    }

    /// Keeps what reading the bytes brought. The caller holds the source; a revision is read once.
    pub async fn save_extraction(&mut self, revision: &Revision, marks: &[Mark]) -> Result<()> {
        let mut references = BTreeMap::new();
        for sha256 in [revision.text, revision.thumbnail].into_iter().flatten() {
            *references.entry(sha256).or_insert(0) += 1;
        }
        self.tx.artifacts(self.scope).count_references(&references).await?;
        self.tx
            .execute(
                "UPDATE revisions SET text_sha256 = $3, thumbnail_sha256 = $4, media_type = $5, text_chars = $6,
                     page_count = $7, chunk_count = $8, language = $9, manifest_sha256 = $10, extracted_at = $11
                 WHERE id = $1 AND tenant_id = $2 AND extracted_at IS NULL",
                params![
                    revision.id,
                    self.scope.tenant(),
                    revision.text,
                    revision.thumbnail,
                    revision.media_type.as_str(),
                    to_sql_int(revision.text_chars),
                    revision.page_count.map(to_sql_int),
                    to_sql_int(revision.chunk_count),
                    revision.language.as_deref(),
                    revision.manifest,
                    revision.extracted_at,
                ],
            )
            .await?;
        for (start, batch) in marks.chunks(BATCH).enumerate().map(|(index, batch)| (index * BATCH, batch)) {
            let mut values = Vec::with_capacity(batch.len() * 8);
            for (index, mark) in batch.iter().enumerate() {
                values.extend(params![
                    revision.id,
                    to_sql_int((start + index) as u64),
                    mark.kind.as_str(),
                    mark.label.as_str(),
                    mark.number.map(i64::from),
                    i64::from(mark.level),
                    to_sql_int(mark.span.start as u64),
                    to_sql_int(mark.span.end as u64),
                ]);
            }
            let sql = format!(
                "INSERT INTO marks (revision_id, ordinal, kind, label, number, level, start_char, end_char) VALUES {}",
                placeholder_rows(1, batch.len(), 8)
            );
            self.tx.execute_built(sql, values).await?;
        }
        Ok(())
    }

    /// Keeps the chunks of a revision that was just read.
    pub async fn add_chunks(&mut self, chunks: &[Chunk]) -> Result<()> {
        for batch in chunks.chunks(BATCH) {
            let mut values = Vec::with_capacity(batch.len() * 11);
            for chunk in batch {
                let place = serde_json::to_value(&chunk.place).map_err(|error| Error::Corrupt(error.to_string()))?;
                values.extend(params![
                    chunk.id,
                    self.scope.tenant(),
                    chunk.source,
                    chunk.revision,
                    to_sql_int(chunk.ordinal),
                    to_sql_int(chunk.span.start as u64),
                    to_sql_int(chunk.span.end as u64),
                    to_sql_int(chunk.tokens),
                    chunk.place.page.map(i64::from),
                    place,
                    chunk.content.as_str(),
                ]);
            }
            let sql = format!(
                "INSERT INTO chunks (id, tenant_id, source_id, revision_id, ordinal, start_char, end_char, tokens, page, place,
                     content)
                 VALUES {}",
                placeholder_rows(1, batch.len(), 11)
            );
            self.tx.execute_built(sql, values).await?;
        }
        if let Some(chunk) = chunks.first() {
            self.tx.log_revision(chunk.revision).await?;
        }
        Ok(())
    }

    /// Returns a revision, if it exists.
    pub async fn get(&mut self, id: RevisionId) -> Result<Option<Revision>> {
        let sql = "SELECT * FROM revisions WHERE tenant_id = $1 AND id = $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), id]).await?;
        row.as_ref().map(read_revision).transpose()
    }

    /// Those of many revisions that are here.
    pub async fn get_many(&mut self, ids: &[RevisionId]) -> Result<HashMap<RevisionId, Revision>> {
        let mut found = HashMap::with_capacity(ids.len());
        for batch in ids.chunks(BATCH) {
            let sql =
                format!("SELECT * FROM revisions WHERE tenant_id = $1 AND id IN {}", placeholder_list(2, batch.len()));
            let mut values = params![self.scope.tenant()];
            values.extend(batch.iter().map(|id| (*id).into()));
            for row in self.tx.rows_built(sql, values).await? {
                let revision = read_revision(&row)?;
                found.insert(revision.id, revision);
            }
        }
        Ok(found)
    }

    /// The newest revision of a source, read or not.
    pub async fn get_newest(&mut self, source: SourceId) -> Result<Option<Revision>> {
        let sql = "SELECT * FROM revisions WHERE tenant_id = $1 AND source_id = $2 ORDER BY number DESC LIMIT 1";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), source]).await?;
        row.as_ref().map(read_revision).transpose()
    }

    /// The revisions of a source, newest first.
    pub async fn list(&mut self, source: SourceId, limit: Limit, after: Option<&Cursor>) -> Result<Page<Revision>> {
        let before = match after {
            None => i64::MAX,
            Some(cursor) => {
                let [number] = cursor.key_parts()?;
                number.parse().map_err(|_| Cursor::invalid_cursor())?
            }
        };
        let sql = "SELECT * FROM revisions WHERE tenant_id = $1 AND source_id = $2 AND number < $3
                   ORDER BY number DESC LIMIT $4";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), source, before, limit.probe_count()]).await?;
        let items = rows.iter().map(read_revision).collect::<Result<_>>()?;
        Ok(Page::from_rows(items, limit, |last: &Revision| vec![last.number.to_string()]))
    }

    /// The marks over a revision's text, by start.
    pub async fn list_marks(&mut self, revision: RevisionId) -> Result<Vec<Mark>> {
        let sql = "SELECT m.* FROM marks m JOIN revisions r ON r.id = m.revision_id
                   WHERE r.tenant_id = $1 AND m.revision_id = $2 ORDER BY m.ordinal";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), revision]).await?;
        rows.iter().map(read_mark).collect()
    }

    /// The marks that meet any of these spans, each with its revision, by start.
    pub async fn marks_within(&mut self, spans: &[(RevisionId, Span)]) -> Result<Vec<(RevisionId, Mark)>> {
        let mut found = Vec::new();
        // SQLite would walk all revisions of the tenant where it can look these up.
        let tenant = if self.tx.engine() == EngineKind::Sqlite { "+r.tenant_id" } else { "r.tenant_id" };
        for batch in spans.chunks(BATCH) {
            let conditions: Vec<String> = (0..batch.len())
                .map(|at| {
                    format!(
                        "(m.revision_id = ${} AND m.start_char < ${} AND m.end_char > ${})",
                        at * 3 + 2,
                        at * 3 + 3,
                        at * 3 + 4
                    )
                })
                .collect();
            let sql = format!(
                "SELECT m.* FROM marks m JOIN revisions r ON r.id = m.revision_id
                 WHERE {tenant} = $1 AND ({}) ORDER BY m.revision_id, m.ordinal",
                conditions.join(" OR ")
            );
            let mut values = params![self.scope.tenant()];
            for (revision, span) in batch {
                values.extend(params![*revision, to_sql_int(span.end as u64), to_sql_int(span.start as u64)]);
            }
            for row in self.tx.rows_built(sql, values).await? {
                found.push((row.get("revision_id")?, read_mark(&row)?));
            }
        }
        Ok(found)
    }

    /// The chunks of a revision, in order.
    pub async fn list_chunks(
        &mut self,
        revision: RevisionId,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<Chunk>> {
        let after = match after {
            None => -1,
            Some(cursor) => {
                let [ordinal] = cursor.key_parts()?;
                ordinal.parse().map_err(|_| Cursor::invalid_cursor())?
            }
        };
        let sql = "SELECT c.*, CASE WHEN EXISTS (SELECT 1 FROM chunk_vectors v JOIN embedding_spaces e ON e.id = v.space_id
                       WHERE v.chunk_id = c.id AND e.in_use = 1) THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS embedded
                   FROM chunks c WHERE c.tenant_id = $1 AND c.revision_id = $2 AND c.ordinal > $3
                   ORDER BY c.ordinal LIMIT $4";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), revision, after, limit.probe_count()]).await?;
        let items = rows.iter().map(|row| read_chunk(row.with_prefix(""))).collect::<Result<_>>()?;
        Ok(Page::from_rows(items, limit, |last: &Chunk| vec![last.ordinal.to_string()]))
    }

    /// All chunks of a revision, in order. Whether they are embedded is not looked up.
    pub async fn all_chunks(&mut self, revision: RevisionId) -> Result<Vec<Chunk>> {
        let sql = "SELECT c.*, CAST(0 AS BIGINT) AS embedded FROM chunks c
                   WHERE c.tenant_id = $1 AND c.revision_id = $2 ORDER BY c.ordinal";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), revision]).await?;
        rows.iter().map(|row| read_chunk(row.with_prefix(""))).collect()
    }

    /// Removes everything that was made of a source's content; the artifacts lose their references.
    pub(super) async fn remove_all(&mut self, source: SourceId) -> Result<()> {
        let named = self.artifacts_of(source).await?;
        let references = named.into_iter().map(|(sha256, count)| (sha256, -count)).collect();
        let names = params![self.scope.tenant(), source];
        self.tx.execute("DELETE FROM chunks WHERE tenant_id = $1 AND source_id = $2", names.clone()).await?;
        self.tx.execute("DELETE FROM revisions WHERE tenant_id = $1 AND source_id = $2", names).await?;
        self.tx.artifacts(self.scope).count_references(&references).await
    }

    /// Forgets that reading these bytes brought nothing, so that they are read again.
    pub async fn read_again(&mut self, id: RevisionId) -> Result<()> {
        let sql = "UPDATE revisions SET extracted_at = NULL
                   WHERE tenant_id = $1 AND id = $2 AND text_sha256 IS NULL AND chunk_count = 0 AND manifest_sha256 IS NULL";
        self.tx.execute(sql, params![self.scope.tenant(), id]).await?;
        Ok(())
    }

    /// Counts how often the revisions of a source reference each artifact.
    pub async fn artifacts_of(&mut self, source: SourceId) -> Result<BTreeMap<Sha256, i64>> {
        let sql = "SELECT * FROM revisions WHERE tenant_id = $1 AND source_id = $2";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), source]).await?;
        let mut named = BTreeMap::new();
        for row in &rows {
            let revision = read_revision(row)?;
            for sha256 in [Some(revision.content), revision.text, revision.thumbnail].into_iter().flatten() {
                *named.entry(sha256).or_insert(0) += 1;
            }
        }
        Ok(named)
    }

    /// Sources whose current revision is gone, and revisions read whose count of chunks is wrong: (id, what is wrong).
    pub async fn find_faults(&mut self) -> Result<Vec<(String, String)>> {
        let mut faults = Vec::new();
        let sql = "SELECT s.id FROM sources s WHERE s.tenant_id = $1 AND s.revision_id IS NOT NULL
                   AND NOT EXISTS (SELECT 1 FROM revisions r WHERE r.id = s.revision_id AND r.source_id = s.id)";
        for row in self.tx.fetch_all(sql, params![self.scope.tenant()]).await? {
            let id: SourceId = row.get("id")?;
            faults.push((id.to_string(), "its current revision is not there".to_owned()));
        }
        let sql = "SELECT r.source_id, r.number, r.chunk_count, COUNT(c.id) AS counted
                   FROM revisions r LEFT JOIN chunks c ON c.revision_id = r.id
                   WHERE r.tenant_id = $1 AND r.extracted_at IS NOT NULL
                   GROUP BY r.id, r.source_id, r.number, r.chunk_count HAVING r.chunk_count <> COUNT(c.id)";
        for row in self.tx.fetch_all(sql, params![self.scope.tenant()]).await? {
            let (id, number): (SourceId, u64) = (row.get("source_id")?, row.get("number")?);
            let (kept, counted): (u64, u64) = (row.get("chunk_count")?, row.get("counted")?);
            faults.push((id.to_string(), format!("revision {number} says {kept} chunks and {counted} are there")));
        }
        Ok(faults)
    }

    /// A stretch of all revisions that were read, in the order of their ids.
    pub async fn list_by_id(&mut self, after: Option<RevisionId>, count: i64) -> Result<Vec<Revision>> {
        let sql = "SELECT * FROM revisions WHERE tenant_id = $1 AND extracted_at IS NOT NULL AND id > $2
                   ORDER BY id LIMIT $3";
        let after = after.map_or_else(uuid::Uuid::nil, RevisionId::uuid);
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), after, count]).await?;
        rows.iter().map(read_revision).collect()
    }
}

fn read_revision(row: &SqlRow) -> Result<Revision> {
    read_part(row.with_prefix(""))
}

/// Columns that [`read_part`] reads, in no fixed order.
pub(super) const COLUMNS: &[&str] = &[
    "id",
    "source_id",
    "number",
    "content_sha256",
    "text_sha256",
    "thumbnail_sha256",
    "media_type",
    "filename",
    "size_bytes",
    "text_chars",
    "page_count",
    "chunk_count",
    "language",
    "manifest_sha256",
    "validators",
    "created_at",
    "extracted_at",
];

pub(super) fn read_part(row: PrefixedRow<'_>) -> Result<Revision> {
    Ok(Revision {
        id: row.get("id")?,
        source: row.get("source_id")?,
        number: row.get("number")?,
        content: row.get("content_sha256")?,
        text: row.get("text_sha256")?,
        thumbnail: row.get("thumbnail_sha256")?,
        media_type: row.get("media_type")?,
        filename: row.get("filename")?,
        size_bytes: row.get("size_bytes")?,
        text_chars: row.get("text_chars")?,
        page_count: row.get("page_count")?,
        chunk_count: row.get("chunk_count")?,
        language: row.get("language")?,
        manifest: row.get("manifest_sha256")?,
        validators: row.get("validators")?,
        created_at: row.get("created_at")?,
        extracted_at: row.get("extracted_at")?,
    })
}

fn to_usize(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

fn read_span(row: PrefixedRow<'_>) -> Result<Span> {
    Ok(Span::new(to_usize(row.get("start_char")?), to_usize(row.get("end_char")?)))
}

fn read_mark(row: &SqlRow) -> Result<Mark> {
    let kind: String = row.get("kind")?;
    let number: Option<u64> = row.get("number")?;
    Ok(Mark {
        kind: MarkKind::from_name(&kind).ok_or_else(|| Error::Corrupt(format!("a mark of kind '{kind}'")))?,
        label: row.get("label")?,
        number: number.and_then(|number| number.try_into().ok()),
        level: row.get::<u64>("level")?.try_into().unwrap_or(u8::MAX),
        span: read_span(row.with_prefix(""))?,
    })
}

/// Columns that [`read_chunk`] reads, besides `embedded`.
pub(super) const CHUNK_COLUMNS: &[&str] =
    &["id", "source_id", "revision_id", "ordinal", "start_char", "end_char", "tokens", "place", "content"];

pub(super) fn read_chunk(row: PrefixedRow<'_>) -> Result<Chunk> {
    Ok(Chunk {
        id: row.get("id")?,
        source: row.get("source_id")?,
        revision: row.get("revision_id")?,
        ordinal: row.get("ordinal")?,
        span: read_span(row)?,
        tokens: row.get("tokens")?,
        place: row.parse_json("place")?,
        content: row.get("content")?,
        embedded: row.get("embedded")?,
    })
}
