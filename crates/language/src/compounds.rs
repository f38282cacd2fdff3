//! Words that languages such as German and Dutch put together: `Hafenmauer` is `Hafen` and `Mauer`.
//!
//! A word is split only into words that the caller knows, such as those of the other text of a comparison, so that no
//! dictionary is needed and nothing is split by chance.

use crate::{Language, Lexicon};

/// The fewest characters of a part.
const SHORTEST_PART: usize = 3;
/// The most parts of a word.
const MOST_PARTS: usize = 4;
/// A word with more characters is not split.
const LONGEST_WORD: usize = 64;

/// The parts of a word in lower case, if all of it is made of two or more words that `is_word` knows, in order.
///
/// Between two parts there may be what the language puts there (`s` in `Arbeitszeit`), and a part may have lost its last
/// letter (`Schule` in `Schulhaus`). The parts are given in the form in which `is_word` knew them.
pub fn compound_parts(word: &str, language: Language, is_word: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let lexicon = Lexicon::of(language);
    let bounds = boundaries(word)?;
    if lexicon.compound_links.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    split(word, &bounds, 0, &lexicon.compound_links, &is_word, &mut parts).then_some(parts)
}

/// The last part of a word in lower case, which says what the thing is: the longest ending that `is_word` knows, in a
/// language that puts words together.
pub fn compound_head(word: &str, language: Language, is_word: impl Fn(&str) -> bool) -> Option<&str> {
    let bounds = boundaries(word).filter(|_| !Lexicon::of(language).compound_links.is_empty())?;
    let last = bounds.len().checked_sub(SHORTEST_PART + 2)?;
    (SHORTEST_PART..=last).map(|place| &word[bounds[place]..]).find(|ending| is_word(ending))
}

/// Whether a language writes several words as one.
pub fn makes_compounds(language: Language) -> bool {
    !Lexicon::of(language).compound_links.is_empty()
}

/// The byte of each character and of the end, if the word is neither too long nor too short.
fn boundaries(word: &str) -> Option<Vec<usize>> {
    let bounds: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).take(LONGEST_WORD + 2).collect();
    (2 * SHORTEST_PART < bounds.len() && bounds.len() <= LONGEST_WORD + 1).then_some(bounds)
}

fn split(
    word: &str,
    bounds: &[usize],
    from: usize,
    links: &[String],
    is_word: &impl Fn(&str) -> bool,
    parts: &mut Vec<String>,
) -> bool {
    let last = bounds.len() - 1;
    if parts.len() == MOST_PARTS {
        return false;
    }
    // The longest part first.
    for to in (from + SHORTEST_PART..=last).rev() {
        let part = &word[bounds[from]..bounds[to]];
        let is_whole = from == 0 && to == last;
        let is_rest_long = to == last || last - to >= SHORTEST_PART;
        if is_whole || !is_rest_long {
            continue;
        }
        let Some(form) = known_form(part, to == last, links, is_word) else { continue };
        parts.push(form);
        if to == last || split(word, bounds, to, links, is_word, parts) {
            return true;
        }
        parts.pop();
    }
    false
}

/// The form in which a part is known: as it is, without what links it to the next, or with the `e` that it lost.
fn known_form(part: &str, is_last: bool, links: &[String], is_word: &impl Fn(&str) -> bool) -> Option<String> {
    if is_word(part) {
        return Some(part.to_owned());
    }
    if is_last {
        return None;
    }
    let without = links.iter().filter_map(|link| part.strip_suffix(link.as_str()));
    let mut without = without.filter(|form| form.chars().count() >= SHORTEST_PART);
    without
        .find(|form| is_word(form))
        .map(str::to_owned)
        .or_else(|| Some(format!("{part}e")).filter(|form| is_word(form)))
}
