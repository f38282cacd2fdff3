//! What else is known of somebody, in words of any form: JSON, fields with colons, or plain text.
//!
//! Names of fields come and go with whoever writes them, so things are told by their shape, which is the same in every
//! form: long numbers, dates, codes, houses in streets, names of two words, and all other words.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::name_words::{edit_distance, hash_word, to_plain_letters};

/// More of a context than this is not read.
pub const LONGEST: usize = 6_000;

/// More things of one kind than this are not kept.
const MOST: usize = 400;

#[derive(Deserialize)]
struct ContextWordLists {
    fields: String,
    labels: String,
    once: String,
    missing: String,
    spoken: String,
    directions: String,
    common: String,
}

static LISTS: LazyLock<Option<ContextWordLists>> =
    LazyLock::new(|| toml::from_str(include_str!("../../data/judge/context.toml")).ok());

fn words_of(list: fn(&ContextWordLists) -> &String) -> HashSet<&'static str> {
    LISTS.as_ref().map(|lists| list(lists).split_whitespace().collect()).unwrap_or_default()
}

static FIELDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.fields));
static LABELS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.labels));
static ONCE: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.once));
static MISSING: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.missing));
static SPOKEN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.spoken));
static DIRECTIONS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.directions));
static COMMON: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.common));

/// Facts about a profile from free text, grouped by form. Each list is sorted and has no duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileContext {
    /// Numbers of six digits and more: telephones, registers.
    pub numbers: Vec<String>,
    /// Dates, each as it is compared.
    pub dates: Vec<String>,
    /// Numbers of which everybody has one.
    pub once: Vec<String>,
    /// Letters and digits: `H01L`.
    pub codes: Vec<String>,
    /// A number and the word after it.
    pub houses: Vec<u64>,
    /// Two words with a capital that stand together: people, mostly, and places.
    pub names: Vec<u64>,
    /// Hashes of all remaining words.
    pub words: Vec<u64>,
    /// E-mail addresses in lower case.
    pub emails: Vec<String>,
    /// True if the text is sentences rather than a record of fields.
    pub prose: bool,
}

enum ContextToken {
    Word { plain: String, capital: bool },
    Digits(String),
    Code(String),
}

impl ProfileContext {
    /// Read from any text; words of its own name tell nothing.
    pub fn read(text: &str, own: &HashSet<String>) -> Self {
        let text: String = text.chars().take(LONGEST).collect();
        let trimmed = text.trim();
        // JSON may have letters in escapes; written anew it has them as they are.
        let text = match trimmed.starts_with(['{', '[']).then(|| serde_json::from_str::<serde_json::Value>(trimmed)) {
            Some(Ok(value)) => value.to_string(),
            _ => text,
        };
        let mut context = Self::default();
        let emails = text.split(|letter: char| letter.is_whitespace() || ",;\"'<>()[]{}|".contains(letter));
        context.emails = emails.filter_map(parse_email).take(MOST).collect();
        let mut run: Vec<String> = Vec::new();
        let mut house: Option<String> = None;
        let mut once = false;
        let mut scan = ContextScanner { letters: text.chars().collect(), at: 0 };
        while let Some((token, key)) = scan.next() {
            if let (ContextToken::Word { plain, .. }, true) = (&token, key) {
                run.clear();
                house = None;
                once = ONCE.contains(plain.as_str());
                continue;
            }
            match token {
                ContextToken::Word { plain, .. } if MISSING.contains(plain.as_str()) => {}
                // The name of a field without its colon.
                ContextToken::Word { plain, .. } if LABELS.contains(plain.as_str()) => run.clear(),
                ContextToken::Word { plain, capital } => {
                    context.prose |= !capital && SPOKEN.contains(plain.as_str());
                    // `born 1960-02-01`
                    once |= ONCE.contains(plain.as_str());
                    let direction = DIRECTIONS.contains(plain.as_str());
                    if let Some(digits) = house.take_if(|_| !direction).filter(|_| plain.chars().count() > 2) {
                        context.houses.push(hash_word(&format!("{digits} {plain}")));
                    }
                    let long = plain.chars().count() > 2;
                    if capital && long && !own.contains(&plain) {
                        for other in run.iter().rev().take(2) {
                            let (first, second) = if *other < plain { (other, &plain) } else { (&plain, other) };
                            context.names.push(hash_word(&format!("{first} {second}")));
                        }
                        run.push(plain.clone());
                    } else if !capital {
                        run.clear();
                    }
                    if long && !COMMON.contains(plain.as_str()) && !own.contains(&plain) {
                        context.words.push(hash_word(&plain));
                    }
                }
                ContextToken::Digits(digits) => {
                    run.clear();
                    match digits.len() {
                        _ if once && digits.len() > 3 => {
                            if is_day(&digits) {
                                context.dates.push(digits.clone());
                            } else {
                                context.numbers.push(digits.clone());
                            }
                            context.once.push(digits);
                        }
                        8 if is_day(&digits) => context.dates.push(digits),
                        6.. => context.numbers.push(digits),
                        length => {
                            if length > 3 && !(digits.starts_with("19") || digits.starts_with("20")) {
                                context.words.push(hash_word(&digits));
                            }
                            house = Some(digits);
                        }
                    }
                }
                ContextToken::Code(code) => {
                    run.clear();
                    match house.take() {
                        // `71st` is a street.
                        Some(digits) if code.starts_with(|letter: char| letter.is_ascii_digit()) => {
                            context.houses.push(hash_word(&format!("{digits} {code}")));
                        }
                        _ => context.codes.push(code),
                    }
                }
            }
        }
        for list in [&mut context.numbers, &mut context.dates, &mut context.once, &mut context.codes] {
            list.sort_unstable();
            list.dedup();
            list.truncate(MOST);
        }
        for list in [&mut context.houses, &mut context.names, &mut context.words] {
            list.sort_unstable();
            list.dedup();
            list.truncate(MOST);
        }
        context
    }

    /// Returns true for a record with codes, numbers, dates or addresses; two records of one entity should agree.
    pub fn is_record(&self) -> bool {
        let told = [self.codes.len(), self.numbers.len(), self.dates.len(), self.houses.len()];
        !self.prose && self.item_count() > 2 && told.iter().any(|count| *count > 0)
    }

    /// Returns the number of facts.
    pub fn item_count(&self) -> usize {
        self.numbers.len()
            + self.dates.len()
            + self.codes.len()
            + self.houses.len()
            + self.names.len()
            + self.words.len()
    }
}

/// Returns true if both have a birth date and the dates differ by more than a typing error.
pub fn born_apart(a: &ProfileContext, b: &ProfileContext) -> bool {
    let days = |context: &ProfileContext| -> Vec<Vec<char>> {
        context.once.iter().filter(|digits| is_day(digits)).take(4).map(|digits| digits.chars().collect()).collect()
    };
    let (ours, theirs) = (days(a), days(b));
    let alike = |one: &Vec<char>| theirs.iter().any(|other| edit_distance(one, other, 1).is_some());
    !ours.is_empty() && !theirs.is_empty() && !ours.iter().any(alike)
}

/// An address of mail, in lower case, if it is one.
pub fn parse_email(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches("mailto:").trim_end_matches('.');
    let (local, domain) = text.split_once('@')?;
    let whole = !local.is_empty() && domain.contains('.') && !domain.contains('@') && text.len() < 255;
    (whole && !text.contains(char::is_whitespace)).then(|| text.to_lowercase())
}

/// Eight digits that are a day of the last centuries.
fn is_day(digits: &str) -> bool {
    let part =
        |range: std::ops::Range<usize>| digits.get(range).and_then(|part| part.parse::<u32>().ok()).unwrap_or_default();
    digits.len() == 8
        && (1800..2100).contains(&part(0..4))
        && (1..=12).contains(&part(4..6))
        && (1..=31).contains(&part(6..8))
}

struct ContextScanner {
    letters: Vec<char>,
    at: usize,
}

impl ContextScanner {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    /// The next token, and whether it is the name of a field.
    fn next(&mut self) -> Option<(ContextToken, bool)> {
        while !self.peek(0)?.is_alphanumeric() {
            self.at += 1;
        }
        let mut raw = String::new();
        let mut digits_only = true;
        let mut decimal = false;
        while let Some(letter) = self.peek(0) {
            let within = self.peek(1).is_some_and(char::is_alphanumeric);
            match letter {
                letter if letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter) => {
                    digits_only &= letter.is_ascii_digit();
                    raw.push(letter);
                }
                '\'' | '’' | '_' if within && !raw.is_empty() && !digits_only => {
                    if letter == '_' {
                        raw.push(' ');
                    }
                }
                // Parts of one number: days, telephones. A point makes it a measure.
                '-' | '/' if digits_only && self.peek(1).is_some_and(|next| next.is_ascii_digit()) => {}
                '.' if digits_only && self.peek(1).is_some_and(|next| next.is_ascii_digit()) => decimal = true,
                _ => break,
            }
            self.at += 1;
        }
        let mut ahead = 0;
        while matches!(self.peek(ahead), Some('"' | '\'' | ' ' | '*')) && ahead < 3 {
            ahead += 1;
        }
        let marked = matches!(self.peek(ahead), Some(':' | '='));
        let plain = to_plain_letters(&raw);
        let field = FIELDS.contains(plain.as_str()) || ONCE.contains(plain.as_str());
        // Without quotes only what stands right before the colon is a field's name, and the colon of an address is none.
        let key =
            marked && (field || ahead > 0 || self.peek(ahead + 1).is_some_and(char::is_whitespace)) && !digits_only;
        let token = if decimal {
            ContextToken::Word { plain: String::new(), capital: false }
        } else if digits_only {
            ContextToken::Digits(raw)
        } else if raw.chars().any(|letter| letter.is_ascii_digit()) {
            ContextToken::Code(plain)
        } else {
            ContextToken::Word { capital: raw.starts_with(char::is_uppercase), plain }
        };
        Some((token, key))
    }
}

/// Facts that two contexts share. Each figure is from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContextOverlap {
    /// True if a long number is the same.
    pub number: bool,
    /// A long number is the same but for a slip.
    pub number_near: bool,
    /// Both have long numbers, and none is alike.
    pub numbers_apart: bool,
    /// True if a date is the same.
    pub date: bool,
    /// A house in a street is the same.
    pub house: bool,
    /// Both have a house, and none is the same.
    pub houses_apart: bool,
    /// Share of common names, from 0 to 1; four or more count as 1.
    pub names: f64,
    /// Share of common codes, relative to the context with fewer codes.
    pub codes: f64,
    /// Both have codes, and none is alike.
    pub codes_apart: bool,
    /// Share of common words, relative to the number of words.
    pub words: f64,
    /// Years between the nearest dates of both, divided by five and capped at 1.
    pub years: f64,
    /// Both have something to tell, and nothing is shared.
    pub nothing: bool,
}

/// Compares two contexts; the order of the arguments does not matter.
pub fn compare_contexts(a: &ProfileContext, b: &ProfileContext) -> ContextOverlap {
    let number = count_shared(&a.numbers, &b.numbers) > 0;
    let near = |one: &String| {
        let letters: Vec<char> = one.chars().take(20).collect();
        b.numbers.iter().take(8).any(|other| {
            let same_end = one.len().min(other.len()) >= 7 && (one.ends_with(other) || other.ends_with(one));
            same_end
                || one.len() == other.len()
                    && edit_distance(&letters, &other.chars().take(20).collect::<Vec<_>>(), 1).is_some()
        })
    };
    let number_near = !number && a.numbers.iter().take(8).any(near);
    let date = count_shared(&a.dates, &b.dates) > 0;
    let house = count_shared(&a.houses, &b.houses) > 0;
    let names = count_shared(&a.names, &b.names);
    let start = |codes: &[String]| {
        let mut starts: Vec<String> = codes.iter().map(|code| code.chars().take(3).collect()).collect();
        starts.dedup();
        starts
    };
    let fewer = a.codes.len().min(b.codes.len());
    let (starts_a, starts_b) = (start(&a.codes), start(&b.codes));
    let same_start = count_shared(&starts_a, &starts_b);
    let codes = if fewer == 0 {
        0.0
    } else {
        let starts = starts_a.len().min(starts_b.len()).max(1);
        0.7 * ratio(count_shared(&a.codes, &b.codes), fewer) + 0.3 * ratio(same_start, starts)
    };
    let common = count_shared(&a.words, &b.words);
    let words = if common == 0 {
        0.0
    } else {
        (common as f64 / ((a.words.len() as f64) * (b.words.len() as f64)).sqrt()).min(1.0)
    };
    let nothing = !number && !number_near && !date && !house && names == 0 && codes == 0.0 && common == 0;
    ContextOverlap {
        number,
        number_near,
        numbers_apart: !a.numbers.is_empty() && !b.numbers.is_empty() && !number && !number_near,
        date,
        house,
        houses_apart: !a.houses.is_empty() && !b.houses.is_empty() && !house,
        names: names.min(4) as f64 / 4.0,
        codes,
        codes_apart: fewer > 0 && same_start == 0,
        words,
        years: years_between(a, b),
        nothing: nothing && a.is_record() && b.is_record(),
    }
}

/// Returns the years between the nearest dates, divided by five and capped at 1.
fn years_between(a: &ProfileContext, b: &ProfileContext) -> f64 {
    let day = |date: &String| {
        let part = |range: std::ops::Range<usize>| date.get(range).and_then(|part| part.parse::<f64>().ok());
        Some(part(0..4)? + part(4..6)? / 12.0)
    };
    let ours: Vec<f64> = a.dates.iter().take(8).filter_map(day).collect();
    let gaps = b.dates.iter().take(8).filter_map(day).flat_map(|one| ours.iter().map(move |other| (one - other).abs()));
    gaps.min_by(f64::total_cmp).map_or(0.0, |gap| (gap / 5.0).min(1.0))
}

fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// Counts the values that two sorted lists share.
fn count_shared<T: Ord>(a: &[T], b: &[T]) -> usize {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut count = 0;
    while let (Some(one), Some(other)) = (a.peek(), b.peek()) {
        match one.cmp(other) {
            std::cmp::Ordering::Less => drop(a.next()),
            std::cmp::Ordering::Greater => drop(b.next()),
            std::cmp::Ordering::Equal => {
                count += 1;
                a.next();
                b.next();
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_can_be_read() {
        assert!(LISTS.is_some() && FIELDS.contains("phone") && ONCE.contains("ssn"));
    }
}
