//! How often one upload waits for the disk on SQLite, and what becomes of the index, for which it does not wait.

use std::{path::Path, sync::Arc, time::Duration};

use ibid_app::{App, Tools, UploadDetails};
use ibid_domain::{SourceStatus, artifact::Filename, job::JobState};
use ibid_store::{Clock, Store};
use ibid_testkit::{TestEngine, TestLibrary, TestPlace};
use tokio_util::sync::CancellationToken;

use crate::{
    embedding::Scripted,
    receive,
    sources::{Working, app, of_artifact, until},
    upload,
};

/// The most times that one PDF may wait for the disk until it is ready: bytes and folders of its blob, and commits.
const MOST: u64 = 9;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_pdf_waits_for_the_disk_only_for_what_must_not_be_lost() {
    ibid_testkit::run_story(upload_pdf, TestEngine::Sqlite).await;
}

async fn upload_pdf(library: TestLibrary) {
    let embedder = Arc::new(Scripted::like_local_model());
    let tools = Tools { embedder: Some(embedder), ..Tools::in_process().unwrap() };
    let app = App::new(library.store.clone(), tools);
    let stop = CancellationToken::new();
    let keeper = app.clone();
    let indexing = tokio::spawn({
        let stop = stop.clone();
        async move { keeper.keep_index(stop).await }
    });
    let _working = Working::start(&app);
    // The first sweep notes the embedding model.
    tokio::time::sleep(Duration::from_millis(600)).await;

    let before = library.store.disk_syncs();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../ingest/tests/files/typst.pdf");
    let received = receive(&app, &std::fs::read(file).unwrap()).await;
    let details = UploadDetails { filename: Some(Filename::new("typst.pdf").unwrap()), ..UploadDetails::default() };
    let artifact = app.artifacts(&library.scope).store(received, details).await.unwrap().0;
    let source = app.sources(&library.scope).create(of_artifact(artifact.sha256)).await.unwrap().0.source;
    until(&app, &library.scope, source.id, |described| described.source.status == SourceStatus::Ready).await;
    // Also what follows: events, entities and the graph.
    for _ in 0..500 {
        let jobs = app.jobs(&library.scope).count().await.unwrap();
        if jobs.iter().all(|(state, count)| *state == JobState::Succeeded || *count == 0) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    app.catch_up().await.unwrap();
    assert!(app.index_state().await.unwrap().unwrap().vectors > 0, "it is found");
    let syncs = library.store.disk_syncs() - before;
    assert!(syncs <= MOST, "{syncs} times");
    // The index can be made again, so nobody waits for it; it is synced from time to time and at the end.
    let restore_point = library.store.index_folder().unwrap().join("words/meta.synced");
    assert!(!restore_point.exists());
    stop.cancel();
    indexing.await.unwrap();
    assert!(restore_point.exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_torn_index_goes_back_and_follows_the_log() {
    ibid_testkit::run_story(tear_index, TestEngine::Sqlite).await;
}

async fn tear_index(library: TestLibrary) {
    let (app, scope) = (app(&library), &library.scope);
    let _working = Working::start(&app);
    let add = async |text: &str| {
        let artifact = upload(&app, scope, text).await;
        let id = app.sources(scope).create(of_artifact(artifact.sha256)).await.unwrap().0.source.id;
        until(&app, scope, id, |described| described.source.status == SourceStatus::Indexed).await;
        app.catch_up().await.unwrap();
    };
    add("The heron stands in the reeds.").await;
    // Stopped at once: it is brought up to date and synced.
    let stop = CancellationToken::new();
    stop.cancel();
    app.keep_index(stop).await;
    add("The stork stands on the chimney.").await;

    let copy = TestPlace::new(TestEngine::Sqlite).await.unwrap();
    copy_folder(library.place.folder(), copy.folder());
    std::fs::write(copy.folder().join("index/words/meta.json"), b"").unwrap();
    let store = Store::open(copy.store_options(Clock::System)).await.unwrap();
    let torn = App::new(store, Tools::in_process().unwrap());
    let state = torn.index_state().await.unwrap().unwrap();
    assert_eq!((state.passages, state.kept_here), (1, true), "what was synced is there");
    assert!(state.behind > 0, "the log still has the rest");
    torn.catch_up().await.unwrap();
    let state = torn.index_state().await.unwrap().unwrap();
    assert_eq!((state.passages, state.behind), (2, 0));
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
