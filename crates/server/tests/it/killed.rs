//! Killed at random moments: nothing acknowledged is lost, nothing half-done is seen, nothing is left behind.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use ibid_testkit::TestEngine;
use reqwest::Client;
use serde_json::{Value as Json, json};
use tokio::task::JoinHandle;

use crate::Running;

const UPLOADS: usize = 100;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite() {
    survive(TestEngine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres() {
    survive(TestEngine::Postgres).await;
}

/// What the clients were told is done.
#[derive(Default)]
struct Acknowledged {
    artifacts: HashMap<String, Vec<u8>>,
    pointers: HashMap<String, String>,
}

impl Acknowledged {
    fn count(&self) -> usize {
        self.artifacts.len() + self.pointers.len()
    }
}

async fn survive(engine: TestEngine) {
    let Some(mut server) = Running::start(engine).await else { return };
    let acknowledged = Arc::new(Mutex::new(Acknowledged::default()));
    let (mut next, mut kills) = (0, 0);
    while next < UPLOADS {
        let batch: Vec<usize> = (next..UPLOADS.min(next + 12)).collect();
        next += batch.len();
        let clients: Vec<_> = batch
            .into_iter()
            .map(|number| {
                let (http, url, acknowledged) = (server.http.clone(), server.url.clone(), Arc::clone(&acknowledged));
                tokio::spawn(async move { client(http, url, number, &acknowledged).await })
            })
            .collect();
        // Somewhere in the middle of all that: after some of the answers have come, each time another number of them.
        let enough = acknowledged.lock().unwrap().count() + next * 7 % 19;
        while acknowledged.lock().unwrap().count() < enough && !clients.iter().all(JoinHandle::is_finished) {
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        server.kill();
        kills += 1;
        for client in clients {
            let _ = client.await;
        }
        server.restart();
    }
    server.kill();
    let fsck = server.ibid(&["fsck", "--json"]);
    let report: Json = serde_json::from_slice(&fsck.stdout).unwrap();
    assert!(fsck.status.success(), "{report}");
    assert_eq!(report["findings"], json!([]));
    let gc = server.ibid(&["gc", "--apply"]);
    assert!(gc.status.success(), "{}", String::from_utf8_lossy(&gc.stderr));
    assert_eq!(
        std::fs::read_dir(server.place.blobs_folder().join("spool")).unwrap().count(),
        0,
        "a temporary file is left"
    );
    assert!(
        temporary_files(&server.place.blobs_folder()).is_empty(),
        "{:?}",
        temporary_files(&server.place.blobs_folder())
    );

    server.restart();
    let acknowledged = std::mem::take(&mut *acknowledged.lock().unwrap());
    assert!(
        kills >= 8 && acknowledged.artifacts.len() > 10,
        "{kills} kills, {} acknowledged",
        acknowledged.artifacts.len()
    );
    for (sha256, content) in &acknowledged.artifacts {
        let kept = server.get(&format!("/api/v1/artifacts/{sha256}/content")).await;
        assert_eq!(kept.status(), 200, "{sha256} was acknowledged");
        assert!(kept.bytes().await.unwrap() == content.as_slice());
    }
    for (name, manifest) in &acknowledged.pointers {
        let pointer = server.json(&format!("/api/v1/pointers/default/{name}")).await;
        assert_eq!(&pointer["manifest_sha256"], manifest);
        assert_eq!(
            server.json(&format!("/api/v1/pointers/default/{name}/history")).await["items"].as_array().unwrap().len(),
            1
        );
    }
}

/// Uploads, makes a manifest, makes a pointer and advances it; writes down what was acknowledged.
async fn client(http: Client, url: String, number: usize, acknowledged: &Mutex<Acknowledged>) -> Option<()> {
    let content: Vec<u8> = (0..(number % 7 + 1) * 60_000).map(|index| (index * (number + 3) % 251) as u8).collect();
    let post = |path: &str, body: Json| http.post(format!("{url}{path}")).json(&body).send();
    let answer = http.post(format!("{url}/api/v1/artifacts")).body(content.clone()).send().await.ok()?;
    assert!(answer.status().is_success());
    let sha256 = answer.json::<Json>().await.ok()?["sha256"].as_str()?.to_owned();
    acknowledged.lock().unwrap().artifacts.insert(sha256.clone(), content);
    let answer = post("/api/v1/manifests", json!({ "tree": { "file": { "sha256": sha256 } } })).await.ok()?;
    let manifest = answer.error_for_status().unwrap().json::<Json>().await.ok()?["sha256"].as_str()?.to_owned();
    let name = format!("p{number}");
    let answer = http.put(format!("{url}/api/v1/pointers/default/{name}")).json(&json!({})).send().await.ok()?;
    answer.error_for_status().unwrap();
    let answer = post(&format!("/api/v1/pointers/default/{name}/advance"), json!({ "to": manifest, "expected": null }))
        .await
        .ok()?;
    answer.error_for_status().unwrap();
    acknowledged.lock().unwrap().pointers.insert(name, manifest);
    Some(())
}

/// Every file below the blobs that is not named by a hash.
fn temporary_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(temporary_files(&path));
        } else if path.file_name().and_then(|name| name.to_str()).is_none_or(|name| name.len() != 64) {
            found.push(path);
        }
    }
    found
}
