//! Ibid's use cases. HTTP, MCP and the command line all call the functions of [`App`].
//!
//! This is the only crate that sequences: which rows change in one transaction, when a blob is put in place, which job
//! follows. It speaks no SQL, knows no wire format and prints nothing.
//!
//! Start reading at [`App`], then `artifacts.rs` for how bytes come in, `sources/` for how they become text that can
//! be found and cited, `gc.rs` for how they go.

mod answers;
mod archive;
mod artifacts;
mod citations;
mod deliverables;
mod documents;
mod evidence;
mod fsck;
mod gc;
mod jobs;
mod knowledge;
mod manifests;
mod pointers;
mod runs;
mod sample;
mod search;
mod settings;
mod sources;
mod tools;
mod upkeep;
mod worker;

use std::sync::{Arc, PoisonError, RwLock};

use answers::live::Live;
use ibid_store::Store;
use search::indexing::IndexPlace;

pub use answers::Ask;
pub use archive::Archive;
pub use artifacts::{Content, Receiving, UploadDetails, too_large};
pub use citations::{
    Checked, CheckedCitation, CheckedClaim, CitationStats, Grounded, GroundedClaim, Grounding, Judge, Judged,
    LocalJudge, Loss, Losses, ModelJudge,
};
pub use deliverables::{Deliverable, DeliverableKind};
pub use documents::{
    Bibliography, BibliographyEntry, CitationDraft, CitationEdit, CitationsOfSource, Cited, Claims, DocumentChange,
    DocumentDraft, DocumentSource, DraftRequest, Drafted, Entries, LARGEST_FILE, LookChange, OpenDocument, Press,
    PressApart, PressHere, Preview, PreviewRequest, RenderFormat, Rendered, StyleChoice, press_orders,
};
pub use fsck::{Finding, FsckReport};
pub use gc::{GcOptions, GcReport};
pub use ibid_store::{Error, Result, Scope};
pub use jobs::{JobKind, JobRequest};
pub use knowledge::{
    EntityDetail, EntityJudge, Expanded, Extractor, ExtractorError, GraphHealth, ModelEntityJudge, ModelExtractor,
    Near, Related, ReviewDecision, ReviewPair, RevisionDiff, RulesEntityJudge, RulesExtractor, Split, ToRead, Told,
};
pub use manifests::{EntryDraft, ManifestDraft};
pub use pointers::PointerDraft;
pub use runs::{
    Absorbed, Answered, Follows, MessageWithCitations, NewRun, Response, Said as SaidConversation, SubagentResult,
    ToolReport,
};
pub use sample::Sample;
pub use search::{Evidence, Found, FoundPassage, GraphExpansion, IndexState, Lists, Ranked, Search};
pub use sources::origins::OriginAdapter;
pub use sources::{
    About, Content as SourceContent, Described, Impact, Import, ImportReport, PassagesImport, PassagesReport,
    ReadApart, ReadHere, Reader, Reading, Rejected, SourceChange, SourceDraft, Text, names, read_content,
};
pub use tools::{Price, Tools};
pub use worker::{Handler, JobContext, ProgressReport, Worker, WorkerOptions, WorkerPulse};

/// A library and everything that can be done with it. Cheap to clone.
#[derive(Clone)]
pub struct App {
    store: Store,
    tools: Arc<RwLock<Arc<Tools>>>,
    index: IndexPlace,
    live: Live,
    meanings: knowledge::Meanings,
    formatters: documents::Formatters,
}

impl App {
    /// The use cases of an open library, with what they reach the outside by.
    pub fn new(store: Store, tools: Tools) -> Self {
        Self {
            store,
            tools: Arc::new(RwLock::new(Arc::new(tools))),
            index: IndexPlace::new(),
            live: Live::default(),
            meanings: knowledge::Meanings::default(),
            formatters: documents::Formatters::default(),
        }
    }

    /// What is reached the outside by, as of now.
    pub fn tools(&self) -> Arc<Tools> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reaches the outside by these from now on; what has begun goes on with what it has.
    pub fn retool(&self, tools: Tools) {
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tools);
    }

    /// The library's store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The scope of the one user of a library without login.
    pub async fn local_owner(&self) -> Result<Scope> {
        self.store.read().await?.local_owner().await
    }

    /// The system's scope in every tenant.
    pub async fn every_tenant(&self) -> Result<Vec<Scope>> {
        self.store.read().await?.every_tenant().await
    }
}
