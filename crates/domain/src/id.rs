//! Ids: UUIDv7, so that they sort by the time they were made.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A new id.
            #[expect(clippy::new_without_default, reason = "a new id is an effect, not a default")]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }

            /// The id as a UUID.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Ok(Self(text.parse()?))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    )*};
}

ids! {
    /// A tenant: the wall that no row is seen across.
    TenantId;
    /// A person or key that acts within a tenant.
    UserId;
    /// A pointer, through all the manifests it has named.
    PointerId;
    /// Id of a unit of background work.
    JobId;
    /// A source, through all its revisions.
    SourceId;
    /// One content version of a source.
    RevisionId;
    /// A span of a revision's text.
    ChunkId;
    /// A chat.
    ConversationId;
    /// One execution of an agent.
    RunId;
    /// A link from a message to what supports it.
    CitationId;
    /// A text that is written here.
    DocumentId;
    /// A citation of such a text.
    DocumentCitationId;
    /// Somebody or something that sources name.
    EntityId;
    /// A place that names it.
    MentionId;
    /// Something that happened.
    EventId;
    /// Two that may be the same.
    PairId;
    /// One that was found to be another.
    MergeId;
}
