//! The one connection that writes, and the thread it lives on.

use std::{path::PathBuf, sync::Arc};

use tokio::sync::{Mutex, OwnedMutexGuard, mpsc, oneshot};

use super::{
    BUSY_TIMEOUT,
    connection::{Access, Connection, Durability, SqliteRow},
};
use crate::{Error, Result, disk_syncs::DiskSyncs, sql::SqlValue};

/// Hands out write transactions one after the other. Cheap to clone.
#[derive(Clone)]
pub(super) struct Writer {
    path: PathBuf,
    /// Held by the transaction that is going on.
    turn: Arc<Mutex<Turn>>,
    disk_syncs: DiskSyncs,
}

struct Turn {
    /// `None` once the database is closed.
    statements: Option<mpsc::UnboundedSender<Statement>>,
    /// Connection of inline transactions, while none is going on.
    inline: Option<Connection>,
}

/// What the writer thread is asked to do, with where the result goes.
enum Statement {
    Execute(String, Vec<SqlValue>, oneshot::Sender<Result<u64>>),
    Rows(String, Vec<SqlValue>, oneshot::Sender<Result<Vec<SqliteRow>>>),
    Begin(Durability, oneshot::Sender<Result<()>>),
    /// Replies whether there was anything to commit.
    Commit(oneshot::Sender<Result<bool>>),
    /// The transaction was dropped: nobody waits for the result.
    RollBack,
}

impl Writer {
    /// Starts the writer thread with its connection.
    pub(super) fn start(path: PathBuf, connection: Connection, disk_syncs: DiskSyncs) -> Result<Self> {
        let (statements, receiver) = mpsc::unbounded_channel();
        std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || run_statements(connection, receiver))
            .map_err(Error::io("start the writer thread"))?;
        let turn = Arc::new(Mutex::new(Turn { statements: Some(statements), inline: None }));
        Ok(Self { path, turn, disk_syncs })
    }

    async fn take_turn(&self) -> Result<OwnedMutexGuard<Turn>> {
        tokio::time::timeout(BUSY_TIMEOUT, self.turn.clone().lock_owned()).await.map_err(|_| Error::Busy)
    }

    /// Begins a transaction whose statements run on the writer thread.
    pub(super) async fn begin(&self, durability: Durability) -> Result<WriterTransaction> {
        let turn = self.take_turn().await?;
        let statements = turn.statements.clone().ok_or(Error::Closed)?;
        // If this future is dropped while the thread begins, the transaction is dropped too and rolls back.
        let transaction = self.transaction(StatementPlace::Thread(statements.clone()), turn, durability);
        ask(&statements, |reply| Statement::Begin(durability, reply)).await?;
        Ok(transaction)
    }

    fn transaction(
        &self,
        place: StatementPlace,
        turn: OwnedMutexGuard<Turn>,
        durability: Durability,
    ) -> WriterTransaction {
        let disk_syncs = (durability == Durability::Full).then(|| self.disk_syncs.clone());
        WriterTransaction { place, turn: Some(turn), ended: false, disk_syncs }
    }

    /// Begins a transaction whose statements run on the caller's thread.
    pub(super) async fn begin_inline(&self) -> Result<WriterTransaction> {
        let mut turn = self.take_turn().await?;
        if turn.statements.is_none() {
            return Err(Error::Closed);
        }
        let mut connection = match turn.inline.take() {
            Some(connection) => connection,
            None => Connection::open(&self.path, Access::Write, BUSY_TIMEOUT)?,
        };
        connection.begin_write(Durability::Full)?;
        Ok(self.transaction(StatementPlace::Inline(Some(connection)), turn, Durability::Full))
    }

    /// Waits for the transaction that is going on, then ends the thread.
    pub(super) async fn close(&self) {
        let mut turn = self.turn.lock().await;
        *turn = Turn { statements: None, inline: None };
    }
}

/// A write transaction. Dropping it undoes everything.
pub(crate) struct WriterTransaction {
    place: StatementPlace,
    turn: Option<OwnedMutexGuard<Turn>>,
    ended: bool,
    /// Counts the commit; `None` if it does not wait for the disk.
    disk_syncs: Option<DiskSyncs>,
}

/// Where the statements of a transaction run.
enum StatementPlace {
    Thread(mpsc::UnboundedSender<Statement>),
    Inline(Option<Connection>),
}

impl WriterTransaction {
    pub(super) async fn execute(&mut self, sql: &str, values: Vec<SqlValue>) -> Result<u64> {
        match &mut self.place {
            StatementPlace::Thread(statements) => {
                ask(statements, |reply| Statement::Execute(sql.to_owned(), values, reply)).await
            }
            StatementPlace::Inline(Some(connection)) => connection.execute(sql, values),
            StatementPlace::Inline(None) => Err(Error::Closed),
        }
    }

    pub(super) async fn rows(&mut self, sql: &str, values: Vec<SqlValue>) -> Result<Vec<SqliteRow>> {
        match &mut self.place {
            StatementPlace::Thread(statements) => {
                ask(statements, |reply| Statement::Rows(sql.to_owned(), values, reply)).await
            }
            StatementPlace::Inline(Some(connection)) => connection.rows(sql, values),
            StatementPlace::Inline(None) => Err(Error::Closed),
        }
    }

    pub(super) async fn commit(mut self) -> Result<()> {
        let has_changes = match &mut self.place {
            StatementPlace::Thread(statements) => ask(statements, Statement::Commit).await?,
            StatementPlace::Inline(Some(connection)) => connection.commit()?,
            StatementPlace::Inline(None) => return Err(Error::Closed),
        };
        self.ended = true;
        if let Some(syncs) = self.disk_syncs.as_ref().filter(|_| has_changes) {
            syncs.count();
        }
        Ok(())
    }
}

impl Drop for WriterTransaction {
    fn drop(&mut self) {
        match &mut self.place {
            // The next transaction's statements come after this one on the same channel.
            StatementPlace::Thread(statements) if !self.ended => drop(statements.send(Statement::RollBack)),
            StatementPlace::Thread(_) => {}
            StatementPlace::Inline(connection) => {
                let usable = connection.take().filter(|connection| self.ended || connection.run("ROLLBACK").is_ok());
                if let (Some(turn), Some(connection)) = (&mut self.turn, usable) {
                    turn.inline = Some(connection);
                }
            }
        }
    }
}

/// Sends a statement to the writer thread and waits for its result.
async fn ask<T>(
    statements: &mpsc::UnboundedSender<Statement>,
    statement: impl FnOnce(oneshot::Sender<Result<T>>) -> Statement,
) -> Result<T> {
    let (reply, result) = oneshot::channel();
    statements.send(statement(reply)).map_err(|_| Error::Closed)?;
    result.await.map_err(|_| Error::Closed)?
}

/// The writer thread: runs statements in the order in which they come, until the database is closed.
fn run_statements(mut connection: Connection, mut statements: mpsc::UnboundedReceiver<Statement>) {
    while let Some(statement) = statements.blocking_recv() {
        match statement {
            Statement::Execute(sql, values, reply) => drop(reply.send(connection.execute(&sql, values))),
            Statement::Rows(sql, values, reply) => drop(reply.send(connection.rows(&sql, values))),
            Statement::Begin(durability, reply) => drop(reply.send(connection.begin_write(durability))),
            Statement::Commit(reply) => drop(reply.send(connection.commit())),
            Statement::RollBack => {
                // It fails where SQLite has rolled back already, after a full disk for example.
                if let Err(error) = connection.run("ROLLBACK") {
                    tracing::debug!(%error, "nothing to roll back");
                }
            }
        }
    }
}
