//! Runs, what happened in each, and the sources that their tools returned.

use std::collections::HashMap;

use ibid_domain::{
    ConversationId, Cursor, Limit, Page, Run, RunEvent, RunEventData, RunEventKind, RunId, RunStatus, Timestamp, Usage,
};
use serde_json::Value as Json;

use crate::{
    EngineKind, Error, Result, Scope, Tx,
    rows::to_json_value,
    sql::{SqlRow, params, placeholder_rows, to_sql_int},
};

/// Maximum number of rows in one statement.
const BATCH: usize = 200;

/// Access to the runs of one tenant.
pub struct Runs<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The runs that this scope may see.
    pub fn runs<'a>(&'a mut self, scope: &'a Scope) -> Runs<'a> {
        Runs { tx: self, scope }
    }
}

impl Runs<'_> {
    /// Keeps a new run. One that a server carries out says until when that server is known to be alive.
    pub async fn add(&mut self, new: &Run, alive_until: Option<Timestamp>) -> Result<()> {
        self.tx
            .execute(
                "INSERT INTO runs (id, tenant_id, conversation_id, question_id, message_id, mode, status, usage, alive_until,
                     created_at, updated_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
                params![
                    new.id,
                    self.scope.tenant(),
                    new.conversation,
                    new.question.as_ref(),
                    &new.message,
                    new.mode.as_str(),
                    new.status.as_str(),
                    to_json_value(&new.usage)?,
                    alive_until,
                    new.created_at,
                    new.updated_at,
                ],
            )
            .await?;
        Ok(())
    }

    /// Returns a run, if it exists.
    pub async fn get(&mut self, id: RunId) -> Result<Option<Run>> {
        let sql = "SELECT * FROM runs WHERE tenant_id = $1 AND id = $2";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), id]).await?;
        row.as_ref().map(read_run).transpose()
    }

    /// One run, held so that nobody else changes it until the transaction ends.
    pub async fn get_for_update(&mut self, id: RunId) -> Result<Option<Run>> {
        let lock = if self.tx.engine() == EngineKind::Postgres { "FOR UPDATE" } else { "" };
        let sql = format!("SELECT * FROM runs WHERE tenant_id = $1 AND id = $2 {lock}");
        let rows = self.tx.rows_built(sql, params![self.scope.tenant(), id]).await?;
        rows.first().map(read_run).transpose()
    }

    /// Lists the runs of the tenant, newest first.
    pub async fn list(&mut self, limit: Limit, after: Option<&Cursor>) -> Result<Page<Run>> {
        let mut sql = "SELECT * FROM runs WHERE tenant_id = $1".to_owned();
        let mut values = params![self.scope.tenant()];
        if let Some(cursor) = after {
            let [id] = cursor.key_parts()?;
            values.push(id.parse::<RunId>().map_err(|_| Cursor::invalid_cursor())?.into());
            sql += " AND id < $2";
        }
        values.push(limit.probe_count().into());
        sql += &format!(" ORDER BY id DESC LIMIT ${}", values.len());
        let rows = self.tx.rows_built(sql, values).await?;
        let items = rows.iter().map(read_run).collect::<Result<_>>()?;
        Ok(Page::from_rows(items, limit, |last: &Run| vec![last.id.to_string()]))
    }

    /// Keeps what has changed of a run, which the caller holds; its events have their own way.
    pub async fn save(&mut self, run: &mut Run) -> Result<()> {
        run.updated_at = self.tx.now();
        if run.status.has_ended() {
            run.finished_at.get_or_insert(run.updated_at);
        }
        self.tx
            .execute(
                "UPDATE runs SET message_id = $3, status = $4, error = $5, usage = $6, is_cancelled = $7, updated_at = $8,
                     finished_at = $9, alive_until = CASE WHEN $9 IS NULL THEN alive_until END
                 WHERE tenant_id = $1 AND id = $2",
                params![
                    self.scope.tenant(),
                    run.id,
                    &run.message,
                    run.status.as_str(),
                    run.error.as_deref(),
                    to_json_value(&run.usage)?,
                    i64::from(run.is_cancelled),
                    run.updated_at,
                    run.finished_at,
                ],
            )
            .await?;
        Ok(())
    }

    /// Writes down what happened in a run, in this order, and tells those who watch it. Nothing is written of a run
    /// that has ended, except what is said of its sources afterwards; then it gives none.
    pub async fn record_events(&mut self, id: RunId, events: Vec<RunEventData>) -> Result<Vec<RunEvent>> {
        let now = self.tx.now();
        let afterwards = events.iter().all(|event| {
            use RunEventKind::{ArtifactCreated, EntityCreated, ManifestCreated, Usage};
            matches!(event.kind(), EntityCreated | ArtifactCreated | ManifestCreated | Usage)
        });
        let open = if afterwards { "" } else { "AND finished_at IS NULL" };
        let sql = format!(
            "UPDATE runs SET last_seq = last_seq + $3 WHERE tenant_id = $1 AND id = $2 {open} RETURNING last_seq"
        );
        let rows = self.tx.rows_built(sql, params![self.scope.tenant(), id, to_sql_int(events.len() as u64)]).await?;
        let Some(row) = rows.first() else { return Ok(Vec::new()) };
        let first = row.get::<u64>("last_seq")? + 1 - events.len() as u64;
        let events: Vec<RunEvent> = (first..).zip(events).map(|(seq, data)| RunEvent { seq, data, at: now }).collect();
        for batch in events.chunks(BATCH) {
            let mut values = Vec::with_capacity(batch.len() * 5);
            for event in batch {
                let kind = event.data.kind().as_str();
                values.extend(params![id, to_sql_int(event.seq), kind, event.data.to_json(), event.at]);
            }
            let rows = placeholder_rows(1, batch.len(), 5);
            let sql = format!("INSERT INTO run_events (run_id, seq, kind, data, created_at) VALUES {rows}");
            self.tx.execute_built(sql, values).await?;
        }
        self.tx.signal_run_changed(id, &events).await?;
        Ok(events)
    }

    /// Returns the events of a run after the one with number `after`, oldest first.
    pub async fn list_events(&mut self, id: RunId, after: u64, count: i64) -> Result<Vec<RunEvent>> {
        let sql = "SELECT e.* FROM run_events e JOIN runs r ON r.id = e.run_id
                   WHERE r.tenant_id = $1 AND e.run_id = $2 AND e.seq > $3 ORDER BY e.seq LIMIT $4";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), id, to_sql_int(after), count]).await?;
        rows.iter()
            .map(|row| {
                let data = RunEventData::from_json(row.parse("kind")?, row.get("data")?)
                    .map_err(|problem| Error::Corrupt(problem.detail))?;
                Ok(RunEvent { seq: row.get("seq")?, data, at: row.get("created_at")? })
            })
            .collect()
    }

    /// The number of the event that ended a run, if one did. What comes after it is said of its sources.
    pub async fn end_of(&mut self, id: RunId) -> Result<Option<u64>> {
        let sql = "SELECT MAX(e.seq) AS last FROM run_events e JOIN runs r ON r.id = e.run_id
                   WHERE r.tenant_id = $1 AND e.run_id = $2 AND e.kind IN ('run_completed', 'run_failed')";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), id]).await?;
        row.map_or(Ok(None), |row| row.get("last"))
    }

    /// Sums the usage of language models by conversation; those without a run are left out.
    pub async fn usage_of(&mut self, ids: &[ConversationId]) -> Result<HashMap<ConversationId, Usage>> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let sql = format!(
            "SELECT conversation_id, usage FROM runs WHERE tenant_id = $1 AND conversation_id IN {}",
            crate::sql::placeholder_list(2, ids.len())
        );
        let mut values = params![self.scope.tenant()];
        values.extend(ids.iter().map(|id| (*id).into()));
        let mut all: HashMap<ConversationId, Usage> = HashMap::new();
        for row in self.tx.rows_built(sql, values).await? {
            let taken: Usage = serde_json::from_value(row.get("usage")?).unwrap_or_default();
            let sum = all.entry(row.get("conversation_id")?).or_default();
            *sum = sum.combine_with(taken);
        }
        Ok(all)
    }

    /// The runs of a conversation.
    pub async fn of_conversation(&mut self, id: ConversationId) -> Result<Vec<RunId>> {
        let sql = "SELECT id FROM runs WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY id";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), id]).await?;
        rows.iter().map(|row| row.get("id")).collect()
    }

    /// Keeps more results of a run's tools, which the caller holds, each with the number of its work.
    pub async fn add_sources(&mut self, id: RunId, sources: &[(u32, Json)]) -> Result<()> {
        let sql = "SELECT COALESCE(MAX(ordinal), -1) AS last FROM run_sources WHERE run_id = $1";
        let last: i64 = match self.tx.fetch_optional(sql, params![id]).await? {
            Some(row) => row.get("last")?,
            None => -1,
        };
        for (batch, first) in sources.chunks(BATCH).zip((last + 1..).step_by(BATCH)) {
            let mut values = Vec::with_capacity(batch.len() * 4);
            for (ordinal, (number, source)) in (first..).zip(batch) {
                values.extend(params![id, ordinal, i64::from(*number), source.clone()]);
            }
            let rows = placeholder_rows(1, batch.len(), 4);
            let sql = format!("INSERT INTO run_sources (run_id, ordinal, number, source) VALUES {rows}");
            self.tx.execute_built(sql, values).await?;
        }
        Ok(())
    }

    /// The results of a run's tools in the order in which they came, each with the number of its work.
    pub async fn list_sources(&mut self, id: RunId) -> Result<Vec<(u32, Json)>> {
        let sql = "SELECT s.number, s.source FROM run_sources s JOIN runs r ON r.id = s.run_id
                   WHERE r.tenant_id = $1 AND s.run_id = $2 ORDER BY s.ordinal";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), id]).await?;
        rows.iter()
            .map(|row| Ok((u32::try_from(row.get::<u64>("number")?).unwrap_or(u32::MAX), row.get("source")?)))
            .collect()
    }

    /// Runs that a server was carrying out and that it no longer says it is alive for.
    pub async fn list_abandoned(&mut self) -> Result<Vec<RunId>> {
        let sql = "SELECT id FROM runs WHERE tenant_id = $1 AND alive_until < $2 AND finished_at IS NULL";
        let now = self.tx.now();
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), now]).await?;
        rows.iter().map(|row| row.get("id")).collect()
    }

    /// Says that the server which carries out these runs is alive, and gives those that were asked to stop or ended.
    pub async fn renew_leases(&mut self, ids: &[RunId], until: Timestamp) -> Result<Vec<RunId>> {
        let mut stopped = Vec::new();
        for batch in ids.chunks(BATCH) {
            let sql = format!(
                "UPDATE runs SET alive_until = CASE WHEN finished_at IS NULL THEN $1 END WHERE tenant_id = $2 AND id IN {}
                 RETURNING id, is_cancelled, status",
                crate::sql::placeholder_list(3, batch.len())
            );
            let mut values = params![until, self.scope.tenant()];
            values.extend(batch.iter().map(|id| (*id).into()));
            for row in self.tx.rows_built(sql, values).await? {
                let status: RunStatus = row.parse("status")?;
                if row.get::<bool>("is_cancelled")? || status.has_ended() {
                    stopped.push(row.get("id")?);
                }
            }
        }
        Ok(stopped)
    }
}

fn read_run(row: &SqlRow) -> Result<Run> {
    Ok(Run {
        id: row.get("id")?,
        conversation: row.get("conversation_id")?,
        question: row.get("question_id")?,
        message: row.get("message_id")?,
        mode: row.parse("mode")?,
        status: row.parse("status")?,
        error: row.get("error")?,
        usage: row.with_prefix("").parse_json("usage")?,
        last_seq: row.get("last_seq")?,
        is_cancelled: row.get("is_cancelled")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        finished_at: row.get("finished_at")?,
    })
}
