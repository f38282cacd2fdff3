//! Where content is fetched from: one adapter for each origin that can be asked for it.
//!
//! Another origin is another adapter in [`crate::Tools::origins`]; nothing else changes.

use futures::future::BoxFuture;
use ibid_domain::{Origin, Source};
use ibid_fetch::{FetchError, FetchedPage, Fetcher, Firecrawl, Validators};

/// Fetches the content of sources of one origin.
pub trait OriginAdapter: Send + Sync {
    /// Returns the origin that this adapter fetches for.
    fn origin(&self) -> Origin;

    /// True if the adapter has content to fetch for a source.
    fn can_fetch(&self, source: &Source) -> bool;

    /// Fetches what the source is now; with `known`, the other side may answer that nothing changed.
    fn fetch<'a>(
        &'a self,
        source: &'a Source,
        known: Option<&'a Validators>,
    ) -> BoxFuture<'a, Result<FetchedPage, FetchError>>;
}

/// Pages of the open web, with their scripts run.
impl OriginAdapter for Firecrawl {
    fn origin(&self) -> Origin {
        Origin::Web
    }

    fn can_fetch(&self, source: &Source) -> bool {
        source.url.is_some()
    }

    fn fetch<'a>(
        &'a self,
        source: &'a Source,
        _known: Option<&'a Validators>,
    ) -> BoxFuture<'a, Result<FetchedPage, FetchError>> {
        Box::pin(async move { self.fetch(source.url.as_deref().unwrap_or_default()).await })
    }
}

/// Pages of the open web.
impl OriginAdapter for Fetcher {
    fn origin(&self) -> Origin {
        Origin::Web
    }

    fn can_fetch(&self, source: &Source) -> bool {
        source.url.is_some()
    }

    fn fetch<'a>(
        &'a self,
        source: &'a Source,
        known: Option<&'a Validators>,
    ) -> BoxFuture<'a, Result<FetchedPage, FetchError>> {
        Box::pin(async move { self.fetch(source.url.as_deref().unwrap_or_default(), known).await })
    }
}
