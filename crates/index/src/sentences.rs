//! Where the sentences of a passage end, by a rule that is cheap.
//!
//! `ibid_language` cuts texts by a better rule that takes longer; this one only chooses what of a passage is shown. Which
//! words are abbreviations is the same for both.

use std::ops::Range;

use ibid_language::sentences::is_abbreviation;

/// A sentence, in bytes, and which paragraph it is of.
#[derive(Debug)]
pub(crate) struct SentenceRange {
    pub range: Range<usize>,
    pub paragraph: usize,
}

/// The sentences of a passage in order, without the blank space around them.
pub(crate) fn split_sentences(content: &str) -> Vec<SentenceRange> {
    let bytes = content.as_bytes();
    let mut sentences = Vec::new();
    let (mut start, mut at, mut paragraph) = (0, 0, 0);
    let mut push = |range: Range<usize>, paragraph| {
        let part = &content[range.clone()];
        let begin = range.start + part.len() - part.trim_start().len();
        let part = part.trim();
        if !part.is_empty() {
            sentences.push(SentenceRange { range: begin..begin + part.len(), paragraph });
        }
    };
    let may_end = |byte: &u8| matches!(byte, b'.' | b'!' | b'?' | b'\n' | 0x80..);
    loop {
        // Most bytes end nothing, and sixteen are looked at together.
        while let Some(some) = bytes.get(at..at + 16)
            && !some.iter().fold(false, |found, byte| found | may_end(byte))
        {
            at += 16;
        }
        let Some(length) = bytes[at..].iter().position(may_end) else { break };
        at += length;
        let byte = bytes[at];
        let (length, wide) = match byte {
            b'.' | b'!' | b'?' => (1, false),
            b'\n' => {
                let rest = &content[at..];
                let next = rest.trim_start();
                let end = at + rest.len() - next.len();
                let blank = bytes[at + 1..end].contains(&b'\n');
                if blank || !next.starts_with(char::is_lowercase) {
                    push(start..at, paragraph);
                    paragraph += usize::from(blank);
                    start = end;
                }
                at = end;
                continue;
            }
            0x80.. => match &bytes[at..] {
                [0xE3, 0x80, 0x82, ..] | [0xEF, 0xBC, 0x81 | 0x9F, ..] | [0xEF, 0xBD, 0xA1, ..] => (3, true),
                // … and the danda of Hindi.
                [0xE2, 0x80, 0xA6, ..] | [0xE0, 0xA5, 0xA4, ..] => (3, false),
                // ؟ and ۔
                [0xD8, 0x9F, ..] | [0xDB, 0x94, ..] => (2, false),
                _ => (0, false),
            },
            _ => (0, false),
        };
        if length == 0 {
            at += 1;
            continue;
        }
        let end = at + length + closers_len(&content[at + length..]);
        let rest = &content[end..];
        let next = rest.trim_start();
        let ends = wide
            || (next.len() < rest.len()
                && !next.starts_with(char::is_lowercase)
                && !(byte == b'.' && end == at + 1 && is_abbreviation(&content[start..at], next)));
        if ends {
            push(start..end, paragraph);
            start = end;
        }
        at = end;
    }
    push(start..content.len(), paragraph);
    sentences
}

/// Returns the number of bytes in `rest` that belong to the sentence before it: more punctuation, closing quotes, and
/// markers such as `[3]`.
fn closers_len(rest: &str) -> usize {
    let mut length = 0;
    while let Some(c) = rest[length..].chars().next() {
        length += match c {
            '.' | '!' | '?' | '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '。' | '！' | '？' | '」' | '』' | '）' => {
                c.len_utf8()
            }
            '[' => {
                let note = rest[length + 1..].bytes().take(12);
                let digits =
                    note.take_while(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b' ' | b'-')).count();
                if digits == 0 || !rest[length + 1 + digits..].starts_with(']') {
                    break;
                }
                digits + 2
            }
            _ => break,
        };
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_a_reader_would_end_them() {
        let cases: &[(&str, &[&str])] = &[
            ("One. Two! “Three?” Four", &["One.", "Two!", "“Three?”", "Four"]),
            (
                "We met Dr. Sample, e.g. in Fig. 3. J. Sample et al. Agree.",
                &["We met Dr. Sample, e.g. in Fig. 3.", "J. Sample et al. Agree."],
            ),
            ("So did I. Then we left.", &["So did I.", "Then we left."]),
            ("It grew.[3] Then 3.14 in v2.0.1 fell. and on", &["It grew.[3]", "Then 3.14 in v2.0.1 fell. and on"]),
            ("1. Introduction. No. 5 is it.", &["1. Introduction.", "No. 5 is it."]),
            ("Title\nA line that\ngoes on.\r\n\r\nNext", &["Title", "A line that\ngoes on.", "Next"]),
            ("これは文です。次の文！「はい。」終わり", &["これは文です。", "次の文！", "「はい。」", "終わり"]),
            ("यह है। दूसरा।", &["यह है।", "दूसरा।"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<&str> = split_sentences(text).iter().map(|sentence| &text[sentence.range.clone()]).collect();
            assert_eq!(found, *expected, "{text}");
        }
    }
}
