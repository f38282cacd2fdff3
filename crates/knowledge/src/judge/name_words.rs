//! Words as names are compared by: plain lower-case letters, and how alike two of them are.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// More of a word than this is not looked at.
const LONGEST: usize = 40;

static LETTERS: LazyLock<HashMap<char, &'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../data/judge/letters.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let letter = line.chars().next()?;
            Some((letter, line.get(letter.len_utf8()..)?.trim()))
        })
        .collect()
});

/// The name that each line of the list of nicknames begins with.
static HEADS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../data/judge/nicknames.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_whitespace().next()).collect()
});

/// Lines of the nickname list that each given name is on.
static FORMS: LazyLock<HashMap<&'static str, Vec<u16>>> = LazyLock::new(|| {
    let mut forms: HashMap<&str, Vec<u16>> = HashMap::new();
    let lines = include_str!("../../data/judge/nicknames.txt").lines().filter(|line| !line.starts_with('#'));
    for (number, line) in (0..).zip(lines) {
        for name in line.split_whitespace() {
            forms.entry(name).or_default().push(number);
        }
    }
    forms
});

/// Family names that very many people bear.
static COMMON: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../data/judge/common-names.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

/// Returns true if very many people share this family name.
pub fn is_common(family: &str) -> bool {
    COMMON.contains(family)
}

/// Returns true if the name is in the list of given names.
pub fn is_given(name: &str) -> bool {
    FORMS.contains_key(name)
}

/// The names that a given name may stand for; none if it is not written down.
pub fn given_name_forms(name: &str) -> Vec<&'static str> {
    lines_of(name).iter().filter_map(|line| HEADS.get(usize::from(*line)).copied()).collect()
}

/// The lines of the list that a given name stands on.
fn lines_of(name: &str) -> &'static [u16] {
    FORMS.get(name).map_or(&[], Vec::as_slice)
}

/// One letter of a text, written plainly: no accent, lower case, Latin where that is usual.
pub fn push_plain_letter(letter: char, into: &mut String) {
    if letter.is_ascii() {
        into.push(letter.to_ascii_lowercase());
        return;
    }
    for part in letter.nfkd().filter(|part| !is_combining_mark(*part)).flat_map(char::to_lowercase) {
        match LETTERS.get(&part) {
            Some(latin) => into.push_str(latin),
            None if is_combining_mark(part) => {}
            None => into.push(part),
        }
    }
}

/// Folds a text to lower case without accents, in Latin letters where possible.
pub fn to_plain_letters(text: &str) -> String {
    let mut plainly = String::with_capacity(text.len());
    // Letters that have a Latin form of their own keep it where an accent would be taken off first: й is not и.
    for letter in text.nfc() {
        match letter.to_lowercase().next().and_then(|low| LETTERS.get(&low)) {
            Some(latin) => plainly.push_str(latin),
            None => push_plain_letter(letter, &mut plainly),
        }
    }
    plainly
}

/// A number for a word, the same in every process.
pub fn hash_word(word: &str) -> u64 {
    number_of(word.bytes())
}

/// A number for bytes, the same in every process.
pub fn number_of(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Word of a name, with its sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameWord {
    /// Letters in lower case, without accents.
    pub text: String,
    /// Approximate pronunciation, independent of the language it was transcribed to.
    pub sound: String,
    letters: Vec<char>,
}

/// Similarity of two words, closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    Equal,
    /// Two forms of one given name.
    Form,
    /// Written differently, spoken alike.
    Sound,
    /// One or two letters are wrong.
    Typo,
    /// One is the first letter of the other.
    Initial,
    /// Two different words, with no likeness.
    Apart,
}

impl NameWord {
    /// Creates a word from letters that are already folded.
    pub fn new(text: &str) -> Self {
        let letters: Vec<char> = text.chars().take(LONGEST).collect();
        Self { text: letters.iter().collect(), sound: sound_key(&letters), letters }
    }

    /// Returns true if the word is only an initial.
    pub fn is_initial(&self) -> bool {
        self.letters.len() == 1 && self.letters.iter().all(char::is_ascii_alphabetic)
    }

    /// Returns the number of letters.
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Compares two words; `given` allows nicknames of given names.
    pub fn likeness_to(&self, other: &Self, given: bool) -> Likeness {
        if self.letters == other.letters {
            return Likeness::Equal;
        }
        if self.is_initial() || other.is_initial() {
            let same = self.letters.first() == other.letters.first();
            return if same { Likeness::Initial } else { Likeness::Apart };
        }
        if given {
            let (these, those) = (lines_of(&self.text), lines_of(&other.text));
            if these.iter().any(|line| those.contains(line)) {
                return Likeness::Form;
            }
            // Maria is not Mario.
            let ends = (self.letters.last(), other.letters.last());
            if self.len() == other.len() && matches!(ends, (Some('a'), Some('o')) | (Some('o'), Some('a'))) {
                return Likeness::Apart;
            }
            // Two names that are written down are no slips of the pen of one another.
            if !these.is_empty() && !those.is_empty() {
                return Likeness::Apart;
            }
        }
        let shorter = self.len().min(other.len());
        if shorter >= 3 && self.sound == other.sound {
            return Likeness::Sound;
        }
        let allowed = match shorter {
            0..=3 => 0,
            4..=7 => 1,
            _ => 2,
        };
        // A slip in a name that is also written in another way: `Nandela` for `Nadella`.
        let heard = |word: &Self| word.sound.chars().collect::<Vec<_>>();
        let slips = edit_distance(&self.letters, &other.letters, allowed).is_some()
            || allowed > 0
                && self.len().max(other.len()) > 5
                && edit_distance(&heard(self), &heard(other), 1).is_some();
        if slips { Likeness::Typo } else { Likeness::Apart }
    }
}

/// Returns the approximate pronunciation, the same for the usual transliterations of a name.
fn sound_key(letters: &[char]) -> String {
    let mut sound = String::with_capacity(letters.len());
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let next = letters.get(at + 1).copied();
        let (heard, step): (&str, usize) = match (letter, next) {
            ('p', Some('h')) => ("f", 2),
            ('c', Some('k')) | ('k' | 'c' | 'q', Some('h')) => ("k", 2),
            ('t', Some('h')) | ('d', Some('t')) => ("t", 2),
            ('g', Some('h')) => ("g", 2),
            ('s', Some('h')) => ("s", 2),
            ('z', Some('h')) => ("j", 2),
            ('o', Some('o' | 'u')) => ("u", 2),
            ('e', Some('e')) => ("i", 2),
            ('a', Some('a' | 'e')) => ("a", 2),
            ('o', Some('e')) => ("o", 2),
            ('u', Some('e')) => ("u", 2),
            ('i', Some('e' | 'y')) | ('y', Some('i')) => ("i", 2),
            ('c' | 'q', _) => ("k", 1),
            ('w', _) => ("v", 1),
            ('y', _) => ("i", 1),
            ('x', _) => ("ks", 1),
            _ => ("", 1),
        };
        if heard.is_empty() {
            if !sound.ends_with(letter) {
                sound.push(letter);
            }
        } else if !sound.ends_with(heard) {
            sound.push_str(heard);
        }
        at += step;
    }
    sound
}

/// Returns the edit distance with transpositions, or `None` if it exceeds `allowed`.
pub fn edit_distance(a: &[char], b: &[char], allowed: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > allowed {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut line = Vec::with_capacity(b.len() + 1);
        line.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let change = last[j] + usize::from(x != y);
            let mut least = change.min(last[j + 1] + 1).min(line[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *y && b[j - 1] == *x {
                least = least.min(before[j - 1] + 1);
            }
            line.push(least);
        }
        if line.iter().all(|cost| *cost > allowed) {
            return None;
        }
        before = std::mem::replace(&mut last, line);
    }
    last.last().copied().filter(|cost| *cost <= allowed)
}
