//! Results of MCP tools, of which only the envelope is known.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    CompletedToolCall, UnrecognizedOutput,
    json_fields::{
        first_integer, first_list, first_number, first_text, first_text_or_number, is_web, joined_names, json_in,
    },
    web,
};
use crate::source::{CitationSource, CitationSourceType};

/// Names of fields in which tools commonly return their results.
const LISTS: &[&str] =
    &["results", "sources", "documents", "items", "hits", "data", "records", "primary_results", "web.results"];

/// Returns true if a value has the structure of an MCP tool result.
pub(super) fn is_result(output: &Value) -> bool {
    let is_block = |block: &Value| block.get("type").is_some_and(Value::is_string);
    match output.get("content") {
        Some(Value::Array(blocks)) => blocks.iter().all(is_block),
        _ => output.get("structuredContent").is_some_and(Value::is_object),
    }
}

/// Links to resources, resources that came along, structured content, and else the words themselves.
pub(super) fn extract_mcp_result(call: &CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput> {
    let output = call.output;
    if output.get("isError") == Some(&Value::Bool(true)) || output.is_null() {
        return Ok(Vec::new());
    }
    if !is_result(output) {
        // Some clients unpack the result.
        return Ok(sources_of_output(call, output, &value_text(output)));
    }
    let blocks = output.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut sources: Vec<CitationSource> = blocks.iter().filter_map(resource_source).collect();
    // Links often repeat what the structured content has.
    let linked: HashMap<_, _> = sources
        .iter()
        .enumerate()
        .flat_map(|(place, source)| source.identity_keys().into_iter().map(move |key| (key, place)))
        .collect();
    for source in output.get("structuredContent").map(structured_sources).unwrap_or_default() {
        match source.identity_keys().iter().find_map(|key| linked.get(key)) {
            Some(place) => fill_missing_fields(&mut sources[*place], source),
            None => sources.push(source),
        }
    }
    if sources.is_empty() {
        let texts: Vec<&str> = blocks
            .iter()
            .filter(|block| block["type"] == "text")
            .filter_map(|block| first_text(block, &["text"]))
            .collect();
        let found: Vec<_> = texts
            .iter()
            .filter_map(|text| json_in(&Value::String((*text).to_owned())))
            .flat_map(|value| structured_sources(&value))
            .collect();
        sources = if found.is_empty() { tool_output_source(call, &texts.join("\n")) } else { found };
    }
    Ok(sources)
}

/// The sources in a value, or the tool as the source of what it said; an empty list of results is neither.
fn sources_of_output(call: &CompletedToolCall<'_>, value: &Value, words: &str) -> Vec<CitationSource> {
    match first_list(value, LISTS) {
        Some([]) => Vec::new(),
        _ => {
            let sources = structured_sources(value);
            if sources.is_empty() { tool_output_source(call, words) } else { sources }
        }
    }
}

/// Returns the source that a content block links to or embeds.
fn resource_source(block: &Value) -> Option<CitationSource> {
    let of = match block.get("type")?.as_str()? {
        "resource_link" => block,
        "resource" => block.get("resource")?,
        _ => return None,
    };
    let source = CitationSource {
        kind: CitationSourceType::Mcp,
        title: first_text(of, &["title", "name"]).map(str::to_owned),
        mime_type: first_text(of, &["mimeType", "mime_type"]).map(str::to_owned),
        full_content: first_text(of, &["text"]).map(str::to_owned),
        ..CitationSource::default()
    }
    .with_uri(first_text(of, &["uri"])?);
    let words = first_text(of, &["description"]).or_else(|| first_text(of, &["text"]));
    Some(words.map_or(source.clone(), |words| source.with_snippet(words)))
}

/// Sources in structured content: a list of things with an address or an id and a name, or one such thing.
fn structured_sources(value: &Value) -> Vec<CitationSource> {
    let paths =
        ["results", "sources", "documents", "items", "hits", "data", "records", "primary_results", "web.results"];
    match first_list(value, &paths) {
        Some(items) => items.iter().filter_map(item_source).collect(),
        None => item_source(value).into_iter().collect(),
    }
}

fn item_source(value: &Value) -> Option<CitationSource> {
    if let Some(hit) = web::search_hit_source(value) {
        return Some(CitationSource { kind: CitationSourceType::Mcp, full_content: item_content(value), ..hit });
    }
    let title = first_text(value, &["title", "name", "file_name", "fileName", "subject"])?;
    let id = first_text_or_number(value, &["uri", "id", "path", "file_id", "fileId", "key"])?;
    let source = CitationSource {
        kind: CitationSourceType::Mcp,
        title: Some(title.to_owned()),
        uri: Some(id.clone()),
        author: joined_names(value, &["author", "authors"]),
        mime_type: first_text(value, &["mimeType", "mime_type"]).map(str::to_owned),
        page_number: first_integer(value, &["page", "page_number"]),
        relevance_score: first_number(value, &["score", "relevance_score"]).map(|score| score.clamp(0.0, 1.0)),
        full_content: item_content(value),
        ..CitationSource::default()
    };
    let source = if is_web(&id) { source.with_uri(&id) } else { source };
    let words = first_text(value, &["snippet", "description", "summary", "content", "text", "body"]);
    Some(words.map_or(source.clone(), |words| source.with_snippet(words)))
}

fn item_content(value: &Value) -> Option<String> {
    first_text(value, &["text", "content", "body", "markdown"]).map(str::to_owned)
}

/// The words that a value is, or its JSON.
fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The tool itself as the source of what it said.
fn tool_output_source(call: &CompletedToolCall<'_>, words: &str) -> Vec<CitationSource> {
    if words.trim().is_empty() || matches!(words.trim(), "{}" | "[]" | "null") {
        return Vec::new();
    }
    let name = call.tool_name.strip_prefix("mcp.").unwrap_or(call.tool_name);
    let title = match name.split_once("__") {
        Some((server, tool)) => format!("{server}: {tool}"),
        None => name.to_owned(),
    };
    let source = CitationSource {
        kind: CitationSourceType::Mcp,
        title: Some(title),
        uri: Some(format!("mcp://{}/{}", name.replace("__", "/"), call.request_id)),
        full_content: Some(words.to_owned()),
        ..CitationSource::default()
    };
    vec![source.with_snippet(words)]
}

/// Adds what one of two descriptions of a thing has and the other lacks.
fn fill_missing_fields(known: &mut CitationSource, other: CitationSource) {
    known.title = known.title.take().or(other.title);
    known.snippet = known.snippet.take().or(other.snippet);
    known.full_content = known.full_content.take().or(other.full_content);
    known.author = known.author.take().or(other.author);
    known.published_date = known.published_date.take().or(other.published_date);
    known.mime_type = known.mime_type.take().or(other.mime_type);
    known.relevance_score = known.relevance_score.or(other.relevance_score);
}
