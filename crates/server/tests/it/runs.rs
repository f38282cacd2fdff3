//! Runs of agents elsewhere, and the citations that are kept of their answers.

use futures::StreamExt;
use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::{
    Running,
    answers::placed_markers,
    on_both_servers,
    running::refused,
    sources::{id, is_read},
};

on_both_servers!(
    reported,
    tombstones,
    changed,
    losses,
    losses_of_messages_and_documents,
    subagents,
    streamed,
    resumed,
    counted,
    ends
);

const REPORT: &str = "The Aldgate bridge opened in 1932. It is 134 metres long — 👩‍🔬 measured twice.\n\nTraffic fell by \
                      12 percent in 2019. Nobody knows why the lamps were removed.";

impl Running {
    /// What a command prints as JSON.
    fn cli(&self, arguments: &[&str]) -> Json {
        let output = self.ibid(arguments);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    }

    pub(crate) async fn post(&self, path: &str, body: Json) -> Json {
        let (status, answer) = self.send(Method::POST, path, &body).await;
        assert!(status.is_success(), "{path}: {status} {answer}");
        answer
    }

    /// A source of the library that says this.
    pub(crate) async fn with_text(&self, name: &str, text: &str) -> Json {
        let (_, brought) = self.upload_sources(&[(name, text.as_bytes().to_vec())]).await;
        self.source(id(&brought["items"][0]), is_read).await
    }

    /// A run that has found a source of the library.
    async fn run_with(&self, source: &Json, more: Json) -> Json {
        let run = self.post("/api/v1/runs", more).await;
        let path = format!("/api/v1/runs/{}", id(&run));
        let found = self
            .post(
                &format!("{path}/tool-results"),
                json!({"tool_name": "search_knowledge_base", "request_id": "call-1", "parameters": {"query": "bridge"},
                       "output": {"sources": [{"fileId": id(source), "fileName": source["filename"], "sourceType": "blob_storage",
                                  "mimeType": "text/plain", "relevanceScore": 0.83, "isImage": false,
                                  "excerpts": [{"content": "The Aldgate bridge opened in 1932.", "score": 0.83, "chunkIndex": 0}]}],
                                  "searchMetadata": {"query": "bridge", "totalChunksSearched": 1, "threshold": 0.5}}}),
            )
            .await;
        assert_eq!(found["numbers"], json!([1]), "{found}");
        assert!(found["prompt"].as_str().unwrap().contains("[1]"));
        run
    }

    /// All events of a run that has ended, as (id, event, data).
    pub(crate) async fn events(&self, run: &str, after: u64) -> Vec<(u64, String, Json)> {
        let stream = self
            .request(Method::GET, &format!("/api/v1/runs/{run}/events"))
            .header("last-event-id", after.to_string())
            .send()
            .await
            .unwrap();
        let text = tokio::time::timeout(std::time::Duration::from_secs(20), stream.text()).await.unwrap().unwrap();
        events_in(&text)
    }
}

/// The events of a stream.
pub(crate) fn events_in(text: &str) -> Vec<(u64, String, Json)> {
    text.split("\n\n").filter_map(event).collect()
}

fn event(block: &str) -> Option<(u64, String, Json)> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(|text| text.trim().to_owned());
    Some((field("id:")?.parse().ok()?, field("event:")?, serde_json::from_str(&field("data:")?).ok()?))
}

/// The words of a span of characters.
pub(crate) fn at(text: &str, start: &Json, end: &Json) -> String {
    let (start, end) = (start.as_u64().unwrap() as usize, end.as_u64().unwrap() as usize);
    text.chars().skip(start).take(end - start).collect()
}

async fn reported(server: Running) {
    let source = server.with_text("bridge.txt", REPORT).await;
    let run =
        server.run_with(&source, json!({"question": "When did the bridge open?", "question_id": "msg_01Q"})).await;
    let path = format!("/api/v1/runs/{}", id(&run));
    // What an MCP tool returned can be cited, too, and its words are kept.
    let found = server
        .post(
            &format!("{path}/tool-results"),
            json!({"tool_name": "mcp.city__records", "request_id": "call-2", "parameters": {},
                   "output": {"content": [{"type": "resource", "resource": {"uri": "city://lamps/7", "mimeType": "text/plain",
                              "text": "The lamps of the bridge were removed in 1951.\u{0}"}}]}}),
        )
        .await;
    assert_eq!(found["numbers"], json!([2]), "{found}");
    let odd = json!({"tool_name": "web_search", "request_id": "call-3", "parameters": {}, "output": 7});
    let odd = server.post(&format!("{path}/tool-results"), odd).await;
    assert_eq!((odd["sources"].as_array().unwrap().len(), odd["warning"].is_string()), (0, true));

    let text = "The Aldgate bridge opened in 1932 [1]. 👩‍🔬 Its lamps were removed in 1951 [2]. It was painted green in 1960 [9].";
    let answer = server
        .post(
            &format!("{path}/response"),
            json!({"text": text, "message_id": "msg_01A", "model": "sample-model", "usage": {"input_tokens": 120, "output_tokens": 30}}),
        )
        .await;
    assert_eq!((&answer["dangling"], &answer["message"]["dangling"]), (&json!([9]), &json!(["[9]"])), "{answer}");
    assert_eq!(answer["run"]["status"], "completed");

    // The conversation reloads with everything that is known of its evidence.
    let conversation = answer["message"]["conversation_id"].as_str().unwrap();
    let messages = server.json(&format!("/api/v1/conversations/{conversation}/messages")).await;
    let messages = messages["items"].as_array().unwrap();
    assert_eq!(messages.len(), 2);
    assert_eq!((&messages[0]["id"], &messages[0]["role"]), (&json!("msg_01Q"), &json!("user")));
    let message = &messages[1];
    assert_eq!((&message["id"], &message["parent_message_id"]), (&json!("msg_01A"), &json!("msg_01Q")));
    assert_eq!((&message["content"], &message["usage"]["input_tokens"]), (&json!(text), &json!(120)));
    let citations = message["citations"].as_array().unwrap();
    assert_eq!(citations.len(), 2);
    let first = &citations[0];
    assert_eq!(at(text, &first["start_index"], &first["end_index"]), "[1]");
    assert_eq!(
        at(text, &first["claim_start_index"], &first["claim_end_index"]),
        "The Aldgate bridge opened in 1932 [1]."
    );
    assert_eq!((&first["source_id"], &first["availability"]), (&source["id"], &json!("available")));
    assert_eq!((&first["verdict"], &first["state"]), (&json!("supported"), &json!("current")));
    assert_eq!((&first["file_name"], &first["mime_type"]), (&json!("bridge.txt"), &json!("text/plain")));
    assert_eq!((&first["relevance_score"], &first["excerpt_count"]), (&json!(0.83), &json!(1)));
    // The quote is exactly what stands there, in bytes that never change.
    let kept = server.get(&format!("/api/v1/artifacts/{}/content", first["text_sha256"].as_str().unwrap())).await;
    let kept = kept.text().await.unwrap();
    assert_eq!(kept, REPORT);
    assert_eq!(at(&kept, &first["start_char"], &first["end_char"]), first["quote"].as_str().unwrap());
    assert!(kept.contains(&format!("{}{}", first["quote"].as_str().unwrap(), first["suffix"].as_str().unwrap())));
    let second = &citations[1];
    assert_eq!((&second["source_id"], &second["availability"]), (&Json::Null, &json!("external")));
    assert_eq!(second["quote"], "The lamps of the bridge were removed in 1951.\u{fffd}");
    let kept = server.get(&format!("/api/v1/artifacts/{}/content", second["text_sha256"].as_str().unwrap())).await;
    assert_eq!(
        at(&kept.text().await.unwrap(), &second["start_char"], &second["end_char"]),
        second["quote"].as_str().unwrap()
    );
    let files: Vec<_> = message["cited_files"].as_array().unwrap().iter().map(|file| &file["file_id"]).collect();
    assert_eq!(files, [&source["id"], &Json::Null]);
    assert_eq!(message["entities"][0]["id"], source["id"]);

    // The same by itself, and as others write it.
    let alone = server.json("/api/v1/messages/msg_01A/citations").await;
    assert_eq!(alone["citations"][1], message["citations"][1]);
    assert_eq!(alone["citations"][0]["quote"], first["quote"]);
    let openai = server.json("/api/v1/messages/msg_01A/citations?format=openai").await;
    assert_eq!((&openai["text"], &openai["annotations"][0]["file_id"]), (&json!(text), &source["id"]));
    let annotation = server.json("/api/v1/messages/msg_01A/citations?format=web_annotation&units=utf16").await;
    assert_eq!(annotation[0]["body"]["selector"][0]["exact"], first["quote"]);
    assert_eq!(annotation[0]["body"]["selector"][1]["start"], first["start_char"]);
    let anthropic = server.json("/api/v1/messages/msg_01A/citations?format=anthropic").await;
    assert_eq!(anthropic["content"][0]["citations"][0]["cited_text"], first["quote"]);
    let sdk = server.json("/api/v1/messages/msg_01A/citations?format=ai_sdk").await;
    assert_eq!(sdk["parts"][1]["type"], "source-document");
    refused(server.request(Method::GET, "/api/v1/messages/msg_01A/citations?format=x"), 422, "invalid_query").await;

    // It can be checked again, from what is kept.
    let again = server.post("/api/v1/citations/verify", json!({"message_id": "msg_01A"})).await;
    assert_eq!(again["claims"][0]["citations"][0]["verdict"], "supported");
    let again =
        server.post("/api/v1/citations/verify", json!({"run_id": id(&run), "text": "It opened in 1999 [1]."})).await;
    assert_ne!(again["claims"][0]["citations"][0]["verdict"], "supported");

    let events = server.events(id(&run), 0).await;
    let kinds: Vec<_> = events.iter().map(|(_, kind, _)| kind.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "run_started",
            "tool_called",
            "tool_result",
            "references_found",
            "tool_called",
            "tool_result",
            "references_found",
            "tool_called",
            "tool_result",
            "content_delta",
            "citations_created",
            "usage",
            "run_completed"
        ]
    );
    assert!(events.iter().zip(1..).all(|((seq, ..), expected)| *seq == expected));
    let last = &events.last().unwrap().2["data"];
    assert_eq!((&last["message_id"], &last["cited_files"][0]["file_id"]), (&json!("msg_01A"), &source["id"]));

    // What has ended takes nothing more, and an id is used once.
    let more = json!({"tool_name": "web_search", "request_id": "x", "parameters": {}, "output": []});
    refused(server.request(Method::POST, &format!("{path}/tool-results")).json(&more), 409, "run_has_ended").await;
    refused(
        server.request(Method::POST, &format!("{path}/response")).json(&json!({"text": "x"})),
        409,
        "run_has_ended",
    )
    .await;
    refused(server.request(Method::POST, &format!("{path}/cancel")), 409, "run_has_ended").await;
    let other = server.post("/api/v1/runs", json!({})).await;
    let taken = json!({"text": "Nothing.", "message_id": "msg_01A"});
    let path = format!("/api/v1/runs/{}/response", id(&other));
    refused(server.request(Method::POST, &path).json(&taken), 409, "message_exists").await;
    let fsck = server.cli(&["fsck", "--json"]);
    assert_eq!(fsck["findings"], json!([]), "{fsck}");
}

async fn tombstones(server: Running) {
    let source = server.with_text("bridge.txt", REPORT).await;
    let run = server.run_with(&source, json!({"message_id": "m-1"})).await;
    let body = json!({"text": "The bridge opened in 1932 [1]."});
    server.post(&format!("/api/v1/runs/{}/response", id(&run)), body).await;
    let before = server.json("/api/v1/messages/m-1/citations").await["citations"][0].clone();

    let (status, _) = server.send(Method::DELETE, &format!("/api/v1/sources/{}", id(&source)), &Json::Null).await;
    assert_eq!(status, 204);
    let tombstone = async || server.json("/api/v1/messages/m-1/citations").await["citations"][0].clone();
    let after = tombstone().await;
    assert_eq!((&after["source_id"], &after["availability"]), (&Json::Null, &json!("deleted")));
    for field in
        ["file_name", "title", "mime_type", "is_image", "source_type", "quote", "number", "verdict", "text_sha256"]
    {
        assert_eq!(after[field], before[field], "{field}");
    }
    // The words stay where they can be read, also after a collection of garbage.
    server.cli(&["gc", "--apply", "--grace", "0s", "--json"]);
    let kept = server.get(&format!("/api/v1/artifacts/{}/content", after["text_sha256"].as_str().unwrap())).await;
    assert_eq!(
        at(&kept.text().await.unwrap(), &after["start_char"], &after["end_char"]),
        before["quote"].as_str().unwrap()
    );

    // The same bytes brought again are another source.
    let again = server.with_text("bridge.txt", REPORT).await;
    assert_ne!(again["id"], source["id"]);
    assert_eq!(tombstone().await["source_id"], Json::Null);
    let message = server.json("/api/v1/messages/m-1").await;
    assert_eq!(message["cited_files"][0]["is_deleted"], json!(true));
    let stats = server.json("/api/v1/citations/stats").await;
    assert_eq!((&stats["deleted"], &stats["most_cited"][0]["is_deleted"]), (&json!(1), &json!(true)));

    // With the conversation go its references, and what nothing else names can be collected.
    let conversation = message["conversation_id"].as_str().unwrap();
    let (status, _) = server.send(Method::DELETE, &format!("/api/v1/conversations/{conversation}"), &Json::Null).await;
    assert_eq!(status, 204);
    refused(server.request(Method::GET, "/api/v1/messages/m-1/citations"), 404, "message_not_found").await;
    refused(server.request(Method::GET, &format!("/api/v1/runs/{}", id(&run))), 404, "run_not_found").await;
    let fsck = server.cli(&["fsck", "--json"]);
    assert_eq!(fsck["findings"], json!([]), "{fsck}");
}

async fn changed(server: Running) {
    let source = server.with_text("bridge.txt", REPORT).await;
    let path = format!("/api/v1/sources/{}", id(&source));
    let run = server.run_with(&source, json!({"message_id": "m-1"})).await;
    let text = "The bridge opened in 1932 [1]. Traffic fell by 12 percent in 2019 [1].";
    server.post(&format!("/api/v1/runs/{}/response", id(&run)), json!({"text": text})).await;
    let states = async || {
        let citations = server.json("/api/v1/messages/m-1/citations").await["citations"].clone();
        let states = citations.as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap().to_owned());
        states.collect::<Vec<_>>()
    };
    assert_eq!(states().await, ["current", "current"]);

    let renew = async |text: &str| {
        let sha256 = server.upload(text.as_bytes()).await;
        let before = server.json(&path).await["revision_id"].clone();
        server.post(&format!("{path}/refresh"), json!({"artifact_sha256": sha256})).await;
        server.source(id(&source), |source| source["revision_id"] != before && is_read(source)).await
    };
    renew("The Aldgate bridge   opened\nin 1932. Traffic rose by 3 percent in 2019.").await;
    assert_eq!(states().await, ["current", "changed"]);
    // What was cited is still there to be read, in the revision that was cited.
    let citation = server.json("/api/v1/messages/m-1/citations").await["citations"][1].clone();
    let query = format!("{path}/text?revision={}", citation["revision_id"].as_str().unwrap());
    let old = server.json(&query).await["text"].as_str().unwrap().to_owned();
    assert_eq!(at(&old, &citation["start_char"], &citation["end_char"]), citation["quote"].as_str().unwrap());
    renew(&format!("{REPORT} And more.")).await;
    assert_eq!(states().await, ["current", "current"]);
}

async fn losses(server: Running) {
    let source = server.with_text("bridge.txt", REPORT).await;
    let path = format!("/api/v1/sources/{}", id(&source));
    let run = server.run_with(&source, json!({"message_id": "m-1"})).await;
    let text = "The bridge opened in 1932 [1]. Traffic fell by 12 percent in 2019 [1].";
    server.post(&format!("/api/v1/runs/{}/response", id(&run)), json!({"text": text})).await;

    let impact = server.json(&format!("{path}/impact")).await;
    assert_eq!((&impact["citation_count"], &impact["message_count"]), (&json!(2), &json!(1)));
    let claims: Vec<_> =
        impact["claims"].as_array().unwrap().iter().map(|one| one["claim"].as_str().unwrap()).collect();
    assert_eq!(claims.len(), 2);
    assert!(claims.contains(&"The bridge opened in 1932.") && claims.contains(&"Traffic fell by 12 percent in 2019."));
    // What a replacement would change, before it is one.
    let sha256 = server.upload(b"The Aldgate bridge opened in 1932. It is grey.").await;
    let impact = server.json(&format!("{path}/impact?artifact_sha256={sha256}")).await;
    let claims: Vec<_> = impact["claims"].as_array().unwrap().iter().map(|one| &one["claim"]).collect();
    assert_eq!(claims, ["Traffic fell by 12 percent in 2019."]);
    let page = server.json(&format!("{path}/impact?limit=1")).await;
    let next = page["next_cursor"].as_str().unwrap();
    let rest = server.json(&format!("{path}/impact?limit=1&cursor={next}")).await;
    assert_eq!(rest["claims"].as_array().unwrap().len(), 1);
    assert_ne!(rest["claims"], page["claims"]);
    refused(server.request(Method::GET, &format!("{path}/impact?artifact_sha256=zz")), 422, "hash_invalid").await;
}

async fn losses_of_messages_and_documents(server: Running) {
    let source = server.with_text("bridge.txt", REPORT).await;
    let other = server.with_text("chronicle.txt", "The Aldgate bridge opened in 1932, the chronicle says.").await;
    let path = format!("/api/v1/sources/{}", id(&source));
    let run = server.run_with(&source, json!({"message_id": "m-1"})).await;
    let result = json!({"tool_name": "search_knowledge_base", "request_id": "call-2", "output": {"sources": [
        {"fileId": id(&other), "fileName": "chronicle.txt", "sourceType": "blob_storage", "mimeType": "text/plain",
         "relevanceScore": 0.8, "isImage": false, "excerpts": [
             {"content": "The Aldgate bridge opened in 1932, the chronicle says.", "score": 0.8, "chunkIndex": 0}]}],
        "searchMetadata": {"query": "bridge", "totalChunksSearched": 1, "threshold": 0.5}}});
    server.post(&format!("/api/v1/runs/{}/tool-results", id(&run)), result).await;
    // Three claims: one cites it twice, one has another source as well, one has it alone.
    let text = "The bridge [1] opened in 1932 [1]. The Aldgate bridge opened in 1932 [1][2]. Traffic fell in 2019 [1].";
    server.post(&format!("/api/v1/runs/{}/response", id(&run)), json!({"text": text})).await;
    let impact = server.json(&format!("{path}/impact")).await;
    assert_eq!((&impact["citation_count"], &impact["claim_count"]), (&json!(4), &json!(3)), "{impact}");
    assert_eq!(impact["lost_claim_count"], 2, "{impact}");
    let told = |impact: &Json| -> Vec<(String, u64, bool)> {
        let one = |one: &Json| {
            let claim = one["claim"].as_str().unwrap_or("none").to_owned();
            (claim, one["other_sources"].as_u64().unwrap(), one["loses_support"].as_bool().unwrap())
        };
        let mut told: Vec<_> = impact["claims"].as_array().unwrap().iter().map(one).collect();
        told.sort();
        told
    };
    let line = |claim: &str, others: u64| (claim.to_owned(), others, others == 0);
    let in_message = [
        line("The Aldgate bridge opened in 1932.", 1),
        line("The bridge opened in 1932.", 0),
        line("Traffic fell in 2019.", 0),
    ];
    assert_eq!(told(&impact), in_message);

    // Documents count as messages do: a claim with two markers of the same source is one.
    let text = "# Bridge[^1]\n\nIt[^1] opened in 1932[^2]. It is grey[^2][^3]. It stands[^4].";
    let document = server.document(json!({"title": "Bridges", "text": text})).await;
    for (number, of) in [(1, &source), (2, &source), (3, &other), (4, &other)] {
        server.cited(&document, json!({"source_id": id(of), "citation_number": number, "position": 0})).await;
    }
    let impact = server.json(&format!("{path}/impact?limit=500")).await;
    assert_eq!((&impact["claim_count"], &impact["citation_count"]), (&json!(6), &json!(4)), "{impact}");
    assert_eq!(impact["lost_claim_count"], 4, "{impact}");
    let in_document = impact["claims"].as_array().unwrap().iter().filter(|one| one["document_id"] == json!(document));
    let in_document: Vec<Json> = in_document.cloned().collect();
    let titles = in_document.iter().all(|one| one["document_title"] == "Bridges" && one["message_id"] == Json::Null);
    assert!(titles, "{impact}");
    let expected = [line("It is grey.", 1), line("It opened in 1932.", 0), line("none", 0)];
    assert_eq!(told(&json!({"claims": in_document})), expected);

    // One at a time, each is listed once.
    let (mut seen, mut query) = (Vec::new(), "?limit=1".to_owned());
    loop {
        let page = server.json(&format!("{path}/impact{query}")).await;
        assert_eq!(page["claim_count"], 6);
        seen.extend(page["claims"].as_array().unwrap().clone());
        let Some(next) = page["next_cursor"].as_str() else { break };
        query = format!("?limit=1&cursor={next}");
    }
    assert_eq!(json!(seen), impact["claims"]);
    let told_in_terminal = server.cli(&["source", "impact", id(&source), "--json"]);
    assert_eq!(told_in_terminal["claims"], impact["claims"]);

    // Without the other source, what it stood for is gone, too.
    server.send(Method::DELETE, &format!("/api/v1/sources/{}", id(&other)), &Json::Null).await;
    let impact = server.json(&format!("{path}/impact")).await;
    assert_eq!((&impact["claim_count"], &impact["lost_claim_count"]), (&json!(6), &json!(6)), "{impact}");
}

async fn subagents(server: Running) {
    let run = server.post("/api/v1/runs", json!({"title": "Two agents"})).await;
    let path = format!("/api/v1/runs/{}", id(&run));
    let source = |number: u32, uri: &str, says: &str| json!({"id": format!("call-1:{number}"), "number": number, "type": "web", "uri": uri, "title": uri, "snippet": says});
    let first = server
        .post(
            &format!("{path}/subagent-results"),
            json!({"sub_agent_id": "one", "task": "tides", "text": "Tides follow the moon [1]. Neap tides are weak [2].",
                   "sources": [source(1, "https://example.org/moon", "Tides follow the moon."),
                               source(2, "https://example.org/neap", "Neap tides are weak.")]}),
        )
        .await;
    assert_eq!(first["text"], "Tides follow the moon [1]. Neap tides are weak [2].");
    let second = server
        .post(
            &format!("{path}/subagent-results"),
            json!({"sub_agent_id": "two", "text": "Spring tides are strong [1]. Tides follow the moon [2]. So they say [5].",
                   "sources": [source(1, "https://example.org/spring", "Spring tides are strong."),
                               source(2, "http://www.example.org/moon/", "Tides follow the moon.")]}),
        )
        .await;
    assert_eq!(second["text"], "Spring tides are strong [3]. Tides follow the moon [1]. So they say [?].");
    assert_eq!((&second["dangling"], second["sources"].as_array().unwrap().len()), (&json!([5]), 3));
    let failed = json!({"sub_agent_id": "three", "error": "it ran out of time"});
    server.post(&format!("{path}/subagent-results"), failed).await;
    let text = format!("{} {}", first["text"].as_str().unwrap(), second["text"].as_str().unwrap());
    let answer = server.post(&format!("{path}/response"), json!({"text": text})).await;
    let cited: Vec<_> = answer["message"]["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["number"].as_u64().unwrap(), one["url"].as_str().unwrap(), one["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(
        cited,
        [
            (1, "https://example.org/moon", "supported"),
            (2, "https://example.org/neap", "supported"),
            (3, "https://example.org/spring", "supported"),
            (1, "https://example.org/moon", "supported"),
        ]
    );
    assert_eq!(answer["dangling"], json!([]));
    let kinds: Vec<_> = server.events(id(&run), 0).await.into_iter().map(|(_, kind, _)| kind).collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "subagent_result").count(), 2);
    assert!(kinds.contains(&"subagent_failed".to_owned()));
}

async fn streamed(server: Running) {
    let source = server.with_text("bridge.txt", REPORT).await;
    let run = server.run_with(&source, json!({"message_id": "m-1"})).await;
    let path = format!("/api/v1/runs/{}/response", id(&run));
    let text = "The bridge 👩‍🔬 opened in 1932 [1]. So it did.";
    for piece in ["The bridge 👩", "\u{200d}🔬 opened in 1932 [", "1", "]. So", " it did."] {
        server.post(&path, json!({"delta": piece})).await;
        // No half of a marker is shown, also not to one who opens the conversation meanwhile.
        let message = server.json("/api/v1/messages/m-1").await;
        assert_eq!(message["status"], "streaming");
        assert!(
            !message["content"].as_str().unwrap().contains('[') || message["content"].as_str().unwrap().contains("[1]")
        );
    }
    let wrong = json!({"text": "Something else."});
    refused(server.request(Method::POST, &path).json(&wrong), 422, "invalid_field").await;
    let answer = server.post(&path, json!({"done": true})).await;
    assert_eq!((&answer["message"]["content"], &answer["message"]["status"]), (&json!(text), &json!("complete")));
    assert_eq!(answer["message"]["citations"][0]["verdict"], "supported");
    let events = server.events(id(&run), 0).await;
    // Places count the characters of the whole answer, however it came.
    let place = json!([{"start_index": 30, "end_index": 33, "numbers": [1]}]);
    assert_eq!((json!(placed_markers(&events)), &answer["message"]["markers"]), (place.clone(), &place));
    let deltas: String = events
        .iter()
        .filter(|(_, kind, _)| kind == "content_delta")
        .map(|(.., data)| data["data"]["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(deltas, text);

    // The same as one body, cut within a character and within a marker.
    let run = server.run_with(&source, json!({"message_id": "m-2"})).await;
    let bytes: Vec<_> = text.bytes().collect();
    let pieces: Vec<_> = bytes.chunks(7).map(|piece| Ok::<_, std::io::Error>(piece.to_vec())).collect();
    let body = reqwest::Body::wrap_stream(futures::stream::iter(pieces).then(async |piece| {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        piece
    }));
    let path = format!("/api/v1/runs/{}/response", id(&run));
    let answer =
        server.request(Method::POST, &path).header("content-type", "text/plain").body(body).send().await.unwrap();
    let answer: Json = answer.json().await.unwrap();
    assert_eq!(answer["message"]["content"], text, "{answer}");
    let run = server.post("/api/v1/runs", json!({})).await;
    let path = format!("/api/v1/runs/{}/response", id(&run));
    let broken = server.request(Method::POST, &path).header("content-type", "text/plain").body(vec![0xff, 0xfe]);
    refused(broken, 400, "invalid_body").await;
    for wrong in
        [json!({}), json!({"text": "a", "delta": "b"}), json!({"text": " "}), json!({"text": "a", "message_id": ""})]
    {
        refused(server.request(Method::POST, &path).json(&wrong), 422, "invalid_field").await;
    }
    let cancelled = server.post(&format!("/api/v1/runs/{}/cancel", id(&run)), Json::Null).await;
    assert_eq!(cancelled["status"], "cancelled");
}

async fn resumed(server: Running) {
    let source = server.with_text("bridge.txt", REPORT).await;
    let run = server.run_with(&source, json!({})).await;
    let path = format!("/api/v1/runs/{}", id(&run));
    // One who watches from the beginning, while things happen …
    let watching = server.get(&format!("{path}/events")).await;
    let watched = tokio::spawn(async move { watching.text().await.unwrap() });
    for piece in ["The bridge ", "opened in 1932 [1]", ". It is long."] {
        server.post(&format!("{path}/response"), json!({"delta": piece})).await;
    }
    server.post(&format!("{path}/response"), json!({"done": true})).await;
    let all = events_in(&watched.await.unwrap());
    assert_eq!(all.last().unwrap().1, "run_completed");
    // … sees the same as one who is cut off after any event.
    for cut in 0..=all.len() {
        let seen = all[..cut].last().map_or(0, |(seq, ..)| *seq);
        let rest = server.events(id(&run), seen).await;
        assert_eq!([&all[..cut], &rest[..]].concat(), all, "cut after {cut}");
    }
    refused(server.request(Method::GET, "/api/v1/runs/x/events"), 404, "run_not_found").await;
}

async fn counted(server: Running) {
    let source = server.with_text("bridge.txt", REPORT).await;
    let mut conversation = Json::Null;
    for (message, text) in
        [("m-1", "It opened in 1932 [1]. It is long [1]."), ("m-2", "Traffic fell by 12 percent in 2019 [1].")]
    {
        let run = server.run_with(&source, json!({"message_id": message, "title": message})).await;
        let answer = server.post(&format!("/api/v1/runs/{}/response", id(&run)), json!({"text": text})).await;
        conversation = answer["message"]["conversation_id"].clone();
    }
    let stats = server.json("/api/v1/citations/stats").await;
    assert_eq!((&stats["citations"], &stats["messages"], &stats["sources"]), (&json!(3), &json!(2), &json!(1)));
    let most = &stats["most_cited"][0];
    assert_eq!((&most["source_id"], &most["citations"], &most["messages"]), (&source["id"], &json!(3), &json!(2)));
    assert_eq!(
        stats["per_day"].as_array().unwrap().iter().map(|day| day["citations"].as_u64().unwrap()).sum::<u64>(),
        3
    );
    assert_eq!(stats["per_conversation"][0]["citations"], 2);
    let one = server.json(&format!("/api/v1/citations/stats?conversation_id={}", conversation.as_str().unwrap())).await;
    assert_eq!(one["citations"], 1);
    let none = server.json("/api/v1/citations/stats?until=2020-01-01T00:00:00Z").await;
    assert_eq!((&none["citations"], &none["most_cited"]), (&json!(0), &json!([])));
    refused(server.request(Method::GET, "/api/v1/citations/stats?since=yesterday"), 422, "invalid_field").await;
}

async fn ends(server: Running) {
    for path in ["/api/v1/conversations/x", "/api/v1/conversations/018f0000-0000-7000-8000-000000000000/messages"] {
        refused(server.request(Method::GET, path), 404, "conversation_not_found").await;
    }
    let created = server.post("/api/v1/conversations", json!({"title": " Bridges "})).await;
    let path = format!("/api/v1/conversations/{}", id(&created));
    assert_eq!(created["title"], "Bridges");
    let (_, renamed) = server.send(Method::PATCH, &path, &json!({"title": "Arches"})).await;
    assert_eq!(renamed["title"], "Arches");
    refused(server.request(Method::PATCH, &path).json(&json!({"title": ""})), 422, "invalid_field").await;
    let other = server.post("/api/v1/runs", json!({"question": "Why are the lamps gone, and since when?"})).await;
    let list = server.json("/api/v1/conversations?limit=1").await;
    assert_eq!(list["items"][0]["title"], "Why are the lamps gone, and since when?");
    let next = list["next_cursor"].as_str().unwrap();
    let rest = server.json(&format!("/api/v1/conversations?cursor={next}")).await;
    assert_eq!(rest["items"][0]["id"], created["id"]);
    // A question follows the last message, or the one that is named: editing a question makes a branch.
    let in_it = json!({"conversation_id": other["conversation_id"], "question": "Since when?"});
    let follows = server.post("/api/v1/runs", in_it).await;
    let question = server.json(&format!("/api/v1/messages/{}", follows["question_id"].as_str().unwrap())).await;
    assert_eq!(question["parent_message_id"], other["question_id"]);
    let elsewhere =
        json!({"conversation_id": created["id"], "question": "?!", "parent_message_id": other["question_id"]});
    let problem =
        refused(server.request(Method::POST, "/api/v1/runs").json(&elsewhere), 404, "message_not_found").await;
    assert_eq!(problem["field"], "parent_message_id");
    let long = json!({"message_id": "m".repeat(256)});
    refused(server.request(Method::POST, "/api/v1/runs").json(&long), 422, "invalid_field").await;
}
