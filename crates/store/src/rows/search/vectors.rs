//! Passages by their meaning: the nearest vectors of a space, by pgvector.

use ibid_domain::{Code, Problem, SearchFilter};

use super::{Hit, PassageSearch};
use crate::{
    Result,
    rows::vectors::EmbeddingSpace,
    sql::{SqlRow, SqlValue, to_sql_int},
};

impl PassageSearch<'_> {
    /// The passages whose vectors in a space are most alike to this one, best first.
    pub async fn find_by_vector(
        &mut self,
        space: i64,
        dimension: u64,
        vector: &[f32],
        filter: &SearchFilter,
        count: usize,
    ) -> Result<Vec<Hit>> {
        self.on_postgres().await?;
        if vector.len() as u64 != dimension {
            let detail = format!("the vector has {} numbers; this library's have {dimension}", vector.len());
            return Err(Problem::new(Code::InvalidField, detail).with_field("query_vector").into());
        }
        let each = !EmbeddingSpace::is_indexable(dimension) || self.leaves_few(filter).await?;
        let mut narrowed = self.filter_sql(filter);
        let vector = narrowed.bind_value(SqlValue::Vector(vector.to_vec()));
        let (best, near) = (
            narrowed.bind_value(to_sql_int(count as u64).into()),
            narrowed.bind_value(to_sql_int(2 * count as u64).into()),
        );
        let (joined, conditions) = (narrowed.joined_to("c"), &narrowed.conditions);
        let near = if each {
            format!(
                "SELECT c.id, c.seq, v.vector <=> {vector} AS distance
                 FROM chunks c {joined} JOIN chunk_vectors v ON v.chunk_id = c.id AND v.space_id = {space}
                 WHERE c.tenant_id = $1 AND {conditions} ORDER BY distance LIMIT {near}"
            )
        } else {
            // LIMIT 1 keeps PostgreSQL to the index, and to looking up each passage as its vector comes. The index
            // knows half the digits of each number, so twice as many are taken from it and put in exact order.
            format!(
                "SELECT p.id, p.seq, v.vector <=> {vector} AS distance
                 FROM chunk_vectors v CROSS JOIN LATERAL (
                     SELECT c.id, c.seq FROM chunks c {joined}
                     WHERE c.id = v.chunk_id AND c.tenant_id = $1 AND {conditions} LIMIT 1) AS p
                 WHERE v.space_id = {space}
                 ORDER BY v.vector::halfvec({dimension}) <=> {vector}::halfvec({dimension}) LIMIT {near}"
            )
        };
        let sql = format!(
            "WITH near AS MATERIALIZED ({near})
             SELECT id, seq, 1 - distance AS score FROM near WHERE distance <> 'NaN'
             ORDER BY distance, seq LIMIT {best}"
        );
        let rows = self.tx.rows_once(sql, narrowed.values).await?;
        let hit = |row: &SqlRow| {
            Ok(Hit { chunk: row.get("id")?, seq: row.get("seq")?, score: row.get::<f64>("score")? as f32 })
        };
        rows.iter().map(hit).collect()
    }
}
