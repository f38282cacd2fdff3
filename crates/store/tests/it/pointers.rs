//! Pointers: made, described, moved by compare-and-swap, listed, deleted.

use std::time::Duration;

use ibid_domain::{Code, Cursor, Limit, PointerType, Sha256, pointer::PointerName};
use ibid_store::{PointerFilter, PointerPatch};
use ibid_testkit::{TestLibrary, on_both};
use serde_json::json;

use crate::{keep_artifact, keep_manifest, tree};

on_both!(story, lists, sixty_four_advance_at_once);

async fn story(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let artifact = keep_artifact(&mut tx, scope, "a").await;
    let first = keep_manifest(&mut tx, scope, &tree(&[("1", &artifact)]), None).await.sha256;
    let second = keep_manifest(&mut tx, scope, &tree(&[("2", &artifact)]), Some(first)).await.sha256;
    let name = PointerName::new("default", "team/weekly report").unwrap();
    let change = PointerPatch {
        pointer_type: Some(PointerType::Corpus),
        description: Some("a sentence".to_owned()),
        meta: json!({"run_id": "r1"}).as_object().cloned(),
    };
    let pointer = tx.pointers(scope).create(&name, None, &change).await.unwrap().unwrap();
    assert_eq!((pointer.manifest, pointer.pointer_type), (None, PointerType::Corpus));
    assert!(tx.pointers(scope).create(&name, None, &change).await.unwrap().is_none(), "the name is taken");

    // Moves need to know where the pointer stands.
    let moved = tx.pointers(scope).advance(&name, None, first, Some("deliverable_generated")).await.unwrap();
    assert_eq!((moved.id, moved.manifest), (pointer.id, Some(first)));
    library.clock.advance(Duration::from_millis(1));
    let refused = tx.pointers(scope).advance(&name, None, second, None).await.unwrap_err();
    let stale = refused.as_problem().unwrap();
    assert_eq!(stale.code, Code::PointerStale);
    assert_eq!(stale.facts["current"], json!(first.to_string()));
    tx.pointers(scope).advance(&name, Some(first), second, None).await.unwrap();
    library.clock.advance(Duration::from_millis(1));
    tx.pointers(scope).advance(&name, Some(second), first, Some("user_reset")).await.unwrap();
    let history = tx.pointers(scope).list_moves(pointer.id, Limit::default(), None).await.unwrap().items;
    let steps: Vec<_> = history.iter().map(|step| (step.from, step.to, step.reason.as_deref())).collect();
    assert_eq!(
        steps,
        [
            (Some(second), Some(first), Some("user_reset")),
            (Some(first), Some(second), None),
            (None, Some(first), Some("deliverable_generated")),
        ]
    );

    // Saying something of it does not move it; what is not said stays.
    let change = PointerPatch { description: Some("another".to_owned()), ..PointerPatch::default() };
    let described = tx.pointers(scope).update_details(&name, &change).await.unwrap().unwrap();
    assert_eq!((described.manifest, described.pointer_type), (Some(first), PointerType::Corpus));
    assert_eq!((described.description.as_deref(), &described.meta["run_id"]), (Some("another"), &json!("r1")));
    tx.commit().await.unwrap();

    // A pointer to nothing is refused, and so is another tenant's.
    let mut tx = library.store.write().await.unwrap();
    let refused = tx.pointers(scope).advance(&name, Some(first), Sha256::of_bytes(b"none"), None).await.unwrap_err();
    assert_eq!(refused.as_problem().unwrap().code, Code::ManifestNotFound);
    drop(tx);
    let mut tx = library.store.write().await.unwrap();
    let other = tx.create_tenant("other").await.unwrap();
    let unknown = tx.pointers(&other).advance(&name, Some(first), second, None).await.unwrap_err();
    assert_eq!(unknown.as_problem().unwrap().code, Code::PointerNotFound);
    assert!(tx.pointers(&other).get(&name).await.unwrap().is_none());
    assert!(!tx.pointers(&other).delete(&name).await.unwrap());

    // Deleted, the name is free again, for a pointer with a history of its own.
    assert!(tx.pointers(scope).delete(&name).await.unwrap());
    assert!(!tx.pointers(scope).delete(&name).await.unwrap());
    assert!(tx.pointers(scope).get(&name).await.unwrap().is_none());
    let again = tx.pointers(scope).create(&name, Some(second), &PointerPatch::default()).await.unwrap().unwrap();
    assert_ne!(again.id, pointer.id);
    assert!(tx.pointers(scope).list_moves(again.id, Limit::default(), None).await.unwrap().items.is_empty());
}

async fn lists(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    // Names that sort otherwise in many locales: the order is that of the bytes on both engines.
    let names = ["B", "a", "a/b", "a-b", "É", "z", "10", "9", "_", "日"];
    for (index, name) in names.iter().enumerate() {
        let namespace = if index % 2 == 0 { "even" } else { "odd" };
        let name = PointerName::new(namespace, *name).unwrap();
        tx.pointers(scope).create(&name, None, &PointerPatch::default()).await.unwrap().unwrap();
    }
    let mut walk = Vec::new();
    for namespace in [None, Some("odd".to_owned())] {
        let (filter, mut after) = (PointerFilter { namespace }, None);
        let mut seen = Vec::new();
        loop {
            let page = tx.pointers(scope).list(&filter, Limit::new(3).unwrap(), after.as_ref()).await.unwrap();
            seen.extend(page.items.iter().map(|pointer| pointer.name.to_string()));
            after = page.next.map(|cursor| Cursor::decode(&cursor.encode()).unwrap());
            if after.is_none() {
                break;
            }
        }
        let mut sorted = seen.clone();
        sorted.sort_by_key(|name| name.replacen('/', "\0", 1));
        assert_eq!(seen, sorted);
        walk.push(seen.len());
    }
    assert_eq!(walk, [10, 5]);
}

async fn sixty_four_advance_at_once(library: TestLibrary) {
    let scope = library.scope;
    let mut tx = library.store.write().await.unwrap();
    let artifact = keep_artifact(&mut tx, &scope, "a").await;
    let start = keep_manifest(&mut tx, &scope, &tree(&[("start", &artifact)]), None).await.sha256;
    let mut goals = Vec::new();
    for number in 0..64 {
        goals.push(keep_manifest(&mut tx, &scope, &tree(&[(&format!("{number}"), &artifact)]), None).await.sha256);
    }
    let name = PointerName::new("default", "race").unwrap();
    let pointer = tx.pointers(&scope).create(&name, Some(start), &PointerPatch::default()).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    let mut racing = tokio::task::JoinSet::new();
    for goal in goals {
        let (store, name) = (library.store.clone(), name.clone());
        racing.spawn(async move {
            let mut tx = store.write().await.unwrap();
            match tx.pointers(&scope).advance(&name, Some(start), goal, None).await {
                Ok(pointer) => {
                    tx.commit().await.unwrap();
                    assert_eq!(pointer.manifest, Some(goal));
                    true
                }
                Err(error) => {
                    assert_eq!(error.as_problem().unwrap().code, Code::PointerStale);
                    false
                }
            }
        });
    }
    let won = racing.join_all().await.into_iter().filter(|won| *won).count();
    assert_eq!(won, 1);
    let mut tx = library.store.read().await.unwrap();
    assert_eq!(tx.pointers(&scope).list_moves(pointer.id, Limit::default(), None).await.unwrap().items.len(), 1);
}
