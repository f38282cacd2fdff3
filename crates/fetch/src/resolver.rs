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
    rules::{Allowed, Port, permits},
};

/// Looks up the addresses of a name.
pub trait Resolver: Send + Sync {
    /// Every address of the name; none is an error to the caller.
    fn addresses(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// What the machine itself asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn addresses(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Stands between the resolver and the connection: only what may be connected to gets through.
pub(crate) struct Guard {
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) allow: Arc<[Allowed]>,
    /// The port that connections to these addresses go to. A client asks for names without telling the port, so that
    /// each port that an allowance names has a guard, and a client, of its own.
    pub(crate) port: Port,
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        let (resolver, allow, port) = (Arc::clone(&self.resolver), Arc::clone(&self.allow), self.port);
        Box::pin(async move {
            let found = if is_local(&host) {
                vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)]
            } else {
                resolver.addresses(host.clone()).await.map_err(|error| {
                    // The system tells the two apart in words only.
                    let temporary = error.kind() == io::ErrorKind::TimedOut || error.to_string().contains("emporary");
                    Refused(FetchError::NotResolved { host: FetchError::shown(&host), temporary })
                })?
            };
            if found.is_empty() {
                return Err(
                    Refused(FetchError::NotResolved { host: FetchError::shown(&host), temporary: false }).into()
                );
            }
            let open: Vec<SocketAddr> = found
                .into_iter()
                .filter(|&address| permits(&allow, address, port))
                .map(|address| SocketAddr::new(address, 0))
                .collect();
            if open.is_empty() {
                return Err(Refused(FetchError::AddressNotAllowed(FetchError::shown(&host))).into());
            }
            Ok(Box::new(open.into_iter()) as Addrs)
        })
    }
}

/// Whether a name means this machine, whatever a resolver would say.
fn is_local(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host == "localhost" || host.ends_with(".localhost")
}

/// Carries our own error through the client's.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) FetchError);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Refused {}
