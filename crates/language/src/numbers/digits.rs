//! Numbers in digits: decimals, thousands, ordinals, decades.

use super::{Number, NumberKind, scale_and_percent};
use crate::{
    Lexicon,
    units::unit_of_word,
    words::{Token, TokenKind, TokenizedText},
};

/// Which tokens are numbers of citation markers, such as `[1]` and `[2, 3]`, or of list items.
pub(super) fn markers(text: &TokenizedText<'_>) -> Vec<bool> {
    let mut markers = vec![false; text.tokens.len()];
    let mut opened = None;
    for (place, token) in text.tokens.iter().enumerate() {
        match (token.kind, text.lower_at(place)) {
            (TokenKind::Sign, "[") => opened = Some(place),
            (TokenKind::Sign, "]") => {
                if let Some(opened) = opened.take() {
                    markers[opened..place].fill(true);
                }
            }
            (TokenKind::Sign, "," | ";" | "–" | "^") => {}
            (TokenKind::Number, _) => markers[place] |= is_item_number(text, token),
            _ => opened = None,
        }
    }
    markers
}

/// Whether a number begins an item of a list: `1. `, `2) ` or `(3) ` at the beginning of a line, but not `3. Mai`.
fn is_item_number(text: &TokenizedText<'_>, token: &Token) -> bool {
    let before = text.text[..token.start].trim_end_matches([' ', '\t', '(', '#', '*', '>']);
    let is_first = before.is_empty() || before.ends_with('\n');
    let mut after = text.text[token.end..].chars();
    let closes = matches!(after.next(), Some('.' | ')')) && after.next().is_some_and(char::is_whitespace);
    let next = after.as_str().trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    is_first
        && closes
        && token.end - token.start <= 3
        && !(text.text[token.end..].starts_with('.') && crate::sentences::may_follow_ordinal(next))
}

/// Digits taken apart.
struct Digits<'text> {
    value: f64,
    decimals: usize,
    /// The digits before the decimal sign.
    whole: String,
    has_separator: bool,
    suffix: &'text str,
}

pub(super) fn number_at(text: &TokenizedText<'_>, place: usize) -> Option<(Number, usize)> {
    let lexicon = Lexicon::of(text.language);
    let token = text.tokens.get(place)?;
    // `COVID-19` and `carbon-13` name things; `mid-1990s` has a number.
    let before = place.checked_sub(1).and_then(|before| text.tokens.get(before));
    let is_short = token.of(text.text).len() < "1990".len();
    let is_part_of_name = token.is_joined
        && before.is_some_and(|before| {
            before.kind == TokenKind::Word && (is_short || before.of(text.text).starts_with(char::is_uppercase))
        });
    if is_part_of_name {
        return None;
    }
    let (written, mut end) = grouped(text, place, lexicon);
    let digits = parse(&written, lexicon)?;
    let suffix = digits.suffix.to_lowercase();
    let mut kind = NumberKind::Cardinal;
    let mut scale = 1.0;
    let is_money = before.is_some_and(|before| matches!(before.of(text.text), "$" | "€" | "£" | "¥"));
    let abbreviation = lexicon.numbers.abbreviations.get(&suffix);
    let unit = unit_of_word(&suffix);
    if suffix.is_empty() {
        (scale, kind, end) = scale_and_percent(text, end);
    } else if lexicon.numbers.ordinal_endings.contains(&suffix) {
        kind = NumberKind::Ordinal;
    } else if let Some(value) = abbreviation.filter(|_| suffix.len() > 1 || suffix == "k" || is_money) {
        scale = *value;
    } else if !lexicon.numbers.decade_endings.contains(&suffix) && unit.is_none() {
        return None;
    }
    let mut bytes = text.bytes(place..end);
    let after = &text.text[bytes.end..];
    let is_plain = suffix.is_empty() && end == place + 1 && !digits.has_separator;
    if let Some(length) = ordinal_sign(after, lexicon).filter(|_| is_plain) {
        kind = NumberKind::Ordinal;
        bytes.end += length;
        // The sign is a token too, and so are the letters after the full stop in `3.er`.
        while text.tokens.get(end).is_some_and(|token| token.start < bytes.end) {
            end += 1;
        }
    }
    let is_negative = is_negative(text, place);
    let rounding = rounding(&digits);
    let value = digits.value * scale * if is_negative { -1.0 } else { 1.0 };
    let number = Number {
        range: bytes,
        value,
        rounding: rounding * scale,
        kind,
        is_spelled: false,
        is_approximate: false,
        limit: None,
        unit,
    };
    number.value.is_finite().then_some((number, end))
}

/// The digits with those groups of three after them that a blank sets apart, and the token after the last.
fn grouped(text: &TokenizedText<'_>, place: usize, lexicon: &Lexicon) -> (String, usize) {
    let first = text.tokens[place].of(text.text);
    let mut written = first.to_owned();
    let mut end = place + 1;
    let is_plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if first.len() > 3 || !is_plain(first) || first.starts_with('0') {
        return (written, end);
    }
    while let (Some(last), Some(next)) = (text.tokens.get(end - 1), text.tokens.get(end)) {
        let gap = text.text.get(last.end..next.start).unwrap_or_default();
        let is_thin = matches!(gap, "\u{A0}" | "\u{202F}" | "\u{2009}" | "\u{2008}" | "\u{2007}");
        let part = next.of(text.text);
        let three = part.get(..3).is_some_and(is_plain);
        let rest = part.get(3..).unwrap_or("x");
        let is_decimal = rest.strip_prefix(['.', ',']).is_some_and(is_plain);
        let fits = next.kind == TokenKind::Number && three && (rest.is_empty() || is_decimal);
        if !fits || !(is_thin || lexicon.has_blank_thousands && gap == " ") {
            break;
        }
        written.push('\'');
        written.push_str(part);
        end += 1;
        if is_decimal {
            break;
        }
    }
    (written, end)
}

/// Reads digits with their signs, and what letters follow them.
fn parse<'text>(written: &'text str, lexicon: &Lexicon) -> Option<Digits<'text>> {
    let is_apart = |c: char| matches!(c, '\'' | '’' | '‘' | 'ʼ' | '＇');
    let length =
        written.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',') || is_apart(c))).unwrap_or(written.len());
    let (digits, suffix) = written.split_at(length);
    let suffix = suffix.trim_start_matches('.');
    let dots = digits.matches('.').count();
    let commas = digits.matches(',').count();
    let decimal = match (dots, commas) {
        (0, 0) => None,
        (1, 0) | (0, 1) => single_sign(digits, lexicon),
        (_, 0) | (0, _) => None,
        // The sign that comes last stands before the decimals.
        _ => {
            let last = if digits.rfind('.') > digits.rfind(',') { '.' } else { ',' };
            if digits.matches(last).count() > 1 {
                return None;
            }
            Some(last)
        }
    };
    let (whole, fraction) = decimal.and_then(|sign| digits.split_once(sign)).unwrap_or((digits, ""));
    let mut groups = whole.split(|c: char| matches!(c, '.' | ',') || is_apart(c));
    let first = groups.next()?;
    let has_groups = first.len() < whole.len();
    if has_groups && !(first.len() <= 3 && groups.all(|group| group.len() == 3)) {
        return None;
    }
    let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value = format!("{whole}.{fraction}0").parse().ok()?;
    let has_separator = has_groups || decimal.is_some();
    Some(Digits { value, decimals: fraction.len(), whole, has_separator, suffix })
}

/// The decimal sign of digits that have one sign in all: before three digits it depends on the language.
fn single_sign(digits: &str, lexicon: &Lexicon) -> Option<char> {
    let sign = if digits.contains('.') { '.' } else { ',' };
    let (before, after) = digits.split_once(sign)?;
    let may_be_thousands = after.len() == 3 && before.len() <= 3 && !before.starts_with('0') && !before.contains('\'');
    (!may_be_thousands || sign == lexicon.decimal_sign).then_some(sign)
}

/// Half of what the last digit stands for, where a number is visibly rounded: 3.2 and 1,500 are, 7 and 1984 are not.
fn rounding(digits: &Digits<'_>) -> f64 {
    if digits.decimals > 0 {
        return 0.5 * 10f64.powi(-i32::try_from(digits.decimals).unwrap_or(i32::MAX));
    }
    let zeros = digits.whole.len() - digits.whole.trim_end_matches('0').len();
    let may_be_year = digits.whole.len() == 4 && !digits.has_separator && digits.value < 2200.0;
    if zeros < 2 || digits.value < 1000.0 || may_be_year {
        return 0.0;
    }
    0.5 * 10f64.powi(i32::try_from(zeros).unwrap_or(i32::MAX))
}

/// How long a sign is that makes the digits before it a place in a row: `º`, or a full stop before a month.
fn ordinal_sign(after: &str, lexicon: &Lexicon) -> Option<usize> {
    let first = after.chars().next()?;
    if matches!(first, 'º' | 'ª') {
        return Some(first.len_utf8());
    }
    // `3.er` in Spanish, `3.ª` in Portuguese.
    let dotted = after.strip_prefix('.')?;
    let word = dotted.split(|c: char| !c.is_alphabetic() && !matches!(c, 'º' | 'ª')).next().unwrap_or_default();
    let is_ending = lexicon.numbers.ordinal_endings.contains(word) || matches!(word, "º" | "ª");
    if !word.is_empty() {
        return is_ending.then_some(1 + word.len());
    }
    let next = dotted.trim_start_matches([' ', '\u{A0}']);
    let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let goes_on = word.starts_with(char::is_lowercase) || crate::sentences::may_follow_ordinal(word);
    (lexicon.has_ordinal_dot && next.len() < dotted.len() && goes_on).then_some(1)
}

/// Whether a minus stands right before a number, and not between two or before an item.
fn is_negative(text: &TokenizedText<'_>, place: usize) -> bool {
    let Some(sign) = place.checked_sub(1).and_then(|before| text.tokens.get(before)) else { return false };
    let is_next = sign.end == text.tokens[place].start;
    let before = place.checked_sub(2).and_then(|before| text.tokens.get(before));
    let is_free = before.is_none_or(|before| before.kind != TokenKind::Number && before.end < sign.start);
    is_next && is_free && matches!(sign.of(text.text), "−" | "-")
}
