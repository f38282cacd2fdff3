//! How clients reach the server: at `/mcp`, and over standard input and output.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use rmcp::{
    RoleServer,
    service::{ServerInitializeError, serve_server_with_ct},
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, async_rw::AsyncRwTransport, stdio_pipes,
        streamable_http_server::session::never::NeverSessionManager,
    },
};
use tokio_util::sync::CancellationToken;

use super::Mcp;
use crate::http::{Server, extract::Caller};

/// Answers one message of a client. There are no sessions and no streams: whatever a message asks for is in its answer.
pub(crate) async fn endpoint(State(server): State<Server>, Caller(scope): Caller, request: Request) -> Response {
    let mcp = Mcp::new(server.app.clone(), scope, server.public_url.clone());
    let limit = usize::try_from(server.config.json_limit_bytes).unwrap_or(usize::MAX);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(limit)
        // The guard around all addresses has looked at Host and Origin, and knows the settings.
        .disable_allowed_hosts();
    let service =
        StreamableHttpService::new(move || Ok(Arc::clone(&mcp)), Arc::new(NeverSessionManager::default()), config);
    service.handle(request).await.map(Body::new)
}

/// Answers one client over standard input and output, until it closes them or `stop`. The longest message is `limit`
/// bytes.
pub(crate) async fn serve_stdio(mcp: Arc<Mcp>, limit: usize, stop: CancellationToken) -> Result<(), String> {
    let (input, output) = stdio_pipes();
    let transport = AsyncRwTransport::<RoleServer, _, _>::new_server(input, output).with_max_line_length(limit);
    let running = match serve_server_with_ct(mcp, transport, stop).await {
        Ok(running) => running,
        // A client that goes before it has said anything has wanted nothing.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(error) => return Err(format!("the client could not be understood: {error}")),
    };
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}
