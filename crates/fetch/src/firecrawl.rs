//! Pages as Firecrawl sees them: with the scripts of the page run, which the fetcher here never does.

use std::{fmt, time::Duration};

use bytes::Bytes;
use reqwest::{Client, Url, header};
use serde::Deserialize;
use serde_json::json;

use crate::{
    FetchError, FetchedPage, Validators,
    web_search::{answer_to, service_client},
};

/// The longest answer that is read, in bytes.
const LONGEST: usize = 32 << 20;
/// Maximum time for one page, including Firecrawl's own work on it.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Firecrawl, or a server of one's own that speaks its protocol.
pub struct Firecrawl {
    client: Client,
    url: Url,
    key: header::HeaderValue,
}

impl fmt::Debug for Firecrawl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Firecrawl").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct FirecrawlResponse {
    #[serde(default)]
    success: bool,
    error: Option<String>,
    data: Option<FirecrawlPage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FirecrawlPage {
    raw_html: Option<String>,
    markdown: Option<String>,
    #[serde(default)]
    metadata: FirecrawlMetadata,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct FirecrawlMetadata {
    #[serde(rename = "sourceURL")]
    source_url: Option<String>,
    url: Option<String>,
    status_code: Option<u16>,
}

impl Firecrawl {
    /// Default base URL of the Firecrawl API.
    pub const URL: &str = "https://api.firecrawl.dev";

    /// Pages through this server, with this key. Whoever runs the server names the address, so it is trusted as it is.
    pub fn new(url: &str, key: &str) -> Result<Self, FetchError> {
        let wrong = || FetchError::InvalidUrl(url.to_owned());
        let mut url = Url::parse(url).map_err(|_| wrong())?;
        url.path_segments_mut().map_err(|()| wrong())?.pop_if_empty().extend(["v1", "scrape"]);
        let mut key = header::HeaderValue::from_str(&format!("Bearer {key}"))
            .map_err(|_| FetchError::NotInstalled("the key for Firecrawl has illegal characters".to_owned()))?;
        key.set_sensitive(true);
        Ok(Self { client: service_client(TIMEOUT)?, url, key })
    }

    /// A page. It is always fetched anew: nothing tells whether it has changed.
    pub async fn fetch(&self, page: &str) -> Result<FetchedPage, FetchError> {
        let asked = json!({ "url": page, "formats": ["rawHtml", "markdown"], "onlyMainContent": false });
        let request = self.client.post(self.url.clone()).header(header::AUTHORIZATION, self.key.clone()).json(&asked);
        let body = answer_to(request, TIMEOUT, LONGEST).await?;
        let odd = |why: String| FetchError::Interrupted(format!("what Firecrawl answered is no page: {why}"));
        let answer: FirecrawlResponse = serde_json::from_slice(&body).map_err(|error| odd(error.to_string()))?;
        let found = match (answer.success, answer.data) {
            (true, Some(found)) => found,
            _ => return Err(odd(answer.error.unwrap_or_else(|| "it says no more".to_owned()))),
        };
        if let Some(status) = found.metadata.status_code.filter(|status| !(200..300).contains(status)) {
            return Err(FetchError::Status(status));
        }
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let (media_type, text) = match (filled(found.raw_html), filled(found.markdown)) {
            (Some(html), _) => ("text/html; charset=utf-8", html),
            (None, Some(markdown)) => ("text/markdown; charset=utf-8", markdown),
            (None, None) => return Err(odd("it has no words".to_owned())),
        };
        let is_page = |url: &String| url.starts_with("http://") || url.starts_with("https://");
        let final_url = found.metadata.url.or(found.metadata.source_url).filter(is_page);
        Ok(FetchedPage {
            requested_url: page.to_owned(),
            final_url: final_url.unwrap_or_else(|| page.to_owned()),
            status: 200,
            media_type: Some(media_type.to_owned()),
            filename: None,
            bytes: Bytes::from(text),
            validators: Validators::default(),
            not_modified: false,
        })
    }
}
