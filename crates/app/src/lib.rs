//! Ibid's use cases. HTTP, MCP and the command line all call the services of [`App`].
//!
//! This is the only crate that sequences: which rows change in one transaction, when a blob is put in place, which job
//! follows. It speaks no SQL, knows no wire format and prints nothing.
//!
//! Start reading at [`App`] and `services.rs`, then `artifacts.rs` for how bytes come in, `sources/` for how they become text that can
//! be found and cited, `gc.rs` for how they go.

mod answers;
mod archive;
mod artifacts;
mod background_jobs;
mod citations;
mod deliverables;
mod documents;
mod error;
mod evidence;
mod fsck;
mod gc;
mod jobs;
mod knowledge;
mod manifests;
mod pointers;
mod runs;
mod sample;
mod sandbox;
mod search;
mod services;
mod settings;
mod sources;
mod tools;
mod upkeep;
mod worker;

use std::sync::{Arc, PoisonError, RwLock};

use answers::run_recorder::RunRecorder;
use ibid_store::Store;
use search::indexing::IndexSlot;

pub use answers::AskRequest;
pub use archive::ZipStream;
pub use artifacts::{ArtifactContent, PendingUpload, UploadDetails, too_large};
pub use background_jobs::job_kinds;
pub use citations::{
    AffectedClaim, AffectedClaims, CheckedCitation, CheckedClaim, CheckedText, CitationStats, ClaimJudge,
    ClaimJudgement, ClaimPlace, Contradiction, GroundedClaim, GroundedText, Grounding, LocalJudge, ModelJudge,
};
pub use deliverables::{Deliverable, DeliverableKind};
pub use documents::{
    Bibliography, BibliographyEntry, BibliographyGrouping, CitationDraft, CitationEdit, CitedSourcePolicy,
    DocumentChange, DocumentClaims, DocumentDraft, DocumentSettingsPatch, DocumentSource, DraftRequest, DraftResult,
    FormattedCitation, InProcessTypesetter, LARGEST_FILE, OpenDocument, Preview, PreviewRequest, RenderFormat,
    RenderedDocument, SandboxedTypesetter, StyleChoice, Typesetter, run_typeset_worker,
};
pub use error::{Error, Result};
pub use fsck::{FsckFinding, FsckReport};
pub use gc::{GcOptions, GcReport};
pub use ibid_store::{Scope, run_blocking};
pub use jobs::{JobKind, JobRequest};
pub use knowledge::{
    EntityDetail, EntityJudge, EntityNeighborhood, EntitySplit, ExtractorError, ExtractorInput, ExtractorOutput,
    GraphContext, GraphHealth, KnowledgeExtractor, ModelEntityJudge, ModelExtractor, RelatedEvent, ReviewDecision,
    ReviewPair, RevisionDiff, RulesEntityJudge, RulesExtractor,
};
pub use manifests::{EntryDraft, ManifestDraft};
pub use pointers::PointerDraft;
pub use runs::{
    AnsweredRun, ConversationView as SaidConversation, ExternalResponse, MessageWithCitations, NewRun, ParentMessage,
    SubagentReport, SubagentResult, ToolReport,
};
pub use sample::SampleStatus;
pub use search::{
    FoundPassage, GraphExpansion, IndexState, ListRank, PassageEvidence, SearchLists, SearchRequest, SearchResponse,
};
pub use services::{
    ArtifactService, CitationService, ConversationService, DocumentService, EvidenceService, JobService,
    KnowledgeService, MaintenanceService, ManifestService, PointerService, RunService, SampleService, SearchService,
    SettingsService, SourceService,
};
pub use sources::origins::OriginAdapter;
pub use sources::{
    ContentHints, ContentReader, DeletionImpact, ExtractedContent, ImportReport, ImportRequest, InProcessReader,
    PassagesImport, PassagesReport, RejectedEntry, RevisionText, SandboxedReader, SourceChange, SourceContent,
    SourceDraft, SourceWithRevision, parse_names, read_content,
};
pub use tools::{ModelPrice, Tools};
pub use worker::{JobContext, JobHandler, ProgressReport, Worker, WorkerOptions, WorkerPulse};

/// A library and everything that can be done with it. Cheap to clone.
#[derive(Clone)]
pub struct App {
    store: Store,
    tools: Arc<RwLock<Arc<Tools>>>,
    index: IndexSlot,
    live: RunRecorder,
    meanings: knowledge::NameVectorCache,
    formatters: documents::FormatterCache,
}

impl App {
    /// The use cases of an open library, with what they reach the outside by.
    pub fn new(store: Store, tools: Tools) -> Self {
        Self {
            store,
            tools: Arc::new(RwLock::new(Arc::new(tools))),
            index: IndexSlot::new(),
            live: RunRecorder::default(),
            meanings: knowledge::NameVectorCache::default(),
            formatters: documents::FormatterCache::default(),
        }
    }

    /// Returns the tools as they are configured now.
    pub fn tools(&self) -> Arc<Tools> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reaches the outside by these from now on; what has begun goes on with what it has.
    pub fn set_tools(&self, tools: Tools) {
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tools);
    }

    /// Returns the store of the library.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The scope of the one user of a library without login.
    pub async fn local_owner(&self) -> Result<Scope> {
        Ok(self.store.read().await?.local_owner().await?)
    }

    /// The system's scope in every tenant.
    pub async fn every_tenant(&self) -> Result<Vec<Scope>> {
        Ok(self.store.read().await?.every_tenant().await?)
    }
}
