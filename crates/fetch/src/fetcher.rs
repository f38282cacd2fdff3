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
    resolver::{Guard, Refused},
    rules::{Allowed, Port, permits},
    turns::Turns,
    urls::{normal_url, redirected, web_url},
};

/// What a server said about the version it sent, to ask later whether there is a newer one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// Its entity tag, with its quotes.
    pub etag: Option<String>,
    /// When it was changed last, as the server wrote it.
    pub last_modified: Option<String>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
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
    /// What to show the server next time.
    pub validators: Validators,
    /// Whether the version that was known is still the newest.
    pub not_modified: bool,
}

/// Fetches pages. Clones share connections and each host's turns.
#[derive(Clone)]
pub struct Fetcher {
    inner: Arc<Inner>,
}

struct Inner {
    rules: FetchRules,
    allow: Arc<[Allowed]>,
    web: Client,
    /// The clients for ports that an allowance names.
    named: HashMap<u16, Client>,
    /// Whether this machine knows any authority that vouches for a server.
    trusts: bool,
    turns: Turns,
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
        let allow: Arc<[Allowed]> = rules.allow.as_slice().into();
        let client = |port: Port, trusts: bool| {
            let guard = Guard { resolver: Arc::clone(&resolver), allow: Arc::clone(&allow), port };
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
        let (web, trusts) = match client(Port::Web, true) {
            Ok(client) => (client, true),
            Err(_) => (client(Port::Web, false).map_err(wrong)?, false),
        };
        let mut named = HashMap::new();
        for port in allow.iter().filter_map(|allowed| allowed.port()) {
            named.insert(port, client(Port::Named(port), trusts).map_err(wrong)?);
        }
        let turns = Turns::new(rules.per_host_interval, rules.per_host_at_once);
        Ok(Self { inner: Arc::new(Inner { rules, allow, web, named, trusts, turns }) })
    }

    /// Fetches a page and follows its redirects. With `known`, the server may answer that nothing changed.
    pub async fn fetch(&self, url: &str, known: Option<&Validators>) -> Result<Fetched, FetchError> {
        let rules = &self.inner.rules;
        let mut at = web_url(url)?;
        at.set_fragment(None);
        let mut left = rules.total_timeout;
        for _ in 0..=rules.max_redirects {
            let client = self.client(&at)?;
            // The turn at one host ends before that at the next begins, so that no two fetches wait for each other.
            let _turn = self.inner.turns.wait(at.host_str().unwrap_or_default()).await;
            let began = Instant::now();
            let step = timeout(left, self.step(client, &at, known)).await;
            match step.map_err(|_| FetchError::TimedOut(rules.total_timeout))?? {
                Step::Arrived(fetched) => return Ok(Fetched { requested_url: url.to_owned(), ..fetched }),
                Step::Onward(next) => at = next,
            }
            left = left.saturating_sub(began.elapsed());
        }
        Err(FetchError::TooManyRedirects(rules.max_redirects))
    }

    /// The normal form of an address that may be fetched, as far as that can be told without resolving its name.
    pub fn check(&self, url: &str) -> Result<String, FetchError> {
        let normal = normal_url(url)?;
        self.client(&normal)?;
        Ok(normal.into())
    }

    /// The client for an address, once all is checked that can be before its name is resolved.
    fn client(&self, url: &Url) -> Result<&Client, FetchError> {
        let inner = &*self.inner;
        let number = url.port_or_known_default().unwrap_or(0);
        let port = Port::of(&inner.allow, number).ok_or(FetchError::PortNotAllowed(number))?;
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            _ => None,
        };
        // A client connects to a number without asking a resolver, so that this is the only check of it.
        if literal.is_some_and(|address| !permits(&inner.allow, address, port)) {
            return Err(FetchError::AddressNotAllowed(FetchError::shown(url.host_str().unwrap_or_default())));
        }
        if url.scheme() == "https" && !inner.trusts {
            return Err(FetchError::NotInstalled(
                "this machine has no certificates of authorities; install the package ca-certificates".to_owned(),
            ));
        }
        match port {
            Port::Web => Ok(&inner.web),
            Port::Named(port) => inner.named.get(&port).ok_or(FetchError::PortNotAllowed(port)),
        }
    }

    async fn step(&self, client: &Client, url: &Url, known: Option<&Validators>) -> Result<Step, FetchError> {
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
        let response = request.send().await.map_err(|error| self.failure(&error))?;
        let status = response.status();
        if matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
            && let Some(location) = headers::text(response.headers(), &LOCATION)
        {
            return Ok(Step::Onward(redirected(url, &location)?));
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
        let mut fetched = Fetched {
            requested_url: String::new(),
            final_url: url.to_string(),
            status: status.as_u16(),
            media_type: headers::text(said, &CONTENT_TYPE),
            filename: headers::filename(said),
            bytes: Bytes::new(),
            validators: validators(said, known),
            not_modified: known.is_some(),
        };
        if !fetched.not_modified {
            fetched.bytes = self.body(response).await?;
        }
        Ok(Step::Arrived(fetched))
    }

    /// The unpacked content. What the server says of its length is only believed when it is too much.
    async fn body(&self, mut response: Response) -> Result<Bytes, FetchError> {
        let most = self.inner.rules.max_bytes;
        // What the client has unpacked has no such header any more.
        if let Some(packed) = headers::text(response.headers(), &CONTENT_ENCODING)
            && !packed.eq_ignore_ascii_case("identity")
        {
            return Err(FetchError::Damaged(format!("its encoding '{}' is unknown", FetchError::shown(&packed))));
        }
        if response.content_length().is_some_and(|length| length > most) {
            return Err(FetchError::TooLarge(most));
        }
        let mut bytes = BytesMut::new();
        while let Some(part) = response.chunk().await.map_err(|error| self.failure(&error))? {
            if (bytes.len() + part.len()) as u64 > most {
                return Err(FetchError::TooLarge(most));
            }
            bytes.extend_from_slice(&part);
        }
        Ok(bytes.freeze())
    }

    /// What a failure of the client means.
    fn failure(&self, error: &reqwest::Error) -> FetchError {
        if let Some(Refused(ours)) = causes(error).find_map(|cause| cause.downcast_ref::<Refused>()) {
            return ours.clone();
        }
        let cause = root_cause(error);
        if error.is_timeout() {
            FetchError::TimedOut(if error.is_connect() {
                self.inner.rules.connect_timeout
            } else {
                self.inner.rules.total_timeout
            })
        } else if error.is_connect() && causes(error).any(|cause| cause.to_string().contains("certificate")) {
            FetchError::Untrusted(cause)
        } else if error.is_connect() {
            FetchError::Unreachable(cause)
        } else if error.is_decode() && !causes(error).any(|cause| cause.to_string().contains("connection")) {
            FetchError::Damaged(cause)
        } else {
            FetchError::Interrupted(cause)
        }
    }
}

enum Step {
    Arrived(Fetched),
    Onward(Url),
}

/// What to show the server next time: what it says now, or else what it has just confirmed.
fn validators(said: &HeaderMap, known: Option<&Validators>) -> Validators {
    let known = known.cloned().unwrap_or_default();
    Validators {
        etag: headers::text(said, &ETAG).or(known.etag),
        last_modified: headers::text(said, &LAST_MODIFIED).or(known.last_modified),
    }
}

fn causes<'e>(error: &'e reqwest::Error) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}

fn root_cause(error: &reqwest::Error) -> String {
    FetchError::shown(&causes(error).last().map_or_else(|| error.to_string(), ToString::to_string))
}
