//! Whether a sentence says again what another has said.

use std::collections::HashSet;

use ibid_language::{
    stems::comparable_stem,
    words::{TokenKind, TokenizedText},
};

use super::language::TextLanguage;
use crate::verify::figures::Figures;

/// Stems and figures of a sentence, used to compare it with other sentences.
pub(super) struct SentenceContent {
    stems: HashSet<String>,
    figures: Figures,
}

/// A sentence of which the other has this share says nothing new.
const SAME: f32 = 0.75;

impl SentenceContent {
    pub fn new(text: &str, language: TextLanguage) -> Self {
        let text = TokenizedText::new(text, language.language());
        let words = text.tokens.iter().zip(&text.lower).filter(|(token, lower)| {
            matches!(token.kind, TokenKind::Word | TokenKind::Number) && !language.is_little(lower)
        });
        let stems = words.map(|(_, lower)| comparable_stem(lower, text.language)).collect();
        Self { stems, figures: Figures::of(&text) }
    }

    /// The share of the shorter one's words that both have.
    pub fn overlap_with(&self, other: &Self) -> f32 {
        self.shared_stem_count(other) / self.stems.len().min(other.stems.len()).max(1) as f32
    }

    /// Returns true if the other sentence already says the same. A different figure makes it a different statement.
    pub fn is_repetition_of(&self, other: &Self) -> bool {
        self.shared_stem_count(other) >= SAME * self.stems.len() as f32 && !self.has_other_figure(other)
    }

    /// Returns true if this sentence has a figure that the other one lacks.
    pub fn has_other_figure(&self, other: &Self) -> bool {
        self.figures.missing_in(&other.figures).0 > 0
    }

    fn shared_stem_count(&self, other: &Self) -> f32 {
        self.stems.intersection(&other.stems).count() as f32
    }
}

#[cfg(test)]
mod tests {
    use ibid_language::Language;

    use super::*;

    fn repeats(one: &str, other: &str) -> bool {
        SentenceContent::new(one, TextLanguage(Some(Language::ENGLISH)))
            .is_repetition_of(&SentenceContent::new(other, TextLanguage(Some(Language::ENGLISH))))
    }

    #[test]
    fn the_same_in_about_the_same_words_is_a_repetition() {
        let said = "The harbour bridge was opened to traffic in 1932.";
        assert!(repeats("In 1932 the harbour bridge opened to traffic.", said));
        assert!(repeats("The bridge opened in 1932.", said));
        // Another figure is another statement, and the more so where two sources disagree.
        assert!(!repeats("The harbour bridge was opened to traffic in 1933.", said));
        assert!(!repeats(said, "The bridge opened in 1932."));
        assert!(!repeats("The tunnel below it is closed at night.", said));
        assert!(
            SentenceContent::new("The bridge", TextLanguage(Some(Language::ENGLISH)))
                .overlap_with(&SentenceContent::new(said, TextLanguage(Some(Language::ENGLISH))))
                == 1.0
        );
        assert!(
            SentenceContent::new("", TextLanguage(None)).overlap_with(&SentenceContent::new("", TextLanguage(None)))
                == 0.0
        );
    }
}
