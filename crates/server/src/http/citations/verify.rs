//! `/api/v1/citations/verify`

use axum::extract::State;
use ibid_app::{App, CheckedCitation, CheckedText, Scope};
use ibid_claims::{Claim, verify::Support};
use ibid_domain::{Code, Problem};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    super::{
        Server,
        extract::{Caller, Json},
        problem::ApiResult,
        runs::{conversations::message_id, run_id},
        wire::Problem as WireProblem,
    },
    wire::CitationSource,
};

/// The most pairs that one call takes.
const MOST_PAIRS: usize = 1000;

/// A text with the sources that it cites, or claims with a passage each.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerifyBody {
    /// A text whose markers name the sources.
    text: Option<String>,
    /// The sources. What they say is taken from the library if `source_id` names one of its sources, else from
    /// `full_content` or `snippet`.
    sources: Option<Vec<CitationSource>>,
    /// A run whose sources the text cites; without a text, its answer is checked.
    run_id: Option<String>,
    /// A message that is kept, to be checked again.
    message_id: Option<String>,
    /// Claims to check against a passage each, instead of a text.
    pairs: Option<Vec<ClaimPassagePair>>,
}

/// A claim and the passage that is to support it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimPassagePair {
    /// Claim to check against the passage.
    claim: String,
    /// Passage that should support the claim.
    passage: String,
}

/// Results of checking the citations of a text.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerifyAnswer {
    /// The claims of the text that cite something.
    #[serde(skip_serializing_if = "Option::is_none")]
    claims: Option<Vec<VerifiedClaim>>,
    /// Statements of fact that cite nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    uncited: Option<Vec<UncitedClaim>>,
    /// Numbers that name no source.
    #[serde(skip_serializing_if = "Option::is_none")]
    dangling: Option<Vec<u32>>,
    /// Result for each of the pairs, in the order of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<Vec<VerifiedPair>>,
    /// Method of the check: `words_and_meaning`, or `words` if no embedding model was available.
    method: &'static str,
}

/// A claim and what its citations come to.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerifiedClaim {
    /// Its words, without markers.
    text: String,
    /// Offset of the claim's first character in the text.
    start_index: usize,
    /// Offset after the claim's last character in the text.
    end_index: usize,
    /// One for each source it cites.
    citations: Vec<VerifiedCitation>,
}

/// Result of checking one citation.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerifiedCitation {
    /// Number of the source in the text.
    number: u32,
    /// The library's source, or else the id that the source was given with.
    source_id: String,
    /// The revision that was read, if it is one of the library.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision_id: Option<String>,
    #[serde(flatten)]
    support: VerifiedPair,
}

/// Result of checking a claim against a passage.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerifiedPair {
    /// `supported`, `partial`, `unsupported`, or `unverifiable` where there is nothing to check against.
    verdict: &'static str,
    /// Confidence that the source supports the claim, from 0 to 1.
    score: f32,
    /// The words that come closest.
    quote: Option<String>,
    /// Offset of the quote's first character in the checked text; null if nothing comes close.
    start_char: Option<usize>,
    /// Offset after the quote's last character in the checked text; null if nothing comes close.
    end_char: Option<usize>,
    /// Reasons that speak against the claim, such as a figure that is not in the source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<&'static str>,
}

impl VerifiedPair {
    fn new(support: Support, quote: Option<String>) -> Self {
        Self {
            verdict: support.verdict.as_str(),
            score: (support.score * 1e4).round() / 1e4,
            quote,
            start_char: support.quote.map(|span| span.start),
            end_char: support.quote.map(|span| span.end),
            reasons: support.reasons,
        }
    }
}

impl From<CheckedCitation> for VerifiedCitation {
    fn from(citation: CheckedCitation) -> Self {
        let CheckedCitation { number, cited_id, of, support, quote } = citation;
        Self {
            number,
            source_id: of.map_or(cited_id, |(source, _)| source.to_string()),
            revision_id: of.map(|(_, revision)| revision.to_string()),
            support: VerifiedPair::new(support, quote),
        }
    }
}

/// A statement of fact that cites nothing.
#[derive(Serialize, ToSchema)]
pub(crate) struct UncitedClaim {
    /// Text of the claim, as it stands in the text.
    pub(super) text: String,
    /// Offset of the claim's first character in the text.
    start_index: usize,
    /// Offset after the claim's last character in the text.
    end_index: usize,
}

impl From<Claim> for UncitedClaim {
    fn from(claim: Claim) -> Self {
        Self { text: claim.text, start_index: claim.span.start, end_index: claim.span.end }
    }
}

pub(super) const fn check_method_name(by_meaning: bool) -> &'static str {
    if by_meaning { "words_and_meaning" } else { "words" }
}

impl From<CheckedText> for VerifyAnswer {
    fn from(checked: CheckedText) -> Self {
        let claim = |one: ibid_app::CheckedClaim| VerifiedClaim {
            text: one.claim.text,
            start_index: one.claim.span.start,
            end_index: one.claim.span.end,
            citations: one.citations.into_iter().map(Into::into).collect(),
        };
        Self {
            claims: Some(checked.claims.into_iter().map(claim).collect()),
            uncited: Some(checked.uncited.into_iter().map(Into::into).collect()),
            dangling: Some(checked.dangling),
            pairs: None,
            method: check_method_name(checked.by_meaning),
        }
    }
}

impl VerifyAnswer {
    /// Each check in words: the claim, the source's number, the verdict and the quote.
    pub(crate) fn iter_checks(&self) -> impl Iterator<Item = (&str, Option<u32>, &str, Option<&str>)> {
        let claims = self.claims.iter().flatten().flat_map(|claim| {
            claim
                .citations
                .iter()
                .map(|one| (claim.text.as_str(), Some(one.number), one.support.verdict, one.support.quote.as_deref()))
        });
        let pairs = self.pairs.iter().flatten().map(|pair| ("the claim", None, pair.verdict, pair.quote.as_deref()));
        claims.chain(pairs)
    }

    /// The words of the statements that cite nothing.
    pub(crate) fn uncited_texts(&self) -> impl Iterator<Item = &str> {
        self.uncited.iter().flatten().map(|claim| claim.text.as_str())
    }
}

/// Checks a text or pairs: for HTTP and MCP alike.
pub(crate) async fn check_citations(app: &App, scope: &Scope, body: VerifyBody) -> ibid_app::Result<VerifyAnswer> {
    match body {
        VerifyBody { text: Some(text), sources: Some(sources), run_id: None, message_id: None, pairs: None } => {
            let sources = sources.into_iter().map(Into::into).collect();
            Ok(app.citations(scope).check_text(&text, sources).await?.into())
        }
        VerifyBody { text, sources: None, run_id: Some(run), message_id: None, pairs: None } => {
            Ok(app.runs(scope).check(run_id(&run)?, text.as_deref()).await?.into())
        }
        VerifyBody { text: None, sources: None, run_id: None, message_id: Some(message), pairs: None } => {
            Ok(app.runs(scope).check_message(&message_id(&message)?).await?.into())
        }
        VerifyBody { text: None, sources: None, run_id: None, message_id: None, pairs: Some(pairs) } => {
            if pairs.len() > MOST_PAIRS {
                let detail = format!("{} pairs came; one call takes at most {MOST_PAIRS}", pairs.len());
                return Err(Problem::new(Code::InvalidField, detail).with_field("pairs").into());
            }
            let borrowed: Vec<_> = pairs.iter().map(|pair| (pair.claim.as_str(), pair.passage.as_str())).collect();
            let (found, by_meaning) = app.check_pairs(&borrowed).await;
            let quoted = |(support, pair): (Support, &ClaimPassagePair)| {
                let quote = support.quote.and_then(|span| span.slice_of(&pair.passage)).map(str::to_owned);
                VerifiedPair::new(support, quote)
            };
            let pairs = found.into_iter().zip(&pairs).map(quoted).collect();
            let method = check_method_name(by_meaning);
            Ok(VerifyAnswer { claims: None, uncited: None, dangling: None, pairs: Some(pairs), method })
        }
        _ => {
            let detail =
                "verify takes {text, sources}, {run_id}, {text, run_id}, {message_id} or {pairs: [{claim, passage}]}";
            Err(Problem::new(Code::InvalidField, detail).into())
        }
    }
}

/// Check what a text says against what it cites
///
/// For each citation the words of the source that come closest, and whether they bear the claim out.
#[utoipa::path(
    post, path = "/api/v1/citations/verify", tag = "citations", operation_id = "verify_citations",
    request_body = VerifyBody,
    responses(
        (status = 200, description = "What the checks come to", body = VerifyAnswer),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn verify(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(body): Json<VerifyBody>,
) -> ApiResult<axum::Json<VerifyAnswer>> {
    Ok(axum::Json(check_citations(&server.app, &scope, body).await?))
}
