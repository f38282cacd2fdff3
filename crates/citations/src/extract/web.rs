//! Results of searching and reading the web.

use serde_json::Value;
use url::Url;

use super::{
    CompletedToolCall, UnrecognizedOutput,
    json_fields::{
        first_integer, first_list, first_number, first_text, first_text_or_number, is_web, joined_names, strip_html,
        web_address,
    },
};
use crate::source::{CitationSource, CitationSourceType};

/// Paths under which search engines return their results.
const RESULTS: &[&str] = &[
    "results",
    "organic",
    "organic_results",
    "items",
    "web.results",
    "webPages.value",
    "data",
    "data.web",
    "hits",
    "search_results",
];
const ADDRESS: &[&str] = &["link", "url", "href", "uri", "source_url"];
const TITLE: &[&str] = &["title", "name"];
const WORDS: &[&str] = &["snippet", "description", "summary", "content", "body", "text", "extract"];
const PUBLISHED: &[&str] = &["published_date", "publishedDate", "date", "page_age", "published", "published_at", "age"];

/// One hit of a search engine.
pub(super) fn search_hit_source(result: &Value) -> Option<CitationSource> {
    let uri = web_address(result, ADDRESS)?;
    let meta = result.get("meta_url").unwrap_or(&Value::Null);
    let mut source = CitationSource {
        title: first_text(result, TITLE).map(strip_html),
        favicon: web_address(result, &["favicon", "icon"])
            .or_else(|| web_address(meta, &["favicon"]))
            .map(str::to_owned),
        author: joined_names(result, &["author", "authors", "byline"]),
        published_date: first_text_or_number(result, PUBLISHED),
        doi: first_text(result, &["doi"]).map(str::to_owned),
        relevance_score: first_number(result, &["score", "relevance_score"]).map(|score| score.clamp(0.0, 1.0)),
        page_number: first_integer(result, &["page_number"]),
        full_content: first_text(result, &["raw_content", "full_content"]).map(str::to_owned),
        ..CitationSource::default()
    }
    .with_uri(uri);
    if let Some(words) = first_text(result, WORDS) {
        source = source.with_snippet(&strip_html(words));
    }
    Some(source)
}

/// `web_search`: a list of hits, each with an address.
pub(super) fn extract_web_search(call: &CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput> {
    let results = first_list(call.output, RESULTS)
        .ok_or_else(|| UnrecognizedOutput("the output has no list of results".to_owned()))?;
    let sources: Vec<_> = results.iter().filter_map(search_hit_source).collect();
    if sources.is_empty() && !results.is_empty() {
        return Err(UnrecognizedOutput("none of the results has an address".to_owned()));
    }
    Ok(sources)
}

/// `web_scrape`: a page, or several.
pub(super) fn extract_web_scrape(call: &CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput> {
    if call.output.get("success") == Some(&Value::Bool(false)) || call.output.get("error").is_some_and(Value::is_string)
    {
        return Ok(Vec::new());
    }
    let asked = web_address(call.parameters, &["url", "uri", "link"]);
    let pages = first_list(call.output, &["results", "pages", "data"]);
    let pages = pages.unwrap_or(std::slice::from_ref(call.output.get("data").unwrap_or(call.output)));
    let only = if pages.len() == 1 { asked } else { None };
    let sources: Vec<_> = pages.iter().filter_map(|page| self::page_source(page, only)).collect();
    if sources.is_empty() && !pages.is_empty() {
        return Err(UnrecognizedOutput("the output has no page with an address and words".to_owned()));
    }
    Ok(sources)
}

fn page_source(page: &Value, asked: Option<&str>) -> Option<CitationSource> {
    let meta = page.get("metadata").unwrap_or(&Value::Null);
    let either = |names: &[&str]| first_text(page, names).or_else(|| first_text(meta, names));
    let uri = either(&["url", "sourceURL", "source_url", "final_url", "link"]).filter(|uri| is_web(uri)).or(asked)?;
    let html = either(&["html", "rawHtml"]).map(strip_html);
    let content = match page {
        Value::String(text) => Some(text.as_str()),
        _ => either(&["markdown", "content", "text", "body"]).or(html.as_deref()),
    };
    let source = CitationSource {
        title: either(&["title", "ogTitle", "og:title"]).map(str::to_owned),
        favicon: either(&["favicon"]).filter(|uri| is_web(uri)).map(str::to_owned),
        author: joined_names(page, &["author", "authors"]).or_else(|| joined_names(meta, &["author", "authors"])),
        published_date: either(&[
            "published_date",
            "publishedTime",
            "published_time",
            "article:published_time",
            "date",
        ])
        .map(str::to_owned),
        doi: either(&["doi", "citation_doi"]).map(str::to_owned),
        full_content: content.map(str::to_owned),
        ..CitationSource::default()
    }
    .with_uri(uri);
    let words = content.or_else(|| either(&["description", "snippet", "summary"]));
    Some(words.map_or(source.clone(), |words| source.with_snippet(words)))
}

/// `wikipedia_search`: articles, whose addresses follow from their titles.
pub(super) fn extract_wikipedia(call: &CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput> {
    let results = first_list(call.output, &["results", "query.search", "articles", "pages", "search"]);
    // One article that was asked for by name.
    let results = results.unwrap_or(std::slice::from_ref(call.output));
    let language = first_text(call.parameters, &["language", "lang"]).filter(|code| {
        (2..=12).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    });
    let article = |result: &Value| {
        let title = first_text(result, &["title", "name"]);
        let uri = match web_address(result, &["url", "link", "fullurl", "canonicalurl"]) {
            Some(uri) => uri.to_owned(),
            None => {
                let mut url = Url::parse(&format!("https://{}.wikipedia.org/wiki/", language.unwrap_or("en"))).ok()?;
                url.path_segments_mut().ok()?.pop_if_empty().push(&title?.replace(' ', "_"));
                url.into()
            }
        };
        let source = CitationSource {
            title: title.map(strip_html),
            published_date: None,
            timestamp: first_text_or_number(result, &["timestamp"]),
            full_content: first_text(result, &["content", "text"]).map(str::to_owned),
            ..CitationSource::default()
        }
        .with_uri(&uri);
        let words = first_text(result, &["snippet", "extract", "summary", "description", "content", "text"]);
        Some(words.map_or(source.clone(), |words| source.with_snippet(&strip_html(words))))
    };
    let sources: Vec<_> = results.iter().filter_map(article).collect();
    if sources.is_empty() && !results.is_empty() {
        return Err(UnrecognizedOutput("none of the results has a title or an address".to_owned()));
    }
    Ok(sources)
}

/// `http_client`: the answer of a service.
pub(super) fn extract_http_response(call: &CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput> {
    let status = first_integer(call.output, &["status", "status_code", "statusCode"]);
    if status.is_some_and(|status| !(200..400).contains(&status)) {
        // What a service says of its failure supports nothing.
        return Ok(Vec::new());
    }
    let uri = web_address(call.output, &["url", "final_url"])
        .or_else(|| web_address(call.parameters, &["url", "uri", "endpoint"]))
        .ok_or_else(|| UnrecognizedOutput("neither the call nor the output says which address was asked".to_owned()))?;
    let method = first_text(call.parameters, &["method"]).unwrap_or("GET").to_ascii_uppercase();
    let body = ["body", "data", "response", "json", "text", "content"].iter().find_map(|name| call.output.get(*name));
    let body = match body.unwrap_or(call.output) {
        Value::String(text) => text.clone(),
        Value::Null => return Ok(Vec::new()),
        other => other.to_string(),
    };
    let place =
        Url::parse(uri).map(|url| format!("{}{}", url.host_str().unwrap_or_default(), url.path())).unwrap_or_default();
    let headers = call.output.get("headers").unwrap_or(&Value::Null);
    let source = CitationSource {
        kind: CitationSourceType::Api,
        title: Some(format!("{method} {place}")),
        mime_type: first_text(headers, &["content-type", "Content-Type"])
            .map(|kind| kind.split(';').next().unwrap_or(kind).trim().to_owned()),
        full_content: Some(body.clone()),
        ..CitationSource::default()
    };
    Ok(vec![source.with_uri(uri).with_snippet(&body)])
}
