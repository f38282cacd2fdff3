//! What can go wrong below the use cases.

use ibid_domain::Problem;

use crate::ThreadFailed;

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
    #[error(transparent)]
    Thread(#[from] ThreadFailed),
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

    /// Returns the problem, if the caller is to blame.
    pub fn as_problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            _ => None,
        }
    }

    /// True if trying again in a moment may help: the database is busy, or the library is being closed.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Busy | Self::Closed | Self::Postgres(sqlx::Error::PoolTimedOut) => true,
            Self::Postgres(error) => is_busy(error),
            Self::Sqlite(error) => error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy),
            _ => false,
        }
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

/// True for too many connections, a lock that is not available, a deadlock, and a serialization failure.
fn is_busy(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    error.code().is_some_and(|code| matches!(code.as_ref(), "53300" | "55P03" | "40P01" | "40001"))
}
