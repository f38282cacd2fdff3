//! Whether a phrase that may tell an event is meant so: a verb and not a participle, said and not denied or supposed.

use ibid_domain::Category;

use super::{
    events::AnalyzedSentence,
    frames::FrameMatch,
    lexicon::{AUXILIARY, DETERMINER, GRAMMAR, HYPOTHETICAL, MONTH, NEGATION, PREPOSITION, PRONOUN},
    subjects::PhraseSubject,
    tokens::LexiconTokenKind,
};

impl AnalyzedSentence<'_> {
    /// `fixed the bug`, `avoid delays`: what is mended is no risk.
    pub(super) fn is_mended(&self, hit: &FrameMatch<'_>) -> bool {
        (hit.start.saturating_sub(4).max(self.body)..hit.start).any(|at| {
            matches!(
                self.word_at(at),
                "fix"
                    | "fixed"
                    | "fixes"
                    | "fixing"
                    | "resolve"
                    | "resolved"
                    | "repair"
                    | "repaired"
                    | "prevent"
                    | "prevented"
                    | "avoid"
                    | "avoided"
                    | "solve"
                    | "solved"
                    | "mitigate"
                    | "mitigated"
                    | "eliminate"
                    | "eliminated"
                    | "mended"
            )
        })
    }

    /// Returns true if a past form tells of a single finished action.
    pub(super) fn is_asserted(&self, hit: &FrameMatch<'_>) -> bool {
        let from = hit.start.saturating_sub(4).max(self.body);
        (from..hit.end).any(|at| {
            matches!(
                self.word_at(at),
                "was" | "were" | "has" | "have" | "had" | "There" | "there" | "wurde" | "wurden" | "hat" | "haben"
            )
        })
    }

    /// Returns true if a form of `be` makes the subject the one it happens to.
    pub(super) fn is_passive(&self, hit: &FrameMatch<'_>) -> bool {
        let within = match hit.frame.category {
            Category::Decision | Category::Execution | Category::Change | Category::Commitment => true,
            Category::Feedback => false,
            _ => return false,
        };
        let be = |at: usize| {
            matches!(
                self.word_at(at),
                "was"
                    | "were"
                    | "been"
                    | "is"
                    | "are"
                    | "be"
                    | "being"
                    | "wurde"
                    | "wurden"
                    | "worden"
                    | "été"
                    | "fue"
                    | "fueron"
            )
        };
        let before = (0..3).map_while(|back| hit.start.checked_sub(back + 1)).find(|at| !self.is_adverb(*at));
        before.is_some_and(be)
            || (within
                && hit.end - hit.start > 1
                && (hit.start..hit.end - 1).any(be)
                && !matches!(self.word_at(hit.end - 1), "to"))
    }

    pub(super) fn is_adverb(&self, at: usize) -> bool {
        let said = self.word_at(at);
        (said.ends_with("ly") && said.len() > 4)
            || matches!(
                said,
                "also"
                    | "already"
                    | "then"
                    | "now"
                    | "just"
                    | "have"
                    | "has"
                    | "had"
                    | "soon"
                    | "recently"
                    | "finally"
                    | "both"
                    | "all"
                    | "later"
                    | "therefore"
                    | "again"
                    | "since"
                    | "even"
                    | "still"
                    | "never"
                    | "to"
                    | "ever"
                    | "always"
                    | "first"
                    | "together"
                    | "auch"
                    | "bereits"
                    | "schon"
                    | "heute"
                    | "dann"
            )
    }

    /// Returns the weight of a form that may be a participle, or `None` if it is no verb here.
    pub(super) fn past_form_weight(&self, hit: &FrameMatch<'_>, subject: &PhraseSubject) -> Option<f32> {
        let mut before = hit.start;
        let at = loop {
            match before.checked_sub(1).filter(|at| *at >= self.body) {
                Some(at) if self.is_adverb(at) && self.word_at(at) != "to" => before = at,
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
        let perfect =
            before < hit.start && (before..hit.start).any(|at| matches!(self.word_at(at), "have" | "has" | "had"));
        let be = matches!(self.word_at(at), "was" | "were" | "been" | "is" | "are" | "be" | "being" | "get" | "got");
        if be {
            let earlier = (1..4)
                .filter_map(|back| at.checked_sub(back))
                .find(|at| !self.is_adverb(*at) || self.word_at(*at) == "to");
            let modal = earlier.is_some_and(|at| {
                matches!(
                    self.word_at(at),
                    "to" | "will" | "can" | "could" | "should" | "would" | "may" | "might" | "must" | "cannot" | "not"
                )
            });
            // `is used`, `are completed` tell what is always so.
            let always = matches!(self.word_at(at), "is" | "are");
            let dated = !self.times.is_empty();
            let weight = match (always, dated) {
                (true, false) => -0.3,
                (true, true) => -0.1,
                _ => 0.0,
            };
            return (!modal && self.word_at(at) != "be").then_some(weight);
        }
        if token.has_trait(PRONOUN) {
            let relative = matches!(self.word_at(at), "which" | "that" | "who" | "this" | "these" | "those" | "there");
            return Some(if relative { -0.25 } else { 0.0 });
        }
        if matches!(self.word_at(at), "and" | "or" | "," | "und" | "but") {
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
        let next = self.word_at(hit.end);
        let relative = matches!(
            next,
            "by" | "in" | "on" | "at" | "from" | "for" | "with" | "to" | "as" | "using" | "during" | "between"
        );
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
            if token.has_trait(HYPOTHETICAL) && !(token.shape.capital && token.has_trait(MONTH)) {
                return true;
            }
            // `when the parapet is finished`
            let waits = matches!(self.word_at(at), "when" | "once" | "until" | "before" | "after" | "till");
            if waits && (hit.start.saturating_sub(2)..hit.end).any(|at| matches!(self.word_at(at), "is" | "are")) {
                return true;
            }
            if token.has_trait(NEGATION) && back <= 3 {
                return true;
            }
            if back > 1 && matches!(self.word_at(at), "but" | "and" | "that" | "because" | "while") {
                break;
            }
        }
        // `decided not to` is a decision; `will not send` is no promise to.
        (hit.start..hit.end).any(|at| self.has_trait(at, NEGATION)) && hit.frame.category != Category::Decision
    }

    /// `there is no risk`, `without risk of`.
    pub(super) fn is_negated(&self, hit: &FrameMatch<'_>) -> bool {
        let near = hit.start.saturating_sub(2).max(self.body)..hit.start;
        let negated = near
            .clone()
            .any(|at| matches!(self.word_at(at), "no" | "without" | "not" | "never" | "kein" | "keine" | "nicht"));
        negated || (hit.start..hit.end).any(|at| self.word_at(at) == "no")
    }
}
