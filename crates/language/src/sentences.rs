//! Where sentences end.
//!
//! The rules of Unicode alone cut after `e.g.`, `Dr.` and `Fig. 3`, and at the end of every line. Here a full stop is
//! looked at together with the word before it and the word after it, and a line that was only wrapped goes on.

use crate::lexicon::SENTENCE_WORDS;
use std::{collections::HashSet, ops::Range};

/// The byte ranges of the sentences of a text, in order: without the blank space around them, and every non-blank
/// character in one of them.
///
/// A paragraph ends a sentence; so does a line, unless the paragraph looks wrapped at a width.
pub fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    paragraphs(text).flat_map(move |paragraph| sentences_of(text, paragraph))
}

/// The same sentences as ranges of characters (Unicode scalar values).
pub fn sentence_spans(text: &str) -> impl Iterator<Item = Range<usize>> {
    let (mut byte, mut place) = (0, 0);
    sentences(text).map(move |found| {
        let start = place + char_count(text, byte..found.start);
        let end = start + char_count(text, found.clone());
        (byte, place) = (found.end, end);
        start..end
    })
}

/// How many characters a range of bytes holds.
pub fn char_count(text: &str, bytes: Range<usize>) -> usize {
    text.get(bytes).map_or(0, |part| part.chars().count())
}

/// The byte ranges between empty lines, without the blank space around them.
pub fn paragraphs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            if from >= text.len() {
                return None;
            }
            let start = from;
            let mut end = text.len();
            from = end;
            let mut line = start;
            while let Some(length) = text[line..].find('\n') {
                let next = line + length + 1;
                // Is the line that follows blank?
                let following = text[next..].find('\n').map_or(text.len(), |length| next + length);
                if text[next..following].trim().is_empty() {
                    end = line + length;
                    from = following;
                    break;
                }
                line = next;
            }
            if let Some(found) = trimmed(text, start..end) {
                return Some(found);
            }
        }
    })
}

/// The range without blank space at its ends, if anything is left.
pub fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let part = text.get(range.clone())?;
    let start = range.start + (part.len() - part.trim_start().len());
    let end = range.end - (part.len() - part.trim_end().len());
    (start < end).then_some(start..end)
}

/// The byte ranges of the sentences of one paragraph.
pub fn sentences_of(text: &str, paragraph: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for part in lines_that_go_on(text, paragraph) {
        let mut start = part.start;
        while let Some(end) = sentence_end(text, start, part.end) {
            found.extend(trimmed(text, start..end));
            start = end;
        }
        found.extend(trimmed(text, start..part.end));
    }
    found
}

/// The paragraph in its lines, or whole where its lines are wrapped.
fn lines_that_go_on(text: &str, paragraph: Range<usize>) -> Vec<Range<usize>> {
    let body = &text[paragraph.clone()];
    if !body.contains('\n') {
        return vec![paragraph];
    }
    let wrapped = is_wrapped(body);
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut at = paragraph.start;
    let mut before = "";
    for line in body.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let line = line.trim();
        let begins_low = line.starts_with(char::is_lowercase);
        // A short line, or a row of a table, does not go on in the next one only because that begins in lower case.
        let may_go_on = before.len() >= 25 && !before.contains(['|', '\t']);
        match parts.last_mut() {
            Some(last) if !is_item(line) && (wrapped || (begins_low && may_go_on)) => last.end = range.end,
            _ => parts.push(range),
        }
        before = line;
    }
    parts
}

/// Whether all lines but the last have about one length, as prose that was broken at a width has.
fn is_wrapped(body: &str) -> bool {
    let mut lines = body.lines().map(|line| line.trim().chars().count());
    let (mut shortest, mut longest, mut last) = (usize::MAX, 0, lines.next().unwrap_or(0));
    for line in lines {
        shortest = shortest.min(last);
        longest = longest.max(last);
        last = line;
    }
    (35..=160).contains(&longest) && shortest * 3 >= longest * 2 && last <= longest + 10
}

/// Whether a line begins as an item of a list does.
fn is_item(line: &str) -> bool {
    let mut chars = line.chars();
    match chars.next() {
        Some('•' | '‣' | '◦' | '▪' | '·' | '–' | '—' | '-' | '*' | '+') => {
            chars.next().is_some_and(char::is_whitespace)
        }
        Some(first) if first.is_alphanumeric() => {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            let rest = if rest.len() == line.len() { chars.as_str() } else { rest };
            let mut after = rest.chars();
            matches!(after.next(), Some('.' | ')')) && after.next().is_some_and(char::is_whitespace)
        }
        _ => false,
    }
}

/// Whether a character ends a sentence when a space follows.
const fn is_end(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '…'
            | '‼'
            | '⁇'
            | '⁈'
            | '⁉'
            | '‽'
            | '؟'
            | '۔'
            | '।'
            | '॥'
            | '።'
            | '፧'
            | '։'
            | '။'
            | '។'
    ) || is_wide_end(c)
}

/// Whether a character ends a sentence even when no space follows.
const fn is_wide_end(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡')
}

/// Whether a character closes what was opened earlier, and so belongs to the sentence before it.
const fn is_closing(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '”'
            | '’'
            | '»'
            | '›'
            | '“'
            | ')'
            | ']'
            | '}'
            | '」'
            | '』'
            | '】'
            | '）'
            | '〉'
            | '》'
            | '］'
            | '〕'
    )
}

/// Where the sentence that begins at `start` ends, unless that is the end of the part.
fn sentence_end(text: &str, start: usize, limit: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let part = text.get(at..limit)?;
        let (stop, first) = find_end(part)?;
        let stop = at + stop;
        let mut wide = is_wide_end(first);
        let mut plain = first == '.';
        let mut end = stop + first.len_utf8();
        // What else ends or closes here belongs to this sentence, and so does a note's number in brackets.
        loop {
            let rest = &text[end..limit];
            let next = rest.chars().next()?;
            if is_end(next) {
                wide |= is_wide_end(next);
                plain = false;
            } else if let Some(length) = note_number(rest) {
                end += length;
                continue;
            } else if !is_closing(next) {
                break;
            }
            end += next.len_utf8();
        }
        let rest = &text[end..limit];
        let spaced = rest.starts_with(char::is_whitespace);
        let follows = rest.trim_start();
        if follows.is_empty() {
            return None;
        }
        let ends = wide
            || (spaced && {
                let next = follows.trim_start_matches(|c: char| !c.is_alphanumeric() && !c.is_whitespace());
                let goes_on = next.chars().next().is_some_and(char::is_lowercase);
                !(goes_on || (plain && is_abbreviation(&text[start..stop], follows)))
            });
        if ends {
            return Some(end);
        }
        at = end;
    }
}

/// The first character that may end a sentence. Most text is ASCII, so bytes are looked at first.
fn find_end(part: &str) -> Option<(usize, char)> {
    let bytes = part.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte < 0x80 {
            if matches!(byte, b'.' | b'!' | b'?') {
                return Some((at, char::from(byte)));
            }
            at += 1;
            continue;
        }
        let next = part.get(at..)?.chars().next()?;
        if is_end(next) {
            return Some((at, next));
        }
        at += next.len_utf8();
    }
    None
}

/// The length of `[3]` or `[3, 4]` at the beginning of `rest`.
fn note_number(rest: &str) -> Option<usize> {
    let within = rest.strip_prefix('[')?;
    let close = within.bytes().take(16).position(|byte| byte == b']')?;
    let number = &within[..close];
    let fits = number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b' ' | b'-'));
    fits.then_some(close + 2)
}

/// Whether a word is the name of a month, or another word that a number with a full stop may stand before.
pub fn may_follow_ordinal(word: &str) -> bool {
    is_one_of(word, &SENTENCE_WORDS.after_ordinal)
}

/// Whether the full stop after `before` belongs to an abbreviation, an initial or a number, so that the sentence goes
/// on with `follows`.
///
/// `before` reaches back to the beginning of the sentence.
pub fn is_abbreviation(before: &str, follows: &str) -> bool {
    let opening = |c: char| !c.is_alphanumeric() && c != '.';
    let word = before.rsplit(char::is_whitespace).next().unwrap_or(before);
    let earlier = before[..before.len() - word.len()].trim_end();
    let word = word.trim_start_matches(opening);
    // In `Smith-J` and `(pp` only the last piece counts.
    let word = word.rsplit(['-', '–', '(', '/']).next().unwrap_or(word);
    let mut letters = word.chars();
    let Some(first) = letters.next() else { return false };
    let single = letters.next().is_none();
    let follows = follows.trim_start_matches(opening);
    let number_follows = follows.starts_with(|c: char| c.is_ascii_digit());
    let next = follows.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(follows);

    if first.is_ascii_digit() && word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        // `1. Introduction` and `## 1. Introduction` at the beginning, `am 3. Mai` within.
        return !earlier.contains(char::is_alphanumeric) || (word.len() <= 2 && may_follow_ordinal(next));
    }
    if single && first.is_uppercase() && first.is_alphabetic() {
        // An initial; `and so did I. Then` is none.
        let last = earlier.rsplit(char::is_whitespace).next().unwrap_or("").chars().find(|c| c.is_alphabetic());
        return !(is_one_of(next, &SENTENCE_WORDS.starters) && last.is_some_and(char::is_lowercase));
    }
    if SENTENCE_WORDS.before_number_exactly.contains(word) {
        return number_follows;
    }
    // `A. B. Smith` without spaces, and the like.
    let initials = word.len() >= 3
        && word.split('.').all(|letter| letter.chars().count() == 1 && letter.chars().all(char::is_uppercase));
    is_one_of(word, &SENTENCE_WORDS.never_end)
        || (number_follows && is_one_of(word, &SENTENCE_WORDS.before_number))
        || ((initials || is_one_of(word, &SENTENCE_WORDS.rarely_end)) && !is_one_of(next, &SENTENCE_WORDS.starters))
}

/// The most bytes of a word of the lists.
const LONGEST: usize = 32;

/// Whether a word stands in a list, in any case.
fn is_one_of(word: &str, list: &HashSet<String>) -> bool {
    word.len() <= LONGEST && list.contains(word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn split(text: &str, expected: &[&str]) {
        let found: Vec<&str> = sentences(text).map(|range| &text[range]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_sentence_ends_at_its_mark_with_what_closes_it() {
        split("One. Two! “Three?” Four… (Five.) Six", &["One.", "Two!", "“Three?”", "Four…", "(Five.)", "Six"]);
        split(
            "It grew.[3] Then it fell.[4, 5] It was 3.14 in v2.0.1.",
            &["It grew.[3]", "Then it fell.[4, 5]", "It was 3.14 in v2.0.1."],
        );
        split("“Really?” he asked. Yes.", &["“Really?” he asked.", "Yes."]);
        split("  \n ", &[]);
    }

    #[test]
    fn abbreviations_initials_and_numbers_do_not_end_a_sentence() {
        split(
            "We met Dr. Sample, e.g. in Fig. 3 and Eq. (4). J. R. Sample et al. Journal of Samples agrees.",
            &["We met Dr. Sample, e.g. in Fig. 3 and Eq. (4).", "J. R. Sample et al. Journal of Samples agrees."],
        );
        split(
            "## 1. Damage by the storm\n\n1. Each boat stays.",
            &["## 1. Damage by the storm", "1. Each boat stays."],
        );
        split("He lives in the U.S. The rest do not.", &["He lives in the U.S.", "The rest do not."]);
        split(
            "At 5 p.m. Eastern it ended. So did I. Then we left.",
            &["At 5 p.m. Eastern it ended.", "So did I.", "Then we left."],
        );
        split(
            "1. Introduction to it. No. 5 is best. Say no. 12 did.",
            &["1. Introduction to it.", "No. 5 is best.", "Say no.", "12 did."],
        );
        split(
            "Am 3. Mai kam er, z.B. mit Prof. Muster. Dann ging er.",
            &["Am 3. Mai kam er, z.B. mit Prof. Muster.", "Dann ging er."],
        );
        split("It was in 2020. Later it was not.", &["It was in 2020.", "Later it was not."]);
    }

    #[test]
    fn scripts_without_spaces_end_their_sentences_too() {
        split("これは文です。次の文！「はい。」終わり", &["これは文です。", "次の文！", "「はい。」", "終わり"]);
        split("यह वाक्य है। दूसरा वाक्य।", &["यह वाक्य है।", "दूसरा वाक्य।"]);
    }

    #[test]
    fn wrapped_lines_go_on_and_other_lines_do_not() {
        split(
            "This paragraph was wrapped at a width by\nSample Press, and so its lines are about\nas long as each other. It ends here.",
            &[
                "This paragraph was wrapped at a width by\nSample Press, and so its lines are about\nas long as each other.",
                "It ends here.",
            ],
        );
        split(
            "Title\nFirst item\nitem\n- third\n- fourth, which is much longer than\nthe third\na|b\nc|d",
            &["Title", "First item", "item", "- third", "- fourth, which is much longer than\nthe third", "a|b", "c|d"],
        );
        split("One\r\n\r\nTwo\n \nThree", &["One", "Two", "Three"]);
    }
}
