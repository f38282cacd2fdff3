//! A model at a provider.

use std::{fmt, sync::Arc, time::Duration};

use futures::stream;
use reqwest::{Response, header::CONTENT_TYPE};
use tokio::time::{Instant, timeout_at};

use super::{
    ChatConfig, ChatError, ChatModel, ChatRequest, ChatStream,
    answer::{Deadlines, StreamingAnswer},
    dialect::ChatDialect,
    retry::RetryPolicy,
};
use crate::{BoxFuture, http::Endpoint};

/// Longer than anyone waits, and short enough to be added to any time.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) struct RemoteChatModel {
    name: String,
    config: ChatConfig,
    endpoint: Arc<Endpoint>,
    dialect: Box<dyn ChatDialect>,
}

impl RemoteChatModel {
    pub fn new(config: &ChatConfig, endpoint: Endpoint, dialect: Box<dyn ChatDialect>) -> Self {
        Self {
            name: format!("{}:{}", config.provider.name(), config.model.trim()),
            config: config.clone(),
            endpoint: Arc::new(endpoint),
            dialect,
        }
    }

    /// Asks once, and waits for the first piece of the answer.
    async fn attempt_once(&self, body: &[u8], end: (Instant, Duration)) -> Result<StreamingAnswer, ChatError> {
        let first_token = self.config.first_token_timeout.min(LONGEST);
        let idle = self.config.idle_timeout.min(LONGEST);
        let deadlines = Deadlines { begin: (Instant::now() + first_token, first_token), idle, end };
        let (by, late) = deadlines.next(false);
        let begun = timeout_at(by, self.endpoint.start_request(body.to_vec())).await.map_err(|_| late)?;
        let response = begun.map_err(|failure| ChatError::from_failure(failure, self.config.connect_timeout))?;
        let response = self.expect_events(response).await?;
        let mut answer = StreamingAnswer::new(response, self.endpoint.clone(), self.dialect.answer_reader(), deadlines);
        answer.read_until_delta().await?;
        Ok(answer)
    }

    /// A page or a plain JSON is what one gets at a wrong address, and from some gateways instead of an error.
    async fn expect_events(&self, response: Response) -> Result<Response, ChatError> {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if !matches!(kind.as_str(), "text/html" | "application/json") {
            return Ok(response);
        }
        let (_, said) = self.endpoint.read_explanation(response).await;
        let detail = format!("{kind} came instead of a stream of events; is the base URL right? It says: {said}");
        Err(ChatError::Malformed(self.endpoint.redact_text(&detail)))
    }
}

impl fmt::Debug for RemoteChatModel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ChatModel").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ChatModel for RemoteChatModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn context_tokens(&self) -> usize {
        self.config.context_tokens
    }

    fn stream(&self, mut request: ChatRequest) -> BoxFuture<'_, Result<ChatStream, ChatError>> {
        request.max_output_tokens = request.max_output_tokens.or(self.config.max_output_tokens);
        request.temperature = request.temperature.or(self.config.temperature);
        let body = self.dialect.request_body(&request).to_string().into_bytes();
        Box::pin(async move {
            let total = self.config.total_timeout.min(LONGEST);
            let end = (Instant::now() + total, total);
            let patience =
                RetryPolicy { retries: self.config.retries, longest: self.config.first_token_timeout, until: end.0 };
            let answer = patience.run_with_retries(|| self.attempt_once(&body, end)).await?;
            // An error is the last thing that comes.
            let pieces = stream::unfold(Some(Box::new(answer)), async |answer| {
                let mut answer = answer?;
                match answer.next().await {
                    Ok(delta) => delta.map(|delta| (Ok(delta), Some(answer))),
                    Err(error) => Some((Err(error), None)),
                }
            });
            Ok(Box::pin(pieces) as ChatStream)
        })
    }
}
