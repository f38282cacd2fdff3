//! Who stands before a phrase and after it, and so has a part in what it tells.

use ibid_domain::{ActorRole, Category};

use super::{
    events::{AnalyzedSentence, EventDraft},
    frames::FrameMatch,
    lexicon::{AUXILIARY, DETERMINER, GROUP, NEGATION, PERSON_VERB, PREPOSITION, PRONOUN},
    names::GuessedType,
    tokens::LexiconTokenKind,
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

impl AnalyzedSentence<'_> {
    /// Returns the person to whom the statement is attributed: `Grace Mbeki reported that …`, `“…”, said Frank
    /// Osborne`.
    pub(super) fn quoted_speaker(&self) -> Option<usize> {
        self.spots.iter().take(8).position(|spot| {
            let says = |at: usize| {
                matches!(
                    self.word_at(at),
                    "said"
                        | "says"
                        | "reported"
                        | "told"
                        | "added"
                        | "wrote"
                        | "explained"
                        | "noted"
                        | "replied"
                        | "stated"
                        | "commented"
                )
            };
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
        let first = self.word_at(start);
        if first.len() <= 8
            && (first.contains('\'')
                || first.contains('’')
                || first.eq_ignore_ascii_case("i")
                || first.eq_ignore_ascii_case("we"))
        {
            let lower = first.to_lowercase().replace('’', "'");
            subject.group = lower.starts_with("we");
            {
                match lower.split('\'').next().unwrap_or("") {
                    "i" | "we" => subject.speaks = true,
                    "he" | "she" | "they" => subject.somebody = true,
                    "you" => {
                        subject.thing = true;
                        return subject;
                    }
                    _ => {}
                }
                if subject.speaks || subject.somebody {
                    return subject;
                }
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
            let said = token.text_in(self.text);
            match token.kind {
                LexiconTokenKind::Sign(',') | LexiconTokenKind::Word
                    if said == ","
                        || said == "and"
                        || said == "und"
                        || said == "et"
                        || said == "y"
                        || said == "but" =>
                {
                    // `Bob reviewed it and asked`: the one who begins the sentence.
                    if nouns == 0 {
                        return self.opening_subject(at);
                    }
                    if said == "," {
                        subject.thing = nouns > 0;
                        return subject;
                    }
                    nouns += 1;
                }
                LexiconTokenKind::Sign('"' | '”' | '“' | '*' | '_') => {}
                LexiconTokenKind::Sign(_) => break,
                _ if token.has_trait(PRONOUN) => {
                    let lower = said.to_lowercase();
                    // `Acme said that it had bought`: who says it.
                    if matches!(lower.as_str(), "it" | "he" | "she" | "they") && self.is_reported(at) {
                        return self.opening_subject(at);
                    }
                    subject.group |= matches!(lower.as_str(), "we" | "they" | "wir" | "nous" | "we've" | "we're");
                    match lower.as_str() {
                        "i" | "we" | "ich" | "wir" | "je" | "nous" | "i've" | "we've" | "i'm" | "we're" | "yo" => {
                            subject.speaks = true
                        }
                        "he" | "she" | "they" | "er" | "sie" | "il" | "elle" | "someone" | "everyone" | "they're" => {
                            subject.somebody = true
                        }
                        "who" => {
                            let name = at.checked_sub(1).map(|before| {
                                if self.word_at(before) == "," { before.saturating_sub(1) } else { before }
                            });
                            match name.and_then(|name| self.spot_over(name)) {
                                Some(found) => subject.spots = vec![found],
                                None => subject.somebody = true,
                            }
                        }
                        _ => subject.thing = true,
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

    /// Returns true if a pronoun follows `said that` or a similar phrase.
    pub(super) fn is_reported(&self, at: usize) -> bool {
        let before = at.saturating_sub(5).max(self.body)..at;
        let that = at > self.body && (self.word_at(at - 1) == "that" || self.has_trait(at - 1, PERSON_VERB));
        that && before.clone().any(|at| self.has_trait(at, PERSON_VERB) && !self.has_trait(at, AUXILIARY))
    }

    /// The spot that a token belongs to, or to what is said of it.
    pub(super) fn spot_over(&self, at: usize) -> Option<usize> {
        let after = self.spots.partition_point(|spot| spot.first <= at);
        // What is said of a name may hold other names: the one that reaches farthest counts.
        (after.saturating_sub(3)..after)
            .find(|found| self.spots.get(*found).is_some_and(|spot| at < spot.reach.max(spot.last)))
    }

    /// A name and those joined to it before: `Alice, Bob and Carol`.
    pub(super) fn with_coordinated(&self, last: usize) -> Vec<usize> {
        let mut found = vec![last];
        let mut at = last;
        while found.len() < 12 {
            let Some(first) = self.spots.get(at).map(|spot| spot.first) else { break };
            let Some(joint) = first.checked_sub(1) else { break };
            if !matches!(self.word_at(joint), "and" | "," | "&" | "und" | "et" | "y") {
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
                        && matches!(self.word_at(spot.last), "and" | ",")
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
            match self.word_at(at) {
                "I" | "We" | "we" | "Ich" | "Wir" | "i" => {
                    subject.speaks = true;
                    return subject;
                }
                "He" | "She" | "They" | "he" | "she" | "they" => {
                    subject.somebody = true;
                    return subject;
                }
                _ if token.has_trait(GROUP) => {
                    subject.somebody = true;
                    return subject;
                }
                _ if token.has_trait(PREPOSITION) && at > self.body => return subject,
                _ => {}
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
        let from = self.spots.partition_point(|spot| spot.first < hit.end);
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
            // `by the trader Elias Whitcomb`
            if let Some(role) = spot.role.filter(|role| role.1 == spot.first) {
                before = role.0;
                while before > hit.start && self.has_trait(before - 1, DETERMINER) {
                    before -= 1;
                }
            }
            let word = before.checked_sub(1).map_or("", |at| self.word_at(at));
            let mention = self.first_mention + at;
            if draft.actors.iter().any(|(known, _)| *known == mention) {
                continue;
            }
            let right_behind = before == hit.end;
            let between = self.tokens.get(hit.end..spot.first).unwrap_or_default();
            let clause = between.iter().all(|token| !matches!(token.kind, LexiconTokenKind::Sign(';' | ':' | '(')));
            let by = matches!(word, "by" | "von" | "durch" | "par" | "por") && (passive || right_behind || frame.past);
            let from_whom = right_behind
                && matches!(word, "from" | "by" | "of" | "von" | "de")
                && frame.category != Category::QualityRisk;
            let with = frame.with.filter(|_| {
                clause
                    && (right_behind
                        || matches!(
                            word,
                            "with" | "mit" | "avec" | "con" | "between" | "zwischen" | "and" | "," | "und"
                        ))
            });
            let role = if by || from_whom {
                Some(frame.role)
            } else if let Some(role) = with {
                Some(role)
            } else if joined && matches!(word, "and" | "," | "und") {
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
