//! Blobs: the same story in a folder and on a server that speaks S3.

use bytes::Bytes;
use futures::TryStreamExt;
use ibid_domain::Sha256;
use ibid_store::{BlobLocation, BlobStoreKind, Clock, Scope, Store};
use ibid_testkit::{TestEngine, TestPlace, create_bucket};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_a_folder() {
    let place = TestPlace::new(TestEngine::Sqlite).await.unwrap();
    let store = Store::open(place.store_options(Clock::System)).await.unwrap();
    story(&store).await;
    assert_eq!(store.blobs().kind(), BlobStoreKind::Folder);
    // Beside the blobs themselves nothing is left.
    assert_eq!(std::fs::read_dir(place.blobs_folder().join("spool")).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_s3() {
    let Some(options) = create_bucket().await else { return };
    let place = TestPlace::new(TestEngine::Sqlite).await.unwrap();
    let mut opening = place.store_options(Clock::System);
    opening.blobs = BlobLocation::S3(options);
    let store = Store::open(opening).await.unwrap();
    story(&store).await;
    assert_eq!(store.blobs().kind(), BlobStoreKind::S3);
}

async fn put(store: &Store, scope: &Scope, content: &[u8]) -> Sha256 {
    let mut spool = store.blobs().create_spool().await.unwrap();
    for piece in content.chunks(1 << 20) {
        spool.write(Bytes::copy_from_slice(piece)).await.unwrap();
    }
    let sha256 = spool.finish().await.unwrap();
    store.blobs().store_spool(scope, &spool, sha256).await.unwrap();
    // Twice does no harm, and the spool is still there for it.
    store.blobs().store_spool(scope, &spool, sha256).await.unwrap();
    sha256
}

async fn get(store: &Store, scope: &Scope, sha256: Sha256, range: Option<std::ops::Range<u64>>) -> Option<Vec<u8>> {
    let stream = store.blobs().read(scope, sha256, range).await.unwrap()?;
    let pieces: Vec<Bytes> = stream.try_collect().await.unwrap();
    Some(pieces.concat())
}

async fn story(store: &Store) {
    store.blobs().ping().await.unwrap();
    let scope = &store.read().await.unwrap().local_owner().await.unwrap();
    // Larger than a part of a multipart upload, so that there are several.
    let large: Vec<u8> = (0..20_000_003_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for content in [b"".as_slice(), b"small", &large] {
        let sha256 = put(store, scope, content).await;
        assert_eq!(sha256, Sha256::of_bytes(content));
        assert_eq!(store.blobs().size(scope, sha256).await.unwrap(), Some(content.len() as u64));
        assert!(get(store, scope, sha256, None).await.unwrap() == content);
    }
    let sha256 = Sha256::of_bytes(&large);
    assert!(get(store, scope, sha256, Some(9_999_990..10_000_010)).await.unwrap() == large[9_999_990..10_000_010]);
    assert_eq!(get(store, scope, sha256, Some(5..5)).await.unwrap(), b"");
    assert!(store.blobs().uri(scope, sha256).ends_with(&sha256.to_string()));

    // Another tenant does not see them.
    let mut tx = store.write().await.unwrap();
    let other = &tx.create_tenant("other").await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(store.blobs().size(other, sha256).await.unwrap(), None);
    assert!(get(store, other, sha256, None).await.is_none());
    let listed: Vec<_> = store.blobs().list(other).try_collect().await.unwrap();
    assert!(listed.is_empty());

    let listed: Vec<_> = store.blobs().list(scope).try_collect().await.unwrap();
    let mut sizes: Vec<_> = listed.iter().map(|blob| blob.size_bytes).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [0, 5, large.len() as u64]);
    store.blobs().delete(scope, sha256).await.unwrap();
    store.blobs().delete(scope, sha256).await.unwrap();
    assert_eq!(store.blobs().size(scope, sha256).await.unwrap(), None);
    assert!(get(store, scope, sha256, None).await.is_none());
}
