//! Results of searching files: another system's, and Ibid's own.

use serde_json::Value;

use super::{
    Misfit, ToolCall,
    read::{is_web, list, names, real, text, whole, written},
};
use crate::source::{CitationSource, CitationSourceType};

/// `query_rag_project`: passages of files.
pub(super) fn rag(call: &ToolCall<'_>) -> Result<Vec<CitationSource>, Misfit> {
    let results = list(call.output, &["results", "chunks", "documents", "matches", "sources", "data"])
        .ok_or_else(|| Misfit("the output has no list of results".to_owned()))?;
    let sources: Vec<_> = results.iter().filter_map(passage).collect();
    if sources.is_empty() && !results.is_empty() {
        return Err(Misfit("none of the results names a file".to_owned()));
    }
    Ok(sources)
}

fn passage(result: &Value) -> Option<CitationSource> {
    let meta = result.get("metadata").unwrap_or(&Value::Null);
    let either = |names: &[&str]| text(result, names).or_else(|| text(meta, names));
    let number = |names: &[&str]| whole(result, names).or_else(|| whole(meta, names));
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
        author: names(result, &["author", "authors"]).or_else(|| names(meta, &["author", "authors"])),
        page_number: number(&["page_number", "pageNumber", "page"]),
        line_start: number(&["line_start", "lineStart", "start_line"]),
        line_end: number(&["line_end", "lineEnd", "end_line"]),
        mime_type: either(&["mime_type", "mimeType", "content_type"]).map(str::to_owned),
        relevance_score: real(result, &["score", "relevance_score", "relevanceScore", "similarity"])
            .map(|score| score.clamp(0.0, 1.0)),
        source_id: written(result, &["file_id", "fileId", "source_id", "document_id"])
            .or_else(|| written(meta, &["file_id", "fileId", "source_id", "document_id"])),
        doi: either(&["doi"]).map(str::to_owned),
        ..CitationSource::default()
    };
    if let Some(path) = path.filter(|path| is_web(path)) {
        source = source.at(path);
    }
    Some(words.map_or(source.clone(), |words| source.saying(words)))
}

/// `search_knowledge_base`: files with the excerpts that fit.
pub(super) fn knowledge_base(call: &ToolCall<'_>) -> Result<Vec<CitationSource>, Misfit> {
    let results = list(call.output, &["sources"]).ok_or_else(|| Misfit("the output has no sources".to_owned()))?;
    let sources: Vec<_> = results.iter().filter_map(file).collect();
    if sources.is_empty() && !results.is_empty() {
        return Err(Misfit("none of the sources has a file name".to_owned()));
    }
    Ok(sources)
}

fn file(result: &Value) -> Option<CitationSource> {
    let title = text(result, &["file_name", "fileName", "title"])?;
    let origin = text(result, &["source_type", "sourceType"]).unwrap_or("blob_storage");
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
        source_id: written(result, &["file_id", "fileId", "source_id", "id"]),
        mime_type: text(result, &["mime_type", "mimeType"]).map(str::to_owned),
        relevance_score: real(result, &["relevance_score", "relevanceScore", "score"])
            .map(|score| score.clamp(0.0, 1.0)),
        page_number: whole(excerpt, &["page", "page_number"]),
        revision_id: text(excerpt, &["revision_id"]).map(str::to_owned),
        start_char: whole(excerpt, &["start_char"]).map(|place| place as usize),
        end_char: whole(excerpt, &["end_char"]).map(|place| place as usize),
        ..CitationSource::default()
    };
    if let Some(uri) = text(result, &["uri", "url", "external_url"]) {
        source = source.at(uri);
    }
    let words = text(excerpt, &["content", "quote", "text"]);
    Some(words.map_or(source.clone(), |words| source.saying(words)))
}

/// `hybrid_search`: Ibid's own hits, with the words that were found.
pub(super) fn hybrid_search(call: &ToolCall<'_>) -> Result<Vec<CitationSource>, Misfit> {
    let results = list(call.output, &["primary_results", "results"])
        .ok_or_else(|| Misfit("the output has no primary_results".to_owned()))?;
    Ok(results.iter().filter_map(found).collect())
}

fn found(result: &Value) -> Option<CitationSource> {
    let of = result.get("source").unwrap_or(&Value::Null);
    let either = |names: &[&str]| text(result, names).or_else(|| text(of, names));
    let source_id = either(&["source_id"]).or_else(|| text(of, &["id"]))?;
    let evidence =
        result.get("evidence").and_then(Value::as_array).and_then(|list| list.first()).unwrap_or(&Value::Null);
    let content = text(result, &["content"]);
    let uri = text(of, &["url", "uri", "external_url"]);
    let mut source = CitationSource {
        kind: if uri.is_some_and(is_web) { CitationSourceType::Web } else { CitationSourceType::File },
        title: either(&["title", "file_name"]).map(str::to_owned),
        source_id: Some(source_id.to_owned()),
        revision_id: text(evidence, &["revision_id"]).map(str::to_owned),
        start_char: whole(evidence, &["start_char"]).map(|place| place as usize),
        end_char: whole(evidence, &["end_char"]).map(|place| place as usize),
        page_number: whole(evidence, &["page"]),
        mime_type: text(of, &["mime_type", "media_type"]).map(str::to_owned),
        relevance_score: real(result, &["score"]).map(|score| score.clamp(0.0, 1.0)),
        full_content: content.map(str::to_owned),
        author: names(of, &["author", "authors"]),
        doi: text(of, &["doi"]).map(str::to_owned),
        ..CitationSource::default()
    };
    if let Some(uri) = uri {
        source = source.at(uri);
    }
    let words = text(evidence, &["quote"]).or(content);
    Some(words.map_or(source.clone(), |words| source.saying(words)))
}
