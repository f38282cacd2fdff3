//! `/api/v1/citations/ground`

use axum::extract::State;
use ibid_app::{App, Grounded, GroundedClaim, Scope};
use ibid_citations::annotate::Style;
use ibid_domain::SearchFilter;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    super::{
        Server,
        extract::{Caller, Json},
        problem::ApiResult,
        search::wire::Filters,
        wire::Problem as WireProblem,
    },
    verify::{UncitedClaim, method},
};

/// A draft to find the sources of.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroundBody {
    /// The draft, plain or in Markdown.
    pub(crate) text: String,
    /// Which passages are looked at.
    pub(crate) filters: Option<Filters>,
    /// How the annotated draft is written. By default markdown.
    #[serde(default)]
    pub(crate) style: GroundStyle,
}

/// How an annotated draft is written.
#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GroundStyle {
    /// Numbers in brackets, and the sources with their quotes below
    #[default]
    Markdown,
    /// A footnote for each claim
    Typst,
}

impl From<GroundStyle> for Style {
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
    /// The sources, by number.
    sources: Vec<BoundSource>,
    /// The draft with the citations put in.
    pub(crate) annotated: String,
    /// How it was checked: `words_and_meaning`, or `words` where no model could tell the meaning.
    method: &'static str,
}

/// A claim and the words of the library that come closest to it.
#[derive(Serialize, ToSchema)]
pub(crate) struct BoundClaim {
    /// Its words.
    text: String,
    /// Where it begins in the draft, in characters.
    start_index: usize,
    /// Where it ends.
    end_index: usize,
    /// The number of the source.
    number: u32,
    /// The source.
    source_id: String,
    /// The revision that the quote is of.
    revision_id: String,
    /// `supported` or `partial`.
    verdict: &'static str,
    /// How sure that the source says it, from 0 to 1.
    score: f32,
    /// Its words.
    quote: String,
    /// Where they begin in the revision's text, in characters.
    start_char: usize,
    /// Where they end.
    end_char: usize,
    /// The page of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    /// What speaks against it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<&'static str>,
}

/// A source that bears out something.
#[derive(Serialize, ToSchema)]
pub(crate) struct BoundSource {
    /// Its number.
    number: u32,
    /// Its id.
    source_id: String,
    /// Its title.
    title: String,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

impl GroundAnswer {
    fn new(text: &str, grounded: Grounded, style: GroundStyle) -> Self {
        let annotated = grounded.annotated(text, style.into());
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
            title: source.title().to_owned(),
            url: source.url,
        };
        let sources = (1..).zip(grounded.sources).map(source).collect();
        Self { claims, unsupported, sources, annotated, method: method(grounded.by_meaning) }
    }

    /// How many claims are supported, are so in part, and are not.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let supported = self.claims.iter().filter(|claim| claim.verdict == "supported").count();
        (supported, self.claims.len() - supported, self.unsupported.len())
    }

    /// The words of the claims that nothing supports.
    pub(crate) fn unsupported(&self) -> impl Iterator<Item = &str> {
        self.unsupported.iter().map(|claim| claim.text.as_str())
    }
}

/// Grounds a draft: for HTTP and the command line alike.
pub(crate) async fn answer(
    app: &App,
    scope: &Scope,
    text: &str,
    filter: &SearchFilter,
    style: GroundStyle,
) -> ibid_app::Result<GroundAnswer> {
    let grounded = app.ground(scope, text, filter).await?;
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
    let filter = body.filters.as_ref().map_or_else(|| Ok(SearchFilter::default()), Filters::filter)?;
    Ok(axum::Json(answer(&server.app, &scope, &body.text, &filter, body.style).await?))
}
