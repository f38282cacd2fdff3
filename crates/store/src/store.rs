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
    BlobLocation, Blobs, Clock, Error, Result, Tx,
    disk_syncs::DiskSyncs,
    migrations::postgres_migrator,
    rows::search::WordStatistics,
    sql::Conn,
    sqlite::{Durability, SqliteDatabase},
};

/// Location of the database of a library.
#[derive(Clone, Debug)]
pub enum DatabaseLocation {
    /// Path of the SQLite database file.
    Sqlite(PathBuf),
    Postgres(String),
}

/// Database engine of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// The embedded default, for one machine.
    Sqlite,
    /// The engine for several machines.
    Postgres,
}

impl EngineKind {
    /// Both engines, the default first.
    pub const ALL: [Self; 2] = [Self::Sqlite, Self::Postgres];

    /// Returns the name used on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// Options to open a library with.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    pub database: DatabaseLocation,
    pub blobs: BlobLocation,
    /// A local folder for uploads on their way in.
    pub spool: PathBuf,
    /// Maximum number of connections to PostgreSQL, or of SQLite readers.
    pub connections: u32,
    pub clock: Clock,
}

/// An open library. Cheap to clone.
#[derive(Clone)]
pub struct Store(Arc<StoreInner>);

struct StoreInner {
    engine: DatabasePools,
    blobs: Blobs,
    clock: Clock,
    signals: Signals,
    /// Folder of the search index; `None` on PostgreSQL, which searches in the database.
    index: Option<PathBuf>,
    word_statistics: WordStatistics,
    disk_syncs: DiskSyncs,
}

enum DatabasePools {
    Sqlite(SqliteDatabase),
    Postgres(sqlx::PgPool),
}

const JOBS_CHANNEL: &str = "ibid_jobs";
const RUNS_CHANNEL: &str = "ibid_runs";
/// Number of event batches that a watcher of a run may lag behind before it must read them from the database.
const SIGNAL_BACKLOG: usize = 64;
/// How long a transaction waits for a free connection to PostgreSQL.
const ACQUIRE: Duration = Duration::from_secs(30);

impl Store {
    /// Opens a library, brings its schema up to date under a lock, and checks that its blobs can be reached.
    pub async fn open(options: StoreOptions) -> Result<Self> {
        let disk_syncs = DiskSyncs::default();
        let engine = match &options.database {
            DatabaseLocation::Sqlite(path) => {
                let database = SqliteDatabase::open(path.clone(), options.connections, disk_syncs.clone());
                DatabasePools::Sqlite(database.await?)
            }
            DatabaseLocation::Postgres(url) => open_postgres(url, options.connections).await?,
        };
        let index = match &options.database {
            DatabaseLocation::Sqlite(path) => Some(path.with_file_name("index")),
            DatabaseLocation::Postgres(_) => None,
        };
        let blobs = Blobs::open(&options.blobs, options.spool, disk_syncs.clone()).await?;
        let store = Self(Arc::new(StoreInner {
            engine,
            blobs,
            clock: options.clock,
            signals: Signals::new(),
            index,
            word_statistics: WordStatistics::default(),
            disk_syncs,
        }));
        let mut tx = store.write().await?;
        tx.ensure_local_owner().await?;
        tx.skip_lost_job_events().await?;
        tx.commit().await?;
        Ok(store)
    }

    /// A transaction that may change rows. Once it is committed its changes survive a power cut.
    pub async fn write(&self) -> Result<Tx> {
        self.begin_write(Durability::Full).await
    }

    /// A transaction whose changes a power cut may take back, for what nobody was promised: that a worker has taken a
    /// job and is at it, how far it has come, how long a lease lasts. Whatever was committed before a durable commit
    /// survives with it, so a power cut takes back only the last of these, and leaves the library as it was at some
    /// moment shortly before. The end of the program, even by `kill -9`, takes nothing back.
    ///
    /// On SQLite this saves waiting for the disk. PostgreSQL waits all the same: it gives the numbers of transactions
    /// that a power cut takes back to others, and job events are read in the order of those numbers.
    pub async fn write_relaxed(&self) -> Result<Tx> {
        self.begin_write(Durability::Relaxed).await
    }

    async fn begin_write(&self, durability: Durability) -> Result<Tx> {
        let mut tx = self.new_transaction(match &self.0.engine {
            DatabasePools::Sqlite(database) => Conn::Sqlite(Box::new(database.write(durability).await?)),
            DatabasePools::Postgres(pool) => Conn::Postgres(pool.begin().await?),
        });
        tx.is_relaxed = durability == Durability::Relaxed;
        Ok(tx)
    }

    /// A transaction that only reads, and sees one state of the library throughout.
    pub async fn read(&self) -> Result<Tx> {
        Ok(self.new_transaction(match &self.0.engine {
            DatabasePools::Sqlite(database) => Conn::Sqlite(Box::new(database.read().await?)),
            DatabasePools::Postgres(pool) => {
                Conn::Postgres(pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?)
            }
        }))
    }

    /// The same for reading a few rows, as fast as can be: on SQLite the caller's own thread does it.
    pub async fn read_inline(&self) -> Result<Tx> {
        match &self.0.engine {
            DatabasePools::Sqlite(database) => {
                Ok(self.new_transaction(Conn::Sqlite(Box::new(database.read_inline().await?))))
            }
            DatabasePools::Postgres(_) => self.read().await,
        }
    }

    /// A transaction that changes many rows. On SQLite the caller's own thread does it, which must be one that nobody
    /// else needs meanwhile.
    pub async fn write_inline(&self) -> Result<Tx> {
        match &self.0.engine {
            DatabasePools::Sqlite(database) => {
                Ok(self.new_transaction(Conn::Sqlite(Box::new(database.write_inline().await?))))
            }
            DatabasePools::Postgres(_) => self.write().await,
        }
    }

    fn new_transaction(&self, conn: Conn) -> Tx {
        Tx {
            conn,
            clock: self.0.clock.clone(),
            signals: self.0.signals.clone(),
            jobs_changed: false,
            library_changed: false,
            run_events: Vec::new(),
            word_statistics: self.0.word_statistics.clone(),
            is_relaxed: false,
        }
    }

    /// Returns the blob store of this library.
    pub fn blobs(&self) -> &Blobs {
        &self.0.blobs
    }

    /// Returns how often this process waited for the disk since it opened the library: commits of SQLite, and files and
    /// folders of blobs. PostgreSQL and S3 wait for their own disks, which are not counted.
    pub fn disk_syncs(&self) -> u64 {
        self.0.disk_syncs.total()
    }

    /// Returns the clock that all timestamps come from.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Returns the engine of the database.
    pub fn engine(&self) -> EngineKind {
        match self.0.engine {
            DatabasePools::Sqlite(_) => EngineKind::Sqlite,
            DatabasePools::Postgres(_) => EngineKind::Postgres,
        }
    }

    /// Asks the database whether it answers.
    pub async fn ping(&self) -> Result<()> {
        match &self.0.engine {
            DatabasePools::Sqlite(database) => {
                database.read_inline().await?.rows("SELECT 1 FROM tenants LIMIT 1", vec![]).await.map(drop)?;
            }
            DatabasePools::Postgres(pool) => sqlx::query("SELECT 1 FROM tenants").execute(pool).await.map(drop)?,
        }
        Ok(())
    }

    /// Asks the database to check its own files and links, and gives what it finds wrong.
    pub async fn check_database(&self) -> Result<Vec<String>> {
        // PostgreSQL enforces links at all times and checks its pages as it reads them.
        match &self.0.engine {
            DatabasePools::Sqlite(database) => database.check().await,
            DatabasePools::Postgres(_) => Ok(vec![]),
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
    pub fn watch_run(&self, run: RunId) -> broadcast::Receiver<RunSignal> {
        self.0.signals.watch_run(run)
    }

    /// Hears of jobs and runs that other processes changed, for as long as it runs. On SQLite nobody tells: watchers
    /// look for themselves from time to time.
    pub async fn listen_for_changes(&self) {
        let DatabasePools::Postgres(pool) = &self.0.engine else { return std::future::pending().await };
        loop {
            let heard = async {
                let mut listener = PgListener::connect_with(pool).await?;
                listener.listen_all([JOBS_CHANNEL, RUNS_CHANNEL]).await?;
                loop {
                    match listener.try_recv().await? {
                        Some(heard) if heard.channel() == RUNS_CHANNEL => {
                            if let Ok(run) = heard.payload().parse() {
                                self.0.signals.run_changed(run, RunSignal::Changed);
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
            DatabasePools::Sqlite(database) => database.close().await,
            DatabasePools::Postgres(pool) => pool.close().await,
        }
    }
}

impl Tx {
    /// Tells every watcher, here and in other processes, that jobs changed, once this is committed.
    pub(crate) async fn signal_jobs_changed(&mut self) -> Result<()> {
        if !self.jobs_changed && self.engine() == EngineKind::Postgres {
            self.execute("SELECT pg_notify($1, '')", crate::sql::params![JOBS_CHANNEL]).await?;
        }
        self.jobs_changed = true;
        Ok(())
    }

    /// Tells those who watch a run what happened, once this is committed.
    pub(crate) async fn signal_run_changed(&mut self, run: RunId, events: &[RunEvent]) -> Result<()> {
        if self.engine() == EngineKind::Postgres {
            self.execute("SELECT pg_notify($1, $2)", crate::sql::params![RUNS_CHANNEL, run.to_string()]).await?;
        }
        self.run_events.push((run, events.into()));
        Ok(())
    }
}

async fn open_postgres(url: &str, connections: u32) -> Result<DatabasePools> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|error| Error::Config(format!("database_url is not a PostgreSQL URL: {error}")))?
        .application_name("ibid");
    let pool =
        PgPoolOptions::new().max_connections(connections.max(2)).acquire_timeout(ACQUIRE).connect_with(options).await?;
    postgres_migrator().run(&pool).await?;
    Ok(DatabasePools::Postgres(pool))
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

/// Message to a watcher of a run.
#[derive(Clone, Debug)]
pub enum RunSignal {
    /// New events of the run, in order.
    Events(Arc<[RunEvent]>),
    /// Something happened, and is to be read.
    Changed,
}

/// Channels that wake the waiting tasks of this process.
#[derive(Clone)]
pub(crate) struct Signals {
    jobs: watch::Sender<u64>,
    library: watch::Sender<u64>,
    runs: Arc<Mutex<HashMap<RunId, broadcast::Sender<RunSignal>>>>,
}

impl Signals {
    fn new() -> Self {
        Self { jobs: watch::Sender::new(0), library: watch::Sender::new(0), runs: Arc::default() }
    }

    fn lock_runs(&self) -> MutexGuard<'_, HashMap<RunId, broadcast::Sender<RunSignal>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch_run(&self, run: RunId) -> broadcast::Receiver<RunSignal> {
        let mut runs = self.lock_runs();
        runs.retain(|_, watchers| watchers.receiver_count() > 0);
        runs.entry(run).or_insert_with(|| broadcast::Sender::new(SIGNAL_BACKLOG)).subscribe()
    }

    pub(crate) fn run_changed(&self, run: RunId, heard: RunSignal) {
        let mut runs = self.lock_runs();
        // Nobody watches any more where nothing can be sent.
        if runs.get(&run).is_some_and(|watchers| watchers.send(heard).is_err()) {
            runs.remove(&run);
        }
    }

    fn every_run_changed(&self) {
        for watchers in self.lock_runs().values() {
            let _ = watchers.send(RunSignal::Changed);
        }
    }

    pub(crate) fn library_changed(&self) {
        self.library.send_modify(|count| *count = count.wrapping_add(1));
    }

    pub(crate) fn jobs_changed(&self) {
        self.jobs.send_modify(|count| *count = count.wrapping_add(1));
    }
}
