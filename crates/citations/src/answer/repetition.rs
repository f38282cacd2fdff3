//! Whether a sentence says again what another has said.

use std::collections::HashSet;

use super::language::Language;
use crate::verify::{
    figures::{Figures, figures},
    words::{Piece, pieces},
};

/// What a sentence says, in a form in which it can be compared.
pub(super) struct Said {
    stems: HashSet<String>,
    figures: Figures,
}

/// A sentence of which the other has this share says nothing new.
const SAME: f32 = 0.75;

impl Said {
    pub fn new(text: &str, language: Language) -> Self {
        let stemmer = language.stemmer();
        let mut stems = HashSet::new();
        for piece in pieces(text) {
            let Piece::Word(word) = piece else { continue };
            let lower = word.to_lowercase();
            if !language.is_little(&lower) {
                stems.insert(
                    stemmer.as_ref().map_or_else(|| lower.clone(), |stemmer| stemmer.stem(&lower).into_owned()),
                );
            }
        }
        Self { stems, figures: figures(text) }
    }

    /// The share of the shorter one's words that both have.
    pub fn overlap(&self, other: &Self) -> f32 {
        self.shared(other) / self.stems.len().min(other.stems.len()).max(1) as f32
    }

    /// Whether another has said this already. A sentence with another figure says something else.
    pub fn repeats(&self, other: &Self) -> bool {
        self.shared(other) >= SAME * self.stems.len() as f32 && !self.has_other_figure(other)
    }

    /// Whether it has a figure that the other has not.
    pub fn has_other_figure(&self, other: &Self) -> bool {
        self.figures.missing_in(&other.figures).0 > 0
    }

    fn shared(&self, other: &Self) -> f32 {
        self.stems.intersection(&other.stems).count() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeats(one: &str, other: &str) -> bool {
        Said::new(one, Language::English).repeats(&Said::new(other, Language::English))
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
        assert!(Said::new("The bridge", Language::English).overlap(&Said::new(said, Language::English)) == 1.0);
        assert!(Said::new("", Language::Other).overlap(&Said::new("", Language::Other)) == 0.0);
    }
}
