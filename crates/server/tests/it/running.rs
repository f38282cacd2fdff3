//! A server of its own for a test: the real binary, on a free port, on a library that vanishes.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::Duration,
};

use ibid_testkit::{TestEngine, TestPlace};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::Value as Json;

/// A running server. Dropping it kills it.
pub(crate) struct Running {
    pub(crate) url: String,
    pub(crate) http: Client,
    pub(crate) place: TestPlace,
    child: Child,
    arguments: Vec<String>,
}

impl Running {
    /// Starts a server on an engine; none if the engine has no server here.
    pub(crate) async fn start(engine: TestEngine) -> Option<Self> {
        Self::start_with(engine, &[]).await
    }

    /// Starts a server with more arguments.
    pub(crate) async fn start_with(engine: TestEngine, arguments: &[&str]) -> Option<Self> {
        let place = TestPlace::new(engine).await?;
        let arguments: Vec<_> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let (child, url) = spawn(&place, &arguments);
        let http = Client::builder().timeout(Duration::from_secs(60)).build().unwrap();
        Some(Self { url, http, place, child, arguments })
    }

    /// A second server on the same library, with its address. It ends when it is dropped.
    pub(crate) fn beside(&self) -> (Beside, String) {
        let (child, url) = spawn(&self.place, &self.arguments);
        (Beside(child), url)
    }

    /// Ends the server as a power cut would.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts it again on the same library.
    pub(crate) fn restart(&mut self) {
        (self.child, self.url) = spawn(&self.place, &self.arguments);
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for it to end by itself, and says how.
    pub(crate) fn wait(&mut self) -> std::process::ExitStatus {
        self.child.wait().unwrap()
    }

    /// Tells it to stop, as a service manager would.
    pub(crate) fn terminate(&self) {
        let status = Command::new("kill").args(["-TERM", &self.pid().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Runs a command on the same library.
    pub(crate) fn ibid(&self, arguments: &[&str]) -> Output {
        ibid(&self.place, arguments)
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).send().await.unwrap()
    }

    /// The JSON at an address that must answer well.
    pub(crate) async fn json(&self, path: &str) -> Json {
        let response = self.get(path).await;
        assert!(response.status().is_success(), "{path}: {}", response.text().await.unwrap());
        response.json().await.unwrap()
    }

    pub(crate) async fn send(&self, method: Method, path: &str, body: &Json) -> (StatusCode, Json) {
        answer(self.request(method, path).json(body)).await
    }

    /// Uploads raw bytes and gives their hash.
    pub(crate) async fn upload(&self, content: &[u8]) -> String {
        let (status, artifact) = answer(self.request(Method::POST, "/api/v1/artifacts").body(content.to_vec())).await;
        assert!(status.is_success(), "{artifact}");
        artifact["sha256"].as_str().unwrap().to_owned()
    }

    /// Makes a manifest of one file and gives its hash.
    pub(crate) async fn commit(&self, path: &str, sha256: &str, parent: Option<&str>) -> String {
        let body = serde_json::json!({ "tree": { path: { "sha256": sha256 } }, "parent_sha256": parent });
        let (status, manifest) = self.send(Method::POST, "/api/v1/manifests", &body).await;
        assert!(status.is_success(), "{manifest}");
        manifest["sha256"].as_str().unwrap().to_owned()
    }
}

/// A second server on a library.
pub(crate) struct Beside(Child);

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Sends a request and gives its status and JSON.
pub(crate) async fn answer(request: RequestBuilder) -> (StatusCode, Json) {
    let response = request.send().await.unwrap();
    let status = response.status();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Json::String(text)))
}

/// Sends a request that must be refused, with this status and code, as a whole problem.
pub(crate) async fn refused(request: RequestBuilder, status: u16, code: &str) -> Json {
    let response = request.send().await.unwrap();
    let kind = response.headers().get("content-type").cloned();
    let found = response.status();
    let text = response.text().await.unwrap();
    assert_eq!(
        (found.as_u16(), kind.as_ref().map(|kind| kind.as_bytes())),
        (status, Some(b"application/problem+json".as_slice())),
        "{code}: {text}"
    );
    let problem: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(problem["code"], code, "{text}");
    assert_eq!(problem["status"], status);
    for field in ["type", "title", "detail", "hint", "request_id"] {
        assert!(problem[field].as_str().is_some_and(|value| !value.is_empty()), "{field}: {text}");
    }
    problem
}

/// The binary, on a library.
pub(crate) fn command(place: &TestPlace) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibid"));
    command.env_remove("IBID_DATABASE_URL").arg("--data").arg(place.folder());
    if let Some(url) = place.database_url() {
        command.arg("--database-url").arg(url);
    }
    command
}

/// Runs a command on a library.
pub(crate) fn ibid(place: &TestPlace, arguments: &[&str]) -> Output {
    command(place).args(arguments).output().unwrap()
}

fn spawn(place: &TestPlace, arguments: &[String]) -> (Child, String) {
    let log = Path::new(place.folder()).join("server.log");
    let log = std::fs::File::options().create(true).append(true).open(log).unwrap();
    let mut child = command(place)
        .args(["serve", "--listen", "127.0.0.1:0", "--connections", "8"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let Some(url) = line.trim().strip_prefix("Ibid is ready: ") else {
        let log = std::fs::read_to_string(place.folder().join("server.log")).unwrap_or_default();
        panic!("the server did not start: {line}{log}");
    };
    (child, url.to_owned())
}

/// Makes two tests of each story, an async function that takes a [`Running`] server: one on each engine.
macro_rules! on_both_servers {
    ($($story:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                super::$story($crate::Running::start(ibid_testkit::TestEngine::Sqlite).await.unwrap()).await;
            })*
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                let Some(server) = $crate::Running::start(ibid_testkit::TestEngine::Postgres).await else { return };
                super::$story(server).await;
            })*
        }
    };
}
pub(crate) use on_both_servers;
