//! Garbage collection beside uploads and commits, in interleavings that are made up: what a pointer reaches is never
//! lost, and what was acknowledged within the grace period is there.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::Duration,
};

use ibid_app::{App, GcOptions, ProgressReport, Tools};
use ibid_domain::{Code, Limit, Sha256, pointer::PointerName};
use ibid_store::{PointerFilter, Scope};
use ibid_testkit::{TestEngine, TestLibrary, run_story};
use proptest::{prelude::*, test_runner::TestRunner};

use crate::{content, draft, receive};

/// What one client does, step by step. Contents are few, so that clients and collections meet over them.
#[derive(Clone, Debug)]
enum Step {
    Upload(u8),
    /// Upload, then make a manifest of it and advance a pointer to it.
    Commit(u8, u8),
    Delete(u8),
    Collect {
        grace: bool,
    },
    Wait,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..4u8).prop_map(Step::Upload),
        5 => (0..4u8, 0..3u8).prop_map(|(content, pointer)| Step::Commit(content, pointer)),
        1 => (0..3u8).prop_map(Step::Delete),
        4 => any::<bool>().prop_map(|grace| Step::Collect { grace }),
        1 => Just(Step::Wait),
    ]
}

#[test]
fn on_sqlite() {
    interleave(TestEngine::Sqlite, 24);
}

#[test]
fn on_postgres() {
    interleave(TestEngine::Postgres, 24);
}

fn interleave(engine: TestEngine, cases: u32) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let clients = prop::collection::vec(prop::collection::vec(step(), 1..12), 2..6);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let story = |clients: Vec<Vec<Step>>| runtime.block_on(run_story(|library| run(library, clients), engine));
    TestRunner::new(config)
        .run(&clients, |clients| {
            story(clients);
            Ok(())
        })
        .unwrap();
}

async fn run(library: TestLibrary, clients: Vec<Vec<Step>>) {
    let library = Arc::new(library);
    let mut running = tokio::task::JoinSet::new();
    for steps in clients {
        let library = Arc::clone(&library);
        running.spawn(async move {
            let (app, scope) = (App::new(library.store.clone(), Tools::in_process().unwrap()), library.scope);
            for step in steps {
                take(&app, &scope, &library, step).await;
            }
        });
    }
    running.join_all().await;
    check(&App::new(library.store.clone(), Tools::in_process().unwrap()), &library.scope).await;
}

async fn take(app: &App, scope: &Scope, library: &TestLibrary, step: Step) {
    match step {
        Step::Upload(number) => {
            upload(app, scope, number).await;
        }
        Step::Commit(number, pointer) => commit(app, scope, number, pointer).await,
        Step::Delete(pointer) => {
            let _ = app.pointers(scope).delete(&name(pointer)).await;
        }
        Step::Collect { grace } => {
            // Without grace everything that nothing names is garbage at once: the hardest case for who is just naming it.
            let grace = if grace { Duration::from_secs(60) } else { Duration::ZERO };
            let options = GcOptions { apply: true, grace };
            app.maintenance(scope).collect_garbage(options, &ProgressReport::silent()).await.unwrap();
        }
        Step::Wait => library.clock.advance(Duration::from_secs(30)),
    }
}

fn name(pointer: u8) -> PointerName {
    PointerName::new("default", format!("p{pointer}")).unwrap()
}

async fn upload(app: &App, scope: &Scope, number: u8) -> Sha256 {
    let received = receive(app, format!("content {number}").as_bytes()).await;
    app.artifacts(scope).store(received, Default::default()).await.unwrap().0.sha256
}

async fn commit(app: &App, scope: &Scope, number: u8, pointer: u8) {
    let sha256 = upload(app, scope, number).await;
    let name = name(pointer);
    let _ = app.pointers(scope).put(&name, Default::default()).await.unwrap();
    let Ok(current) = app.pointers(scope).get(&name).await.map(|pointer| pointer.manifest) else { return };
    let made = app.manifests(scope).create(draft(&[(&format!("f{number}"), sha256)], current)).await;
    let manifest = match made {
        Ok((manifest, ..)) => manifest,
        // A collection without grace was faster: the client is told so, and nothing names what is gone.
        Err(error) => {
            assert!(matches!(error.to_problem().code, Code::ManifestEntryUnknown | Code::ManifestNotFound), "{error}");
            return;
        }
    };
    if let Err(error) = app.pointers(scope).advance(&name, current, manifest.sha256, None).await {
        let expected = [Code::PointerStale, Code::PointerNotFound, Code::ManifestNotFound];
        assert!(expected.contains(&error.to_problem().code), "{error}");
    }
}

/// Everything that a pointer reaches, through its history and through parents, is there to the last byte.
async fn check(app: &App, scope: &Scope) {
    let pointers = app.pointers(scope).list(&PointerFilter::default(), Limit::default(), None).await.unwrap().items;
    let mut todo = Vec::new();
    for pointer in &pointers {
        todo.extend(pointer.manifest);
        for step in app.pointers(scope).history(&pointer.name, Limit::new(500).unwrap(), None).await.unwrap().items {
            todo.extend(step.from);
            todo.extend(step.to);
        }
    }
    let mut seen = HashSet::new();
    let mut references = BTreeMap::<Sha256, u64>::new();
    while let Some(sha256) = todo.pop() {
        if !seen.insert(sha256) {
            continue;
        }
        let (manifest, tree) = app.manifests(scope).get(sha256).await.unwrap();
        todo.extend(manifest.parent);
        for (_, entry) in tree.iter() {
            *references.entry(entry.sha256).or_default() += 1;
            assert_eq!(Sha256::of_bytes(&content(app, scope, entry.sha256).await.unwrap()), entry.sha256);
        }
    }
    let report = app.maintenance(scope).check_integrity(&ProgressReport::silent()).await.unwrap();
    assert!(report.is_clean(), "{report:?}");
    // A last collection without grace and without anyone beside it leaves exactly what is reached.
    let options = GcOptions { apply: true, grace: Duration::ZERO };
    app.store().clock().advance(Duration::from_secs(1));
    app.maintenance(scope).collect_garbage(options, &ProgressReport::silent()).await.unwrap();
    let left = app.store().read().await.unwrap().artifacts(scope).list_by_hash(None, 100).await.unwrap();
    let left: BTreeMap<_, _> = left.iter().map(|artifact| (artifact.sha256, artifact.reference_count)).collect();
    for sha256 in references.keys() {
        assert!(left.contains_key(sha256), "{sha256} is reached and gone");
    }
}
