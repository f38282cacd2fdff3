//! Extractors that a configuration describes: where in a result the sources are, by JSONPath.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json_path::JsonPath;

use super::{
    Extractor, Misfit, ToolCall,
    read::{as_whole, as_written},
};
use crate::source::{CitationSource, CitationSourceType};

/// How the results of a tool are read.
///
/// ```toml
/// [[citations.extractors]]
/// pattern = "^ticket_search$"
/// type = "database"
/// items = "$.tickets[*]"
/// fields = { uri = "$.link", title = "$.subject", snippet = "$.body" }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// A regular expression that the tool's name fits.
    pub pattern: String,
    /// What kind of thing the sources are.
    #[serde(rename = "type", default)]
    pub kind: CitationSourceType,
    /// Where the sources are in the output; the output itself is one without it.
    #[serde(default = "whole_output")]
    pub items: String,
    /// Where the fields are in each of them.
    pub fields: Fields,
}

fn whole_output() -> String {
    "$".to_owned()
}

/// Where the fields of a source are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "they are the fields of a source")]
pub struct Fields {
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

/// What is wrong with a mapping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} = \"{path}\" is no JSONPath: {why}")]
pub struct MappingFault {
    /// The field.
    pub field: &'static str,
    /// What it says.
    pub path: String,
    /// Why that is wrong.
    pub why: String,
}

/// A mapping whose paths have been read.
struct Mapped {
    kind: CitationSourceType,
    items: JsonPath,
    fields: Vec<(Field, JsonPath)>,
}

type Field = fn(&mut CitationSource, &Value);

impl Mapping {
    /// The extractor it describes.
    pub fn extractor(&self) -> Result<impl Extractor + use<>, MappingFault> {
        let read = |field, path: &str| {
            let why =
                |why: serde_json_path::ParseError| MappingFault { field, path: path.to_owned(), why: why.to_string() };
            JsonPath::parse(path).map_err(why)
        };
        let from = &self.fields;
        let table: [(&'static str, &Option<String>, Field); 15] = [
            ("uri", &from.uri, |source, value| {
                if let Some(uri) = written(value) {
                    *source = std::mem::take(source).at(&uri);
                }
            }),
            ("title", &from.title, |source, value| source.title = written(value)),
            ("snippet", &from.snippet, |source, value| {
                if let Some(words) = written(value) {
                    *source = std::mem::take(source).saying(&words);
                }
            }),
            ("full_content", &from.full_content, |source, value| source.full_content = written(value)),
            ("author", &from.author, |source, value| source.author = written(value)),
            ("published_date", &from.published_date, |source, value| source.published_date = written(value)),
            ("favicon", &from.favicon, |source, value| source.favicon = written(value)),
            ("page_number", &from.page_number, |source, value| source.page_number = as_whole(value)),
            ("line_start", &from.line_start, |source, value| source.line_start = as_whole(value)),
            ("line_end", &from.line_end, |source, value| source.line_end = as_whole(value)),
            ("mime_type", &from.mime_type, |source, value| source.mime_type = written(value)),
            ("relevance_score", &from.relevance_score, |source, value| {
                source.relevance_score = value.as_f64().map(|score| score.clamp(0.0, 1.0));
            }),
            ("source_id", &from.source_id, |source, value| source.source_id = written(value)),
            ("doi", &from.doi, |source, value| source.doi = written(value)),
            ("content_hash", &from.content_hash, |source, value| source.content_hash = written(value)),
        ];
        let mut fields = Vec::new();
        for (name, path, field) in table {
            if let Some(path) = path {
                fields.push((field, read(name, path)?));
            }
        }
        Ok(Mapped { kind: self.kind, items: read("items", &self.items)?, fields })
    }
}

impl Extractor for Mapped {
    fn extract(&self, call: &ToolCall<'_>) -> Result<Vec<CitationSource>, Misfit> {
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
            return Err(Misfit("none of the items has a uri, a title or a source_id".to_owned()));
        }
        Ok(sources)
    }
}

/// What a path leads to, as words; lists and objects as their JSON.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::Array(_) | Value::Object(_) => Some(value.to_string()),
        plain => as_written(plain),
    }
}
