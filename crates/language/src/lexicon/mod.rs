//! The word lists of each language, from `data/<code>.toml`, read once.
//!
//! [`file`] says how a list stands in a file; this module turns it into what is looked up. The comments in
//! `data/en.toml` say what each list is for.

mod build;
mod file;

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

pub(crate) use self::file::List;
use crate::{
    Language, fold_accents,
    phrases::{PhraseMap, Phrases, WordList},
    words::Clitics,
};

/// The files, the likeliest language first: where a text speaks equally for two languages, the first is taken.
const FILES: &[&str] = &[
    include_str!("../../data/en.toml"),
    include_str!("../../data/de.toml"),
    include_str!("../../data/fr.toml"),
    include_str!("../../data/es.toml"),
    include_str!("../../data/it.toml"),
    include_str!("../../data/pt.toml"),
    include_str!("../../data/nl.toml"),
    include_str!("../../data/sv.toml"),
    include_str!("../../data/da.toml"),
    include_str!("../../data/pl.toml"),
    include_str!("../../data/ru.toml"),
    include_str!("../../data/el.toml"),
    include_str!("../../data/zh.toml"),
    include_str!("../../data/ja.toml"),
    include_str!("../../data/ko.toml"),
];

/// Names of months of languages that have no file of their own, by their number.
const OTHER_MONTHS: &str = include_str!("../../data/months.toml");

/// What a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuestionKind {
    /// A person, or people together.
    Person,
    /// A day, a year, a time.
    Time,
    Place,
    Number,
    Reason,
    /// How something is done.
    Manner,
    /// What something is.
    Definition,
    /// Some other thing.
    Thing,
    /// Whether something is so.
    YesNo,
}

/// How a stated number bounds what is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityLimit {
    /// Not fewer.
    AtLeast,
    /// Not more.
    AtMost,
    /// More, and not the number itself.
    MoreThan,
    /// Fewer, and not the number itself.
    LessThan,
}

impl QuantityLimit {
    /// Whether what is meant is not more than the number.
    pub const fn is_upper(self) -> bool {
        matches!(self, Self::AtMost | Self::LessThan)
    }
}

/// How many of some things are meant, where no number is given. In this order each includes those before it, except
/// `Few`, which says that there are not many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "their names say it")]
pub enum Quantifier {
    Few,
    Some,
    Many,
    Most,
    All,
}

impl Quantifier {
    /// Whether what is said of so many is true if it is true of `known` many: of some if of all, but not of all if of
    /// some.
    pub fn follows_from(self, known: Self) -> bool {
        match (self, known) {
            (Self::Few, _) => known <= Self::Some,
            (_, Self::Few) => self <= Self::Some,
            _ => self <= known,
        }
    }
}

/// Which of two small numbers in `03/05/2021` is the month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// The second one.
    DayFirst,
    /// The first one.
    MonthFirst,
}

/// What a word says in a number that is written out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NumberWord {
    /// Is added: `three`, `twenty`, `doscientos`.
    Plain(f64),
    /// Multiplies what stands before it, and may stand alone: `hundred`.
    Scale(f64),
    /// Multiplies what stands before it, and is no number alone: `millions`.
    CountedScale(f64),
    /// Ends a number and makes it a place in a row: `third`.
    Ordinal(f64),
    /// A part of one: `half`.
    Fraction(f64),
}

/// Where a hundred, a ten and a unit may have a word such as `and` between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joins {
    /// After a hundred: `one hundred and five`.
    Hundreds,
    /// Between a ten and a unit: `treinta y uno`.
    Tens,
    /// At both places: `cento e vinte e um`.
    Both,
}

/// Number words, and how a language makes numbers of them.
#[derive(Clone, Debug)]
pub(crate) struct NumberWords {
    pub words: PhraseMap<NumberWord>,
    /// Stand for one before a scale: `a` in `a hundred`.
    pub articles: WordList,
    /// Are other words too, and count only beside another number word: `one`, `second`.
    pub ambiguous: WordList,
    pub joiners: WordList,
    pub joins: Joins,
    /// Tens that numbers from ten to nineteen are added to: `quatre-vingt-dix`.
    pub tens_with_teens: Vec<f64>,
    /// After digits, with a blank or without: `bn`, `Mrd`.
    pub abbreviations: HashMap<String, f64>,
    /// After digits, for a place in a row: `rd`.
    pub ordinal_endings: WordList,
    /// After digits, for a decade: `s`, `er`.
    pub decade_endings: WordList,
    pub percent: Phrases,
    /// A difference between two percentages: `percentage points`.
    pub points: Phrases,
    pub glued: Option<GluedNumbers>,
}

/// How numbers are written as one word: `einundzwanzig`.
#[derive(Clone, Debug)]
pub(crate) struct GluedNumbers {
    /// Numbers below twenty and whole tens, the longest first.
    pub small: Vec<(String, f64)>,
    /// Forms of tens that a unit follows, the longest first; empty where units come first.
    pub tens: Vec<(String, f64)>,
    /// Between unit and ten: `und`.
    pub links: Vec<String>,
    /// `hundert`, in every form.
    pub hundreds: Vec<String>,
    /// `tausend`, in every form.
    pub thousands: Vec<String>,
    /// What makes a place in a row of a number: `ste`. The longest first.
    pub ordinal_endings: Vec<String>,
    /// Letters that an ordinal ending may have taken the place of.
    pub restored: Vec<String>,
}

/// A negation of two words that count as one: `ne … pas`.
#[derive(Clone, Debug)]
pub(crate) struct NegationPair {
    pub first: WordList,
    pub then: WordList,
    /// Whether the pair takes the negation away: `ne … que` is "only".
    pub is_restriction: bool,
}

/// The words that deny.
#[derive(Clone, Debug, Default)]
pub(crate) struct NegationWords {
    pub phrases: Phrases,
    pub implicit: Phrases,
    pub exceptions: Phrases,
    /// Before these the word is part of another construction and denies nothing: `avant que … ne`.
    pub expletive_after: Phrases,
    /// The words that are expletive there.
    pub expletive: WordList,
    pub pairs: Vec<NegationPair>,
    pub prefixes: Vec<String>,
}

/// Words about time.
#[derive(Clone, Debug, Default)]
pub struct TimeWords {
    /// The number of a month, from 1, by its names.
    pub months: HashMap<String, i8>,
    /// Names of months that are other words too: `may`.
    pub ambiguous_months: WordList,
    /// Whether months are written with a capital.
    pub capital_months: bool,
    /// The number of a day of the week, Monday being 1, by its names.
    pub weekdays: HashMap<String, i8>,
    /// The season of a word: 1 is spring, 4 is winter.
    pub seasons: HashMap<String, i8>,
    /// Days from the day of writing: `tomorrow` is 1.
    pub days_from_now: PhraseMap<i8>,
    /// The words of `next`, `last` and `this`: 1, -1 and 0.
    pub steps: HashMap<String, i8>,
    /// `day`, `week`, `month`, `quarter`, `year`, in the order of [`TimeUnit`].
    pub units: HashMap<String, TimeUnit>,
    /// Say that what is counted lies in the past: `ago`.
    pub ago: Phrases,
    /// Words that only a statement of time has, such as `century`.
    pub other: Phrases,
    /// Stand before a year or a month alone: `in`, `since`.
    pub before: WordList,
    /// Stand within a date: `of`.
    pub within: WordList,
    /// Stand between two days: `to`.
    pub until: WordList,
}

/// A unit of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    Day,
    /// Seven days.
    Week,
    Month,
    /// Three months.
    Quarter,
    Year,
}

/// Phrases that say what a sentence does.
#[derive(Clone, Debug, Default)]
pub struct Cues {
    /// Stand before or after a reason: `because`.
    pub reasons: Phrases,
    /// Set a statement against another: `however`.
    pub contrasts: Phrases,
    /// Announce items: `first`, `for example`.
    pub lists: Phrases,
    /// Tell how something is done: `click`.
    pub steps: Phrases,
    /// Stand between a thing and what it is: `is a`.
    pub definitions: Phrases,
    /// Stand before the name of a place: `near`.
    pub before_places: Phrases,
    /// Point back, at the beginning of a sentence, to what was said before: `it`.
    pub points_back: Phrases,
    /// Begin as those do, but point at nothing: `es gibt`.
    pub points_nowhere: Phrases,
    /// Say that something is uncertain: `perhaps`.
    pub hedges: Phrases,
    /// Say that something is intended and has not happened: `planned`.
    pub plans: Phrases,
    /// Say that something is only supposed: `if`.
    pub conditions: Phrases,
    /// Begin what speaks to the reader and states nothing: `please`.
    pub addresses: Phrases,
    /// Stand in the entries of a list of references: `proceedings of`.
    pub publications: Phrases,
}

/// What is known of the words of one language. All lists are in lower case.
#[derive(Clone, Debug)]
pub struct Lexicon {
    pub language: Language,
    /// What an apostrophe ties to its words.
    pub clitics: Clitics,
    /// What a search leaves out before an apostrophe; fewer than the clitics, as names keep theirs.
    pub elided_in_search: Vec<String>,
    /// Letters that few other languages have.
    pub letters: String,
    /// What may stand between the parts of a compound; empty where words are not put together.
    pub compound_links: Vec<String>,
    /// Whether every noun is written with a capital.
    pub has_capital_nouns: bool,
    /// The sign before decimals.
    pub decimal_sign: char,
    /// Whether a plain blank may stand between thousands.
    pub has_blank_thousands: bool,
    /// Whether a full stop after digits makes a place in a row: `3. Mai`.
    pub has_ordinal_dot: bool,
    /// The order of dates such as `03/05/2021`.
    pub date_order: DateOrder,
    /// Whether numeric dates are written in both orders by its writers.
    pub is_date_order_uncertain: bool,
    /// Persons who are not named: `she`, `who`.
    pub pronouns: WordList,
    /// Verbs that report what somebody says, in the forms that texts use: `said`.
    pub reporting_verbs: WordList,
    /// Titles before a person's name: `Dr`.
    pub honorifics: WordList,
    /// Groups of names that mean the same: `USA` and `United States`.
    pub same_names: Vec<Phrases>,
    /// Forms of the auxiliary verbs: `was`, `has`.
    pub auxiliaries: WordList,
    /// Articles and other words that a noun must follow.
    pub determiners: WordList,
    /// Words about time.
    pub time: TimeWords,
    /// Phrases that say what a sentence does.
    pub cues: Cues,
    /// Say that a number is rounded: `about`.
    pub approximations: Phrases,
    /// Bound a number: `at least`.
    pub limits: PhraseMap<QuantityLimit>,
    /// Say how many without a number: `most`.
    pub quantifiers: PhraseMap<Quantifier>,
    /// How a question is put, and what it asks for.
    pub questions: PhraseMap<QuestionKind>,
    /// Questions that name what they count right after: `how many`.
    pub counting_questions: Phrases,
    /// Say no more in a question than its little words: `please`, `name`.
    pub question_fillers: WordList,
    pub(crate) numbers: NumberWords,
    pub(crate) negation: NegationWords,
    little: WordList,
    common: WordList,
}

impl Lexicon {
    /// The lexicon of a language; an empty one, with the punctuation of English, where there is no file for it.
    pub fn of(language: Language) -> &'static Self {
        let known = LEXICONS.iter().find(|lexicon| lexicon.language == language);
        known.unwrap_or_else(|| &NONE)
    }

    /// Whether there is a file for a language.
    pub fn is_known(language: Language) -> bool {
        LEXICONS.iter().any(|lexicon| lexicon.language == language)
    }

    /// Whether a word in lower case holds sentences together and says nothing by itself.
    pub fn is_little(&self, word: &str) -> bool {
        self.little.contains(word)
    }

    /// The little words, in no order.
    pub fn little_words(&self) -> impl Iterator<Item = &str> {
        self.little.iter()
    }

    /// Whether a word is too common to be searched for, by the form that [`searched_form`] gives it.
    pub fn is_common(&self, folded: &str) -> bool {
        self.common.contains(folded)
    }

    /// Whether a word joins others: `and`.
    pub fn joins_words(&self, word: &str) -> bool {
        self.numbers.joiners.contains(word)
    }

    /// Whether a word alone denies: `not`, `kein`. See [`crate::negation`] for what a sentence denies.
    pub fn is_negation(&self, word: &str) -> bool {
        self.negation.phrases.contains(word)
    }
}

/// A word in lower case as a search compares it: without accents and apostrophes.
pub fn searched_form(word: &str) -> String {
    let mut form = fold_accents(word).into_owned();
    form.retain(|c| c != '\'');
    form
}

/// The number of a month, from 1, by a name in lower case in any language.
pub fn month_in_any_language(word: &str) -> Option<i8> {
    MONTHS.get(word).copied()
}

/// The number of a month, from 1, by its name in lower case or by three letters or more that it begins with. Made for
/// fields that hold nothing but a date.
///
/// Short forms and beginnings are those of [`Language::COMPLETE`] alone: `des`, a December, is too often another word.
pub fn month_by_beginning(word: &str) -> Option<i8> {
    let letters = word.chars().count();
    if letters < 3 {
        return None;
    }
    let complete = || Language::COMPLETE.into_iter().map(|language| &Lexicon::of(language).time.months);
    let begun = |months: &HashMap<String, i8>| {
        months.iter().filter(|(name, _)| name.starts_with(word)).map(|(_, number)| *number).min()
    };
    complete()
        .find_map(|months| months.get(word).copied())
        .or_else(|| month_in_any_language(word).filter(|_| letters > 3))
        .or_else(|| complete().find_map(begun))
}

/// The season, 1 being spring and 4 winter, by a name in lower case in any language that has a lexicon.
pub fn season_in_any_language(word: &str) -> Option<i8> {
    LEXICONS.iter().find_map(|lexicon| lexicon.time.seasons.get(word).copied())
}

/// The number of a day of the week, Monday being 1, by a name in lower case in any language that has a lexicon.
pub fn weekday_in_any_language(word: &str) -> Option<i8> {
    LEXICONS.iter().find_map(|lexicon| lexicon.time.weekdays.get(word).copied())
}

/// All lexicons, the likeliest language first.
pub(crate) fn lexicons() -> impl Iterator<Item = &'static Lexicon> {
    LEXICONS.iter()
}

/// Abbreviations and beginnings, which decide where a sentence ends, of all languages together: a text quotes others.
#[derive(Debug, Default)]
pub(crate) struct SentenceWords {
    pub never_end: HashSet<String>,
    pub before_number: HashSet<String>,
    /// The same, only as they are written here.
    pub before_number_exactly: HashSet<String>,
    pub rarely_end: HashSet<String>,
    pub starters: HashSet<String>,
    /// What a number with a full stop may stand before: `3. Mai`, `19. Jahrhundert`.
    pub after_ordinal: HashSet<String>,
}

pub(crate) static SENTENCE_WORDS: LazyLock<SentenceWords> = LazyLock::new(|| {
    let mut words = SentenceWords::default();
    for lists in file::all(FILES).map(|file| file.sentences) {
        words.never_end.extend(lists.never_end.into_words());
        words.before_number.extend(lists.before_number.into_words());
        words.before_number_exactly.extend(lists.before_number_exactly.into_words());
        words.rarely_end.extend(lists.rarely_end.into_words());
        words.starters.extend(lists.starters.into_words());
        words.after_ordinal.extend(lists.after_ordinal.into_words());
    }
    for lexicon in lexicons() {
        // `mar` and `set` are too short to be taken for a month after any number.
        words.after_ordinal.extend(lexicon.time.months.keys().filter(|name| name.chars().count() > 2).cloned());
    }
    words
});

static LEXICONS: LazyLock<Vec<Lexicon>> =
    LazyLock::new(|| file::all(FILES).filter_map(|file| build::lexicon(&file)).collect());

static NONE: LazyLock<Lexicon> = LazyLock::new(|| build::lexicon_for(Language::ENGLISH, &file::File::default()));

static MONTHS: LazyLock<HashMap<String, i8>> = LazyLock::new(|| {
    let mut months: HashMap<String, i8> = HashMap::new();
    for lexicon in lexicons() {
        for (name, number) in &lexicon.time.months {
            months.entry(name.clone()).or_insert(*number);
        }
    }
    for (name, number) in file::months(OTHER_MONTHS) {
        months.entry(name).or_insert(number);
    }
    months
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::lower;

    #[test]
    fn every_file_is_read() {
        for text in FILES {
            file::parse(text).unwrap();
        }
        assert_eq!(LEXICONS.len(), FILES.len());
        assert!(!file::months(OTHER_MONTHS).is_empty());
    }

    #[test]
    fn complete_languages_have_every_list() {
        for language in Language::COMPLETE {
            let lexicon = Lexicon::of(language);
            assert_eq!(lexicon.language, language);
            for number in 1..=12 {
                assert!(lexicon.time.months.values().any(|month| *month == number), "{language}: month {number}");
            }
            for number in 1..=7 {
                assert!(lexicon.time.weekdays.values().any(|day| *day == number), "{language}: weekday {number}");
            }
            for (name, is_empty) in [
                ("little", lexicon.little.is_empty()),
                ("pronouns", lexicon.pronouns.is_empty()),
                ("reporting_verbs", lexicon.reporting_verbs.is_empty()),
                ("honorifics", lexicon.honorifics.is_empty()),
                ("auxiliaries", lexicon.auxiliaries.is_empty()),
                ("determiners", lexicon.determiners.is_empty()),
                ("reasons", lexicon.cues.reasons.is_empty()),
                ("contrasts", lexicon.cues.contrasts.is_empty()),
                ("lists", lexicon.cues.lists.is_empty()),
                ("addresses", lexicon.cues.addresses.is_empty()),
                ("publications", lexicon.cues.publications.is_empty()),
                ("fillers", lexicon.question_fillers.is_empty()),
                ("steps", lexicon.cues.steps.is_empty()),
                ("definitions", lexicon.cues.definitions.is_empty()),
                ("before_places", lexicon.cues.before_places.is_empty()),
                ("points_back", lexicon.cues.points_back.is_empty()),
                ("hedges", lexicon.cues.hedges.is_empty()),
                ("plans", lexicon.cues.plans.is_empty()),
                ("conditions", lexicon.cues.conditions.is_empty()),
                ("about", lexicon.approximations.is_empty()),
                ("limits", lexicon.limits.is_empty()),
                ("questions", lexicon.questions.is_empty()),
                ("counting", lexicon.counting_questions.is_empty()),
                ("number words", lexicon.numbers.words.is_empty()),
                ("percent", lexicon.numbers.percent.is_empty()),
                ("negations", lexicon.negation.phrases.is_empty()),
                ("implicit negations", lexicon.negation.implicit.is_empty()),
                ("exceptions", lexicon.negation.exceptions.is_empty()),
                ("prefixes", lexicon.negation.prefixes.is_empty()),
                ("days_from_now", lexicon.time.days_from_now.is_empty()),
                ("units", lexicon.time.units.is_empty()),
                ("seasons", lexicon.time.seasons.is_empty()),
                ("before", lexicon.time.before.is_empty()),
            ] {
                assert!(!is_empty, "{language}: {name} is empty");
            }
        }
    }

    #[test]
    fn little_words_are_in_the_form_in_which_texts_are_compared() {
        for lexicon in lexicons() {
            for word in lexicon.little_words() {
                assert_eq!(word, lower(word), "{}: {word}", lexicon.language);
            }
        }
    }

    #[test]
    fn common_words_are_in_the_form_in_which_a_search_compares_them() {
        for language in Language::COMPLETE {
            let mut words = Lexicon::of(language).common.iter();
            assert!(words.all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())), "{language}");
        }
    }

    #[test]
    fn common_words_are_those_of_the_language() {
        for (language, common, other) in [
            (Language::ENGLISH, &["the", "whom", "cant", "yes"][..], &["die", "can't", "theory", "below"][..]),
            (Language::GERMAN, &["die", "fur", "warum"], &["the", "für"]),
            (Language::FRENCH, &["pourquoi", "etre"], &["être", "the"]),
        ] {
            let lexicon = Lexicon::of(language);
            assert!(common.iter().all(|word| lexicon.is_common(word)), "{language}");
            assert!(!other.iter().any(|word| lexicon.is_common(word)), "{language}");
        }
    }

    #[test]
    fn a_month_is_known_by_its_beginning() {
        for (word, expected) in [
            ("january", Some(1)),
            ("sept", Some(9)),
            ("octo", Some(10)),
            ("märz", Some(3)),
            ("jui", Some(6)),
            ("juil", Some(7)),
            ("mar", Some(3)),
            ("grudnia", Some(12)),
            ("ja", None),
            ("des", None),
            ("press", None),
            ("", None),
        ] {
            assert_eq!(month_by_beginning(word), expected, "{word}");
        }
        assert_eq!(season_in_any_language("herbst"), Some(3));
        assert_eq!(season_in_any_language("fall"), Some(3));
        assert_eq!(season_in_any_language("mai"), None);
    }

    #[test]
    fn a_language_without_a_file_has_an_empty_lexicon() {
        let finnish = Language::from_code("fi").unwrap();
        assert!(!Lexicon::is_known(finnish) && !Lexicon::of(finnish).is_little("the"));
    }
}
