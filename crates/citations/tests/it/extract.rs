//! The extractors: outputs in the shapes that real tools give, malformed ones, empty ones, and very many results.

use ibid_citations::{
    CitationSource, CitationSourceType, CompletedToolCall, ExtractorRegistry,
    extract::{ExtractedSources, ExtractorMapping, matches_glob},
};
use serde_json::{Value, json};

fn extract_with(registry: &ExtractorRegistry, tool_name: &str, parameters: Value, output: Value) -> ExtractedSources {
    registry.extract(&CompletedToolCall { tool_name, request_id: "req-1", parameters: &parameters, output: &output })
}

fn extract(tool_name: &str, parameters: Value, output: Value) -> ExtractedSources {
    extract_with(&ExtractorRegistry::default(), tool_name, parameters, output)
}

fn sources(tool_name: &str, output: Value) -> Vec<CitationSource> {
    let found = extract(tool_name, Value::Null, output);
    assert_eq!(found.warning, None);
    found.sources
}

/// Title, address and snippet of each.
fn told(sources: &[CitationSource]) -> Vec<(&str, &str, &str)> {
    let text = |text: &'_ Option<String>| -> &'static str { text.clone().unwrap_or_default().leak() };
    sources.iter().map(|source| (text(&source.title), text(&source.uri), text(&source.snippet))).collect()
}

#[test]
fn web_search_in_the_shapes_of_many_engines() {
    let outputs = [
        json!({"results": [{"title": "React 19", "link": "https://react.dev/blog", "snippet": "Now stable."}]}),
        json!({"web": {"results": [{"title": "React 19", "url": "https://react.dev/blog", "description": "Now <strong>stable</strong>.", "page_age": "2024-12-05", "meta_url": {"favicon": "https://react.dev/favicon.ico"}}]}}),
        json!({"organic": [{"title": "React 19", "link": "https://react.dev/blog", "snippet": "Now stable.", "date": "Dec 5, 2024", "position": 1}]}),
        json!({"organic_results": [{"title": "React 19", "link": "https://react.dev/blog", "snippet": "Now stable."}]}),
        json!({"webPages": {"value": [{"name": "React 19", "url": "https://react.dev/blog", "snippet": "Now stable."}]}}),
        json!({"items": [{"title": "React 19", "link": "https://react.dev/blog", "snippet": "Now stable.", "displayLink": "react.dev"}]}),
        json!({"query": "react", "results": [{"title": "React 19", "url": "https://react.dev/blog", "content": "Now stable.", "score": 0.98, "raw_content": null}]}),
        json!([{"title": "React 19", "href": "https://react.dev/blog", "body": "Now stable."}]),
        json!(r#"{"results": [{"title": "React 19", "link": "https://react.dev/blog", "snippet": "Now stable."}]}"#),
    ];
    for output in outputs {
        let found = sources("web_search", output.clone());
        assert_eq!(told(&found), [("React 19", "https://react.dev/blog", "Now stable.")], "{output}");
        assert_eq!(found[0].domain.as_deref(), Some("react.dev"));
        assert_eq!(found[0].kind, CitationSourceType::Web);
        assert_eq!(
            (found[0].id.as_str(), found[0].tool_request_id.as_str(), found[0].tool_name.as_str()),
            ("req-1-0", "req-1", "web_search")
        );
    }
    // What has no address of the web cannot be opened, and is left out.
    let mixed = json!({"results": [{"title": "a", "link": "javascript:alert(1)"}, {"title": "b", "link": "https://b.example/"}, {"title": "c"}, 7, null]});
    assert_eq!(told(&sources("web_search", mixed)), [("b", "https://b.example/", "")]);
}

#[test]
fn web_scrape_of_one_page_and_of_several() {
    let plain = json!({"url": "https://example.org/a", "title": "A page", "content": "# A page\n\nIts   words.", "author": "Sample Author", "published_date": "2024-01-02"});
    let found = sources("web_scrape", plain);
    assert_eq!(told(&found), [("A page", "https://example.org/a", "# A page Its words.")]);
    assert_eq!(found[0].full_content.as_deref(), Some("# A page\n\nIts   words."));
    assert_eq!(found[0].author.as_deref(), Some("Sample Author"));

    let firecrawl = json!({"success": true, "data": {"markdown": "Its words.", "metadata": {"title": "A page", "sourceURL": "https://example.org/a", "publishedTime": "2024-01-02"}}});
    let found = sources("web_scrape", firecrawl);
    assert_eq!(told(&found), [("A page", "https://example.org/a", "Its words.")]);
    assert_eq!(found[0].published_date.as_deref(), Some("2024-01-02"));

    let several = json!({"results": [{"url": "https://example.org/a", "content": "a"}, {"url": "https://example.org/b", "content": "b"}]});
    assert_eq!(sources("web_scrape", several).len(), 2);

    // A text alone: the call says where it is from.
    let found = extract("web_scrape", json!({"url": "https://example.org/a"}), json!("Just words."));
    assert_eq!(told(&found.sources), [("", "https://example.org/a", "Just words.")]);
    assert!(sources("web_scrape", json!({"success": false, "error": "timed out"})).is_empty());
}

#[test]
fn query_rag_project_with_and_without_metadata() {
    let flat = json!({"results": [{"content": "Revenue rose.", "score": 0.91, "file_name": "report.pdf", "file_path": "docs/report.pdf", "page_number": 5, "line_start": 3, "line_end": 9}]});
    let found = sources("query_rag_project", flat);
    assert_eq!(told(&found), [("report.pdf", "docs/report.pdf", "Revenue rose.")]);
    assert_eq!(
        (found[0].kind, found[0].page_number, found[0].line_start, found[0].line_end),
        (CitationSourceType::File, Some(5), Some(3), Some(9))
    );
    assert_eq!(found[0].relevance_score, Some(0.91));

    let documents = json!([{"page_content": "Revenue rose.", "metadata": {"source": "docs/report.pdf", "page": 5}}]);
    let found = sources("query_rag_project", documents);
    assert_eq!(told(&found), [("report.pdf", "docs/report.pdf", "Revenue rose.")]);
    assert_eq!(found[0].page_number, Some(5));
}

#[test]
fn wikipedia_search_gives_addresses() {
    let found = sources(
        "wikipedia_search",
        json!({"results": [{"title": "Ada Lovelace", "url": "https://en.wikipedia.org/wiki/Ada_Lovelace", "extract": "A mathematician."}]}),
    );
    assert_eq!(told(&found), [("Ada Lovelace", "https://en.wikipedia.org/wiki/Ada_Lovelace", "A mathematician.")]);

    let raw = json!({"query": {"search": [{"title": "C++/CLI (language)?", "pageid": 7, "snippet": "A <span class=\"searchmatch\">language</span> &amp; more"}]}});
    let found = extract("wikipedia_search", json!({"language": "de"}), raw);
    assert_eq!(
        told(&found.sources),
        [("C++/CLI (language)?", "https://de.wikipedia.org/wiki/C++%2FCLI_(language)%3F", "A language & more")]
    );
    // Whatever the call says, the address is one of Wikipedia.
    let found = extract("wikipedia_search", json!({"language": "evil.example/x"}), json!([{"title": "A"}]));
    assert_eq!(found.sources[0].uri.as_deref(), Some("https://en.wikipedia.org/wiki/A"));
}

#[test]
fn http_client_cites_what_was_answered() {
    let asked = json!({"url": "https://api.example.org/v1/rates?base=EUR", "method": "get"});
    let found = extract(
        "http_client",
        asked.clone(),
        json!({"status": 200, "headers": {"content-type": "application/json; charset=utf-8"}, "body": {"usd": 1.08}}),
    );
    assert_eq!(
        told(&found.sources),
        [("GET api.example.org/v1/rates", "https://api.example.org/v1/rates?base=EUR", "{\"usd\":1.08}")]
    );
    assert_eq!(
        (found.sources[0].kind, found.sources[0].mime_type.as_deref()),
        (CitationSourceType::Api, Some("application/json"))
    );
    assert!(extract("http_client", asked, json!({"status": 503, "body": "busy"})).sources.is_empty());
    assert!(extract("http_client", Value::Null, json!({"status": 200, "body": "x"})).warning.is_some());
}

#[test]
fn search_knowledge_base_in_both_letter_cases() {
    let camel = json!({"sources": [{"fileId": "f-1", "fileName": "plan.docx", "sourceType": "sharepoint", "mimeType": "application/msword", "relevanceScore": 0.8, "isImage": false, "excerpts": [{"content": "We decided.", "score": 0.8, "chunkIndex": 2}]}], "searchMetadata": {"query": "x", "totalChunksSearched": 9, "threshold": 0.5}});
    let snake = json!({"sources": [{"file_id": "f-1", "file_name": "plan.docx", "source_type": "sharepoint", "mime_type": "application/msword", "relevance_score": 0.8, "is_image": false, "excerpts": [{"content": "We decided.", "score": 0.8, "chunk_index": 2}]}]});
    for output in [camel, snake] {
        let found = sources("search_knowledge_base", output);
        assert_eq!(told(&found), [("plan.docx", "", "We decided.")]);
        assert_eq!((found[0].source_id.as_deref(), found[0].kind), (Some("f-1"), CitationSourceType::File));
    }
}

#[test]
fn hybrid_search_keeps_the_place_of_the_quote() {
    let output = json!({"primary_results": [{"type": "chunk", "id": "c", "source_id": "s-1", "title": "Report", "content": "All of it.", "score": 0.7, "source": {"id": "s-1", "url": "https://example.org/r"}, "evidence": [{"quote": "of it", "start_char": 4, "end_char": 9, "page": 2, "revision_id": "r-1"}]}]});
    let found = sources("hybrid_search", output);
    assert_eq!(told(&found), [("Report", "https://example.org/r", "of it")]);
    let one = &found[0];
    assert_eq!(
        (one.source_id.as_deref(), one.revision_id.as_deref(), one.start_char, one.end_char, one.page_number),
        (Some("s-1"), Some("r-1"), Some(4), Some(9), Some(2))
    );
}

#[test]
fn results_of_mcp_tools() {
    let linked = json!({"content": [
        {"type": "text", "text": "Two files."},
        {"type": "resource_link", "uri": "file:///a.md", "name": "a.md", "title": "Notes", "description": "What was said", "mimeType": "text/markdown"},
        {"type": "resource", "resource": {"uri": "file:///b.md", "mimeType": "text/markdown", "text": "All of b."}},
    ]});
    let found = sources("mcp.files__search", linked.clone());
    assert_eq!(told(&found), [("Notes", "file:///a.md", "What was said"), ("", "file:///b.md", "All of b.")]);
    assert!(found.iter().all(|source| source.kind == CitationSourceType::Mcp));
    // A tool of any name, if its result looks like one.
    assert_eq!(sources("whatever", linked).len(), 2);

    let structured = json!({"content": [{"type": "text", "text": "{}"}], "structuredContent": {"results": [{"id": "1", "title": "One", "url": "https://example.org/1", "text": "First."}, {"id": "doc-2", "title": "Two", "text": "Second."}]}});
    let found = sources("mcp.kb__search", structured);
    assert_eq!(told(&found), [("One", "https://example.org/1", "First."), ("Two", "doc-2", "Second.")]);

    // Only as text: JSON in it is read, other words are the tool's.
    let text = json!({"content": [{"type": "text", "text": "{\"results\": [{\"title\": \"One\", \"url\": \"https://example.org/1\"}]}"}]});
    assert_eq!(told(&sources("mcp.kb__search", text)), [("One", "https://example.org/1", "")]);
    let words = json!({"content": [{"type": "text", "text": "It is 21 degrees."}]});
    assert_eq!(
        told(&sources("mcp.weather__now", words)),
        [("weather: now", "mcp://weather/now/req-1", "It is 21 degrees.")]
    );

    // A link and the structured content speak of the same thing.
    let both = json!({"content": [{"type": "resource_link", "uri": "https://example.org/1", "name": "one"}], "structuredContent": {"results": [{"title": "One", "url": "https://example.org/1", "text": "First."}]}});
    assert_eq!(told(&sources("mcp.kb__search", both)), [("one", "https://example.org/1", "First.")]);
    assert!(
        sources("mcp.kb__search", json!({"isError": true, "content": [{"type": "text", "text": "no"}]})).is_empty()
    );
}

/// Empty and malformed outputs give no source, and those that should have had some a warning; nothing panics.
#[test]
fn what_does_not_fit_gives_a_warning() {
    let tools = [
        "web_search",
        "web_scrape",
        "query_rag_project",
        "wikipedia_search",
        "http_client",
        "search_knowledge_base",
        "hybrid_search",
        "mcp.a__b",
    ];
    for tool in tools {
        for empty in [json!({"results": []}), json!([])] {
            let found = extract(tool, Value::Null, empty.clone());
            assert!(found.sources.is_empty(), "{tool} {empty}: {found:?}");
        }
        for odd in [
            Value::Null,
            json!(7),
            json!("words that are no JSON"),
            json!("{\"results\": ["),
            json!({"results": "none"}),
            json!({"results": [[[]], {}, "x", null, true]}),
            json!({"a": {"b": [1, 2, {"c": null}]}}),
        ] {
            let found = extract(tool, Value::Null, odd.clone());
            let is_mcp = tool.starts_with("mcp.");
            assert!(found.sources.is_empty() || is_mcp, "{tool} {odd}: {found:?}");
            if let Some(warning) = &found.warning {
                assert!(warning.starts_with(tool), "{warning}");
            }
        }
    }
    assert_eq!(
        extract("web_search", Value::Null, json!({"hits": 3})).warning.as_deref(),
        Some("web_search: the output has no list of results")
    );
    assert_eq!(extract("unknown_tool", Value::Null, json!({"results": []})), ExtractedSources::default());
}

#[test]
fn ten_thousand_results() {
    let results: Vec<_> = (0..10_000).map(|n| json!({"title": format!("Page {n}"), "url": format!("https://example.org/{n}"), "snippet": "words ".repeat(200), "file_name": format!("{n}.txt"), "file_id": n.to_string()})).collect();
    for (tool, output) in [
        ("web_search", json!({"results": results})),
        ("query_rag_project", json!({"results": results})),
        ("wikipedia_search", json!({"results": results})),
        ("search_knowledge_base", json!({"sources": results})),
        ("mcp.a__b", json!({"content": [], "structuredContent": {"results": results}})),
    ] {
        let found = sources(tool, output);
        assert_eq!(found.len(), 10_000, "{tool}");
        assert_eq!(found[9_999].id, "req-1-9999");
        assert!(found.iter().all(|source| source.snippet.as_ref().is_none_or(|words| words.chars().count() <= 500)));
    }
}

#[test]
fn extractors_from_a_configuration_come_first() {
    let mapping: ExtractorMapping = serde_json::from_value(json!({
        "pattern": "^(ticket_search|web_search)$", "type": "database", "items": "$.tickets[?@.open == true]",
        "fields": {"uri": "$.link", "title": "$.subject", "snippet": "$.body.text", "page_number": "$.page"},
    }))
    .unwrap();
    let mut registry = ExtractorRegistry::default();
    registry.register_first(&mapping.pattern, mapping.build_extractor().unwrap()).unwrap();
    let output = json!({"tickets": [{"open": true, "link": "https://t.example/1", "subject": "Broken", "body": {"text": "It is."}, "page": 3}, {"open": false, "link": "https://t.example/2", "subject": "Done"}]});
    for tool in ["ticket_search", "web_search"] {
        let found = extract_with(&registry, tool, Value::Null, output.clone()).sources;
        assert_eq!(told(&found), [("Broken", "https://t.example/1", "It is.")]);
        assert_eq!(
            (found[0].kind, found[0].page_number, found[0].domain.as_deref()),
            (CitationSourceType::Database, Some(3), Some("t.example"))
        );
    }
    let wrong = ExtractorMapping { items: "$.[".to_owned(), ..mapping.clone() };
    assert!(wrong.build_extractor().err().unwrap().to_string().starts_with("items = \"$.[\" is no JSONPath"));
    assert!(serde_json::from_value::<ExtractorMapping>(json!({"pattern": "x", "fields": {"colour": "$.a"}})).is_err());
}

#[test]
fn only_enabled_tools_are_looked_at() {
    let registry = ExtractorRegistry::default().enabled_for(["web_*", "mcp.?b__*"]);
    let output = json!({"results": [{"title": "a", "url": "https://a.example/", "file_name": "a"}]});
    for (tool, count) in
        [("web_search", 1), ("web_scrape", 1), ("query_rag_project", 0), ("mcp.kb__x", 1), ("mcp.kbx__x", 0)]
    {
        assert_eq!(extract_with(&registry, tool, Value::Null, output.clone()).sources.len(), count, "{tool}");
    }
    for (glob, name, is_fit) in [
        ("*", "", true),
        ("", "", true),
        ("", "a", false),
        ("a*b*c", "a__b__c", true),
        ("a*b*c", "a__b__", false),
        ("**a", "bca", true),
        ("?", "", false),
        ("*?a", "ba", true),
    ] {
        assert_eq!(matches_glob(glob, name), is_fit, "{glob} {name}");
    }
}
