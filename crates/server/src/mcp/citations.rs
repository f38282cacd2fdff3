//! The tools about what a text says and cites: `verify_citations`, `ground_text`.

use ibid_domain::{SearchFilter, text::line};

use super::{Mcp, answer::Answer, table::Arguments};
use crate::http::{
    citations::{
        ground::{self, GroundBody},
        verify::{VerifyBody, verified},
    },
    search::wire::Filters,
};

/// How much of a claim is told in the text.
const CLAIM: usize = 160;

/// Checks what a text says against what it cites.
pub(super) async fn verify(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let body: VerifyBody = arguments.read()?;
    let answer = verified(&mcp.app, &mcp.scope, body).await?;
    let mut text = String::new();
    for (claim, number, verdict, quote) in answer.checks() {
        let number = number.map(|number| format!(" [{number}]")).unwrap_or_default();
        text += &format!("{verdict}{number}: {}\n", line(claim, CLAIM));
        if let Some(quote) = quote {
            text += &format!("  “{}”\n", line(quote, CLAIM));
        }
    }
    for claim in answer.uncited() {
        text += &format!("cites nothing: {}\n", line(claim, CLAIM));
    }
    if text.is_empty() {
        text.push_str("The text states nothing that could be checked.");
    }
    Answer::new(&answer, text)
}

/// Finds the sources of a draft.
pub(super) async fn ground(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let body: GroundBody = arguments.read()?;
    let filter = body.filters.as_ref().map_or_else(|| Ok(SearchFilter::default()), Filters::filter)?;
    let answer = ground::answer(&mcp.app, &mcp.scope, &body.text, &filter, body.style).await?;
    let (supported, partly, not) = answer.counts();
    let mut text = format!("{supported} supported, {partly} in part, {not} not found.\n\n{}", answer.annotated);
    for claim in answer.unsupported() {
        text += &format!("\nnot found: {}", line(claim, CLAIM));
    }
    Answer::new(&answer, text)
}
