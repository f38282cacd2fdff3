//! What a stretch of text is: a whole sentence, or one of the things that only stand where sentences could.

use std::sync::LazyLock;

use ibid_language::words::{Token, TokenizedText, raw_tokens};
use regex::Regex;

use super::language::TextLanguage;

/// Form of a piece of text, such as a sentence, a heading or a table row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SentenceForm {
    Sentence,
    /// A whole sentence that goes on for too long to be an answer.
    Long,
    /// Words without a beginning or an end: a line of a list, a sentence that was cut.
    Unfinished,
    Question,
    /// A heading or a title, which is never quoted.
    Heading,
    /// A row of a table, a path of navigation, a line of figures.
    Row,
    /// Nothing that could be quoted.
    Scrap,
}

/// A sentence of fewer words says too little.
const FEWEST_WORDS: usize = 4;
/// A sentence of more words says too much.
const MOST_WORDS: usize = 80;
/// No answer has more characters than this.
const LONGEST: usize = 1500;
/// A line without an end is a heading up to so many words.
const LONGEST_HEADING: usize = 12;

/// Returns the form of a piece of text and its number of words.
pub(super) fn classify_sentence(text: &str) -> (SentenceForm, usize) {
    if text.len() > 4 * LONGEST || text.chars().nth(LONGEST).is_some() {
        return (SentenceForm::Scrap, MOST_WORDS + 1);
    }
    let counts = TextCounts::from_text(text);
    (counts.sentence_form(text), counts.word_count())
}

/// Counts of characters and words, from which the form of a text is decided.
#[derive(Default)]
struct TextCounts {
    words: usize,
    /// Words of a script without spaces, which are characters.
    wide: usize,
    figures: usize,
    raised: usize,
    letters: usize,
    others: usize,
    /// Signs that stand between the cells of a row or the steps of a path.
    dividers: usize,
    is_damaged: bool,
}

impl TextCounts {
    fn from_text(text: &str) -> Self {
        let mut counts = Self::default();
        for token in raw_tokens(text).filter(Token::is_word) {
            match token.of(text).chars().next() {
                Some(first) if first >= '\u{2E80}' => counts.wide += 1,
                Some(first) if first.is_numeric() => counts.figures += 1,
                Some(first) => counts.raised += usize::from(first.is_uppercase()),
                None => {}
            }
            counts.words += 1;
        }
        for char in text.chars() {
            match char {
                '|' | '\t' | '›' | '»' | '→' | '•' | '·' | '>' | '‹' => counts.dividers += 1,
                '\u{FFFD}' => counts.is_damaged = true,
                _ if char.is_alphabetic() => counts.letters += 1,
                _ if char.is_whitespace() => {}
                _ if char.is_control() => counts.is_damaged = true,
                // Vowels of some scripts are signs of their own.
                _ => counts.others += usize::from(char.is_ascii() || char.is_numeric()),
            }
        }
        counts
    }

    /// Returns the number of words; two characters of a script without spaces count as one word.
    const fn word_count(&self) -> usize {
        self.words - self.wide + self.wide.div_ceil(2)
    }

    fn sentence_form(&self, text: &str) -> SentenceForm {
        let length = self.word_count();
        let end = text.trim_end_matches(is_closing_mark);
        // A note's number may follow the end.
        let end = NOTE.find(end).map_or(end, |note| &end[..note.start()]).trim_end_matches(is_closing_mark);
        let last = end.chars().next_back().unwrap_or(' ');
        let has_end = matches!(last, '.' | '!' | '…' | '。' | '！' | '｡' | '۔' | '।' | '॥' | '።' | '։' | '။' | '។');
        let plain = length - self.figures.min(length);
        if self.is_damaged || length < FEWEST_WORDS || self.letters < 8 && self.wide == 0 {
            return SentenceForm::Scrap;
        }
        if text.contains("://") && words_beside_addresses(text) < FEWEST_WORDS {
            return SentenceForm::Scrap;
        }
        if matches!(last, '?' | '？' | '؟') || (last == ';' && is_greek(text)) {
            return SentenceForm::Question;
        }
        if self.dividers >= 2 && !has_end || self.dividers >= 4 || self.figures > plain || self.others > self.letters {
            return SentenceForm::Row;
        }
        if text.starts_with('#') || (!has_end && self.is_heading(length)) {
            return SentenceForm::Heading;
        }
        if !has_end || text.starts_with(char::is_lowercase) {
            return SentenceForm::Unfinished;
        }
        if length > MOST_WORDS { SentenceForm::Long } else { SentenceForm::Sentence }
    }

    /// Returns true if the text is short and most of its words are capitalized.
    const fn is_heading(&self, length: usize) -> bool {
        length <= LONGEST_HEADING && self.wide == 0 && self.raised * 5 >= (self.words - self.figures) * 3
    }
}

fn words_beside_addresses(text: &str) -> usize {
    text.split_whitespace().filter(|word| !word.contains("://") && word.contains(char::is_alphabetic)).count()
}

/// Returns true for a quote or bracket that can follow the end of a sentence and belongs to it.
const fn is_closing_mark(char: char) -> bool {
    matches!(char, '"' | '\'' | '”' | '’' | '»' | '›' | '“' | ')' | ']' | '}' | '」' | '』' | '）' | '*' | '_' | ' ')
}

fn is_greek(text: &str) -> bool {
    text.chars().filter(|char| matches!(char, '\u{370}'..='\u{3FF}')).take(4).count() == 4
}

/// The numbers of notes at the end: `[3]`, `[4, 5`.
static NOTE: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"(?:\[[0-9][0-9, -]{0,14})+$"));

/// Patterns that are typical of entries in a list of references; any sentence may match one of them.
static SIGNS: LazyLock<[Regex; 5]> = LazyLock::new(|| {
    [
        r"(?i)\bdoi\b|\bhttps?://|\barxiv\b|\bisbn\b|\bissn\b",
        r"\b(?:pp?|[Vv]ol|[Nn]o)\. ?[0-9]|\b[0-9]{1,4} ?\([0-9]{1,3}\)|\b[0-9]{1,4}[–-][0-9]{1,4}\.?$",
        r"\([12][0-9]{3}[a-z]?\)[.,]|, [12][0-9]{3}[a-z]?\.$",
        r"^\[?[0-9]{1,3}[\].] \p{Lu}",
        r"\p{Lu}\p{Ll}+,? (?:\p{Lu}\. ?){1,3}(?:,|;|&|\p{Ll}{1,3} \p{Lu})|(?:^|[,;&] ?)(?:\p{Lu}\. ?){1,3}\p{Lu}\p{Ll}+,",
    ]
    .map(compile_pattern)
});

/// Number of patterns that must match before a text counts as a reference.
const SIGNS_OF_A_REFERENCE: usize = 2;

/// Returns true if a text is an entry of a list of references. Slower than the other checks of the form.
pub(super) fn is_reference(text: &str, language: TextLanguage) -> bool {
    let count = SIGNS.iter().filter(|sign| sign.is_match(text)).count();
    count >= SIGNS_OF_A_REFERENCE || count + 1 == SIGNS_OF_A_REFERENCE && names_publication(text, language)
}

/// An abbreviation at the end of a bracket: `(eds.)`.
static EDITORS: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"\b\p{L}ds?\.\)|\b\p{Lu}\p{Ll}{3}\.\)"));

/// Returns true if a text has words that stand in references: of journals, of publishers, of editors.
fn names_publication(text: &str, language: TextLanguage) -> bool {
    let words = TokenizedText::new(text, language.language());
    language.lexicon().cues.publications.is_in(&words.lower) || EDITORS.is_match(text)
}

/// A pattern that is part of the program.
#[allow(clippy::expect_used, reason = "a test compiles every one")]
fn compile_pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is right")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_told_from_what_stands_where_they_could() {
        for (text, wanted) in [
            ("The bridge was opened to traffic in 1932.", SentenceForm::Sentence),
            ("It fell by 3 percent.[4, 5]", SentenceForm::Sentence),
            ("“We never closed it,” the mayor said (in 1940).", SentenceForm::Sentence),
            ("东京塔高三百三十三米，建于一九五八年。", SentenceForm::Sentence),
            ("Die Brücke wurde 1932 eröffnet!", SentenceForm::Sentence),
            ("The Northern Line – A Short History", SentenceForm::Heading),
            ("# what this page is about", SentenceForm::Heading),
            ("How long is the bridge?", SentenceForm::Question),
            ("桥是什么时候开通的？", SentenceForm::Question),
            ("Home › Products › Bridges and tunnels › Harbour", SentenceForm::Row),
            ("Station | Opened | Passengers | Depth", SentenceForm::Row),
            ("1932 14.5 1,200 33 harbour bridge 1940 12", SentenceForm::Row),
            ("opening hours are nine to five on weekdays", SentenceForm::Unfinished),
            ("was then moved to the other bank of the river.", SentenceForm::Unfinished),
            ("Opening hours: nine to five, closed on public holidays", SentenceForm::Unfinished),
            ("See below.", SentenceForm::Scrap),
            ("Source: https://example.org/a-page-about-the-bridges-of-the-north", SentenceForm::Scrap),
            ("Damaged \u{FFFD} words are no words to quote.", SentenceForm::Scrap),
            ("– – – – –", SentenceForm::Scrap),
        ] {
            assert_eq!(classify_sentence(text).0, wanted, "{text}");
        }
        for (text, wanted) in [
            ("Sample, A. and Muster, B. (2019). On bridges. Journal of Samples 12(3), pp. 4–9.", true),
            ("[12] A. Sample, Bridges of the north, University Press, 2004.", true),
            ("The bridge was opened in 1932 (see Sample, 2004).", false),
            ("It is described in the Journal of Samples.", false),
        ] {
            assert_eq!(is_reference(text, TextLanguage(None)), wanted, "{text}");
        }
        let long = format!("It was {}long.", "very ".repeat(90));
        assert_eq!(classify_sentence(&long), (SentenceForm::Long, 93));
        assert_eq!(classify_sentence(&"word ".repeat(1000)).0, SentenceForm::Scrap);
        assert_eq!(classify_sentence("Он открыл мост в тысяча девятьсот тридцать втором году.").1, 9);
    }
}
