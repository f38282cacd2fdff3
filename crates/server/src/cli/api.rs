//! The library as a command sees it: the HTTP API of `docs/openapi.json`, whether a server answers or the library is
//! opened in this process. A command is written once and works in both ways.

use std::{path::Path, time::Duration};

use axum::{Router, body::Body};
use bytes::Bytes;
use futures::{Stream, StreamExt, TryStreamExt, stream::BoxStream};
use ibid_app::{Worker, WorkerOptions};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, StatusCode, header};
use serde::Serialize;
use serde_json::Value as Json;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::{
    CommandError, LocalLibrary,
    running_server::{self, RunningServer},
    serve::worker_options,
};
use crate::{config::Config, http};

/// Everything that must not stand in a part of a path or in a query as it is.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Time to connect to a server. Requests themselves have no limit: an upload or an answer may take long.
const CONNECT: Duration = Duration::from_secs(10);

/// A library that answers requests of the API.
pub(super) struct Api {
    transport: Transport,
}

enum Transport {
    /// A server, reached over HTTP.
    Remote { client: reqwest::Client, url: String, key: String },
    /// The library itself, opened in this process.
    Local { router: Router, library: Box<LocalLibrary>, worker: WorkerOptions },
}

impl Api {
    /// Connects to the server that the settings name, else to one that runs on the same library, else opens the
    /// library.
    pub(super) async fn connect(config: &Config) -> Result<Self, CommandError> {
        if !config.server.is_empty() {
            return Self::remote(&config.server, &config.api_key);
        }
        match running_server::find(config).await {
            Some(RunningServer { url, .. }) => Self::remote(&url, &config.api_key),
            None => Self::open(config).await,
        }
    }

    fn remote(url: &str, key: &str) -> Result<Self, CommandError> {
        let client = reqwest::Client::builder().connect_timeout(CONNECT).build()?;
        let (url, key) = (url.trim_end_matches('/').to_owned(), key.to_owned());
        if !(url.starts_with("http://") || url.starts_with("https://")) {
            return Err(CommandError::usage(format!("--server: '{url}' does not begin with http:// or https://")));
        }
        Ok(Self { transport: Transport::Remote { client, url, key } })
    }

    /// Opens the library in this process.
    async fn open(config: &Config) -> Result<Self, CommandError> {
        let library = LocalLibrary::open(config).await?;
        let parts = http::ServerParts {
            app: library.app.clone(),
            owner: library.scope,
            // These protect a server from its clients; here the client is the owner.
            config: config.without_limits(),
            public_url: config.public_url(config.listen),
            worker: None,
            stop: CancellationToken::new(),
            started: std::time::Instant::now(),
            metrics: http::unused_metrics(),
        };
        let router = http::build_local_router(parts.into());
        let worker = worker_options(config);
        Ok(Self { transport: Transport::Local { router, library: Box::new(library), worker } })
    }

    /// Brings the search index up to date if nobody else does: what keeps it may not be running.
    pub(super) async fn catch_up(&self) -> Result<(), CommandError> {
        if let Transport::Local { library, .. } = &self.transport {
            library.app.catch_up().await?;
        }
        Ok(())
    }

    /// Starts doing background jobs in this process, if no server does them.
    pub(super) fn start_worker(&self) -> LocalWorker {
        let stop = CancellationToken::new();
        let task = match &self.transport {
            Transport::Remote { .. } => None,
            Transport::Local { library, worker, .. } => {
                Some(tokio::spawn(Worker::new(library.app.clone(), *worker).run(stop.clone())))
            }
        };
        LocalWorker { stop, task }
    }

    /// Returns true if a server answers, which also does background jobs.
    pub(super) fn is_remote(&self) -> bool {
        matches!(self.transport, Transport::Remote { .. })
    }

    /// The address of the server; `None` if the library is opened in this process.
    pub(super) fn server_url(&self) -> Option<&str> {
        match &self.transport {
            Transport::Remote { url, .. } => Some(url),
            Transport::Local { .. } => None,
        }
    }

    pub(super) fn get(&self, path: impl Into<String>) -> ApiRequest<'_> {
        self.request(Method::GET, path)
    }

    pub(super) fn post(&self, path: impl Into<String>) -> ApiRequest<'_> {
        self.request(Method::POST, path)
    }

    pub(super) fn put(&self, path: impl Into<String>) -> ApiRequest<'_> {
        self.request(Method::PUT, path)
    }

    pub(super) fn patch(&self, path: impl Into<String>) -> ApiRequest<'_> {
        self.request(Method::PATCH, path)
    }

    pub(super) fn delete(&self, path: impl Into<String>) -> ApiRequest<'_> {
        self.request(Method::DELETE, path)
    }

    fn request(&self, method: Method, path: impl Into<String>) -> ApiRequest<'_> {
        ApiRequest { api: self, method, path: path.into(), headers: Vec::new(), body: RequestBody::Empty }
    }

    /// Reads every page of a list, up to `limit` items.
    pub(super) async fn list(
        &self,
        path: &str,
        query: &[(&str, String)],
        limit: usize,
    ) -> Result<Vec<Json>, CommandError> {
        let (mut items, mut cursor) = (Vec::new(), None::<String>);
        while items.len() < limit {
            let page = (limit - items.len()).min(LARGEST_PAGE);
            let mut request = self.get(path).query("limit", page);
            for (name, value) in query {
                request = request.query(name, value);
            }
            if let Some(cursor) = &cursor {
                request = request.query("cursor", cursor);
            }
            let mut answer = request.json().await?;
            items.extend(answer["items"].as_array_mut().map(std::mem::take).unwrap_or_default());
            cursor = answer["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        Ok(items)
    }
}

/// The most items that the API returns in one page.
const LARGEST_PAGE: usize = 200;

/// A worker in this process, for as long as a command waits for jobs.
pub(super) struct LocalWorker {
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
}

impl LocalWorker {
    /// Lets jobs that are under way finish, and stops.
    pub(super) async fn finish(self) -> Result<(), CommandError> {
        self.stop.cancel();
        if let Some(task) = self.task {
            task.await?;
        }
        Ok(())
    }
}

enum RequestBody {
    Empty,
    Json(Vec<u8>),
    Stream(BoxStream<'static, std::io::Result<Bytes>>),
}

/// One request to the API, until it is sent.
pub(super) struct ApiRequest<'a> {
    api: &'a Api,
    method: Method,
    path: String,
    headers: Vec<(header::HeaderName, String)>,
    body: RequestBody,
}

impl ApiRequest<'_> {
    /// Adds a parameter to the address.
    pub(super) fn query(mut self, name: &str, value: impl ToString) -> Self {
        let joint = if self.path.contains('?') { '&' } else { '?' };
        self.path.push(joint);
        self.path.push_str(name);
        self.path.push('=');
        self.path.push_str(&escape(&value.to_string()));
        self
    }

    /// Adds a parameter to the address if there is a value.
    pub(super) fn maybe(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// Sends JSON as the body.
    pub(super) fn body(mut self, body: &impl Serialize) -> Self {
        self.body = RequestBody::Json(serde_json::to_vec(body).unwrap_or_default());
        self
    }

    /// Sends bytes as the body while they are read.
    pub(super) fn stream(mut self, bytes: impl Stream<Item = std::io::Result<Bytes>> + Send + 'static) -> Self {
        self.body = RequestBody::Stream(bytes.boxed());
        self
    }

    /// Asks for events instead of one answer.
    pub(super) fn accept_events(mut self) -> Self {
        self.headers.push((header::ACCEPT, "text/event-stream".to_owned()));
        self
    }

    /// Sends the request; an answer that is no success becomes an error with the reason that the API gives.
    pub(super) async fn send(self) -> Result<ApiResponse, CommandError> {
        let kind = match self.body {
            RequestBody::Json(_) => Some("application/json"),
            RequestBody::Stream(_) => Some("application/octet-stream"),
            RequestBody::Empty => None,
        };
        let response = match &self.api.transport {
            Transport::Remote { client, url, key } => {
                let mut request = client.request(self.method, format!("{url}{}", self.path));
                if !key.is_empty() {
                    request = request.bearer_auth(key);
                }
                for (name, value) in self.headers {
                    request = request.header(name, value);
                }
                if let Some(kind) = kind {
                    request = request.header(header::CONTENT_TYPE, kind);
                }
                let request = match self.body {
                    RequestBody::Empty => request,
                    RequestBody::Json(bytes) => request.body(bytes),
                    RequestBody::Stream(bytes) => request.body(reqwest::Body::wrap_stream(bytes)),
                };
                let response = request.send().await.map_err(|error| unreachable_server(url, &error))?;
                let (status, headers) = (response.status(), response.headers().clone());
                let body = response.bytes_stream().map_err(std::io::Error::other).boxed();
                ApiResponse { status, headers, body }
            }
            Transport::Local { router, .. } => {
                let body = match self.body {
                    RequestBody::Empty => Body::empty(),
                    RequestBody::Json(bytes) => Body::from(bytes),
                    RequestBody::Stream(bytes) => Body::from_stream(bytes),
                };
                let mut request = axum::http::Request::builder().method(self.method).uri(self.path);
                for (name, value) in self.headers {
                    request = request.header(name, value);
                }
                if let Some(kind) = kind {
                    request = request.header(header::CONTENT_TYPE, kind);
                }
                let Ok(response) = router.clone().oneshot(request.body(body)?).await;
                let (parts, body) = response.into_parts();
                let body = body.into_data_stream().map_err(std::io::Error::other).boxed();
                ApiResponse { status: parts.status, headers: parts.headers, body }
            }
        };
        if response.status.is_success() {
            return Ok(response);
        }
        let (status, text) = (response.status, response.bytes().await.unwrap_or_default());
        Err(refusal(status, &text))
    }

    /// Sends the request and reads JSON.
    pub(super) async fn json(self) -> Result<Json, CommandError> {
        self.send().await?.json().await
    }
}

fn unreachable_server(url: &str, error: &reqwest::Error) -> CommandError {
    let why = if error.is_timeout() { "it did not answer in time".to_owned() } else { root_cause(error) };
    CommandError::failed(format!("cannot reach the server at {url}: {why}"))
}

/// The innermost reason of an error, which is the one that says what happened.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

fn refusal(status: StatusCode, body: &[u8]) -> CommandError {
    let problem: Json = serde_json::from_slice(body).unwrap_or_default();
    let code = problem["code"].as_str().unwrap_or_default().to_owned();
    let reason = match problem["detail"].as_str() {
        Some(detail) => detail.to_owned(),
        None => format!("the server answered {status}; is it Ibid?"),
    };
    CommandError { reason, code, usage: false }
}

/// An answer of the API.
pub(super) struct ApiResponse {
    status: StatusCode,
    headers: header::HeaderMap,
    body: BoxStream<'static, std::io::Result<Bytes>>,
}

impl ApiResponse {
    pub(super) fn status(&self) -> StatusCode {
        self.status
    }

    /// A header as text; `None` if there is none.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub(super) async fn bytes(mut self) -> Result<Vec<u8>, CommandError> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.body.try_next().await.map_err(|error| broken_off(&error))? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    pub(super) async fn json(self) -> Result<Json, CommandError> {
        let bytes = self.bytes().await?;
        if bytes.is_empty() {
            return Ok(Json::Null);
        }
        serde_json::from_slice(&bytes).map_err(|error| CommandError::failed(format!("the answer is no JSON: {error}")))
    }

    /// The bytes as they come.
    pub(super) fn into_stream(self) -> BoxStream<'static, std::io::Result<Bytes>> {
        self.body
    }

    /// The data of server-sent events, as they come.
    pub(super) fn events(self) -> impl Stream<Item = Result<Json, CommandError>> {
        let mut body = self.body;
        async_stream::stream! {
            let mut buffer = Vec::new();
            while let Some(piece) = body.next().await {
                match piece {
                    Ok(piece) => buffer.extend_from_slice(&piece),
                    Err(error) => {
                        yield Err(broken_off(&error));
                        return;
                    }
                }
                while let Some(end) = buffer.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = buffer.drain(..=end).collect();
                    let line = String::from_utf8_lossy(&line);
                    let Some(data) = line.trim_end().strip_prefix("data:") else { continue };
                    if let Ok(event) = serde_json::from_str(data.trim()) {
                        yield Ok(event);
                    }
                }
            }
        }
    }
}

fn broken_off(error: &std::io::Error) -> CommandError {
    CommandError::failed(format!("the answer broke off: {}", root_cause(error)))
}

/// Escapes a part of a path or a value of a query.
pub(super) fn escape(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// The bytes of a file as they are read; `-` is standard input.
pub(super) async fn read_file(
    path: &Path,
) -> Result<impl Stream<Item = std::io::Result<Bytes>> + Send + 'static, CommandError> {
    let file: Box<dyn tokio::io::AsyncRead + Send + Unpin> = if path.as_os_str() == "-" {
        Box::new(tokio::io::stdin())
    } else {
        let cannot = |error: std::io::Error| CommandError::failed(format!("cannot read {}: {error}", path.display()));
        let file = tokio::fs::File::open(path).await.map_err(cannot)?;
        if file.metadata().await.map_err(cannot)?.is_dir() {
            return Err(CommandError::failed(format!("cannot read {}: it is a folder", path.display())));
        }
        Box::new(file)
    };
    Ok(tokio_util::io::ReaderStream::with_capacity(file, 256 * 1024))
}
