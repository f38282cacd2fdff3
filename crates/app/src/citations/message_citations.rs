//! Citations that are kept with a message: each with the words that support it and a snapshot of what was cited.

use std::collections::HashMap;

use ibid_citations::{CitationSource, CitationSourceType, Ledger, cited_text, ledger::LedgerEntry, parse_markers};
use ibid_claims::extract_claims;
use ibid_domain::{
    CharIndex, Citation, CitationId, CitationState, ConversationId, Mark, MarkKind, Message, MessageId, Origin,
    Revision, Sha256, Source, SourceId, Span,
    artifact::MediaType,
    citation::{Anchor, CitationSnapshot},
};
use ibid_store::{CitationFilter, CitationTotals, CitedSource, Tx};

use super::{CheckedCitation, CheckedText, CitedContents, claim_differences::locate_differences};
use crate::{Result, Scope, UploadDetails, services::CitationService};

/// Number of characters stored before and after a quote, to find it again in a changed text.
const AROUND: usize = 32;
/// Maximum number of sources and conversations listed in the statistics.
const MOST_CITED: i64 = 50;

/// Citation statistics of the library.
#[derive(Clone, Debug)]
pub struct CitationStats {
    /// Number of citations, sources and messages that match the filter.
    pub totals: CitationTotals,
    /// The sources that are cited most.
    pub sources: Vec<CitedSource>,
    /// Number of citations created per day, as `YYYY-MM-DD`.
    pub days: Vec<(String, u64)>,
    /// The conversations that cite most: their id and title, how many citations, of how many sources.
    pub conversations: Vec<(ConversationId, Option<String>, u64, u64)>,
}

/// A work that a text cites, as it is now.
struct CitedWork {
    source: Option<SourceId>,
    snapshot: CitationSnapshot,
    /// The text that quotes are taken from; `None` if the work has no text.
    text: Option<CitedTextRef>,
}

struct CitedTextRef {
    revision: Option<Revision>,
    marks: Vec<Mark>,
    text: Sha256,
    content: Sha256,
}

impl CitationService<'_> {
    /// Builds the citations of a message. Tool results are stored as artifacts first, so that every quote points to
    /// bytes that do not change.
    pub(crate) async fn citations_of(
        self,
        message: &Message,
        ledger: &Ledger,
        checked: &CheckedText,
        read: &CitedContents,
    ) -> Result<Vec<Citation>> {
        let text = &message.content;
        let markers = parse_markers(text);
        let resolved = ledger.resolve_markers(text, &markers);
        // The claim that each marker stands for.
        let mut stands_for: HashMap<usize, Span> = HashMap::new();
        for claim in extract_claims(&cited_text(text, &markers)) {
            for cited in &claim.cited {
                stands_for.insert(markers[cited.marker].span.start, claim.span);
            }
        }
        let mut supports: HashMap<(Span, u32), &CheckedCitation> = HashMap::new();
        for checked in &checked.claims {
            for citation in &checked.citations {
                supports.insert((checked.claim.span, citation.number), citation);
            }
        }
        let mut works: HashMap<u32, CitedWork> = HashMap::new();
        let now = self.app.store.clock().now();
        let mut citations = Vec::new();
        for reference in &resolved.references {
            for number in &reference.numbers {
                let Some(entry) = ledger.get(*number) else { continue };
                if !works.contains_key(number) {
                    works.insert(*number, self.load_cited_work(entry, read).await?);
                }
                let work = &works[number];
                let claim = stands_for.get(&reference.span.start).copied();
                let support = claim.and_then(|claim| supports.get(&(claim, *number)));
                let span = support.and_then(|found| found.support.quote);
                let words = read.get(number).map(|read| read.passage.text());
                citations.push(Citation {
                    id: CitationId::new(),
                    message: message.id.clone(),
                    conversation: message.conversation,
                    run: message.run,
                    number: *number,
                    marker: reference.span,
                    claim,
                    source: work.source,
                    cited_id: entry.source.id.clone(),
                    snapshot: work.snapshot.clone(),
                    quote: support.and_then(|found| found.quote.clone()),
                    anchor: work.text.as_ref().zip(words).map(|(text, words)| text.anchor_quote(words, span)),
                    verdict: support.map(|found| found.support.verdict),
                    score: support.map(|found| f64::from(found.support.score)),
                    why: claim
                        .zip(support)
                        .map_or_else(Vec::new, |(claim, found)| locate_differences(text, claim, &found.support.why)),
                    state: CitationState::Current,
                    summary: None,
                    created_at: now,
                });
            }
        }
        Ok(citations)
    }

    async fn load_cited_work(self, entry: &LedgerEntry, read: &CitedContents) -> Result<CitedWork> {
        let Some(read) = read.get(&entry.number) else {
            return Ok(CitedWork { source: None, snapshot: snapshot_of_result(entry), text: None });
        };
        if let Some((id, revision, marks)) = &read.of {
            let source = self.app.store.read().await?.sources(self.scope).get(*id).await?;
            let text = revision.text.map(|text| CitedTextRef {
                revision: Some(revision.clone()),
                marks: marks.clone(),
                text,
                content: revision.content,
            });
            let snapshot = match &source {
                Some(source) => snapshot_source(source, Some(revision), entry),
                None => CitationSnapshot { was_in_library: true, ..snapshot_of_result(entry) },
            };
            return Ok(CitedWork { source: source.map(|source| source.id), snapshot, text });
        }
        let words = read.passage.text();
        let text = match words.is_empty() {
            true => None,
            false => {
                let kind = MediaType::new("text/plain; charset=utf-8")?;
                let details = UploadDetails { media_type: Some(kind), ..UploadDetails::default() };
                let kept = self.app.sources(self.scope).keep_bytes(words.to_owned().into(), details).await?.sha256;
                Some(CitedTextRef { revision: None, marks: Vec::new(), text: kept, content: kept })
            }
        };
        // A source of the library that has no text, such as a picture, can be cited all the same.
        let known = entry.source.source_id.as_deref().and_then(|id| id.parse().ok());
        let source = match known {
            Some(id) => self.app.store.read().await?.sources(self.scope).get(id).await?,
            None => None,
        };
        let Some(source) = source else {
            return Ok(CitedWork { source: None, snapshot: snapshot_of_result(entry), text });
        };
        let revision = match source.revision {
            Some(id) => self.app.store.read().await?.revisions(self.scope).get(id).await?,
            None => None,
        };
        Ok(CitedWork { source: Some(source.id), snapshot: snapshot_source(&source, revision.as_ref(), entry), text })
    }

    /// The citations of a message, in the order in which they stand.
    pub async fn of_message(self, message: &MessageId) -> Result<(Message, Vec<Citation>)> {
        let mut tx = self.app.store.read().await?;
        let found = tx.conversations(self.scope).get_message(message).await?;
        let found = found.ok_or_else(|| crate::runs::no_message(message.as_str()))?;
        let citations = tx.citations(self.scope).of_message(message).await?;
        Ok((found, citations))
    }

    /// Counts citations in total, per source, per day and per conversation.
    pub async fn stats(self, filter: &CitationFilter) -> Result<CitationStats> {
        let mut tx = self.app.store.read().await?;
        let mut citations = tx.citations(self.scope);
        Ok(CitationStats {
            totals: citations.totals(filter).await?,
            sources: citations.most_cited(filter, MOST_CITED).await?,
            days: citations.per_day(filter).await?,
            conversations: citations.per_conversation(filter, MOST_CITED).await?,
        })
    }
}

/// Keeps citations. A source that was deleted since they were made is already a tombstone.
pub(crate) async fn keep_citations(tx: &mut Tx, scope: &Scope, citations: &mut [Citation]) -> Result<u64> {
    let mut here: HashMap<SourceId, bool> = HashMap::new();
    for citation in citations.iter_mut() {
        let Some(id) = citation.source else { continue };
        let is_here = match here.get(&id) {
            Some(known) => *known,
            None => {
                // Held, so that it is not deleted between this look and the commit.
                let is_here = tx.sources(scope).get_for_update(id).await?.is_some();
                here.insert(id, is_here);
                is_here
            }
        };
        if !is_here {
            citation.source = None;
            if let Some(anchor) = &mut citation.anchor {
                anchor.revision = None;
            }
        }
    }
    Ok(tx.citations(scope).add(citations).await?)
}

impl CitedTextRef {
    fn anchor_quote(&self, words: &str, span: Option<Span>) -> Anchor {
        build_anchor(
            words,
            span,
            &self.marks,
            (self.revision.as_ref().map(|revision| revision.id), self.text, self.content),
        )
    }
}

/// A place in a text, with the words around it and its pages.
pub(crate) fn build_anchor(
    words: &str,
    span: Option<Span>,
    marks: &[Mark],
    (revision, text, content): (Option<ibid_domain::RevisionId>, Sha256, Sha256),
) -> Anchor {
    let (mut prefix, mut suffix, mut pages) = (String::new(), String::new(), None);
    if let Some(span) = span {
        let index = CharIndex::new(words);
        let around = |from: usize, to: usize| index.span_text(Span::new(from, to)).unwrap_or_default().to_owned();
        prefix = around(span.start.saturating_sub(AROUND), span.start);
        suffix = around(span.end, (span.end + AROUND).min(index.len()));
        let mut on = marks
            .iter()
            .filter(|mark| mark.kind == MarkKind::Page && mark.span.overlaps(span))
            .filter_map(|mark| mark.number);
        pages = on.next().map(|first| (first, on.next_back().unwrap_or(first)));
    }
    Anchor { revision, text, content, span, prefix, suffix, pages }
}

/// Captures the title and origin of a source, to show them after the source is deleted.
pub(crate) fn snapshot_source(source: &Source, revision: Option<&Revision>, entry: &LedgerEntry) -> CitationSnapshot {
    let title = source.display_title().to_owned();
    let file_name = revision.and_then(|revision| revision.filename.clone());
    CitationSnapshot {
        was_in_library: true,
        file_name: file_name.unwrap_or_else(|| title.clone()),
        title,
        origin: source.origin,
        media_type: revision.map_or_else(String::new, |revision| revision.media_type.clone()),
        is_image: revision.is_some_and(Revision::is_image),
        url: source.url.clone(),
        relevance: best_relevance(entry),
        excerpt_count: count_excerpts(entry),
    }
}

fn snapshot_of_result(entry: &LedgerEntry) -> CitationSnapshot {
    let source = &entry.source;
    let media_type = source.mime_type.clone().unwrap_or_default();
    let url = source.uri.clone().filter(|uri| uri.starts_with("http://") || uri.starts_with("https://"));
    CitationSnapshot {
        was_in_library: false,
        title: source.display_name().to_owned(),
        file_name: source.display_name().to_owned(),
        origin: origin_of_result(source),
        is_image: media_type.starts_with("image/"),
        media_type,
        url,
        relevance: best_relevance(entry),
        excerpt_count: count_excerpts(entry),
    }
}

fn best_relevance(entry: &LedgerEntry) -> Option<f64> {
    let scores = std::iter::once(&entry.source).chain(&entry.others).filter_map(|source| source.relevance_score);
    scores.max_by(f64::total_cmp)
}

fn count_excerpts(entry: &LedgerEntry) -> u64 {
    let results = std::iter::once(&entry.source).chain(&entry.others);
    results.filter(|source| source.snippet.is_some() || source.full_content.is_some()).count() as u64
}

fn origin_of_result(source: &CitationSource) -> Origin {
    match source.kind {
        CitationSourceType::Web => Origin::Web,
        CitationSourceType::File => Origin::BlobStorage,
        CitationSourceType::Api => Origin::Api,
        CitationSourceType::Database => Origin::Database,
        CitationSourceType::Memory => Origin::Memory,
        CitationSourceType::Skill => Origin::Skill,
        CitationSourceType::Mcp => Origin::Mcp,
    }
}
