//! Immutable bytes, named by their SHA-256.

use crate::{Code, JsonObject, Problem, Sha256, SourceType, Timestamp, UserId, problem::shown};

/// What is known of an artifact; its bytes lie in the blob store.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    /// The hash of its bytes, and its name.
    pub sha256: Sha256,
    /// What the bytes are, as far as the uploader knew.
    pub media_type: MediaType,
    /// How many bytes.
    pub size_bytes: u64,
    /// What the file was called.
    pub filename: Option<Filename>,
    /// Where the bytes lie.
    pub storage_uri: String,
    /// How they are kept.
    pub storage_class: String,
    /// The type of source it is the content of.
    pub entity_type: Option<SourceType>,
    /// What else is known of it.
    pub entity_metadata: Option<JsonObject>,
    /// Who brought it.
    pub created_by: Option<UserId>,
    /// How many manifest entries and other rows name it.
    pub reference_count: u64,
    /// When it first came.
    pub created_at: Timestamp,
    /// When it last came or changed.
    pub updated_at: Timestamp,
}

/// A file name as a client gave it: never a path, only ever shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filename(String);

impl Filename {
    /// A checked file name.
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
        Err(Problem::new(Code::FilenameInvalid, format!("the file name '{}' {reason}", shown(&name))).field("filename"))
    }

    /// As text.
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

    /// A checked media type.
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
                format!("'{}' is not a media type; write it as type/subtype", shown(text)),
            )
            .field("media_type"));
        }
        Ok(Self(format!("{}{}", essence.to_ascii_lowercase(), &text[essence.len()..])))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Without parameters.
    pub fn essence(&self) -> &str {
        self.0.split(';').next().unwrap_or_default().trim_end()
    }

    /// Whether nothing is known.
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
