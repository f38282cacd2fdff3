//! What a tool's result lets one cite: extractors by the name of the tool, the first that fits.
//!
//! Tools answer in many shapes, and shapes change. An extractor takes what it can read and leaves out the rest; a
//! result that it cannot read at all gives no source and a sentence that says why, never an error.

mod files;
mod json_fields;
mod mapping;
mod mcp;
mod web;

use std::fmt;

use regex::Regex;
use serde_json::Value;

pub use mapping::{ExtractorMapping, MappingError};

use crate::source::CitationSource;

/// A call of a tool that has ended.
#[derive(Clone, Copy, Debug)]
pub struct CompletedToolCall<'call> {
    pub tool_name: &'call str,
    /// Id of the call, which becomes part of the source ids.
    pub request_id: &'call str,
    /// Arguments that the tool was called with.
    pub parameters: &'call Value,
    /// JSON that the tool returned.
    pub output: &'call Value,
}

/// Why a result has nothing to cite, in a sentence for a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnrecognizedOutput(pub String);

/// Reads citation sources from the results of a tool.
pub trait SourceExtractor: Send + Sync {
    /// The sources in a result; their ids and the names of the tool and the call are filled in by the registry.
    fn extract_sources(&self, call: &CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput>;
}

impl<F> SourceExtractor for F
where
    F: Fn(&CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput> + Send + Sync,
{
    fn extract_sources(&self, call: &CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput> {
        self(call)
    }
}

/// Sources read from a tool result, and a warning if the result was not understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtractedSources {
    /// The sources, in the order of the result.
    pub sources: Vec<CitationSource>,
    /// Why there are none, where there could have been.
    pub warning: Option<String>,
}

/// The extractors, and the tools whose results are looked at.
pub struct ExtractorRegistry {
    entries: Vec<(Regex, Box<dyn SourceExtractor>)>,
    enabled: Vec<String>,
}

impl fmt::Debug for ExtractorRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(|(pattern, _)| pattern.as_str())).finish()
    }
}

type ExtractFn = fn(&CompletedToolCall<'_>) -> Result<Vec<CitationSource>, UnrecognizedOutput>;

impl Default for ExtractorRegistry {
    fn default() -> Self {
        let defaults: [(&str, ExtractFn); 8] = [
            ("^web_search$", web::extract_web_search),
            ("^web_scrape$", web::extract_web_scrape),
            ("^query_rag_project$", files::extract_rag_results),
            ("^wikipedia_search$", web::extract_wikipedia),
            ("^http_client$", web::extract_http_response),
            ("^search_knowledge_base$", files::knowledge_base),
            ("^hybrid_search$", files::hybrid_search),
            (r"^mcp\..+__.+$", mcp::extract_mcp_result),
        ];
        let mut registry = Self { entries: Vec::new(), enabled: vec!["*".to_owned()] };
        for (pattern, extract) in defaults {
            registry.register(pattern, extract).expect("the patterns of the defaults are tested");
        }
        registry
    }
}

impl ExtractorRegistry {
    /// Only the results of tools whose names one of these patterns fits are looked at; `*` and `?` are wild.
    #[must_use]
    pub fn enabled_for(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.enabled = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Adds an extractor after those that are there, for tools whose names a regular expression fits.
    pub fn register(&mut self, pattern: &str, extractor: impl SourceExtractor + 'static) -> Result<(), regex::Error> {
        self.entries.push((Regex::new(pattern)?, Box::new(extractor)));
        Ok(())
    }

    /// Adds an extractor before those that are there.
    pub fn register_first(
        &mut self,
        pattern: &str,
        extractor: impl SourceExtractor + 'static,
    ) -> Result<(), regex::Error> {
        self.entries.insert(0, (Regex::new(pattern)?, Box::new(extractor)));
        Ok(())
    }

    /// Returns the sources of a tool result; none if the tool is not enabled or not known.
    pub fn extract(&self, call: &CompletedToolCall<'_>) -> ExtractedSources {
        if !self.enabled.iter().any(|glob| matches_glob(glob, call.tool_name)) {
            return ExtractedSources::default();
        }
        // Many clients hand on what a tool returned as a string.
        let read = json_fields::json_in(call.output);
        let call = CompletedToolCall { output: read.as_ref().unwrap_or(call.output), ..*call };
        let found = match self.entries.iter().find(|(pattern, _)| pattern.is_match(call.tool_name)) {
            Some((_, extractor)) => extractor.extract_sources(&call),
            // Whatever it is called, what looks like the result of an MCP tool is one.
            None if mcp::is_result(call.output) => mcp::extract_mcp_result(&call),
            None => return ExtractedSources::default(),
        };
        match found {
            Ok(mut sources) => {
                for (place, source) in sources.iter_mut().enumerate() {
                    source.id = format!("{}-{place}", call.request_id);
                    source.tool_name = call.tool_name.to_owned();
                    source.tool_request_id = call.request_id.to_owned();
                }
                ExtractedSources { sources, warning: None }
            }
            Err(UnrecognizedOutput(why)) => {
                ExtractedSources { sources: Vec::new(), warning: Some(format!("{}: {why}", call.tool_name)) }
            }
        }
    }
}

/// Returns true if a name matches a glob pattern: `*` matches any characters, `?` matches one.
pub fn matches_glob(glob: &str, name: &str) -> bool {
    let (glob, name) = (glob.as_bytes(), name.as_bytes());
    let (mut at, mut in_name) = (0, 0);
    // Where the last star was, and how much of the name it takes so far.
    let mut star = None;
    while in_name < name.len() {
        match glob.get(at) {
            Some(b'*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(b'?') => (at, in_name) = (at + 1, in_name + 1),
            Some(byte) if *byte == name[in_name] => (at, in_name) = (at + 1, in_name + 1),
            _ => match star {
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    (at, in_name) = (place + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    glob[at..].iter().all(|byte| *byte == b'*')
}
