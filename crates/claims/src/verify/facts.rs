//! Claims of several facts, taken apart: a source may bear out one half of a sentence and not the other.

use std::ops::Range;

use ibid_language::{
    Lexicon,
    detect::detect_short,
    words::{TokenKind, TokenizedText},
};

use super::{Support, Verdict, words::is_empty_word};

/// A part with fewer words that say something is no fact of its own.
const FEWEST_WORDS: usize = 2;
/// Number of words after `, and` within which a verb must stand for a new fact to begin.
const VERB_WITHIN: usize = 4;
/// The most facts that a claim is taken apart into.
const MOST_FACTS: usize = 4;

/// The facts that a claim states, each as a sentence of its own; empty if it states one. `The tower was built in 1874 and
/// is 27 metres high` states that the tower was built in 1874, and that the tower is 27 metres high.
///
/// A fact ends at a semicolon, and before an `and` that a verb follows: at once, and the subject is that of the first
/// fact, or soon after a comma. Only auxiliary verbs are known, so many claims stay whole.
pub fn facts_of(claim: &str) -> Vec<String> {
    let Some(language) = detect_short(claim) else { return Vec::new() };
    let text = TokenizedText::new(claim, language);
    let lexicon = Lexicon::of(language);
    let first_verb =
        |mut places: Range<usize>| places.find(|place| lexicon.auxiliaries.contains(text.lower_at(*place)));
    let is_content =
        |place: &usize| text.tokens[*place].kind != TokenKind::Sign && !is_empty_word(text.lower_at(*place), lexicon);
    let is_fact = |places: Range<usize>| {
        first_verb(places.clone()).is_some() && places.filter(is_content).count() >= FEWEST_WORDS
    };
    let count = text.tokens.len();
    let begins_fact = |place: usize| {
        let next = place + 1;
        let follows_comma = place > 0 && text.lower_at(place - 1) == ",";
        match text.lower_at(place) {
            ";" => true,
            word if !lexicon.joins_words(word) => false,
            _ if follows_comma => first_verb(next..count.min(next + VERB_WITHIN)).is_some(),
            _ => first_verb(next..count.min(next + 1)).is_some(),
        }
    };
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for place in 0..count {
        if parts.len() + 1 < MOST_FACTS && begins_fact(place) && is_fact(start..place) && is_fact(place + 1..count) {
            parts.push(start..place);
            start = place + 1;
        }
    }
    if parts.is_empty() {
        return Vec::new();
    }
    parts.push(start..count);
    let words = |places: Range<usize>| match places.is_empty() {
        true => "",
        false => claim[text.bytes(places)].trim_matches(|char: char| matches!(char, ' ' | ',' | ';' | '.')),
    };
    let subject = first_verb(parts[0].clone()).map_or("", |verb| words(0..verb));
    let fact = |part: &Range<usize>| match first_verb(part.clone()) == Some(part.start) {
        true => format!("{subject} {}.", words(part.clone())),
        false => format!("{}.", words(part.clone())),
    };
    // A verb without a subject says nothing by itself.
    let is_told = |part: &Range<usize>| !subject.is_empty() || first_verb(part.clone()) != Some(part.start);
    if parts.iter().all(is_told) { parts.iter().map(fact).collect() } else { Vec::new() }
}

impl Support {
    /// The verdict on a claim whose facts were checked each by itself: as good as the worst of them, but for some that are
    /// supported among others that are not it is so in part.
    pub fn with_facts(mut self, facts: Vec<Self>) -> Self {
        if facts.is_empty() || self.verdict == Verdict::Unverifiable {
            return self;
        }
        let has = |verdict: Verdict| facts.iter().any(|fact| fact.verdict == verdict);
        let all_supported = facts.iter().all(|fact| fact.verdict == Verdict::Supported);
        self.verdict = match self.verdict {
            _ if has(Verdict::Contradicted) => Verdict::Contradicted,
            _ if all_supported => Verdict::Supported,
            Verdict::Supported if has(Verdict::Unsupported) => Verdict::Partial,
            Verdict::Unsupported if has(Verdict::Supported) => Verdict::Partial,
            whole => whole,
        };
        if all_supported {
            self.score = facts.iter().map(|fact| fact.score).fold(self.score.max(0.0), f32::max);
            self.why.clear();
        }
        if self.verdict == Verdict::Contradicted && self.why.iter().all(|one| one.source.is_none()) {
            let told = facts.into_iter().find(|fact| fact.verdict == Verdict::Contradicted);
            (self.why, self.quote) = told.map_or((self.why, self.quote), |fact| (fact.why, fact.quote));
        }
        self.reasons = super::reasons_of(&self.why);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_of_several_facts_is_taken_apart() {
        for (claim, facts) in [
            (
                "The tower was built in 1874 and is 27 metres high.",
                &["The tower was built in 1874.", "The tower is 27 metres high."][..],
            ),
            (
                "The harbour was closed in winter; the ships were sent to Torvik.",
                &["The harbour was closed in winter.", "the ships were sent to Torvik."],
            ),
            (
                "The bridge was opened in 1932, and its towers were added in 1940.",
                &["The bridge was opened in 1932.", "its towers were added in 1940."],
            ),
            (
                "Der Turm wurde 1874 gebaut und ist 27 Meter hoch.",
                &["Der Turm wurde 1874 gebaut.", "Der Turm ist 27 Meter hoch."],
            ),
            ("Bread and butter were sold in the hall.", &[]),
            ("The tower was built in 1874 by Ada and Tom Brook.", &[]),
            ("Is it so and was it?", &[]),
            ("", &[]),
        ] {
            assert_eq!(facts_of(claim), facts, "{claim}");
        }
    }
}
