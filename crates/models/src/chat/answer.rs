//! An answer as it streams in: bounded in time and size, read event by event.

use std::{sync::Arc, time::Duration};

use reqwest::Response;
use tokio::time::{Instant, timeout, timeout_at};

use super::{
    ChatDelta, ChatError, TimeoutPhase,
    deltas::DeltaQueue,
    dialect::AnswerReader,
    sse::{EventTooLong, LIMIT, SseParser},
};
use crate::http::Endpoint;

/// Time to wait for the end of the body after the answer has ended; only then can the connection be reused.
const LAST_BYTES: Duration = Duration::from_millis(100);

/// Until when what has to come.
pub(super) struct Deadlines {
    /// Latest time for the first token, and the timeout it was computed from.
    pub begin: (Instant, Duration),
    /// Maximum time between two chunks of an answer that has begun.
    pub idle: Duration,
    /// Latest time for the end of the answer, and the timeout it was computed from.
    pub end: (Instant, Duration),
}

impl Deadlines {
    /// Returns the deadline for the next bytes, and the error to report if it passes.
    pub fn next(&self, begun: bool) -> (Instant, ChatError) {
        let (by, what, after) = if begun {
            (Instant::now() + self.idle, TimeoutPhase::MoreBytes, self.idle)
        } else {
            (self.begin.0, TimeoutPhase::FirstToken, self.begin.1)
        };
        if by < self.end.0 {
            (by, ChatError::TimedOut { what, after })
        } else {
            (self.end.0, ChatError::TimedOut { what: TimeoutPhase::End, after: self.end.1 })
        }
    }
}

/// An answer on its way. Dropping it closes the connection.
pub(super) struct StreamingAnswer {
    response: Response,
    endpoint: Arc<Endpoint>,
    deadlines: Deadlines,
    events: SseParser,
    reader: Box<dyn AnswerReader>,
    deltas: DeltaQueue,
}

impl StreamingAnswer {
    pub fn new(
        response: Response,
        endpoint: Arc<Endpoint>,
        reader: Box<dyn AnswerReader>,
        deadlines: Deadlines,
    ) -> Self {
        Self { response, endpoint, deadlines, events: SseParser::default(), reader, deltas: DeltaQueue::new() }
    }

    /// Reads until there is something to give out, or nothing more will come.
    pub async fn read_until_delta(&mut self) -> Result<(), ChatError> {
        while self.deltas.is_empty() && !self.deltas.has_ended() {
            match self.events.next() {
                Ok(Some(data)) => {
                    let taken = self.reader.read_event(&data, &mut self.deltas);
                    taken.map_err(|error| error.with_detail(|text| self.endpoint.redact_text(text)))?;
                    if self.deltas.has_ended() {
                        let _ = timeout(LAST_BYTES, self.response.chunk()).await;
                    }
                }
                Ok(None) => self.receive_bytes().await?,
                Err(EventTooLong) => return Err(ChatError::TooLarge(format!("an event has more than {LIMIT} bytes"))),
            }
        }
        Ok(())
    }

    /// The next piece; none after the end.
    pub async fn next(&mut self) -> Result<Option<ChatDelta>, ChatError> {
        self.read_until_delta().await?;
        Ok(self.deltas.pop())
    }

    /// Takes the next bytes, or the end of them.
    async fn receive_bytes(&mut self) -> Result<(), ChatError> {
        let (by, late) = self.deadlines.next(self.deltas.has_begun());
        // What is always ready is never too late for a timer.
        if by <= Instant::now() {
            return Err(late);
        }
        match timeout_at(by, self.response.chunk()).await {
            Err(_) => Err(late),
            Ok(Err(error)) => Err(ChatError::Interrupted(self.endpoint.describe_error(error))),
            Ok(Ok(Some(bytes))) => {
                self.events.push(&bytes);
                Ok(())
            }
            Ok(Ok(None)) => {
                let closed = self.reader.finish_body(&mut self.deltas);
                closed.map_err(|error| error.with_detail(|text| self.endpoint.redact_text(text)))
            }
        }
    }
}
