//! Documents, their versions, their sources and what they cite.

use std::collections::HashMap;

use ibid_domain::{
    Cursor, Document, DocumentCitation, DocumentCitationId, DocumentCitationSnapshot, DocumentId, DocumentSettings,
    DocumentVersion, Limit, Page, Sha256, Source, SourceId, Timestamp,
};
use serde_json::Value as Json;

use super::{sources, to_json_value};
use crate::{
    Error, Result, Scope, Tx,
    sql::{SqlRow, params, to_sql_int},
};

/// The documents of one tenant.
pub struct Documents<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The documents that this scope may see.
    pub fn documents<'a>(&'a mut self, scope: &'a Scope) -> Documents<'a> {
        Documents { tx: self, scope }
    }
}

/// A version that is to be kept.
pub struct NewDocumentVersion<'a> {
    /// Settings of the document in this version.
    pub settings: &'a DocumentSettings,
    /// Manifest with the text, the settings and the files.
    pub manifest: Sha256,
    /// Hash of the text, which is stored as an artifact.
    pub text: Sha256,
    /// Length of the text, in characters.
    pub char_count: u64,
    /// Number of characters added since the version before.
    pub added: u64,
    /// Number of characters removed since the version before.
    pub removed: u64,
    /// Note of the user about the save.
    pub message: Option<&'a str>,
}

/// A citation that is to be kept.
#[derive(Clone, Debug)]
pub struct NewDocumentCitation {
    /// Number of the citation in the document; must be free.
    pub number: u32,
    pub source: Option<SourceId>,
    /// Position in the text, in characters.
    pub position: usize,
    /// True if the text has the marker now.
    pub is_marked: bool,
    /// True if the text has had the marker in any version.
    pub was_marked: bool,
    /// Place in the source, such as `p. 12`.
    pub locator: Option<String>,
    /// Words to print before the citation, such as `see`.
    pub prefix: Option<String>,
    /// Words to print after the citation.
    pub suffix: Option<String>,
    /// The words that it stands for.
    pub quote: Option<String>,
    /// Copy of the source's details as of now.
    pub snapshot: DocumentCitationSnapshot,
}

impl Documents<'_> {
    /// Makes a document with its first version.
    pub async fn create(&mut self, id: DocumentId, new: NewDocumentVersion<'_>) -> Result<Document> {
        let now = self.tx.now();
        let settings = new.settings;
        let sql =
            "INSERT INTO documents (id, tenant_id, title, format, style, locale, template, cite_as, missing, authors,
                       date, version, manifest_sha256, text_sha256, citation_count, created_by, created_at, updated_at)
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, $13, 0, $14, $15, $15) RETURNING *";
        let values = params![
            id,
            self.scope.tenant(),
            settings.title.as_str(),
            settings.format.as_str(),
            settings.style.as_str(),
            settings.locale.as_str(),
            settings.template.as_str(),
            settings.cite_as.as_str(),
            settings.missing.as_str(),
            to_json_value(&settings.authors)?,
            settings.date.clone(),
            new.manifest,
            new.text,
            self.scope.user(),
            now,
        ];
        let row = self.tx.fetch_optional(sql, values).await?.ok_or_else(document_missing)?;
        self.insert_version(id, 1, &new, now).await?;
        read_document(&row)
    }

    /// Keeps the next version of a document that the caller holds.
    pub async fn save(&mut self, id: DocumentId, version: u64, new: NewDocumentVersion<'_>) -> Result<Document> {
        let now = self.tx.now();
        let settings = new.settings;
        let sql = "UPDATE documents SET title = $3, format = $4, style = $5, locale = $6, template = $7, cite_as = $8,
                       missing = $9, authors = $10, date = $11, version = $12, manifest_sha256 = $13, text_sha256 = $14,
                       updated_at = $15
                   WHERE tenant_id = $1 AND id = $2 RETURNING *";
        let values = params![
            self.scope.tenant(),
            id,
            settings.title.as_str(),
            settings.format.as_str(),
            settings.style.as_str(),
            settings.locale.as_str(),
            settings.template.as_str(),
            settings.cite_as.as_str(),
            settings.missing.as_str(),
            to_json_value(&settings.authors)?,
            settings.date.clone(),
            to_sql_int(version),
            new.manifest,
            new.text,
            now,
        ];
        let row = self.tx.fetch_optional(sql, values).await?.ok_or_else(document_missing)?;
        self.insert_version(id, version, &new, now).await?;
        read_document(&row)
    }

    async fn insert_version(
        &mut self,
        id: DocumentId,
        version: u64,
        new: &NewDocumentVersion<'_>,
        now: Timestamp,
    ) -> Result<()> {
        let sql =
            "INSERT INTO document_versions (document_id, version, manifest_sha256, title, message, char_count, added,
                       removed, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
        let values = params![
            id,
            to_sql_int(version),
            new.manifest,
            new.settings.title.as_str(),
            new.message,
            to_sql_int(new.char_count),
            to_sql_int(new.added),
            to_sql_int(new.removed),
            self.scope.user(),
            now,
        ];
        self.tx.execute(sql, values).await?;
        Ok(())
    }

    /// Returns a document, if it exists.
    pub async fn get(&mut self, id: DocumentId) -> Result<Option<Document>> {
        let sql = "SELECT * FROM documents WHERE tenant_id = $1 AND id = $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), id]).await?;
        row.as_ref().map(read_document).transpose()
    }

    /// One document, which nobody else changes until the transaction ends.
    pub async fn get_for_update(&mut self, id: DocumentId) -> Result<Option<Document>> {
        let sql = "UPDATE documents SET version = version WHERE tenant_id = $1 AND id = $2 RETURNING *";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), id]).await?;
        row.as_ref().map(read_document).transpose()
    }

    /// Documents, those first that were changed last; with words, those that have them in their title.
    pub async fn list(&mut self, words: Option<&str>, limit: Limit, after: Option<&Cursor>) -> Result<Page<Document>> {
        let mut sql = "SELECT * FROM documents WHERE tenant_id = $1".to_owned();
        let mut values = params![self.scope.tenant()];
        for word in words.unwrap_or_default().split_whitespace() {
            let word = word.to_lowercase().replace('!', "!!").replace('%', "!%").replace('_', "!_");
            values.push(format!("%{word}%").into());
            sql += &format!(" AND LOWER(title) LIKE ${} ESCAPE '!'", values.len());
        }
        if let Some(cursor) = after {
            let [micros, id] = cursor.key_parts()?;
            let at = Timestamp::from_micros(micros.parse().map_err(|_| Cursor::invalid_cursor())?);
            values.extend(params![at, id.parse::<DocumentId>().map_err(|_| Cursor::invalid_cursor())?]);
            sql += &format!(" AND (updated_at, id) < (${}, ${})", values.len() - 1, values.len());
        }
        values.push(limit.probe_count().into());
        sql += &format!(" ORDER BY updated_at DESC, id DESC LIMIT ${}", values.len());
        let rows = self.tx.rows_built(sql, values).await?;
        let items = rows.iter().map(read_document).collect::<Result<Vec<_>>>()?;
        Ok(Page::from_rows(items, limit, |last| vec![last.updated_at.as_micros().to_string(), last.id.to_string()]))
    }

    /// Removes a document with all that belongs to it.
    pub async fn delete(&mut self, id: DocumentId) -> Result<bool> {
        let sql = "DELETE FROM documents WHERE tenant_id = $1 AND id = $2";
        Ok(self.tx.execute(sql, params![self.scope.tenant(), id]).await? > 0)
    }

    /// The versions of a document, newest first.
    pub async fn list_versions(
        &mut self,
        id: DocumentId,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<DocumentVersion>> {
        let before = match after {
            None => i64::MAX,
            Some(cursor) => {
                let [version] = cursor.key_parts()?;
                version.parse().map_err(|_| Cursor::invalid_cursor())?
            }
        };
        let sql =
            "SELECT * FROM document_versions WHERE document_id = $1 AND version < $2 ORDER BY version DESC LIMIT $3";
        let rows = self.tx.fetch_all(sql, params![id, before, limit.probe_count()]).await?;
        let items = rows.iter().map(read_version).collect::<Result<Vec<_>>>()?;
        Ok(Page::from_rows(items, limit, |last| vec![last.version.to_string()]))
    }

    /// Returns one version of a document, if it exists.
    pub async fn get_version(&mut self, id: DocumentId, version: u64) -> Result<Option<DocumentVersion>> {
        let sql = "SELECT * FROM document_versions WHERE document_id = $1 AND version = $2";
        let row = self.tx.fetch_optional(sql, params![id, to_sql_int(version)]).await?;
        row.as_ref().map(read_version).transpose()
    }

    /// Gives out the next number of a citation; nobody gets the same, and none is left out.
    pub async fn next_number(&mut self, id: DocumentId) -> Result<Option<u32>> {
        let sql = "UPDATE documents SET citation_count = citation_count + 1 WHERE tenant_id = $1 AND id = $2
                   RETURNING citation_count";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), id]).await?;
        row.map(|row| Ok(row.get::<u64>("citation_count")? as u32)).transpose()
    }

    /// Sees to it that numbers up to this one are not given out again.
    pub async fn reserve_numbers(&mut self, id: DocumentId, number: u32) -> Result<()> {
        let sql = "UPDATE documents SET citation_count = $3 WHERE tenant_id = $1 AND id = $2 AND citation_count < $3";
        self.tx.execute(sql, params![self.scope.tenant(), id, to_sql_int(u64::from(number))]).await?;
        Ok(())
    }

    /// Keeps a citation; `None` if its number is taken.
    pub async fn add_citation(&mut self, id: DocumentId, new: NewDocumentCitation) -> Result<Option<DocumentCitation>> {
        let now = self.tx.now();
        let sql = "INSERT INTO document_citations (id, tenant_id, document_id, citation_number, source_id, position,
                       is_marked, was_marked, locator, prefix, suffix, quote, title, source_type, url, item, created_at)
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
                   ON CONFLICT (document_id, citation_number) DO NOTHING RETURNING *";
        let values = params![
            DocumentCitationId::new(),
            self.scope.tenant(),
            id,
            to_sql_int(u64::from(new.number)),
            new.source,
            to_sql_int(new.position as u64),
            i64::from(new.is_marked),
            i64::from(new.was_marked),
            new.locator,
            new.prefix,
            new.suffix,
            new.quote,
            new.snapshot.title,
            new.snapshot.kind.as_str(),
            new.snapshot.url,
            new.snapshot.item,
            now,
        ];
        let row = self.tx.fetch_optional(sql, values).await?;
        row.as_ref().map(read_citation).transpose()
    }

    /// Changes what a citation says.
    pub async fn save_citation(&mut self, citation: &DocumentCitation) -> Result<()> {
        let sql = "UPDATE document_citations SET source_id = $3, position = $4, is_marked = $5, was_marked = $6,
                       locator = $7, prefix = $8, suffix = $9, quote = $10, title = $11, source_type = $12, url = $13,
                       item = $14
                   WHERE tenant_id = $1 AND id = $2";
        let values = params![
            self.scope.tenant(),
            citation.id,
            citation.source,
            to_sql_int(citation.position as u64),
            i64::from(citation.is_marked),
            i64::from(citation.was_marked),
            citation.locator.clone(),
            citation.prefix.clone(),
            citation.suffix.clone(),
            citation.quote.clone(),
            citation.snapshot.title.as_str(),
            citation.snapshot.kind.as_str(),
            citation.snapshot.url.clone(),
            citation.snapshot.item.clone(),
        ];
        self.tx.execute(sql, values).await?;
        Ok(())
    }

    /// The citations of a document, in the order of its text.
    pub async fn list_citations(&mut self, id: DocumentId) -> Result<Vec<DocumentCitation>> {
        let sql = "SELECT * FROM document_citations WHERE tenant_id = $1 AND document_id = $2
                   ORDER BY position, citation_number";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), id]).await?;
        rows.iter().map(read_citation).collect()
    }

    /// Removes a citation; returns `false` if there was none with this number.
    pub async fn remove_citation(&mut self, id: DocumentId, number: u32) -> Result<bool> {
        let sql = "DELETE FROM document_citations WHERE tenant_id = $1 AND document_id = $2 AND citation_number = $3";
        Ok(self.tx.execute(sql, params![self.scope.tenant(), id, to_sql_int(u64::from(number))]).await? > 0)
    }

    /// Makes a source one of a document's.
    pub async fn add_source(&mut self, id: DocumentId, source: SourceId) -> Result<()> {
        let now = self.tx.now();
        let sql = "INSERT INTO document_sources (document_id, source_id, added_at) VALUES ($1, $2, $3)
                   ON CONFLICT DO NOTHING";
        self.tx.execute(sql, params![id, source, now]).await?;
        Ok(())
    }

    /// Takes a source away from a document.
    pub async fn remove_source(&mut self, id: DocumentId, source: SourceId) -> Result<bool> {
        let sql = "DELETE FROM document_sources WHERE document_id = $1 AND source_id = $2";
        let linked = self.tx.execute(sql, params![id, source]).await?;
        let sql = "UPDATE sources SET document_id = NULL WHERE tenant_id = $1 AND id = $2 AND document_id = $3";
        let own = self.tx.execute(sql, params![self.scope.tenant(), source, id.uuid()]).await?;
        Ok(linked + own > 0)
    }

    /// The sources of a document, in the order in which they were added.
    pub async fn list_sources(&mut self, id: DocumentId) -> Result<Vec<(Source, Timestamp)>> {
        let sql = "SELECT s.*, COALESCE(d.added_at, s.created_at) AS added_at FROM sources s
                   LEFT JOIN document_sources d ON d.source_id = s.id AND d.document_id = $2
                   WHERE s.tenant_id = $1 AND (s.document_id = $3 OR d.document_id IS NOT NULL)
                   ORDER BY added_at, s.id";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), id, id.uuid()]).await?;
        rows.iter().map(|row| Ok((sources::read_source(row)?, row.get("added_at")?))).collect()
    }

    /// Counts the sources of each of these documents.
    pub async fn count_sources(&mut self, ids: &[DocumentId]) -> Result<HashMap<DocumentId, u64>> {
        let mut counts = HashMap::with_capacity(ids.len());
        for id in ids {
            let sql = "SELECT COUNT(*) AS count FROM (
                           SELECT source_id AS id FROM document_sources WHERE document_id = $2
                           UNION SELECT id FROM sources WHERE tenant_id = $1 AND document_id = $3) AS all_sources";
            let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), *id, id.uuid()]).await?;
            counts.insert(*id, row.map_or(Ok(0), |row| row.get("count"))?);
        }
        Ok(counts)
    }

    /// The documents that cite a source, with how often.
    pub async fn list_citing(&mut self, source: SourceId) -> Result<Vec<(Document, u64)>> {
        let sql = "SELECT d.*, c.cited FROM documents d JOIN (
                       SELECT document_id, COUNT(*) AS cited FROM document_citations WHERE source_id = $2
                       GROUP BY document_id) c ON c.document_id = d.id
                   WHERE d.tenant_id = $1 ORDER BY d.updated_at DESC";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), source]).await?;
        rows.iter().map(|row| Ok((read_document(row)?, row.get("cited")?))).collect()
    }

    /// Keeps a style of CSL, in place of one with the same name.
    pub async fn put_style(&mut self, name: &str, title: &str, text: &str) -> Result<()> {
        let now = self.tx.now();
        let sql = "INSERT INTO styles (tenant_id, name, title, text, created_at) VALUES ($1, $2, $3, $4, $5)
                   ON CONFLICT (tenant_id, name) DO UPDATE SET title = excluded.title, text = excluded.text";
        self.tx.execute(sql, params![self.scope.tenant(), name, title, text, now]).await?;
        Ok(())
    }

    /// The styles that were brought: names, titles and texts.
    pub async fn list_styles(&mut self) -> Result<Vec<(String, String, String)>> {
        let sql = "SELECT name, title, text FROM styles WHERE tenant_id = $1 ORDER BY title, name";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant()]).await?;
        rows.iter().map(|row| Ok((row.get("name")?, row.get("title")?, row.get("text")?))).collect()
    }

    /// The text of a style that was brought.
    pub async fn get_style(&mut self, name: &str) -> Result<Option<String>> {
        let sql = "SELECT text FROM styles WHERE tenant_id = $1 AND name = $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), name]).await?;
        row.map(|row| row.get("text")).transpose()
    }

    /// Removes a style that was brought.
    pub async fn delete_style(&mut self, name: &str) -> Result<bool> {
        let sql = "DELETE FROM styles WHERE tenant_id = $1 AND name = $2";
        Ok(self.tx.execute(sql, params![self.scope.tenant(), name]).await? > 0)
    }
}

fn document_missing() -> Error {
    Error::Corrupt("a document that was kept is not there".to_owned())
}

fn read_document(row: &SqlRow) -> Result<Document> {
    let authors: Json = row.get("authors")?;
    Ok(Document {
        id: row.get("id")?,
        settings: DocumentSettings {
            title: row.get("title")?,
            format: row.parse("format")?,
            style: row.get("style")?,
            locale: row.get("locale")?,
            template: row.parse("template")?,
            cite_as: row.parse("cite_as")?,
            missing: row.parse("missing")?,
            authors: serde_json::from_value(authors).map_err(|error| Error::Corrupt(error.to_string()))?,
            date: row.get("date")?,
        },
        version: row.get("version")?,
        manifest: row.get("manifest_sha256")?,
        text: row.get("text_sha256")?,
        citation_count: row.get::<u64>("citation_count")? as u32,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

fn read_version(row: &SqlRow) -> Result<DocumentVersion> {
    Ok(DocumentVersion {
        version: row.get("version")?,
        manifest: row.get("manifest_sha256")?,
        title: row.get("title")?,
        message: row.get("message")?,
        char_count: row.get("char_count")?,
        added: row.get("added")?,
        removed: row.get("removed")?,
        created_at: row.get("created_at")?,
    })
}

fn read_citation(row: &SqlRow) -> Result<DocumentCitation> {
    Ok(DocumentCitation {
        id: row.get("id")?,
        number: row.get::<u64>("citation_number")? as u32,
        source: row.get("source_id")?,
        position: row.get::<u64>("position")? as usize,
        is_marked: row.get::<i64>("is_marked")? == 1,
        was_marked: row.get::<i64>("was_marked")? == 1,
        locator: row.get("locator")?,
        prefix: row.get("prefix")?,
        suffix: row.get("suffix")?,
        quote: row.get("quote")?,
        snapshot: DocumentCitationSnapshot {
            title: row.get("title")?,
            kind: row.parse("source_type")?,
            url: row.get("url")?,
            item: row.get("item")?,
        },
        created_at: row.get("created_at")?,
    })
}
