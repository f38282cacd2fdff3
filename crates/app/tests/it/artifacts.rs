//! Bytes in, bytes out.

use ibid_app::{App, Tools, UploadDetails};
use ibid_domain::{Code, Sha256, artifact::Filename};
use ibid_store::{BlobLocation, Clock, Store};
use ibid_testkit::{TestEngine, TestLibrary, TestPlace, create_bucket, on_both};

use crate::{content, receive, upload};

on_both!(story, bad_uploads_keep_nothing, re_upload_heals_a_rotten_blob);

async fn story(library: TestLibrary) {
    let (app, scope) = (App::new(library.store.clone(), Tools::in_process().unwrap()), library.scope);
    let artifact = upload(&app, &scope, "the words").await;
    assert_eq!(artifact.sha256, Sha256::of_bytes(b"the words"));
    assert_eq!((artifact.size_bytes, artifact.media_type.as_str()), (9, "text/plain"));
    assert_eq!(content(&app, &scope, artifact.sha256).await.unwrap(), b"the words");
    let again = app.artifacts(&scope).store(receive(&app, b"the words").await, UploadDetails::default()).await.unwrap();
    assert_eq!((again.0.sha256, again.1), (artifact.sha256, false));
    let empty = app.artifacts(&scope).store(receive(&app, b"").await, UploadDetails::default()).await.unwrap();
    assert_eq!((empty.0.size_bytes, empty.0.media_type.as_str()), (0, "application/octet-stream"));
    assert_eq!(content(&app, &scope, empty.0.sha256).await.unwrap(), b"");

    let mut tx = library.store.write().await.unwrap();
    let other = tx.create_tenant("other").await.unwrap();
    tx.commit().await.unwrap();
    let refused = content(&app, &other, artifact.sha256).await.unwrap_err();
    assert_eq!(refused.to_problem().code, Code::ArtifactNotFound);
}

async fn bad_uploads_keep_nothing(library: TestLibrary) {
    let (app, scope) = (App::new(library.store.clone(), Tools::in_process().unwrap()), library.scope);
    let mut small = app.start_upload(4).await.unwrap();
    small.write("1234".into()).await.unwrap();
    let refused = small.write("5".into()).await.unwrap_err().to_problem();
    assert_eq!((refused.code, &refused.facts["limit_bytes"]), (Code::BodyTooLarge, &4.into()));
    drop(small);
    let details = UploadDetails { sha256: Some(Sha256::of_bytes(b"other")), ..UploadDetails::default() };
    let refused = app.artifacts(&scope).store(receive(&app, b"these").await, details).await.unwrap_err();
    assert_eq!(refused.to_problem().code, Code::HashMismatch);
    drop(receive(&app, b"cut off").await);

    let mut tx = library.store.read().await.unwrap();
    assert!(tx.artifacts(&scope).list_by_hash(None, 9).await.unwrap().is_empty());
    // Spools are removed when the upload is dropped; only the spool's own folder is there.
    let left: Vec<_> =
        std::fs::read_dir(library.place.blobs_folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["spool"]);
    assert_eq!(std::fs::read_dir(library.place.blobs_folder().join("spool")).unwrap().count(), 0);
}

async fn re_upload_heals_a_rotten_blob(library: TestLibrary) {
    let (app, scope) = (App::new(library.store.clone(), Tools::in_process().unwrap()), library.scope);
    let artifact = upload(&app, &scope, "sound").await;
    let path = artifact.storage_uri.strip_prefix("file://").unwrap().to_owned();
    std::fs::write(&path, "rotten").unwrap();
    upload(&app, &scope, "sound").await;
    assert_eq!(std::fs::read(&path).unwrap(), b"sound");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_s3_too() {
    let (Some(options), Some(place)) = (create_bucket().await, TestPlace::new(TestEngine::Postgres).await) else {
        return;
    };
    let mut opening = place.store_options(Clock::System);
    opening.blobs = BlobLocation::S3(options);
    let store = Store::open(opening).await.unwrap();
    let app = App::new(store, Tools::in_process().unwrap());
    let scope = app.local_owner().await.unwrap();
    let details = UploadDetails { filename: Some(Filename::new("a.pdf").unwrap()), ..UploadDetails::default() };
    let (artifact, new) = app.artifacts(&scope).store(receive(&app, b"on s3").await, details).await.unwrap();
    assert!(new && artifact.storage_uri.starts_with("s3://"));
    assert_eq!(artifact.media_type.as_str(), "application/pdf");
    assert_eq!(content(&app, &scope, artifact.sha256).await.unwrap(), b"on s3");
}
