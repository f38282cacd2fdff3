//! The mutable name of a manifest, with its history.

use std::str::FromStr;

use uuid::Uuid;

use crate::{Code, JsonObject, PointerId, Problem, Sha256, Timestamp, UserId, problem::shorten_for_error};

/// A name that stands for a manifest and can be moved to another, by compare-and-swap only.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// Its id, which outlives a rename.
    pub id: PointerId,
    pub name: PointerName,
    /// The manifest it stands for; none before the first advance.
    pub manifest: Option<Sha256>,
    pub pointer_type: PointerType,
    /// Description for people, if one was given.
    pub description: Option<String>,
    /// Free-form facts set by clients.
    pub meta: JsonObject,
    /// User who created it; `None` for the system.
    pub created_by: Option<UserId>,
    pub created_at: Timestamp,
    /// Time of the last move or change of details.
    pub updated_at: Timestamp,
}

/// One entry in the history of a pointer.
#[derive(Clone, Debug, PartialEq)]
pub struct PointerMove {
    pub id: Uuid,
    /// The how-manieth move of the pointer it is, from 1.
    pub seq: u64,
    /// Manifest before the move; `None` for the first.
    pub from: Option<Sha256>,
    /// Manifest that the pointer named after the move.
    pub to: Option<Sha256>,
    /// Explanation given by the caller.
    pub reason: Option<String>,
    /// User who moved it; `None` for the system.
    pub changed_by: Option<UserId>,
    pub created_at: Timestamp,
}

/// Purpose of a pointer, for people and filters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PointerType {
    /// Things that belong together, such as a deliverable.
    #[default]
    Bundle,
    /// A growing body of documents.
    Corpus,
    /// A state that is not meant to move on.
    Snapshot,
}

impl PointerType {
    /// All types, in the order shown to clients.
    pub const ALL: [Self; 3] = [Self::Bundle, Self::Corpus, Self::Snapshot];

    /// Returns the name used on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bundle => "bundle",
            Self::Corpus => "corpus",
            Self::Snapshot => "snapshot",
        }
    }
}

impl FromStr for PointerType {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| {
            Problem::new(
                Code::PointerTypeUnknown,
                format!("'{}' is not a pointer type; it is one of bundle, corpus, snapshot", shorten_for_error(text)),
            )
            .with_field("pointer_type")
        })
    }
}

/// `namespace` and `name` of a pointer, unique together within a tenant. A name may have segments: `team/weekly`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerName {
    namespace: String,
    name: String,
}

impl PointerName {
    /// Last segments that the HTTP interface uses for itself.
    pub const RESERVED: [&str; 2] = ["advance", "history"];

    /// Checks a namespace and a name; a name has 1 to 255 bytes and no reserved last segment.
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Result<Self, Problem> {
        let (namespace, name) = (namespace.into(), name.into());
        check_namespace(&namespace)?;
        let fail = |reason: &str| {
            Err(Problem::new(
                Code::PointerNameInvalid,
                format!("the pointer name '{}' {reason}", shorten_for_error(&name)),
            )
            .with_field("name"))
        };
        if name.is_empty() || name.len() > 255 {
            return fail("must have 1 to 255 bytes");
        }
        if name.chars().any(char::is_control) {
            return fail("has control characters");
        }
        if name.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return fail("has an empty, '.' or '..' segment");
        }
        if name.rsplit('/').next().is_some_and(|last| Self::RESERVED.contains(&last)) {
            return fail("ends in 'advance' or 'history', which are addresses of their own");
        }
        Ok(Self { namespace, name })
    }

    /// Returns the namespace, which is one segment.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the name within the namespace; it may have several segments.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl std::fmt::Display for PointerName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// Checks a namespace: one segment of 1 to 100 bytes.
pub fn check_namespace(namespace: &str) -> Result<(), Problem> {
    let legal = (1..=100).contains(&namespace.len())
        && !namespace.contains('/')
        && !matches!(namespace, "." | "..")
        && !namespace.chars().any(char::is_control);
    if legal {
        return Ok(());
    }
    Err(Problem::new(
        Code::PointerNameInvalid,
        format!(
            "the namespace '{}' must have 1 to 100 bytes, without '/' or control characters",
            shorten_for_error(namespace)
        ),
    )
    .with_field("namespace"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        let name = PointerName::new("default", "conversation-1/latest-report").unwrap();
        assert_eq!(name.to_string(), "default/conversation-1/latest-report");
        let long = "n".repeat(300);
        for (namespace, name) in [
            ("", "a"),
            ("a/b", "c"),
            ("a", ""),
            ("a", "/b"),
            ("a", "b/"),
            ("a", "b//c"),
            ("a", "../b"),
            ("a", "b/history"),
            ("a", "advance"),
            ("a", "b\0"),
            ("a", &long),
            (&long, "a"),
        ] {
            let problem = PointerName::new(namespace, name).unwrap_err();
            assert_eq!(problem.code, Code::PointerNameInvalid, "{namespace:?} {name:?}");
        }
    }
}
