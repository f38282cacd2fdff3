//! Lists of words and of phrases of several words, found among the tokens of a text.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

/// Words in lower case.
#[derive(Clone, Debug, Default)]
pub struct WordList(HashSet<String>);

impl WordList {
    /// Whether a word in lower case is in the list.
    pub fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// The words, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether it has no words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<String> for WordList {
    fn from_iter<I: IntoIterator<Item = String>>(words: I) -> Self {
        Self(words.into_iter().collect())
    }
}

/// Phrases of one or more words in lower case, each with a value.
#[derive(Clone, Debug)]
pub struct PhraseMap<T> {
    /// By the first word: the words after it and the value, the longest first.
    tails: HashMap<String, Vec<(Vec<String>, T)>>,
}

/// Phrases without values.
pub type Phrases = PhraseMap<()>;

impl<T> Default for PhraseMap<T> {
    fn default() -> Self {
        Self { tails: HashMap::new() }
    }
}

impl<T: Copy> PhraseMap<T> {
    /// Adds a phrase, given as its words.
    pub fn insert(&mut self, mut words: Vec<String>, value: T) {
        if words.is_empty() {
            return;
        }
        let first = words.remove(0);
        let tails = self.tails.entry(first).or_default();
        if tails.iter().all(|(known, _)| *known != words) {
            let place = tails.partition_point(|(known, _)| known.len() >= words.len());
            tails.insert(place, (words, value));
        }
    }

    /// The longest phrase that begins at a place: how many words it has, and its value.
    pub fn longest_at(&self, words: &[impl AsRef<str>], place: usize) -> Option<(usize, T)> {
        let after = words.get(place + 1..).unwrap_or_default();
        let tails = self.tails.get(words.get(place)?.as_ref())?;
        let fits = |tail: &[String]| tail.len() <= after.len() && tail.iter().zip(after).all(|(a, b)| a == b.as_ref());
        tails.iter().find(|(tail, _)| fits(tail)).map(|(tail, value)| (tail.len() + 1, *value))
    }

    /// The longest phrase that ends right before a place: where it begins, and its value.
    pub fn longest_before(&self, words: &[impl AsRef<str>], place: usize) -> Option<(usize, T)> {
        (place.saturating_sub(MOST_WORDS)..place).find_map(|start| {
            let words = words.get(..place)?;
            self.longest_at(words, start).filter(|(length, _)| start + length == place).map(|(_, value)| (start, value))
        })
    }

    /// The first phrase among words, the longest where two begin together.
    pub fn find(&self, words: &[impl AsRef<str>]) -> Option<(Range<usize>, T)> {
        (0..words.len()).find_map(|place| {
            let (length, value) = self.longest_at(words, place)?;
            Some((place..place + length, value))
        })
    }

    /// The value of a phrase of one word.
    pub fn get(&self, word: &str) -> Option<T> {
        self.tails.get(word)?.iter().find(|(tail, _)| tail.is_empty()).map(|(_, value)| *value)
    }

    /// The phrases of one word, in no order.
    pub fn single_words(&self) -> impl Iterator<Item = &str> {
        let singles = self.tails.iter().filter(|(_, tails)| tails.iter().any(|(tail, _)| tail.is_empty()));
        singles.map(|(word, _)| word.as_str())
    }

    /// Whether a single word is in the list.
    pub fn contains(&self, word: &str) -> bool {
        self.get(word).is_some()
    }

    /// Whether any phrase stands among words.
    pub fn is_in(&self, words: &[impl AsRef<str>]) -> bool {
        self.find(words).is_some()
    }

    /// The first words of the phrases, in no order.
    pub fn first_words(&self) -> impl Iterator<Item = &str> {
        self.tails.keys().map(String::as_str)
    }

    /// Whether it has no phrases.
    pub fn is_empty(&self) -> bool {
        self.tails.is_empty()
    }
}

/// The most words of a phrase that is looked for before a place.
const MOST_WORDS: usize = 5;
