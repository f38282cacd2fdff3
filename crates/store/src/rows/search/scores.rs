//! The scores of passages that another list found, so that both lists know every candidate; and what is known of a
//! tenant's passages as a whole.

use std::collections::HashMap;

use ibid_domain::WordQuery;

use super::{
    BATCH, PassageSearch,
    bm25::{B, K1, Ranking, indexable_forms},
};
use crate::{
    Result,
    sql::{SqlValue, params},
};

/// The languages of a library are told by so many of its newest texts.
const SAMPLE: i64 = 2_000;

impl PassageSearch<'_> {
    /// The scores of these passages by the words of a query; those that have none of them are left out.
    pub async fn word_scores(&mut self, query: &WordQuery, seqs: &[i64]) -> Result<HashMap<i64, f32>> {
        self.on_postgres().await?;
        let mut scores = HashMap::new();
        let words: Vec<_> =
            query.any.iter().chain(query.phrases.iter().flatten()).filter_map(indexable_forms).collect();
        if words.is_empty() || seqs.is_empty() {
            return Ok(scores);
        }
        let (all, mean) = self.corpus_statistics().await?;
        let mut sought = self.count_query_terms(words, all).await?;
        sought.retain(|word| word.passage_count() > 0.0);
        if sought.is_empty() {
            return Ok(scores);
        }
        let ranking = Ranking { sought: &sought, demands: &[], all, mean, count: 0, each: true };
        for batch in seqs.chunks(BATCH) {
            let mut values = params![self.scope.tenant()];
            let mut value = |value: SqlValue| {
                values.push(value);
                format!("${}", values.len())
            };
            let score = ranking.score_sql(&mut value);
            let longer = value((K1 * B / mean).into());
            let list: Vec<String> = batch.iter().map(|seq| value((*seq).into())).collect();
            let sql = format!(
                "SELECT m.seq, {score} AS score FROM (
                     SELECT w.seq, w.words, CAST({} AS float8) + {longer} * w.length AS k
                     FROM chunk_words w WHERE w.tenant_id = $1 AND w.words IS NOT NULL AND w.seq IN ({})) AS m",
                K1 * (1.0 - B),
                list.join(", ")
            );
            for row in self.tx.rows_once(sql, values).await? {
                let score = row.get::<f64>("score")? as f32;
                if score > 0.0 {
                    scores.insert(row.get("seq")?, score);
                }
            }
        }
        Ok(scores)
    }

    /// Returns the similarity of passages to a vector; passages without a vector in the space are left out.
    pub async fn vector_similarities(&mut self, space: i64, vector: &[f32], seqs: &[i64]) -> Result<HashMap<i64, f32>> {
        self.on_postgres().await?;
        let mut found = HashMap::new();
        for batch in seqs.chunks(BATCH) {
            let mut values = params![self.scope.tenant(), space];
            values.push(SqlValue::Vector(vector.to_vec()));
            let mut list = Vec::with_capacity(batch.len());
            for seq in batch {
                values.push((*seq).into());
                list.push(format!("${}", values.len()));
            }
            let sql = format!(
                "SELECT c.seq, 1 - (v.vector <=> $3) AS score FROM chunks c
                 JOIN chunk_vectors v ON v.chunk_id = c.id AND v.space_id = $2
                 WHERE c.tenant_id = $1 AND c.seq IN ({})",
                list.join(", ")
            );
            for row in self.tx.rows_once(sql, values).await? {
                let score = row.get::<f64>("score")? as f32;
                if score.is_finite() {
                    found.insert(row.get("seq")?, score);
                }
            }
        }
        Ok(found)
    }

    /// The languages of the newest texts, most spoken first.
    pub async fn top_languages(&mut self) -> Result<Vec<String>> {
        let sql = "SELECT language FROM
                       (SELECT language FROM revisions WHERE tenant_id = $1 AND language IS NOT NULL
                        ORDER BY id DESC LIMIT $2) AS newest
                   GROUP BY language ORDER BY COUNT(*) DESC, language";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), SAMPLE]).await?;
        rows.iter().map(|row| row.get("language")).collect()
    }

    /// Forgets the words of all passages, so that they are analysed again.
    pub async fn forget_all_words(&mut self) -> Result<()> {
        self.on_postgres().await?;
        let sql = "UPDATE chunk_words SET words = NULL, length = NULL, word_count = NULL WHERE tenant_id = $1";
        self.tx.execute(sql, params![self.scope.tenant()]).await?;
        Ok(())
    }
}
