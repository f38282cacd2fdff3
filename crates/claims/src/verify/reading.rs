//! A claim and a passage as they are compared: words, figures and negations of one language.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use ibid_language::{
    Language, Lexicon,
    compounds::{compound_head, compound_parts, makes_compounds},
    negation::{Negation, negations},
    numbers::numbers_in,
    stems::comparable_stem,
    units::is_unit,
    words::{TokenKind, TokenizedText},
};

use super::{
    figures::Figures,
    words::{ContentWord, content_words, is_raised},
};

/// Words with fewer characters are not taken apart.
const SHORTEST_COMPOUND: usize = 7;

/// A claim taken apart.
#[derive(Debug)]
pub(super) struct ClaimReading {
    pub words: Vec<ContentWord>,
    pub figures: Figures,
    pub denials: Vec<Denial>,
    /// True if it is nothing but names and figures, such as `Edward IV`: it states nothing.
    pub is_fragment: bool,
}

/// Words that deny something.
#[derive(Clone, Debug)]
pub(super) struct Denial {
    /// Where they stand, in bytes of the sentence.
    pub range: Range<usize>,
    /// Stem of the word that they most likely deny.
    pub of: Option<String>,
}

impl ClaimReading {
    pub fn new(claim: &str, language: Language) -> Self {
        let text = TokenizedText::new(claim, language);
        let numbers = numbers_in(&text);
        let words = content_words(&text, &numbers);
        let figures = Figures::with_numbers(&text, numbers);
        let denial = |found: &Negation| {
            let tokens = &text.tokens[found.tokens.clone()];
            let range = tokens.first().map_or(0, |token| token.start)..tokens.last().map_or(0, |token| token.end);
            let of = found.scope.map(|place| comparable_stem(text.lower_at(place), language));
            Denial { range, of }
        };
        let denials = negations(&text).iter().map(denial).collect();
        Self { is_fragment: is_fragment(&text, &words), words, figures, denials }
    }
}

/// Words that a fragment has at most.
const LONGEST_FRAGMENT: usize = 6;

/// Returns true for names, figures and units alone, without a verb: nothing that could be true or false.
fn is_fragment(text: &TokenizedText<'_>, words: &[ContentWord]) -> bool {
    let lexicon = Lexicon::of(text.language);
    let is_named = |place: usize, lower: &str| match text.tokens[place].kind {
        // `12 May 1931` has no verb.
        TokenKind::Word if is_raised(text, place) => place > 0 || !lexicon.auxiliaries.contains(lower),
        TokenKind::Word => (lexicon.is_little(lower) || is_unit(lower)) && !lexicon.auxiliaries.contains(lower),
        _ => true,
    };
    words.len() <= LONGEST_FRAGMENT
        && !text.text.trim_end().ends_with(['.', '!', '?'])
        && text.lower.iter().enumerate().all(|(place, lower)| is_named(place, lower))
}

/// A passage taken apart, in one language.
#[derive(Debug)]
pub(super) struct PassageReading {
    pub language: Language,
    sentences: Vec<SentenceReading>,
    /// The stems of all sentences.
    stems: HashSet<String>,
    /// Stems that follow each other.
    pairs: HashSet<(String, String)>,
    pub figures: Figures,
}

#[derive(Debug)]
struct SentenceReading {
    stems: HashSet<String>,
    /// The words themselves, without accents.
    folded: HashSet<String>,
    /// Words that may be put together of others, in a language that does so.
    compounds: Vec<String>,
    figures: Figures,
    denials: Vec<Denial>,
}

impl PassageReading {
    /// Reads the sentences of a text.
    pub fn new(text: &str, sentences: &[Range<usize>], language: Language) -> Self {
        let mut reading = Self {
            language,
            sentences: Vec::with_capacity(sentences.len()),
            stems: HashSet::new(),
            pairs: HashSet::new(),
            figures: Figures::default(),
        };
        let mut last: Option<String> = None;
        for sentence in sentences {
            let claim = ClaimReading::new(&text[sentence.clone()], language);
            let may_be_compound = |word: &&ContentWord| {
                makes_compounds(language) && word.number.is_none() && word.lower.chars().count() >= SHORTEST_COMPOUND
            };
            let compounds = claim.words.iter().filter(may_be_compound).map(|word| word.lower.clone()).collect();
            for word in &claim.words {
                reading.pairs.extend(last.replace(word.stem.clone()).map(|before| (before, word.stem.clone())));
            }
            let (stems, folded): (HashSet<String>, HashSet<String>) =
                claim.words.into_iter().map(|word| (word.stem, word.folded)).unzip();
            reading.stems.extend(stems.iter().cloned());
            reading.figures.extend(claim.figures.clone());
            let (figures, denials) = (claim.figures, claim.denials);
            reading.sentences.push(SentenceReading { stems, folded, compounds, figures, denials });
        }
        reading
    }

    /// Returns true if any of these sentences denies something.
    pub fn is_negated_in(&self, mut sentences: Range<usize>) -> bool {
        sentences.any(|place| !self.sentences[place].denials.is_empty())
    }

    /// What a sentence denies.
    pub fn denials_in(&self, sentence: usize) -> &[Denial] {
        &self.sentences[sentence].denials
    }

    /// Returns true if any of these sentences has a word with this stem.
    pub fn has_stem_in(&self, mut sentences: Range<usize>, stem: &str) -> bool {
        sentences.any(|place| self.sentences[place].stems.contains(stem))
    }

    /// The figures of a sentence; their places are in bytes of the sentence.
    pub fn figures_in(&self, sentence: usize) -> &Figures {
        &self.sentences[sentence].figures
    }

    /// The share of a claim's neighbouring words that stand side by side here too.
    pub fn shared_pairs(&self, claim: &ClaimReading) -> f32 {
        let wanted: HashSet<_> = claim.words.windows(2).map(|pair| (&pair[0].stem, &pair[1].stem)).collect();
        let is_here = |(one, other): &&(&String, &String)| self.pairs.contains(&((*one).clone(), (*other).clone()));
        if wanted.is_empty() { 0.0 } else { wanted.iter().filter(is_here).count() as f32 / wanted.len() as f32 }
    }

    /// Finds the words of a claim in each sentence.
    pub fn match_words(&self, words: &[ContentWord]) -> WordMatches {
        let compounds = CompoundWords::new(self, words);
        let mut known = Vec::with_capacity(words.len() * self.sentences.len());
        for sentence in &self.sentences {
            let parts = compounds.parts_in(sentence);
            let has_stem = |stem: &String| sentence.stems.contains(stem) || parts.contains(stem);
            known.extend(words.iter().map(|word| {
                has_stem(&word.stem)
                    || sentence.folded.contains(&word.folded)
                    || word.number.as_ref().is_some_and(|number| sentence.figures.has_number(number))
                    || compounds.of_claim.get(word.stem.as_str()).is_some_and(|parts| parts.iter().all(has_stem))
            }));
        }
        WordMatches { words: words.len(), known }
    }
}

/// What the compounds of a claim and of a passage are put together of.
struct CompoundWords<'reading> {
    reading: &'reading PassageReading,
    claim: &'reading [ContentWord],
    claim_stems: HashSet<&'reading str>,
    /// By the stem of a compound of the claim: the stems of its parts, all of which the passage has.
    of_claim: HashMap<&'reading str, Vec<String>>,
}

impl<'reading> CompoundWords<'reading> {
    fn new(reading: &'reading PassageReading, words: &'reading [ContentWord]) -> Self {
        let language = reading.language;
        let claim = if makes_compounds(language) { words } else { &[] };
        let stem = |part: &str| comparable_stem(part, language);
        let is_long = |word: &&ContentWord| {
            word.lower.chars().count() >= SHORTEST_COMPOUND && !reading.stems.contains(&word.stem)
        };
        let parts = |word: &'reading ContentWord| {
            let parts = compound_parts(&word.lower, language, |part| reading.stems.contains(&stem(part)))?;
            Some((word.stem.as_str(), parts.iter().map(|part| stem(part)).collect()))
        };
        Self {
            reading,
            claim,
            claim_stems: claim.iter().map(|word| word.stem.as_str()).collect(),
            of_claim: claim.iter().filter(is_long).filter_map(parts).collect(),
        }
    }

    /// The stems that the compounds of a sentence are put together of, as far as the claim has them.
    fn parts_in(&self, sentence: &SentenceReading) -> HashSet<String> {
        let language = self.reading.language;
        let stem = |part: &str| comparable_stem(part, language);
        let mut found = HashSet::new();
        for compound in &sentence.compounds {
            // Most words have nothing of the claim in them.
            let begins = |word: &ContentWord| word.lower.chars().take(SHORTEST_SHARED).collect::<String>();
            if !self.claim.iter().any(|word| compound.contains(&begins(word))) {
                continue;
            }
            let is_word = |part: &str| {
                let stem = stem(part);
                self.claim_stems.contains(stem.as_str()) || self.reading.stems.contains(&stem)
            };
            if let Some(parts) = compound_parts(compound, language, is_word) {
                found.extend(parts.iter().map(|part| stem(part)));
            } else if let Some(head) =
                compound_head(compound, language, |part| self.claim_stems.contains(stem(part).as_str()))
            {
                found.insert(stem(head));
            }
        }
        found
    }
}

/// Number of letters that a part of a compound shares with a word of the claim.
const SHORTEST_SHARED: usize = 3;

/// Which words of a claim each sentence of a passage has.
pub(super) struct WordMatches {
    words: usize,
    /// One after the other for each sentence, all words.
    known: Vec<bool>,
}

impl WordMatches {
    /// The share of the claim's words that stand in these sentences.
    pub fn share_in(&self, sentences: Range<usize>) -> f32 {
        let is_in = |word: usize| sentences.clone().any(|place| self.known[place * self.words + word]);
        (0..self.words).filter(|word| is_in(*word)).count() as f32 / self.words.max(1) as f32
    }

    /// The share of those of the claim's words that are `chosen` which stand in these sentences; 0 if none is.
    pub fn share_of(&self, sentences: Range<usize>, chosen: impl Fn(usize) -> bool) -> f32 {
        let is_in = |word: &usize| sentences.clone().any(|place| self.known[place * self.words + word]);
        let (found, others): (Vec<_>, Vec<_>) = (0..self.words).filter(|word| chosen(*word)).partition(is_in);
        found.len() as f32 / (found.len() + others.len()).max(1) as f32
    }

    /// The number of the claim's words that stand in a sentence.
    pub fn count_in(&self, sentence: usize) -> usize {
        let words = sentence * self.words..(sentence + 1) * self.words;
        self.known[words].iter().filter(|known| **known).count()
    }

    /// Returns true if a word of the claim stands in any sentence.
    pub fn is_known(&self, word: usize) -> bool {
        self.known.iter().skip(word).step_by(self.words.max(1)).any(|known| *known)
    }
}
