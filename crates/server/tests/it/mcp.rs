//! The MCP server, over both transports and in both lifecycles of the protocol.

use std::time::Duration;

use ibid_testkit::{TestEngine, TestPlace};
use reqwest::Method;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::{
    Running,
    mcp_client::{Client, NEW, OLD, posted},
    on_both_servers,
    running::refused,
};

on_both_servers!(every_tool, finds, resources, bad_arguments);

const TOOLS: [&str; 19] = [
    "hybrid_search",
    "search_knowledge_base",
    "query_sources_rag",
    "add_source",
    "get_source",
    "verify_citations",
    "ground_text",
    "job_status",
    "graph_health",
    "entity_review_queue",
    "create_document",
    "read_document",
    "write_document",
    "get_next_citation_number",
    "add_citation",
    "remove_citation",
    "update_bibliography",
    "search",
    "fetch",
];

/// Those that do more than look.
const CHANGING: [&str; 7] = [
    "add_source",
    "create_document",
    "write_document",
    "get_next_citation_number",
    "add_citation",
    "remove_citation",
    "update_bibliography",
];

const TEXT: &str = "The marsh harrier is a bird of prey.\n\nThe marsh harrier builds its nest in dense reed beds, \
                    close to the ground — often over water.\n\nIn winter it flies to the south.";

/// A client of each kind, one after the other.
async fn each_client<'a>(server: &'a Running, number: usize) -> Option<Client<'a>> {
    let url = ["--public-url", &server.url];
    Some(match number {
        0 => Client::over_http(server, OLD).await,
        1 => Client::over_http(server, NEW).await,
        2 => Client::over_stdio(&server.place, &url, OLD).await,
        3 => Client::over_stdio(&server.place, &url, NEW).await,
        _ => return None,
    })
}

fn harriers(document: Uuid) -> Json {
    json!({ "title": "Harriers", "author": "A. Sample", "content": TEXT, "document_id": document })
}

/// Adds the text and waits until it can be searched, by words and by meaning.
async fn added(client: &mut Client<'_>, document: Uuid) -> String {
    let (added, text) = client.called("add_source", harriers(document)).await;
    let id = added["source"]["id"].as_str().unwrap().to_owned();
    assert!(text.contains(&id), "{text}");
    for _ in 0..1200 {
        let (read, _) = client.called("get_source", json!({ "id": id })).await;
        assert_ne!(read["source"]["status"], "failed", "{read}");
        if read["source"]["status"] == "ready" {
            return id;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("{id} did not become searchable");
}

async fn every_tool(server: Running) {
    let document = Uuid::now_v7();
    let mut known = None;
    for number in 0.. {
        let Some(mut client) = each_client(&server, number).await else { break };
        let tools = client.result("tools/list", json!({})).await;
        let names: Vec<_> = tools["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, TOOLS);
        for tool in tools["tools"].as_array().unwrap() {
            assert_eq!(
                (&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]),
                (&json!("object"), &json!("object"))
            );
            let hints = &tool["annotations"];
            assert_eq!(hints["readOnlyHint"], !CHANGING.contains(&tool["name"].as_str().unwrap()), "{tool}");
            assert!(hints["title"].is_string() && tool["description"].as_str().unwrap().len() > 40);
        }
        assert!(tools["ttlMs"].is_u64());

        let id = added(&mut client, document).await;
        assert_eq!(known.get_or_insert(id.clone()), &id, "the same text is one source");
        let (again, _) = client.called("add_source", harriers(document)).await;
        assert_eq!((&again["added"], &again["source"]["id"]), (&json!(false), &json!(id)));

        let (read, text) = client.called("get_source", json!({ "id": id })).await;
        assert_eq!((&read["source"]["title"], &read["text"]["text"]), (&json!("Harriers"), &json!(TEXT)));
        assert!(text.starts_with("Harriers\nby: A. Sample") && text.ends_with(TEXT), "{text}");
        let (part, text) = client.called("get_source", json!({ "id": id, "start_char": 4, "end_char": 17 })).await;
        assert_eq!((&part["text"]["text"], &part["text"]["start_char"]), (&json!("marsh harrier"), &json!(4)));
        assert!(part["note"].as_str().unwrap().contains("start_char 17") && text.contains("start_char 17"));
        let link = client.call("get_source", json!({ "id": id })).await["content"][1].clone();
        assert_eq!((&link["type"], &link["name"]), (&json!("resource_link"), &json!("Harriers")));
        assert_eq!(link["uri"], format!("{}/sources/{id}", server.url));

        let cited = json!({"text": "It builds its nest in dense reed beds [1]. It eats only cake [1].",
                           "sources": [{"id": "s", "type": "file", "title": "Harriers", "source_id": id}]});
        let (checked, text) = client.called("verify_citations", cited).await;
        let verdict = |place: usize| checked["claims"][place]["citations"][0]["verdict"].as_str().unwrap();
        assert_eq!((verdict(0), verdict(1) == "supported"), ("supported", false), "{checked}");
        assert!(text.contains("supported [1]: It builds its nest") && text.contains("reed beds"), "{text}");
        let draft =
            json!({"text": "The marsh harrier builds its nest in dense reed beds. Cakes are baked at 180 degrees."});
        let (grounded, text) = client.called("ground_text", draft).await;
        assert_eq!(grounded["claims"][0]["source_id"], json!(id), "{grounded}");
        assert_eq!(grounded["unsupported"].as_array().unwrap().len(), 1);
        assert!(text.contains("not found: Cakes are baked"), "{text}");

        let (report, text) = client.called("job_status", json!({})).await;
        assert!(report["counts"]["succeeded"].as_u64().unwrap() >= 1, "{report}");
        let job = &report["jobs"][0]["id"];
        assert!(text.contains(job.as_str().unwrap()), "{text}");
        let (one, _) = client.called("job_status", json!({ "id": job })).await;
        assert_eq!((&one["jobs"][0]["id"], one["jobs"].as_array().unwrap().len()), (job, 1));
        let (dead, _) = client.called("job_status", json!({ "state": "dead" })).await;
        assert_eq!(dead["jobs"], json!([]));
        let (health, text) = client.called("graph_health", json!({})).await;
        assert!(health["nodes"]["Event"].is_u64() && text.contains("entities"), "{text}");
        let (queue, text) = client.called("entity_review_queue", json!({ "limit": 5 })).await;
        assert_eq!((&queue["pairs"], &queue["next_cursor"]), (&json!([]), &Json::Null), "{text}");

        let fetched = client.call("fetch", json!({ "id": id })).await;
        same_twice(&fetched);
        let fetched = &fetched["structuredContent"];
        assert_eq!(
            (&fetched["id"], &fetched["title"], &fetched["text"]),
            (&json!(id), &json!("Harriers"), &json!(TEXT))
        );
        let length = TEXT.chars().count();
        let end = format!("#c=0-{length}");
        let url = fetched["url"].as_str().unwrap();
        assert!(url.starts_with(&format!("{}/sources/{id}?revision=", server.url)) && url.ends_with(&end), "{url}");
        assert_eq!(fetched["metadata"]["total_chars"], length.to_string());
        let passage = format!("{id}#4-17");
        let (fetched, _) = client.called("fetch", json!({ "id": passage })).await;
        assert_eq!((&fetched["id"], &fetched["metadata"]["quote"]), (&json!(passage), &json!("marsh harrier")));
        assert_eq!(fetched["text"], TEXT, "what stands around it is there, too");

        // What these find is another story's; here they answer in their shape.
        let question = json!({ "query": "Where does the marsh harrier nest?" });
        let (found, _) = client.called("hybrid_search", question.clone()).await;
        assert_eq!(found["expand_options"].as_array().unwrap().len(), 8);
        let (found, _) = client.called("search_knowledge_base", question.clone()).await;
        assert_eq!(found["search_metadata"]["query"], question["query"]);
        let of_document = json!({ "document_id": Uuid::now_v7(), "query": "nest" });
        let (found, text) = client.called("query_sources_rag", of_document).await;
        assert_eq!((&found["sources"], &found["search_metadata"]["threshold"]), (&json!([]), &json!(0.5)));
        assert!(!text.is_empty());
        let results = client.call("search", question).await;
        same_twice(&results);
        assert!(results["structuredContent"]["results"].is_array());
    }
}

/// Clients with connectors read one block of JSON text and nothing else.
fn same_twice(result: &Json) {
    assert_eq!(result["content"].as_array().unwrap().len(), 1, "{result}");
    let text: Json = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
}

/// What is searched is found, with its words and a link that opens the source at them.
async fn finds(server: Running) {
    let document = Uuid::now_v7();
    for number in 0.. {
        let Some(mut client) = each_client(&server, number).await else { break };
        let id = added(&mut client, document).await;
        let question = json!({ "query": "Where does the marsh harrier build its nest?" });

        // Another process finds what was added as soon as it has seen it.
        let mut result = Json::Null;
        for _ in 0..200 {
            result = client.call("hybrid_search", question.clone()).await;
            if result["structuredContent"]["primary_results"][0].is_object() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        let found = &result["structuredContent"]["primary_results"][0];
        assert_eq!(found["source_id"], id, "{result}");
        let evidence = &found["evidence"][0];
        let (quote, url) = (evidence["quote"].as_str().unwrap(), evidence["url"].as_str().unwrap());
        let (start, end) = (evidence["start_char"].as_u64().unwrap(), evidence["end_char"].as_u64().unwrap());
        let there: String = TEXT.chars().skip(start as usize).take((end - start) as usize).collect();
        assert_eq!(quote, there);
        assert!(quote.contains("reed beds"), "{quote}");
        let revision = evidence["revision_id"].as_str().unwrap();
        assert_eq!(url, format!("{}/sources/{id}?revision={revision}#c={start}-{end}", server.url));
        let text = result["content"][0]["text"].as_str().unwrap();
        for part in ["[1] Harriers (A. Sample)", quote.trim(), url, &format!("id: {id}#{start}-{end}")] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let link = &result["content"][1];
        assert_eq!(
            (&link["type"], &link["uri"], &link["name"]),
            (&json!("resource_link"), &json!(url), &json!("Harriers"))
        );
        let read = client.result("resources/read", json!({ "uri": url })).await;
        assert_eq!(read["contents"][0]["text"], quote, "a link can be read, too");

        let result = client.call("search_knowledge_base", question.clone()).await;
        let source = &result["structuredContent"]["sources"][0];
        assert_eq!((&source["source_id"], &source["title"]), (&json!(id), &json!("Harriers")));
        let excerpt = source["excerpts"][0]["url"].as_str().unwrap();
        assert!(excerpt.starts_with(&format!("{}/sources/{id}?", server.url)), "{excerpt}");
        assert_eq!(result["content"][1]["uri"], excerpt);

        let of_document = json!({ "document_id": document, "query": question["query"], "threshold": 0.0 });
        let (found, text) = client.called("query_sources_rag", of_document).await;
        assert_eq!(found["sources"][0]["source_id"], id, "{found}");
        assert!(text.contains("reed beds"));

        let results = client.call("search", question).await;
        same_twice(&results);
        let first = &results["structuredContent"]["results"][0];
        assert_eq!((&first["id"], &first["url"]), (&json!(format!("{id}#{start}-{end}")), &json!(url)));
        let (fetched, _) = client.called("fetch", json!({ "id": first["id"] })).await;
        assert!(fetched["text"].as_str().unwrap().contains(quote));
        assert_eq!((&fetched["url"], &fetched["metadata"]["quote"]), (&json!(url), &json!(quote)));
    }
}

async fn resources(server: Running) {
    // A source that has an address of its own is cited by it.
    let body =
        json!({ "title": "Elsewhere", "url": "https://example.org/page", "fetch": false, "summary": "In short." });
    let mut client = Client::over_http(&server, NEW).await;
    let (elsewhere, _) = client.called("add_source", body).await;
    let elsewhere = elsewhere["source"]["id"].as_str().unwrap().to_owned();
    let (fetched, _) = client.called("fetch", json!({ "id": elsewhere })).await;
    assert_eq!(fetched["url"], "https://example.org/page");
    assert!(fetched["text"].as_str().unwrap().starts_with("Elsewhere"), "what is known stands for the text");
    let (read, _) = client.called("get_source", json!({ "id": elsewhere })).await;
    assert_eq!(read["text"], Json::Null);
    assert!(read["note"].as_str().unwrap().contains("no content"), "{read}");

    let id = added(&mut client, Uuid::now_v7()).await;
    let uri = format!("ibid://sources/{id}");
    let nobody = format!("ibid://sources/{}", Uuid::now_v7());
    for number in 0.. {
        let Some(mut client) = each_client(&server, number).await else { break };
        let list = client.result("resources/list", json!({})).await;
        let listed: Vec<_> =
            list["resources"].as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect();
        assert_eq!(listed, [uri.as_str(), &format!("ibid://sources/{elsewhere}")], "newest first");
        assert_eq!(list["resources"][1]["description"], "In short.");
        let templates = client.result("resources/templates/list", json!({})).await;
        assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "ibid://sources/{id}");
        let read = client.result("resources/read", json!({ "uri": uri })).await;
        assert_eq!((&read["contents"][0]["uri"], &read["contents"][0]["text"]), (&json!(uri), &json!(TEXT)));
        assert_eq!((&read["ttlMs"], &read["cacheScope"]), (&json!(0), &json!("private")));
        let part = client.result("resources/read", json!({ "uri": format!("{uri}?start_char=4&end_char=17") })).await;
        assert_eq!(part["contents"][0]["text"], "marsh harrier");
        let about = client.result("resources/read", json!({ "uri": format!("ibid://sources/{elsewhere}") })).await;
        assert!(about["contents"][0]["text"].as_str().unwrap().contains("https://example.org/page"));
        let missing = client.request("resources/read", json!({ "uri": nobody })).await;
        assert_eq!(missing["error"]["code"], if client.version == NEW { -32602 } else { -32002 }, "{missing}");
        let broken = client.request("resources/read", json!({ "uri": format!("{uri}#here") })).await;
        assert_eq!(broken["error"]["code"], -32602, "{broken}");
    }

    // The list goes on where a page ends.
    for number in 0..51 {
        client.called("add_source", json!({ "title": format!("Reference {number}") })).await;
    }
    let (mut seen, mut cursor) = (std::collections::HashSet::new(), Json::Null);
    loop {
        let page = client.result("resources/list", json!({ "cursor": cursor })).await;
        let uris = page["resources"].as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap().to_owned());
        uris.for_each(|uri| assert!(seen.insert(uri)));
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(seen.len(), 53);
    let lost = client.request("resources/list", json!({ "cursor": "nowhere" })).await;
    assert_eq!((&lost["error"]["code"], &lost["error"]["data"]["code"]), (&json!(-32602), &json!("invalid_cursor")));
}

async fn bad_arguments(server: Running) {
    let nobody = Uuid::now_v7().to_string();
    for number in 0.. {
        let Some(mut client) = each_client(&server, number).await else { break };
        for (tool, arguments, expected) in [
            ("hybrid_search", json!({}), "the query is empty; give words or a question"),
            ("hybrid_search", json!({ "query": "x", "limit": 0 }), "invalid_field (limit): limit is 0; it is 1 to 200"),
            ("hybrid_search", json!({ "query": "x", "limit": "many" }), "(limit)"),
            ("hybrid_search", json!({ "query": "x", "quary": "y" }), "unknown field `quary`"),
            ("hybrid_search", json!({ "query": "x", "graph_depth": 2 }), "only 1 is supported"),
            ("hybrid_search", json!({ "query": "x", "graph_filters": ["Party"] }), "Commitment"),
            ("hybrid_search", json!({ "query": "x", "filters": { "type": "NOVEL" } }), "WEB_PAGE"),
            ("search_knowledge_base", json!({ "query": "x", "top_k": 51 }), "top_k is 51; it is 1 to 50"),
            ("query_sources_rag", json!({ "query": "x" }), "missing field `document_id`"),
            ("query_sources_rag", json!({ "query": "x", "document_id": "7" }), "(document_id)"),
            ("add_source", json!({}), "title"),
            ("add_source", json!({ "title": "T", "typ": "WEB_PAGE" }), "typ"),
            ("add_source", json!({ "url": "ftp://example.org" }), "url_invalid"),
            ("get_source", json!({}), "missing field `id`"),
            ("get_source", json!({ "id": nobody }), "source_not_found: there is no source"),
            ("get_source", json!({ "id": "Harriers" }), "Take an id from hybrid_search"),
            ("get_source", json!({ "id": nobody, "start_char": -1 }), "(start_char)"),
            ("job_status", json!({ "id": nobody }), "Call job_status without an id"),
            ("verify_citations", json!({ "text": "a" }), "verify takes"),
            ("verify_citations", json!({ "message_id": "nobody" }), "nobody"),
            ("ground_text", json!({}), "text"),
            ("job_status", json!({ "limit": 0 }), "(limit)"),
            ("job_status", json!({ "state": "tired" }), "tired"),
            ("entity_review_queue", json!({ "limit": 0 }), "(limit)"),
            ("entity_review_queue", json!({ "cursor": "x" }), "invalid_cursor"),
            ("graph_health", json!({ "depth": 1 }), "depth"),
            ("search", json!({ "query": " " }), "the query is empty"),
            ("search", json!({}), "missing field `query`"),
            ("fetch", json!({ "id": nobody }), "source_not_found"),
            ("fetch", json!({ "id": format!("{nobody}#x") }), "invalid_field (id)"),
        ] {
            let text = client.refused(tool, arguments.clone()).await;
            assert!(text.contains(expected), "{tool} {arguments}: {text}");
        }
        let result = client.request("tools/call", json!({ "name": "hybrid_search" })).await;
        assert_eq!(result["result"]["isError"], true, "no arguments at all are none: {result}");
        let text = client.refused("hybrid_search", json!("harriers")).await;
        assert!(text.contains("it takes an object"), "{text}");
        let unknown = client.request("tools/call", json!({ "name": "guess", "arguments": {} })).await;
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
        assert!(unknown["error"]["message"].as_str().unwrap().contains("hybrid_search"), "it says what there is");
        let unknown = client.request("prompts/get", json!({ "name": "guess" })).await;
        assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    }
    let text = "x".repeat(60_000);
    let mut client = Client::over_http(&server, OLD).await;
    let (added, _) = client.called("add_source", json!({ "title": "Long", "content": text })).await;
    let id = added["source"]["id"].as_str().unwrap();
    server.source(id, |source| source["status"] != "pending").await;
    let (fetched, _) = client.called("fetch", json!({ "id": id })).await;
    assert!(fetched["text"].as_str().unwrap().ends_with(&format!("Fetch {id}#50000-60000 to read on.]")));
    assert_eq!(fetched["metadata"]["next_id"], format!("{id}#50000-60000"));
    let (read, _) = client.called("get_source", json!({ "id": id, "end_char": 60_000 })).await;
    assert_eq!((&read["text"]["end_char"], &read["text"]["total_chars"]), (&json!(50_000), &json!(60_000)));
    let beyond = client.refused("get_source", json!({ "id": id, "start_char": 60_000 })).await;
    assert!(beyond.contains("the text ends at 60000"), "{beyond}");
}

/// The address is guarded as every other, and what is not MCP is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_address_is_guarded() {
    let server = Running::start_with(TestEngine::Sqlite, &["--json-limit-bytes", "100000"]).await.unwrap();
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        refused(posted(&server, OLD, &list).header("origin", origin), 403, "forbidden_origin").await;
    }
    for host in ["evil.example", "127.0.0.1.evil.example"] {
        refused(posted(&server, OLD, &list).header("host", host), 403, "forbidden_host").await;
    }
    let answered = posted(&server, OLD, &list).header("origin", &server.url).send().await.unwrap();
    assert_eq!(answered.status(), 200);
    assert_eq!(answered.headers()["x-content-type-options"], "nosniff");
    assert!(answered.headers().get("mcp-session-id").is_none(), "nothing is kept between two calls");
    for method in [Method::GET, Method::DELETE, Method::PUT] {
        refused(server.request(method, "/mcp").header("accept", "text/event-stream"), 405, "method_not_allowed").await;
    }

    let status = |request: reqwest::RequestBuilder| async { request.send().await.unwrap().status().as_u16() };
    assert_eq!(status(posted(&server, "1999-01-01", &list)).await, 400, "a version that nobody knows");
    assert_eq!(status(posted(&server, NEW, &list)).await, 400, "a new request without its metadata");
    let plain = server.request(Method::POST, "/mcp").header("accept", "application/json, text/event-stream");
    assert_eq!(status(plain.try_clone().unwrap().header("content-type", "text/plain").body("{}")).await, 415);
    assert_eq!(
        status(plain.header("content-type", "application/json").body("{")).await,
        415,
        "no JSON, though it says so"
    );
    let long = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "x": "x".repeat(100_000) } });
    assert_eq!(status(posted(&server, OLD, &long)).await, 413);
    let metrics = server.get("/metrics").await.text().await.unwrap();
    assert!(metrics.contains("route=\"/mcp\",status=\"200\"} 1"), "{metrics}");
}

/// A chat client that runs `ibid mcp` and nothing else can search what it added; the process ends when it leaves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn alone_on_a_library() {
    let place = TestPlace::new(TestEngine::Sqlite).await.unwrap();
    let mut client = Client::over_stdio(&place, &[], NEW).await;
    let id = added(&mut client, Uuid::now_v7()).await;
    let link = client.call("get_source", json!({ "id": id })).await["content"][1].clone();
    assert_eq!(link["uri"], format!("http://127.0.0.1:7319/sources/{id}"), "where the app is by default");
    // What was asked for before the pipe was closed is still answered.
    let call = json!({ "name": "fetch", "arguments": { "id": id } });
    let (answers, status) = client.leave_after("tools/call", call).await;
    assert_eq!((answers.len(), &answers[0]["result"]["structuredContent"]["text"]), (1, &json!(TEXT)));
    assert!(status.success(), "{status}");
}
