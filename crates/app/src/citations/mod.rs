//! Checking what a text says against what it cites, and keeping what came of it.

mod judge;
mod kept;
mod losses;

use std::collections::{HashMap, hash_map::Entry};

use ibid_citations::{
    CitationSource, Ledger, Registry,
    annotate::{Note, Style, annotate},
    claims::{Claim, claims},
    parse,
    verify::{Passage, Support, Verdict},
};
use ibid_domain::{Code, Mark, Problem, Revision, RevisionId, SearchFilter, Source, SourceId, Span};

pub use judge::{Judge, Judged, LocalJudge, ModelJudge};
pub use kept::CitationStats;
pub(crate) use kept::{anchor, keep_citations, snapshot};
pub(crate) use losses::Said;
pub use losses::{Loss, Losses};

use crate::{App, Error, FoundPassage, Result, Scope, Search};

/// What came of checking a text.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The claims that cite something, in order.
    pub claims: Vec<CheckedClaim>,
    /// Statements of fact that cite nothing.
    pub uncited: Vec<Claim>,
    /// Numbers that name no source.
    pub dangling: Vec<u32>,
    /// Ids and addresses that name none.
    pub dangling_ids: Vec<String>,
    /// Whether meaning was compared too, or words only.
    pub by_meaning: bool,
}

/// A claim and what its citations come to.
#[derive(Clone, Debug)]
pub struct CheckedClaim {
    /// The claim.
    pub claim: Claim,
    /// One for each source it cites.
    pub citations: Vec<CheckedCitation>,
}

/// What one citation comes to.
#[derive(Clone, Debug)]
pub struct CheckedCitation {
    /// The source's number.
    pub number: u32,
    /// The source's id among those that were given.
    pub cited_id: String,
    /// The source of the library, and the revision that was read, if it is one.
    pub of: Option<(SourceId, RevisionId)>,
    /// What the check comes to.
    pub support: Support,
    /// The words that come closest.
    pub quote: Option<String>,
}

/// A draft whose claims were looked for in the library.
#[derive(Clone, Debug)]
pub struct Grounded {
    /// Its statements of fact, in order.
    pub claims: Vec<GroundedClaim>,
    /// The sources that bear some of them out, numbered by their place from 1.
    pub sources: Vec<Source>,
    /// Whether meaning was compared too, or words only.
    pub by_meaning: bool,
}

/// A claim, and the passage of the library that comes closest to saying it.
#[derive(Clone, Debug)]
pub struct GroundedClaim {
    /// The claim.
    pub claim: Claim,
    /// The passage; none where nothing says it, not even in part.
    pub found: Option<Grounding>,
}

/// Words of the library that say what a claim says.
#[derive(Clone, Debug)]
pub struct Grounding {
    /// The number of the source.
    pub number: u32,
    /// The source.
    pub source: SourceId,
    /// The revision that the words are of.
    pub revision: RevisionId,
    /// Where they stand in its text.
    pub span: Span,
    /// The words.
    pub quote: String,
    /// The page that the passage begins on.
    pub page: Option<u32>,
    /// How well they bear the claim out.
    pub support: Support,
}

impl Grounded {
    /// The draft with its citations put in.
    pub fn annotated(&self, text: &str, style: Style) -> String {
        let note = |claim: &GroundedClaim| {
            let found = claim.found.as_ref()?;
            let source = self.sources.get(found.number as usize - 1)?;
            Some(Note {
                span: claim.claim.span,
                number: found.number,
                title: source.title().to_owned(),
                url: source.url.clone(),
                page: found.page,
                quote: found.quote.clone(),
            })
        };
        annotate(text, &self.claims.iter().filter_map(note).collect::<Vec<_>>(), style)
    }
}

/// How many passages a claim is compared with.
const COMPARED: usize = 5;
/// The most statements of a draft that are looked for.
const MOST_CLAIMS: usize = 500;

/// What is read of a cited work.
pub(crate) struct Read {
    passage: Passage,
    /// The source of the library, and what of it was read.
    of: Option<(SourceId, Revision, Vec<Mark>)>,
}

/// What was read of each work, by its number.
pub(crate) type ReadWorks = HashMap<u32, Read>;

impl App {
    /// What finds the sources in the results of tools.
    pub fn extractors(&self) -> std::sync::Arc<Registry> {
        self.tools().extractors.clone()
    }

    /// Checks claims against passages, each by itself; also says whether meaning was compared.
    pub async fn check_pairs(&self, pairs: &[(&str, &str)]) -> (Vec<Support>, bool) {
        let mut found = Vec::with_capacity(pairs.len());
        let mut by_meaning = self.tools().embedder.is_some();
        for (claim, passage) in pairs {
            let (support, is_known) = self.check_claim(claim, &Passage::new(*passage)).await;
            by_meaning &= is_known;
            found.push(support);
        }
        (found, by_meaning)
    }

    /// Checks every claim of a text against the sources that it cites.
    pub async fn check_text(&self, scope: &Scope, text: &str, sources: Vec<CitationSource>) -> Result<Checked> {
        Ok(self.check_against(scope, text, &Ledger::of(sources)).await?.0)
    }

    /// The same with a ledger; also gives what was read of the cited works.
    pub(crate) async fn check_against(
        &self,
        scope: &Scope,
        text: &str,
        ledger: &Ledger,
    ) -> Result<(Checked, ReadWorks)> {
        let markers = parse(text);
        let resolved = ledger.resolve(text, &markers);
        let cited: HashMap<_, _> =
            resolved.references.iter().map(|reference| (reference.span.start, &reference.numbers)).collect();
        let mut read = ReadWorks::new();
        let mut checked = Checked {
            claims: Vec::new(),
            uncited: Vec::new(),
            dangling: resolved.dangling.clone(),
            dangling_ids: resolved.dangling_ids.clone(),
            by_meaning: self.tools().embedder.is_some(),
        };
        for claim in claims(text, &markers) {
            let mut citations: Vec<CheckedCitation> = Vec::new();
            let mut names_any = false;
            for cited_part in &claim.cited {
                let Some(numbers) = cited.get(&markers[cited_part.marker].span.start) else { continue };
                names_any = true;
                for &number in *numbers {
                    if citations.iter().any(|known| known.number == number) {
                        continue;
                    }
                    let Some(entry) = ledger.get(number) else { continue };
                    let read = match read.entry(number) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(place) => {
                            let results = std::iter::once(&entry.source).chain(&entry.others);
                            place.insert(self.read_cited(scope, results).await?)
                        }
                    };
                    let (mut support, is_known) = self.check_claim(&claim.text, &read.passage).await;
                    // A marker within a sentence stands for what is before it.
                    if support.verdict < Verdict::Supported && cited_part.part != claim.text {
                        let (part, _) = self.check_claim(&cited_part.part, &read.passage).await;
                        if part.score > support.score || part.verdict > support.verdict {
                            support = part;
                        }
                    }
                    checked.by_meaning &= is_known;
                    let quote = support.quote.and_then(|span| span.of(read.passage.text())).map(str::to_owned);
                    citations.push(CheckedCitation {
                        number,
                        cited_id: entry.source.id.clone(),
                        of: read.of.as_ref().map(|(source, revision, _)| (*source, revision.id)),
                        support,
                        quote,
                    });
                }
            }
            if names_any {
                checked.claims.push(CheckedClaim { claim, citations });
            } else if claim.is_factual {
                checked.uncited.push(claim);
            }
        }
        Ok((checked, read))
    }

    /// Binds each claim of a draft to the passage of the library that says it best.
    pub async fn ground(&self, scope: &Scope, text: &str, filter: &SearchFilter) -> Result<Grounded> {
        let claims: Vec<_> = claims(text, &parse(text)).into_iter().filter(|claim| claim.is_factual).collect();
        if claims.len() > MOST_CLAIMS {
            let detail = format!("the text has {} statements; at most {MOST_CLAIMS} are taken at a time", claims.len());
            return Err(Problem::new(Code::InvalidField, detail).field("text").into());
        }
        let mut grounded =
            Grounded { claims: Vec::new(), sources: Vec::new(), by_meaning: self.tools().embedder.is_some() };
        for claim in claims {
            let found = self.grounding(scope, &claim.text, filter, &mut grounded).await?;
            grounded.claims.push(GroundedClaim { claim, found });
        }
        Ok(grounded)
    }

    async fn grounding(
        &self,
        scope: &Scope,
        claim: &str,
        filter: &SearchFilter,
        grounded: &mut Grounded,
    ) -> Result<Option<Grounding>> {
        let query = plain_query(claim);
        if !query.contains(char::is_alphanumeric) {
            return Ok(None);
        }
        let search = Search {
            limit: COMPARED,
            filter: filter.clone(),
            graph: None,
            include_events: false,
            ..Search::new(query)
        };
        let mut best: Option<(Support, Passage, FoundPassage)> = None;
        for hit in self.search(scope, &search).await?.results {
            let passage = Passage::new(hit.chunk.content.as_str());
            let (support, is_known) = self.check_claim(claim, &passage).await;
            grounded.by_meaning &= is_known;
            if best.as_ref().is_none_or(|(known, ..)| (support.verdict, support.score) > (known.verdict, known.score)) {
                best = Some((support, passage, hit));
            }
        }
        let Some((support, passage, hit)) = best.filter(|(support, ..)| support.verdict >= Verdict::Partial) else {
            return Ok(None);
        };
        let Some(within) = support.quote else { return Ok(None) };
        let place = grounded.sources.iter().position(|source| source.id == hit.source.id);
        let place = place.unwrap_or_else(|| {
            grounded.sources.push(hit.source.clone());
            grounded.sources.len() - 1
        });
        let start = hit.chunk.span.start;
        Ok(Some(Grounding {
            number: place as u32 + 1,
            source: hit.source.id,
            revision: hit.chunk.revision,
            span: Span::new(start + within.start, start + within.end),
            quote: within.of(passage.text()).unwrap_or_default().to_owned(),
            page: hit.chunk.place.page,
            support,
        }))
    }

    /// What there is to read of a work: the library's text of it, or what the tools returned.
    async fn read_cited<'source>(
        &self,
        scope: &Scope,
        results: impl Iterator<Item = &'source CitationSource>,
    ) -> Result<Read> {
        let mut said: Vec<&str> = Vec::new();
        for source in results {
            if let Some(id) = source.source_id.as_deref().and_then(|id| id.parse().ok()) {
                let revision = source.revision_id.as_deref().and_then(|id| id.parse().ok());
                match self.source_text(scope, id, revision).await {
                    Ok(text) => {
                        let of = Some((id, text.revision, text.marks));
                        return Ok(Read { of, passage: Passage::new(text.text) });
                    }
                    // It is gone, or was never there: what the tool returned is all there is.
                    Err(Error::Problem(problem)) if is_absent(problem.code) => {}
                    Err(error) => return Err(error),
                }
            }
            let words = source.full_content.as_deref().or(source.snippet.as_deref());
            said.extend(words.filter(|words| !said.contains(words)));
        }
        Ok(Read { passage: Passage::new(said.join("\n\n")), of: None })
    }

    /// Checks one claim, and says whether its meaning could be compared.
    async fn check_claim(&self, claim: &str, passage: &Passage) -> (Support, bool) {
        let Judged { support, by_meaning } = self.tools().judge.judge(claim, passage).await;
        (support, by_meaning)
    }
}

/// Words to be looked for as they are: quotation marks and dashes of prose are no operators.
pub(crate) fn plain_query(text: &str) -> String {
    let plain = |char| if matches!(char, '"' | '“' | '”' | '-' | '–' | '—') { ' ' } else { char };
    let query: String = text.chars().map(plain).collect();
    // Longer than any search takes, it says the same by its beginning.
    let end = (0..=Search::MAX_QUERY.min(query.len())).rev().find(|end| query.is_char_boundary(*end)).unwrap_or(0);
    query[..end].to_owned()
}

/// Whether a source cannot be read because it is not there or has no text.
const fn is_absent(code: Code) -> bool {
    matches!(code, Code::SourceNotFound | Code::RevisionNotFound | Code::SourceHasNoText)
}
