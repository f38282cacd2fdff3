//! Jobs over HTTP: asked for, watched, and done by another process.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use ibid_testkit::TestEngine;
use reqwest::{Method, Response};
use serde_json::{Value as Json, json};

use crate::{Running, on_both_servers};

on_both_servers!(watching);

/// Reads server-sent events until one fits, and gives all of them: (id, event, data).
async fn events_until(stream: &mut Response, fits: impl Fn(&str, &Json) -> bool) -> Vec<(String, String, Json)> {
    let (mut text, mut events) = (String::new(), Vec::new());
    loop {
        let piece = tokio::time::timeout(Duration::from_secs(20), stream.chunk()).await;
        text += std::str::from_utf8(&piece.expect("an event").unwrap().expect("an open stream")).unwrap();
        while let Some((block, rest)) = text.split_once("\n\n") {
            let field = |name: &str| {
                let line = block.lines().find_map(|line| line.strip_prefix(name));
                line.unwrap_or_default().trim().to_owned()
            };
            let (id, event) = (field("id:"), field("event:"));
            let data = serde_json::from_str(&field("data:")).unwrap_or(Json::Null);
            let done = fits(&event, &data);
            if !event.is_empty() {
                events.push((id, event, data));
            }
            text = rest.to_owned();
            if done {
                return events;
            }
        }
    }
}

async fn watching(server: Running) {
    let mut stream = server.get("/api/v1/jobs/events").await;
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    events_until(&mut stream, |event, _| event == "ready").await;
    let (status, job) = server.send(Method::POST, "/api/v1/jobs", &json!({ "kind": "fsck" })).await;
    assert_eq!((status.as_u16(), &job["kind"]), (201, &json!("fsck")));
    let events = events_until(&mut stream, |_, data| data["change"] == "succeeded").await;
    let changes: Vec<_> = events
        .iter()
        .map(|(_, _, data)| data["change"].as_str().unwrap())
        .filter(|change| *change != "progress")
        .collect();
    assert_eq!(changes, ["queued", "started", "succeeded"]);
    assert!(events.iter().all(|(_, event, data)| event == "job" && data["job"]["id"] == job["id"]));

    // Cut off after the first event, the stream goes on where it was, and loses nothing.
    let mut stream =
        server.request(Method::GET, "/api/v1/jobs/events").header("last-event-id", &events[0].0).send().await.unwrap();
    let rest = events_until(&mut stream, |_, data| data["change"] == "succeeded").await;
    let seen: Vec<_> = rest.iter().filter(|(_, event, _)| event == "job").map(|(id, ..)| id).collect();
    assert_eq!(seen, events[1..].iter().map(|(id, ..)| id).collect::<Vec<_>>());

    let one = server.json(&format!("/api/v1/jobs/{}", job["id"].as_str().unwrap())).await;
    assert_eq!((&one["state"], &one["result"]["findings"]), (&json!("succeeded"), &json!([])));
    let listed = server.json("/api/v1/jobs?state=succeeded&kind=fsck").await;
    assert_eq!(listed["items"][0]["id"], job["id"]);
    let retry = server.request(Method::POST, &format!("/api/v1/jobs/{}/retry", job["id"].as_str().unwrap()));
    crate::running::refused(retry, 409, "job_not_dead").await;
    let cancel = server.request(Method::POST, &format!("/api/v1/jobs/{}/cancel", job["id"].as_str().unwrap()));
    crate::running::refused(cancel, 409, "job_finished").await;
}

/// A server without workers leaves the job to `ibid worker`; whoever watches the server sees it done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_of_its_own() {
    for engine in [TestEngine::Sqlite, TestEngine::Postgres] {
        let Some(server) = Running::start_with(engine, &["--workers", "0"]).await else { continue };
        let mut stream = server.get("/api/v1/jobs/events").await;
        let (_, job) = server.send(Method::POST, "/api/v1/jobs", &json!({ "kind": "gc" })).await;
        let (_, other) = server.send(Method::POST, "/api/v1/jobs", &json!({ "kind": "fsck" })).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        let id = job["id"].as_str().unwrap();
        assert_eq!(server.json(&format!("/api/v1/jobs/{id}")).await["state"], "queued");
        // Taken back, it can be started over.
        let path = format!("/api/v1/jobs/{}", other["id"].as_str().unwrap());
        assert_eq!(server.send(Method::POST, &format!("{path}/cancel"), &json!({})).await.1["state"], "cancelled");
        assert_eq!(server.send(Method::POST, &format!("{path}/retry"), &json!({})).await.1["state"], "queued");
        let mut command = Command::new(env!("CARGO_BIN_EXE_ibid"));
        command.args(["worker", "--data"]).arg(server.place.folder()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some(url) = server.place.database_url() {
            command.args(["--database-url", url]);
        }
        let mut worker = command.spawn().unwrap();
        events_until(&mut stream, |_, data| data["change"] == "succeeded" && data["job"]["id"] == job["id"]).await;
        worker.kill().unwrap();
        worker.wait().unwrap();
    }
}
