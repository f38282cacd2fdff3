//! What can go wrong below the use cases.

use ibid_domain::{Code, Problem};

/// The result of anything that touches the store.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the caller, or one of ours.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller asked for something that is not there or not legal; it can be told so.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// PostgreSQL failed or could not be reached.
    #[error("PostgreSQL: {0}")]
    Postgres(#[from] sqlx::Error),
    /// SQLite failed.
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The schema cannot be brought to the version that this program needs.
    #[error("migration: {0}")]
    Migration(String),
    /// A transaction waited too long for its turn.
    #[error("the database is busy")]
    Busy,
    /// Work on a thread of its own panicked or was cancelled.
    #[error("a background task failed: {0}")]
    Panicked(String),
    /// The library was closed while it was in use.
    #[error("the database is closed")]
    Closed,
    #[error("blob store: {0}")]
    Blob(#[from] object_store::Error),
    /// A file could not be read or written.
    #[error("{what}: {source}")]
    Io {
        /// Description of the failed operation, such as `open /data/ibid.lock`.
        what: String,
        source: std::io::Error,
    },
    /// A row holds what no version of this program writes.
    #[error("corrupt row: {0}")]
    Corrupt(String),
    /// The settings name something that cannot work.
    #[error("{0}")]
    Config(String),
}

impl Error {
    /// An I/O error with what was being done.
    pub fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    /// The problem as a client may see it; the cause of an internal error is for the log only.
    pub fn to_problem(&self) -> Problem {
        match self {
            Self::Problem(problem) => problem.clone(),
            Self::Busy | Self::Postgres(sqlx::Error::PoolTimedOut) => busy(),
            Self::Postgres(error) if is_busy(error) => busy(),
            Self::Sqlite(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => busy(),
            Self::Closed => Problem::new(Code::Unavailable, "the server is shutting down; try again in a moment"),
            Self::Blob(_) => Problem::new(Code::StorageFailed, "the blob store did not answer as it should"),
            _ => Problem::new(Code::Internal, "something went wrong inside the server; the log has the cause"),
        }
    }

    /// True if the caller is to blame, so that nothing needs to be logged.
    pub fn is_problem(&self) -> bool {
        matches!(self, Self::Problem(_))
    }

    /// True if a row was refused because another row still names it, or because it names a missing row.
    pub(crate) fn is_foreign_key_violation(&self) -> bool {
        match self {
            Self::Postgres(sqlx::Error::Database(error)) => error.is_foreign_key_violation(),
            Self::Sqlite(rusqlite::Error::SqliteFailure(error, _)) => {
                error.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY
            }
            _ => false,
        }
    }
}

impl From<sqlx::migrate::MigrateError> for Error {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        Self::Migration(error.to_string())
    }
}

fn busy() -> Problem {
    Problem::new(Code::Unavailable, "the database is busy; try again in a moment")
}

/// True for too many connections, a lock that is not available, a deadlock, and a serialization failure.
fn is_busy(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    error.code().is_some_and(|code| matches!(code.as_ref(), "53300" | "55P03" | "40P01" | "40001"))
}
