//! Where the words of a text begin and end.
//!
//! An atom is the least that is a word: letters, a number, an emoji, or one character of a script that writes no
//! spaces. Atoms that stand together without a space, as in `COVID-19` and `example.org`, are joined: `words.rs` makes
//! compounds of them. No language is asked here, so that every language finds the same atoms at the same places.

use unicode_normalization::char::is_combining_mark;

/// Kind of word atom, which decides the forms it is indexed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomKind {
    /// Letters of ASCII and nothing else.
    Plain,
    /// Letters of any script; apostrophes, the dots of an acronym and soft hyphens may stand between them.
    Letters,
    /// A token with digits, or a name such as `C++`: it has only one form.
    Exact,
    /// One character, with its marks, of a script that writes no spaces between words.
    Glyph,
    /// An emoji with what modifies it.
    Emoji,
}

/// A place of a text, in bytes, that is one word or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordAtom {
    pub start: usize,
    pub end: usize,
    pub kind: AtomKind,
    /// True if it forms one compound, or one run of glyphs, with the atom before it.
    pub joined: bool,
}

impl WordAtom {
    /// The characters as they stand.
    pub fn text_in(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// Role of a character in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CharClass {
    Letter,
    Digit,
    Mark,
    /// Invisible within a word: soft hyphens and joiners.
    Hidden,
    Glyph,
    Emoji,
    Other,
}

fn char_class(c: char) -> CharClass {
    match c {
        '0'..='9' => CharClass::Digit,
        'a'..='z' | 'A'..='Z' => CharClass::Letter,
        // An apostrophe that Unicode counts among the letters is one all the same.
        '\0'..='\u{7F}' | 'ʼ' => CharClass::Other,
        '\u{AD}' | '\u{200C}' | '\u{200D}' | '\u{2060}' => CharClass::Hidden,
        // Marks that Unicode counts among the letters: the vowels of Hangul, and the voicing of narrow kana.
        '\u{1160}'..='\u{11FF}' | '\u{FF9E}' | '\u{FF9F}' => CharClass::Mark,
        _ if is_emoji(c) => CharClass::Emoji,
        _ if is_combining_mark(c) => CharClass::Mark,
        _ if c.is_alphabetic() => {
            if is_glyph(c) {
                CharClass::Glyph
            } else {
                CharClass::Letter
            }
        }
        _ if c.is_numeric() => CharClass::Digit,
        _ => CharClass::Other,
    }
}

/// Returns true for a letter of a script without spaces, or of a script with agglutinated endings such as Korean.
const fn is_glyph(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}'     // Thai, Lao
        | '\u{1000}'..='\u{109F}'   // Myanmar
        | '\u{1100}'..='\u{11FF}'   // Hangul letters
        | '\u{1780}'..='\u{17FF}'   // Khmer
        | '\u{2E80}'..='\u{2FDF}'   // radicals
        | '\u{3005}'..='\u{3007}'
        | '\u{3031}'..='\u{318F}'   // kana, bopomofo, Hangul letters
        | '\u{31A0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{A960}'..='\u{A97F}'
        | '\u{AC00}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FFDC}'   // narrow kana and Hangul
        | '\u{1B000}'..='\u{1B16F}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// Returns true for a character that is displayed as an emoji by default. Characters that are text by default, such as
/// `✓`, are not.
const fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{1F000}'..='\u{1F0FF}'
        | '\u{1F18E}'
        | '\u{1F191}'..='\u{1F19A}'
        | '\u{1F1E6}'..='\u{1F1FF}'
        | '\u{1F201}'..='\u{1F64F}'
        | '\u{1F680}'..='\u{1F6FF}'
        | '\u{1F7E0}'..='\u{1F7EB}'
        | '\u{1F90C}'..='\u{1FAFF}'
        | '\u{231A}' | '\u{231B}' | '\u{23E9}'..='\u{23EC}' | '\u{23F0}' | '\u{23F3}' | '\u{2614}' | '\u{2615}'
        | '\u{2648}'..='\u{2653}' | '\u{267F}' | '\u{2693}' | '\u{26A1}' | '\u{26BD}' | '\u{26BE}' | '\u{26C4}'
        | '\u{26C5}' | '\u{26D4}' | '\u{26EA}' | '\u{26F5}' | '\u{2705}' | '\u{270A}' | '\u{270B}' | '\u{2728}'
        | '\u{274C}' | '\u{2753}'..='\u{2755}' | '\u{2757}' | '\u{2764}' | '\u{2795}'..='\u{2797}' | '\u{2B50}'
        | '\u{2B55}')
}

/// Returns true for a skin tone modifier, which does not change the meaning of an emoji.
pub(crate) const fn is_skin(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}')
}

/// Returns true for any character used as an apostrophe.
pub(crate) const fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | 'ʼ' | '＇')
}

/// Returns the number of ASCII letters from `at` on. Reads eight bytes at a time, because a loop would mispredict the
/// end of nearly every word.
fn ascii_letter_count(bytes: &[u8], at: usize) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let mut end = at;
    while let Some(eight) = bytes.get(end..end + 8).and_then(|eight| <[u8; 8]>::try_from(eight).ok()) {
        let eight = u64::from_le_bytes(eight);
        let low = (eight | (EACH * 0x20)) & (EACH * 0x7F);
        // The highest bit of each byte: at least `a`, more than `z`, not ASCII.
        let (from_a, after_z) = (low + EACH * (0x80 - 0x61), low + EACH * (0x80 - 0x7B));
        let others = !(from_a & !after_z & !eight) & (EACH * 0x80);
        if others != 0 {
            return end + others.trailing_zeros() as usize / 8 - at;
        }
        end += 8;
    }
    while bytes.get(end).is_some_and(u8::is_ascii_alphabetic) {
        end += 1;
    }
    end - at
}

/// Walks the atoms of a text in order, in time linear in its length.
pub(crate) struct WordAtoms<'text> {
    text: &'text str,
    at: usize,
    before: Option<WordAtom>,
    /// True if the current compound is an email or web address, in which more characters join words.
    address: bool,
}

/// Returns an iterator over the word atoms of a text.
pub(crate) const fn word_atoms(text: &str) -> WordAtoms<'_> {
    WordAtoms { text, at: 0, before: None, address: false }
}

/// Calls `each` with every compound, with every run of glyphs, and with every atom that stands alone.
pub(crate) fn for_each_group(text: &str, mut each: impl FnMut(&[WordAtom])) {
    let mut group: Vec<WordAtom> = Vec::new();
    for atom in word_atoms(text) {
        if !atom.joined && !group.is_empty() {
            each(&group);
            group.clear();
        }
        group.push(atom);
    }
    if !group.is_empty() {
        each(&group);
    }
}

impl Iterator for WordAtoms<'_> {
    type Item = WordAtom;

    fn next(&mut self) -> Option<WordAtom> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        let mut atom = loop {
            let byte = *bytes.get(at)?;
            if byte.is_ascii_alphanumeric() {
                break self.word_atom(at);
            }
            if byte.is_ascii() {
                at += 1;
                continue;
            }
            let c = char_at(self.text, at)?;
            match char_class(c) {
                CharClass::Letter | CharClass::Digit => break self.word_atom(at),
                CharClass::Glyph => break self.glyph_atom(at, c),
                CharClass::Emoji => break self.emoji_atom(at, c),
                CharClass::Mark | CharClass::Hidden | CharClass::Other => at += c.len_utf8(),
            }
        };
        if let Some(before) = self.before {
            // Most words stand after a space.
            let spaced = before.end + 1 == atom.start && bytes[before.end] == b' ';
            atom.joined = !spaced && self.joins_atoms(before, atom);
            self.address &= atom.joined;
        }
        self.before = Some(atom);
        self.at = atom.end;
        Some(atom)
    }
}

fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

impl WordAtoms<'_> {
    /// The atom of letters and digits that begins at `start`.
    fn word_atom(&self, start: usize) -> WordAtom {
        let bytes = self.text.as_bytes();
        let at = start + ascii_letter_count(bytes, start);
        // Most words end here: a space, a comma, the end.
        let one = at == start + 1;
        match bytes.get(at) {
            Some(b'0'..=b'9' | b'\'' | b'+' | b'#' | 0x80..) => {}
            Some(b'.') if one => {}
            _ => return WordAtom { start, end: at, kind: AtomKind::Plain, joined: false },
        }
        if one && let Some(end) = self.acronym_end(at) {
            return WordAtom { start, end, kind: AtomKind::Letters, joined: false };
        }
        if let Some(end) = self.named_with_a_sign(start, at) {
            return WordAtom { start, end, kind: AtomKind::Exact, joined: false };
        }
        self.any_word(start, at)
    }

    /// Goes on where something other than a letter of ASCII stands at `at`.
    fn any_word(&self, start: usize, mut at: usize) -> WordAtom {
        let mut letters = at - start;
        let mut plain = letters > 0;
        let mut digits = false;
        if letters == 0
            && let Some(end) = self.number_end(start)
        {
            digits = true;
            at = end;
        }
        while let Some(c) = char_at(self.text, at) {
            match char_class(c) {
                CharClass::Letter => {
                    plain &= c.is_ascii();
                    letters += 1;
                }
                // `covid19` is written as `COVID-19` and `COVID 19`, too; `x86`, `4th` and `a1b2` are not.
                CharClass::Digit if !digits && letters >= 2 => break,
                CharClass::Digit => digits = true,
                CharClass::Mark => plain = false,
                CharClass::Hidden if self.letter_follows(at, c) => plain = false,
                _ if is_apostrophe(c) && !digits && letters > 0 && self.letter_follows(at, c) => plain = false,
                _ => break,
            }
            at += c.len_utf8();
        }
        let kind = match (digits, plain) {
            (true, _) => AtomKind::Exact,
            (false, true) => AtomKind::Plain,
            (false, false) => AtomKind::Letters,
        };
        WordAtom { start, end: at, kind, joined: false }
    }

    fn letter_follows(&self, at: usize, c: char) -> bool {
        char_at(self.text, at + c.len_utf8()).is_some_and(|next| char_class(next) == CharClass::Letter)
    }

    /// The end of `U.S.` without its last dot, where one letter stands before `at`.
    fn acronym_end(&self, mut at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let from = at;
        while bytes.get(at) == Some(&b'.')
            && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic)
            && !bytes.get(at + 2).is_some_and(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
        {
            at += 2;
        }
        (at > from).then_some(at)
    }

    /// The end of `C++` or `C#`, whose letters are the range.
    fn named_with_a_sign(&self, start: usize, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let end = match (bytes.get(at)?, bytes.get(at + 1), at - start) {
            (b'+', Some(b'+'), 1..=12) => at + 2,
            (b'#', _, 1) => at + 1,
            _ => return None,
        };
        let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | 0x80..);
        (!bytes.get(end).is_some_and(goes_on)).then_some(end)
    }

    /// The end of a number with its thousands and its decimals.
    fn number_end(&self, start: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let digits =
            |from: usize| bytes.get(from..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count();
        let first = digits(start);
        let mut end = start + first;
        if first == 0 {
            return None;
        }
        if first <= 3 {
            while bytes.get(end) == Some(&b',')
                && bytes.get(end + 1..end + 4).is_some_and(|group| group.iter().all(u8::is_ascii_digit))
                && !bytes.get(end + 4).is_some_and(u8::is_ascii_digit)
            {
                end += 4;
            }
        }
        // In `1.2.3` and `24.12.2024` a dot is no decimal point.
        let after_dot = self.before.is_some_and(|before| {
            bytes.get(before.end..start) == Some(b".") && bytes.get(before.end - 1).is_some_and(u8::is_ascii_digit)
        });
        if !after_dot && bytes.get(end) == Some(&b'.') {
            let point = end + 1 + digits(end + 1);
            let another = bytes.get(point) == Some(&b'.') && bytes.get(point + 1).is_some_and(u8::is_ascii_digit);
            if point > end + 1 && !another {
                end = point;
            }
        }
        Some(end)
    }

    fn glyph_atom(&self, start: usize, c: char) -> WordAtom {
        let mut end = start + c.len_utf8();
        while let Some(next) = char_at(self.text, end)
            && char_class(next) == CharClass::Mark
        {
            end += next.len_utf8();
        }
        WordAtom { start, end, kind: AtomKind::Glyph, joined: false }
    }

    fn emoji_atom(&self, start: usize, c: char) -> WordAtom {
        let is_flag = |c: char| matches!(c, '\u{1F1E6}'..='\u{1F1FF}');
        let mut end = start + c.len_utf8();
        let mut alone = is_flag(c);
        while let Some(next) = char_at(self.text, end) {
            let after = end + next.len_utf8();
            if next == '\u{200D}' {
                match char_at(self.text, after) {
                    Some(joined)
                        if char_class(joined) == CharClass::Emoji || matches!(joined, '\u{2190}'..='\u{2BFF}') =>
                    {
                        end = after + joined.len_utf8();
                    }
                    _ => break,
                }
            } else if is_skin(next)
                || matches!(next, '\u{FE0F}' | '\u{20E3}' | '\u{E0020}'..='\u{E007F}')
                || (alone && is_flag(next))
            {
                alone = false;
                end = after;
            } else {
                break;
            }
        }
        WordAtom { start, end, kind: AtomKind::Emoji, joined: false }
    }

    /// Returns true if the characters between two atoms join them into one compound.
    fn joins_atoms(&mut self, before: WordAtom, atom: WordAtom) -> bool {
        let bytes = self.text.as_bytes();
        let gap = bytes.get(before.end..atom.start).unwrap_or_default();
        match (before.kind, atom.kind) {
            (AtomKind::Glyph, AtomKind::Glyph) => return gap.is_empty(),
            (AtomKind::Glyph | AtomKind::Emoji, _) | (_, AtomKind::Glyph | AtomKind::Emoji) => return false,
            _ => {}
        }
        let digits = || {
            bytes.get(before.end - 1).is_some_and(u8::is_ascii_digit)
                && bytes.get(atom.start).is_some_and(u8::is_ascii_digit)
        };
        match gap {
            [] | [b'-' | b'_' | b'/' | b'\\' | b'.' | b'@' | b'&'] => true,
            b"://" => {
                self.address = true;
                true
            }
            // Hyphens, and the dot of Catalan.
            [0xE2, 0x80, 0x90 | 0x91] | [0xC2, 0xB7] => true,
            // An en dash in `2020–2021`.
            [b',' | b':'] | [0xE2, 0x80, 0x93] if digits() => true,
            _ => {
                let fits = |byte: &u8| byte.is_ascii_graphic() && !b"\"'`<>(){}[]".contains(byte);
                self.address && gap.len() <= 3 && gap.iter().all(fits)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The groups of a text, the atoms of each with `|` between them.
    fn shown(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for_each_group(text, |group| {
            found.push(group.iter().map(|atom| atom.text_in(text)).collect::<Vec<_>>().join("|"));
        });
        found
    }

    #[test]
    fn words_end_where_a_reader_would_end_them() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            (" .,;!? — … ", &[]),
            ("The end.", &["The", "end"]),
            ("it's the students' rock'n'roll, 'quoted'", &["it's", "the", "students", "rock'n'roll", "quoted"]),
            ("O’Brien l’homme", &["O’Brien", "l’homme"]),
            ("COVID-19 covid19 GPT-4o gpt4o", &["COVID|19", "covid|19", "GPT|4o", "gpt|4o"]),
            ("x86 4th 1990s a1b2c3 v2.0", &["x86", "4th", "1990s", "a1b2c3", "v2|0"]),
            ("3.14, 10,000 and 1,234,567.89", &["3.14", "10,000", "and", "1,234,567.89"]),
            ("1.2.3 192.168.0.1 24.12.2024", &["1|2|3", "192|168|0|1", "24|12|2024"]),
            ("2024-05-01 2020–2021 12:30", &["2024|05|01", "2020|2021", "12|30"]),
            ("one – two—three--four - five", &["one", "two", "three", "four", "five"]),
            ("C++ and C# or F#, C+ a+b i++;", &["C++", "and", "C#", "or", "F#", "C", "a", "b", "i++"]),
            ("x_y __init__ foo.bar a.b.c", &["x|y", "init", "foo|bar", "a.b.c"]),
            ("the U.S. and e.g. J.R. Sample", &["the", "U.S", "and", "e.g", "J.R", "Sample"]),
            (
                "see https://example.org/a-b/?q=1&r=2#top, me@example.org",
                &["see", "https|example|org|a|b|q|1|r|2|top", "me|example|org"],
            ),
            ("AT&T and/or C:\\dir\\file.txt", &["AT|T", "and|or", "C", "dir|file|txt"]),
            ("so\u{AD}ft e\u{301}te\u{301}", &["so\u{AD}ft", "e\u{301}te\u{301}"]),
            ("中国经济 in 第3章", &["中|国|经|济", "in", "第", "3", "章"]),
            ("カメラ 한국어", &["カ|メ|ラ", "한|국|어"]),
            ("ภาษาไทย", &["ภ|า|ษ|า|ไ|ท|ย"]),
            ("हिन्दी में", &["हिन्दी", "में"]),
            ("go 🎉👍🏽 👩‍💻 🇩🇪🇫🇷 ✓", &["go", "🎉", "👍🏽", "👩‍💻", "🇩🇪", "🇫🇷"]),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), *expected, "{text}");
        }
    }

    #[test]
    fn letters_are_counted_as_one_by_one() {
        for byte in 0..=u8::MAX {
            for place in 0..20 {
                let mut bytes = b"abcdefghijklmnopqrsTUVXYZ".to_vec();
                bytes[place] = byte;
                let expected = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
                assert_eq!(ascii_letter_count(&bytes, 0), expected, "{byte} {place}");
            }
        }
    }

    #[test]
    fn atoms_stand_in_order_at_borders_of_characters() {
        proptest::proptest!(|(text in "(?s)[\\PC\\s.,'’é中한ก🎉\u{301}\u{200D}0-9a-z@/:+#-]{0,60}")| {
            let mut last = 0;
            for atom in word_atoms(&text) {
                assert!(last <= atom.start && atom.start < atom.end);
                assert!(text.get(atom.start..atom.end).is_some());
                last = atom.end;
            }
        });
    }
}
