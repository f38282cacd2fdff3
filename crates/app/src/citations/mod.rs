//! Checking what a text says against what it cites, and keeping what came of it.

mod affected_claims;
mod claim_checks;
mod claim_differences;
mod judge;
mod message_citations;

use futures::{StreamExt, TryStreamExt, stream};
use ibid_citations::{
    ExtractorRegistry,
    annotate::{AnnotationFormat, CitationNote, annotate_text},
    cited_text, parse_markers,
};
use ibid_claims::{
    Claim, extract_claims,
    verify::{Difference, ModelSignals, ParsedPassage, Support, Verdict},
};
use ibid_domain::{Code, Problem, RevisionId, SearchFilter, Source, SourceId, Span};
use ibid_language::Language;

pub(crate) use affected_claims::NormalizedText;
pub use affected_claims::{AffectedClaim, AffectedClaims, ClaimPlace};
pub(crate) use claim_checks::{CitedContents, JudgedClaims};
pub use judge::{ClaimJudge, ClaimJudgement, LocalJudge, ModelJudge};
pub use message_citations::CitationStats;
pub(crate) use message_citations::{build_anchor, keep_citations, snapshot_source};

use crate::{App, FoundPassage, Result, SearchRequest, services::CitationService};

/// The result of checking a text against the sources it cites.
#[derive(Clone, Debug)]
pub struct CheckedText {
    /// The claims that cite something, in order.
    pub claims: Vec<CheckedClaim>,
    /// Statements of fact that cite nothing.
    pub uncited: Vec<Claim>,
    /// Numbers that name no source.
    pub dangling: Vec<u32>,
    /// Ids and addresses that name none.
    pub dangling_ids: Vec<String>,
    /// True if meaning was compared for every claim, false if some were compared by words only.
    pub by_meaning: bool,
}

/// A claim and what its citations come to.
#[derive(Clone, Debug)]
pub struct CheckedClaim {
    pub claim: Claim,
    /// One for each source it cites.
    pub citations: Vec<CheckedCitation>,
}

impl CheckedClaim {
    /// The citation that decides about the claim: the one that supports it best. If none does, one that contradicts it
    /// counts more than one that says nothing of the matter.
    pub fn deciding_citation(&self) -> Option<&CheckedCitation> {
        let rank = |citation: &CheckedCitation| match citation.support.verdict {
            Verdict::Supported => 4,
            Verdict::Partial => 3,
            Verdict::Contradicted => 2,
            Verdict::Unsupported => 1,
            Verdict::Unverifiable => 0,
        };
        let score = |citation: &CheckedCitation| citation.support.score;
        // Of equal ones the first.
        self.citations.iter().rev().max_by(|a, b| rank(a).cmp(&rank(b)).then(score(a).total_cmp(&score(b))))
    }
}

/// The result of checking one citation of a claim.
#[derive(Clone, Debug)]
pub struct CheckedCitation {
    /// Number of the source in the ledger.
    pub number: u32,
    /// The source's id among those that were given.
    pub cited_id: String,
    /// The source of the library, and the revision that was read, if it is one.
    pub of: Option<(SourceId, RevisionId)>,
    /// Verdict, score and quote of the check.
    pub support: Support,
    /// The words that come closest.
    pub quote: Option<String>,
}

/// A draft whose claims were looked for in the library.
#[derive(Clone, Debug)]
pub struct GroundedText {
    /// Its statements of fact, in order.
    pub claims: Vec<GroundedClaim>,
    /// The sources that bear some of them out, numbered by their place from 1.
    pub sources: Vec<Source>,
    /// True if meaning was compared for every claim, false if some were compared by words only.
    pub by_meaning: bool,
}

/// A claim, and the passage of the library that comes closest to saying it.
#[derive(Clone, Debug)]
pub struct GroundedClaim {
    pub claim: Claim,
    /// The passage; none where nothing says it, not even in part.
    pub found: Option<Grounding>,
    /// Where nothing says it, the words that say otherwise.
    pub against: Option<Contradiction>,
}

/// Words of the library that say otherwise than a claim.
#[derive(Clone, Debug)]
pub struct Contradiction {
    pub source: Source,
    /// The revision that the words are of.
    pub revision: RevisionId,
    /// Character range of the quote in the text of the revision.
    pub span: Span,
    /// Exact words of the source.
    pub quote: String,
    /// The details in which they differ; their spans are in the text of the revision.
    pub why: Vec<Difference>,
}

/// Words of the library that say what a claim says.
#[derive(Clone, Debug)]
pub struct Grounding {
    /// Number of the source: its position in [`GroundedText::sources`], from 1.
    pub number: u32,
    pub source: SourceId,
    /// The revision that the words are of.
    pub revision: RevisionId,
    /// Character range of the quote in the text of the revision.
    pub span: Span,
    /// Exact words of the source that support the claim.
    pub quote: String,
    /// The page that the passage begins on.
    pub page: Option<u32>,
    /// Tells how well the quote supports the claim.
    pub support: Support,
}

impl GroundedText {
    /// The draft with its citations put in.
    pub fn annotate_draft(&self, text: &str, style: AnnotationFormat) -> String {
        let note = |claim: &GroundedClaim| {
            let found = claim.found.as_ref()?;
            let source = self.sources.get(found.number as usize - 1)?;
            Some(CitationNote {
                span: claim.claim.span,
                number: found.number,
                title: source.display_title().to_owned(),
                url: source.url.clone(),
                page: found.page,
                quote: found.quote.clone(),
            })
        };
        annotate_text(text, &self.claims.iter().filter_map(note).collect::<Vec<_>>(), style)
    }
}

/// Number of passages that each claim is compared with.
const COMPARED: usize = 5;
/// Number of claims whose passages are searched at the same time.
const SEARCHES: usize = 4;
/// The most statements of a draft that are looked for.
const MOST_CLAIMS: usize = 500;

impl CitationService<'_> {
    /// Binds each claim of a draft to the passage of the library that says it best.
    pub async fn ground_text(self, text: &str, filter: &SearchFilter) -> Result<GroundedText> {
        let claims = extract_claims(&cited_text(text, &parse_markers(text)));
        let claims: Vec<_> = claims.into_iter().filter(|claim| claim.is_factual).collect();
        if claims.len() > MOST_CLAIMS {
            let detail = format!("the text has {} statements; at most {MOST_CLAIMS} are taken at a time", claims.len());
            return Err(Problem::new(Code::InvalidField, detail).with_field("text").into());
        }
        // Futures, not a stream of claims: the closure of one would not be general enough for a task.
        let searches: Vec<_> = claims.iter().map(|claim| self.find_passages(&claim.text, filter)).collect();
        let found: Vec<Vec<(FoundPassage, ParsedPassage)>> =
            stream::iter(searches).buffered(SEARCHES).try_collect().await?;
        let pairs: Vec<(&str, &ParsedPassage)> = claims
            .iter()
            .zip(&found)
            .flat_map(|(claim, found)| found.iter().map(|(_, passage)| (claim.text.as_str(), passage)))
            .collect();
        // All at once: a network reads many pairs in less time than one after the other.
        let mut judged = self.app.tools().judge.judge_claims(&pairs).await.into_iter();
        let mut grounded =
            GroundedText { claims: Vec::new(), sources: Vec::new(), by_meaning: self.app.tools().compares_meaning() };
        for (claim, found) in claims.into_iter().zip(found) {
            let judged: Vec<ClaimJudgement> = judged.by_ref().take(found.len()).collect();
            let (found, against) = choose_grounding(found, judged, &mut grounded);
            grounded.claims.push(GroundedClaim { claim, found, against });
        }
        Ok(grounded)
    }

    /// The passages of the library that come closest to a claim.
    async fn find_passages(self, claim: &str, filter: &SearchFilter) -> Result<Vec<(FoundPassage, ParsedPassage)>> {
        let query = plain_query(claim);
        if !query.contains(char::is_alphanumeric) {
            return Ok(Vec::new());
        }
        let search = SearchRequest {
            limit: COMPARED,
            filter: filter.clone(),
            graph: None,
            include_events: false,
            ..SearchRequest::new(query)
        };
        let hits = self.app.search(self.scope).run(&search).await?.results;
        let parsed = |hit: FoundPassage| {
            let language = hit.revision.language.as_deref().and_then(Language::from_code);
            let passage = ParsedPassage::with_hint(hit.chunk.content.as_str(), language);
            (hit, passage)
        };
        Ok(hits.into_iter().map(parsed).collect())
    }
}

impl App {
    /// Returns the extractors that find citable sources in tool results.
    pub fn extractors(&self) -> std::sync::Arc<ExtractorRegistry> {
        self.tools().extractors.clone()
    }

    /// Checks claims against passages, each by itself; also says whether meaning was compared.
    pub async fn check_pairs(&self, pairs: &[(&str, &str)]) -> (Vec<Support>, bool) {
        let passages: Vec<_> = pairs.iter().map(|(_, passage)| ParsedPassage::new(*passage)).collect();
        let pairs: Vec<_> = pairs.iter().zip(&passages).map(|((claim, _), passage)| (*claim, passage)).collect();
        let judged = self.tools().judge.judge_claims(&pairs).await;
        let by_meaning = self.tools().compares_meaning() && judged.iter().all(|one| one.by_meaning);
        (judged.into_iter().map(|one| one.support).collect(), by_meaning)
    }

    /// Checks one claim, and says whether its meaning could be compared.
    async fn check_claim(&self, claim: &str, passage: &ParsedPassage) -> (Support, bool) {
        let judged = self.tools().judge.judge_claims(&[(claim, passage)]).await.into_iter().next();
        judged.map_or_else(
            || (passage.check_claim(claim, &ModelSignals::default()), false),
            |ClaimJudgement { support, by_meaning }| (support, by_meaning),
        )
    }
}

/// The passage that bears a claim out best, or else one that speaks against it.
fn choose_grounding(
    found: Vec<(FoundPassage, ParsedPassage)>,
    judged: Vec<ClaimJudgement>,
    grounded: &mut GroundedText,
) -> (Option<Grounding>, Option<Contradiction>) {
    grounded.by_meaning &= judged.iter().all(|one| one.by_meaning);
    let mut best: Option<(Support, ParsedPassage, FoundPassage)> = None;
    let mut against = None;
    for (judged, (hit, passage)) in judged.into_iter().zip(found) {
        let support = judged.support;
        if support.verdict == Verdict::Contradicted && against.is_none() {
            against = contradiction(&support, &passage, &hit);
        }
        if best.as_ref().is_none_or(|(known, ..)| (support.verdict, support.score) > (known.verdict, known.score)) {
            best = Some((support, passage, hit));
        }
    }
    let Some((support, passage, hit)) = best.filter(|(support, ..)| support.verdict >= Verdict::Partial) else {
        return (None, against);
    };
    let Some(within) = support.quote else { return (None, None) };
    let place = grounded.sources.iter().position(|source| source.id == hit.source.id);
    let place = place.unwrap_or_else(|| {
        grounded.sources.push(hit.source.clone());
        grounded.sources.len() - 1
    });
    let start = hit.chunk.span.start;
    let grounding = Grounding {
        number: place as u32 + 1,
        source: hit.source.id,
        revision: hit.chunk.revision,
        span: Span::new(start + within.start, start + within.end),
        quote: within.slice_of(passage.text()).unwrap_or_default().to_owned(),
        page: hit.chunk.place.page,
        support,
    };
    (Some(grounding), None)
}

/// What a passage says against a claim, with places in the text of its revision.
fn contradiction(support: &Support, passage: &ParsedPassage, hit: &FoundPassage) -> Option<Contradiction> {
    let (within, start) = (support.quote?, hit.chunk.span.start);
    let shifted = |span: Span| Span::new(span.start + start, span.end + start);
    let moved = |one: &Difference| Difference { span: one.span.map(shifted), ..one.clone() };
    Some(Contradiction {
        source: hit.source.clone(),
        revision: hit.chunk.revision,
        span: shifted(within),
        quote: within.slice_of(passage.text())?.to_owned(),
        why: support.why.iter().map(moved).collect(),
    })
}

/// Words to be looked for as they are: quotation marks and dashes of prose are no operators.
pub(crate) fn plain_query(text: &str) -> String {
    let plain = |char| if matches!(char, '"' | '“' | '”' | '-' | '–' | '—') { ' ' } else { char };
    let query: String = text.chars().map(plain).collect();
    // Longer than any search takes, it says the same by its beginning.
    let end =
        (0..=SearchRequest::MAX_QUERY.min(query.len())).rev().find(|end| query.is_char_boundary(*end)).unwrap_or(0);
    query[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_as_good_as_its_best_citation_and_silence_does_not_hide_a_contradiction() {
        let citation = |(number, verdict, score): &(u32, Verdict, f32)| CheckedCitation {
            number: *number,
            cited_id: String::new(),
            of: None,
            support: Support { verdict: *verdict, score: *score, quote: None, reasons: Vec::new(), why: Vec::new() },
            quote: None,
        };
        let claim = Claim { text: String::new(), span: Span::default(), cited: Vec::new(), is_factual: true };
        for (citations, decides) in [
            (&[(1, Verdict::Contradicted, 0.1), (2, Verdict::Partial, 0.5)][..], Some(2)),
            (&[(1, Verdict::Unsupported, 0.3), (2, Verdict::Contradicted, 0.1)], Some(2)),
            (&[(1, Verdict::Supported, 0.8), (2, Verdict::Supported, 0.9), (3, Verdict::Supported, 0.9)], Some(2)),
            (&[(1, Verdict::Unverifiable, 0.0), (2, Verdict::Unsupported, 0.0)], Some(2)),
            (&[], None),
        ] {
            let checked = CheckedClaim { claim: claim.clone(), citations: citations.iter().map(citation).collect() };
            assert_eq!(checked.deciding_citation().map(|one| one.number), decides, "{citations:?}");
        }
    }
}
