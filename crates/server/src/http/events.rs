//! What happens to jobs, as server-sent events.

use std::{convert::Infallible, time::Duration};

use axum::{
    extract::State,
    http::HeaderMap,
    response::sse::{Event, KeepAlive, Sse},
};
use futures::Stream;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{
    Server,
    extract::{Caller, Query},
    problem::ApiResult,
};
use crate::wire;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct JobEventsQuery {
    /// The id of the last event that was seen, for clients that cannot send `Last-Event-ID`; `0-0` for all that are kept.
    after: Option<String>,
}

/// Interval between two checks for jobs that other processes changed.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Watch jobs
///
/// Server-sent events: first `ready`, then one `job` a change, each with a JSON body as described here. With
/// `Last-Event-ID` the stream goes on where it was cut off and nothing is missed; without, it begins now.
#[utoipa::path(
    get, path = "/api/v1/jobs/events", tag = "jobs", operation_id = "watch_jobs",
    params(JobEventsQuery),
    responses((status = 200, description = "The stream", content_type = "text/event-stream", body = wire::JobEvent)),
)]
pub(super) async fn stream_job_events(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<JobEventsQuery>,
    headers: HeaderMap,
) -> ApiResult<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let seen = headers.get("last-event-id").and_then(|value| value.to_str().ok()).or(query.after.as_deref());
    let mut changed = server.app.store().jobs_changed();
    let mut cursor = match seen.and_then(|text| text.parse().ok()) {
        Some(cursor) => cursor,
        None => server.app.jobs(&scope).last_event().await?,
    };
    let events = async_stream::stream! {
        yield Ok(Event::default().event("ready").id(cursor.to_string()).data("{}"));
        while !server.stop.is_cancelled() {
            changed.mark_unchanged();
            match server.app.jobs(&scope).events(cursor).await {
                Ok(events) if !events.is_empty() => {
                    for event in events {
                        cursor = event.cursor;
                        let sent = Event::default().event("job").id(cursor.to_string());
                        match sent.json_data(wire::JobEvent::from(event)) {
                            Ok(sent) => yield Ok(sent),
                            Err(error) => tracing::error!(%error, "an event could not be written"),
                        }
                    }
                    continue;
                }
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "cannot read what happened to jobs"),
            }
            tokio::select! {
                () = server.stop.cancelled() => break,
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                _ = changed.changed() => {}
            }
        }
    };
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}
