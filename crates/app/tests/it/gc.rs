//! What garbage collection takes, and what it leaves.

use std::time::Duration;

use bytes::Bytes;
use ibid_app::{App, GcOptions, GcReport, PointerDraft, ProgressReport, Tools};
use ibid_domain::{Sha256, pointer::PointerName};
use ibid_testkit::{TestLibrary, on_both};

use crate::{commit, content, upload};

on_both!(story, what_is_left_half_done_is_finished, a_pointer_keeps_its_history);

const HOUR: Duration = Duration::from_secs(3600);

async fn gc(app: &App, library: &TestLibrary, apply: bool) -> GcReport {
    app.maintenance(&library.scope)
        .collect_garbage(GcOptions { apply, grace: HOUR }, &ProgressReport::silent())
        .await
        .unwrap()
}

async fn point(app: &App, library: &TestLibrary, name: &str, manifest: Sha256) {
    let draft = PointerDraft { manifest: Some(manifest), ..PointerDraft::default() };
    app.pointers(&library.scope).put(&PointerName::new("default", name).unwrap(), draft).await.unwrap();
}

async fn story(library: TestLibrary) {
    let (app, scope) = (App::new(library.store.clone(), Tools::in_process().unwrap()), library.scope);
    let reached = upload(&app, &scope, "reached").await.sha256;
    let shared = upload(&app, &scope, "shared").await.sha256;
    let lost = upload(&app, &scope, "lost").await.sha256;
    let loose = upload(&app, &scope, "loose").await.sha256;
    let kept = commit(&app, &scope, &[("a", reached), ("s", shared)], None).await.sha256;
    let dropped = commit(&app, &scope, &[("l", lost), ("s", shared)], None).await.sha256;
    let child = commit(&app, &scope, &[("l", lost)], Some(dropped)).await.sha256;
    point(&app, &library, "head", kept).await;

    // Everything is young: nothing goes.
    assert_eq!(gc(&app, &library, true).await, GcReport { applied: true, ..GcReport::default() });
    library.clock.advance(2 * HOUR);
    let young = upload(&app, &scope, "young").await.sha256;
    // Brought again, its time begins anew.
    upload(&app, &scope, "loose").await;

    // Said and done are the same.
    let said = gc(&app, &library, false).await;
    assert_eq!((said.applied, said.manifests, said.artifacts, said.blobs, said.bytes), (false, 2, 1, 1, 4));
    assert_eq!(content(&app, &scope, lost).await.unwrap(), b"lost");
    let done = gc(&app, &library, true).await;
    assert_eq!(GcReport { applied: false, ..done }, said);
    for gone in [dropped, child] {
        assert!(app.manifests(&scope).get(gone).await.is_err());
    }
    assert!(app.artifacts(&scope).get(lost).await.is_err());
    assert_eq!(library.store.blobs().size(&scope, lost).await.unwrap(), None);
    for (sha256, words) in [(reached, "reached"), (shared, "shared"), (young, "young"), (loose, "loose")] {
        assert_eq!(content(&app, &scope, sha256).await.unwrap(), words.as_bytes());
    }
    assert_eq!(app.artifacts(&scope).get(shared).await.unwrap().reference_count, 1);
    let report = app.maintenance(&scope).check_integrity(&ProgressReport::silent()).await.unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(gc(&app, &library, true).await, GcReport { applied: true, ..GcReport::default() });
}

async fn a_pointer_keeps_its_history(library: TestLibrary) {
    let (app, scope) = (App::new(library.store.clone(), Tools::in_process().unwrap()), library.scope);
    let a = upload(&app, &scope, "a").await.sha256;
    let one = commit(&app, &scope, &[("1", a)], None).await.sha256;
    let two = commit(&app, &scope, &[("2", a)], None).await.sha256;
    point(&app, &library, "head", one).await;
    let name = PointerName::new("default", "head").unwrap();
    app.pointers(&scope).advance(&name, Some(one), two, None).await.unwrap();
    library.clock.advance(2 * HOUR);
    assert_eq!(gc(&app, &library, true).await.manifests, 0, "history reaches the first");
    app.pointers(&scope).delete(&name).await.unwrap();
    assert_eq!(gc(&app, &library, true).await.pointers, 0, "it was deleted a moment ago");
    library.clock.advance(2 * HOUR);
    let done = gc(&app, &library, true).await;
    assert_eq!((done.pointers, done.manifests, done.artifacts), (1, 2, 1));
}

async fn what_is_left_half_done_is_finished(library: TestLibrary) {
    let (app, scope) = (App::new(library.store.clone(), Tools::in_process().unwrap()), library.scope);
    // A blob that was put in place by an upload that died before its row was written.
    let mut spool = library.store.blobs().create_spool().await.unwrap();
    spool.write(Bytes::from_static(b"orphan")).await.unwrap();
    let orphan = spool.finish().await.unwrap();
    library.store.blobs().store_spool(&scope, &spool, orphan).await.unwrap();
    drop(spool);
    // A collection that died between its two steps, once with the same bytes brought again since.
    let condemned = upload(&app, &scope, "condemned").await.sha256;
    let back = upload(&app, &scope, "back").await.sha256;
    library.clock.advance(2 * HOUR);
    let mut tx = library.store.write().await.unwrap();
    for sha256 in [condemned, back] {
        assert!(tx.artifacts(&scope).delete_if_unreferenced(sha256, library.clock.now()).await.unwrap());
    }
    tx.commit().await.unwrap();
    upload(&app, &scope, "back").await;
    // A file in the spool whose process is gone.
    std::fs::write(library.place.blobs_folder().join("spool/dead.part"), "half").unwrap();

    let report = app.maintenance(&scope).check_integrity(&ProgressReport::silent()).await.unwrap();
    assert!(report.is_clean(), "none of this is a fault: {report:?}");
    assert_eq!(report.unclaimed_blobs, 2);
    let done = gc(&app, &library, true).await;
    assert_eq!((done.blobs, done.spool_files), (2, 1));
    assert_eq!(content(&app, &scope, back).await.unwrap(), b"back");
    for gone in [orphan, condemned] {
        assert_eq!(library.store.blobs().size(&scope, gone).await.unwrap(), None);
    }
    assert_eq!(std::fs::read_dir(library.place.blobs_folder().join("spool")).unwrap().count(), 0);
}
