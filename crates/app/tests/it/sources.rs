//! Sources from their coming to their going.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use ibid_app::{
    App, GcOptions, ImportReport, ImportRequest, OriginAdapter, ProgressReport, SourceChange, SourceContent,
    SourceDraft, SourceWithRevision, Tools, UploadDetails, Worker, WorkerOptions,
};
use ibid_domain::{
    Code, EmbeddingState, Limit, Origin, Reference, Source, SourceId, SourceStatus, SourceType, Span,
    artifact::Filename, pointer::PointerName,
};
use ibid_fetch::{FetchError, FetchedPage, Validators};
use ibid_store::{Scope, SourceFilter};
use ibid_testkit::{TestLibrary, on_both};
use tokio_util::sync::CancellationToken;

use crate::{content, upload};

on_both!(
    files,
    manual,
    editing,
    new_revisions,
    deletion,
    dead_ends,
    tried_again,
    imports,
    unreachable_pages,
    other_origins,
    samples
);

/// A worker that is fast to react, until it is dropped.
pub(crate) struct Working(CancellationToken);

impl Working {
    pub(crate) fn start(app: &App) -> Self {
        let stop = CancellationToken::new();
        let options = WorkerOptions {
            poll: Duration::from_millis(20),
            sweep: Duration::from_millis(200),
            lease: Duration::from_secs(5),
            ..WorkerOptions::default()
        };
        tokio::spawn(Worker::new(app.clone(), options).run(stop.clone()));
        Self(stop)
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

pub(crate) fn app(library: &TestLibrary) -> App {
    App::new(library.store.clone(), Tools::in_process().unwrap())
}

pub(crate) fn of_artifact(sha256: ibid_domain::Sha256) -> SourceDraft {
    SourceDraft { content: SourceContent::Artifact(sha256), ..SourceDraft::default() }
}

pub(crate) async fn until(
    app: &App,
    scope: &Scope,
    id: SourceId,
    reached: impl Fn(&SourceWithRevision) -> bool,
) -> SourceWithRevision {
    let mut last = None;
    for _ in 0..1500 {
        let described = app.sources(scope).get(id).await.unwrap();
        if reached(&described) {
            return described;
        }
        last = Some(described);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not come so far: {last:?}");
}

fn is_read(described: &SourceWithRevision) -> bool {
    described.source.status != SourceStatus::Pending
}

async fn found(app: &App, scope: &Scope, words: &[&str]) -> Vec<SourceId> {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    let filter = SourceFilter { words, ..SourceFilter::default() };
    let page = app.sources(scope).list(&filter, Limit::default(), None).await.unwrap();
    page.items.into_iter().map(|described| described.source.id).collect()
}

async fn files(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let text = "Ärmel für Öl. The heron 🐦 stands in the reeds.\n\nA second paragraph follows here.";
    let artifact = upload(&app, scope, text).await;
    let (created, new) = app.sources(scope).create(of_artifact(artifact.sha256)).await.unwrap();
    assert!(new);
    assert_eq!((created.source.status, created.source.embedding), (SourceStatus::Pending, EmbeddingState::Pending));
    assert_eq!((created.source.kind, created.source.origin), (SourceType::KnowledgeBase, Origin::BlobStorage));
    assert_eq!(created.source.display_title(), "note.txt", "until its content tells better");
    let again = app.sources(scope).create(of_artifact(artifact.sha256)).await.unwrap();
    assert_eq!((again.0.source.id, again.1), (created.source.id, false), "the same bytes are the same source");

    let _working = Working::start(&app);
    let id = created.source.id;
    let read = until(&app, scope, id, is_read).await;
    assert_eq!(read.source.status, SourceStatus::Indexed);
    assert_eq!(found(&app, scope, &["heron", "reeds"]).await, [id]);
    assert_eq!(found(&app, scope, &["heron", "penguin"]).await, []);

    // Every chunk is exactly the words that its span points at, and the text is an artifact of its own.
    let told = app.sources(scope).text(id, None).await.unwrap();
    let revision = read.revision.unwrap();
    assert_eq!(content(&app, scope, revision.text.unwrap()).await.unwrap(), told.text.as_bytes());
    let chunks = app.sources(scope).chunks(id, None, Limit::default(), None).await.unwrap().items;
    assert_eq!(chunks.len() as u64, revision.chunk_count);
    assert!(!chunks.is_empty());
    for chunk in &chunks {
        assert_eq!(chunk.span.slice_of(&told.text), Some(chunk.content.as_str()));
        assert!(chunk.tokens <= 512);
    }
    assert_eq!(told.text.chars().count() as u64, revision.text_chars);
    assert_eq!(Span::new(0, 5).slice_of(&told.text), Some("Ärmel"));

    // A manifest names its parts, and a pointer the manifest.
    let pointer = PointerName::new("knowledge_base", format!("sources/{id}")).unwrap();
    let pointer = app.pointers(scope).get(&pointer).await.unwrap();
    assert_eq!(pointer.manifest, revision.manifest);
    assert_eq!(pointer.meta["total_chunks"], revision.chunk_count);
    let (_, tree) = app.manifests(scope).get(revision.manifest.unwrap()).await.unwrap();
    assert_eq!(tree.get(&format!("knowledge_base/{id}/raw")).unwrap().sha256, artifact.sha256);
    assert_eq!(Some(tree.get(&format!("knowledge_base/{id}/text")).unwrap().sha256), revision.text);
    assert!(tree.get("metadata.json").is_some());
    let report = app.maintenance(scope).check_integrity(&ProgressReport::silent()).await.unwrap();
    assert_eq!(report.findings, []);
}

async fn manual(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let problem = app.sources(scope).create(SourceDraft::default()).await.unwrap_err();
    assert!(problem.to_string().contains("title"), "{problem}");
    let reference = Reference {
        title: Some("Notes by the translator".to_owned()),
        authors: ibid_app::parse_names("Ada Lovelace"),
        publication_date: Some("1843".parse().unwrap()),
        ..Reference::default()
    };
    let draft = SourceDraft { reference, tags: vec!["sample".to_owned()], ..SourceDraft::default() };
    let (described, new) = app.sources(scope).create(draft).await.unwrap();
    let source = described.source;
    assert!(new);
    assert_eq!(
        (source.origin, source.status, source.embedding),
        (Origin::Manual, SourceStatus::Ready, EmbeddingState::Absent)
    );
    assert_eq!(found(&app, scope, &["lovelace", "translator"]).await, [source.id]);
    let refused = app.sources(scope).text(source.id, None).await.unwrap_err();
    assert!(matches!(refused, ibid_app::Error::Problem(problem) if problem.code == Code::SourceHasNoContent));
    assert_eq!(app.sources(scope).chunks(source.id, None, Limit::default(), None).await.unwrap().items, []);

    // With a text of its own it is read like any other.
    let _working = Working::start(&app);
    let reference = Reference { title: Some("A letter".to_owned()), ..Reference::default() };
    let text = SourceContent::Text("The engine weaves algebraical patterns.".to_owned());
    let draft = SourceDraft { content: text, reference, ..SourceDraft::default() };
    let id = app.sources(scope).create(draft).await.unwrap().0.source.id;
    let read = until(&app, scope, id, is_read).await;
    assert_eq!((read.source.origin, read.source.display_title()), (Origin::Manual, "A letter"));
    assert_eq!(found(&app, scope, &["algebraical"]).await, [id]);
}

async fn editing(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let artifact = upload(&app, scope, "Some words to be read.").await;
    let id = app.sources(scope).create(of_artifact(artifact.sha256)).await.unwrap().0.source.id;
    let reference = Reference { title: Some("  Mine ".to_owned()), ..Reference::default() };
    let change = SourceChange { reference: Some((vec!["title".to_owned()], reference)), ..SourceChange::default() };
    let changed = app.sources(scope).change(id, change).await.unwrap();
    assert_eq!(
        (changed.source.display_title(), changed.source.edited.as_slice()),
        ("Mine", ["title".to_owned()].as_slice())
    );
    let _working = Working::start(&app);
    let read = until(&app, scope, id, is_read).await;
    assert_eq!(read.source.display_title(), "Mine", "what a person said is not unsaid by the content");
    assert_eq!(found(&app, scope, &["mine"]).await, [id]);
    assert_eq!(found(&app, scope, &["note.txt"]).await, [id], "the file's name still leads to it");

    let metadata = serde_json::json!({ "chunk_index": "seven" }).as_object().cloned();
    let wrong = SourceChange { metadata, ..SourceChange::default() };
    assert!(app.sources(scope).change(id, wrong).await.unwrap_err().to_string().contains("chunk_index"));
    let missing = app.sources(scope).change(SourceId::new(), SourceChange::default()).await.unwrap_err();
    assert!(matches!(missing, ibid_app::Error::Problem(problem) if problem.code == Code::SourceNotFound));
}

async fn new_revisions(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let _working = Working::start(&app);
    let first = upload(&app, scope, "The first version speaks of herons.").await;
    let draft = |sha256| SourceDraft { external_id: Some("file:///sample.txt".to_owned()), ..of_artifact(sha256) };
    let id = app.sources(scope).create(draft(first.sha256)).await.unwrap().0.source.id;
    let one = until(&app, scope, id, is_read).await.revision.unwrap();
    let second = upload(&app, scope, "The second version speaks of storks.").await;
    let (known, new) = app.sources(scope).create(draft(second.sha256)).await.unwrap();
    assert_eq!((known.source.id, new), (id, false), "the same file, changed, is the same source");
    let two = until(&app, scope, id, |now| now.revision.as_ref().is_some_and(|revision| revision.number == 2)).await;
    assert_eq!(found(&app, scope, &["storks"]).await, [id]);
    assert_eq!(found(&app, scope, &["herons"]).await, []);
    // What was cited before still stands where it stood.
    let old = app.sources(scope).text(id, Some(one.id)).await.unwrap();
    assert_eq!(old.text, "The first version speaks of herons.");
    assert_eq!(app.sources(scope).revisions(id, Limit::default(), None).await.unwrap().items.len(), 2);
    // The pointer has moved on, and remembers.
    let name = PointerName::new("knowledge_base", format!("sources/{id}")).unwrap();
    let history = app.pointers(scope).history(&name, Limit::default(), None).await.unwrap().items;
    assert_eq!((history[0].from, history[0].to), (one.manifest, two.revision.unwrap().manifest));
    // The same bytes again change nothing.
    let job = app.sources(scope).refresh(id, Some(second.sha256)).await.unwrap();
    for _ in 0..500 {
        if app.jobs(scope).get(job).await.unwrap().result.is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(app.jobs(scope).get(job).await.unwrap().result.unwrap()["outcome"], "unchanged");
    assert_eq!(app.sources(scope).revisions(id, Limit::default(), None).await.unwrap().items.len(), 2);
    assert_eq!(app.maintenance(scope).check_integrity(&ProgressReport::silent()).await.unwrap().findings, []);
}

async fn deletion(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let artifact = upload(&app, scope, "To be deleted, with everything.").await;
    let id = app.sources(scope).create(of_artifact(artifact.sha256)).await.unwrap().0.source.id;
    {
        let _working = Working::start(&app);
        until(&app, scope, id, is_read).await;
    }
    let impact = app.sources(scope).impact(id).await.unwrap();
    assert_eq!((impact.revisions, impact.chunks), (1, 1));
    assert!(impact.artifacts.iter().any(|lost| lost.sha256 == artifact.sha256));
    // Plain text is its own text: the revision and the manifest each name it twice.
    assert_eq!(app.artifacts(scope).get(artifact.sha256).await.unwrap().reference_count, 4);
    app.sources(scope).delete(id).await.unwrap();
    assert_eq!(
        app.artifacts(scope).get(artifact.sha256).await.unwrap().reference_count,
        2,
        "the manifest, for a while"
    );
    assert_eq!(found(&app, scope, &["deleted"]).await, []);
    assert!(app.sources(scope).delete(id).await.is_err());
    assert_eq!(app.maintenance(scope).check_integrity(&ProgressReport::silent()).await.unwrap().findings, []);
    library.clock.advance(Duration::from_secs(100));
    let options = GcOptions { apply: true, grace: Duration::from_secs(10) };
    app.maintenance(scope).collect_garbage(options, &ProgressReport::silent()).await.unwrap();
    assert!(app.artifacts(scope).get(artifact.sha256).await.is_err(), "nothing names it any more");
    assert_eq!(app.maintenance(scope).check_integrity(&ProgressReport::silent()).await.unwrap().findings, []);
}

async fn dead_ends(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let _working = Working::start(&app);
    let blank = upload(&app, scope, " \n\t ").await;
    let id = app.sources(scope).create(of_artifact(blank.sha256)).await.unwrap().0.source.id;
    let read = until(&app, scope, id, is_read).await;
    assert_eq!((read.source.status, read.source.embedding), (SourceStatus::Failed, EmbeddingState::Absent));
    let fault = read.source.extraction_error.unwrap();
    assert_eq!(fault.code, "empty");
    let refused = app.sources(scope).text(id, None).await.unwrap_err();
    assert!(refused.to_string().contains(&fault.detail), "{refused}");
    assert_eq!(content(&app, scope, read.revision.unwrap().content).await.unwrap(), b" \n\t ", "its bytes are kept");
}

async fn imports(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let bib = "@article{one, title={A sample study}, author={Doe, Jane and Roe, Rick}, year={2020}, doi={10.1000/xyz}}\n\
               @book{two, title={A sample book}, year={1999}}\n@article{broken, title={never closed";
    let import = ImportRequest { text: Some(bib.to_owned()), ..ImportRequest::default() };
    let ImportReport::Done { sources, failed } = app.sources(scope).import(import.clone()).await.unwrap() else {
        panic!("a list is imported at once")
    };
    assert!(sources.len() >= 2 && failed.iter().all(|one| one.entry.contains("broken")), "{failed:?}");
    assert!(!failed.is_empty(), "what is wrong is said, and where");
    let one = &sources[0].0.source;
    assert_eq!(one.reference.doi.as_deref(), Some("10.1000/xyz"));
    assert_eq!(one.reference.authors.iter().map(ToString::to_string).collect::<Vec<_>>(), ["Jane Doe", "Rick Roe"]);
    let ImportReport::Done { sources, .. } = app.sources(scope).import(import).await.unwrap() else { panic!() };
    assert!(sources.iter().all(|(_, new)| !new), "a list imported again brings nothing twice");
    for (text, format, code) in [
        ("nothing of the kind", None, Code::ImportFormatUnknown),
        ("@article{", Some("docx"), Code::ImportFormatUnknown),
        ("@article{broken, title={", Some("bibtex"), Code::ImportUnreadable),
    ] {
        let import = ImportRequest {
            text: Some(text.to_owned()),
            format: format.map(str::to_owned),
            ..ImportRequest::default()
        };
        let error = app.sources(scope).import(import).await.unwrap_err();
        assert!(matches!(&error, ibid_app::Error::Problem(problem) if problem.code == code), "{text}: {error}");
    }

    // A zip is unpacked by a job, and each file becomes a source once.
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, text) in [("a.txt", "alpha sample"), ("folder/b.txt", "beta sample"), ("__MACOSX/x", "hidden")] {
        zip.start_file(name, options).unwrap();
        std::io::Write::write_all(&mut zip, text.as_bytes()).unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    let received = crate::receive(&app, &bytes).await;
    let artifact = app.artifacts(scope).store(received, Default::default()).await.unwrap().0;
    let import = ImportRequest { artifact: Some(artifact.sha256), ..ImportRequest::default() };
    let ImportReport::Queued(job) = app.sources(scope).import(import).await.unwrap() else {
        panic!("a zip takes a job")
    };
    let _working = Working::start(&app);
    for _ in 0..1500 {
        if app.jobs(scope).get(job.id).await.unwrap().result.is_some()
            && !found(&app, scope, &["beta"]).await.is_empty()
        {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let result = app.jobs(scope).get(job.id).await.unwrap().result.unwrap();
    assert_eq!((&result["added"], &result["failed"]), (&2.into(), &0.into()));
    assert_eq!(found(&app, scope, &["beta"]).await.len(), 1);
    assert_eq!(found(&app, scope, &["hidden"]).await.len(), 0);
}

async fn unreachable_pages(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let at =
        |url: &str| SourceDraft { content: SourceContent::AtUrl, url: Some(url.to_owned()), ..SourceDraft::default() };
    for (url, code) in [
        ("http://127.0.0.1/", Code::UrlNotAllowed),
        ("http://[::ffff:10.0.0.1]/", Code::UrlNotAllowed),
        ("http://169.254.169.254/latest", Code::UrlNotAllowed),
        ("file:///etc/passwd", Code::UrlInvalid),
        ("data:text/html,x", Code::UrlInvalid),
        ("https://user:word@example.org/", Code::UrlInvalid),
    ] {
        let error = app.sources(scope).create(at(url)).await.unwrap_err();
        assert!(matches!(&error, ibid_app::Error::Problem(problem) if problem.code == code), "{url}: {error}");
    }
    // A name that leads inside is found out when it is resolved: the source stays, and says why it has no content.
    let (created, _) = app.sources(scope).create(at("http://localhost:8099/page?utm_source=x#top")).await.unwrap();
    let _working = Working::start(&app);
    let id = created.source.id;
    let read = until(&app, scope, id, is_read).await;
    assert_eq!((read.source.status, read.source.is_available), (SourceStatus::Failed, false));
    assert_eq!(read.source.extraction_error.unwrap().code, "url_not_allowed");
    assert_eq!(read.source.reference.title, None);
    let (again, new) = app.sources(scope).create(at("http://LOCALHOST:8099/page")).await.unwrap();
    assert_eq!((again.source.id, new), (id, false), "the same page, however it is written");
}

async fn tried_again(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let _working = Working::start(&app);
    let blank = upload(&app, scope, " \n ").await;
    let draft = || SourceDraft { tags: vec!["first".to_owned()], ..of_artifact(blank.sha256) };
    let id = app.sources(scope).create(draft()).await.unwrap().0.source.id;
    until(&app, scope, id, is_read).await;
    // Asked for again, it is read again: what was missing on the machine may be there now.
    let again = SourceDraft { tags: vec!["second".to_owned()], ..draft() };
    let (known, new) = app.sources(scope).create(again).await.unwrap();
    assert_eq!((known.source.id, new, known.source.status), (id, false, SourceStatus::Pending));
    let read = until(&app, scope, id, is_read).await;
    assert_eq!(read.source.status, SourceStatus::Failed);
    assert_eq!(read.source.tags, ["first", "second"]);
    app.sources(scope).refresh(id, None).await.unwrap();
    until(&app, scope, id, is_read).await;
    assert_eq!(app.sources(scope).revisions(id, Limit::default(), None).await.unwrap().items.len(), 1);
    assert_eq!(app.maintenance(scope).check_integrity(&ProgressReport::silent()).await.unwrap().findings, []);
}

/// A shelf of texts, as another origin than the web.
struct Shelf;

impl OriginAdapter for Shelf {
    fn origin(&self) -> Origin {
        Origin::Sharepoint
    }

    fn can_fetch(&self, source: &Source) -> bool {
        source.external_id.is_some()
    }

    fn fetch<'a>(
        &'a self,
        source: &'a Source,
        _known: Option<&'a Validators>,
    ) -> BoxFuture<'a, Result<FetchedPage, FetchError>> {
        Box::pin(async move {
            let id = source.external_id.clone().unwrap_or_default();
            Ok(FetchedPage {
                requested_url: id.clone(),
                final_url: id.clone(),
                status: 200,
                media_type: Some("text/plain".to_owned()),
                filename: Some("shelf.txt".to_owned()),
                bytes: format!("What stands on the shelf under {id}.").into(),
                validators: Validators::default(),
                not_modified: false,
            })
        })
    }
}

async fn other_origins(library: TestLibrary) {
    let tools = Tools { origins: vec![Arc::new(Shelf)], ..Tools::in_process().unwrap() };
    let (app, scope) = (App::new(library.store.clone(), tools), &library.scope);
    let _working = Working::start(&app);
    let reference = Reference { title: Some("On the shelf".to_owned()), ..Reference::default() };
    let draft = SourceDraft {
        origin: Some(Origin::Sharepoint),
        external_id: Some("item-7".to_owned()),
        reference,
        ..SourceDraft::default()
    };
    let id = app.sources(scope).create(draft).await.unwrap().0.source.id;
    app.sources(scope).refresh(id, None).await.unwrap();
    let read = until(&app, scope, id, |now| now.revision.as_ref().is_some_and(|one| one.extracted_at.is_some())).await;
    assert_eq!((read.source.display_title(), read.source.origin), ("On the shelf", Origin::Sharepoint));
    assert_eq!(found(&app, scope, &["item-7", "shelf"]).await, [id]);
}

/// Every file of the readers' corpus, as it would be brought: each chunk is exactly the words its span points at.
async fn samples(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let _working = Working::start(&app);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../ingest/tests/files");
    let mut brought = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let received = crate::receive(&app, &std::fs::read(&path).unwrap()).await;
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let details = UploadDetails { filename: Some(Filename::new(&name).unwrap()), ..UploadDetails::default() };
        let artifact = app.artifacts(scope).store(received, details).await.unwrap().0;
        let (described, new) = app.sources(scope).create(of_artifact(artifact.sha256)).await.unwrap();
        assert!(new, "{name}");
        brought.push((name, described.source.id));
    }
    let (mut chunks, mut without_text) = (0, Vec::new());
    for (name, id) in brought {
        let read = until(&app, scope, id, is_read).await;
        let Ok(told) = app.sources(scope).text(id, None).await else {
            without_text.push(name);
            continue;
        };
        let page = app.sources(scope).chunks(id, None, Limit::new(500).unwrap(), None).await.unwrap();
        assert_eq!(page.items.len() as u64, read.revision.unwrap().chunk_count, "{name}");
        for chunk in page.items {
            assert_eq!(chunk.span.slice_of(&told.text), Some(chunk.content.as_str()), "{name}");
            assert!(chunk.tokens <= 512, "{name}");
            chunks += 1;
        }
    }
    without_text.sort();
    let expected =
        ["empty.txt", "encrypted.docx", "encrypted.pdf", "scan.pdf", "scan.png", "truncated.docx", "truncated.pdf"];
    assert_eq!(without_text, expected);
    assert!(chunks >= 28, "{chunks}: at least one of each that can be read");
    assert_eq!(app.maintenance(scope).check_integrity(&ProgressReport::silent()).await.unwrap().findings, []);
}
