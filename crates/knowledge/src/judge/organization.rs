//! Names of organisations, projects and things: what tells them from others, and how far two agree.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::name_words::{Likeness, NameWord, edit_distance, hash_word, to_plain_letters};

/// More words of a name than this are not looked at.
const MOST_WORDS: usize = 16;

#[derive(Deserialize)]
struct OrganizationWordLists {
    forms: String,
    generic: String,
    empty: String,
    telling: String,
    certain_forms: String,
    joins_letters: String,
    short: HashMap<String, String>,
}

static LISTS: LazyLock<Option<OrganizationWordLists>> =
    LazyLock::new(|| toml::from_str(include_str!("../../data/judge/organizations.toml")).ok());

fn words_of(list: fn(&OrganizationWordLists) -> &String) -> HashSet<&'static str> {
    LISTS.as_ref().map(|lists| list(lists).split_whitespace().collect()).unwrap_or_default()
}

static FORMS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lists = LISTS.as_ref().map(|lists| lists.forms.as_str()).unwrap_or_default();
    lists.lines().flat_map(|line| line.split('|')).map(str::trim).filter(|form| !form.is_empty()).collect()
});
static GENERIC: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.generic));
static EMPTY: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.empty));
/// Legal forms of two letters that are nothing else: `bv`.
static CERTAIN_FORMS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.certain_forms));
/// Stand between single letters that are one word: `a and b`.
static JOINS_LETTERS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.joins_letters));
static TELLING: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.telling));

/// The name of an organisation or a thing, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrganizationName {
    /// Distinctive words of the name, in order.
    pub words: Vec<NameWord>,
    /// True for each word that many organisations share.
    pub generic: Vec<bool>,
    /// Legal forms such as `ltd` or `gmbh`.
    pub forms: Vec<String>,
    /// Its numbers: years, versions, series.
    pub numbers: Vec<String>,
    /// The first letters of its words.
    pub acronym: String,
    /// All letters without gaps, legal forms too.
    pub joined: String,
    /// All letters without gaps and legal forms.
    pub core: String,
}

impl OrganizationName {
    /// Read from a name of any form; never fails, at worst there are no words.
    pub fn read(name: &str) -> Self {
        let tokens = tokenize_name(name);
        let joined: String = tokens.iter().map(|token| token.text.as_str()).collect();
        let mut read = Self { joined, ..Self::default() };
        let mut at = 0;
        let mut past_form = false;
        let mut of_form: Vec<usize> = Vec::new();
        while let Some(token) = tokens.get(at) {
            // The longest legal form that begins here, but a name is never all form.
            let form = (1..=4).rev().find_map(|length| {
                let words = tokens.get(at..at + length)?;
                let form = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                (FORMS.contains(form.as_str()) && length < tokens.len()).then_some((form, length))
            });
            if let Some((form, length)) = form {
                read.forms.push(form);
                past_form = true;
                of_form.extend(at..at + length);
                at += length;
                continue;
            }
            at += 1;
            if EMPTY.contains(token.text.as_str()) && tokens.len() > 1 {
                continue;
            }
            if token.is_number() {
                read.numbers.push(token.number_text());
                continue;
            }
            let short = LISTS.as_ref().and_then(|lists| lists.short.get(&token.text));
            let text = short.unwrap_or(&token.text);
            // Where a town follows the legal form after a comma, it says where and not who.
            let tail = past_form && tokens.get(..at).is_some_and(|before| before.iter().any(|word| word.comma));
            read.generic.push(tail || GENERIC.contains(text.as_str()) || GENERIC.contains(token.text.as_str()));
            read.words.push(NameWord::new(text));
            if read.words.len() == MOST_WORDS {
                break;
            }
        }
        if read.words.is_empty() && read.numbers.is_empty() {
            read.words = read.forms.drain(..).map(|form| NameWord::new(&form)).collect();
            read.generic = vec![false; read.words.len()];
        }
        // A name of general words only is told by them.
        if read.generic.iter().all(|generic| *generic) {
            read.generic.iter_mut().for_each(|generic| *generic = false);
        }
        let letters =
            tokens.iter().enumerate().filter(|(at, _)| !of_form.contains(at)).map(|(_, token)| token.text.as_str());
        read.core = letters.collect();
        read.acronym = read.words.iter().filter_map(|word| word.text.chars().next()).collect();
        read
    }

    /// Returns true if the name can only be that of an organisation.
    pub fn is_certain(&self) -> bool {
        self.forms.iter().any(|form| form.len() > 2 || CERTAIN_FORMS.contains(form.as_str()))
    }

    /// Returns true if the name looks like a person's: two to four words, no number and no generic word.
    pub fn may_be_person(&self) -> bool {
        (2..=4).contains(&self.words.len())
            && self.numbers.is_empty()
            && self.forms.is_empty()
            && !self.generic.contains(&true)
    }

    /// Returns true if all distinctive words are among `words`, a sorted list of word hashes.
    pub fn is_among(&self, words: &[u64]) -> bool {
        let mut telling = self.words.iter().zip(&self.generic).filter(|(_, generic)| !**generic).peekable();
        telling.peek().is_some() && telling.all(|(word, _)| words.binary_search(&hash_word(&word.text)).is_ok())
    }

    /// Returns true if the name contains a word typical of organisations.
    pub fn is_likely(&self) -> bool {
        self.is_certain() || self.words.iter().any(|word| TELLING.contains(word.text.as_str()))
    }
}

struct OrganizationToken {
    text: String,
    comma: bool,
    capitals: bool,
}

impl OrganizationToken {
    fn is_number(&self) -> bool {
        self.text.chars().any(|letter| letter.is_ascii_digit()) || (self.capitals && parse_roman(&self.text).is_some())
    }

    fn number_text(&self) -> String {
        parse_roman(&self.text).filter(|_| self.capitals).map_or_else(|| self.text.clone(), |number| number.to_string())
    }
}

/// The number that a short Roman one means; a single letter is none.
fn parse_roman(text: &str) -> Option<u32> {
    if !(2..=6).contains(&text.len()) {
        return None;
    }
    let mut values = Vec::new();
    for letter in text.chars() {
        values.push(match letter {
            'i' => 1_u32,
            'v' => 5,
            'x' => 10,
            _ => return None,
        });
    }
    let mut sum = 0_u32;
    for (at, value) in values.iter().enumerate() {
        if values.get(at + 1).is_some_and(|next| next > value) {
            sum = sum.checked_sub(*value).or_else(|| sum.checked_add(values.get(at + 1)? - value * 2))?;
        } else {
            sum += value;
        }
    }
    Some(sum)
}

fn tokenize_name(name: &str) -> Vec<OrganizationToken> {
    let mut tokens: Vec<OrganizationToken> = Vec::new();
    let mut raw = String::new();
    let mut comma = false;
    let close = |raw: &mut String, comma: &mut bool, tokens: &mut Vec<OrganizationToken>| {
        let plain = to_plain_letters(raw);
        if !plain.is_empty() {
            let capitals = raw.chars().all(char::is_uppercase);
            tokens.push(OrganizationToken { text: plain, comma: *comma, capitals });
            *comma = false;
        }
        raw.clear();
    };
    for letter in name.chars().take(super::LONGEST_NAME) {
        match letter {
            '\'' | '’' | '‘' | '`' => {}
            letter if letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter) => {
                raw.push(letter);
            }
            _ => {
                close(&mut raw, &mut comma, &mut tokens);
                comma |= letter == ',';
            }
        }
    }
    close(&mut raw, &mut comma, &mut tokens);
    // Single letters one after the other are one word, but for a legal form at their end: `D S M N. V.`
    let mut merged: Vec<OrganizationToken> = Vec::new();
    let mut run: Vec<OrganizationToken> = Vec::new();
    let single = |token: &OrganizationToken| token.text.len() == 1 && token.text.is_ascii() && !token.is_number();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        let joins = JOINS_LETTERS.contains(token.text.as_str()) && !run.is_empty() && rest.peek().is_some_and(single);
        if single(&token) {
            run.push(token);
        } else if !joins {
            join_letters(&mut run, &mut merged);
            merged.push(token);
        }
    }
    join_letters(&mut run, &mut merged);
    merged
}

/// A run of single letters as the words that it spells.
fn join_letters(run: &mut Vec<OrganizationToken>, into: &mut Vec<OrganizationToken>) {
    let letters: String = run.iter().map(|token| token.text.as_str()).collect();
    let comma = run.iter().any(|token| token.comma);
    run.clear();
    if letters.is_empty() {
        return;
    }
    let cut = if FORMS.contains(letters.as_str()) {
        0
    } else {
        (2..=4)
            .rev()
            .filter_map(|length| letters.len().checked_sub(length))
            .find(|cut| letters.get(*cut..).is_some_and(|end| *cut > 1 && FORMS.contains(end)))
            .unwrap_or(letters.len())
    };
    for part in [letters.get(..cut), letters.get(cut..)].into_iter().flatten().filter(|part| !part.is_empty()) {
        into.push(OrganizationToken { text: part.to_owned(), comma, capitals: false });
    }
}

/// Degree to which two names of organisations or things agree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OrganizationAgreement {
    /// Nothing differs but legal form and writing.
    pub equal: bool,
    /// One is made of the first letters of the other.
    pub acronym: bool,
    /// Words that are the same but for a slip of the pen.
    pub close: usize,
    /// Telling words that both have.
    pub shared: usize,
    /// Telling words that one of them has and the other, which has no other words, has not.
    pub extra: usize,
    /// General words that only one of them has.
    pub extra_generic: usize,
    /// Telling words on both sides that the other has not: the lesser number.
    pub apart: usize,
    /// General words on both sides that the other has not.
    pub apart_generic: bool,
    /// Both have numbers, and not the same.
    pub numbers_apart: bool,
    /// One has a number, the other none.
    pub number_extra: bool,
    /// Both have a legal form, and not the same.
    pub forms_apart: bool,
    /// The first words are the same.
    pub starts_alike: bool,
    /// Share of the shorter name that the other one contains, weighted by word, from 0 to 1.
    pub covered: f64,
}

/// Compares two names; the order of the arguments does not matter.
pub fn compare_names(a: &OrganizationName, b: &OrganizationName) -> OrganizationAgreement {
    let mut agreement = OrganizationAgreement {
        numbers_apart: !a.numbers.is_empty() && !b.numbers.is_empty() && a.numbers != b.numbers,
        number_extra: a.numbers.is_empty() != b.numbers.is_empty(),
        forms_apart: !a.forms.is_empty()
            && !b.forms.is_empty()
            && !a.forms.iter().any(|form| b.forms.iter().any(|other| same_form(form, other))),
        ..OrganizationAgreement::default()
    };
    let joined = !a.core.is_empty() && (a.core == b.core || a.joined == b.joined) && !agreement.numbers_apart;
    if joined && !agreement.number_extra {
        agreement.equal = true;
        agreement.shared = a.words.len().min(b.words.len()).max(1);
        agreement.starts_alike = true;
        agreement.covered = 1.0;
        return agreement;
    }
    let spelled = |short: &OrganizationName, long: &OrganizationName| {
        let letters = short.core.chars().count();
        short.words.len() == 1 && letters >= 2 && long.words.len() >= letters.max(2) - 1 && long.acronym == short.core
    };
    // `UC Berkeley`: the first word is made of first letters, the others are the same.
    let begins = |short: &OrganizationName, long: &OrganizationName| {
        let letters = short.words.first().map_or(0, NameWord::len);
        let ends = || short.words.iter().skip(1).eq(long.words.iter().skip(letters));
        (2..=4).contains(&letters)
            && short.words.len() > 1
            && short.words.first().is_some_and(|word| long.acronym.starts_with(&word.text))
            && ends()
    };
    agreement.acronym = spelled(a, b) || spelled(b, a) || begins(a, b) || begins(b, a);
    let mut taken = vec![false; b.words.len()];
    let mut missing_a = (0_usize, 0_usize);
    let (mut met, mut weight_a) = (0.0, 0.0);
    let weight = |generic: bool| if generic { 0.3 } else { 1.0 };
    for (at, word) in a.words.iter().enumerate() {
        let generic = a.generic.get(at).copied().unwrap_or_default();
        weight_a += weight(generic);
        let best = b
            .words
            .iter()
            .enumerate()
            .filter(|(j, _)| taken.get(*j) == Some(&false))
            .map(|(j, other)| (word_likeness(word, other), j.abs_diff(at), j))
            .min();
        match best {
            Some((likeness, _, j)) if likeness < Likeness::Apart => {
                if let Some(taken) = taken.get_mut(j) {
                    *taken = true;
                }
                let other = b.generic.get(j).copied().unwrap_or_default();
                agreement.shared += usize::from(!(generic && other));
                agreement.close += usize::from(likeness > Likeness::Equal);
                agreement.starts_alike |= at == 0 && j == 0;
                met += weight(generic);
            }
            _ if generic => missing_a.1 += 1,
            _ => missing_a.0 += 1,
        }
    }
    let mut missing_b = (0_usize, 0_usize);
    let mut weight_b = 0.0;
    for (at, taken) in taken.iter().enumerate() {
        let generic = b.generic.get(at).copied().unwrap_or_default();
        weight_b += weight(generic);
        match (taken, generic) {
            (true, _) => {}
            (false, true) => missing_b.1 += 1,
            (false, false) => missing_b.0 += 1,
        }
    }
    // The same letters but for a slip, with gaps elsewhere.
    let letters = |name: &OrganizationName| name.core.chars().take(60).collect::<Vec<_>>();
    let telling = |name: &OrganizationName| {
        name.words
            .iter()
            .zip(&name.generic)
            .filter(|(_, generic)| !**generic)
            .map(|(word, _)| word.len())
            .sum::<usize>()
    };
    let slips = match telling(a).min(telling(b)) {
        0..=5 => 0,
        6..=11 => 1,
        _ => 2,
    };
    let apart = missing_a.0 + missing_a.1 + missing_b.0 + missing_b.1;
    if apart > 0 && slips > 0 && !agreement.numbers_apart && edit_distance(&letters(a), &letters(b), slips).is_some() {
        let alike = missing_a.0.max(missing_b.0).max(1);
        (missing_a, missing_b, met) = ((0, 0), (0, 0), f64::min(weight_a, weight_b));
        agreement.shared += alike;
        agreement.close += 1;
    }
    let least = f64::min(weight_a, weight_b);
    agreement.covered = if least > 0.0 { (met / least).min(1.0) } else { 0.0 };
    agreement.apart = missing_a.0.min(missing_b.0);
    agreement.extra = missing_a.0.max(missing_b.0) - agreement.apart;
    agreement.apart_generic = missing_a.1.min(missing_b.1) > 0;
    agreement.extra_generic = missing_a.1.max(missing_b.1);
    agreement.equal = agreement.apart == 0
        && agreement.extra == 0
        && agreement.extra_generic == 0
        && agreement.close == 0
        && agreement.shared > 0
        && !agreement.numbers_apart
        && !agreement.number_extra;
    agreement
}

fn word_likeness(a: &NameWord, b: &NameWord) -> Likeness {
    let likeness = a.likeness_to(b, false);
    if likeness == Likeness::Initial {
        return Likeness::Apart;
    }
    // Cut short: `Pharm` for `Pharmaceuticals`.
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if likeness == Likeness::Apart && short.len() >= 4 && long.text.starts_with(&short.text) {
        return Likeness::Typo;
    }
    likeness
}

/// Returns true if one legal form abbreviates the other: same first letter, letters in order.
fn same_form(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut letters = long.chars();
    short.chars().next() == long.chars().next() && short.chars().all(|letter| letters.any(|other| other == letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_can_be_read() {
        assert!(LISTS.is_some() && FORMS.contains("sa de cv") && GENERIC.contains("group"));
    }
}
