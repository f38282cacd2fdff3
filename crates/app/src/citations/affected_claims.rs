//! What would lose its support if a source were deleted, or replaced.

use ibid_citations::{parse_markers, strip_markers};
use ibid_domain::{Citation, Cursor, Limit, Message, Page, Sha256, SourceId, Span};
use ibid_language::one_line;
use ibid_store::CitationFilter;

use crate::{Result, services::CitationService, sources::ContentHints};

/// A claim that would lose its support.
#[derive(Clone, Debug)]
pub struct AffectedClaim {
    /// The citation that would be a tombstone, or no longer what its source says.
    pub citation: Citation,
    /// The message that it stands in.
    pub message: Message,
    /// Text of the claim without its markers; `None` if the citation stands for no claim.
    pub claim: Option<String>,
    /// Number of other sources that the claim cites and that would remain.
    pub other_sources: u64,
}

/// The claims that would lose their support, newest first.
#[derive(Clone, Debug)]
pub struct AffectedClaims {
    /// Total number of citations of the source.
    pub citations: u64,
    /// Number of messages that cite the source.
    pub messages: u64,
    /// One page of those that would lose their support.
    pub losses: Page<AffectedClaim>,
}

/// A text in which quotes are looked for, whatever the blank space between their words.
pub(crate) struct NormalizedText(String);

impl NormalizedText {
    pub(crate) fn new(text: &str) -> Self {
        Self(one_line(text))
    }

    /// True if the text contains the quote, ignoring differences in whitespace.
    pub(crate) fn contains_quote(&self, quote: &str) -> bool {
        self.0.contains(&one_line(quote))
    }
}

impl CitationService<'_> {
    /// Lists the claims that would lose their support if the source were deleted, or replaced by the given bytes.
    pub async fn affected_claims(
        self,
        id: SourceId,
        replacement: Option<Sha256>,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<AffectedClaims> {
        let said = match replacement {
            Some(sha256) => Some(self.said_by(sha256).await?),
            None => None,
        };
        let mut tx = self.app.store.read().await?;
        let filter = CitationFilter { source: Some(id), ..CitationFilter::default() };
        let totals = tx.citations(self.scope).totals(&filter).await?;
        let page = tx.citations(self.scope).of_source(id, limit, after).await?;
        let ids: Vec<_> = page.items.iter().map(|(citation, _)| &citation.message).collect();
        let beside = tx.citations(self.scope).of_messages(&ids).await?;
        let mut losses = page.map(|(citation, message)| {
            let others = beside.iter().filter(|other| {
                other.message == citation.message
                    && other.claim.is_some()
                    && other.claim == citation.claim
                    && other.source.is_some_and(|source| source != id)
            });
            let mut others: Vec<_> = others.filter_map(|other| other.source).collect();
            others.sort_unstable();
            others.dedup();
            let claim = citation.claim.and_then(|span| claim_text(&message.content, span));
            AffectedClaim { other_sources: others.len() as u64, claim, citation, message }
        });
        if let Some(said) = said {
            losses.items.retain(|loss| !loss.citation.quote.as_deref().is_some_and(|quote| said.contains_quote(quote)));
        }
        Ok(AffectedClaims { citations: totals.citations, messages: totals.messages, losses })
    }

    /// Reads the text of replacement bytes; empty if they cannot be read.
    async fn said_by(self, sha256: Sha256) -> Result<NormalizedText> {
        let artifact = self.app.artifacts(self.scope).get(sha256).await?;
        let about = ContentHints {
            filename: artifact.filename.as_ref().map(|name| name.as_str().to_owned()),
            media_type: Some(artifact.media_type.as_str().to_owned()),
            ..ContentHints::default()
        };
        let bytes = self.app.sources(self.scope).bytes_of(sha256).await?;
        Ok(match self.app.read_bytes(&about, bytes.into()).await? {
            Ok(reading) => NormalizedText::new(&reading.extracted.text),
            Err(_) => NormalizedText::new(""),
        })
    }
}

/// The words of a claim without their markers.
fn claim_text(content: &str, span: Span) -> Option<String> {
    let words = span.slice_of(content)?;
    Some(strip_markers(words, &parse_markers(words), |_| true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_space_makes_no_difference_and_a_word_does() {
        let said = NormalizedText::new("The bridge\nopened  in 1932.\n\nIt is long.");
        assert!(said.contains_quote("bridge opened in\t1932. It is"));
        assert!(!said.contains_quote("opened in 1933"));
    }
}
