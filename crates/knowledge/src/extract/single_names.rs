//! What a single word with a capital names: a given name, a firm that does something, or nothing that the sentence tells.

use super::{
    lexicon::LEXICON,
    names::{CapitalRun, GuessedType, NameCandidate},
    tokens::LexiconTokenKind,
    traits::*,
};

impl CapitalRun<'_> {
    pub(super) fn single_word_name(&self, at: usize, opening: bool) -> Option<NameCandidate> {
        let token = self.token(at)?;
        let next = self.token(at + 1);
        let before = at.checked_sub(1).and_then(|before| self.token(before));
        if token.shape.initial
            || token.end - token.start < 2
            || token.has_trait(MONTH | WEEKDAY) && !(token.has_trait(GIVEN) && self.person_context(at, at + 1))
        {
            return None;
        }
        // `the Board`: an organisation that another sentence names in full.
        if token.has_trait(ORG_ALONE) {
            let the = before.is_some_and(|before| before.has_trait(THE));
            return the.then(|| NameCandidate::new(at, at + 1, GuessedType::Unknown, 0.1));
        }
        // `in Danish`: a language, where nothing says that a person is meant.
        if token.has_trait(GIVEN) && token.has_trait(NO_NAME) && !self.person_context(at, at + 1) {
            return Some(NameCandidate::new(at, at + 1, GuessedType::Unknown, 0.1));
        }
        if token.has_trait(GIVEN) && !token.has_trait(COMMON) && !token.shape.capitals && !token.shape.camel {
            let mut score: f32 = if self.capitals.everywhere { 0.35 } else { 0.62 };
            if self.person_context(at, at + 1) {
                score += 0.13;
            }
            // `the Oscar`, `Oscar-winning`.
            if before.is_some_and(|before| before.has_trait(THE)) {
                score -= 0.3;
            }
            if self.speaks_against_given(at) {
                score = score.min(0.45);
            }
            return Some(NameCandidate::new(at, at + 1, GuessedType::Person, score));
        }
        if token.has_trait(NO_NAME | LABEL | ROLE_HEAD | ROLE_WORD) && !token.has_trait(GIVEN)
            || self.capitals.everywhere
            || !self.capitals.tell
        {
            let kept = self.capitals.tell && !token.has_trait(NO_NAME | LABEL | ROLE_HEAD);
            return kept.then(|| NameCandidate::new(at, at + 1, GuessedType::Unknown, 0.1));
        }
        if token.has_trait(GIVEN) && self.person_context(at, at + 1) {
            return Some(NameCandidate::new(at, at + 1, GuessedType::Person, 0.6));
        }
        // `Maybe Grace will come`
        if token.has_trait(GIVEN)
            && !opening
            && next.is_some_and(|next| next.has_trait(PERSON_VERB) && !next.shape.capital && next.spaced)
        {
            return Some(NameCandidate::new(at, at + 1, GuessedType::Person, 0.57));
        }
        if token.has_trait(COMMON) {
            // `Zenith's head of sales` may be short for `Zenith Corp`.
            let owns = next.is_some_and(|next| next.kind == LexiconTokenKind::Possessive);
            return (!opening || owns || token.has_trait(GIVEN))
                .then(|| NameCandidate::new(at, at + 1, GuessedType::Unknown, 0.1));
        }
        if opening && token.has_trait(GRAMMAR | PERSON_VERB) {
            return None;
        }
        // `Acme's CTO`, `at Acme`, `Acme announced`.
        let owner = next.is_some_and(|next| next.kind == LexiconTokenKind::Possessive)
            && (self.has_trait(at + 2, ROLE_HEAD)
                || (self.has_trait(at + 2, ROLE_WORD) && self.has_trait(at + 3, ROLE_HEAD)));
        let employer = before.is_some_and(|before| before.has_trait(BEFORE_COMPANY));
        if owner && !token.has_trait(FAMILY) {
            return Some(NameCandidate::new(at, at + 1, GuessedType::Org, 0.65));
        }
        // `the dam at Steinbach`
        let site = at >= 2 && self.has_trait(at - 1, AT) && self.has_trait(at - 2, PLACE_NOUN | PLACE_END);
        if site && !token.shape.capitals {
            return Some(NameCandidate::new(at, at + 1, GuessedType::Place, 0.55));
        }
        if employer && !opening {
            // `at` stands before places and things too: once is not enough.
            let score = if before.is_some_and(|before| before.has_trait(AT)) { 0.47 } else { 0.5 };
            return Some(NameCandidate::new(at, at + 1, GuessedType::Org, score));
        }
        // `Acme launched a tool`, but not `Stadia launched today`.
        let object = self.token(at + 2).is_some_and(|object| {
            object.has_trait(DETERMINER) || object.is_capital() || object.kind == LexiconTokenKind::Number
        });
        if object && next.is_some_and(|next| next.has_trait(ORG_VERB) && !next.shape.capital) {
            return Some(NameCandidate::new(at, at + 1, GuessedType::Org, 0.45));
        }
        let name = !token.shape.capitals && !token.shape.camel && !self.words.ends_as_noun(token.text_in(self.text));
        if self.person_context(at, at + 1) && name && (token.has_trait(FAMILY) || self.speaks(at)) {
            return Some(NameCandidate::new(at, at + 1, GuessedType::Person, 0.5));
        }
        if before.is_some_and(|before| before.has_trait(BEFORE_PLACE)) && !opening && !token.shape.capitals {
            return Some(NameCandidate::new(at, at + 1, GuessedType::Place, 0.42));
        }
        if token.shape.camel && token.end - token.start > 2 && !LEXICON.has_surname_prefix(token.text_in(self.text)) {
            return Some(NameCandidate::new(at, at + 1, GuessedType::Object, 0.45));
        }
        if before.is_some_and(|before| before.has_trait(BEFORE_ORG)) && !opening && !token.shape.capitals {
            return Some(NameCandidate::new(at, at + 1, GuessedType::Unknown, 0.25));
        }
        Some(NameCandidate::new(at, at + 1, GuessedType::Unknown, 0.2))
    }
}
