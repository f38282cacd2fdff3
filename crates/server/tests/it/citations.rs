//! Citations over HTTP: parsing, extracting, and what a model is told. Nothing here touches the database.

use ibid_testkit::Engine;
use reqwest::{Method, StatusCode};
use serde_json::{Value as Json, json};

use crate::Running;

impl Running {
    async fn citations(&self, what: &str, body: &Json) -> Json {
        let (status, answer) = self.send(Method::POST, &format!("/api/v1/citations/{what}"), body).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pinned() {
    let Some(server) = Running::start(Engine::Sqlite).await else { return };

    let text = "Żółć 👩‍🔬 was measured [1], twice [2, 7] and [sic]. See `a[1]` and {citation:a-1}.";
    let sources = json!([
        {"id": "a-0", "type": "web", "uri": "https://example.org/one", "title": "One"},
        {"id": "a-1", "type": "file", "title": "two.pdf"},
        {"id": "a-2", "type": "web", "uri": "http://www.example.org/one/"},
    ]);
    let answer = server.citations("parse", &json!({"text": text, "sources": sources})).await;
    let citations = answer["citations"].as_array().unwrap();
    let kinds: Vec<_> =
        citations.iter().map(|one| (one["kind"].as_str().unwrap(), one["text"].as_str().unwrap())).collect();
    assert_eq!(kinds, [("numbers", "[1]"), ("numbers", "[2, 7]"), ("label", "[sic]"), ("braces", "{citation:a-1}")]);
    for citation in citations {
        let (start, end) = (citation["start_index"].as_u64().unwrap(), citation["end_index"].as_u64().unwrap());
        let words: String = text.chars().skip(start as usize).take((end - start) as usize).collect();
        assert_eq!(words, citation["text"].as_str().unwrap());
    }
    assert_eq!(citations[1]["numbers"], json!([2, 7]));
    assert_eq!(
        answer["references"][0],
        json!({
            "id": "ref-1", "index": 1, "start_index": 22, "end_index": 25, "cited_text": "[1]", "numbers": [1], "source_ids": ["a-0"],
        })
    );
    assert_eq!(answer["references"][2]["source_ids"], json!(["a-1"]));
    assert_eq!(answer["dangling"], json!([7]));
    // Where the sources are known, brackets that name none of them are prose.
    assert_eq!(answer["stripped"], "Żółć 👩‍🔬 was measured, twice and [sic]. See `a[1]` and.");
    let numbers: Vec<_> = answer["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["number"].as_u64().unwrap(), one["id"].as_str().unwrap()))
        .collect();
    assert_eq!(numbers, [(1, "a-0"), (2, "a-1")]);

    let bare = server.citations("parse", &json!({"text": text})).await;
    assert_eq!((&bare["dangling"], &bare["references"]), (&json!([1, 2, 7]), &json!([])));
    assert_eq!(bare["stripped"], "Żółć 👩‍🔬 was measured, twice and. See `a[1]` and.");

    let output =
        json!({"results": [{"title": "React 19", "link": "https://react.dev/blog", "snippet": "Now stable."}]});
    let call =
        json!({"tool_name": "web_search", "request_id": "req-1", "parameters": {"query": "react"}, "output": output});
    let found = server.citations("extract", &call).await;
    assert_eq!(
        found,
        json!({"sources": [{
            "type": "web", "id": "req-1-0", "tool_name": "web_search", "tool_request_id": "req-1", "uri": "https://react.dev/blog",
            "title": "React 19", "domain": "react.dev", "snippet": "Now stable.",
        }]})
    );
    let odd =
        server.citations("extract", &json!({"tool_name": "web_search", "request_id": "r", "output": "no JSON"})).await;
    assert_eq!(odd, json!({"sources": [], "warning": "web_search: the output has no list of results"}));

    let told = server.citations("prompt", &json!({"sources": found["sources"]})).await;
    assert_eq!(told["list"], "[1] react.dev: React 19 - \"Now stable.\"");
    assert!(told["guidelines"].as_str().unwrap().contains("[2, 3]"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_is_said() {
    let Some(server) = Running::start(Engine::Sqlite).await else { return };
    let long = "x".repeat(256);
    for (what, body, field) in [
        ("parse", json!({}), "text"),
        ("parse", json!({"text": 7}), "text"),
        ("parse", json!({"text": "a", "sources": {}}), "sources"),
        ("parse", json!({"text": "a", "sources": [{"type": "telepathy"}]}), "telepathy"),
        ("parse", json!({"text": "a", "source": []}), "source"),
        ("extract", json!({"tool_name": "", "request_id": "r", "output": 1}), "tool_name"),
        ("extract", json!({"tool_name": "a", "request_id": long, "output": 1}), "request_id"),
        ("extract", json!({"tool_name": "a", "request_id": "r"}), "output"),
        ("prompt", json!({"sources": [], "token_budget": -1}), "token_budget"),
    ] {
        let (status, problem) = server.send(Method::POST, &format!("/api/v1/citations/{what}"), &body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(field), "{body}: {problem}");
    }
}

/// A megabyte that was made to be slow is read like any other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_text_is_no_trouble() {
    let Some(server) = Running::start(Engine::Sqlite).await else { return };
    for unit in ["[1] ", "[](", "[1-99]", "`` ` "] {
        let answer = server.citations("parse", &json!({"text": unit.repeat(1_000_000 / unit.len())})).await;
        assert!(answer["citations"].is_array());
    }
}
