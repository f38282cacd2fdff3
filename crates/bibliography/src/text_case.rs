//! The case of words: as in titles, as in sentences.

use hayagriva::citationberg::TextCase;

use crate::markup::{self, NOCASE, NOCASE_END, SMALL_CAPS, SMALL_CAPS_END, SUB, SUB_END, SUP, SUP_END};

/// Words that stay small within a title.
const SMALL_WORDS: &[&str] = &[
    "about",
    "above",
    "across",
    "afore",
    "after",
    "against",
    "al",
    "along",
    "alongside",
    "amid",
    "amidst",
    "among",
    "amongst",
    "anenst",
    "apropos",
    "apud",
    "around",
    "as",
    "aside",
    "astride",
    "at",
    "athwart",
    "atop",
    "barring",
    "before",
    "behind",
    "below",
    "beneath",
    "beside",
    "besides",
    "between",
    "beyond",
    "but",
    "by",
    "circa",
    "despite",
    "down",
    "during",
    "et",
    "except",
    "for",
    "forenenst",
    "from",
    "given",
    "in",
    "inside",
    "into",
    "lest",
    "like",
    "modulo",
    "near",
    "next",
    "notwithstanding",
    "of",
    "off",
    "on",
    "onto",
    "out",
    "over",
    "per",
    "plus",
    "pro",
    "qua",
    "sans",
    "since",
    "than",
    "through",
    "thru",
    "throughout",
    "thruout",
    "till",
    "to",
    "toward",
    "towards",
    "under",
    "underneath",
    "until",
    "unto",
    "up",
    "upon",
    "versus",
    "vs",
    "v",
    "via",
    "with",
    "within",
    "without",
    "or",
    "yet",
    "so",
    "and",
    "nor",
    "a",
    "an",
    "the",
    "de",
    "d’",
    "von",
    "van",
    "c",
    "ca",
];

/// From how many letters on a word is large in a title whatever it is: the 18th edition of Chicago has such a bound.
pub(crate) type LargeWordLength = usize;
/// Bound for styles in which short words stay small whatever their length.
pub(crate) const NO_BOUND: LargeWordLength = usize::MAX;

/// Changes the case; words that are marked to be left alone are.
pub(crate) fn change_case(text: &str, case: TextCase, english: bool, large: LargeWordLength) -> String {
    match case {
        TextCase::Lowercase => each_word(text, |word, _| Some(word.to_lowercase())),
        TextCase::Uppercase => each_word(text, |word, _| Some(word.to_uppercase())),
        TextCase::CapitalizeFirst => {
            each_word(text, |word, place| (place.first && is_small(word)).then(|| capitalize_word(word)))
        }
        TextCase::CapitalizeAll => each_word(text, |word, _| is_small(word).then(|| capitalize_word(word))),
        TextCase::SentenceCase if english => {
            each_word(
                text,
                |word, place| if place.first { Some(capitalize_word(word)) } else { Some(word.to_lowercase()) },
            )
        }
        TextCase::TitleCase if english => to_title_case(text, large),
        TextCase::SentenceCase | TextCase::TitleCase => text.to_owned(),
    }
}

fn is_small(word: &str) -> bool {
    word.chars().all(|c| !c.is_uppercase())
}

fn capitalize_word(word: &str) -> String {
    let mut chars = word.chars();
    match chars.next() {
        // A lone Greek letter is a symbol.
        Some(first) if !(('\u{370}'..='\u{3ff}').contains(&first) && chars.as_str().is_empty()) => {
            let mut out: String = first.to_uppercase().collect();
            out.push_str(chars.as_str());
            out
        }
        _ => word.to_owned(),
    }
}

/// Position of a word in a title.
#[derive(Clone, Copy)]
struct WordPlace {
    /// True for the first word of the text.
    first: bool,
    /// `:`, `?` or `!` stands before it.
    after_stop: bool,
}

/// Returns true for characters that end a word: white space, punctuation and marks.
fn is_joint(c: char) -> bool {
    matches!(
        c,
        '-' | '–' | '—' | '/' | '.' | ',' | ';' | '?' | '!' | ':' | '[' | ']' | '(' | ')' | '"' | '“' | '”' | '‘'
    ) || c.is_whitespace()
        || markup::is_mark(c)
}

fn each_word(text: &str, mut change: impl FnMut(&str, WordPlace) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut place = WordPlace { first: true, after_stop: false };
    let mut kept = 0usize;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if is_joint(c) {
            match c {
                NOCASE | SMALL_CAPS | SUB | SUP => kept += 1,
                NOCASE_END | SMALL_CAPS_END | SUB_END | SUP_END => kept = kept.saturating_sub(1),
                ':' | '?' | '!' => place.after_stop = true,
                _ => {}
            }
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let end = rest.find(is_joint).unwrap_or(rest.len());
        let word = &rest[..end];
        let made = if kept == 0 { change(word, place) } else { None };
        out.push_str(made.as_deref().unwrap_or(word));
        place = WordPlace { first: false, after_stop: false };
        rest = &rest[end..];
    }
    out
}

fn to_title_case(text: &str, large: LargeWordLength) -> String {
    // Where the last word of the result begins, and whether it is one that only its place makes large.
    let mut last: Option<(usize, usize)> = None;
    let mut words = 0usize;
    let mut small_at = None;
    let made = each_word(text, |word, place| {
        words += 1;
        let lower = word.to_lowercase();
        let length = word.chars().count();
        let small = length == 1 || (length < large && SMALL_WORDS.contains(&lower.as_str()));
        small_at = (small && word.chars().count() > 1 && word == lower).then_some(words);
        ((!small || place.first || place.after_stop) && is_small(word)).then(|| capitalize_word(word))
    });
    // The last word is large whatever it is.
    if small_at == Some(words) {
        let end = made.rfind(|c: char| !is_joint(c)).map(|at| at + made[at..].chars().next().map_or(1, char::len_utf8));
        if let Some(end) = end {
            let begin =
                made[..end].rfind(is_joint).map_or(0, |at| at + made[at..].chars().next().map_or(1, char::len_utf8));
            last = Some((begin, end));
        }
    }
    match last {
        Some((begin, end)) => format!("{}{}{}", &made[..begin], capitalize_word(&made[begin..end]), &made[end..]),
        None => made,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_have_large_words() {
        let title = |text| change_case(text, TextCase::TitleCase, true, NO_BOUND);
        assert_eq!(
            title("the origin of species by means of natural selection"),
            "The Origin of Species by Means of Natural Selection"
        );
        assert_eq!(title("attention is all you need: a review"), "Attention Is All You Need: A Review");
        assert_eq!(title("state-of-the-art peer-reviewed methods"), "State-of-the-Art Peer-Reviewed Methods");
        assert_eq!(title("what are they for"), "What Are They For");
        assert_eq!(title("mRNA don’t eBay"), "mRNA Don’t eBay");
        assert_eq!(change_case("la vie en rose", TextCase::TitleCase, false, NO_BOUND), "la vie en rose");
        assert_eq!(
            change_case("life after work with friends", TextCase::TitleCase, true, 5),
            "Life After Work with Friends"
        );
    }

    #[test]
    fn other_cases() {
        assert_eq!(change_case("ibid.", TextCase::CapitalizeFirst, true, NO_BOUND), "Ibid.");
        assert_eq!(change_case("iPhone users", TextCase::CapitalizeFirst, true, NO_BOUND), "iPhone users");
        assert_eq!(change_case("The Origin Of", TextCase::SentenceCase, true, NO_BOUND), "The origin of");
        assert_eq!(change_case("a b", TextCase::CapitalizeAll, true, NO_BOUND), "A B");
    }
}
