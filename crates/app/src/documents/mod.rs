//! Documents: texts that are written here, version by version.
//!
//! Every save is a manifest on the document's pointer: the text, how it looks and what it cites, and its files. Start
//! reading here; `saving.rs` writes versions, `files.rs` the files beside the text, `settings.rs` title and style; `citing.rs` is
//! what a document cites, `references.rs` how that is written in its style, `rendering.rs` how pages are made of it,
//! `drafting.rs` how a model begins it.

mod citing;
mod drafting;
mod files;
mod references;
mod rendering;
mod saving;
mod settings;
mod styles;
mod support;
mod typesetter;
mod version_record;

use std::collections::BTreeMap;

use ibid_documents::difference;
use ibid_domain::{
    CiteAs, Code, Cursor, Document, DocumentFormat, DocumentId, DocumentSettings, DocumentVersion, Entry, JsonObject,
    Limit, MissingDetails, Page, PointerType, Problem, SourceId, Template, pointer::PointerName,
};
use ibid_store::{NewDocumentVersion, PointerPatch};
use serde_json::json;

pub use citing::{CitationDraft, CitationEdit, CitedSourcePolicy, DocumentSource};
pub(crate) use drafting::DraftJob;
pub use drafting::{DraftRequest, DraftResult};
pub use files::LARGEST_FILE;
pub use references::{Bibliography, BibliographyEntry, BibliographyGrouping, FormattedCitation};
pub use rendering::{Preview, PreviewRequest, RenderFormat, RenderedDocument};
pub use saving::LONGEST_TEXT;
pub use settings::DocumentSettingsPatch;
pub(crate) use styles::FormatterCache;
pub use styles::StyleChoice;
pub(crate) use support::CitedDocumentClaim;
pub use support::DocumentClaims;
pub use typesetter::{InProcessTypesetter, SandboxedTypesetter, Typesetter, run_typeset_worker};

use self::{files::files_in_tree, saving::VersionContent, version_record::VersionRecord};
use crate::{Result, run_blocking, services::DocumentService};

/// Namespace of the pointers of documents.
const NAMESPACE: &str = "documents";
/// Path of the file in a version that stores its settings and citations.
const ABOUT: &str = "document.json";
/// Folder of the attached files in the manifest of a version.
const FILES: &str = "assets/";

/// A document with its text and its files.
#[derive(Clone, Debug)]
pub struct OpenDocument {
    /// The document, as it is or as it was.
    pub document: Document,
    /// Source text in the format of the document.
    pub text: String,
    /// Attached files, such as images, by file name.
    pub files: BTreeMap<String, Entry>,
}

/// A document as someone asks for it.
#[derive(Clone, Debug, Default)]
pub struct DocumentDraft {
    /// Settings of the new document; a title is required.
    pub settings: DocumentSettingsPatch,
    /// Source text in the format of the settings.
    pub text: String,
    /// Sources to add to the document.
    pub sources: Vec<SourceId>,
}

/// A change of a document; fields that are `None` stay as they are.
#[derive(Clone, Debug, Default)]
pub struct DocumentChange {
    /// The version that the change was made to; if there is a newer one, nothing is changed.
    pub base: Option<u64>,
    /// Reason for the change, shown in the history.
    pub message: Option<String>,
    /// Changes of title, style and other settings.
    pub settings: DocumentSettingsPatch,
    /// New source text, replacing the old one.
    pub text: Option<String>,
    /// Its files, instead of those it has.
    pub files: Option<BTreeMap<String, Entry>>,
}

impl DocumentService<'_> {
    /// Creates a document with its first version and its pointer.
    pub async fn create(self, draft: DocumentDraft) -> Result<OpenDocument> {
        let fresh = DocumentSettings {
            title: String::new(),
            format: DocumentFormat::Markdown,
            style: "apa".to_owned(),
            locale: "en-US".to_owned(),
            template: Template::Article,
            cite_as: CiteAs::Footnotes,
            missing: MissingDetails::Placeholders,
            authors: Vec::new(),
            date: None,
        };
        let settings = self.apply_settings_patch(&fresh, &draft.settings).await?;
        saving::check_text(&draft.text)?;
        let id = DocumentId::new();
        let content =
            VersionContent { settings: &settings, text: &draft.text, citations: &[], files: &BTreeMap::new() };
        let mut tx = self.app.store.write().await?;
        let (manifest, text) = saving::write_version(&mut tx, self.scope, &content, None, None).await?;
        let length = draft.text.chars().count() as u64;
        let new = NewDocumentVersion {
            settings: &settings,
            manifest,
            text,
            char_count: length,
            added: length,
            removed: 0,
            message: None,
        };
        let document = tx.documents(self.scope).create(id, new).await?;
        tx.pointers(self.scope).create(&document_pointer(id)?, Some(manifest), &pointer_description(&settings)).await?;
        for source in draft.sources {
            if tx.sources(self.scope).get(source).await?.is_none() {
                return Err(citing::unknown_source(source).into());
            }
            tx.documents(self.scope).add_source(id, source).await?;
        }
        tx.commit().await?;
        metrics::counter!("ibid_documents_created_total").increment(1);
        Ok(OpenDocument { document, text: draft.text, files: BTreeMap::new() })
    }

    /// Documents, those first that were changed last, with how many sources each has.
    pub async fn list(
        self,
        words: Option<&str>,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<(Document, u64)>> {
        let mut tx = self.app.store.read().await?;
        let page = tx.documents(self.scope).list(words, limit, after).await?;
        let ids: Vec<DocumentId> = page.items.iter().map(|document| document.id).collect();
        let counts = tx.documents(self.scope).count_sources(&ids).await?;
        let counted = |document: Document| {
            let count = counts.get(&document.id).copied().unwrap_or(0);
            (document, count)
        };
        Ok(Page { items: page.items.into_iter().map(counted).collect(), next: page.next })
    }

    /// Returns the number of sources that belong to a document.
    pub async fn count_sources(self, id: DocumentId) -> Result<u64> {
        let counts = self.app.store.read().await?.documents(self.scope).count_sources(&[id]).await?;
        Ok(counts.get(&id).copied().unwrap_or(0))
    }

    /// A document as it is, or as it was in a version.
    pub async fn get(self, id: DocumentId, version: Option<u64>) -> Result<OpenDocument> {
        let mut tx = self.app.store.read().await?;
        let mut document = tx.documents(self.scope).get(id).await?.ok_or_else(|| not_found(id))?;
        let Some(version) = version.filter(|version| *version != document.version) else {
            let tree = tx.manifests(self.scope).get_tree(document.manifest).await?;
            drop(tx);
            let text = self.app.sources(self.scope).text_of(document.text).await?;
            return Ok(OpenDocument { document, text, files: files_in_tree(&tree) });
        };
        let known = tx.documents(self.scope).get_version(id, version).await?.ok_or_else(|| no_version(id, version))?;
        let tree = tx.manifests(self.scope).get_tree(known.manifest).await?;
        drop(tx);
        let about = self.read_version_record(&tree).await?;
        document.settings = about.parse_settings()?;
        (document.version, document.manifest, document.updated_at) = (version, known.manifest, known.created_at);
        let path = document.settings.format.file_name();
        let entry = tree.iter().find(|(at, _)| at.as_str() == path).map(|(_, entry)| entry.sha256);
        document.text = entry.ok_or_else(|| {
            crate::Error::corrupt("document version without a text", format!("{id}, version {version}"))
        })?;
        let text = self.app.sources(self.scope).text_of(document.text).await?;
        Ok(OpenDocument { document, text, files: files_in_tree(&tree) })
    }

    async fn read_version_record(self, tree: &ibid_domain::Tree) -> Result<VersionRecord> {
        let corrupt = |detail: &str| crate::Error::corrupt("document version", detail);
        let entry = tree.iter().find(|(path, _)| path.as_str() == ABOUT).map(|(_, entry)| entry.sha256);
        let bytes =
            self.app.sources(self.scope).bytes_of(entry.ok_or_else(|| corrupt("nothing says how it looks"))?).await?;
        serde_json::from_slice(&bytes).map_err(|error| corrupt(&error.to_string()))
    }

    /// Removes a document. Its versions stay for the grace period of garbage collection.
    pub async fn delete(self, id: DocumentId) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        if !tx.documents(self.scope).delete(id).await? {
            return Err(not_found(id).into());
        }
        tx.pointers(self.scope).delete(&document_pointer(id)?).await?;
        Ok(tx.commit().await?)
    }

    /// The versions of a document, newest first.
    pub async fn history(self, id: DocumentId, limit: Limit, after: Option<&Cursor>) -> Result<Page<DocumentVersion>> {
        let mut tx = self.app.store.read().await?;
        let mut documents = tx.documents(self.scope);
        documents.get(id).await?.ok_or_else(|| not_found(id))?;
        Ok(documents.list_versions(id, limit, after).await?)
    }

    /// Compares the texts of two versions of a document.
    pub async fn diff(self, id: DocumentId, from: u64, to: u64) -> Result<Vec<(difference::TextChange, String)>> {
        let (old, new) = (self.get(id, Some(from)).await?, self.get(id, Some(to)).await?);
        Ok(run_blocking(move || difference::diff_words(&old.text, &new.text)).await?)
    }
}

fn pointer_description(settings: &DocumentSettings) -> PointerPatch {
    let meta = JsonObject::from_iter([("document_format".to_owned(), json!(settings.format.as_str()))]);
    PointerPatch {
        pointer_type: Some(PointerType::Bundle),
        description: Some(settings.title.clone()),
        meta: Some(meta),
    }
}

fn document_pointer(id: DocumentId) -> Result<PointerName, Problem> {
    PointerName::new(NAMESPACE, id.to_string())
}

/// Returns the problem of a document that does not exist.
pub(crate) fn not_found(id: DocumentId) -> Problem {
    Problem::new(Code::DocumentNotFound, format!("there is no document {id}"))
}

fn no_version(id: DocumentId, version: u64) -> Problem {
    Problem::new(Code::DocumentVersionNotFound, format!("document {id} has no version {version}"))
}
