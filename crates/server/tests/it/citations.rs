//! Citations over HTTP: parsing, extracting, and what a model is told. Nothing here touches the database.

use ibid_testkit::TestEngine;
use reqwest::{Method, StatusCode};
use serde_json::{Value as Json, json};

use crate::{
    Running,
    sources::{id, is_read},
};

impl Running {
    async fn citations(&self, what: &str, body: &Json) -> Json {
        let (status, answer) = self.send(Method::POST, &format!("/api/v1/citations/{what}"), body).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pinned() {
    let Some(server) = Running::start(TestEngine::Sqlite).await else { return };

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

    // The same, as others write it, counted as they count.
    let as_written = async |format: &str, units: &str| {
        let body = json!({"text": text, "sources": sources, "format": format, "units": units});
        server.citations("parse", &body).await["formatted"].clone()
    };
    let annotation = as_written("openai", "utf16").await["annotations"][0].clone();
    let halves: Vec<u16> = text.encode_utf16().collect();
    let (start, end) =
        (annotation["start_index"].as_u64().unwrap() as usize, annotation["end_index"].as_u64().unwrap() as usize);
    assert_eq!(
        (String::from_utf16(&halves[start..end]).unwrap().as_str(), &annotation["url"]),
        ("[1]", &json!("https://example.org/one"))
    );
    assert!(as_written("anthropic", "code_points").await["content"][0]["citations"].is_array());
    assert_eq!(as_written("ai_sdk", "code_points").await["parts"][1]["type"], "source-url");
    assert_eq!(as_written("web_annotation", "bytes").await[0]["type"], "Annotation");

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
async fn verified_on_sqlite() {
    if let Some(server) = Running::start_with(TestEngine::Sqlite, &["--embedder", "none"]).await {
        verified(server).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verified_on_postgres() {
    if let Some(server) = Running::start_with(TestEngine::Postgres, &["--embedder", "none"]).await {
        verified(server).await;
    }
}

/// A text is checked against a source of the library, one that a tool returned, and one that has no words.
async fn verified(server: Running) {
    let sha256 =
        server.upload("Something else first. The harbour bridge opened in 1932. 数据 follow.".as_bytes()).await;
    let body = json!({"title": "Sample report", "artifact_sha256": sha256});
    let (status, source) = server.send(Method::POST, "/api/v1/sources", &body).await;
    assert!(status.is_success(), "{source}");
    let id = id(&source);
    server.source(id, is_read).await;

    let text = "The harbour bridge opened in 1932 [1]. It opened in 1935 [1]. It is painted grey every year [2]. \
                Nobody says this anywhere at all [3]. The engineers were never paid for it. Is that so? See [9].";
    let sources = json!([
        {"id": "a-0", "type": "file", "title": "Sample report", "source_id": id},
        {"id": "a-1", "type": "web", "uri": "https://example.org/paint", "full_content": "Workers paint the bridge grey. It is painted grey every year."},
        {"id": "a-2", "type": "web", "uri": "https://example.org/empty"},
    ]);
    let answer = server.citations("verify", &json!({"text": text, "sources": sources})).await;
    let claims = answer["claims"].as_array().unwrap();
    let verdicts: Vec<_> = claims.iter().map(|claim| claim["citations"][0]["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts[0], "supported", "{answer}");
    assert_ne!(verdicts[1], "supported", "{answer}");
    assert_eq!(verdicts[2..], ["supported", "unverifiable"], "{answer}");
    let first = &claims[0]["citations"][0];
    assert_eq!(
        (&first["source_id"], &first["number"], &first["quote"]),
        (&json!(id), &json!(1), &json!("The harbour bridge opened in 1932."))
    );
    // The place is one in the text that the library keeps.
    let kept = server.get(&format!("/api/v1/sources/{id}/text")).await.json::<Json>().await.unwrap();
    let (start, end) = (first["start_char"].as_u64().unwrap() as usize, first["end_char"].as_u64().unwrap() as usize);
    let words: String = kept["text"].as_str().unwrap().chars().skip(start).take(end - start).collect();
    assert_eq!(words, "The harbour bridge opened in 1932.");
    assert_eq!(claims[1]["citations"][0]["reasons"], json!(["a figure of the claim is not in the source"]));
    let uncited: Vec<_> =
        answer["uncited"].as_array().unwrap().iter().map(|claim| claim["text"].as_str().unwrap()).collect();
    assert_eq!(uncited, ["The engineers were never paid for it."]);
    assert_eq!((&answer["dangling"], &answer["method"]), (&json!([9]), &json!("words")));

    let pairs = json!([{"claim": "It opened in 1932.", "passage": "The bridge opened in 1932."}, {"claim": "Fish swim upstream in spring.", "passage": "The bridge opened in 1932."}]);
    let answer = server.citations("verify", &json!({"pairs": pairs})).await;
    let verdicts: Vec<_> =
        answer["pairs"].as_array().unwrap().iter().map(|one| one["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["supported", "unsupported"], "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn grounded_on_sqlite() {
    if let Some(server) = Running::start_with(TestEngine::Sqlite, &["--embedder", "none"]).await {
        grounded(server).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn grounded_on_postgres() {
    if let Some(server) = Running::start_with(TestEngine::Postgres, &["--embedder", "none"]).await {
        grounded(server).await;
    }
}

/// Each claim of a draft is bound to the words of the library that say it, or listed.
async fn grounded(server: Running) {
    let texts = [
        ("Bridges", "Żółć first. The harbour bridge opened in 1932. It carries eight lanes of road."),
        ("Birds", "Arctic terns migrate to Antarctica and back each year. Herons wait for fish."),
    ];
    for (title, text) in texts {
        let sha256 = server.upload(text.as_bytes()).await;
        let body = json!({"title": title, "artifact_sha256": sha256});
        let (status, source) = server.send(Method::POST, "/api/v1/sources", &body).await;
        assert!(status.is_success(), "{source}");
        server.source(id(&source), is_read).await;
    }
    let draft = "# Notes\n\nArctic terns migrate to Antarctica each year. The \"harbour\" bridge opened in 1932! \
                 Penguins invented the printing press.\n";
    let mut answer = Json::Null;
    for _ in 0..200 {
        answer = server.citations("ground", &json!({"text": draft})).await;
        if answer["claims"].as_array().unwrap().len() == 2 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    let bound: Vec<_> = answer["claims"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["number"].as_u64().unwrap(), one["verdict"].as_str().unwrap(), one["quote"].as_str().unwrap()))
        .collect();
    assert_eq!(
        bound,
        [
            (1, "supported", "Arctic terns migrate to Antarctica and back each year."),
            (2, "supported", "The harbour bridge opened in 1932."),
        ],
        "{answer}"
    );
    assert_eq!(answer["unsupported"][0]["text"], "Penguins invented the printing press.");
    let titles: Vec<_> =
        answer["sources"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Birds", "Bridges"]);
    // The place is one in the text that the library keeps.
    let bridge = &answer["claims"][1];
    let kept = server.json(&format!("/api/v1/sources/{}/text", bridge["source_id"].as_str().unwrap())).await;
    let (start, end) = (bridge["start_char"].as_u64().unwrap() as usize, bridge["end_char"].as_u64().unwrap() as usize);
    let words: String = kept["text"].as_str().unwrap().chars().skip(start).take(end - start).collect();
    assert_eq!(words, "The harbour bridge opened in 1932.");

    let annotated = answer["annotated"].as_str().unwrap();
    assert!(annotated.starts_with("# Notes\n\nArctic terns migrate to Antarctica each year [1]. The \"harbour\" bridge opened in 1932 [2]! Penguins"), "{annotated}");
    let typst = server.citations("ground", &json!({"text": draft, "style": "typst"})).await;
    assert!(
        typst["annotated"].as_str().unwrap().contains("1932#footnote[Bridges: “The harbour bridge opened in 1932.”]!"),
        "{typst}"
    );

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("draft.md");
    std::fs::write(&file, draft).unwrap();
    let printed = server.ibid(&["cite", file.to_str().unwrap(), "--embedder", "none"]);
    assert_eq!(String::from_utf8(printed.stdout).unwrap().trim_end(), annotated.trim_end());
    let said = String::from_utf8(printed.stderr).unwrap();
    assert!(said.contains("2 claims supported, 0 in part, 1 not found") && said.contains("Penguins"), "{said}");
    assert_eq!(printed.status.code(), Some(1), "what is not found is told by the exit code");
    let printed = server.ibid(&["cite", file.to_str().unwrap(), "--embedder", "none", "--json"]);
    assert_eq!(serde_json::from_slice::<Json>(&printed.stdout).unwrap()["claims"], answer["claims"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_is_said() {
    let Some(server) = Running::start(TestEngine::Sqlite).await else { return };
    let long = "x".repeat(256);
    for (what, body, field) in [
        ("parse", json!({}), "text"),
        ("parse", json!({"text": 7}), "text"),
        ("parse", json!({"text": "a", "sources": {}}), "sources"),
        ("parse", json!({"text": "a", "sources": [{"type": "telepathy"}]}), "telepathy"),
        ("parse", json!({"text": "a", "source": []}), "source"),
        ("parse", json!({"text": "a", "format": "pdf"}), "pdf"),
        ("extract", json!({"tool_name": "", "request_id": "r", "output": 1}), "tool_name"),
        ("extract", json!({"tool_name": "a", "request_id": long, "output": 1}), "request_id"),
        ("extract", json!({"tool_name": "a", "request_id": "r"}), "output"),
        ("prompt", json!({"sources": [], "token_budget": -1}), "token_budget"),
        ("ground", json!({}), "text"),
        ("ground", json!({"text": "a", "style": "latex"}), "latex"),
        ("ground", json!({"text": "a", "filters": {"colour": "red"}}), "colour"),
        ("ground", json!({"text": "Many words state one more fact. ".repeat(501)}), "500"),
        ("verify", json!({}), "pairs"),
        ("verify", json!({"text": "a"}), "sources"),
        ("verify", json!({"text": "a", "sources": [], "pairs": []}), "pairs"),
        ("verify", json!({"pairs": [{"claim": "a"}]}), "passage"),
        ("verify", json!({"pairs": vec![json!({"claim": "a", "passage": "b"}); 1001]}), "1000"),
    ] {
        let (status, problem) = server.send(Method::POST, &format!("/api/v1/citations/{what}"), &body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(field), "{body}: {problem}");
    }
}

/// A megabyte that was made to be slow is read like any other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_text_is_no_trouble() {
    let Some(server) = Running::start(TestEngine::Sqlite).await else { return };
    for unit in ["[1] ", "[](", "[1-99]", "`` ` "] {
        let answer = server.citations("parse", &json!({"text": unit.repeat(1_000_000 / unit.len())})).await;
        assert!(answer["citations"].is_array());
    }
}
