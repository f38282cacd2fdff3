//! What the sources of a document say of its sentences.

use std::collections::BTreeMap;

use ibid_citations::CitationSource;
use ibid_claims::Claim;
use ibid_documents::manuscript;
use ibid_domain::DocumentId;

use crate::{CheckedClaim, Result, services::DocumentService};

/// The sentences of a document, checked against the sources they cite.
#[derive(Clone, Debug)]
pub struct DocumentClaims {
    /// Sentences that cite something, with the numbers of their citations.
    pub claims: Vec<(CheckedClaim, Vec<u32>)>,
    /// Sentences that say something and cite nothing.
    pub uncited: Vec<Claim>,
}

impl DocumentService<'_> {
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
