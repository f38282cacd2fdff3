//! SQLite through rusqlite: one writer thread, and readers on the caller's own thread.
//!
//! Handing a statement to another thread and its rows back costs more than most reads take, so reads run where they are
//! asked for. Writes wait for the disk, so they run on a thread of their own: no thread of the async runtime ever waits
//! for an fsync. Turns are given in the order in which they were asked for.
//!
//! All commits go to one write-ahead log, each checked by a checksum that includes those before it. So a power cut leaves
//! a beginning of the log: whatever survives, everything committed before it does, too.

mod connection;
mod migrate;
mod writer;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::{
    connection::{Access, Connection},
    writer::{Writer, WriterTransaction},
};
pub(crate) use connection::{Durability, SqliteRow};

use crate::{
    Error, Result,
    blocking::{run_blocking, run_in_place},
    disk_syncs::DiskSyncs,
    sql::SqlValue,
    store::create_private_folder,
};

/// How long a transaction waits for its turn, and for other processes that write to the same file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// Read transactions open at the same time. Each has a connection of about 2 MB.
const CONCURRENT_READERS: usize = 64;

/// An open SQLite database. Cheap to clone.
#[derive(Clone)]
pub(crate) struct SqliteDatabase {
    readers: Arc<Readers>,
    writer: Writer,
}

/// Connections for reading, opened when they are needed and kept for the next reader.
struct Readers {
    path: PathBuf,
    turns: Arc<Semaphore>,
    idle: Mutex<Vec<Connection>>,
    /// Idle connections kept open.
    keep: usize,
}

impl SqliteDatabase {
    /// Opens a database file and brings its schema up to date.
    pub(crate) async fn open(path: PathBuf, idle_readers: u32, disk_syncs: DiskSyncs) -> Result<Self> {
        if let Some(folder) = path.parent() {
            create_private_folder(folder)?;
        }
        let writer = {
            let path = path.clone();
            run_blocking(move || open_writer(&path)).await??
        };
        let readers = Readers {
            path: path.clone(),
            turns: Arc::new(Semaphore::new(CONCURRENT_READERS)),
            idle: Mutex::default(),
            keep: usize::try_from(idle_readers).unwrap_or(usize::MAX).max(1),
        };
        Ok(Self { readers: Arc::new(readers), writer: Writer::start(path, writer, disk_syncs)? })
    }

    /// Begins a transaction that reads on the caller's thread and sees one state of the library throughout.
    pub(crate) async fn read(&self) -> Result<SqliteTransaction> {
        Ok(SqliteTransaction::Reader(self.begin_read(false).await?))
    }

    /// Does the same for statements that take less than a millisecond: the runtime is not told that a thread is busy.
    pub(crate) async fn read_inline(&self) -> Result<SqliteTransaction> {
        Ok(SqliteTransaction::Reader(self.begin_read(true).await?))
    }

    async fn begin_read(&self, is_short: bool) -> Result<Reader> {
        let turn = self.readers.turns.clone().acquire_owned();
        let turn =
            tokio::time::timeout(BUSY_TIMEOUT, turn).await.map_err(|_| Error::Busy)?.map_err(|_| Error::Closed)?;
        let idle = self.readers.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => Connection::open(&self.readers.path, Access::Read, BUSY_TIMEOUT)?,
        };
        connection.run("BEGIN")?;
        Ok(Reader { connection: Some(connection), readers: self.readers.clone(), is_short, _turn: turn })
    }

    /// Begins a transaction that writes; its statements run on the writer thread.
    pub(crate) async fn write(&self, durability: Durability) -> Result<SqliteTransaction> {
        Ok(SqliteTransaction::Writer(self.writer.begin(durability).await?))
    }

    /// Begins a transaction that writes on the caller's thread, for many rows at once. Nobody else may need that thread
    /// until the transaction ends.
    pub(crate) async fn write_inline(&self) -> Result<SqliteTransaction> {
        Ok(SqliteTransaction::Writer(self.writer.begin_inline().await?))
    }

    /// Lists what SQLite finds wrong with its own file.
    pub(crate) async fn check(&self) -> Result<Vec<String>> {
        let mut tx = self.read().await?;
        let mut wrong = Vec::new();
        for row in tx.rows("PRAGMA integrity_check", vec![]).await? {
            wrong.extend(row.text("integrity_check")?.filter(|line| *line != "ok").map(str::to_owned));
        }
        for row in tx.rows("PRAGMA foreign_key_check", vec![]).await? {
            let (table, parent) = (row.text("table")?.unwrap_or("?"), row.text("parent")?.unwrap_or("?"));
            wrong.push(format!("a row of {table} names a row of {parent} that does not exist"));
        }
        Ok(wrong)
    }

    /// Waits for the write that is going on, then closes every connection.
    pub(crate) async fn close(&self) {
        self.readers.turns.close();
        self.readers.idle().clear();
        self.writer.close().await;
    }
}

/// Opens the writer's connection; only one process migrates at a time.
fn open_writer(path: &Path) -> Result<Connection> {
    let lock_path = path.with_extension("lock");
    let lock = std::fs::File::create(&lock_path).map_err(Error::io(format!("open {}", lock_path.display())))?;
    lock.lock().map_err(Error::io(format!("lock {}", lock_path.display())))?;
    let mut connection = Connection::open(path, Access::Write, BUSY_TIMEOUT)?;
    migrate::run(&mut connection)?;
    Ok(connection)
}

impl Readers {
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back(&self, connection: Connection) {
        if self.turns.is_closed() || connection.run("ROLLBACK").is_err() {
            return;
        }
        let mut idle = self.idle();
        if idle.len() < self.keep {
            idle.push(connection);
        }
    }
}

/// A transaction of SQLite. Dropping it without [`SqliteTransaction::commit`] undoes everything.
pub(crate) enum SqliteTransaction {
    Reader(Reader),
    Writer(WriterTransaction),
}

/// A read transaction with its connection.
pub(crate) struct Reader {
    connection: Option<Connection>,
    readers: Arc<Readers>,
    /// Statements take less than a millisecond each.
    is_short: bool,
    _turn: OwnedSemaphorePermit,
}

impl Reader {
    fn with_connection<T>(&mut self, run: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
        let connection = self.connection.as_mut().ok_or(Error::Closed)?;
        if self.is_short { run(connection) } else { run_in_place(|| run(connection)) }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.readers.give_back(connection);
        }
    }
}

impl SqliteTransaction {
    /// Runs a statement and returns the number of rows it changed.
    pub(crate) async fn execute(&mut self, sql: &str, values: Vec<SqlValue>) -> Result<u64> {
        match self {
            Self::Reader(reader) => reader.with_connection(|connection| connection.execute(sql, values)),
            Self::Writer(writer) => writer.execute(sql, values).await,
        }
    }

    /// Returns all rows of a statement.
    pub(crate) async fn rows(&mut self, sql: &str, values: Vec<SqlValue>) -> Result<Vec<SqliteRow>> {
        match self {
            Self::Reader(reader) => reader.with_connection(|connection| connection.rows(sql, values)),
            Self::Writer(writer) => writer.rows(sql, values).await,
        }
    }

    /// Makes the changes seen by others. What they survive is said by the [`Durability`] of the transaction.
    pub(crate) async fn commit(self) -> Result<()> {
        match self {
            Self::Reader(_) => Ok(()),
            Self::Writer(writer) => writer.commit().await,
        }
    }
}
