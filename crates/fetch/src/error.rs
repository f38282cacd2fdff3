//! Why a page could not be fetched.

use std::time::Duration;

/// Why there is no page. Each says what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The text cannot be parsed as the URL of a web page.
    #[error("'{0}' is not the address of a page; write it like https://example.org/page")]
    InvalidUrl(String),
    /// It is an address of something else than the web.
    #[error("pages are fetched over http and https only, not over '{0}'")]
    SchemeNotAllowed(String),
    /// It carries a name and password.
    #[error("an address with a user name or password in it is not fetched; remove what stands before the '@'")]
    CredentialsNotAllowed,
    /// It leads to a machine that is not on the public internet.
    #[error("'{0}' is not at a public address; an administrator can allow its network")]
    AddressNotAllowed(String),
    /// It leads to a port that is not one of the web.
    #[error("pages are not fetched from port {0}; 80, 443 and most ports from 1024 on are allowed")]
    PortNotAllowed(u16),
    /// A secure page sends the reader to an insecure one.
    #[error("'{0}' redirects from https to http; add the http address itself if that is what is wanted")]
    Downgrade(String),
    /// It leads from one address to the next without end.
    #[error("the address leads through more than {0} redirects; add the address where they end")]
    TooManyRedirects(usize),
    /// The page is larger than is read.
    #[error("the page is larger than {0} bytes; download it and add the file")]
    TooLarge(u64),
    /// No whole answer came in time.
    #[error("the server did not answer in full within {0:?}; try again later")]
    TimedOut(Duration),
    /// The server answered that there is no page.
    #[error("the server answered with status {0} instead of the page; check the address in a browser")]
    Status(u16),
    /// The server asks to be left alone for a while.
    #[error("the server asks for fewer requests; try again later")]
    RateLimited {
        /// Time the server asks to wait, from its Retry-After header; `None` if it sends none.
        retry_after: Option<Duration>,
    },
    /// DNS lookup found no address for the host.
    #[error("no host called '{host}' was found; check the address")]
    NotResolved {
        /// The name that was looked up.
        host: String,
        /// True if the lookup itself failed, so a later one may succeed.
        temporary: bool,
    },
    /// No connection could be made.
    #[error("the server could not be reached ({0}); try again later")]
    Unreachable(String),
    /// The connection ended before the page did.
    #[error("the connection ended before the page was complete ({0}); try again later")]
    Interrupted(String),
    /// The connection cannot be made secure.
    #[error("the server's certificate is not trusted ({0}); check the address")]
    Untrusted(String),
    /// The response body cannot be decompressed; holds the cause.
    #[error("the page was sent in a form that cannot be unpacked: {0}")]
    Damaged(String),
    /// The fetcher itself is not set up.
    #[error("pages cannot be fetched by this installation: {0}")]
    NotInstalled(String),
}

impl FetchError {
    /// Returns true if the same fetch may succeed later.
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::TimedOut(_) | Self::RateLimited { .. } | Self::Unreachable(_) | Self::Interrupted(_) => true,
            Self::NotResolved { temporary, .. } => *temporary,
            Self::Status(status) => matches!(status, 408 | 425 | 500 | 502 | 503 | 504 | 520..=524),
            Self::InvalidUrl(_)
            | Self::SchemeNotAllowed(_)
            | Self::CredentialsNotAllowed
            | Self::AddressNotAllowed(_)
            | Self::PortNotAllowed(_)
            | Self::Downgrade(_)
            | Self::TooManyRedirects(_)
            | Self::TooLarge(_)
            | Self::Untrusted(_)
            | Self::Damaged(_)
            | Self::NotInstalled(_) => false,
        }
    }

    /// Shortens a text from outside to 200 characters and replaces control characters, so it is safe in messages and
    /// logs.
    pub(crate) fn sanitize_text(text: &str) -> String {
        text.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect()
    }
}
