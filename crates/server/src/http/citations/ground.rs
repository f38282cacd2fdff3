//! `/api/v1/citations/ground`

use axum::extract::State;
use ibid_app::{App, GroundedClaim, GroundedText, Scope};
use ibid_citations::annotate::AnnotationFormat;
use ibid_domain::SearchFilter;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    super::{
        Server,
        extract::{Caller, Json},
        problem::ApiResult,
        search::wire::SearchFilters,
        wire::Problem as WireProblem,
    },
    verify::{UncitedClaim, check_method_name},
};

/// A draft to find the sources of.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroundBody {
    /// The draft, plain or in Markdown.
    pub(crate) text: String,
    /// Limits the passages that are searched.
    pub(crate) filters: Option<SearchFilters>,
    /// Format of the annotated draft; default `markdown`.
    #[serde(default)]
    pub(crate) style: GroundStyle,
}

/// Format of an annotated draft.
#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GroundStyle {
    /// Numbers in brackets, and the sources with their quotes below
    #[default]
    Markdown,
    /// A Typst footnote for each claim
    Typst,
}

impl From<GroundStyle> for AnnotationFormat {
    fn from(style: GroundStyle) -> Self {
        match style {
            GroundStyle::Markdown => Self::Markdown,
            GroundStyle::Typst => Self::Typst,
        }
    }
}

/// A draft with its claims bound to the library.
#[derive(Serialize, ToSchema)]
pub(crate) struct GroundAnswer {
    /// The claims that the library bears out, wholly or in part.
    claims: Vec<BoundClaim>,
    /// The claims that nothing in it supports.
    unsupported: Vec<UncitedClaim>,
    /// Sources of the claims, ordered by number.
    sources: Vec<BoundSource>,
    /// The draft with the citations put in.
    pub(crate) annotated: String,
    /// Method of the check: `words_and_meaning`, or `words` if no embedding model was available.
    method: &'static str,
}

/// A claim and the words of the library that come closest to it.
#[derive(Serialize, ToSchema)]
pub(crate) struct BoundClaim {
    /// Text of the claim, as it stands in the draft.
    text: String,
    /// Offset of the claim's first character in the draft.
    start_index: usize,
    /// Offset after the claim's last character in the draft.
    end_index: usize,
    /// Number of the source in `sources`.
    number: u32,
    /// Id of the source that comes closest.
    source_id: String,
    /// The revision that the quote is of.
    revision_id: String,
    /// Result of the check: `supported` or `partial`.
    verdict: &'static str,
    /// Confidence that the source supports the claim, from 0 to 1.
    score: f32,
    /// Words of the source that come closest to the claim.
    quote: String,
    /// Offset of the quote's first character in the text of the revision.
    start_char: usize,
    /// Offset after the quote's last character in the text of the revision.
    end_char: usize,
    /// Page that the quote begins on, from 1; left out if the source has no pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    /// Reasons that speak against the claim, such as a figure that is not in the source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<&'static str>,
}

/// A source that bears out something.
#[derive(Serialize, ToSchema)]
pub(crate) struct BoundSource {
    /// Number of the source in the annotated draft, from 1.
    number: u32,
    /// Id of the source, a UUID.
    source_id: String,
    /// Title, as people see it.
    title: String,
    /// Web address of the source; left out if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

impl GroundAnswer {
    fn new(text: &str, grounded: GroundedText, style: GroundStyle) -> Self {
        let annotated = grounded.annotate_draft(text, style.into());
        let (mut claims, mut unsupported) = (Vec::new(), Vec::new());
        for GroundedClaim { claim, found } in grounded.claims {
            let Some(found) = found else {
                unsupported.push(claim.into());
                continue;
            };
            claims.push(BoundClaim {
                text: claim.text,
                start_index: claim.span.start,
                end_index: claim.span.end,
                number: found.number,
                source_id: found.source.to_string(),
                revision_id: found.revision.to_string(),
                verdict: found.support.verdict.as_str(),
                score: (found.support.score * 1e4).round() / 1e4,
                quote: found.quote,
                start_char: found.span.start,
                end_char: found.span.end,
                page: found.page,
                reasons: found.support.reasons,
            });
        }
        let source = |(number, source): (u32, ibid_domain::Source)| BoundSource {
            number,
            source_id: source.id.to_string(),
            title: source.display_title().to_owned(),
            url: source.url,
        };
        let sources = (1..).zip(grounded.sources).map(source).collect();
        Self { claims, unsupported, sources, annotated, method: check_method_name(grounded.by_meaning) }
    }

    /// Returns the numbers of supported, partly supported and unsupported claims.
    pub(crate) fn verdict_counts(&self) -> (usize, usize, usize) {
        let supported = self.claims.iter().filter(|claim| claim.verdict == "supported").count();
        (supported, self.claims.len() - supported, self.unsupported.len())
    }

    /// The words of the claims that nothing supports.
    pub(crate) fn unsupported_texts(&self) -> impl Iterator<Item = &str> {
        self.unsupported.iter().map(|claim| claim.text.as_str())
    }
}

/// Grounds a draft: for HTTP and the command line alike.
pub(crate) async fn ground_draft(
    app: &App,
    scope: &Scope,
    text: &str,
    filter: &SearchFilter,
    style: GroundStyle,
) -> ibid_app::Result<GroundAnswer> {
    let grounded = app.citations(scope).ground_text(text, filter).await?;
    Ok(GroundAnswer::new(text, grounded, style))
}

/// Find the sources of a draft
///
/// Each statement is bound to the passage of the library that says it best, or listed as unsupported.
#[utoipa::path(
    post, path = "/api/v1/citations/ground", tag = "citations", operation_id = "ground_text",
    request_body = GroundBody,
    responses(
        (status = 200, description = "The claims and what supports them", body = GroundAnswer),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn ground(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(body): Json<GroundBody>,
) -> ApiResult<axum::Json<GroundAnswer>> {
    let filter = body.filters.as_ref().map_or_else(|| Ok(SearchFilter::default()), SearchFilters::to_filter)?;
    Ok(axum::Json(ground_draft(&server.app, &scope, &body.text, &filter, body.style).await?))
}
