//! What every request passes first: an id, a line in the log, a measurement, and the rendering of errors.

use std::{
    panic::AssertUnwindSafe,
    time::{Duration, Instant},
};

use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use ibid_domain::{Code, Problem};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use tracing::Instrument;
use uuid::Uuid;

use super::problem::{ApiError, render_problem};

/// Renders the metrics of this process.
pub use metrics_exporter_prometheus::PrometheusHandle as MetricsHandle;

/// Installs the recorder that collects metrics for Prometheus.
pub fn install_metrics() -> Result<MetricsHandle, String> {
    const SECONDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)
        .and_then(PrometheusBuilder::install_recorder)
        .map_err(|error| format!("cannot collect metrics: {error}"))
}

/// Metrics that nobody reads: of a library that a command opens for itself.
pub fn unused_metrics() -> MetricsHandle {
    PrometheusBuilder::new().build_recorder().handle()
}

/// A request that takes so long is told in the log.
const SLOW: Duration = Duration::from_secs(1);

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Gives a request its id and measures how it goes.
pub(super) async fn observe_request(request: Request, next: Next) -> Response {
    let id = request_id(&request);
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    // Only patterns of routes become labels: a client must not be able to make new time series.
    let route = request.extensions().get::<MatchedPath>().map_or("app", MatchedPath::as_str).to_owned();
    let started = Instant::now();
    let span = tracing::info_span!("request", id, %method, path);
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone()).await;
    let response = answered.unwrap_or_else(|_| {
        tracing::error!(parent: &span, "a handler panicked");
        ApiError(Problem::new(Code::Internal, "something went wrong inside the server; the log has the cause"))
            .into_response()
    });
    let code = response.extensions().get::<Problem>().map(|problem| problem.code.as_str());
    let mut response = render_problem(response, &id);
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let (status, elapsed) = (response.status().as_u16(), started.elapsed());
    let labels = [("method", method.to_string()), ("route", route), ("status", status.to_string())];
    metrics::counter!("ibid_http_requests_total", &labels).increment(1);
    metrics::histogram!("ibid_http_request_seconds", &labels[..2]).record(elapsed.as_secs_f64());
    let ms = (elapsed.as_secs_f64() * 1e4).round() / 10.0;
    // What went as it should and at once is not worth a line unless someone looks closely.
    if status >= 400 || elapsed >= SLOW {
        tracing::info!(parent: &span, status, ms, code, "answered");
    } else {
        tracing::debug!(parent: &span, status, ms, code, "answered");
    }
    response
}

/// The caller's own id if it is a decent one, so that logs of two systems can be read together.
fn request_id(request: &Request) -> String {
    let given = request.headers().get(&REQUEST_ID).and_then(|value| value.to_str().ok());
    let decent = |id: &&str| {
        (1..=128).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    given.filter(decent).map_or_else(|| Uuid::now_v7().to_string(), str::to_owned)
}
