//! How many passages there are and how frequent words are, as PostgreSQL's own statistics know it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use ibid_domain::TenantId;
use serde_json::Value as Json;

use super::PassageSearch;
use crate::{Result, Tx, sql::SqlRow};

/// For how long what is known is used. PostgreSQL itself looks again when a tenth of a table has changed.
const FRESH: Duration = Duration::from_secs(60);

/// Word statistics of a library, cached for this process.
#[derive(Clone, Default)]
pub(crate) struct WordStatistics(Arc<Mutex<CachedStatistics>>);

/// Cached statistics, with the time they were read.
type CachedStatistics = Option<(Instant, Arc<PassageStatistics>)>;

/// PostgreSQL's statistics of the words of all passages; empty before its first `ANALYZE`.
#[derive(Default)]
pub(super) struct PassageStatistics {
    /// Number of passages whose words are analysed.
    passages: f64,
    /// The part of them that is each tenant's.
    tenants: HashMap<String, f64>,
    /// Average number of words of a passage.
    pub(super) mean: f64,
    /// The part of passages that have each of the most common words.
    pub(super) common: HashMap<String, f64>,
}

impl PassageStatistics {
    /// About how many passages of a tenant are analysed.
    pub(super) fn passage_count(&self, tenant: TenantId) -> u64 {
        let part = self.tenants.get(&tenant.uuid().to_string()).copied().unwrap_or_default();
        (self.passages * part).max(0.0) as u64
    }

    fn from_rows(rows: &[SqlRow]) -> Result<Self> {
        let mut known = Self::default();
        for row in rows {
            let column: String = row.get("attname")?;
            let present = 1.0 - row.get::<f64>("null_frac")?;
            let numbers = |name: &str| -> Result<Vec<f64>> {
                let list: Option<Json> = row.get(name)?;
                Ok(list
                    .and_then(|list| Some(list.as_array()?.iter().filter_map(Json::as_f64).collect()))
                    .unwrap_or_default())
            };
            let texts = |name: &str| -> Result<Vec<String>> {
                let list: Option<Json> = row.get(name)?;
                let text = |one: &Json| one.as_str().map(str::to_owned);
                Ok(list.and_then(|list| Some(list.as_array()?.iter().filter_map(text).collect())).unwrap_or_default())
            };
            let (values, parts) = (texts("vals")?, numbers("freqs")?);
            match column.as_str() {
                "words" => {
                    known.passages = row.get::<f64>("reltuples")? * present;
                    known.common = texts("elems")?.into_iter().zip(numbers("elem_freqs")?).collect();
                }
                "tenant_id" => known.tenants = values.into_iter().zip(parts).collect(),
                // The common lengths are counted, the others lie evenly between bounds.
                "word_count" => {
                    let bounds: Vec<f64> = texts("bounds")?.iter().filter_map(|text| text.parse().ok()).collect();
                    let lengths = values.iter().filter_map(|text| text.parse::<f64>().ok());
                    let counted: f64 = lengths.zip(&parts).map(|(length, part)| length * part).sum();
                    let rest = if bounds.is_empty() { 0.0 } else { present - parts.iter().sum::<f64>() };
                    let between = bounds.iter().sum::<f64>() / (bounds.len().max(1) as f64);
                    let all = parts.iter().sum::<f64>() + rest;
                    known.mean = if all > 0.0 { (counted + rest * between) / all } else { 0.0 };
                }
                _ => {}
            }
        }
        Ok(known)
    }
}

impl PassageSearch<'_> {
    /// Returns the statistics of all passages, from the cache if it is fresh.
    pub(super) async fn passage_statistics(&mut self) -> Result<Arc<PassageStatistics>> {
        self.tx.known_words().await
    }
}

impl Tx {
    async fn known_words(&mut self) -> Result<Arc<PassageStatistics>> {
        let now = Instant::now();
        let lock = |statistics: &WordStatistics| {
            let kept = statistics.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.as_ref().filter(|(since, _)| now.duration_since(*since) < FRESH).map(|(_, known)| known.clone())
        };
        if let Some(known) = lock(&self.word_statistics) {
            return Ok(known);
        }
        let rows = self
            .fetch_all(
                "SELECT t.attname::text AS attname, t.null_frac::float8 AS null_frac, c.reltuples::float8 AS reltuples,
                     to_jsonb(t.most_common_vals::text::text[]) AS vals, to_jsonb(t.most_common_freqs) AS freqs,
                     to_jsonb(t.histogram_bounds::text::text[]) AS bounds,
                     to_jsonb(t.most_common_elems::text::text[]) AS elems, to_jsonb(t.most_common_elem_freqs) AS elem_freqs
                 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 JOIN pg_stats t ON t.schemaname = n.nspname AND t.tablename = c.relname
                 WHERE c.oid = 'chunk_words'::regclass AND t.attname IN ('words', 'tenant_id', 'word_count')",
                vec![],
            )
            .await?;
        let known = Arc::new(PassageStatistics::from_rows(&rows)?);
        *self.word_statistics.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, known.clone()));
        Ok(known)
    }
}
