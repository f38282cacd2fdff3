//! In what a claim and the sentences that come closest to it differ: figures, names and negations, with their words.

use std::ops::Range;

use ibid_domain::{DifferenceKind, Span};
use ibid_language::{
    Lexicon,
    lexicon::Quantifier,
    numbers::{Number, NumberKind, ambiguous_ordinal, numbers_in},
    phrases::Phrases,
    stems::comparable_stem,
    units::Unit,
    words::{TokenKind, TokenizedText, lower},
};

use super::{
    figures::is_spelled_ordinal,
    reading::{ClaimReading, Denial, PassageReading, WordMatches},
    words::{is_empty_word, is_raised},
};

/// A detail in which a claim and its source differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub kind: DifferenceKind,
    /// Words of the claim; empty if only the source has some.
    pub claim: String,
    /// Words of the source that stand in their place; `None` if it has none.
    pub source: Option<String>,
    /// Character range of those words in the checked text.
    pub span: Option<Span>,
}

/// A claim and the sentences of a passage that come closest to it.
pub(super) struct Comparison<'a> {
    pub claim: &'a str,
    pub wanted: &'a ClaimReading,
    pub text: &'a str,
    pub sentences: &'a [Range<usize>],
    pub reading: &'a PassageReading,
    pub matches: &'a WordMatches,
    /// Indexes of the closest sentences.
    pub closest: Range<usize>,
}

impl Comparison<'_> {
    /// All differences, figures first.
    pub fn differences(&self) -> Vec<Difference> {
        let mut found = self.figure_differences();
        found.extend(self.name_differences());
        found.extend(self.negation_difference());
        found.extend(self.quantifier_difference());
        found
    }

    fn figure_differences(&self) -> Vec<Difference> {
        let known = &self.reading.figures;
        let claim = TokenizedText::new(self.claim, self.reading.language);
        let missing: Vec<&Number> =
            self.wanted.figures.numbers.iter().filter(|number| !self.has_number_nearby(number)).collect();
        let mut found: Vec<Difference> = Vec::new();
        let mut said: Vec<Range<usize>> = Vec::new();
        for number in &missing {
            // Day and year of one date are one difference.
            if said.contains(&number.range) {
                continue;
            }
            said.push(number.range.clone());
            let phrase = FigurePhrase::new(&claim, number);
            let rival = self.closest.clone().flat_map(|place| self.rivals_in(place, &phrase, missing.len()));
            // Of equal ones the first.
            let rival = rival.reduce(|best, other| if other.0 > best.0 { other } else { best });
            found.push(Difference {
                kind: DifferenceKind::Figure,
                claim: phrase.words.to_owned(),
                source: rival.as_ref().map(|(_, range)| self.text[range.clone()].to_owned()),
                span: rival.map(|(_, range)| self.char_span(range)),
            });
        }
        if found.is_empty() && self.wanted.figures.missing_in(known).0 > 0 {
            found.extend(self.worded_difference());
        }
        found
    }

    /// Returns true if a number of the claim stands near the closest sentences, or further away in a sentence that speaks
    /// of the same: any number stands somewhere in a long text.
    fn has_number_nearby(&self, number: &Number) -> bool {
        let near = self.closest.start.saturating_sub(NEAR)..self.closest.end + NEAR;
        let others = self.wanted.words.len() - self.wanted.words.iter().filter(|word| word.number.is_some()).count();
        (0..self.sentences.len()).any(|place| {
            let speaks_of_it = || self.matches.count_in(place) > SHARED_WORDS.min(others);
            self.reading.figures_in(place).has_number(number) && (near.contains(&place) || speaks_of_it())
        })
    }

    /// The figures of a sentence that stand where a figure of the claim should, with how alike their places are.
    fn rivals_in(&self, place: usize, phrase: &FigurePhrase<'_>, missing: usize) -> Vec<(u32, Range<usize>)> {
        let start = self.sentences[place].start;
        let sentence = TokenizedText::new(&self.text[self.sentences[place].clone()], self.reading.language);
        let is_other = |number: &&Number| !self.wanted.figures.has_number(number);
        let others: Vec<_> = self.reading.figures_in(place).numbers.iter().filter(is_other).collect();
        let rival = |number: &&Number| {
            let other = FigurePhrase::new(&sentence, number);
            let sole = if others.len() == 1 && missing == 1 { 2 } else { 0 };
            let alike = phrase.alike(&other)?;
            (alike + sole >= LEAST_ALIKE).then(|| {
                let range = other.range();
                (alike + sole, start + range.start..start + range.end)
            })
        };
        others.iter().filter_map(rival).collect()
    }

    /// Another month, day of the week or place in a row than the claim's: words, which have no number to show.
    fn worded_difference(&self) -> Option<Difference> {
        let language = self.reading.language;
        let time = &Lexicon::of(language).time;
        let is_figure = |lower: &str| {
            time.weekdays.contains_key(lower)
                || time.months.contains_key(lower)
                || ambiguous_ordinal(lower, language).is_some()
        };
        let words = |text: &str| -> Vec<Range<usize>> {
            let text = TokenizedText::new(text, language);
            let numbers = numbers_in(&text);
            let spelled = numbers.iter().filter(|number| is_spelled_ordinal(number)).map(|number| number.range.clone());
            let words = text.tokens.iter().zip(&text.lower).filter(|(_, lower)| is_figure(lower));
            words.map(|(token, _)| token.start..token.end).chain(spelled).collect()
        };
        let wanted = words(self.claim).into_iter().next()?;
        let rival = self.closest.clone().find_map(|place| {
            let sentence = self.sentences[place].clone();
            let found = words(&self.text[sentence.clone()]).into_iter().next()?;
            Some(sentence.start + found.start..sentence.start + found.end)
        });
        Some(Difference {
            kind: DifferenceKind::Figure,
            claim: self.claim[wanted].to_owned(),
            source: rival.clone().map(|range| self.text[range].to_owned()),
            span: rival.map(|range| self.char_span(range)),
        })
    }

    fn name_differences(&self) -> Vec<Difference> {
        let unknown =
            self.wanted.words.iter().enumerate().filter(|(place, word)| word.is_name && !self.matches.is_known(*place));
        let names = unknown.map(|(_, word)| as_written(self.claim, &word.lower));
        names
            .filter(|name| !self.is_short_form(name) && !self.is_left_out(name))
            .map(|claim| Difference { kind: DifferenceKind::Name, claim, source: None, span: None })
            .collect()
    }

    /// Returns true if the passage spells out a name that the claim shortens, or the other way round: `UN` and `United
    /// Nations`.
    fn is_short_form(&self, name: &str) -> bool {
        let lexicon = Lexicon::of(self.reading.language);
        spells_out(self.text, name, None, lexicon)
            || {
                let mut words = self.text.split(|char: char| !char.is_alphanumeric());
                words.any(|word| spells_out(self.claim, word, Some(name), lexicon))
            }
            || self.has_other_name(name, lexicon)
    }

    /// Returns true for a first name that the passage leaves out: it has the name that follows it, at least once without
    /// another name before that.
    fn is_left_out(&self, name: &str) -> bool {
        let claim = TokenizedText::new(self.claim, self.reading.language);
        let Some(place) = claim.tokens.iter().position(|token| token.of(self.claim) == name) else { return false };
        let mut last = place;
        while is_raised(&claim, last + 1) {
            last += 1;
        }
        if last == place {
            return false;
        }
        let passage = TokenizedText::new(self.text, self.reading.language);
        let lexicon = Lexicon::of(self.reading.language);
        let has_name_before = |at: usize| is_raised(&passage, at - 1) && !lexicon.is_little(passage.lower_at(at - 1));
        let stands_alone = |at: usize| at == 0 || !has_name_before(at);
        let is_last = |at: &usize| passage.lower_at(*at) == claim.lower_at(last) && is_raised(&passage, *at);
        (0..passage.tokens.len()).filter(is_last).any(stands_alone)
    }

    /// Returns true if the passage has another name for what a name of the claim, or words that it is a part of, stand for.
    fn has_other_name(&self, name: &str, lexicon: &Lexicon) -> bool {
        let claim = TokenizedText::new(self.claim, self.reading.language);
        let name = lower(name);
        let is_in_claim =
            |names: &&Phrases| names.find(&claim.lower).is_some_and(|(range, ())| claim.lower[range].contains(&name));
        let is_in_passage = |names: &Phrases| names.is_in(&TokenizedText::new(self.text, self.reading.language).lower);
        lexicon.same_names.iter().filter(is_in_claim).any(is_in_passage)
    }

    /// One denies what the other says. What is denied must be something that both speak of: `it was not painted again`
    /// says nothing against a claim about its length.
    fn negation_difference(&self) -> Option<Difference> {
        let has_word = |stem: &str| self.wanted.words.iter().any(|word| word.stem == stem);
        let is_shared = |denial: &&Denial| denial.of.as_deref().is_none_or(has_word);
        let theirs = self.closest.clone().find_map(|place| {
            let start = self.sentences[place].start;
            let denial = self.reading.denials_in(place).iter().find(is_shared)?;
            Some(start + denial.range.start..start + denial.range.end)
        });
        let is_known = |denial: &&Denial| {
            denial.of.as_deref().is_none_or(|stem| self.reading.has_stem_in(self.closest.clone(), stem))
        };
        let mine = self.wanted.denials.iter().find(is_known);
        if mine.is_some() == theirs.is_some() {
            return None;
        }
        Some(Difference {
            kind: DifferenceKind::Negation,
            claim: mine.map_or_else(String::new, |denial| self.claim[denial.range.clone()].to_owned()),
            source: theirs.clone().map(|range| self.text[range].to_owned()),
            span: theirs.map(|range| self.char_span(range)),
        })
    }

    /// The claim says of more of some things, or of other ones, what the passage says of a part of them.
    fn quantifier_difference(&self) -> Option<Difference> {
        let mine = quantified(&TokenizedText::new(self.claim, self.reading.language));
        if mine.is_empty() {
            return None;
        }
        let of_sentence = |place: usize| {
            let sentence = self.sentences[place].clone();
            let found = quantified(&TokenizedText::new(&self.text[sentence.clone()], self.reading.language));
            found.into_iter().map(move |one| Quantified {
                range: sentence.start + one.range.start..sentence.start + one.range.end,
                ..one
            })
        };
        let theirs: Vec<Quantified> = self.closest.clone().flat_map(of_sentence).collect();
        let of_same = |one: &Quantified| theirs.iter().filter(|other| other.of == one.of).collect::<Vec<_>>();
        let differs = |one: &Quantified| {
            let others = of_same(one);
            let bears_out = |other: &&Quantified| one.quantifier.follows_from(other.quantifier);
            if others.iter().any(bears_out) { None } else { others.first().map(|other| other.range.clone()) }
        };
        let (one, range) = mine.iter().find_map(|one| Some((one, differs(one)?)))?;
        Some(Difference {
            kind: DifferenceKind::Quantifier,
            claim: self.claim[one.range.clone()].to_owned(),
            source: Some(self.text[range.clone()].to_owned()),
            span: Some(self.char_span(range)),
        })
    }

    fn char_span(&self, range: Range<usize>) -> Span {
        let start = self.text[..range.start].chars().count();
        Span::new(start, start + self.text[range].chars().count())
    }
}

/// Number of sentences before and after the closest ones that are read with them.
const NEAR: usize = 3;
/// Number of the claim's words besides a figure that a sentence further away must have.
const SHARED_WORDS: usize = 2;

/// How alike the places of two figures must be for one to stand for the other.
const LEAST_ALIKE: u32 = 3;

/// A number with the word after it: `27 metres`.
struct FigurePhrase<'a> {
    words: &'a str,
    start: usize,
    kind: NumberKind,
    unit: Option<Unit>,
    is_year: bool,
    before: Option<String>,
    after: Option<String>,
}

impl<'a> FigurePhrase<'a> {
    fn new(text: &TokenizedText<'a>, number: &Number) -> Self {
        let lexicon = Lexicon::of(text.language);
        let stem = |place: usize| {
            let lower = text.lower_at(place);
            (text.tokens[place].kind == TokenKind::Word && !is_empty_word(lower, lexicon))
                .then(|| comparable_stem(lower, text.language))
        };
        let next = text.tokens.iter().position(|token| token.start >= number.range.end);
        let previous = text.tokens.iter().rposition(|token| token.end <= number.range.start);
        let after = next.and_then(stem);
        // A blank or a hyphen between them, nothing else.
        let end = match next.filter(|_| after.is_some()) {
            Some(place) if text.tokens[place].start - number.range.end <= 3 => text.tokens[place].end,
            _ => number.range.end,
        };
        let digits = &text.text[number.range.clone()];
        Self {
            words: &text.text[number.range.start..end],
            start: number.range.start,
            kind: number.kind,
            unit: number.unit,
            is_year: digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()) && digits < "2200",
            before: previous.and_then(stem),
            after,
        }
    }

    fn range(&self) -> Range<usize> {
        self.start..self.start + self.words.len()
    }

    /// How alike the places of two figures are; `None` if they say different kinds of things.
    fn alike(&self, other: &Self) -> Option<u32> {
        let is_share = |phrase: &Self| matches!(phrase.kind, NumberKind::Percent | NumberKind::Points);
        if self.is_year != other.is_year || is_share(self) != is_share(other) {
            return None;
        }
        let same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
        let both = |one: &Option<String>, other: &Option<String>| one.is_some() && other.is_some();
        // `27 metres` and `27 feet` measure the same, `5 dollars` and `5 euros` too.
        let counts_same = match self.unit.zip(other.unit) {
            Some((one, other)) => one.measure == other.measure,
            None => same(&self.after, &other.after),
        };
        if !self.is_year && !counts_same && both(&self.after, &other.after) {
            return None;
        }
        let years = if self.is_year { 2 } else { 0 };
        let shares = if is_share(self) { 2 } else { 0 };
        let words = 2 * u32::from(counts_same) + u32::from(same(&self.before, &other.before));
        Some(1 + years + shares + words)
    }
}

/// A word such as `most`, and what it is said of.
struct Quantified {
    quantifier: Quantifier,
    /// Where it stands, in bytes.
    range: Range<usize>,
    /// Stem of the word that it is said of.
    of: String,
}

/// What a text says of how many, without a number.
fn quantified(text: &TokenizedText<'_>) -> Vec<Quantified> {
    let lexicon = Lexicon::of(text.language);
    let mut found = Vec::new();
    let mut place = 0;
    while place < text.tokens.len() {
        let Some((length, quantifier)) = lexicon.quantifiers.longest_at(&text.lower, place) else {
            place += 1;
            continue;
        };
        let is_content = |at: &usize| !is_empty_word(text.lower_at(*at), lexicon);
        // `all of the members`: only little words stand between.
        let of = (place + length..text.tokens.len().min(place + length + WORDS_BETWEEN)).find(is_content);
        if let Some(of) = of.filter(|of| text.tokens[*of].kind == TokenKind::Word) {
            let range = text.tokens[place].start..text.tokens[place + length - 1].end;
            found.push(Quantified { quantifier, range, of: comparable_stem(text.lower_at(of), text.language) });
        }
        place += length;
    }
    found
}

/// Number of words in which what a quantifier is said of is looked for.
const WORDS_BETWEEN: usize = 4;

/// The word of a text that has these letters in lower case.
fn as_written(text: &str, lower: &str) -> String {
    let words = text.split(|char: char| !char.is_alphanumeric());
    words.into_iter().find(|word| word.to_lowercase() == lower).unwrap_or(lower).to_owned()
}

/// Lengths of short forms, in letters.
const SHORT_FORM: std::ops::RangeInclusive<usize> = 2..=6;

/// Returns true if words with capitals that follow each other in a text begin with the letters of a short form, which is
/// all capitals; if `with` is given, it has to be one of them.
fn spells_out(text: &str, short: &str, with: Option<&str>, lexicon: &Lexicon) -> bool {
    let letters: Vec<char> = short.chars().collect();
    if !SHORT_FORM.contains(&letters.len()) || !letters.iter().all(|letter| letter.is_uppercase()) {
        return false;
    }
    // `of` and the like stand between the words of a name.
    let words = text.split(|char: char| !char.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty() && !lexicon.is_little(word)).collect();
    words.windows(letters.len()).any(|run| {
        run.iter().zip(&letters).all(|(word, letter)| word.starts_with(*letter))
            && with.is_none_or(|with| run.contains(&with))
    })
}

#[cfg(test)]
mod tests {
    use ibid_language::Language;

    use super::*;

    #[test]
    fn a_short_form_is_spelled_out_by_words_in_a_row() {
        let english = Lexicon::of(Language::ENGLISH);
        let spells_out = |text: &str, short: &str, with: Option<&str>| spells_out(text, short, with, english);
        let text = "The Bank of England and the United Nations met in Ulm.";
        assert!(spells_out(text, "UN", None) && spells_out(text, "BE", None));
        assert!(spells_out(text, "UN", Some("Nations")));
        assert!(!spells_out(text, "UN", Some("Ulm")), "it is not one of its words");
        assert!(!spells_out(text, "Un", None), "a short form is all capitals");
        assert!(!spells_out("Anna saw Lena.", "AL", None), "the words do not follow each other");
    }
}
