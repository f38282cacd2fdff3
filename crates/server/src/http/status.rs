//! `/health`, `/ready` and `/metrics`

use std::time::{Duration, Instant};

use axum::{
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::Server;
use crate::wire::values::{BlobStorageKind, LibraryEngine};

/// Response of the liveness check.
#[derive(Serialize, ToSchema)]
pub(super) struct HealthStatus {
    status: CheckStatus,
    version: &'static str,
    uptime_seconds: u64,
}

/// Check that the process is alive
#[utoipa::path(get, path = "/health", tag = "status", operation_id = "health", responses((status = 200, description = "It does", body = HealthStatus)))]
pub(super) async fn health(State(server): State<Server>) -> axum::Json<HealthStatus> {
    let uptime_seconds = server.started.elapsed().as_secs();
    axum::Json(HealthStatus { status: CheckStatus::Ok, version: env!("CARGO_PKG_VERSION"), uptime_seconds })
}

/// Response of the readiness check.
#[derive(Serialize, ToSchema)]
pub(super) struct Readiness {
    /// Result of all checks.
    status: ReadinessStatus,
    version: &'static str,
    /// Database of the library.
    engine: LibraryEngine,
    /// Storage of artifacts.
    blobs: BlobStorageKind,
    checks: Vec<ReadinessCheck>,
}

/// Readiness of the server.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReadinessStatus {
    /// All checks passed.
    Ready,
    /// A check failed, or the server is stopping.
    Unavailable,
}

/// Result of a check.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CheckStatus {
    /// The check passed.
    Ok,
    /// The check failed or took too long.
    Failed,
}

/// Check of one part that the server needs.
#[derive(Serialize, ToSchema)]
pub(super) struct ReadinessCheck {
    /// Name that a client calls the tool by.
    name: &'static str,
    /// Result of this check.
    status: CheckStatus,
    #[schema(required)]
    detail: Option<String>,
    latency_ms: f64,
}

/// Maximum time for one readiness check; a slower one counts as failed.
const PATIENCE: Duration = Duration::from_secs(5);

/// Check that the server can serve requests
#[utoipa::path(
    get, path = "/ready", tag = "status", operation_id = "ready",
    responses((status = 200, description = "They can", body = Readiness), (status = 503, description = "They cannot", body = Readiness)),
)]
pub(super) async fn ready(State(server): State<Server>) -> Response {
    let store = server.app.store();
    let (database, blobs, workers, indexes) = tokio::join!(
        run_check("database", async { store.ping().await.map(|()| None).map_err(|error| error.to_string()) }),
        run_check("blobs", async { store.blobs().ping().await.map(|()| None).map_err(|error| error.to_string()) }),
        run_check("workers", async { check_workers(&server) }),
        run_check("indexes", async { check_indexes(&server).await }),
    );
    let checks = vec![database, blobs, indexes, workers];
    let ready = checks.iter().all(|check| check.status == CheckStatus::Ok) && !server.stop.is_cancelled();
    let body = Readiness {
        status: if ready { ReadinessStatus::Ready } else { ReadinessStatus::Unavailable },
        version: env!("CARGO_PKG_VERSION"),
        engine: store.engine().into(),
        blobs: store.blobs().kind().into(),
        checks,
    };
    (if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, axum::Json(body)).into_response()
}

/// An index that is behind still answers; one that cannot be opened does not.
async fn check_indexes(server: &Server) -> Result<Option<String>, String> {
    match server.app.index_state().await.map_err(|error| error.to_string())? {
        None => Ok(Some("words and vectors are indexed with their rows".to_owned())),
        Some(state) if state.behind == 0 => Ok(Some(format!("{} passages", state.passages))),
        Some(state) => Ok(Some(format!("{} passages, {} changes to be taken over", state.passages, state.behind))),
    }
}

fn check_workers(server: &Server) -> Result<Option<String>, String> {
    let Some(pulse) = &server.worker else { return Ok(Some("jobs are done by other processes".to_owned())) };
    match pulse.since_last_beat() {
        Some(age) if age < Duration::from_secs(30) => Ok(None),
        Some(age) => Err(format!("the worker has not looked for jobs for {} seconds", age.as_secs())),
        None => Err("the worker has not started".to_owned()),
    }
}

async fn run_check(name: &'static str, work: impl Future<Output = Result<Option<String>, String>>) -> ReadinessCheck {
    let started = Instant::now();
    let outcome = tokio::time::timeout(PATIENCE, work).await;
    let outcome = outcome.unwrap_or_else(|_| Err(format!("no answer within {} seconds", PATIENCE.as_secs())));
    let (status, detail) = match outcome {
        Ok(detail) => (CheckStatus::Ok, detail),
        Err(detail) => {
            tracing::warn!(check = name, detail, "not ready");
            (CheckStatus::Failed, Some(detail))
        }
    };
    ReadinessCheck { name, status, detail, latency_ms: (started.elapsed().as_secs_f64() * 1e6).round() / 1e3 }
}

/// Get metrics in Prometheus format
#[utoipa::path(
    get, path = "/metrics", tag = "status", operation_id = "metrics",
    responses((status = 200, description = "In the text format of Prometheus", content_type = "text/plain", body = String)),
)]
pub(super) async fn render_metrics(State(server): State<Server>) -> Response {
    let counted = async { server.app.store().read().await?.count_jobs().await };
    if let Ok(counts) = counted.await {
        for state in ibid_domain::job::JobState::ALL {
            let count = counts.iter().find(|(of, _)| *of == state).map_or(0, |(_, count)| *count);
            metrics::gauge!("ibid_jobs", "state" => state.as_str()).set(count as f64);
        }
    }
    metrics::gauge!("ibid_uptime_seconds").set(server.started.elapsed().as_secs_f64());
    if let Some(bytes) = resident_bytes() {
        metrics::gauge!("process_resident_memory_bytes").set(bytes as f64);
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], server.metrics.render()).into_response()
}

fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}
