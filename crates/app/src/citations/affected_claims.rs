//! What would lose its support if a source were deleted, or replaced: claims of messages and of documents.

use std::{cmp::Reverse, collections::BTreeMap};

use ibid_citations::{parse_markers, strip_markers};
use ibid_domain::{
    Citation, ConversationId, Cursor, DocumentId, Limit, MessageId, Page, Sha256, SourceId, Span, Verdict,
};
use ibid_language::one_line;
use ibid_store::CitationFilter;
use uuid::Uuid;

use crate::{
    Result,
    documents::CitedDocumentClaim,
    services::{CitationService, DocumentService},
    sources::ContentHints,
};

/// A claim that cites the source, whatever the number of markers it cites it with.
#[derive(Clone, Debug)]
pub struct AffectedClaim {
    pub place: ClaimPlace,
    /// Number of the citation in that message or document; the newest one if the claim cites the source several times.
    pub number: u32,
    /// Text of the claim without its markers; `None` if the citation stands for no claim.
    pub claim: Option<String>,
    /// Words of the source that the claim rests on.
    pub quote: Option<String>,
    /// Result of checking the claim against the source; always `None` in documents, which store no verdicts.
    pub verdict: Option<Verdict>,
    /// Number of other sources that the claim cites, that support it and that would remain.
    pub other_sources: u64,
    /// True if the source supports the claim and no other source does.
    pub loses_support: bool,
}

/// The text that a claim stands in.
#[derive(Clone, Debug)]
pub enum ClaimPlace {
    Message { message: MessageId, conversation: ConversationId },
    Document { document: DocumentId, title: String },
}

/// The claims that cite a source, newest first.
#[derive(Clone, Debug)]
pub struct AffectedClaims {
    /// Number of citations of the source in messages.
    pub citations: u64,
    /// Number of messages that cite the source.
    pub messages: u64,
    /// Number of claims that cite the source, in messages and documents.
    pub claims: u64,
    /// Number of those claims that no other source supports.
    pub lost_claims: u64,
    /// One page of the claims.
    pub page: Page<AffectedClaim>,
}

/// A claim that cites the source, before its text is read.
struct CitingClaim {
    /// Id of its newest citation of the source, by which the list is sorted.
    newest: Uuid,
    /// Place of the claim in its text, in characters: one citation of a document may stand in several claims.
    start: usize,
    /// Place of the claim in the message; `None` in documents, where the text is known already.
    span: Option<Span>,
    affected: AffectedClaim,
}

/// Number of messages whose citations are read with one statement.
const MESSAGES_AT_ONCE: usize = 200;

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
    /// Lists the claims that cite a source, and counts those that would lose their last support if it were deleted, or
    /// replaced by the given bytes. A claim whose words the replacement still has is left out.
    pub async fn affected_claims(
        self,
        id: SourceId,
        replacement: Option<Sha256>,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<AffectedClaims> {
        let after = after.map(parse_cursor).transpose()?;
        let replacement = match replacement {
            Some(sha256) => Some(self.said_by(sha256).await?),
            None => None,
        };
        let is_kept = |quote: Option<&str>| {
            quote.is_some_and(|quote| replacement.as_ref().is_some_and(|text| text.contains_quote(quote)))
        };
        let filter = CitationFilter { source: Some(id), ..CitationFilter::default() };
        let totals = self.app.store.read().await?.citations(self.scope).totals(&filter).await?;
        let mut claims = self.citing_in_messages(id, is_kept).await?;
        claims.extend(self.citing_in_documents(id, is_kept).await?);
        let count = claims.len() as u64;
        let lost_claims = claims.iter().filter(|claim| claim.affected.loses_support).count() as u64;
        claims.sort_by_key(|claim| (Reverse(claim.newest), claim.start));
        if let Some((newest, start)) = after {
            claims.retain(|claim| (Reverse(claim.newest), claim.start) > (Reverse(newest), start));
        }
        claims.truncate(limit.get() + 1);
        let page = Page::from_rows(claims, limit, |claim| vec![claim.newest.to_string(), claim.start.to_string()]);
        let page = self.with_message_texts(page).await?;
        Ok(AffectedClaims { citations: totals.citations, messages: totals.messages, claims: count, lost_claims, page })
    }

    /// Groups the citations of a source in messages by the claims they stand for.
    async fn citing_in_messages(
        self,
        id: SourceId,
        is_kept: impl Fn(Option<&str>) -> bool,
    ) -> Result<Vec<CitingClaim>> {
        let mut tx = self.app.store.read().await?;
        let own = tx.citations(self.scope).list_citing(id).await?;
        let mut messages: Vec<&MessageId> = own.iter().map(|citation| &citation.message).collect();
        messages.sort_unstable();
        messages.dedup();
        let mut others: BTreeMap<(MessageId, Option<Span>), Vec<Citation>> = BTreeMap::new();
        for batch in messages.chunks(MESSAGES_AT_ONCE) {
            for citation in tx.citations(self.scope).of_messages(batch).await? {
                if citation.source != Some(id) && citation.claim.is_some() && is_support(&citation) {
                    others.entry((citation.message.clone(), citation.claim)).or_default().push(citation);
                }
            }
        }
        drop(tx);
        // A citation without a claim stands for itself, by its marker.
        let mut by_claim: BTreeMap<(MessageId, Span), Vec<Citation>> = BTreeMap::new();
        for citation in own {
            let span = citation.claim.unwrap_or(citation.marker);
            by_claim.entry((citation.message.clone(), span)).or_default().push(citation);
        }
        let mut claims = Vec::with_capacity(by_claim.len());
        for ((message, span), citations) in by_claim {
            if citations.iter().any(|citation| is_kept(citation.quote.as_deref())) {
                continue;
            }
            let is_supported = citations.iter().any(is_support);
            let Some(newest) = citations.into_iter().max_by_key(|citation| citation.id) else { continue };
            let mut remaining: Vec<String> = Vec::new();
            if let Some(others) = others.get(&(message.clone(), newest.claim)) {
                remaining.extend(others.iter().map(work_key));
                remaining.sort_unstable();
                remaining.dedup();
            }
            claims.push(CitingClaim {
                newest: newest.id.uuid(),
                start: span.start,
                span: newest.claim,
                affected: AffectedClaim {
                    place: ClaimPlace::Message { message, conversation: newest.conversation },
                    number: newest.number,
                    claim: None,
                    quote: newest.quote,
                    verdict: newest.verdict,
                    other_sources: remaining.len() as u64,
                    loses_support: is_supported && remaining.is_empty(),
                },
            });
        }
        Ok(claims)
    }

    /// Lists the claims of documents, as they are now, that cite a source.
    async fn citing_in_documents(
        self,
        id: SourceId,
        is_kept: impl Fn(Option<&str>) -> bool,
    ) -> Result<Vec<CitingClaim>> {
        let documents = self.app.store.read().await?.documents(self.scope).list_citing(id).await?;
        let service: DocumentService<'_> = self.app.documents(self.scope);
        let mut claims = Vec::new();
        for (document, _) in documents {
            for CitedDocumentClaim { text, start, citations } in service.cited_claims(document.id).await? {
                let own = || citations.iter().filter(|citation| citation.source == Some(id));
                let Some(newest) = own().max_by_key(|citation| citation.id) else { continue };
                if own().any(|citation| is_kept(citation.quote.as_deref())) {
                    continue;
                }
                let mut others: Vec<SourceId> = citations.iter().filter_map(|citation| citation.source).collect();
                others.retain(|source| *source != id);
                others.sort_unstable();
                others.dedup();
                claims.push(CitingClaim {
                    newest: newest.id.uuid(),
                    start,
                    span: None,
                    affected: AffectedClaim {
                        place: ClaimPlace::Document { document: document.id, title: document.settings.title.clone() },
                        number: newest.number,
                        claim: text,
                        quote: newest.quote.clone(),
                        verdict: None,
                        other_sources: others.len() as u64,
                        loses_support: others.is_empty(),
                    },
                });
            }
        }
        Ok(claims)
    }

    /// Reads the words of the claims that stand in messages.
    async fn with_message_texts(self, page: Page<CitingClaim>) -> Result<Page<AffectedClaim>> {
        let mut messages: Vec<&MessageId> = Vec::new();
        for claim in &page.items {
            if let ClaimPlace::Message { message, .. } = &claim.affected.place {
                messages.push(message);
            }
        }
        messages.sort_unstable();
        messages.dedup();
        let messages = self.app.store.read().await?.conversations(self.scope).get_messages(&messages).await?;
        let texts: BTreeMap<MessageId, String> =
            messages.into_iter().map(|message| (message.id, message.content)).collect();
        Ok(page.map(|CitingClaim { span, mut affected, .. }| {
            if let ClaimPlace::Message { message, .. } = &affected.place {
                affected.claim = span.and_then(|span| claim_text(texts.get(message)?, span));
            }
            affected
        }))
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

/// True if a citation bears its claim out: its source was not found to say something else, and is still there. One whose
/// words a newer revision has lost counts, because the revision that was cited has them.
fn is_support(citation: &Citation) -> bool {
    let is_borne_out =
        matches!(citation.verdict, None | Some(Verdict::Supported | Verdict::Partial | Verdict::Unverifiable));
    is_borne_out && !citation.is_tombstone()
}

/// Tells cited works apart: by their source, or as what a tool returned.
fn work_key(citation: &Citation) -> String {
    match (citation.source, &citation.snapshot.url) {
        (Some(source), _) => source.to_string(),
        (None, Some(url)) => url.clone(),
        (None, None) => citation.cited_id.clone(),
    }
}

fn parse_cursor(cursor: &Cursor) -> Result<(Uuid, usize)> {
    let [newest, start] = cursor.key_parts()?;
    let newest = newest.parse().map_err(|_| Cursor::invalid_cursor())?;
    Ok((newest, start.parse().map_err(|_| Cursor::invalid_cursor())?))
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
