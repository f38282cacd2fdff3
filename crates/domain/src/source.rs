//! Anything that can be cited: where it came from, what is known of it, and how far it has been taken in.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{JsonObject, Reference, RevisionId, Sha256, SourceId, SourceType, Timestamp, UserId};

/// An enum whose variants have a name on the wire and in the database.
macro_rules! named {
    ($(#[$top:meta])* $type:ident, $what:literal, $field:literal, $($(#[$doc:meta])* $variant:ident = $name:literal;)*) => {
        $(#[$top])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type {
            $($(#[$doc])* $variant,)*
        }

        impl $type {
            /// Every one of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Problem;

            fn from_str(text: &str) -> Result<Self, $crate::Problem> {
                Self::ALL.iter().copied().find(|one| one.as_str() == text).ok_or_else(|| {
                    let legal: Vec<_> = Self::ALL.iter().map(|one| one.as_str()).collect();
                    let detail = format!(
                        concat!("'{}' is not ", $what, "; it is one of {}"), $crate::problem::shorten_for_error(text), legal.join(", ")
                    );
                    $crate::Problem::new($crate::Code::InvalidField, detail).with_field($field)
                })
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                name.parse().map_err(|problem: $crate::Problem| serde::de::Error::custom(problem.detail))
            }
        }
    };
}

pub(crate) use named;

named! {
    /// Where a source came from. `source_type` on the wire.
    Origin, "an origin", "origin",
    /// A file that was uploaded.
    BlobStorage = "blob_storage";
    /// Microsoft SharePoint.
    Sharepoint = "sharepoint";
    /// Microsoft OneDrive.
    Onedrive = "onedrive";
    /// A message or what was attached to one.
    Email = "email";
    /// A page of the web.
    Web = "web";
    /// An answer of a service.
    Api = "api";
    /// Rows of a database.
    Database = "database";
    /// What was remembered of a conversation.
    Memory = "memory";
    /// A skill of an agent.
    Skill = "skill";
    /// What an MCP tool returned.
    Mcp = "mcp";
    /// What a person typed in.
    Manual = "manual";
}

named! {
    /// How a client gets at the content.
    FetchStrategy, "a fetch strategy", "fetch_strategy",
    /// From Ibid.
    InternalApi = "internal_api";
    /// Through Ibid, with the user's rights at the other service.
    OauthProxy = "oauth_proxy";
    /// From where it stands.
    External = "external";
}

impl Origin {
    /// Returns the way in which a client gets the content of a source of this origin.
    pub const fn fetch_strategy(self) -> FetchStrategy {
        match self {
            Self::Sharepoint | Self::Onedrive => FetchStrategy::OauthProxy,
            Self::Web => FetchStrategy::External,
            _ => FetchStrategy::InternalApi,
        }
    }
}

named! {
    /// How far a source has been taken in.
    SourceStatus, "a status", "status",
    /// Its content is being fetched or read.
    Pending = "pending";
    /// Its words can be found; its meaning not yet.
    Indexed = "indexed";
    /// Everything that can be done with it is done.
    Ready = "ready";
    /// There is no text; `extraction_error` says why.
    Failed = "failed";
}

named! {
    /// Whether a source can be found by meaning.
    EmbeddingState, "an embedding state", "embedding",
    /// There is nothing to embed.
    Absent = "none";
    /// It is being worked on.
    Pending = "pending";
    /// It can.
    Ready = "ready";
    /// It was given up; `embedding_error` says why.
    Failed = "failed";
}

/// Reason for which a source has no text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractionFault {
    /// A stable name: `encrypted`, `damaged`, `no_text`, `unreachable` …
    pub code: String,
    /// Explanation for people, in one sentence.
    pub detail: String,
}

/// Anything that can be cited.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub id: SourceId,
    /// One of the twelve source types.
    pub kind: SourceType,
    pub origin: Origin,
    /// Bibliographic details, as found in the content or set by a user.
    pub reference: Reference,
    /// The names of the fields of `reference` that a person has set, which no reading of the content changes.
    pub edited: Vec<String>,
    /// Web address of the content, if it has one.
    pub url: Option<String>,
    /// The address it wants to be known under.
    pub canonical_url: Option<String>,
    /// Name of the website, as the page gives it.
    pub site_name: Option<String>,
    /// The address of its site's icon.
    pub favicon: Option<String>,
    /// Fields that depend on the type, see [`crate::metadata`].
    pub metadata: JsonObject,
    /// Labels set by users, for filters.
    pub tags: Vec<String>,
    /// The document it was collected for.
    pub document_id: Option<Uuid>,
    pub project_id: Option<Uuid>,
    /// Run that added it; `None` if no run did.
    pub run_id: Option<Uuid>,
    /// The message that brought it.
    pub message_id: Option<String>,
    /// Id in the system it was imported from.
    pub external_id: Option<String>,
    /// True if its address could be reached at the last attempt.
    pub is_available: bool,
    /// Progress of fetching, reading and indexing.
    pub status: SourceStatus,
    /// Reason for which it has no text; `None` unless reading failed.
    pub extraction_error: Option<ExtractionFault>,
    /// State of its vectors, which semantic search needs.
    pub embedding: EmbeddingState,
    /// Why it cannot, or what it is waiting for.
    pub embedding_error: Option<String>,
    /// Newest revision that was read; `None` before the first.
    pub revision: Option<RevisionId>,
    /// User who added it; `None` for the system.
    pub created_by: Option<UserId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Time of the last fetch or upload of its content.
    pub accessed_at: Timestamp,
}

impl Source {
    /// The longest title, in characters; longer ones are cut.
    pub const MAX_TITLE: usize = 1000;

    /// Returns the title, else the web address, else `Untitled`.
    pub fn display_title(&self) -> &str {
        self.reference.title.as_deref().or(self.url.as_deref()).unwrap_or("Untitled")
    }

    /// Takes over what the content tells of itself, where no person has said otherwise.
    pub fn fill_reference(&mut self, found: Reference) {
        let mut kept = Reference::default();
        let mut rest = std::mem::take(&mut self.reference);
        for name in &self.edited {
            kept.copy_field(name, &rest);
            rest.clear_field(name);
        }
        let mut learned = found.filled_from(rest);
        for name in &self.edited {
            learned.clear_field(name);
            learned.copy_field(name, &kept);
        }
        self.reference = learned;
    }
}

/// One content version of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Revision {
    pub id: RevisionId,
    /// Source that it is a version of.
    pub source: SourceId,
    /// Number within the source, from 1.
    pub number: u64,
    /// Hash of the original bytes, which are an artifact.
    pub content: Sha256,
    /// Hash of the extracted text; `None` until the content is read.
    pub text: Option<Sha256>,
    /// Hash of a small preview picture, if one was made.
    pub thumbnail: Option<Sha256>,
    /// Media type detected from the bytes.
    pub media_type: String,
    /// File name given at upload, if any.
    pub filename: Option<String>,
    /// Size of the original bytes.
    pub size_bytes: u64,
    /// Length of the extracted text, in characters.
    pub text_chars: u64,
    /// Number of pages; `None` for formats without pages.
    pub page_count: Option<u64>,
    /// Number of chunks of the text.
    pub chunk_count: u64,
    /// Detected language of the text.
    pub language: Option<String>,
    /// The manifest that names its parts.
    pub manifest: Option<Sha256>,
    /// `ETag` and `Last-Modified` of the web server, to ask later if the page changed.
    pub validators: JsonObject,
    pub created_at: Timestamp,
    /// Time at which the text was extracted; `None` until then.
    pub extracted_at: Option<Timestamp>,
}

impl Revision {
    /// True if the media type is that of a picture.
    pub fn is_image(&self) -> bool {
        self.media_type.starts_with("image/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Name;

    fn source() -> Source {
        let now = Timestamp::from_micros(0);
        Source {
            id: SourceId::new(),
            kind: SourceType::WebPage,
            origin: Origin::Web,
            reference: Reference::default(),
            edited: vec![],
            url: Some("https://example.org/".to_owned()),
            canonical_url: None,
            site_name: None,
            favicon: None,
            metadata: JsonObject::new(),
            tags: vec![],
            document_id: None,
            project_id: None,
            run_id: None,
            message_id: None,
            external_id: None,
            is_available: true,
            status: SourceStatus::Pending,
            extraction_error: None,
            embedding: EmbeddingState::Pending,
            embedding_error: None,
            revision: None,
            created_by: None,
            created_at: now,
            updated_at: now,
            accessed_at: now,
        }
    }

    #[test]
    fn what_a_person_said_is_not_unsaid_by_the_content() {
        let mut source = source();
        assert_eq!(source.display_title(), "https://example.org/");
        source.reference.title = Some("Mine".to_owned());
        source.edited = vec!["title".to_owned(), "authors".to_owned()];
        let found = Reference {
            title: Some("Theirs".to_owned()),
            publisher: Some("Press".to_owned()),
            authors: vec![Name::Whole("Wrong".to_owned())],
            ..Reference::default()
        };
        source.fill_reference(found);
        assert_eq!(source.display_title(), "Mine");
        assert_eq!(source.reference.publisher.as_deref(), Some("Press"));
        assert!(source.reference.authors.is_empty(), "removed by a person, so it stays removed");
        source.fill_reference(Reference::default());
        assert_eq!(source.reference.publisher.as_deref(), Some("Press"), "what was known is not forgotten");
    }

    #[test]
    fn how_content_is_fetched_follows_from_the_origin() {
        assert_eq!(Origin::Web.fetch_strategy().as_str(), "external");
        assert_eq!(Origin::Onedrive.fetch_strategy().as_str(), "oauth_proxy");
        assert_eq!(Origin::Mcp.fetch_strategy().as_str(), "internal_api");
        assert_eq!(Origin::ALL.len(), 11);
        assert!("ftp".parse::<Origin>().unwrap_err().detail.contains("sharepoint"));
    }
}
