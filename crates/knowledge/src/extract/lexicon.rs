//! The words that the rules know, read once: names and offices of all languages from `data/extract/`, and for each
//! language what its words do in a sentence, from [`ibid_language`] and `data/extract/languages/<code>.toml`.

use std::{collections::HashMap, sync::LazyLock};

use ibid_language::{Language, Lexicon as LanguageLexicon};
use serde::Deserialize;

use super::traits::*;

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
pub struct WordLists {
    ids: HashMap<String, WordId>,
    /// What a word is in every language, by its number.
    traits: Vec<Traits>,
    languages: Vec<LanguageWords>,
    /// By the first word: the words that follow it, and what they name together; the longest first.
    phrases: HashMap<WordId, Vec<(Vec<WordId>, GazetteerType)>>,
    affixes: NameAffixes,
}

/// What the words of one language do in a sentence.
pub struct LanguageWords {
    /// The language crate's word lists.
    pub lexicon: &'static LanguageLexicon,
    /// Whether the verb is the second element of a sentence, so that its subject may follow it (`gestern beschloss Anna`)
    /// and what denies it stands behind it (`beschloss nicht`).
    pub is_verb_second: bool,
    /// Whether adjectives follow their noun: `la semaine prochaine`.
    pub has_adjectives_behind: bool,
    /// Whether a year may stand without a word before it: `wurde 2022 erhöht`.
    pub has_bare_years: bool,
    /// Whether an apostrophe ties little words to other words, and not only to names: `l'équipe`.
    pub has_elisions: bool,
    /// Whether a blank stands before a colon: `Objet : Pompe`.
    pub has_spaced_colon: bool,
    /// What a word is in this language, by its number; longer lists know no more words.
    traits: Vec<Traits>,
    adverb_endings: Vec<String>,
    role_endings: Vec<String>,
    named_after_endings: Vec<String>,
    noun_endings: Vec<String>,
    adjective_endings: Vec<String>,
}

/// Beginnings of names and words, in every language.
#[derive(Default)]
struct NameAffixes {
    /// Begin a name that has a second capital: `Mc`, `La`.
    prefixes: Vec<String>,
    /// Those that no product's name begins with: `Mc`.
    surname_prefixes: Vec<String>,
    /// Begin a name in lower case, with a hyphen or an apostrophe: `al-`.
    articles: Vec<String>,
}

/// Word lists shared by all texts, loaded on first use.
pub static LEXICON: LazyLock<WordLists> = LazyLock::new(WordLists::read);

/// The lists of a file: words between blanks, by the name of the list.
#[derive(Deserialize)]
struct ListFile(HashMap<String, String>);

/// The lists of `words.toml`, of `mail.toml` and of the files of languages, and what their words are.
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
    ("no_names", NO_NAME),
    ("labels", LABEL),
    ("person_verbs", PERSON_VERB),
    ("org_verbs", ORG_VERB),
    ("before_org", BEFORE_ORG),
    ("grammar", GRAMMAR),
    ("prepositions", PREPOSITION),
    ("determiners", DETERMINER),
    ("things", PRONOUN),
    ("groups", GROUP),
    ("and", AND | CONJUNCTION),
    ("conjunctions", CONJUNCTION),
    ("by", BY),
    ("from", FROM),
    ("with", WITH),
    ("of", OF),
    ("at", AT),
    ("before_employer", BEFORE_EMPLOYER),
    ("after_person", AFTER_PERSON),
    ("copulas", COPULA),
    ("joins", JOINS),
    ("as", AS),
    ("works", WORKS),
    ("before_role", BEFORE_ROLE),
    ("introduces_role", INTRODUCES_ROLE),
    ("the", THE),
    ("place_nouns", PLACE_NOUN),
    ("org_nouns", ORG_NOUN),
    ("person_labels", PERSON_LABEL),
    ("greetings", GREETING),
    ("before_place", BEFORE_PLACE),
    ("before_company", BEFORE_COMPANY),
    ("who", WHO | PRONOUN),
    ("mends", MENDS),
    ("asserts", ASSERTS),
    ("passives", PASSIVE),
    ("infinitive", INFINITIVE),
    ("adverbs", ADVERB),
    ("object_pronouns", ADVERB),
    ("perfects", PERFECT),
    ("present_be", PRESENT_BE),
    ("bare_be", BARE_BE),
    ("modals", MODAL),
    ("relatives", RELATIVE | PRONOUN),
    ("after_participle", AFTER_PARTICIPLE),
    ("waits", WAITS),
    ("clauses", CLAUSE),
    ("no", NO),
    ("speakers", SPEAKER | PRONOUN),
    ("several", SEVERAL | PRONOUN),
    ("somebody", SOMEBODY | PRONOUN),
    ("addressees", ADDRESSEE | PRONOUN),
    ("that", THAT),
    ("no_statement", NO_STATEMENT),
    ("headers", HEADER),
    ("header_people", HEADER | HEADER_PEOPLE),
    ("header_dates", HEADER | HEADER_DATE),
    ("header_senders", HEADER | HEADER_PEOPLE | HEADER_SENDER),
    ("day_time", DAY_TIME),
    ("closings", CLOSING),
    ("family_too", FAMILY_TOO),
    ("dotted", DOTTED),
    ("prose_particles", PROSE_PARTICLE),
    ("small_forms", SMALL_FORM),
    ("project_starts", PROJECT_START),
    ("in_time", IN_TIME),
    ("one", ONE),
    ("end", END),
    ("end_of_day", END_OF_DAY),
    ("end_of_week", END_OF_WEEK),
    ("end_of_month", END_OF_MONTH),
    ("by_when", BY_WHEN),
    ("future", FUTURE),
    ("repeats", REPEATS),
    ("ordinals", ORDINAL),
    ("without", WITHOUT),
    ("quotes", QUOTES),
    ("speech", SPEECH),
    ("weak_org_ends", WEAK_ORG_END),
    ("thing_ends", THING_END),
    ("former", FORMER),
    ("possessives", POSSESSIVE),
    ("periodicals", PERIODICAL),
    ("rules_places", RULES_PLACE),
    ("field_ends", FIELD_END),
    ("before_fields", BEFORE_FIELD),
    ("name_and", NAME_AND),
    ("named_after", NAMED_AFTER),
    ("common", COMMON),
    ("possible", POSSIBLE),
];

/// What the languages with rules know besides the language crate, English first.
const LANGUAGES: [(Language, &str); 7] = [
    (Language::ENGLISH, include_str!("../../data/extract/languages/en.toml")),
    (Language::GERMAN, include_str!("../../data/extract/languages/de.toml")),
    (Language::FRENCH, include_str!("../../data/extract/languages/fr.toml")),
    (Language::SPANISH, include_str!("../../data/extract/languages/es.toml")),
    (Language::ITALIAN, include_str!("../../data/extract/languages/it.toml")),
    (Language::DUTCH, include_str!("../../data/extract/languages/nl.toml")),
    (Language::PORTUGUESE, include_str!("../../data/extract/languages/pt.toml")),
];

fn lists_of(text: &str) -> HashMap<String, String> {
    toml::from_str::<ListFile>(text).map_or_else(|_| HashMap::new(), |file| file.0)
}

fn parts_of(lists: &HashMap<String, String>, name: &str) -> Vec<String> {
    lists.get(name).into_iter().flat_map(|list| list.split_whitespace()).map(str::to_owned).collect()
}

impl WordLists {
    fn read() -> Self {
        let mut lexicon = Self {
            ids: HashMap::new(),
            traits: vec![0],
            languages: Vec::new(),
            phrases: HashMap::new(),
            affixes: NameAffixes::default(),
        };
        let words = lists_of(include_str!("../../data/extract/words.toml"));
        lexicon.affixes = NameAffixes {
            prefixes: parts_of(&words, "name_prefixes"),
            surname_prefixes: parts_of(&words, "surname_prefixes"),
            articles: parts_of(&words, "name_articles"),
        };
        for lists in [words, lists_of(include_str!("../../data/extract/mail.toml"))] {
            for (name, bits) in LISTS {
                for word in lists.get(*name).into_iter().flat_map(|list| list.split_whitespace()) {
                    lexicon.add(word, *bits);
                }
            }
        }
        for (text, bits) in [
            (include_str!("../../data/extract/given_names.txt"), GIVEN),
            (include_str!("../../data/extract/given_names_common.txt"), GIVEN | COMMON),
            (include_str!("../../data/extract/family_names.txt"), FAMILY),
            (include_str!("../../data/extract/common.txt"), COMMON),
            (include_str!("../../data/extract/frequent_words.txt"), COMMON),
        ] {
            for word in list_entries(text).flat_map(str::split_whitespace) {
                lexicon.add(&word.to_lowercase(), bits);
            }
        }
        for word in super::frames::frame_words().filter(|word| !word.contains(['{', '*'])) {
            lexicon.add(&word, 0);
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
        for (language, text) in LANGUAGES {
            lexicon.add_language(language, &lists_of(text));
        }
        lexicon
    }

    /// Adds what the words of one language are, from its file and from the language crate.
    fn add_language(&mut self, language: Language, lists: &HashMap<String, String>) {
        let known = LanguageLexicon::of(language);
        let mut bits_of: HashMap<WordId, Traits> = HashMap::new();
        let mut note = |lexicon: &mut Self, word: &str, bits: Traits| {
            *bits_of.entry(lexicon.add(word, 0)).or_default() |= bits;
        };
        for (name, bits) in LISTS {
            for word in lists.get(*name).into_iter().flat_map(|list| list.split_whitespace()) {
                note(self, word, *bits);
            }
        }
        for word in known.little_words() {
            note(self, word, GRAMMAR | if known.is_negation(word) { NEGATION } else { 0 });
        }
        // English titles stand in texts of every language.
        for word in LanguageLexicon::of(Language::ENGLISH).little_words() {
            note(self, word, GRAMMAR);
        }
        for word in known.determiners.iter() {
            note(self, word, GRAMMAR | DETERMINER);
        }
        // Pronouns that are no subject stand between the subject and its verb: `ci ha inviato`.
        let mut objects = parts_of(lists, "object_pronouns");
        objects.extend(parts_of(lists, "other_pronouns"));
        for word in known.pronouns.iter() {
            let is_subject = !known.determiners.contains(word) && objects.iter().all(|object| object != word);
            note(self, word, GRAMMAR | if is_subject { PRONOUN } else { 0 });
        }
        for word in known.auxiliaries.iter() {
            note(self, word, GRAMMAR | AUXILIARY);
        }
        for word in known.reporting_verbs.iter() {
            note(self, word, REPORTS | PERSON_VERB);
        }
        for word in known.honorifics.iter() {
            note(self, word, TITLE);
        }
        for word in known.time.months.keys() {
            note(self, word, MONTH);
        }
        for word in known.time.weekdays.keys() {
            note(self, word, WEEKDAY | TIME_WORD);
        }
        for word in known.time.units.keys().map(String::as_str).chain(known.time.days_from_now.first_words()) {
            note(self, word, TIME_WORD);
        }
        // `she'll`, `don't`: what is tied to a pronoun or an auxiliary verb leaves it what it is.
        let tied = PRONOUN | SPEAKER | SEVERAL | SOMEBODY | ADDRESSEE | AUXILIARY;
        let heads: Vec<(String, Traits)> = self
            .ids
            .iter()
            .filter_map(|(word, id)| Some((word.clone(), bits_of.get(id)? & tied)))
            .filter(|(word, bits)| *bits != 0 && !word.contains('\''))
            .collect();
        for (word, bits) in heads {
            for ending in &known.clitics.after {
                let negation = if known.is_negation(ending) { NEGATION } else { 0 };
                let id = self.add(&format!("{word}{ending}"), 0);
                *bits_of.entry(id).or_default() |= bits | GRAMMAR | negation;
            }
        }
        for word in known.clitics.whole.iter().filter(|word| known.is_negation(word)) {
            let id = self.add(word, 0);
            *bits_of.entry(id).or_default() |= GRAMMAR | AUXILIARY | NEGATION;
        }
        let mut traits = self.traits.clone();
        for (id, bits) in bits_of {
            if let Some(traits) = traits.get_mut(id as usize) {
                *traits |= bits;
            }
        }
        self.languages.push(LanguageWords {
            lexicon: known,
            is_verb_second: lists.contains_key("verb_second"),
            has_adjectives_behind: lists.contains_key("adjectives_follow"),
            has_bare_years: lists.contains_key("bare_years"),
            has_elisions: known.clitics.before.iter().any(|word| known.is_little(&format!("{word}'"))),
            has_spaced_colon: lists.contains_key("spaced_colon"),
            traits,
            adverb_endings: parts_of(lists, "adverb_endings"),
            role_endings: parts_of(lists, "role_endings"),
            named_after_endings: parts_of(lists, "named_after_endings"),
            noun_endings: parts_of(lists, "noun_endings"),
            adjective_endings: parts_of(lists, "adjective_endings"),
        });
    }

    /// The words of a language; of English where it has no rules.
    pub fn language(&self, language: Language) -> &LanguageWords {
        let known = self.languages.iter().find(|words| words.lexicon.language == language);
        known.unwrap_or_else(|| &self.languages[0])
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
        let (mut all, mut any, mut last, mut count) = (first, first, 0, 1);
        for part in parts {
            all &= part;
            any |= part;
            last = part;
            count += 1;
        }
        // What a German compound is stands last, maybe in the genitive: `Robert-Koch-Instituts`.
        let ending = lower.rsplit('-').next().unwrap_or("");
        let genitive = ending.strip_suffix("es").or_else(|| ending.strip_suffix('s')).unwrap_or(ending);
        let ends = (last | self.traits(self.word_id(genitive))) & (ORG_END | PLACE_END);
        let is_given = ends == 0 && count == 2 && (last & GIVEN != 0 || last & (COMMON | OBJECT_WORD | ROLE_HEAD) == 0);
        (all & (COMMON | FAMILY)) | (any & NO_NAME) | ends | if is_given { first & GIVEN } else { 0 }
    }

    /// Whether an inner capital comes from the beginning of a family name: `McDonald`.
    pub fn has_name_prefix(&self, word: &str) -> bool {
        let follows = |rest: &str| rest.starts_with(char::is_uppercase);
        self.affixes.prefixes.iter().any(|prefix| word.strip_prefix(prefix.as_str()).is_some_and(follows))
    }

    /// Whether a word begins as no product's name does: `MacLeod`.
    pub fn has_surname_prefix(&self, word: &str) -> bool {
        self.affixes.surname_prefixes.iter().any(|prefix| word.starts_with(prefix.as_str()))
    }

    /// Whether a name with a capital follows an article that is tied to it: `al-Rashid`.
    pub fn has_name_article(&self, word: &str) -> bool {
        let follows = |rest: &str| rest.starts_with(char::is_uppercase);
        self.affixes.articles.iter().any(|article| word.strip_prefix(article.as_str()).is_some_and(follows))
    }

    /// The phrases that begin with a word: what follows, and what they name.
    pub fn phrases_starting_with(&self, first: WordId) -> &[(Vec<WordId>, GazetteerType)] {
        self.phrases.get(&first).map_or(&[], Vec::as_slice)
    }
}

impl LanguageWords {
    /// What a word is in this language, whatever its capital.
    pub fn traits(&self, id: WordId) -> Traits {
        self.traits.get(id as usize).copied().unwrap_or_else(|| LEXICON.traits(id))
    }

    /// Whether a word ends as adverbs do: `quickly`.
    pub fn ends_as_adverb(&self, word: &str) -> bool {
        self.adverb_endings.iter().any(|ending| word.len() > ending.len() + 2 && word.ends_with(ending.as_str()))
    }

    /// Whether a word that is in no list ends as an office does: `Vertriebsleiter`.
    pub fn ends_as_role(&self, word: &str) -> bool {
        self.role_endings.iter().any(|ending| word.len() > ending.len() && word.ends_with(ending.as_str()))
    }

    /// Whether a noun names what is called after the person behind it: `Bäckerei Johann Mayer`.
    pub fn is_named_after(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        self.named_after_endings.iter().any(|ending| word.ends_with(ending.as_str()))
    }

    /// Whether a word that is in no list ends as an adjective does: `Convolutional`.
    pub fn ends_as_adjective(&self, word: &str) -> bool {
        self.adjective_endings.iter().any(|ending| word.len() > ending.len() + 3 && word.ends_with(ending.as_str()))
    }

    /// Whether a word that is in no list ends as a common noun does: `Recognition`.
    pub fn ends_as_noun(&self, word: &str) -> bool {
        self.noun_endings.iter().any(|ending| word.len() > ending.len() + 2 && word.ends_with(ending.as_str()))
    }
}

/// The lines of a list that are no remarks.
fn list_entries(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists that a file of a language may have besides: parts of words, and what is not a list.
    const OTHER_LISTS: &[&str] = &[
        "adverb_endings",
        "role_endings",
        "named_after_endings",
        "noun_endings",
        "adjective_endings",
        "verb_second",
        "bare_years",
        "other_pronouns",
        "adjectives_follow",
        "spaced_colon",
        "surname_prefixes",
        "name_prefixes",
        "name_articles",
    ];

    #[test]
    fn every_list_is_there_and_has_words() {
        for (name, bit) in LISTS {
            let english = LEXICON.language(Language::ENGLISH);
            assert!(english.traits.iter().any(|traits| traits & bit == *bit), "{name}");
        }
        assert_ne!(LEXICON.traits(LEXICON.word_id("alice")) & GIVEN, 0);
        assert!(
            LEXICON
                .phrases_starting_with(LEXICON.word_id("new"))
                .iter()
                .any(|(_, known)| *known == GazetteerType::Place)
        );
        assert!(LEXICON.has_name_prefix("McDonald") && LEXICON.has_name_article("al-Rashid"));
    }

    #[test]
    fn every_file_has_only_lists_that_are_read() {
        let shared = [include_str!("../../data/extract/words.toml"), include_str!("../../data/extract/mail.toml")];
        for text in LANGUAGES.map(|(_, text)| text).into_iter().chain(shared) {
            for name in toml::from_str::<ListFile>(text).unwrap().0.keys() {
                let is_read = LISTS.iter().any(|(list, _)| list == name) || OTHER_LISTS.contains(&name.as_str());
                assert!(is_read, "{name}");
            }
        }
    }

    #[test]
    fn a_word_is_what_it_is_in_its_language() {
        let is = |language: Language, word: &str, bits: Traits| {
            LEXICON.language(language).traits(LEXICON.word_id(word)) & bits != 0
        };
        for language in Language::COMPLETE {
            let words = LEXICON.language(language);
            for bits in [AND, BY, FROM, WITH, OF, SPEAKER, SOMEBODY, PASSIVE, PREPOSITION, BY_WHEN, GROUP, ROLE_HEAD] {
                assert!(words.traits.iter().any(|traits| traits & bits != 0), "{language}: {bits:b}");
            }
        }
        assert!(is(Language::GERMAN, "märz", MONTH) && is(Language::GERMAN, "freitag", WEEKDAY));
        assert!(!is(Language::ENGLISH, "märz", MONTH) && !is(Language::ENGLISH, "fra", TITLE));
        assert!(is(Language::ENGLISH, "don't", NEGATION) && is(Language::ENGLISH, "we'll", SPEAKER));
        assert!(is(Language::ITALIAN, "fra", TITLE));
    }
}
