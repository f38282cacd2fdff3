//! Finding again what a model says stands in a text.

/// A text in which words are found although spaces, quotation marks and dashes may be written otherwise.
pub(super) struct QuoteLocator<'text> {
    text: &'text str,
    /// The text as it is compared.
    plain: String,
    /// The byte of `text` that each byte of `plain` stands for, and the end after the last.
    places: Vec<usize>,
}

fn plain_char(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{ab}' | '\u{bb}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c if c.is_whitespace() => ' ',
        c => c,
    }
}

impl<'text> QuoteLocator<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        let (mut folded, mut places) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
        for (at, c) in text.char_indices() {
            let c = plain_char(c);
            if c == ' ' && folded.ends_with(' ') {
                continue;
            }
            folded.push(c);
            places.extend(std::iter::repeat_n(at, c.len_utf8()));
        }
        places.push(text.len());
        Self { text, plain: folded, places }
    }

    /// Returns the byte range of a quote, ignoring differences in spaces, quotation marks and dashes.
    pub(super) fn locate_quote(&self, words: &str) -> Option<(usize, usize)> {
        let words = words.trim();
        if words.is_empty() {
            return None;
        }
        if let Some(start) = self.text.find(words) {
            return Some((start, start + words.len()));
        }
        let folded = QuoteLocator::new(words).plain;
        let start = self.plain.find(&folded)?;
        self.original_range(start, start + folded.len())
    }

    /// Everywhere a name stands as a word of its own, at most so many times.
    pub(super) fn locate_names(&self, name: &str, most: usize) -> Vec<(usize, usize)> {
        let name = name.trim();
        if name.is_empty() {
            return Vec::new();
        }
        let alone = |start: usize, end: usize| {
            let before = self.text[..start].chars().next_back();
            let after = self.text[end..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        };
        let found = self.text.match_indices(name).map(|(start, _)| (start, start + name.len()));
        found.filter(|(start, end)| alone(*start, *end)).take(most).collect()
    }

    fn original_range(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let from = *self.places.get(start)?;
        let last = *self.places.get(end.checked_sub(1)?)?;
        let to = last + self.text.get(last..)?.chars().next()?.len_utf8();
        Some((from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_although_signs_are_written_otherwise() {
        let text = "She said:\n“We’ll  ship – é – on\nFriday.”  Done.";
        let found = QuoteLocator::new(text);
        let at = |words: &str| found.locate_quote(words).map(|(start, end)| &text[start..end]);
        assert_eq!(at("We’ll  ship"), Some("We’ll  ship"));
        assert_eq!(at("We'll ship - é - on Friday."), Some("We’ll  ship – é – on\nFriday."));
        assert_eq!(at("We will ship"), None);
        assert_eq!(at("  "), None);
    }

    #[test]
    fn a_name_is_a_word_of_its_own() {
        let found = QuoteLocator::new("Ann met Anna and Ann. Ann's.");
        assert_eq!(found.locate_names("Ann", 9), [(0, 3), (17, 20), (22, 25)]);
        assert_eq!(found.locate_names("Ann", 1).len(), 1);
        assert!(found.locate_names("", 9).is_empty());
    }
}
