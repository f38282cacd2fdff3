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

/// Result of claiming an idempotency key for a request.
#[derive(Debug)]
pub enum IdempotencyClaim {
    /// It is new: go on, and [`IdempotencyKeys::store_response`] or [`IdempotencyKeys::release_claim`] this claim.
    New(Uuid),
    /// The same request was answered before.
    Answered(StoredResponse),
    /// The same request is still being answered.
    InProgress,
    /// The key was used for another request.
    Reused,
}

/// HTTP response stored under an idempotency key, to be sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    /// HTTP status code of the response.
    pub status: u16,
    /// Value of the `Content-Type` header, if it had one.
    pub content_type: Option<String>,
    pub body: Vec<u8>,
}

impl IdempotencyKeys<'_> {
    /// Claims a key for a request. A claim whose holder has not been heard of for `hold` can be taken over.
    pub async fn claim_key(&mut self, key: &str, fingerprint: Sha256, hold: Duration) -> Result<IdempotencyClaim> {
        let (claim, now) = (Uuid::new_v4(), self.tx.now());
        let inserted = self
            .tx
            .execute(
                "INSERT INTO idempotency_keys (tenant_id, key, fingerprint, claim, created_at, locked_until)
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant_id, key) DO NOTHING",
                params![self.scope.tenant(), key, fingerprint, claim, now, now.later_by(hold)],
            )
            .await?;
        if inserted == 1 {
            return Ok(IdempotencyClaim::New(claim));
        }
        let sql = "SELECT * FROM idempotency_keys WHERE tenant_id = $1 AND key = $2";
        let Some(row) = self.tx.fetch_optional(sql, params![self.scope.tenant(), key]).await? else {
            return Ok(IdempotencyClaim::InProgress);
        };
        if row.get::<Sha256>("fingerprint")? != fingerprint {
            return Ok(IdempotencyClaim::Reused);
        }
        if let Some(status) = row.get::<Option<u64>>("status")? {
            return Ok(IdempotencyClaim::Answered(StoredResponse {
                status: u16::try_from(status).unwrap_or(500),
                content_type: row.get("content_type")?,
                body: row.get::<Option<Vec<u8>>>("body")?.unwrap_or_default(),
            }));
        }
        let sql = "UPDATE idempotency_keys SET claim = $3, locked_until = $4
                   WHERE tenant_id = $1 AND key = $2 AND status IS NULL AND locked_until < $5";
        let taken = self.tx.execute(sql, params![self.scope.tenant(), key, claim, now.later_by(hold), now]).await?;
        Ok(if taken == 1 { IdempotencyClaim::New(claim) } else { IdempotencyClaim::InProgress })
    }

    /// Says that the request is still being answered.
    pub async fn renew_claim(&mut self, key: &str, claim: Uuid, hold: Duration) -> Result<()> {
        let until = self.tx.now().later_by(hold);
        let sql = "UPDATE idempotency_keys SET locked_until = $4 WHERE tenant_id = $1 AND key = $2 AND claim = $3";
        self.tx.execute(sql, params![self.scope.tenant(), key, claim, until]).await?;
        Ok(())
    }

    /// Stores the response of the request and ends the claim.
    pub async fn store_response(&mut self, key: &str, claim: Uuid, response: StoredResponse) -> Result<()> {
        let sql = "UPDATE idempotency_keys SET status = $4, content_type = $5, body = $6
                   WHERE tenant_id = $1 AND key = $2 AND claim = $3";
        let values =
            params![self.scope.tenant(), key, claim, i64::from(response.status), response.content_type, response.body];
        self.tx.execute(sql, values).await?;
        Ok(())
    }

    /// Forgets the claim, so that the request can be tried again.
    pub async fn release_claim(&mut self, key: &str, claim: Uuid) -> Result<()> {
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
