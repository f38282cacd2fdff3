//! Types that go over the wire, in the order of the API: what HTTP, MCP and the command line send alike.
//!
//! A body that one handler alone takes stands beside that handler.

pub(crate) mod citations;
pub(crate) mod documents;
mod files;
mod jobs;
pub(crate) mod knowledge;
pub(crate) mod parse;
pub(crate) mod run_events;
pub(crate) mod runs;
pub(crate) mod search;
pub(crate) mod source_body;
pub(crate) mod source_search;
pub(crate) mod source_views;
pub(crate) mod sources;
pub(crate) mod values;
pub(crate) mod verification;

use ibid_domain::{JsonObject, pagination};
use serde::Serialize;
use utoipa::ToSchema;

use self::values::ErrorCode;
pub(crate) use self::{
    files::{Artifact, FileBytes, Manifest, ManifestDiff, ManifestSummary, Pointer, PointerMove},
    jobs::{Job, JobEvent},
};

/// Error response as RFC 9457 problem details.
#[derive(Serialize, ToSchema)]
pub(crate) struct Problem {
    /// URI of the page that explains the error code.
    #[serde(rename = "type")]
    kind: String,
    /// A short, fixed sentence for the code.
    title: &'static str,
    /// HTTP status code of the response.
    status: u16,
    /// The stable name of what went wrong.
    code: ErrorCode,
    /// Explanation of this error: the value that was wrong, and the one expected.
    detail: String,
    /// The field, parameter or path that was wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// Advice on how to fix the error.
    hint: &'static str,
    /// The id of the request, as it stands in the log.
    request_id: String,
    /// Facts to go on with, such as `current` after a conflict.
    #[serde(flatten)]
    #[schema(value_type = HashMap<String, serde_json::Value>)]
    facts: JsonObject,
}

impl Problem {
    pub(crate) fn new(problem: ibid_domain::Problem, request_id: &str) -> Self {
        Self {
            kind: format!("/docs#{}", problem.code.as_str()),
            title: problem.code.title(),
            status: problem.code.status(),
            code: problem.code.into(),
            detail: problem.detail,
            field: problem.field,
            hint: problem.code.help(),
            request_id: request_id.to_owned(),
            facts: *problem.facts,
        }
    }
}

/// One page of a list, with a cursor to the next.
#[derive(Serialize, ToSchema)]
pub(crate) struct Page<T: ToSchema> {
    /// Items on this page, at most `limit`.
    items: Vec<T>,
    /// `cursor` of the next page; null on the last.
    #[schema(required)]
    next_cursor: Option<String>,
}

impl<T: ToSchema> Page<T> {
    pub(crate) fn from_page<U>(page: pagination::Page<U>, convert: impl FnMut(U) -> T) -> Self {
        let page = page.map(convert);
        Self { items: page.items, next_cursor: page.next.map(|cursor| cursor.encode()) }
    }
}
