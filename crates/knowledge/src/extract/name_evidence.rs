//! What within a run of capitals, and right beside it, speaks for one kind of name or against another.

use super::{
    lexicon::{GazetteerType, LEXICON},
    names::CapitalRun,
    tokens::LexiconTokenKind,
    traits::*,
};

impl CapitalRun<'_> {
    /// Returns true if the sentence asks.
    pub(super) fn is_question(&self) -> bool {
        self.tokens.iter().rev().take(3).any(|token| token.is_sign('?'))
    }

    /// Returns true if a list has the word as a family name.
    pub(super) fn is_family(&self, at: usize) -> bool {
        self.has_trait(at, FAMILY | FAMILY_TOO)
    }

    /// Where a person's name begins behind an organisation's, as in two columns of a table: `Harbour Board of Pellmouth
    /// Oke Halvane`.
    pub(super) fn person_behind_org(&self, start: usize, end: usize) -> Option<usize> {
        let given = |at: usize| self.token(at).is_some_and(|token| token.has_trait(GIVEN) && !token.has_trait(COMMON));
        // `Missouri Supreme Court Patricia Chen`
        let behind_end = (start + 2..end.saturating_sub(1)).find(|at| {
            given(*at)
                && !self.has_trait(*at, ORG_END | PLACE_END)
                && self.has_trait(*at - 1, ORG_END)
                && !self.has_trait(*at - 1, WEAK_ORG_END)
        });
        if self.capitals.tell && !self.ends_org(end) && behind_end.is_some() {
            return behind_end;
        }
        let of = (start + 1..end).find(|at| self.has_trait(*at, OF) && !self.is_capital_at(*at))?;
        if !self.has_trait(of - 1, ORG_START | ORG_END) || !self.capitals.tell {
            return None;
        }
        // The words after the last `of`; what they are together is known, or each is bare.
        let of = (of..end).rev().find(|at| !self.is_capital_at(*at))?;
        let (first, words) = (of + 1, end - of - 1);
        let known = self.gazetteer_match(first, end).map_or(first + 1, |(_, to)| to);
        let by_given = (known..end.saturating_sub(1)).find(|at| given(*at));
        let bare = || words == 3 && known == first + 1 && (first..end).all(|at| self.is_bare(at));
        by_given.or_else(|| bare().then_some(known))
    }

    /// Where every noun has a capital, a person's name is given names and one family name; a noun that follows is none of
    /// it: `Gary Louris Stimme`. Returns where that noun begins.
    pub(super) fn german_person_end(&self, start: usize, end: usize) -> Option<usize> {
        let given = |at: usize| self.token(at).is_some_and(|token| token.has_trait(GIVEN) && !token.has_trait(COMMON));
        if !given(start) || self.ends_org(end) {
            return None;
        }
        let mut at = start + 1;
        let part = |at: usize| {
            self.is_sign(at, '.')
                || self.has_trait(at, GIVEN | PARTICLE)
                || self.token(at).is_some_and(|token| token.shape.initial)
        };
        while at < end && part(at) {
            at += 1;
        }
        if self.is_sign(at, '&') {
            return None;
        }
        // The family name, and what may stand behind it.
        let mut cut = at + 1;
        while cut < end && (self.has_trait(cut, POSTNOMINAL | FAMILY) || self.is_sign(cut, '.')) {
            cut += 1;
        }
        (cut < end && self.is_capital_at(cut)).then_some(cut)
    }

    /// Where a run of capitals ends and another begins, with what stands between them left out: `Alice Chen May 26`,
    /// `Alaska Sen. Lisa Chen`, `Trade & Industry John Chen`, `ALICE CHEN Interview`.
    pub(super) fn other_name_within(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let is_day = |at: usize| {
            self.token(at).is_some_and(|token| {
                token.kind == LexiconTokenKind::Number && token.spaced && token.end - token.start <= 2
            })
        };
        if end - start >= 3 && self.has_trait(end - 1, MONTH) && is_day(end) {
            return Some((end - 1, end));
        }
        let title = (start + 1..end.saturating_sub(2)).find(|at| {
            self.has_trait(*at, TITLE)
                && !self.has_trait(*at - 1, TITLE)
                && self.is_capital_at(*at - 1)
                && self.is_sign(*at + 1, '.')
                && self.is_capital_at(*at + 2)
        });
        if let Some(title) = title {
            return Some((title, title));
        }
        // `for Trade & Industry John Chen`
        let given = |at: usize| self.token(at).is_some_and(|token| token.has_trait(GIVEN) && !token.has_trait(COMMON));
        if let Some(and) = (start..end).find(|at| self.is_sign(*at, '&'))
            && let Some(person) = (and + 2..end - 1).find(|at| given(*at))
        {
            return Some((person, person));
        }
        let large = |at: usize| self.token(at).is_some_and(|token| token.shape.capitals && token.end - token.start > 2);
        let small = (start..end).find(|at| !large(*at))?;
        let is_word =
            self.token(small).is_some_and(|token| token.kind == LexiconTokenKind::Word && !token.shape.capitals);
        // `ACME CFO Alice Chen`
        let office = (start..small).any(|at| self.has_trait(at, ROLE_HEAD | ROLE_WORD | TITLE));
        (small - start >= 2 && is_word && !office && !self.has_trait(small, PARTICLE | POSTNOMINAL))
            .then_some((small, small))
    }

    /// Returns true if a name of the gazetteers ends where another name begins.
    pub(super) fn ends_before_other_name(&self, start: usize, to: usize, end: usize, known: GazetteerType) -> bool {
        let person = end - to >= 2
            && self.token(to).is_some_and(|token| token.has_trait(GIVEN) && !token.has_trait(COMMON))
            && !self.ends_org(end);
        let noun =
            !self.capitals.tell && to - start >= 2 && to < end && known == GazetteerType::Place && !self.ends_org(end);
        (person
            && known != GazetteerType::Object
            && !(to - start == 1 && self.has_trait(start, GIVEN) && known == GazetteerType::Place))
            || noun
    }

    /// Where a name with a title ends: it has few words, and none that is an office or an organisation.
    pub(super) fn titled_end(&self, start: usize, end: usize) -> usize {
        (start + 1..end)
            .find(|at| {
                let noun = !self.capitals.tell && self.words.ends_as_noun(self.word_at(*at));
                noun || (*at - start >= 2
                    && self.has_trait(*at, ORG_START | ORG_END | ROLE_HEAD)
                    && !self.is_family(*at))
            })
            .map_or(
                end,
                |cut| if self.is_sign(cut - 1, '.') && !self.is_dotted(cut.wrapping_sub(2)) { cut - 1 } else { cut },
            )
    }

    /// How sure a name is an organisation's whose last word says so.
    pub(super) fn org_score(&self, start: usize, last: usize) -> f32 {
        // `Project Team`, `Executive Board`: common words throughout make it a part of something, not a name.
        let plain = (start..last).all(|at| {
            self.token(at).is_some_and(|token| {
                token.has_trait(COMMON | ROLE_WORD | GRAMMAR) && !token.has_trait(GIVEN)
                    || !self.capitals.tell && token.shape.capital && self.words.ends_as_noun(self.word_at(at))
            })
        });
        // `OLDER NEWS`
        let shouts = (start..=last).all(|at| self.token(at).is_some_and(|token| token.shape.capitals));
        let unspecific = self.is_unspecific(start, last + 1);
        // `Social Media`, but `Fortress Investment Group`
        let weak = self.has_trait(last, WEAK_ORG_END);
        let before = start.checked_sub(1).and_then(|before| self.token(before));
        let the = before.is_some_and(|before| before.has_trait(THE) && !before.shape.capital);
        // `the Harbour Office`, but not `the Project Team`.
        let known_office = the
            && self.has_trait(last, ORG_ALONE)
            && !(start..last).any(|at| self.has_trait(at, LABEL | ROLE_HEAD | GRAMMAR));
        // `Human Language Technology`, `Knowledge Graph Construction`
        let before_last = last.checked_sub(1).filter(|before| *before >= start).and_then(|before| self.token(before));
        let term = self.has_trait(last, FIELD_END)
            && before_last.is_some_and(|word| {
                let common = word.has_trait(COMMON) || self.words.ends_as_adjective(word.text_in(self.text));
                common && !word.has_trait(GIVEN | FAMILY)
            });
        match plain {
            _ if term => 0.45,
            false if unspecific && !self.capitals.tell => 0.45,
            false => 0.85,
            true if shouts || unspecific => 0.45,
            true if weak && known_office => 0.6,
            true if weak && last - start < 2 => 0.45,
            true if weak => 0.55,
            // `of the Allotment Society`: the article says that there is one such.
            true if the => 0.78,
            true => 0.6,
        }
    }

    /// Returns true if an article says that any such thing is meant: `a Technical University`, but not `a State Department
    /// official`.
    pub(super) fn is_unspecific(&self, start: usize, end: usize) -> bool {
        let any = start.checked_sub(1).is_some_and(|before| self.has_trait(before, ONE));
        let noun_follows = self.token(end).is_some_and(|next| {
            next.kind == LexiconTokenKind::Word && next.spaced && !next.shape.capital && !next.has_trait(GRAMMAR)
        });
        any && !noun_follows
    }

    /// Returns true if what stands beside a single given name makes it something else's.
    pub(super) fn speaks_against_given(&self, at: usize) -> bool {
        let next = self.token(at + 1);
        // `Levi's and`, `Martha's Vineyard`: a brand or a place; a person's `'s` has what they own behind it.
        let owns = next.is_some_and(|next| next.kind == LexiconTokenKind::Possessive);
        let owned = self.token(at + 2).is_some_and(|owned| {
            owned.kind == LexiconTokenKind::Word
                && !owned.shape.capital
                && !owned.has_trait(AND | CONJUNCTION | PREPOSITION)
        });
        // `Ruta 36`
        let numbered = next.is_some_and(|next| next.kind == LexiconTokenKind::Number && next.spaced);
        // `einen heißen Stein`: where every noun has a capital, an adjective or article makes it one.
        let is_determiner = |back: usize| at.checked_sub(back).is_some_and(|before| self.has_trait(before, DETERMINER));
        let adjective = at.checked_sub(1).and_then(|before| self.token(before)).is_some_and(|before| {
            before.kind == LexiconTokenKind::Word && !before.shape.capital && !before.has_trait(GRAMMAR | AUXILIARY)
        });
        let noun = !self.capitals.tell && (is_determiner(1) || (adjective && is_determiner(2)));
        // `Major-Titel`, `Paris-8`
        let word = self.word_at(at);
        let last = word.rsplit('-').next().filter(|last| last.len() < word.len());
        let compound = last.is_some_and(|last| {
            let given = LEXICON.traits(LEXICON.word_id(&last.to_lowercase())) & GIVEN != 0;
            !given && (!self.capitals.tell || last.starts_with(|c: char| c.is_ascii_digit()))
        });
        // `macOS 10.15 (Catalina)`
        let version = at >= 2
            && self.is_sign(at - 1, '(')
            && self
                .token(at - 2)
                .is_some_and(|token| token.kind == LexiconTokenKind::Number && token.text_in(self.text).contains('.'));
        // A language without rules: that the word is a name there too is not known.
        let unknown = !self.capitals.known;
        (owns && !owned) || numbered || noun || compound || version || unknown
    }

    /// Returns true if a verb that only people do stands beside a name: `dijo Oke Halvane`.
    pub(super) fn speaks_before_or_after(&self, start: usize, end: usize) -> bool {
        let speech = |at: usize| self.token(at).is_some_and(|verb| verb.has_trait(SPEECH) && !verb.shape.capital);
        speech(end) || start.checked_sub(1).is_some_and(speech)
    }

    /// Returns true if people alone do what a word that no list knows does: `Volker said`, but not `Helgrind reported`.
    pub(super) fn speaks(&self, at: usize) -> bool {
        let speech = |at: usize| self.token(at).is_some_and(|verb| verb.has_trait(SPEECH) && !verb.shape.capital);
        let next = at + 1;
        // `", said Volker`, but not `he told Billboard`.
        let inverted = at >= 1
            && speech(at - 1)
            && at
                .checked_sub(2)
                .and_then(|before| self.token(before))
                .is_none_or(|before| matches!(before.kind, LexiconTokenKind::Sign(_)) && !before.is_sign(')'));
        let greeted =
            at >= 1 && self.token(at - 1).is_some_and(|before| before.has_trait(GREETING) && before.shape.capital);
        let who = self.is_sign(next, ',') && self.has_trait(next + 1, WHO);
        let labelled = at >= 2 && self.is_sign(at - 1, ':') && self.has_trait(at - 2, ROLE_HEAD | PERSON_LABEL);
        let spoke = speech(next) || (self.has_trait(next, AUXILIARY) && speech(next + 1));
        spoke || inverted || greeted || who || labelled
    }
}
