//! Ibid's vocabulary: what an artifact, a manifest, a pointer and a job are, which values of their fields are
//! legal, and the one table of error codes.
//!
//! This crate does no I/O, is not async, reads no clock and knows no database, wire format or client.
//! Every other crate speaks in these types.
//!
//! Start reading at [`manifest`]: the content-addressed tree is what makes a citation provable for ever.

pub mod artifact;
pub mod citation;
pub mod cited_text;
pub mod code;
pub mod conversation;
pub mod document;
pub mod hash;
pub mod id;
pub mod job;
pub mod knowledge;
pub mod manifest;
pub mod metadata;
pub mod page_url;
pub mod pagination;
pub mod pointer;
pub mod problem;
pub mod reference;
pub mod run;
pub mod run_event;
pub mod search;
pub mod source;
pub mod source_type;
pub mod text;
pub mod time;

pub use artifact::Artifact;
pub use citation::{Citation, CitationState, DifferenceKind, Verdict};
pub use code::Code;
pub use conversation::{Conversation, Message, MessageId, MessageRole, MessageStatus};
pub use document::{
    CiteAs, Document, DocumentCitation, DocumentCitationSnapshot, DocumentFormat, DocumentSettings, DocumentVersion,
    MissingDetails, Template,
};
pub use hash::Sha256;
pub use id::{
    ChunkId, CitationId, ConversationId, DocumentCitationId, DocumentId, EntityId, EventId, JobId, MentionId, MergeId,
    PairId, PointerId, RevisionId, RunId, SourceId, TenantId, UserId,
};
pub use knowledge::{
    ActorRole, DateSource, Entity, EntityType, Event, Mention, Pair, PairState, Participant, Quote, Sameness,
};
pub use manifest::{Entry, Manifest, ManifestPath, Tree};
pub use pagination::{Cursor, Limit, Page};
pub use pointer::{Pointer, PointerType};
pub use problem::Problem;
pub use reference::{Name, PartialDate, Reference};
pub use run::{Run, RunMode, RunStatus, Usage};
pub use run_event::{MarkerPlace, RunEvent, RunEventData, RunEventKind, RunPhase};
pub use search::{AsOf, Category, SearchFilter, Word, WordQuery};
pub use source::{EmbeddingState, FetchStrategy, Origin, Revision, Source, SourceStatus};
pub use source_type::SourceType;
pub use text::{CharIndex, Mark, MarkKind, Place, Span};
pub use time::Timestamp;

/// A free-form JSON object, as kept in `meta` and `entity_metadata`.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
