//! Checking what a text cites, and finding the sources of a draft.

use ibid_app::{CheckedCitation, CheckedText, GroundedClaim, GroundedText};
use ibid_citations::annotate::AnnotationFormat;
use ibid_claims::{
    Claim,
    verify::{Difference, Support},
};
use ibid_domain::Verdict;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    citations::CitationSource,
    search::SearchFilters,
    values::{self, CheckVerdict},
};

/// A text with the sources that it cites, or claims with a passage each.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerifyBody {
    /// A text whose markers name the sources.
    pub(crate) text: Option<String>,
    /// The sources. What they say is taken from the library if `source_id` names one of its sources, else from
    /// `full_content` or `snippet`.
    pub(crate) sources: Option<Vec<CitationSource>>,
    /// A run whose sources the text cites; without a text, its answer is checked.
    pub(crate) run_id: Option<String>,
    /// A message that is kept, to be checked again.
    pub(crate) message_id: Option<String>,
    /// Claims to check against a passage each, instead of a text.
    pub(crate) pairs: Option<Vec<ClaimPassagePair>>,
}

/// A claim and the passage that is to support it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimPassagePair {
    /// Claim to check against the passage.
    pub(crate) claim: String,
    /// Passage that should support the claim.
    pub(crate) passage: String,
    /// Question that the claim answers. A name or a figure alone, such as `Edward IV`, is `unverifiable` without it.
    pub(crate) question: Option<String>,
}

/// Results of checking the citations of a text.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerifyAnswer {
    /// The claims of the text that cite something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) claims: Option<Vec<VerifiedClaim>>,
    /// Statements of fact that cite nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uncited: Option<Vec<UncitedClaim>>,
    /// Numbers that name no source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dangling: Option<Vec<u32>>,
    /// Result for each of the pairs, in the order of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pairs: Option<Vec<VerifiedPair>>,
    /// Method of the check; by words alone if no embedding model was available.
    pub(crate) method: CheckMethod,
}

/// A claim and what its citations come to.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerifiedClaim {
    /// Its words, without markers.
    pub(crate) text: String,
    /// Offset of the claim's first character in the text.
    pub(crate) start_index: usize,
    /// Offset after the claim's last character in the text.
    pub(crate) end_index: usize,
    /// One for each source it cites.
    pub(crate) citations: Vec<VerifiedCitation>,
}

/// Result of checking one citation.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerifiedCitation {
    /// Number of the source in the text.
    pub(crate) number: u32,
    /// The library's source, or else the id that the source was given with.
    pub(crate) source_id: String,
    /// The revision that was read, if it is one of the library.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) revision_id: Option<String>,
    #[serde(flatten)]
    pub(crate) support: VerifiedPair,
}

/// Result of checking a claim against a passage.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerifiedPair {
    /// Result of the check.
    pub(crate) verdict: CheckVerdict,
    /// Confidence that the source supports the claim, from 0 to 1.
    pub(crate) score: f32,
    /// The words that come closest.
    pub(crate) quote: Option<String>,
    /// Offset of the quote's first character in the checked text; null if nothing comes close.
    pub(crate) start_char: Option<usize>,
    /// Offset after the quote's last character in the checked text; null if nothing comes close.
    pub(crate) end_char: Option<usize>,
    /// Reasons that speak against the claim, such as a figure that is not in the source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reasons: Vec<&'static str>,
    /// The details in which claim and source differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) why: Vec<ClaimDifference>,
}

/// A detail in which a claim and its source differ.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct ClaimDifference {
    /// Kind of the detail.
    pub(crate) kind: values::DifferenceKind,
    /// Words of the claim, such as `72 metres`; empty if only the source has some.
    pub(crate) claim: String,
    /// Words of the source that stand in their place, such as `27 metres`; null if it has none.
    pub(crate) source: Option<String>,
    /// Offset of those words' first character in the text of the source; null if it has none.
    pub(crate) start_char: Option<usize>,
    /// Offset after those words' last character; null if it has none.
    pub(crate) end_char: Option<usize>,
}

impl ClaimDifference {
    /// A difference whose words of the source were found `offset` characters after the beginning of its text.
    pub(crate) fn at(difference: Difference, offset: usize) -> Self {
        Self {
            kind: difference.kind.into(),
            claim: difference.claim,
            source: difference.source,
            start_char: difference.span.map(|span| span.start + offset),
            end_char: difference.span.map(|span| span.end + offset),
        }
    }
}

impl VerifiedPair {
    pub(crate) fn new(support: Support, quote: Option<String>) -> Self {
        Self {
            verdict: support.verdict.into(),
            score: (support.score * 1e4).round() / 1e4,
            quote,
            start_char: support.quote.map(|span| span.start),
            end_char: support.quote.map(|span| span.end),
            reasons: support.reasons,
            why: support.why.into_iter().map(|one| ClaimDifference::at(one, 0)).collect(),
        }
    }
}

impl From<CheckedCitation> for VerifiedCitation {
    fn from(citation: CheckedCitation) -> Self {
        let CheckedCitation { number, cited_id, of, support, quote } = citation;
        Self {
            number,
            source_id: of.map_or(cited_id, |(source, _)| source.to_string()),
            revision_id: of.map(|(_, revision)| revision.to_string()),
            support: VerifiedPair::new(support, quote),
        }
    }
}

/// A statement of fact that cites nothing.
#[derive(Serialize, ToSchema)]
pub(crate) struct UncitedClaim {
    /// Text of the claim, as it stands in the text.
    pub(crate) text: String,
    /// Offset of the claim's first character in the text.
    pub(crate) start_index: usize,
    /// Offset after the claim's last character in the text.
    pub(crate) end_index: usize,
}

impl From<Claim> for UncitedClaim {
    fn from(claim: Claim) -> Self {
        Self { text: claim.text, start_index: claim.span.start, end_index: claim.span.end }
    }
}

/// Method by which claims were checked.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CheckMethod {
    /// By words, and by the meaning of sentences.
    WordsAndMeaning,
    /// By words alone, because no embedding model was available.
    Words,
}

impl CheckMethod {
    pub(crate) const fn from_meaning(by_meaning: bool) -> Self {
        if by_meaning { Self::WordsAndMeaning } else { Self::Words }
    }
}

impl From<CheckedText> for VerifyAnswer {
    fn from(checked: CheckedText) -> Self {
        let claim = |one: ibid_app::CheckedClaim| VerifiedClaim {
            text: one.claim.text,
            start_index: one.claim.span.start,
            end_index: one.claim.span.end,
            citations: one.citations.into_iter().map(Into::into).collect(),
        };
        Self {
            claims: Some(checked.claims.into_iter().map(claim).collect()),
            uncited: Some(checked.uncited.into_iter().map(Into::into).collect()),
            dangling: Some(checked.dangling),
            pairs: None,
            method: CheckMethod::from_meaning(checked.by_meaning),
        }
    }
}

impl VerifyAnswer {
    /// Each check in words: the claim, the source's number, the verdict and the quote.
    pub(crate) fn iter_checks(&self) -> impl Iterator<Item = (&str, Option<u32>, CheckVerdict, Option<&str>)> {
        let claims = self.claims.iter().flatten().flat_map(|claim| {
            claim
                .citations
                .iter()
                .map(|one| (claim.text.as_str(), Some(one.number), one.support.verdict, one.support.quote.as_deref()))
        });
        let pairs = self.pairs.iter().flatten().map(|pair| ("the claim", None, pair.verdict, pair.quote.as_deref()));
        claims.chain(pairs)
    }

    /// The words of the statements that cite nothing.
    pub(crate) fn uncited_texts(&self) -> impl Iterator<Item = &str> {
        self.uncited.iter().flatten().map(|claim| claim.text.as_str())
    }
}

/// A draft to find the sources of.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroundBody {
    /// The draft, plain or in Markdown.
    pub(crate) text: String,
    /// Limits the passages that are searched.
    pub(crate) filters: Option<SearchFilters>,
    /// Format of the annotated draft; default `markdown`.
    #[serde(default)]
    pub(crate) style: GroundStyle,
}

/// Format of an annotated draft.
#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GroundStyle {
    /// Numbers in brackets, and the sources with their quotes below
    #[default]
    Markdown,
    /// A Typst footnote for each claim
    Typst,
}

impl From<GroundStyle> for AnnotationFormat {
    fn from(style: GroundStyle) -> Self {
        match style {
            GroundStyle::Markdown => Self::Markdown,
            GroundStyle::Typst => Self::Typst,
        }
    }
}

/// A draft with its claims bound to the library.
#[derive(Serialize, ToSchema)]
pub(crate) struct GroundAnswer {
    /// The claims that the library bears out, wholly or in part.
    pub(crate) claims: Vec<BoundClaim>,
    /// The claims that nothing in it supports.
    pub(crate) unsupported: Vec<UncitedClaim>,
    /// The claims of `unsupported` that it contradicts, with its words. They are never cited in the annotated draft.
    pub(crate) contradicted: Vec<ContradictedClaim>,
    /// Sources of the claims, ordered by number.
    pub(crate) sources: Vec<BoundSource>,
    /// The draft with the citations put in.
    pub(crate) annotated: String,
    /// Method of the check; by words alone if no embedding model was available.
    pub(crate) method: CheckMethod,
}

/// A claim and the words of the library that come closest to it.
#[derive(Serialize, ToSchema)]
pub(crate) struct BoundClaim {
    /// Text of the claim, as it stands in the draft.
    pub(crate) text: String,
    /// Offset of the claim's first character in the draft.
    pub(crate) start_index: usize,
    /// Offset after the claim's last character in the draft.
    pub(crate) end_index: usize,
    /// Number of the source in `sources`.
    pub(crate) number: u32,
    /// Id of the source that comes closest.
    pub(crate) source_id: String,
    /// The revision that the quote is of.
    pub(crate) revision_id: String,
    /// Result of the check: supported, wholly or in part.
    pub(crate) verdict: CheckVerdict,
    /// Confidence that the source supports the claim, from 0 to 1.
    pub(crate) score: f32,
    /// Words of the source that come closest to the claim.
    pub(crate) quote: String,
    /// Offset of the quote's first character in the text of the revision.
    pub(crate) start_char: usize,
    /// Offset after the quote's last character in the text of the revision.
    pub(crate) end_char: usize,
    /// Page that the quote begins on, from 1; left out if the source has no pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<u32>,
    /// Reasons that speak against the claim, such as a figure that is not in the source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reasons: Vec<&'static str>,
}

/// A claim and the words of the library that say otherwise.
#[derive(Serialize, ToSchema)]
pub(crate) struct ContradictedClaim {
    /// Text of the claim, as it stands in the draft.
    pub(crate) text: String,
    /// Offset of the claim's first character in the draft.
    pub(crate) start_index: usize,
    /// Offset after the claim's last character in the draft.
    pub(crate) end_index: usize,
    /// Id of the source that says otherwise.
    pub(crate) source_id: String,
    /// Title of that source, as people see it.
    pub(crate) title: String,
    /// The revision that the quote is of.
    pub(crate) revision_id: String,
    /// Words of the source that say otherwise.
    pub(crate) quote: String,
    /// Offset of the quote's first character in the text of the revision.
    pub(crate) start_char: usize,
    /// Offset after the quote's last character in the text of the revision.
    pub(crate) end_char: usize,
    /// The details in which claim and source differ; empty if the whole sentence does.
    pub(crate) why: Vec<ClaimDifference>,
}

/// A source that bears out something.
#[derive(Serialize, ToSchema)]
pub(crate) struct BoundSource {
    /// Number of the source in the annotated draft, from 1.
    pub(crate) number: u32,
    /// Id of the source, a UUID.
    pub(crate) source_id: String,
    /// Title, as people see it.
    pub(crate) title: String,
    /// Web address of the source; left out if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
}

impl GroundAnswer {
    pub(crate) fn new(text: &str, grounded: GroundedText, style: GroundStyle) -> Self {
        let annotated = grounded.annotate_draft(text, style.into());
        let (mut claims, mut unsupported, mut contradicted) = (Vec::new(), Vec::new(), Vec::new());
        for GroundedClaim { claim, found, against } in grounded.claims {
            let Some(found) = found else {
                contradicted.extend(against.map(|against| ContradictedClaim {
                    text: claim.text.clone(),
                    start_index: claim.span.start,
                    end_index: claim.span.end,
                    source_id: against.source.id.to_string(),
                    title: against.source.display_title().to_owned(),
                    revision_id: against.revision.to_string(),
                    quote: against.quote,
                    start_char: against.span.start,
                    end_char: against.span.end,
                    why: against.why.into_iter().map(|one| ClaimDifference::at(one, 0)).collect(),
                }));
                unsupported.push(claim.into());
                continue;
            };
            claims.push(BoundClaim {
                text: claim.text,
                start_index: claim.span.start,
                end_index: claim.span.end,
                number: found.number,
                source_id: found.source.to_string(),
                revision_id: found.revision.to_string(),
                verdict: found.support.verdict.into(),
                score: (found.support.score * 1e4).round() / 1e4,
                quote: found.quote,
                start_char: found.span.start,
                end_char: found.span.end,
                page: found.page,
                reasons: found.support.reasons,
            });
        }
        let source = |(number, source): (u32, ibid_domain::Source)| BoundSource {
            number,
            source_id: source.id.to_string(),
            title: source.display_title().to_owned(),
            url: source.url,
        };
        let sources = (1..).zip(grounded.sources).map(source).collect();
        let method = CheckMethod::from_meaning(grounded.by_meaning);
        Self { claims, unsupported, contradicted, sources, annotated, method }
    }

    /// Returns the numbers of supported, partly supported and unsupported claims.
    pub(crate) fn verdict_counts(&self) -> (usize, usize, usize) {
        let supported = self.claims.iter().filter(|claim| claim.verdict.0 == Verdict::Supported).count();
        (supported, self.claims.len() - supported, self.unsupported.len())
    }

    /// The words of the claims that nothing supports.
    pub(crate) fn unsupported_texts(&self) -> impl Iterator<Item = &str> {
        self.unsupported.iter().map(|claim| claim.text.as_str())
    }
}
