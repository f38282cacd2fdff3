//! What stands around the text of a page and is no part of it: notices, menus, tables of contents, lists of references.
//! No name and no event is read there.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use ibid_language::words::lower;
use serde::Deserialize;

use super::{
    lexicon::LEXICON,
    traits::{COMMON, GIVEN, GRAMMAR, LABEL, NO_NAME},
};

#[derive(Deserialize)]
struct PhraseFile(HashMap<String, String>);

struct FurniturePhrases {
    begins: Vec<String>,
    contains: Vec<String>,
    references: Vec<String>,
}

static PHRASES: LazyLock<FurniturePhrases> = LazyLock::new(|| {
    let file = toml::from_str::<PhraseFile>(include_str!("../../data/extract/furniture.toml"));
    let lists = file.map_or_else(|_| HashMap::new(), |file| file.0);
    let phrases =
        |name: &str| lists.get(name).into_iter().flat_map(|list| list.lines()).map(str::to_owned).collect::<Vec<_>>();
    FurniturePhrases { begins: phrases("begins"), contains: phrases("contains"), references: phrases("references") }
});

/// Longer lines in bytes are prose.
const LONGEST_NOTICE: usize = 400;
/// A link or button has at most this many words.
const LONGEST_LINK: usize = 24;
/// A line of a menu has at most this many words.
const LONGEST_MENU_LINE: usize = 4;
/// Fewer short lines in a row are no menu.
const SHORTEST_MENU: usize = 5;

/// The line of a text that a byte stands in; nothing if the line is longer than furniture is.
pub fn line_around(text: &str, at: usize) -> &str {
    let bytes = text.as_bytes();
    let window = at.saturating_sub(LONGEST_NOTICE)..bytes.len().min(at + LONGEST_NOTICE);
    let newline = |byte: &u8| *byte == b'\n';
    let before = bytes.get(window.start..at).and_then(|before| before.iter().rposition(newline));
    let after = bytes.get(at..window.end).and_then(|after| after.iter().position(newline));
    let start = before.map(|newline| window.start + newline + 1).or((window.start == 0).then_some(0));
    let end = after.map(|newline| at + newline).or((window.end == bytes.len()).then_some(window.end));
    start.zip(end).and_then(|(start, end)| text.get(start..end)).unwrap_or("").trim()
}

/// Returns true if a line belongs to the page and not to its text, by itself.
pub fn is_furniture(line: &str) -> bool {
    let line = line.trim_start_matches(['#', '*', '-', '•', '»', '>', '→', ' ']);
    line.len() <= LONGEST_NOTICE && (is_notice(line) || is_contents_line(line) || is_menu_line(line))
}

fn is_notice(line: &str) -> bool {
    let lowered = lower(line);
    let is_sentence = line.ends_with(['.', '!', '?', '"', '”']);
    let begins = |phrase: &String| {
        lowered.strip_prefix(phrase.as_str()).is_some_and(|rest| {
            // `More from Acme`, but not `More from the crew was asked than they could give.`
            phrase.ends_with(|c: char| !c.is_alphabetic())
                || rest.is_empty()
                || rest.starts_with([':', '|', '>', '»', '…'])
                || (rest.starts_with(char::is_whitespace) && !is_sentence)
        })
    };
    line.split_whitespace().count() <= LONGEST_LINK && PHRASES.begins.iter().any(begins)
}

/// Returns true if a sentence is a notice of the page, wherever it stands: `All rights reserved.`
pub fn is_notice_sentence(said: &str) -> bool {
    said.len() <= LONGEST_NOTICE && {
        let lowered = lower(said);
        PHRASES.contains.iter().any(|phrase| lowered.contains(phrase.as_str()))
    }
}

/// `3.2 Methods ........ 17`
fn is_contents_line(line: &str) -> bool {
    let Some(rest) = line.trim_end().strip_suffix(|c: char| c.is_ascii_digit()) else { return false };
    let rest = rest.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    let leaders =
        rest.chars().rev().take_while(|c| matches!(c, '.' | '…' | ' ' | '_' | '·')).filter(|c| *c != ' ').count();
    leaders >= 3 || rest.ends_with("..") || rest.ends_with('…')
}

/// `Home | News | Contact`: short parts between signs, one of which is the name of no thing.
fn is_menu_line(line: &str) -> bool {
    let parts: Vec<&str> =
        line.split(['|', '·', '›', '»', '•']).map(str::trim).filter(|part| !part.is_empty()).collect();
    parts.len() >= 3
        && parts.iter().all(|part| part.split_whitespace().count() <= LONGEST_MENU_LINE)
        && parts.iter().filter(|part| is_label(part)).count() * 2 >= parts.len()
}

fn word_traits(word: &str) -> super::traits::Traits {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    LEXICON.traits(LEXICON.word_id(&lower(word)))
}

/// Returns true if all words of a short line are common ones.
fn is_label(part: &str) -> bool {
    part.split_whitespace().all(|word| {
        let traits = word_traits(word);
        traits & (LABEL | COMMON | GRAMMAR | NO_NAME) != 0 && traits & GIVEN == 0
    })
}

/// The menus of a page: many short lines in a row, most of them of common words, none of them a sentence.
pub fn menus(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut end, mut short, mut labels) = (0, 0, 0_usize, 0_usize);
    let mut at = 0;
    let mut close = |start: usize, end: usize, short: usize, labels: usize| {
        if short >= SHORTEST_MENU && labels * 10 >= short * 6 {
            found.push(start..end);
        }
    };
    for line in text.split_inclusive('\n') {
        let said = line.trim();
        let from = at;
        at += line.len();
        if said.is_empty() {
            continue;
        }
        let words = said.split_whitespace().take(LONGEST_MENU_LINE + 1).count();
        let is_short = words <= LONGEST_MENU_LINE
            && said.len() <= 48
            && !said.ends_with(['.', '!', '?', ',', ';', ':', '”', '"'])
            && !said.contains(['\t', '@', '#', '|'])
            && said.starts_with(char::is_uppercase);
        if is_short {
            if short == 0 {
                start = from;
            }
            (short, end) = (short + 1, at);
            labels += usize::from(is_label(said));
        } else {
            close(start, end, short, labels);
            (short, labels) = (0, 0);
        }
    }
    close(start, end, short, labels);
    found
}

/// Returns true if a line is the heading of a list of references.
pub fn heads_references(line: &str) -> bool {
    let line = line.trim_matches(|c: char| !c.is_alphabetic());
    line.len() <= 32 && PHRASES.references.iter().any(|heading| *heading == lower(line))
}

/// Returns true if a line is a reference to another work: authors with initials, a year, and where it appeared. In a list
/// of references less is enough.
pub fn is_reference(line: &str, in_list: bool) -> bool {
    if line.len() < 20 {
        return false;
    }
    let year = has_year(line);
    let (mut initials, mut address) = (0, false);
    for word in line.split_whitespace() {
        let bare = word.trim_matches(['(', ')', ',', ';', '[', ']']);
        address |= bare.starts_with("doi:")
            || bare.starts_with("DOI:")
            || bare.contains("doi.org/")
            || bare.starts_with("arXiv:");
        address |= in_list && bare.contains("://");
        let dotted = bare.len() >= 2
            && bare
                .split_terminator(['.', '-'])
                .all(|part| part.chars().count() == 1 && part.starts_with(char::is_uppercase))
            && bare.ends_with('.');
        initials += usize::from(dotted);
    }
    let others = line.contains("et al");
    let pages = line.contains("pp.") || line.contains("Vol.") || line.contains("vol.") || line.contains("No.");
    if in_list {
        return year || address || initials >= 1 || others;
    }
    // `Niekus, M. J. et al. (2019)`, `Chen, A., Li, B.: Title. Journal 3, pp. 2-8, 2019`
    let bracketed = line.contains("(19") || line.contains("(20");
    let told = pages || address || (others && bracketed);
    (initials >= 2 && year && told) || (address && (initials >= 1 || others))
}

/// Returns true if a line has a year from 1800 on.
fn has_year(line: &str) -> bool {
    line.split(|c: char| !c.is_ascii_digit()).any(|digits| {
        digits.len() == 4 && (digits.starts_with("18") || digits.starts_with("19") || digits.starts_with("20"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_page_are_told_from_its_text() {
        for line in [
            "Read more: Alice Chen joins Acme Corp",
            "OLDER NEWS",
            "© 2019 Acme Media Group",
            "Home | News | Sport | About us | Contact",
            "3.2 The Harbour Board ........ 17",
            "Lesen Sie auch: Anna Weber verlässt die Nordbank",
        ] {
            assert!(is_furniture(line), "{line}");
        }
        assert!(is_notice_sentence("We use cookies to improve Acme Shop."));
        for line in [
            "More from the crew was asked than Alice Chen could give.",
            "Alice Chen | Acme Corp | 12 May",
            "The board approved the privacy policy in 2019",
            "Subscribers of the Harbour Gazette met Alice Chen on 12 May 2024",
            "The committee met at 17",
        ] {
            assert!(!is_furniture(line), "{line}");
        }
    }

    #[test]
    fn a_menu_is_many_short_lines_of_common_words() {
        let text = "Home\nNews\nSport\nWeather\nContact\nAlice Chen\n\nThe harbour was closed on Monday.\n";
        assert_eq!(
            menus(text).first().map(|menu| &text[menu.clone()]),
            Some("Home\nNews\nSport\nWeather\nContact\nAlice Chen\n")
        );
        assert!(menus("Attendees\nAlice Chen\nBob Li\nCarla Gomez\nOke Halvane\nMaud Tressider\n").is_empty());
    }

    #[test]
    fn references_are_told_by_initials_years_and_addresses() {
        let entry = "Chen, A., Li, B.: Tides of the north coast. J. Harbour Stud. 3, pp. 2-8, 2019";
        assert!(is_reference(entry, false) && is_reference(entry, true));
        assert!(is_reference("Halvane, O. The breakwater of Pellmouth", true));
        assert!(!is_reference("We met in May. J. R. Tressider et al. reported the same in 2018.", false));
        assert!(!is_reference("J. R. Tressider met A. Chen in 2019 and agreed on the price.", false));
        assert!(
            heads_references("## References")
                && heads_references("Literaturverzeichnis")
                && !heads_references("Reference desk")
        );
    }
}
