//! `/api/v1/runs`: answers on their way, and how agents elsewhere report theirs. `/api/v1/conversations` is where they
//! answer.

pub(crate) mod ask;
pub(crate) mod conversations;
pub(crate) mod deliverables;
pub(crate) mod events;

use axum::{
    body::Body,
    extract::{Request, State},
    http::{StatusCode, header},
};
use futures::StreamExt;
use ibid_app::{ExternalResponse, NewRun, ParentMessage, SubagentResult};
use ibid_citations::{
    CompletedToolCall, Ledger,
    prompt::{GUIDELINES, format_sources},
};
use ibid_domain::{Code, Message, MessageId, Problem, RunId, problem::shorten_for_error};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use self::conversations::conversation_id;
use super::{
    Server,
    citations::checked_call,
    extract::{Caller, Json, Path, Query, check_json_type, read_body},
    problem::ApiResult,
};
use crate::wire::{
    Problem as WireProblem,
    citations::{CitationSource, ExtractBody, numbered_sources},
    parse::parse_json,
    runs::{RenumberedSource, Run, RunAnswer, RunSources, SubagentAnswer, Usage},
};

/// Default limit for a list of sources in a prompt, in tokens.
const PROMPT_TOKENS: usize = 4000;

/// Request to open a run, optionally with a question.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewRunBody {
    /// Id of the conversation to answer in; default: a new conversation.
    conversation_id: Option<String>,
    /// Title of a new conversation; default: made from its question.
    title: Option<String>,
    /// Question of the user, stored as a message.
    question: Option<String>,
    /// Id of the question's message, at most 255 characters; default: a generated id.
    question_id: Option<String>,
    /// Id of the message that the question follows; default: the last message of the conversation.
    parent_message_id: Option<String>,
    /// Id of the answer's message, at most 255 characters; default: a generated id.
    message_id: Option<String>,
}

/// Open a run
///
/// For an agent of your own: report what its tools return, get numbered sources and the prompt for them, report the
/// response, get checked and kept citations.
#[utoipa::path(
    post, path = "/api/v1/runs", tag = "runs", operation_id = "open_run",
    request_body = NewRunBody,
    responses(
        (status = 201, description = "Opened", body = Run),
        (status = 404, description = "There is no such conversation", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "There is a message of that id", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn open_run(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(body): Json<NewRunBody>,
) -> ApiResult<(StatusCode, axum::Json<Run>)> {
    let new = NewRun {
        conversation: body.conversation_id.as_deref().map(conversation_id).transpose()?,
        title: body.title,
        question: body.question,
        question_id: parse_message_id(body.question_id.as_deref(), "question_id")?,
        parent: parse_parent(body.parent_message_id.map(Some))?,
        message: parse_message_id(body.message_id.as_deref(), "message_id")?,
        ..NewRun::external()
    };
    Ok((StatusCode::CREATED, axum::Json(server.app.runs(&scope).open(new).await?.into())))
}

/// Get the state of a run by its id
#[utoipa::path(
    get, path = "/api/v1/runs/{id}", tag = "runs", operation_id = "get_run",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "The run", body = Run),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get_one(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<Run>> {
    Ok(axum::Json(server.app.runs(&scope).get(run_id(&id)?).await?.into()))
}

/// Stop a run
///
/// What there is of an answer is kept.
#[utoipa::path(
    post, path = "/api/v1/runs/{id}/cancel", tag = "runs", operation_id = "cancel_run",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "It was asked to stop", body = Run),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "It has ended", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn cancel(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<Run>> {
    Ok(axum::Json(server.app.runs(&scope).cancel(run_id(&id)?).await?.into()))
}

/// Answer to a question that a run asked the user.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClarificationBody {
    /// Text that the user answers with.
    text: String,
}

/// Answer what a run asked back
///
/// After its event `clarification_needed`. A run that is not answered within ten minutes goes on without.
#[utoipa::path(
    post, path = "/api/v1/runs/{id}/clarification", tag = "runs", operation_id = "clarify_run",
    params(("id" = String, Path, description = "The run")),
    request_body = ClarificationBody,
    responses(
        (status = 200, description = "It goes on", body = Run),
        (status = 404, description = "There is no such run", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "It has ended, or has not asked", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn answer_clarification(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(body): Json<ClarificationBody>,
) -> ApiResult<axum::Json<Run>> {
    Ok(axum::Json(server.app.runs(&scope).clarify(run_id(&id)?, &body.text).await?.into()))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PromptQuery {
    /// The most tokens that `prompt` may take; 4000 if not said.
    token_budget: Option<usize>,
}

/// Report what a tool returned
///
/// What it lets one cite gets numbers: sources of the same work share one. A result that does not fit gives no source
/// and a warning.
#[utoipa::path(
    post, path = "/api/v1/runs/{id}/tool-results", tag = "runs", operation_id = "report_tool_result",
    params(("id" = String, Path, description = "The run"), PromptQuery),
    request_body = ExtractBody,
    responses(
        (status = 200, description = "The sources, numbered", body = RunSources),
        (status = 404, description = "There is no such run", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "It has ended", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn tool_results(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(query): Query<PromptQuery>,
    Json(body): Json<ExtractBody>,
) -> ApiResult<axum::Json<RunSources>> {
    checked_call(&body)?;
    let ExtractBody { tool_name, request_id, parameters, output } = &body;
    let call = CompletedToolCall { tool_name, request_id, parameters, output };
    let report = server.app.runs(&scope).report_tool(run_id(&id)?, &call).await?;
    let mut sources = numbered_sources(&report.ledger);
    sources.retain(|source| source.number.is_some_and(|number| report.numbers.contains(&number)));
    Ok(axum::Json(RunSources {
        prompt: sources_prompt(&report.ledger, &query),
        numbers: report.numbers,
        sources,
        guidelines: GUIDELINES,
        warning: report.warning,
    }))
}

/// Result of a sub-agent of the run.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubagentBody {
    /// Id of the sub-agent within the run.
    sub_agent_id: String,
    /// Task that the sub-agent was given.
    task: Option<String>,
    /// Text by the sub-agent, with its own source numbers.
    #[serde(default)]
    text: String,
    /// Its sources, numbered as its text does: by `number`, else by their place.
    #[serde(default)]
    sources: Vec<CitationSource>,
    /// Reason why the sub-agent failed; null if it succeeded.
    error: Option<String>,
}

/// Report what an agent under the run's own brought
///
/// Its sources become the run's, one number for each work, and the numbers in its text are rewritten to match.
#[utoipa::path(
    post, path = "/api/v1/runs/{id}/subagent-results", tag = "runs", operation_id = "report_subagent_result",
    params(("id" = String, Path, description = "The run"), PromptQuery),
    request_body = SubagentBody,
    responses(
        (status = 200, description = "Its text with the run's numbers", body = SubagentAnswer),
        (status = 404, description = "There is no such run", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "It has ended", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn subagent_results(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(query): Query<PromptQuery>,
    Json(body): Json<SubagentBody>,
) -> ApiResult<axum::Json<SubagentAnswer>> {
    let result = SubagentResult {
        agent: body.sub_agent_id,
        task: body.task,
        text: body.text,
        sources: body.sources.into_iter().map(Into::into).collect(),
        error: body.error,
    };
    let report = server.app.runs(&scope).report_subagent(run_id(&id)?, result).await?;
    let renumbered = report.absorbed.numbers.iter().map(|(from, to)| RenumberedSource { from: *from, to: *to });
    Ok(axum::Json(SubagentAnswer {
        renumbered: renumbered.collect(),
        prompt: sources_prompt(&report.ledger, &query),
        sources: numbered_sources(&report.ledger),
        text: report.absorbed.text,
        dangling: report.absorbed.dangling,
    }))
}

/// Answer of an external agent: all of it as `text`, or in pieces as `delta` and then `done`.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ReportedResponse {
    /// All of the answer, which ends the run.
    text: Option<String>,
    /// More words of it. The run goes on, unless `done` is true.
    delta: Option<String>,
    /// True if the answer is complete.
    done: bool,
    /// Id of the answer's message, at most 255 characters; default: the id that the run was opened with.
    message_id: Option<String>,
    /// Name of the model that wrote the answer.
    model: Option<String>,
    /// Tokens and cost of writing the answer.
    usage: Option<Usage>,
}

/// Report the response
///
/// `{text}` is all of it: it is checked against the run's sources, its citations are kept, and the run ends. `{delta}`
/// is a piece, `{done: true}` the end of pieces. A body of `text/plain` is streamed on to those who watch the run as it
/// comes, and ends the run with its end.
#[utoipa::path(
    post, path = "/api/v1/runs/{id}/response", tag = "runs", operation_id = "report_response",
    params(("id" = String, Path, description = "The run")),
    request_body = ReportedResponse,
    responses(
        (status = 200, description = "The answer with its evidence", body = RunAnswer),
        (status = 202, description = "A piece was taken", body = Run),
        (status = 404, description = "There is no such run", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "It has ended", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn report_response(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    request: Request,
) -> ApiResult<axum::response::Response> {
    use axum::response::IntoResponse;
    let id = run_id(&id)?;
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/plain") {
        stream_in(&server, &scope, id, request.into_body()).await?;
        let answered = server.app.runs(&scope).submit_response(id, ExternalResponse::default()).await?;
        return Ok(axum::Json(RunAnswer::from(answered)).into_response());
    }
    check_json_type(request.headers())?;
    let bytes = read_body(request.into_body(), server.config.json_limit_bytes).await?;
    let body: ReportedResponse = parse_json(&bytes)?;
    if body.text.is_some() && body.delta.is_some() {
        let detail = "a response is sent whole as text, or in pieces as delta; not both";
        return Err(Problem::new(Code::InvalidField, detail).with_field("delta").into());
    }
    if let Some(delta) = &body.delta {
        server.app.runs(&scope).stream_response(id, delta).await?;
    }
    if body.text.is_none() && !body.done {
        if body.delta.is_none() {
            let detail = "a response has text, delta or done";
            return Err(Problem::new(Code::InvalidField, detail).with_field("text").into());
        }
        let run = Run::from(server.app.runs(&scope).get(id).await?);
        return Ok((StatusCode::ACCEPTED, axum::Json(run)).into_response());
    }
    let response = ExternalResponse {
        text: body.text,
        message: parse_message_id(body.message_id.as_deref(), "message_id")?,
        model: body.model,
        usage: body.usage.map(Into::into).unwrap_or_default(),
    };
    Ok(axum::Json(RunAnswer::from(server.app.runs(&scope).submit_response(id, response).await?)).into_response())
}

/// Takes a body as pieces of an answer, cut anywhere, also within a character.
async fn stream_in(server: &Server, scope: &ibid_app::Scope, id: RunId, body: Body) -> ApiResult<()> {
    let mut pieces = body.into_data_stream();
    let (mut held, mut taken) = (Vec::new(), 0);
    let idle = server.config.idle_timeout();
    loop {
        let piece = tokio::time::timeout(idle, pieces.next())
            .await
            .map_err(|_| Problem::new(Code::Timeout, format!("nothing came for {} seconds", idle.as_secs())))?;
        let Some(piece) = piece else { break };
        let broken = |error| Problem::new(Code::InvalidBody, format!("the body could not be read: {error}"));
        let piece = piece.map_err(broken)?;
        taken += piece.len();
        if taken > Message::LARGEST {
            let detail = format!("a message has at most {} bytes", Message::LARGEST);
            return Err(Problem::new(Code::BodyTooLarge, detail).into());
        }
        held.extend_from_slice(&piece);
        let whole = match std::str::from_utf8(&held) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Err(Problem::new(Code::InvalidBody, "the body is not UTF-8").into()),
        };
        if whole > 0 {
            let text = String::from_utf8_lossy(&held[..whole]).into_owned();
            held.drain(..whole);
            server.app.runs(scope).stream_response(id, &text).await?;
        }
    }
    if !held.is_empty() {
        return Err(Problem::new(Code::InvalidBody, "the body ends within a character").into());
    }
    Ok(())
}

fn sources_prompt(ledger: &Ledger, query: &PromptQuery) -> String {
    format_sources(ledger, query.token_budget.unwrap_or(PROMPT_TOKENS))
}

/// An id of a message in a field.
pub(crate) fn parse_message_id(id: Option<&str>, field: &str) -> Result<Option<MessageId>, Problem> {
    id.map(str::parse).transpose().map_err(|problem: Problem| problem.with_field(field))
}

/// Resolves the parent of a question: the last message if the field is missing, none if it is `null`.
pub(crate) fn parse_parent(said: Option<Option<String>>) -> Result<ParentMessage, Problem> {
    Ok(match said {
        None => ParentMessage::Last,
        Some(None) => ParentMessage::Nothing,
        Some(Some(id)) => {
            ParentMessage::Message(id.parse().map_err(|problem: Problem| problem.with_field("parent_message_id"))?)
        }
    })
}

/// The id of a run. What is not an id names nothing, so it is not found.
pub(crate) fn run_id(text: &str) -> Result<RunId, Problem> {
    text.parse().map_err(|_| Problem::new(Code::RunNotFound, format!("there is no run '{}'", shorten_for_error(text))))
}

fn no_conversation(id: &str) -> Problem {
    Problem::new(Code::ConversationNotFound, format!("there is no conversation '{}'", shorten_for_error(id)))
}

fn no_message(id: &str) -> Problem {
    Problem::new(Code::MessageNotFound, format!("there is no message '{}'", shorten_for_error(id)))
}
