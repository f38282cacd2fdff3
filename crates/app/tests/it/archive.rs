//! A manifest as a zip.

use std::io::{Cursor, Read};

use ibid_app::{App, Tools};
use ibid_testkit::{TestLibrary, on_both};

use crate::{commit, upload};

on_both!(story);

async fn story(library: TestLibrary) {
    let (app, scope) = (App::new(library.store.clone(), Tools::in_process().unwrap()), library.scope);
    let long = "all work and no play ".repeat(20_000);
    let files = [("a.txt", "first"), ("folder/日本.txt", long.as_str()), ("folder/empty", "")];
    let mut tree = Vec::new();
    for (path, content) in files {
        tree.push((path, upload(&app, &scope, content).await.sha256));
    }
    let manifest = commit(&app, &scope, &tree, None).await;
    let (one, two) = (export(&app, &scope, manifest.sha256).await, export(&app, &scope, manifest.sha256).await);
    assert!(one == two, "the same manifest gives the same bytes");
    assert!(one.len() < long.len() / 2, "text is compressed");
    let mut zip = zip::ZipArchive::new(Cursor::new(one)).unwrap();
    assert_eq!(zip.len(), 3);
    for (path, content) in files {
        let mut read = String::new();
        zip.by_name(path).unwrap().read_to_string(&mut read).unwrap();
        assert_eq!(read, content);
    }
    // One whose bytes are missing breaks off: no client takes it for whole.
    let stored = app.artifacts(&scope).get(tree[0].1).await.unwrap().storage_uri;
    std::fs::remove_file(stored.strip_prefix("file://").unwrap()).unwrap();
    let mut archive = app.manifests(&scope).zip(manifest.sha256).await.unwrap();
    let mut broken = false;
    while let Some(piece) = archive.next().await {
        broken |= piece.is_err();
    }
    assert!(broken);
}

async fn export(app: &App, scope: &ibid_app::Scope, sha256: ibid_domain::Sha256) -> Vec<u8> {
    let mut archive = app.manifests(scope).zip(sha256).await.unwrap();
    let mut bytes = Vec::new();
    while let Some(piece) = archive.next().await {
        bytes.extend(piece.unwrap());
    }
    bytes
}
