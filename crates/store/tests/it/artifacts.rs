//! Artifacts: kept once, learned of, listed, counted, condemned.

use std::{collections::BTreeMap, time::Duration};

use ibid_domain::{Code, Cursor, Limit, Sha256, SourceType};
use ibid_store::{ArtifactFilter, NewArtifact};
use ibid_testkit::{TestLibrary, on_both};
use serde_json::json;

use crate::{keep_artifact, new_artifact};

on_both!(story, lists, tenants, condemning);

async fn story(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let (first, new) = tx.artifacts(scope).insert_or_touch(new_artifact("a")).await.unwrap();
    assert!(new);
    assert_eq!((first.size_bytes, first.reference_count, first.entity_type), (1, 0, None));
    assert_eq!(first.created_by, scope.user());
    assert_eq!(first.created_at, library.clock.now());
    tx.commit().await.unwrap();

    // The same bytes again: what was known stays, what was not is learned, and its time is renewed.
    library.clock.advance(Duration::from_secs(5));
    let mut tx = library.store.write().await.unwrap();
    let again = NewArtifact {
        filename: None,
        entity_type: Some(SourceType::WebPage),
        entity_metadata: json!({"provider": "brave", "n": [1, {"deep": null}]}).as_object().cloned(),
        ..new_artifact("a")
    };
    let (second, new) = tx.artifacts(scope).insert_or_touch(again).await.unwrap();
    assert!(!new);
    assert_eq!(second.filename, first.filename);
    assert_eq!(second.entity_type, Some(SourceType::WebPage));
    assert_eq!((second.created_at, second.updated_at), (first.created_at, library.clock.now()));
    tx.commit().await.unwrap();

    let mut tx = library.store.read().await.unwrap();
    assert_eq!(tx.artifacts(scope).get(first.sha256).await.unwrap(), Some(second));
    assert_eq!(tx.artifacts(scope).get(Sha256::of_bytes(b"b")).await.unwrap(), None);

    // What is not committed never was.
    let mut tx = library.store.write().await.unwrap();
    keep_artifact(&mut tx, scope, "rolled back").await;
    drop(tx);
    let mut tx = library.store.read().await.unwrap();
    assert_eq!(tx.artifacts(scope).get(Sha256::of_bytes(b"rolled back")).await.unwrap(), None);
}

async fn lists(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    for number in 0..25 {
        // Several within one microsecond, too: the order must still be total.
        if number % 3 == 0 {
            library.clock.advance(Duration::from_micros(1));
        }
        let entity_type = (number % 2 == 0).then_some(SourceType::KnowledgeBase);
        tx.artifacts(scope)
            .insert_or_touch(NewArtifact { entity_type, ..new_artifact(&format!("n{number}")) })
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    let mut tx = library.store.read().await.unwrap();
    for (filter, count) in
        [(ArtifactFilter::default(), 25), (ArtifactFilter { entity_type: Some(SourceType::KnowledgeBase) }, 13)]
    {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = tx.artifacts(scope).list(&filter, Limit::new(4).unwrap(), after.as_ref()).await.unwrap();
            seen.extend(page.items);
            // Cursors go to clients and come back.
            after = page.next.map(|cursor| Cursor::decode(&cursor.encode()).unwrap());
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen.len(), count);
        assert!(seen.windows(2).all(|two| (two[0].created_at, two[0].sha256) > (two[1].created_at, two[1].sha256)));
    }
    for nonsense in ["x", "1.2.3", "a.b"] {
        let cursor = Cursor::decode(nonsense).unwrap();
        let refused = tx.artifacts(scope).list(&ArtifactFilter::default(), Limit::default(), Some(&cursor)).await;
        assert_eq!(refused.unwrap_err().as_problem().unwrap().code, Code::InvalidCursor);
    }
}

async fn tenants(library: TestLibrary) {
    let mut tx = library.store.write().await.unwrap();
    let other = tx.create_tenant("other").await.unwrap();
    let kept = keep_artifact(&mut tx, &library.scope, "secret").await;
    assert_eq!(tx.artifacts(&other).get(kept.sha256).await.unwrap(), None);
    // The other tenant brings the same bytes: to it they are new, and its row is its own.
    let (theirs, new) = tx.artifacts(&other).insert_or_touch(new_artifact("secret")).await.unwrap();
    assert!(new);
    assert_eq!(theirs.created_by, other.user());
    let page = tx.artifacts(&other).list(&ArtifactFilter::default(), Limit::default(), None).await.unwrap();
    assert_eq!(page.items, [theirs]);
    tx.commit().await.unwrap();
    assert_eq!(library.store.read().await.unwrap().every_tenant().await.unwrap().len(), 2);
}

async fn condemning(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let (free, held) = (keep_artifact(&mut tx, scope, "free").await, keep_artifact(&mut tx, scope, "held").await);
    tx.artifacts(scope).count_references(&BTreeMap::from([(held.sha256, 2)])).await.unwrap();
    tx.commit().await.unwrap();
    let cutoff = library.clock.now();
    library.clock.advance(Duration::from_secs(60));
    let later = library.clock.now();

    let mut tx = library.store.write().await.unwrap();
    let mut artifacts = tx.artifacts(scope);
    assert!(artifacts.list_unreferenced(cutoff, None, 10).await.unwrap().is_empty());
    let old = artifacts.list_unreferenced(later, None, 10).await.unwrap();
    assert_eq!(old.iter().map(|artifact| artifact.sha256).collect::<Vec<_>>(), [free.sha256]);
    assert!(!artifacts.delete_if_unreferenced(free.sha256, cutoff).await.unwrap());
    assert!(!artifacts.delete_if_unreferenced(held.sha256, later).await.unwrap());
    assert!(artifacts.delete_if_unreferenced(free.sha256, later).await.unwrap());
    assert_eq!(artifacts.get(free.sha256).await.unwrap(), None);
    assert_eq!(artifacts.list_condemned_blobs(10).await.unwrap(), [free.sha256]);
    // Brought anew, it is spared.
    artifacts.insert_or_touch(new_artifact("free")).await.unwrap();
    assert!(artifacts.list_condemned_blobs(10).await.unwrap().is_empty());

    // Counts that are wrong are found; a reference to what is not there is refused.
    assert_eq!(artifacts.wrong_reference_counts().await.unwrap(), [(held.sha256, 2, 0)]);
    assert!(artifacts.count_references(&BTreeMap::from([(Sha256::of_bytes(b"none"), 1)])).await.is_err());
}
