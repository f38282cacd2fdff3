//! A provider of models that follows a script, over a real socket, in the protocol of any of the three providers, and as
//! badly as it is told to.

mod encoder;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use encoder::WireEncoder;
use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::{AbortHandle, JoinSet},
};

/// Protocol that the scripted provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderDialect {
    /// OpenAI: `POST …/chat/completions`.
    OpenAi,
    /// Anthropic: `POST …/v1/messages`.
    Anthropic,
    /// `POST …:streamGenerateContent`.
    Google,
}

/// One step of a scripted response. The response is closed cleanly after its last step, even without
/// [`End`](Self::End).
#[derive(Clone, Debug)]
pub enum ScriptStep {
    /// From here on everything is sent in pieces of so many bytes.
    Bytes(usize),
    /// Text delta of the response.
    Text(String),
    /// A call of a tool, in fragments where the protocol has them.
    ToolCall {
        /// Name of the tool that the model calls.
        name: String,
        /// JSON arguments of the tool call.
        arguments: Json,
    },
    /// Token counts, reported when the response ends.
    Usage {
        /// Number of prompt tokens reported to the client.
        input: u64,
        /// Number of completion tokens reported to the client.
        output: u64,
    },
    /// The whole answer, and no stream: status, body, headers.
    Status(u16, String, Vec<(&'static str, String)>),
    /// Sends nothing for this long.
    Silence(Duration),
    /// Sends this text unchanged, valid or not.
    Malformed(String),
    /// An error as an event of the answer.
    ErrorMidStream(String),
    /// The connection is closed within the answer.
    Cut,
    /// The end: all was said, or the tools are waited for.
    End,
    /// The end for another reason, as the protocol writes it.
    EndWith(&'static str),
}

impl ScriptStep {
    /// Creates a text step from anything that converts into a string.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

/// Request that the scripted provider received.
#[derive(Clone, Debug)]
pub struct ProviderRequest {
    /// Path of the request with its query string.
    pub path: String,
    /// Headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null if it is no JSON.
    pub body: Json,
}

impl ProviderRequest {
    /// A header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct ProviderLog {
    connections: usize,
    asked: Vec<ProviderRequest>,
    abandoned: usize,
}

/// A provider that runs until it is dropped.
pub struct ScriptedProvider {
    base_url: String,
    log: Arc<Mutex<ProviderLog>>,
    running: AbortHandle,
}

impl ScriptedProvider {
    /// Starts a provider on the runtime of the test. The first request is answered as the first script says, and so on;
    /// the last script holds for all that follow.
    pub async fn start(dialect: ProviderDialect, scripts: impl IntoIterator<Item = Vec<ScriptStep>>) -> Self {
        let scripts: Arc<[Vec<ScriptStep>]> = scripts.into_iter().collect();
        assert!(!scripts.is_empty(), "a provider needs a script");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base_url = format!("http://{}", listener.local_addr().expect("an address"));
        let log = Arc::<Mutex<ProviderLog>>::default();
        let shared = log.clone();
        let running = tokio::spawn(async move {
            // They end with this task.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).expect("a socket");
                lock_log(&shared).connections += 1;
                let connection = ProviderConnection { stream, dialect, log: shared.clone() };
                connections.spawn(connection.serve_requests(scripts.clone()));
            }
        });
        Self { base_url, log, running: running.abort_handle() }
    }

    /// Base URL of the provider, with a random free port.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Returns all requests received so far, oldest first.
    pub fn received_requests(&self) -> Vec<ProviderRequest> {
        lock_log(&self.log).asked.clone()
    }

    /// Returns the number of connections accepted so far.
    pub fn connection_count(&self) -> usize {
        lock_log(&self.log).connections
    }

    /// Returns the number of responses that the client disconnected from.
    pub fn abandoned_count(&self) -> usize {
        lock_log(&self.log).abandoned
    }
}

impl Drop for ScriptedProvider {
    fn drop(&mut self) {
        self.running.abort();
    }
}

fn lock_log(log: &Mutex<ProviderLog>) -> MutexGuard<'_, ProviderLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why an answer is not continued.
enum StopReason {
    /// The client closed the connection.
    Gone,
    /// The script closes the connection here.
    Cut,
}

impl From<std::io::Error> for StopReason {
    fn from(_: std::io::Error) -> Self {
        Self::Gone
    }
}

struct ProviderConnection {
    stream: TcpStream,
    dialect: ProviderDialect,
    log: Arc<Mutex<ProviderLog>>,
}

impl ProviderConnection {
    async fn serve_requests(mut self, scripts: Arc<[Vec<ScriptStep>]>) {
        while let Some(asked) = self.read_request().await {
            let expected = match self.dialect {
                ProviderDialect::OpenAi => asked.path.ends_with("/chat/completions"),
                ProviderDialect::Anthropic => asked.path.ends_with("/v1/messages"),
                ProviderDialect::Google => asked.path.ends_with(":streamGenerateContent?alt=sse"),
            };
            let number = {
                let mut log = lock_log(&self.log);
                log.asked.push(asked);
                log.asked.len() - 1
            };
            let told = if expected {
                self.play_script(&scripts[number.min(scripts.len() - 1)]).await
            } else {
                let body = json!({"error": {"message": "there is nothing at this address"}}).to_string();
                self.send_status(404, &body, &[]).await.map_err(StopReason::from)
            };
            match told {
                Ok(()) => {}
                Err(StopReason::Cut) => return,
                Err(StopReason::Gone) => {
                    lock_log(&self.log).abandoned += 1;
                    return;
                }
            }
        }
    }

    async fn read_request(&mut self) -> Option<ProviderRequest> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            if self.stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.lines();
        let path = lines.next()?.split(' ').nth(1)?.to_owned();
        let split = |line: &str| line.split_once(": ").map(|(key, value)| (key.to_lowercase(), value.to_owned()));
        let headers: Vec<_> = lines.filter_map(split).collect();
        let length = headers.iter().find(|(key, _)| key == "content-length")?.1.parse().ok()?;
        let mut body = bytes.split_off(end + 4);
        while body.len() < length {
            if self.stream.read_buf(&mut body).await.ok()? == 0 {
                return None;
            }
        }
        Some(ProviderRequest { path, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
    }

    /// Writes the response that the script describes.
    async fn play_script(&mut self, script: &[ScriptStep]) -> Result<(), StopReason> {
        let usage = script.iter().find_map(|step| match step {
            ScriptStep::Usage { input, output } => Some((*input, *output)),
            _ => None,
        });
        let mut wire = WireEncoder::new(self.dialect, usage);
        let (mut begun, mut size) = (false, usize::MAX);
        for step in script {
            let events = match step {
                ScriptStep::Bytes(bytes) => {
                    size = (*bytes).max(1);
                    continue;
                }
                ScriptStep::Usage { .. } => continue,
                ScriptStep::Silence(time) => {
                    self.wait_silently(*time).await?;
                    continue;
                }
                ScriptStep::Status(status, body, headers) => {
                    assert!(!begun, "a status comes before everything else");
                    return Ok(self.send_status(*status, body, headers).await?);
                }
                ScriptStep::Text(text) => wire.encode_text(text),
                ScriptStep::ToolCall { name, arguments } => wire.encode_tool_call(name, arguments),
                ScriptStep::ErrorMidStream(message) => wire.encode_error(message),
                ScriptStep::Malformed(bytes) => bytes.clone(),
                ScriptStep::Cut => String::new(),
                ScriptStep::End => wire.encode_end(None),
                ScriptStep::EndWith(reason) => wire.encode_end(Some(reason)),
            };
            if !std::mem::replace(&mut begun, true) {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
                self.stream.write_all(head.as_bytes()).await?;
            }
            if matches!(step, ScriptStep::Cut) {
                return Err(StopReason::Cut);
            }
            for piece in events.as_bytes().chunks(size) {
                let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
                self.stream.write_all(&chunk).await?;
            }
        }
        assert!(begun, "a script says something");
        Ok(self.stream.write_all(b"0\r\n\r\n").await?)
    }

    /// Waits, unless the client goes away.
    async fn wait_silently(&mut self, time: Duration) -> Result<(), StopReason> {
        let silence = tokio::time::timeout(time, self.stream.read_u8()).await;
        if silence.is_err() { Ok(()) } else { Err(StopReason::Gone) }
    }

    async fn send_status(&mut self, status: u16, body: &str, headers: &[(&str, String)]) -> std::io::Result<()> {
        let mut answer = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n", body.len());
        for (key, value) in headers {
            answer += &format!("{key}: {value}\r\n");
        }
        self.stream.write_all(format!("{answer}\r\n{body}").as_bytes()).await
    }
}
