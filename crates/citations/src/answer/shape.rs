//! What a stretch of text is: a whole sentence, or one of the things that only stand where sentences could.

use std::sync::LazyLock;

use regex::Regex;

use crate::verify::words::{Piece, pieces};

/// What a stretch of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A whole sentence.
    Sentence,
    /// A whole sentence that goes on for too long to be an answer.
    Long,
    /// Words without a beginning or an end: a line of a list, a sentence that was cut.
    Unfinished,
    /// A question.
    Question,
    /// A heading, or a title.
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

/// What a stretch of text is, and how many words it has.
pub(super) fn shape(text: &str) -> (Shape, usize) {
    if text.len() > 4 * LONGEST || text.chars().nth(LONGEST).is_some() {
        return (Shape::Scrap, MOST_WORDS + 1);
    }
    let counts = Counts::of(text);
    (counts.shape(text), counts.length())
}

/// What a stretch of text has how often.
#[derive(Default)]
struct Counts {
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

impl Counts {
    fn of(text: &str) -> Self {
        let mut counts = Self::default();
        for piece in pieces(text) {
            let Piece::Word(word) = piece else { continue };
            match word.chars().next() {
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

    /// How many words; two characters of a script without spaces are about one.
    const fn length(&self) -> usize {
        self.words - self.wide + self.wide.div_ceil(2)
    }

    fn shape(&self, text: &str) -> Shape {
        let length = self.length();
        let end = text.trim_end_matches(closes);
        // A note's number may follow the end.
        let end = NOTE.find(end).map_or(end, |note| &end[..note.start()]).trim_end_matches(closes);
        let last = end.chars().next_back().unwrap_or(' ');
        let has_end = matches!(last, '.' | '!' | '…' | '。' | '！' | '｡' | '۔' | '।' | '॥' | '።' | '։' | '။' | '។');
        let plain = length - self.figures.min(length);
        if self.is_damaged || length < FEWEST_WORDS || self.letters < 8 && self.wide == 0 {
            return Shape::Scrap;
        }
        if text.contains("://") && words_beside_addresses(text) < FEWEST_WORDS {
            return Shape::Scrap;
        }
        if matches!(last, '?' | '？' | '؟') || (last == ';' && is_greek(text)) {
            return Shape::Question;
        }
        if self.dividers >= 2 && !has_end || self.dividers >= 4 || self.figures > plain || self.others > self.letters {
            return Shape::Row;
        }
        if text.starts_with('#') || (!has_end && self.is_heading(length)) {
            return Shape::Heading;
        }
        if !has_end || text.starts_with(char::is_lowercase) {
            return Shape::Unfinished;
        }
        if length > MOST_WORDS { Shape::Long } else { Shape::Sentence }
    }

    /// Whether most of few words are raised.
    const fn is_heading(&self, length: usize) -> bool {
        length <= LONGEST_HEADING && self.wide == 0 && self.raised * 5 >= (self.words - self.figures) * 3
    }
}

fn words_beside_addresses(text: &str) -> usize {
    text.split_whitespace().filter(|word| !word.contains("://") && word.contains(char::is_alphabetic)).count()
}

/// What may follow the end of a sentence and belongs to it.
const fn closes(char: char) -> bool {
    matches!(char, '"' | '\'' | '”' | '’' | '»' | '›' | '“' | ')' | ']' | '}' | '」' | '』' | '）' | '*' | '_' | ' ')
}

fn is_greek(text: &str) -> bool {
    text.chars().filter(|char| matches!(char, '\u{370}'..='\u{3FF}')).take(4).count() == 4
}

/// The numbers of notes at the end: `[3]`, `[4, 5`.
static NOTE: LazyLock<Regex> = LazyLock::new(|| fixed(r"(?:\[[0-9][0-9, -]{0,14})+$"));

/// What entries of a list of references have; one of these may stand in any sentence.
static SIGNS: LazyLock<[Regex; 6]> = LazyLock::new(|| {
    [
        r"(?i)\bdoi\b|\bhttps?://|\barxiv\b|\bisbn\b|\bissn\b",
        r"\b(?:pp?|[Vv]ol|[Nn]o)\. ?[0-9]|\b[0-9]{1,4} ?\([0-9]{1,3}\)|\b[0-9]{1,4}[–-][0-9]{1,4}\.?$",
        r"\bIn:? Proc|\bProceedings of|\bJournal of\b|\bTrans\. |\bConference on\b|\bUniversity Press\b|\beds?\.\)",
        r"\([12][0-9]{3}[a-z]?\)[.,]|, [12][0-9]{3}[a-z]?\.$",
        r"^\[?[0-9]{1,3}[\].] \p{Lu}",
        r"\p{Lu}\p{Ll}+,? (?:\p{Lu}\. ?){1,3}(?:,|;|&|and\b)|(?:^|[,;&] ?)(?:\p{Lu}\. ?){1,3}\p{Lu}\p{Ll}+,",
    ]
    .map(fixed)
});

/// How many of the signs make an entry.
const SIGNS_OF_A_REFERENCE: usize = 2;

/// Whether a stretch of text is an entry of a list of references. This takes longer than to tell what else it is.
pub(super) fn is_reference(text: &str) -> bool {
    SIGNS.iter().filter(|sign| sign.is_match(text)).nth(SIGNS_OF_A_REFERENCE - 1).is_some()
}

/// A pattern that is part of the program.
#[allow(clippy::expect_used, reason = "a test compiles every one")]
fn fixed(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is right")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_told_from_what_stands_where_they_could() {
        for (text, wanted) in [
            ("The bridge was opened to traffic in 1932.", Shape::Sentence),
            ("It fell by 3 percent.[4, 5]", Shape::Sentence),
            ("“We never closed it,” the mayor said (in 1940).", Shape::Sentence),
            ("东京塔高三百三十三米，建于一九五八年。", Shape::Sentence),
            ("Die Brücke wurde 1932 eröffnet!", Shape::Sentence),
            ("The Northern Line – A Short History", Shape::Heading),
            ("# what this page is about", Shape::Heading),
            ("How long is the bridge?", Shape::Question),
            ("桥是什么时候开通的？", Shape::Question),
            ("Home › Products › Bridges and tunnels › Harbour", Shape::Row),
            ("Station | Opened | Passengers | Depth", Shape::Row),
            ("1932 14.5 1,200 33 harbour bridge 1940 12", Shape::Row),
            ("opening hours are nine to five on weekdays", Shape::Unfinished),
            ("was then moved to the other bank of the river.", Shape::Unfinished),
            ("Opening hours: nine to five, closed on public holidays", Shape::Unfinished),
            ("See below.", Shape::Scrap),
            ("Source: https://example.org/a-page-about-the-bridges-of-the-north", Shape::Scrap),
            ("Damaged \u{FFFD} words are no words to quote.", Shape::Scrap),
            ("– – – – –", Shape::Scrap),
        ] {
            assert_eq!(shape(text).0, wanted, "{text}");
        }
        for (text, wanted) in [
            ("Sample, A. and Muster, B. (2019). On bridges. Journal of Samples 12(3), pp. 4–9.", true),
            ("[12] A. Sample, Bridges of the north, University Press, 2004.", true),
            ("The bridge was opened in 1932 (see Sample, 2004).", false),
            ("It is described in the Journal of Samples.", false),
        ] {
            assert_eq!(is_reference(text), wanted, "{text}");
        }
        let long = format!("It was {}long.", "very ".repeat(90));
        assert_eq!(shape(&long), (Shape::Long, 93));
        assert_eq!(shape(&"word ".repeat(1000)).0, Shape::Scrap);
        assert_eq!(shape("Он открыл мост в тысяча девятьсот тридцать втором году.").1, 9);
    }
}
