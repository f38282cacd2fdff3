//! Whether a sentence says again what another has said.

use std::collections::HashSet;

use super::language::TextLanguage;
use crate::verify::{
    figures::{Figures, extract_figures},
    words::{SentenceToken, sentence_tokens},
};

/// Stems and figures of a sentence, used to compare it with other sentences.
pub(super) struct SentenceContent {
    stems: HashSet<String>,
    figures: Figures,
}

/// A sentence of which the other has this share says nothing new.
const SAME: f32 = 0.75;

impl SentenceContent {
    pub fn new(text: &str, language: TextLanguage) -> Self {
        let stemmer = language.stemmer();
        let mut stems = HashSet::new();
        for piece in sentence_tokens(text) {
            let SentenceToken::Word(word) = piece else { continue };
            let lower = word.to_lowercase();
            if !language.is_little(&lower) {
                stems.insert(
                    stemmer.as_ref().map_or_else(|| lower.clone(), |stemmer| stemmer.stem(&lower).into_owned()),
                );
            }
        }
        Self { stems, figures: extract_figures(text) }
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
    use super::*;

    fn repeats(one: &str, other: &str) -> bool {
        SentenceContent::new(one, TextLanguage::English)
            .is_repetition_of(&SentenceContent::new(other, TextLanguage::English))
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
            SentenceContent::new("The bridge", TextLanguage::English)
                .overlap_with(&SentenceContent::new(said, TextLanguage::English))
                == 1.0
        );
        assert!(
            SentenceContent::new("", TextLanguage::Other).overlap_with(&SentenceContent::new("", TextLanguage::Other))
                == 0.0
        );
    }
}
