//! Numbers in words: `two hundred and five`, `quatre-vingt-dix-sept`, `zweihundertfünf`.

use super::{Number, NumberKind, scale_and_percent};
use crate::{
    Lexicon,
    lexicon::{GluedNumbers, Joins, NumberWord, NumberWords},
    words::TokenizedText,
};

/// A number as far as it has been read.
#[derive(Clone, Copy, Default)]
struct Sum {
    /// What has been multiplied by a thousand or more.
    total: f64,
    /// What comes after that, below a thousand.
    current: f64,
    /// The last thousand or million, below which the rest must stay.
    last_scale: Option<f64>,
    has_begun: bool,
}

impl Sum {
    fn value(self) -> f64 {
        self.total + self.current
    }

    /// Whether a number may follow what has been read.
    fn takes(self, value: f64, numbers: &NumberWords) -> bool {
        if !self.has_begun {
            return true;
        }
        if self.current == 0.0 {
            return self.last_scale.is_some_and(|scale| value < scale);
        }
        let tens = self.current % 100.0;
        if value < 10.0 {
            self.current % 10.0 == 0.0 && tens != 10.0
        } else if value < 100.0 {
            tens == 0.0 || (value < 20.0 && numbers.tens_with_teens.contains(&tens))
        } else {
            false
        }
    }

    fn add(&mut self, value: f64) {
        self.current += value;
        self.has_begun = true;
    }

    /// Multiplies by a hundred, a thousand, a million; says whether that could be.
    fn scale(&mut self, scale: f64, may_begin: bool) -> bool {
        if !self.has_begun && !may_begin {
            return false;
        }
        if scale < 1000.0 {
            if self.current >= 100.0 || self.has_begun && self.current == 0.0 && self.last_scale.is_none() {
                return false;
            }
            self.current = self.current.max(1.0) * scale;
        } else if self.current == 0.0 && self.total > 0.0 {
            // `mil millones`.
            if self.last_scale.is_some_and(|last| last >= scale) {
                return false;
            }
            self.total *= scale;
            self.last_scale = Some(scale);
        } else {
            if self.last_scale.is_some_and(|last| last <= scale) {
                return false;
            }
            self.total += self.current.max(1.0) * scale;
            self.current = 0.0;
            self.last_scale = Some(scale);
        }
        self.has_begun = true;
        true
    }
}

/// The number in words that begins at a token, and the token after its last.
pub(super) fn number_at(text: &TokenizedText<'_>, place: usize) -> Option<(Number, usize)> {
    let numbers = &Lexicon::of(text.language).numbers;
    let mut sum = Sum::default();
    let mut kind = NumberKind::Cardinal;
    let mut end = place;
    if numbers.articles.contains(text.lower_at(place)) {
        let next = read_word(text, place + 1, numbers).map(|(_, word)| word);
        if matches!(next, Some(NumberWord::Scale(_) | NumberWord::CountedScale(_) | NumberWord::Fraction(_))) {
            sum.add(1.0);
            end += 1;
        }
    }
    loop {
        let next = after_joiner(text, end, &sum, numbers);
        let Some((length, word)) = read_word(text, next, numbers) else { break };
        let fits = match word {
            NumberWord::Plain(value) => {
                let fits = sum.takes(value, numbers);
                if fits {
                    sum.add(value);
                }
                fits
            }
            NumberWord::Scale(value) => sum.scale(value, true),
            NumberWord::CountedScale(value) => sum.scale(value, false),
            NumberWord::Ordinal(value) => {
                kind = NumberKind::Ordinal;
                let fits = sum.takes(value, numbers);
                if fits {
                    sum.add(value);
                } else if value < 100.0 || !sum.scale(value, false) {
                    kind = NumberKind::Cardinal;
                    break;
                }
                true
            }
            // `two thirds`; `half` alone.
            NumberWord::Fraction(value) if sum.value() < 20.0 && next == end => {
                kind = NumberKind::Fraction;
                sum = Sum { current: sum.value().max(1.0) * value, has_begun: true, ..Sum::default() };
                true
            }
            NumberWord::Fraction(_) => false,
        };
        if !fits {
            break;
        }
        end = next + length;
        // `vigésimo primero` is one number.
        let goes_on = kind == NumberKind::Ordinal
            && matches!(read_word(text, end, numbers), Some((_, NumberWord::Ordinal(value))) if sum.takes(value, numbers));
        if kind != NumberKind::Cardinal && !goes_on {
            break;
        }
    }
    if !sum.has_begun || end == place || (end == place + 1 && numbers.ambiguous.contains(text.lower_at(place))) {
        return None;
    }
    let value = sum.value();
    if kind == NumberKind::Cardinal {
        let (_, share, next) = scale_and_percent(text, end);
        if share != NumberKind::Cardinal {
            (kind, end) = (share, next);
        }
    }
    let range = text.bytes(place..end);
    let number =
        Number { range, value, rounding: 0.0, kind, is_spelled: true, is_approximate: false, limit: None, unit: None };
    value.is_finite().then_some((number, end))
}

/// The token after a word such as `and`, if a number goes on after it; else the same token.
fn after_joiner(text: &TokenizedText<'_>, place: usize, sum: &Sum, numbers: &NumberWords) -> usize {
    if !sum.has_begun || !numbers.joiners.contains(text.lower_at(place)) {
        return place;
    }
    let is_whole = sum.current % 100.0 == 0.0;
    let is_ten = !is_whole && sum.current % 10.0 == 0.0;
    let may_join = match numbers.joins {
        Joins::Hundreds => is_whole,
        Joins::Tens => is_ten,
        Joins::Both => is_whole || is_ten,
    };
    match read_word(text, place + 1, numbers) {
        Some((_, NumberWord::Plain(value) | NumberWord::Ordinal(value))) if may_join && sum.takes(value, numbers) => {
            place + 1
        }
        _ => place,
    }
}

/// The number word at a token: how many tokens it has, and what it says.
fn read_word(text: &TokenizedText<'_>, place: usize, numbers: &NumberWords) -> Option<(usize, NumberWord)> {
    if let Some(found) = numbers.words.longest_at(&text.lower, place) {
        return Some(found);
    }
    let glued = numbers.glued.as_ref()?;
    let word = text.lower.get(place)?;
    if let Some(value) = glued.cardinal(word) {
        return Some((1, NumberWord::Plain(value)));
    }
    glued.ordinal(word).map(|value| (1, NumberWord::Ordinal(value)))
}

/// A longer word is no number.
const LONGEST: usize = 80;

impl GluedNumbers {
    /// The value of a number written as one word, below a million.
    fn cardinal(&self, word: &str) -> Option<f64> {
        if word.len() > LONGEST {
            return None;
        }
        for thousand in &self.thousands {
            if let Some((before, after)) = word.split_once(thousand.as_str()) {
                let before = if before.is_empty() { Some(1.0) } else { self.below_thousand(before) };
                let after = if after.is_empty() { Some(0.0) } else { self.below_thousand(after) };
                if let (Some(before), Some(after)) = (before, after) {
                    return Some(before * 1000.0 + after);
                }
            }
        }
        self.below_thousand(word)
    }

    fn below_thousand(&self, word: &str) -> Option<f64> {
        for hundred in &self.hundreds {
            if let Some((before, after)) = word.split_once(hundred.as_str()) {
                let before = if before.is_empty() { Some(1.0) } else { self.below_hundred(before) };
                let after = if after.is_empty() { Some(0.0) } else { self.below_hundred_linked(after) };
                if let (Some(before), Some(after)) = (before, after) {
                    return Some(before * 100.0 + after);
                }
            }
        }
        self.below_hundred_linked(word)
    }

    /// The same, perhaps with `und` before it: `hundertundeins`.
    fn below_hundred_linked(&self, word: &str) -> Option<f64> {
        let linked = || self.links.iter().find_map(|link| self.below_hundred(word.strip_prefix(link.as_str())?));
        self.below_hundred(word).or_else(linked)
    }

    fn below_hundred(&self, word: &str) -> Option<f64> {
        if let Some(value) = self.small(word) {
            return Some(value);
        }
        let tens_first = self.tens.iter().find_map(|(ten, value)| {
            let unit = self.small(word.strip_prefix(ten.as_str())?).filter(|unit| *unit < 10.0 && *unit > 0.0)?;
            Some(value + unit)
        });
        let units_first = || {
            self.small.iter().filter(|(_, unit)| *unit < 10.0 && *unit > 0.0).find_map(|(unit, value)| {
                let rest = word.strip_prefix(unit.as_str())?;
                let ten = self.links.iter().find_map(|link| self.small(rest.strip_prefix(link.as_str())?))?;
                (ten >= 20.0 && ten % 10.0 == 0.0).then_some(value + ten)
            })
        };
        tens_first.or_else(units_first)
    }

    fn small(&self, word: &str) -> Option<f64> {
        self.small.iter().find(|(known, _)| known == word).map(|(_, value)| *value)
    }

    /// The value of a place in a row, from twenty on: the numbers below have words of their own.
    fn ordinal(&self, word: &str) -> Option<f64> {
        if word.len() > LONGEST {
            return None;
        }
        self.ordinal_endings.iter().find_map(|ending| {
            let stem = word.strip_suffix(ending.as_str())?;
            let restored = || self.restored.iter().find_map(|letter| self.cardinal(&format!("{stem}{letter}")));
            self.cardinal(stem).or_else(restored).filter(|value| *value >= 10.0)
        })
    }
}
