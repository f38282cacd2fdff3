//! The mutable name of a manifest, with its history.

use std::str::FromStr;

use uuid::Uuid;

use crate::{Code, JsonObject, PointerId, Problem, Sha256, Timestamp, UserId, problem::shown};

/// A name that stands for a manifest and can be moved to another, by compare-and-swap only.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// Its id, which outlives a rename.
    pub id: PointerId,
    /// Its namespace and name.
    pub name: PointerName,
    /// The manifest it stands for; none before the first advance.
    pub manifest: Option<Sha256>,
    /// What it is for.
    pub pointer_type: PointerType,
    /// A sentence about it.
    pub description: Option<String>,
    /// Facts about it.
    pub meta: JsonObject,
    /// Who made it.
    pub created_by: Option<UserId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// One move of a pointer.
#[derive(Clone, Debug, PartialEq)]
pub struct PointerMove {
    /// Its id.
    pub id: Uuid,
    /// The how-manieth move of the pointer it is, from 1.
    pub seq: u64,
    /// Where the pointer was.
    pub from: Option<Sha256>,
    /// Where it went.
    pub to: Option<Sha256>,
    /// Why.
    pub reason: Option<String>,
    /// Who moved it.
    pub changed_by: Option<UserId>,
    /// When.
    pub created_at: Timestamp,
}

/// What a pointer is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PointerType {
    /// Things that belong together, such as a deliverable.
    #[default]
    Bundle,
    /// A growing body of documents.
    Corpus,
    /// A state that was fixed.
    Snapshot,
}

impl PointerType {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bundle, Self::Corpus, Self::Snapshot];

    /// The name on the wire.
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
                format!("'{}' is not a pointer type; it is one of bundle, corpus, snapshot", shown(text)),
            )
            .field("pointer_type")
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

    /// A checked name.
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Result<Self, Problem> {
        let (namespace, name) = (namespace.into(), name.into());
        check_namespace(&namespace)?;
        let fail = |reason: &str| {
            Err(Problem::new(Code::PointerNameInvalid, format!("the pointer name '{}' {reason}", shown(&name)))
                .field("name"))
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

    /// The namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name within it.
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
        format!("the namespace '{}' must have 1 to 100 bytes, without '/' or control characters", shown(namespace)),
    )
    .field("namespace"))
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
