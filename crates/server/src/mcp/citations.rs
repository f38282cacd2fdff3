//! The tools about what a text says and cites: `verify_citations`, `ground_text`.

use ibid_domain::SearchFilter;
use ibid_language::one_line_at_most;

use super::{Mcp, tool_answer::ToolAnswer, tool_table::ToolArguments};
use crate::{
    http::citations::{ground, verify::check_citations},
    wire::{
        search::SearchFilters,
        verification::{GroundBody, VerifyBody},
    },
};

/// Maximum length of a claim or quote in the text result, in characters.
const CLAIM: usize = 160;

/// Checks what a text says against what it cites.
pub(super) async fn verify_citations(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let body: VerifyBody = arguments.parse_into()?;
    let answer = check_citations(&mcp.app, &mcp.scope, body).await?;
    let mut text = String::new();
    for (claim, number, verdict, quote) in answer.iter_checks() {
        let number = number.map(|number| format!(" [{number}]")).unwrap_or_default();
        text += &format!("{verdict}{number}: {}\n", one_line_at_most(claim, CLAIM));
        if let Some(quote) = quote {
            text += &format!("  “{}”\n", one_line_at_most(quote, CLAIM));
        }
    }
    for claim in answer.uncited_texts() {
        text += &format!("cites nothing: {}\n", one_line_at_most(claim, CLAIM));
    }
    if text.is_empty() {
        text.push_str("The text states nothing that could be checked.");
    }
    ToolAnswer::new(&answer, text)
}

/// Finds the sources of a draft.
pub(super) async fn ground_text(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let body: GroundBody = arguments.parse_into()?;
    let filter = body.filters.as_ref().map_or_else(|| Ok(SearchFilter::default()), SearchFilters::to_filter)?;
    let answer = ground::ground_draft(&mcp.app, &mcp.scope, &body.text, &filter, body.style).await?;
    let (supported, partly, not) = answer.verdict_counts();
    let mut text = format!("{supported} supported, {partly} in part, {not} not found.\n\n{}", answer.annotated);
    for claim in answer.unsupported_texts() {
        text += &format!("\nnot found: {}", one_line_at_most(claim, CLAIM));
    }
    ToolAnswer::new(&answer, text)
}
