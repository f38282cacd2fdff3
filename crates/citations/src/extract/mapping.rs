//! Extractors that a configuration describes: where in a result the sources are, by JSONPath.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json_path::JsonPath;

use super::{
    CompletedToolCall, SourceExtractor, UnrecognizedOutput,
    json_fields::{as_whole_number, as_written},
};
use crate::source::{CitationSource, CitationSourceType};

/// Configuration that maps the JSON results of a tool to citation sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtractorMapping {
    /// A regular expression that the tool's name fits.
    pub pattern: String,
    /// Type that every extracted source gets.
    #[serde(rename = "type", default)]
    pub kind: CitationSourceType,
    /// JSONPath to the list of sources; if empty, the whole output is one source.
    #[serde(default = "root_path")]
    pub items: String,
    /// JSONPath of each field, relative to one item.
    pub fields: MappedFields,
}

fn root_path() -> String {
    "$".to_owned()
}

/// JSONPath of each field of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "they are the fields of a source")]
pub struct MappedFields {
    pub uri: Option<String>,
    pub title: Option<String>,
    pub snippet: Option<String>,
    pub full_content: Option<String>,
    pub author: Option<String>,
    pub published_date: Option<String>,
    pub favicon: Option<String>,
    pub page_number: Option<String>,
    pub line_start: Option<String>,
    pub line_end: Option<String>,
    pub mime_type: Option<String>,
    pub relevance_score: Option<String>,
    pub source_id: Option<String>,
    pub doi: Option<String>,
    pub content_hash: Option<String>,
}

/// Error in the configuration of an extractor mapping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} = \"{path}\" is no JSONPath: {why}")]
pub struct MappingError {
    /// Name of the field whose path is invalid.
    pub field: &'static str,
    /// The JSONPath as configured.
    pub path: String,
    /// Message of the JSONPath parser.
    pub why: String,
}

/// A mapping whose paths have been read.
struct CompiledMapping {
    kind: CitationSourceType,
    items: JsonPath,
    fields: Vec<(FieldSetter, JsonPath)>,
}

type FieldSetter = fn(&mut CitationSource, &Value);

impl ExtractorMapping {
    /// The extractor it describes.
    pub fn build_extractor(&self) -> Result<impl SourceExtractor + use<>, MappingError> {
        let read = |field, path: &str| {
            let why =
                |why: serde_json_path::ParseError| MappingError { field, path: path.to_owned(), why: why.to_string() };
            JsonPath::parse(path).map_err(why)
        };
        let from = &self.fields;
        let table: [(&'static str, &Option<String>, FieldSetter); 15] = [
            ("uri", &from.uri, |source, value| {
                if let Some(uri) = value_text(value) {
                    *source = std::mem::take(source).with_uri(&uri);
                }
            }),
            ("title", &from.title, |source, value| source.title = value_text(value)),
            ("snippet", &from.snippet, |source, value| {
                if let Some(words) = value_text(value) {
                    *source = std::mem::take(source).with_snippet(&words);
                }
            }),
            ("full_content", &from.full_content, |source, value| source.full_content = value_text(value)),
            ("author", &from.author, |source, value| source.author = value_text(value)),
            ("published_date", &from.published_date, |source, value| source.published_date = value_text(value)),
            ("favicon", &from.favicon, |source, value| source.favicon = value_text(value)),
            ("page_number", &from.page_number, |source, value| source.page_number = as_whole_number(value)),
            ("line_start", &from.line_start, |source, value| source.line_start = as_whole_number(value)),
            ("line_end", &from.line_end, |source, value| source.line_end = as_whole_number(value)),
            ("mime_type", &from.mime_type, |source, value| source.mime_type = value_text(value)),
            ("relevance_score", &from.relevance_score, |source, value| {
                source.relevance_score = value.as_f64().map(|score| score.clamp(0.0, 1.0));
            }),
            ("source_id", &from.source_id, |source, value| source.source_id = value_text(value)),
            ("doi", &from.doi, |source, value| source.doi = value_text(value)),
            ("content_hash", &from.content_hash, |source, value| source.content_hash = value_text(value)),
        ];
        let mut fields = Vec::new();
        for (name, path, field) in table {
            if let Some(path) = path {
                fields.push((field, read(name, path)?));
            }
        }
        Ok(CompiledMapping { kind: self.kind, items: read("items", &self.items)?, fields })
    }
}

impl SourceExtractor for CompiledMapping {
    fn extract_sources(&self, call: &CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput> {
        let items = self.items.query(call.output).all();
        let mut sources = Vec::new();
        for item in &items {
            let mut source = CitationSource::default();
            for (set, path) in &self.fields {
                if let Some(value) = path.query(item).first() {
                    set(&mut source, value);
                }
            }
            source.kind = self.kind;
            // Without a name or an address nobody could tell what was cited.
            if source.uri.is_some() || source.title.is_some() || source.source_id.is_some() {
                sources.push(source);
            }
        }
        if sources.is_empty() && !items.is_empty() {
            return Err(UnrecognizedOutput("none of the items has a uri, a title or a source_id".to_owned()));
        }
        Ok(sources)
    }
}

/// Returns the value of a path as text; lists and objects as JSON.
fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::Array(_) | Value::Object(_) => Some(value.to_string()),
        plain => as_written(plain),
    }
}
