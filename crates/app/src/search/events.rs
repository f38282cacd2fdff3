//! What happened, among the results: events whose own words answer, of sources that no passage was shown of.

use std::collections::BTreeSet;

use ibid_domain::{EventId, SourceId, Span};
use ibid_index::matcher::Matcher;

use super::{CandidateLists, FoundPassage, PassageEvidence, SearchRequest, fusion, passes_filter};
use crate::{Result, services::SearchService};

/// Minimum share of the query's words in an event for it to be a result of its own.
const ANSWERS: f32 = 0.75;

impl SearchService<'_> {
    /// Adds events of the candidates that were not chosen. Events of a source that a passage is shown of already are left
    /// to that passage: it has their words.
    pub(super) async fn add_events(
        self,
        search: &SearchRequest,
        ranked: &[(fusion::FusionCandidate, f64)],
        listed: &CandidateLists,
        matcher: &Matcher,
        results: &mut Vec<FoundPassage>,
    ) -> Result<()> {
        let rest: Vec<i64> = ranked.iter().skip(search.limit).map(|(one, _)| one.seq).collect();
        if rest.is_empty() {
            return Ok(());
        }
        let shown: BTreeSet<SourceId> = results.iter().map(|one| one.source.id).collect();
        let mut tx = self.app.store.read_inline().await?;
        let mut answering: Vec<(f32, i64, EventId, SourceId)> = Vec::new();
        for (seq, event, source, narrative) in tx.knowledge(self.scope).events_in(&rest).await? {
            let covered = matcher.coverage(&narrative);
            if covered >= ANSWERS && !shown.contains(&source) {
                answering.push((covered, seq, event, source));
            }
        }
        answering.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
        let mut sources = BTreeSet::new();
        answering.retain(|(.., source)| sources.insert(*source));
        answering.truncate(search.limit);
        if answering.is_empty() {
            return Ok(());
        }
        let ids: Vec<EventId> = answering.iter().map(|(_, _, event, _)| *event).collect();
        let mut events = tx.knowledge(self.scope).events_by_id(&ids).await?;
        let seqs: Vec<i64> = answering.iter().map(|(_, seq, ..)| *seq).collect();
        let rows = tx.search(self.scope).fetch_passages(&seqs).await?;
        drop(tx);
        for (covered, seq, id, _) in answering {
            let (Some(event), Some((_, row))) = (events.remove(&id), rows.iter().find(|(of, _)| *of == seq)) else {
                continue;
            };
            let (chunk, source, revision) = &**row;
            if source.revision != Some(event.revision) || !passes_filter(&search.filter, source) {
                continue;
            }
            let evidence = event.evidence.iter().map(|quote| PassageEvidence {
                quote: quote.quote.clone(),
                span: quote.span,
                matches: matched_spans(matcher, &quote.quote),
                page: chunk.place.page,
                section: super::section_path(&chunk.place),
            });
            results.push(FoundPassage {
                evidence: evidence.collect(),
                event: Some(event),
                chunk: chunk.clone(),
                source: source.clone(),
                revision: revision.clone(),
                score: fusion::single_list_score(f64::from(covered)),
                words: listed.words.get(&seq).copied(),
                vector: listed.vectors.get(&seq).copied(),
                similarity: None,
                neighbors: Vec::new(),
            });
        }
        results.sort_by(|a, b| b.score.total_cmp(&a.score));
        results.truncate(search.limit);
        Ok(())
    }
}

/// Returns the character spans of a quote that match the query.
fn matched_spans(matcher: &Matcher, quote: &str) -> Vec<Span> {
    let found = matcher.best_quotes(quote, usize::MAX).into_iter();
    let mut matches: Vec<Span> = found
        .flat_map(|part| {
            let from = part.span.start;
            part.matches.into_iter().map(move |span| Span::new(from + span.start, from + span.end))
        })
        .collect();
    matches.sort_unstable();
    matches
}
