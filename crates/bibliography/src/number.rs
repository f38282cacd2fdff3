//! Numbers that are not only numbers: `12`, `2nd`, `3-4`, `S1, S3`, `xii`, `Spring supplement`.

use hayagriva::citationberg::PageRangeFormat;

/// Number or separator within a numeric text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NumberPiece<'t> {
    /// A number, perhaps with letters before or after.
    Number(&'t str),
    /// `-`, `,`, `&` or the like between two of them.
    Joint(NumberJoint),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberJoint {
    Range,
    Comma,
    Semicolon,
    Ampersand,
    And,
}

/// The pieces, or `None` if the text is not numeric.
pub(crate) fn number_pieces(text: &str) -> Option<Vec<NumberPiece<'_>>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    loop {
        // `digit-groups`: a comma within a number is no list.
        let ends = |at: usize, c: char| match c {
            ',' => !rest[at + 1..].starts_with(|c: char| c.is_ascii_digit()),
            c => matches!(c, ' ' | '-' | '–' | ';' | '&' | '\u{2012}' | '\u{2014}'),
        };
        let end = rest.char_indices().find(|(at, c)| ends(*at, *c)).map_or(rest.len(), |(at, _)| at);
        let (word, after) = rest.split_at(end);
        if !is_number(word) {
            return None;
        }
        found.push(NumberPiece::Number(word));
        rest = after.trim_start();
        if rest.is_empty() {
            return Some(found);
        }
        let (joint, length) = match rest.chars().next()? {
            c @ ('-' | '–' | '\u{2012}' | '\u{2014}') => (NumberJoint::Range, c.len_utf8()),
            ',' if rest[1..].trim_start().starts_with("and ") => {
                (NumberJoint::And, rest.len() - rest[1..].trim_start().len() + 4)
            }
            ',' if rest[1..].starts_with(' ') => (NumberJoint::Comma, 1),
            ';' => (NumberJoint::Semicolon, 1),
            '&' => (NumberJoint::Ampersand, 1),
            _ if rest.starts_with("and ") => (NumberJoint::And, 4),
            _ => return None,
        };
        found.push(NumberPiece::Joint(joint));
        rest = rest[length..].trim_start_matches(['-', '–', ' ']);
    }
}

/// Digits, perhaps with letters before or after them, or with commas between thousands.
fn is_number(word: &str) -> bool {
    let inner = word.trim_start_matches(|c: char| c.is_alphabetic());
    let digits = inner.trim_end_matches(|c: char| c.is_alphabetic());
    let mut groups = digits.split(',');
    let first = groups.next().unwrap_or_default();
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    word.len() <= 40 && is_digits(first) && groups.all(|group| group.len() == 3 && is_digits(group))
}

/// The number alone, where the text is one, with an English ordinal's ending or without.
pub(crate) fn parse_number(word: &str) -> Option<u32> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    digits.parse().ok()
}

pub(crate) fn is_numeric(text: &str) -> bool {
    number_pieces(text).is_some()
}

/// Returns true if a label before the text must be plural.
pub(crate) fn is_plural(text: &str) -> bool {
    if let Some(pieces) = number_pieces(text) {
        return pieces.len() > 1;
    }
    // Roman numbers and such: `xii-xv`, `iv, v`.
    let mut parts = text.split(['-', '–', ',', '&']);
    let roman = |part: &str| {
        let part = part.trim();
        !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || "ivxlcdmIVXLCDM".contains(c))
    };
    text.contains(['-', '–', ',', '&']) && parts.all(roman)
}

/// Converts a number to lower-case Roman numerals; `None` if it is out of range.
pub(crate) fn to_roman(number: u32) -> Option<String> {
    const SIGNS: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if !(1..4000).contains(&number) {
        return None;
    }
    let (mut rest, mut out) = (number, String::new());
    for (value, sign) in SIGNS {
        while rest >= value {
            out.push_str(sign);
            rest -= value;
        }
    }
    Some(out)
}

/// Pages with the dash and the shortening that the style asks for.
pub(crate) fn format_pages(text: &str, format: Option<PageRangeFormat>, dash: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    for (which, list) in text.split(", ").enumerate() {
        if which > 0 {
            out.push_str(", ");
        }
        out.push_str(&one_range(list, format, dash));
    }
    out
}

fn one_range(text: &str, format: Option<PageRangeFormat>, dash: &str) -> String {
    let Some((start, end)) = text.split_once("--").or_else(|| text.split_once(['-', '–', '\u{2012}', '\u{2014}']))
    else {
        return text.to_owned();
    };
    let (start, end) = (start.trim(), end.trim_start_matches(['-', '–']).trim());
    if start.is_empty() || end.is_empty() || end.contains(['-', '–']) {
        return text.to_owned();
    }
    let page = |text: &str| {
        let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        text.len() <= 12 && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let joined = || format!("{start}{dash}{end}");
    let Some(format) = format.filter(|_| page(start) && page(end)) else { return joined() };
    let split = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let (before, from) = start.split_at(split(start));
    let (other, to) = end.split_at(split(end));
    if !other.is_empty() && other != before {
        return joined();
    }
    // 321-8 means 328.
    let to = if to.len() < from.len() { format!("{}{to}", &from[..from.len() - to.len()]) } else { to.to_owned() };
    let same =
        if to.len() == from.len() { from.bytes().zip(to.bytes()).take_while(|(a, b)| a == b).count() } else { 0 };
    let at_least = |digits: usize| same.min(to.len().saturating_sub(digits));
    let number: u64 = from.parse().unwrap_or_default();
    let keep = match format {
        PageRangeFormat::Expanded => 0,
        PageRangeFormat::Minimal => at_least(1),
        PageRangeFormat::MinimalTwo => at_least(2),
        PageRangeFormat::Chicago15 | PageRangeFormat::Chicago16 => {
            if number < 100 || number.is_multiple_of(100) {
                0
            } else if number % 100 < 10 {
                at_least(1)
            } else if format == PageRangeFormat::Chicago15 && from.len() == 4 && same < 2 {
                0
            } else {
                at_least(2)
            }
        }
    };
    // Letters are written again only where everything is.
    let again = if keep == 0 && format == PageRangeFormat::Expanded { before } else { "" };
    format!("{before}{from}{dash}{again}{}", &to[keep..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_numeric() {
        for text in ["12", "2nd", "3-4", "S1, S3", "2 & 3", "12a", "D2", "1, 2, and 5"] {
            assert!(is_numeric(text), "{text}");
        }
        for text in ["", "second", "2nd edition", "Spring", "vol. 2", "-"] {
            assert!(!is_numeric(text), "{text}");
        }
        assert!(is_plural("3-4") && is_plural("xii–xv") && !is_plural("12") && !is_plural("A-Level"));
    }

    #[test]
    fn pages_are_shortened_as_the_manuals_say() {
        let chicago = |text| format_pages(text, Some(PageRangeFormat::Chicago16), "–");
        for (from, to) in [
            ("3-10", "3–10"),
            ("71-72", "71–72"),
            ("100-104", "100–104"),
            ("1100-1113", "1100–1113"),
            ("101-108", "101–8"),
            ("808-833", "808–33"),
            ("321-328", "321–28"),
            ("498-532", "498–532"),
            ("1087-1089", "1087–89"),
            ("1496-1500", "1496–500"),
            ("12991-13001", "12991–3001"),
            ("e12-e15", "e12–15"),
            ("iv-x", "iv–x"),
            ("12-15, 33-39", "12–15, 33–39"),
        ] {
            assert_eq!(chicago(from), to);
        }
        assert_eq!(format_pages("321-8", Some(PageRangeFormat::Expanded), "–"), "321–328");
        assert_eq!(format_pages("321-328", Some(PageRangeFormat::MinimalTwo), "–"), "321–28");
        assert_eq!(format_pages("321-328", Some(PageRangeFormat::Minimal), "–"), "321–8");
        assert_eq!(format_pages("321--328", None, "–"), "321–328");
        assert_eq!(format_pages("e0203-45-x", None, "–"), "e0203-45-x");
    }

    #[test]
    fn roman_numbers() {
        assert_eq!(to_roman(1994).unwrap(), "mcmxciv");
        assert_eq!(to_roman(0), None);
    }
}
