//! Whether a passage bears out a claim, and with which words.
//!
//! What is said is compared in several ways at once: how many of the claim's words the passage has, all over and in two
//! neighbouring sentences; what a network says that reads the claim with a few sentences of the passage, or else how alike
//! their meaning is, where a model can tell; and, each by itself, figures, names and negations, because one wrong figure
//! makes a claim wrong that is right in every other word. The weights come from labelled pairs.
//!
//! [`ParsedPassage::new`] takes a passage apart, [`ParsedPassage::window`] has the sentences for a network to read, and
//! [`ParsedPassage::check_claim`] comes to a verdict and says why.

mod differences;
mod facts;
pub(crate) mod figures;
mod reading;
mod window;
pub(crate) mod words;

use std::{borrow::Cow, ops::Range};

use ibid_domain::Span;
pub use ibid_domain::{DifferenceKind, Verdict};
use ibid_language::{
    Language, Lexicon,
    detect::{detect_short, guess},
    questions::question_cue,
    sentences::{paragraphs, sentences_of},
    words::TokenizedText,
};

use self::{
    differences::Comparison,
    reading::{ClaimReading, PassageReading},
    words::is_calendar_word,
};
pub use self::{differences::Difference, facts::facts_of};
use crate::odds::{log_odds, probability};

/// Result of checking a claim against a passage.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    pub verdict: Verdict,
    /// Probability from 0 to 1 that the passage supports the claim.
    pub score: f32,
    /// The words of the passage that come closest.
    pub quote: Option<Span>,
    /// Short explanations of what speaks against the claim.
    pub reasons: Vec<&'static str>,
    /// The details in which claim and passage differ, with their words.
    pub why: Vec<Difference>,
}

/// What models say of a claim and a passage, as far as there are any.
#[derive(Clone, Debug, Default)]
pub struct ModelSignals {
    /// For each sentence how alike its meaning is to the claim's, from -1 to 1; empty where no model can tell.
    pub alike: Vec<f32>,
    /// What a network says that read [`ParsedPassage::window`] with the claim; `None` without a network.
    pub judged: Option<JudgedWindow>,
}

/// What a network says of some sentences, read with a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JudgedWindow {
    /// Share from 0 to 1 that they support it.
    pub supports: f32,
    /// Share from 0 to 1 that they contradict it.
    pub contradicts: f32,
}

/// From this score on a claim is supported, from that on it is so in part.
const SUPPORTED: f32 = 0.78;
const PARTLY: f32 = 0.45;

/// The language of the pairs that the network was trained with.
pub(crate) const NETWORK_LANGUAGE: Language = Language::ENGLISH;

/// A passage contradicts a claim that it has this share of the words of, apart from what differs.
const SAME_MATTER: f32 = 0.6;
/// The same for a negation, which may deny something else than what the claim is about.
const SAME_STATEMENT: f32 = 0.75;
/// From this share on a network's word is enough for a contradiction, if the passage is about the same matter.
const CONTRADICTS: f32 = 0.9;

/// Minimum share of the claim's words that a second sentence must add to be quoted too.
const WORTH_A_SENTENCE: f32 = 0.15;

/// Number of sentences up to which a passage is read again for a claim that seems to be in another language.
const READ_AGAIN: usize = 16;

/// A passage taken apart, to check claims against.
#[derive(Debug)]
pub struct ParsedPassage {
    text: String,
    sentences: Vec<Range<usize>>,
    reading: PassageReading,
    /// Nothing but its words, to find a claim in word for word.
    plain: String,
}

impl ParsedPassage {
    /// Splits a passage into sentences, stems and figures, in the language that it is in.
    pub fn new(text: impl Into<String>) -> Self {
        Self::with_hint(text, None)
    }

    /// The same for a passage of a source in a known language. The passage itself may be in another, as a quotation is.
    pub fn with_hint(text: impl Into<String>, hint: Option<Language>) -> Self {
        let text = text.into();
        let sentences: Vec<_> = paragraphs(&text).flat_map(|paragraph| sentences_of(&text, paragraph)).collect();
        let reading = PassageReading::new(&text, &sentences, guess(&text, hint));
        let plain = normalize_words(&text);
        Self { text, sentences, reading, plain }
    }

    /// Returns the passage as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of sentences in the passage.
    pub const fn len(&self) -> usize {
        self.sentences.len()
    }

    /// Returns true if the passage has no sentences.
    pub const fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// Returns the sentence at an index.
    pub fn sentence(&self, place: usize) -> &str {
        &self.text[self.sentences[place].clone()]
    }

    /// At most so many sentences, those that have most of the claim's words, for a model to compare by their meaning.
    pub fn closest_sentences(&self, claim: &str, most: usize) -> Vec<usize> {
        let wanted = ClaimReading::new(claim, self.reading.language);
        let matches = self.reading.match_words(&wanted.words);
        let mut places: Vec<_> = (0..self.len()).collect();
        places.sort_by_cached_key(|place| std::cmp::Reverse(matches.count_in(*place)));
        places.truncate(most);
        places
    }

    /// The sentences of the passage for a network to read with a claim, as text; `None` in a language that the network was
    /// not trained for.
    pub fn window(&self, claim: &str) -> Option<&str> {
        let language = self.language_of_both(claim);
        let wanted = ClaimReading::new(claim, language);
        if language != NETWORK_LANGUAGE || wanted.words.is_empty() || self.sentences.is_empty() {
            return None;
        }
        let matches = self.read_in(language, |reading| reading.match_words(&wanted.words));
        let lengths: Vec<_> =
            self.sentences.iter().map(|range| self.text[range.clone()].split_whitespace().count()).collect();
        let window = window::best_window(&matches, &lengths, wanted.words.len());
        Some(&self.text[self.sentences[window.start].start..self.sentences[window.end - 1].end])
    }

    /// Checks a claim, with what models say of it.
    pub fn check_claim(&self, claim: &str, signals: &ModelSignals) -> Support {
        let Some(features) = self.claim_features(claim, signals) else {
            return Support {
                verdict: Verdict::Unverifiable,
                score: 0.0,
                quote: None,
                reasons: Vec::new(),
                why: Vec::new(),
            };
        };
        let why = features.why.clone();
        let reasons = reasons_of(&why);
        let score = features.score(signals);
        let verdict = match score {
            // Names and figures alone are neither true nor false.
            _ if features.is_fragment => Verdict::Unverifiable,
            _ if features.is_contradicted() => Verdict::Contradicted,
            // One wrong figure makes it wrong.
            score if score >= SUPPORTED && why.is_empty() => Verdict::Supported,
            score if score >= PARTLY => Verdict::Partial,
            _ => Verdict::Unsupported,
        };
        let start = self.text[..features.quote.start].chars().count();
        let quote = Span::new(start, start + self.text[features.quote].chars().count());
        Support { verdict, score, quote: Some(quote), reasons, why }
    }

    /// Returns true if the passage contains the claim word for word.
    fn contains_verbatim(&self, claim: &str) -> bool {
        let claim = normalize_words(claim);
        claim.len() > 2 && self.plain.contains(&claim)
    }

    /// Returns what a claim and the passage have in common, or `None` if there is nothing to compare.
    pub fn claim_features(&self, claim: &str, signals: &ModelSignals) -> Option<SupportFeatures> {
        self.read_in(self.language_of_both(claim), |reading| self.features(reading, claim, signals))
    }

    /// Uses the passage as it reads in a language.
    fn read_in<Output>(&self, language: Language, read: impl FnOnce(&PassageReading) -> Output) -> Output {
        match language == self.reading.language {
            true => read(&self.reading),
            false => read(&PassageReading::new(&self.text, &self.sentences, language)),
        }
    }

    /// The language to read claim and passage in. Few words tell little, so a short passage and a claim that seem to
    /// be in two languages are looked at together.
    fn language_of_both(&self, claim: &str) -> Language {
        let own = self.reading.language;
        let seems_other = || detect_short(claim).is_some_and(|language| language != own);
        if self.sentences.len() > READ_AGAIN || !seems_other() {
            return own;
        }
        guess(&format!("{claim}\n{}", self.text), Some(own))
    }

    fn features(&self, reading: &PassageReading, claim: &str, signals: &ModelSignals) -> Option<SupportFeatures> {
        let alike = &signals.alike;
        let wanted = ClaimReading::new(claim, reading.language);
        if wanted.words.is_empty() || self.sentences.is_empty() {
            return None;
        }
        let matches = reading.match_words(&wanted.words);
        let meaning = |place: usize| alike.get(place).copied().unwrap_or_default();
        // The best sentence by words and by meaning, and its neighbour where that brings something.
        let alone: Vec<_> = (0..self.len()).map(|place| matches.share_in(place..place + 1)).collect();
        let pair = |place: usize| (place + 1 < self.len()).then(|| matches.share_in(place..place + 2));
        let pairs_of: Vec<_> = (0..self.len()).map(pair).collect();
        let covered_close = alone.iter().copied().chain(pairs_of.iter().flatten().copied()).fold(0.0, f32::max);
        let better = |a: &usize, b: &usize| (alone[*a] + meaning(*a)).total_cmp(&(alone[*b] + meaning(*b)));
        // Of equal ones the first.
        let best = (0..self.len()).rev().max_by(better).unwrap_or_default();
        let neighbours = [best.checked_sub(1), Some(best)].into_iter().flatten();
        let wider = neighbours.filter_map(|place| Some((pairs_of[place]?, place))).max_by(|a, b| a.0.total_cmp(&b.0));
        let chosen = match wider.filter(|(pair, _)| *pair >= alone[best] + WORTH_A_SENTENCE) {
            Some((_, place)) => place..place + 2,
            None => best..best + 1,
        };
        let quote = self.sentences[chosen.start].start..self.sentences[chosen.end - 1].end;
        let (missing, figures_count) = wanted.figures.missing_in(&reading.figures);
        let compared = Comparison {
            claim,
            wanted: &wanted,
            text: &self.text,
            sentences: &self.sentences,
            reading,
            matches: &matches,
            closest: chosen.clone(),
        };
        let why = compared.differences();
        let names_count = wanted.words.iter().filter(|word| word.is_name).count();
        let unknown = why.iter().filter(|one| one.kind == DifferenceKind::Name).count();
        let is_plain = |place: usize| {
            let word = &wanted.words[place];
            word.number.is_none() && !is_calendar_word(&word.lower, &Lexicon::of(reading.language).time)
        };
        let same_matter = matches.share_of(chosen.clone(), is_plain);
        let judged = signals.judged.unwrap_or_default();
        let ratio = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f32 / whole as f32 };
        Some(SupportFeatures {
            covered: matches.share_in(0..self.len()),
            covered_close,
            pairs: reading.shared_pairs(&wanted),
            alike: alike.iter().copied().fold(0.0, f32::max),
            figures_missing: ratio(missing, figures_count),
            names_missing: ratio(unknown, names_count),
            negation_differs: f32::from(why.iter().any(|one| one.kind == DifferenceKind::Negation)),
            negation_unheard: f32::from(!wanted.denials.is_empty() && !reading.is_negated_in(0..self.len())),
            sentences: (self.sentences.len() as f32).ln(),
            length: (wanted.words.len() as f32).ln(),
            supports: judged.supports,
            contradicts: judged.contradicts,
            same_matter,
            is_verbatim: self.contains_verbatim(claim),
            is_fragment: wanted.is_fragment,
            has_every_figure: figures_count > 0 && same_matter >= 1.0 && why.is_empty(),
            why,
            quote,
        })
    }
}

/// An answer as a claim, if it is nothing but a name or a figure: `Edward IV` after `Who was king in 1471?` says
/// `Edward IV was king in 1471`. Anything else states something by itself, and stays as it is.
pub fn claim_of_answer<'a>(question: &str, answer: &'a str) -> Cow<'a, str> {
    let language = guess(&format!("{question}\n{answer}"), None);
    if !ClaimReading::new(answer, language).is_fragment {
        return Cow::Borrowed(answer);
    }
    let asked = TokenizedText::new(question, language);
    let tail = question_cue(&asked).and_then(|cue| asked.tokens.get(cue.tokens.end)).map_or(0, |token| token.start);
    let rest = question[tail..].trim_end_matches(|char: char| !char.is_alphanumeric());
    Cow::Owned(format!("{answer} {rest}."))
}

/// Measures of similarity between a claim and a passage.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each is said where it is computed")]
pub struct SupportFeatures {
    pub covered: f32,
    pub covered_close: f32,
    pub pairs: f32,
    pub alike: f32,
    pub figures_missing: f32,
    pub names_missing: f32,
    pub negation_differs: f32,
    pub negation_unheard: f32,
    pub sentences: f32,
    pub length: f32,
    pub supports: f32,
    pub contradicts: f32,
    pub same_matter: f32,
    pub is_verbatim: bool,
    pub is_fragment: bool,
    pub has_every_figure: bool,
    pub why: Vec<Difference>,
    pub quote: Range<usize>,
}

impl SupportFeatures {
    /// The numbers, in the order of the weights.
    pub fn values(&self) -> [f32; 12] {
        [
            self.covered,
            self.covered_close,
            self.pairs,
            self.alike,
            self.figures_missing,
            self.names_missing,
            self.negation_differs,
            self.negation_unheard,
            self.sentences,
            self.length,
            log_odds(self.supports),
            log_odds(self.contradicts),
        ]
    }

    fn score(&self, signals: &ModelSignals) -> f32 {
        if self.is_verbatim {
            return 1.0;
        }
        let weights = match (signals.judged, signals.alike.is_empty()) {
            (Some(_), _) => BY_NETWORK,
            (None, false) => WITH_MEANING,
            (None, true) => BY_WORDS,
        };
        let weighted = |(weights, bias): ([f32; 12], f32)| {
            let sum: f32 = self.values().iter().zip(weights).map(|(value, weight)| value * weight).sum();
            probability(sum + bias)
        };
        let score = weighted(weights);
        // Rules compare figures in any notation, which a network does not.
        if self.has_every_figure { score.max(weighted(BY_WORDS)) } else { score }
    }

    /// Returns true if the passage says otherwise: another figure in the same place, a denial of the same statement, or
    /// what a network takes for a contradiction.
    fn is_contradicted(&self) -> bool {
        let differs = |difference: &Difference| match difference.kind {
            DifferenceKind::Figure => difference.source.is_some() && self.same_matter >= SAME_MATTER,
            DifferenceKind::Negation => self.same_matter >= SAME_STATEMENT,
            DifferenceKind::Name | DifferenceKind::Quantifier => false,
        };
        let by_network = !self.is_verbatim
            && !self.has_every_figure
            && self.contradicts >= CONTRADICTS
            && self.contradicts > self.supports;
        self.why.iter().any(differs) || by_network && self.same_matter >= SAME_MATTER / 2.0
    }
}

/// Weights of the features, and the intercept, by logistic regression over labelled pairs of claims and passages from
/// several public collections: with a network's word, with the likeness of embeddings, and by words alone.
const BY_NETWORK: ([f32; 12], f32) =
    ([1.447, 1.363, -0.348, 0.0, -0.692, 0.0, 0.0, -0.774, -0.464, 0.420, 0.377, -0.224], -1.793);
const WITH_MEANING: ([f32; 12], f32) =
    ([1.930, 1.554, 0.274, 2.741, -0.366, -0.033, -0.129, -1.083, -0.631, 0.210, 0.0, 0.0], -3.405);
const BY_WORDS: ([f32; 12], f32) =
    ([2.225, 2.195, 0.290, 0.0, -0.470, -0.024, 0.008, -1.327, -0.633, 0.489, 0.0, 0.0], -2.775);

/// What speaks against a claim, in words, each once.
fn reasons_of(why: &[Difference]) -> Vec<&'static str> {
    let mut kinds: Vec<_> = why.iter().map(|difference| difference.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let reason = |kind: DifferenceKind| match kind {
        DifferenceKind::Figure => OTHER_FIGURE,
        DifferenceKind::Name => OTHER_NAME,
        DifferenceKind::Negation => OTHER_NEGATION,
        DifferenceKind::Quantifier => OTHER_QUANTIFIER,
    };
    kinds.into_iter().map(reason).collect()
}

const OTHER_FIGURE: &str = "a figure of the claim is not in the source";
const OTHER_NAME: &str = "a name of the claim is not in the source";
const OTHER_NEGATION: &str = "the claim and the source differ in a negation";
const OTHER_QUANTIFIER: &str = "the claim and the source differ in how many they speak of";

/// The words of a text between single spaces, whatever the case and the punctuation.
fn normalize_words(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 2);
    for word in text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()) {
        plain.push(' ');
        plain.extend(word.chars().flat_map(char::to_lowercase));
    }
    plain.push(' ');
    plain
}
