//! Turns the lists of a file into what is looked up.

use super::{
    Cues, DateOrder, GluedNumbers, Joins, Lexicon, NegationPair, NegationWords, NumberWord, NumberWords, Quantifier,
    QuantityLimit, QuestionKind, TimeUnit, TimeWords, file, searched_form,
};
use crate::{
    Language,
    phrases::{PhraseMap, WordList},
    words::{Clitics, lower, tokens_with},
};

/// The lexicon of a file; `None` if its code is not known.
pub(super) fn lexicon(file: &file::File) -> Option<Lexicon> {
    Some(lexicon_for(Language::from_code(&file.code)?, file))
}

/// The words that a search leaves out, in the form in which it compares them.
fn common_words(file: &file::File) -> WordList {
    let searched: Vec<String> = file.searched.words().collect();
    let little = file.little.words().filter(|word| !searched.contains(word));
    little.chain(file.also_common.words()).map(|word| searched_form(&word)).collect()
}

/// The lexicon of a file, for a language.
pub(super) fn lexicon_for(language: Language, file: &file::File) -> Lexicon {
    let writing = &file.writing;
    let clitics = Clitics {
        before: writing.elided.words().collect(),
        after: writing.clipped.words().collect(),
        whole: writing.whole.words().collect(),
    };
    let phrases = |list: &file::List| phrases_of(list, &clitics, ());
    let mut limits = PhraseMap::default();
    for (list, limit) in [
        (&file.quantities.at_least, QuantityLimit::AtLeast),
        (&file.quantities.at_most, QuantityLimit::AtMost),
        (&file.quantities.more_than, QuantityLimit::MoreThan),
        (&file.quantities.less_than, QuantityLimit::LessThan),
    ] {
        add_phrases(&mut limits, list, &clitics, limit);
    }
    let mut quantifiers = PhraseMap::default();
    for (list, quantifier) in [
        (&file.quantities.few, Quantifier::Few),
        (&file.quantities.some, Quantifier::Some),
        (&file.quantities.many, Quantifier::Many),
        (&file.quantities.most, Quantifier::Most),
        (&file.quantities.all, Quantifier::All),
    ] {
        add_phrases(&mut quantifiers, list, &clitics, quantifier);
    }
    let asked = &file.questions;
    let mut questions = PhraseMap::default();
    for (list, kind) in [
        (&asked.person, QuestionKind::Person),
        (&asked.time, QuestionKind::Time),
        (&asked.place, QuestionKind::Place),
        (&asked.number, QuestionKind::Number),
        (&asked.reason, QuestionKind::Reason),
        (&asked.manner, QuestionKind::Manner),
        (&asked.definition, QuestionKind::Definition),
        (&asked.thing, QuestionKind::Thing),
        (&asked.yes_no, QuestionKind::YesNo),
    ] {
        add_phrases(&mut questions, list, &clitics, kind);
    }
    Lexicon {
        language,
        letters: writing.letters.clone(),
        compound_links: longest_first(writing.compound_links.words().collect()),
        has_capital_nouns: writing.capital_nouns,
        decimal_sign: writing.decimal.chars().next().unwrap_or('.'),
        has_blank_thousands: writing.blank_thousands,
        has_ordinal_dot: writing.ordinal_dot,
        date_order: if writing.month_first { DateOrder::MonthFirst } else { DateOrder::DayFirst },
        is_date_order_uncertain: writing.month_first,
        pronouns: file.pronouns.words().collect(),
        reporting_verbs: file.reporting_verbs.words().collect(),
        honorifics: file.honorifics.words().collect(),
        same_names: file.same_names.iter().map(phrases).collect(),
        auxiliaries: file.auxiliaries.words().collect(),
        determiners: file.determiners.words().collect(),
        time: time_words(file, &clitics),
        cues: Cues {
            reasons: phrases(&file.cues.reasons),
            contrasts: phrases(&file.cues.contrasts),
            lists: phrases(&file.cues.lists),
            steps: phrases(&file.cues.steps),
            definitions: phrases(&file.cues.definitions),
            before_places: phrases(&file.cues.before_places),
            points_back: phrases(&file.cues.points_back),
            points_nowhere: phrases(&file.cues.points_nowhere),
            hedges: phrases(&file.cues.hedges),
            plans: phrases(&file.cues.plans),
            conditions: phrases(&file.cues.conditions),
            addresses: phrases(&file.cues.addresses),
            publications: phrases(&file.cues.publications),
        },
        approximations: phrases(&file.quantities.about),
        limits,
        quantifiers,
        questions,
        counting_questions: phrases(&asked.counting),
        question_fillers: asked.fillers.words().collect(),
        numbers: number_words(file, &clitics),
        negation: NegationWords {
            phrases: phrases(&file.negation.words),
            implicit: phrases(&file.negation.implicit),
            exceptions: phrases(&file.negation.exceptions),
            expletive_after: phrases(&file.negation.expletive_after),
            expletive: file.negation.expletive.words().collect(),
            pairs: file.negation.pairs.iter().map(negation_pair).collect(),
            prefixes: longest_first(file.negation.prefixes.words().collect()),
        },
        elided_in_search: writing.elided_in_search.words().collect(),
        little: file.little.words().collect(),
        common: common_words(file),
        clitics,
    }
}

fn negation_pair(pair: &file::PairEntry) -> NegationPair {
    NegationPair {
        first: pair.first.words().collect(),
        then: pair.then.words().collect(),
        is_restriction: pair.restriction,
    }
}

fn time_words(file: &file::File, clitics: &Clitics) -> TimeWords {
    let time = &file.time;
    let mut days_from_now = PhraseMap::default();
    for (days, list) in &time.days_from_now {
        if let Ok(days) = days.parse() {
            add_phrases(&mut days_from_now, list, clitics, days);
        }
    }
    let units = [
        (&time.day, TimeUnit::Day),
        (&time.week, TimeUnit::Week),
        (&time.month, TimeUnit::Month),
        (&time.quarter, TimeUnit::Quarter),
        (&time.year, TimeUnit::Year),
    ];
    let steps = [(&time.next, 1), (&time.last, -1), (&time.this, 0)];
    TimeWords {
        months: file::numbered(&file.months),
        ambiguous_months: time.ambiguous_months.words().collect(),
        capital_months: time.capital_months,
        weekdays: file::numbered(&file.weekdays),
        seasons: file::numbered(&time.seasons),
        days_from_now,
        steps: steps.into_iter().flat_map(|(list, step)| list.words().map(move |word| (word, step))).collect(),
        units: units.into_iter().flat_map(|(list, unit)| list.words().map(move |word| (word, unit))).collect(),
        ago: phrases_of(&time.ago, clitics, ()),
        other: phrases_of(&time.other, clitics, ()),
        before: time.before.words().collect(),
        within: time.within.words().collect(),
        until: time.until.words().collect(),
    }
}

fn number_words(file: &file::File, clitics: &Clitics) -> NumberWords {
    let numbers = &file.numbers;
    let mut words = PhraseMap::default();
    let mut add = |table: &file::Table, class: fn(f64) -> NumberWord| {
        for (value, list) in table {
            if let Ok(value) = value.parse() {
                add_phrases(&mut words, list, clitics, class(value));
            }
        }
    };
    add(&numbers.words, NumberWord::Plain);
    add(&numbers.scales, NumberWord::Scale);
    add(&numbers.counted_scales, NumberWord::CountedScale);
    add(&numbers.ordinals, NumberWord::Ordinal);
    add(&numbers.fractions, NumberWord::Fraction);
    let small = |table: &file::Table| {
        let mut small: Vec<(String, f64)> = Vec::new();
        for (value, list) in table {
            small.extend(value.parse().ok().into_iter().flat_map(|value| list.words().map(move |word| (word, value))));
        }
        small.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        small
    };
    let glued = numbers.glued.as_ref().map(|glued| GluedNumbers {
        small: small(&numbers.words),
        tens: small(&glued.tens),
        links: longest_first(glued.links.words().collect()),
        hundreds: longest_first(glued.hundreds.words().collect()),
        thousands: longest_first(glued.thousands.words().collect()),
        ordinal_endings: longest_first(glued.ordinal_endings.words().collect()),
        restored: glued.restored.words().collect(),
    });
    NumberWords {
        words,
        articles: numbers.articles.words().collect(),
        ambiguous: numbers.ambiguous.words().collect(),
        joiners: numbers.joiners.words().collect(),
        joins: match (numbers.joins_hundreds, numbers.joins_tens) {
            (true, true) => Joins::Both,
            (false, true) => Joins::Tens,
            _ => Joins::Hundreds,
        },
        tens_with_teens: numbers.tens_with_teens.clone(),
        abbreviations: file::valued(&numbers.abbreviations),
        ordinal_endings: numbers.ordinal_endings.words().collect(),
        decade_endings: numbers.decade_endings.words().collect(),
        percent: phrases_of(&numbers.percent, clitics, ()),
        points: phrases_of(&numbers.points, clitics, ()),
        glued,
    }
}

fn longest_first(mut words: Vec<String>) -> Vec<String> {
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words
}

fn phrases_of<T: Copy>(list: &file::List, clitics: &Clitics, value: T) -> PhraseMap<T> {
    let mut phrases = PhraseMap::default();
    add_phrases(&mut phrases, list, clitics, value);
    phrases
}

/// Adds phrases, split into words as texts of the language are.
fn add_phrases<T: Copy>(phrases: &mut PhraseMap<T>, list: &file::List, clitics: &Clitics, value: T) {
    for phrase in list.phrases() {
        let mut words: Vec<String> = tokens_with(phrase, clitics).iter().map(|token| lower(token.of(phrase))).collect();
        // A clitic at the end, such as in `avant qu'`, has no word to be tied to.
        if words.len() > 1 && words.last().is_some_and(|last| last == "'") {
            words.pop();
            if let Some(last) = words.last_mut() {
                last.push('\'');
            }
        }
        phrases.insert(words, value);
    }
}
