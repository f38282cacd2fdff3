//! Libraries for tests, the same story on SQLite and on a real PostgreSQL, and a [`provider`] of models that follows a
//! script.
//!
//! Each test gets a library of its own, in a folder and a database that vanish with it. `make test` starts the servers
//! and names them in `IBID_TEST_POSTGRES_URL` and `IBID_TEST_S3_URL`; without them the tests that need them say so and
//! pass, so that `cargo test` works on its own.
//!
//! Only tests depend on this crate.

pub mod provider;

use std::path::{Path, PathBuf};

use ibid_domain::Timestamp;
use ibid_store::{BlobLocation, Clock, DatabaseLocation, S3Options, Scope, Store, StoreOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;
use uuid::Uuid;

/// Database engine that a test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestEngine {
    /// SQLite file in the temporary folder of the test.
    Sqlite,
    /// A database of its own on the server that `make test` started.
    Postgres,
}

/// Makes two tests of each story, an async function that takes a [`TestLibrary`]: one on each engine.
#[macro_export]
macro_rules! on_both {
    ($($story:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                $crate::run_story(super::$story, $crate::TestEngine::Sqlite).await;
            })*
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                $crate::run_story(super::$story, $crate::TestEngine::Postgres).await;
            })*
        }
    };
}

/// Tells a story on one engine.
pub async fn run_story<F: Future<Output = ()>>(story: impl FnOnce(TestLibrary) -> F, engine: TestEngine) {
    if let Some(place) = TestPlace::new(engine).await {
        story(TestLibrary::open(place).await).await;
    }
}

/// A place for a library that vanishes with the test.
pub struct TestPlace {
    folder: TempDir,
    database: DatabaseLocation,
    admin: Option<String>,
}

impl TestPlace {
    /// A place, or none if the engine has no server here.
    pub async fn new(engine: TestEngine) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (database, admin) = match engine {
            TestEngine::Sqlite => (DatabaseLocation::Sqlite(folder.path().join("ibid.db")), None),
            TestEngine::Postgres => {
                let admin = test_server_url("IBID_TEST_POSTGRES_URL")?;
                let name = format!("test_{}", Uuid::now_v7().simple());
                execute_postgres(&admin, &format!("CREATE DATABASE {name}")).await;
                let (head, _) = admin.rsplit_once('/').expect("a URL with a database");
                (DatabaseLocation::Postgres(format!("{head}/{name}")), Some(admin))
            }
        };
        Some(Self { folder, database, admin })
    }

    /// Temporary folder, deleted when the test ends.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Folder that the blobs are stored in.
    pub fn blobs_folder(&self) -> PathBuf {
        self.folder.path().join("blobs")
    }

    /// The URL of the database, if it is one on a server.
    pub fn database_url(&self) -> Option<&str> {
        match &self.database {
            DatabaseLocation::Postgres(url) => Some(url),
            DatabaseLocation::Sqlite(_) => None,
        }
    }

    /// Returns options that open this library with the given clock.
    pub fn store_options(&self, clock: Clock) -> StoreOptions {
        StoreOptions {
            database: self.database.clone(),
            blobs: BlobLocation::Folder(self.blobs_folder()),
            spool: self.blobs_folder().join("spool"),
            connections: 8,
            clock,
        }
    }

    /// Changes rows behind the library's back.
    pub async fn run_raw_sql(&self, sql: &str) {
        match &self.database {
            DatabaseLocation::Postgres(url) => {
                execute_postgres(url, &format!("SET session_replication_role = replica; {sql}")).await;
            }
            DatabaseLocation::Sqlite(path) => {
                let connection = rusqlite::Connection::open(path).expect("the database");
                connection.pragma_update(None, "foreign_keys", false).expect("no foreign keys");
                connection.execute_batch(sql).expect("the statement");
            }
        }
    }
}

impl Drop for TestPlace {
    fn drop(&mut self) {
        let (DatabaseLocation::Postgres(url), Some(admin)) = (&self.database, self.admin.take()) else { return };
        let name = url.rsplit('/').next().unwrap_or_default().to_owned();
        // A test may end inside a runtime, which cannot wait; a thread can.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(execute_postgres(&admin, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")));
        });
        let _ = dropped.join();
    }
}

/// An open library of a test, on a clock that the test moves.
pub struct TestLibrary {
    /// Open store of the test, in its own database.
    pub store: Store,
    /// Scope of the library's local owner.
    pub scope: Scope,
    /// Its clock, which stands still.
    pub clock: Clock,
    /// Temporary folder and database; both are deleted on drop.
    pub place: TestPlace,
}

impl TestLibrary {
    async fn open(place: TestPlace) -> Self {
        // Blobs bear the time of the file system, so the clock starts at the real time.
        let now = Clock::System.now().as_micros();
        let clock = Clock::manual(Timestamp::from_micros(now));
        let store = Store::open(place.store_options(clock.clone())).await.expect("a library");
        let scope = store.read().await.expect("a reader").local_owner().await.expect("an owner");
        Self { store, scope, clock, place }
    }
}

/// A bucket of its own on the S3 server that `make test` started, if it did.
pub async fn create_bucket() -> Option<S3Options> {
    let endpoint = test_server_url("IBID_TEST_S3_URL")?;
    let bucket = format!("test-{}", Uuid::now_v7().simple());
    let address = endpoint.trim_start_matches("http://");
    let request =
        format!("PUT /{bucket} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let mut stream = tokio::net::TcpStream::connect(address).await.expect("the S3 server");
    let mut answer = Vec::new();
    {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        stream.write_all(request.as_bytes()).await.expect("a request");
        stream.read_to_end(&mut answer).await.expect("an answer");
    }
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    let text = |value: &str| Some(value.to_owned());
    Some(S3Options {
        bucket,
        prefix: "library".to_owned(),
        endpoint: Some(endpoint),
        region: text("us-east-1"),
        access_key: text("test"),
        secret_key: text("test"),
    })
}

#[expect(clippy::print_stderr, reason = "a test that is left out should say so")]
fn test_server_url(variable: &str) -> Option<String> {
    let url = std::env::var(variable).ok().filter(|url| !url.is_empty());
    if url.is_none() {
        eprintln!("left out: {variable} is not set; `make test` sets it");
    }
    url
}

async fn execute_postgres(url: &str, sql: &str) {
    let mut connection = PgConnection::connect(url).await.expect("the PostgreSQL server");
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.expect("the statement");
    let _ = connection.close().await;
}

/// Asks a graph of Apache AGE, and gives each row as text.
pub async fn query_graph(url: &str, graph: &str, query: &str, columns: usize) -> Vec<Vec<String>> {
    use sqlx::Row as _;
    let mut connection = PgConnection::connect(url).await.expect("the database");
    let setup = "LOAD 'age'; SET search_path = public, ag_catalog";
    sqlx::raw_sql(AssertSqlSafe(setup.to_owned())).execute(&mut connection).await.expect("AGE");
    let named: Vec<_> = (0..columns).map(|at| format!("c{at} ag_catalog.agtype")).collect();
    let shown: Vec<_> = (0..columns).map(|at| format!("c{at}::text AS c{at}")).collect();
    let sql = format!(
        "SELECT {} FROM ag_catalog.cypher('{graph}', $$ {query} $$) AS ({})",
        shown.join(", "),
        named.join(", ")
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut connection).await.expect("the query");
    let text = |row: &sqlx::postgres::PgRow, at: usize| {
        row.try_get::<Option<String>, _>(at).ok().flatten().unwrap_or_default()
    };
    rows.iter().map(|row| (0..columns).map(|at| text(row, at)).collect()).collect()
}
