//! Whether a phrase that may tell an event is meant so: a verb and not a participle, said and not denied or supposed.

use ibid_domain::Category;
use ibid_language::{
    negation::{NegationKind, negations},
    words::TokenizedText,
};

use super::{
    events::AnalyzedSentence,
    frames::FrameMatch,
    lexicon::LanguageWords,
    subjects::PhraseSubject,
    tokens::{LexiconToken, LexiconTokenKind},
    traits::*,
};

/// Which tokens of a sentence deny or suppose what it says.
#[derive(Default)]
pub struct SentenceGuards {
    denies: Vec<bool>,
    supposes: Vec<bool>,
}

impl SentenceGuards {
    /// Reads a sentence of some tokens anew.
    pub fn read(&mut self, text: &str, tokens: &[LexiconToken], words: &LanguageWords) {
        for marks in [&mut self.denies, &mut self.supposes] {
            marks.clear();
            marks.resize(tokens.len(), false);
        }
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return };
        let Some(sentence) = text.get(first.start..last.end) else { return };
        let sentence = TokenizedText::new(sentence, words.lexicon.language);
        let mark = |marks: &mut [bool], bytes: std::ops::Range<usize>| {
            let from = tokens.partition_point(|token| token.end <= first.start + bytes.start);
            let to = tokens.partition_point(|token| token.start < first.start + bytes.end);
            marks.get_mut(from..to).into_iter().flatten().for_each(|mark| *mark = true);
        };
        for negation in negations(&sentence).iter().filter(|negation| negation.kind == NegationKind::Direct) {
            mark(&mut self.denies, sentence.bytes(negation.tokens.clone()));
            if let Some(partner) = negation.partner {
                mark(&mut self.denies, sentence.bytes(partner..partner + 1));
            }
        }
        let cues = &words.lexicon.cues;
        for place in 0..sentence.tokens.len() {
            let condition = cues.conditions.longest_at(&sentence.lower, place);
            let Some((length, ())) = condition.or_else(|| cues.hedges.longest_at(&sentence.lower, place)) else {
                continue;
            };
            mark(&mut self.supposes, sentence.bytes(place..place + length));
        }
        for (at, token) in tokens.iter().enumerate() {
            // `se` is `if` only where a clause begins or a subject follows, and a pronoun elsewhere.
            let is_ambiguous = token.has_trait(PRONOUN | ADVERB | CONJUNCTION);
            let is_followed = !token.has_trait(CONJUNCTION)
                && tokens.get(at + 1).is_some_and(|next| next.is_capital() || next.has_trait(DETERMINER));
            let opens = at.checked_sub(1).is_none_or(|before| {
                tokens.get(before).is_some_and(|before| {
                    before.has_trait(CONJUNCTION) || matches!(before.kind, LexiconTokenKind::Sign(_))
                })
            });
            let may = token.shape.capital && token.has_trait(MONTH);
            if let Some(supposes) = self.supposes.get_mut(at) {
                *supposes &= !may && (!is_ambiguous || opens || is_followed);
            }
        }
    }

    fn denies(&self, at: usize) -> bool {
        self.denies.get(at).copied().unwrap_or(false)
    }

    fn supposes(&self, at: usize) -> bool {
        self.supposes.get(at).copied().unwrap_or(false)
    }
}

impl AnalyzedSentence<'_> {
    /// `fixed the bug`, `avoid delays`: what is mended is no risk.
    pub(super) fn is_mended(&self, hit: &FrameMatch<'_>) -> bool {
        (hit.start.saturating_sub(4).max(self.body)..hit.start).any(|at| self.has_trait(at, MENDS))
    }

    /// Returns true if a past form tells of a single finished action.
    pub(super) fn is_asserted(&self, hit: &FrameMatch<'_>) -> bool {
        let from = hit.start.saturating_sub(4).max(self.body);
        (from..hit.end).any(|at| self.has_trait(at, ASSERTS))
    }

    /// Returns true if a form of `be` makes the subject the one it happens to.
    pub(super) fn is_passive(&self, hit: &FrameMatch<'_>) -> bool {
        let within = match hit.frame.category {
            Category::Decision | Category::Execution | Category::Change | Category::Commitment => true,
            Category::Feedback => false,
            _ => return false,
        };
        let be = |at: usize| self.has_trait(at, PASSIVE);
        let before = (0..3).map_while(|back| hit.start.checked_sub(back + 1)).find(|at| !self.is_adverb(*at));
        before.is_some_and(be)
            || (within
                && hit.end - hit.start > 1
                && (hit.start..hit.end - 1).any(be)
                && !self.has_trait(hit.end - 1, INFINITIVE))
    }

    pub(super) fn is_adverb(&self, at: usize) -> bool {
        self.has_trait(at, ADVERB) || self.words.ends_as_adverb(self.word_at(at))
    }

    /// Returns the weight of a form that may be a participle, or `None` if it is no verb here.
    pub(super) fn past_form_weight(&self, hit: &FrameMatch<'_>, subject: &PhraseSubject) -> Option<f32> {
        let mut before = hit.start;
        let at = loop {
            match before.checked_sub(1).filter(|at| *at >= self.body) {
                Some(at) if self.is_adverb(at) && !self.has_trait(at, INFINITIVE) => before = at,
                found => break found,
            }
        };
        let Some(at) = at else {
            // `Completed the migration` stands alone only in lists and chats.
            let fits = (self.stand.item || self.body > 0)
                && self.token(hit.end).is_some_and(|next| !next.has_trait(PREPOSITION));
            return fits.then_some(-0.05);
        };
        let token = self.token(at)?;
        if self.spots.iter().any(|spot| spot.last == at + 1 || spot.reach == at + 1) {
            return Some(0.0);
        }
        let perfect = before < hit.start && (before..hit.start).any(|at| self.has_trait(at, PERFECT));
        if token.has_trait(PASSIVE) && !token.shape.capital {
            let earlier = (1..4)
                .filter_map(|back| at.checked_sub(back))
                .find(|at| !self.is_adverb(*at) || self.has_trait(*at, INFINITIVE));
            let modal = earlier.is_some_and(|at| self.has_trait(at, MODAL));
            // `is used`, `are completed` tell what is always so.
            let always = self.has_trait(at, PRESENT_BE);
            let dated = !self.times.is_empty();
            let weight = match (always, dated) {
                (true, false) => -0.3,
                (true, true) => -0.1,
                _ => 0.0,
            };
            return (!modal && !self.has_trait(at, BARE_BE)).then_some(weight);
        }
        if token.has_trait(PRONOUN) {
            return Some(if token.has_trait(RELATIVE) { -0.25 } else { 0.0 });
        }
        if token.has_trait(CONJUNCTION) || token.is_sign(',') {
            let fits = !subject.spots.is_empty() || subject.speaks || subject.somebody;
            return fits.then_some(-0.05);
        }
        if perfect {
            return Some(0.0);
        }
        if token.has_trait(AUXILIARY | DETERMINER | PREPOSITION | GRAMMAR)
            || matches!(token.kind, LexiconTokenKind::Sign(_))
                && !matches!(token.kind, LexiconTokenKind::Sign(')' | '"' | '”'))
        {
            return None;
        }
        // A noun before it: `the team completed`, but not `the report published in`.
        let relative = self.has_trait(hit.end, AFTER_PARTICIPLE);
        if relative && matches!(hit.frame.category, Category::Execution | Category::Decision) {
            return None;
        }
        let group = subject.somebody;
        Some(if group { 0.0 } else { -0.12 })
    }

    /// Returns true if words before the phrase, in its clause, negate it or make it hypothetical.
    pub(super) fn is_taken_back(&self, hit: &FrameMatch<'_>) -> bool {
        for back in 1..=10 {
            let Some(at) = hit.start.checked_sub(back).filter(|at| *at >= self.body) else { break };
            let Some(token) = self.token(at) else { break };
            if matches!(token.kind, LexiconTokenKind::Sign(',' | ';' | ':' | '(' | '—' | '–')) && back > 1 {
                break;
            }
            if self.guards.supposes(at) || token.has_trait(POSSIBLE) {
                return true;
            }
            // `when the parapet is finished`
            let waits = token.has_trait(WAITS);
            if waits && (hit.start.saturating_sub(2)..hit.end).any(|at| self.has_trait(at, PRESENT_BE)) {
                return true;
            }
            if (self.guards.denies(at) || token.has_trait(WITHOUT)) && back <= 3 {
                return true;
            }
            if back > 1 && token.has_trait(CLAUSE) {
                // `Peut-être qu'Anna a signé`
                let before = at.checked_sub(1).filter(|before| *before >= self.body);
                if token.has_trait(THAT) && before.is_some_and(|before| self.guards.supposes(before)) {
                    return true;
                }
                break;
            }
        }
        // `decided not to` is a decision; `will not send` is no promise to.
        if hit.frame.category == Category::Decision && !self.words.is_verb_second {
            return false;
        }
        (hit.start..hit.end).any(|at| self.guards.denies(at)) || self.is_denied_behind(hit)
    }

    /// `Der Rat beschloss den Umbau nicht`: where a negation may follow the verb, it denies the clause before it.
    fn is_denied_behind(&self, hit: &FrameMatch<'_>) -> bool {
        self.words.is_verb_second
            && (hit.end..self.tokens.len())
                .take(LATE_NEGATION_WITHIN)
                .take_while(|at| {
                    let Some(token) = self.token(*at) else { return false };
                    !token.has_trait(CLAUSE) && !matches!(token.kind, LexiconTokenKind::Sign(',' | ';' | ':' | '('))
                })
                .any(|at| self.guards.denies(at))
    }

    /// `there is no risk`, `without risk of`.
    pub(super) fn is_negated(&self, hit: &FrameMatch<'_>) -> bool {
        let near = hit.start.saturating_sub(2).max(self.body)..hit.start;
        let negated = near.clone().any(|at| self.guards.denies(at) || self.has_trait(at, NO | WITHOUT));
        negated || (hit.start..hit.end).any(|at| self.has_trait(at, NO))
    }
}

/// How far behind a verb the word that denies it may stand, in tokens.
const LATE_NEGATION_WITHIN: usize = 10;
