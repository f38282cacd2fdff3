//! Documents: texts that are written here, version by version.
//!
//! Every save is a manifest on the document's pointer: the text, how it looks and what it cites, and its files. Start
//! reading here; `citing.rs` is what a document cites, `references.rs` how that is written in its style, `rendering.rs` how it
//! is set, `drafting.rs` how it is begun.

mod citing;
mod drafting;
mod references;
mod rendering;
mod styles;
mod support;
mod typesetter;
mod version_record;

use std::collections::BTreeMap;

use ibid_documents::{difference, manuscript, render_pool};
use ibid_domain::{
    CiteAs, Code, Cursor, Document, DocumentCitation, DocumentFormat, DocumentId, DocumentSettings, DocumentVersion,
    Entry, JsonObject, Limit, ManifestPath, MissingDetails, Page, PointerType, Problem, Sha256, SourceId, Template,
    artifact::{Filename, MediaType},
    pointer::PointerName,
    problem::shorten_for_error,
};
use ibid_store::{NewDocumentVersion, PointerPatch, Tx};
use serde_json::json;

pub use citing::{CitationDraft, CitationEdit, CitedSourcePolicy, DocumentSource};
pub(crate) use drafting::DraftHandler;
pub use drafting::{DraftRequest, DraftResult};
pub use references::{Bibliography, BibliographyEntry, BibliographyGrouping, FormattedCitation};
pub use rendering::{Preview, PreviewRequest, RenderFormat, RenderedDocument};
pub(crate) use styles::FormatterCache;
pub use styles::StyleChoice;
pub use support::DocumentClaims;
pub use typesetter::{InProcessTypesetter, SandboxedTypesetter, Typesetter, run_typeset_worker};

use self::version_record::VersionRecord;
use crate::{
    EntryDraft, ManifestDraft, Result, Scope, UploadDetails, manifests, run_blocking, services::DocumentService,
};

/// Namespace of the pointers of documents.
const NAMESPACE: &str = "documents";
/// The longest text, in bytes.
pub const LONGEST_TEXT: usize = 4 << 20;
/// The longest title, author or date, in characters.
const LONGEST_LINE: usize = 500;
const MOST_AUTHORS: usize = 100;
/// The largest file of a document, in bytes.
pub const LARGEST_FILE: usize = 32 << 20;
/// The most files of a document.
const MOST_FILES: usize = 200;
/// Maximum number of attempts to save a change without a base version while others change the document.
const TRIES: usize = 20;
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
    pub look: DocumentSettingsPatch,
    /// Source text in the format of the settings.
    pub text: String,
    /// Sources to add to the document.
    pub sources: Vec<SourceId>,
}

/// A change of a document's settings; fields that are `None` stay as they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentSettingsPatch {
    /// New title, one line; it must not be empty.
    pub title: Option<String>,
    /// Markup of the text: Markdown or Typst.
    pub format: Option<DocumentFormat>,
    /// The style of its references.
    pub style: Option<String>,
    /// Language tag, such as `en-US`; it must be one of the bundled CSL locales.
    pub locale: Option<String>,
    /// Page layout used for rendering.
    pub template: Option<Template>,
    /// Citations as footnotes or in the text.
    pub cite_as: Option<CiteAs>,
    /// Tells if missing source details get placeholders or follow the CSL style.
    pub missing: Option<MissingDetails>,
    /// New list of authors; blank names are dropped.
    pub authors: Option<Vec<String>>,
    /// New date line, as free text; `Some(None)` removes it.
    pub date: Option<Option<String>>,
}

/// A change of a document; fields that are `None` stay as they are.
#[derive(Clone, Debug, Default)]
pub struct DocumentChange {
    /// The version that the change was made to; if there is a newer one, nothing is changed.
    pub base: Option<u64>,
    /// Reason for the change, shown in the history.
    pub message: Option<String>,
    /// Changes of title, style and other settings.
    pub look: DocumentSettingsPatch,
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
        let look = self.apply_settings_patch(&fresh, &draft.look).await?;
        check_text(&draft.text)?;
        let id = DocumentId::new();
        let kept = self.keep_version(&look, &draft.text, &[]).await?;
        let mut tx = self.app.store.write().await?;
        let manifest = create_version_manifest(&mut tx, self.scope, &kept, &look, &BTreeMap::new(), None, None).await?;
        let length = draft.text.chars().count() as u64;
        let new = NewDocumentVersion {
            look: &look,
            manifest,
            text: kept.text,
            char_count: length,
            added: length,
            removed: 0,
            message: None,
        };
        let document = tx.documents(self.scope).create(id, new).await?;
        tx.pointers(self.scope).create(&document_pointer(id)?, Some(manifest), &pointer_description(&look)).await?;
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
        document.look = about.parse_settings()?;
        (document.version, document.manifest, document.updated_at) = (version, known.manifest, known.created_at);
        let path = document.look.format.file_name();
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

    /// Changes a document. Nothing is changed if there is a newer version than the change was made to: the problem has
    /// both.
    pub async fn change(self, id: DocumentId, change: &DocumentChange) -> Result<OpenDocument> {
        if let Some(text) = &change.text {
            check_text(text)?;
        }
        self.update_with_retry(id, |before| match change.base.filter(|base| *base != before.document.version) {
            Some(base) => Err(version_conflict(base, before, change)),
            None => Ok(Some(change.clone())),
        })
        .await
    }

    /// Does to a document what `alter` makes of it, however others change it meanwhile; nothing if that is nothing.
    async fn update_with_retry(
        self,
        id: DocumentId,
        alter: impl Fn(&OpenDocument) -> Result<Option<DocumentChange>, Problem>,
    ) -> Result<OpenDocument> {
        for _ in 0..TRIES {
            let before = self.get(id, None).await?;
            let Some(change) = alter(&before)? else { return Ok(before) };
            if let Some(saved) = self.save_change(before, &change).await? {
                return Ok(saved);
            }
        }
        let detail = "others change the document all the time; try again";
        Err(Problem::new(Code::DocumentChanged, detail).into())
    }

    /// Saves a change to a document as it was read. `None` if it was changed meanwhile.
    async fn save_change(self, before: OpenDocument, change: &DocumentChange) -> Result<Option<OpenDocument>> {
        let id = before.document.id;
        let mut look = self.apply_settings_patch(&before.document.look, &change.look).await?;
        let text = change.text.as_ref().unwrap_or(&before.text);
        let files = change.files.as_ref().unwrap_or(&before.files);
        look.format = change.look.format.unwrap_or(before.document.look.format);
        if look == before.document.look && *text == before.text && *files == before.files {
            return Ok(Some(before));
        }
        let mut citations = self.app.store.read().await?.documents(self.scope).list_citations(id).await?;
        update_positions(&mut citations, look.format, &before.text, text);
        let kept = self.keep_version(&look, text, &citations).await?;
        let mut tx = self.app.store.write().await?;
        let held = tx.documents(self.scope).get_for_update(id).await?.ok_or_else(|| not_found(id))?;
        if held.version != before.document.version {
            return Ok(None);
        }
        // What was cited since is kept as well.
        let mut citations = tx.documents(self.scope).list_citations(id).await?;
        let known = citations.clone();
        update_positions(&mut citations, look.format, &before.text, text);
        for (citation, known) in citations.iter().zip(&known) {
            if citation != known {
                tx.documents(self.scope).save_citation(citation).await?;
            }
        }
        if let Some(last) = manuscript::find_markers(look.format, text).iter().map(|marker| marker.number).max() {
            // A number that stands in the text is not given to another, within reason.
            let most = held.citation_count.saturating_add(10_000);
            tx.documents(self.scope).reserve_numbers(id, last.min(most)).await?;
        }
        let message = change.message.as_deref();
        let manifest =
            create_version_manifest(&mut tx, self.scope, &kept, &look, files, Some(held.manifest), message).await?;
        let (added, removed) = count_changed_chars(&before.text, text);
        let new = NewDocumentVersion {
            look: &look,
            manifest,
            text: kept.text,
            char_count: text.chars().count() as u64,
            added,
            removed,
            message,
        };
        let document = tx.documents(self.scope).save(id, held.version + 1, new).await?;
        let name = document_pointer(id)?;
        tx.pointers(self.scope).advance(&name, Some(held.manifest), manifest, message).await?;
        tx.pointers(self.scope).update_details(&name, &pointer_description(&look)).await?;
        tx.commit().await?;
        metrics::counter!("ibid_documents_saved_total").increment(1);
        Ok(Some(OpenDocument { document, text: text.clone(), files: files.clone() }))
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

    /// Makes a document again as it was in a version: the newest version is like that one.
    pub async fn restore(self, id: DocumentId, version: u64, base: Option<u64>) -> Result<OpenDocument> {
        let then = self.get(id, Some(version)).await?;
        let mut tx = self.app.store.read().await?;
        let tree = tx.manifests(self.scope).get_tree(then.document.manifest).await?;
        drop(tx);
        let about = self.read_version_record(&tree).await?;
        let mut tx = self.app.store.write().await?;
        let known: Vec<u32> =
            tx.documents(self.scope).list_citations(id).await?.iter().map(|citation| citation.number).collect();
        for citation in about.citations.into_iter().filter(|citation| !known.contains(&citation.citation_number)) {
            let mut new = citation.as_new()?;
            // What was deleted since is cited as what it was.
            if let Some(source) = new.source
                && tx.sources(self.scope).get(source).await?.is_none()
            {
                new.source = None;
            }
            tx.documents(self.scope).add_citation(id, new).await?;
        }
        tx.commit().await?;
        let look = &then.document.look;
        let change = DocumentChange {
            base,
            message: Some(format!("restored version {version}")),
            look: DocumentSettingsPatch {
                title: Some(look.title.clone()),
                format: Some(look.format),
                style: Some(look.style.clone()),
                locale: Some(look.locale.clone()),
                template: Some(look.template),
                cite_as: Some(look.cite_as),
                missing: Some(look.missing),
                authors: Some(look.authors.clone()),
                date: Some(look.date.clone()),
            },
            text: Some(then.text),
            files: Some(then.files),
        };
        self.change(id, &change).await
    }

    /// Keeps a file that a document's text may ask for.
    pub async fn put_file(
        self,
        id: DocumentId,
        name: &str,
        media_type: Option<MediaType>,
        bytes: bytes::Bytes,
    ) -> Result<OpenDocument> {
        check_file(name, bytes.len())?;
        let media_type = media_type.map_or_else(|| MediaType::new(guess_media_type(name)), Ok)?;
        let details = UploadDetails {
            media_type: Some(media_type.clone()),
            filename: Some(Filename::new(name)?),
            ..UploadDetails::default()
        };
        let artifact = self.app.sources(self.scope).keep_bytes(bytes, details).await?;
        let entry = Entry { sha256: artifact.sha256, media_type, size_bytes: artifact.size_bytes, entity_type: None };
        self.change_files(id, &format!("added {name}"), |files| {
            if files.len() >= MOST_FILES && !files.contains_key(name) {
                let detail = format!("a document has at most {MOST_FILES} files");
                return Err(Problem::new(Code::InvalidField, detail).with_field("name"));
            }
            files.insert(name.to_owned(), entry.clone());
            Ok(())
        })
        .await
    }

    /// Removes a file of a document.
    pub async fn delete_file(self, id: DocumentId, name: &str) -> Result<OpenDocument> {
        self.change_files(id, &format!("removed {name}"), |files| {
            files.remove(name).map(drop).ok_or_else(|| no_file(name))
        })
        .await
    }

    /// Returns an attached file of a document with its bytes.
    pub async fn file(self, id: DocumentId, name: &str) -> Result<(Entry, Vec<u8>)> {
        let mut open = self.get(id, None).await?;
        let entry = open.files.remove(name).ok_or_else(|| no_file(name))?;
        let bytes = self.app.sources(self.scope).bytes_of(entry.sha256).await?;
        Ok((entry, bytes))
    }

    async fn change_files(
        self,
        id: DocumentId,
        message: &str,
        change: impl Fn(&mut BTreeMap<String, Entry>) -> Result<(), Problem>,
    ) -> Result<OpenDocument> {
        self.update_with_retry(id, |before| {
            let mut files = before.files.clone();
            change(&mut files)?;
            let message = Some(message.to_owned());
            Ok(Some(DocumentChange { files: Some(files), message, ..DocumentChange::default() }))
        })
        .await
    }

    /// Applies a change to the settings of a document after validating it.
    async fn apply_settings_patch(
        self,
        look: &DocumentSettings,
        change: &DocumentSettingsPatch,
    ) -> Result<DocumentSettings> {
        let mut look = look.clone();
        if let Some(title) = &change.title {
            look.title = check_line("title", title)?;
        }
        if look.title.is_empty() {
            return Err(Problem::new(Code::InvalidField, "a document needs a title").with_field("title").into());
        }
        if let Some(style) = &change.style {
            // What a style is called elsewhere is kept as the id it has here.
            let formatter = self.formatter(style, None).await?;
            let is_text = style.trim_start().starts_with('<');
            if is_text {
                let detail = "bring the style with POST /api/v1/styles first, and name it here";
                return Err(Problem::new(Code::InvalidField, detail).with_field("style").into());
            }
            drop(formatter);
            look.style.clone_from(style);
        }
        if let Some(locale) = &change.locale {
            if !ibid_bibliography::locale_tags().contains(locale) {
                let detail =
                    format!("there is no language '{}'; GET /api/v1/styles lists them", shorten_for_error(locale));
                return Err(Problem::new(Code::InvalidField, detail).with_field("locale").into());
            }
            look.locale.clone_from(locale);
        }
        if let Some(authors) = &change.authors {
            if authors.len() > MOST_AUTHORS {
                let detail = format!("it has {} authors; at most {MOST_AUTHORS} are named", authors.len());
                return Err(Problem::new(Code::InvalidField, detail).with_field("authors").into());
            }
            look.authors = authors.iter().map(|author| check_line("authors", author)).collect::<Result<_, _>>()?;
            look.authors.retain(|author| !author.is_empty());
        }
        if let Some(date) = &change.date {
            let date = date.as_deref().map(|date| check_line("date", date)).transpose()?;
            look.date = date.filter(|date| !date.is_empty());
        }
        look.format = change.format.unwrap_or(look.format);
        look.template = change.template.unwrap_or(look.template);
        look.cite_as = change.cite_as.unwrap_or(look.cite_as);
        look.missing = change.missing.unwrap_or(look.missing);
        Ok(look)
    }

    /// Keeps the text of a version, and what it says of itself.
    async fn keep_version(
        self,
        look: &DocumentSettings,
        text: &str,
        citations: &[DocumentCitation],
    ) -> Result<StoredVersionParts> {
        let media_type = match look.format {
            DocumentFormat::Typst => "text/x-typst; charset=utf-8",
            DocumentFormat::Markdown => "text/markdown; charset=utf-8",
        };
        let details = |media_type: &str, name: &str| -> Result<UploadDetails, Problem> {
            Ok(UploadDetails {
                media_type: Some(MediaType::new(media_type)?),
                filename: Some(Filename::new(name)?),
                ..UploadDetails::default()
            })
        };
        let about = serde_json::to_vec_pretty(&VersionRecord::new(look, citations))
            .map_err(crate::Error::internal("write the record of a version"))?;
        let text = self
            .app
            .sources(self.scope)
            .keep_bytes(text.to_owned().into(), details(media_type, look.format.file_name())?)
            .await?;
        let about = self.app.sources(self.scope).keep_bytes(about.into(), details("application/json", ABOUT)?).await?;
        Ok(StoredVersionParts { text: text.sha256, about: about.sha256 })
    }
}

/// Hashes of the text and of `document.json`, stored before the version that names them.
struct StoredVersionParts {
    text: Sha256,
    about: Sha256,
}

async fn create_version_manifest(
    tx: &mut Tx,
    scope: &Scope,
    kept: &StoredVersionParts,
    look: &DocumentSettings,
    files: &BTreeMap<String, Entry>,
    parent: Option<Sha256>,
    message: Option<&str>,
) -> Result<Sha256> {
    let entry = |sha256| EntryDraft { sha256, media_type: None, size_bytes: None, entity_type: None };
    let mut tree = vec![(ABOUT.to_owned(), entry(kept.about)), (look.format.file_name().to_owned(), entry(kept.text))];
    tree.extend(files.iter().map(|(name, file)| (format!("{FILES}{name}"), entry(file.sha256))));
    let draft = ManifestDraft { tree, parent, message: message.map(str::to_owned) };
    Ok(manifests::make_manifest(tx, scope, draft).await?.0.sha256)
}

fn pointer_description(look: &DocumentSettings) -> PointerPatch {
    let meta = JsonObject::from_iter([("document_format".to_owned(), json!(look.format.as_str()))]);
    PointerPatch { pointer_type: Some(PointerType::Bundle), description: Some(look.title.clone()), meta: Some(meta) }
}

fn document_pointer(id: DocumentId) -> Result<PointerName, Problem> {
    PointerName::new(NAMESPACE, id.to_string())
}

fn files_in_tree(tree: &ibid_domain::Tree) -> BTreeMap<String, Entry> {
    let name = |(path, entry): (&ManifestPath, &Entry)| {
        path.as_str().strip_prefix(FILES).map(|name| (name.to_owned(), entry.clone()))
    };
    tree.iter().filter_map(name).collect()
}

/// Updates the positions of the citations after the text changed.
fn update_positions(citations: &mut [DocumentCitation], format: DocumentFormat, before: &str, after: &str) {
    let markers: BTreeMap<u32, usize> = {
        let all = manuscript::find_markers(format, after);
        // Of a number that stands there twice, the first counts.
        all.iter().rev().map(|marker| (marker.number, marker.span.start)).collect()
    };
    let mut places: Vec<usize> = citations.iter().map(|citation| citation.position).collect();
    manuscript::move_offsets(before, after, &mut places);
    for (citation, place) in citations.iter_mut().zip(places) {
        let marked = markers.get(&citation.number);
        citation.is_marked = marked.is_some();
        citation.was_marked |= citation.is_marked;
        citation.position = marked.copied().unwrap_or(place);
    }
}

/// Counts the characters added and removed between two texts, without their common start and end.
fn count_changed_chars(before: &str, after: &str) -> (u64, u64) {
    let (old, new): (Vec<char>, Vec<char>) = (before.chars().collect(), after.chars().collect());
    let (gone, come) = difference::changed_ranges(&old, &new);
    (come.len() as u64, gone.len() as u64)
}

fn check_text(text: &str) -> Result<(), Problem> {
    if text.len() > LONGEST_TEXT {
        let detail = format!("the text has {} bytes; at most {LONGEST_TEXT} are kept as one document", text.len());
        return Err(Problem::new(Code::InvalidField, detail).with_field("text"));
    }
    if text.contains('\0') {
        return Err(
            Problem::new(Code::InvalidField, "the text has a NUL character, which no text may have").with_field("text")
        );
    }
    Ok(())
}

fn check_file(name: &str, size: usize) -> Result<(), Problem> {
    Filename::new(name)?;
    if name.starts_with('.') || render_pool::TAKEN.contains(&name) {
        let detail = format!("'{}' cannot be the name of a document's file", shorten_for_error(name));
        return Err(Problem::new(Code::FilenameInvalid, detail).with_field("name"));
    }
    if size > LARGEST_FILE {
        let detail = format!("the file has {size} bytes; a document's file has at most {LARGEST_FILE}");
        return Err(Problem::new(Code::BodyTooLarge, detail));
    }
    Ok(())
}

fn guess_media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().map(str::to_ascii_lowercase).as_deref() {
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("svg") => "image/svg+xml",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("csv") => "text/csv",
        Some("json") => "application/json",
        Some("typ") => "text/x-typst",
        _ => "application/octet-stream",
    }
}

fn check_line(field: &str, text: &str) -> Result<String, Problem> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() > LONGEST_LINE || text.contains('\0') {
        let detail = format!("{field} has {} characters; at most {LONGEST_LINE} are kept", text.chars().count());
        return Err(Problem::new(Code::InvalidField, detail).with_field(field));
    }
    Ok(text)
}

fn version_conflict(base: u64, now: &OpenDocument, change: &DocumentChange) -> Problem {
    let detail = format!(
        "the change was made to version {base}, and the document is at version {}; nothing was changed",
        now.document.version
    );
    let look = &now.document.look;
    let current = json!({
        "document_id": now.document.id, "version": now.document.version, "title": look.title, "style": look.style,
        "locale": look.locale, "format": look.format.as_str(), "template": look.template.as_str(), "text": now.text,
        "updated_at": now.document.updated_at.to_string(),
    });
    let yours =
        json!({ "base_version": base, "title": change.look.title, "style": change.look.style, "text": change.text });
    Problem::new(Code::DocumentChanged, detail)
        .with_field("base_version")
        .with_fact("current", current)
        .with_fact("yours", yours)
}

/// Returns the problem of a document that does not exist.
pub(crate) fn not_found(id: DocumentId) -> Problem {
    Problem::new(Code::DocumentNotFound, format!("there is no document {id}"))
}

fn no_version(id: DocumentId, version: u64) -> Problem {
    Problem::new(Code::DocumentVersionNotFound, format!("document {id} has no version {version}"))
}

fn no_file(name: &str) -> Problem {
    Problem::new(Code::DocumentFileNotFound, format!("the document has no file '{}'", shorten_for_error(name)))
}
