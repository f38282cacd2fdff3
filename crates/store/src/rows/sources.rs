//! Sources: what can be cited, and how far each has been taken in.

use ibid_domain::{
    Cursor, EmbeddingState, Limit, Origin, Page, Sha256, Source, SourceId, SourceStatus, SourceType, Timestamp,
    source::ExtractionFault,
};
use serde_json::Value as Json;
use uuid::Uuid;

use super::{change_log::LoggedChange, to_json_value};
use crate::{
    EngineKind, Error, Result, Scope, Tx,
    sql::{PrefixedRow, SqlRow, SqlValue, params, placeholder_list, placeholder_rows},
};

/// Statement that inserts a source; binds `id, tenant_id, created_by, created_at, url_key` and [`column_values`].
pub(super) const INSERT: &str =
    "INSERT INTO sources (id, tenant_id, created_by, created_at, url_key, kind, origin, reference, edited,
         url, canonical_url, site_name, favicon, metadata, tags, document_id, project_id, run_id,
         message_id, external_id, is_available, status, extraction_error, embedding, embedding_error,
         revision_id, words, updated_at, accessed_at)";

/// Access to the sources of one tenant.
pub struct Sources<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The sources that this scope may see.
    pub fn sources<'a>(&'a mut self, scope: &'a Scope) -> Sources<'a> {
        Sources { tx: self, scope }
    }
}

/// Restricts a list of sources; an unset field does not restrict.
#[derive(Clone, Debug, Default)]
pub struct SourceFilter {
    pub kind: Option<SourceType>,
    pub origin: Option<Origin>,
    /// Only those collected for this document.
    pub document_id: Option<Uuid>,
    /// Only those of this project.
    pub project_id: Option<Uuid>,
    /// Only those that this run brought.
    pub run_id: Option<Uuid>,
    /// Only those that this message brought.
    pub message_id: Option<String>,
    /// Only those filed under this.
    pub tag: Option<String>,
    /// Only those that have come so far.
    pub status: Option<SourceStatus>,
    /// Only those with all these words, in what is known of them or in one passage of their text.
    pub words: Vec<String>,
}

/// Key that identifies a source, besides its id, to avoid duplicates.
#[derive(Clone, Debug)]
pub enum SourceKey<'a> {
    /// The normal form of its address.
    Url(&'a str),
    /// Id in the system it was imported from.
    External(&'a str),
    /// The bytes of its newest revision, for files that were brought without an address.
    Content(Sha256),
}

impl Sources<'_> {
    /// Holds off everyone else who brings a source with the same key, until the transaction ends.
    pub async fn lock_key(&mut self, key: &SourceKey<'_>) -> Result<()> {
        self.tx.lock_key(&format!("source:{}:{key:?}", self.scope.tenant())).await
    }

    /// The source with this key that was collected for this document, or for none.
    pub async fn find_by_key(&mut self, key: &SourceKey<'_>, document: Option<Uuid>) -> Result<Option<Source>> {
        let (condition, value) = match key {
            SourceKey::Url(url) => ("s.url_key = $2", SqlValue::from(*url)),
            SourceKey::External(id) => ("s.external_id = $2", SqlValue::from(*id)),
            SourceKey::Content(sha256) => (
                "s.url_key IS NULL AND s.external_id IS NULL AND s.id IN (
                     SELECT r.source_id FROM revisions r WHERE r.tenant_id = $1 AND r.content_sha256 = $2
                     AND NOT EXISTS (SELECT 1 FROM revisions n WHERE n.source_id = r.source_id AND n.number > r.number))",
                SqlValue::from(*sha256),
            ),
        };
        let sql = format!(
            "SELECT s.* FROM sources s
             WHERE s.tenant_id = $1 AND {condition} AND s.document_id IS NOT DISTINCT FROM $3 ORDER BY s.id LIMIT 1"
        );
        let mut values = params![self.scope.tenant()];
        values.extend([value, document.into()]);
        let rows = self.tx.rows_built(sql, values).await?;
        rows.first().map(read_source).transpose()
    }

    /// Keeps a new source. `url_key` is the normal form of its address, `filename` what its file was called.
    pub async fn add(&mut self, source: &Source, url_key: Option<&str>, filename: Option<&str>) -> Result<()> {
        let mut values = params![source.id, self.scope.tenant(), source.created_by, source.created_at, url_key];
        values.extend(column_values(source, filename)?);
        self.tx.execute_built(format!("{INSERT} VALUES {}", placeholder_rows(1, 1, 29)), values).await?;
        Ok(())
    }

    /// Keeps what has changed of a source; the caller holds it.
    pub async fn save(&mut self, source: &mut Source, filename: Option<&str>) -> Result<()> {
        source.updated_at = self.tx.now();
        let mut values = params![source.id, self.scope.tenant()];
        values.extend(column_values(source, filename)?);
        self.tx
            .execute(
                "UPDATE sources SET kind = $3, origin = $4, reference = $5, edited = $6, url = $7, canonical_url = $8,
                     site_name = $9, favicon = $10, metadata = $11, tags = $12, document_id = $13, project_id = $14,
                     run_id = $15, message_id = $16, external_id = $17, is_available = $18, status = $19,
                     extraction_error = $20, embedding = $21, embedding_error = $22, revision_id = $23, words = $24,
                     updated_at = $25, accessed_at = $26
                 WHERE id = $1 AND tenant_id = $2",
                values,
            )
            .await?;
        self.tx.log_change(LoggedChange::Source(source.id)).await
    }

    /// These sources, as far as they are there.
    pub async fn get_many(&mut self, ids: &[SourceId]) -> Result<Vec<Source>> {
        let mut found = Vec::with_capacity(ids.len());
        for batch in ids.chunks(500) {
            let sql = format!(
                "SELECT * FROM sources WHERE tenant_id = $1 AND id IN {} ORDER BY id",
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(batch.iter().map(|id| SqlValue::from(*id)));
            let rows = self.tx.rows_built(sql, values).await?;
            found.extend(rows.iter().map(read_source).collect::<Result<Vec<_>>>()?);
        }
        Ok(found)
    }

    /// Returns a source, if it exists.
    pub async fn get(&mut self, id: SourceId) -> Result<Option<Source>> {
        let sql = "SELECT * FROM sources WHERE tenant_id = $1 AND id = $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), id]).await?;
        row.as_ref().map(read_source).transpose()
    }

    /// One source, held so that nobody else changes it until the transaction ends.
    pub async fn get_for_update(&mut self, id: SourceId) -> Result<Option<Source>> {
        let lock = if self.tx.engine() == EngineKind::Postgres { "FOR UPDATE" } else { "" };
        let sql = format!("SELECT * FROM sources WHERE tenant_id = $1 AND id = $2 {lock}");
        let rows = self.tx.rows_built(sql, params![self.scope.tenant(), id]).await?;
        rows.first().map(read_source).transpose()
    }

    /// Lists sources, newest first.
    pub async fn list(&mut self, filter: &SourceFilter, limit: Limit, after: Option<&Cursor>) -> Result<Page<Source>> {
        let mut sql = "SELECT s.* FROM sources s WHERE s.tenant_id = $1".to_owned();
        let mut values = params![self.scope.tenant()];
        let mut also = |condition: &str, value: SqlValue| {
            values.push(value);
            sql += &condition.replace("$n", &format!("${}", values.len()));
        };
        if let Some(kind) = filter.kind {
            also(" AND s.kind = $n", kind.as_str().into());
        }
        if let Some(origin) = filter.origin {
            also(" AND s.origin = $n", origin.as_str().into());
        }
        if let Some(status) = filter.status {
            also(" AND s.status = $n", status.as_str().into());
        }
        for (condition, id) in [
            (" AND s.document_id = $n", filter.document_id),
            (" AND s.project_id = $n", filter.project_id),
            (" AND s.run_id = $n", filter.run_id),
        ] {
            if let Some(id) = id {
                also(condition, id.into());
            }
        }
        if let Some(message) = &filter.message_id {
            also(" AND s.message_id = $n", message.as_str().into());
        }
        if let Some(tag) = &filter.tag {
            match self.tx.engine() {
                EngineKind::Sqlite => {
                    also(" AND EXISTS (SELECT 1 FROM json_each(s.tags) WHERE value = $n)", tag.as_str().into());
                }
                EngineKind::Postgres => also(" AND s.tags @> $n", Json::from(vec![tag.as_str()]).into()),
            }
        }
        if !filter.words.is_empty() {
            // In one passage of the text as it stands now …
            match self.tx.engine() {
                EngineKind::Sqlite => {
                    let quoted = filter.words.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\"")));
                    let quoted: Vec<_> = quoted.collect();
                    also(
                        " AND (s.id IN (SELECT c.source_id FROM chunks c JOIN sources o ON o.revision_id = c.revision_id
                              WHERE c.tenant_id = $1 AND c.seq IN (SELECT rowid FROM chunk_words WHERE chunk_words MATCH $n))",
                        quoted.join(" ").into(),
                    );
                }
                EngineKind::Postgres => also(
                    " AND (s.id IN (SELECT c.source_id FROM chunks c JOIN sources o ON o.revision_id = c.revision_id
                          WHERE c.tenant_id = $1 AND to_tsvector('simple', c.content) @@ plainto_tsquery('simple', $n))",
                    filter.words.join(" ").into(),
                ),
            }
            // … or in what is known of the source.
            for (index, word) in filter.words.iter().enumerate() {
                let pattern = word.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
                let joined = if index == 0 { "OR (" } else { "AND" };
                also(&format!(" {joined} s.words LIKE $n ESCAPE '\\'"), format!("%{pattern}%").into());
            }
            sql += "))";
        }
        if let Some(cursor) = after {
            let [id] = cursor.key_parts()?;
            let id: SourceId = id.parse().map_err(|_| Cursor::invalid_cursor())?;
            values.push(id.into());
            sql += &format!(" AND s.id < ${}", values.len());
        }
        values.push(limit.probe_count().into());
        sql += &format!(" ORDER BY s.id DESC LIMIT ${}", values.len());
        let rows = self.tx.rows_built(sql, values).await?;
        let items = rows.iter().map(read_source).collect::<Result<_>>()?;
        Ok(Page::from_rows(items, limit, |last: &Source| vec![last.id.to_string()]))
    }

    /// Lists sources with all these words in title, authors, address, file name or tags, newest first; the words are in
    /// lower case.
    pub async fn find_by_words(&mut self, words: &[String], limit: i64) -> Result<Vec<Source>> {
        let mut sql = "SELECT s.* FROM sources s WHERE s.tenant_id = $1".to_owned();
        let mut values = params![self.scope.tenant()];
        for word in words {
            let pattern = word.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            values.push(format!("%{pattern}%").into());
            sql += &format!(" AND s.words LIKE ${} ESCAPE '\\'", values.len());
        }
        values.push(limit.into());
        sql += &format!(" ORDER BY s.id DESC LIMIT ${}", values.len());
        self.tx.rows_built(sql, values).await?.iter().map(read_source).collect()
    }

    /// Counts sources by the media type of their newest content, `None` for those without; without memories, and only
    /// those added since a time or with these ids, if any are given.
    pub async fn count_by_media_type(
        &mut self,
        since: Option<Timestamp>,
        only: &[SourceId],
    ) -> Result<Vec<(Option<String>, u64)>> {
        let mut values = params![self.scope.tenant(), Origin::Memory.as_str()];
        let mut condition = String::new();
        if let Some(since) = since {
            values.push(since.into());
            condition += &format!(" AND s.created_at >= ${}", values.len());
        }
        if !only.is_empty() {
            condition += &format!(" AND s.id IN {}", placeholder_list(values.len() + 1, only.len()));
            values.extend(only.iter().map(|id| SqlValue::from(*id)));
        }
        let sql = format!(
            "SELECT r.media_type, COUNT(*) AS count FROM sources s LEFT JOIN revisions r ON r.id = s.revision_id
             WHERE s.tenant_id = $1 AND s.origin <> $2{condition} GROUP BY r.media_type ORDER BY count DESC, r.media_type"
        );
        let rows = self.tx.rows_built(sql, values).await?;
        rows.iter().map(|row| Ok((row.get("media_type")?, row.get("count")?))).collect()
    }

    /// Lists sources that were there before a time and whose newest content came since, newest content first.
    pub async fn list_changed_since(&mut self, since: Timestamp, limit: i64) -> Result<Vec<Source>> {
        let sql = "SELECT s.* FROM sources s JOIN revisions r ON r.id = s.revision_id
                   WHERE s.tenant_id = $1 AND s.created_at < $2 AND r.created_at >= $2 AND s.origin <> $3
                   ORDER BY r.id DESC LIMIT $4";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), since, Origin::Memory.as_str(), limit]).await?;
        rows.iter().map(read_source).collect()
    }

    /// Counts sources by status and state of their embedding.
    pub async fn count_by_status(&mut self) -> Result<Vec<(SourceStatus, EmbeddingState, u64)>> {
        let sql = "SELECT status, embedding, COUNT(*) AS count FROM sources WHERE tenant_id = $1
                   GROUP BY status, embedding ORDER BY status, embedding";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant()]).await?;
        rows.iter().map(|row| Ok((row.parse("status")?, row.parse("embedding")?, row.get("count")?))).collect()
    }

    /// Sources whose reading or embedding is not done, in the order of their ids.
    pub async fn list_unfinished(&mut self, after: Option<SourceId>, count: i64) -> Result<Vec<Source>> {
        let sql = "SELECT * FROM sources WHERE tenant_id = $1 AND (status = 'pending' OR embedding = 'pending')
                   AND id > $2 ORDER BY id LIMIT $3";
        let after = after.map_or_else(Uuid::nil, SourceId::uuid);
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), after, count]).await?;
        rows.iter().map(read_source).collect()
    }

    /// Says that everything with chunks is to be embedded anew, and how many sources that are.
    pub async fn embed_again(&mut self) -> Result<u64> {
        let sql = "UPDATE sources SET embedding = 'pending', embedding_error = NULL
                   WHERE tenant_id = $1 AND embedding IN ('ready', 'failed')";
        self.tx.execute(sql, params![self.scope.tenant()]).await
    }

    /// Removes a source and everything that was made of it; its artifacts lose their references.
    pub async fn remove(&mut self, id: SourceId) -> Result<bool> {
        let named = self.tx.knowledge(self.scope).entities_of_source(id).await?;
        if !named.is_empty() {
            self.tx.knowledge(self.scope).lock().await?;
        }
        self.tx.revisions(self.scope).remove_all(id).await?;
        self.tx.log_change(LoggedChange::Deleted(id)).await?;
        let sql = "DELETE FROM sources WHERE tenant_id = $1 AND id = $2";
        let removed = self.tx.execute(sql, params![self.scope.tenant(), id]).await? == 1;
        self.tx.knowledge(self.scope).prune_and_recount(&named).await?;
        Ok(removed)
    }
}

/// The columns that may change, in the order of the statements above.
pub(super) fn column_values(source: &Source, filename: Option<&str>) -> Result<Vec<SqlValue>> {
    let fault = source.extraction_error.as_ref().map(to_json_value).transpose()?;
    Ok(params![
        source.kind.as_str(),
        source.origin.as_str(),
        to_json_value(&source.reference)?,
        to_json_value(&source.edited)?,
        source.url.as_deref(),
        source.canonical_url.as_deref(),
        source.site_name.as_deref(),
        source.favicon.as_deref(),
        source.metadata.clone(),
        to_json_value(&source.tags)?,
        source.document_id,
        source.project_id,
        source.run_id,
        source.message_id.as_deref(),
        source.external_id.as_deref(),
        i64::from(source.is_available),
        source.status.as_str(),
        fault,
        source.embedding.as_str(),
        source.embedding_error.as_deref(),
        source.revision,
        search_text(source, filename),
        source.updated_at,
        source.accessed_at,
    ])
}

/// Returns the lower-case text that the source list is searched by.
fn search_text(source: &Source, filename: Option<&str>) -> String {
    let reference = &source.reference;
    let names = reference.authors.iter().chain(&reference.editors).map(ToString::to_string);
    let texts = [
        reference.title.as_deref(),
        reference.container.as_deref(),
        reference.publisher.as_deref(),
        reference.doi.as_deref(),
        reference.isbn.as_deref(),
        source.site_name.as_deref(),
        source.url.as_deref(),
        filename,
    ];
    let texts = texts.into_iter().flatten().map(str::to_owned);
    texts.chain(names).chain(source.tags.iter().cloned()).collect::<Vec<_>>().join("\n").to_lowercase()
}

pub(super) fn read_source(row: &SqlRow) -> Result<Source> {
    read_part(row.with_prefix(""))
}

/// Columns that [`read_part`] reads, in no fixed order.
pub(super) const COLUMNS: &[&str] = &[
    "id",
    "kind",
    "origin",
    "reference",
    "edited",
    "url",
    "canonical_url",
    "site_name",
    "favicon",
    "metadata",
    "tags",
    "document_id",
    "project_id",
    "run_id",
    "message_id",
    "external_id",
    "is_available",
    "status",
    "extraction_error",
    "embedding",
    "embedding_error",
    "revision_id",
    "created_by",
    "created_at",
    "updated_at",
    "accessed_at",
];

pub(super) fn read_part(row: PrefixedRow<'_>) -> Result<Source> {
    let fault: Option<Json> = row.get("extraction_error")?;
    let fault: Option<ExtractionFault> =
        fault.map(serde_json::from_value).transpose().map_err(|error| Error::Corrupt(error.to_string()))?;
    Ok(Source {
        id: row.get("id")?,
        kind: row.parse("kind")?,
        origin: row.parse("origin")?,
        reference: row.parse_json("reference")?,
        edited: row.parse_json("edited")?,
        url: row.get("url")?,
        canonical_url: row.get("canonical_url")?,
        site_name: row.get("site_name")?,
        favicon: row.get("favicon")?,
        metadata: row.get("metadata")?,
        tags: row.parse_json("tags")?,
        document_id: row.get("document_id")?,
        project_id: row.get("project_id")?,
        run_id: row.get("run_id")?,
        message_id: row.get("message_id")?,
        external_id: row.get("external_id")?,
        is_available: row.get("is_available")?,
        status: row.parse("status")?,
        extraction_error: fault,
        embedding: row.parse("embedding")?,
        embedding_error: row.get("embedding_error")?,
        revision: row.get("revision_id")?,
        created_by: row.get("created_by")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        accessed_at: row.get("accessed_at")?,
    })
}
