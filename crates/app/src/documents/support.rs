//! What the sources of a document say of its sentences.

use std::collections::BTreeMap;

use ibid_citations::{CitationSource, cited_text, parse_markers};
use ibid_claims::{Claim, extract_claims};
use ibid_documents::manuscript;
use ibid_domain::{DocumentCitation, DocumentId, Span};

use crate::{CheckedClaim, Result, services::DocumentService};

/// The sentences of a document, checked against the sources they cite.
#[derive(Clone, Debug)]
pub struct DocumentClaims {
    /// Sentences that cite something, with the numbers of their citations.
    pub claims: Vec<(CheckedClaim, Vec<u32>)>,
    /// Sentences that say something and cite nothing.
    pub uncited: Vec<Claim>,
}

/// A claim of a document with the citations that stand for it.
pub(crate) struct CitedDocumentClaim {
    /// Words of the claim without its markers; `None` for a citation outside of all claims, as in a heading.
    pub(crate) text: Option<String>,
    /// Place of the claim in the text of the document, in characters.
    pub(crate) start: usize,
    /// Citations of the claim, each once.
    pub(crate) citations: Vec<DocumentCitation>,
}

impl DocumentService<'_> {
    /// Lists what the newest version of a document cites, claim by claim; claims without citations are left out.
    pub(crate) async fn cited_claims(self, id: DocumentId) -> Result<Vec<CitedDocumentClaim>> {
        let open = self.get(id, None).await?;
        let mut citations = self.app.store.read().await?.documents(self.scope).list_citations(id).await?;
        citations.retain(DocumentCitation::is_attached);
        let format = open.document.settings.format;
        let prose = manuscript::extract_prose(format, &open.text, |number| {
            citations.iter().any(|citation| citation.number == number).then_some(number)
        });
        let markers = manuscript::find_markers(format, &open.text);
        let places = citations.into_iter().map(|citation| {
            let own = markers.iter().filter(|marker| marker.number == citation.number).map(|marker| marker.span);
            let spans: Vec<Span> = match citation.is_marked {
                true => own.collect(),
                false => vec![Span::new(citation.position, citation.position)],
            };
            (citation, spans)
        });
        let claims = extract_claims(&cited_text(&prose, &parse_markers(&prose)));
        Ok(citations_by_claim(claims, places.collect()))
    }

    /// Checks the sentences of a document against what they cite.
    pub async fn check_support(self, id: DocumentId) -> Result<DocumentClaims> {
        let open = self.get(id, None).await?;
        let citations = self.app.store.read().await?.documents(self.scope).list_citations(id).await?;
        // What is cited twice is one work: its first citation has the number of both.
        let mut works: BTreeMap<u32, u32> = BTreeMap::new();
        let mut sources: Vec<CitationSource> = Vec::new();
        for citation in &citations {
            let known = citations.iter().find(|one| one.source.is_some() && one.source == citation.source);
            let number = known.map_or(citation.number, |first| first.number);
            works.insert(citation.number, number);
            if number == citation.number {
                sources.push(CitationSource {
                    id: number.to_string(),
                    number: Some(number),
                    title: Some(citation.snapshot.title.clone()),
                    source_id: citation.source.map(|source| source.to_string()),
                    snippet: citation.quote.clone(),
                    ..CitationSource::default()
                });
            }
        }
        let format = open.document.settings.format;
        let prose = manuscript::extract_prose(format, &open.text, |number| works.get(&number).copied());
        let markers = manuscript::find_markers(format, &open.text);
        let checked = self.app.citations(self.scope).check_text(&prose, sources).await?;
        let numbered = |claim: CheckedClaim| {
            let span = claim.claim.span;
            let own = markers.iter().filter(|marker| marker.span.end > span.start && marker.span.start < span.end);
            let numbers = own.map(|marker| marker.number).filter(|number| works.contains_key(number)).collect();
            (claim, numbers)
        };
        Ok(DocumentClaims { claims: checked.claims.into_iter().map(numbered).collect(), uncited: checked.uncited })
    }
}

/// Gives each citation to the claims that one of its places is in. A place without a marker belongs to the claim that it is
/// in or that it follows.
fn citations_by_claim(claims: Vec<Claim>, places: Vec<(DocumentCitation, Vec<Span>)>) -> Vec<CitedDocumentClaim> {
    let claim_at = |place: Span| match place.is_empty() {
        false => claims.iter().position(|claim| claim.span.overlaps(place)),
        true => claims.iter().rposition(|claim| claim.span.start < place.start),
    };
    let mut cited: BTreeMap<usize, Vec<DocumentCitation>> = BTreeMap::new();
    let mut outside = Vec::new();
    for (citation, spans) in places {
        for span in spans {
            match claim_at(span) {
                Some(place) => {
                    let known = cited.entry(place).or_default();
                    if known.iter().all(|one| one.id != citation.id) {
                        known.push(citation.clone());
                    }
                }
                None => {
                    let citations = vec![citation.clone()];
                    outside.push(CitedDocumentClaim { text: None, start: span.start, citations });
                }
            }
        }
    }
    let inside = claims.into_iter().enumerate().filter_map(|(place, claim)| {
        let citations = cited.remove(&place)?;
        Some(CitedDocumentClaim { text: Some(claim.text), start: claim.span.start, citations })
    });
    inside.chain(outside).collect()
}
