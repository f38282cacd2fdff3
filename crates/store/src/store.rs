//! Opening a library: its database, its blobs and its signals.

use std::{
    collections::HashMap,
    path::PathBuf,
    str::FromStr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ibid_domain::{RunEvent, RunId};
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use tokio::sync::{broadcast, watch};

use crate::{
    BlobLocation, Blobs, Clock, Error, Result, Tx, migrations::postgres_migrator, rows::search::WordStatistics,
    sql::Conn, sqlite::SqliteDatabase,
};

/// Where the rows are.
#[derive(Clone, Debug)]
pub enum DatabaseLocation {
    /// A file.
    Sqlite(PathBuf),
    /// A PostgreSQL URL.
    Postgres(String),
}

/// Which of the two engines holds the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// The embedded default.
    Sqlite,
    /// For more than one machine.
    Postgres,
}

impl EngineKind {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// What a library is opened with.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// Where the rows are.
    pub database: DatabaseLocation,
    /// Where the blobs are.
    pub blobs: BlobLocation,
    /// A local folder for uploads on their way in.
    pub spool: PathBuf,
    /// How many connections to PostgreSQL, or readers of SQLite.
    pub connections: u32,
    /// Where the time comes from.
    pub clock: Clock,
}

/// An open library. Cheap to clone.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    engine: Engine,
    blobs: Blobs,
    clock: Clock,
    signals: Signals,
    /// Where the search index lies, if there is one beside the database.
    index: Option<PathBuf>,
    word_statistics: WordStatistics,
}

enum Engine {
    Sqlite(SqliteDatabase),
    Postgres(sqlx::PgPool),
}

const JOBS_CHANNEL: &str = "ibid_jobs";
const RUNS_CHANNEL: &str = "ibid_runs";
/// How many batches of events a watcher of a run may lag behind before it has to read them.
const HEARD: usize = 64;
/// How long a transaction waits for a free connection to PostgreSQL.
const ACQUIRE: Duration = Duration::from_secs(30);

impl Store {
    /// Opens a library, brings its schema up to date under a lock, and checks that its blobs can be reached.
    pub async fn open(options: StoreOptions) -> Result<Self> {
        let engine = match &options.database {
            DatabaseLocation::Sqlite(path) => {
                Engine::Sqlite(SqliteDatabase::open(path.clone(), options.connections).await?)
            }
            DatabaseLocation::Postgres(url) => open_postgres(url, options.connections).await?,
        };
        let index = match &options.database {
            DatabaseLocation::Sqlite(path) => Some(path.with_file_name("index")),
            DatabaseLocation::Postgres(_) => None,
        };
        let blobs = Blobs::open(&options.blobs, options.spool).await?;
        let store = Self(Arc::new(Inner {
            engine,
            blobs,
            clock: options.clock,
            signals: Signals::new(),
            index,
            word_statistics: WordStatistics::default(),
        }));
        let mut tx = store.write().await?;
        tx.ensure_local_owner().await?;
        tx.commit().await?;
        Ok(store)
    }

    /// A transaction that may change rows.
    pub async fn write(&self) -> Result<Tx> {
        Ok(self.tx(match &self.0.engine {
            Engine::Sqlite(database) => Conn::Sqlite(Box::new(database.write().await?)),
            Engine::Postgres(pool) => Conn::Postgres(pool.begin().await?),
        }))
    }

    /// A transaction that only reads, and sees one state of the library throughout.
    pub async fn read(&self) -> Result<Tx> {
        Ok(self.tx(match &self.0.engine {
            Engine::Sqlite(database) => Conn::Sqlite(Box::new(database.read().await?)),
            Engine::Postgres(pool) => {
                Conn::Postgres(pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?)
            }
        }))
    }

    /// The same for reading a few rows, as fast as can be: on SQLite the caller's own thread does it.
    pub async fn look(&self) -> Result<Tx> {
        match &self.0.engine {
            Engine::Sqlite(database) => Ok(self.tx(Conn::Sqlite(Box::new(database.read_inline().await?)))),
            Engine::Postgres(_) => self.read().await,
        }
    }

    /// A transaction that changes many rows. On SQLite the caller's own thread does it, which must be one that nobody
    /// else needs meanwhile.
    pub async fn write_many(&self) -> Result<Tx> {
        match &self.0.engine {
            Engine::Sqlite(database) => Ok(self.tx(Conn::Sqlite(Box::new(database.write_inline().await?)))),
            Engine::Postgres(_) => self.write().await,
        }
    }

    fn tx(&self, conn: Conn) -> Tx {
        Tx {
            conn,
            clock: self.0.clock.clone(),
            signals: self.0.signals.clone(),
            jobs_changed: false,
            library_changed: false,
            run_events: Vec::new(),
            word_statistics: self.0.word_statistics.clone(),
        }
    }

    /// The blobs of this library.
    pub fn blobs(&self) -> &Blobs {
        &self.0.blobs
    }

    /// The clock of this library.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Which engine holds the rows.
    pub fn engine(&self) -> EngineKind {
        match self.0.engine {
            Engine::Sqlite(_) => EngineKind::Sqlite,
            Engine::Postgres(_) => EngineKind::Postgres,
        }
    }

    /// Asks the database whether it answers.
    pub async fn ping(&self) -> Result<()> {
        match &self.0.engine {
            Engine::Sqlite(database) => {
                database.read_inline().await?.rows("SELECT 1 FROM tenants LIMIT 1", vec![]).await.map(drop)?;
            }
            Engine::Postgres(pool) => sqlx::query("SELECT 1 FROM tenants").execute(pool).await.map(drop)?,
        }
        Ok(())
    }

    /// Asks the database to check its own files and links, and gives what it finds wrong.
    pub async fn check_database(&self) -> Result<Vec<String>> {
        // PostgreSQL enforces links at all times and checks its pages as it reads them.
        match &self.0.engine {
            Engine::Sqlite(database) => database.check().await,
            Engine::Postgres(_) => Ok(vec![]),
        }
    }

    /// The folder of the search index beside the database, if the engine has one.
    pub fn index_folder(&self) -> Option<&std::path::Path> {
        self.0.index.as_deref()
    }

    /// Changes each time something was logged for the search index by this process.
    pub fn library_changed(&self) -> watch::Receiver<u64> {
        self.0.signals.library.subscribe()
    }

    /// Changes each time a job may have changed.
    pub fn jobs_changed(&self) -> watch::Receiver<u64> {
        self.0.signals.jobs.subscribe()
    }

    /// Hears what happens in a run from now on: the events themselves where this process writes them down, else that
    /// there are some.
    pub fn watch_run(&self, run: RunId) -> broadcast::Receiver<Heard> {
        self.0.signals.watch_run(run)
    }

    /// Hears of jobs and runs that other processes changed, for as long as it runs. On SQLite nobody tells: watchers
    /// look for themselves from time to time.
    pub async fn listen(&self) {
        let Engine::Postgres(pool) = &self.0.engine else { return std::future::pending().await };
        loop {
            let heard = async {
                let mut listener = PgListener::connect_with(pool).await?;
                listener.listen_all([JOBS_CHANNEL, RUNS_CHANNEL]).await?;
                loop {
                    match listener.try_recv().await? {
                        Some(heard) if heard.channel() == RUNS_CHANNEL => {
                            if let Ok(run) = heard.payload().parse() {
                                self.0.signals.run_changed(run, Heard::Look);
                            }
                        }
                        Some(_) => self.0.signals.jobs_changed(),
                        // The connection was lost and made again: something may have been missed.
                        None => {
                            self.0.signals.jobs_changed();
                            self.0.signals.every_run_changed();
                        }
                    }
                }
            };
            let lost: Result<(), sqlx::Error> = heard.await;
            if let Err(error) = lost {
                tracing::warn!(%error, "lost the connection that hears of jobs and runs; trying again");
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    /// Closes every connection, after those in use are given back.
    pub async fn close(&self) {
        match &self.0.engine {
            Engine::Sqlite(database) => database.close().await,
            Engine::Postgres(pool) => pool.close().await,
        }
    }
}

impl Tx {
    /// Tells every watcher, here and in other processes, that jobs changed, once this is committed.
    pub(crate) async fn tell_jobs_changed(&mut self) -> Result<()> {
        if !self.jobs_changed && self.engine() == EngineKind::Postgres {
            self.execute("SELECT pg_notify($1, '')", crate::sql::params![JOBS_CHANNEL]).await?;
        }
        self.jobs_changed = true;
        Ok(())
    }

    /// Tells those who watch a run what happened, once this is committed.
    pub(crate) async fn tell_run_changed(&mut self, run: RunId, events: &[RunEvent]) -> Result<()> {
        if self.engine() == EngineKind::Postgres {
            self.execute("SELECT pg_notify($1, $2)", crate::sql::params![RUNS_CHANNEL, run.to_string()]).await?;
        }
        self.run_events.push((run, events.into()));
        Ok(())
    }
}

async fn open_postgres(url: &str, connections: u32) -> Result<Engine> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|error| Error::Config(format!("database_url is not a PostgreSQL URL: {error}")))?
        .application_name("ibid");
    let pool =
        PgPoolOptions::new().max_connections(connections.max(2)).acquire_timeout(ACQUIRE).connect_with(options).await?;
    postgres_migrator().run(&pool).await?;
    Ok(Engine::Postgres(pool))
}

/// Makes a folder that only its owner can read, as a library may hold anything.
pub(crate) fn create_private_folder(path: &std::path::Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(Error::io(format!("create the folder {}", path.display())))
}

/// What a watcher of a run hears.
#[derive(Clone, Debug)]
pub enum Heard {
    /// These happened.
    Events(Arc<[RunEvent]>),
    /// Something happened, and is to be read.
    Look,
}

/// How those who wait within this process are woken.
#[derive(Clone)]
pub(crate) struct Signals {
    jobs: watch::Sender<u64>,
    library: watch::Sender<u64>,
    runs: Arc<Mutex<HashMap<RunId, broadcast::Sender<Heard>>>>,
}

impl Signals {
    fn new() -> Self {
        Self { jobs: watch::Sender::new(0), library: watch::Sender::new(0), runs: Arc::default() }
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<RunId, broadcast::Sender<Heard>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch_run(&self, run: RunId) -> broadcast::Receiver<Heard> {
        let mut runs = self.runs();
        runs.retain(|_, watchers| watchers.receiver_count() > 0);
        runs.entry(run).or_insert_with(|| broadcast::Sender::new(HEARD)).subscribe()
    }

    pub(crate) fn run_changed(&self, run: RunId, heard: Heard) {
        let mut runs = self.runs();
        // Nobody watches any more where nothing can be sent.
        if runs.get(&run).is_some_and(|watchers| watchers.send(heard).is_err()) {
            runs.remove(&run);
        }
    }

    fn every_run_changed(&self) {
        for watchers in self.runs().values() {
            let _ = watchers.send(Heard::Look);
        }
    }

    pub(crate) fn library_changed(&self) {
        self.library.send_modify(|count| *count = count.wrapping_add(1));
    }

    pub(crate) fn jobs_changed(&self) {
        self.jobs.send_modify(|count| *count = count.wrapping_add(1));
    }
}
