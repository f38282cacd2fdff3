//! Citations that are kept with a message: each with the words that support it and a snapshot of what was cited.

use std::collections::HashMap;

use ibid_citations::{CitationSource, CitationSourceType, Ledger, claims::claims, ledger::Entry, parse};
use ibid_domain::{
    CharIndex, Citation, CitationId, CitationState, ConversationId, Mark, MarkKind, Message, MessageId, Origin,
    Revision, Sha256, Source, SourceId, Span,
    artifact::MediaType,
    citation::{Anchor, Snapshot},
};
use ibid_store::{CitationFilter, CitationTotals, CitedSource, Tx};

use super::{Checked, CheckedCitation, ReadWorks};
use crate::{App, Result, Scope, UploadDetails};

/// How many characters before and after a quote are kept with it, to find it again.
const AROUND: usize = 32;
/// How many of the most cited are told.
const MOST_CITED: i64 = 50;

/// How often what is cited.
#[derive(Clone, Debug)]
pub struct CitationStats {
    /// How many there are.
    pub totals: CitationTotals,
    /// The sources that are cited most.
    pub sources: Vec<CitedSource>,
    /// How many were made on each day.
    pub days: Vec<(String, u64)>,
    /// The conversations that cite most: their id and title, how many citations, of how many sources.
    pub conversations: Vec<(ConversationId, Option<String>, u64, u64)>,
}

/// A work that a text cites, as it is now.
struct Work {
    source: Option<SourceId>,
    snapshot: Snapshot,
    /// Whose words are quoted, and where they are kept.
    text: Option<WorkText>,
}

struct WorkText {
    revision: Option<Revision>,
    marks: Vec<Mark>,
    text: Sha256,
    content: Sha256,
}

impl App {
    /// What a text cites, ready to be kept with the message that it is of. What tools returned is kept as artifacts
    /// on the way, so that every quote leads to bytes that do not change.
    pub(crate) async fn citations_of(
        &self,
        scope: &Scope,
        message: &Message,
        ledger: &Ledger,
        checked: &Checked,
        read: &ReadWorks,
    ) -> Result<Vec<Citation>> {
        let text = &message.content;
        let markers = parse(text);
        let resolved = ledger.resolve(text, &markers);
        // The claim that each marker stands for.
        let mut stands_for: HashMap<usize, Span> = HashMap::new();
        for claim in claims(text, &markers) {
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
        let mut works: HashMap<u32, Work> = HashMap::new();
        let now = self.store.clock().now();
        let mut citations = Vec::new();
        for reference in &resolved.references {
            for number in &reference.numbers {
                let Some(entry) = ledger.get(*number) else { continue };
                if !works.contains_key(number) {
                    works.insert(*number, self.work(scope, entry, read).await?);
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
                    anchor: work.text.as_ref().zip(words).map(|(text, words)| text.anchor(words, span)),
                    verdict: support.map(|found| found.support.verdict),
                    score: support.map(|found| f64::from(found.support.score)),
                    state: CitationState::Current,
                    summary: None,
                    created_at: now,
                });
            }
        }
        Ok(citations)
    }

    async fn work(&self, scope: &Scope, entry: &Entry, read: &ReadWorks) -> Result<Work> {
        let Some(read) = read.get(&entry.number) else {
            return Ok(Work { source: None, snapshot: snapshot_of_result(entry), text: None });
        };
        if let Some((id, revision, marks)) = &read.of {
            let source = self.store.read().await?.sources(scope).get(*id).await?;
            let text = revision.text.map(|text| WorkText {
                revision: Some(revision.clone()),
                marks: marks.clone(),
                text,
                content: revision.content,
            });
            let snapshot = match &source {
                Some(source) => snapshot(source, Some(revision), entry),
                None => Snapshot { was_in_library: true, ..snapshot_of_result(entry) },
            };
            return Ok(Work { source: source.map(|source| source.id), snapshot, text });
        }
        let words = read.passage.text();
        let text = match words.is_empty() {
            true => None,
            false => {
                let kind = MediaType::new("text/plain; charset=utf-8")?;
                let details = UploadDetails { media_type: Some(kind), ..UploadDetails::default() };
                let kept = self.keep_bytes(scope, words.to_owned().into(), details).await?.sha256;
                Some(WorkText { revision: None, marks: Vec::new(), text: kept, content: kept })
            }
        };
        // A source of the library that has no text, such as a picture, can be cited all the same.
        let known = entry.source.source_id.as_deref().and_then(|id| id.parse().ok());
        let source = match known {
            Some(id) => self.store.read().await?.sources(scope).get(id).await?,
            None => None,
        };
        let Some(source) = source else { return Ok(Work { source: None, snapshot: snapshot_of_result(entry), text }) };
        let revision = match source.revision {
            Some(id) => self.store.read().await?.revisions(scope).get(id).await?,
            None => None,
        };
        Ok(Work { source: Some(source.id), snapshot: snapshot(&source, revision.as_ref(), entry), text })
    }

    /// The citations of a message, in the order in which they stand.
    pub async fn citations(&self, scope: &Scope, message: &MessageId) -> Result<(Message, Vec<Citation>)> {
        let mut tx = self.store.read().await?;
        let found = tx.conversations(scope).message(message).await?;
        let found = found.ok_or_else(|| crate::runs::no_message(message.as_str()))?;
        let citations = tx.citations(scope).of_message(message).await?;
        Ok((found, citations))
    }

    /// How often what is cited.
    pub async fn citation_stats(&self, scope: &Scope, filter: &CitationFilter) -> Result<CitationStats> {
        let mut tx = self.store.read().await?;
        let mut citations = tx.citations(scope);
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
                let is_here = tx.sources(scope).hold(id).await?.is_some();
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
    tx.citations(scope).add(citations).await
}

impl WorkText {
    fn anchor(&self, words: &str, span: Option<Span>) -> Anchor {
        anchor(words, span, &self.marks, (self.revision.as_ref().map(|revision| revision.id), self.text, self.content))
    }
}

/// A place in a text, with the words around it and its pages.
pub(crate) fn anchor(
    words: &str,
    span: Option<Span>,
    marks: &[Mark],
    (revision, text, content): (Option<ibid_domain::RevisionId>, Sha256, Sha256),
) -> Anchor {
    let (mut prefix, mut suffix, mut pages) = (String::new(), String::new(), None);
    if let Some(span) = span {
        let index = CharIndex::new(words);
        let around = |from: usize, to: usize| index.of(Span::new(from, to)).unwrap_or_default().to_owned();
        prefix = around(span.start.saturating_sub(AROUND), span.start);
        suffix = around(span.end, (span.end + AROUND).min(index.len()));
        let mut on = marks
            .iter()
            .filter(|mark| mark.kind == MarkKind::Page && mark.span.meets(span))
            .filter_map(|mark| mark.number);
        pages = on.next().map(|first| (first, on.next_back().unwrap_or(first)));
    }
    Anchor { revision, text, content, span, prefix, suffix, pages }
}

/// What a source of the library is, to be shown when it is gone.
pub(crate) fn snapshot(source: &Source, revision: Option<&Revision>, entry: &Entry) -> Snapshot {
    let title = source.title().to_owned();
    let file_name = revision.and_then(|revision| revision.filename.clone());
    Snapshot {
        was_in_library: true,
        file_name: file_name.unwrap_or_else(|| title.clone()),
        title,
        origin: source.origin,
        media_type: revision.map_or_else(String::new, |revision| revision.media_type.clone()),
        is_image: revision.is_some_and(Revision::is_image),
        url: source.url.clone(),
        relevance: relevance(entry),
        excerpt_count: excerpts(entry),
    }
}

fn snapshot_of_result(entry: &Entry) -> Snapshot {
    let source = &entry.source;
    let media_type = source.mime_type.clone().unwrap_or_default();
    let url = source.uri.clone().filter(|uri| uri.starts_with("http://") || uri.starts_with("https://"));
    Snapshot {
        was_in_library: false,
        title: source.name().to_owned(),
        file_name: source.name().to_owned(),
        origin: origin(source),
        is_image: media_type.starts_with("image/"),
        media_type,
        url,
        relevance: relevance(entry),
        excerpt_count: excerpts(entry),
    }
}

fn relevance(entry: &Entry) -> Option<f64> {
    let scores = std::iter::once(&entry.source).chain(&entry.others).filter_map(|source| source.relevance_score);
    scores.max_by(f64::total_cmp)
}

fn excerpts(entry: &Entry) -> u64 {
    let results = std::iter::once(&entry.source).chain(&entry.others);
    results.filter(|source| source.snippet.is_some() || source.full_content.is_some()).count() as u64
}

fn origin(source: &CitationSource) -> Origin {
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
