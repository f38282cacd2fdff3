//! `/api/v1/citations`: the markers of a text, the sources of a tool's result, and what a model is told of them.

pub(crate) mod ground;
pub(crate) mod stored;
pub(crate) mod verify;

use axum::extract::State;
use ibid_citations::{
    CompletedToolCall, Ledger, MarkerKind, cited_text,
    formats::{self, CitationAnchor},
    ledger::ResolvedMarkers,
    parse_markers,
    prompt::{GUIDELINES, estimate_prompt_tokens, format_sources},
    strip_markers,
};
use ibid_claims::{Claim, extract_claims};
use ibid_domain::{Code, Problem, Span};

pub(super) use self::{
    ground::{__path_ground, ground},
    stored::{__path_of_message, __path_stats, of_message, stats},
    verify::{__path_verify, verify},
};

use super::{
    Server,
    extract::{Caller, Json},
    problem::ApiResult,
};
use crate::wire::{
    Problem as WireProblem,
    citations::{
        ExtractAnswer, ExtractBody, MarkerReference, ParseAnswer, ParseBody, ParsedCitation, PromptAnswer, PromptBody,
        numbered_sources,
    },
};

/// The longest id of a call, in characters, like that of a message.
const LONGEST_ID: usize = 255;

/// Find the citations of a text
///
/// Every marker with its place, which sources it names, the numbers that name none, and the text without markers.
#[utoipa::path(
    post, path = "/api/v1/citations/parse", tag = "citations", operation_id = "parse_citations",
    request_body = ParseBody,
    responses(
        (status = 200, description = "What the text cites", body = ParseAnswer),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn parse(_caller: Caller, Json(body): Json<ParseBody>) -> ApiResult<axum::Json<ParseAnswer>> {
    Ok(axum::Json(ibid_app::run_blocking(move || parse_citations(body)).await?))
}

fn parse_citations(body: ParseBody) -> ParseAnswer {
    let ParseBody { text, sources, format, units } = body;
    let is_told = sources.is_some();
    let ledger = Ledger::from_sources(sources.unwrap_or_default().into_iter().map(Into::into));
    let markers = parse_markers(&text);
    let resolved = ledger.resolve_markers(&text, &markers);
    // References are in the order of the markers that they are of.
    let mut references = resolved.references.iter().peekable();
    let mut citations = Vec::with_capacity(markers.len());
    let mut names_source = Vec::with_capacity(markers.len());
    for marker in &markers {
        let reference = references.next_if(|reference| reference.span == marker.span);
        names_source.push(reference.is_some());
        citations.push(ParsedCitation::new(&text, marker, reference));
    }
    let mut names_source = names_source.into_iter();
    // Where the sources are known, brackets that name none of them are prose.
    let stripped = strip_markers(&text, &markers, |marker| {
        let names_source = names_source.next().unwrap_or_default();
        !is_told || names_source || !matches!(marker.kind, MarkerKind::Label(_))
    });
    let formatted = format.map(|format| {
        let anchors = citation_anchors(&ledger, &resolved, &extract_claims(&cited_text(&text, &markers)));
        formats::render_message(&text, &anchors, format.into(), units.into())
    });
    ParseAnswer {
        formatted,
        citations,
        references: resolved.references.into_iter().enumerate().map(MarkerReference::from).collect(),
        dangling: resolved.dangling,
        dangling_ids: resolved.dangling_ids,
        sources: numbered_sources(&ledger),
        stripped,
    }
}

/// Builds an anchor for each citation: its offsets, and the details of the source it cites.
fn citation_anchors(ledger: &Ledger, resolved: &ResolvedMarkers, claims: &[Claim]) -> Vec<CitationAnchor> {
    let mut anchors = Vec::new();
    for reference in &resolved.references {
        let claim = claims.iter().map(|claim| claim.span).find(|span| span.overlaps(reference.span));
        for entry in reference.numbers.iter().filter_map(|number| ledger.get(*number)) {
            let source = &entry.source;
            anchors.push(CitationAnchor {
                marker: reference.span,
                claim,
                number: entry.number,
                source_id: Some(source.source_id.as_ref().unwrap_or(&source.id).clone()),
                title: source.display_name().to_owned(),
                url: source.uri.clone().filter(|uri| uri.starts_with("http")),
                media_type: source.mime_type.clone().unwrap_or_else(|| "application/octet-stream".to_owned()),
                text_sha256: source.content_hash.clone(),
                quote: source.snippet.clone().unwrap_or_default(),
                span: source.start_char.zip(source.end_char).map(|(start, end)| Span::new(start, end)),
                prefix: String::new(),
                suffix: String::new(),
                pages: source.page_number.map(|page| (page, page)),
            });
        }
    }
    anchors
}

/// Find the sources of a tool's result
///
/// A result that does not fit gives no source and a warning, never an error: an agent's run goes on.
#[utoipa::path(
    post, path = "/api/v1/citations/extract", tag = "citations", operation_id = "extract_citation_sources",
    request_body = ExtractBody,
    responses(
        (status = 200, description = "What can be cited", body = ExtractAnswer),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn extract(
    State(server): State<Server>,
    _caller: Caller,
    Json(body): Json<ExtractBody>,
) -> ApiResult<axum::Json<ExtractAnswer>> {
    checked_call(&body)?;
    let registry = server.app.extractors();
    let found = ibid_app::run_blocking(move || {
        let ExtractBody { tool_name, request_id, parameters, output } = &body;
        registry.extract(&CompletedToolCall { tool_name, request_id, parameters, output })
    })
    .await?;
    if let Some(warning) = &found.warning {
        tracing::warn!("no sources in the result of {warning}");
    }
    let sources = found.sources.into_iter().map(Into::into).collect();
    Ok(axum::Json(ExtractAnswer { sources, warning: found.warning }))
}

/// Refuses a call without a name or an id.
pub(crate) fn checked_call(body: &ExtractBody) -> Result<(), Problem> {
    for (field, value) in [("tool_name", &body.tool_name), ("request_id", &body.request_id)] {
        let length = value.chars().count();
        if !(1..=LONGEST_ID).contains(&length) {
            let detail = format!("{field} has {length} characters; it takes 1 to {LONGEST_ID}");
            return Err(Problem::new(Code::InvalidField, detail).with_field(field));
        }
    }
    Ok(())
}

/// Say to a model what it can cite
///
/// How to cite, and the sources as a numbered list that keeps to a budget of tokens.
#[utoipa::path(
    post, path = "/api/v1/citations/prompt", tag = "citations", operation_id = "citation_prompt",
    request_body = PromptBody,
    responses(
        (status = 200, description = "The texts", body = PromptAnswer),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn build_prompt(_caller: Caller, Json(body): Json<PromptBody>) -> ApiResult<axum::Json<PromptAnswer>> {
    let answer = ibid_app::run_blocking(move || {
        let ledger = Ledger::from_sources(body.sources.into_iter().map(Into::into));
        let list = format_sources(&ledger, body.token_budget as usize);
        PromptAnswer {
            guidelines: GUIDELINES,
            tokens: estimate_prompt_tokens(&list),
            list,
            sources: numbered_sources(&ledger),
        }
    });
    Ok(axum::Json(answer.await?))
}
