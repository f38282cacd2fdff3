//! What is set in the app, and what cannot be.

use std::time::Duration;

use ibid_testkit::{
    TestEngine,
    provider::{ProviderDialect, ScriptStep, ScriptedProvider},
};
use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::{Running, on_both_servers, running::refused};

on_both_servers!(a_model_is_set_in_the_app, citations_are_set_in_the_app);

const SETTINGS: &str = "/api/v1/settings";

fn words(text: &str) -> Vec<ScriptStep> {
    vec![ScriptStep::text(text), ScriptStep::End]
}

async fn asked(server: &Running, url: &str) -> Json {
    let conversation = server.post("/api/v1/conversations", json!({})).await;
    let path = format!("{url}/api/v1/conversations/{}/messages", conversation["id"].as_str().unwrap());
    let request = server.http.post(path).header("accept", "application/json");
    request.json(&json!({"content": "How long is the pier?"})).send().await.unwrap().json().await.unwrap()
}

async fn a_model_is_set_in_the_app(mut server: Running) {
    let scripts = vec![words("ready"), words("It is long."), words("It is long."), words("It is long.")];
    let provider = ScriptedProvider::start(ProviderDialect::OpenAi, scripts).await;
    let url = provider.base_url();
    server.with_text("pier.txt", "The pier of Selde is 412 metres long.").await;
    let settings = server.json(SETTINGS).await;
    let usual =
        json!({"provider": "none", "model": "", "url": "", "has_key": false, "is_fixed": false, "from": "default"});
    assert_eq!(settings["answers"], usual);
    assert_eq!(asked(&server, &server.url).await["model"], "extractive");

    // A model is tried before it is kept; then it answers, here and on a server beside.
    let (beside, other) = server.beside();
    let answers = json!({"provider": "compatible", "model": "sample", "url": url, "key": "sample-key"});
    let (_, tested) = server.send(Method::POST, "/api/v1/settings/test", &answers).await;
    assert_eq!((&tested["ok"], &tested["reply"], &tested["error"]), (&json!(true), &json!("ready"), &Json::Null));
    assert_eq!(server.json(SETTINGS).await["answers"], usual, "nothing is kept by trying");
    let (status, kept) = server.send(Method::PATCH, SETTINGS, &json!({"answers": answers})).await;
    assert_eq!(status.as_u16(), 200, "{kept}");
    let wanted = json!({"provider": "compatible", "model": "sample", "url": url, "has_key": true, "is_fixed": false, "from": "app"});
    assert_eq!(kept["answers"], wanted);
    assert!(!kept.to_string().contains("sample-key"), "a key is never told");
    assert_eq!(asked(&server, &server.url).await["content"], "It is long.");
    let mut tries = 0;
    while asked(&server, &other).await["model"] == "extractive" {
        tokio::time::sleep(Duration::from_millis(500)).await;
        tries += 1;
        assert!(tries < 60, "the server beside goes on without the model");
    }
    drop(beside);

    // It is still there after a restart.
    server.kill();
    server.restart();
    assert_eq!(server.json(SETTINGS).await["answers"], wanted);

    // A key goes nowhere but where it was meant for, and stays where only the model changes.
    let moved = json!({"answers": {"provider": "compatible", "model": "other", "url": url}});
    assert_eq!(server.send(Method::PATCH, SETTINGS, &moved).await.1["answers"]["has_key"], true);
    let elsewhere = json!({"answers": {"provider": "compatible", "model": "other", "url": "http://127.0.0.1:9/v1"}});
    assert_eq!(server.send(Method::PATCH, SETTINGS, &elsewhere).await.1["answers"]["has_key"], false);
    let (_, tested) = server.send(Method::POST, "/api/v1/settings/test", &elsewhere["answers"]).await;
    assert_eq!((&tested["ok"], &tested["reply"]), (&json!(false), &Json::Null));
    assert!(tested["error"].as_str().unwrap().contains("reached"), "{tested}");

    for (body, field) in [
        (json!({"provider": "openai"}), "model"),
        (json!({"provider": "compatible", "model": "x"}), "url"),
        (json!({"provider": "openai", "model": "x", "url": "file:///etc/passwd"}), "url"),
        (json!({"provider": "openai", "model": "x\ny"}), "model"),
        (json!({"provider": "openai", "model": "x", "key": "k".repeat(3000)}), "key"),
        (json!({"provider": "abacus", "model": "x"}), "answers.provider"),
    ] {
        let request = server.request(Method::PATCH, SETTINGS).json(&json!({"answers": body}));
        assert_eq!(refused(request, 422, "invalid_field").await["field"], field, "{body}");
    }
    let (_, none) = server.send(Method::PATCH, SETTINGS, &json!({"answers": {"provider": "none"}})).await;
    assert_eq!(none["answers"]["provider"], "none");
    assert_eq!(asked(&server, &server.url).await["model"], "extractive");
}

async fn citations_are_set_in_the_app(server: Running) {
    let change =
        json!({"citations": {"format": "inline_links", "max_sources_displayed": 3, "enabled_tools": ["web_*"]}});
    let (status, settings) = server.send(Method::PATCH, SETTINGS, &change).await;
    assert_eq!(status.as_u16(), 200, "{settings}");
    let citations = &settings["citations"];
    assert_eq!((&citations["format"], &citations["enable_tooltips"]), (&json!("inline_links"), &json!(true)));
    // Only the tools that are named are looked at, from now on.
    let extract = |tool: &str| json!({"tool_name": tool, "request_id": "1", "parameters": {}, "output": {"results": [{"title": "a", "url": "https://example.org/"}]}});
    let found = server.post("/api/v1/citations/extract", extract("web_search")).await;
    assert_eq!(found["sources"].as_array().unwrap().len(), 1);
    let found = server.post("/api/v1/citations/extract", extract("wikipedia_search")).await;
    assert_eq!(found["sources"].as_array().unwrap().len(), 0);
    for (body, field) in [
        (json!({"max_sources_displayed": 0}), "max_sources_displayed"),
        (json!({"enabled_tools": vec!["x"; 201]}), "enabled_tools"),
        (json!({"format": "bold"}), "citations.format"),
    ] {
        let request = server.request(Method::PATCH, SETTINGS).json(&json!({"citations": body}));
        assert_eq!(refused(request, 422, "invalid_field").await["field"], field);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_one_who_starts_the_server_says_is_fixed() {
    let arguments = ["--chat", "compatible", "--chat-model", "sample", "--chat-url", "http://127.0.0.1:9/v1"];
    let server = Running::start_with(TestEngine::Sqlite, &arguments).await.unwrap();
    let settings = server.json(SETTINGS).await;
    assert_eq!((&settings["answers"]["is_fixed"], &settings["answers"]["from"]), (&json!(true), &json!("flag")));
    let change = json!({"answers": {"provider": "none"}});
    let problem = refused(server.request(Method::PATCH, SETTINGS).json(&change), 409, "setting_is_fixed").await;
    assert!(problem["detail"].as_str().unwrap().contains("flag"), "{problem}");
    assert_eq!(server.json(SETTINGS).await["answers"]["model"], "sample");
    let (status, _) = server.send(Method::PATCH, SETTINGS, &json!({"citations": {"enable_tooltips": false}})).await;
    assert_eq!(status.as_u16(), 200, "the rest can be changed");
}
