//! Results of MCP tools, of which only the envelope is known.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    Misfit, ToolCall,
    read::{is_web, json_in, list, names, real, text, whole, written},
    web,
};
use crate::source::{CitationSource, CitationSourceType};

/// Where tools put what they found.
const LISTS: &[&str] =
    &["results", "sources", "documents", "items", "hits", "data", "records", "primary_results", "web.results"];

/// Whether a value has the shape of an MCP tool's result.
pub(super) fn is_result(output: &Value) -> bool {
    let is_block = |block: &Value| block.get("type").is_some_and(Value::is_string);
    match output.get("content") {
        Some(Value::Array(blocks)) => blocks.iter().all(is_block),
        _ => output.get("structuredContent").is_some_and(Value::is_object),
    }
}

/// Links to resources, resources that came along, structured content, and else the words themselves.
pub(super) fn result(call: &ToolCall<'_>) -> Result<Vec<CitationSource>, Misfit> {
    let output = call.output;
    if output.get("isError") == Some(&Value::Bool(true)) || output.is_null() {
        return Ok(Vec::new());
    }
    if !is_result(output) {
        // Some clients unpack the result.
        return Ok(structured_or_said(call, output, &words(output)));
    }
    let blocks = output.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut sources: Vec<CitationSource> = blocks.iter().filter_map(resource).collect();
    // Links often repeat what the structured content has.
    let linked: HashMap<_, _> = sources
        .iter()
        .enumerate()
        .flat_map(|(place, source)| source.keys().into_iter().map(move |key| (key, place)))
        .collect();
    for source in output.get("structuredContent").map(structured).unwrap_or_default() {
        match source.keys().iter().find_map(|key| linked.get(key)) {
            Some(place) => complete(&mut sources[*place], source),
            None => sources.push(source),
        }
    }
    if sources.is_empty() {
        let texts: Vec<&str> =
            blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| text(block, &["text"])).collect();
        let found: Vec<_> = texts
            .iter()
            .filter_map(|text| json_in(&Value::String((*text).to_owned())))
            .flat_map(|value| structured(&value))
            .collect();
        sources = if found.is_empty() { said(call, &texts.join("\n")) } else { found };
    }
    Ok(sources)
}

/// The sources in a value, or the tool as the source of what it said; an empty list of results is neither.
fn structured_or_said(call: &ToolCall<'_>, value: &Value, words: &str) -> Vec<CitationSource> {
    match list(value, LISTS) {
        Some([]) => Vec::new(),
        _ => {
            let sources = structured(value);
            if sources.is_empty() { said(call, words) } else { sources }
        }
    }
}

/// What a block of the result points at or brings along.
fn resource(block: &Value) -> Option<CitationSource> {
    let of = match block.get("type")?.as_str()? {
        "resource_link" => block,
        "resource" => block.get("resource")?,
        _ => return None,
    };
    let source = CitationSource {
        kind: CitationSourceType::Mcp,
        title: text(of, &["title", "name"]).map(str::to_owned),
        mime_type: text(of, &["mimeType", "mime_type"]).map(str::to_owned),
        full_content: text(of, &["text"]).map(str::to_owned),
        ..CitationSource::default()
    }
    .at(text(of, &["uri"])?);
    let words = text(of, &["description"]).or_else(|| text(of, &["text"]));
    Some(words.map_or(source.clone(), |words| source.saying(words)))
}

/// Sources in structured content: a list of things with an address or an id and a name, or one such thing.
fn structured(value: &Value) -> Vec<CitationSource> {
    let paths =
        ["results", "sources", "documents", "items", "hits", "data", "records", "primary_results", "web.results"];
    match list(value, &paths) {
        Some(items) => items.iter().filter_map(thing).collect(),
        None => thing(value).into_iter().collect(),
    }
}

fn thing(value: &Value) -> Option<CitationSource> {
    if let Some(hit) = web::hit(value) {
        return Some(CitationSource { kind: CitationSourceType::Mcp, full_content: content(value), ..hit });
    }
    let title = text(value, &["title", "name", "file_name", "fileName", "subject"])?;
    let id = written(value, &["uri", "id", "path", "file_id", "fileId", "key"])?;
    let source = CitationSource {
        kind: CitationSourceType::Mcp,
        title: Some(title.to_owned()),
        uri: Some(id.clone()),
        author: names(value, &["author", "authors"]),
        mime_type: text(value, &["mimeType", "mime_type"]).map(str::to_owned),
        page_number: whole(value, &["page", "page_number"]),
        relevance_score: real(value, &["score", "relevance_score"]).map(|score| score.clamp(0.0, 1.0)),
        full_content: content(value),
        ..CitationSource::default()
    };
    let source = if is_web(&id) { source.at(&id) } else { source };
    let words = text(value, &["snippet", "description", "summary", "content", "text", "body"]);
    Some(words.map_or(source.clone(), |words| source.saying(words)))
}

fn content(value: &Value) -> Option<String> {
    text(value, &["text", "content", "body", "markdown"]).map(str::to_owned)
}

/// The words that a value is, or its JSON.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The tool itself as the source of what it said.
fn said(call: &ToolCall<'_>, words: &str) -> Vec<CitationSource> {
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
    vec![source.saying(words)]
}

/// Adds what one of two descriptions of a thing has and the other lacks.
fn complete(known: &mut CitationSource, other: CitationSource) {
    known.title = known.title.take().or(other.title);
    known.snippet = known.snippet.take().or(other.snippet);
    known.full_content = known.full_content.take().or(other.full_content);
    known.author = known.author.take().or(other.author);
    known.published_date = known.published_date.take().or(other.published_date);
    known.mime_type = known.mime_type.take().or(other.mime_type);
    known.relevance_score = known.relevance_score.or(other.relevance_score);
}
