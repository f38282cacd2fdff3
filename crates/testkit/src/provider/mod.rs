//! A provider of models that follows a script, over a real socket, in the protocol of any of the three providers, and as
//! badly as it is told to.

mod wire;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::{AbortHandle, JoinSet},
};
use wire::Wire;

/// Whose protocol is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `POST …/chat/completions`.
    OpenAi,
    /// `POST …/v1/messages`.
    Anthropic,
    /// `POST …:streamGenerateContent`.
    Google,
}

/// What happens next in an answer. One whose script is at its end is closed properly, whether it has ended or not.
#[derive(Clone, Debug)]
pub enum Step {
    /// From here on everything is sent in pieces of so many bytes.
    Bytes(usize),
    /// A piece of text.
    Text(String),
    /// A call of a tool, in fragments where the protocol has them.
    ToolCall {
        /// The tool.
        name: String,
        /// What it is given.
        arguments: Json,
    },
    /// What the answer cost, told when it ends.
    Usage {
        /// Tokens of the question.
        input: u64,
        /// Tokens of the answer.
        output: u64,
    },
    /// The whole answer, and no stream: status, body, headers.
    Status(u16, String, Vec<(&'static str, String)>),
    /// Nothing, for so long.
    Silence(Duration),
    /// These bytes as they are.
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

impl Step {
    /// A piece of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

/// What the provider was asked.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Path and query.
    pub path: String,
    /// Headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null if it is no JSON.
    pub body: Json,
}

impl Asked {
    /// A header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Default)]
struct Log {
    connections: usize,
    asked: Vec<Asked>,
    abandoned: usize,
}

/// A provider that runs until it is dropped.
pub struct Provider {
    base_url: String,
    log: Arc<Mutex<Log>>,
    running: AbortHandle,
}

impl Provider {
    /// Starts a provider on the runtime of the test. The first request is answered as the first script says, and so on;
    /// the last script holds for all that follow.
    pub async fn start(dialect: Dialect, scripts: impl IntoIterator<Item = Vec<Step>>) -> Self {
        let scripts: Arc<[Vec<Step>]> = scripts.into_iter().collect();
        assert!(!scripts.is_empty(), "a provider needs a script");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base_url = format!("http://{}", listener.local_addr().expect("an address"));
        let log = Arc::<Mutex<Log>>::default();
        let shared = log.clone();
        let running = tokio::spawn(async move {
            // They end with this task.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).expect("a socket");
                lock(&shared).connections += 1;
                let connection = Connection { stream, dialect, log: shared.clone() };
                connections.spawn(connection.serve(scripts.clone()));
            }
        });
        Self { base_url, log, running: running.abort_handle() }
    }

    /// Where it listens.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// What it was asked so far.
    pub fn requests(&self) -> Vec<Asked> {
        lock(&self.log).asked.clone()
    }

    /// How many connections were made to it.
    pub fn connections(&self) -> usize {
        lock(&self.log).connections
    }

    /// How many answers the client went away from.
    pub fn abandoned(&self) -> usize {
        lock(&self.log).abandoned
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.running.abort();
    }
}

fn lock(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why an answer is not continued.
enum Stop {
    /// The client is gone.
    Gone,
    /// The script says so.
    Cut,
}

impl From<std::io::Error> for Stop {
    fn from(_: std::io::Error) -> Self {
        Self::Gone
    }
}

struct Connection {
    stream: TcpStream,
    dialect: Dialect,
    log: Arc<Mutex<Log>>,
}

impl Connection {
    async fn serve(mut self, scripts: Arc<[Vec<Step>]>) {
        while let Some(asked) = self.read().await {
            let expected = match self.dialect {
                Dialect::OpenAi => asked.path.ends_with("/chat/completions"),
                Dialect::Anthropic => asked.path.ends_with("/v1/messages"),
                Dialect::Google => asked.path.ends_with(":streamGenerateContent?alt=sse"),
            };
            let number = {
                let mut log = lock(&self.log);
                log.asked.push(asked);
                log.asked.len() - 1
            };
            let told = if expected {
                self.tell(&scripts[number.min(scripts.len() - 1)]).await
            } else {
                let body = json!({"error": {"message": "there is nothing at this address"}}).to_string();
                self.status(404, &body, &[]).await.map_err(Stop::from)
            };
            match told {
                Ok(()) => {}
                Err(Stop::Cut) => return,
                Err(Stop::Gone) => {
                    lock(&self.log).abandoned += 1;
                    return;
                }
            }
        }
    }

    async fn read(&mut self) -> Option<Asked> {
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
        Some(Asked { path, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
    }

    /// Follows a script.
    async fn tell(&mut self, script: &[Step]) -> Result<(), Stop> {
        let usage = script.iter().find_map(|step| match step {
            Step::Usage { input, output } => Some((*input, *output)),
            _ => None,
        });
        let mut wire = Wire::new(self.dialect, usage);
        let (mut begun, mut size) = (false, usize::MAX);
        for step in script {
            let events = match step {
                Step::Bytes(bytes) => {
                    size = (*bytes).max(1);
                    continue;
                }
                Step::Usage { .. } => continue,
                Step::Silence(time) => {
                    self.wait(*time).await?;
                    continue;
                }
                Step::Status(status, body, headers) => {
                    assert!(!begun, "a status comes before everything else");
                    return Ok(self.status(*status, body, headers).await?);
                }
                Step::Text(text) => wire.text(text),
                Step::ToolCall { name, arguments } => wire.call(name, arguments),
                Step::ErrorMidStream(message) => wire.error(message),
                Step::Malformed(bytes) => bytes.clone(),
                Step::Cut => String::new(),
                Step::End => wire.end(None),
                Step::EndWith(reason) => wire.end(Some(reason)),
            };
            if !std::mem::replace(&mut begun, true) {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
                self.stream.write_all(head.as_bytes()).await?;
            }
            if matches!(step, Step::Cut) {
                return Err(Stop::Cut);
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
    async fn wait(&mut self, time: Duration) -> Result<(), Stop> {
        let silence = tokio::time::timeout(time, self.stream.read_u8()).await;
        if silence.is_err() { Ok(()) } else { Err(Stop::Gone) }
    }

    async fn status(&mut self, status: u16, body: &str, headers: &[(&str, String)]) -> std::io::Result<()> {
        let mut answer = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n", body.len());
        for (key, value) in headers {
            answer += &format!("{key}: {value}\r\n");
        }
        self.stream.write_all(format!("{answer}\r\n{body}").as_bytes()).await
    }
}
