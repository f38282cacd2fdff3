//! How many tokens a text has for a model whose tokenizer is not at hand.

/// An estimate that is rather too high, for the byte-pair tokenizers of today's providers: letters in threes, digits in
/// threes, every sign of its own, and other scripts by how far they are from what those tokenizers were trained on.
pub fn estimate_tokens(text: &str) -> usize {
    let mut run = CharRun::default();
    text.chars().map(|letter| run.token_cost(letter)).sum()
}

/// The longest start of a text that is estimated to have at most `limit` tokens.
pub(super) fn truncate_to_tokens(text: &str, limit: usize) -> &str {
    // No character costs more tokens than it has bytes.
    if text.len() <= limit {
        return text;
    }
    let (mut run, mut tokens) = (CharRun::default(), 0);
    for (at, letter) in text.char_indices() {
        tokens += run.token_cost(letter);
        if tokens > limit {
            return &text[..at];
        }
    }
    text
}

/// The letters or digits that stand together.
#[derive(Default)]
struct CharRun {
    kind: u8,
    length: usize,
}

impl CharRun {
    /// Returns the number of tokens that the next character adds.
    fn token_cost(&mut self, letter: char) -> usize {
        let kind = match letter {
            'a'..='z' | 'A'..='Z' => 1,
            '0'..='9' => 2,
            // A space belongs to the word after it.
            ' ' => 3,
            '\n' | '\t' | '\r' => 4,
            _ => 0,
        };
        self.length = if kind == self.kind { self.length + 1 } else { 0 };
        self.kind = kind;
        match kind {
            1 | 2 => usize::from(self.length.is_multiple_of(3)),
            3 | 4 => usize::from(self.length == 1 || (kind == 4 && self.length == 0)),
            // In bytes: accented Latin, Greek and Cyrillic have two, most other scripts three, emoji four.
            _ => match letter.len_utf8() {
                1 | 2 => 1,
                3 => 2,
                _ => 3,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_near_and_not_below() {
        // The second number is what the tokenizer cl100k gives.
        for (text, tokens) in [
            ("The quick brown fox jumps over the lazy dog.", 10),
            ("In 1987, the committee agreed by 7 votes to 2.", 15),
            ("", 0),
            ("a", 1),
        ] {
            let estimate = estimate_tokens(text);
            assert!((tokens..=tokens * 2).contains(&estimate), "{text}: {estimate}");
        }
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(truncate_to_tokens("日本語テキスト", 5), "日本");
        assert_eq!(truncate_to_tokens("short", 100), "short");
        assert_eq!(truncate_to_tokens("one two three", 2), "one two ");
        for limit in 0..20 {
            assert!(estimate_tokens(truncate_to_tokens("Ünïcode 日本語 and 👍🏽 more", limit)) <= limit);
        }
    }
}
