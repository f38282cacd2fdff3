//! `/api/v1/runs`: answers on their way, and how agents elsewhere report theirs. `/api/v1/conversations` is where they
//! answer.

pub(crate) mod ask;
pub(crate) mod conversations;
pub(crate) mod deliverables;
pub(crate) mod events;
pub(crate) mod wire;

use axum::{
    body::Body,
    extract::{Request, State},
    http::{StatusCode, header},
};
use futures::StreamExt;
use ibid_app::{Follows, NewRun, Response, SubagentResult};
use ibid_citations::{
    Ledger, ToolCall,
    prompt::{GUIDELINES, format_sources},
};
use ibid_domain::{Code, Message, MessageId, Problem, RunId, problem::shown};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use self::{
    conversations::conversation_id,
    wire::{Renumbered, Run, RunAnswer, RunSources, SubagentAnswer, Usage},
};
use super::{
    Server,
    citations::{
        checked_call,
        wire::{CitationSource, ExtractBody, numbered},
    },
    extract::{Caller, Json, Path, Query, check_json_type, parse_json, read_body},
    problem::ApiResult,
    wire::Problem as WireProblem,
};

/// How many tokens a list of sources takes if nothing is said.
const PROMPT_TOKENS: usize = 4000;

/// A run that is to begin.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewRunBody {
    /// Where it answers; a new conversation if none is named.
    conversation_id: Option<String>,
    /// What a new conversation is called; else by its question.
    title: Option<String>,
    /// What is asked; kept as a message of the user.
    question: Option<String>,
    /// What that message is called, at most 255 characters; else it gets an id.
    question_id: Option<String>,
    /// What the question follows; else the last message of the conversation.
    parent_message_id: Option<String>,
    /// What the answer is called, at most 255 characters; else it gets an id.
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
pub(super) async fn open(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(body): Json<NewRunBody>,
) -> ApiResult<(StatusCode, axum::Json<Run>)> {
    let new = NewRun {
        conversation: body.conversation_id.as_deref().map(conversation_id).transpose()?,
        title: body.title,
        question: body.question,
        question_id: named(body.question_id.as_deref(), "question_id")?,
        parent: follows(body.parent_message_id.map(Some))?,
        message: named(body.message_id.as_deref(), "message_id")?,
        ..NewRun::external()
    };
    Ok((StatusCode::CREATED, axum::Json(server.app.open_run(&scope, new).await?.into())))
}

/// One run
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
    Ok(axum::Json(server.app.run(&scope, run_id(&id)?).await?.into()))
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
    Ok(axum::Json(server.app.cancel_run(&scope, run_id(&id)?).await?.into()))
}

/// What a run asked back, answered.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Clarification {
    /// The answer.
    text: String,
}

/// Answer what a run asked back
///
/// After its event `clarification_needed`. A run that is not answered within ten minutes goes on without.
#[utoipa::path(
    post, path = "/api/v1/runs/{id}/clarification", tag = "runs", operation_id = "clarify_run",
    params(("id" = String, Path, description = "The run")),
    request_body = Clarification,
    responses(
        (status = 200, description = "It goes on", body = Run),
        (status = 404, description = "There is no such run", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "It has ended, or has not asked", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn clarification(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(body): Json<Clarification>,
) -> ApiResult<axum::Json<Run>> {
    Ok(axum::Json(server.app.clarify(&scope, run_id(&id)?, &body.text).await?.into()))
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
    let call = ToolCall { tool_name, request_id, parameters, output };
    let report = server.app.report_tool(&scope, run_id(&id)?, &call).await?;
    let mut sources = numbered(&report.ledger);
    sources.retain(|source| source.number.is_some_and(|number| report.numbers.contains(&number)));
    Ok(axum::Json(RunSources {
        prompt: prompt(&report.ledger, &query),
        numbers: report.numbers,
        sources,
        guidelines: GUIDELINES,
        warning: report.warning,
    }))
}

/// What an agent under the run's own brought.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubagentBody {
    /// Its id.
    sub_agent_id: String,
    /// What it was to do.
    task: Option<String>,
    /// What it wrote, with its own numbers.
    #[serde(default)]
    text: String,
    /// Its sources, numbered as its text does: by `number`, else by their place.
    #[serde(default)]
    sources: Vec<CitationSource>,
    /// Why it gave up, if it did.
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
    let report = server.app.report_subagent(&scope, run_id(&id)?, result).await?;
    let renumbered = report.absorbed.numbers.iter().map(|(from, to)| Renumbered { from: *from, to: *to });
    Ok(axum::Json(SubagentAnswer {
        renumbered: renumbered.collect(),
        prompt: prompt(&report.ledger, &query),
        sources: numbered(&report.ledger),
        text: report.absorbed.text,
        dangling: report.absorbed.dangling,
    }))
}

/// What an agent answers: all of it as `text`, or piece by piece as `delta` and then `done`.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ResponseBody {
    /// All of the answer, which ends the run.
    text: Option<String>,
    /// More words of it. The run goes on, unless `done` is true.
    delta: Option<String>,
    /// Whether all of it was sent.
    done: bool,
    /// What the message is called, at most 255 characters; else as the run was opened with.
    message_id: Option<String>,
    /// What wrote it.
    model: Option<String>,
    /// What that took.
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
    request_body = ResponseBody,
    responses(
        (status = 200, description = "The answer with its evidence", body = RunAnswer),
        (status = 202, description = "A piece was taken", body = Run),
        (status = 404, description = "There is no such run", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "It has ended", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn response(
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
        let answered = server.app.respond(&scope, id, Response::default()).await?;
        return Ok(axum::Json(RunAnswer::from(answered)).into_response());
    }
    check_json_type(request.headers())?;
    let bytes = read_body(request.into_body(), server.config.json_limit_bytes).await?;
    let body: ResponseBody = parse_json(&bytes)?;
    if body.text.is_some() && body.delta.is_some() {
        let detail = "a response is sent whole as text, or in pieces as delta; not both";
        return Err(Problem::new(Code::InvalidField, detail).field("delta").into());
    }
    if let Some(delta) = &body.delta {
        server.app.stream_response(&scope, id, delta).await?;
    }
    if body.text.is_none() && !body.done {
        if body.delta.is_none() {
            let detail = "a response has text, delta or done";
            return Err(Problem::new(Code::InvalidField, detail).field("text").into());
        }
        let run = Run::from(server.app.run(&scope, id).await?);
        return Ok((StatusCode::ACCEPTED, axum::Json(run)).into_response());
    }
    let response = Response {
        text: body.text,
        message: named(body.message_id.as_deref(), "message_id")?,
        model: body.model,
        usage: body.usage.map(Into::into).unwrap_or_default(),
    };
    Ok(axum::Json(RunAnswer::from(server.app.respond(&scope, id, response).await?)).into_response())
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
            server.app.stream_response(scope, id, &text).await?;
        }
    }
    if !held.is_empty() {
        return Err(Problem::new(Code::InvalidBody, "the body ends within a character").into());
    }
    Ok(())
}

fn prompt(ledger: &Ledger, query: &PromptQuery) -> String {
    format_sources(ledger, query.token_budget.unwrap_or(PROMPT_TOKENS))
}

/// An id of a message in a field.
pub(crate) fn named(id: Option<&str>, field: &str) -> Result<Option<MessageId>, Problem> {
    id.map(str::parse).transpose().map_err(|problem: Problem| problem.field(field))
}

/// What a question follows: the last message if nothing is said, nothing if `null` is.
pub(crate) fn follows(said: Option<Option<String>>) -> Result<Follows, Problem> {
    Ok(match said {
        None => Follows::Last,
        Some(None) => Follows::Nothing,
        Some(Some(id)) => Follows::Message(id.parse().map_err(|problem: Problem| problem.field("parent_message_id"))?),
    })
}

/// The id of a run. What is not an id names nothing, so it is not found.
pub(crate) fn run_id(text: &str) -> Result<RunId, Problem> {
    text.parse().map_err(|_| Problem::new(Code::RunNotFound, format!("there is no run '{}'", shown(text))))
}

fn no_conversation(id: &str) -> Problem {
    Problem::new(Code::ConversationNotFound, format!("there is no conversation '{}'", shown(id)))
}

fn no_message(id: &str) -> Problem {
    Problem::new(Code::MessageNotFound, format!("there is no message '{}'", shown(id)))
}
