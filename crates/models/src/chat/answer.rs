//! An answer as it streams in: bounded in time and size, read event by event.

use std::{sync::Arc, time::Duration};

use reqwest::Response;
use tokio::time::{Instant, timeout, timeout_at};

use super::{
    ChatDelta, ChatError, Wait,
    deltas::Deltas,
    dialect::Reader,
    sse::{Events, LIMIT, TooLong},
};
use crate::http::Endpoint;

/// How long a body may take to end after the answer in it has. A connection can only be used again after that.
const LAST_BYTES: Duration = Duration::from_millis(100);

/// Until when what has to come.
pub(super) struct Deadlines {
    /// When the answer must have begun, and how long that is.
    pub begin: (Instant, Duration),
    /// How long there may be silence after that.
    pub idle: Duration,
    /// When it must have ended, and how long that is.
    pub end: (Instant, Duration),
}

impl Deadlines {
    /// How long the next bytes may take, and what it means if they take longer.
    pub fn next(&self, begun: bool) -> (Instant, ChatError) {
        let (by, what, after) = if begun {
            (Instant::now() + self.idle, Wait::MoreBytes, self.idle)
        } else {
            (self.begin.0, Wait::FirstToken, self.begin.1)
        };
        if by < self.end.0 {
            (by, ChatError::TimedOut { what, after })
        } else {
            (self.end.0, ChatError::TimedOut { what: Wait::End, after: self.end.1 })
        }
    }
}

/// An answer on its way. Dropping it closes the connection.
pub(super) struct Answer {
    response: Response,
    endpoint: Arc<Endpoint>,
    deadlines: Deadlines,
    events: Events,
    reader: Box<dyn Reader>,
    deltas: Deltas,
}

impl Answer {
    pub fn new(response: Response, endpoint: Arc<Endpoint>, reader: Box<dyn Reader>, deadlines: Deadlines) -> Self {
        Self { response, endpoint, deadlines, events: Events::default(), reader, deltas: Deltas::new() }
    }

    /// Reads until there is something to give out, or nothing more will come.
    pub async fn fill(&mut self) -> Result<(), ChatError> {
        while self.deltas.is_empty() && !self.deltas.ended() {
            match self.events.next() {
                Ok(Some(data)) => {
                    let taken = self.reader.event(&data, &mut self.deltas);
                    taken.map_err(|error| error.with_detail(|text| self.endpoint.shown(text)))?;
                    if self.deltas.ended() {
                        let _ = timeout(LAST_BYTES, self.response.chunk()).await;
                    }
                }
                Ok(None) => self.receive().await?,
                Err(TooLong) => return Err(ChatError::TooLarge(format!("an event has more than {LIMIT} bytes"))),
            }
        }
        Ok(())
    }

    /// The next piece; none after the end.
    pub async fn next(&mut self) -> Result<Option<ChatDelta>, ChatError> {
        self.fill().await?;
        Ok(self.deltas.pop())
    }

    /// Takes the next bytes, or the end of them.
    async fn receive(&mut self) -> Result<(), ChatError> {
        let (by, late) = self.deadlines.next(self.deltas.begun());
        // What is always ready is never too late for a timer.
        if by <= Instant::now() {
            return Err(late);
        }
        match timeout_at(by, self.response.chunk()).await {
            Err(_) => Err(late),
            Ok(Err(error)) => Err(ChatError::Interrupted(self.endpoint.broken(error))),
            Ok(Ok(Some(bytes))) => {
                self.events.push(&bytes);
                Ok(())
            }
            Ok(Ok(None)) => {
                let closed = self.reader.close(&mut self.deltas);
                closed.map_err(|error| error.with_detail(|text| self.endpoint.shown(text)))
            }
        }
    }
}
