//! `/api/v1/citations/verify`

use axum::extract::State;
use ibid_app::{App, Scope};
use ibid_claims::verify::{Support, claim_of_answer};
use ibid_domain::{Code, Problem};

use super::super::{
    Server,
    extract::{Caller, Json},
    problem::ApiResult,
    runs::{conversations::message_id, run_id},
};
use crate::wire::{
    Problem as WireProblem,
    verification::{CheckMethod, ClaimPassagePair, VerifiedPair, VerifyAnswer, VerifyBody},
};

/// The most pairs that one call takes.
const MOST_PAIRS: usize = 1000;

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
            let claim = |pair: &ClaimPassagePair| match &pair.question {
                Some(question) => claim_of_answer(question, &pair.claim).into_owned(),
                None => pair.claim.clone(),
            };
            let claims: Vec<String> = pairs.iter().map(claim).collect();
            let borrowed: Vec<_> =
                claims.iter().zip(&pairs).map(|(claim, pair)| (claim.as_str(), pair.passage.as_str())).collect();
            let (found, by_meaning) = app.check_pairs(&borrowed).await;
            let quoted = |(support, pair): (Support, &ClaimPassagePair)| {
                let quote = support.quote.and_then(|span| span.slice_of(&pair.passage)).map(str::to_owned);
                VerifiedPair::new(support, quote)
            };
            let pairs = found.into_iter().zip(&pairs).map(quoted).collect();
            let method = CheckMethod::from_meaning(by_meaning);
            Ok(VerifyAnswer { claims: None, uncited: None, dangling: None, pairs: Some(pairs), method })
        }
        _ => {
            let detail = "verify takes {text, sources}, {run_id}, {text, run_id}, {message_id} or {pairs: [{claim, passage, question?}]}";
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
