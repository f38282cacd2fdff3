//! Search over HTTP and on the command line, and what is left of it after a kill.

use std::time::Duration;

use ibid_testkit::{TestEngine, TestPlace};
use reqwest::{Method, StatusCode};
use serde_json::{Value as Json, json};

use crate::{Running, running::answer, sources::id};

async fn on(engine: TestEngine) -> Option<Running> {
    Running::start_with(engine, &["--embedder", "external"]).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pinned_on_sqlite() {
    if let Some(server) = on(TestEngine::Sqlite).await {
        pinned(server).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pinned_on_postgres() {
    if let Some(server) = on(TestEngine::Postgres).await {
        pinned(server).await;
    }
}

fn passage(number: usize) -> Json {
    let angle = number as f32 * 0.01;
    json!({
        "id": format!("p{number}"),
        "source_title": format!("Sample source {number}"),
        "text": format!("This is sample passage number {number}. The heron of pond{number} waits for fish."),
        "vector": [angle.cos(), angle.sin(), 0.1],
        "metadata": { "tags": [if number.is_multiple_of(2) { "even" } else { "odd" }], "shelf": number },
    })
}

impl Running {
    async fn import(&self, passages: impl Iterator<Item = Json>) -> Json {
        let lines: String = passages.map(|passage| format!("{passage}\n")).collect();
        let request = self.request(Method::POST, "/api/v1/import/passages").body(lines);
        let (status, report) = answer(request.header("content-type", "application/x-ndjson")).await;
        assert_eq!(status, StatusCode::OK, "{report}");
        report
    }

    async fn search(&self, body: &Json) -> Json {
        let (status, found) = self.send(Method::POST, "/api/v1/search", body).await;
        assert_eq!(status, StatusCode::OK, "{found}");
        found
    }
}

fn external_ids(found: &Json) -> Vec<&str> {
    found["primary_results"].as_array().unwrap().iter().filter_map(|one| one["external_id"].as_str()).collect()
}

async fn pinned(server: Running) {
    let report = server.import((0..50).map(passage)).await;
    assert_eq!((&report["received"], &report["imported"], &report["failed"]), (&json!(50), &json!(50), &json!(0)));
    let vector = json!([0.07_f32.cos(), 0.07_f32.sin(), 0.1]);
    let found = server.search(&json!({ "query": "heron at pond7", "query_vector": vector, "limit": 3 })).await;
    assert_eq!(external_ids(&found)[0], "p7");
    let first = &found["primary_results"][0];
    for field in ["type", "id", "external_id", "source_id", "title", "content", "score", "scores", "source", "evidence"]
    {
        assert!(!first[field].is_null(), "{field}: {first}");
    }
    assert_eq!((&first["type"], &first["scores"]["bm25_rank"]), (&json!("chunk"), &json!(1)));
    assert!(first["scores"]["vector_rank"].is_u64());
    let evidence = &first["evidence"][0];
    assert!(evidence["quote"].as_str().unwrap().contains("The heron of pond7 waits for fish."), "{evidence}");
    let text = server.json(&format!("/api/v1/sources/{}/text", first["source_id"].as_str().unwrap())).await;
    let (start, end) =
        (evidence["start_char"].as_u64().unwrap() as usize, evidence["end_char"].as_u64().unwrap() as usize);
    let words: String = text["text"].as_str().unwrap().chars().skip(start).take(end - start).collect();
    assert_eq!(words, evidence["quote"].as_str().unwrap());
    assert_eq!(evidence["revision_id"], text["revision_id"]);
    assert_eq!((&found["related_context"], &found["entities"]), (&json!([]), &json!([])));
    let meta = &found["search_metadata"];
    assert!(meta["took_ms"].is_number() && meta["lists"].is_object());
    assert_eq!(meta["total_chunks_searched"], 50);
    let names: Vec<&str> =
        found["expand_options"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "include_memory",
            "expand_neighbors",
            "include_events",
            "graph_expand",
            "graph_filters",
            "graph_budget",
            "include_entities",
            "include_revision_diff"
        ]
    );
    let plain = server.search(&json!({ "query": "heron", "graph_expand": false })).await;
    assert!(plain.get("related_context").is_none() && plain.get("entities").is_none());
    assert_eq!(plain["expand_options"], found["expand_options"]);
    assert_eq!(plain["primary_results"].as_array().unwrap().len(), 10, "by words only, since no vector came");
    let odd = server
        .search(&json!({ "query": "heron", "query_vector": vector, "filters": { "tags": "odd" }, "limit": 30 }))
        .await;
    assert_eq!(odd["search_metadata"]["total_chunks_searched"], 25);
    assert!(odd["primary_results"].as_array().unwrap().iter().all(|one| one["source"]["tags"] == json!(["odd"])));

    let (status, view) = server
        .send(Method::POST, "/api/v1/search/sources", &json!({ "query": "pond9", "query_vector": vector, "limit": 2 }))
        .await;
    assert_eq!(status, StatusCode::OK, "{view}");
    assert!(view["sources"].as_array().unwrap().len() <= 2);
    let source = &view["sources"][0];
    for field in ["file_id", "file_name", "source_type", "mime_type", "relevance_score", "is_image", "excerpts"] {
        assert!(!source[field].is_null(), "{field}: {source}");
    }
    assert_eq!(view["search_metadata"]["query"], "pond9");
    let document = "01900000-0000-7000-8000-000000000001";
    let path = format!("/api/v1/documents/{document}/sources/query");
    let (status, none) = server.send(Method::POST, &path, &json!({ "query": "heron" })).await;
    assert_eq!((status, &none["sources"]), (StatusCode::OK, &json!([])));
    assert!(none["message"].is_string(), "an empty answer says why: {none}");
    bad_input(&server).await;

    // A source of one's own is found within a second, and a deleted one not at all.
    let (status, own) = server
        .send(Method::POST, "/api/v1/sources", &json!({ "title": "Mine", "content": "The zebrafinch sings." }))
        .await;
    assert_eq!(status, StatusCode::CREATED);
    server.source(id(&own), |source| source["status"] != "pending").await;
    let mut found = Json::Null;
    for _ in 0..100 {
        found = server.search(&json!({ "query": "zebrafinch" })).await;
        if !found["primary_results"].as_array().unwrap().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(found["primary_results"][0]["source_id"], own["id"]);
    let printed = server.ibid(&["search", "zebrafinch"]);
    assert!(String::from_utf8_lossy(&printed.stdout).contains("The zebrafinch sings."));
    let printed = server.ibid(&["--json", "search", "zebrafinch"]);
    let printed: Json = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(printed["primary_results"][0]["source_id"], own["id"]);
    // Flags are flags after the words, too.
    let printed = server.ibid(&["search", "zebrafinch", "--json", "--limit", "1"]);
    assert!(serde_json::from_slice::<Json>(&printed.stdout).is_ok_and(|found| found["primary_results"].is_array()));
    assert_eq!(server.ibid(&["search", "nothinglikethis"]).status.code(), Some(1));
    let deleted = server.request(Method::DELETE, &format!("/api/v1/sources/{}", id(&own))).send().await.unwrap();
    assert!(deleted.status().is_success());
    let found = server.search(&json!({ "query": "zebrafinch" })).await;
    assert_eq!(found["primary_results"], json!([]));
}

async fn bad_input(server: &Running) {
    for (body, field) in [
        (json!({ "query": "" }), "query"),
        (json!({}), "query"),
        (json!({ "query": "?!.,;" }), "query"),
        (json!({ "query": "x".repeat(100_000) }), "query"),
        (json!({ "query": "a", "limit": 0 }), "limit"),
        (json!({ "query": "a", "limit": 10_000 }), "limit"),
        (json!({ "query": "a", "limit": -1 }), "limit"),
        (json!({ "query": "a", "limit": "ten" }), "limit"),
        (json!({ "query": 7 }), "query"),
        (json!({ "query": "a", "graph_depth": 2 }), "graph_depth"),
        (json!({ "query": "a", "graph_budget": 51 }), "graph_budget"),
        (json!({ "query": "a", "graph_filters": ["Gossip"] }), "graph_filters"),
        (json!({ "query": "a", "query_vector": [1.0, 2.0] }), "query_vector"),
        (json!({ "query": "a", "query_vector": "x" }), "query_vector"),
        (json!({ "query": "a", "query_vector": [0, 0, 0] }), "query_vector"),
        (json!({ "query": "a", "lists": ["meaning"] }), "lists"),
        (json!({ "query": "a", "lists": [] }), "lists"),
        (json!({ "query": "a", "filters": { "type": "NOVEL" } }), "filters.type"),
        (json!({ "query": "a", "filters": { "origin": "moon" } }), "filters.origin"),
        (json!({ "query": "a", "filters": { "from": "yesterday" } }), "filters.from"),
        (json!({ "query": "a", "filters": { "as_of": "zz" } }), "filters.as_of"),
        (json!({ "query": "a", "threshold": 3 }), "threshold"),
    ] {
        let (status, problem) = server.send(Method::POST, "/api/v1/search", &body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{field}: {problem}");
        assert_eq!(problem["field"], field, "{problem}");
    }
    let (_, problem) =
        server.send(Method::POST, "/api/v1/search", &json!({ "query": "a", "graph_filters": ["Gossip"] })).await;
    assert!(problem["detail"].as_str().unwrap().contains("QualityRisk"), "the legal ones are named: {problem}");
    for query in ["🐦", "' OR 1=1 --", "\"unclosed", "NEAR(a b) ^ * : ( ) AND", "a\u{0}b", "-", "--", "+", "\u{feff}x"]
    {
        let (status, answer) = server.send(Method::POST, "/api/v1/search", &json!({ "query": query })).await;
        assert!(status == 200 || status == 422, "{query:?}: {status} {answer}");
    }
    for legal in [json!({ "query": "a", "graph_filters": null }), json!({ "query": "a", "graph_filters": [] })] {
        server.search(&legal).await;
    }
    let lines = "not json\n{\"id\":\"\"}\n";
    let request = server.request(Method::POST, "/api/v1/import/passages").body(lines);
    let (status, problem) = answer(request).await;
    assert_eq!((status, &problem["code"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("import_unreadable")));
}

/// Killed while passages come in: everything that was acknowledged is found, and nothing twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_index_heals_after_a_kill() {
    let Some(mut server) = on(TestEngine::Sqlite).await else { return };
    let mut acknowledged = 0;
    for round in 0..4_u64 {
        server.import((acknowledged..acknowledged + 40).map(passage)).await;
        acknowledged += 40;
        let (http, url) = (server.http.clone(), server.url.clone());
        let more: String = (acknowledged..acknowledged + 3000).map(|number| format!("{}\n", passage(number))).collect();
        let sending = tokio::spawn(async move {
            let _ = http.post(format!("{url}/api/v1/import/passages")).body(more).send().await;
        });
        tokio::time::sleep(Duration::from_millis(30 + 90 * round)).await;
        server.kill();
        sending.await.unwrap();
        damage(&server.place, round);
        server.restart();
    }
    for number in [0, 17, 39, 80, acknowledged - 1] {
        let query = json!({ "query": format!("\"pond{number}\""), "lists": ["words"] });
        let found = first_found(&server, &query, &format!("p{number}")).await;
        assert_eq!(external_ids(&found), [format!("p{number}")], "found, and once");
    }
    let query = json!({ "query": "", "query_vector": [1.0, 0.0, 0.1], "lists": ["vectors"] });
    let found = first_found(&server, &query, "p0").await;
    assert_eq!(external_ids(&found).first(), Some(&"p0"));
    // It can be deleted and made anew while nothing runs.
    server.kill();
    std::fs::remove_dir_all(server.place.folder().join("index")).unwrap();
    let rebuilt = server.ibid(&["--json", "index", "rebuild"]);
    let rebuilt: Json = serde_json::from_slice(&rebuilt.stdout).unwrap();
    assert!(rebuilt["passages"].as_u64().unwrap() >= acknowledged as u64, "{rebuilt}");
    assert_eq!((&rebuilt["behind"], &rebuilt["passages"]), (&json!(0), &rebuilt["vectors"]));
}

/// Searches until a passage is found first: an index that heals has its words before its vectors.
async fn first_found(server: &Running, query: &Json, external_id: &str) -> Json {
    for _ in 0..200 {
        let found = server.search(query).await;
        if external_ids(&found).first() == Some(&external_id) {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    server.search(query).await
}

/// What a crash of the machine may leave of the index.
fn damage(place: &TestPlace, round: u64) {
    let journal = place.folder().join("index/journal");
    let Ok(bytes) = std::fs::read(&journal) else { return };
    match round {
        1 => std::fs::write(&journal, &bytes[..bytes.len().saturating_sub(7)]).unwrap(),
        2 => std::fs::write(&journal, b"something else").unwrap(),
        3 => std::fs::remove_dir_all(place.folder().join("index/words")).unwrap(),
        _ => {}
    }
}
