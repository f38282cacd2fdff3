//! What may be fetched, how much of it, and how fast.

use std::{fmt, net::IpAddr, net::SocketAddr, str::FromStr, time::Duration};

use crate::address::{is_in_network, is_public, is_web_port};

/// Limits of a fetcher: allowed networks, sizes, timeouts and politeness.
#[derive(Clone, Debug)]
pub struct FetchRules {
    /// Networks that are not public and may be fetched from all the same.
    pub allow: Vec<AllowedNetwork>,
    /// The largest page, unpacked, in bytes.
    pub max_bytes: u64,
    /// Maximum time to open a connection; 10 s by default.
    pub connect_timeout: Duration,
    /// Maximum time for a page with its redirects, without the wait for a turn at the host; 30 s by default.
    pub total_timeout: Duration,
    /// Maximum number of redirects to follow; 5 by default.
    pub max_redirects: usize,
    /// User-Agent header sent with each request.
    pub user_agent: String,
    /// The least time between two requests to one host.
    pub per_host_interval: Duration,
    /// Maximum number of concurrent requests to one host; 2 by default.
    pub per_host_at_once: usize,
}

impl Default for FetchRules {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            max_bytes: 20 * 1024 * 1024,
            connect_timeout: Duration::from_secs(10),
            total_timeout: Duration::from_secs(30),
            max_redirects: 5,
            user_agent: concat!("Mozilla/5.0 (compatible; ibid/", env!("CARGO_PKG_VERSION"), ")").to_owned(),
            per_host_interval: Duration::from_millis(500),
            per_host_at_once: 2,
        }
    }
}

/// A network that may be fetched from although it is not public: `10.1.0.0/16`, `192.168.1.5`, `127.0.0.1:8080`,
/// `[::1]:8080`, `fd00::/8`. Without a port it holds for the ports of the web.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllowedNetwork {
    network: IpAddr,
    prefix: u8,
    port: Option<u16>,
}

impl AllowedNetwork {
    /// Exactly one address and port.
    pub const fn single_address(address: SocketAddr) -> Self {
        Self { network: address.ip(), prefix: address_bits(address.ip()), port: Some(address.port()) }
    }

    pub(crate) const fn port(self) -> Option<u16> {
        self.port
    }

    fn covers(self, address: IpAddr, port: PortClass) -> bool {
        is_in_network(address, self.network, self.prefix)
            && match (self.port, port) {
                (Some(exact), PortClass::Named(port)) => exact == port,
                (Some(_), PortClass::Web) => false,
                (None, port) => port.is_web(),
            }
    }
}

const fn address_bits(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

impl FromStr for AllowedNetwork {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Ok(Self::single_address(address));
        }
        let wrong = || format!("'{text}' is not a network; write it like 10.1.0.0/16, 192.168.1.5 or 127.0.0.1:8080");
        let (network, prefix) = match text.split_once('/') {
            Some((network, prefix)) => (network, Some(prefix.parse::<u8>().map_err(|_| wrong())?)),
            None => (text, None),
        };
        let network: IpAddr = network.parse().map_err(|_| wrong())?;
        let prefix = prefix.unwrap_or(address_bits(network));
        if prefix > address_bits(network) {
            return Err(wrong());
        }
        Ok(Self { network, prefix, port: None })
    }
}

impl fmt::Display for AllowedNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => SocketAddr::new(self.network, port).fmt(f),
            None => write!(f, "{}/{}", self.network, self.prefix),
        }
    }
}

/// The port of a connection, as far as the rules care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortClass {
    /// One of the web's that no allowance names.
    Web,
    /// One that an allowance names.
    Named(u16),
}

impl PortClass {
    /// Classifies a port under these rules; `None` if nothing may be fetched from it.
    pub(crate) fn classify(allow: &[AllowedNetwork], port: u16) -> Option<Self> {
        if allow.iter().any(|allowed| allowed.port == Some(port)) {
            Some(Self::Named(port))
        } else {
            is_web_port(port).then_some(Self::Web)
        }
    }

    fn is_web(self) -> bool {
        match self {
            Self::Web => true,
            Self::Named(port) => is_web_port(port),
        }
    }
}

/// Returns true if a page may be fetched from this address and port.
pub(crate) fn is_permitted(allow: &[AllowedNetwork], address: IpAddr, port: PortClass) -> bool {
    allow.iter().any(|allowed| allowed.covers(address, port)) || (is_public(address) && port.is_web())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_allowed_as_far_as_it_is_written() {
        let allow: Vec<AllowedNetwork> = ["10.1.0.0/16", "127.0.0.1:8080", "[::1]:81", "fd00::/8"]
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        for (address, port, expected) in [
            ("10.1.2.3", 80, true),
            ("::ffff:10.1.2.3", 443, true),
            ("10.1.2.3", 22, false),
            ("10.2.2.3", 80, false),
            ("127.0.0.1", 8080, true),
            ("127.0.0.1", 8081, false),
            ("127.0.0.2", 8080, false),
            ("::1", 81, true),
            ("::1", 80, false),
            ("fd12::1", 8443, true),
            ("8.8.8.8", 443, true),
            ("8.8.8.8", 81, false),
        ] {
            let permitted = PortClass::classify(&allow, port)
                .is_some_and(|port| is_permitted(&allow, address.parse().unwrap(), port));
            assert_eq!(permitted, expected, "{address} {port}");
        }
        for text in ["", "10.0.0.0/33", "example.org", "10.0.0/8", "::/129"] {
            assert!(text.parse::<AllowedNetwork>().is_err(), "{text}");
        }
        assert_eq!("10.1.0.0/16".parse::<AllowedNetwork>().unwrap().to_string(), "10.1.0.0/16");
        assert_eq!("[::1]:81".parse::<AllowedNetwork>().unwrap().to_string(), "[::1]:81");
    }
}
