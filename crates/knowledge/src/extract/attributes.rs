//! What a sentence says of a person beside the name: role, organisation and e-mail address.

use super::{
    lexicon::{
        AUXILIARY, COMMON, DETERMINER, GRAMMAR, LABEL, LEGAL_FORM, NO_NAME, ORG_END, PERSON_VERB, ROLE_FIELD,
        ROLE_HEAD, ROLE_WORD, Traits,
    },
    names::{Guess, Spot},
    tokens::{Kind, Token},
};

/// Adds to the spots of a sentence what stands beside them.
pub fn attribute(text: &str, tokens: &[Token], spots: &mut [Spot]) {
    let beside = Beside { text, tokens };
    for at in 0..spots.len() {
        if beside.brackets_short(spots, at) {
            continue;
        }
        let person = spots.get(at).is_some_and(|spot| {
            spot.guess == Guess::Person
                || (spot.guess == Guess::Unknown && (spot.len() >= 2 || beside.is_family_like(spot)))
                || (spot.guess == Guess::Place && spot.len() == 2)
        });
        if person {
            beside.after(spots, at);
            beside.before(spots, at);
        }
    }
}

struct Beside<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

/// A role is at most this many words before its head.
const LONGEST_ROLE: usize = 6;

impl Beside<'_> {
    fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    fn is(&self, at: usize, traits: Traits) -> bool {
        self.token(at).is_some_and(|token| token.is(traits))
    }

    fn sign(&self, at: usize) -> Option<char> {
        match self.token(at)?.kind {
            Kind::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    fn said(&self, at: usize) -> &str {
        self.token(at).map_or("", |token| token.of(self.text))
    }

    /// Whether a single word may be the name of somebody whose role follows: `Goodall, founder of …`.
    fn is_family_like(&self, spot: &Spot) -> bool {
        self.token(spot.first)
            .is_some_and(|token| !token.is(COMMON | LABEL | NO_NAME) && !token.shape.capitals && !token.shape.camel)
            && self.sign(spot.last) == Some(',')
            && self.is(spot.last + 1, ROLE_HEAD)
    }

    /// The spot that begins at a token, with an article before it or without.
    fn spot_at(&self, spots: &[Spot], at: usize) -> Option<usize> {
        let at =
            at + usize::from(matches!(self.said(at), "the" | "The" | "a" | "an" | "der" | "die" | "das" | "la" | "le"));
        spots.binary_search_by_key(&at, |spot| spot.first).ok()
    }

    /// The spot that begins at a token if it can be whom somebody works for.
    fn org_at(&self, spots: &mut [Spot], at: usize, sure: bool) -> Option<usize> {
        let found = self.spot_at(spots, at)?;
        let spot = spots.get_mut(found)?;
        let common = (spot.first..spot.last).all(|at| self.is(at, COMMON | LABEL | NO_NAME));
        let fits = match spot.guess {
            Guess::Org => true,
            Guess::Unknown | Guess::Object => sure && !common,
            // A name alone that might be a person's is taken for the employer only where nothing else can stand.
            Guess::Person => sure && spot.score < 0.6 && !spot.titled,
            Guess::Place => sure && spot.score < 0.6,
            Guess::Project => false,
        };
        if !fits {
            return None;
        }
        let least = if sure { 0.7 } else { 0.6 };
        (spot.guess, spot.score) =
            (Guess::Org, if spot.guess == Guess::Person { least } else { spot.score.max(least) });
        Some(found)
    }

    /// The role that begins at a token: its tokens, without the article.
    fn role_at(&self, at: usize) -> Option<(usize, usize)> {
        let mut start = at;
        while self.is(start, DETERMINER) || matches!(self.said(start), "our" | "new" | "their" | "its" | "then") {
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
                Kind::Word => {
                    if token.is(ROLE_HEAD) {
                        head = Some(next);
                    } else if !token.is(ROLE_WORD) {
                        let joins = matches!(token.of(self.text), "and" | "und")
                            && head == Some(next - 1)
                            && self.is(next + 1, ROLE_HEAD | ROLE_WORD);
                        let word =
                            !token.is(GRAMMAR | PERSON_VERB | AUXILIARY) && (token.is_capital() || token.is(COMMON));
                        if !joins && (head.is_some() || !word) {
                            break;
                        }
                    }
                    next += 1;
                }
                Kind::Sign('&' | '/' | '-') if next > start => next += 1,
                _ => break,
            }
        }
        let mut end = head? + 1;
        // `Head of Engineering`, `VP of Sales and Marketing`.
        if matches!(self.said(end), "of" | "for") && self.is(end + 1, ROLE_FIELD) {
            let mut field = end + 1;
            while self.is(field, ROLE_FIELD | ROLE_WORD)
                || (self.said(field) == "and" && self.is(field + 1, ROLE_FIELD))
                || (field > end + 1 && self.is(field, COMMON) && self.token(field).is_some_and(Token::is_capital))
            {
                field += 1;
                if field > end + 6 {
                    break;
                }
            }
            let whole = !self.is(field, ORG_END | LEGAL_FORM);
            if whole {
                end = field;
            }
        }
        Some((start, end))
    }

    /// A role and the organisation after it, from a token: `CTO of Acme`, `Designer, OtherCorp`.
    fn role_and_org(&self, spots: &mut [Spot], at: usize) -> Option<((usize, usize), Option<usize>, usize)> {
        // `Acme's CTO`.
        if let Some(org) = self.spot_at(spots, at)
            && let Some(last) = spots.get(org).map(|spot| spot.last)
        {
            let possessive = self.token(last).is_some_and(|token| token.kind == Kind::Possessive);
            // `a European Space Agency research fellow`
            let org = spots.get(org).is_some_and(|spot| spot.guess == Guess::Org);
            if !possessive
                && org
                && self.is(last, ROLE_HEAD | ROLE_WORD)
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
        let joined = matches!(
            self.said(next),
            "at" | "of" | "for" | "with" | "from" | "in" | "bei" | "von" | "der" | "chez" | "en" | "de"
        );
        let listed = matches!(self.sign(next), Some(',' | '|' | '@' | '-' | '–' | '—' | '/'));
        let org =
            if joined || listed { self.org_at(spots, next + 1, joined || self.closes(spots, next + 1)) } else { None };
        let reach = org.and_then(|org| spots.get(org)).map_or(next, |org| org.reach.max(org.last));
        Some((role, org, reach))
    }

    /// Whether the spot that begins at a token is all that stands up to the next sign that closes.
    fn closes(&self, spots: &[Spot], at: usize) -> bool {
        let Some(last) = self.spot_at(spots, at).and_then(|found| spots.get(found)).map(|spot| spot.last) else {
            return false;
        };
        self.token(last).is_none() || matches!(self.sign(last), Some(')' | ']' | ';'))
    }

    fn set(spots: &mut [Spot], at: usize, role: Option<(usize, usize)>, org: Option<usize>, reach: usize) {
        if let Some(spot) = spots.get_mut(at) {
            spot.role = spot.role.or(role);
            spot.org = spot.org.or(org);
            spot.reach = spot.reach.max(reach);
            // What is not known to be a person becomes one by a role, not by an organisation alone.
            let unknown = spot.guess != Guess::Person;
            if unknown && spot.role.is_none() {
                spot.org = None;
            } else if spot.role.is_some() || spot.org.is_some() {
                let score = if spot.score >= 0.5 { (spot.score + 0.1).min(0.95) } else { 0.7 };
                spot.guess = Guess::Person;
                spot.score = score;
            }
        }
    }

    fn after(&self, spots: &mut [Spot], at: usize) {
        let Some(next) = spots.get(at).map(|spot| spot.reach) else { return };
        let next = next + usize::from(self.token(next).is_some_and(|t| t.is_sign('*')));
        match self.sign(next) {
            Some('(' | '[') => self.bracket(spots, at, next + 1),
            Some('<') if self.token(next + 1).is_some_and(|token| token.kind == Kind::Mail) => {
                if let Some(spot) = spots.get_mut(at) {
                    spot.mail = Some(next + 1);
                    spot.reach = next + 3;
                    spot.take_for(Guess::Person, 0.85);
                }
            }
            Some(',' | '-' | '–' | '—' | '|' | ':') => {
                let sign = self.sign(next);
                if self.token(next + 1).is_some_and(|token| token.kind == Kind::Mail) {
                    if let Some(spot) = spots.get_mut(at) {
                        spot.mail = Some(next + 1);
                    }
                } else if let Some((role, org, reach)) = self.role_and_org(spots, next + 1) {
                    // `Alice Chen, manager Bob Li`: the role belongs to who follows it.
                    let to_next = self.spot_at(spots, role.1).and_then(|next| spots.get(next)).is_some_and(|next| {
                        next.first == role.1 && matches!(next.guess, Guess::Person | Guess::Unknown)
                    });
                    // `Alice: Manager said`: a speaker's words are no role.
                    if !to_next && (sign != Some(':') || self.token(reach).is_none()) {
                        let reach = reach + usize::from(self.sign(reach) == Some(','));
                        Self::set(spots, at, Some(role), org, reach);
                    }
                } else if sign == Some(',')
                    && spots.get(at).is_some_and(|spot| spot.guess == Guess::Person)
                    && let Some(found) = self.spot_at(spots, next + 1)
                    && spots.get(found).is_some_and(|org| org.guess == Guess::Org && org.score >= 0.8)
                    && let Some(last) = spots.get(found).map(|org| org.reach)
                    && !matches!(self.said(last), "and" | "und")
                    && matches!(self.sign(last), Some(',' | ')' | '.' | ';') | None)
                    && self.sign(last).is_some() | self.token(last).is_none()
                {
                    Self::set(spots, at, None, Some(found), last + usize::from(self.sign(last) == Some(',')));
                }
            }
            _ => self.words_after(spots, at, next),
        }
        // `Alice Chen, CTO of Acme (alice@acme.com)`.
        if let Some((reach, None)) = spots.get(at).map(|spot| (spot.reach, spot.mail)) {
            let open = matches!(self.sign(reach), Some('(' | '<'));
            if open
                && self.token(reach + 1).is_some_and(|token| token.kind == Kind::Mail)
                && let Some(spot) = spots.get_mut(at)
            {
                spot.mail = Some(reach + 1);
                spot.reach = reach + 3;
            }
        }
    }

    fn words_after(&self, spots: &mut [Spot], at: usize, next: usize) {
        match self.said(next) {
            "from" | "at" | "of" | "von" | "bei" | "chez"
                if spots.get(at).is_some_and(|spot| spot.guess == Guess::Person) =>
            {
                // `Alice of Acme`, but not `Alice from Berlin`.
                if let Some(org) = self.org_at(spots, next + 1, self.said(next) != "at") {
                    let reach = spots.get(org).map_or(next, |org| org.reach);
                    Self::set(spots, at, None, Some(org), reach);
                }
            }
            "is" | "was" | "as" | "becomes" | "became" | "remains" | "ist" | "war" | "wird" | "est" | "es" => {
                let skip = usize::from(matches!(self.said(next + 1), "now" | "also" | "currently" | "still"));
                if let Some((role, org, _)) = self.role_and_org(spots, next + 1 + skip) {
                    let reach = spots.get(at).map_or(0, |spot| spot.reach);
                    // `Alice is lead author of` … a role ends its phrase; `is head over heels` does not.
                    Self::set(spots, at, Some(role), org, reach);
                }
            }
            "joined" | "joins" => {
                if let Some(org) = self.org_at(spots, next + 1, true) {
                    let after = spots.get(org).map_or(next, |org| org.last);
                    let role = (self.said(after) == "as").then(|| self.role_at(after + 1)).flatten();
                    let reach = spots.get(at).map_or(0, |spot| spot.reach);
                    Self::set(spots, at, role, Some(org), reach);
                }
            }
            "works" | "worked" if matches!(self.said(next + 1), "at" | "for") => {
                if let Some(org) = self.org_at(spots, next + 2, true) {
                    let reach = spots.get(at).map_or(0, |spot| spot.reach);
                    Self::set(spots, at, None, Some(org), reach);
                }
            }
            _ => {}
        }
    }

    /// What stands in brackets behind a name: `(Designer, OtherCorp)`, `(Acme)`, `(alice@acme.com)`.
    fn bracket(&self, spots: &mut [Spot], at: usize, open: usize) {
        let Some(close) = (open..open + 16).find(|next| matches!(self.sign(*next), Some(')' | ']'))) else { return };
        let (mut role, mut org) = (None, None);
        let mut piece = open;
        while piece < close {
            let end = (piece..close).find(|next| matches!(self.sign(*next), Some(',' | ';' | '/'))).unwrap_or(close);
            let alone = |spot: &Spot| spot.last == end || spot.reach >= end;
            if self.token(piece).is_some_and(|token| token.kind == Kind::Mail) {
                if let Some(spot) = spots.get_mut(at) {
                    spot.mail = Some(piece);
                }
            } else if let Some((found, employer, _)) =
                self.role_and_org(spots, piece).filter(|(found, _, _)| found.1 <= close)
            {
                role = role.or(Some(found));
                org = org.or(employer);
            } else if let Some(found) = self.spot_at(spots, piece)
                && spots.get(found).is_some_and(alone)
                && (role.is_some() || piece == open)
                && !self.is_acronym_of(spots, at, found)
            {
                let sure = role.is_some();
                if sure || spots.get(at).is_some_and(|spot| spot.guess == Guess::Person) {
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
            Self::set(spots, at, role, org, close + 1);
        }
    }

    fn is_acronym_of(&self, spots: &[Spot], long: usize, short: usize) -> bool {
        let (Some(long), Some(short)) = (spots.get(long), spots.get(short)) else { return false };
        if short.len() != 1 || !self.token(short.first).is_some_and(|token| token.shape.capitals) {
            return false;
        }
        let initials: String = (long.first..long.last)
            .filter(|at| self.token(*at).is_some_and(Token::is_capital))
            .filter_map(|at| self.said(at).chars().next())
            .collect();
        let letters = self.said(short.first).trim_end_matches('s');
        initials.len() >= 2 && letters.chars().eq(initials.chars())
    }

    /// `World Health Organization (WHO)`.
    fn brackets_short(&self, spots: &mut [Spot], at: usize) -> bool {
        let Some(last) = spots.get(at).map(|spot| spot.last) else { return false };
        if !matches!(self.sign(last), Some('(')) {
            return false;
        }
        let Some(short) = self.spot_at(spots, last + 1) else { return false };
        let closed = spots.get(short).is_some_and(|spot| spot.last == last + 2) && self.sign(last + 2) == Some(')');
        if !closed || !self.is_acronym_of(spots, at, short) {
            return false;
        }
        if let Some(spot) = spots.get_mut(at) {
            spot.short = Some(short);
            spot.reach = last + 3;
            // A term with its short form is no person, and no organisation either unless its words say so.
            if spot.guess == Guess::Person && spot.score < 0.8 {
                (spot.guess, spot.score) = (Guess::Unknown, 0.3);
            }
        }
        true
    }

    /// What stands before a name: `our CTO, Bob Li`, `treasurer Benna Losk`, `the chair of the Harbour Board, Maud Tressider`.
    fn before(&self, spots: &mut [Spot], at: usize) {
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
        let comma = first > 0 && self.sign(first - 1) == Some(',');
        let mut end = first - usize::from(comma);
        // `chair of the Harbour Board, Maud Tressider`.
        let mut org = None;
        if comma
            && let Some(found) = ending_at(spots, end)
            && let Some(begin) = spots.get(found).map(|spot| spot.first)
        {
            let the = usize::from(begin > 0 && self.said(begin - 1) == "the");
            let joint = begin.saturating_sub(1 + the);
            if matches!(self.said(joint), "of" | "at")
                && joint > 0
                && self.is(joint - 1, ROLE_HEAD)
                && spots.get(found).is_some_and(|spot| spot.guess == Guess::Org)
            {
                org = Some(found);
                end = joint;
            }
        }
        let Some(head) = end.checked_sub(1).filter(|head| self.is(*head, ROLE_HEAD)) else { return };
        // `, manager, Alice Chen` in a list of three people belongs to the one before.
        let mut start = head;
        while start > 0
            && start + LONGEST_ROLE > head
            && self.is(start - 1, ROLE_WORD | ROLE_HEAD)
            && !self.is(start - 1, GRAMMAR | DETERMINER)
        {
            start -= 1;
        }
        // `said union leader Frank Osborne`
        if start >= 2
            && self.token(start - 1).is_some_and(|word| {
                word.is(COMMON)
                    && !word.is_capital()
                    && !word.is(GRAMMAR | PERSON_VERB | AUXILIARY | DETERMINER)
                    && word.kind == Kind::Word
            })
            && self.is(start - 2, DETERMINER | PERSON_VERB)
        {
            start -= 1;
        }
        let introduced = start == 0
            || self.is(start - 1, DETERMINER)
            || matches!(self.said(start - 1), "our" | "by" | "with" | "to" | "and" | "from" | "as" | "then")
            || self.token(start - 1).is_some_and(|token| token.kind == Kind::Possessive);
        let owner = self.owner_before(spots, start);
        if comma && !introduced && owner.is_none() {
            return;
        }
        Self::set(spots, at, Some((start, head + 1)), org.or(owner), 0);
    }

    /// The organisation right before a role: `Acme's CTO`, `Acme CTO`.
    fn owner_before(&self, spots: &mut [Spot], role: usize) -> Option<usize> {
        let before = role.checked_sub(1)?;
        let possessive = self.token(before).is_some_and(|token| token.kind == Kind::Possessive);
        let last = if possessive { before } else { role };
        let found = ending_at(spots, last)?;
        let spot = spots.get(found)?;
        let fits = spot.guess == Guess::Org || (possessive && spot.guess == Guess::Unknown);
        let first = spot.first;
        fits.then(|| self.org_at(spots, first, possessive)).flatten()
    }
}

/// The spot that ends before a token.
fn ending_at(spots: &[Spot], last: usize) -> Option<usize> {
    let found = spots.partition_point(|spot| spot.first < last).checked_sub(1)?;
    spots.get(found).is_some_and(|spot| spot.last == last).then_some(found)
}
