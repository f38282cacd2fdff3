//! Results of searching files: another system's, and Ibid's own.

use serde_json::Value;

use super::{
    CompletedToolCall, UnrecognizedOutput,
    json_fields::{first_integer, first_list, first_number, first_text, first_text_or_number, is_web, joined_names},
};
use crate::source::{CitationSource, CitationSourceType};

/// `query_rag_project`: passages of files.
pub(super) fn extract_rag_results(call: &CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput> {
    let results = first_list(call.output, &["results", "chunks", "documents", "matches", "sources", "data"])
        .ok_or_else(|| UnrecognizedOutput("the output has no list of results".to_owned()))?;
    let sources: Vec<_> = results.iter().filter_map(passage_source).collect();
    if sources.is_empty() && !results.is_empty() {
        return Err(UnrecognizedOutput("none of the results names a file".to_owned()));
    }
    Ok(sources)
}

fn passage_source(result: &Value) -> Option<CitationSource> {
    let meta = result.get("metadata").unwrap_or(&Value::Null);
    let either = |names: &[&str]| first_text(result, names).or_else(|| first_text(meta, names));
    let number = |names: &[&str]| first_integer(result, names).or_else(|| first_integer(meta, names));
    let path = either(&["file_path", "filePath", "path", "uri", "url", "source"]);
    let title = either(&["file_name", "fileName", "filename", "title", "document_name", "document"]);
    let words = match result {
        Value::String(_) => None,
        _ => either(&["content", "text", "chunk", "page_content", "snippet", "excerpt"]),
    };
    let name = path.map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path));
    let mut source = CitationSource {
        kind: if path.is_some_and(is_web) { CitationSourceType::Web } else { CitationSourceType::File },
        title: Some(title.or(name)?.to_owned()),
        uri: path.map(str::to_owned),
        full_content: words.map(str::to_owned),
        author: joined_names(result, &["author", "authors"]).or_else(|| joined_names(meta, &["author", "authors"])),
        page_number: number(&["page_number", "pageNumber", "page"]),
        line_start: number(&["line_start", "lineStart", "start_line"]),
        line_end: number(&["line_end", "lineEnd", "end_line"]),
        mime_type: either(&["mime_type", "mimeType", "content_type"]).map(str::to_owned),
        relevance_score: first_number(result, &["score", "relevance_score", "relevanceScore", "similarity"])
            .map(|score| score.clamp(0.0, 1.0)),
        source_id: first_text_or_number(result, &["file_id", "fileId", "source_id", "document_id"])
            .or_else(|| first_text_or_number(meta, &["file_id", "fileId", "source_id", "document_id"])),
        doi: either(&["doi"]).map(str::to_owned),
        ..CitationSource::default()
    };
    if let Some(path) = path.filter(|path| is_web(path)) {
        source = source.with_uri(path);
    }
    Some(words.map_or(source.clone(), |words| source.with_snippet(words)))
}

/// `search_knowledge_base`: files with the excerpts that fit.
pub(super) fn knowledge_base(call: &CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput> {
    let results = first_list(call.output, &["sources"])
        .ok_or_else(|| UnrecognizedOutput("the output has no sources".to_owned()))?;
    let sources: Vec<_> = results.iter().filter_map(file_source).collect();
    if sources.is_empty() && !results.is_empty() {
        return Err(UnrecognizedOutput("none of the sources has a file name".to_owned()));
    }
    Ok(sources)
}

fn file_source(result: &Value) -> Option<CitationSource> {
    let title = first_text(result, &["file_name", "fileName", "title"])?;
    let origin = first_text(result, &["source_type", "sourceType"]).unwrap_or("blob_storage");
    let excerpt =
        result.get("excerpts").and_then(Value::as_array).and_then(|list| list.first()).unwrap_or(&Value::Null);
    let mut source = CitationSource {
        kind: match origin {
            "web" => CitationSourceType::Web,
            "api" => CitationSourceType::Api,
            "database" => CitationSourceType::Database,
            "memory" => CitationSourceType::Memory,
            "skill" => CitationSourceType::Skill,
            "mcp" => CitationSourceType::Mcp,
            _ => CitationSourceType::File,
        },
        title: Some(title.to_owned()),
        source_id: first_text_or_number(result, &["file_id", "fileId", "source_id", "id"]),
        mime_type: first_text(result, &["mime_type", "mimeType"]).map(str::to_owned),
        relevance_score: first_number(result, &["relevance_score", "relevanceScore", "score"])
            .map(|score| score.clamp(0.0, 1.0)),
        page_number: first_integer(excerpt, &["page", "page_number"]),
        revision_id: first_text(excerpt, &["revision_id"]).map(str::to_owned),
        start_char: first_integer(excerpt, &["start_char"]).map(|place| place as usize),
        end_char: first_integer(excerpt, &["end_char"]).map(|place| place as usize),
        ..CitationSource::default()
    };
    if let Some(uri) = first_text(result, &["uri", "url", "external_url"]) {
        source = source.with_uri(uri);
    }
    let words = first_text(excerpt, &["content", "quote", "text"]);
    Some(words.map_or(source.clone(), |words| source.with_snippet(words)))
}

/// `hybrid_search`: Ibid's own hits, with the words that were found.
pub(super) fn hybrid_search(call: &CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput> {
    let results = first_list(call.output, &["primary_results", "results"])
        .ok_or_else(|| UnrecognizedOutput("the output has no primary_results".to_owned()))?;
    Ok(results.iter().filter_map(hit_source).collect())
}

fn hit_source(result: &Value) -> Option<CitationSource> {
    let of = result.get("source").unwrap_or(&Value::Null);
    let either = |names: &[&str]| first_text(result, names).or_else(|| first_text(of, names));
    let source_id = either(&["source_id"]).or_else(|| first_text(of, &["id"]))?;
    let evidence =
        result.get("evidence").and_then(Value::as_array).and_then(|list| list.first()).unwrap_or(&Value::Null);
    let content = first_text(result, &["content"]);
    let uri = first_text(of, &["url", "uri", "external_url"]);
    let mut source = CitationSource {
        kind: if uri.is_some_and(is_web) { CitationSourceType::Web } else { CitationSourceType::File },
        title: either(&["title", "file_name"]).map(str::to_owned),
        source_id: Some(source_id.to_owned()),
        revision_id: first_text(evidence, &["revision_id"]).map(str::to_owned),
        start_char: first_integer(evidence, &["start_char"]).map(|place| place as usize),
        end_char: first_integer(evidence, &["end_char"]).map(|place| place as usize),
        page_number: first_integer(evidence, &["page"]),
        mime_type: first_text(of, &["mime_type", "media_type"]).map(str::to_owned),
        relevance_score: first_number(result, &["score"]).map(|score| score.clamp(0.0, 1.0)),
        full_content: content.map(str::to_owned),
        author: joined_names(of, &["author", "authors"]),
        doi: first_text(of, &["doi"]).map(str::to_owned),
        ..CitationSource::default()
    };
    if let Some(uri) = uri {
        source = source.with_uri(uri);
    }
    let words = first_text(evidence, &["quote"]).or(content);
    Some(words.map_or(source.clone(), |words| source.with_snippet(words)))
}
