//! `Idempotency-Key`: the same request again gets the same answer and has no second effect.

use std::time::Duration;

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http_body_util::BodyExt;
use ibid_app::Scope;
use ibid_domain::{Code, Problem, Sha256, hash::Hasher};
use ibid_store::{IdempotencyClaim, StoredResponse};
use uuid::Uuid;

use super::{
    Server,
    extract::read_body,
    guard::is_upload,
    problem::{ApiError, render_problem},
};

/// Time after which the claim on an idempotency key expires unless it is renewed.
const HOLD: Duration = Duration::from_secs(30);

/// Answers larger than this are not kept: asking again for such a thing makes it again.
const MAX_ANSWER: usize = 4 * 1024 * 1024;

const KEY: &str = "idempotency-key";

/// Answers a repeated request from what was answered before.
pub(super) async fn replay_response(State(server): State<Server>, request: Request, next: Next) -> Response {
    let mutating = matches!(*request.method(), Method::POST | Method::PUT | Method::PATCH | Method::DELETE);
    let Some(key) = request.headers().get(KEY).filter(|_| mutating).cloned() else { return next.run(request).await };
    match answer_once(&server, &key, request, next).await {
        Ok(response) => response,
        Err(error) => error.into_response(),
    }
}

async fn answer_once(server: &Server, key: &HeaderValue, request: Request, next: Next) -> Result<Response, ApiError> {
    let key = key.to_str().unwrap_or_default().to_owned();
    if !(1..=255).contains(&key.len()) || !key.bytes().all(|b| b.is_ascii_graphic() || b == b' ') {
        let detail = "the Idempotency-Key takes 1 to 255 visible ASCII characters";
        return Err(Problem::new(Code::IdempotencyKeyInvalid, detail).with_field("Idempotency-Key").into());
    }
    let scope = server.owner;
    let (request, fingerprint) = fingerprint_request(request, server.config.json_limit_bytes).await?;
    let mut tx = server.app.store().write().await?;
    let claim = tx.idempotency_keys(&scope).claim_key(&key, fingerprint, HOLD).await?;
    tx.commit().await?;
    match claim {
        IdempotencyClaim::New(claim) => {
            let held = ClaimedKey { server: server.clone(), scope, key, claim };
            let renewing = tokio::spawn(held.clone().renew_claim());
            let response = next.run(request).await;
            renewing.abort();
            held.finish_request(response).await
        }
        IdempotencyClaim::Answered(stored) => Ok(replayed_response(stored)),
        IdempotencyClaim::InProgress => {
            let detail = "a request with this Idempotency-Key is still running";
            Err(Problem::new(Code::IdempotencyInProgress, detail).with_field("Idempotency-Key").into())
        }
        IdempotencyClaim::Reused => {
            let detail = "this Idempotency-Key was used for another request";
            Err(Problem::new(Code::IdempotencyKeyReused, detail).with_field("Idempotency-Key").into())
        }
    }
}

/// Hashes method, address and body of a request. The body of an upload is not hashed: its type and length are used
/// instead, and the artifact is named by its content anyway.
async fn fingerprint_request(request: Request, limit: u64) -> Result<(Request, Sha256), Problem> {
    let mut hasher = Hasher::default();
    hasher.update(request.method().as_str().as_bytes());
    hasher.update(b" ");
    hasher.update(request.uri().path_and_query().map_or("", |path| path.as_str()).as_bytes());
    if is_upload(&request) {
        let headers = request.headers();
        let kind = headers.get(header::CONTENT_TYPE).map(|value| value.as_bytes()).unwrap_or_default();
        hasher.update(kind.split(|byte| *byte == b';').next().unwrap_or_default());
        hasher.update(headers.get(header::CONTENT_LENGTH).map(|value| value.as_bytes()).unwrap_or_default());
        return Ok((request, hasher.finish()));
    }
    let (parts, body) = request.into_parts();
    let bytes = read_body(body, limit).await?;
    hasher.update(b"\n");
    hasher.update(&bytes);
    Ok((Request::from_parts(parts, Body::from(bytes)), hasher.finish()))
}

fn replayed_response(stored: StoredResponse) -> Response {
    let status = StatusCode::from_u16(stored.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, stored.body).into_response();
    response.headers_mut().remove(header::CONTENT_TYPE);
    if let Some(kind) = stored.content_type.and_then(|kind| HeaderValue::from_str(&kind).ok()) {
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
    }
    response.headers_mut().insert("idempotency-replayed", HeaderValue::from_static("true"));
    response
}

#[derive(Clone)]
struct ClaimedKey {
    server: Server,
    scope: Scope,
    key: String,
    claim: Uuid,
}

impl ClaimedKey {
    async fn renew_claim(self) {
        loop {
            tokio::time::sleep(HOLD / 3).await;
            let renewed = async {
                let mut tx = self.server.app.store().write().await?;
                tx.idempotency_keys(&self.scope).renew_claim(&self.key, self.claim, HOLD).await?;
                tx.commit().await
            };
            if let Err(error) = renewed.await {
                tracing::warn!(%error, "cannot renew an idempotency key");
            }
        }
    }

    /// Keeps the answer, or forgets the key if the request may be tried again.
    async fn finish_request(self, response: Response) -> Result<Response, ApiError> {
        let status = response.status();
        let again = status.is_server_error() || matches!(status.as_u16(), 408 | 413 | 429);
        let response = if again { response } else { self.store_response(response).await? };
        let kept = response.extensions().get::<ResponseStored>().is_some();
        if !kept {
            let mut tx = self.server.app.store().write().await?;
            tx.idempotency_keys(&self.scope).release_claim(&self.key, self.claim).await?;
            tx.commit().await?;
        }
        Ok(response)
    }

    async fn store_response(&self, response: Response) -> Result<Response, ApiError> {
        // A problem is rendered here with the key as its id: a repetition has a request id of its own in its header.
        let (mut parts, body) = render_problem(response, &self.key).into_parts();
        let body = body.collect().await.map(http_body_util::Collected::to_bytes);
        let body = body.map_err(|error| Problem::new(Code::Internal, format!("an answer broke off: {error}")))?;
        if body.len() <= MAX_ANSWER {
            let content_type =
                parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).map(str::to_owned);
            let stored = StoredResponse { status: parts.status.as_u16(), content_type, body: body.to_vec() };
            let mut tx = self.server.app.store().write().await?;
            tx.idempotency_keys(&self.scope).store_response(&self.key, self.claim, stored).await?;
            tx.commit().await?;
            parts.extensions.insert(ResponseStored);
        }
        Ok(Response::from_parts(parts, Body::from(body)))
    }
}

#[derive(Clone)]
struct ResponseStored;
