//! From names to addresses that may be connected to.

use std::{
    error::Error,
    fmt, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
};

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::{
    FetchError,
    rules::{AllowedNetwork, PortClass, is_permitted},
};

/// Looks up the addresses of a name.
pub trait Resolver: Send + Sync {
    /// Every address of the name; none is an error to the caller.
    fn resolve_host(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// Resolver of the operating system; the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve_host(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Stands between the resolver and the connection: only what may be connected to gets through.
pub(crate) struct GuardedResolver {
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) allow: Arc<[AllowedNetwork]>,
    /// The port that connections to these addresses go to. A client asks for names without telling the port, so that
    /// each port that an allowance names has a guard, and a client, of its own.
    pub(crate) port: PortClass,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        let (resolver, allow, port) = (Arc::clone(&self.resolver), Arc::clone(&self.allow), self.port);
        Box::pin(async move {
            let found = if is_local(&host) {
                vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)]
            } else {
                resolver.resolve_host(host.clone()).await.map_err(|error| {
                    // The system tells the two apart in words only.
                    let temporary = error.kind() == io::ErrorKind::TimedOut || error.to_string().contains("emporary");
                    ResolveError(FetchError::NotResolved { host: FetchError::sanitize_text(&host), temporary })
                })?
            };
            if found.is_empty() {
                return Err(ResolveError(FetchError::NotResolved {
                    host: FetchError::sanitize_text(&host),
                    temporary: false,
                })
                .into());
            }
            let open: Vec<SocketAddr> = found
                .into_iter()
                .filter(|&address| is_permitted(&allow, address, port))
                .map(|address| SocketAddr::new(address, 0))
                .collect();
            if open.is_empty() {
                return Err(ResolveError(FetchError::AddressNotAllowed(FetchError::sanitize_text(&host))).into());
            }
            Ok(Box::new(open.into_iter()) as Addrs)
        })
    }
}

/// Returns true for localhost and its subdomains, which always mean this machine.
fn is_local(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host == "localhost" || host.ends_with(".localhost")
}

/// Carries our own error through the client's.
#[derive(Debug)]
pub(crate) struct ResolveError(pub(crate) FetchError);

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for ResolveError {}
