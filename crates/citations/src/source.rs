//! What can be cited of a tool's result, and when two of them are the same work.

use ibid_domain::page_url;
use serde::{Deserialize, Serialize};
use url::Url;

/// Kind of thing that a tool returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CitationSourceType {
    #[default]
    Web,
    File,
    /// Response of an HTTP service.
    Api,
    /// Rows returned by a database query.
    Database,
    /// A memory stored from an earlier conversation.
    Memory,
    Skill,
    /// Result of an MCP tool that fits no other type.
    Mcp,
}

/// Something that a tool returned and that an answer can cite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CitationSource {
    /// Its id: that of the call, and which result of it.
    pub id: String,
    #[serde(rename = "type")]
    pub kind: CitationSourceType,
    /// Name of the tool that returned it.
    pub tool_name: String,
    /// Id of the tool call that returned it.
    pub tool_request_id: String,
    /// The number it already has; without one it gets its number by its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Its address, or the path of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Its title, or the name of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Host name of the URI, set together with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The address of the sign of its site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub favicon: Option<String>,
    /// Short excerpt on one line, cut at a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Complete text, if the tool returned it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_content: Option<String>,
    /// Time when the tool retrieved it, as the tool reported it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// Names of the authors, separated by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Date of publication, as the tool reported it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_date: Option<String>,
    /// Page number, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_number: Option<u32>,
    /// First line of the excerpt, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_start: Option<u32>,
    /// Last line of the excerpt, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_end: Option<u32>,
    /// Media type, such as `text/html`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Relevance to the query, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance_score: Option<f64>,
    /// The source of the library that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
    /// The revision of that source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision_id: Option<String>,
    /// Position of the first character of the snippet in the revision's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_char: Option<usize>,
    /// Position after the last character of the snippet in the revision's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_char: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// The SHA-256 of its content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// The agent under this one that found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_agent_id: Option<String>,
}

/// The longest snippet, in characters.
const LONGEST_SNIPPET: usize = 500;

impl CitationSource {
    /// Sets the address, and the host that follows from it.
    pub(crate) fn with_uri(mut self, uri: &str) -> Self {
        self.domain = Url::parse(uri).ok().and_then(|url| host_name(&url));
        self.uri = Some(uri.to_owned());
        self
    }

    /// Sets a snippet: blank space made single, cut at a word.
    pub(crate) fn with_snippet(mut self, text: &str) -> Self {
        let snippet = shorten(text, LONGEST_SNIPPET);
        self.snippet = (!snippet.is_empty()).then_some(snippet);
        self
    }

    /// Returns the title, or the last part of the URI if there is no title.
    pub fn display_name(&self) -> &str {
        let last = |uri: &'_ str| -> usize { uri.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1) };
        match (&self.title, &self.uri) {
            (Some(title), _) => title,
            (None, Some(uri)) => &uri[last(uri)..],
            (None, None) => &self.id,
        }
    }

    /// The names under which the work is known; two sources that share one are the same work.
    pub fn identity_keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        if let Some(id) = &self.source_id {
            keys.push(format!("source:{id}"));
        }
        if let Some(hash) = self.content_hash.as_deref().filter(|hash| !hash.is_empty()) {
            keys.push(format!("sha256:{}", hash.to_ascii_lowercase()));
        }
        if let Some(doi) = self.doi.as_deref().and_then(doi_in) {
            keys.push(format!("doi:{doi}"));
        }
        match self.uri.as_deref().map(str::trim).filter(|uri| !uri.is_empty()) {
            Some(uri) => keys.extend(address_keys(uri)),
            // A file without a path is known by its name.
            None if self.kind == CitationSourceType::File && self.source_id.is_none() => {
                keys.extend(self.title.as_ref().map(|title| format!("file:{}", title.trim())));
            }
            None => {}
        }
        keys
    }
}

/// The names of a work that follow from its address.
fn address_keys(uri: &str) -> Vec<String> {
    let Some(mut url) = Url::parse(uri).ok().filter(|url| url.has_host()) else {
        return vec![format!("file:{uri}")];
    };
    page_url::normalize_url(&mut url);
    let Some(host) = host_name(&url) else { return vec![format!("url:{url}")] };
    let path = url.path();
    let mut keys = Vec::new();
    // The same paper is linked through many mirrors.
    keys.extend(
        doi_in(path).filter(|_| host.ends_with("doi.org") || path.contains("/doi/")).map(|doi| format!("doi:{doi}")),
    );
    if host.ends_with("arxiv.org") || host.starts_with("ar5iv.") || host == "alphaxiv.org" {
        keys.extend(arxiv_in(path).map(|id| format!("doi:10.48550/arxiv.{id}")));
    }
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    // With or without encryption, `www.` or a slash at the end, it is the same page.
    if matches!(url.scheme(), "http" | "https") {
        keys.push(format!("url:{host}{port}{}{query}", path.trim_end_matches('/')));
    } else {
        keys.push(format!("url:{url}"));
    }
    keys
}

fn host_name(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_end_matches('.');
    let host = host.strip_prefix("www.").unwrap_or(host);
    (!host.is_empty()).then(|| host.to_owned())
}

/// The DOI in an address or in whatever else holds one, in lower case.
fn doi_in(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase().replace("%2f", "/");
    let from = text.match_indices("10.").map(|(at, _)| at).find(|&at| {
        let digits = text[at + 3..].bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        (4..=9).contains(&digits) && text[at + 3 + digits..].starts_with('/')
    })?;
    let doi = text[from..].split(['?', '#', ' ', '"', '<', '>']).next()?;
    let doi = doi.trim_end_matches(['.', ',', ';', ')', '/']);
    let doi = ["/full", "/pdf", "/epdf", "/abstract", "/meta", ".pdf"]
        .iter()
        .find_map(|end| doi.strip_suffix(end))
        .unwrap_or(doi);
    Some(doi.to_owned())
}

/// The id of a paper in a path of arXiv, without its version.
fn arxiv_in(path: &str) -> Option<String> {
    let rest = ["/abs/", "/pdf/", "/html/", "/format/"].iter().find_map(|part| path.split_once(part))?.1;
    let id = rest.trim_end_matches('/').trim_end_matches(".pdf").to_ascii_lowercase();
    let bare = match id.rsplit_once('v') {
        Some((bare, version)) if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) => bare,
        _ => &id,
    };
    bare.bytes().any(|byte| byte.is_ascii_digit()).then(|| bare.to_owned())
}

/// The beginning of a text with its blank space made single, cut between words.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    let mut short = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let count = word.chars().count();
        if length + count + 1 > most {
            if short.is_empty() {
                short.extend(word.chars().take(most.saturating_sub(1)));
            }
            short.push('…');
            break;
        }
        if !short.is_empty() {
            short.push(' ');
            length += 1;
        }
        short.push_str(word);
        length += count;
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web(uri: &str) -> CitationSource {
        CitationSource::default().with_uri(uri)
    }

    fn same(a: &CitationSource, b: &CitationSource) -> bool {
        let keys = a.identity_keys();
        b.identity_keys().iter().any(|key| keys.contains(key))
    }

    #[test]
    fn one_work_has_many_addresses() {
        for (a, b) in [
            ("https://example.org/a", "http://www.example.org/a/#part"),
            ("https://example.org/a?utm_source=x", "https://EXAMPLE.org/a"),
            ("https://doi.org/10.1000/XYZ123", "http://dx.doi.org/10.1000/xyz123"),
            ("https://doi.org/10.1145/3292500.3330701", "https://dl.acm.org/doi/pdf/10.1145/3292500.3330701"),
            ("https://arxiv.org/abs/1706.03762v5", "https://arxiv.org/pdf/1706.03762.pdf"),
            ("https://export.arxiv.org/abs/1706.03762", "https://doi.org/10.48550/arXiv.1706.03762"),
            ("https://ar5iv.labs.arxiv.org/html/1706.03762", "https://arxiv.org/abs/1706.03762"),
            ("notes/a.txt", "notes/a.txt"),
        ] {
            assert!(same(&web(a), &web(b)), "{a} and {b}: {:?} {:?}", web(a).identity_keys(), web(b).identity_keys());
        }
        for (a, b) in [
            ("https://example.org/a", "https://example.org/b"),
            ("https://example.org/a?page=1", "https://example.org/a?page=2"),
            ("https://example.org/a", "https://example.org:8443/a"),
            ("https://a.example.org/", "https://b.example.org/"),
            ("https://arxiv.org/abs/1706.03762", "https://arxiv.org/abs/1706.03763"),
            ("notes/a.txt", "notes/b.txt"),
        ] {
            assert!(!same(&web(a), &web(b)), "{a} and {b}");
        }
    }

    #[test]
    fn a_work_is_known_by_doi_content_and_file() {
        let doi = CitationSource { doi: Some("doi:10.1000/ABC".into()), ..web("https://mirror.example/1") };
        assert!(same(&doi, &web("https://doi.org/10.1000/abc")));
        let hashed = |uri| CitationSource { content_hash: Some("AB12".into()), ..web(uri) };
        assert!(same(&hashed("https://a.example/"), &hashed("https://b.example/")));
        let file = |title: &str| CitationSource {
            kind: CitationSourceType::File,
            title: Some(title.into()),
            ..CitationSource::default()
        };
        assert!(same(&file("a.pdf"), &file("a.pdf")));
        assert!(!same(&file("a.pdf"), &file("b.pdf")));
        // Of two files of one name in the library, each is its own.
        let kept = |id: &str| CitationSource { source_id: Some(id.into()), ..file("a.pdf") };
        assert!(!same(&kept("1"), &kept("2")));
    }
}
