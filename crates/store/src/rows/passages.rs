//! Many small sources at once: each a passage that another system had, with its text and perhaps its vector.
//!
//! What takes four statements a source otherwise takes one for a hundred here. The text of a passage is an artifact
//! like any other; its bytes lie in the database, because a file each would cost a thousand times as much.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

use bytes::Bytes;
use futures::StreamExt;
use ibid_domain::{ChunkId, Revision, Sha256, Source, SourceId};

use super::{change_log::LoggedChange, sources};
use crate::{
    BlobStream, EngineKind, Error, Result, Scope, Store, Tx,
    sql::{SqlValue, params, placeholder_list, to_sql_int},
};

/// Number of rows in one PostgreSQL statement; always the same, so that it is prepared once.
const BATCH: usize = 100;
/// And how many ids are looked for in one.
const IDS: usize = 400;

/// A passage that is new, with everything that is made of it.
#[derive(Clone, Debug)]
pub struct NewPassage {
    /// The source, which stands at the revision.
    pub source: Source,
    /// Revision of the source, with its text already extracted.
    pub revision: Revision,
    /// Id of its only chunk: the whole text.
    pub chunk: ChunkId,
    /// Length of the text, in tokens.
    pub tokens: u64,
    pub text: String,
    /// Its vector, if there is one.
    pub vector: Option<Vec<f32>>,
}

/// A passage that is here already.
#[derive(Clone, Debug)]
pub struct StoredPassage {
    pub source: SourceId,
    /// The hash of what it says now.
    pub content: Option<Sha256>,
}

/// Access to import passages into one tenant.
pub struct ImportedPassages<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The passages that this scope may bring.
    pub fn passages<'a>(&'a mut self, scope: &'a Scope) -> ImportedPassages<'a> {
        ImportedPassages { tx: self, scope }
    }
}

impl ImportedPassages<'_> {
    /// Holds off everyone else who imports passages, until the transaction ends.
    pub async fn lock(&mut self) -> Result<()> {
        self.tx.lock_key(&format!("passages:{}", self.scope.tenant())).await
    }

    /// Those of many that are here already, by what the other system calls them.
    pub async fn find_existing(&mut self, ids: &[&str]) -> Result<HashMap<String, StoredPassage>> {
        let mut known = HashMap::new();
        for batch in ids.chunks(IDS) {
            let sql = format!(
                "SELECT s.external_id, s.id, r.content_sha256 FROM sources s LEFT JOIN revisions r ON r.id = s.revision_id
                 WHERE s.tenant_id = $1 AND s.document_id IS NULL AND s.external_id IN {}",
                placeholder_list(2, batch.len())
            );
            let mut values = params![self.scope.tenant()];
            values.extend(batch.iter().map(|id| SqlValue::from(*id)));
            for row in self.tx.rows_built(sql, values).await? {
                let passage = StoredPassage { source: row.get("id")?, content: row.get("content_sha256")? };
                known.insert(row.get("external_id")?, passage);
            }
        }
        Ok(known)
    }

    /// Inserts rows, many of them in one statement where that is faster. `row` says what is bound for one, `sql` how the
    /// statement begins and ends around the rows, and `columns` what stands in a row: `?` for each that is bound.
    async fn insert_rows<T>(
        &mut self,
        items: &[T],
        sql: (&str, &str),
        columns: &[&str],
        row: impl Fn(&T) -> Result<Vec<SqlValue>>,
    ) -> Result<()> {
        let batch = match self.tx.engine() {
            EngineKind::Sqlite => 1,
            EngineKind::Postgres => BATCH,
        };
        let statement = |rows: usize| format!("{} VALUES {} {}", sql.0, rows_of(columns, rows), sql.1);
        let whole = statement(batch);
        for items in items.chunks(batch) {
            let mut values = Vec::new();
            for item in items {
                values.extend(row(item)?);
            }
            let sql = if items.len() == batch { whole.clone() } else { statement(items.len()) };
            self.tx.execute_built(sql, values).await?;
        }
        Ok(())
    }

    /// Keeps texts as artifacts, each with so many references more than before.
    pub async fn keep_texts(
        &mut self,
        texts: &BTreeMap<Sha256, (&str, i64)>,
        uri: impl Fn(Sha256) -> String,
    ) -> Result<()> {
        let (tenant, now, user) = (self.scope.tenant(), self.tx.now(), self.scope.user());
        let texts: Vec<_> = texts.iter().collect();
        let sql = (
            "INSERT INTO artifacts (tenant_id, sha256, media_type, size_bytes, storage_uri, storage_class, created_by,
                 reference_count, created_at, updated_at)",
            "ON CONFLICT (tenant_id, sha256) DO UPDATE SET
                 reference_count = artifacts.reference_count + excluded.reference_count,
                 updated_at = excluded.updated_at",
        );
        let columns = ["?", "?", "'text/plain; charset=utf-8'", "?", "?", "'STANDARD'", "?", "?", "?", "?"];
        self.insert_rows(&texts, sql, &columns, |(sha256, (text, references))| {
            let size = to_sql_int(text.len() as u64);
            Ok(params![tenant, **sha256, size, uri(**sha256), user, *references, now, now])
        })
        .await?;
        let sql = ("INSERT INTO small_blobs (tenant_id, sha256, bytes)", "ON CONFLICT (tenant_id, sha256) DO NOTHING");
        self.insert_rows(&texts, sql, &["?"; 3], |(sha256, (text, _))| {
            Ok(params![tenant, **sha256, text.as_bytes().to_vec()])
        })
        .await
    }

    /// Keeps passages that are new, and gives the number of the first of their chunks; the others follow. Their texts
    /// are kept already. Vectors go into the space.
    pub async fn add(&mut self, passages: &[NewPassage], space: Option<i64>) -> Result<Option<i64>> {
        let tenant = self.scope.tenant();
        let place =
            serde_json::to_value(ibid_domain::Place::default()).map_err(|error| Error::Corrupt(error.to_string()))?;
        self.insert_rows(passages, (sources::INSERT, ""), &["?"; 29], |NewPassage { source, .. }| {
            let mut values = params![source.id, tenant, source.created_by, source.created_at, None::<String>];
            values.extend(sources::column_values(source, None)?);
            Ok(values)
        })
        .await?;

        let sql = "INSERT INTO revisions (id, tenant_id, source_id, number, content_sha256, text_sha256, media_type,
                       size_bytes, text_chars, chunk_count, language, validators, created_at, extracted_at)";
        let columns = ["?", "?", "?", "?", "?", "?", "?", "?", "?", "1", "?", "?", "?", "?"];
        self.insert_rows(passages, (sql, ""), &columns, |NewPassage { revision, .. }| {
            Ok(params![
                revision.id,
                tenant,
                revision.source,
                to_sql_int(revision.number),
                revision.content,
                revision.text,
                revision.media_type.as_str(),
                to_sql_int(revision.size_bytes),
                to_sql_int(revision.text_chars),
                revision.language.as_deref(),
                revision.validators.clone(),
                revision.created_at,
                revision.created_at,
            ])
        })
        .await?;

        let sql =
            "INSERT INTO chunks (id, tenant_id, source_id, revision_id, ordinal, start_char, end_char, tokens, place,
                       content)";
        let columns = ["?", "?", "?", "?", "0", "0", "?", "?", "?", "?"];
        self.insert_rows(passages, (sql, ""), &columns, |passage| {
            Ok(params![
                passage.chunk,
                tenant,
                passage.source.id,
                passage.revision.id,
                to_sql_int(passage.revision.text_chars),
                to_sql_int(passage.tokens),
                place.clone(),
                passage.text.as_str(),
            ])
        })
        .await?;

        if let Some(space) = space {
            let embedded: Vec<_> = passages.iter().filter_map(|one| Some((one.chunk, one.vector.as_ref()?))).collect();
            let sql = "INSERT INTO chunk_vectors (space_id, chunk_id, vector)";
            self.insert_rows(&embedded, (sql, ""), &["?"; 3], |(chunk, vector)| {
                Ok(vec![space.into(), (*chunk).into(), SqlValue::Vector((*vector).clone())])
            })
            .await?;
        }
        let (Some(first), Some(last)) = (passages.first(), passages.last()) else { return Ok(None) };
        let sql = "SELECT MIN(seq) AS first, MAX(seq) AS last FROM chunks WHERE id IN ($1, $2)";
        let row = self.tx.fetch_optional(sql, params![first.chunk, last.chunk]).await?;
        let row = row.ok_or_else(|| Error::Corrupt("chunks are not there after they were made".to_owned()))?;
        let (first, last) = (row.get("first")?, row.get("last")?);
        self.tx.log_change(LoggedChange::Chunks(first, last)).await?;
        if space.is_some() {
            self.tx.log_change(LoggedChange::Vectors(first, last)).await?;
        }
        Ok(Some(first))
    }
}

/// `($1, 'text', $2), ($3, 'text', $4)`: so many rows, with a placeholder for each `?`.
fn rows_of(columns: &[&str], rows: usize) -> String {
    let (mut out, mut number) = (String::new(), 0);
    for row in 0..rows {
        out.push_str(if row == 0 { "(" } else { ", (" });
        for (at, column) in columns.iter().enumerate() {
            out.push_str(if at == 0 { "" } else { ", " });
            if *column == "?" {
                number += 1;
                out.push_str(&format!("${number}"));
            } else {
                out.push_str(column);
            }
        }
        out.push(')');
    }
    out
}

impl Store {
    /// The bytes of an artifact, or a range of them, wherever they lie; `None` if they are not there.
    pub async fn read_bytes(
        &self,
        scope: &Scope,
        sha256: Sha256,
        range: Option<Range<u64>>,
    ) -> Result<Option<BlobStream>> {
        let small = {
            let mut tx = self.read().await?;
            let sql = "SELECT bytes FROM small_blobs WHERE tenant_id = $1 AND sha256 = $2";
            tx.fetch_optional(sql, params![scope.tenant(), sha256]).await?
        };
        let Some(row) = small else { return self.blobs().read(scope, sha256, range).await };
        let bytes = Bytes::from(row.get::<Vec<u8>>("bytes")?);
        let bytes = match range {
            None => bytes,
            Some(range) => {
                let place = |place: u64| usize::try_from(place).unwrap_or(usize::MAX).min(bytes.len());
                bytes.slice(place(range.start)..place(range.end.max(range.start)))
            }
        };
        Ok(Some(futures::stream::iter((!bytes.is_empty()).then_some(Ok(bytes))).boxed()))
    }
}
