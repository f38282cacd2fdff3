//! `/api/v1/suggestions`

use axum::extract::State;
use ibid_domain::{Code, Problem};
use ibid_language::Language;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Server,
    extract::{Caller, Query},
    problem::ApiResult,
};
use crate::wire::Problem as WireProblem;

/// The most questions that are suggested at once; each is tried before it is sent.
const MOST: i64 = 10;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SuggestionQuery {
    /// Maximum number of questions, 1 to 10; default 3.
    #[param(minimum = 1, maximum = 10, default = 3)]
    limit: Option<i64>,
    /// ISO 639-1 code of the language of the questions: en, de, fr, es, it, nl or pt; default en.
    language: Option<String>,
}

/// Questions that the library can answer.
#[derive(Serialize, ToSchema)]
pub(super) struct SuggestedQuestions {
    /// Questions about what the sources say, made of their titles and headings and of the people in them.
    questions: Vec<String>,
}

/// Suggest questions
///
/// Questions that one can ask of the sources of the library, about the newest first. Each of them is answered with words
/// of a source, without a model. Empty if the library has nothing to quote.
#[utoipa::path(
    get, path = "/api/v1/suggestions", tag = "runs", operation_id = "list_suggestions",
    params(SuggestionQuery),
    responses(
        (status = 200, description = "The questions", body = SuggestedQuestions),
        (status = 422, description = "A parameter is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn list(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<SuggestionQuery>,
) -> ApiResult<axum::Json<SuggestedQuestions>> {
    let limit = query.limit.unwrap_or(3);
    let most = usize::try_from(limit).ok().filter(|_| (1..=MOST).contains(&limit)).ok_or_else(|| {
        Problem::new(Code::InvalidQuery, format!("limit is {limit}; it takes a number from 1 to {MOST}"))
            .with_field("limit")
    })?;
    let language = match query.language.as_deref() {
        None => None,
        Some(code) => Some(Language::from_code(code).ok_or_else(|| {
            Problem::new(Code::InvalidQuery, "language takes an ISO 639-1 code such as en or de").with_field("language")
        })?),
    };
    let questions = server.app.runs(&scope).suggested_questions(language, most).await?;
    Ok(axum::Json(SuggestedQuestions { questions }))
}
