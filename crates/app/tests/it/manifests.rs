//! Manifests and pointers, and what is refused of them.

use ibid_app::{App, PointerDraft, Tools};
use ibid_domain::{Code, Limit, Sha256, pointer::PointerName};
use ibid_testkit::{TestLibrary, on_both};

use crate::{commit, draft, upload};

on_both!(story, refused_drafts_write_nothing, pointers_move_only_by_advance);

async fn story(library: TestLibrary) {
    let (app, scope) = (App::new(library.store.clone(), Tools::in_process().unwrap()), library.scope);
    let (a, b) = (upload(&app, &scope, "a").await.sha256, upload(&app, &scope, "b").await.sha256);
    let first = commit(&app, &scope, &[("x/a.txt", a)], None).await;
    let (again, _, new) = app.manifests(&scope).create(draft(&[("x/a.txt", a)], None)).await.unwrap();
    assert_eq!((again.sha256, new), (first.sha256, false));
    let second = commit(&app, &scope, &[("x/a.txt", b), ("y.txt", a)], Some(first.sha256)).await;
    assert_eq!((second.entry_count, second.total_size_bytes), (2, 2));
    let log = app.manifests(&scope).log(second.sha256, Limit::default(), None).await.unwrap().items;
    assert_eq!(log.iter().map(|manifest| manifest.sha256).collect::<Vec<_>>(), [second.sha256, first.sha256]);
    let (before, after) = app.manifests(&scope).pair(first.sha256, second.sha256).await.unwrap();
    let diff = before.diff(&after);
    assert_eq!((diff.added.len(), diff.removed.len(), diff.changed.len(), diff.unchanged), (1, 0, 1, 0));
}

async fn refused_drafts_write_nothing(library: TestLibrary) {
    let (app, scope) = (App::new(library.store.clone(), Tools::in_process().unwrap()), library.scope);
    let a = upload(&app, &scope, "a").await.sha256;
    let none = Sha256::of_bytes(b"nowhere");
    let long = "n".repeat(300);
    let cases = [
        (draft(&[], None), Code::ManifestEmpty),
        (draft(&[("ok", none)], None), Code::ManifestEntryUnknown),
        (draft(&[("ok", a), ("../up", a)], None), Code::ManifestPathInvalid),
        (draft(&[("/etc/passwd", a)], None), Code::ManifestPathInvalid),
        (draft(&[(&long, a)], None), Code::ManifestPathInvalid),
        (draft(&[("twice", a), ("twice", a)], None), Code::ManifestPathDuplicate),
        (draft(&[("file", a), ("file/below", a)], None), Code::ManifestPathDuplicate),
        (draft(&[("ok", a)], Some(none)), Code::ManifestNotFound),
    ];
    for (draft, code) in cases {
        let shown = format!("{draft:?}");
        assert_eq!(app.manifests(&scope).create(draft).await.unwrap_err().to_problem().code, code, "{shown}");
    }
    let mut wrong = draft(&[("ok", a)], None);
    wrong.tree[0].1.size_bytes = Some(2);
    assert_eq!(app.manifests(&scope).create(wrong).await.unwrap_err().to_problem().code, Code::ManifestEntryMismatch);
    let mut wrong = draft(&[("ok", a)], None);
    wrong.message = Some("m".repeat(10_001));
    assert_eq!(app.manifests(&scope).create(wrong).await.unwrap_err().to_problem().code, Code::InvalidField);

    let mut tx = library.store.read().await.unwrap();
    assert!(tx.manifests(&scope).list_by_hash(None, 9).await.unwrap().is_empty());
    assert_eq!(tx.artifacts(&scope).get(a).await.unwrap().unwrap().reference_count, 0);
}

async fn pointers_move_only_by_advance(library: TestLibrary) {
    let (app, scope) = (App::new(library.store.clone(), Tools::in_process().unwrap()), library.scope);
    let a = upload(&app, &scope, "a").await.sha256;
    let (one, two) =
        (commit(&app, &scope, &[("1", a)], None).await.sha256, commit(&app, &scope, &[("2", a)], None).await.sha256);
    let name = PointerName::new("default", "head").unwrap();
    let at = |manifest| PointerDraft { manifest, ..PointerDraft::default() };
    let (pointer, new) = app.pointers(&scope).put(&name, at(Some(one))).await.unwrap();
    assert!(new && pointer.manifest == Some(one));
    assert!(app.pointers(&scope).history(&name, Limit::default(), None).await.unwrap().items.is_empty());
    let refused = app.pointers(&scope).put(&name, at(Some(two))).await.unwrap_err().to_problem();
    assert_eq!((refused.code, refused.facts["current"].as_str()), (Code::PointerMoved, Some(one.to_string().as_str())));
    assert!(!app.pointers(&scope).put(&name, at(Some(one))).await.unwrap().1);
    assert!(!app.pointers(&scope).put(&name, at(None)).await.unwrap().1);
    let missing = app.pointers(&scope).advance(&name, Some(one), Sha256::of_bytes(b"none"), None).await.unwrap_err();
    assert_eq!(missing.to_problem().code, Code::ManifestNotFound);
    app.pointers(&scope).advance(&name, Some(one), two, Some("why")).await.unwrap();
    let stale = app.pointers(&scope).advance(&name, Some(one), two, None).await.unwrap_err();
    assert_eq!(stale.to_problem().code, Code::PointerStale);
    let long = "r".repeat(2_001);
    let refused = app.pointers(&scope).advance(&name, Some(two), one, Some(&long)).await.unwrap_err();
    assert_eq!(refused.to_problem().code, Code::InvalidField);
    assert_eq!(app.pointers(&scope).history(&name, Limit::default(), None).await.unwrap().items.len(), 1);
    app.pointers(&scope).delete(&name).await.unwrap();
    assert_eq!(app.pointers(&scope).delete(&name).await.unwrap_err().to_problem().code, Code::PointerNotFound);
    assert_eq!(app.pointers(&scope).get(&name).await.unwrap_err().to_problem().code, Code::PointerNotFound);
}
