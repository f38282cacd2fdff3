//! Checks of claims against the works that they cite. What was judged once is kept, so that a text can be checked while it
//! is being written, and once more when it is whole, at the cost of one check.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use ibid_citations::{CitationSource, Ledger, Marker, cited_text, ledger::ResolvedMarkers, parse_markers};
use ibid_claims::{
    Claim, extract_claims,
    verify::{ParsedPassage, Support, Verdict},
};
use ibid_domain::{Code, Mark, Revision, SourceId, Span, run_event::ClaimChecked};

use super::{CheckedCitation, CheckedClaim, CheckedText, claim_differences::locate_differences};
use crate::{Error, Result, services::CitationService};

/// The text of a cited work that claims are checked against.
pub(crate) struct CitedContent {
    pub(super) passage: ParsedPassage,
    /// The source of the library, and what of it was read.
    pub(super) of: Option<(SourceId, Revision, Vec<Mark>)>,
}

impl CitedContent {
    /// The sentences that have most of a claim's words, in the order of the text.
    pub fn closest_words(&self, claim: &str, most: usize) -> String {
        let mut places = self.passage.closest_sentences(claim, most);
        places.sort_unstable();
        places.iter().map(|place| self.passage.sentence(*place)).collect::<Vec<_>>().join("\n")
    }
}

/// The text of each cited work, by its number in the ledger.
pub(crate) type CitedContents = HashMap<u32, CitedContent>;

/// What was read and judged for one text so far.
#[derive(Default)]
pub(crate) struct JudgedClaims {
    read: CitedContents,
    /// By the words and the number of the work. True if meaning was compared.
    judged: HashMap<(String, u32), (Support, bool)>,
    /// The claims whose result was told already.
    reported: HashSet<Span>,
}

impl JudgedClaims {
    /// Returns what was read of the cited works.
    pub fn into_contents(self) -> CitedContents {
        self.read
    }

    /// What was read of the cited works so far.
    pub const fn contents(&self) -> &CitedContents {
        &self.read
    }

    /// Has results told again that were told before, because the text has changed.
    pub fn forget_reports(&mut self) {
        self.reported.clear();
    }

    /// The result of a claim, if it was not told before.
    pub fn report(&mut self, text: &str, checked: &CheckedClaim) -> Option<ClaimChecked> {
        let (claim, best) = (&checked.claim, checked.deciding_citation()?);
        if !self.reported.insert(claim.span) {
            return None;
        }
        Some(ClaimChecked {
            start_index: claim.span.start,
            end_index: claim.span.end,
            numbers: checked.citations.iter().map(|citation| citation.number).collect(),
            verdict: best.support.verdict,
            score: round_score(best.support.score),
            number: best.number,
            source_id: best.of.map(|(source, _)| source),
            revision_id: best.of.map(|(_, revision)| revision),
            quote: best.quote.clone(),
            start_char: best.support.quote.map(|span| span.start),
            end_char: best.support.quote.map(|span| span.end),
            why: locate_differences(text, claim.span, &best.support.why),
        })
    }
}

/// A score as clients see it, with four decimals.
fn round_score(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}

/// A text whose markers name works of a ledger.
struct CitingText {
    markers: Vec<Marker>,
    resolved: ResolvedMarkers,
    claims: Vec<Claim>,
}

impl CitingText {
    fn new(text: &str, ledger: &Ledger) -> Self {
        let markers = parse_markers(text);
        let resolved = ledger.resolve_markers(text, &markers);
        let claims = extract_claims(&cited_text(text, &markers));
        Self { markers, resolved, claims }
    }

    /// The numbers that a claim cites, in order, each with the words that it stands for; `None` if it cites nothing.
    fn cited_parts<'a>(&'a self, claim: &'a Claim) -> Option<Vec<(u32, &'a str)>> {
        let mut parts: Option<Vec<(u32, &str)>> = None;
        for cited in &claim.cited {
            let start = self.markers[cited.marker].span.start;
            // References are in the order of the text.
            let at = self.resolved.references.binary_search_by_key(&start, |reference| reference.span.start);
            let Some(reference) = at.ok().map(|at| &self.resolved.references[at]) else { continue };
            let parts = parts.get_or_insert_default();
            for number in &reference.numbers {
                if !parts.iter().any(|(known, _)| known == number) {
                    parts.push((*number, cited.part.as_str()));
                }
            }
        }
        parts
    }
}

impl CitationService<'_> {
    /// Checks every claim of a text against the sources that it cites.
    pub async fn check_text(self, text: &str, sources: Vec<CitationSource>) -> Result<CheckedText> {
        Ok(self.check_against(text, &Ledger::from_sources(sources)).await?.0)
    }

    /// The same with a ledger; also gives what was read of the cited works.
    pub(crate) async fn check_against(self, text: &str, ledger: &Ledger) -> Result<(CheckedText, CitedContents)> {
        let mut known = JudgedClaims::default();
        let checked = self.check_claims(text, ledger, &mut known).await?;
        Ok((checked, known.read))
    }

    /// The same, without judging again what is known.
    pub(crate) async fn check_claims(
        self,
        text: &str,
        ledger: &Ledger,
        known: &mut JudgedClaims,
    ) -> Result<CheckedText> {
        let citing = CitingText::new(text, ledger);
        let mut checked = CheckedText {
            claims: Vec::new(),
            uncited: Vec::new(),
            dangling: citing.resolved.dangling.clone(),
            dangling_ids: citing.resolved.dangling_ids.clone(),
            by_meaning: self.app.tools().compares_meaning(),
        };
        for claim in &citing.claims {
            if let Some(parts) = citing.cited_parts(claim) {
                let (citations, by_meaning) = self.check_citations(claim, parts, ledger, known).await?;
                checked.by_meaning &= by_meaning;
                checked.claims.push(CheckedClaim { claim: claim.clone(), citations });
            } else if claim.is_factual {
                checked.uncited.push(claim.clone());
            }
        }
        Ok(checked)
    }

    /// Checks the claims of an unfinished text that more words cannot change, and hands out each result once.
    pub(crate) async fn check_finished_claims(
        self,
        text: &str,
        ledger: &Ledger,
        known: &mut JudgedClaims,
        mut tell: impl FnMut(ClaimChecked),
    ) -> Result<()> {
        let citing = CitingText::new(text, ledger);
        for claim in &citing.claims[..count_finished(text, &citing.claims)] {
            if known.reported.contains(&claim.span) {
                continue;
            }
            let Some(parts) = citing.cited_parts(claim) else { continue };
            let (citations, _) = self.check_citations(claim, parts, ledger, known).await?;
            known.report(text, &CheckedClaim { claim: claim.clone(), citations }).map(&mut tell);
        }
        Ok(())
    }

    /// Checks one claim against each work that it cites; also says whether meaning was compared for all of them.
    async fn check_citations(
        self,
        claim: &Claim,
        parts: Vec<(u32, &str)>,
        ledger: &Ledger,
        known: &mut JudgedClaims,
    ) -> Result<(Vec<CheckedCitation>, bool)> {
        let JudgedClaims { read, judged, .. } = known;
        let (mut citations, mut by_meaning) = (Vec::new(), true);
        for (number, part) in parts {
            let Some(entry) = ledger.get(number) else { continue };
            let read = match read.entry(number) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let results = std::iter::once(&entry.source).chain(&entry.others);
                    place.insert(self.read_cited(results).await?)
                }
            };
            let work = (number, &read.passage);
            let (mut support, is_known) = self.judge_words(&claim.text, work, judged).await;
            // A marker within a sentence stands for what is before it.
            if support.verdict < Verdict::Supported && part != claim.text {
                let (part, _) = self.judge_words(part, work, judged).await;
                if part.score > support.score || part.verdict > support.verdict {
                    support = part;
                }
            }
            by_meaning &= is_known;
            citations.push(CheckedCitation {
                number,
                cited_id: entry.source.id.clone(),
                of: read.of.as_ref().map(|(source, revision, _)| (*source, revision.id)),
                quote: support.quote.and_then(|span| span.slice_of(read.passage.text())).map(str::to_owned),
                support,
            });
        }
        Ok((citations, by_meaning))
    }

    /// Judges words against a work, unless they were judged before.
    async fn judge_words(
        self,
        words: &str,
        (number, passage): (u32, &ParsedPassage),
        judged: &mut HashMap<(String, u32), (Support, bool)>,
    ) -> (Support, bool) {
        match judged.entry((words.to_owned(), number)) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(place) => place.insert(self.app.check_claim(words, passage).await).clone(),
        }
    }

    /// Reads the text of a cited work: from the library if it is there, else from the tool results.
    async fn read_cited<'source>(self, results: impl Iterator<Item = &'source CitationSource>) -> Result<CitedContent> {
        let mut said: Vec<&str> = Vec::new();
        for source in results {
            if let Some(id) = source.source_id.as_deref().and_then(|id| id.parse().ok()) {
                let revision = source.revision_id.as_deref().and_then(|id| id.parse().ok());
                match self.app.sources(self.scope).text(id, revision).await {
                    Ok(text) => {
                        let of = Some((id, text.revision, text.marks));
                        return Ok(CitedContent { of, passage: ParsedPassage::new(text.text) });
                    }
                    // It is gone, or was never there: what the tool returned is all there is.
                    Err(Error::Problem(problem)) if is_absent(problem.code) => {}
                    Err(error) => return Err(error),
                }
            }
            let words = source.full_content.as_deref().or(source.snippet.as_deref());
            said.extend(words.filter(|words| !said.contains(words)));
        }
        Ok(CitedContent { passage: ParsedPassage::new(said.join("\n\n")), of: None })
    }
}

/// The number of claims at the beginning of an unfinished text that are whole: another follows, or their block has ended.
fn count_finished(text: &str, claims: &[Claim]) -> usize {
    let Some(last) = claims.last() else { return 0 };
    let rest = text.char_indices().nth(last.span.end).map_or("", |(start, _)| &text[start..]);
    let has_ended = rest.lines().skip(1).any(|line| line.trim().is_empty());
    if has_ended { claims.len() } else { claims.len() - 1 }
}

/// True if the error means that the source is gone or has no text.
const fn is_absent(code: Code) -> bool {
    matches!(code, Code::SourceNotFound | Code::RevisionNotFound | Code::SourceHasNoText)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(text: &str) -> Vec<String> {
        let claims = extract_claims(&cited_text(text, &parse_markers(text)));
        claims[..count_finished(text, &claims)].iter().map(|claim| claim.text.clone()).collect()
    }

    #[test]
    fn a_claim_is_finished_when_the_next_begins_or_its_block_ends() {
        for (text, expected) in [
            ("The pier was built in 1874", &[][..]),
            ("The pier was built in 1874 [1].", &[]),
            // Its marker may still come.
            ("The pier was built in 1874. ", &[]),
            ("The pier was built in 1874. [1]", &[]),
            ("The pier was built in 1874. [1] It", &["The pier was built in 1874."]),
            ("The pier was built in 1874 [1].\n", &[]),
            ("The pier was built in 1874 [1].\n\n", &["The pier was built in 1874."]),
            ("- The pier was built in 1874 [1]\n- It is", &["The pier was built in 1874"]),
            ("", &[]),
        ] {
            assert_eq!(finished(text), expected, "{text:?}");
        }
    }
}
