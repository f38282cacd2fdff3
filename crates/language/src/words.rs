//! The words of a text, with where they stand.
//!
//! A token is a word, a number in digits, a clitic or a sign. Clitics are what an apostrophe ties to a word: `l'eau` is
//! `l'` and `eau`, `don't` is `do` and `n't`. A hyphen splits a word, and the part after it is marked as joined:
//! `vingt-deux` is two tokens. A character of a script without spaces is a word by itself. White space is no token.

use std::ops::Range;

use crate::{Language, Lexicon, fold_accents};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Letters, perhaps with digits after them.
    Word,
    /// Begins with a digit; has the signs that stand between its digits: `1,250.5`, `3rd`, `2021`.
    Number,
    /// What an apostrophe ties to the word beside it: `l'`, `n't`, `'s`.
    Clitic,
    /// One character that is neither letter nor digit.
    Sign,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// What it is.
    pub kind: TokenKind,
    /// Whether a hyphen, an apostrophe or nothing stands between it and the word before.
    pub is_joined: bool,
}

impl Token {
    /// Where it stands, in bytes.
    pub const fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// It as it is written, if `text` is the text it was found in.
    pub fn of<'text>(&self, text: &'text str) -> &'text str {
        text.get(self.range()).unwrap_or_default()
    }

    /// Whether it is a word, a number or a clitic.
    pub fn is_word(&self) -> bool {
        self.kind != TokenKind::Sign
    }
}

/// A text with its tokens, which the readers of numbers, negations and questions share.
#[derive(Clone, Debug)]
pub struct TokenizedText<'text> {
    pub text: &'text str,
    /// The language it is read in.
    pub language: Language,
    /// The tokens in order.
    pub tokens: Vec<Token>,
    /// Each token as [`lower`] has it.
    pub lower: Vec<String>,
}

impl<'text> TokenizedText<'text> {
    /// Splits a text as its language does.
    pub fn new(text: &'text str, language: Language) -> Self {
        let tokens = tokens(text, language);
        let lower = tokens.iter().map(|token| lower(token.of(text))).collect();
        Self { text, language, tokens, lower }
    }

    /// A token in lower case; empty past the last one.
    pub fn lower_at(&self, place: usize) -> &str {
        self.lower.get(place).map_or("", String::as_str)
    }

    /// A token in lower case and without accents.
    pub fn folded_at(&self, place: usize) -> String {
        fold_accents(self.lower_at(place)).into_owned()
    }

    /// The bytes from the first to the last of some tokens.
    pub fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        let start = self.tokens.get(tokens.start).map_or(self.text.len(), |token| token.start);
        let end = tokens.end.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(start, |token| token.end);
        start..end.max(start)
    }
}

/// The tokens of a text, split as its language does.
pub fn tokens(text: &str, language: Language) -> Vec<Token> {
    tokens_with(text, &Lexicon::of(language).clitics)
}

/// The words, numbers and clitics of a text, without its signs.
pub fn words(text: &str, language: Language) -> impl Iterator<Item = Token> {
    tokens(text, language).into_iter().filter(Token::is_word)
}

/// A word as lists have it: in lower case, with plain apostrophes and without soft hyphens.
pub fn lower(word: &str) -> String {
    let mut lower = String::with_capacity(word.len());
    lower_into(word, &mut lower);
    lower
}

pub(crate) fn lower_into(word: &str, into: &mut String) {
    into.clear();
    for c in word.chars().filter(|c| *c != SOFT_HYPHEN) {
        if is_apostrophe(c) {
            into.push('\'');
        } else {
            into.extend(c.to_lowercase());
        }
    }
}

const SOFT_HYPHEN: char = '\u{AD}';

/// The first character of the scripts that write without spaces.
const FIRST_WIDE: char = '\u{2E80}';

pub(crate) const fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | 'ʼ' | '＇')
}

pub(crate) const fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}')
}

fn is_letter(c: char) -> bool {
    c < FIRST_WIDE && (c.is_alphanumeric() || matches!(c, SOFT_HYPHEN | '\u{300}'..='\u{36F}' | '\u{94D}'))
}

/// What an apostrophe ties to words in one language.
#[derive(Clone, Debug, Default)]
pub struct Clitics {
    /// Before a word, without the apostrophe: `l`, `dell`.
    pub before: Vec<String>,
    /// After a word, with it: `'s`, `n't`.
    pub after: Vec<String>,
    /// Words that are not split.
    pub whole: Vec<String>,
}

pub(crate) fn tokens_with(text: &str, clitics: &Clitics) -> Vec<Token> {
    let mut tokens = Vec::new();
    for token in raw_tokens(text) {
        if token.kind == TokenKind::Word {
            split_clitics(text, token, clitics, &mut tokens);
        } else {
            tokens.push(token);
        }
    }
    tokens
}

/// The tokens of a text without a look at its language: clitics are not split off.
pub fn raw_tokens(text: &str) -> impl Iterator<Item = Token> {
    let mut at = 0;
    let mut is_joined = false;
    std::iter::from_fn(move || {
        loop {
            let first = text.get(at..)?.chars().next()?;
            let start = at;
            let joined = std::mem::take(&mut is_joined);
            if first.is_alphanumeric() {
                let is_wide = first >= FIRST_WIDE;
                at += if is_wide { first.len_utf8() } else { word_length(&text[at..]) };
                let mut after = text[at..].chars();
                if after.next().is_some_and(is_hyphen) && after.next().is_some_and(char::is_alphanumeric) && !is_wide {
                    at += text[at..].chars().next().map_or(0, char::len_utf8);
                    is_joined = true;
                    let end = at - text[..at].chars().next_back().map_or(0, char::len_utf8);
                    return Some(Token { start, end, kind: kind_of(first), is_joined: joined });
                }
                return Some(Token { start, end: at, kind: kind_of(first), is_joined: joined });
            }
            at += first.len_utf8();
            if !first.is_whitespace() {
                return Some(Token { start, end: at, kind: TokenKind::Sign, is_joined: false });
            }
        }
    })
}

const fn kind_of(first: char) -> TokenKind {
    if first.is_ascii_digit() { TokenKind::Number } else { TokenKind::Word }
}

/// How many bytes the word has that `rest` begins with.
fn word_length(rest: &str) -> usize {
    let mut end = 0;
    let mut last = ' ';
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let joins = if matches!(c, '.' | ',') || is_apostrophe(c) && last.is_ascii_digit() {
            last.is_ascii_digit() && next.is_ascii_digit()
        } else {
            is_apostrophe(c) && last.is_alphabetic() && next.is_alphabetic() && next < FIRST_WIDE
        };
        if !is_letter(c) && !joins {
            break;
        }
        last = c;
        end = at + c.len_utf8();
    }
    end
}

fn split_clitics(text: &str, token: Token, clitics: &Clitics, into: &mut Vec<Token>) {
    let word = token.of(text);
    if !word.contains(is_apostrophe) || clitics.whole.contains(&lower(word)) {
        return into.push(token);
    }
    let mut token = token;
    while let Some((at, sign)) = token.of(text).char_indices().find(|(_, c)| is_apostrophe(*c)) {
        if !clitics.before.contains(&lower(&token.of(text)[..at])) {
            break;
        }
        let end = token.start + at + sign.len_utf8();
        into.push(Token { end, kind: TokenKind::Clitic, ..token });
        token = Token { start: end, is_joined: true, ..token };
    }
    let ending = clitics.after.iter().find_map(|ending| start_of_ending(token.of(text), ending));
    match ending {
        Some(at) => {
            let at = token.start + at;
            into.push(Token { end: at, ..token });
            into.push(Token { start: at, kind: TokenKind::Clitic, is_joined: true, ..token });
        }
        None => into.push(token),
    }
}

/// Where an ending begins in a word, if the word has it and something before it.
fn start_of_ending(word: &str, ending: &str) -> Option<usize> {
    let mut place = word.len();
    let mut chars = word.char_indices().rev();
    for wanted in ending.chars().rev() {
        let (at, found) = chars.next()?;
        let fits = if wanted == '\'' { is_apostrophe(found) } else { found.to_ascii_lowercase() == wanted };
        if !fits {
            return None;
        }
        place = at;
    }
    (place > 0 && place < word.len()).then_some(place)
}
