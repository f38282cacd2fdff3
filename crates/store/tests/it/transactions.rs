//! Transactions that are dropped, cancelled or waited for.

use std::{future::Future, pin::pin, task::Poll};

use ibid_testkit::{TestLibrary, on_both};

use crate::{keep_artifact, new_artifact};

on_both!(
    a_dropped_transaction_changes_nothing,
    a_cancelled_transaction_leaves_the_writer_free,
    small_artifacts_are_there_with_their_row
);

async fn count(library: &TestLibrary) -> u64 {
    library.store.read().await.unwrap().artifacts(&library.scope).count().await.unwrap()
}

async fn a_dropped_transaction_changes_nothing(library: TestLibrary) {
    let mut tx = library.store.write().await.unwrap();
    keep_artifact(&mut tx, &library.scope, "dropped").await;
    drop(tx);
    let mut tx = library.store.write().await.unwrap();
    keep_artifact(&mut tx, &library.scope, "committed").await;
    tx.commit().await.unwrap();
    assert_eq!(count(&library).await, 1);
}

/// Polls a future so many times and then drops it, as a cancelled request does.
async fn cancel_after(polls: usize, work: impl Future<Output = ()>) {
    let mut work = pin!(work);
    for _ in 0..polls {
        let ended = std::future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_ready())).await;
        if ended {
            return;
        }
        tokio::task::yield_now().await;
    }
}

async fn a_cancelled_transaction_leaves_the_writer_free(library: TestLibrary) {
    for polls in 0..12 {
        let work = async {
            let mut tx = library.store.write().await.unwrap();
            keep_artifact(&mut tx, &library.scope, &format!("cancelled {polls}")).await;
            // Never committed, however far it came.
            std::future::pending::<()>().await;
        };
        cancel_after(polls, work).await;
        let mut tx = library.store.write().await.unwrap();
        keep_artifact(&mut tx, &library.scope, &format!("kept {polls}")).await;
        tx.commit().await.unwrap();
    }
    assert_eq!(count(&library).await, 12);
}

async fn small_artifacts_are_there_with_their_row(library: TestLibrary) {
    let (store, scope) = (&library.store, &library.scope);
    let new = new_artifact("small");
    let sha256 = new.sha256;
    let mut tx = store.write().await.unwrap();
    tx.artifacts(scope).insert_small(new.clone(), b"small").await.unwrap();
    drop(tx);
    assert!(store.read_bytes(scope, sha256, None).await.unwrap().is_none(), "rolled back with its row");

    let mut tx = store.write().await.unwrap();
    let first = tx.artifacts(scope).insert_small(new.clone(), b"small").await.unwrap();
    let again = tx.artifacts(scope).insert_small(new, b"small").await.unwrap();
    assert_eq!((first.sha256, &first.storage_uri), (again.sha256, &again.storage_uri));
    tx.commit().await.unwrap();
    let pieces: Vec<_> =
        futures::StreamExt::collect(store.read_bytes(scope, sha256, None).await.unwrap().unwrap()).await;
    let bytes: Vec<u8> =
        pieces.into_iter().flat_map(|piece: ibid_store::Result<bytes::Bytes>| piece.unwrap()).collect();
    assert_eq!(bytes, b"small");
}
