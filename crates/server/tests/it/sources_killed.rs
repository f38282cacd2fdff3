//! Killed in the middle of taking files in: every file ends indexed, exactly once.

use std::{collections::HashMap, time::Duration};

use ibid_testkit::TestEngine;
use serde_json::Value as Json;

use crate::{Running, sources::id};

const FILES: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite() {
    survive(TestEngine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres() {
    survive(TestEngine::Postgres).await;
}

fn file(number: usize) -> (String, Vec<u8>) {
    let text = format!("Sample file number {number} with the word unique{number}x in it.\n\nAnd a second paragraph.");
    (format!("file-{number}.txt"), text.into_bytes())
}

async fn survive(engine: TestEngine) {
    let Some(mut server) = Running::start_with(engine, &["--embedder", "none"]).await else { return };
    // Everything is sent again after each kill, as a client would that does not know what arrived.
    for kill in 0..3 {
        let (http, url) = (server.http.clone(), server.url.clone());
        let sending = tokio::spawn(async move {
            for number in 0..FILES {
                let (name, bytes) = file(number);
                let part = reqwest::multipart::Part::bytes(bytes).file_name(name);
                let form = reqwest::multipart::Form::new().part("file", part);
                if http.post(format!("{url}/api/v1/sources/upload")).multipart(form).send().await.is_err() {
                    return;
                }
            }
        });
        tokio::time::sleep(Duration::from_millis(300 + 400 * kill)).await;
        server.kill();
        sending.await.unwrap();
        server.restart();
    }
    for number in 0..FILES {
        let (name, bytes) = file(number);
        let (status, brought) = server.upload_sources(&[(&name, bytes)]).await;
        assert!(status == 200 || status == 201, "{brought}");
    }
    let mut sources: HashMap<String, Json> = HashMap::new();
    for _ in 0..1200 {
        sources = all(&server).await;
        if sources.values().all(|source| source["status"] != "pending") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(sources.len(), FILES, "every file is one source");
    for (filename, source) in &sources {
        assert_eq!((&source["status"], source["chunk_count"].as_u64()), (&"indexed".into(), Some(1)), "{filename}");
        let chunks = server.json(&format!("/api/v1/sources/{}/chunks", id(source))).await;
        assert_eq!(chunks["items"].as_array().unwrap().len(), 1, "{filename}");
        assert_eq!(source["revision"], 1);
    }
    let found = server.json("/api/v1/sources?q=unique77x").await;
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    let check = server.ibid(&["fsck"]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}

/// Every source by the name of its file; one name twice is an error.
async fn all(server: &Running) -> HashMap<String, Json> {
    let (mut sources, mut cursor) = (HashMap::new(), String::new());
    loop {
        let page = server.json(&format!("/api/v1/sources?limit=500&cursor={cursor}")).await;
        for source in page["items"].as_array().unwrap() {
            let name = source["filename"].as_str().unwrap().to_owned();
            assert!(sources.insert(name.clone(), source.clone()).is_none(), "{name} is there twice");
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => return sources,
        }
    }
}
