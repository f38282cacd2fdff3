//! The HTTP server: routes, and what every request passes through.
//!
//! Its types stand in [`crate::wire`]. A request passes, from the outside in: the connection limits of
//! [`listen`], the request id and log of [`observe`], the guard against other sites, the idempotency keys, and then
//! its handler, which calls one function of the app.

mod artifacts;
pub(crate) mod citations;
mod content;
mod docs_page;
pub(crate) mod documents;
mod error_responses;
mod events;
mod evidence;
pub(crate) mod extract;
mod guard;
mod idempotency;
pub(crate) mod jobs;
pub(crate) mod knowledge;
pub mod listen;
mod manifests;
mod openai;
mod passages;
mod pointers;
mod problem;
pub(crate) mod runs;
mod sample;
mod schema_cleanup;
pub(crate) mod search;
mod settings;
pub(crate) mod sources;
mod status;
mod suggestions;
mod telemetry;
mod upload;
mod web;

use std::{sync::Arc, time::Instant};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    http::{HeaderValue, header},
    middleware,
    routing::{get, post, put},
};
use ibid_app::{App, Scope, WorkerPulse};
use tokio_util::sync::CancellationToken;
use tower_http::compression::CompressionLayer;
use utoipa::{OpenApi, openapi::OpenApi as OpenApiDocument};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{config::Config, mcp};

/// Shared state of all HTTP handlers; cheap to clone.
#[derive(Clone)]
pub struct Server(Arc<ServerParts>);

/// Fields that all clones of a [`Server`] share.
pub struct ServerParts {
    /// Use cases of the library that the handlers call.
    pub app: App,
    /// The one user of a library without login.
    pub owner: Scope,
    /// Configuration that the process was started with.
    pub config: Config,
    /// The address of the app, without a slash at its end.
    pub public_url: String,
    /// Heartbeat of this process's worker; `None` if it runs no worker.
    pub worker: Option<WorkerPulse>,
    /// Cancelled when the server is to stop.
    pub stop: CancellationToken,
    /// Start of the process, for the uptime.
    pub started: Instant,
    /// Renders the metrics for Prometheus.
    pub metrics: telemetry::MetricsHandle,
}

impl std::ops::Deref for Server {
    type Target = ServerParts;

    fn deref(&self) -> &ServerParts {
        &self.0
    }
}

impl From<ServerParts> for Server {
    fn from(inner: ServerParts) -> Self {
        Self(Arc::new(inner))
    }
}

pub use telemetry::{install_metrics, unused_metrics};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Ibid",
        description = "The evidence engine: documents in, answers out, every claim tied to the exact words that support it. \
                       Errors are `application/problem+json` with a stable `code`; lists are walked with `limit` and `cursor`; \
                       every mutating call accepts `Idempotency-Key`.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    // Names of pointers have slashes, so their addresses are taken apart by one handler and described here.
    paths(pointers::put, pointers::get_one, pointers::advance, pointers::history, pointers::delete),
    components(schemas(crate::wire::Problem)),
    tags(
        (name = "artifacts", description = "Immutable bytes, named by their SHA-256."),
        (name = "manifests", description = "Immutable trees of paths to artifacts."),
        (name = "pointers", description = "Mutable names of manifests, moved by compare-and-swap, with history."),
        (name = "sources", description = "Anything that can be cited: pages, files, texts, references."),
        (name = "search", description = "Finding the passages that answer, with the words to quote."),
        (name = "conversations", description = "What was asked and answered, with the evidence of every answer."),
        (name = "runs", description = "Answers on their way, made here or by an agent of your own."),
        (name = "citations", description = "What a text cites, and what can be cited."),
        (name = "documents", description = "Texts written with sources: versions, citations, bibliography, pages."),
        (name = "knowledge", description = "Who did, decided or promised what, and who is who."),
        (name = "jobs", description = "Durable background work."),
        (name = "status", description = "Whether the server lives, and how it does."),
    ),
)]
struct ApiDoc;

fn build_api() -> (Router<Server>, OpenApiDocument) {
    let (router, mut document) = OpenApiRouter::with_openapi(ApiDoc::openapi())
        .routes(routes!(artifacts::create, artifacts::list))
        .routes(routes!(artifacts::get_one))
        .routes(routes!(content::download, content::head))
        .routes(routes!(documents::create, documents::list))
        .routes(routes!(documents::get_one, documents::change, documents::delete))
        .routes(routes!(documents::history))
        .routes(routes!(documents::diff))
        .routes(routes!(documents::restore))
        .routes(routes!(documents::put_file, documents::get_file, documents::delete_file))
        .routes(routes!(documents::citations::issue_number))
        .routes(routes!(documents::citations::create, documents::citations::list))
        .routes(routes!(documents::citations::change, documents::citations::remove))
        .routes(routes!(documents::citations::list_sources, documents::citations::add_source))
        .routes(routes!(documents::citations::remove_source))
        .routes(routes!(documents::citations::search_sources))
        .routes(routes!(documents::rendering::render))
        .routes(routes!(documents::rendering::preview))
        .routes(routes!(documents::rendering::check_support))
        .routes(routes!(documents::rendering::make_bibliography))
        .routes(routes!(documents::rendering::document_references))
        .routes(routes!(documents::rendering::library_references))
        .routes(routes!(documents::rendering::start_draft))
        .routes(routes!(documents::styles::list, documents::styles::create))
        .routes(routes!(documents::styles::delete))
        .routes(routes!(documents::styles::format_source))
        .routes(routes!(documents::styles::format_items))
        .routes(routes!(manifests::create))
        .routes(routes!(manifests::get_one))
        .routes(routes!(manifests::log))
        .routes(routes!(manifests::diff))
        .routes(routes!(manifests::download_archive))
        .routes(routes!(pointers::list))
        .route(
            "/api/v1/pointers/{namespace}/{*rest}",
            put(pointers::on_put).get(pointers::on_get).post(pointers::on_post).delete(pointers::on_delete),
        )
        .routes(routes!(sources::create, sources::list))
        .routes(routes!(sources::upload))
        .routes(routes!(sources::import))
        .routes(routes!(sources::extract_page))
        .routes(routes!(sources::count_sources))
        .routes(routes!(sources::get_one, sources::change, sources::delete))
        .routes(routes!(sources::get_impact))
        .routes(routes!(sources::refresh))
        .routes(routes!(sources::list_revisions))
        .routes(routes!(sources::download_content))
        .routes(routes!(sources::download_thumbnail))
        .routes(routes!(sources::get_text))
        .routes(routes!(sources::list_chunks))
        .routes(routes!(passages::import))
        .routes(routes!(sample::get, sample::load, sample::remove))
        .routes(routes!(suggestions::list))
        .routes(routes!(search::search))
        .routes(routes!(search::search_sources))
        .routes(routes!(search::query_document))
        .routes(routes!(citations::parse))
        .routes(routes!(citations::extract))
        .routes(routes!(citations::build_prompt))
        .routes(routes!(citations::verify))
        .routes(routes!(citations::ground))
        .routes(routes!(citations::stats))
        .routes(routes!(citations::of_message))
        .routes(routes!(evidence::download_bundle))
        .routes(routes!(runs::conversations::create, runs::conversations::list))
        .routes(routes!(runs::conversations::get_one, runs::conversations::change, runs::conversations::delete))
        .routes(routes!(runs::conversations::list_messages, runs::ask::ask))
        .routes(routes!(runs::conversations::get_message))
        .routes(routes!(runs::open_run))
        .routes(routes!(runs::get_one))
        .routes(routes!(runs::cancel))
        .routes(routes!(runs::answer_clarification))
        .routes(routes!(runs::tool_results))
        .routes(routes!(runs::subagent_results))
        .routes(routes!(runs::report_response))
        .routes(routes!(runs::events::stream_events))
        .routes(routes!(runs::deliverables::make_deliverable, runs::deliverables::list))
        .routes(routes!(runs::deliverables::download_zip))
        .routes(routes!(runs::deliverables::download_file))
        .routes(routes!(knowledge::list_events))
        .routes(routes!(knowledge::list_entities))
        .routes(routes!(knowledge::compare_entities))
        .routes(routes!(knowledge::review_queue))
        .routes(routes!(knowledge::review_pair))
        .routes(routes!(knowledge::get_entity))
        .routes(routes!(knowledge::list_mentions))
        .routes(routes!(knowledge::merge_entity))
        .routes(routes!(knowledge::split_entity))
        .routes(routes!(knowledge::graph_health))
        .routes(routes!(knowledge::get_neighborhood))
        .routes(routes!(knowledge::add_memory))
        .routes(routes!(jobs::create, jobs::list))
        .routes(routes!(events::stream_job_events))
        .routes(routes!(jobs::get_one))
        .routes(routes!(jobs::retry))
        .routes(routes!(jobs::cancel))
        .routes(routes!(settings::get, settings::change))
        .routes(routes!(settings::test_model))
        .routes(routes!(status::health))
        .routes(routes!(status::ready))
        .routes(routes!(status::render_metrics))
        .split_for_parts();
    error_responses::describe(&mut document);
    schema_cleanup::clean_schemas(&mut document);
    (router, document)
}

/// The description of the API, as it is served and committed.
pub fn openapi_document() -> OpenApiDocument {
    build_api().1
}

/// The API alone, for a command that opens the library in its own process.
pub fn build_local_router(server: Server) -> Router {
    build_api()
        .0
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::map_response(|response| async { problem::render_problem(response, "") }))
        .with_state(server)
}

/// Everything the server answers.
pub fn build_router(server: Server) -> Router {
    let (api, document) = build_api();
    let api = api
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(server.clone(), idempotency::replay_response))
        .layer(middleware::from_fn_with_state(server.clone(), guard::time_out));
    // As others wrote them, so described by others.
    let openai = Router::new()
        .route("/v1/chat/completions", post(openai::create_completion))
        .route("/v1/responses", post(openai::responses))
        .route("/v1/models", get(openai::list_models))
        .route("/v1/models/{id}", get(openai::get_model))
        .route("/v1/{*rest}", axum::routing::any(openai::not_found))
        .layer(middleware::from_fn_with_state(server.clone(), guard::time_out));
    let mcp = Router::new()
        .route("/mcp", post(mcp::endpoint))
        .layer(middleware::from_fn_with_state(server.clone(), guard::time_out));
    // The document never changes while the server runs.
    let json = document.to_pretty_json().unwrap_or_default();
    let page = docs_page::render_page(&document);
    let pages = Router::new()
        .route("/openapi.json", get(move || async move { ([(header::CONTENT_TYPE, "application/json")], json) }))
        .route("/docs", get(move || async move { axum::response::Html(page) }))
        .route("/docs/guide", get(web::redirect_to_guide))
        .route("/docs/guide/", get(web::serve_guide))
        .route("/docs/guide/{*path}", get(web::serve_guide))
        .fallback(web::serve_app)
        .layer(CompressionLayer::new().gzip(true));
    Router::new()
        .merge(api)
        .merge(mcp)
        .merge(openai)
        .fallback_service(pages)
        .method_not_allowed_fallback(problem::method_not_allowed)
        .layer(middleware::map_response(security_headers))
        .layer(middleware::from_fn_with_state(server.clone(), guard::same_site))
        .layer(middleware::from_fn(telemetry::observe_request))
        .with_state(server)
}

/// Nothing that is served may run a script of another site, be framed, or be taken for another type.
async fn security_headers(mut response: axum::response::Response) -> axum::response::Response {
    const DEFAULTS: [(header::HeaderName, &str); 4] = [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; script-src 'self'; \
             object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in DEFAULTS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
