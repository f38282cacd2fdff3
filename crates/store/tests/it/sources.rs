//! Sources: kept, found, listed, cut into chunks, embedded, removed.

use ibid_domain::{
    ChunkId, EmbeddingState, JsonObject, Limit, Mark, MarkKind, Name, Origin, Place, Reference, Revision, Sha256,
    Source, SourceId, SourceStatus, SourceType, Span,
};
use ibid_store::{Chunk, NewRevision, Scope, SourceFilter, SourceKey, Tx};
use ibid_testkit::{TestLibrary, on_both};
use uuid::Uuid;

use crate::keep_artifact;

on_both!(story, lists, revisions, vectors, spaces, removal, tenants);

pub(crate) fn source(library: &TestLibrary, title: &str) -> Source {
    let now = library.clock.now();
    Source {
        id: SourceId::new(),
        kind: SourceType::KnowledgeBase,
        origin: Origin::BlobStorage,
        reference: Reference { title: Some(title.to_owned()), ..Reference::default() },
        edited: vec![],
        url: None,
        canonical_url: None,
        site_name: None,
        favicon: None,
        metadata: JsonObject::new(),
        tags: vec![],
        document_id: None,
        project_id: None,
        run_id: None,
        message_id: None,
        external_id: None,
        is_available: true,
        status: SourceStatus::Pending,
        extraction_error: None,
        embedding: EmbeddingState::Pending,
        embedding_error: None,
        revision: None,
        created_by: library.scope.user(),
        created_at: now,
        updated_at: now,
        accessed_at: now,
    }
}

/// A source with one revision that was read, and cut into these chunks.
pub(crate) async fn indexed(
    tx: &mut Tx,
    scope: &Scope,
    mut source: Source,
    content: &str,
    chunks: &[&str],
) -> (Source, Revision) {
    tx.sources(scope).add(&source, None, None).await.unwrap();
    let revision = revise(tx, scope, &source, content, chunks).await;
    source.revision = Some(revision.id);
    source.status = SourceStatus::Indexed;
    tx.sources(scope).save(&mut source, Some("file.txt")).await.unwrap();
    (source, revision)
}

pub(crate) async fn revise(tx: &mut Tx, scope: &Scope, source: &Source, content: &str, chunks: &[&str]) -> Revision {
    let artifact = keep_artifact(tx, scope, content).await;
    let text = keep_artifact(tx, scope, &format!("{content} as text")).await;
    let new = NewRevision {
        source: source.id,
        content: artifact.sha256,
        media_type: "text/plain".to_owned(),
        filename: Some("file.txt".to_owned()),
        size_bytes: artifact.size_bytes,
        validators: JsonObject::new(),
    };
    let mut revision = tx.revisions(scope).add(new).await.unwrap();
    revision.text = Some(text.sha256);
    revision.extracted_at = Some(tx.now());
    revision.chunk_count = chunks.len() as u64;
    let mark =
        |kind, label: &str, number| Mark { kind, label: label.to_owned(), number, level: 0, span: Span::new(0, 10) };
    let marks = [mark(MarkKind::Page, "iv", Some(4)), mark(MarkKind::Section, "Käse 🧀", None)];
    tx.revisions(scope).save_extraction(&revision, &marks).await.unwrap();
    let chunks: Vec<_> = chunks.iter().enumerate().map(|(ordinal, words)| chunk(&revision, ordinal, words)).collect();
    tx.revisions(scope).add_chunks(&chunks).await.unwrap();
    revision
}

fn chunk(revision: &Revision, ordinal: usize, words: &str) -> Chunk {
    Chunk {
        id: ChunkId::new(),
        source: revision.source,
        revision: revision.id,
        ordinal: ordinal as u64,
        span: Span::new(ordinal, ordinal + words.chars().count()),
        tokens: 3,
        place: Place { page: Some(4), section: vec!["Käse 🧀".to_owned()], ..Place::default() },
        content: words.to_owned(),
        embedded: false,
    }
}

async fn found(library: &TestLibrary, filter: SourceFilter) -> Vec<String> {
    let mut tx = library.store.read().await.unwrap();
    let page = tx.sources(&library.scope).list(&filter, Limit::default(), None).await.unwrap();
    page.items.iter().map(|source| source.display_title().to_owned()).collect()
}

async fn story(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let mut first = source(&library, "A title");
    first.reference.authors =
        vec![Name::Whole("WHO".to_owned()), Name::Parts { family: "Lovelace".to_owned(), given: Some("Ada".into()) }];
    first.reference.publication_date = Some("2024-05".parse().unwrap());
    first.url = Some("https://example.org/a".to_owned());
    first.metadata.insert("deep".to_owned(), serde_json::json!([1, { "x": null }]));
    first.tags = vec!["energy".to_owned()];
    first.message_id = Some("msg_01".to_owned());
    tx.sources(scope).add(&first, Some("https://example.org/a"), None).await.unwrap();
    assert_eq!(tx.sources(scope).get(first.id).await.unwrap().as_ref(), Some(&first));

    let found = tx.sources(scope).find_by_key(&SourceKey::Url("https://example.org/a"), None).await.unwrap();
    assert_eq!(found.map(|source| source.id), Some(first.id));
    let other =
        tx.sources(scope).find_by_key(&SourceKey::Url("https://example.org/a"), Some(Uuid::nil())).await.unwrap();
    assert_eq!(other, None, "collected for another document, it is another source");

    first.status = SourceStatus::Failed;
    first.extraction_error =
        Some(ibid_domain::source::ExtractionFault { code: "encrypted".into(), detail: "It is.".into() });
    first.embedding = EmbeddingState::Absent;
    library.clock.advance(std::time::Duration::from_secs(1));
    tx.sources(scope).save(&mut first, None).await.unwrap();
    assert_eq!(first.updated_at, library.clock.now());
    assert_eq!(tx.sources(scope).get_for_update(first.id).await.unwrap(), Some(first.clone()));
    tx.commit().await.unwrap();
    let counts = library.store.read().await.unwrap().sources(scope).count_by_status().await.unwrap();
    assert_eq!(counts, [(SourceStatus::Failed, EmbeddingState::Absent, 1)]);
}

async fn lists(library: TestLibrary) {
    let scope = &library.scope;
    let document = Uuid::now_v7();
    let mut tx = library.store.write().await.unwrap();
    let mut web = source(&library, "Wind power in Jütland");
    (web.kind, web.origin, web.document_id) = (SourceType::WebPage, Origin::Web, Some(document));
    web.tags = vec!["energy".to_owned(), "100%".to_owned()];
    tx.sources(scope).add(&web, None, None).await.unwrap();
    let text = ["The quick brown fox jumps", "over the lazy dog — Größe naïve"];
    indexed(&mut tx, scope, source(&library, "Foxes"), "fox", &text).await;
    tx.commit().await.unwrap();

    let all = found(&library, SourceFilter::default()).await;
    assert_eq!(all, ["Foxes", "Wind power in Jütland"], "newest first");
    let by = |filter| found(&library, filter);
    assert_eq!(by(SourceFilter { kind: Some(SourceType::WebPage), ..Default::default() }).await.len(), 1);
    assert_eq!(by(SourceFilter { origin: Some(Origin::Email), ..Default::default() }).await.len(), 0);
    assert_eq!(by(SourceFilter { document_id: Some(document), ..Default::default() }).await.len(), 1);
    assert_eq!(by(SourceFilter { status: Some(SourceStatus::Indexed), ..Default::default() }).await, ["Foxes"]);
    assert_eq!(by(SourceFilter { tag: Some("100%".to_owned()), ..Default::default() }).await.len(), 1);
    assert_eq!(by(SourceFilter { tag: Some("100".to_owned()), ..Default::default() }).await.len(), 0);
    for (words, expected) in [
        (vec!["fox", "quick"], 1),
        (vec!["fox", "lazy"], 0), // not in one passage
        (vec!["größe"], 1),
        (vec!["wind", "jütland"], 1),
        (vec!["wind", "fox"], 0),
        (vec!["file.txt"], 1),
        (vec!["100%"], 1),
        (vec!["___"], 0),
        (vec!["energy"], 1),
        (vec!["near", "fox"], 0),
    ] {
        let words = words.into_iter().map(str::to_owned).collect();
        let filter = SourceFilter { words, ..Default::default() };
        assert_eq!(by(filter.clone()).await.len(), expected, "{:?}", filter.words);
    }
    let mut tx = library.store.read().await.unwrap();
    let one = Limit::new(1).unwrap();
    let first = tx.sources(scope).list(&SourceFilter::default(), one, None).await.unwrap();
    let second = tx.sources(scope).list(&SourceFilter::default(), one, first.next.as_ref()).await.unwrap();
    assert_eq!((first.items[0].display_title(), second.items[0].display_title()), ("Foxes", "Wind power in Jütland"));
    assert_eq!(second.next, None);
}

async fn revisions(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let (mut source, first) = indexed(&mut tx, scope, source(&library, "S"), "one", &["alpha words"]).await;
    assert_eq!(first.number, 1);
    let key = SourceKey::Content(first.content);
    assert!(tx.sources(scope).find_by_key(&key, None).await.unwrap().is_some());
    let marks = tx.revisions(scope).list_marks(first.id).await.unwrap();
    assert_eq!((marks.len(), marks[0].number, marks[1].label.as_str()), (2, Some(4), "Käse 🧀"));

    let second = revise(&mut tx, scope, &source, "two", &["beta words", "gamma words"]).await;
    assert_eq!(second.number, 2);
    assert!(tx.sources(scope).find_by_key(&key, None).await.unwrap().is_none(), "its newest bytes are others now");
    tx.commit().await.unwrap();
    let words = |word: &str| SourceFilter { words: vec![word.to_owned()], ..Default::default() };
    assert_eq!(found(&library, words("alpha")).await.len(), 1, "it stands at its first revision");
    assert_eq!(found(&library, words("beta")).await.len(), 0);

    let mut tx = library.store.write().await.unwrap();
    source.revision = Some(second.id);
    tx.sources(scope).save(&mut source, None).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(found(&library, words("alpha")).await.len(), 0, "what it no longer says is not found");
    assert_eq!(found(&library, words("beta")).await.len(), 1);

    let mut tx = library.store.read().await.unwrap();
    let listed = tx.revisions(scope).list(source.id, Limit::default(), None).await.unwrap().items;
    assert_eq!(listed.iter().map(|revision| revision.number).collect::<Vec<_>>(), [2, 1]);
    let one = Limit::new(1).unwrap();
    let page = tx.revisions(scope).list_chunks(second.id, one, None).await.unwrap();
    let rest = tx.revisions(scope).list_chunks(second.id, one, page.next.as_ref()).await.unwrap();
    assert_eq!((page.items[0].content.as_str(), rest.items[0].content.as_str()), ("beta words", "gamma words"));
    assert_eq!(page.items[0].place.section, ["Käse 🧀"]);
    let kept: Vec<_> = tx.revisions(scope).get_many(&[first.id, second.id]).await.unwrap().into_keys().collect();
    assert_eq!(kept.len(), 2);
    assert_eq!(tx.artifacts(scope).wrong_reference_counts().await.unwrap(), []);
    assert_eq!(tx.revisions(scope).find_faults().await.unwrap(), []);
}

async fn vectors(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let texts: Vec<String> = (0..450).map(|number| format!("passage {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (_, revision) = indexed(&mut tx, scope, source(&library, "S"), "one", &texts).await;
    let space = tx.embedding_space("local", "model", 3).await.unwrap();
    assert!(space.in_use, "the first space comes into use at once");
    let missing = tx.vectors(scope).chunks_without_vector(space.id, revision.id, 1000).await.unwrap();
    assert_eq!(missing.len(), 450);
    assert_eq!(missing[7].1, "passage 7");
    let mut vectors: Vec<_> = missing.iter().map(|(id, _)| (*id, vec![0.5, -1.25, 3.0])).collect();
    vectors.push((ChunkId::new(), vec![0.0, 0.0, 1.0]));
    assert_eq!(
        tx.vectors(scope).insert_vectors(space.id, &vectors).await.unwrap(),
        450,
        "a chunk that is gone is left out"
    );
    assert_eq!(tx.vectors(scope).insert_vectors(space.id, &vectors).await.unwrap(), 0, "nothing is kept twice");
    assert_eq!(tx.vectors(scope).chunks_without_vector(space.id, revision.id, 10).await.unwrap(), []);
    assert_eq!(tx.vectors(scope).count_vectors(space.id, revision.id).await.unwrap(), 450);
    let page = tx.revisions(scope).list_chunks(revision.id, Limit::default(), None).await.unwrap();
    assert!(page.items.iter().all(|chunk| chunk.embedded));
}

async fn spaces(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let (_, revision) = indexed(&mut tx, scope, source(&library, "S"), "one", &["a", "b"]).await;
    let old = tx.embedding_space("local", "old", 2).await.unwrap();
    let new = tx.embedding_space("local", "new", 4).await.unwrap();
    assert_eq!(tx.embedding_space("local", "new", 4).await.unwrap(), new);
    assert!(old.in_use && !new.in_use);
    for (space, dimension) in [(&old, 2), (&new, 4)] {
        let missing = tx.vectors(scope).chunks_without_vector(space.id, revision.id, 10).await.unwrap();
        let vectors: Vec<_> = missing.into_iter().map(|(id, _)| (id, vec![0.1; dimension])).collect();
        assert_eq!(tx.vectors(scope).insert_vectors(space.id, &vectors).await.unwrap(), 2);
    }
    tx.use_embedding_space(new.id).await.unwrap();
    let left = tx.embedding_spaces().await.unwrap();
    assert_eq!((left.len(), left[0].model.as_str(), left[0].in_use), (1, "new", true));
    assert_eq!(tx.vectors(scope).count_vectors(new.id, revision.id).await.unwrap(), 2);
    assert_eq!(tx.awaiting_embedding().await.unwrap(), 1);
}

async fn removal(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let (gone, revision) = indexed(&mut tx, scope, source(&library, "Gone"), "same", &["unique words"]).await;
    let (stays, _) = indexed(&mut tx, scope, source(&library, "Stays"), "same", &["other words"]).await;
    let space = tx.embedding_space("local", "model", 1).await.unwrap();
    let missing = tx.vectors(scope).chunks_without_vector(space.id, revision.id, 9).await.unwrap();
    let vectors: Vec<_> = missing.into_iter().map(|(id, _)| (id, vec![1.0])).collect();
    tx.vectors(scope).insert_vectors(space.id, &vectors).await.unwrap();
    let shared = Sha256::of_bytes(b"same");
    assert_eq!(tx.artifacts(scope).get(shared).await.unwrap().unwrap().reference_count, 2);
    assert!(tx.sources(scope).remove(gone.id).await.unwrap());
    assert!(!tx.sources(scope).remove(gone.id).await.unwrap());
    assert_eq!(tx.artifacts(scope).get(shared).await.unwrap().unwrap().reference_count, 1);
    assert_eq!(tx.artifacts(scope).wrong_reference_counts().await.unwrap(), []);
    assert_eq!(tx.vectors(scope).count_vectors(space.id, revision.id).await.unwrap(), 0);
    tx.commit().await.unwrap();
    let words = |word: &str| SourceFilter { words: vec![word.to_owned()], ..Default::default() };
    assert_eq!(found(&library, words("unique")).await.len(), 0);
    assert_eq!(found(&library, words("other")).await, [stays.display_title()]);
}

async fn tenants(library: TestLibrary) {
    let mut tx = library.store.write().await.unwrap();
    let (mine, revision) = indexed(&mut tx, &library.scope, source(&library, "Mine"), "x", &["secret words"]).await;
    let space = tx.embedding_space("local", "model", 1).await.unwrap();
    let other = tx.create_tenant("other").await.unwrap();
    assert_eq!(tx.sources(&other).get(mine.id).await.unwrap(), None);
    assert_eq!(tx.sources(&other).find_by_key(&SourceKey::Content(revision.content), None).await.unwrap(), None);
    let filter = SourceFilter { words: vec!["secret".to_owned()], ..Default::default() };
    assert_eq!(tx.sources(&other).list(&filter, Limit::default(), None).await.unwrap().items, []);
    assert_eq!(tx.revisions(&other).get(revision.id).await.unwrap(), None);
    assert_eq!(tx.revisions(&other).list_marks(revision.id).await.unwrap(), []);
    assert_eq!(tx.revisions(&other).list_chunks(revision.id, Limit::default(), None).await.unwrap().items, []);
    assert_eq!(tx.revisions(&other).all_chunks(revision.id).await.unwrap(), []);
    assert_eq!(tx.revisions(&library.scope).all_chunks(revision.id).await.unwrap().len(), 1);
    assert_eq!(tx.vectors(&other).chunks_without_vector(space.id, revision.id, 9).await.unwrap(), []);
    assert!(!tx.sources(&other).remove(mine.id).await.unwrap());
    assert_eq!(
        tx.revisions(&library.scope).list_chunks(revision.id, Limit::default(), None).await.unwrap().items.len(),
        1
    );
}
