//! What happens in a run, as server-sent events.

use std::{convert::Infallible, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::sse::{Event, KeepAlive, Sse},
};
use futures::Stream;
use ibid_app::{App, Scope};
use ibid_domain::{RunEvent, RunId, RunStatus};
use ibid_store::Heard;
use serde::Deserialize;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;
use utoipa::IntoParams;

use super::{
    super::{
        Server,
        extract::{Caller, Path, Query},
        problem::ApiResult,
        wire::Problem as WireProblem,
    },
    run_id, wire,
};

/// How often to look for what nobody told of: on SQLite, what another process did.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in super::super) struct EventsQuery {
    /// The number of the last event that was seen, for clients that cannot send `Last-Event-ID`.
    after: Option<u64>,
}

/// Watch a run
///
/// Server-sent events from the first one on, each named by its type, with its `seq` as id and a JSON body as described
/// here. With `Last-Event-ID` the stream goes on after that event and nothing is missed. It ends with the run.
#[utoipa::path(
    get, path = "/api/v1/runs/{id}/events", tag = "runs", operation_id = "watch_run",
    params(("id" = String, Path, description = "The run"), EventsQuery),
    responses(
        (status = 200, description = "The stream", content_type = "text/event-stream", body = wire::RunEvent),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn stream(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> ApiResult<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let id = run_id(&id)?;
    server.app.run(&scope, id).await?;
    let seen = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok()).or(query.after);
    Ok(sse(server, scope, id, seen.unwrap_or(0)))
}

/// The events of a run as a response.
pub(crate) fn sse(
    server: Server,
    scope: Scope,
    id: RunId,
    after: u64,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let events = async_stream::stream! {
        for await event in watch(server, scope, id, after) {
            let sent = Event::default().event(event.kind.as_str()).id(event.seq.to_string());
            match sent.json_data(wire::RunEvent::new(id, &event)) {
                Ok(sent) => yield Ok(sent),
                Err(error) => tracing::error!(%error, "an event could not be written"),
            }
        }
    };
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// What happens in a run after an event, until it has ended or the server stops.
pub(crate) fn watch(server: Server, scope: Scope, id: RunId, after: u64) -> impl Stream<Item = RunEvent> {
    follow(server.app.clone(), scope, id, after, server.stop.clone())
}

/// What happens in a run after an event, until it has ended: each event once, in order, without a gap.
pub(crate) fn follow(
    app: App,
    scope: Scope,
    id: RunId,
    after: u64,
    stop: CancellationToken,
) -> impl Stream<Item = RunEvent> {
    async_stream::stream! {
        // From here on nothing is missed; what was there before is read.
        let mut heard = app.store().watch_run(id);
        let mut seen = after;
        let mut told: Vec<RunEvent> = Vec::new();
        loop {
            let is_next = told.first().is_some_and(|first| first.seq <= seen + 1);
            let events = match is_next {
                true => std::mem::take(&mut told),
                false => match app.run_events(&scope, id, seen).await {
                    Ok(events) => events,
                    Err(error) => {
                        tracing::warn!(%error, "cannot read what happened in a run");
                        Vec::new()
                    }
                },
            };
            told.clear();
            let (mut has_more, mut has_ended) = (false, false);
            for event in events {
                if event.seq > seen {
                    seen = event.seq;
                    has_more = true;
                    has_ended |= event.kind.ends();
                    yield event;
                }
            }
            if has_ended {
                break;
            }
            if has_more && !is_next {
                continue; // there may be more to read
            }
            if !has_more && has_long_ended(&app, &scope, id, seen).await {
                break;
            }
            tokio::select! {
                () = stop.cancelled() => break,
                () = tokio::time::sleep(LOOK) => {}
                next = heard.recv() => match next {
                    Ok(Heard::Events(events)) => told = events.to_vec(),
                    Ok(Heard::Look) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => heard = app.store().watch_run(id),
                },
            }
        }
    }
}

/// Whether a run has ended and everything that happened was seen.
async fn has_long_ended(app: &App, scope: &Scope, id: RunId, seen: u64) -> bool {
    match app.run(scope, id).await {
        Ok(run) => RunStatus::has_ended(run.status) && seen >= run.last_seq,
        // It was deleted, with its conversation.
        Err(_) => true,
    }
}
