//! What happens in a run, as server-sent events.

use std::{convert::Infallible, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::sse::{Event, KeepAlive, Sse},
};
use futures::Stream;
use ibid_app::{App, Scope};
use ibid_domain::{RunEvent, RunId};
use ibid_store::RunSignal;
use serde::Deserialize;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;
use utoipa::IntoParams;

use super::{
    super::{
        Server,
        extract::{Caller, Path, Query},
        problem::ApiResult,
    },
    run_id,
};
use crate::wire::{Problem as WireProblem, run_events::RunEvent as WireRunEvent};

/// Interval between two checks for new events that were not announced: on SQLite, those of another process.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in super::super) struct RunEventsQuery {
    /// The number of the last event that was seen, for clients that cannot send `Last-Event-ID`.
    after: Option<u64>,
    /// `answer` (the default): the stream ends with the run. `notes`: it goes on until the notes on its sources are made.
    #[serde(default)]
    #[param(inline)]
    until: WatchUntil,
}

/// Point at which the event stream of a run ends.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WatchUntil {
    /// Ends with the last event of the run.
    #[default]
    Answer,
    /// Until the notes on its sources are made, too.
    Notes,
}

/// Watch a run
///
/// Server-sent events from the first one on, each named by its type, with its `seq` as id and a JSON body as described
/// here. With `Last-Event-ID` the stream goes on after that event and nothing is missed. It ends with the run.
#[utoipa::path(
    get, path = "/api/v1/runs/{id}/events", tag = "runs", operation_id = "watch_run",
    params(("id" = String, Path, description = "The run"), RunEventsQuery),
    responses(
        (status = 200, description = "The stream", content_type = "text/event-stream", body = WireRunEvent<'static>),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn stream_events(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(query): Query<RunEventsQuery>,
    headers: HeaderMap,
) -> ApiResult<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let id = run_id(&id)?;
    server.app.runs(&scope).get(id).await?;
    let seen = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok()).or(query.after);
    Ok(sse_response(server, scope, id, seen.unwrap_or(0), query.until))
}

/// The events of a run as a response.
pub(crate) fn sse_response(
    server: Server,
    scope: Scope,
    id: RunId,
    after: u64,
    until: WatchUntil,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let events = async_stream::stream! {
        for await event in follow_run(server.app.clone(), scope, id, after, until, server.stop.clone()) {
            let sent = Event::default().event(event.data.kind().as_str()).id(event.seq.to_string());
            match sent.json_data(WireRunEvent::new(id, &event)) {
                Ok(sent) => yield Ok(sent),
                Err(error) => tracing::error!(%error, "an event could not be written"),
            }
        }
    };
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// Streams the events of a run after event number `after`, until the run has ended or the server stops.
pub(crate) fn watch_run(server: Server, scope: Scope, id: RunId, after: u64) -> impl Stream<Item = RunEvent> {
    follow_run(server.app.clone(), scope, id, after, WatchUntil::Answer, server.stop.clone())
}

/// Streams the events of a run after event number `after`, until it has ended: each event once, in order, without gaps.
pub(crate) fn follow_run(
    app: App,
    scope: Scope,
    id: RunId,
    after: u64,
    until: WatchUntil,
    stop: CancellationToken,
) -> impl Stream<Item = RunEvent> {
    async_stream::stream! {
        // From here on nothing is missed; what was there before is read.
        let mut heard = app.store().watch_run(id);
        let mut seen = after;
        let mut told: Vec<RunEvent> = Vec::new();
        if after > 0 && until == WatchUntil::Answer && app.runs(&scope).wait_for_end(id).await.is_ok_and(|end| end.is_some_and(|end| end <= after)) {
            return; // all of it was seen
        }
        loop {
            let is_next = told.first().is_some_and(|first| first.seq <= seen + 1);
            let events = match is_next {
                true => std::mem::take(&mut told),
                false => match app.runs(&scope).events(id, seen).await {
                    Ok(events) => events,
                    Err(error) => {
                        tracing::warn!(%error, "cannot read what happened in a run");
                        Vec::new()
                    }
                },
            };
            told.clear();
            let mut has_more = false;
            for event in events {
                if event.seq > seen {
                    seen = event.seq;
                    has_more = true;
                    let ends = event.data.kind().ends_run();
                    yield event;
                    if ends && until == WatchUntil::Answer {
                        return;
                    }
                }
            }
            if has_more && !is_next {
                continue; // there may be more to read
            }
            if !has_more && is_over(&app, &scope, id, seen).await {
                return;
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                next = heard.recv() => match next {
                    Ok(RunSignal::Events(events)) => told = events.to_vec(),
                    Ok(RunSignal::Changed) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => heard = app.store().watch_run(id),
                },
            }
        }
    }
}

/// Returns true if the run has ended, no job works on its sources, and all its events were sent.
async fn is_over(app: &App, scope: &Scope, id: RunId, seen: u64) -> bool {
    let Ok(run) = app.runs(scope).get(id).await else { return true };
    if !run.status.has_ended() {
        return false;
    }
    let works_on =
        app.conversations(scope).message(&run.message).await.is_ok_and(|found| found.message.has_async_sources);
    // What was noted between the two looks is seen next time.
    !works_on && seen >= app.runs(scope).get(id).await.map_or(0, |run| run.last_seq)
}
