//! What can go wrong in a use case.

use ibid_domain::{Code, Problem};
use ibid_store::{JobError, ThreadFailed};

/// The result of a use case.
pub type Result<T, E = Error> = std::result::Result<T, E>;

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// An error that the caller can understand, or one that is ours.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller asked for something that does not exist or is not allowed, and is told so.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// Something failed that should not have. The caller is told nothing of the cause; the log has all of it.
    #[error("cannot {what}")]
    Internal {
        /// The step that failed, as an infinitive: `read the blob store`.
        what: String,
        /// The error of that step, with its own causes.
        source: Cause,
    },
    /// Stored data is not what any version of this program writes.
    #[error("{what} is corrupt: {id}")]
    Corrupt {
        /// The kind of thing: `artifact`, `version of a document`.
        what: &'static str,
        /// Its id or hash, or the words that describe it.
        id: String,
    },
    /// Something that usually answers does not now. Trying again later may help.
    #[error("{what} is not available")]
    Unavailable {
        /// The part that does not answer: `the database`.
        what: &'static str,
        /// The reason, where one is known.
        source: Option<Cause>,
    },
}

impl Error {
    /// Makes an internal error of the cause of a failed step: `.map_err(Error::internal("write the archive"))`.
    pub fn internal<E: Into<Cause>>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        let what = what.into();
        move |source| Self::Internal { what, source: source.into() }
    }

    /// Makes the error of stored data that cannot be read.
    pub fn corrupt(what: &'static str, id: impl std::fmt::Display) -> Self {
        Self::Corrupt { what, id: id.to_string() }
    }

    /// Returns the problem as a client may see it. The cause of an internal error is for the log only.
    pub fn to_problem(&self) -> Problem {
        match self {
            Self::Problem(problem) => problem.clone(),
            Self::Unavailable { what, .. } => {
                Problem::new(Code::Unavailable, format!("{what} is busy or not reachable; try again in a moment"))
            }
            Self::Internal { source, .. } if is_blob_failure(source) => {
                Problem::new(Code::StorageFailed, "the blob store did not answer as it should")
            }
            Self::Internal { .. } | Self::Corrupt { .. } => {
                Problem::new(Code::Internal, "something went wrong inside the server; the log has the cause")
            }
        }
    }

    /// True if the caller is to blame and nothing needs to be logged.
    pub fn is_problem(&self) -> bool {
        matches!(self, Self::Problem(_))
    }

    /// Returns the error with all of its causes in one line, for the log.
    pub fn with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let line = error.to_string();
            // Some errors repeat their cause in their own words.
            if !text.ends_with(&line) {
                text = format!("{text}: {line}");
            }
            cause = error.source();
        }
        text
    }
}

fn is_blob_failure(cause: &Cause) -> bool {
    matches!(cause.downcast_ref(), Some(ibid_store::Error::Blob(_)))
}

impl From<ibid_store::Error> for Error {
    fn from(error: ibid_store::Error) -> Self {
        match error {
            ibid_store::Error::Problem(problem) => Self::Problem(problem),
            ibid_store::Error::Corrupt(id) => Self::Corrupt { what: "a row", id },
            error if error.is_temporary() => Self::Unavailable { what: "the database", source: Some(error.into()) },
            error => Self::Internal { what: "use the store".to_owned(), source: error.into() },
        }
    }
}

impl From<Error> for JobError {
    fn from(error: Error) -> Self {
        Self::Retry(error.with_causes())
    }
}

impl From<ThreadFailed> for Error {
    fn from(error: ThreadFailed) -> Self {
        Self::Internal { what: "finish work on a background thread".to_owned(), source: error.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_internal_error_keeps_its_causes_and_tells_the_caller_none() {
        let cause = std::io::Error::other("disk full");
        let error = Error::from(ibid_store::Error::io("write to the spool")(cause));
        assert!(error.with_causes().starts_with("cannot use the store: "), "{}", error.with_causes());
        assert!(error.with_causes().ends_with("disk full"));
        assert_eq!(error.to_problem().code, Code::Internal);
        assert!(!error.to_problem().detail.contains("disk"));
    }

    #[test]
    fn a_busy_database_is_unavailable_and_a_problem_stays_one() {
        let busy = Error::from(ibid_store::Error::Busy);
        assert_eq!(busy.to_problem().code, Code::Unavailable);
        let problem = Problem::new(Code::NotFound, "there is no source");
        assert!(Error::from(ibid_store::Error::Problem(problem)).is_problem());
    }
}
