//! Opening a library: repeatedly, at the same time, and by another version.

use ibid_store::{Clock, Store};
use ibid_testkit::{TestEngine, TestLibrary, TestPlace, on_both};

on_both!(again, a_newer_schema_is_refused);

async fn again(library: TestLibrary) {
    // Migrations have run; a second and third process find nothing to do and see the same owner.
    let options = library.place.store_options(Clock::System);
    let (one, two) = tokio::join!(Store::open(options.clone()), Store::open(options));
    for store in [one.unwrap(), two.unwrap()] {
        assert_eq!(store.read().await.unwrap().local_owner().await.unwrap(), library.scope);
        store.ping().await.unwrap();
        assert!(store.check_database().await.unwrap().is_empty());
        store.close().await;
    }
}

async fn a_newer_schema_is_refused(library: TestLibrary) {
    let blob = if library.place.database_url().is_some() { "'\\x00'" } else { "x'00'" };
    library
        .place
        .run_raw_sql(&format!(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (999, 'from the future', true, {blob}, 0)"
        ))
        .await;
    let refused = Store::open(library.place.store_options(Clock::System)).await;
    assert!(refused.err().unwrap().to_string().contains("999"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_processes_may_start_a_new_library_at_once() {
    for engine in [TestEngine::Sqlite, TestEngine::Postgres] {
        let Some(place) = TestPlace::new(engine).await else { continue };
        let mut opening = tokio::task::JoinSet::new();
        for _ in 0..8 {
            opening.spawn(Store::open(place.store_options(Clock::System)));
        }
        for opened in opening.join_all().await {
            opened.unwrap().close().await;
        }
    }
}
