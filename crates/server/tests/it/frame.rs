//! The frame around every request: readiness, metrics, ids, guards, limits, and how it all ends.

use std::time::Duration;

use ibid_testkit::TestEngine;
use reqwest::{Body, Method};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{Running, on_both_servers, running::refused};

on_both_servers!(status, a_shutdown_drains);

async fn status(server: Running) {
    let health = server.json("/health").await;
    assert_eq!(health["status"], "ok");
    let ready = server.json("/ready").await;
    let names: Vec<_> =
        ready["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["database", "blobs", "indexes", "workers"]);
    assert_eq!((&ready["status"], &ready["blobs"]), (&json!("ready"), &json!("folder")));
    let engine = if server.place.database_url().is_some() { "postgres" } else { "sqlite" };
    assert_eq!(ready["engine"], engine);

    server.upload(b"words").await;
    let metrics = server.get("/metrics").await.text().await.unwrap();
    for expected in [
        "ibid_http_requests_total{method=\"POST\",route=\"/api/v1/artifacts\",status=\"201\"} 1",
        "ibid_artifact_bytes_received_total 5",
        "ibid_jobs{state=\"dead\"} 0",
        "ibid_http_request_seconds_bucket",
        "process_resident_memory_bytes",
    ] {
        assert!(metrics.contains(expected), "{expected}:\n{metrics}");
    }

    // A decent id of the caller's own is kept, another is replaced.
    let ask = |id: &'static str| server.request(Method::GET, "/health").header("x-request-id", id).send();
    assert_eq!(ask("trace-1").await.unwrap().headers()["x-request-id"], "trace-1");
    assert_ne!(ask("a b<script>").await.unwrap().headers()["x-request-id"], "a b<script>");
    let problem = refused(
        server.request(Method::GET, "/api/v1/artifacts/x").header("x-request-id", "trace-2"),
        404,
        "artifact_not_found",
    )
    .await;
    assert_eq!(problem["request_id"], "trace-2");

    let docs = server.get("/docs").await.text().await.unwrap();
    for expected in ["/api/v1/manifests/{sha256}/archive", "id='pointer_stale'", "schema-Artifact"] {
        assert!(docs.contains(expected), "{expected}");
    }
    let served = server.json("/openapi.json").await;
    assert_eq!(served["openapi"], "3.1.0");

    // Blobs that cannot be reached make it not ready, and it says which check failed.
    std::fs::rename(server.place.blobs_folder(), server.place.folder().join("away")).unwrap();
    let response = server.get("/ready").await;
    assert_eq!(response.status(), 503);
    let body: serde_json::Value = response.json().await.unwrap();
    assert_eq!((&body["checks"][1]["name"], &body["checks"][1]["status"]), (&json!("blobs"), &json!("failed")));
    assert_eq!(server.get("/health").await.status(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_sites_are_refused() {
    let server = Running::start(TestEngine::Sqlite).await.unwrap();
    let host = server.url.trim_start_matches("http://").to_owned();
    let post = || server.request(Method::POST, "/api/v1/jobs").json(&json!({ "kind": "gc" }));
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost.evil.example"] {
        refused(post().header("origin", origin), 403, "forbidden_origin").await;
    }
    assert_eq!(post().header("origin", &server.url).send().await.unwrap().status(), 201);
    for name in ["evil.example", "evil.example:7319", "127.0.0.1.evil.example", "[::2]", "@", ""] {
        refused(server.request(Method::GET, "/api/v1/jobs").header("host", name), 403, "forbidden_host").await;
    }
    let port = host.rsplit(':').next().unwrap();
    for name in [format!("localhost:{port}"), "127.0.0.1".to_owned(), format!("[::1]:{port}")] {
        assert_eq!(
            server.request(Method::GET, "/api/v1/jobs").header("host", name).send().await.unwrap().status(),
            200
        );
    }
}

async fn a_shutdown_drains(mut server: Running) {
    // An upload is half way in when the server is told to stop: it is finished and acknowledged.
    let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Vec<u8>, std::io::Error>>(1);
    let body = Body::wrap_stream(futures::stream::unfold(receiver, |mut receiver| async move {
        let piece = receiver.recv().await?;
        Some((piece, receiver))
    }));
    let upload = tokio::spawn(server.request(Method::POST, "/api/v1/artifacts").body(body).send());
    sender.send(Ok(b"first half, ".to_vec())).await.unwrap();
    let watching = server.get("/api/v1/jobs/events").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    server.terminate();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(server.http.get(format!("{}/health", server.url)).send().await.is_err(), "no one new is let in");
    sender.send(Ok(b"second half".to_vec())).await.unwrap();
    drop(sender);
    let answer = upload.await.unwrap().unwrap();
    assert_eq!(answer.status(), 201);
    // A stream of events would never end by itself; it is ended.
    assert!(watching.text().await.is_ok());
    assert!(server.wait().success());
    server.restart();
    let sha256 = ibid_domain::Sha256::of_bytes(b"first half, second half");
    let content = server.get(&format!("/api/v1/artifacts/{sha256}/content")).await;
    assert_eq!(content.text().await.unwrap(), "first half, second half");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_make_no_sense_do_no_harm() {
    let server = Running::start(TestEngine::Sqlite).await.unwrap();
    let address = server.url.trim_start_matches("http://").to_owned();
    for nonsense in [
        "\0\0\0\0".to_owned(),
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        format!("GET /{} HTTP/1.1\r\nHost: {address}\r\n\r\n", "a".repeat(600_000)),
        format!("GET / HTTP/1.1\r\nHost: {address}\r\n{}\r\n", "X: y\r\n".repeat(2_000)),
        format!("POST /api/v1/artifacts HTTP/1.1\r\nHost: {address}\r\nContent-Length: -1\r\n\r\n"),
        format!("POST /api/v1/artifacts HTTP/1.1\r\nHost: {address}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    ] {
        let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
        let _ = stream.write_all(nonsense.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await;
        let text = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || text.starts_with("HTTP/1.1 4"), "{text}");
    }
    assert_eq!(server.get("/health").await.status(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_app_is_served_for_its_own_addresses() {
    let server = Running::start(TestEngine::Sqlite).await.unwrap();
    let page = server.get("/").await;
    // Only a build for which nobody built the app may be without it.
    if !std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/dist/index.html")).exists() {
        return;
    }
    assert_eq!(page.status(), 200, "the app was built and is not in the binary");
    assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("script-src 'self'"));
    assert_eq!(page.headers()["cache-control"], "no-cache");
    let html = page.text().await.unwrap();
    for address in ["/library/files", "/library/snapshots/default/v1.2"] {
        assert_eq!(server.get(address).await.text().await.unwrap(), html);
    }
    let script = html.split('"').find(|part| part.starts_with("/assets/") && part.ends_with(".js")).unwrap().to_owned();
    let asset = server.get(&script).await;
    assert!(asset.headers()["cache-control"].to_str().unwrap().contains("immutable"));
    refused(server.request(Method::GET, "/assets/none.js"), 404, "not_found").await;
    refused(server.request(Method::GET, "/favicon.none"), 404, "not_found").await;
}
