//! A server that answers byte by byte as a test wants, and names that mean what a test wants.

use std::{
    collections::{HashMap, VecDeque},
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use ibid_fetch::{AllowedNetwork, FetchRules, Fetcher, Resolver};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// What a server does with one request.
pub enum Act {
    /// Sends the bytes and hangs up.
    Send(Vec<u8>),
    /// Sends the first bytes, then the second ones again and again.
    Repeat(Vec<u8>, Vec<u8>, Duration),
    /// Never answers.
    Wait,
}

pub struct Server {
    pub address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Answers each path as `act` says.
    pub async fn start(act: impl Fn(&str) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Self { address, heads: Arc::default(), connections: Arc::default() };
        let act = Arc::new(act);
        let (heads, connections) = (Arc::clone(&server.heads), Arc::clone(&server.connections));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                let (heads, act) = (Arc::clone(&heads), Arc::clone(&act));
                tokio::spawn(async move {
                    // What goes wrong here is what the test wants to see on the other side.
                    let _ = serve(stream, &heads, &*act).await;
                });
            }
        });
        server
    }

    /// The heads of the requests that came.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Rules that allow this very address and port, and no other that is not public.
    pub fn rules(&self) -> FetchRules {
        FetchRules {
            allow: vec![AllowedNetwork::single_address(self.address)],
            per_host_interval: Duration::ZERO,
            total_timeout: Duration::from_secs(20),
            ..FetchRules::default()
        }
    }

    /// A fetcher for which `public.example` is this server.
    pub fn fetcher(&self, rules: FetchRules) -> Fetcher {
        Fetcher::with_resolver(rules, Arc::new(Names::new([("public.example", "127.0.0.1")]))).unwrap()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://public.example:{}{path}", self.address.port())
    }
}

async fn serve(
    mut stream: TcpStream,
    heads: &Mutex<Vec<String>>,
    act: &(impl Fn(&str) -> Act + Send + Sync),
) -> io::Result<()> {
    let mut head = Vec::new();
    let mut buffer = [0; 4096];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        head.extend_from_slice(&buffer[..read]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
    heads.lock().unwrap().push(head);
    match act(&path) {
        Act::Send(bytes) => stream.write_all(&bytes).await?,
        Act::Repeat(first, again, pause) => {
            stream.write_all(&first).await?;
            loop {
                stream.write_all(&again).await?;
                tokio::time::sleep(pause).await;
            }
        }
        Act::Wait => tokio::time::sleep(Duration::from_secs(60)).await,
    }
    stream.shutdown().await
}

/// An answer of that status with headers and a body.
pub fn answer(status: &str, headers: &str, body: &[u8]) -> Act {
    let mut bytes =
        format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n", body.len())
            .into_bytes();
    bytes.extend_from_slice(body);
    Act::Send(bytes)
}

pub fn page(body: &str) -> Act {
    answer("200 OK", "Content-Type: text/html; charset=utf-8\r\n", body.as_bytes())
}

pub fn redirect(to: &str) -> Act {
    answer("302 Found", &format!("Location: {to}\r\n"), b"")
}

/// Names with their addresses; several answers are given one after the other, the last one for ever.
pub struct Names {
    answers: Mutex<HashMap<String, VecDeque<Vec<IpAddr>>>>,
    pub asked: AtomicUsize,
}

impl Names {
    pub fn new<const N: usize>(names: [(&str, &str); N]) -> Self {
        let answers: HashMap<String, VecDeque<Vec<IpAddr>>> = names
            .into_iter()
            .map(|(name, answers)| {
                let addresses = |list: &str| list.split_whitespace().map(|one| one.parse().unwrap()).collect();
                (name.to_owned(), answers.split('|').map(addresses).collect())
            })
            .collect();
        Self { answers: Mutex::new(answers), asked: AtomicUsize::new(0) }
    }
}

impl Resolver for Names {
    fn resolve_host(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let found = match answers.get_mut(&host) {
            Some(list) if list.len() > 1 => list.pop_front(),
            Some(list) => list.front().cloned(),
            None => None,
        };
        Box::pin(async move { found.ok_or_else(|| io::Error::other("Name or service not known")) })
    }
}
