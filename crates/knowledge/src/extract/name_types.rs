//! What a run of words with capitals names, by the words in it and beside it.

use super::{
    lexicon::{GazetteerType, LEXICON},
    names::{CapitalRun, GuessedType, NameCandidate},
    tokens::LexiconTokenKind,
    traits::*,
};

/// The name of a firm with an `&` has at most this many words and signs.
const LONGEST_FIRM: usize = 6;

impl CapitalRun<'_> {
    pub(super) fn classify_run(&self, start: usize, end: usize, opening: bool, spots: &mut Vec<NameCandidate>) {
        // `Former National Security Council`
        if end - start > 1 && self.has_trait(start, FORMER) && !self.has_trait(start, GIVEN) {
            self.classify_run(start + 1, end, false, spots);
            return;
        }
        // `Will Warren win?`
        if end - start > 1 && opening && self.has_trait(start, AUXILIARY) && self.is_question() {
            self.classify_run(start + 1, end, false, spots);
            return;
        }
        if let Some(cut) = self.person_behind_org(start, end) {
            self.classify_run(start, cut, opening, spots);
            self.classify_run(cut, end, false, spots);
            return;
        }
        let length = end - start;
        let last = end - 1;
        // `Dr. Chen`, `Ms Tressider`.
        // `MS MARCO` is no lady.
        let large = self.token(start).is_some_and(|title| title.shape.capitals) && !self.capitals.everywhere;
        if self.has_trait(start, TITLE) && length >= 2 && !large {
            let mut name = start + 1;
            while name < end && (self.is_sign(name, '.') || self.has_trait(name, TITLE)) {
                name += 1;
            }
            // `General Motors CEO Mary Chen`, `Major League Soccer`
            let office =
                |at: usize| self.has_trait(at, ROLE_HEAD | ORG_END) && !self.has_trait(at, GIVEN | FAMILY | FAMILY_TOO);
            if name < end
                && self.is_capital_at(name)
                && !(name..end.min(name + 2)).any(|at| office(at) && (at == name || at + 1 < end))
                && !self.ends_org(end)
                && self.gazetteer_match(start, end).is_none_or(|(_, known)| known != end)
            {
                let mut spot = NameCandidate::new(name, self.titled_end(name, end), GuessedType::Person, 0.9);
                spot.titled = true;
                spots.push(spot);
                return;
            }
        }
        if let Some((known, to)) = self.gazetteer_match(start, end)
            && to == end
        {
            spots.push(self.gazetteer_name(start, end, known, opening));
            return;
        }
        // `U.S. Securities and Exchange Commission`: the country is a name of its own.
        if self.token(start).is_some_and(|token| token.shape.initial || token.shape.capitals)
            && let Some((GazetteerType::Place, to)) = self.gazetteer_match(start, end)
        {
            spots.push(self.gazetteer_name(start, to, GazetteerType::Place, opening));
            let to = to + usize::from(self.is_sign(to, '.'));
            if to < end {
                self.classify_run(to, end, false, spots);
            }
            return;
        }
        // `Acme Corp`, and what follows it is another name.
        if let Some(form) = (start + 1..end).find(|at| self.has_trait(*at, LEGAL_FORM) && self.is_legal_form(*at))
            // `Russian SRL`: letters that are a legal form elsewhere.
            && !(self.word_at(form).len() <= 3 && (start..form).all(|at| self.has_trait(at, NO_NAME)))
        {
            let from = self.without_opening_word(start, form, opening);
            let mut spot = NameCandidate::new(from, form + 1, GuessedType::Org, 0.95);
            spot.reach = form + 1 + usize::from(self.is_sign(form + 1, '.'));
            spots.push(spot);
            let mut after = form + 1;
            while after < end && self.token(after).is_some_and(|token| token.kind != LexiconTokenKind::Word) {
                after += 1;
            }
            if after < end {
                self.classify_run(after, end, false, spots);
            }
            return;
        }
        // `Mercedes Valtteri Bottas`, `San Francisco Demonstranten`: a known name, and another behind it.
        if let Some((known, to)) = self.gazetteer_match(start, end)
            && self.ends_before_other_name(start, to, end, known)
        {
            spots.push(self.gazetteer_name(start, to, known, opening));
            self.classify_run(to, end, false, spots);
            return;
        }
        if !self.capitals.tell
            && let Some(cut) = self.german_person_end(start, end)
        {
            self.classify_run(start, cut, opening, spots);
            self.classify_run(cut, end, false, spots);
            return;
        }
        // `Vertriebsleiter Markus Schulz`: where every noun has a capital, the name begins with the given name.
        if !self.capitals.tell
            && let Some(name) = (start + 1..end - 1)
                .find(|at| self.token(*at).is_some_and(|token| token.has_trait(GIVEN) && !token.has_trait(COMMON)))
            && !self.has_trait(start, GIVEN)
            && !self.ends_org(end)
        {
            let before = spots.len();
            self.classify_run(name, end, false, spots);
            // `die Bäckerei Johann Mayer`
            if self.words.is_named_after(self.word_at(name - 1)) {
                spots.truncate(before);
                spots.push(NameCandidate::new(name - 1, end, GuessedType::Object, 0.6));
                return;
            }
            let office = self
                .token(name - 1)
                .filter(|office| self.words.ends_as_role(office.text_in(self.text)) || office.has_trait(ROLE_HEAD));
            if let Some(spot) =
                spots.get_mut(before).filter(|spot| office.is_some() && spot.guess == GuessedType::Person)
            {
                spot.role = Some((name - 1, name));
            }
            return;
        }
        if self.split_roles(start, end, opening, spots) {
            return;
        }
        if let Some(spot) = self.by_words(start, end, opening) {
            spots.push(spot);
            return;
        }
        if let Some(spot) = self.person_by_shape(start, end, opening) {
            spots.push(spot);
            return;
        }
        // `Paris Hilton` was a person above; `Berlin Marathon` is unknown; `Later Google` is Google.
        if opening && length >= 2 && self.has_trait(start, COMMON) && !self.has_trait(start, GIVEN) {
            self.classify_run(start + 1, end, false, spots);
            return;
        }
        if length == 1 {
            spots.extend(self.single_word_name(start, opening));
            return;
        }
        if (start..=last).all(|at| self.token(at).is_some_and(|token| token.has_trait(ROLE_HEAD | ROLE_WORD | LABEL))) {
            return;
        }
        spots.push(NameCandidate::new(start, end, GuessedType::Unknown, 0.3));
    }

    /// Returns true if an ambiguous word is a legal form here: `Co`, `AG`, `Inc`.
    pub(super) fn is_legal_form(&self, at: usize) -> bool {
        let said = self.word_at(at);
        let token = self.token(at);
        let before = at.checked_sub(1).and_then(|before| self.token(before));
        // In a line of capitals every word is; `SE`, `AG`, `SA` are written large, `Company` is the word.
        match said.len() {
            0..=2 => {
                (token.is_some_and(|token| token.shape.capitals)
                    && !before.is_some_and(|before| before.shape.capitals && before.end - before.start > 3))
                    || token.is_some_and(|token| token.has_trait(SMALL_FORM) && !token.shape.capitals)
            }
            // `Leamington Spa`, but `Acme SpA`
            3 => token.is_none_or(|token| !token.has_trait(COMMON) || token.shape.capitals || token.shape.camel),
            _ => true,
        }
    }

    /// A common word at the beginning of a sentence belongs to no name that can do without it.
    pub(super) fn without_opening_word(&self, start: usize, needed: usize, opening: bool) -> usize {
        let droppable = opening
            && needed > start + 1
            && self.token(start).is_some_and(|token| {
                token.has_trait(GRAMMAR) || (token.has_trait(PERSON_VERB | AUXILIARY) && !token.has_trait(GIVEN))
            });
        start + usize::from(droppable)
    }

    pub(super) fn gazetteer_name(
        &self,
        start: usize,
        end: usize,
        known: GazetteerType,
        opening: bool,
    ) -> NameCandidate {
        let (mut guess, mut score) = match known {
            GazetteerType::Place => (GuessedType::Place, 0.85),
            GazetteerType::Org => (GuessedType::Org, 0.85),
            GazetteerType::Object => (GuessedType::Object, 0.75),
        };
        let word = self.token(start);
        let alone = end - start == 1;
        if alone && word.is_some_and(|word| word.has_trait(GIVEN)) && self.person_context(start, end) {
            // `Sofia said`, `Hi Paris`.
            (guess, score) = (GuessedType::Person, 0.65);
        } else if alone && word.is_some_and(|word| word.has_trait(COMMON)) {
            // `Orange`, `Word`, `Shell`, `Rust`: only within a sentence and only with a capital.
            score = if opening || self.capitals.everywhere { 0.3 } else { 0.6 };
        }
        // `a CNN`: one of many, whose letters are those of a firm by chance.
        if guess == GuessedType::Org
            && alone
            && word.is_some_and(|word| word.shape.capitals)
            && self.is_unspecific(start, end)
        {
            score = 0.45;
        }
        // `in Congress` is no place, `Google Maps team` is still Google Maps.
        if guess == GuessedType::Place
            && self.has_trait(end, PROJECT_WORD)
            && self.has_trait(start.wrapping_sub(1), THE)
            && alone
        {
            (guess, score) = (GuessedType::Project, 0.6);
        }
        let score = if self.capitals.everywhere { score - 0.1 } else { score };
        // The last dot of `U.S.` belongs to it.
        let dotted = word.is_some_and(|word| word.shape.initial)
            && alone
            && self.token(end).is_some_and(|dot| dot.is_sign('.') && !dot.spaced);
        NameCandidate::new(start, end + usize::from(dotted), guess, score)
    }

    /// A role within the run: `CTO Bob Li`, `Acme CTO Bob Li`, `Engineering Manager Alice Chen`.
    pub(super) fn split_roles(&self, start: usize, end: usize, opening: bool, spots: &mut Vec<NameCandidate>) -> bool {
        if self.capitals.everywhere {
            return false;
        }
        let is_role = |at: usize| self.has_trait(at, ROLE_HEAD | ROLE_WORD) && !self.has_trait(at, GIVEN);
        let Some(head) =
            (start..end - 1).rev().find(|at| self.has_trait(*at, ROLE_HEAD) && !self.has_trait(*at, GIVEN))
        else {
            return false;
        };
        let name = head + 1;
        if !self.looks_like_person(name, end) || self.ends_org(end) {
            return false;
        }
        // `Building Agent Assistants`: one word that no list knows may be anything at the beginning of a line.
        if opening && end - name == 1 && !self.has_trait(name, GIVEN | FAMILY) && !self.person_context(name, end) {
            return false;
        }
        let mut first = head;
        while first > start && is_role(first - 1) {
            first -= 1;
        }
        let all_common =
            (start..first).all(|at| self.has_trait(at, COMMON | NO_NAME | LABEL) && !self.has_trait(at, ORG_END));
        if all_common {
            first = start;
        }
        let org = if first > start {
            // `Rockland County Executive`, `Senate Minority Leader`
            let known =
                self.gazetteer_match(start, first).map(|(known, to)| self.gazetteer_name(start, to, known, opening));
            let place =
                self.has_trait(first, PLACE_END).then(|| NameCandidate::new(start, first, GuessedType::Place, 0.6));
            let guess = known
                .or(place)
                .or_else(|| self.by_words(start, first, opening))
                // `By Ben Chen Photographer Samantha Li`
                .or_else(|| self.person_by_shape(start, first, opening).filter(|_| self.has_trait(start, GIVEN)))
                .unwrap_or_else(|| NameCandidate::new(start, first, GuessedType::Org, 0.6));
            let is_person = guess.guess == GuessedType::Person;
            spots.push(guess);
            (!is_person).then(|| spots.len() - 1)
        } else {
            None
        };
        let mut spot = NameCandidate::new(name, end, GuessedType::Person, 0.85);
        spot.role = Some((first, head + 1));
        spot.org = org;
        spots.push(spot);
        true
    }

    pub(super) fn looks_like_person(&self, start: usize, end: usize) -> bool {
        let Some(first) = self.token(start) else { return false };
        let words =
            (start..end).filter(|at| self.token(*at).is_some_and(|token| token.kind == LexiconTokenKind::Word)).count();
        if words == 0 || words > 4 {
            return false;
        }
        first.has_trait(GIVEN) || first.shape.initial || (start..end).all(|at| self.is_bare(at))
    }

    /// Returns true if no word list contradicts that the word is part of a person's name.
    pub(super) fn is_bare(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| {
            token.is_sign('.')
                || (token.kind == LexiconTokenKind::Word
                    && !token.shape.capitals
                    && (!token.shape.camel || LEXICON.has_name_prefix(token.text_in(self.text)))
                    && !token.text_in(self.text).contains(|c: char| c.is_ascii_digit())
                    && !LEXICON
                        .phrases_starting_with(token.word)
                        .iter()
                        .any(|(rest, _)| rest.is_empty() && !token.has_trait(GIVEN | FAMILY))
                    && (token.has_trait(PARTICLE | GIVEN | POSTNOMINAL)
                        || !token.has_trait(
                            COMMON
                                | LABEL
                                | ORG_END
                                | ORG_START
                                | PLACE_END
                                | PROJECT_WORD
                                | NO_NAME
                                | ROLE_HEAD
                                | OBJECT_WORD,
                        )))
        })
    }

    /// Classifies a run by its own words only.
    pub(super) fn by_words(&self, start: usize, end: usize, opening: bool) -> Option<NameCandidate> {
        let length = end - start;
        let last = end - 1;
        let lowered = if self.capitals.everywhere { 0.15 } else { 0.0 };
        let given_first = self.token(start).is_some_and(|token| token.has_trait(GIVEN) && !token.has_trait(COMMON));
        if (start + 1..last).any(|at| self.is_sign(at, '&')) {
            let from = self.without_opening_word(start, start + 1, opening);
            // `Rock & Roll`, `Sun & Mon`
            let day = (start..end).any(|at| self.has_trait(at, WEEKDAY | MONTH));
            let common = (start..end).all(|at| self.is_sign(at, '&') || self.has_trait(at, COMMON | LABEL));
            let plain = day || common && (start..end).any(|at| !self.is_sign(at, '&') && !self.is_family(at));
            // `Gibson Gerald & Angela Blackwell Hal Duncan Ian Hunter` is a list of people.
            let score = if plain || end - from > LONGEST_FIRM { 0.45 } else { 0.8 };
            return Some(NameCandidate::new(from, end, GuessedType::Org, score - lowered));
        }
        // `Project Apollo`, `Operation Overlord`.
        if length >= 2
            && self.has_trait(start, PROJECT_WORD | PROJECT_START)
            && !self.has_trait(start + 1, LABEL | COMMON | ROLE_HEAD)
        {
            return Some(NameCandidate::new(start, end, GuessedType::Project, 0.9 - lowered));
        }
        if length >= 2
            && self.has_trait(last, PROJECT_WORD)
            && !(start..last).all(|at| self.has_trait(at, ROLE_WORD | ROLE_HEAD | LABEL | ROLE_FIELD))
        {
            return Some(NameCandidate::new(start, end, GuessedType::Project, 0.8 - lowered));
        }
        // `Alice Church` and `David Park` are people, `Marin County` is none.
        let two_names = length == 2 && given_first && (self.is_family(last) || self.person_context(start, end));
        if length >= 2 && self.has_trait(last, THING_END) && !two_names {
            return Some(NameCandidate::new(start, end, GuessedType::Object, 0.6 - lowered));
        }
        // `HP DesignJet Studio`: a firm's name before a word with an inner capital makes it a product.
        let product = self.token(start + 1).is_some_and(|token| token.shape.camel && !token.shape.capitals)
            && matches!(self.gazetteer_match(start, start + 1), Some((GazetteerType::Org, _)));
        if length >= 2 && product {
            return Some(NameCandidate::new(start, end, GuessedType::Object, 0.7 - lowered));
        }
        // `Journal of Economic Growth` is a thing, `Wall Street Journal` a firm.
        if (start..last).any(|at| self.has_trait(at, PERIODICAL) && self.has_trait(at + 1, OF)) {
            return Some(NameCandidate::new(start, end, GuessedType::Object, 0.7 - lowered));
        }
        if length >= 3 && self.has_trait(start, ORG_START | ORG_END) && self.has_trait(start + 1, OF) {
            // `an Office of Emergency Services`
            let plain = (start..end).all(|at| self.has_trait(at, COMMON | OF | AND | DETERMINER));
            let score = if plain && self.is_unspecific(start, end) { 0.45 } else { 0.85 };
            return Some(NameCandidate::new(start, end, GuessedType::Org, score - lowered));
        }
        if length >= 3 && (start + 1..last).any(|at| self.has_trait(at, ORG_END) && self.has_trait(at + 1, OF)) {
            return Some(NameCandidate::new(start, end, GuessedType::Org, 0.85 - lowered));
        }
        if length >= 2 && self.has_trait(last, ORG_END) && !two_names {
            let from = self.without_opening_word(start, last, opening);
            return Some(NameCandidate::new(from, end, GuessedType::Org, self.org_score(from, last) - lowered));
        }
        // `Universidad Católica`, but not `Technische Daten`, whose first word is an adjective.
        let institution =
            self.has_trait(start, ORG_END) || (start + 1..end).any(|at| self.has_trait(at, ORG_START | ORG_END));
        if length >= 2
            && institution
            && self.has_trait(start, ORG_START)
            && !self.has_trait(start, PLACE_START | COMMON)
        {
            return Some(NameCandidate::new(start, end, GuessedType::Org, 0.7 - lowered));
        }
        if length >= 2 && self.has_trait(last, PLACE_END) && !two_names {
            let plain = (start..last).all(|at| self.has_trait(at, COMMON) && !self.has_trait(at, GIVEN));
            let there = self.has_trait(start.wrapping_sub(1), THE | PREPOSITION);
            let score = match (plain, there) {
                (false, _) => 0.75,
                (true, true) => 0.58,
                (true, false) => 0.45,
            };
            return Some(NameCandidate::new(start, end, GuessedType::Place, score - lowered));
        }
        if length >= 2
            && self.has_trait(start, PLACE_START)
            && !self.has_trait(start, GIVEN)
            && (start + 1..end).all(|at| self.is_bare(at))
        {
            return Some(NameCandidate::new(start, end, GuessedType::Place, 0.65 - lowered));
        }
        // `Hermes API`, `Orion Platform`
        if length >= 2
            && self.has_trait(last, OBJECT_WORD)
            && self.token(start).is_some_and(|token| {
                !token.has_trait(COMMON | GIVEN | NO_NAME | LABEL | ROLE_WORD) && !token.shape.initial
            })
        {
            return Some(NameCandidate::new(start, end, GuessedType::Object, 0.62 - lowered));
        }
        // `Larkfield is a town`
        if length <= 3
            && !(start..end).any(|at| self.has_trait(at, GRAMMAR | LABEL | COMMON))
            && let Some(guess) = self.type_from_definition(end)
        {
            return Some(NameCandidate::new(start, end, guess, 0.7 - lowered));
        }
        // `the Atlas project`
        let next = self.token(end);
        let bare = length <= 3
            && !(start..end).any(|at| self.has_trait(at, GRAMMAR | LABEL))
            && !(length == 1 && self.has_trait(start, COMMON | NO_NAME) && opening);
        if bare
            && !self.capitals.everywhere
            && let Some(next) = next.filter(|next| next.spaced && next.kind == LexiconTokenKind::Word)
        {
            let the = self.has_trait(start.wrapping_sub(1), THE | INTRODUCES_ROLE)
                && self.has_trait(start.wrapping_sub(1), DETERMINER);
            let plain = (start..end).all(|at| self.has_trait(at, COMMON | NO_NAME | ROLE_WORD));
            if next.has_trait(PROJECT_WORD) && !next.shape.capital && (!plain || the) && !(plain && opening) {
                return Some(NameCandidate::new(start, end, GuessedType::Project, if the { 0.8 } else { 0.65 }));
            }
            if next.has_trait(OBJECT_WORD) && !next.shape.capital && !plain && !given_first {
                return Some(NameCandidate::new(start, end, GuessedType::Object, if the { 0.65 } else { 0.6 }));
            }
        }
        None
    }

    /// Returns the type that a definition after the name gives: `is a small town`, `was a Danish company`.
    pub(super) fn type_from_definition(&self, at: usize) -> Option<GuessedType> {
        if !self.has_trait(at, COPULA) || !self.has_trait(at + 1, DETERMINER) {
            return None;
        }
        (at + 2..at + 6)
            .take_while(|at| {
                !self.has_trait(*at, GRAMMAR)
                    && self.token(*at).is_some_and(|token| token.kind == LexiconTokenKind::Word)
            })
            .find_map(|at| {
                let token = self.token(at)?;
                let place = token.has_trait(PLACE_NOUN).then_some(GuessedType::Place);
                place.or(token.has_trait(ORG_NOUN).then_some(GuessedType::Org))
            })
    }
}
