//! Manifests: kept with their trees, walked, and removed only when nothing names them.

use std::time::Duration;

use ibid_domain::{Cursor, Limit, pointer::PointerName};
use ibid_store::PointerPatch;
use ibid_testkit::{TestLibrary, on_both};

use crate::{keep_artifact, keep_manifest, tree};

on_both!(story, log, large, removing);

async fn story(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let (a, b) = (keep_artifact(&mut tx, scope, "a").await, keep_artifact(&mut tx, scope, "b").await);
    let tree = tree(&[("x/é.txt", &a), ("x/again.txt", &a), ("日本.txt", &b)]);
    let manifest = keep_manifest(&mut tx, scope, &tree, None).await;
    assert_eq!((manifest.entry_count, manifest.total_size_bytes), (3, 3));
    tx.commit().await.unwrap();

    let other = {
        let mut tx = library.store.write().await.unwrap();
        let other = tx.create_tenant("other").await.unwrap();
        tx.commit().await.unwrap();
        other
    };
    let mut tx = library.store.read().await.unwrap();
    assert_eq!(tx.manifests(scope).get(manifest.sha256).await.unwrap().as_ref(), Some(&manifest));
    assert_eq!(tx.manifests(scope).get_tree(manifest.sha256).await.unwrap(), tree);
    assert_eq!(tx.manifests(&other).get(manifest.sha256).await.unwrap(), None);
    assert!(tx.manifests(&other).get_tree(manifest.sha256).await.unwrap().is_empty());
    assert_eq!(tx.artifacts(scope).get(a.sha256).await.unwrap().unwrap().reference_count, 2);
    assert_eq!(tx.artifacts(scope).get(b.sha256).await.unwrap().unwrap().reference_count, 1);
    assert!(tx.artifacts(scope).wrong_reference_counts().await.unwrap().is_empty());
}

async fn log(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let artifact = keep_artifact(&mut tx, scope, "a").await;
    let (mut chain, mut parent) = (Vec::new(), None);
    for number in 0..9 {
        let tree = tree(&[(&format!("f{number}"), &artifact)]);
        let manifest = keep_manifest(&mut tx, scope, &tree, parent).await;
        parent = Some(manifest.sha256);
        chain.insert(0, manifest.sha256);
    }
    tx.commit().await.unwrap();
    let mut tx = library.store.read().await.unwrap();
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = tx.manifests(scope).list_ancestors(chain[0], Limit::new(4).unwrap(), after.as_ref()).await.unwrap();
        seen.extend(page.items.iter().map(|manifest| manifest.sha256));
        after = page.next.map(|cursor| Cursor::decode(&cursor.encode()).unwrap());
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, chain);
}

async fn large(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let mut artifacts = Vec::new();
    for number in 0..1200 {
        artifacts.push((format!("folder/{number}"), keep_artifact(&mut tx, scope, &number.to_string()).await));
    }
    let files: Vec<_> = artifacts.iter().map(|(path, artifact)| (path.as_str(), artifact)).collect();
    let tree = tree(&files);
    let manifest = keep_manifest(&mut tx, scope, &tree, None).await;
    tx.commit().await.unwrap();
    let mut tx = library.store.read().await.unwrap();
    assert_eq!(tx.manifests(scope).get_tree(manifest.sha256).await.unwrap(), tree);
    let hashes: Vec<_> = artifacts.iter().map(|(_, artifact)| artifact.sha256).collect();
    let counted = tx.artifacts(scope).get_many(&hashes).await.unwrap();
    assert!(counted.len() == 1200 && counted.values().all(|artifact| artifact.reference_count == 1));
}

async fn removing(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let artifact = keep_artifact(&mut tx, scope, "a").await;
    let parent = keep_manifest(&mut tx, scope, &tree(&[("p", &artifact)]), None).await;
    let child = keep_manifest(&mut tx, scope, &tree(&[("c", &artifact)]), Some(parent.sha256)).await;
    let name = PointerName::new("default", "head").unwrap();
    tx.pointers(scope).create(&name, Some(child.sha256), &PointerPatch::default()).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    let young = library.clock.now();
    library.clock.advance(Duration::from_secs(60));
    let now = library.clock.now();

    let mut tx = library.store.write().await.unwrap();
    assert!(tx.manifests(scope).remove(child.sha256, now).await.unwrap().is_none(), "a pointer names it");
    assert!(tx.manifests(scope).remove(parent.sha256, now).await.unwrap().is_none(), "a child names it");
    assert_eq!(tx.manifests(scope).gc_roots(now).await.unwrap(), [child.sha256].into());
    tx.pointers(scope).delete(&name).await.unwrap();
    assert!(tx.manifests(scope).remove(child.sha256, now).await.unwrap().is_none(), "a deleted pointer still names it");
    library.clock.advance(Duration::from_secs(60));
    let now = library.clock.now();
    assert!(tx.manifests(scope).gc_roots(now).await.unwrap().is_empty());
    assert_eq!(tx.pointers(scope).forget_deleted(now).await.unwrap(), 1);
    assert!(tx.manifests(scope).remove(child.sha256, young).await.unwrap().is_none(), "it is too young");
    assert!(tx.manifests(scope).remove(child.sha256, now).await.unwrap().is_some());
    assert_eq!(tx.artifacts(scope).get(artifact.sha256).await.unwrap().unwrap().reference_count, 1);
    assert!(tx.manifests(scope).remove(parent.sha256, now).await.unwrap().is_some());
    assert_eq!(tx.artifacts(scope).get(artifact.sha256).await.unwrap().unwrap().reference_count, 0);
    tx.commit().await.unwrap();
}
