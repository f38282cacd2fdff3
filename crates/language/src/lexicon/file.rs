//! How word lists stand in a file.
//!
//! A list of words is a string with blanks between them; a list of phrases is an array of strings. A table of values has
//! the value as its key: `3 = "march mar"`.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

/// A list of words or phrases.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum List {
    Words(String),
    Phrases(Vec<String>),
}

impl Default for List {
    fn default() -> Self {
        Self::Phrases(Vec::new())
    }
}

impl List {
    pub fn phrases(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Self::Words(words) => Box::new(words.split_whitespace()),
            Self::Phrases(phrases) => Box::new(phrases.iter().map(String::as_str)),
        }
    }

    pub fn words(&self) -> impl Iterator<Item = String> + '_ {
        self.phrases().map(str::to_owned)
    }

    pub fn into_words(self) -> Vec<String> {
        self.words().collect()
    }
}

/// Lists by the value that their words stand for.
pub(super) type Table = BTreeMap<String, List>;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct File {
    pub code: String,
    pub name: String,
    pub little: List,
    pub also_common: List,
    pub searched: List,
    pub pronouns: List,
    pub determiners: List,
    pub auxiliaries: List,
    pub reporting_verbs: List,
    pub honorifics: List,
    pub same_names: Vec<List>,
    pub months: Table,
    pub weekdays: Table,
    pub writing: Writing,
    pub negation: NegationSection,
    pub numbers: Numbers,
    pub quantities: Quantities,
    pub time: Time,
    pub questions: Questions,
    pub cues: CueLists,
    pub sentences: Sentences,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Writing {
    pub letters: String,
    pub elided: List,
    pub elided_in_search: List,
    pub clipped: List,
    pub whole: List,
    pub compound_links: List,
    pub capital_nouns: bool,
    pub decimal: String,
    pub blank_thousands: bool,
    pub ordinal_dot: bool,
    pub month_first: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct NegationSection {
    pub words: List,
    pub pairs: Vec<PairEntry>,
    pub implicit: List,
    pub exceptions: List,
    pub expletive: List,
    pub expletive_after: List,
    pub prefixes: List,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PairEntry {
    pub first: List,
    pub then: List,
    pub restriction: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Numbers {
    pub words: Table,
    pub scales: Table,
    pub counted_scales: Table,
    pub ordinals: Table,
    pub fractions: Table,
    pub abbreviations: Table,
    pub articles: List,
    pub ambiguous: List,
    pub joiners: List,
    pub joins_hundreds: bool,
    pub joins_tens: bool,
    pub tens_with_teens: Vec<f64>,
    pub ordinal_endings: List,
    pub decade_endings: List,
    pub percent: List,
    pub points: List,
    pub glued: Option<Glued>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Glued {
    pub links: List,
    pub tens: Table,
    pub hundreds: List,
    pub thousands: List,
    pub ordinal_endings: List,
    pub restored: List,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Quantities {
    pub about: List,
    pub at_least: List,
    pub at_most: List,
    pub more_than: List,
    pub less_than: List,
    pub few: List,
    pub some: List,
    pub many: List,
    pub most: List,
    pub all: List,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Time {
    pub ambiguous_months: List,
    pub capital_months: bool,
    pub seasons: Table,
    pub days_from_now: Table,
    pub next: List,
    pub last: List,
    pub this: List,
    pub day: List,
    pub week: List,
    pub month: List,
    pub quarter: List,
    pub year: List,
    pub ago: List,
    pub other: List,
    pub before: List,
    pub within: List,
    pub until: List,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Questions {
    pub person: List,
    pub time: List,
    pub place: List,
    pub number: List,
    pub reason: List,
    pub manner: List,
    pub definition: List,
    pub thing: List,
    pub yes_no: List,
    pub counting: List,
    pub fillers: List,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CueLists {
    pub reasons: List,
    pub contrasts: List,
    pub lists: List,
    pub steps: List,
    pub definitions: List,
    pub before_places: List,
    pub points_back: List,
    pub points_nowhere: List,
    pub hedges: List,
    pub plans: List,
    pub conditions: List,
    pub addresses: List,
    pub publications: List,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Sentences {
    pub never_end: List,
    pub before_number: List,
    pub before_number_exactly: List,
    pub rarely_end: List,
    pub starters: List,
    pub after_ordinal: List,
}

/// Reads a file.
pub(super) fn parse(text: &str) -> Result<File, toml::de::Error> {
    toml::from_str(text)
}

/// All files that can be read; a test reads each.
pub(super) fn all(files: &'static [&'static str]) -> impl Iterator<Item = File> {
    files.iter().filter_map(|text| parse(text).ok())
}

/// The words of a table with their numbers.
pub(super) fn numbered(table: &Table) -> HashMap<String, i8> {
    let entries = table.iter().filter_map(|(number, list)| Some((number.parse().ok()?, list)));
    entries.flat_map(|(number, list)| list.words().map(move |word| (word, number))).collect()
}

/// The words of a table with their values.
pub(super) fn valued(table: &Table) -> HashMap<String, f64> {
    let entries = table.iter().filter_map(|(value, list)| Some((value.parse().ok()?, list)));
    entries.flat_map(|(value, list)| list.words().map(move |word| (word, value))).collect()
}

/// The months of a file that has nothing else.
pub(super) fn months(text: &str) -> Vec<(String, i8)> {
    let table: Table = toml::from_str(text).unwrap_or_default();
    numbered(&table).into_iter().collect()
}
