//! What a word of a text is, and the forms it is indexed under.
//!
//! A word is indexed under its stem: without case, without accents, without the ending that its language gives it. A
//! word with accents has a second form where its language's stemmer hears them, so that `informacion` finds
//! `información` and that finds `informaciones`. What has digits is not stemmed: `10,000` is `10000`, `3.14` is itself.
//!
//! A compound (`COVID-19`, `e-mail`, `example.org`, also `covid19`) takes as many places as it has parts, one after the
//! other, and each part is indexed at its own. The compound as a whole, written without what joins it, is indexed at its
//! first place and at its last:
//!
//! ```text
//! place     0         1         2        3
//! text      the       COVID  -  19       vaccine
//! forms     the       covid     19       vaccin
//!                     covid19   covid19
//! ```
//!
//! So `covid 19`, `COVID-19` and `covid19` find each other as words and, by their parts, as phrases. `"email address"`
//! finds `e-mail address`; in the middle of a phrase, though, `email` does not find `e-mail`. Between two digits what
//! joins them stays, so that `3:1` is not `31`. What would be longer than a form may be has only its parts.
//!
//! Scripts without spaces, and Korean, are indexed by overlapping pairs of characters, a character only where it stands
//! alone. An emoji is a word.

use std::cell::RefCell;

use ibid_domain::Word;
use ibid_language::fold_accents_into;
use unicode_normalization::UnicodeNormalization;

pub use crate::stemming::is_common;
use crate::{
    atoms::{AtomKind, WordAtom, for_each_group, is_apostrophe, is_skin},
    stemming::{LanguageRules, StemCache},
};

/// The most characters of a form. What is longer is cut.
pub const LONGEST: usize = 64;

/// Finds the words of texts in one language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Analyzer {
    pub(crate) language: LanguageRules,
}

/// Appends the words of `text` to `into`, the first at `first_place`, and gives the place after the last.
///
/// Where the language is not known, words in Latin letters are taken for English.
pub fn append_words(text: &str, language: Option<&str>, first_place: u32, into: &mut Vec<Word>) -> u32 {
    Analyzer::new(language).append_words(text, first_place, into)
}

impl Analyzer {
    /// For the language of a code of two letters.
    pub fn new(language: Option<&str>) -> Self {
        Self { language: LanguageRules::new(language) }
    }

    /// Appends the words of `text` to `into`, the first at `first_place`, and gives the place after the last.
    pub fn append_words(&self, text: &str, first_place: u32, into: &mut Vec<Word>) -> u32 {
        let mut place = first_place;
        with_buffers(|desk| {
            for_each_group(text, |group| {
                let last = place.saturating_add(position_count(group) - 1);
                desk.group_forms(self.language, text, group, |part, form| {
                    let mut push = |place| into.push(Word { form: form.to_owned(), place });
                    match part {
                        GroupPart::Place(within) => push(place + within),
                        GroupPart::Whole => {
                            push(place);
                            push(last);
                        }
                    }
                });
                place = last.saturating_add(1);
            });
        });
        place
    }
}

/// Part of a word group that a form stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupPart {
    /// The one at this place, from 0.
    Place(u32),
    /// The whole compound, after all of its parts.
    Whole,
}

/// Returns the number of word positions that a group takes, at least one.
pub(crate) fn position_count(group: &[WordAtom]) -> u32 {
    let runs = group.len() > 1 && group.first().is_some_and(|atom| atom.kind == AtomKind::Glyph);
    u32::try_from(group.len() - usize::from(runs)).unwrap_or(u32::MAX).max(1)
}

thread_local! {
    static DESK: RefCell<AnalyzerBuffers> = RefCell::default();
}

/// Lends this thread's stems and buffers.
pub(crate) fn with_buffers<T>(work: impl FnOnce(&mut AnalyzerBuffers) -> T) -> T {
    DESK.with(|desk| match desk.try_borrow_mut() {
        Ok(mut desk) => work(&mut desk),
        Err(_) => work(&mut AnalyzerBuffers::default()),
    })
}

/// The stems made before, and room to write words on.
#[derive(Default)]
pub(crate) struct AnalyzerBuffers {
    stems: StemCache,
    lower: String,
    folded: String,
    other: String,
    whole: String,
}

impl AnalyzerBuffers {
    /// Gives `each` the forms of a group, those of one part after those of the part before it, the whole last.
    pub fn group_forms(
        &mut self,
        language: LanguageRules,
        text: &str,
        group: &[WordAtom],
        mut each: impl FnMut(GroupPart, &str),
    ) {
        match group {
            [] => {}
            [one] => self.part_forms(language, text, *one, |form| each(GroupPart::Place(0), form)),
            [first, ..] if first.kind == AtomKind::Glyph => {
                for (place, pair) in (0..).zip(group.windows(2)) {
                    let [left, right] = pair else { continue };
                    self.glyph_form(text, *left, *right, |form| each(GroupPart::Place(place), form));
                }
            }
            _ => {
                for (place, atom) in (0..).zip(group) {
                    self.part_forms(language, text, *atom, |form| each(GroupPart::Place(place), form));
                }
                self.whole_forms(language, text, group, |form| each(GroupPart::Whole, form));
            }
        }
    }

    /// Gives `each` the forms of one atom.
    pub fn part_forms(&mut self, language: LanguageRules, text: &str, atom: WordAtom, mut each: impl FnMut(&str)) {
        let raw = atom.text_in(text);
        if atom.kind == AtomKind::Plain {
            self.lower.clear();
            self.lower.push_str(raw.get(..LONGEST).unwrap_or(raw));
            self.lower.make_ascii_lowercase();
            return match language.plain_stemmer() {
                Some(algorithm) => each(self.stems.stem(algorithm, &self.lower)),
                None => each(&self.lower),
            };
        }
        if atom.kind == AtomKind::Emoji {
            self.folded.clear();
            let meant = raw.chars().filter(|&c| c != '\u{FE0F}' && !is_skin(c));
            self.folded.extend(meant.take(LONGEST));
            // A tone of skin that stands alone is what it is.
            return each(if self.folded.is_empty() { raw } else { &self.folded });
        }
        write_lowercase(raw, atom.kind, language, &mut self.lower);
        if atom.kind == AtomKind::Letters {
            return self.letter_forms(language, each);
        }
        fold_accents_into(&self.lower, &mut self.folded);
        if !self.folded.is_empty() {
            each(&self.folded);
        }
    }

    /// Gives `each` the form of two glyphs that stand together.
    pub fn glyph_form(&mut self, text: &str, left: WordAtom, right: WordAtom, mut each: impl FnMut(&str)) {
        lower_any(text.get(left.start..right.end).unwrap_or_default(), &mut self.lower);
        fold_accents_into(&self.lower, &mut self.folded);
        each(&self.folded);
    }

    /// Gives `each` the forms of a compound as a whole, if it is not too long.
    pub fn whole_forms(&mut self, language: LanguageRules, text: &str, group: &[WordAtom], mut each: impl FnMut(&str)) {
        self.whole.clear();
        let is_digit = |c: char| c.is_ascii_digit();
        let mut end = 0;
        for atom in group {
            write_lowercase(atom.text_in(text), atom.kind, language, &mut self.lower);
            if self.whole.ends_with(is_digit) && self.lower.starts_with(is_digit) {
                let gap = text.get(end..atom.start).unwrap_or_default();
                self.whole.push(gap.chars().next().filter(char::is_ascii).unwrap_or('-'));
            }
            self.whole.push_str(&self.lower);
            end = atom.end;
            // A character has four bytes at most.
            if self.whole.len() > LONGEST * 4 {
                return;
            }
        }
        if self.whole.chars().count() > LONGEST {
            return;
        }
        std::mem::swap(&mut self.lower, &mut self.whole);
        if group.iter().all(|atom| matches!(atom.kind, AtomKind::Plain | AtomKind::Letters)) {
            self.letter_forms(language, each);
        } else {
            fold_accents_into(&self.lower, &mut self.folded);
            each(&self.folded);
        }
    }

    /// An atom in lower case and without accents, but with its ending: as lists of common words have it.
    pub fn fold_atom(&mut self, language: LanguageRules, text: &str, atom: WordAtom) -> &str {
        write_lowercase(atom.text_in(text), atom.kind, language, &mut self.lower);
        fold_accents_into(&self.lower, &mut self.folded);
        &self.folded
    }

    /// Gives `each` the forms of the letters in `lower`.
    fn letter_forms(&mut self, language: LanguageRules, mut each: impl FnMut(&str)) {
        let Self { stems, lower, folded, other, .. } = self;
        fold_accents_into(lower, folded);
        if folded.is_empty() {
            return;
        }
        if folded != lower
            && let Some(algorithm) = language.stemmer(lower)
            && language.hears_accents(algorithm)
        {
            other.clear();
            other.push_str(stems.stem(algorithm, lower));
            let bare = match language.stemmer(folded) {
                Some(algorithm) => stems.stem(algorithm, folded),
                None => folded,
            };
            each(bare);
            if bare != other {
                each(other);
            }
            return;
        }
        match language.stemmer(folded) {
            Some(algorithm) => each(stems.stem(algorithm, folded)),
            None => each(folded),
        }
    }
}

/// Writes a part of a word in lower case, as its language does with apostrophes and without the signs that an atom may
/// hold.
fn write_lowercase(raw: &str, kind: AtomKind, language: LanguageRules, into: &mut String) {
    if raw.is_ascii() {
        into.clear();
        into.push_str(raw.get(..LONGEST).unwrap_or(raw));
        into.make_ascii_lowercase();
    } else {
        lower_any(raw, into);
    }
    match kind {
        AtomKind::Exact => into.retain(|c| c != ','),
        AtomKind::Letters => {
            if let Some((head, _)) = into.split_once('\'')
                && language.elides(head)
            {
                into.drain(..=head.len());
            }
            if let Some(at) = into.rfind('\'')
                && language.clips(&into[at..])
            {
                into.truncate(at);
            }
            into.retain(|c| c != '\'' && c != '.');
        }
        AtomKind::Plain | AtomKind::Glyph | AtomKind::Emoji => {}
    }
}

/// Writes any text in lower case, by what its characters mean rather than how wide or joined they are written.
fn lower_any(raw: &str, into: &mut String) {
    into.clear();
    let mut left = LONGEST;
    let mut push = |c: char| {
        for c in c.to_lowercase() {
            let c = match c {
                '\u{AD}' | '\u{200C}' | '\u{200D}' | '\u{2060}' | '\u{640}' => continue,
                // What is left of a dotted capital I.
                '\u{307}' => continue,
                'ё' => 'е',
                'ς' => 'σ',
                '\u{2044}' => '/',
                _ if is_apostrophe(c) => '\'',
                _ if c.is_whitespace() => continue,
                _ => ascii_digit(c).unwrap_or(c),
            };
            if left > 0 {
                left -= 1;
                into.push(c);
            }
        }
        left > 0
    };
    // Letters that are in normal form unless a mark follows, which is none of these.
    let is_normal = |c: char| {
        matches!(c,
            '\0'..='\u{7F}' | '\u{C0}'..='\u{131}' | '\u{400}'..='\u{45F}' | '’'
            | '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}')
    };
    if raw.chars().all(is_normal) {
        let _ = raw.chars().all(&mut push);
    } else {
        let _ = raw.nfkc().all(&mut push);
    }
}

/// The digit of ASCII for one of Arabic, Persian or Devanagari.
fn ascii_digit(c: char) -> Option<char> {
    let zero = match c {
        '\u{660}'..='\u{669}' => 0x660,
        '\u{6F0}'..='\u{6F9}' => 0x6F0,
        '\u{966}'..='\u{96F}' => 0x966,
        _ => return None,
    };
    char::from_digit(u32::from(c) - zero, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The forms of a text, `place:form`.
    fn shown(text: &str, language: Option<&str>) -> String {
        let mut found = Vec::new();
        let end = append_words(text, language, 0, &mut found);
        assert!(found.iter().all(|word| word.place < end));
        found.iter().map(|word| format!("{}:{}", word.place, word.form)).collect::<Vec<_>>().join(" ")
    }

    fn forms(text: &str, language: Option<&str>) -> Vec<String> {
        let mut found = Vec::new();
        append_words(text, language, 0, &mut found);
        let mut forms: Vec<String> = found.into_iter().map(|word| word.form).collect();
        forms.sort();
        forms.dedup();
        forms
    }

    #[test]
    fn words_are_stemmed_folded_and_counted() {
        let cases = [
            (None, "", ""),
            (None, "?!… —", ""),
            (None, "The Running foxes", "0:the 1:run 2:fox"),
            (None, "Café naïve ÉTUDE", "0:cafe 1:naiv 2:etud"),
            (None, "it's don't we'll John’s students'", "0:it 1:dont 2:we 3:john 4:student"),
            (None, "O'Brien O’Brien obrien OʼBrien's", "0:obrien 1:obrien 2:obrien 3:obrien"),
            (None, "U.S. US e.g.", "0:us 1:us 2:eg"),
            (None, "3.14 10,000 10000 1,234.5", "0:3.14 1:10000 2:10000 3:1234.5"),
            (None, "C++, C# x86 4th", "0:c++ 1:c# 2:x86 3:4th"),
            (None, "a 🎉 👍🏽 ❤️", "0:a 1:🎉 2:👍 3:❤"),
            (None, "ＡＢＣ ﬁsh ½ m²", "0:abc 1:fish 2:1/2 3:m2"),
            (None, "so\u{AD}ften", "0:soften"),
            (Some("de"), "Häuser Straße Größe", "0:haus 1:strass 2:gross"),
            (Some("fr"), "l’homme aujourd'hui qu'il", "0:homm 1:aujourdhui 2:il"),
            (Some("it"), "dell'arte", "0:arte"),
            (Some("en"), "l'homme", "0:lhomm"),
            (Some("pl"), "Łódź żółwie", "0:lodz 1:zolwie"),
            (Some("da"), "Ærø øl", "0:aero 1:ol"),
            (Some("ru"), "новый ёлка computers", "0:нов 1:елк 2:comput"),
            (Some("el"), "λόγος ΛΌΓΟΣ", "0:λογ 1:λογ"),
            (Some("hi"), "हिन्दी", "0:हिन्दी"),
            (Some("fa"), "می\u{200C}خواهم ۱۲", "0:میخواهم 1:12"),
            (Some("zh"), "中国经济。好", "0:中国 1:国经 2:经济 3:好"),
            (Some("ja"), "ｶﾞｲド ２０２４年", "0:ガイ 1:イド 2:2024 3:年"),
            (Some("ko"), "한국어", "0:한국 1:국어"),
            (Some("th"), "ดีๆ", "0:ดีๆ"),
        ];
        for (language, text, expected) in cases {
            assert_eq!(shown(text, language), expected, "{text}");
        }
    }

    #[test]
    fn a_compound_is_found_whole_and_by_its_parts() {
        let cases = [
            ("the COVID-19 vaccine", "0:the 1:covid 2:19 1:covid19 2:covid19 3:vaccin"),
            ("covid19", "0:covid 1:19 0:covid19 1:covid19"),
            ("e-mails", "0:e 1:mail 0:email 1:email"),
            ("GPT-4o", "0:gpt 1:4o 0:gpt4o 1:gpt4o"),
            ("x_y", "0:x 1:y 0:xy 1:xy"),
            ("2024-05-01", "0:2024 1:05 2:01 0:2024-05-01 2:2024-05-01"),
            ("2020–21", "0:2020 1:21 0:2020-21 1:2020-21"),
            ("3:1", "0:3 1:1 0:3:1 1:3:1"),
            ("10.1000/xyz-1", "0:10.1000 1:xyz 2:1 0:10.1000xyz1 2:10.1000xyz1"),
            ("foo.txt", "0:foo 1:txt 0:footxt 1:footxt"),
            ("me@example.org", "0:me 1:exampl 2:org 0:meexampleorg 2:meexampleorg"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text, None), expected, "{text}");
        }
        let long = format!("https://example.org/{}", "a/".repeat(50));
        assert!(forms(&long, None).iter().all(|form| form.len() < 10));
    }

    #[test]
    fn spellings_of_one_word_share_a_form() {
        let pairs = [
            (None, "COVID-19", "covid19"),
            (None, "COVID-19", "covid 19"),
            (None, "e-mail", "emails"),
            (None, "o'brien", "O’BRIEN"),
            (None, "résumé", "resume"),
            (None, "Œuvre", "oeuvre"),
            (None, "re\u{301}sume\u{301}", "résumé"),
            (Some("es"), "información", "informacion"),
            (Some("es"), "información", "informaciones"),
            (Some("fr"), "activité", "activités"),
            (Some("fr"), "activite", "activité"),
            (Some("de"), "Fußbälle", "Fussball"),
            (Some("pt"), "nações", "nacoes"),
            (Some("tr"), "kitapları", "kitaplari"),
            (Some("tr"), "kitabı", "kitap"),
            (Some("ar"), "الأحمد", "الاحمد"),
        ];
        for (language, left, right) in pairs {
            let (left, right) = (forms(left, language), forms(right, language));
            assert!(left.iter().any(|form| right.contains(form)), "{left:?} {right:?}");
        }
        // The Turkish stemmer makes a ç of the c.
        assert_eq!(forms("cini", Some("tr")), ["c"]);
    }

    #[test]
    fn a_form_is_never_long_or_empty_and_places_never_fall() {
        let codes = [
            "en", "de", "fr", "es", "it", "pt", "nl", "sv", "no", "da", "fi", "hu", "ro", "ru", "tr", "ar", "el", "ta",
            "pl", "zh",
        ];
        let text = "(?s)([\\PC\\s]{0,12}|[a-zà-ÿœşğı'’]{1,90}|[а-я]{1,20}|[α-ώ]{1,20}|[ء-ي]{1,20}|[அ-ௌ]{1,20}|[中国,.0-9]{1,9}| ){0,12}";
        proptest::proptest!(|(text in text, language in 0..codes.len())| {
            let mut found = Vec::new();
            let end = append_words(&text, Some(codes[language]), 7, &mut found);
            for word in &found {
                assert!(!word.form.is_empty() && word.form.chars().count() <= LONGEST * 2, "{word:?}");
                assert!(!word.form.contains(char::is_whitespace));
                assert!((7..end).contains(&word.place));
            }
        });
    }
}
