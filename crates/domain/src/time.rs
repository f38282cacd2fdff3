//! Points in time, to the microsecond, in UTC.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// A point in time. Both engines keep microseconds, so that is all it ever holds: what is read back equals what
/// was written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "jiff::Timestamp", from = "jiff::Timestamp")]
pub struct Timestamp(i64);

impl Timestamp {
    /// From microseconds since 1970.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Returns microseconds since 1970-01-01 UTC.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Returns the time that is later by `span`.
    pub fn later_by(self, span: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }

    /// Returns the time that is earlier by `span`.
    pub fn earlier_by(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }

    /// Returns the duration from `earlier` to this; zero if `earlier` is not before it.
    pub fn duration_since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl Timestamp {
    /// A time as RFC 3339 writes it.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(Self::from)
    }
}

impl From<jiff::Timestamp> for Timestamp {
    fn from(time: jiff::Timestamp) -> Self {
        Self(time.as_microsecond())
    }
}

impl From<Timestamp> for jiff::Timestamp {
    fn from(time: Timestamp) -> Self {
        Self::from_microsecond(time.0).unwrap_or(if time.0 < 0 { Self::MIN } else { Self::MAX })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&jiff::Timestamp::from(*self), f)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_as_rfc_3339_in_utc() {
        let time = Timestamp::from_micros(1_700_000_000_123_456);
        assert_eq!(serde_json::to_string(&time).unwrap(), r#""2023-11-14T22:13:20.123456Z""#);
        let read: Timestamp = serde_json::from_str(r#""2023-11-14T23:13:20.1234567+01:00""#).unwrap();
        assert_eq!(read, time);
    }
}
