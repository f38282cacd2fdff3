//! Cursor pagination: how every list is walked.

use crate::{Code, Problem};

/// One page of a list, with the cursor of the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The items, in the list's order.
    pub items: Vec<T>,
    /// Cursor of the next page; `None` on the last page.
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// Makes a page of rows that were fetched with a limit of one more than was asked for.
    pub fn from_rows(mut items: Vec<T>, limit: Limit, position: impl Fn(&T) -> Vec<String>) -> Self {
        let more = items.len() > limit.get();
        items.truncate(limit.get());
        let next = if more { items.last().map(|last| Cursor(position(last))) } else { None };
        Self { items, next }
    }

    /// The same page of something else.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(change).collect(), next: self.next }
    }
}

/// Maximum number of items of a page: 1 to 500, default 50.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(u16);

impl Limit {
    /// Largest number of items that a client can ask for.
    pub const MAX: u16 = 500;

    /// Checks that a limit is from 1 to 500.
    pub fn new(limit: i64) -> Result<Self, Problem> {
        match u16::try_from(limit) {
            Ok(limit @ 1..=Self::MAX) => Ok(Self(limit)),
            _ => Err(Problem::new(
                Code::InvalidQuery,
                format!("limit is {limit}; it takes a number from 1 to {}", Self::MAX),
            )
            .with_field("limit")),
        }
    }

    /// Returns the limit as a number of items.
    pub fn get(self) -> usize {
        usize::from(self.0)
    }

    /// One more than asked for, to see whether there is a next page.
    pub fn probe_count(self) -> i64 {
        i64::from(self.0) + 1
    }
}

impl Default for Limit {
    fn default() -> Self {
        Self(50)
    }
}

/// A place in a list: the sort key of the last item of the page before. Opaque to clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(Vec<String>);

impl Cursor {
    /// The parts of the sort key, if there are as many as the list has and each reads as it should.
    pub fn key_parts<const N: usize>(&self) -> Result<[&str; N], Problem> {
        let parts: Vec<_> = self.0.iter().map(String::as_str).collect();
        parts.try_into().map_err(|_| Self::invalid_cursor())
    }

    /// The problem of a cursor that this list did not give out.
    pub fn invalid_cursor() -> Problem {
        Problem::new(Code::InvalidCursor, "cursor is not one that this list gave out; start without one")
            .with_field("cursor")
    }

    /// Encodes the cursor as URL-safe text for a client.
    pub fn encode(&self) -> String {
        let mut out = String::new();
        for (index, part) in self.0.iter().enumerate() {
            if index > 0 {
                out.push('.');
            }
            for byte in part.bytes() {
                if byte.is_ascii_alphanumeric() || byte == b'-' {
                    out.push(byte as char);
                } else {
                    out.push_str(&format!("_{byte:02x}"));
                }
            }
        }
        out
    }

    /// Decodes the text that a client sent back.
    pub fn decode(text: &str) -> Result<Self, Problem> {
        if text.is_empty() || text.len() > 4096 || !text.is_ascii() {
            return Err(Self::invalid_cursor());
        }
        text.split('.').map(decode_part).collect::<Option<_>>().map(Self).ok_or_else(Self::invalid_cursor)
    }
}

fn decode_part(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'_' => {
                let (high, low) = (rest.next()? as char, rest.next()? as char);
                bytes.push((high.to_digit(16)? * 16 + low.to_digit(16)?) as u8);
            }
            byte if byte.is_ascii_alphanumeric() || byte == b'-' => bytes.push(byte),
            _ => return None,
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cursor_survives_the_way_to_the_client_and_back(parts in prop::collection::vec(".{1,20}", 1..4)) {
            let cursor = Cursor(parts);
            prop_assert_eq!(Cursor::decode(&cursor.encode()).unwrap(), cursor);
        }

        #[test]
        fn no_text_makes_decoding_panic(text in ".{0,40}") {
            let _ = Cursor::decode(&text);
        }
    }

    #[test]
    fn limits_are_checked() {
        assert!(Limit::new(0).is_err() && Limit::new(501).is_err() && Limit::new(-1).is_err());
        assert_eq!(Limit::new(500).unwrap().get(), 500);
    }
}
