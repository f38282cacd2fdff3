//! Numbering: one number per work, every reference right, nothing invented.

use ibid_citations::{CitationSource, CitationSourceType, Ledger, parse_markers, prompt};

fn page(id: &str, uri: &str) -> CitationSource {
    let json = serde_json::json!({"id": id, "type": "web", "uri": uri, "title": format!("Page {id}")});
    serde_json::from_value(json).unwrap()
}

fn file(id: &str, name: &str) -> CitationSource {
    CitationSource {
        id: id.into(),
        kind: CitationSourceType::File,
        title: Some(name.into()),
        ..CitationSource::default()
    }
}

#[test]
fn duplicates_share_a_number() {
    let ledger = Ledger::from_sources([
        page("a-0", "https://example.org/one"),
        page("a-1", "https://example.org/two"),
        page("b-0", "http://www.example.org/one/?utm_source=feed#top"),
        file("c-0", "report.pdf"),
        file("c-1", "report.pdf"),
        page("d-0", "https://example.org/three"),
    ]);
    let numbers: Vec<_> = ledger.entries().iter().map(|entry| (entry.number, entry.source.id.as_str())).collect();
    assert_eq!(numbers, [(1, "a-0"), (2, "a-1"), (3, "c-0"), (4, "d-0")]);
    assert_eq!(ledger.get(1).unwrap().others.len(), 1);
}

#[test]
fn every_form_resolves_and_what_names_nothing_is_reported() {
    let ledger = Ledger::from_sources([
        page("a-0", "https://example.org/one"),
        file("b-0", "Annual Report.pdf"),
        page("c-0", "https://x.example/"),
    ]);
    let text = "Number [1], list [2, 9, 1], range [1-3], label [annual report.PDF], prose [sic], tag \
                <gml-inlinecitation identifier=\"c-0\"/>, braces {citation:b-0}, invented {citation:nobody} [7] [9], \
                defined [x].\n\n[x]: https://example.org/one\n[y]: https://unknown.example/";
    let markers = parse_markers(text);
    let resolved = ledger.resolve_markers(text, &markers);
    let found: Vec<_> =
        resolved.references.iter().map(|it| (it.cited_text.as_str(), it.index, it.source_ids.join(" "))).collect();
    let wanted = [
        ("[1]", 1, "a-0"),
        ("[2, 9, 1]", 2, "b-0 a-0"),
        ("[1-3]", 1, "a-0 b-0 c-0"),
        ("[annual report.PDF]", 2, "b-0"),
        ("<gml-inlinecitation identifier=\"c-0\"/>", 3, "c-0"),
        ("{citation:b-0}", 2, "b-0"),
        ("[x]", 1, "a-0"),
    ];
    assert_eq!(found, wanted.map(|(text, index, ids)| (text, index, ids.to_owned())));
    assert_eq!(resolved.dangling, [7, 9]);
    assert_eq!(resolved.dangling_ids, ["nobody", "https://unknown.example/"]);
    for reference in &resolved.references {
        assert_eq!(reference.span.slice_of(text), Some(reference.cited_text.as_str()));
    }
}

#[test]
fn numbers_that_are_given_are_kept() {
    let numbered = |number, uri| CitationSource { number: Some(number), ..page("", uri) };
    let ledger = Ledger::from_sources([
        numbered(4, "https://a.example/"),
        numbered(2, "https://b.example/"),
        page("", "https://c.example/"),
    ]);
    assert_eq!(ledger.entries().iter().map(|entry| entry.number).collect::<Vec<_>>(), [4, 2, 5]);
}

/// Two agents that found the same things, counted alike, and whose answers go into one.
#[test]
fn the_sources_of_two_agents_become_one_list() {
    let mut ledger = Ledger::from_sources([page("req-1-0", "https://example.org/parent")]);
    let first = ledger.merge_subagent(
        "agent-a",
        [page("req-1-0", "https://example.org/shared"), page("req-1-1", "https://example.org/only-a")],
        "A says [1], and [2]. Both [1, 2]; by id {citation:req-1-0}. Nothing [5], and [2, 5].",
    );
    let second = ledger.merge_subagent(
        "agent-b",
        [
            page("req-1-0", "https://example.org/only-b"),
            page("req-1-1", "https://www.example.org/shared/"),
            page("req-1-2", "https://example.org/parent"),
        ],
        "B says [1][2], all [1-3], `code[1]`.",
    );
    assert_eq!(first.text, "A says [2], and [3]. Both [2, 3]; by id {citation:agent-a:req-1-0}. Nothing [?], and [3].");
    assert_eq!(first.dangling, [5]);
    assert_eq!(second.text, "B says [4][2], all [4, 2, 1], `code[1]`.");
    assert_eq!(second.numbers, [(1, 4), (2, 2), (3, 1)]);

    let text = format!("{} {}", first.text, second.text);
    let resolved = ledger.resolve_markers(&text, &parse_markers(&text));
    assert!(resolved.dangling.is_empty() && resolved.dangling_ids.is_empty(), "{resolved:?}");
    for reference in &resolved.references {
        for (number, id) in reference.numbers.iter().zip(&reference.source_ids) {
            assert_eq!(&ledger.get(*number).unwrap().source.id, id);
        }
    }
    let uris: Vec<_> = ledger.entries().iter().map(|entry| entry.source.uri.as_deref().unwrap()).collect();
    assert_eq!(
        uris,
        [
            "https://example.org/parent",
            "https://example.org/shared",
            "https://example.org/only-a",
            "https://example.org/only-b"
        ]
    );
    let agents: Vec<_> = ledger.entries().iter().map(|entry| entry.source.sub_agent_id.as_deref()).collect();
    assert_eq!(agents, [None, Some("agent-a"), Some("agent-a"), Some("agent-b")]);
    assert_eq!(ledger.get(2).unwrap().others[0].sub_agent_id.as_deref(), Some("agent-b"));
}

#[test]
fn the_list_for_a_model_keeps_its_budget() {
    let words = "Much was said [3] about \"it\",\nand more. ".repeat(40);
    let sources = (0..30).map(|n| CitationSource {
        snippet: Some(words.clone()),
        domain: Some("example.org".into()),
        ..page(&n.to_string(), &format!("https://example.org/{n}"))
    });
    let ledger = Ledger::from_sources(sources);
    for budget in [10, 60, 300, 1000, 5000, 20_000] {
        let list = prompt::format_sources(&ledger, budget);
        assert!(prompt::estimate_prompt_tokens(&list) <= budget, "{budget}: {}", prompt::estimate_prompt_tokens(&list));
        let lines: Vec<_> = list.lines().collect();
        assert!(
            lines
                .iter()
                .enumerate()
                .all(|(place, line)| line.starts_with(&format!("[{}] ", place + 1)) || line.starts_with('(')),
            "{list}"
        );
    }
    let list = prompt::format_sources(&ledger, 5000);
    assert_eq!(list.lines().count(), 30);
    assert!(list.starts_with("[1] example.org: Page 0 - \"Much was said about 'it', and more."), "{list}");
    assert!(parse_markers(&list).len() == 30, "nothing but the numbers of the list looks like one");
    let few = prompt::format_sources(&ledger, 60);
    assert!(few.lines().last().unwrap().ends_with("more sources are not listed)"), "{few}");
    assert_eq!(prompt::format_sources(&Ledger::default(), 100), "");
}
