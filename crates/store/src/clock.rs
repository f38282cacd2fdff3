//! The only place that reads the time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use ibid_domain::Timestamp;

/// Source of the current time, so that tests can set it.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    #[default]
    System,
    /// Time set by a test, in microseconds since 1970.
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands still until it is moved.
    pub fn manual(start: Timestamp) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(start.as_micros())))
    }

    /// The time now, to the microsecond.
    #[expect(clippy::disallowed_methods, reason = "this is the module that may")]
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
            }
            Self::Manual(micros) => Timestamp::from_micros(micros.load(Ordering::SeqCst)),
        }
    }

    /// Moves a manual clock on; the machine's clock moves by itself.
    pub fn advance(&self, span: Duration) {
        if let Self::Manual(micros) = self {
            micros.fetch_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX), Ordering::SeqCst);
        }
    }
}
