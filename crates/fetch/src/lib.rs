//! The one place that fetches pages of the open web.
//!
//! Whoever can name an address to fetch could otherwise reach what only this machine can reach. So every address is
//! checked when the connection is made, not before: names are resolved here, each answer is checked, and the
//! connection goes to the checked addresses only. Each redirect is a new fetch with the same checks. What is read is
//! bounded in bytes (after unpacking) and in time, and one host is never asked more often than is polite.
//!
//! This crate stores nothing, understands no page, follows no link, and keeps no cookie; it takes no proxy from the
//! environment, because a proxy would connect to addresses that nobody has checked.
//!
//! Start reading at [`Fetcher::fetch`].

pub mod address;
pub mod error;
mod fetcher;
mod firecrawl;
mod headers;
mod host_limiter;
mod resolver;
pub mod rules;
pub mod urls;
mod web_search;

pub use error::FetchError;
pub use fetcher::{FetchedPage, Fetcher, Validators};
pub use firecrawl::Firecrawl;
pub use resolver::{Resolver, SystemResolver};
pub use rules::{AllowedNetwork, FetchRules};
pub use urls::normal_url;
pub use web_search::{BraveSearch, WebSearch, WebSearchResult};
