//! A sentence in its words, numbers and signs.

use std::ops::Range;

use ibid_language::{words::Clitics, words::lower};

use super::{
    lexicon::{LEXICON, LanguageWords, WordId},
    traits::Traits,
};

/// Lexical category of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexiconTokenKind {
    /// Letters, with what joins them: `O'Brien`, `al-Rashid`, `U.S.`
    Word,
    /// Begins with a digit: `3`, `2024-05-12`, `3rd`, `10:30`.
    Number,
    /// Possessive ending `'s` after a name.
    Possessive,
    /// E-mail address such as `alice@example.org`.
    Mail,
    /// User handle such as `@alice`.
    Handle,
    /// An address on the web or a path.
    Address,
    /// Any other single character.
    Sign(char),
}

/// Use of capitals in the spelling of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordShape {
    /// True if the first letter is a capital.
    pub capital: bool,
    /// It has two letters or more, all of them capitals.
    pub capitals: bool,
    /// It is one capital, or several with dots: `A`, `J.R`.
    pub initial: bool,
    /// A capital follows a small letter: `PostgreSQL`.
    pub camel: bool,
}

/// A word, number or sign of a text.
#[derive(Clone, Copy, Debug)]
pub struct LexiconToken {
    /// Offset of the first byte in the text.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
    pub kind: LexiconTokenKind,
    pub shape: WordShape,
    /// Id of the word in the lexicon; 0 if unknown.
    pub word: WordId,
    /// Properties of the word from the lexicon.
    pub traits: Traits,
    /// True if white space precedes the token.
    pub spaced: bool,
}

impl LexiconToken {
    /// Returns true if the word has any of `traits`.
    pub const fn has_trait(&self, traits: Traits) -> bool {
        self.traits & traits != 0
    }

    /// Returns true if the token is this punctuation character.
    pub fn is_sign(&self, sign: char) -> bool {
        self.kind == LexiconTokenKind::Sign(sign)
    }

    /// Returns true for a word that begins with a capital.
    pub fn is_capital(&self) -> bool {
        self.kind == LexiconTokenKind::Word && (self.shape.capital || self.shape.camel)
    }

    /// Returns the token's words from the text it was read from.
    pub fn text_in<'text>(&self, text: &'text str) -> &'text str {
        text.get(self.start..self.end).unwrap_or("")
    }
}

/// Longest words in bytes that are looked up; longer ones are known by no list.
const LONGEST: usize = 64;

/// Puts the tokens of a range into `tokens`, which is emptied first.
pub fn tokenize(text: &str, range: Range<usize>, words: &LanguageWords, tokens: &mut Vec<LexiconToken>) {
    tokens.clear();
    let mut lowered = String::new();
    let mut at = range.start;
    let mut spaced = true;
    while let Some(first) = text.get(at..range.end).and_then(|rest| rest.chars().next()) {
        if first.is_whitespace() || first == '\u{200b}' {
            spaced = true;
            at += first.len_utf8();
            continue;
        }
        let rest = text.get(at..range.end).unwrap_or("");
        let (length, kind) = if first.is_alphanumeric() {
            email_length(rest).or_else(|| url_length(rest)).or_else(|| domain_length(rest)).unwrap_or_else(|| {
                let elided = elision_length(rest, words, at == range.start);
                elided.map_or_else(|| word_length(rest, first), |length| (length, LexiconTokenKind::Word))
            })
        } else if first == '@' && spaced {
            handle_length(rest).unwrap_or((1, LexiconTokenKind::Sign('@')))
        } else if matches!(first, '\'' | '’') && !spaced {
            possessive_length(rest).unwrap_or((first.len_utf8(), LexiconTokenKind::Sign(first)))
        } else {
            (first.len_utf8(), LexiconTokenKind::Sign(first))
        };
        let said = text.get(at..at + length).unwrap_or("");
        let mut token =
            LexiconToken { start: at, end: at + length, kind, shape: WordShape::default(), word: 0, traits: 0, spaced };
        if matches!(kind, LexiconTokenKind::Word | LexiconTokenKind::Number) {
            token.shape = word_shape(said);
            if said.len() <= LONGEST {
                token.word = LEXICON.word_id(lowercase_word(said, &mut lowered));
                token.traits = words.traits(token.word);
                if token.word == 0 && lowered.contains('-') {
                    token.traits = LEXICON.traits_of_parts(&lowered);
                    // `Transformer-based` is no name; `Al-rashid` and `O'Neill-van` are too rare to matter.
                    let small =
                        said.split('-').skip(1).any(|part| part.len() > 1 && part.starts_with(char::is_lowercase));
                    token.shape.capital &= !small;
                    token.shape.camel &= !small;
                }
            }
        }
        tokens.push(token);
        spaced = false;
        at += length.max(1);
    }
}

/// The word in lower case with plain apostrophes.
fn lowercase_word<'lower>(word: &str, lower: &'lower mut String) -> &'lower str {
    lower.clear();
    for c in word.chars() {
        match c {
            '’' => lower.push('\''),
            _ if c.is_ascii() => lower.push(c.to_ascii_lowercase()),
            _ => lower.extend(c.to_lowercase()),
        }
    }
    lower.as_str()
}

fn word_shape(word: &str) -> WordShape {
    let mut shape = WordShape::default();
    let (mut letters, mut upper, mut after_small) = (0, 0, false);
    let mut dotted = true;
    for (place, c) in word.chars().enumerate() {
        if c.is_uppercase() {
            shape.capital |= place == 0;
            shape.camel |= after_small;
            upper += 1;
        }
        after_small = c.is_lowercase();
        letters += usize::from(c.is_alphabetic());
        dotted &= if place % 2 == 0 { c.is_uppercase() } else { c == '.' };
    }
    shape.capitals = letters >= 2 && upper == letters && !dotted;
    shape.initial = dotted && upper > 0;
    // `al-Rashid`, `d'Alembert`
    shape.capital |= !shape.capital && word.contains(['-', '\'', '’']) && LEXICON.has_name_article(word);
    // `CLIPScore`, but not `O'Neill` and `Jean-Luc`.
    shape.camel |= upper > 2 && upper < letters && !word.contains(['-', '\'', '’']);
    shape
}

/// The length of the word or number that `rest` begins with.
fn word_length(rest: &str, first: char) -> (usize, LexiconTokenKind) {
    let number = first.is_ascii_digit();
    let mut end = 0;
    // Whether only single letters with dots were read, as in `U.S` and `e.g`.
    let mut dotted = true;
    let mut run = 0;
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_alphanumeric() || is_mark(c) {
            run += 1;
            dotted &= run == 1;
            end = at + c.len_utf8();
            continue;
        }
        let next = chars.peek().map(|(_, next)| *next);
        let joined = next.is_some_and(char::is_alphanumeric);
        let joins = match c {
            '\'' | '’' => {
                // `'s` is taken off, unless a letter follows it as in `O'Shea`.
                let after = rest.get(at + c.len_utf8()..).unwrap_or("");
                joined && possessive_end(after).is_none()
            }
            '-' | '‐' | '‑' | '_' => joined,
            '.' => {
                joined
                    && ((number && next.is_some_and(|next| next.is_ascii_digit())) || (!number && dotted && run == 1))
            }
            ',' | ':' | '/' => number && next.is_some_and(|next| next.is_ascii_digit()),
            '&' => joined && run <= 2 && next.is_some_and(char::is_uppercase),
            _ => false,
        };
        if !joins {
            break;
        }
        if c == '-' || c == '\'' || c == '’' {
            dotted = false;
        }
        run = 0;
    }
    (end.max(first.len_utf8()), if number { LexiconTokenKind::Number } else { LexiconTokenKind::Word })
}

/// The length of a little word that an apostrophe ties to the word after it: `l'` in `l'équipe`. In a language that has
/// such forms in names only, as English has, they stay with the name; so do those with a capital: `D'Angelo`.
fn elision_length(rest: &str, words: &LanguageWords, opens: bool) -> Option<usize> {
    if !words.has_elisions {
        return None;
    }
    let at = rest.char_indices().take(LONGEST_ELISION).find(|(_, c)| !c.is_alphabetic())?.0;
    let sign = rest.get(at..)?.chars().next().filter(|sign| matches!(sign, '\'' | '’'))?;
    let length = at + sign.len_utf8();
    let after = rest.get(length..)?;
    let is_name = !opens && rest.starts_with(char::is_uppercase) && after.starts_with(char::is_uppercase);
    let is_tied = after.starts_with(char::is_alphanumeric) && !is_name;
    let clitics: &Clitics = &words.lexicon.clitics;
    let form = lower(rest.get(..length)?);
    let is_elided = clitics.before.iter().any(|known| form.strip_suffix('\'') == Some(known));
    let is_whole = || clitics.whole.iter().any(|whole| lower(rest.get(..whole.len()).unwrap_or("")) == *whole);
    (is_tied && is_elided && words.lexicon.is_little(&form) && !is_whole()).then_some(length)
}

/// More letters than any elided word has.
const LONGEST_ELISION: usize = 9;

/// Combining marks, which belong to the letter before them.
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Returns the end of a possessive `s` after an apostrophe, or `None` if other letters follow.
fn possessive_end(after: &str) -> Option<usize> {
    let mut chars = after.chars();
    let fits = matches!(chars.next(), Some('s' | 'S')) && !chars.next().is_some_and(char::is_alphanumeric);
    fits.then_some(1)
}

fn possessive_length(rest: &str) -> Option<(usize, LexiconTokenKind)> {
    let mark = rest.chars().next()?.len_utf8();
    possessive_end(rest.get(mark..)?).map(|length| (mark + length, LexiconTokenKind::Possessive))
}

const fn is_mail_sign(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+' | b'%')
}

/// The length of the e-mail address that `rest` begins with.
fn email_length(rest: &str) -> Option<(usize, LexiconTokenKind)> {
    let bytes = rest.as_bytes();
    let local = bytes.iter().take(65).take_while(|byte| is_mail_sign(**byte)).count();
    if local == 0 || bytes.get(local) != Some(&b'@') {
        return None;
    }
    let domain = bytes.get(local + 1..)?;
    let mut length =
        domain.iter().take(255).take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')).count();
    while length > 0 && matches!(domain.get(length - 1), Some(b'.' | b'-')) {
        length -= 1;
    }
    let has_dot = domain.get(..length)?.contains(&b'.');
    has_dot.then_some((local + 1 + length, LexiconTokenKind::Mail))
}

/// The length of the address on the web that `rest` begins with.
fn url_length(rest: &str) -> Option<(usize, LexiconTokenKind)> {
    let begins = ["http://", "https://", "ftp://", "mailto:", "www."].iter().any(|scheme| rest.starts_with(scheme));
    if !begins {
        return None;
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | ')' | ']' | '|');
    let length = rest.find(ends).unwrap_or(rest.len());
    let said = rest.get(..length)?.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    Some((said.len(), LexiconTokenKind::Address))
}

/// Last parts of the names of sites that stand in prose without `www`.
const TOP_DOMAINS: &[&str] = &[
    "com", "org", "net", "de", "io", "eu", "gov", "edu", "info", "fr", "es", "it", "nl", "at", "ch", "tv", "uk", "br",
    "pt", "ai", "app", "dev", "us", "me", "co", "biz",
];

/// The length of the name of a site, with its path: `LiveNation.com`, `pic.twitter.com/x`.
fn domain_length(rest: &str) -> Option<(usize, LexiconTokenKind)> {
    let host =
        rest.bytes().take(80).take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')).count();
    let host = rest.get(..host)?.trim_end_matches(['.', '-']);
    let (name, top) = host.rsplit_once('.')?;
    let has_name = name.split('.').all(|part| part.len() > 1) && name.bytes().any(|byte| byte.is_ascii_alphabetic());
    let goes_on = rest.get(host.len()..)?.starts_with(|c: char| c.is_alphanumeric() || c == '@' || c == '_');
    if !has_name || goes_on || !TOP_DOMAINS.contains(&top) {
        return None;
    }
    let path = rest.get(host.len()..).filter(|rest| rest.starts_with('/')).unwrap_or("");
    let ends = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | ')' | ']' | '|' | ',');
    let path = path.get(..path.find(ends).unwrap_or(path.len()))?.trim_end_matches(['.', ';', ':', '!', '?']);
    Some((host.len() + path.len(), LexiconTokenKind::Address))
}

/// The length of the handle that `rest` begins with.
fn handle_length(rest: &str) -> Option<(usize, LexiconTokenKind)> {
    let bytes = rest.as_bytes().get(1..)?;
    let mut length = bytes
        .iter()
        .take(40)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        .count();
    while length > 0 && matches!(bytes.get(length - 1), Some(b'.' | b'-')) {
        length -= 1;
    }
    (length >= 2 && bytes.first().is_some_and(u8::is_ascii_alphabetic))
        .then_some((length + 1, LexiconTokenKind::Handle))
}

#[cfg(test)]
mod tests {
    use ibid_language::Language;

    use super::*;

    fn said(text: &str) -> Vec<&str> {
        said_in(Language::ENGLISH, text)
    }

    fn said_in(language: Language, text: &str) -> Vec<&str> {
        let mut tokens = Vec::new();
        tokenize(text, 0..text.len(), LEXICON.language(language), &mut tokens);
        tokens.iter().map(|token| token.text_in(text)).collect()
    }

    #[test]
    fn names_numbers_and_addresses_stay_whole() {
        assert_eq!(
            said("O'Brien’s U.S. trip: al-Rashid <a.b@acme.com>, 2024-05-12 3.1M."),
            [
                "O'Brien",
                "’s",
                "U.S",
                ".",
                "trip",
                ":",
                "al-Rashid",
                "<",
                "a.b@acme.com",
                ">",
                ",",
                "2024-05-12",
                "3.1M",
                "."
            ]
        );
        assert_eq!(
            said("@bob-l I'll see https://x.org/a?b. AT&T, don't"),
            ["@bob-l", "I'll", "see", "https://x.org/a?b", ".", "AT&T", ",", "don't"]
        );
        assert_eq!(
            said("on Example.com. See pic.example.org/a2, e.g. so U.S.A."),
            ["on", "Example.com", ".", "See", "pic.example.org/a2", ",", "e.g", ".", "so", "U.S.A", "."]
        );
    }

    #[test]
    fn what_an_apostrophe_ties_to_a_word_is_split_where_the_language_does_so() {
        assert_eq!(
            said_in(Language::FRENCH, "L’équipe s'engage aujourd'hui, d'Alice"),
            ["L’", "équipe", "s'", "engage", "aujourd'hui", ",", "d'", "Alice"]
        );
        assert_eq!(said_in(Language::ITALIAN, "dall'azienda, po'"), ["dall'", "azienda", ",", "po", "'"]);
        assert_eq!(said("d'Alembert didn't"), ["d'Alembert", "didn't"]);
    }

    #[test]
    fn a_word_is_told_by_its_letters() {
        let mut tokens = Vec::new();
        let english = LEXICON.language(Language::ENGLISH);
        tokenize("A J.R WHO PostgreSQL Ümit", 0..26, english, &mut tokens);
        let shapes: Vec<_> =
            tokens.iter().map(|t| (t.shape.capital, t.shape.capitals, t.shape.initial, t.shape.camel)).collect();
        assert_eq!(
            shapes,
            [
                (true, false, true, false),
                (true, false, true, false),
                (true, true, false, false),
                (true, false, false, true),
                (true, false, false, false)
            ]
        );
    }
}
