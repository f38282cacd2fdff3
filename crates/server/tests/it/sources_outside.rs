//! What comes from outside: pages that change and vanish, and a provider of embeddings that stumbles.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use ibid_testkit::TestEngine;
use reqwest::Method;
use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpListener,
};

use crate::{
    Running,
    sources::{id, is_read},
};

/// What the server outside says to one request: status line, headers, body.
pub(crate) type Said = (&'static str, Vec<(&'static str, String)>, String);

/// A server outside that answers as it is told.
pub(crate) struct Outside {
    pub(crate) address: std::net::SocketAddr,
}

impl Outside {
    pub(crate) async fn open(answer: impl Fn(&str, &Json) -> Said + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let answer = Arc::new(answer);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let answer = Arc::clone(&answer);
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let (mut first, mut length) = (String::new(), 0);
                    stream.read_line(&mut first).await.unwrap();
                    loop {
                        let mut line = String::new();
                        stream.read_line(&mut line).await.unwrap();
                        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                            length = value.trim().parse().unwrap();
                        }
                        if line.trim().is_empty() {
                            break;
                        }
                    }
                    let mut body = vec![0; length];
                    stream.read_exact(&mut body).await.unwrap();
                    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
                    let (status, headers, body) = answer(&path, &serde_json::from_slice(&body).unwrap_or_default());
                    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
                    let length = body.len();
                    let head =
                        format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
                    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
                });
            }
        });
        Self { address }
    }
}

fn page(words: &str) -> Said {
    let html = format!(
        "<html lang=en><head><title>A sample page</title><meta name=author content='Jane Sample'>\
         <meta property='article:published_time' content='2024-05-01'></head><body><main><h1>A sample page</h1>\
         <p>{words} stand in the reeds all day and wait for fish to come near, as they always have.</p></main></body></html>"
    );
    ("200 OK", vec![("content-type", "text/html; charset=utf-8".to_owned())], html)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_is_fetched_kept_and_fetched_again() {
    let visits = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&visits);
    let outside = Outside::open(move |path, _| match path {
        "/page" if seen.fetch_add(1, Ordering::SeqCst) == 0 => page("Herons"),
        "/page" => page("Storks"),
        "/away" => ("302 Found", vec![("location", "http://169.254.169.254/".to_owned())], String::new()),
        _ => ("404 Not Found", vec![], "gone".to_owned()),
    })
    .await;
    let allow = outside.address.to_string();
    let server =
        Running::start_with(TestEngine::Sqlite, &["--fetch-allow", &allow, "--embedder", "none"]).await.unwrap();
    let add = async |path: &str| {
        let body = json!({ "url": format!("http://{}{path}", outside.address) });
        let (status, source) = server.send(Method::POST, "/api/v1/sources", &body).await;
        assert_eq!(status, 201, "{source}");
        server.source(id(&source), is_read).await
    };
    let source = add("/page").await;
    assert_eq!((&source["title"], &source["authors"]), (&json!("A sample page"), &json!(["Jane Sample"])));
    assert_eq!((&source["publication_date"], &source["type"]), (&json!("2024-05-01"), &json!("WEB_PAGE")));
    assert_eq!((&source["origin"], &source["is_available"]), (&json!("web"), &json!(true)));
    assert_eq!(server.json("/api/v1/sources?q=herons").await["items"].as_array().unwrap().len(), 1);
    let path = format!("/api/v1/sources/{}", id(&source));
    let refreshed = server.request(Method::POST, &format!("{path}/refresh")).send().await.unwrap();
    assert_eq!(refreshed.status(), 202);
    server.source(id(&source), |source| source["revision"] == 2).await;
    assert_eq!(server.json("/api/v1/sources?q=storks").await["items"].as_array().unwrap().len(), 1);
    assert_eq!(server.json("/api/v1/sources?q=herons").await["items"].as_array().unwrap().len(), 0);

    let gone = add("/gone").await;
    assert_eq!((&gone["status"], &gone["is_available"]), (&json!("failed"), &json!(false)));
    assert_eq!((&gone["title"], &gone["extraction_error"]["code"]), (&gone["url"], &json!("http_status")));
    let away = add("/away").await;
    assert_eq!(away["extraction_error"]["code"], "url_not_allowed", "a redirect leads nowhere private: {away}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_stumbles_loses_and_doubles_nothing() {
    let texts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&texts);
    let faults: Arc<Mutex<VecDeque<Said>>> = Arc::new(Mutex::new(VecDeque::from([
        (
            "429 Too Many Requests",
            vec![("retry-after", "1".to_owned())],
            r#"{"error":{"message":"slow down"}}"#.to_owned(),
        ),
        ("500 Internal Server Error", vec![], "oops".to_owned()),
        ("200 OK", vec![("content-type", "application/json".to_owned())], r#"{"data":[{"index":0,"embed"#.to_owned()),
    ])));
    let outside = Outside::open(move |path, body| {
        assert_eq!(path, "/v1/embeddings");
        if let Some(fault) = faults.lock().unwrap().pop_front() {
            return fault;
        }
        let inputs = body["input"].as_array().unwrap();
        counted.fetch_add(inputs.len(), Ordering::SeqCst);
        let vector = |index: usize| json!({ "object": "embedding", "index": index, "embedding": [0.6, 0.8, 0.0] });
        let data: Vec<_> = (0..inputs.len()).map(vector).collect();
        let answer = json!({ "object": "list", "data": data, "model": "sample", "usage": {} });
        ("200 OK", vec![("content-type", "application/json".to_owned())], answer.to_string())
    })
    .await;
    let url = format!("http://{}/v1", outside.address);
    let settings = ["--embedder", "compatible", "--embedder-url", &url, "--embedder-model", "sample"];
    let settings = [&settings[..], &["--embedder-dimension", "3", "--chunk-tokens", "32"]].concat();
    let server = Running::start_with(TestEngine::Sqlite, &settings).await.unwrap();
    let text: String = (0..60).map(|number| format!("Sample sentence number {number} speaks of reeds. ")).collect();
    let (_, brought) = server.upload_sources(&[("reeds.txt", text.into_bytes())]).await;
    let source = id(&brought["items"][0]).to_owned();
    let waiting = server.source(&source, |source| source["embedding_error"].is_string()).await;
    assert_eq!(waiting["status"], "indexed", "its words are found meanwhile: {waiting}");
    let ready = server.source(&source, |source| source["embedding"] == "ready").await;
    assert_eq!((&ready["status"], &ready["embedding_error"]), (&json!("ready"), &Json::Null));
    let chunks = server.json(&format!("/api/v1/sources/{source}/chunks?limit=500")).await;
    let chunks = chunks["items"].as_array().unwrap();
    assert!(chunks.len() > 10 && chunks.iter().all(|chunk| chunk["embedded"] == true));
    assert_eq!(texts.load(Ordering::SeqCst), chunks.len(), "each passage was embedded once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_come_through_firecrawl() {
    let page = "<html><head><title>Selde today</title></head><body><article><h1>Selde today</h1><p>The lighthouse of Selde was \
                restored in 2021 by volunteers. It stands on the western mole and is open in summer.</p></article></body></html>";
    let outside = Outside::open(move |path, asked| {
        let found = match (path, asked["url"].as_str().unwrap_or_default()) {
            ("/v1/scrape", "https://selde.example/today") => json!({"success": true, "data": {
                "rawHtml": page, "metadata": {"sourceURL": "https://selde.example/today", "statusCode": 200},
            }}),
            ("/v1/scrape", "https://selde.example/gone") => {
                json!({"success": true, "data": {"markdown": "Not found", "metadata": {"statusCode": 404}}})
            }
            ("/v1/scrape", _) => json!({"success": false, "error": "no page of ours"}),
            _ => return ("404 Not Found", vec![], "gone".to_owned()),
        };
        ("200 OK", vec![("content-type", "application/json".to_owned())], found.to_string())
    })
    .await;
    let url = format!("http://{}", outside.address);
    let arguments = ["--firecrawl-key", "k", "--firecrawl-url", &url];
    let server = Running::start_with(TestEngine::Sqlite, &arguments).await.unwrap();
    let bring = async |url: &str| {
        let source = server.post("/api/v1/sources", json!({"url": url})).await;
        server.source(id(&source), |source| source["status"] != "pending").await
    };
    let found = bring("https://selde.example/today").await;
    assert_eq!((&found["title"], &found["is_available"]), (&json!("Selde today"), &json!(true)), "{found}");
    let text = server.json(&format!("/api/v1/sources/{}/text", id(&found))).await;
    assert!(text["text"].as_str().unwrap().contains("restored in 2021 by volunteers"), "{text}");
    for gone in ["https://selde.example/gone", "https://selde.example/other"] {
        let source = bring(gone).await;
        assert_eq!((&source["title"], &source["is_available"]), (&json!(gone), &json!(false)), "{source}");
    }
}
