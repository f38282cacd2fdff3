//! Immutable bytes, named by their SHA-256.

use crate::{Code, JsonObject, Problem, Sha256, SourceType, Timestamp, UserId, problem::shorten_for_error};

/// Metadata of an artifact; the bytes themselves are in the blob store.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    /// The hash of its bytes, and its name.
    pub sha256: Sha256,
    /// Media type given by the uploader; not checked against the bytes.
    pub media_type: MediaType,
    pub size_bytes: u64,
    /// File name given by the uploader, if any.
    pub filename: Option<Filename>,
    /// Address of the bytes in the blob store, for people and exports.
    pub storage_uri: String,
    /// Storage class of the blob; always `STANDARD` so far.
    pub storage_class: String,
    /// The type of source it is the content of.
    pub entity_type: Option<SourceType>,
    /// Free-form facts about the source it is the content of.
    pub entity_metadata: Option<JsonObject>,
    /// User who uploaded it first; `None` for the system.
    pub created_by: Option<UserId>,
    /// Number of manifest entries and other rows that name it; at 0 it can be garbage collected.
    pub reference_count: u64,
    pub created_at: Timestamp,
    /// Time of the last upload or change; restarts the grace period of garbage collection.
    pub updated_at: Timestamp,
}

/// A file name as a client gave it: never a path, only ever shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filename(String);

impl Filename {
    /// Checks a file name: 1 to 255 bytes, no path, no control characters.
    pub fn new(name: impl Into<String>) -> Result<Self, Problem> {
        let name = name.into();
        let reason = if name.is_empty() {
            "is empty"
        } else if name.len() > 255 {
            "is longer than 255 bytes"
        } else if name == "." || name == ".." || name.contains(['/', '\\']) {
            "is a path, not a name"
        } else if name.chars().any(char::is_control) {
            "has control characters"
        } else {
            return Ok(Self(name));
        };
        Err(Problem::new(Code::FilenameInvalid, format!("the file name '{}' {reason}", shorten_for_error(&name)))
            .with_field("filename"))
    }

    /// Returns the name as the client gave it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A media type such as `application/pdf`, with parameters if it has any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType(String);

impl MediaType {
    /// Bytes of which nothing is known.
    pub fn unknown() -> Self {
        Self("application/octet-stream".to_owned())
    }

    /// Parses a media type and writes its essence in lower case.
    pub fn new(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        let essence = text.split(';').next().unwrap_or_default().trim();
        let token = |part: &str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b))
        };
        let legal = text.len() <= 255
            && text.bytes().all(|b| b == b' ' || b.is_ascii_graphic())
            && essence.split_once('/').is_some_and(|(kind, sub)| token(kind) && token(sub));
        if !legal {
            return Err(Problem::new(
                Code::MediaTypeInvalid,
                format!("'{}' is not a media type; write it as type/subtype", shorten_for_error(text)),
            )
            .with_field("media_type"));
        }
        Ok(Self(format!("{}{}", essence.to_ascii_lowercase(), &text[essence.len()..])))
    }

    /// Returns the media type with its parameters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `type/subtype` without parameters.
    pub fn essence(&self) -> &str {
        self.0.split(';').next().unwrap_or_default().trim_end()
    }

    /// True if it is `application/octet-stream`, which says nothing about the bytes.
    pub fn is_unknown(&self) -> bool {
        self.essence() == "application/octet-stream"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_names() {
        for good in ["a", "Q3 report (final).pdf", "日本語.txt", &"x".repeat(255)] {
            assert_eq!(Filename::new(good).unwrap().as_str(), good);
        }
        for bad in ["", ".", "..", "a/b", "..\\x", "a\0b", "a\nb", &"x".repeat(256)] {
            assert_eq!(Filename::new(bad).unwrap_err().code, Code::FilenameInvalid, "{bad:?}");
        }
    }

    #[test]
    fn media_types_are_normalised() {
        assert_eq!(MediaType::new("Text/HTML; charset=UTF-8").unwrap().as_str(), "text/html; charset=UTF-8");
        assert_eq!(MediaType::new("text/html;charset=x").unwrap().essence(), "text/html");
        for bad in ["", "pdf", "a/", "/b", "a/b c", "a/b\r\nX: y", "é/b"] {
            assert_eq!(MediaType::new(bad).unwrap_err().code, Code::MediaTypeInvalid, "{bad:?}");
        }
    }
}
