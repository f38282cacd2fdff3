//! What a power cut may take back on SQLite, and what it may not.
//!
//! A power cut leaves some beginning of the write-ahead log, at least up to the last commit that waited for the disk. The
//! tests open copies of a library whose log ends at such places.

use std::time::Duration;

use ibid_domain::Sha256;
use ibid_store::{Clock, JobEventCursor, NewJob, Scope, Store};
use ibid_testkit::{TestEngine, TestLibrary, TestPlace};
use serde_json::json;

use crate::keep_artifact;

/// Bytes of the write-ahead log.
fn log_bytes(place: &TestPlace) -> u64 {
    std::fs::metadata(place.folder().join("ibid.db-wal")).unwrap().len()
}

/// Opens a copy of a library as it is found after a power cut that left so many bytes of its log.
async fn after_power_cut(place: &TestPlace, log_bytes: u64) -> (Store, Scope, TestPlace) {
    let copy = TestPlace::new(TestEngine::Sqlite).await.unwrap();
    std::fs::copy(place.folder().join("ibid.db"), copy.folder().join("ibid.db")).unwrap();
    let log = std::fs::read(place.folder().join("ibid.db-wal")).unwrap();
    let left = usize::try_from(log_bytes).unwrap();
    std::fs::write(copy.folder().join("ibid.db-wal"), &log[..left]).unwrap();
    let store = Store::open(copy.store_options(Clock::System)).await.unwrap();
    let scope = store.read().await.unwrap().local_owner().await.unwrap();
    (store, scope, copy)
}

async fn add(library: &TestLibrary, content: &str, relaxed: bool) -> u64 {
    let mut tx = match relaxed {
        true => library.store.write_relaxed().await.unwrap(),
        false => library.store.write().await.unwrap(),
    };
    keep_artifact(&mut tx, &library.scope, content).await;
    tx.commit().await.unwrap();
    log_bytes(&library.place)
}

async fn has(store: &Store, scope: &Scope, content: &str) -> bool {
    let sha256 = Sha256::of_bytes(content.as_bytes());
    store.read().await.unwrap().artifacts(scope).get(sha256).await.unwrap().is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_durable_commit_brings_the_relaxed_ones_before_it() {
    ibid_testkit::run_story(
        |library| async move {
            let start = log_bytes(&library.place);
            add(&library, "relaxed before", true).await;
            let durable = add(&library, "durable", false).await;
            let end = add(&library, "relaxed after", true).await;
            let check = async |left: u64| {
                let (store, scope, _place) = after_power_cut(&library.place, left).await;
                let [before, full, after] = [
                    has(&store, &scope, "relaxed before"),
                    has(&store, &scope, "durable"),
                    has(&store, &scope, "relaxed after"),
                ];
                let seen = (before.await, full.await, after.await);
                assert!(store.check_database().await.unwrap().is_empty());
                store.close().await;
                seen
            };
            assert_eq!(check(durable).await, (true, true, false));
            assert_eq!(check(end).await, (true, true, true));
            // In steps that are no multiple of a frame of the log, so that the last frame is torn.
            for left in (start..end).step_by(3_001) {
                let (before, full, after) = check(left).await;
                assert!(full || left < durable, "what was acknowledged is lost at {left}");
                assert!(before || !full, "an earlier commit is lost at {left} and a later one is not");
                assert!(full || !after, "an earlier commit is lost at {left} and a later one is not");
            }
        },
        TestEngine::Sqlite,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_durable_commits_with_changes_wait_for_the_disk() {
    ibid_testkit::run_story(
        |library| async move {
            let syncs = || library.store.disk_syncs();
            let before = syncs();
            for round in 1..=3 {
                add(&library, &format!("relaxed {round}"), true).await;
                assert_eq!(syncs() - before, round - 1);
                add(&library, &format!("durable {round}"), false).await;
                assert_eq!(syncs() - before, round);
            }
            library.store.write().await.unwrap().commit().await.unwrap();
            assert_eq!(syncs() - before, 3, "nothing was changed");
        },
        TestEngine::Sqlite,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_search_sees_is_not_changed_by_a_relaxed_commit() {
    ibid_testkit::run_story(
        |library| async move {
            let mut tx = library.store.write().await.unwrap();
            let space = tx.embedding_space("test", "model", 3).await.unwrap();
            tx.commit().await.unwrap();
            let mut tx = library.store.write_relaxed().await.unwrap();
            let refused = tx.use_embedding_space(space.id).await.unwrap_err();
            assert!(refused.to_string().contains("a power cut may take back"), "{refused}");
        },
        TestEngine::Sqlite,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_watches_jobs_misses_nothing_after_a_power_cut() {
    ibid_testkit::run_story(
        |library| async move {
            let mut tx = library.store.write().await.unwrap();
            tx.jobs(&library.scope).enqueue(NewJob::new("test", json!({}))).await.unwrap();
            tx.commit().await.unwrap();
            let durable = log_bytes(&library.place);
            let lease = async |store: &Store| {
                let mut tx = store.write_relaxed().await.unwrap();
                let taken = tx.queue().lease_jobs(&["test"], 1, Duration::from_secs(30)).await.unwrap();
                tx.commit().await.unwrap();
                taken.len()
            };
            assert_eq!(lease(&library.store).await, 1);
            let last: JobEventCursor =
                library.store.read().await.unwrap().last_job_event(&library.scope).await.unwrap();
            let (store, scope, _place) = after_power_cut(&library.place, durable).await;
            assert_eq!(lease(&store).await, 1, "the job waits again");
            let events = store.read().await.unwrap().job_events_after(&scope, last, 10).await.unwrap();
            assert_eq!(events.len(), 1, "that it was taken again comes after what was seen before");
        },
        TestEngine::Sqlite,
    )
    .await;
}
