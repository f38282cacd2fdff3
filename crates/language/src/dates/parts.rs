//! A text split into what dates are made of.

use std::{collections::HashSet, sync::LazyLock};

use crate::{
    Language, Lexicon,
    lexicon::{lexicons, month_in_any_language},
};

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    Number {
        value: u32,
        digits: usize,
    },
    Month(i8),
    /// A word that stands within a date: `of`, `de`, `st`.
    Within,
    /// A word that stands between two days: `to`.
    Until,
    /// The signs of Chinese, Japanese and Korean dates.
    YearSign,
    MonthSign,
    DaySign,
    Word,
    Mark(char),
    Space,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub kind: PartKind,
    pub start: usize,
    pub end: usize,
    /// Whether a year or a month may follow it alone: `in`.
    pub is_before: bool,
    /// Whether it is a month's name, written as one: `March`, not `march`.
    pub may_stand_alone: bool,
    /// Whether it is a month's name and another word: `May`.
    pub is_ambiguous: bool,
}

/// The words of dates in all languages.
static WITHIN_ANYWHERE: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lists = lexicons().flat_map(|lexicon| lexicon.time.within.iter().chain(lexicon.numbers.ordinal_endings.iter()));
    lists.collect()
});

const fn is_cjk_sign(c: char) -> bool {
    matches!(c, '年' | '月' | '日' | '년' | '월' | '일')
}

/// The parts of a text, in order.
pub(super) fn parts(text: &str, language: Option<Language>) -> Vec<Part> {
    let lexicon = language.map(Lexicon::of);
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = &text[at..];
        let run = |wanted: fn(char) -> bool| rest.find(|c: char| !wanted(c)).unwrap_or(rest.len());
        let mut part = Part {
            kind: PartKind::Mark(first),
            start: at,
            end: at + first.len_utf8(),
            is_before: false,
            may_stand_alone: false,
            is_ambiguous: false,
        };
        if first.is_ascii_digit() {
            let digits = run(|c| c.is_ascii_digit());
            part.end = at + digits;
            part.kind = PartKind::Number { value: rest[..digits].parse().unwrap_or(u32::MAX), digits };
        } else if is_cjk_sign(first) {
            part.kind = match first {
                '年' | '년' => PartKind::YearSign,
                '月' | '월' => PartKind::MonthSign,
                _ => PartKind::DaySign,
            };
        } else if matches!(first, 'º' | 'ª' | '°') {
            part.kind = PartKind::Within;
        } else if first.is_alphabetic() {
            let length = run(|c| (c.is_alphabetic() || matches!(c, '\u{300}'..='\u{36F}')) && !is_cjk_sign(c));
            part.end = at + length;
            name(&rest[..length], lexicon, &mut part);
        } else if first.is_whitespace() {
            part.end = at + run(char::is_whitespace);
            part.kind = PartKind::Space;
        }
        at = part.end;
        parts.push(part);
    }
    parts
}

/// The most bytes of a word of a date.
const LONGEST: usize = 40;

/// Says what a word is in a date.
fn name(word: &str, lexicon: Option<&Lexicon>, part: &mut Part) {
    part.kind = PartKind::Word;
    if word.len() > LONGEST {
        return;
    }
    let lower = word.to_lowercase();
    let lower = lower.as_str();
    let Some(lexicon) = lexicon else {
        if let Some(month) = month_in_any_language(lower) {
            part.kind = PartKind::Month(month);
            part.may_stand_alone = true;
        } else if WITHIN_ANYWHERE.contains(lower) {
            part.kind = PartKind::Within;
        }
        return;
    };
    let time = &lexicon.time;
    part.is_before = time.before.contains(lower);
    if let Some(month) = time.months.get(lower) {
        part.kind = PartKind::Month(*month);
        part.may_stand_alone = !time.capital_months || word.starts_with(char::is_uppercase);
        part.is_ambiguous = time.ambiguous_months.contains(lower);
    } else if time.until.contains(lower) {
        part.kind = PartKind::Until;
    } else if time.within.contains(lower) || lexicon.numbers.ordinal_endings.contains(lower) {
        part.kind = PartKind::Within;
    }
}
