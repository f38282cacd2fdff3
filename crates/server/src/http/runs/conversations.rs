//! `/api/v1/conversations` and `/api/v1/messages`

use axum::{extract::State, http::StatusCode};
use ibid_domain::{ConversationId, MessageId, Problem};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    super::{
        Server,
        extract::{Caller, Json, Paging, Path},
        problem::ApiResult,
    },
    no_conversation, no_message,
};
use crate::wire::{
    Page, Problem as WireProblem,
    runs::{Conversation, Message},
};

/// A conversation that is to begin.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewConversation {
    /// Title of the conversation; default: made from its first question.
    title: Option<String>,
}

/// Create an empty conversation
#[utoipa::path(
    post, path = "/api/v1/conversations", tag = "conversations", operation_id = "create_conversation",
    request_body = NewConversation,
    responses(
        (status = 201, description = "Begun", body = Conversation),
        (status = 422, description = "Something is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn create(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(new): Json<NewConversation>,
) -> ApiResult<(StatusCode, axum::Json<Conversation>)> {
    let said = server.app.conversations(&scope).create(new.title.as_deref()).await?;
    Ok((StatusCode::CREATED, axum::Json(said.into())))
}

/// List conversations, the latest first
#[utoipa::path(
    get, path = "/api/v1/conversations", tag = "conversations", operation_id = "list_conversations",
    params(Paging),
    responses((status = 200, description = "One page", body = Page<Conversation>)),
)]
pub(in super::super) async fn list(
    State(server): State<Server>,
    Caller(scope): Caller,
    super::super::extract::Query(paging): super::super::extract::Query<Paging>,
) -> ApiResult<axum::Json<Page<Conversation>>> {
    let page = server.app.conversations(&scope).list(paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(Page::from_page(page, Conversation::from)))
}

/// Get a conversation by its id
#[utoipa::path(
    get, path = "/api/v1/conversations/{id}", tag = "conversations", operation_id = "get_conversation",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "The conversation", body = Conversation),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn get_one(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<Conversation>> {
    Ok(axum::Json(server.app.conversations(&scope).get(conversation_id(&id)?).await?.into()))
}

/// Changes to a conversation: its new title.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConversationPatch {
    /// New title of the conversation.
    title: String,
}

/// Change the title of a conversation
#[utoipa::path(
    patch, path = "/api/v1/conversations/{id}", tag = "conversations", operation_id = "change_conversation",
    params(("id" = String, Path, description = "Its id")),
    request_body = ConversationPatch,
    responses(
        (status = 200, description = "Renamed", body = Conversation),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn change(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(change): Json<ConversationPatch>,
) -> ApiResult<axum::Json<Conversation>> {
    Ok(axum::Json(server.app.conversations(&scope).rename(conversation_id(&id)?, &change.title).await?.into()))
}

/// Delete a conversation
///
/// With everything that was said in it. What it cited stays in the library.
#[utoipa::path(
    delete, path = "/api/v1/conversations/{id}", tag = "conversations", operation_id = "delete_conversation",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn delete(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    server.app.conversations(&scope).delete(conversation_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List the messages of a conversation
///
/// In the order of time, each answer with its citations. `parent_message_id` names the message that it follows.
#[utoipa::path(
    get, path = "/api/v1/conversations/{id}/messages", tag = "conversations", operation_id = "list_messages",
    params(("id" = String, Path, description = "The conversation"), Paging),
    responses(
        (status = 200, description = "One page", body = Page<Message>),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn list_messages(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    super::super::extract::Query(paging): super::super::extract::Query<Paging>,
) -> ApiResult<axum::Json<Page<Message>>> {
    let id = conversation_id(&id)?;
    let page = server.app.conversations(&scope).messages(id, paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(Page::from_page(page, Message::from)))
}

/// Get a message with its citations
#[utoipa::path(
    get, path = "/api/v1/messages/{id}", tag = "conversations", operation_id = "get_message",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "The message", body = Message),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn get_message(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<Message>> {
    Ok(axum::Json(server.app.conversations(&scope).message(&message_id(&id)?).await?.into()))
}

/// The id of a conversation. What is not an id names nothing, so it is not found.
pub(crate) fn conversation_id(text: &str) -> Result<ConversationId, Problem> {
    text.parse().map_err(|_| no_conversation(text))
}

/// Parses the id of a message; an invalid id is reported as not found.
pub(crate) fn message_id(text: &str) -> Result<MessageId, Problem> {
    text.parse().map_err(|_| no_message(text))
}
