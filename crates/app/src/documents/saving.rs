//! Saving a document: every save is a version, and everything that belongs to it is written in one transaction.

use std::collections::BTreeMap;

use ibid_documents::{difference, manuscript};
use ibid_domain::{
    Code, DocumentCitation, DocumentFormat, DocumentId, DocumentSettings, Entry, Problem, Sha256,
    artifact::{Filename, MediaType},
};
use ibid_store::{NewDocumentCitation, NewDocumentVersion, Tx};
use serde_json::json;

use super::{
    ABOUT, DocumentChange, DocumentSettingsPatch, FILES, OpenDocument, document_pointer, not_found,
    pointer_description, version_record::VersionRecord,
};
use crate::{
    EntryDraft, Error, ManifestDraft, Result, Scope, UploadDetails, artifacts::write_small_artifact, manifests,
    services::DocumentService,
};

/// The longest text, in bytes.
pub const LONGEST_TEXT: usize = 4 << 20;
/// Maximum number of attempts to save a change without a base version while others change the document.
const TRIES: usize = 20;

/// What a version holds.
pub(super) struct VersionContent<'a> {
    pub(super) settings: &'a DocumentSettings,
    pub(super) text: &'a str,
    pub(super) citations: &'a [DocumentCitation],
    pub(super) files: &'a BTreeMap<String, Entry>,
}

impl DocumentService<'_> {
    /// Changes a document. If there is a newer version than the one the change was made to, nothing is changed and the
    /// problem has both.
    pub async fn change(self, id: DocumentId, change: &DocumentChange) -> Result<OpenDocument> {
        self.change_and_revive(id, change, &[]).await
    }

    /// Makes a document again as it was in a version: the newest version is like that one. Citations that were deleted
    /// since come back with it, in the same transaction.
    pub async fn restore(self, id: DocumentId, version: u64, base: Option<u64>) -> Result<OpenDocument> {
        let then = self.get(id, Some(version)).await?;
        let tree = self.app.store.read().await?.manifests(self.scope).get_tree(then.document.manifest).await?;
        let record = self.read_version_record(&tree).await?;
        let citations = record.citations.iter().map(|citation| citation.as_new()).collect::<Result<Vec<_>, _>>()?;
        let settings = &then.document.settings;
        let change = DocumentChange {
            base,
            message: Some(format!("restored version {version}")),
            settings: DocumentSettingsPatch {
                title: Some(settings.title.clone()),
                format: Some(settings.format),
                style: Some(settings.style.clone()),
                locale: Some(settings.locale.clone()),
                template: Some(settings.template),
                cite_as: Some(settings.cite_as),
                missing: Some(settings.missing),
                authors: Some(settings.authors.clone()),
                date: Some(settings.date.clone()),
            },
            text: Some(then.text),
            files: Some(then.files),
        };
        self.change_and_revive(id, &change, &citations).await
    }

    async fn change_and_revive(
        self,
        id: DocumentId,
        change: &DocumentChange,
        citations: &[NewDocumentCitation],
    ) -> Result<OpenDocument> {
        if let Some(text) = &change.text {
            check_text(text)?;
        }
        let alter = |before: &OpenDocument| match change.base.filter(|base| *base != before.document.version) {
            Some(base) => Err(version_conflict(base, before, change)),
            None => Ok(Some(change.clone())),
        };
        self.save_with_retry(id, alter, citations).await
    }

    /// Saves what `alter` makes of a document, however others change it meanwhile. Nothing is saved if that is `None`.
    pub(super) async fn update_with_retry(
        self,
        id: DocumentId,
        alter: impl Fn(&OpenDocument) -> Result<Option<DocumentChange>, Problem>,
    ) -> Result<OpenDocument> {
        self.save_with_retry(id, alter, &[]).await
    }

    async fn save_with_retry(
        self,
        id: DocumentId,
        alter: impl Fn(&OpenDocument) -> Result<Option<DocumentChange>, Problem>,
        revived: &[NewDocumentCitation],
    ) -> Result<OpenDocument> {
        for _ in 0..TRIES {
            let before = self.get(id, None).await?;
            let Some(change) = alter(&before)? else { return Ok(before) };
            if let Some(saved) = self.save_change(before, &change, revived).await? {
                return Ok(saved);
            }
        }
        let detail = "others change the document all the time; try again";
        Err(Problem::new(Code::DocumentChanged, detail).into())
    }

    /// Saves a change to a document as it was read. Returns `None` if it was changed meanwhile.
    async fn save_change(
        self,
        before: OpenDocument,
        change: &DocumentChange,
        revived: &[NewDocumentCitation],
    ) -> Result<Option<OpenDocument>> {
        let id = before.document.id;
        let settings = self.apply_settings_patch(&before.document.settings, &change.settings).await?;
        let text = change.text.as_ref().unwrap_or(&before.text);
        let files = change.files.as_ref().unwrap_or(&before.files);
        let is_same = settings == before.document.settings && *text == before.text && *files == before.files;
        if is_same && revived.is_empty() {
            return Ok(Some(before));
        }
        let mut tx = self.app.store.write().await?;
        let held = tx.documents(self.scope).get_for_update(id).await?.ok_or_else(|| not_found(id))?;
        if held.version != before.document.version {
            return Ok(None);
        }
        let is_revived = revive_citations(&mut tx, self.scope, id, revived).await?;
        if is_same && !is_revived {
            return Ok(Some(before));
        }
        let mut citations = tx.documents(self.scope).list_citations(id).await?;
        let known = citations.clone();
        update_positions(&mut citations, settings.format, &before.text, text);
        for (citation, known) in citations.iter().zip(&known) {
            if citation != known {
                tx.documents(self.scope).save_citation(citation).await?;
            }
        }
        if let Some(last) = manuscript::find_markers(settings.format, text).iter().map(|marker| marker.number).max() {
            // A number that stands in the text is not given to another, within reason.
            let most = held.citation_count.saturating_add(10_000);
            tx.documents(self.scope).reserve_numbers(id, last.min(most)).await?;
        }
        let message = change.message.as_deref();
        let content = VersionContent { settings: &settings, text, citations: &citations, files };
        let (manifest, text_hash) = write_version(&mut tx, self.scope, &content, Some(held.manifest), message).await?;
        let (added, removed) = count_changed_chars(&before.text, text);
        let new = NewDocumentVersion {
            settings: &settings,
            manifest,
            text: text_hash,
            char_count: text.chars().count() as u64,
            added,
            removed,
            message,
        };
        let document = tx.documents(self.scope).save(id, held.version + 1, new).await?;
        let name = document_pointer(id)?;
        tx.pointers(self.scope).advance(&name, Some(held.manifest), manifest, message).await?;
        tx.pointers(self.scope).update_details(&name, &pointer_description(&settings)).await?;
        tx.commit().await?;
        metrics::counter!("ibid_documents_saved_total").increment(1);
        Ok(Some(OpenDocument { document, text: text.clone(), files: files.clone() }))
    }
}

/// Adds citations that the document does not have any more, and returns true if there was one.
async fn revive_citations(
    tx: &mut Tx,
    scope: &Scope,
    id: DocumentId,
    citations: &[NewDocumentCitation],
) -> Result<bool> {
    if citations.is_empty() {
        return Ok(false);
    }
    let known: Vec<u32> =
        tx.documents(scope).list_citations(id).await?.iter().map(|citation| citation.number).collect();
    let mut is_revived = false;
    for citation in citations.iter().filter(|citation| !known.contains(&citation.number)) {
        let mut new = citation.clone();
        // A source that was deleted since is cited as what it was.
        if let Some(source) = new.source
            && tx.sources(scope).get(source).await?.is_none()
        {
            new.source = None;
        }
        tx.documents(scope).add_citation(id, new).await?;
        is_revived = true;
    }
    Ok(is_revived)
}

/// Writes the artifacts and the manifest of a version, and returns the hashes of the manifest and of the text.
pub(super) async fn write_version(
    tx: &mut Tx,
    scope: &Scope,
    content: &VersionContent<'_>,
    parent: Option<Sha256>,
    message: Option<&str>,
) -> Result<(Sha256, Sha256)> {
    let format = content.settings.format;
    let media_type = match format {
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
    let record = serde_json::to_vec_pretty(&VersionRecord::new(content.settings, content.citations))
        .map_err(Error::internal("write the record of a version"))?;
    let text = details(media_type, format.file_name())?;
    let text = write_small_artifact(tx, scope, content.text.as_bytes(), text).await?.sha256;
    let record = write_small_artifact(tx, scope, &record, details("application/json", ABOUT)?).await?.sha256;
    let entry = |sha256| EntryDraft { sha256, media_type: None, size_bytes: None, entity_type: None };
    let mut tree = vec![(ABOUT.to_owned(), entry(record)), (format.file_name().to_owned(), entry(text))];
    tree.extend(content.files.iter().map(|(name, file)| (format!("{FILES}{name}"), entry(file.sha256))));
    let draft = ManifestDraft { tree, parent, message: message.map(str::to_owned) };
    Ok((manifests::make_manifest(tx, scope, draft).await?.0.sha256, text))
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

pub(super) fn check_text(text: &str) -> Result<(), Problem> {
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

fn version_conflict(base: u64, now: &OpenDocument, change: &DocumentChange) -> Problem {
    let detail = format!(
        "the change was made to version {base}, and the document is at version {}; nothing was changed",
        now.document.version
    );
    let settings = &now.document.settings;
    let current = json!({
        "document_id": now.document.id, "version": now.document.version, "title": settings.title, "style": settings.style,
        "locale": settings.locale, "format": settings.format.as_str(), "template": settings.template.as_str(), "text": now.text,
        "updated_at": now.document.updated_at.to_string(),
    });
    let yours = json!({ "base_version": base, "title": change.settings.title, "style": change.settings.style, "text": change.text });
    Problem::new(Code::DocumentChanged, detail)
        .with_field("base_version")
        .with_fact("current", current)
        .with_fact("yours", yours)
}
