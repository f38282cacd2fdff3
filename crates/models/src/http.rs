//! One request to a provider: bounded in time and size, and what its failure means.

use std::time::Duration;

use reqwest::{
    Client, Response, StatusCode, Url,
    header::{CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value as Json;

use crate::Secret;

/// Default for the maximum time to establish a connection.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const ANSWER_LIMIT: usize = 64 * 1024 * 1024;
/// An explanation is for a person to read, and nobody waits long for it.
const EXPLANATION_BYTES: usize = 64 * 1024;
const EXPLANATION_CHARS: usize = 300;
const EXPLANATION_TIMEOUT: Duration = Duration::from_secs(5);
/// Upper bound for the delay that a provider may request.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Why a request came to nothing. Every text in it is fit to be shown.
#[derive(Debug)]
pub(crate) enum RequestFailure {
    /// The configuration is invalid, so no retry can succeed.
    Unusable(String),
    /// The server could not be reached or sent no response.
    Unreachable {
        /// True if establishing the connection timed out.
        timed_out: bool,
        detail: String,
    },
    /// The response was cut off, too long or not readable.
    Broken(String),
    /// Something else was answered than what was asked for.
    Status {
        status: StatusCode,
        /// Error codes and types from the provider's response.
        words: Vec<String>,
        retry_after: Option<Duration>,
        detail: String,
    },
}

/// Time limits of one request.
pub(crate) struct RequestTimeouts {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until the last byte of the answer; whoever reads it has to look at the clock if none.
    pub whole: Option<Duration>,
}

/// A provider's address, with the key for it.
pub(crate) struct Endpoint {
    client: Client,
    url: Url,
    key: Option<Secret>,
}

impl Endpoint {
    /// `key_header` is the header that carries the key, and what stands before it there; `headers` are sent along.
    pub fn new(
        url: Url,
        key: Option<Secret>,
        key_header: (HeaderName, &str),
        mut headers: HeaderMap,
        timeouts: &RequestTimeouts,
    ) -> Result<Self, RequestFailure> {
        if let Some(key) = &key {
            let mut value = HeaderValue::from_str(&format!("{}{}", key_header.1, key.reveal()))
                .map_err(|_| RequestFailure::Unusable("the key holds characters that no key has".to_owned()))?;
            value.set_sensitive(true);
            headers.insert(key_header.0, value);
        }
        let mut builder = Client::builder()
            .user_agent(concat!("ibid/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .connect_timeout(timeouts.connect)
            .redirect(reqwest::redirect::Policy::none());
        if let Some(whole) = timeouts.whole {
            builder = builder.timeout(whole);
        }
        if is_this_machine(&url) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| RequestFailure::Unusable(error_chain(&error)))?;
        Ok(Self { client, url, key })
    }

    /// Sends `body` as JSON and reads the answer as JSON.
    pub async fn post_json<B: Serialize + Sync, A: DeserializeOwned>(&self, body: &B) -> Result<A, RequestFailure> {
        let body = serde_json::to_vec(body).map_err(|error| RequestFailure::Unusable(error.to_string()))?;
        let response = self.start_request(body).await?;
        let answer = self.read_body(response, ANSWER_LIMIT).await?;
        serde_json::from_slice(&answer)
            .map_err(|error| RequestFailure::Broken(self.redact_text(&format!("its answer cannot be read: {error}"))))
    }

    /// Sends `body`, which is JSON. What comes back is an answer whose head is good and whose body is yet to be read.
    pub async fn start_request(&self, body: Vec<u8>) -> Result<Response, RequestFailure> {
        let request = self.client.post(self.url.clone()).header(CONTENT_TYPE, "application/json").body(body);
        let response = request.send().await.map_err(|error| RequestFailure::Unreachable {
            timed_out: error.is_connect() && error.is_timeout(),
            detail: self.describe_error(error),
        })?;
        if response.status().is_success() { Ok(response) } else { Err(self.read_failure(response).await) }
    }

    /// The body, unless it is longer than `limit`.
    async fn read_body(&self, mut response: Response, limit: usize) -> Result<Vec<u8>, RequestFailure> {
        let too_long = || RequestFailure::Broken(format!("its answer is longer than {limit} bytes"));
        if response.content_length().is_some_and(|length| length > limit as u64) {
            return Err(too_long());
        }
        let mut body = Vec::new();
        while let Some(chunk) =
            response.chunk().await.map_err(|error| RequestFailure::Broken(self.describe_error(error)))?
        {
            if body.len() + chunk.len() > limit {
                return Err(too_long());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Returns the message of a failed exchange without the URL, which may contain a password.
    pub fn describe_error(&self, error: reqwest::Error) -> String {
        self.redact_text(&error_chain(&error.without_url()))
    }

    async fn read_failure(&self, response: Response) -> RequestFailure {
        let (status, headers) = (response.status(), response.headers().clone());
        if status.is_redirection() {
            let to = headers.get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or("nowhere");
            let detail =
                self.redact_text(&format!("it redirects to {to}, which is not followed: is the base URL right?"));
            return RequestFailure::Status { status, words: Vec::new(), retry_after: None, detail };
        }
        let (json, said) = self.read_explanation(response).await;
        RequestFailure::Status {
            status,
            words: json.as_ref().map(error_words).unwrap_or_default(),
            retry_after: retry_after(&headers).or_else(|| json.as_ref().and_then(retry_delay)),
            detail: self.redact_text(&format!("{status}: {said}")),
        }
    }

    /// Reads the start of an error response: its JSON, if it is JSON, and the message in it. Both may be empty.
    pub async fn read_explanation(&self, mut response: Response) -> (Option<Json>, String) {
        let mut body = Vec::new();
        let reading = async {
            while let Ok(Some(chunk)) = response.chunk().await {
                body.extend_from_slice(&chunk[..chunk.len().min(EXPLANATION_BYTES - body.len())]);
                if body.len() == EXPLANATION_BYTES {
                    break;
                }
            }
        };
        // What has come until then is kept.
        let _ = tokio::time::timeout(EXPLANATION_TIMEOUT, reading).await;
        let json = serde_json::from_slice(&body).ok();
        let said = json
            .as_ref()
            .and_then(error_message)
            .map_or_else(|| String::from_utf8_lossy(&body[..body.len().min(4096)]).into_owned(), str::to_owned);
        (json, said)
    }

    /// A text from outside, fit for an error: short, on one line, without the key.
    pub fn redact_text(&self, text: &str) -> String {
        let masked = self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.mask_in(text));
        let line = masked.split(|letter: char| letter.is_whitespace() || letter.is_control());
        let line = line.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(EXPLANATION_CHARS) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }
}

/// Reads a base URL and appends a path to it.
pub(crate) fn join_url(base: &str, path: &str) -> Result<Url, RequestFailure> {
    let base = base.trim().trim_end_matches('/');
    let wrong = |reason: &str| RequestFailure::Unusable(format!("the base URL is not one: {reason}"));
    // On its own first: appended to nothing, the path would become the host.
    let parsed = Url::parse(base).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(wrong("it must begin with http:// or https://"));
    }
    Url::parse(&format!("{base}/{path}")).map_err(|error| wrong(&error.to_string()))
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// An error and what it came from: the outermost of them says little.
fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

/// A name that stands in a path as it is.
pub(crate) fn model_in_path(model: &str) -> Result<&str, RequestFailure> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    if model.chars().all(plain) {
        Ok(model)
    } else {
        Err(RequestFailure::Unusable(format!("{model:?} is no name of a model")))
    }
}

/// The sentence in a provider's error, wherever it stands.
pub(crate) fn error_message(json: &Json) -> Option<&str> {
    let json = json.get(0).unwrap_or(json);
    ["/error/message", "/message", "/error", "/detail"]
        .iter()
        .find_map(|place| json.pointer(place).and_then(Json::as_str))
}

/// Returns the provider's error codes, such as `insufficient_quota`, `overloaded_error` or `RESOURCE_EXHAUSTED`.
pub(crate) fn error_words(json: &Json) -> Vec<String> {
    let json = json.get(0).unwrap_or(json);
    let Some(error) = json.get("error") else { return Vec::new() };
    let named = ["code", "type", "status"].iter().filter_map(|name| error.get(name));
    let details = error.get("details").and_then(Json::as_array).into_iter().flatten();
    let reasons = details.filter_map(|detail| detail.get("reason"));
    named.chain(reasons).filter_map(Json::as_str).map(str::to_owned).collect()
}

/// `Retry-After`: seconds, or a date, which is taken relative to the answer's own.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).map(str::trim);
    let value = text(RETRY_AFTER)?;
    let wait = match value.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        Err(_) => {
            let until = httpdate::parse_http_date(value).ok()?;
            until.duration_since(httpdate::parse_http_date(text(DATE)?).ok()?).unwrap_or_default()
        }
    };
    Some(wait.min(LONGEST_WAIT))
}

/// Google's way to say the same in the body: `{"error": {"details": [{"retryDelay": "34s"}]}}`.
pub(crate) fn retry_delay(json: &Json) -> Option<Duration> {
    let details = json.get(0).unwrap_or(json).pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let wait = Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()?;
    Some(wait.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(retry: &str, date: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_str(retry).unwrap());
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_str(date).unwrap());
        }
        headers
    }

    #[test]
    fn the_time_to_wait_is_read_in_both_its_forms() {
        let now = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(retry_after(&headers("7", None)), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(&headers("0.5", None)), Some(Duration::from_millis(500)));
        assert_eq!(retry_after(&headers("Sun, 06 Nov 1994 08:50:07 GMT", now)), Some(Duration::from_secs(30)));
        assert_eq!(retry_after(&headers("Sun, 06 Nov 1994 08:00:00 GMT", now)), Some(Duration::ZERO));
        assert_eq!(retry_after(&headers("Sun, 06 Nov 1994 08:50:07 GMT", None)), None);
        assert_eq!(retry_after(&headers("999999999999", None)), Some(LONGEST_WAIT));
        for nonsense in ["-1", "soon", "NaN", "inf", "1e400", ""] {
            assert_eq!(retry_after(&headers(nonsense, now)), None, "{nonsense}");
        }
    }

    #[test]
    fn only_addresses_of_the_web_are_taken() {
        assert_eq!(join_url(" https://x.example/ ", "v1/a").unwrap().as_str(), "https://x.example/v1/a");
        for bad in ["", "x.example", "file:///etc", "ftp://x", "http://"] {
            assert!(matches!(join_url(bad, "v1"), Err(RequestFailure::Unusable(_))), "{bad}");
        }
        for (url, expected) in
            [("http://127.0.0.1:1/", true), ("http://[::1]/", true), ("http://localhost/", true), ("http://x/", false)]
        {
            assert_eq!(is_this_machine(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
