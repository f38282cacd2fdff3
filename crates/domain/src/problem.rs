//! An error that the caller can understand and do something about.

use std::fmt;

use serde_json::Value;

use crate::{Code, JsonObject};

/// An error for the caller: a [`Code`], a sentence about this case, and the field it concerns.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The row of the error table.
    pub code: Code,
    /// A sentence about this very case.
    pub detail: String,
    /// The field, parameter or path that was wrong.
    pub field: Option<String>,
    /// Facts a program needs to go on, such as the current value after a conflict.
    pub facts: Box<JsonObject>,
}

impl Problem {
    /// A problem with its sentence.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), field: None, facts: Box::default() }
    }

    /// Says which field was wrong.
    #[must_use]
    pub fn with_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Adds a fact that a program needs to go on.
    #[must_use]
    pub fn with_fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Problem {}

/// A user's text cut to a length that fits into an error message, control characters shown as escapes.
pub fn shorten_for_error(text: &str) -> String {
    let mut out: String = text.chars().take(80).flat_map(char::escape_debug).collect();
    if text.chars().nth(80).is_some() {
        out.push('…');
    }
    out
}
