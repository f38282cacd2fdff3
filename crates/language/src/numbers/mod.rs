//! The numbers that a text names, in digits or in words.
//!
//! `1.250` is 1250 in German and 1.25 in English; `twenty-one`, `einundzwanzig` and `vingt et un` are 21. The numbers of
//! list items and of citation markers such as `[1]` are left out.

mod digits;
mod spelled;

use std::ops::Range;

use crate::{
    Language, Lexicon,
    lexicon::{NumberWord, QuantityLimit},
    units::{Measure, Unit, unit_at, unit_of_word},
    words::{TokenKind, TokenizedText},
};

/// What a number says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// How many, how much, or a year.
    Cardinal,
    /// The place in a row: `3rd`.
    Ordinal,
    /// A share of a hundred.
    Percent,
    /// A difference between two shares of a hundred: `3 percentage points`.
    Points,
    /// A share of one, in words: `two thirds`.
    Fraction,
}

/// A number of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// Where it stands, in bytes, with what scales it: `1.5 million`, `20 %`.
    pub range: Range<usize>,
    /// The value, scaled: 1.5 million is 1500000, and 20 % is 20.
    pub value: f64,
    /// Half of what its last digit stands for: how far off a visibly rounded number may be. 0 for an exact one.
    pub rounding: f64,
    /// What it says.
    pub kind: NumberKind,
    /// Whether it is written in words.
    pub is_spelled: bool,
    /// Whether the text says that it is rounded: `about 500`.
    pub is_approximate: bool,
    /// How the text bounds it: `at least 500`.
    pub limit: Option<QuantityLimit>,
    /// What it counts, if that is a unit of measure: `27 metres`, `$5`.
    pub unit: Option<Unit>,
}

/// How far off a number may be that the text calls approximate, as a share of it.
const APPROXIMATE: f64 = 0.05;

impl Number {
    /// Whether another text's number bears this one out: the same value, or the same when rounded as this one is.
    pub fn agrees_with(&self, known: &Self) -> bool {
        let rounded = if self.is_approximate { self.value.abs() * APPROXIMATE } else { 0.0 };
        let tolerance = self.rounding.max(rounded) + self.value.abs() * 1e-9 + 1e-9;
        let is_share = |number: &Self| matches!(number.kind, NumberKind::Percent);
        let is_points = |number: &Self| matches!(number.kind, NumberKind::Points);
        if is_share(self) && is_points(known) || is_points(self) && is_share(known) {
            return false;
        }
        if self.limit.zip(known.limit).is_some_and(|(one, other)| one.is_upper() != other.is_upper()) {
            return false;
        }
        match (&self.unit, &known.unit) {
            (Some(one), Some(other)) if !one.is_comparable(other) => return false,
            (Some(one), Some(other)) if !one.is_same(other) => return self.agrees_converted(one, known, other),
            (Some(_), None) if is_share(known) => return false,
            (None, Some(_)) if is_share(self) => return false,
            _ => {}
        }
        (self.value - known.value).abs() <= tolerance
            || (is_share(self) && !is_share(known) && (self.value - known.value * 100.0).abs() <= tolerance)
            || (!is_share(self) && is_share(known) && (self.value * 100.0 - known.value).abs() <= tolerance * 100.0)
    }

    /// The same for a number in another unit. What was converted is rounded, so either may be off by half of its last
    /// digit; units of time are converted exactly.
    fn agrees_converted(&self, unit: &Unit, known: &Self, known_unit: &Unit) -> bool {
        let last_digit = |number: &Self| if number.value.fract() == 0.0 { 0.5 } else { 0.0 };
        let off_by = |number: &Self, unit: &Unit| {
            let rounded = if number.is_approximate { number.value.abs() * APPROXIMATE } else { 0.0 };
            let written = if unit.measure == Measure::Time { 0.0 } else { last_digit(number) };
            unit.difference_to_common(number.rounding.max(rounded).max(written))
        };
        let (one, other) = (unit.to_common(self.value), known_unit.to_common(known.value));
        (one - other).abs() <= off_by(self, unit).max(off_by(known, known_unit)) + one.abs() * 1e-6
    }
}

/// The numbers of a text, in order.
pub fn numbers(text: &str, language: Language) -> Vec<Number> {
    numbers_in(&TokenizedText::new(text, language))
}

/// The numbers of a text whose tokens are known, in order.
pub fn numbers_in(text: &TokenizedText<'_>) -> Vec<Number> {
    let markers = digits::markers(text);
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(token) = text.tokens.get(place) {
        let read = match token.kind {
            TokenKind::Number if markers[place] => None,
            TokenKind::Number => digits::number_at(text, place),
            TokenKind::Word => spelled::number_at(text, place),
            _ => None,
        };
        match read {
            Some((mut number, end)) => {
                number.unit = number.unit.or_else(|| unit_of(text, place, end, number.kind));
                found.push(with_bounds(text, place, number));
                place = end.max(place + 1);
            }
            None => place += 1,
        }
    }
    found
}

/// The number of words alone, such as `einundzwanzig` or `two hundred`; `None` if there are other words.
pub fn spelled_number(words: &str, language: Language) -> Option<f64> {
    let text = TokenizedText::new(words, language);
    let (number, end) = spelled::number_at(&text, 0)?;
    (end == text.tokens.len()).then_some(number.value)
}

/// The place in a row that a word in lower case may name, if it is another word too: `second`, the Italian `quarto`.
/// Such a word alone is no number of a text.
pub fn ambiguous_ordinal(word: &str, language: Language) -> Option<f64> {
    let numbers = &Lexicon::of(language).numbers;
    match numbers.words.get(word).filter(|_| numbers.ambiguous.contains(word))? {
        NumberWord::Ordinal(value) => Some(value),
        _ => None,
    }
}

/// The unit of a number that stands at some tokens: the sign of a currency before it, or the words after it.
fn unit_of(text: &TokenizedText<'_>, place: usize, end: usize, kind: NumberKind) -> Option<Unit> {
    if kind != NumberKind::Cardinal {
        return None;
    }
    let money = place.checked_sub(1).and_then(|before| unit_of_word(text.lower_at(before)));
    if let Some(money) = money.filter(|unit| unit.measure == Measure::Money) {
        return Some(money);
    }
    // `27-metre`.
    let next = end + usize::from(text.lower_at(end) == "-");
    unit_at(&text.lower, next).map(|(_, unit)| unit)
}

/// Adds what the words before a number say of it.
fn with_bounds(text: &TokenizedText<'_>, place: usize, mut number: Number) -> Number {
    let lexicon = Lexicon::of(text.language);
    let mut at = place;
    // `$`, an opening bracket or an article may stand between.
    while at > 0 && (text.tokens[at - 1].kind == TokenKind::Sign || lexicon.determiners.contains(text.lower_at(at - 1)))
    {
        number.is_approximate |= matches!(text.lower_at(at - 1), "~" | "≈" | "±");
        at -= 1;
        if place - at > 2 {
            break;
        }
    }
    for end in [place, at] {
        number.is_approximate |= lexicon.approximations.longest_before(&text.lower, end).is_some();
        number.limit = number.limit.or(lexicon.limits.longest_before(&text.lower, end).map(|(_, limit)| limit));
    }
    number
}

/// What follows a number and belongs to it: a scale, and whether it is a percentage or a number of points. Gives the
/// factor, the kind and the next token.
fn scale_and_percent(text: &TokenizedText<'_>, mut next: usize) -> (f64, NumberKind, usize) {
    let numbers = &Lexicon::of(text.language).numbers;
    let mut scale = 1.0;
    let scale_at = |place: usize| match numbers.words.longest_at(&text.lower, place)? {
        (length, NumberWord::Scale(value) | NumberWord::CountedScale(value)) => Some((length, value)),
        _ => None,
    };
    if let Some((length, value)) = scale_at(next) {
        scale = value;
        next += length;
        // `3 mil millones`.
        if let Some((length, value)) = scale_at(next).filter(|(_, second)| *second > scale) {
            scale *= value;
            next += length;
        }
    } else if let Some(value) = numbers.abbreviations.get(text.lower_at(next)) {
        // A single letter with a blank before it is a unit: `5 m`.
        if text.lower_at(next).len() > 1 {
            scale = *value;
            next += 1;
        }
    }
    if let Some((length, ())) = numbers.points.longest_at(&text.lower, next) {
        return (scale, NumberKind::Points, next + length);
    }
    if text.lower_at(next) == "%" {
        return (scale, NumberKind::Percent, next + 1);
    }
    match numbers.percent.longest_at(&text.lower, next) {
        Some((length, ())) => (scale, NumberKind::Percent, next + length),
        None => (scale, NumberKind::Cardinal, next),
    }
}
