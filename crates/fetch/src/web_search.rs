//! Searching the web: which pages there are on a matter. What they say is fetched from the pages themselves.

use std::{fmt, time::Duration};

use futures::future::BoxFuture;
use reqwest::{Client, RequestBuilder, Url, header, redirect::Policy};
use serde::Deserialize;

use crate::FetchError;

/// The longest answer that is read, in bytes.
const LONGEST: usize = 2 << 20;
/// Maximum time for one search request to the service.
const TIMEOUT: Duration = Duration::from_secs(15);
/// The longest query that is sent, in characters.
const LONGEST_QUERY: usize = 400;

/// A page that a search of the web found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSearchResult {
    /// Absolute http or https URL of the page.
    pub url: String,
    /// Title that the search service shows for the page.
    pub title: Option<String>,
    /// Short excerpt of the page from the search service.
    pub description: Option<String>,
}

/// Search engine for the public web.
pub trait WebSearch: Send + Sync + fmt::Debug {
    /// The best pages for a query, at most so many.
    fn search<'a>(&'a self, query: &'a str, count: usize) -> BoxFuture<'a, Result<Vec<WebSearchResult>, FetchError>>;
}

/// Brave's search, or one that speaks its protocol.
pub struct BraveSearch {
    client: Client,
    url: Url,
    key: header::HeaderValue,
}

impl fmt::Debug for BraveSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brave").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}

impl BraveSearch {
    /// Default URL of Brave's web search API.
    pub const URL: &str = "https://api.search.brave.com/res/v1/web/search";

    /// A search with this key. Whoever runs the server names the address, so it is trusted as it is.
    pub fn new(url: &str, key: &str) -> Result<Self, FetchError> {
        let url = Url::parse(url).map_err(|_| FetchError::InvalidUrl(url.to_owned()))?;
        let mut key = header::HeaderValue::from_str(key)
            .map_err(|_| FetchError::NotInstalled("the key for searching the web has illegal characters".to_owned()))?;
        key.set_sensitive(true);
        Ok(Self { client: service_client(TIMEOUT)?, url, key })
    }
}

/// A client for a service that whoever runs the server has named.
pub(crate) fn service_client(patience: Duration) -> Result<Client, FetchError> {
    let client = || Client::builder().redirect(Policy::none()).timeout(patience).user_agent("ibid");
    // Without any authority no client can be made that trusts the machine's.
    let client = client().build().or_else(|_| client().tls_certs_only([]).build());
    client.map_err(|error| FetchError::NotInstalled(error.to_string()))
}

/// Sends a request and returns the response body; fails if it is longer than `longest` bytes.
pub(crate) async fn answer_to(
    request: RequestBuilder,
    patience: Duration,
    longest: usize,
) -> Result<Vec<u8>, FetchError> {
    let unreachable = |error: reqwest::Error| match error.is_timeout() {
        true => FetchError::TimedOut(patience),
        false => FetchError::Unreachable(error.without_url().to_string()),
    };
    let mut response = request.send().await.map_err(unreachable)?;
    match response.status().as_u16() {
        200..=299 => {}
        429 => return Err(FetchError::RateLimited { retry_after: None }),
        status => return Err(FetchError::Status(status)),
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(unreachable)? {
        body.extend_from_slice(&piece);
        if body.len() > longest {
            return Err(FetchError::TooLarge(longest as u64));
        }
    }
    Ok(body)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct BraveResponse {
    web: BraveWebResults,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct BraveWebResults {
    results: Vec<BraveResult>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct BraveResult {
    url: String,
    title: Option<String>,
    description: Option<String>,
}

impl WebSearch for BraveSearch {
    fn search<'a>(&'a self, query: &'a str, count: usize) -> BoxFuture<'a, Result<Vec<WebSearchResult>, FetchError>> {
        Box::pin(async move {
            let query: String = query.chars().take(LONGEST_QUERY).collect();
            let mut url = self.url.clone();
            url.query_pairs_mut().append_pair("q", &query).append_pair("count", &count.to_string());
            let request = self
                .client
                .get(url)
                .header("x-subscription-token", self.key.clone())
                .header(header::ACCEPT, "application/json");
            let body = answer_to(request, TIMEOUT, LONGEST).await?;
            let answer: BraveResponse = serde_json::from_slice(&body)
                .map_err(|error| FetchError::Interrupted(format!("what it answered is no result: {error}")))?;
            let page =
                |hit: BraveResult| WebSearchResult { url: hit.url, title: hit.title, description: hit.description };
            let is_page = |hit: &BraveResult| hit.url.starts_with("http://") || hit.url.starts_with("https://");
            Ok(answer.web.results.into_iter().filter(is_page).take(count).map(page).collect())
        })
    }
}
