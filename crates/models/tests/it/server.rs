//! A provider for tests: it speaks just enough HTTP to check what it is asked, and to answer as badly as it is told to.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// What was asked.
#[derive(Clone, Debug)]
pub struct Request {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Json,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The texts of an OpenAI request.
    pub fn inputs(&self) -> Vec<String> {
        self.body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    }
}

/// What is answered.
pub enum Reply {
    /// A status, further headers, a body.
    Http(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// These bytes, then the end of the connection.
    Raw(Vec<u8>),
    /// Nothing for so long.
    Silence(Duration),
    /// A body of so many bytes, in chunks of unannounced number.
    Endless(usize),
}

impl Reply {
    pub fn json(body: &Json) -> Self {
        Self::status(200, body)
    }

    pub fn status(status: u16, body: &Json) -> Self {
        Self::Http(status, Vec::new(), body.to_string().into_bytes())
    }
}

/// A server that runs until the test ends.
pub struct Server {
    pub url: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub async fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (requests, answer) = (seen.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let (requests, answer) = (requests.clone(), answer.clone());
                tokio::spawn(async move {
                    let mut connection = connection;
                    while let Some(request) = read(&mut connection).await {
                        let reply = answer(&request);
                        requests.lock().unwrap().push(request);
                        if !write(&mut connection, reply).await {
                            break;
                        }
                    }
                });
            }
        });
        Self { url, seen }
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

async fn read(connection: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let line = lines.next()?.to_owned();
    let split = |line: &str| line.split_once(": ").map(|(key, value)| (key.to_lowercase(), value.to_owned()));
    let headers: Vec<_> = lines.filter_map(split).collect();
    let length = headers.iter().find(|(key, _)| key == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if connection.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Request { line, headers, body: serde_json::from_slice(&body).unwrap() })
}

/// Whether the connection can be used again.
async fn write(connection: &mut TcpStream, reply: Reply) -> bool {
    match reply {
        Reply::Http(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n", body.len());
            for (key, value) in headers {
                head += &format!("{key}: {value}\r\n");
            }
            connection.write_all(format!("{head}\r\n").as_bytes()).await.is_ok()
                && connection.write_all(&body).await.is_ok()
        }
        Reply::Raw(bytes) => {
            let _ = connection.write_all(&bytes).await;
            false
        }
        Reply::Silence(time) => {
            tokio::time::sleep(time).await;
            false
        }
        Reply::Endless(size) => {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            if connection.write_all(head.as_bytes()).await.is_err() {
                return false;
            }
            let chunk = [format!("{:x}\r\n", 1 << 20).as_bytes(), &vec![b' '; 1 << 20], b"\r\n"].concat();
            for _ in 0..size >> 20 {
                if connection.write_all(&chunk).await.is_err() {
                    return false;
                }
            }
            false
        }
    }
}

/// A vector that tells which text it belongs to: the text's length stands in its second number.
pub fn vector(text: &str, dimension: usize) -> Vec<f32> {
    let mut vector = vec![0.0; dimension];
    vector[0] = 1.0;
    vector[1] = text.len() as f32;
    vector
}

/// The length of the text that a vector was made for by [`vector`].
pub fn length(vector: &[f32]) -> usize {
    (vector[1] / vector[0]).round() as usize
}

/// A good answer of OpenAI.
pub fn openai_answer(request: &Request, dimension: usize) -> Json {
    let items = request.inputs().into_iter().enumerate();
    let data: Vec<_> = items
        .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": vector(&text, dimension)}))
        .collect();
    json!({"object": "list", "data": data, "model": request.body["model"], "usage": {"total_tokens": 1}})
}
