//! Ibid's durable state: rows on SQLite or PostgreSQL, blobs in a folder or on S3, and the job queue.
//!
//! This is the only crate that speaks SQL and the only one that touches blobs. It sequences nothing: which rows
//! change together is decided by the use cases in `ibid-app`, which open a [`Tx`], ask its aggregates
//! (`tx.artifacts(&scope)`, `tx.manifests(&scope)` …) for reads and changes, and commit.
//!
//! Every aggregate takes a [`Scope`], which only [`identity`] can mint: no row is reached across tenants.
//!
//! Start reading at [`Store`], then [`Tx`] in `sql.rs`, then one aggregate, for example `rows/pointers.rs`.

mod blobs;
mod blocking;
mod clock;
mod disk_syncs;
mod error;
mod identity;
mod migrations;
mod rows;
mod sql;
mod sqlite;
mod store;

pub use blobs::{Blob, BlobLocation, BlobStoreKind, BlobStream, Blobs, S3Options, Spool};
pub use blocking::{ThreadFailed, run_blocking};
pub use clock::Clock;
pub use error::{Error, Result};
pub use identity::{Scope, UserRole};
pub use rows::{
    artifacts::{ArtifactFilter, Artifacts, NewArtifact},
    change_log::{ChangeLogEntry, IndexedChunk, LibraryIndex, LoggedChange},
    citations::{CitationFilter, CitationTotals, Citations, CitedSource},
    conversations::Conversations,
    documents::{Documents, NewDocumentCitation, NewDocumentVersion},
    idempotency::{IdempotencyClaim, IdempotencyKeys, StoredResponse},
    job_events::{JobEvent, JobEventCursor},
    jobs::{JobFilter, Jobs, NewJob},
    knowledge::{
        AgeState, EntityFilter, EntityMerge, EntityOrder, EntityProfile, EventFilter, EventLink, EventLinkQuery,
        Extraction, GraphCounts, GraphPart, Knowledge, NameVector, Neighborhood, NewEntity, NewEvent, NewMention,
    },
    manifests::{Manifests, NewManifest},
    passages::{ImportedPassages, NewPassage, StoredPassage},
    pointers::{PointerFilter, PointerPatch, Pointers},
    queue::{JobError, Lease, LeasedJob, Queue},
    revisions::{Chunk, NewRevision, Revisions},
    runs::Runs,
    search::{Hit, PassageSearch, PassageWithSource, UnindexedPassage},
    sources::{SourceFilter, SourceKey, Sources},
    vectors::{EmbeddingSpace, Vectors},
};
pub use sql::Tx;
pub use store::{DatabaseLocation, EngineKind, RunSignal, Store, StoreOptions};
