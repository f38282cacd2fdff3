//! What a document cites: numbers, citations, and the sources it is written from.

use std::collections::BTreeMap;

use ibid_bibliography::{PlaceholderMode, csl_of_source};
use ibid_documents::manuscript::{self, CitationMarker};
use ibid_domain::{
    Code, DocumentCitation, DocumentCitationSnapshot, DocumentId, Problem, SearchFilter, Source, SourceId, Timestamp,
};
use ibid_store::NewDocumentCitation;

use super::{DocumentChange, LONGEST_TEXT, OpenDocument, not_found};
use crate::{Result, SearchRequest, SearchResponse, services::DocumentService};

/// The longest locator, prefix or suffix, in characters.
const LONGEST_LOCATOR: usize = 1_000;
/// The longest quote that a citation keeps, in characters.
const LONGEST_QUOTE: usize = 4_000;
/// The highest number of a citation.
const HIGHEST: u32 = 999_999;

/// A citation as someone asks for it.
#[derive(Clone, Debug, Default)]
pub struct CitationDraft {
    /// The cited source; required.
    pub source: Option<SourceId>,
    /// Its number; the next one if none is said.
    pub number: Option<u32>,
    /// Character offset in the text; defaults to the end.
    pub position: Option<usize>,
    /// Place in the source, such as `p. 12` or `chap. 3`.
    pub locator: Option<String>,
    /// Text before the citation, such as `see`.
    pub prefix: Option<String>,
    /// Text after the citation, such as a comment.
    pub suffix: Option<String>,
    /// Words of the source that the citation stands for.
    pub quote: Option<String>,
    /// True to insert the marker into the text.
    pub insert: bool,
}

/// A change of a citation; fields that are `None` stay as they are.
#[derive(Clone, Debug, Default)]
pub struct CitationEdit {
    /// New source of the citation; it is added to the document.
    pub source: Option<SourceId>,
    /// New place in the source, such as `p. 12`; `Some(None)` removes it.
    pub locator: Option<Option<String>>,
    /// New text before the citation; `Some(None)` removes it.
    pub prefix: Option<Option<String>>,
    /// New text after the citation; `Some(None)` removes it.
    pub suffix: Option<Option<String>>,
}

/// A source that belongs to a document.
#[derive(Clone, Debug)]
pub struct DocumentSource {
    pub source: Source,
    /// Number of times the document cites the source.
    pub citation_count: u64,
    /// Time at which the source was added to the document.
    pub added_at: Timestamp,
}

/// Tells what happens to the citations of a source that is removed from a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CitedSourcePolicy {
    /// Leaves the citations in the document.
    Keep,
    /// They go, with their markers.
    Remove,
    /// If there are any, nothing is done.
    Ask,
}

impl DocumentService<'_> {
    /// Gives out the next number for a citation of a document: each once, and none is left out.
    pub async fn next_citation_number(self, id: DocumentId) -> Result<u32> {
        let mut tx = self.app.store.write().await?;
        let number = tx.documents(self.scope).next_number(id).await?.ok_or_else(|| not_found(id))?;
        tx.commit().await?;
        Ok(number)
    }

    /// Cites a source in a document. The same again changes nothing.
    pub async fn cite(self, id: DocumentId, draft: CitationDraft) -> Result<(DocumentCitation, u64)> {
        let draft = draft.into_validated()?;
        let open = self.get(id, None).await?;
        let format = open.document.settings.format;
        let markers = manuscript::find_markers(format, &open.text);
        let length = open.text.chars().count();
        let mut tx = self.app.store.write().await?;
        let source = match draft.source {
            Some(source) => tx.sources(self.scope).get(source).await?.ok_or_else(|| unknown_source(source))?,
            None => {
                return Err(Problem::new(Code::InvalidField, "say which source is cited")
                    .with_field("source_id")
                    .into());
            }
        };
        let held = tx.documents(self.scope).get_for_update(id).await?.ok_or_else(|| not_found(id))?;
        let number = match draft.number {
            Some(number) => number,
            None => tx.documents(self.scope).next_number(id).await?.ok_or_else(|| not_found(id))?,
        };
        tx.documents(self.scope).reserve_numbers(id, number).await?;
        let marked = marker_position(&markers, number);
        let new = NewDocumentCitation {
            number,
            source: Some(source.id),
            position: marked.or(draft.position).unwrap_or(length),
            is_marked: marked.is_some(),
            was_marked: marked.is_some(),
            locator: draft.locator,
            prefix: draft.prefix,
            suffix: draft.suffix,
            quote: draft.quote,
            snapshot: snapshot_for_document(&source),
        };
        let cited = tx.documents(self.scope).add_citation(id, new).await?;
        let citation = match cited {
            Some(citation) => citation,
            None => {
                let known =
                    tx.documents(self.scope).list_citations(id).await?.into_iter().find(|one| one.number == number);
                known.filter(|known| known.source == Some(source.id)).ok_or_else(|| {
                    let detail = format!("citation {number} of the document cites another source");
                    Problem::new(Code::CitationNumberTaken, detail).with_field("citation_number")
                })?
            }
        };
        tx.documents(self.scope).add_source(id, source.id).await?;
        tx.commit().await?;
        metrics::counter!("ibid_document_citations_total").increment(1);
        if !draft.insert || citation.is_marked {
            return Ok((citation, held.version));
        }
        let saved = self
            .edit_text(id, &format!("cited {}", source.display_title()), |open| {
                let at = draft.position.unwrap_or_else(|| open.text.trim_end().chars().count());
                Some(insert_marker(&open.text, at, &open.document.settings.format.citation_marker(number)))
            })
            .await?;
        let citations = self.app.store.read().await?.documents(self.scope).list_citations(id).await?;
        let citation = citations.into_iter().find(|one| one.number == number).unwrap_or(citation);
        Ok((citation, saved.document.version))
    }

    /// Changes what a citation says.
    pub async fn change_citation(self, id: DocumentId, number: u32, edit: CitationEdit) -> Result<DocumentCitation> {
        let mut tx = self.app.store.write().await?;
        tx.documents(self.scope).get_for_update(id).await?.ok_or_else(|| not_found(id))?;
        let known = tx.documents(self.scope).list_citations(id).await?;
        let mut citation = known.into_iter().find(|one| one.number == number).ok_or_else(|| no_citation(number))?;
        if let Some(source) = edit.source {
            let source = tx.sources(self.scope).get(source).await?.ok_or_else(|| unknown_source(source))?;
            citation.source = Some(source.id);
            citation.snapshot = snapshot_for_document(&source);
            tx.documents(self.scope).add_source(id, source.id).await?;
        }
        if let Some(locator) = edit.locator {
            citation.locator = check_optional_text("locator", locator, LONGEST_LOCATOR)?;
        }
        if let Some(prefix) = edit.prefix {
            citation.prefix = check_optional_text("prefix", prefix, LONGEST_LOCATOR)?;
        }
        if let Some(suffix) = edit.suffix {
            citation.suffix = check_optional_text("suffix", suffix, LONGEST_LOCATOR)?;
        }
        tx.documents(self.scope).save_citation(&citation).await?;
        tx.commit().await?;
        Ok(citation)
    }

    /// Removes a citation, and its marker from the text. Says which version the document is at.
    pub async fn remove_citation(self, id: DocumentId, number: u32) -> Result<u64> {
        let mut tx = self.app.store.write().await?;
        tx.documents(self.scope).get_for_update(id).await?.ok_or_else(|| not_found(id))?;
        if !tx.documents(self.scope).remove_citation(id, number).await? {
            return Err(no_citation(number).into());
        }
        tx.commit().await?;
        let saved = self
            .edit_text(id, &format!("removed citation {number}"), |open| {
                remove_markers(&open.text, &manuscript::find_markers(open.document.settings.format, &open.text), number)
            })
            .await?;
        Ok(saved.document.version)
    }

    /// Changes the text of a document whatever others do to it meanwhile.
    async fn edit_text(
        self,
        id: DocumentId,
        message: &str,
        edit: impl Fn(&OpenDocument) -> Option<String>,
    ) -> Result<OpenDocument> {
        self.update_with_retry(id, |before| {
            let Some(text) = edit(before) else { return Ok(None) };
            if text.len() > LONGEST_TEXT {
                let detail = format!("with that the text would have more than {LONGEST_TEXT} bytes");
                return Err(Problem::new(Code::InvalidField, detail).with_field("text"));
            }
            let message = Some(super::settings::check_line("message", message)?);
            Ok(Some(DocumentChange { text: Some(text), message, ..DocumentChange::default() }))
        })
        .await
    }

    /// Puts a bibliography into the text of a document, in place of one that stands there.
    pub(super) async fn put_bibliography(self, id: DocumentId, words: &str) -> Result<OpenDocument> {
        self.edit_text(id, "updated the bibliography", |open| {
            let format = open.document.settings.format;
            let block = manuscript::wrap_bibliography(format, words);
            Some(match manuscript::bibliography_of(format, &open.text) {
                Some(range) => {
                    let (before, after) = (open.text.get(..range.start)?, open.text.get(range.end..)?);
                    format!("{before}{block}{after}")
                }
                None => format!("{}\n\n{block}\n", open.text.trim_end()),
            })
        })
        .await
    }

    /// Returns the citations of a document in text order, and the numbers of markers that cite nothing.
    pub async fn citations(self, id: DocumentId) -> Result<(Vec<DocumentCitation>, Vec<u32>)> {
        let open = self.get(id, None).await?;
        let citations = self.app.store.read().await?.documents(self.scope).list_citations(id).await?;
        let markers = manuscript::find_markers(open.document.settings.format, &open.text);
        let mut dangling: Vec<u32> = markers.iter().map(|marker| marker.number).collect();
        dangling.retain(|number| !citations.iter().any(|citation| citation.number == *number));
        dangling.dedup();
        Ok((citations, dangling))
    }

    /// The sources of a document: those that were added to it and those that it cites.
    pub async fn sources(self, id: DocumentId) -> Result<Vec<DocumentSource>> {
        let mut tx = self.app.store.read().await?;
        let mut documents = tx.documents(self.scope);
        documents.get(id).await?.ok_or_else(|| not_found(id))?;
        let mut counts: BTreeMap<SourceId, u64> = BTreeMap::new();
        for citation in documents.list_citations(id).await?.iter().filter(|citation| citation.is_attached()) {
            if let Some(source) = citation.source {
                *counts.entry(source).or_default() += 1;
            }
        }
        let sources = documents.list_sources(id).await?.into_iter();
        let counted = sources.map(|(source, added_at)| DocumentSource {
            citation_count: counts.get(&source.id).copied().unwrap_or(0),
            source,
            added_at,
        });
        Ok(counted.collect())
    }

    /// Makes a source one of a document's.
    pub async fn add_source(self, id: DocumentId, source: SourceId) -> Result<DocumentSource> {
        let mut tx = self.app.store.write().await?;
        tx.documents(self.scope).get(id).await?.ok_or_else(|| not_found(id))?;
        tx.sources(self.scope).get(source).await?.ok_or_else(|| unknown_source(source))?;
        tx.documents(self.scope).add_source(id, source).await?;
        tx.commit().await?;
        let sources = self.sources(id).await?;
        sources.into_iter().find(|one| one.source.id == source).ok_or_else(|| unknown_source(source).into())
    }

    /// Takes a source away from a document; it stays in the library.
    pub async fn remove_source(self, id: DocumentId, source: SourceId, citations: CitedSourcePolicy) -> Result<()> {
        let (cited, _) = self.citations(id).await?;
        let numbers: Vec<u32> =
            cited.iter().filter(|citation| citation.source == Some(source)).map(|citation| citation.number).collect();
        if citations == CitedSourcePolicy::Ask && !numbers.is_empty() {
            let detail = format!("the document cites the source {} times", numbers.len());
            return Err(Problem::new(Code::SourceIsCited, detail).with_fact("citation_numbers", numbers).into());
        }
        if citations == CitedSourcePolicy::Remove {
            for number in numbers {
                self.remove_citation(id, number).await?;
            }
        }
        let mut tx = self.app.store.write().await?;
        if !tx.documents(self.scope).remove_source(id, source).await? {
            return Err(unknown_source(source).into());
        }
        Ok(tx.commit().await?)
    }

    /// A search among the sources of a document, if that is what is asked for and there is such a document. A source may
    /// be several documents', so they are looked for by their ids.
    pub(crate) async fn within_document(self, search: &SearchRequest) -> Result<Option<SearchRequest>> {
        let Some(id) = search.filter.document_id.map(DocumentId::from) else { return Ok(None) };
        let mut tx = self.app.store.read().await?;
        if tx.documents(self.scope).get(id).await?.is_none() {
            return Ok(None);
        }
        let mut sources: Vec<SourceId> =
            tx.documents(self.scope).list_sources(id).await?.into_iter().map(|(source, _)| source.id).collect();
        let asked = &search.filter.sources;
        sources.retain(|source| asked.is_empty() || asked.contains(source));
        if sources.is_empty() {
            return Ok(None);
        }
        let mut narrowed = search.clone();
        narrowed.filter.document_id = None;
        narrowed.filter.sources = sources;
        Ok(Some(narrowed))
    }

    /// Searches the sources of a document.
    pub async fn search(self, id: DocumentId, query: &str, count: usize) -> Result<SearchResponse> {
        let sources = self.sources(id).await?;
        // Without sources there is nothing to search in, and not everything.
        if sources.is_empty() {
            let notes = vec!["the document has no sources yet".to_owned()];
            return Ok(SearchResponse { notes, ..SearchResponse::default() });
        }
        let search = SearchRequest {
            limit: count,
            filter: SearchFilter {
                sources: sources.iter().map(|one| one.source.id).collect(),
                ..SearchFilter::default()
            },
            graph: None,
            ..SearchRequest::new(query)
        };
        self.app.search(self.scope).run(&search).await
    }
}

impl CitationDraft {
    fn into_validated(self) -> Result<Self, Problem> {
        if let Some(number) = self.number.filter(|number| !(1..=HIGHEST).contains(number)) {
            let detail = format!("citation_number is {number}; it is 1 to {HIGHEST}");
            return Err(Problem::new(Code::InvalidField, detail).with_field("citation_number"));
        }
        if let Some(position) = self.position.filter(|position| *position > LONGEST_TEXT) {
            let detail = format!("position is {position}; no text is as long as that");
            return Err(Problem::new(Code::InvalidField, detail).with_field("position"));
        }
        Ok(Self {
            locator: check_optional_text("locator", self.locator, LONGEST_LOCATOR)?,
            prefix: check_optional_text("prefix", self.prefix, LONGEST_LOCATOR)?,
            suffix: check_optional_text("suffix", self.suffix, LONGEST_LOCATOR)?,
            quote: check_quote(self.quote)?,
            ..self
        })
    }
}

fn check_optional_text(field: &str, text: Option<String>, longest: usize) -> Result<Option<String>, Problem> {
    let has_nul = text.as_ref().is_some_and(|text| text.contains('\0'));
    let text = text.map(|text| ibid_language::one_line(&text)).filter(|text| !text.is_empty());
    if has_nul || text.as_ref().is_some_and(|text| text.chars().count() > longest) {
        let detail = format!("{field} has at most {longest} characters, and none that is NUL");
        return Err(Problem::new(Code::InvalidField, detail).with_field(field));
    }
    Ok(text)
}

/// Words of a source, sign for sign.
fn check_quote(quote: Option<String>) -> Result<Option<String>, Problem> {
    let quote = quote.filter(|quote| !quote.trim().is_empty());
    if quote.as_ref().is_some_and(|quote| quote.chars().count() > LONGEST_QUOTE || quote.contains('\0')) {
        let detail = format!("quote has at most {LONGEST_QUOTE} characters, and none that is NUL");
        return Err(Problem::new(Code::InvalidField, detail).with_field("quote"));
    }
    Ok(quote)
}

fn marker_position(markers: &[CitationMarker], number: u32) -> Option<usize> {
    markers.iter().find(|marker| marker.number == number).map(|marker| marker.span.start)
}

fn insert_marker(text: &str, at: usize, marker: &str) -> String {
    let byte = text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    let (before, after) = text.split_at(byte);
    format!("{before}{marker}{after}")
}

fn remove_markers(text: &str, markers: &[CitationMarker], number: u32) -> Option<String> {
    let spans: Vec<_> = markers.iter().filter(|marker| marker.number == number).map(|marker| marker.span).collect();
    if spans.is_empty() {
        return None;
    }
    let is_kept = |at: &usize| !spans.iter().any(|span| (span.start..span.end).contains(at));
    Some(text.chars().enumerate().filter(|(at, _)| is_kept(at)).map(|(_, char)| char).collect())
}

/// Captures title, type and CSL item of a source, for when it is deleted.
pub(super) fn snapshot_for_document(source: &Source) -> DocumentCitationSnapshot {
    DocumentCitationSnapshot {
        title: source.display_title().to_owned(),
        kind: source.kind,
        url: source.url.clone(),
        item: csl_of_source(source, PlaceholderMode::Style),
    }
}

pub(super) fn unknown_source(id: SourceId) -> Problem {
    Problem::new(Code::SourceNotFound, format!("there is no source {id}")).with_field("source_id")
}

fn no_citation(number: u32) -> Problem {
    Problem::new(Code::DocumentCitationNotFound, format!("the document has no citation {number}"))
}
