//! What a sentence says of a person beside the name: role, organisation and e-mail address.

use super::{
    names::{GuessedType, NameCandidate},
    tokens::{LexiconToken, LexiconTokenKind},
    traits::*,
};

/// Adds to the spots of a sentence what stands beside them.
pub fn add_attributes(text: &str, tokens: &[LexiconToken], capitals_tell: bool, spots: &mut [NameCandidate]) {
    let beside = AttributeReader { text, tokens, capitals_tell };
    for at in 0..spots.len() {
        if beside.brackets_short(spots, at) {
            continue;
        }
        let person = spots.get(at).is_some_and(|spot| {
            spot.guess == GuessedType::Person
                || (spot.guess == GuessedType::Unknown
                    && (capitals_tell || beside.is_quoted(spot))
                    && (beside.is_name_like(spot) || beside.is_family_like(spot)))
                || (spot.guess == GuessedType::Place && spot.len() == 2)
        });
        if person {
            beside.read_after(spots, at);
            beside.read_before(spots, at);
        }
    }
}

struct AttributeReader<'a> {
    text: &'a str,
    tokens: &'a [LexiconToken],
    /// False where every noun has a capital, as in German.
    capitals_tell: bool,
}

/// A role is at most this many words before its head.
const LONGEST_ROLE: usize = 6;

impl AttributeReader<'_> {
    fn token(&self, at: usize) -> Option<&LexiconToken> {
        self.tokens.get(at)
    }

    fn has_trait(&self, at: usize, traits: Traits) -> bool {
        self.token(at).is_some_and(|token| token.has_trait(traits))
    }

    fn sign_at(&self, at: usize) -> Option<char> {
        match self.token(at)?.kind {
            LexiconTokenKind::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    fn word_at(&self, at: usize) -> &str {
        self.token(at).map_or("", |token| token.text_in(self.text))
    }

    /// Returns true if a verb of saying stands before a name: `sagte Constanze Kurz, eine Sprecherin`.
    fn is_quoted(&self, spot: &NameCandidate) -> bool {
        spot.first.checked_sub(1).is_some_and(|before| self.has_trait(before, QUOTES | SPEECH))
    }

    /// Returns true if several words may be a person's name: `Final Fantasy XV` and `Radeon Pro` are none.
    fn is_name_like(&self, spot: &NameCandidate) -> bool {
        let large = |token: &LexiconToken| token.shape.capitals && !token.has_trait(POSTNOMINAL);
        let named = self.tokens.get(spot.first..spot.last).unwrap_or_default();
        // `Kunsthalle Karlsruhe Celebrated`: a common word ends no name of which nothing else is known.
        let common = named.last().is_some_and(|last| last.has_trait(COMMON) && !last.has_trait(GIVEN | FAMILY))
            && !named.first().is_some_and(|first| first.has_trait(GIVEN));
        let shouted = named.iter().all(|token| token.kind != LexiconTokenKind::Word || token.shape.capitals);
        spot.len() >= 2 && !common && (shouted || !named.iter().any(large))
    }

    /// Returns true if a single word may be a family name with a role after it: `Goodall, founder of …`.
    fn is_family_like(&self, spot: &NameCandidate) -> bool {
        self.token(spot.first).is_some_and(|token| {
            !token.has_trait(COMMON | LABEL | NO_NAME) && !token.shape.capitals && !token.shape.camel
        }) && self.sign_at(spot.last) == Some(',')
            && self.has_trait(spot.last + 1, ROLE_HEAD)
    }

    /// The spot that begins at a token, with an article before it or without.
    fn spot_at(&self, spots: &[NameCandidate], at: usize) -> Option<usize> {
        let at = at + usize::from(self.has_trait(at, DETERMINER));
        spots.binary_search_by_key(&at, |spot| spot.first).ok()
    }

    /// The spot that begins at a token if it can be whom somebody works for.
    fn org_at(&self, spots: &mut [NameCandidate], at: usize, sure: bool) -> Option<usize> {
        let found = self.spot_at(spots, at)?;
        let spot = spots.get_mut(found)?;
        let common = (spot.first..spot.last).all(|at| self.has_trait(at, COMMON | LABEL | NO_NAME));
        let fits = match spot.guess {
            GuessedType::Org => true,
            GuessedType::Unknown | GuessedType::Object => sure && !common,
            // A name alone that might be a person's is taken for the employer only where nothing else can stand.
            GuessedType::Person => sure && spot.score < 0.6 && !spot.titled,
            GuessedType::Place => sure && spot.score < 0.6,
            GuessedType::Project => false,
        };
        // `Alice of South Portland, Maine`
        let (last, unknown) = (spot.last, spot.guess == GuessedType::Unknown);
        let lies = unknown
            && self.sign_at(last) == Some(',')
            && self
                .spot_at(spots, last + 1)
                .and_then(|next| spots.get(next))
                .is_some_and(|next| next.first == last + 1 && next.guess == GuessedType::Place);
        if !fits || lies {
            return None;
        }
        let spot = spots.get_mut(found)?;
        let least = if sure { 0.7 } else { 0.6 };
        (spot.guess, spot.score) =
            (GuessedType::Org, if spot.guess == GuessedType::Person { least } else { spot.score.max(least) });
        Some(found)
    }

    /// The role that begins at a token: its tokens, without the article.
    fn role_at(&self, at: usize) -> Option<(usize, usize)> {
        let mut start = at;
        while self.has_trait(start, DETERMINER | BEFORE_ROLE) {
            start += 1;
            if start > at + 2 {
                return None;
            }
        }
        let mut head = None;
        let mut next = start;
        while next < start + LONGEST_ROLE {
            let Some(token) = self.token(next) else { break };
            match token.kind {
                LexiconTokenKind::Word => {
                    if token.has_trait(ROLE_HEAD) {
                        head = Some(next);
                    } else if !token.has_trait(ROLE_WORD) {
                        let joins = token.has_trait(AND)
                            && head == Some(next - 1)
                            && self.has_trait(next + 1, ROLE_HEAD | ROLE_WORD);
                        let word = !token.has_trait(GRAMMAR | PERSON_VERB | AUXILIARY)
                            && (token.is_capital() || token.has_trait(COMMON));
                        if !joins && (head.is_some() || !word) {
                            break;
                        }
                    }
                    next += 1;
                }
                LexiconTokenKind::Sign('&' | '/' | '-') if next > start => next += 1,
                _ => break,
            }
        }
        let mut end = head? + 1;
        // `Head of Engineering`, `VP of Sales and Marketing`.
        if self.has_trait(end, OF) && self.has_trait(end + 1, ROLE_FIELD) {
            let mut field = end + 1;
            while self.has_trait(field, ROLE_FIELD | ROLE_WORD)
                || (self.has_trait(field, AND) && self.has_trait(field + 1, ROLE_FIELD))
                || (field > end + 1
                    && self.has_trait(field, COMMON)
                    && self.token(field).is_some_and(LexiconToken::is_capital))
            {
                field += 1;
                if field > end + 6 {
                    break;
                }
            }
            let whole = !self.has_trait(field, ORG_END | LEGAL_FORM);
            if whole {
                end = field;
            }
        }
        Some((start, end))
    }

    /// A role and the organisation after it, from a token: `CTO of Acme`, `Designer, OtherCorp`.
    fn role_and_org(&self, spots: &mut [NameCandidate], at: usize) -> Option<((usize, usize), Option<usize>, usize)> {
        // `Acme's CTO`.
        if let Some(org) = self.spot_at(spots, at)
            && let Some(last) = spots.get(org).map(|spot| spot.last)
        {
            let possessive = self.token(last).is_some_and(|token| token.kind == LexiconTokenKind::Possessive);
            // `a European Space Agency research fellow`
            let org = spots.get(org).is_some_and(|spot| spot.guess == GuessedType::Org);
            if !possessive
                && org
                && self.has_trait(last, ROLE_HEAD | ROLE_WORD)
                && let Some(role) = self.role_at(last)
                && let Some(org) = self.org_at(spots, at, true)
            {
                return Some((role, Some(org), role.1));
            }
            if possessive
                && let Some(role) = self.role_at(last + 1)
                && let Some(org) = self.org_at(spots, at, true)
            {
                return Some((role, Some(org), role.1));
            }
        }
        let role = self.role_at(at)?;
        let next = role.1;
        // `bishop of Pellmouth`, but `mayor, Acme Corp`
        let rules_place = self.has_trait(next - 1, RULES_PLACE) && self.has_trait(next, OF);
        let joined = self.has_trait(next, BEFORE_EMPLOYER) && !rules_place;
        let listed = matches!(self.sign_at(next), Some(',' | '|' | '@' | '-' | '–' | '—' | '/'));
        let org = if joined || listed {
            // `Professor für Digitale Kultur`: a field, where its capitals say nothing.
            let named = self.capitals_tell || self.has_trait(next, AT);
            self.org_at(spots, next + 1, (joined && named) || self.ends_clause(spots, next + 1))
        } else {
            None
        };
        let reach = org.and_then(|org| spots.get(org)).map_or(next, |org| org.reach.max(org.last));
        Some((role, org, reach))
    }

    /// Returns true if a role is the first part of another name: `Captain Beefheart`.
    fn is_within_name(&self, role: (usize, usize)) -> bool {
        let is_capital = |at: usize| self.token(at).is_some_and(|token| token.is_capital() && token.spaced);
        is_capital(role.0) && is_capital(role.1)
    }

    /// Returns true if nothing but the name at this token stands before the closing sign.
    fn ends_clause(&self, spots: &[NameCandidate], at: usize) -> bool {
        let Some(last) = self.spot_at(spots, at).and_then(|found| spots.get(found)).map(|spot| spot.last) else {
            return false;
        };
        self.token(last).is_none() || matches!(self.sign_at(last), Some(')' | ']' | ';'))
    }

    fn set_attributes(
        spots: &mut [NameCandidate],
        at: usize,
        role: Option<(usize, usize)>,
        org: Option<usize>,
        reach: usize,
    ) {
        if let Some(spot) = spots.get_mut(at) {
            spot.role = spot.role.or(role);
            spot.org = spot.org.or(org);
            spot.reach = spot.reach.max(reach);
            // What is not known to be a person becomes one by a role, not by an organisation alone.
            let unknown = spot.guess != GuessedType::Person;
            if unknown && spot.role.is_none() {
                spot.org = None;
            } else if spot.role.is_some() || spot.org.is_some() {
                let score = if spot.score >= 0.5 { (spot.score + 0.1).min(0.95) } else { 0.7 };
                spot.guess = GuessedType::Person;
                spot.score = score;
            }
        }
    }

    fn read_after(&self, spots: &mut [NameCandidate], at: usize) {
        let Some(next) = spots.get(at).map(|spot| spot.reach) else { return };
        let next = next + usize::from(self.token(next).is_some_and(|t| t.is_sign('*')));
        match self.sign_at(next) {
            Some('(' | '[') => self.read_brackets(spots, at, next + 1),
            Some('<') if self.token(next + 1).is_some_and(|token| token.kind == LexiconTokenKind::Mail) => {
                if let Some(spot) = spots.get_mut(at) {
                    spot.mail = Some(next + 1);
                    spot.reach = next + 3;
                    spot.take_for(GuessedType::Person, 0.85);
                }
            }
            Some(',' | '-' | '–' | '—' | '|' | ':') => {
                let sign = self.sign_at(next);
                if self.token(next + 1).is_some_and(|token| token.kind == LexiconTokenKind::Mail) {
                    if let Some(spot) = spots.get_mut(at) {
                        spot.mail = Some(next + 1);
                    }
                } else if let Some((role, org, reach)) = self.role_and_org(spots, next + 1) {
                    // `Alice Chen, manager Bob Li`: the role belongs to who follows it.
                    let to_next = self.spot_at(spots, role.1).and_then(|next| spots.get(next)).is_some_and(|next| {
                        next.first == role.1 && matches!(next.guess, GuessedType::Person | GuessedType::Unknown)
                    });
                    // `Alice: Manager said`: a speaker's words are no role.
                    if !to_next && !self.is_within_name(role) && (sign != Some(':') || self.token(reach).is_none()) {
                        let reach = reach + usize::from(self.sign_at(reach) == Some(','));
                        Self::set_attributes(spots, at, Some(role), org, reach);
                    }
                } else if sign == Some(',')
                    && spots.get(at).is_some_and(|spot| spot.guess == GuessedType::Person)
                    && let Some(found) = self.spot_at(spots, next + 1)
                    && spots.get(found).is_some_and(|org| org.guess == GuessedType::Org && org.score >= 0.8)
                    && let Some(last) = spots.get(found).map(|org| org.reach)
                    && !self.has_trait(last, AND)
                    && matches!(self.sign_at(last), Some(',' | ')' | '.' | ';') | None)
                    && self.sign_at(last).is_some() | self.token(last).is_none()
                {
                    Self::set_attributes(
                        spots,
                        at,
                        None,
                        Some(found),
                        last + usize::from(self.sign_at(last) == Some(',')),
                    );
                }
            }
            _ => self.words_after(spots, at, next),
        }
        // `Alice Chen, CTO of Acme (alice@acme.com)`.
        if let Some((reach, None)) = spots.get(at).map(|spot| (spot.reach, spot.mail)) {
            let open = matches!(self.sign_at(reach), Some('(' | '<'));
            if open
                && self.token(reach + 1).is_some_and(|token| token.kind == LexiconTokenKind::Mail)
                && let Some(spot) = spots.get_mut(at)
            {
                spot.mail = Some(reach + 1);
                spot.reach = reach + 3;
            }
        }
    }

    fn words_after(&self, spots: &mut [NameCandidate], at: usize, next: usize) {
        let reach = spots.get(at).map_or(0, |spot| spot.reach);
        let is_person = spots.get(at).is_some_and(|spot| spot.guess == GuessedType::Person);
        if self.has_trait(next, AFTER_PERSON) && is_person {
            // `Alice of Acme`, but not `Alice from Berlin`.
            if let Some(org) = self.org_at(spots, next + 1, !self.has_trait(next, AT)) {
                let reach = spots.get(org).map_or(next, |org| org.reach);
                // `Verna Augustine from Trinidad`: a word that nothing else tells of may be a place.
                // `Robert of Jumièges` is named after one.
                let alone = spots.get(at).is_some_and(|person| person.len() == 1);
                let from = !self.has_trait(next, OF | AT) || (alone && self.has_trait(next, OF));
                if let Some(org) = spots.get_mut(org).filter(|org| from && org.len() == 1 && org.score <= 0.7) {
                    org.score = 0.47;
                }
                Self::set_attributes(spots, at, None, Some(org), reach);
            }
        } else if self.has_trait(next, COPULA) {
            let skip = usize::from(self.has_trait(next + 1, ADVERB));
            if let Some((role, org, _)) = self.role_and_org(spots, next + 1 + skip) {
                // `Alice is lead author of` … a role ends its phrase; `is head over heels` does not.
                Self::set_attributes(spots, at, Some(role), org, reach);
            }
        } else if self.has_trait(next, JOINS) {
            if let Some(org) = self.org_at(spots, next + 1, true) {
                let after = spots.get(org).map_or(next, |org| org.last);
                let role = if self.has_trait(after, AS) { self.role_at(after + 1) } else { None };
                Self::set_attributes(spots, at, role, Some(org), reach);
            }
        } else if self.has_trait(next, WORKS)
            && self.has_trait(next + 1, BEFORE_EMPLOYER)
            && let Some(org) = self.org_at(spots, next + 2, true)
        {
            Self::set_attributes(spots, at, None, Some(org), reach);
        }
    }

    /// Reads the brackets after a name: `(Designer, OtherCorp)`, `(Acme)`, `(alice@acme.com)`.
    fn read_brackets(&self, spots: &mut [NameCandidate], at: usize, open: usize) {
        let Some(close) = (open..open + 16).find(|next| matches!(self.sign_at(*next), Some(')' | ']'))) else { return };
        let (mut role, mut org) = (None, None);
        let mut piece = open;
        while piece < close {
            let end = (piece..close).find(|next| matches!(self.sign_at(*next), Some(',' | ';' | '/'))).unwrap_or(close);
            let alone = |spot: &NameCandidate| spot.last == end || spot.reach >= end;
            if self.token(piece).is_some_and(|token| token.kind == LexiconTokenKind::Mail) {
                if let Some(spot) = spots.get_mut(at) {
                    spot.mail = Some(piece);
                }
            } else if let Some((found, employer, _)) =
                self.role_and_org(spots, piece).filter(|(found, _, _)| found.1 <= close && !self.is_within_name(*found))
            {
                role = role.or(Some(found));
                org = org.or(employer);
            } else if let Some(found) = self.spot_at(spots, piece)
                && spots.get(found).is_some_and(alone)
                && (role.is_some() || piece == open)
                && !self.is_acronym_of(spots, at, found)
            {
                let sure = role.is_some();
                // `Charlie Bean (The Ninjago Movie)`
                let work = self.has_trait(piece, DETERMINER)
                    && spots.get(found).is_some_and(|other| other.guess != GuessedType::Org);
                if work {
                    piece = end + 1;
                    continue;
                }
                // `Rose Tyler (Billie Piper)`: an actor behind a part.
                let other = spots.get(found).is_some_and(|other| other.guess == GuessedType::Person && other.len() > 1);
                if !sure && other {
                    piece = end + 1;
                    continue;
                }
                if sure || spots.get(at).is_some_and(|spot| spot.guess == GuessedType::Person) {
                    org = org.or_else(|| self.org_at(spots, piece, true));
                    // A name alone in brackets may be another person's: an actor's behind a part.
                    if let Some(found) = org.and_then(|org| spots.get_mut(org)).filter(|_| !sure) {
                        found.score = if found.len() > 1 { 0.7 } else { 0.55 };
                    }
                }
            }
            piece = end + 1;
        }
        if role.is_some() || org.is_some() || spots.get(at).is_some_and(|spot| spot.mail.is_some()) {
            Self::set_attributes(spots, at, role, org, close + 1);
        }
    }

    fn is_acronym_of(&self, spots: &[NameCandidate], long: usize, short: usize) -> bool {
        let (Some(long), Some(short)) = (spots.get(long), spots.get(short)) else { return false };
        if short.len() != 1 || !self.token(short.first).is_some_and(|token| token.shape.capitals) {
            return false;
        }
        let initials: String = (long.first..long.last)
            .filter(|at| self.token(*at).is_some_and(LexiconToken::is_capital))
            .filter_map(|at| self.word_at(at).chars().next())
            .collect();
        let letters = self.word_at(short.first).trim_end_matches('s');
        initials.len() >= 2 && letters.chars().eq(initials.chars())
    }

    /// `World Health Organization (WHO)`.
    fn brackets_short(&self, spots: &mut [NameCandidate], at: usize) -> bool {
        let Some(last) = spots.get(at).map(|spot| spot.last) else { return false };
        if !matches!(self.sign_at(last), Some('(')) {
            return false;
        }
        let Some(short) = self.spot_at(spots, last + 1) else { return false };
        let closed = spots.get(short).is_some_and(|spot| spot.last == last + 2) && self.sign_at(last + 2) == Some(')');
        if !closed || !self.is_acronym_of(spots, at, short) {
            return false;
        }
        if let Some(spot) = spots.get_mut(at) {
            spot.short = Some(short);
            spot.reach = last + 3;
            // A term with its short form is no person, and no organisation either unless its words say so.
            if spot.guess == GuessedType::Person && spot.score < 0.8 {
                (spot.guess, spot.score) = (GuessedType::Unknown, 0.3);
            }
        }
        true
    }

    /// Reads role and organisation before a name: `our CTO, Bob Li`, `treasurer Benna Losk`, `the chair of the Harbour
    /// Board, Maud Tressider`.
    fn read_before(&self, spots: &mut [NameCandidate], at: usize) {
        let Some(first) = spots.get(at).map(|spot| spot.first) else { return };
        if let Some((role, _)) = spots.get(at).and_then(|spot| spot.role.map(|role| (role, ()))) {
            // `Acme's CTO Bob Li`: the role was in the run, its owner is before it.
            if role.1 == first
                && spots.get(at).is_some_and(|spot| spot.org.is_none())
                && let Some(org) = self.owner_before(spots, role.0)
                && let Some(spot) = spots.get_mut(at)
            {
                spot.org = Some(org);
            }
            return;
        }
        let comma = first > 0 && self.sign_at(first - 1) == Some(',');
        let mut end = first - usize::from(comma);
        // `chair of the Harbour Board, Maud Tressider`.
        let mut org = None;
        if comma
            && let Some(found) = ending_at(spots, end)
            && let Some(begin) = spots.get(found).map(|spot| spot.first)
        {
            let the = usize::from(begin > 0 && self.has_trait(begin - 1, DETERMINER));
            let joint = begin.saturating_sub(1 + the);
            if self.has_trait(joint, OF | AT)
                && joint > 0
                && self.has_trait(joint - 1, ROLE_HEAD)
                && spots.get(found).is_some_and(|spot| spot.guess == GuessedType::Org)
            {
                org = Some(found);
                end = joint;
            }
        }
        let Some(head) = end.checked_sub(1).filter(|head| self.has_trait(*head, ROLE_HEAD)) else { return };
        // `, manager, Alice Chen` in a list of three people belongs to the one before.
        let mut start = head;
        while start > 0
            && start + LONGEST_ROLE > head
            && self.has_trait(start - 1, ROLE_WORD | ROLE_HEAD)
            && !self.has_trait(start - 1, GRAMMAR | DETERMINER)
        {
            start -= 1;
        }
        // `said union leader Frank Osborne`
        if start >= 2
            && self.token(start - 1).is_some_and(|word| {
                word.has_trait(COMMON)
                    && !word.is_capital()
                    && !word.has_trait(GRAMMAR | PERSON_VERB | AUXILIARY | DETERMINER)
                    && word.kind == LexiconTokenKind::Word
            })
            && self.has_trait(start - 2, DETERMINER | PERSON_VERB)
        {
            start -= 1;
        }
        // `a controller, Chromecast Ultra and` is a list, `the controller, Alice Chen,` names one.
        let any = comma && start > 0 && self.has_trait(start - 1, ONE);
        let introduced = start == 0
            || (self.has_trait(start - 1, DETERMINER | INTRODUCES_ROLE) && !any)
            || self.token(start - 1).is_some_and(|token| token.kind == LexiconTokenKind::Possessive);
        let owner = self.owner_before(spots, start);
        if comma && !introduced && owner.is_none() {
            return;
        }
        Self::set_attributes(spots, at, Some((start, head + 1)), org.or(owner), 0);
    }

    /// The organisation right before a role: `Acme's CTO`, `Acme CTO`.
    fn owner_before(&self, spots: &mut [NameCandidate], role: usize) -> Option<usize> {
        let before = role.checked_sub(1)?;
        let possessive = self.token(before).is_some_and(|token| token.kind == LexiconTokenKind::Possessive);
        let last = if possessive { before } else { role };
        let found = ending_at(spots, last)?;
        let spot = spots.get(found)?;
        let fits = spot.guess == GuessedType::Org || (possessive && spot.guess == GuessedType::Unknown);
        let first = spot.first;
        fits.then(|| self.org_at(spots, first, possessive)).flatten()
    }
}

/// The spot that ends before a token.
fn ending_at(spots: &[NameCandidate], last: usize) -> Option<usize> {
    let found = spots.partition_point(|spot| spot.first < last).checked_sub(1)?;
    spots.get(found).is_some_and(|spot| spot.last == last).then_some(found)
}
