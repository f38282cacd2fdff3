//! The words that the rules know, from the lists under `data/extract/`, read once.

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;

/// Properties of a word as a bit set, taken from the word lists.
pub type Traits = u64;

macro_rules! traits {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        $($(#[$doc])* pub const $name: Traits = 1 << $bit;)*
    };
}

traits! {
    /// A given name.
    GIVEN = 0;
    /// A common word of the language, which a capital alone makes no name.
    COMMON = 1;
    /// Stands before a person's name: `Dr`.
    TITLE = 2;
    /// Stands after a person's name: `Jr`.
    POSTNOMINAL = 3;
    /// Stands within a person's name: `van`.
    PARTICLE = 4;
    /// What somebody is there for: `manager`.
    ROLE_HEAD = 5;
    /// Stands before such a word: `senior`.
    ROLE_WORD = 6;
    /// What a role may be the head of.
    ROLE_FIELD = 7;
    /// Ends the name of a company: `GmbH`.
    LEGAL_FORM = 8;
    /// Ends the name of an organisation: `Council`.
    ORG_END = 9;
    /// Begins the name of an organisation: `University`.
    ORG_START = 10;
    /// Names an organisation of the text by itself: `the Board`.
    ORG_ALONE = 11;
    /// Ends the name of a place: `Street`.
    PLACE_END = 12;
    /// Begins the name of a place: `Mount`.
    PLACE_START = 13;
    /// Makes the name beside it a project's.
    PROJECT_WORD = 14;
    /// Makes the name before it a thing's.
    OBJECT_WORD = 15;
    /// A day of the week.
    WEEKDAY = 16;
    /// A month.
    MONTH = 17;
    /// Has a capital and is no name: `French`.
    NO_NAME = 18;
    /// Labels what follows: `Note`.
    LABEL = 19;
    /// What a person does.
    PERSON_VERB = 20;
    /// What an organisation does.
    ORG_VERB = 21;
    /// Stands before an organisation more than before another.
    BEFORE_ORG = 22;
    /// Part of a phrase that the gazetteers know.
    IN_PHRASE = 23;
    /// A word of grammar, which no name begins with.
    GRAMMAR = 24;
    /// A preposition, after which a name is no subject.
    PREPOSITION = 25;
    /// An article or another word that a noun must follow.
    DETERMINER = 26;
    /// Says that it is only thought: `if`, `would`.
    HYPOTHETICAL = 27;
    /// Says that it is not so.
    NEGATION = 28;
    /// A form of `be`, `have` or `do`, or a modal verb.
    AUXILIARY = 29;
    /// Somebody who is not named: `he`, `we`.
    PRONOUN = 30;
    /// A family name.
    FAMILY = 31;
    /// People who decide and promise together, or one without a name: `committee`.
    GROUP = 32;
}

/// The number of a word; 0 is any word that no list has.
pub type WordId = u32;

/// Type of the thing that a gazetteer phrase names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GazetteerType {
    Place,
    Org,
    /// Product or other named thing.
    Object,
}

/// Words and phrases from all lists under `data/extract/`.
pub struct Lexicon {
    ids: HashMap<String, WordId>,
    traits: Vec<Traits>,
    months: HashMap<WordId, i8>,
    weekdays: HashMap<WordId, i8>,
    /// By the first word: the words that follow it, and what they name together; the longest first.
    phrases: HashMap<WordId, Vec<(Vec<WordId>, GazetteerType)>>,
}

/// Lexicon shared by all texts, loaded on first use.
pub static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::read);

#[derive(Deserialize)]
struct LexiconWords(HashMap<String, String>);

/// The lists of `words.toml` and `grammar.toml` and what their words are.
const LISTS: &[(&str, Traits)] = &[
    ("titles", TITLE),
    ("postnominals", POSTNOMINAL),
    ("particles", PARTICLE),
    ("role_heads", ROLE_HEAD),
    ("role_words", ROLE_WORD),
    ("role_fields", ROLE_FIELD),
    ("legal_forms", LEGAL_FORM),
    ("org_ends", ORG_END),
    ("org_starts", ORG_START),
    ("org_alone", ORG_ALONE),
    ("place_ends", PLACE_END),
    ("place_starts", PLACE_START),
    ("project_words", PROJECT_WORD),
    ("object_words", OBJECT_WORD),
    ("weekdays", WEEKDAY),
    ("no_names", NO_NAME),
    ("labels", LABEL),
    ("person_verbs", PERSON_VERB),
    ("org_verbs", ORG_VERB),
    ("before_org", BEFORE_ORG),
    ("grammar", GRAMMAR),
    ("prepositions", PREPOSITION),
    ("determiners", DETERMINER),
    ("hypothetical", HYPOTHETICAL),
    ("negation", NEGATION),
    ("auxiliaries", AUXILIARY),
    ("pronouns", PRONOUN),
    ("groups", GROUP),
];

/// Days of the week in the order of the calendar, in every language of the rules.
const WEEK: &[&str] = &[
    "monday mon montag lundi lunes",
    "tuesday tue tues dienstag mardi martes",
    "wednesday wed mittwoch mercredi miércoles",
    "thursday thu thur thurs donnerstag jeudi jueves",
    "friday fri freitag vendredi viernes",
    "saturday sat samstag sonnabend samedi sábado",
    "sunday sun sonntag dimanche domingo",
];

/// Months in the order of the calendar, in every language of the rules.
const YEAR: &[&str] = &[
    "january jan januar jänner janvier enero",
    "february feb februar février fevrier febrero",
    "march mar märz maerz mars marzo",
    "april apr avril abril",
    "may mai mayo",
    "june jun juni juin junio",
    "july jul juli juillet julio",
    "august aug août aout agosto",
    "september sept sep septembre septiembre",
    "october oct oktober okt octobre octubre",
    "november nov novembre noviembre",
    "december dec dezember dez décembre diciembre",
];

impl Lexicon {
    fn read() -> Self {
        let mut lexicon = Self {
            ids: HashMap::new(),
            traits: vec![0],
            months: HashMap::new(),
            weekdays: HashMap::new(),
            phrases: HashMap::new(),
        };
        let words = |text| toml::from_str::<LexiconWords>(text).map_or_else(|_| HashMap::new(), |words| words.0);
        for lists in [
            words(include_str!("../../data/extract/words.toml")),
            words(include_str!("../../data/extract/grammar.toml")),
        ] {
            for (name, bit) in LISTS {
                for word in lists.get(*name).into_iter().flat_map(|list| list.split_whitespace()) {
                    lexicon.add(word, *bit);
                }
            }
        }
        for (text, bits) in [
            (include_str!("../../data/extract/given_names.txt"), GIVEN),
            (include_str!("../../data/extract/given_names_common.txt"), GIVEN | COMMON),
            (include_str!("../../data/extract/family_names.txt"), FAMILY),
            (include_str!("../../data/extract/common.txt"), COMMON),
        ] {
            for word in list_entries(text).flat_map(str::split_whitespace) {
                lexicon.add(&word.to_lowercase(), bits);
            }
        }
        for word in super::frames::frame_words().filter(|word| !word.contains(['{', '*'])) {
            lexicon.add(&word, 0);
        }
        for (names, place) in YEAR.iter().zip(1..) {
            for name in names.split(' ') {
                let id = lexicon.add(name, MONTH);
                lexicon.months.insert(id, place);
            }
        }
        for (names, place) in WEEK.iter().zip(1..) {
            for name in names.split(' ') {
                let id = lexicon.add(name, WEEKDAY);
                lexicon.weekdays.insert(id, place);
            }
        }
        for (text, known) in [
            (include_str!("../../data/extract/places.txt"), GazetteerType::Place),
            (include_str!("../../data/extract/organizations.txt"), GazetteerType::Org),
            (include_str!("../../data/extract/objects.txt"), GazetteerType::Object),
        ] {
            for phrase in list_entries(text).flat_map(|line| line.split(',')) {
                lexicon.add_phrase(phrase, known);
            }
        }
        for phrases in lexicon.phrases.values_mut() {
            phrases.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
        lexicon
    }

    fn add(&mut self, word: &str, bits: Traits) -> WordId {
        let next = self.traits.len() as WordId;
        let id = *self.ids.entry(word.to_owned()).or_insert(next);
        if id == next {
            self.traits.push(0);
        }
        if let Some(traits) = self.traits.get_mut(id as usize) {
            *traits |= bits;
        }
        id
    }

    fn add_phrase(&mut self, phrase: &str, known: GazetteerType) {
        let mut words = phrase
            .split_whitespace()
            .map(|word| word.trim_end_matches('.').to_lowercase())
            .map(|word| self.add(&word, IN_PHRASE))
            .collect::<Vec<_>>()
            .into_iter();
        if let Some(first) = words.next() {
            let rest: Vec<WordId> = words.collect();
            let phrases = self.phrases.entry(first).or_default();
            if !phrases.iter().any(|(known, _)| *known == rest) {
                phrases.push((rest, known));
            }
        }
    }

    /// The number of a word in lower case.
    pub fn word_id(&self, lower: &str) -> WordId {
        self.ids.get(lower).copied().unwrap_or(0)
    }

    /// Returns the properties of a word; 0 for an unknown word.
    pub fn traits(&self, id: WordId) -> Traits {
        self.traits.get(id as usize).copied().unwrap_or(0)
    }

    /// Returns the properties of a compound word by its parts: `Retrieval-Augmented`.
    pub fn traits_of_parts(&self, lower: &str) -> Traits {
        let mut parts = lower.split('-').map(|part| self.traits(self.word_id(part)));
        let Some(first) = parts.next() else { return 0 };
        let (mut all, mut any) = (first, first);
        for part in parts {
            all &= part;
            any |= part;
        }
        (all & (COMMON | FAMILY)) | (any & NO_NAME) | (first & GIVEN)
    }

    /// Returns the month that a word names, from 1.
    pub fn month_number(&self, id: WordId) -> Option<i8> {
        self.months.get(&id).copied()
    }

    /// Returns the weekday that a word names; Monday is 1.
    pub fn weekday_number(&self, id: WordId) -> Option<i8> {
        self.weekdays.get(&id).copied()
    }

    /// The phrases that begin with a word: what follows, and what they name.
    pub fn phrases_starting_with(&self, first: WordId) -> &[(Vec<WordId>, GazetteerType)] {
        self.phrases.get(&first).map_or(&[], Vec::as_slice)
    }
}

/// The lines of a list that are no remarks.
fn list_entries(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_there_and_has_words() {
        for (name, bit) in LISTS {
            assert!(LEXICON.traits.iter().any(|traits| traits & bit != 0), "{name}");
        }
        assert_ne!(LEXICON.traits(LEXICON.word_id("alice")) & GIVEN, 0);
        assert_eq!(LEXICON.month_number(LEXICON.word_id("märz")), Some(3));
        assert_eq!(LEXICON.weekday_number(LEXICON.word_id("freitag")), Some(5));
        assert!(
            LEXICON
                .phrases_starting_with(LEXICON.word_id("new"))
                .iter()
                .any(|(_, known)| *known == GazetteerType::Place)
        );
    }
}
