//! Idempotency keys: the answer to a request, kept so that the same request again gets it again.

use std::time::Duration;

use ibid_domain::{Sha256, Timestamp};
use uuid::Uuid;

use crate::{Result, Scope, Tx, sql::params};

/// The idempotency keys of one tenant.
pub struct IdempotencyKeys<'a> {
    tx: &'a mut Tx,
    scope: &'a Scope,
}

impl Tx {
    /// The idempotency keys that this scope has used.
    pub fn idempotency_keys<'a>(&'a mut self, scope: &'a Scope) -> IdempotencyKeys<'a> {
        IdempotencyKeys { tx: self, scope }
    }
}

/// What a key is worth to the request that brought it.
#[derive(Debug)]
pub enum Claim {
    /// It is new: go on, and [`IdempotencyKeys::complete`] or [`IdempotencyKeys::release`] this claim.
    New(Uuid),
    /// The same request was answered before.
    Answered(StoredResponse),
    /// The same request is still being answered.
    InProgress,
    /// The key was used for another request.
    Reused,
}

/// An answer that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    /// Its status.
    pub status: u16,
    /// The type of its body.
    pub content_type: Option<String>,
    /// Its body.
    pub body: Vec<u8>,
}

impl IdempotencyKeys<'_> {
    /// Claims a key for a request. A claim whose holder has not been heard of for `hold` can be taken over.
    pub async fn claim(&mut self, key: &str, fingerprint: Sha256, hold: Duration) -> Result<Claim> {
        let (claim, now) = (Uuid::new_v4(), self.tx.now());
        let inserted = self
            .tx
            .execute(
                "INSERT INTO idempotency_keys (tenant_id, key, fingerprint, claim, created_at, locked_until)
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant_id, key) DO NOTHING",
                params![self.scope.tenant(), key, fingerprint, claim, now, now.after(hold)],
            )
            .await?;
        if inserted == 1 {
            return Ok(Claim::New(claim));
        }
        let sql = "SELECT * FROM idempotency_keys WHERE tenant_id = $1 AND key = $2";
        let Some(row) = self.tx.row(sql, params![self.scope.tenant(), key]).await? else {
            return Ok(Claim::InProgress);
        };
        if row.get::<Sha256>("fingerprint")? != fingerprint {
            return Ok(Claim::Reused);
        }
        if let Some(status) = row.get::<Option<u64>>("status")? {
            return Ok(Claim::Answered(StoredResponse {
                status: u16::try_from(status).unwrap_or(500),
                content_type: row.get("content_type")?,
                body: row.get::<Option<Vec<u8>>>("body")?.unwrap_or_default(),
            }));
        }
        let sql = "UPDATE idempotency_keys SET claim = $3, locked_until = $4
                   WHERE tenant_id = $1 AND key = $2 AND status IS NULL AND locked_until < $5";
        let taken = self.tx.execute(sql, params![self.scope.tenant(), key, claim, now.after(hold), now]).await?;
        Ok(if taken == 1 { Claim::New(claim) } else { Claim::InProgress })
    }

    /// Says that the request is still being answered.
    pub async fn renew(&mut self, key: &str, claim: Uuid, hold: Duration) -> Result<()> {
        let until = self.tx.now().after(hold);
        let sql = "UPDATE idempotency_keys SET locked_until = $4 WHERE tenant_id = $1 AND key = $2 AND claim = $3";
        self.tx.execute(sql, params![self.scope.tenant(), key, claim, until]).await?;
        Ok(())
    }

    /// Keeps the answer.
    pub async fn complete(&mut self, key: &str, claim: Uuid, response: StoredResponse) -> Result<()> {
        let sql = "UPDATE idempotency_keys SET status = $4, content_type = $5, body = $6
                   WHERE tenant_id = $1 AND key = $2 AND claim = $3";
        let values =
            params![self.scope.tenant(), key, claim, i64::from(response.status), response.content_type, response.body];
        self.tx.execute(sql, values).await?;
        Ok(())
    }

    /// Forgets the claim, so that the request can be tried again.
    pub async fn release(&mut self, key: &str, claim: Uuid) -> Result<()> {
        let sql = "DELETE FROM idempotency_keys WHERE tenant_id = $1 AND key = $2 AND claim = $3 AND status IS NULL";
        self.tx.execute(sql, params![self.scope.tenant(), key, claim]).await?;
        Ok(())
    }
}

impl Tx {
    /// Forgets keys that were used before `cutoff`.
    pub async fn forget_idempotency_keys(&mut self, cutoff: Timestamp) -> Result<u64> {
        self.execute("DELETE FROM idempotency_keys WHERE created_at < $1", params![cutoff]).await
    }
}
