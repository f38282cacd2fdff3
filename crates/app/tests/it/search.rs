//! Search: the same answers on both engines, whatever changes meanwhile.

use std::{collections::HashMap, sync::Arc};

use futures::{FutureExt, future::BoxFuture};
use ibid_app::{
    App, FoundPassage, SearchLists, SearchRequest, SearchResponse, SourceChange, SourceContent, SourceDraft, Tools,
};
use ibid_domain::{AsOf, Code, Origin, Reference, SearchFilter, SourceId, SourceStatus, SourceType, Timestamp};
use ibid_models::{EmbedError, Embedder, Purpose};
use ibid_store::Scope;
use ibid_testkit::{TestLibrary, on_both};
use uuid::Uuid;

use crate::{
    sources::{Working, of_artifact, until},
    upload,
};

on_both!(by_words, by_meaning, evidence_stands_in_the_text, filters, revisions, passages, illegal, many);

/// An embedder that knows a few ideas: each is a direction, and words belong to ideas.
struct Ideas;

const IDEAS: [&[&str]; 4] = [
    &["heron", "bird", "stork", "feather"],
    &["invoice", "payment", "bill", "euro"],
    &["server", "computer", "database", "disk"],
    &["bread", "flour", "oven", "dough"],
];

impl Embedder for Ideas {
    fn provider(&self) -> &str {
        "test"
    }

    fn model(&self) -> &str {
        "ideas"
    }

    fn dimension(&self) -> usize {
        5
    }

    fn batch_size(&self) -> usize {
        16
    }

    fn max_tokens(&self) -> usize {
        512
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [&'a str],
        _purpose: Purpose,
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        let vector = |text: &&str| {
            let text = text.to_lowercase();
            let mut vector: Vec<f32> =
                IDEAS.iter().map(|words| words.iter().map(|word| text.matches(word).count() as f32).sum()).collect();
            vector.push(0.2);
            vector
        };
        std::future::ready(Ok(texts.iter().map(vector).collect())).boxed()
    }
}

fn app(library: &TestLibrary) -> App {
    let tools = Tools { embedder: Some(Arc::new(Ideas)), ..Tools::in_process().unwrap() };
    App::new(library.store.clone(), tools)
}

/// An app whose vectors come from outside.
fn external(library: &TestLibrary) -> App {
    App::new(library.store.clone(), Tools { external_vectors: true, ..Tools::in_process().unwrap() })
}

async fn bring(app: &App, scope: &Scope, title: &str, text: &str) -> SourceId {
    let draft = SourceDraft {
        content: SourceContent::Text(text.to_owned()),
        reference: Reference { title: Some(title.to_owned()), ..Reference::default() },
        ..SourceDraft::default()
    };
    bring_draft(app, scope, draft).await
}

async fn bring_draft(app: &App, scope: &Scope, draft: SourceDraft) -> SourceId {
    let id = app.sources(scope).create(draft).await.unwrap().0.source.id;
    until(app, scope, id, |described| described.source.status == SourceStatus::Ready).await;
    id
}

async fn search(app: &App, scope: &Scope, search: SearchRequest) -> SearchResponse {
    app.catch_up().await.unwrap();
    app.search(scope).run(&search).await.unwrap()
}

async fn titles(app: &App, scope: &Scope, asked: SearchRequest) -> Vec<String> {
    let found = search(app, scope, asked).await;
    found.results.iter().map(|one| one.source.display_title().to_owned()).collect()
}

fn words(query: &str) -> SearchRequest {
    SearchRequest { lists: SearchLists { words: true, vectors: false }, ..SearchRequest::new(query) }
}

async fn by_words(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let _working = Working::start(&app);
    bring(&app, scope, "Herons", "A heron stands in the reeds. It waits for fish, and it is patient.").await;
    bring(&app, scope, "Gardens", "The reeds at the pond were planted last year; fish came later.").await;
    bring(&app, scope, "Model GPT-4o", "COVID-19 papers were sorted by the classifier x_y in 2021.").await;
    bring(&app, scope, "Störche", "Die Störche fliegen über die Straße nach Süden und die Bäume stehen still im Wind.")
        .await;
    assert_eq!(titles(&app, scope, words("herons standing")).await, ["Herons"]);
    assert_eq!(titles(&app, scope, words("\"reeds at the pond\"")).await, ["Gardens"]);
    assert_eq!(titles(&app, scope, words("reeds -heron")).await, ["Gardens"]);
    assert_eq!(titles(&app, scope, words("reeds -\"planted last\"")).await, ["Herons"]);
    assert_eq!(titles(&app, scope, words("covid 19")).await, ["Model GPT-4o"]);
    assert_eq!(titles(&app, scope, words("gpt-4o")).await, ["Model GPT-4o"], "words of the title count");
    assert_eq!(titles(&app, scope, words("storch strasse")).await, ["Störche"]);
    let both = search(&app, scope, words("fish reeds heron")).await;
    assert_eq!(both.results[0].source.display_title(), "Herons", "three words are better than two");
    assert_eq!((both.results.len(), both.searched, both.vectors), (2, 4, None));
    let ranks: Vec<_> = both.results.iter().map(|one| one.words.unwrap().rank).collect();
    assert_eq!(ranks, [1, 2]);
    assert!(titles(&app, scope, words("penguin")).await.is_empty());
    // What is gone is not found, even before any index hears of it.
    let heron = both.results[0].source.id;
    app.sources(scope).delete(heron).await.unwrap();
    let left = app.search(scope).run(&words("fish reeds heron")).await.unwrap();
    assert!(left.results.iter().all(|one| one.source.id != heron));
    assert_eq!(titles(&app, scope, words("fish reeds heron")).await, ["Gardens"]);
}

async fn by_meaning(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let _working = Working::start(&app);
    bring(&app, scope, "Letter", "Please settle the bill of 40 euro by Friday.").await;
    bring(&app, scope, "Walk", "We saw a stork with a broken feather at the lake.").await;
    bring(&app, scope, "Notes", "The database lost its disk; the computer was replaced.").await;
    let found = search(&app, scope, SearchRequest::new("payment of an invoice")).await;
    assert_eq!(found.results[0].source.display_title(), "Letter", "not a word in common");
    assert!(found.results[0].similarity.unwrap() > 0.9 && found.results[0].vector.unwrap().rank == 1);
    assert!(found.results[0].words.is_none());
    // Both lists together: the words decide where the meaning is the same.
    bring(&app, scope, "Other walk", "A heron and a bird with one feather.").await;
    let found = search(&app, scope, SearchRequest::new("stork bird")).await;
    let first: Vec<_> = found.results[..2].iter().map(|one| one.source.display_title()).collect();
    assert!(first.contains(&"Walk") && first.contains(&"Other walk"));
    assert!(found.results.iter().all(|one| (0.0..=1.0).contains(&one.score)));
    // A vector of one's own.
    let own = SearchRequest { query_vector: Some(vec![0.0, 0.0, 1.0, 0.0, 0.0]), ..SearchRequest::new("") };
    assert_eq!(titles(&app, scope, own).await[0], "Notes");
    let near = SearchRequest { threshold: Some(0.9), ..SearchRequest::new("invoice") };
    assert_eq!(titles(&app, scope, near).await, ["Letter"]);
}

async fn evidence_stands_in_the_text(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let _working = Working::start(&app);
    let mut text = String::from("# Ünïcode 🐦 first\n\n");
    for number in 0..120 {
        text += &format!("Sentence {number} tells of nothing much in the 漢字 morning. ");
    }
    text += "\n\n## The heron's page\n\nThen, at last, the heron swallowed a golden fish. Nobody saw it.\n\n";
    for number in 0..120 {
        text += &format!("Later {number} there was only wind. ");
    }
    let artifact = upload(&app, scope, &text).await;
    let mut draft = of_artifact(artifact.sha256);
    draft.filename = Some("notes.md".to_owned());
    let id = bring_draft(&app, scope, draft).await;
    let asked = SearchRequest { expand_neighbors: true, ..SearchRequest::new("heron golden fish") };
    let found = search(&app, scope, asked).await;
    let whole = app.sources(scope).text(id, None).await.unwrap();
    let first = &found.results[0];
    assert!(first.evidence[0].quote.contains("the heron swallowed a golden fish"), "{:?}", first.evidence);
    assert_eq!(first.evidence[0].section.as_deref().map(|section| section.contains("The heron's page")), Some(true));
    for one in &found.results {
        assert_eq!(one.chunk.span.slice_of(&whole.text), Some(one.chunk.content.as_str()));
        for evidence in &one.evidence {
            assert_eq!(evidence.span.slice_of(&whole.text), Some(evidence.quote.as_str()));
            for matched in &evidence.matches {
                assert!(!matched.slice_of(&evidence.quote).unwrap().trim().is_empty());
            }
        }
        for neighbor in &one.neighbors {
            assert_eq!(neighbor.ordinal.abs_diff(one.chunk.ordinal), 1);
        }
    }
    assert!(!first.neighbors.is_empty(), "a long text has passages beside");
    // Passages that overlap tell the same; one of them is enough.
    let overlap = |a: &FoundPassage, b: &FoundPassage| {
        a.chunk.span.end.min(b.chunk.span.end).saturating_sub(a.chunk.span.start.max(b.chunk.span.start))
    };
    for (at, one) in found.results.iter().enumerate() {
        for other in &found.results[at + 1..] {
            assert!(overlap(one, other) * 2 < one.chunk.span.len().min(other.chunk.span.len()).max(1));
        }
    }
}

async fn filters(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let _working = Working::start(&app);
    let (document, project) = (Uuid::now_v7(), Uuid::now_v7());
    let mut ids = HashMap::new();
    for (name, kind, origin, tags, date) in [
        ("page", SourceType::WebPage, Origin::Web, vec!["a", "b"], Some("2020-05-01")),
        ("file", SourceType::KnowledgeBase, Origin::BlobStorage, vec!["a"], Some("2023")),
        ("memory", SourceType::GeneratedContent, Origin::Memory, vec![], None),
    ] {
        let draft = SourceDraft {
            content: SourceContent::Text(format!("The heron of the {name} waits in the morning for the small fish.")),
            kind: Some(kind),
            origin: Some(origin),
            tags: tags.into_iter().map(str::to_owned).collect(),
            document_id: (name == "page").then_some(document),
            project_id: (name == "file").then_some(project),
            reference: Reference {
                title: Some(name.to_owned()),
                publication_date: date.map(|date| date.parse().unwrap()),
                ..Reference::default()
            },
            ..SourceDraft::default()
        };
        ids.insert(name, bring_draft(&app, scope, draft).await);
    }
    let time = |text: &str| Timestamp::parse_rfc3339(text);
    let narrowed = |filter: SearchFilter| SearchRequest { filter, ..SearchRequest::new("heron") };
    let any = SearchFilter::default();
    let cases = [
        (any.clone(), vec!["file", "page"]),
        (SearchFilter { memories: true, ..any.clone() }, vec!["file", "memory", "page"]),
        (SearchFilter { origins: vec![Origin::Memory], ..any.clone() }, vec!["memory"]),
        (SearchFilter { kinds: vec![SourceType::WebPage], ..any.clone() }, vec!["page"]),
        (SearchFilter { origins: vec![Origin::Web, Origin::BlobStorage], ..any.clone() }, vec!["file", "page"]),
        (SearchFilter { document_id: Some(document), ..any.clone() }, vec!["page"]),
        (SearchFilter { project_id: Some(project), ..any.clone() }, vec!["file"]),
        (SearchFilter { project_id: Some(document), ..any.clone() }, vec![]),
        (SearchFilter { tags: vec!["a".into()], ..any.clone() }, vec!["file", "page"]),
        (SearchFilter { tags: vec!["a".into(), "b".into()], ..any.clone() }, vec!["page"]),
        (SearchFilter { tags: vec!["c".into()], ..any.clone() }, vec![]),
        (SearchFilter { languages: vec!["en".into()], ..any.clone() }, vec!["file", "page"]),
        (SearchFilter { languages: vec!["de".into()], ..any.clone() }, vec![]),
        (SearchFilter { from: time("2021-01-01T00:00:00Z"), ..any.clone() }, vec!["file"]),
        (SearchFilter { to: time("2021-01-01T00:00:00Z"), ..any.clone() }, vec!["page"]),
        (SearchFilter { sources: vec![ids["file"]], ..any.clone() }, vec!["file"]),
    ];
    for (filter, expected) in cases {
        for lists in [
            SearchLists::BOTH,
            SearchLists { words: true, vectors: false },
            SearchLists { words: false, vectors: true },
        ] {
            let mut found = titles(&app, scope, SearchRequest { lists, ..narrowed(filter.clone()) }).await;
            found.sort();
            assert_eq!(found, expected, "{filter:?} {lists:?}");
        }
    }
    // What a person files differently is found differently.
    let change = SourceChange { tags: Some(vec!["c".to_owned()]), ..SourceChange::default() };
    app.sources(scope).change(ids["file"], change).await.unwrap();
    let tagged = |tag: &str| SearchFilter { tags: vec![tag.to_owned()], ..SearchFilter::default() };
    assert_eq!(titles(&app, scope, narrowed(tagged("c"))).await, ["file"]);
    assert_eq!(titles(&app, scope, narrowed(tagged("a"))).await, ["page"]);
    let title = Reference { title: Some("A cormorant".to_owned()), ..Reference::default() };
    let change = SourceChange { reference: Some((vec!["title".to_owned()], title)), ..SourceChange::default() };
    app.sources(scope).change(ids["page"], change).await.unwrap();
    assert_eq!(titles(&app, scope, words("cormorants")).await, ["A cormorant"]);
}

async fn revisions(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let _working = Working::start(&app);
    let draft = |text: &str| SourceDraft {
        content: SourceContent::Text(text.to_owned()),
        external_id: Some("one".to_owned()),
        reference: Reference { title: Some("Minutes".to_owned()), ..Reference::default() },
        ..SourceDraft::default()
    };
    let id = bring_draft(&app, scope, draft("The committee chose the heron as its sign.")).await;
    let before = library.clock.now();
    let old = app.sources(scope).get(id).await.unwrap().revision.unwrap();
    library.clock.advance(std::time::Duration::from_secs(3600));
    app.sources(scope).create(draft("The committee chose the stork as its sign.")).await.unwrap();
    until(&app, scope, id, |now| now.revision.as_ref().is_some_and(|now| now.number == 2)).await;
    assert!(titles(&app, scope, words("heron")).await.is_empty(), "what it says now counts");
    assert_eq!(titles(&app, scope, words("stork")).await, ["Minutes"]);
    let then = |as_of| SearchRequest {
        filter: SearchFilter { as_of: Some(as_of), ..SearchFilter::default() },
        ..words("heron stork")
    };
    let found = search(&app, scope, then(AsOf::Time(before))).await;
    assert_eq!((found.results.len(), found.results[0].revision.id), (1, old.id));
    assert!(found.results[0].chunk.content.contains("heron"));
    let found = search(&app, scope, then(AsOf::Manifest(old.manifest.unwrap()))).await;
    assert_eq!((found.results.len(), found.results[0].revision.id), (1, old.id));
    let found = search(&app, scope, then(AsOf::Time(library.clock.now()))).await;
    assert!(found.results[0].chunk.content.contains("stork"));
    // The same after the index was made anew.
    app.rebuild_index().await.unwrap();
    assert!(titles(&app, scope, words("heron")).await.is_empty());
    let found = search(&app, scope, then(AsOf::Time(before))).await;
    assert_eq!((found.results.len(), found.results[0].revision.id), (1, old.id));
}

async fn import(app: &App, scope: &Scope, lines: &[String]) -> ibid_app::PassagesReport {
    let mut import = app.sources(scope).import_passages().await.unwrap();
    for line in lines {
        import.add_line(line.as_bytes()).await.unwrap();
    }
    import.finish().await.unwrap()
}

async fn passages(library: TestLibrary) {
    let (app, scope) = (external(&library), &library.scope);
    let line = |id: &str, text: &str, vector: &str| {
        format!(
            r#"{{"id":"{id}","source_title":"About {id}","text":"{text}","vector":{vector},"metadata":{{"tags":["t"],"page":3}}}}"#
        )
    };
    let lines = [
        line("p1", "The heron stands in the reeds.", "[1, 0, 0]"),
        line("p2", "Bread is made of flour.", "[0, 1, 0]"),
        line("p3", "The same words twice.", "[0, 0, 1]"),
        line("p4", "The same words twice.", "[0, 0.1, 1]"),
        line("bad", "Another dimension.", "[1, 2]"),
        r#"{"id":"x","text":"no title"}"#.to_owned(),
        String::new(),
    ];
    let report = import(&app, scope, &lines).await;
    assert_eq!((report.received, report.imported, report.failed), (6, 4, 2), "{report:?}");
    assert_eq!(report.failures.len(), 2);
    let own = |vector: &[f32]| SearchRequest { query_vector: Some(vector.to_vec()), ..SearchRequest::new("heron") };
    let found = app.search(scope).run(&own(&[0.9, 0.1, 0.0])).await.unwrap();
    assert_eq!(found.results[0].source.external_id.as_deref(), Some("p1"));
    assert_eq!(found.results[0].source.display_title(), "About p1");
    assert_eq!(found.results[0].source.metadata["page"], 3);
    assert_eq!(found.searched, 4);
    let other = app.search(scope).run(&own(&[1.0, 0.0])).await.unwrap_err();
    assert!(other.to_string().contains("3"), "{other}");
    // Each is a source like any other, its text an artifact that checks.
    let text = app.sources(scope).text(found.results[0].source.id, None).await.unwrap();
    assert_eq!(text.text, "The heron stands in the reeds.");
    let checked = app.maintenance(scope).check_integrity(&ibid_app::ProgressReport::silent()).await.unwrap();
    assert!(checked.findings.is_empty(), "{:?}", checked.findings);
    // The same again changes nothing; another text is a new revision.
    let again = import(&app, scope, &[lines[0].clone(), line("p2", "Bread is made of rye.", "[0, 1, 0]")]).await;
    assert_eq!((again.imported, again.updated, again.unchanged), (0, 1, 1));
    let found = app.search(scope).run(&words("rye flour")).await.unwrap();
    assert_eq!(found.results.len(), 1);
    assert_eq!(found.results[0].revision.number, 2);
    let checked = app.maintenance(scope).check_integrity(&ibid_app::ProgressReport::silent()).await.unwrap();
    assert!(checked.findings.is_empty(), "{:?}", checked.findings);
    // Gone is gone, and its text with it when nobody else has the same.
    let ids: Vec<SourceId> = {
        let found = app.search(scope).run(&words("\"same words\"")).await.unwrap();
        found.results.iter().map(|one| one.source.id).collect()
    };
    assert_eq!(ids.len(), 2);
    app.sources(scope).delete(ids[0]).await.unwrap();
    assert_eq!(app.sources(scope).text(ids[1], None).await.unwrap().text, "The same words twice.");
    let checked = app.maintenance(scope).check_integrity(&ibid_app::ProgressReport::silent()).await.unwrap();
    assert!(checked.findings.is_empty(), "{:?}", checked.findings);
}

async fn illegal(library: TestLibrary) {
    let (app, scope) = (external(&library), &library.scope);
    import(&app, scope, &[r#"{"id":"1","source_title":"T","text":"A heron.","vector":[1,0]}"#.to_owned()]).await;
    for (asked, field) in [
        (SearchRequest::new(""), "query"),
        (SearchRequest::new("   "), "query"),
        (SearchRequest::new("?!…—"), "query"),
        (SearchRequest::new("-heron"), "query"),
        (SearchRequest::new("x".repeat(20_000)), "query"),
        (SearchRequest { limit: 0, ..SearchRequest::new("a") }, "limit"),
        (SearchRequest { limit: 10_000, ..SearchRequest::new("a") }, "limit"),
        (SearchRequest { query_vector: Some(vec![]), ..SearchRequest::new("a") }, "query_vector"),
        (SearchRequest { query_vector: Some(vec![0.0, 0.0]), ..SearchRequest::new("a") }, "query_vector"),
        (SearchRequest { query_vector: Some(vec![f32::NAN, 0.0]), ..SearchRequest::new("a") }, "query_vector"),
        (SearchRequest { query_vector: Some(vec![1.0, 0.0, 0.0]), ..SearchRequest::new("a") }, "query_vector"),
        (SearchRequest { lists: SearchLists { words: false, vectors: false }, ..SearchRequest::new("a") }, "lists"),
        (SearchRequest { threshold: Some(7.0), ..SearchRequest::new("a") }, "threshold"),
    ] {
        let refused = app.search(scope).run(&asked).await;
        let Err(ibid_app::Error::Problem(problem)) = refused else { panic!("{field}: {refused:?}") };
        assert_eq!((problem.code, problem.field.as_deref()), (Code::InvalidField, Some(field)));
    }
    for odd in [
        "\"",
        "AND OR NOT",
        "a:b^2~3*",
        "(((",
        "\\",
        "'; DROP TABLE chunks; --",
        "🐦",
        "heron\0",
        "\u{202e}heron",
        "%_%",
        "a | b & !c <-> d",
        "\"\" heron",
        "+heron",
        "heron AND (reeds OR \"unclosed",
        "漢字",
    ] {
        match app.search(scope).run(&words(odd)).await {
            Ok(_) | Err(ibid_app::Error::Problem(_)) => {}
            Err(error) => panic!("{odd:?}: {error}"),
        }
    }
}

async fn many(library: TestLibrary) {
    let (app, scope) = (external(&library), &library.scope);
    let line = |number: usize| {
        let angle = number as f32 * 0.001;
        let tag = if number.is_multiple_of(100) { "rare" } else { "common" };
        format!(
            r#"{{"id":"{number}","source_title":"Source {number}","text":"Passage number {number} of the long list about herons.","vector":[{}, {}],"metadata":{{"tags":["{tag}"]}}}}"#,
            angle.cos(),
            angle.sin()
        )
    };
    let lines: Vec<String> = (0..3000).map(line).collect();
    let report = import(&app, scope, &lines).await;
    assert_eq!((report.imported, report.failed), (3000, 0));
    let at = |number: usize, tag: Option<&str>| {
        let angle = number as f32 * 0.001;
        let tags = tag.map(str::to_owned).into_iter().collect();
        SearchRequest {
            query_vector: Some(vec![angle.cos(), angle.sin()]),
            lists: SearchLists { words: false, vectors: true },
            filter: SearchFilter { tags, ..SearchFilter::default() },
            limit: 3,
            ..SearchRequest::new("")
        }
    };
    let ids = |found: SearchResponse| -> Vec<usize> {
        let mut ids: Vec<usize> =
            found.results.iter().map(|one| one.source.external_id.as_deref().unwrap().parse().unwrap()).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(ids(app.search(scope).run(&at(1500, None)).await.unwrap()), [1499, 1500, 1501]);
    assert_eq!(ids(app.search(scope).run(&at(1500, Some("rare"))).await.unwrap()), [1400, 1500, 1600]);
    let exact = app.search(scope).run(&words("2718")).await.unwrap();
    assert_eq!(exact.results[0].source.external_id.as_deref(), Some("2718"));
    assert_eq!(exact.searched, 3000);
}
