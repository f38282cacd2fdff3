//! Two that name the same person at once, and a server that is killed while it reads: what is known in the end is the same.

use std::time::Duration;

use ibid_testkit::TestEngine;
use serde_json::{Value as Json, json};

use crate::Running;

const TEXTS: usize = 24;

/// Each names Alice, and somebody who is named in one other text.
fn text(number: usize) -> String {
    let others = ["Boris Klein", "Clara Novak", "David Okafor", "Elena Rossi", "Felix Weber", "Greta Lund"];
    let other = others[number % others.len()];
    format!(
        "Alice Chen, Engineering Manager at Acme, decided to move tank {number} on {} May 2024. {other} will check pump \
         {number} by 1 June 2024. {other} reviewed the report of Alice Chen.",
        number + 1
    )
}

/// What is known, by names: ids and times differ from run to run.
async fn known(server: &Running) -> Json {
    let page = server.json("/api/v1/entities?limit=500").await;
    let mut entities: Vec<_> = page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            json!([one["name"], one["type"], one["role"], one["organization"], one["mention_count"], one["aliases"]])
                .to_string()
        })
        .collect();
    entities.sort_unstable();
    let page = server.json("/api/v1/events?limit=500").await;
    let names = |parts: &Json| {
        let mut names: Vec<_> = parts.as_array().unwrap().iter().map(|one| one["name"].to_string()).collect();
        names.sort_unstable();
        names
    };
    let mut events: Vec<_> = page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            json!([
                one["category"],
                one["narrative"],
                one["event_date"],
                names(&one["actors"]),
                names(&one["subjects"])
            ])
            .to_string()
        })
        .collect();
    events.sort_unstable();
    let mut health = server.json("/api/v1/graph/health").await;
    health.as_object_mut().unwrap().remove("sources_waiting");
    json!({"entities": entities, "events": events, "health": health})
}

async fn bring(server: &Running, numbers: impl Iterator<Item = usize>) {
    for number in numbers {
        let body = json!({"title": format!("text {number}"), "external_id": format!("text-{number}"), "content": text(number)});
        let sent = server.request(reqwest::Method::POST, "/api/v1/sources").json(&body).send().await;
        assert!(sent.is_ok_and(|sent| sent.status().is_success()));
    }
}

async fn at_once(engine: TestEngine) {
    let Some(server) = Running::start_with(engine, &["--embedder", "none", "--workers", "6"]).await else { return };
    // Two servers on one library, each with workers of its own, and everybody named by all.
    let (_second, _) = server.beside();
    futures::future::join_all((0..6).map(|part| bring(&server, (0..TEXTS).filter(move |number| number % 6 == part))))
        .await;
    let health = server.settled().await;
    assert_eq!(health["in_step"], true, "{health}");
    let people = server.json("/api/v1/entities?type=person&limit=500").await;
    let mut names: Vec<_> =
        people["items"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        ["Alice Chen", "Boris Klein", "Clara Novak", "David Okafor", "Elena Rossi", "Felix Weber", "Greta Lund"]
    );
    let dead = server.json("/api/v1/jobs?state=dead").await;
    assert_eq!(dead["items"], json!([]), "{dead}");
}

async fn killed(engine: TestEngine) {
    let arguments = ["--embedder", "none"];
    let Some(undisturbed) = Running::start_with(engine, &arguments).await else { return };
    bring(&undisturbed, 0..TEXTS).await;
    undisturbed.settled().await;
    let expected = known(&undisturbed).await;
    drop(undisturbed);
    let mut server = Running::start_with(engine, &arguments).await.unwrap();
    bring(&server, 0..TEXTS).await;
    // Whatever it is doing at these moments is cut off: reading, resolving, keeping, connecting.
    for wait in [40, 90, 150, 60, 220, 30] {
        tokio::time::sleep(Duration::from_millis(wait)).await;
        server.kill();
        // What it had taken is free again at once, and not only when its lease has run out; that it was lost is not held
        // against it.
        server.place.run_raw_sql("UPDATE jobs SET lease_until = run_at, attempt = 0 WHERE state = 'running'").await;
        server.restart();
    }
    server.settled().await;
    assert_eq!(known(&server).await, expected);
    let check = server.ibid(&["fsck"]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_that_name_one_at_once_make_one_on_sqlite() {
    at_once(TestEngine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_that_name_one_at_once_make_one_on_postgres() {
    at_once(TestEngine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_anywhere_it_ends_in_the_same_on_sqlite() {
    killed(TestEngine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_anywhere_it_ends_in_the_same_on_postgres() {
    killed(TestEngine::Postgres).await;
}
