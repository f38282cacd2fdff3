//! Texts that a language model reads: what it says is believed as far as it stands in the text.

use ibid_testkit::{
    TestEngine,
    provider::{ProviderDialect, ScriptStep, ScriptedProvider},
};
use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::{Running, sources::id};

const TEXT: &str = "Notes\n\nAlice Chen, Engineering Manager at Acme, told us that we’ll use Postgres. Bob fixed it.";

fn right() -> Json {
    json!({
        "events": [{
            "category": "Decision", "narrative": "Alice Chen decided on Postgres.", "event_time": "2024-03-15",
            "confidence": 0.9, "actors": [{"name": "Alice Chen", "role": "owner"}], "subjects": ["Postgres"],
            // Written with another apostrophe than the text has.
            "evidence": ["we'll use Postgres"],
        }],
        "entities_mentioned": [
            {"surface_form": "Alice Chen", "canonical_suggestion": "Alice Chen", "type": "person",
             "context_clues": {"role": "Engineering Manager", "org": "Acme", "email": null},
             "aliases_in_doc": [], "confidence": 0.95},
            {"surface_form": "Postgres", "canonical_suggestion": "PostgreSQL", "type": "object",
             "context_clues": {"role": null, "org": null, "email": null}, "aliases_in_doc": ["Postgres"], "confidence": 0.9},
        ],
    })
}

fn says(text: impl Into<String>) -> Vec<ScriptStep> {
    vec![ScriptStep::text(text), ScriptStep::End]
}

async fn reading(
    engine: TestEngine,
    scripts: Vec<Vec<ScriptStep>>,
    more: &[&str],
) -> Option<(Running, ScriptedProvider)> {
    let provider = ScriptedProvider::start(ProviderDialect::OpenAi, scripts).await;
    let url = format!("{}/v1", provider.base_url());
    let mut arguments = vec![
        "--chat",
        "compatible",
        "--chat-model",
        "sample",
        "--chat-url",
        &url,
        "--embedder",
        "none",
        "--knowledge",
        "model",
    ];
    arguments.extend(more);
    Some((Running::start_with(engine, &arguments).await?, provider))
}

impl Running {
    async fn read_by_model(&self, text: &str) -> (Json, Json) {
        let source = self.with_text("notes.txt", text).await;
        self.settled().await;
        let jobs = self.json("/api/v1/jobs?kind=extract_events").await;
        let job = jobs["items"].as_array().unwrap().iter().find(|job| job["payload"]["source_id"] == source["id"]);
        (source.clone(), job.unwrap().clone())
    }
}

async fn right_and_made_up(engine: TestEngine) {
    let mut answer = right();
    let made_up = json!({"category": "QualityRisk", "narrative": "It will all go wrong.", "event_time": null,
                         "confidence": 0.9, "actors": [], "subjects": [], "evidence": ["it will all go wrong"]});
    answer["events"].as_array_mut().unwrap().push(made_up);
    let Some((server, provider)) = reading(engine, vec![says(answer.to_string())], &[]).await else { return };
    let (source, job) = server.read_by_model(TEXT).await;
    assert_eq!((&job["state"], &job["result"]["dropped_quotes"]), (&json!("succeeded"), &json!(1)), "{job}");
    let events = server.json(&format!("/api/v1/events?source_id={}", id(&source))).await;
    let events = events["items"].as_array().unwrap();
    assert_eq!(events.len(), 1, "what is made up is dropped: {events:?}");
    assert_eq!(events[0]["evidence"][0]["quote"], "we’ll use Postgres", "as the text has it");
    assert_eq!(
        (&events[0]["actors"][0]["name"], &events[0]["event_date"]),
        (&json!("Alice Chen"), &json!("2024-03-15"))
    );
    assert!(events[0]["extractor"].as_str().unwrap().contains("sample"), "{events:?}");
    let alice = server.json("/api/v1/entities?type=person").await["items"][0].clone();
    assert_eq!((&alice["role"], &alice["organization"]), (&json!("Engineering Manager"), &json!("Acme")));
    let asked = &provider.received_requests()[0].body;
    assert_eq!(asked["response_format"]["type"], "json_schema", "{asked}");
    assert!(asked["messages"].to_string().contains("Alice Chen, Engineering Manager at Acme"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_model_says_right_is_kept_and_what_it_makes_up_is_not_on_sqlite() {
    right_and_made_up(TestEngine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_model_says_right_is_kept_and_what_it_makes_up_is_not_on_postgres() {
    right_and_made_up(TestEngine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_used_is_put_right_once() {
    let mut wrong = right();
    wrong["events"][0]["category"] = json!("Party");
    let scripts = vec![says(wrong.to_string()), says(format!("Sorry: {}", right()))];
    let (server, provider) = reading(TestEngine::Sqlite, scripts, &[]).await.unwrap();
    let (_, job) = server.read_by_model(TEXT).await;
    assert_eq!((&job["state"], &job["result"]["events"]), (&json!("succeeded"), &json!(1)), "{job}");
    let requests = provider.received_requests();
    assert_eq!(requests.len(), 2);
    let told = requests[1].body["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(told.contains("Party") && told.contains("Commitment, Execution, Decision"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_will_not_answer_is_given_up_with_its_reason() {
    let (server, provider) =
        reading(TestEngine::Sqlite, vec![says("I'd rather not talk about people.")], &[]).await.unwrap();
    let (source, job) = server.read_by_model(TEXT).await;
    assert_eq!(job["state"], "dead", "{job}");
    assert!(job["last_error"].as_str().unwrap().contains("no JSON object"), "{job}");
    assert_eq!(provider.received_requests().len(), 2, "asked once more, and no more");
    assert_eq!(server.json("/api/v1/events").await["items"], json!([]));
    // The source itself is as good as before.
    let found = server.send(Method::POST, "/api/v1/search", &json!({"query": "Postgres"})).await.1;
    assert_eq!(found["primary_results"][0]["source_id"], source["id"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_knows_no_schema_is_asked_without() {
    let refuses =
        vec![ScriptStep::Status(400, json!({"error": {"message": "response_format is unknown"}}).to_string(), vec![])];
    let (server, provider) = reading(TestEngine::Sqlite, vec![refuses, says(right().to_string())], &[]).await.unwrap();
    let (_, job) = server.read_by_model(TEXT).await;
    assert_eq!(job["state"], "succeeded", "{job}");
    assert_eq!(provider.received_requests()[1].body["response_format"]["type"], "json_object");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_decides_who_is_who_where_rules_are_not_sure() {
    let decided = json!({"decision": "same", "confidence": 0.9, "canonical_name": "Alice Chen", "reason": "both keep the budget"});
    let provider = ScriptedProvider::start(ProviderDialect::OpenAi, [says(decided.to_string())]).await;
    let url = format!("{}/v1", provider.base_url());
    let arguments = [
        "--chat",
        "compatible",
        "--chat-model",
        "sample",
        "--chat-url",
        &url,
        "--embedder",
        "none",
        "--knowledge-judge",
        "model",
    ];
    let server = Running::start_with(TestEngine::Sqlite, &arguments).await.unwrap();
    for (name, text) in
        [("a.txt", "A. Chen approved the budget."), ("b.txt", "Alice C. rejected the second draft of the plan.")]
    {
        server.with_text(name, text).await;
        server.settled().await;
    }
    let people = server.json("/api/v1/entities?type=person").await;
    assert_eq!(people["items"].as_array().unwrap().len(), 1, "{people}");
    let asked = provider.received_requests()[0].body.to_string();
    assert!(asked.contains("A. Chen") && asked.contains("Alice C"), "{asked}");
    let compared = json!({"a": {"name": "A. Chen", "type": "person"}, "b": {"name": "Alice C.", "type": "person"}});
    let compared = server.post("/api/v1/entities/compare", compared).await;
    assert_eq!((&compared["decision"], &compared["reason"]), (&json!("same"), &json!("both keep the budget")));
}
