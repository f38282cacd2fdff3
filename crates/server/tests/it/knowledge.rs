//! Who did what, as the API tells it: the ten tests of the knowledge brief by their names, and what people may do with
//! what was found.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::{Running, on_both_servers, running::refused, sources::id};

on_both_servers!(
    entity_extraction_returns_rich_context,
    entity_deduplication_same_person,
    entity_deduplication_different_people,
    uncertain_merge_creates_possibly_same_edge,
    graph_upsert_materializes_nodes_and_edges,
    hybrid_search_returns_expand_options,
    related_context_is_connected_and_bounded,
    graph_seed_limit_respected,
    backward_compatibility,
    chunk_to_revision_mapping,
    reading_again_changes_nothing,
    merges_are_undone_whole,
    mentions_are_taken_apart,
    sources_come_and_go,
    memories,
    events_say_whose_date_they_have,
    what_an_event_quotes_is_checked,
    bad_input,
);

impl Running {
    /// Waits until every source was read and no job is left.
    pub(crate) async fn settled(&self) -> Json {
        let mut quiet = 0;
        for _ in 0..600 {
            // A job that ends may leave another behind between two questions: twice nothing is nothing.
            quiet = if self.is_busy().await { 0 } else { quiet + 1 };
            if quiet == 2 {
                return self.json("/api/v1/graph/health").await;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the jobs do not end: {}", self.json("/api/v1/jobs").await);
    }

    async fn is_busy(&self) -> bool {
        for state in ["running", "queued"] {
            if self.json(&format!("/api/v1/jobs?state={state}")).await["items"] != json!([]) {
                return true;
            }
        }
        self.json("/api/v1/graph/health").await["sources_waiting"] != 0
    }

    /// A text that was read for what it tells.
    async fn told(&self, name: &str, text: &str) -> Json {
        let source = self.with_text(name, text).await;
        self.settled().await;
        source
    }

    async fn entities(&self, query: &str) -> Vec<Json> {
        self.json(&format!("/api/v1/entities?{query}")).await["items"].as_array().unwrap().clone()
    }

    async fn entity(&self, one: &Json) -> Json {
        self.json(&format!("/api/v1/entities/{}", one["entity_id"].as_str().unwrap())).await
    }

    async fn expanded(&self, body: Json) -> Json {
        let (status, found) = self.send(Method::POST, "/api/v1/search", &body).await;
        assert!(status.is_success(), "{found}");
        found
    }

    /// What is known, but for times and the names of jobs.
    async fn everything(&self) -> Json {
        let mut entities = Vec::new();
        for one in self.entities("limit=500&order=newest").await {
            entities.push(self.entity(&one).await);
        }
        json!({
            "entities": entities,
            "events": self.json("/api/v1/events?limit=500").await,
            "review": self.json("/api/v1/entities/review?limit=500").await,
            "health": self.json("/api/v1/graph/health").await,
        })
    }

    async fn asked_job(&self, kind: &str, payload: Json) {
        let job = self.post("/api/v1/jobs", json!({"kind": kind, "payload": payload})).await;
        self.settled().await;
        let job = self.json(&format!("/api/v1/jobs/{}", id(&job))).await;
        assert_eq!(job["state"], "succeeded", "{job}");
    }
}

fn names(entities: &[Json]) -> Vec<&str> {
    entities.iter().map(|one| one["name"].as_str().unwrap()).collect()
}

/// That every quote and every mention is what the text says there.
async fn stands_there(server: &Running, places: &Json, field: &str) {
    for place in places.as_array().unwrap() {
        let path = format!(
            "/api/v1/sources/{}/text?revision={}&start_char={}&end_char={}",
            place["source_id"].as_str().unwrap(),
            place["revision_id"].as_str().unwrap(),
            place["start_char"],
            place["end_char"]
        );
        assert_eq!(server.json(&path).await["text"], place[field], "{place}");
    }
}

async fn entity_extraction_returns_rich_context(server: Running) {
    let text = "Minutes of 3 May 2024\n\nAlice Chen, Engineering Manager at Acme, decided to use PostgreSQL for the billing \
                service. Acme Corp announced the change on 6 May 2024.";
    server.told("minutes.txt", text).await;
    let people = server.entities("type=person").await;
    assert_eq!(names(&people), ["Alice Chen"], "{people:?}");
    assert_eq!(people[0]["role"], "Engineering Manager");
    assert_eq!(people[0]["organization"], "Acme Corp");
    let alice = server.entity(&people[0]).await;
    stands_there(&server, &alice["mentions"], "surface_form").await;
    let first = &alice["mentions"][0];
    let at = text.find("Alice Chen").unwrap() as u64;
    assert_eq!((first["start_char"].as_u64(), first["end_char"].as_u64()), (Some(at), Some(at + 10)));
    let events = alice["events"].as_array().unwrap();
    let decided = events.iter().find(|event| event["category"] == "Decision").expect("the decision");
    assert_eq!(decided["actors"][0]["name"], "Alice Chen");
    stands_there(&server, &decided["evidence"], "quote").await;
    assert!(names(&server.entities("type=org").await).iter().any(|name| name.starts_with("Acme")));
}

async fn entity_deduplication_same_person(server: Running) {
    server.told("a.txt", "Alice Chen, Engineering Manager, approved the budget for the pier.").await;
    server.told("b.txt", "A. Chen from Acme will send the report on Friday.").await;
    let people = server.entities("type=person").await;
    assert_eq!(names(&people), ["Alice Chen"], "one person: {people:?}");
    assert_eq!((&people[0]["role"], &people[0]["organization"]), (&json!("Engineering Manager"), &json!("Acme")));
    let alice = server.entity(&people[0]).await;
    let forms: Vec<_> = alice["mentions"].as_array().unwrap().iter().map(|one| &one["surface_form"]).collect();
    assert!(forms.contains(&&json!("Alice Chen")) && forms.contains(&&json!("A. Chen")), "{forms:?}");
    assert!(alice["aliases"].as_array().unwrap().contains(&json!("A. Chen")), "{}", alice["aliases"]);
}

async fn entity_deduplication_different_people(server: Running) {
    server.told("a.txt", "Alice Chen, Engineer at Acme, fixed the pump on Monday.").await;
    server.told("b.txt", "Alice Chen, Designer at OtherCorp, approved the new logo.").await;
    let people = server.entities("type=person").await;
    assert_eq!(names(&people), ["Alice Chen", "Alice Chen"], "{people:?}");
    let organizations: Vec<_> = people.iter().map(|one| one["organization"].as_str().unwrap()).collect();
    assert!(organizations.contains(&"Acme") && organizations.contains(&"OtherCorp"), "{organizations:?}");
}

async fn uncertain_merge_creates_possibly_same_edge(server: Running) {
    server.told("a.txt", "A. Chen approved the budget.").await;
    server.told("b.txt", "Alice C. rejected the second draft of the plan.").await;
    let people = server.entities("type=person").await;
    assert_eq!(people.len(), 2, "{people:?}");
    assert!(people.iter().any(|one| one["needs_review"] == true));
    let health = server.settled().await;
    assert_eq!(health["edges"]["POSSIBLY_SAME"], 1, "{health}");
    if !health["age"].is_null() {
        assert_eq!(health["age"]["edges"]["POSSIBLY_SAME"], 1, "{health}");
    }
    let queue = server.json("/api/v1/entities/review").await;
    let pair = &queue["items"][0];
    assert!(pair["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{pair}");
    assert_eq!(server.entities("needs_review=true").await.len(), 2);
    let near = format!("/api/v1/graph/neighborhood?entity_id={}", people[0]["entity_id"].as_str().unwrap());
    let near = server.json(&near).await;
    assert!(near["edges"].as_array().unwrap().iter().any(|edge| edge["type"] == "POSSIBLY_SAME"), "{near}");

    // Refused, taken back, confirmed, and taken back again.
    let path = format!("/api/v1/entities/review/{}", pair["pair_id"].as_str().unwrap());
    let decided = server.post(&path, json!({"decision": "different"})).await;
    assert_eq!(decided["state"], "different");
    assert_eq!(server.json("/api/v1/entities/review").await["items"], json!([]));
    assert!(server.entities("needs_review=true").await.is_empty());
    server.post(&path, json!({"decision": "undo"})).await;
    assert_eq!(server.json("/api/v1/entities/review").await["items"].as_array().unwrap().len(), 1);
    assert_eq!(server.post(&path, json!({"decision": "confirm"})).await["state"], "same");
    let people = server.entities("type=person").await;
    assert_eq!(people.len(), 1);
    assert_eq!(people[0]["mention_count"], 2);
    server.post(&path, json!({"decision": "undo"})).await;
    assert_eq!(server.entities("type=person").await.len(), 2);
    assert_eq!(server.json("/api/v1/graph/health").await["in_step"], true);
    let shown = server.ibid(&["--json", "entity", "review"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("pair_id"), "{shown:?}");
}

const PLAN: &str =
    "Alice Chen, Engineering Manager at Acme, decided to use Postgres for Project Atlas on 15 March 2024.";
const RISK: &str = "Alice Chen, Engineering Manager at Acme, will send the migration plan by 2 April 2024. There is a risk that \
                    the vendor of Project Atlas slips.";

async fn graph_upsert_materializes_nodes_and_edges(server: Running) {
    server.told("plan.txt", PLAN).await;
    server.told("risk.txt", RISK).await;
    let jobs = server.json("/api/v1/jobs?kind=graph_upsert").await;
    assert!(jobs["items"].as_array().unwrap().iter().all(|job| job["state"] == "succeeded"), "{jobs}");
    assert!(!jobs["items"].as_array().unwrap().is_empty());
    let health = server.json("/api/v1/graph/health").await;
    assert_eq!(health["in_step"], true, "{health}");
    let more = |of: &Json| of.as_u64().unwrap() > 0;
    assert!(more(&health["nodes"]["Entity"]) && more(&health["nodes"]["Event"]), "{health}");
    assert!(more(&health["edges"]["ACTED_IN"]) && more(&health["edges"]["ABOUT"]), "{health}");
    if let Some(url) = server.place.database_url() {
        assert_eq!(health["age"]["extension_enabled"], true, "{health}");
        assert_eq!(health["age"]["nodes"], health["nodes"]);
        assert_eq!(health["age"]["edges"], health["edges"]);
        let asked =
            "MATCH (a:Entity)-[:ACTED_IN]->(e:Event)-[:ABOUT]->(s:Entity) RETURN a.canonical_name, e.category, s.type";
        let rows = ibid_testkit::query_graph(url, "nur", asked, 3).await;
        let found = rows.iter().any(|row| row[0].contains("Alice Chen") && row[1].contains("Decision"));
        assert!(found, "{rows:?}");
    }
    let found = server.expanded(json!({"query": "Postgres for Atlas", "limit": 1, "graph_expand": true})).await;
    assert!(!found["related_context"].as_array().unwrap().is_empty(), "{found}");

    // Made again, it is the same.
    let before = server.everything().await;
    let rebuilt = server.ibid(&["graph", "rebuild"]);
    assert!(rebuilt.status.success(), "{rebuilt:?}");
    assert_eq!(server.everything().await, before);
}

async fn hybrid_search_returns_expand_options(server: Running) {
    server.told("plan.txt", PLAN).await;
    let found = server.expanded(json!({"query": "Postgres"})).await;
    let options = found["expand_options"].as_array().unwrap();
    for name in ["graph_expand", "include_memory", "expand_neighbors", "graph_budget", "graph_filters"] {
        assert!(options.iter().any(|option| option["name"] == name), "{name}");
    }
    assert_eq!(options.len(), 8);
}

async fn related_context_is_connected_and_bounded(server: Running) {
    server.told("plan.txt", PLAN).await;
    let risk = server.told("risk.txt", RISK).await;
    let ask = |budget: usize, filters: Json| json!({"query": "decided to use Postgres", "limit": 1, "graph_budget": budget, "graph_filters": filters});
    let found = server.expanded(ask(10, Json::Null)).await;
    assert_eq!(found["primary_results"][0]["source"]["filename"], "plan.txt", "{found}");
    let related = found["related_context"].as_array().unwrap();
    assert!(related.iter().any(|one| one["source_id"] == risk["id"]), "{related:?}");
    for one in related {
        let reason = one["reason"].as_str().unwrap();
        let kinds = ["same_actor:", "same_subject:", "1_hop_via:"];
        assert!(kinds.iter().any(|kind| reason.starts_with(kind) && reason.len() > kind.len()), "{reason}");
        assert_eq!(one["type"], "event");
        assert!(!one["evidence"].as_array().unwrap().is_empty());
        stands_there(&server, &one["evidence"], "quote").await;
    }
    assert!(related.iter().any(|one| one["reason"] == "same_actor:Alice Chen"), "{related:?}");
    let entities = found["entities"].as_array().unwrap();
    let alice = entities.iter().find(|one| one["name"] == "Alice Chen").unwrap();
    assert!(alice["mention_count"].as_u64().unwrap() >= 2 && alice["aliases"].is_array());
    let narrow = server.expanded(ask(1, Json::Null)).await;
    assert_eq!(narrow["related_context"].as_array().unwrap().len(), 1);
    assert_eq!(server.expanded(ask(0, Json::Null)).await["related_context"], json!([]));
    let promised = server.expanded(ask(10, json!(["Commitment"]))).await;
    let promised = promised["related_context"].as_array().unwrap();
    assert!(!promised.is_empty() && promised.iter().all(|one| one["category"] == "Commitment"), "{promised:?}");
    let without = json!({"query": "Postgres", "include_entities": false});
    assert!(server.expanded(without).await.get("entities").is_none());
}

async fn graph_seed_limit_respected(server: Running) {
    // Ten that are found, each of somebody else, and to each of them something that is not found.
    let people = [
        "Anna Berg",
        "Boris Klein",
        "Clara Novak",
        "David Okafor",
        "Elena Rossi",
        "Felix Weber",
        "Greta Lund",
        "Hugo Martin",
        "Irene Costa",
        "Jonas Meyer",
    ];
    for (number, person) in people.iter().enumerate() {
        let times = "walrus ".repeat(12 - number);
        server.with_text(&format!("found-{number}.txt"), &format!("{person} decided to keep the {times}tank.")).await;
        server
            .with_text(&format!("hidden-{number}.txt"), &format!("{person} will repair the gate by 1 June 2024."))
            .await;
    }
    server.settled().await;
    let mut seen = Vec::new();
    for limit in [1, 3] {
        let found = server
            .expanded(json!({"query": "walrus", "lists": ["words"], "limit": 10, "graph_seed_limit": limit, "graph_budget": 50}))
            .await;
        assert_eq!(found["primary_results"].as_array().unwrap().len(), 10);
        let related = found["related_context"].as_array().unwrap();
        let mut by: Vec<&str> = related.iter().map(|one| one["reason"].as_str().unwrap()).collect();
        by.sort_unstable();
        by.dedup();
        assert_eq!(by.len(), limit, "{related:?}");
        for result in found["primary_results"].as_array().unwrap().iter().take(limit) {
            let words = result["content"].as_str().unwrap();
            assert!(
                by.iter().any(|reason| words.contains(reason.trim_start_matches("same_actor:"))),
                "{words}: {by:?}"
            );
        }
        seen.push(related.len());
    }
    assert!(seen[0] < seen[1]);
}

async fn backward_compatibility(server: Running) {
    server.told("plan.txt", PLAN).await;
    server.told("risk.txt", RISK).await;
    let plain = server.expanded(json!({"query": "migration plan", "graph_expand": false})).await;
    assert!(plain.get("related_context").is_none() && plain.get("entities").is_none(), "{plain}");
    let mut with = server.expanded(json!({"query": "migration plan", "graph_expand": true})).await;
    assert!(with["related_context"].is_array() && with["entities"].is_array());
    assert_eq!(plain["primary_results"], with["primary_results"], "what is found is the same");
    let with = with.as_object_mut().unwrap();
    with.retain(|field, _| field != "related_context" && field != "entities");
    assert!(plain.as_object().unwrap().keys().eq(with.keys()));
}

async fn chunk_to_revision_mapping(server: Running) {
    let filler = |from: usize| -> String {
        (from..from + 60).map(|n| format!("Paragraph {n} is about stones, moss and rain on roof {n}.\n\n")).collect()
    };
    let long = format!(
        "{}Boris Klein decided to move the observatory to the northern hill on 4 July 2023.\n\n{}",
        filler(0),
        filler(100)
    );
    let source = server.told("long.txt", &long).await;
    assert!(source["chunk_count"].as_u64().unwrap() > 2, "{source}");
    let other = server.told("other.txt", "Boris Klein will order the new lens by 1 August 2023.").await;
    let found = server
        .expanded(
            json!({"query": "observatory northern hill", "limit": 1, "graph_expand": true, "graph_filters": null}),
        )
        .await;
    assert_eq!(found["primary_results"][0]["type"], "chunk");
    assert_eq!(found["primary_results"][0]["source_id"], source["id"]);
    let related = found["related_context"].as_array().unwrap();
    assert!(related.iter().any(|one| one["source_id"] == other["id"]), "{found}");
    assert!(related.iter().all(|one| one["source_id"] != source["id"]), "its own events are where it leads on from");
}

async fn reading_again_changes_nothing(server: Running) {
    let plan = server.told("plan.txt", PLAN).await;
    server.told("risk.txt", RISK).await;
    server.told("c.txt", "A. Chen approved the budget. Alice C. rejected the second draft.").await;
    let before = server.everything().await;
    for _ in 0..2 {
        server.asked_job("extract_events", json!({"source_id": plan["id"]})).await;
        server.asked_job("graph_upsert", json!({"source_id": plan["id"]})).await;
        server.asked_job("extract_events", json!({})).await;
        server.asked_job("graph_upsert", json!({})).await;
        assert_eq!(server.everything().await, before);
    }
    refused(
        server
            .request(Method::POST, "/api/v1/jobs")
            .json(&json!({"kind": "extract_events", "payload": {"source_id": "0190aaaa-0000-7000-8000-000000000000"}})),
        404,
        "source_not_found",
    )
    .await;
}

async fn merges_are_undone_whole(server: Running) {
    server.told("a.txt", "Alice Chen, Engineer at Acme, fixed the pump on Monday. Alice Chen approved the plan.").await;
    server.told("b.txt", "Alice Chen, Designer at OtherCorp, approved the new logo.").await;
    server.told("c.txt", "Boris Klein decided to close the gate.").await;
    let before = server.everything().await;
    let people = server.entities("type=person&q=chen").await;
    let (a, b) = (people[0]["entity_id"].as_str().unwrap(), people[1]["entity_id"].as_str().unwrap());
    let merged = server.post(&format!("/api/v1/entities/{b}/merge"), json!({"into": a})).await;
    assert_eq!(merged["entity_id"], a);
    let count = |one: &Json| one["mention_count"].as_u64().unwrap();
    assert_eq!(count(&merged), count(&people[0]) + count(&people[1]));
    assert_eq!(server.entities("type=person&q=chen").await.len(), 1);
    assert_eq!(server.json(&format!("/api/v1/entities/{b}")).await["merged_into"], a);
    assert_eq!(merged["merged"][0]["entity_id"], b);
    let events = server.json(&format!("/api/v1/events?entity_id={a}")).await;
    assert!(
        events["items"]
            .as_array()
            .unwrap()
            .iter()
            .any(|event| event["evidence"][0]["quote"].to_string().contains("logo"))
    );
    assert_eq!(server.json("/api/v1/graph/health").await["in_step"], true);
    // Merged on, and taken off in another order.
    let boris = server.entities("type=person&q=boris").await[0]["entity_id"].as_str().unwrap().to_owned();
    server.post(&format!("/api/v1/entities/{a}/merge"), json!({"into": boris})).await;
    assert_eq!(server.entities("type=person").await.len(), 1);
    let split = server.post(&format!("/api/v1/entities/{boris}/split"), json!({"entity_id": a})).await;
    assert_eq!((&split["entity"]["entity_id"], &split["split"]["entity_id"]), (&json!(boris), &json!(a)));
    assert_eq!(count(&split["split"]), count(&merged));
    let split = server.request(Method::POST, &format!("/api/v1/entities/{a}/split")).send().await.unwrap();
    assert_eq!(split.status(), 200, "without a body the last merge is undone");
    let after = server.everything().await;
    assert_eq!(after["entities"], before["entities"]);
    assert_eq!((&after["events"], &after["health"]), (&before["events"], &before["health"]));
    refused(
        server.request(Method::POST, &format!("/api/v1/entities/{a}/split")).json(&json!({})),
        409,
        "entity_conflict",
    )
    .await;
}

async fn mentions_are_taken_apart(server: Running) {
    let source = server
        .told("a.txt", "Boris Klein closed the gate on 3 May 2024.\n\nBoris Klein decided to sell the boat.")
        .await;
    let boris = server.entity(&server.entities("type=person").await[0]).await;
    assert_eq!(boris["mention_count"], 2, "{boris}");
    let path = format!("/api/v1/entities/{}/split", boris["entity_id"].as_str().unwrap());
    let second = &boris["mentions"][1];
    let split = server.post(&path, json!({"mention_ids": [second["id"]]})).await;
    assert_eq!((&split["entity"]["mention_count"], &split["split"]["mention_count"]), (&json!(1), &json!(1)));
    let quotes = |one: &Json| one["events"].to_string();
    assert!(quotes(&split["split"]).contains("boat") && !quotes(&split["entity"]).contains("boat"), "{split}");
    // What a person has put right stays right when it is read again.
    let before = server.everything().await;
    server.asked_job("extract_events", json!({"source_id": source["id"]})).await;
    let after = server.everything().await;
    assert_eq!((&after["entities"], &after["events"]), (&before["entities"], &before["events"]));
    refused(
        server.request(Method::POST, &path).json(&json!({"mention_ids": [boris["mentions"][0]["id"]]})),
        409,
        "entity_conflict",
    )
    .await;
}

async fn sources_come_and_go(server: Running) {
    let plan = server.told("plan.txt", PLAN).await;
    server.told("risk.txt", RISK).await;
    let alice = server.entities("q=alice").await[0].clone();
    let count = alice["mention_count"].as_u64().unwrap();
    let (status, _) = server.send(Method::DELETE, &format!("/api/v1/sources/{}", id(&plan)), &Json::Null).await;
    assert!(status.is_success());
    let health = server.settled().await;
    assert_eq!(health["in_step"], true, "{health}");
    let left = server.entities("q=alice").await;
    assert!(left[0]["mention_count"].as_u64().unwrap() < count);
    assert_eq!(left[0]["entity_id"], alice["entity_id"]);
    let events = server.json("/api/v1/events").await;
    assert!(events["items"].as_array().unwrap().iter().all(|event| event["source_id"] != plan["id"]));
    // Nobody names Postgres any more.
    assert!(server.entities("q=postgres").await.is_empty());

    // A new version tells something else, and what the old one told is not told any more.
    let first = json!({"title": "Log", "external_id": "log", "content": "Boris Klein decided to keep the old tower."});
    server.post("/api/v1/sources", first).await;
    server.settled().await;
    let boris = server.entities("q=boris").await;
    let second = json!({"title": "Log", "external_id": "log", "content": "Boris Klein decided to pull down the old tower. \
                        Alice Chen, Engineering Manager at Acme, will pay for it by 1 May 2024."});
    server.post("/api/v1/sources", second).await;
    server.settled().await;
    assert_eq!(server.entities("q=boris").await[0]["entity_id"], boris[0]["entity_id"], "the same as before");
    let events = server.json("/api/v1/events?category=Decision").await.to_string();
    assert!(events.contains("pull down") && !events.contains("keep the old tower"), "{events}");
    let found = server
        .expanded(json!({"query": "vendor slips risk", "limit": 1, "include_revision_diff": true, "graph_filters": []}))
        .await;
    let related = found["related_context"].as_array().unwrap();
    let log = related.iter().find(|one| one["source_title"] == "Log").unwrap_or_else(|| panic!("{found}"));
    assert!(log["revision_diff"]["added"].to_string().contains("pull down"), "{log}");
    assert!(log["revision_diff"]["removed"].to_string().contains("keep the old tower"), "{log}");
    assert_eq!(server.json("/api/v1/graph/health").await["in_step"], true);
}

async fn memories(server: Running) {
    let said = json!({"content": "Boris Klein will call the harbour master tomorrow.", "date": "2024-05-01", "tags": ["calls"]});
    let (status, kept) = server.send(Method::POST, "/api/v1/memories", &said).await;
    assert_eq!(status, 201, "{kept}");
    assert_eq!((&kept["origin"], &kept["tags"]), (&json!("memory"), &json!(["calls"])));
    let (status, again) = server.send(Method::POST, "/api/v1/memories", &said).await;
    assert_eq!((status.as_u16(), &again["id"]), (200, &kept["id"]));
    server.told("plan.txt", "Boris Klein decided to buy a lens for the harbour on 2 June 2024.").await;
    let without = server.expanded(json!({"query": "call the harbour master"})).await.to_string();
    assert!(!without.contains("call the harbour master tomorrow"), "{without}");
    let with = server.expanded(json!({"query": "call the harbour master", "include_memory": true})).await;
    assert_eq!(with["primary_results"][0]["source_id"], kept["id"]);
    let events = server.json(&format!("/api/v1/events?source_id={}", id(&kept))).await;
    let promised = &events["items"][0];
    assert_eq!(
        (&promised["category"], &promised["event_date"]),
        (&json!("Commitment"), &json!("2024-05-02")),
        "{events}"
    );
    refused(server.request(Method::POST, "/api/v1/memories").json(&json!({"content": "  "})), 422, "invalid_field")
        .await;
}

/// An event without a date of its own has that of its document, and says so; without either it has none.
async fn events_say_whose_date_they_have(server: Running) {
    let letter =
        "3 May 2024\n\nBoris Klein decided to keep the old tower. Boris Klein approved the new lens on 6 May 2024.";
    let letter = server.told("letter.txt", letter).await;
    let note = server.told("note.txt", "Boris Klein decided to paint the winch house.").await;
    let dates = async |query: String| -> Vec<(Json, Json)> {
        let events = server.json(&format!("/api/v1/events?{query}")).await;
        let events = events["items"].as_array().unwrap().clone();
        assert!(events.iter().all(|event| event["event_date"].is_null() == event["event_time"].is_null()));
        events.iter().map(|event| (event["event_date"].clone(), event["dated_by"].clone())).collect()
    };
    let told = (json!("2024-05-06"), json!("text"));
    let written = (json!("2024-05-03"), json!("document"));
    assert_eq!(dates(format!("source_id={}", id(&letter))).await, [told.clone(), written.clone()]);
    assert_eq!(dates(format!("source_id={}", id(&note))).await, [(Json::Null, Json::Null)]);
    // Filters and pages go by either date, and what has none comes last.
    assert_eq!(dates("to=2024-05-04T00:00:00Z".to_owned()).await, std::slice::from_ref(&written));
    assert_eq!(dates("from=2024-05-04T00:00:00Z".to_owned()).await, std::slice::from_ref(&told));
    let first = server.json("/api/v1/events?limit=1").await;
    let rest = dates(format!("limit=5&cursor={}", first["next_cursor"].as_str().unwrap())).await;
    assert_eq!(rest, [written, (Json::Null, Json::Null)]);
    let boris = server.entities("type=person").await[0]["entity_id"].as_str().unwrap().to_owned();
    let shown = server.ibid(&["entity", "show", &boris]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("2024-05-03 (date of the document)") && shown.contains("undated"), "{shown}");
    assert!(shown.contains("2024-05-06") && !shown.contains("2024-05-06 (date"), "{shown}");
}

async fn bad_input(server: Running) {
    server.told("plan.txt", PLAN).await;
    let nobody = "0190aaaa-0000-7000-8000-000000000000";
    let get = |path: String| server.request(Method::GET, &path);
    let post = |path: String, body: Json| server.request(Method::POST, &path).json(&body);
    refused(get(format!("/api/v1/entities/{nobody}")), 404, "entity_not_found").await;
    refused(get("/api/v1/entities/me".to_owned()), 404, "entity_not_found").await;
    refused(get("/api/v1/entities?type=cat".to_owned()), 422, "invalid_field").await;
    refused(get("/api/v1/entities?order=odd".to_owned()), 422, "invalid_field").await;
    refused(get(format!("/api/v1/entities?q={}", "a%20".repeat(50))), 422, "invalid_field").await;
    let wrong = refused(get("/api/v1/events?category=Party".to_owned()), 422, "invalid_field").await;
    assert_eq!(wrong["field"], "category");
    assert!(wrong["detail"].as_str().unwrap().contains("Commitment, Execution, Decision"), "{wrong}");
    refused(get("/api/v1/events?from=soon".to_owned()), 422, "invalid_field").await;
    refused(get("/api/v1/events?cursor=x".to_owned()), 422, "invalid_cursor").await;
    let one = server.entities("type=person").await[0]["entity_id"].as_str().unwrap().to_owned();
    refused(get(format!("/api/v1/graph/neighborhood?entity_id={one}&depth=2")), 422, "invalid_field").await;
    refused(get(format!("/api/v1/graph/neighborhood?entity_id={nobody}")), 404, "entity_not_found").await;
    refused(post(format!("/api/v1/entities/{one}/merge"), json!({"into": one})), 409, "entity_conflict").await;
    refused(post(format!("/api/v1/entities/{one}/merge"), json!({"into": nobody})), 404, "entity_not_found").await;
    refused(post(format!("/api/v1/entities/{one}/merge"), json!({})), 422, "invalid_field").await;
    refused(post(format!("/api/v1/entities/{one}/split"), json!({"mention_ids": []})), 422, "invalid_field").await;
    refused(post(format!("/api/v1/entities/review/{nobody}"), json!({"decision": "same"})), 404, "pair_not_found")
        .await;
    let wrong =
        refused(post(format!("/api/v1/entities/review/{nobody}"), json!({"decision": "maybe"})), 422, "invalid_field")
            .await;
    assert!(wrong["detail"].as_str().unwrap().contains("same, different or undo"));
    let two = |a: Json, b: Json| post("/api/v1/entities/compare".to_owned(), json!({"a": a, "b": b}));
    let wrong = refused(two(json!({"name": " "}), json!({"name": "A"})), 422, "invalid_field").await;
    assert_eq!(wrong["field"], "a.name");
    refused(two(json!({"name": "A"}), json!({"name": "x".repeat(2_000)})), 422, "invalid_field").await;
    refused(two(json!({"name": "A", "type": "cat"}), json!({"name": "B"})), 422, "invalid_field").await;
    let (status, same) = crate::running::answer(two(
        json!({"name": "Alice Chen", "type": "person", "email": "alice@acme.com"}),
        json!({"name": "A. Chen", "type": "person", "email": "Alice@acme.com", "context": "met at the pier"}),
    ))
    .await;
    assert_eq!((status.as_u16(), &same["decision"]), (200, &json!("same")), "{same}");
    assert!(same["confidence"].as_f64().unwrap() > 0.8 && !same["reason"].as_str().unwrap().is_empty());
    let hostile = "/api/v1/entities?q=%25_%27%22%3B%20DROP%20TABLE%20entities%3B%20--%20%5C";
    let found = server.get(hostile).await;
    assert!(found.status().is_success() || found.status() == 422, "{}", found.status());
}

async fn what_an_event_quotes_is_checked(server: Running) {
    server.told("plan.txt", PLAN).await;
    assert!(server.ibid(&["fsck"]).status.success());
    server.place.run_raw_sql("UPDATE event_evidence SET quote = 'somebody said so'").await;
    let check = server.ibid(&["fsck"]);
    let said = String::from_utf8_lossy(&check.stdout);
    assert!(!check.status.success() && said.contains("quotes what its text does not say there"), "{said}");
}
