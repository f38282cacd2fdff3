//! The words of a claim and of a passage, in the form in which they are compared.

use rust_stemmers::{Algorithm, Stemmer};

/// A word that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContentWord {
    /// Stem of the word in lower case.
    pub stem: String,
    /// True if it is capitalized like a name, and not only because it begins a sentence.
    pub is_name: bool,
}

/// Words that hold sentences together and say nothing by themselves. Negations are compared on their own.
pub(crate) const LITTLE: &[&str] = &[
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "could", "did", "do", "does",
    "doing", "down", "during", "each", "for", "from", "further", "had", "has", "have", "having", "he", "her", "here",
    "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "may", "me", "might", "more",
    "most", "my", "no", "nor", "not", "of", "off", "on", "only", "or", "other", "our", "out", "over", "own", "same",
    "shall", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "through", "to", "too", "under", "up", "very", "was", "we", "were", "what", "when",
    "where", "which", "while", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];

/// The words of a text that say something, in order.
pub(crate) fn content_words(text: &str) -> Vec<ContentWord> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut words = Vec::new();
    let mut begins = true;
    for piece in sentence_tokens(text) {
        let word = match piece {
            SentenceToken::End => {
                begins = true;
                continue;
            }
            SentenceToken::Word(word) => word,
        };
        let lower = word.to_lowercase();
        let bare = lower.strip_suffix("'s").or_else(|| lower.strip_suffix("’s")).unwrap_or(&lower);
        let is_name = word.starts_with(char::is_uppercase) && (!begins || word.chars().skip(1).any(char::is_uppercase));
        begins = false;
        if LITTLE.binary_search(&bare).is_ok()
            || (bare.chars().count() == 1 && bare.is_ascii() && !bare.as_bytes()[0].is_ascii_digit())
        {
            continue;
        }
        words.push(ContentWord { stem: stemmer.stem(bare).into_owned(), is_name });
    }
    words
}

pub(crate) enum SentenceToken<'text> {
    Word(&'text str),
    End,
}

/// Runs of letters and digits; a character of a script without spaces is a word by itself.
pub(crate) fn sentence_tokens(text: &str) -> impl Iterator<Item = SentenceToken<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let first = rest.chars().next()?;
            if first >= '\u{2E80}' && first.is_alphanumeric() {
                let (word, more) = rest.split_at(first.len_utf8());
                rest = more;
                return Some(SentenceToken::Word(word));
            }
            if first.is_alphanumeric() {
                let mut end = 0;
                let mut chars = rest.char_indices().peekable();
                while let Some((at, char)) = chars.next() {
                    let next = chars.peek().map(|(_, next)| *next);
                    let joins = matches!(char, '\'' | '’' | '.' | ',')
                        && next.is_some_and(|next| {
                            // Within a number, or an apostrophe within a word.
                            if matches!(char, '.' | ',') {
                                next.is_ascii_digit() && rest[..at].ends_with(|last: char| last.is_ascii_digit())
                            } else {
                                next.is_alphabetic()
                            }
                        });
                    let is_letter = char.is_alphanumeric() && char < '\u{2E80}';
                    if !is_letter && !joins {
                        break;
                    }
                    end = at + char.len_utf8();
                }
                let (word, more) = rest.split_at(end);
                rest = more;
                return Some(SentenceToken::Word(word));
            }
            rest = &rest[first.len_utf8()..];
            if matches!(first, '.' | '!' | '?' | '\n' | '。' | ':' | '“' | '"') {
                return Some(SentenceToken::End);
            }
        }
    })
}

/// Words that turn a statement into its opposite.
const NEGATIONS: &[&str] = &[
    "cannot", "fail", "failed", "failing", "fails", "false", "lack", "lacked", "lacking", "lacks", "neither", "never",
    "no", "nobody", "none", "nor", "not", "nothing", "nowhere", "unable", "unlikely", "without",
];

/// Returns true if a text contains a negation.
pub(crate) fn is_negated(text: &str) -> bool {
    sentence_tokens(text).any(|piece| match piece {
        SentenceToken::Word(word) => {
            let lower = word.to_lowercase();
            NEGATIONS.binary_search(&lower.as_str()).is_ok() || lower.ends_with("n't") || lower.ends_with("n’t")
        }
        SentenceToken::End => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order() {
        assert!(LITTLE.is_sorted() && NEGATIONS.is_sorted());
    }

    #[test]
    fn words_are_compared_by_their_stems() {
        let stems = |text: &str| content_words(text).into_iter().map(|word| word.stem).collect::<Vec<_>>();
        assert_eq!(
            stems("The committees measured Ada's 1,500.5 engines."),
            ["committe", "measur", "ada", "1,500.5", "engin"]
        );
        assert_eq!(stems("数据 shows"), ["数", "据", "show"]);
        let names: Vec<_> = content_words("The Bank of England. Later it moved to NASA")
            .into_iter()
            .filter(|word| word.is_name)
            .map(|word| word.stem)
            .collect();
        assert_eq!(names, ["bank", "england", "nasa"]);
        assert!(is_negated("It didn’t work") && is_negated("Nothing was found") && !is_negated("It worked"));
    }
}
