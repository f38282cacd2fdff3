//! What a tool's result lets one cite: extractors by the name of the tool, the first that fits.
//!
//! Tools answer in many shapes, and shapes change. An extractor takes what it can read and leaves out the rest; a
//! result that it cannot read at all gives no source and a sentence that says why, never an error.

mod files;
mod mapped;
mod mcp;
mod read;
mod web;

use std::fmt;

use regex::Regex;
use serde_json::Value;

pub use mapped::{Mapping, MappingFault};

use crate::source::CitationSource;

/// A call of a tool that has ended.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'call> {
    /// The tool's name.
    pub tool_name: &'call str,
    /// The id of the call.
    pub request_id: &'call str,
    /// What the tool was asked.
    pub parameters: &'call Value,
    /// What it returned.
    pub output: &'call Value,
}

/// Why a result has nothing to cite, in a sentence for a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit(pub String);

/// What reads the results of a tool.
pub trait Extractor: Send + Sync {
    /// The sources in a result; their ids and the names of the tool and the call are filled in by the registry.
    fn extract(&self, call: &ToolCall<'_>) -> Result<Vec<CitationSource>, Misfit>;
}

impl<F> Extractor for F
where
    F: Fn(&ToolCall<'_>) -> Result<Vec<CitationSource>, Misfit> + Send + Sync,
{
    fn extract(&self, call: &ToolCall<'_>) -> Result<Vec<CitationSource>, Misfit> {
        self(call)
    }
}

/// What came of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extracted {
    /// The sources, in the order of the result.
    pub sources: Vec<CitationSource>,
    /// Why there are none, where there could have been.
    pub warning: Option<String>,
}

/// The extractors, and the tools whose results are looked at.
pub struct Registry {
    entries: Vec<(Regex, Box<dyn Extractor>)>,
    enabled: Vec<String>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(|(pattern, _)| pattern.as_str())).finish()
    }
}

type Extract = fn(&ToolCall<'_>) -> Result<Vec<CitationSource>, Misfit>;

impl Default for Registry {
    fn default() -> Self {
        let defaults: [(&str, Extract); 8] = [
            ("^web_search$", web::search),
            ("^web_scrape$", web::scrape),
            ("^query_rag_project$", files::rag),
            ("^wikipedia_search$", web::wikipedia),
            ("^http_client$", web::http),
            ("^search_knowledge_base$", files::knowledge_base),
            ("^hybrid_search$", files::hybrid_search),
            (r"^mcp\..+__.+$", mcp::result),
        ];
        let mut registry = Self { entries: Vec::new(), enabled: vec!["*".to_owned()] };
        for (pattern, extract) in defaults {
            registry.register(pattern, extract).expect("the patterns of the defaults are tested");
        }
        registry
    }
}

impl Registry {
    /// Only the results of tools whose names one of these patterns fits are looked at; `*` and `?` are wild.
    #[must_use]
    pub fn enabled_for(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.enabled = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Adds an extractor after those that are there, for tools whose names a regular expression fits.
    pub fn register(&mut self, pattern: &str, extractor: impl Extractor + 'static) -> Result<(), regex::Error> {
        self.entries.push((Regex::new(pattern)?, Box::new(extractor)));
        Ok(())
    }

    /// Adds an extractor before those that are there.
    pub fn prefer(&mut self, pattern: &str, extractor: impl Extractor + 'static) -> Result<(), regex::Error> {
        self.entries.insert(0, (Regex::new(pattern)?, Box::new(extractor)));
        Ok(())
    }

    /// What can be cited of a result.
    pub fn extract(&self, call: &ToolCall<'_>) -> Extracted {
        if !self.enabled.iter().any(|glob| fits(glob, call.tool_name)) {
            return Extracted::default();
        }
        // Many clients hand on what a tool returned as a string.
        let read = read::json_in(call.output);
        let call = ToolCall { output: read.as_ref().unwrap_or(call.output), ..*call };
        let found = match self.entries.iter().find(|(pattern, _)| pattern.is_match(call.tool_name)) {
            Some((_, extractor)) => extractor.extract(&call),
            // Whatever it is called, what looks like the result of an MCP tool is one.
            None if mcp::is_result(call.output) => mcp::result(&call),
            None => return Extracted::default(),
        };
        match found {
            Ok(mut sources) => {
                for (place, source) in sources.iter_mut().enumerate() {
                    source.id = format!("{}-{place}", call.request_id);
                    source.tool_name = call.tool_name.to_owned();
                    source.tool_request_id = call.request_id.to_owned();
                }
                Extracted { sources, warning: None }
            }
            Err(Misfit(why)) => Extracted { sources: Vec::new(), warning: Some(format!("{}: {why}", call.tool_name)) },
        }
    }
}

/// Whether a name fits a pattern in which `*` stands for any characters and `?` for one.
pub fn fits(glob: &str, name: &str) -> bool {
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
