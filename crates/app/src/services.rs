//! One handle for each area of the library: `app.documents(&scope).save(…)`.
//!
//! A handle is a library and the proof of who is asking. It is cheap to make and to copy; its methods stand in the module
//! of its area.

use crate::{App, Scope};

macro_rules! services {
    ($($(#[$doc:meta])* $accessor:ident: $service:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub struct $service<'a> {
                pub(crate) app: &'a App,
                pub(crate) scope: &'a Scope,
            }
        )*

        impl App {
            $(
                $(#[$doc])*
                pub fn $accessor<'a>(&'a self, scope: &'a Scope) -> $service<'a> {
                    $service { app: self, scope }
                }
            )*
        }
    };
}

services! {
    /// Artifacts: bytes that come in, and are read again.
    artifacts: ArtifactService;
    /// Citations: checking claims against their sources, and what stored citations say.
    citations: CitationService;
    /// Conversations and their messages.
    conversations: ConversationService;
    /// Documents: texts that are written here, with their citations, bibliography, styles and pages.
    documents: DocumentService;
    /// Evidence bundles of answers and documents.
    evidence: EvidenceService;
    /// Background jobs, as a client sees them.
    jobs: JobService;
    /// Knowledge: events, entities, the graph and the review queue.
    knowledge: KnowledgeService;
    /// Checks and garbage collection of one tenant's library.
    maintenance: MaintenanceService;
    /// Manifests: immutable trees of artifacts.
    manifests: ManifestService;
    /// Pointers: mutable names of manifests.
    pointers: PointerService;
    /// Runs: questions that are answered here, runs of agents elsewhere, and what is made of their answers.
    runs: RunService;
    /// The sample library.
    sample: SampleService;
    /// Search over passages and events.
    search: SearchService;
    /// Settings that are made in the app.
    settings: SettingsService;
    /// Sources: adding, reading, changing and importing them.
    sources: SourceService;
}
