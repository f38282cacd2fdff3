//! Questions to the library: answers in its own words, answers of a language model that behaves as it likes, and
//! clients that were written for others.

use std::time::{Duration, Instant};

use ibid_testkit::{
    TestEngine,
    provider::{ProviderDialect, ScriptStep, ScriptedProvider},
};
use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::{
    Running, on_both_servers,
    running::{answer, refused},
    sources::id,
};

on_both_servers!(extractive, pages, asked_in_json, evidence, notes, research);

const HARBOUR: &str = "# The harbour of Selde\n\nThe harbour of Selde was built in 1874 by the engineer Marta Lindqvist. Its \
                       eastern pier is 412 metres long.\n\nIn winter the harbour freezes from December to March. Ships then \
                       unload at Torvik.";
const LAMPS: &str = "Street lamps in Selde burn whale oil until 1891. Since 1891 they are electric.";

pub(crate) async fn library(server: &Running) -> Vec<Json> {
    let mut sources = Vec::new();
    for (name, text) in [("harbour.md", HARBOUR), ("lamps.txt", LAMPS)] {
        let source = server.with_text(name, text).await;
        // Found by its meaning, too, or known not to be.
        let embedded = |source: &Json| source["status"] == "ready" || source["embedding_error"].is_string();
        sources.push(server.source(id(&source), embedded).await);
    }
    sources
}

impl Running {
    pub(crate) async fn conversation(&self) -> String {
        id(&self.post("/api/v1/conversations", json!({})).await).to_owned()
    }

    /// Asks, and gives all events of the answer.
    pub(crate) async fn asked(&self, conversation: &str, body: Json) -> Vec<(u64, String, Json)> {
        let path = format!("/api/v1/conversations/{conversation}/messages");
        let response = self.request(Method::POST, &path).json(&body).send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        crate::runs::events_in(&response.text().await.unwrap())
    }

    pub(crate) async fn last_message(&self, conversation: &str) -> Json {
        let messages = self.json(&format!("/api/v1/conversations/{conversation}/messages")).await;
        messages["items"].as_array().unwrap().last().unwrap().clone()
    }
}

pub(crate) fn kinds(events: &[(u64, String, Json)]) -> Vec<&str> {
    events.iter().map(|(_, kind, _)| kind.as_str()).collect()
}

pub(crate) fn said(events: &[(u64, String, Json)]) -> String {
    let deltas = events.iter().filter(|(_, kind, _)| kind == "content_delta");
    deltas.map(|(.., event)| event["data"]["text"].as_str().unwrap()).collect()
}

/// The citation markers that a stream told of, in order.
pub(crate) fn placed_markers(events: &[(u64, String, Json)]) -> Vec<Json> {
    let deltas = events.iter().filter(|(_, kind, _)| kind == "content_delta");
    deltas.flat_map(|(.., event)| event["data"]["markers"].as_array().unwrap().clone()).collect()
}

async fn extractive(server: Running) {
    let conversation = server.conversation().await;
    let empty = server.asked(&conversation, json!({"content": "Who built the harbour of Selde?"})).await;
    assert!(said(&empty).contains("nothing to answer from"), "{empty:?}");

    let sources = library(&server).await;
    let events = server.asked(&conversation, json!({"content": "Who built the harbour of Selde?"})).await;
    let text = said(&events);
    assert!(text.contains("Marta Lindqvist") && text.contains("[1]"), "{text}");
    assert_eq!(kinds(&events).first(), Some(&"run_started"));
    assert_eq!(kinds(&events).last(), Some(&"run_completed"));
    for kind in ["phase_started", "tool_called", "tool_result", "references_found", "citations_created"] {
        assert!(kinds(&events).contains(&kind), "{kind}");
    }
    assert!(events.iter().zip(1..).all(|((seq, ..), expected)| *seq == expected));

    // Every citation opens at the exact words, and is still there after a reload.
    let message = server.last_message(&conversation).await;
    assert_eq!((&message["content"], &message["model"]), (&json!(text), &json!("extractive")));
    let citations = message["citations"].as_array().unwrap();
    assert!(!citations.is_empty());
    for citation in citations {
        let path = format!(
            "/api/v1/sources/{}/text?revision={}&start_char={}&end_char={}",
            citation["source_id"].as_str().unwrap(),
            citation["revision_id"].as_str().unwrap(),
            citation["start_char"],
            citation["end_char"]
        );
        assert_eq!(server.json(&path).await["text"], citation["quote"]);
        assert_eq!(citation["verdict"], "supported");
        // How sure it is that they answer.
        assert!((0.5..=1.0).contains(&citation["score"].as_f64().unwrap()), "{citation}");
        let (start, end) = (citation["start_index"].as_u64().unwrap(), citation["end_index"].as_u64().unwrap());
        let marker: String = text.chars().skip(start as usize).take((end - start) as usize).collect();
        assert_eq!(marker, format!("[{}]", citation["number"]));
    }
    assert_eq!(message["cited_files"][0]["file_id"], sources[0]["id"]);
    // The stream said where they stand, and the message says it again.
    let place = |citation: &Json| json!({"start_index": citation["start_index"], "end_index": citation["end_index"], "numbers": [citation["number"]]});
    let mut places: Vec<_> = citations.iter().map(place).collect();
    places.dedup();
    assert_eq!((&json!(places), placed_markers(&events)), (&message["markers"], places.clone()));

    let events =
        server.asked(&conversation, json!({"content": "What is the boiling point of tungsten carbide?"})).await;
    assert!(said(&events).contains("does not answer"), "{}", said(&events));
    assert_eq!(server.last_message(&conversation).await["citations"], json!([]));
    let asked = async |question: &str| {
        let conversation = server.conversation().await;
        said(&server.asked(&conversation, json!({ "content": question })).await)
    };
    // Yes or no, and a refusal in the language of the question.
    let yes = asked("Was the harbour of Selde built in 1874?").await;
    assert!(yes.starts_with("Yes, ") && yes.contains("built in 1874"), "{yes}");
    let no = asked("Was the harbour of Selde built in 1880?").await;
    assert!(!no.starts_with("Yes"), "{no}");
    let german = asked("Bei welcher Temperatur schmilzt das Wolfram in der Glühlampe?").await;
    assert!(german.starts_with("Ihre Bibliothek beantwortet das nicht."), "{german}");
    let events = server.asked(&conversation, json!({"content": "?!…", "mode": "research"})).await;
    assert!(said(&events).contains("does not answer") || said(&events).contains("nothing"), "{}", said(&events));

    // Editing a question makes a branch.
    let messages = server.json(&format!("/api/v1/conversations/{conversation}/messages")).await;
    let first = messages["items"][2].clone();
    let edited = json!({"content": "How long is the eastern pier?", "parent_message_id": first["parent_message_id"]});
    let events = server.asked(&conversation, edited).await;
    assert!(said(&events).contains("412 metres"), "{}", said(&events));
    let branch = server.last_message(&conversation).await;
    let question = server.json(&format!("/api/v1/messages/{}", branch["parent_message_id"].as_str().unwrap())).await;
    assert_eq!(question["parent_message_id"], first["parent_message_id"]);

    // So does editing the first one, which follows nothing.
    let edited = json!({"content": "What do ships do in winter?", "parent_message_id": null});
    server.asked(&conversation, edited).await;
    let branch = server.last_message(&conversation).await;
    let question = server.json(&format!("/api/v1/messages/{}", branch["parent_message_id"].as_str().unwrap())).await;
    assert_eq!(question["parent_message_id"], Json::Null);

    let path = format!("/api/v1/conversations/{conversation}/messages");
    for (body, code) in [
        (json!({"content": " "}), "invalid_field"),
        (json!({"content": "a", "mode": "loud"}), "invalid_field"),
        (json!({"content": "a", "mode": "external"}), "invalid_field"),
        (json!({"content": "a", "mode": "generated"}), "model_not_configured"),
        (json!({"content": "a", "colour": 1}), "invalid_field"),
    ] {
        refused(server.request(Method::POST, &path).json(&body), 422, code).await;
    }
}

/// A passage may go over pages; a citation names the page of its words.
async fn pages(server: Running) {
    let file = include_bytes!("files/two-pages.pdf").to_vec();
    let (_, brought) = server.upload_sources(&[("two-pages.pdf", file)]).await;
    server.source(id(&brought["items"][0]), crate::sources::is_read).await;
    let conversation = server.conversation().await;
    server.asked(&conversation, json!({"content": "When was the lighthouse of Pellmouth rebuilt?"})).await;
    let message = server.last_message(&conversation).await;
    assert_eq!(message["citations"][0]["page"], 2, "{message}");
}

async fn asked_in_json(server: Running) {
    library(&server).await;
    let conversation = server.conversation().await;
    let path = format!("/api/v1/conversations/{conversation}/messages");
    let request = server.request(Method::POST, &path).header("accept", "application/json");
    let (status, message) =
        answer(request.json(&json!({"content": "When did the street lamps become electric?"}))).await;
    assert_eq!((status.as_u16(), &message["role"]), (200, &json!("assistant")), "{message}");
    assert!(message["content"].as_str().unwrap().contains("1891"), "{message}");
    assert_eq!(message["citations"][0]["verdict"], "supported");

    let told = server.ibid(&["ask", "When did the street lamps in Selde become electric?"]);
    let (text, wrong) = (String::from_utf8(told.stdout).unwrap(), String::from_utf8(told.stderr).unwrap());
    assert!(told.status.success() && text.contains("1891") && text.contains("[1] lamps.txt"), "{text}{wrong}");
    let told = server.ibid(&["ask", "--json", "Who built the harbour?"]);
    let told: Json = serde_json::from_slice(&told.stdout).unwrap();
    assert!(told["content"].as_str().unwrap().contains("Lindqvist"), "{told}");
}

async fn notes(server: Running) {
    library(&server).await;
    let conversation = server.conversation().await;
    let events = server.asked(&conversation, json!({"content": "Who built the harbour of Selde?"})).await;
    // The answer is whole before its sources are noted.
    let (_, kind, last) = events.last().unwrap();
    assert_eq!((kind.as_str(), &last["data"]["has_async_entities_in_progress"]), ("run_completed", &json!(true)));
    let began = Instant::now();
    let path = format!("/api/v1/conversations/{conversation}");
    while server.json(&path).await["has_async_entities_in_progress"] == true {
        assert!(began.elapsed() < Duration::from_secs(20), "it goes on for ever");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let message = server.last_message(&conversation).await;
    assert_eq!(message["has_async_entities_in_progress"], false);
    let summary = message["entities"][0]["summary"].as_str().unwrap();
    assert!(HARBOUR.contains(summary.split(". ").next().unwrap()), "{summary}");
    // A stream ends with the answer, unless one asks for the notes, too.
    let run = last["run_id"].as_str().unwrap();
    assert_eq!(server.events(run, events.last().unwrap().0).await, []);
    let path = format!("/api/v1/runs/{run}/events?until=notes&after={}", events.last().unwrap().0);
    let after = crate::runs::events_in(&server.get(&path).await.text().await.unwrap());
    assert_eq!(kinds(&after), ["entity_created"]);
    let job = server.json("/api/v1/jobs?kind=notes").await["items"][0].clone();
    assert_eq!(job["state"], "succeeded");
}

async fn research(server: Running) {
    library(&server).await;
    let conversation = server.conversation().await;
    let question = "Who built the harbour of Selde? When did its street lamps become electric?";
    let events = server.asked(&conversation, json!({"content": question, "mode": "research"})).await;
    let text = said(&events);
    assert!(text.contains("Marta Lindqvist") && text.contains("1891"), "{text}");
    let plan = events.iter().find(|(_, kind, _)| kind == "plan_created").unwrap();
    assert_eq!(plan.2["data"]["task_count"], 3);
    let count = |kind: &str| events.iter().filter(|(_, one, _)| one == kind).count();
    assert_eq!((count("subagent_spawned"), count("subagent_result"), count("subagent_failed")), (3, 3, 0));
    let message = server.last_message(&conversation).await;
    let files: Vec<_> = message["cited_files"].as_array().unwrap().iter().map(|file| &file["file_name"]).collect();
    assert_eq!(files.len(), 2, "{message}");
    let run = events[0].2["run_id"].as_str().unwrap();
    let path = format!("/api/v1/runs/{run}/clarification");
    refused(server.request(Method::POST, &path).json(&json!({"text": "a"})), 409, "run_has_ended").await;
}

async fn evidence(server: Running) {
    library(&server).await;
    let conversation = server.conversation().await;
    server.asked(&conversation, json!({"content": "Who built the harbour of Selde, and how long is its pier?"})).await;
    let message = server.last_message(&conversation).await;
    let bundle = server.get(&format!("/api/v1/evidence/message/{}", id(&message))).await;
    assert_eq!(bundle.headers()["content-type"], "application/zip");
    let bundle = bundle.bytes().await.unwrap();

    // It verifies where there is no library, and a changed byte is laid to its file.
    let folder = tempfile::tempdir().unwrap();
    let (file, changed) = (folder.path().join("e.zip"), folder.path().join("changed.zip"));
    std::fs::write(&file, &bundle).unwrap();
    let verify = |file: &std::path::Path, more: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ibid"));
        command.arg("verify").arg(file).args(more).env("IBID_DATA", folder.path().join("nowhere")).output().unwrap()
    };
    let sound = verify(&file, &["--json"]);
    let report: Json = serde_json::from_slice(&sound.stdout).unwrap();
    assert!(sound.status.success(), "{report}");
    assert_eq!(report["quotes_checked"], json!(message["citations"].as_array().unwrap().len()));
    assert!(!folder.path().join("nowhere").exists(), "no library is needed, and none is made");
    let place = bundle.windows(7).position(|part| part == b"412 met").unwrap();
    let mut bytes = bundle.to_vec();
    bytes[place] ^= 1;
    std::fs::write(&changed, &bytes).unwrap();
    let found = verify(&changed, &[]);
    let text = String::from_utf8(found.stdout).unwrap();
    assert!(!found.status.success() && text.contains("NOT sound"), "{text}");
    let digest = report["digest"].as_str().unwrap();
    assert!(verify(&file, &["--digest", digest]).status.success());
    assert!(!verify(&file, &["--digest", &"0".repeat(64)]).status.success());

    // The command writes the same bytes, and says so.
    let out = folder.path().join("out.zip");
    let exported = server.ibid(&["export", "evidence", id(&message), "--output", out.to_str().unwrap()]);
    let text = String::from_utf8(exported.stdout).unwrap();
    assert!(exported.status.success() && text.contains("sound") && text.contains(digest), "{text}");
    assert_eq!(std::fs::read(&out).unwrap(), bundle);
    assert!(!server.ibid(&["export", "evidence", "nobody"]).status.success());
    refused(server.request(Method::GET, "/api/v1/evidence/message/nobody"), 404, "message_not_found").await;
    refused(server.request(Method::GET, "/api/v1/evidence/novel/x"), 404, "message_not_found").await;

    // What is deleted since is still in the bundle: what was cited is kept.
    let source = message["citations"][0]["source_id"].as_str().unwrap();
    server.send(Method::DELETE, &format!("/api/v1/sources/{source}"), &Json::Null).await;
    let bundle = server.get(&format!("/api/v1/evidence/message/{}", id(&message))).await.bytes().await.unwrap();
    std::fs::write(&file, &bundle).unwrap();
    let report: Json = serde_json::from_slice(&verify(&file, &["--json"]).stdout).unwrap();
    assert_eq!((&report["faults"], &report["absent"]), (&json!([]), &json!([])), "{report}");
}

/// A server whose language model follows a script.
pub(crate) async fn with_model(
    dialect: ProviderDialect,
    scripts: Vec<Vec<ScriptStep>>,
    more: &[&str],
) -> (Running, ScriptedProvider) {
    with_model_on(TestEngine::Sqlite, dialect, scripts, more).await.unwrap()
}

/// The same on an engine; `None` where that is not there.
pub(crate) async fn with_model_on(
    engine: TestEngine,
    dialect: ProviderDialect,
    scripts: Vec<Vec<ScriptStep>>,
    more: &[&str],
) -> Option<(Running, ScriptedProvider)> {
    let provider = ScriptedProvider::start(dialect, scripts).await;
    let kind = match dialect {
        ProviderDialect::OpenAi => "compatible",
        ProviderDialect::Anthropic => "anthropic",
        ProviderDialect::Google => "google",
    };
    let url = provider.base_url().to_owned();
    let mut arguments = vec!["--chat", kind, "--chat-model", "sample", "--chat-url", &url, "--chat-key", "sample-key"];
    arguments.extend(more);
    Some((Running::start_with(engine, &arguments).await?, provider))
}

/// Any server of a library can stream a run that another one carries out, and stop it.
async fn two_servers(engine: TestEngine) {
    let text: Vec<ScriptStep> = (0..40)
        .flat_map(|at| [ScriptStep::text(format!("w{at} ")), ScriptStep::Silence(Duration::from_millis(25))])
        .collect();
    let slow = vec![ScriptStep::text("It was "), ScriptStep::Silence(Duration::from_secs(600))];
    let provider = ScriptedProvider::start(
        ProviderDialect::OpenAi,
        vec![text.into_iter().chain([ScriptStep::End]).collect(), slow],
    )
    .await;
    let url = provider.base_url().to_owned();
    let arguments = ["--chat", "compatible", "--chat-model", "sample", "--chat-url", &url, "--embedder", "none"];
    let Some(server) = Running::start_with(engine, &arguments).await else { return };
    let (_beside, other) = server.beside();
    library(&server).await;
    let conversation = server.conversation().await;
    let path = format!("/api/v1/conversations/{conversation}/messages");
    let body = json!({"content": "Who built the harbour of Selde?"});
    let here = server.request(Method::POST, &path).json(&body).send().await.unwrap();
    let run = here.headers()["ibid-run-id"].to_str().unwrap().to_owned();
    let there = server.http.get(format!("{other}/api/v1/runs/{run}/events")).send().await.unwrap();
    let (here, there) = tokio::join!(here.text(), there.text());
    let (here, there) = (crate::runs::events_in(&here.unwrap()), crate::runs::events_in(&there.unwrap()));
    assert_eq!(here, there);
    assert!(said(&here).starts_with("w0 w1 ") && said(&here).ends_with("w39"), "{}", said(&here));
    assert_eq!(kinds(&here).last(), Some(&"run_completed"));

    let here = server.request(Method::POST, &path).json(&body).send().await.unwrap();
    let run = here.headers()["ibid-run-id"].to_str().unwrap().to_owned();
    let cancelled = server.http.post(format!("{other}/api/v1/runs/{run}/cancel")).send().await.unwrap();
    assert_eq!(cancelled.status(), 200);
    let events = crate::runs::events_in(&here.text().await.unwrap());
    assert_eq!(events.last().unwrap().2["data"]["status"], "cancelled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_on_sqlite() {
    two_servers(TestEngine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_on_postgres() {
    two_servers(TestEngine::Postgres).await;
}

fn words(text: &str) -> Vec<ScriptStep> {
    let mut steps = vec![ScriptStep::text(text), ScriptStep::Usage { input: 1000, output: 50 }];
    steps.push(ScriptStep::End);
    steps
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_answers_from_the_library_and_is_checked() {
    for dialect in [ProviderDialect::OpenAi, ProviderDialect::Anthropic, ProviderDialect::Google] {
        let text = "Marta Lindqvist built the harbour of Selde in 1874 [1]. It was painted red in 1990 [1].";
        let (server, provider) = with_model(dialect, vec![words(text)], &["--chat-prices", "sample=2/10"]).await;
        library(&server).await;
        let conversation = server.conversation().await;
        let events = server.asked(&conversation, json!({"content": "Who built the harbour of Selde?"})).await;
        assert_eq!(said(&events), text, "{dialect:?}");
        let message = server.last_message(&conversation).await;
        let verdicts: Vec<_> =
            message["citations"].as_array().unwrap().iter().map(|one| one["verdict"].as_str().unwrap()).collect();
        assert_eq!(verdicts[0], "supported", "{message}");
        assert_ne!(verdicts[1], "supported");
        assert_eq!(message["usage"], json!({"input_tokens": 1000, "output_tokens": 50, "cost": 0.0025}));
        let whole = server.json(&format!("/api/v1/conversations/{conversation}")).await;
        assert_eq!(whole["usage"], message["usage"], "a conversation takes what its answers take");
        // It was told the passages under their numbers, and how to cite.
        let asked = provider.received_requests()[0].body.to_string();
        assert!(
            asked.contains("Marta Lindqvist") && asked.contains("number=\\\\\\\"1\\\\\\\"")
                || asked.contains("number=\\\"1\\\""),
            "{asked}"
        );
        assert!(!asked.contains("sample-key"));
        // What follows is asked with what went before.
        server.asked(&conversation, json!({"content": "And when did its street lamps become electric?"})).await;
        let asked = provider.received_requests()[1].body.to_string();
        assert!(asked.contains("Who built the harbour of Selde?") && asked.contains("in 1874."), "{asked}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_model_makes_up_is_not_shown() {
    let scripts = vec![
        words("Lindqvist built it [1][7], they say [12]. See <gml-inlinecitation identifier=\"nobody\"/>."),
        vec![ScriptStep::text("Lindqvist built it [1]. And <gml-inlinecitation identif"), ScriptStep::End],
        vec![
            ScriptStep::Bytes(1),
            ScriptStep::text("Lindqvist 👩‍🔬 built it [1]. "),
            ScriptStep::text("It is [1, 99] long."),
            ScriptStep::End,
        ],
        vec![ScriptStep::text(" "), ScriptStep::End],
    ];
    let (server, _provider) = with_model(ProviderDialect::OpenAi, scripts, &[]).await;
    library(&server).await;
    let conversation = server.conversation().await;
    let question = json!({"content": "Who built the harbour of Selde?"});
    let events = server.asked(&conversation, question.clone()).await;
    assert_eq!(said(&events), "Lindqvist built it [1], they say. See.");
    let message = server.last_message(&conversation).await;
    assert_eq!(message["dangling"], json!(["[7]", "[12]", "nobody"]));
    assert_eq!(message["citations"].as_array().unwrap().len(), 1);

    let events = server.asked(&conversation, question.clone()).await;
    assert_eq!(said(&events).trim_end(), "Lindqvist built it [1]. And");
    let events = server.asked(&conversation, question.clone()).await;
    assert_eq!(said(&events), "Lindqvist 👩‍🔬 built it [1]. It is [1] long.");
    let events = server.asked(&conversation, question).await;
    let (_, kind, last) = events.last().unwrap();
    assert_eq!(
        (kind.as_str(), last["data"]["error"].as_str().unwrap()),
        ("run_failed", "the model answered with nothing")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_fails_is_told_and_what_it_said_is_kept() {
    let silence = ScriptStep::Silence(Duration::from_secs(600));
    let scripts = vec![
        vec![ScriptStep::text("Lindqvist built it [1]. "), ScriptStep::ErrorMidStream("overloaded".into())],
        vec![ScriptStep::text("It was "), ScriptStep::Cut],
        vec![ScriptStep::text("It was built "), silence.clone(), ScriptStep::End],
        vec![ScriptStep::Status(401, "{\"error\": {\"message\": \"wrong key\"}}".into(), vec![])],
        vec![ScriptStep::text("It was "), silence, ScriptStep::End],
    ];
    let (server, _provider) = with_model(ProviderDialect::OpenAi, scripts, &["--chat-silence-seconds", "1"]).await;
    library(&server).await;
    let conversation = server.conversation().await;
    for (kept, told) in [
        ("Lindqvist built it [1].", "overloaded"),
        ("It was", "broke off"),
        ("It was built", "did not come within 1 s"),
        ("", "wrong key"),
    ] {
        let events = server.asked(&conversation, json!({"content": "Who built the harbour of Selde?"})).await;
        let (_, kind, last) = events.last().unwrap();
        assert_eq!(kind, "run_failed");
        assert!(last["data"]["error"].as_str().unwrap().contains(told), "{last}");
        let message = server.last_message(&conversation).await;
        assert_eq!((message["content"].as_str().unwrap().trim_end(), &message["status"]), (kept, &json!("failed")));
    }
    // One that is cancelled ends at once, and keeps what there was.
    let path = format!("/api/v1/conversations/{conversation}/messages");
    let response =
        server.request(Method::POST, &path).json(&json!({"content": "Who built the harbour?"})).send().await.unwrap();
    let run = response.headers()["ibid-run-id"].to_str().unwrap().to_owned();
    server.post(&format!("/api/v1/runs/{run}/cancel"), Json::Null).await;
    let events = crate::runs::events_in(&response.text().await.unwrap());
    let (_, kind, last) = events.last().unwrap();
    assert_eq!((kind.as_str(), &last["data"]["status"]), ("run_failed", &json!("cancelled")));
    assert_eq!(server.json(&format!("/api/v1/runs/{run}")).await["status"], "cancelled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_leaves_no_run_open() {
    let scripts =
        vec![vec![ScriptStep::text("It was built "), ScriptStep::Silence(Duration::from_secs(600)), ScriptStep::End]];
    let (mut server, _provider) = with_model(ProviderDialect::OpenAi, scripts, &[]).await;
    library(&server).await;
    let conversation = server.conversation().await;
    let path = format!("/api/v1/conversations/{conversation}/messages");
    let response =
        server.request(Method::POST, &path).json(&json!({"content": "Who built the harbour?"})).send().await.unwrap();
    let run = response.headers()["ibid-run-id"].to_str().unwrap().to_owned();
    let shown = async |server: &Running| server.last_message(&conversation).await["content"] == "It was built";
    for _ in 0..200 {
        if shown(&server).await {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.kill();
    server.restart();
    // The conversation opens at once; the run is ended as soon as its server must be gone.
    assert!(shown(&server).await);
    let began = Instant::now();
    while server.json(&format!("/api/v1/runs/{run}")).await["status"] == "running" {
        assert!(began.elapsed() < Duration::from_secs(40), "the run is still open");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let message = server.last_message(&conversation).await;
    assert_eq!((&message["content"], &message["status"]), (&json!("It was built"), &json!("failed")));
    let events = server.events(&run, 0).await;
    assert_eq!(events.last().unwrap().1, "run_failed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_is_cut_anywhere_goes_on() {
    let text = "The harbour was built in 1874 [1]. ".repeat(20);
    let pieces = text.split_inclusive(' ').map(ScriptStep::text).chain([ScriptStep::End]).collect();
    let (server, _provider) = with_model(ProviderDialect::OpenAi, vec![pieces], &[]).await;
    library(&server).await;
    let conversation = server.conversation().await;
    let all = server.asked(&conversation, json!({"content": "Who built the harbour of Selde?"})).await;
    let run = all[0].2["run_id"].as_str().unwrap().to_owned();
    for cut in 0..=all.len() {
        let seen = all[..cut].last().map_or(0, |(seq, ..)| *seq);
        assert_eq!([&all[..cut], &server.events(&run, seen).await[..]].concat(), all, "cut after {cut}");
    }
    assert_eq!(said(&all), text.trim_end());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_of_others_are_answered() {
    let server = Running::start(TestEngine::Sqlite).await.unwrap();
    let sources = library(&server).await;
    let models = server.json("/v1/models").await;
    assert_eq!(models["data"][0]["id"], "ibid");
    let question = "Who built the harbour of Selde?";
    let messages = json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]);
    let whole = server.post("/v1/chat/completions", json!({"model": "ibid", "messages": messages})).await;
    let message = &whole["choices"][0]["message"];
    assert!(message["content"].as_str().unwrap().contains("Marta Lindqvist"), "{whole}");
    let citation = &message["annotations"][0]["url_citation"];
    let url = citation["url"].as_str().unwrap();
    assert!(url.contains(&format!("/sources/{}?revision=", id(&sources[0]))) && url.contains("#c="), "{url}");
    let body = json!({"model": "any", "messages": messages, "stream": true, "stream_options": {"include_usage": true}});
    let stream =
        server.request(Method::POST, "/v1/chat/completions").json(&body).send().await.unwrap().text().await.unwrap();
    let chunks: Vec<&str> = stream.split("\n\n").filter_map(|block| block.strip_prefix("data: ")).collect();
    assert_eq!(chunks.last(), Some(&"[DONE]"));
    let chunks: Vec<Json> =
        chunks[..chunks.len() - 1].iter().map(|chunk| serde_json::from_str(chunk).unwrap()).collect();
    let streamed: String =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().map(str::to_owned)).collect();
    assert_eq!(json!(streamed), message["content"]);
    assert!(chunks.iter().any(|chunk| chunk["choices"][0]["delta"]["annotations"] == message["annotations"]));

    let response = server.post("/v1/responses", json!({"model": "ibid", "input": question})).await;
    let part = &response["output"][0]["content"][0];
    assert_eq!((&part["text"], &part["annotations"][0]["url"]), (&message["content"], &citation["url"]));
    // What follows a response goes on in its conversation.
    let body = json!({"model": null, "stream": null, "input": "And when?", "previous_response_id": response["id"]});
    let next = server.post("/v1/responses", body).await;
    assert!(next["output"][0]["content"][0]["text"].as_str().unwrap().contains("1874"), "{next}");
    assert_eq!(server.json("/v1/models/ibid").await["object"], "model");
    for path in ["/v1/models/nobody", "/v1/responses/x", "/v1/embeddings"] {
        let missing = server.get(path).await;
        assert_eq!(missing.status(), 404);
        assert_eq!(missing.json::<Json>().await.unwrap()["error"]["code"], "not_found", "{path}");
    }
    for (path, body) in [
        ("/v1/chat/completions", json!({"messages": messages, "n": 3})),
        ("/v1/chat/completions", json!({"messages": []})),
        ("/v1/chat/completions", json!({"messages": [{"role": "assistant", "content": "a"}]})),
        ("/v1/chat/completions", json!({"messages": "a"})),
        ("/v1/responses", json!({"input": 7})),
        ("/v1/responses", json!({"input": " "})),
    ] {
        let (status, problem) = server.send(Method::POST, path, &body).await;
        assert_eq!(status, 400, "{problem}");
        assert!(problem["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{problem}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn research_plans_asks_back_and_reads_the_web() {
    use crate::sources_outside::Outside;
    let page = "<html><head><title>Selde today</title></head><body><article><h1>Selde today</h1><p>The lighthouse of Selde was \
                restored in 2021 by volunteers. It stands on the western mole and is open in summer.</p></article></body></html>";
    let found = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let told = found.clone();
    let outside = Outside::open(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/search" => {
            let results =
                json!({"web": {"results": [{"url": told.get(), "title": "Selde today"}, {"url": "javascript:1"}]}});
            ("200 OK", vec![("content-type", "application/json".to_owned())], results.to_string())
        }
        "/lighthouse" => ("200 OK", vec![("content-type", "text/html".to_owned())], page.to_owned()),
        _ => ("404 Not Found", vec![], "gone".to_owned()),
    })
    .await;
    let plan = |searches: &[&str], back: Option<&str>| {
        vec![ScriptStep::text(json!({"searches": searches, "clarification": back}).to_string()), ScriptStep::End]
    };
    let scripts = vec![
        plan(&[], Some("Which town?")),
        plan(&["lighthouse of Selde restored", "harbour of Selde"], None),
        words("The lighthouse was restored in 2021 [1]."),
    ];
    let provider = ScriptedProvider::start(ProviderDialect::OpenAi, scripts).await;
    let (address, url) = (outside.address.to_string(), provider.base_url().to_owned());
    let search = format!("http://{address}/search");
    found.set(format!("http://{address}/lighthouse")).unwrap();
    let arguments = [
        "--chat",
        "compatible",
        "--chat-model",
        "sample",
        "--chat-url",
        &url,
        "--fetch-allow",
        &address,
        "--brave-key",
        "k",
        "--brave-url",
        &search,
    ];
    let server = Running::start_with(TestEngine::Sqlite, &arguments).await.unwrap();
    library(&server).await;
    let conversation = server.conversation().await;
    let path = format!("/api/v1/conversations/{conversation}/messages");
    let body = json!({"content": "When was the lighthouse restored?", "mode": "research"});
    let response = server.request(Method::POST, &path).json(&body).send().await.unwrap();
    let run = response.headers()["ibid-run-id"].to_str().unwrap().to_owned();
    let watched = tokio::spawn(async move { response.text().await.unwrap() });
    let clarify = format!("/api/v1/runs/{run}/clarification");
    let began = Instant::now();
    loop {
        let (status, _) = server.send(Method::POST, &clarify, &json!({"text": "Selde"})).await;
        if status.is_success() {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "it does not ask");
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    let events = crate::runs::events_in(&watched.await.unwrap());
    let kinds = kinds(&events);
    for kind in ["clarification_needed", "clarification_received", "plan_created", "subagent_spawned", "run_completed"]
    {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    let message = server.last_message(&conversation).await;
    assert_eq!(message["content"], "The lighthouse was restored in 2021 [1].", "{message}");
    let asked = provider.received_requests().last().unwrap().body.to_string();
    assert!(asked.contains("restored in 2021 by volunteers"), "{asked}");
    // The page is a source of the library now, and says which run brought it.
    let pages = server.json(&format!("/api/v1/sources?type=WEB_PAGE&run_id={run}")).await;
    assert_eq!(pages["items"].as_array().unwrap().len(), 1, "{pages}");
    let found = events.iter().filter(|(_, kind, _)| kind == "references_found");
    let mut found = found.flat_map(|(.., event)| event["data"]["references"].as_array().unwrap());
    assert!(found.any(|source| source["source_id"] == pages["items"][0]["id"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_can_be_the_judge() {
    let told = |verdict: &str, quote: &str| {
        vec![ScriptStep::text(json!({"verdict": verdict, "quote": quote}).to_string()), ScriptStep::End]
    };
    let scripts = vec![
        told("supported", "built in 1874"),
        told("unsupported", "built in 1874"),
        vec![ScriptStep::text("I cannot say."), ScriptStep::End],
    ];
    let (server, _provider) = with_model(ProviderDialect::OpenAi, scripts, &["--judge", "model"]).await;
    let verdict = async |claim: &str| {
        let body = json!({"pairs": [{"claim": claim, "passage": HARBOUR}]});
        let pair = server.post("/api/v1/citations/verify", body).await["pairs"][0].clone();
        (pair["verdict"].as_str().unwrap().to_owned(), pair["quote"].as_str().unwrap().to_owned())
    };
    assert_eq!(verdict("The port of Selde dates from 1874.").await, ("supported".into(), "built in 1874".into()));
    assert_eq!(verdict("Selde's harbour was built by pirates.").await.0, "unsupported");
    // Where it says nothing of use, words tell.
    assert_eq!(verdict("The harbour of Selde was built in 1874 by the engineer Marta Lindqvist.").await.0, "supported");
}
