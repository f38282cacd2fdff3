//! One fetch, from the address to the bytes.

use std::{collections::HashMap, error::Error, fmt, net::IpAddr, sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use reqwest::{
    Client, Response, StatusCode,
    header::{
        ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH,
        LAST_MODIFIED, LOCATION,
    },
    redirect::Policy,
};
use tokio::time::{Instant, timeout};
use url::{Host, Url};

use crate::{
    FetchError, FetchRules, Resolver, SystemResolver, headers,
    host_limiter::HostLimiter,
    resolver::{GuardedResolver, ResolveError},
    rules::{AllowedNetwork, PortClass, is_permitted},
    urls::{normal_url, redirect_target, web_url},
};

/// ETag and Last-Modified of a response, sent back later to ask if the page has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// Its entity tag, with its quotes.
    pub etag: Option<String>,
    /// Last-Modified header, exactly as the server sent it.
    pub last_modified: Option<String>,
}

/// Response to a fetch: the content, its final URL and its headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedPage {
    /// The address that was asked for.
    pub requested_url: String,
    /// The address it came from, after redirects; without a fragment.
    pub final_url: String,
    /// The status: 2xx, or 304 for a page that did not change.
    pub status: u16,
    /// The media type it was announced with, with its parameters, such as the character set.
    pub media_type: Option<String>,
    /// The name of the file, where the server gives one; never with a folder.
    pub filename: Option<String>,
    /// The content, unpacked; empty for a page that did not change.
    pub bytes: Bytes,
    /// Send these with the next fetch, so the server can answer 304.
    pub validators: Validators,
    /// True if the server answered 304: the known version is still the newest.
    pub not_modified: bool,
}

/// Fetches pages. Clones share connections and each host's turns.
#[derive(Clone)]
pub struct Fetcher {
    inner: Arc<FetcherInner>,
}

struct FetcherInner {
    rules: FetchRules,
    allow: Arc<[AllowedNetwork]>,
    web: Client,
    /// The clients for ports that an allowance names.
    named: HashMap<u16, Client>,
    /// True if this machine has root certificates; without them https pages cannot be fetched.
    trusts: bool,
    turns: HostLimiter,
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher").field("rules", &self.inner.rules).finish_non_exhaustive()
    }
}

impl Fetcher {
    /// A fetcher under these rules.
    pub fn new(rules: FetchRules) -> Result<Self, FetchError> {
        Self::with_resolver(rules, Arc::new(SystemResolver))
    }

    /// A fetcher that looks names up elsewhere. What is found is checked all the same.
    pub fn with_resolver(rules: FetchRules, resolver: Arc<dyn Resolver>) -> Result<Self, FetchError> {
        let allow: Arc<[AllowedNetwork]> = rules.allow.as_slice().into();
        let client = |port: PortClass, trusts: bool| {
            let guard = GuardedResolver { resolver: Arc::clone(&resolver), allow: Arc::clone(&allow), port };
            let client = Client::builder()
                .dns_resolver(Arc::new(guard))
                .redirect(Policy::none())
                .no_proxy()
                .referer(false)
                .retry(reqwest::retry::never())
                .connect_timeout(rules.connect_timeout)
                .pool_idle_timeout(Duration::from_secs(20))
                .pool_max_idle_per_host(rules.per_host_at_once)
                .user_agent(rules.user_agent.as_str());
            // Without any authority no client can be made that trusts the machine's.
            if trusts { client.build() } else { client.tls_certs_only([]).build() }
        };
        let wrong = |error: reqwest::Error| FetchError::NotInstalled(root_cause(&error));
        let (web, trusts) = match client(PortClass::Web, true) {
            Ok(client) => (client, true),
            Err(_) => (client(PortClass::Web, false).map_err(wrong)?, false),
        };
        let mut named = HashMap::new();
        for port in allow.iter().filter_map(|allowed| allowed.port()) {
            named.insert(port, client(PortClass::Named(port), trusts).map_err(wrong)?);
        }
        let turns = HostLimiter::new(rules.per_host_interval, rules.per_host_at_once);
        Ok(Self { inner: Arc::new(FetcherInner { rules, allow, web, named, trusts, turns }) })
    }

    /// Fetches a page and follows its redirects. With `known`, the server may answer that nothing changed.
    pub async fn fetch(&self, url: &str, known: Option<&Validators>) -> Result<FetchedPage, FetchError> {
        let rules = &self.inner.rules;
        let mut at = web_url(url)?;
        at.set_fragment(None);
        let mut left = rules.total_timeout;
        for _ in 0..=rules.max_redirects {
            let client = self.client_for(&at)?;
            // The turn at one host ends before that at the next begins, so that no two fetches wait for each other.
            let _turn = self.inner.turns.wait_turn(at.host_str().unwrap_or_default()).await;
            let began = Instant::now();
            let step = timeout(left, self.send_request(client, &at, known)).await;
            match step.map_err(|_| FetchError::TimedOut(rules.total_timeout))?? {
                FetchStep::Arrived(fetched) => return Ok(FetchedPage { requested_url: url.to_owned(), ..fetched }),
                FetchStep::Onward(next) => at = next,
            }
            left = left.saturating_sub(began.elapsed());
        }
        Err(FetchError::TooManyRedirects(rules.max_redirects))
    }

    /// The normal form of an address that may be fetched, as far as that can be told without resolving its name.
    pub fn check_url(&self, url: &str) -> Result<String, FetchError> {
        let normal = normal_url(url)?;
        self.client_for(&normal)?;
        Ok(normal.into())
    }

    /// The client for an address, once all is checked that can be before its name is resolved.
    fn client_for(&self, url: &Url) -> Result<&Client, FetchError> {
        let inner = &*self.inner;
        let number = url.port_or_known_default().unwrap_or(0);
        let port = PortClass::classify(&inner.allow, number).ok_or(FetchError::PortNotAllowed(number))?;
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            _ => None,
        };
        // A client connects to a number without asking a resolver, so that this is the only check of it.
        if literal.is_some_and(|address| !is_permitted(&inner.allow, address, port)) {
            return Err(FetchError::AddressNotAllowed(FetchError::sanitize_text(url.host_str().unwrap_or_default())));
        }
        if url.scheme() == "https" && !inner.trusts {
            return Err(FetchError::NotInstalled(
                "this machine has no certificates of authorities; install the package ca-certificates".to_owned(),
            ));
        }
        match port {
            PortClass::Web => Ok(&inner.web),
            PortClass::Named(port) => inner.named.get(&port).ok_or(FetchError::PortNotAllowed(port)),
        }
    }

    async fn send_request(
        &self,
        client: &Client,
        url: &Url,
        known: Option<&Validators>,
    ) -> Result<FetchStep, FetchError> {
        let mut request = client
            .get(url.clone())
            .header(ACCEPT, "text/html,application/xhtml+xml,application/pdf;q=0.9,application/xml;q=0.8,*/*;q=0.7");
        let conditions = [
            (IF_NONE_MATCH, known.and_then(|known| known.etag.as_deref())),
            (IF_MODIFIED_SINCE, known.and_then(|known| known.last_modified.as_deref())),
        ];
        for (name, value) in conditions {
            if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
                request = request.header(name, value);
            }
        }
        let response = request.send().await.map_err(|error| self.classify_error(&error))?;
        let status = response.status();
        if matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
            && let Some(location) = headers::header_text(response.headers(), &LOCATION)
        {
            return Ok(FetchStep::Onward(redirect_target(url, &location)?));
        }
        let known = known.filter(|_| status == StatusCode::NOT_MODIFIED);
        if known.is_none() && !status.is_success() {
            let retry_after = headers::retry_after(response.headers());
            let limited = status == StatusCode::TOO_MANY_REQUESTS
                || (status == StatusCode::SERVICE_UNAVAILABLE && retry_after.is_some());
            return Err(if limited {
                FetchError::RateLimited { retry_after }
            } else {
                FetchError::Status(status.as_u16())
            });
        }
        let said = response.headers();
        let mut fetched = FetchedPage {
            requested_url: String::new(),
            final_url: url.to_string(),
            status: status.as_u16(),
            media_type: headers::header_text(said, &CONTENT_TYPE),
            filename: headers::filename(said),
            bytes: Bytes::new(),
            validators: response_validators(said, known),
            not_modified: known.is_some(),
        };
        if !fetched.not_modified {
            fetched.bytes = self.read_body(response).await?;
        }
        Ok(FetchStep::Arrived(fetched))
    }

    /// The unpacked content. What the server says of its length is only believed when it is too much.
    async fn read_body(&self, mut response: Response) -> Result<Bytes, FetchError> {
        let most = self.inner.rules.max_bytes;
        // What the client has unpacked has no such header any more.
        if let Some(packed) = headers::header_text(response.headers(), &CONTENT_ENCODING)
            && !packed.eq_ignore_ascii_case("identity")
        {
            return Err(FetchError::Damaged(format!(
                "its encoding '{}' is unknown",
                FetchError::sanitize_text(&packed)
            )));
        }
        if response.content_length().is_some_and(|length| length > most) {
            return Err(FetchError::TooLarge(most));
        }
        let mut bytes = BytesMut::new();
        while let Some(part) = response.chunk().await.map_err(|error| self.classify_error(&error))? {
            if (bytes.len() + part.len()) as u64 > most {
                return Err(FetchError::TooLarge(most));
            }
            bytes.extend_from_slice(&part);
        }
        Ok(bytes.freeze())
    }

    /// Maps an error of the HTTP client to a [`FetchError`].
    fn classify_error(&self, error: &reqwest::Error) -> FetchError {
        if let Some(ResolveError(ours)) = error_causes(error).find_map(|cause| cause.downcast_ref::<ResolveError>()) {
            return ours.clone();
        }
        let cause = root_cause(error);
        if error.is_timeout() {
            FetchError::TimedOut(if error.is_connect() {
                self.inner.rules.connect_timeout
            } else {
                self.inner.rules.total_timeout
            })
        } else if error.is_connect() && error_causes(error).any(|cause| cause.to_string().contains("certificate")) {
            FetchError::Untrusted(cause)
        } else if error.is_connect() {
            FetchError::Unreachable(cause)
        } else if error.is_decode() && !error_causes(error).any(|cause| cause.to_string().contains("connection")) {
            FetchError::Damaged(cause)
        } else {
            FetchError::Interrupted(cause)
        }
    }
}

enum FetchStep {
    Arrived(FetchedPage),
    Onward(Url),
}

/// Returns the validators of this response; after a 304 without headers, those already known.
fn response_validators(said: &HeaderMap, known: Option<&Validators>) -> Validators {
    let known = known.cloned().unwrap_or_default();
    Validators {
        etag: headers::header_text(said, &ETAG).or(known.etag),
        last_modified: headers::header_text(said, &LAST_MODIFIED).or(known.last_modified),
    }
}

fn error_causes<'e>(error: &'e reqwest::Error) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}

fn root_cause(error: &reqwest::Error) -> String {
    FetchError::sanitize_text(&error_causes(error).last().map_or_else(|| error.to_string(), ToString::to_string))
}
