//! Units of measure, so that `27 metres` is not taken for `27 feet` and `90 minutes` is an hour and a half.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{
    phrases::PhraseMap,
    words::{Clitics, lower, tokens_with},
};

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their names say it")]
pub enum Measure {
    Length,
    Area,
    Volume,
    Mass,
    Time,
    Temperature,
    Speed,
    Energy,
    Power,
    Data,
    Frequency,
    Money,
}

/// A unit of measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// What it measures.
    pub measure: Measure,
    /// Place in the list of units: two words for one unit have the same.
    number: usize,
    factor: f64,
    offset: f64,
}

impl Unit {
    /// Whether numbers with these units can be compared: both measure the same, and money is of one currency.
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.measure == other.measure && (self.measure != Measure::Money || self.number == other.number)
    }

    /// Whether both are the same unit, by whatever word.
    pub fn is_same(&self, other: &Self) -> bool {
        self.number == other.number
    }

    /// A value in the unit that all values of this measure are compared in.
    pub fn to_common(&self, value: f64) -> f64 {
        value * self.factor + self.offset
    }

    /// The same for a difference between two values.
    pub fn difference_to_common(&self, difference: f64) -> f64 {
        difference * self.factor
    }
}

/// Whether a word in lower case is a unit of measure.
pub fn is_unit(word: &str) -> bool {
    unit_of_word(word).is_some()
}

/// The unit that begins at a token, and how many tokens it has.
pub fn unit_at(words: &[impl AsRef<str>], place: usize) -> Option<(usize, Unit)> {
    UNITS.longest_at(words, place)
}

/// The unit of one word or sign.
pub(crate) fn unit_of_word(word: &str) -> Option<Unit> {
    UNITS.get(word)
}

#[derive(Deserialize)]
struct UnitFile {
    unit: Vec<UnitEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnitEntry {
    measure: Measure,
    #[serde(default = "one")]
    factor: f64,
    #[serde(default)]
    offset: f64,
    words: crate::lexicon::List,
}

const fn one() -> f64 {
    1.0
}

const FILE: &str = include_str!("../data/units.toml");

static UNITS: LazyLock<PhraseMap<Unit>> = LazyLock::new(|| {
    let mut units = PhraseMap::default();
    let entries = toml::from_str::<UnitFile>(FILE).map_or_else(|_| Vec::new(), |file| file.unit);
    for (number, entry) in entries.into_iter().enumerate() {
        let unit = Unit { measure: entry.measure, number, factor: entry.factor, offset: entry.offset };
        for phrase in entry.words.phrases() {
            let tokens = tokens_with(phrase, &Clitics::default());
            units.insert(tokens.iter().map(|token| lower(token.of(phrase))).collect(), unit);
        }
    }
    units
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read() {
        toml::from_str::<UnitFile>(FILE).unwrap();
        let metre = unit_of_word("metres").unwrap();
        assert!(metre.is_same(&unit_of_word("mètres").unwrap()) && !metre.is_same(&unit_of_word("km").unwrap()));
        assert!(
            metre.is_comparable(&unit_of_word("feet").unwrap()) && !metre.is_comparable(&unit_of_word("kg").unwrap())
        );
        assert!(!unit_of_word("$").unwrap().is_comparable(&unit_of_word("euros").unwrap()));
        assert!((unit_at(&["°", "c"], 0).unwrap().1.to_common(100.0) - 373.15).abs() < 1e-9);
    }
}
