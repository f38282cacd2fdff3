//! What would lose its support if a source were deleted, or replaced.

use ibid_citations::{parse, strip};
use ibid_domain::{Citation, Cursor, Limit, Message, Page, Sha256, SourceId, Span};
use ibid_store::CitationFilter;

use crate::{App, Result, Scope, sources::About};

/// A claim that would lose its support.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The citation that would be a tombstone, or no longer what its source says.
    pub citation: Citation,
    /// The message that it stands in.
    pub message: Message,
    /// The words of the claim.
    pub claim: Option<String>,
    /// How many other sources the claim cites that would still be there.
    pub other_sources: u64,
}

/// What would lose its support, newest first.
#[derive(Clone, Debug)]
pub struct Losses {
    /// How many citations of the source there are in all.
    pub citations: u64,
    /// In how many messages.
    pub messages: u64,
    /// One page of those that would lose their support.
    pub losses: Page<Loss>,
}

/// A text in which quotes are looked for, whatever the blank space between their words.
pub(crate) struct Said(String);

impl Said {
    pub(crate) fn new(text: &str) -> Self {
        Self(even(text))
    }

    /// Whether the text has these words, one after the other.
    pub(crate) fn has(&self, quote: &str) -> bool {
        self.0.contains(&even(quote))
    }
}

/// The words of a text with one space between them.
fn even(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl App {
    /// What would lose its support if a source were deleted, or if these bytes were its content.
    pub async fn losses(
        &self,
        scope: &Scope,
        id: SourceId,
        replacement: Option<Sha256>,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Losses> {
        let said = match replacement {
            Some(sha256) => Some(self.said_by(scope, sha256).await?),
            None => None,
        };
        let mut tx = self.store.read().await?;
        let filter = CitationFilter { source: Some(id), ..CitationFilter::default() };
        let totals = tx.citations(scope).totals(&filter).await?;
        let page = tx.citations(scope).of_source(id, limit, after).await?;
        let ids: Vec<_> = page.items.iter().map(|(citation, _)| &citation.message).collect();
        let beside = tx.citations(scope).of_messages(&ids).await?;
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
            Loss { other_sources: others.len() as u64, claim, citation, message }
        });
        if let Some(said) = said {
            losses.items.retain(|loss| !loss.citation.quote.as_deref().is_some_and(|quote| said.has(quote)));
        }
        Ok(Losses { citations: totals.citations, messages: totals.messages, losses })
    }

    /// What bytes say that are to replace others; nothing if they cannot be read.
    async fn said_by(&self, scope: &Scope, sha256: Sha256) -> Result<Said> {
        let artifact = self.artifact(scope, sha256).await?;
        let about = About {
            filename: artifact.filename.as_ref().map(|name| name.as_str().to_owned()),
            media_type: Some(artifact.media_type.as_str().to_owned()),
            ..About::default()
        };
        let bytes = self.bytes_of(scope, sha256).await?;
        Ok(match self.read_bytes(&about, bytes.into()).await? {
            Ok(reading) => Said::new(&reading.extracted.text),
            Err(_) => Said::new(""),
        })
    }
}

/// The words of a claim without their markers.
fn claim_text(content: &str, span: Span) -> Option<String> {
    let words = span.of(content)?;
    Some(strip(words, &parse(words), |_| true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_space_makes_no_difference_and_a_word_does() {
        let said = Said::new("The bridge\nopened  in 1932.\n\nIt is long.");
        assert!(said.has("bridge opened in\t1932. It is"));
        assert!(!said.has("opened in 1933"));
    }
}
