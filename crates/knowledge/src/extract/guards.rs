//! Whether a phrase that may tell an event is meant so: a verb and not a participle, said and not denied or supposed.

use ibid_domain::Category;

use super::{
    events::Sentence,
    frames::Hit,
    lexicon::{AUXILIARY, DETERMINER, GRAMMAR, HYPOTHETICAL, MONTH, NEGATION, PREPOSITION, PRONOUN},
    subjects::Subject,
    tokens::Kind,
};

impl Sentence<'_> {
    /// `fixed the bug`, `avoid delays`: what is mended is no risk.
    pub(super) fn is_mended(&self, hit: &Hit<'_>) -> bool {
        (hit.start.saturating_sub(4).max(self.body)..hit.start).any(|at| {
            matches!(
                self.said(at),
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

    /// Whether a past form says that it happened once.
    pub(super) fn is_told(&self, hit: &Hit<'_>) -> bool {
        let from = hit.start.saturating_sub(4).max(self.body);
        (from..hit.end).any(|at| {
            matches!(
                self.said(at),
                "was" | "were" | "has" | "have" | "had" | "There" | "there" | "wurde" | "wurden" | "hat" | "haben"
            )
        })
    }

    /// Whether a form of `be` makes who stands before the phrase the one it happens to.
    pub(super) fn is_passive(&self, hit: &Hit<'_>) -> bool {
        let within = match hit.frame.category {
            Category::Decision | Category::Execution | Category::Change | Category::Commitment => true,
            Category::Feedback => false,
            _ => return false,
        };
        let be = |at: usize| {
            matches!(
                self.said(at),
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
                && !matches!(self.said(hit.end - 1), "to"))
    }

    pub(super) fn is_adverb(&self, at: usize) -> bool {
        let said = self.said(at);
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

    /// How much a form that is a participle too counts here; none where it is no verb.
    pub(super) fn past(&self, hit: &Hit<'_>, subject: &Subject) -> Option<f32> {
        let mut before = hit.start;
        let at = loop {
            match before.checked_sub(1).filter(|at| *at >= self.body) {
                Some(at) if self.is_adverb(at) && self.said(at) != "to" => before = at,
                found => break found,
            }
        };
        let Some(at) = at else {
            // `Completed the migration` stands alone only in lists and chats.
            let fits =
                (self.stand.item || self.body > 0) && self.token(hit.end).is_some_and(|next| !next.is(PREPOSITION));
            return fits.then_some(-0.05);
        };
        let token = self.token(at)?;
        if self.spots.iter().any(|spot| spot.last == at + 1 || spot.reach == at + 1) {
            return Some(0.0);
        }
        let perfect =
            before < hit.start && (before..hit.start).any(|at| matches!(self.said(at), "have" | "has" | "had"));
        let be = matches!(self.said(at), "was" | "were" | "been" | "is" | "are" | "be" | "being" | "get" | "got");
        if be {
            let earlier = (1..4)
                .filter_map(|back| at.checked_sub(back))
                .find(|at| !self.is_adverb(*at) || self.said(*at) == "to");
            let modal = earlier.is_some_and(|at| {
                matches!(
                    self.said(at),
                    "to" | "will" | "can" | "could" | "should" | "would" | "may" | "might" | "must" | "cannot" | "not"
                )
            });
            // `is used`, `are completed` tell what is always so.
            let always = matches!(self.said(at), "is" | "are");
            let dated = !self.times.is_empty();
            let weight = match (always, dated) {
                (true, false) => -0.3,
                (true, true) => -0.1,
                _ => 0.0,
            };
            return (!modal && self.said(at) != "be").then_some(weight);
        }
        if token.is(PRONOUN) {
            let relative = matches!(self.said(at), "which" | "that" | "who" | "this" | "these" | "those" | "there");
            return Some(if relative { -0.25 } else { 0.0 });
        }
        if matches!(self.said(at), "and" | "or" | "," | "und" | "but") {
            let fits = !subject.spots.is_empty() || subject.speaks || subject.somebody;
            return fits.then_some(-0.05);
        }
        if perfect {
            return Some(0.0);
        }
        if token.is(AUXILIARY | DETERMINER | PREPOSITION | GRAMMAR)
            || matches!(token.kind, Kind::Sign(_)) && !matches!(token.kind, Kind::Sign(')' | '"' | '”'))
        {
            return None;
        }
        // A noun before it: `the team completed`, but not `the report published in`.
        let next = self.said(hit.end);
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

    /// Whether words before the phrase, in its clause, say that it is not so or only thought.
    pub(super) fn is_taken_back(&self, hit: &Hit<'_>) -> bool {
        for back in 1..=10 {
            let Some(at) = hit.start.checked_sub(back).filter(|at| *at >= self.body) else { break };
            let Some(token) = self.token(at) else { break };
            if matches!(token.kind, Kind::Sign(',' | ';' | ':' | '(' | '—' | '–')) && back > 1 {
                break;
            }
            if token.is(HYPOTHETICAL) && !(token.shape.capital && token.is(MONTH)) {
                return true;
            }
            // `when the parapet is finished`
            let waits = matches!(self.said(at), "when" | "once" | "until" | "before" | "after" | "till");
            if waits && (hit.start.saturating_sub(2)..hit.end).any(|at| matches!(self.said(at), "is" | "are")) {
                return true;
            }
            if token.is(NEGATION) && back <= 3 {
                return true;
            }
            if back > 1 && matches!(self.said(at), "but" | "and" | "that" | "because" | "while") {
                break;
            }
        }
        // `decided not to` is a decision; `will not send` is no promise to.
        (hit.start..hit.end).any(|at| self.is(at, NEGATION)) && hit.frame.category != Category::Decision
    }

    /// `there is no risk`, `without risk of`.
    pub(super) fn is_negated(&self, hit: &Hit<'_>) -> bool {
        let near = hit.start.saturating_sub(2).max(self.body)..hit.start;
        let negated = near
            .clone()
            .any(|at| matches!(self.said(at), "no" | "without" | "not" | "never" | "kein" | "keine" | "nicht"));
        negated || (hit.start..hit.end).any(|at| self.said(at) == "no")
    }
}
