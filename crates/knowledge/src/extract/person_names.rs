//! Whether several words with capitals are a person's name, by their shape and by what stands beside them.

use ibid_language::Language;

use super::{
    lexicon::{GazetteerType, LEXICON},
    names::{CapitalRun, GuessedType, NameCandidate},
    tokens::{LexiconToken, LexiconTokenKind},
    traits::*,
};

impl CapitalRun<'_> {
    /// A person by the shape of the name.
    pub(super) fn person_by_shape(&self, start: usize, end: usize, opening: bool) -> Option<NameCandidate> {
        let first = self.token(start)?;
        let words: Vec<usize> = (start..end)
            .filter(|at| self.token(*at).is_some_and(|token| token.kind == LexiconTokenKind::Word))
            .collect();
        let last = *words.last()?;
        let lowered = if self.capitals.everywhere { 0.15 } else { 0.0 };
        if words.len() < 2 || words.len() > 5 {
            return None;
        }
        // `Chen1`: a note, or a name and a number that grew together.
        if words.iter().any(|at| self.word_at(*at).ends_with(|c: char| c.is_ascii_digit())) {
            return None;
        }
        let tail = words.get(1..).unwrap_or_default();
        let tail_fits = tail.iter().all(|at| {
            self.token(*at).is_some_and(|token| {
                token.shape.initial
                    || (!token.has_trait(ORG_END | LABEL | PROJECT_WORD | NO_NAME) || token.has_trait(GIVEN))
                        && !(token.shape.capitals && !first.shape.capitals && !token.has_trait(POSTNOMINAL))
            })
        });
        if first.shape.initial && (self.is_sign(start + 1, '.') || first.end - first.start > 1) {
            // `A. Chen`; in `A. Introduction` the rest is a common word.
            let family = self.token(last)?;
            let fits =
                tail_fits && !family.shape.initial && !family.has_trait(COMMON | LABEL) && !family.shape.capitals;
            return fits.then(|| NameCandidate::new(start, end, GuessedType::Person, 0.8 - lowered));
        }
        if first.has_trait(GIVEN)
            && tail_fits
            // `AVI Global`
            && !(first.shape.capitals && tail.iter().all(|at| self.token(*at).is_some_and(|token| !token.shape.capitals)))
            && (!first.shape.camel || LEXICON.has_name_prefix(first.text_in(self.text)))
        {
            // `Alice C.`
            let family = self.token(last)?;
            if family.shape.initial && words.len() == 2 {
                // `Philip B. Low` has a family name behind it, though that is a common word.
                let dotted = self.is_sign(last + 1, '.') && !self.is_capital_at(last + 2);
                let fits = !first.has_trait(COMMON) && family.end - family.start == 1 && dotted;
                return fits.then(|| {
                    // The dot belongs to the initial, also where it ends the sentence.
                    let mut spot = NameCandidate::new(start, last + 2, GuessedType::Person, 0.7);
                    spot.reach = last + 2;
                    spot
                });
            }
            // `Georgia Tech` and `Star Wars` begin as names do; what follows must be one.
            let family_name = self.has_trait(last, FAMILY | GIVEN);
            let place = LEXICON
                .phrases_starting_with(first.word)
                .iter()
                .any(|(rest, known)| rest.is_empty() && *known == GazetteerType::Place);
            let common_first = first.has_trait(COMMON);
            let common_rest = tail.iter().all(|at| self.has_trait(*at, COMMON) && !self.has_trait(*at, GIVEN | FAMILY));
            // `Peter Koros Design`
            if words.len() >= 3 && self.has_trait(last, COMMON) && !family_name {
                return None;
            }
            // `the 2014 Arnold Classic`: of such a name there is one, or one a year.
            let before = start.checked_sub(1).and_then(|before| self.token(before));
            let counted = before.is_some_and(|before| {
                let year = before.text_in(self.text);
                let is_year =
                    before.kind == LexiconTokenKind::Number && year.len() == 4 && year.starts_with(['1', '2']);
                before.has_trait(THE) || (is_year && self.text.get(before.end..first.start) == Some(" "))
            });
            if common_rest && counted {
                return None;
            }
            // `the Arya Samaj met`, but `the Alice Chen story`
            let the = before.is_some_and(|before| before.has_trait(THE) && !before.shape.capital);
            let noun_follows = self.token(end).is_some_and(|next| {
                next.kind == LexiconTokenKind::Word && next.spaced && !next.has_trait(GRAMMAR | PERSON_VERB)
            });
            if the && !noun_follows && self.words.lexicon.language == Language::ENGLISH {
                return None;
            }
            let score = match (common_first, common_rest) {
                (false, false) => 0.9,
                (false, true) => 0.72,
                (true, false) if family_name || self.person_context(start, end) => 0.85,
                (true, false) if !place => 0.45,
                // `Will Power`, `May Day`.
                _ => return None,
            };
            if common_first
                && opening
                && first.has_trait(AUXILIARY | MONTH)
                && !self.has_trait(last, GIVEN)
                && !self.person_context(start, end)
            {
                return None;
            }
            if common_rest
                && tail.iter().any(|at| self.has_trait(*at, OBJECT_WORD | PLACE_END | ROLE_HEAD))
                && tail.len() > 1
            {
                return None;
            }
            return Some(NameCandidate::new(start, end, GuessedType::Person, score - lowered));
        }
        // `Feliciano Lopez`: a family name behind a word that no list knows.
        let unknown = !first.has_trait(COMMON | LABEL | ORG_START | NO_NAME | ROLE_HEAD | ROLE_WORD | PLACE_START)
            && !first.shape.capitals;
        if words.len() == 2 && unknown && !first.shape.camel && self.has_trait(last, FAMILY) && self.capitals.tell {
            let score = if self.has_trait(last, COMMON | PLACE_END | ORG_END) { 0.47 } else { 0.75 };
            let score = if self.person_context(start, end) { score + 0.15 } else { score };
            return Some(NameCandidate::new(start, end, GuessedType::Person, score - lowered));
        }
        // Two or three words that no list knows; of other languages no list of common words is there to tell.
        if self.words.lexicon.language != Language::ENGLISH && !self.speaks_before_or_after(start, end) {
            return None;
        }
        let bare = (start..end).all(|at| self.is_bare(at));
        if !bare || words.len() > 3 || !self.capitals.tell || self.capitals.everywhere {
            return None;
        }
        if start > 0 && self.has_trait(start - 1, THE) {
            return None;
        }
        if words.iter().any(|at| self.words.ends_as_noun(self.word_at(*at))) {
            return None;
        }
        let mut score = 0.49;
        if self.person_context(start, end) {
            score += 0.28;
        }
        if self.has_trait(end, ORG_VERB) {
            score -= 0.1;
        }
        Some(NameCandidate::new(start, end, GuessedType::Person, score))
    }

    /// Returns true if the words beside a name show that it is a person.
    pub(super) fn person_context(&self, start: usize, end: usize) -> bool {
        let next = self.token(end);
        let before = start.checked_sub(1).and_then(|before| self.token(before));
        let said = |token: Option<&LexiconToken>| {
            token.is_some_and(|token| {
                token.has_trait(PERSON_VERB) && !token.shape.capital && !token.has_trait(AUXILIARY)
            })
        };
        // `Author: Sunna Ferrick`
        let labelled = before.is_some_and(|before| before.is_sign(':'))
            && start
                .checked_sub(2)
                .and_then(|label| self.token(label))
                .is_some_and(|label| label.has_trait(ROLE_HEAD | PERSON_LABEL));
        labelled
            || said(next)
            || (next.is_some_and(|next| next.has_trait(AUXILIARY)) && said(self.token(end + 1)))
            || before.is_some_and(|before| {
                (before.has_trait(QUOTES) && !before.has_trait(AUXILIARY))
                    || (before.has_trait(GREETING) && before.shape.capital)
            })
            || (next.is_some_and(|next| next.is_sign(',')) && self.has_trait(end + 1, WHO))
    }
}
