//! Who stands before a phrase and after it, and so has a part in what it tells.

use ibid_domain::{ActorRole, Category};

use super::{
    events::{AnalyzedSentence, EventDraft},
    frames::{FrameMatch, is_ordinal_dot},
    names::GuessedType,
    tokens::LexiconTokenKind,
    traits::{
        ADDRESSEE, AND, AUXILIARY, BY, CONJUNCTION, DETERMINER, FROM, GROUP, NEGATION, PERSON_VERB, PREPOSITION,
        PRONOUN, REPORTS, SEVERAL, SOMEBODY, SPEAKER, THAT, TITLE, Traits, WHO, WITH,
    },
};

/// Subject of a phrase: the people named or meant before it.
#[derive(Default)]
pub struct PhraseSubject {
    /// The names, in the order of the text.
    pub spots: Vec<usize>,
    /// True if the subject is `I` or `we`.
    pub speaks: bool,
    /// It is somebody, though not by name.
    pub somebody: bool,
    /// True if the subject is several people.
    pub group: bool,
    /// Nobody was looked for beyond this: a relative pronoun, the beginning.
    pub thing: bool,
}

impl PhraseSubject {
    /// Whether nobody stands there, by name or not.
    pub fn is_unknown(&self) -> bool {
        self.spots.is_empty() && !self.speaks && !self.somebody
    }
}

impl AnalyzedSentence<'_> {
    /// Returns the person to whom the statement is attributed: `Grace Mbeki reported that …`, `“…”, said Frank
    /// Osborne`.
    pub(super) fn quoted_speaker(&self) -> Option<usize> {
        self.spots.iter().take(8).position(|spot| {
            let says = |at: usize| self.has_trait(at, REPORTS);
            let before = (1..5)
                .map_while(|back| spot.first.checked_sub(back))
                .take_while(|at| !matches!(self.token(*at).map(|token| token.kind), Some(LexiconTokenKind::Sign(_))))
                .any(says);
            spot.guess == GuessedType::Person && (says(spot.reach) || says(spot.last) || before)
        })
    }

    /// Returns the subject before a phrase.
    pub(super) fn subject_before(&self, start: usize) -> PhraseSubject {
        let mut subject = PhraseSubject::default();
        // `I'll send`: the pronoun is in the phrase.
        if self.has_trait(start, PRONOUN) {
            subject.group = self.has_trait(start, SEVERAL);
            subject.speaks = self.has_trait(start, SPEAKER);
            subject.somebody = !subject.speaks && self.has_trait(start, SOMEBODY);
            subject.thing = self.has_trait(start, ADDRESSEE);
            if subject.speaks || subject.somebody || subject.thing {
                return subject;
            }
        }
        // `Omar: finished the login page`.
        if start == self.body && self.body > 0 {
            subject.speaks = true;
            return subject;
        }
        let mut at = start;
        let mut nouns = 0;
        while at > self.body {
            at -= 1;
            if let Some(found) = self.spot_over(at) {
                let Some(spot) = self.spots.get(found) else { break };
                let mut before = spot.first;
                while before > self.body
                    && (self.has_trait(before - 1, DETERMINER)
                        || self.token(before - 1).is_some_and(|token| token.is_sign('"')))
                {
                    before -= 1;
                }
                let preposed = before > self.body && self.has_trait(before - 1, PREPOSITION);
                let acts = matches!(spot.guess, GuessedType::Person | GuessedType::Org | GuessedType::Unknown)
                    || (spot.guess == GuessedType::Place && nouns == 0 && spot.score >= 0.8);
                if preposed || !acts {
                    // `Alice from Acme approved`: go on before the preposition if a name stands there.
                    let behind = before.checked_sub(2).and_then(|at| self.spot_over(at));
                    match behind {
                        Some(_) if preposed => {
                            at = before - 1;
                            continue;
                        }
                        _ => {
                            subject.thing = true;
                            return subject;
                        }
                    }
                }
                subject.spots = self.with_coordinated(found);
                return subject;
            }
            let Some(token) = self.token(at) else { break };
            match token.kind {
                _ if token.is_sign(',') || token.has_trait(CONJUNCTION) => {
                    // `Bob reviewed it and asked`: the one who begins the sentence.
                    if nouns == 0 {
                        return self.opening_subject(at);
                    }
                    if token.is_sign(',') {
                        subject.thing = nouns > 0;
                        return subject;
                    }
                    nouns += 1;
                }
                LexiconTokenKind::Sign('"' | '”' | '“' | '*' | '_') => {}
                LexiconTokenKind::Sign('.') if is_ordinal_dot(self.tokens, at) => {}
                LexiconTokenKind::Sign(_) => break,
                _ if token.has_trait(PRONOUN) => {
                    // `Acme said that it had bought`: who says it.
                    if !token.has_trait(SPEAKER | ADDRESSEE | WHO) && self.is_reported(at) {
                        return self.opening_subject(at);
                    }
                    subject.group |= token.has_trait(SEVERAL);
                    if token.has_trait(SPEAKER) {
                        subject.speaks = true;
                    } else if token.has_trait(SOMEBODY) {
                        subject.somebody = true;
                    } else if token.has_trait(WHO) {
                        let comma = at.checked_sub(1).filter(|before| self.word_at(*before) == ",");
                        let name = comma.unwrap_or(at).checked_sub(1);
                        match name.and_then(|name| self.spot_over(name)) {
                            Some(found) => subject.spots = vec![found],
                            None => subject.somebody = true,
                        }
                    } else {
                        subject.thing = true;
                    }
                    return subject;
                }
                _ if token.has_trait(AUXILIARY | NEGATION) || self.is_adverb(at) => {}
                _ if token.has_trait(DETERMINER) => {
                    subject.thing = !subject.somebody;
                    return subject;
                }
                _ if token.has_trait(PREPOSITION) => {
                    // `the members of the board decided`: the noun before the preposition counts.
                    nouns += 1;
                    subject.somebody = false;
                }
                LexiconTokenKind::Possessive => {
                    subject.thing = !subject.somebody;
                    return subject;
                }
                _ => {
                    nouns += 1;
                    subject.somebody |= token.has_trait(GROUP);
                    subject.group |= token.has_trait(GROUP);
                    if nouns > 6 {
                        subject.thing = !subject.somebody;
                        return subject;
                    }
                }
            }
        }
        subject
    }

    /// The subject right behind a verb that something else stands before: `Heute habe ich`, `gestern beschloss Anna`.
    pub(super) fn subject_behind(&self, verb: usize) -> Option<PhraseSubject> {
        let at = verb + 1;
        let mut subject = PhraseSubject::default();
        if let Some(found) = self.spots.iter().position(|spot| spot.first == at) {
            let acts =
                self.spots.get(found).is_some_and(|spot| matches!(spot.guess, GuessedType::Person | GuessedType::Org));
            subject.spots = if acts { vec![found] } else { return None };
            return Some(subject);
        }
        subject.speaks = self.has_trait(at, SPEAKER);
        subject.somebody = !subject.speaks && self.has_trait(at, SOMEBODY);
        subject.group = self.has_trait(at, SEVERAL);
        (subject.speaks || subject.somebody).then_some(subject)
    }

    /// Returns true if a pronoun follows `said that` or a similar phrase.
    pub(super) fn is_reported(&self, at: usize) -> bool {
        let before = at.saturating_sub(5).max(self.body)..at;
        let that = at > self.body && self.has_trait(at - 1, THAT | PERSON_VERB);
        that && before.clone().any(|at| self.has_trait(at, PERSON_VERB) && !self.has_trait(at, AUXILIARY))
    }

    /// The spot that a token belongs to, or to what is said of it.
    pub(super) fn spot_over(&self, at: usize) -> Option<usize> {
        let after = self.spots.partition_point(|spot| spot.first <= at);
        // What is said of a name may hold other names: the one that reaches farthest counts.
        (after.saturating_sub(3)..after)
            .find(|found| self.spots.get(*found).is_some_and(|spot| at < spot.reach.max(spot.last)))
    }

    /// Whether a token joins the names before and after it: `and`, a comma.
    fn joins_names(&self, at: usize) -> bool {
        self.has_trait(at, AND) || matches!(self.word_at(at), "," | "&")
    }

    /// A name and those joined to it before: `Alice, Bob and Carol`.
    pub(super) fn with_coordinated(&self, last: usize) -> Vec<usize> {
        let mut found = vec![last];
        let mut at = last;
        while found.len() < 12 {
            let Some(first) = self.spots.get(at).map(|spot| spot.first) else { break };
            let Some(joint) = first.checked_sub(1) else { break };
            if !self.joins_names(joint) {
                break;
            }
            let end = if self.word_at(joint.saturating_sub(1)) == "," { joint.saturating_sub(1) } else { joint };
            let before = self.spots.partition_point(|spot| spot.first < first).checked_sub(1);
            let Some(before) = before.filter(|before| {
                self.spots.get(*before).is_some_and(|spot| {
                    (spot.last == end || spot.reach == end || spot.reach == first)
                        && matches!(spot.guess, GuessedType::Person | GuessedType::Org)
                })
            }) else {
                break;
            };
            found.push(before);
            at = before;
        }
        found.reverse();
        found
    }

    /// Returns the subject at the start of the sentence, used if no nearer one exists.
    pub(super) fn opening_subject(&self, before: usize) -> PhraseSubject {
        let mut subject = PhraseSubject::default();
        for at in self.body..before {
            if let Some(found) = self.spot_over(at) {
                if self.spots.get(found).is_some_and(|spot| {
                    matches!(spot.guess, GuessedType::Person | GuessedType::Org | GuessedType::Unknown)
                }) {
                    let mut all = vec![found];
                    // Those joined to it behind: `Alice and Bob reviewed it and asked`.
                    let mut next = found;
                    while let Some(spot) = self.spots.get(next)
                        && self.joins_names(spot.last)
                        && self.spots.get(next + 1).is_some_and(|other| {
                            other.first == spot.last + 1
                                && matches!(other.guess, GuessedType::Person | GuessedType::Org)
                        })
                        && all.len() < 12
                    {
                        next += 1;
                        all.push(next);
                    }
                    subject.spots = all;
                }
                return subject;
            }
            let Some(token) = self.token(at) else { break };
            if token.has_trait(SPEAKER) {
                subject.speaks = true;
                return subject;
            }
            if token.has_trait(SOMEBODY | GROUP) {
                subject.somebody = true;
                return subject;
            }
            if token.has_trait(PREPOSITION) && at > self.body {
                return subject;
            }
            if at > self.body + 8 {
                break;
            }
        }
        subject
    }

    /// Adds actors named after the phrase: `by Bob`, `with Bob`, `feedback from Bob`.
    pub(super) fn add_actors_after(&self, hit: &FrameMatch<'_>, passive: bool, draft: &mut EventDraft) {
        let frame = hit.frame;
        // A phrase may hold the names in its gaps: `wurde von Bob genehmigt`.
        let from = self.spots.partition_point(|spot| spot.first <= hit.start);
        let mut joined = false;
        for (at, spot) in self.spots.iter().enumerate().skip(from).take(16) {
            let employer = self.spots.get(at.saturating_sub(4)..(at + 4).min(self.spots.len())).unwrap_or_default();
            if !matches!(spot.guess, GuessedType::Person | GuessedType::Org)
                || employer.iter().any(|other| other.org == Some(at))
            {
                joined &= spot.guess == GuessedType::Org;
                continue;
            }
            let mut before = spot.first;
            while before > hit.start && self.has_trait(before - 1, DETERMINER) {
                before -= 1;
            }
            // `by Major General James Wolfe`
            while spot.titled
                && before > hit.start
                && self.token(before - 1).is_some_and(|token| token.has_trait(TITLE) || token.is_sign('.'))
            {
                before -= 1;
            }
            // `by the trader Elias Whitcomb`
            if let Some(role) = spot.role.filter(|role| role.1 == spot.first) {
                before = role.0;
                while before > hit.start && self.has_trait(before - 1, DETERMINER) {
                    before -= 1;
                }
            }
            let is_before = |traits: Traits| before.checked_sub(1).is_some_and(|at| self.has_trait(at, traits));
            let joins = before.checked_sub(1).is_some_and(|at| self.joins_names(at));
            let mention = self.first_mention + at;
            if draft.actors.iter().any(|(known, _)| *known == mention) {
                continue;
            }
            let right_behind = before == hit.end;
            let between = self.tokens.get(hit.end..spot.first).unwrap_or_default();
            let clause = between.iter().all(|token| !matches!(token.kind, LexiconTokenKind::Sign(';' | ':' | '(')));
            let by = is_before(BY) && (passive || right_behind || frame.past);
            let from_whom = right_behind && is_before(BY | FROM) && frame.category != Category::QualityRisk;
            let with = frame.with.filter(|_| clause && (right_behind || joins || is_before(WITH)));
            let role = if by || from_whom {
                Some(frame.role)
            } else if let Some(role) = with {
                Some(role)
            } else if joined && joins {
                Some(ActorRole::Contributor)
            } else {
                None
            };
            joined = role.is_some();
            if let Some(role) = role {
                draft.actors.push((mention, role));
            }
        }
    }
}
