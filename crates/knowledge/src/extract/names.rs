//! Where a sentence names somebody or something, and what by its own words that is.
//!
//! A run of words with capitals is a name's place; what it is follows from the words in it and beside it. What stays
//! unknown is kept too, because the rest of the text may say what it is.

use super::{
    lexicon::{GazetteerType, LEXICON, LanguageWords},
    tokens::{LexiconToken, LexiconTokenKind},
    traits::{
        AND, AUXILIARY, BEFORE_FIELD, COMMON, DETERMINER, DOTTED, FAMILY, GIVEN, GRAMMAR, LABEL, LEGAL_FORM, MONTH,
        NAME_AND, NO_NAME, OF, ORG_END, ORG_START, PARTICLE, PERSON_VERB, PLACE_END, POSSESSIVE, PREPOSITION,
        PROJECT_WORD, PROSE_PARTICLE, ROLE_HEAD, ROLE_WORD, TITLE, Traits, WEAK_ORG_END, WEEKDAY,
    },
};

/// Type guessed for a name from its words and neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuessedType {
    Person,
    Org,
    /// Project, programme or initiative.
    Project,
    /// Product or other named thing.
    Object,
    Place,
    /// Type that the sentence does not reveal; other mentions may.
    Unknown,
}

/// Possible name found in a sentence.
#[derive(Clone, Debug)]
pub struct NameCandidate {
    /// Index of its first token, inclusive.
    pub first: usize,
    /// Index after the last token.
    pub last: usize,
    pub guess: GuessedType,
    /// Confidence in the guessed type, from 0 to 1.
    pub score: f32,
    /// A title stands before it: `Ms`.
    pub titled: bool,
    /// Its capital may come from where it stands: at the beginning of a sentence.
    pub opening: bool,
    /// One past the last token of what is said of it right there: `, Engineering Manager at Acme,`.
    pub reach: usize,
    /// Token range of the role or job title.
    pub role: Option<(usize, usize)>,
    /// Index of the name of the person's organisation in the same sentence.
    pub org: Option<usize>,
    /// Index of the token with the e-mail address.
    pub mail: Option<usize>,
    /// A short form in brackets behind it: another spot.
    pub short: Option<usize>,
}

impl NameCandidate {
    pub(super) fn new(first: usize, last: usize, guess: GuessedType, score: f32) -> Self {
        Self {
            first,
            last,
            guess,
            score,
            titled: false,
            opening: false,
            reach: last,
            role: None,
            org: None,
            mail: None,
            short: None,
        }
    }

    /// Returns the number of tokens.
    pub const fn len(&self) -> usize {
        self.last - self.first
    }

    /// Says that it is something, unless that is known better.
    pub fn take_for(&mut self, guess: GuessedType, score: f32) {
        if self.guess == guess {
            self.score = self.score.max(score);
        } else if self.guess == GuessedType::Unknown || self.score < score {
            (self.guess, self.score) = (guess, score);
        }
    }
}

/// Rules for interpreting capitals in a sentence.
#[derive(Clone, Copy, Debug)]
pub struct CapitalRules {
    /// A capital makes a name, as it does in most languages but German.
    pub tell: bool,
    /// Most words have one, as in headings: a capital alone says nothing.
    pub everywhere: bool,
    /// The language has rules; of others only the lists of names are known.
    pub known: bool,
}

/// Lines with fewer bytes are not wrapped: what follows them is another name.
const SHORTEST_WRAPPED: usize = 40;
/// Given names with fewer letters stand in many handles that are no people's.
const SHORTEST_HANDLE_NAME: usize = 4;
/// A person's or thing's name has at most this many words.
const LONGEST_RUN: usize = 12;

/// Puts the names of a sentence into `spots`, which is emptied first, in the order of the text.
pub fn find_names(
    text: &str,
    tokens: &[LexiconToken],
    words: &LanguageWords,
    capitals: CapitalRules,
    spots: &mut Vec<NameCandidate>,
) {
    spots.clear();
    let run = CapitalRun { text, tokens, words, capitals };
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.kind == LexiconTokenKind::Handle {
            spots.push(run.handle_name(at));
            at += 1;
        } else if token.is_capital() {
            let end = run.run_end(at);
            run.find_names_in_run(at, end, spots);
            at = end;
        } else {
            at += 1;
        }
    }
}

pub(super) struct CapitalRun<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [LexiconToken],
    pub(super) words: &'a LanguageWords,
    pub(super) capitals: CapitalRules,
}

impl CapitalRun<'_> {
    pub(super) fn token(&self, at: usize) -> Option<&LexiconToken> {
        self.tokens.get(at)
    }

    pub(super) fn has_trait(&self, at: usize, traits: Traits) -> bool {
        self.token(at).is_some_and(|token| token.has_trait(traits))
    }

    pub(super) fn is_sign(&self, at: usize, sign: char) -> bool {
        self.token(at).is_some_and(|token| token.is_sign(sign))
    }

    pub(super) fn is_capital_at(&self, at: usize) -> bool {
        self.token(at).is_some_and(LexiconToken::is_capital)
    }

    pub(super) fn word_at(&self, at: usize) -> &str {
        self.token(at).map_or("", |token| token.text_in(self.text))
    }

    /// Returns true if the token may have its capital only because of its position.
    fn may_open_sentence(&self, at: usize) -> bool {
        let mut before = at;
        while let Some(token) = before.checked_sub(1).and_then(|before| self.token(before)) {
            match token.kind {
                LexiconTokenKind::Sign(
                    '"' | '“' | '‘' | '\'' | '(' | '[' | '*' | '_' | '#' | '-' | '•' | '>' | '–' | '—' | '«',
                )
                | LexiconTokenKind::Number => {
                    before -= 1;
                }
                LexiconTokenKind::Sign(':' | '.' | '!' | '?' | '|' | ';') => return true,
                _ => return false,
            }
        }
        true
    }

    /// One past the last token of the run of capitals that begins at `start`.
    fn run_end(&self, start: usize) -> usize {
        let mut at = start + 1;
        let mut org = self.has_trait(start, ORG_START | ORG_END);
        while at - start < LONGEST_RUN {
            let Some(token) = self.token(at) else { break };
            let previous = self.token(at - 1);
            if self.breaks_line_before(at) {
                break;
            }
            if token.kind == LexiconTokenKind::Word && token.is_capital() {
                // `J.R.Smith` has no blank, `Acme/Beta` is two.
                if !token.spaced && !previous.is_some_and(|previous| previous.is_sign('.')) {
                    break;
                }
                let form = token.has_trait(LEGAL_FORM) && token.shape.capitals;
                let named = token.shape.initial || token.has_trait(GIVEN | PARTICLE) || form;
                if token.has_trait(GRAMMAR) && !named {
                    break;
                }
                org |= token.has_trait(ORG_START | ORG_END);
                at += 1;
            } else if token.is_sign('.') && !token.spaced && self.is_dotted(at - 1) && self.continues_name(at + 1) {
                at += 1;
            } else if token.is_sign('&') && self.is_capital_at(at + 1) && token.spaced {
                at += 2;
            } else if token.kind == LexiconTokenKind::Possessive
                && self.owns_org(at + 1)
                && !self.is_org_or_place(start, at)
            {
                at += 2;
                org = true;
            } else if token.kind == LexiconTokenKind::Word
                && token.has_trait(PARTICLE)
                && at > start
                && self.skip_particles(at).is_some()
                && (!token.has_trait(PREPOSITION) || self.is_given_before(start, at))
            {
                at = self.skip_particles(at).unwrap_or(at + 1);
            } else if org && self.lists_org_fields(start, at) {
                at += 4;
            } else if (org && self.joins_org_parts(at)) || self.and_org(start, at) {
                at += 1;
                while self.token(at).is_some_and(|token| !token.is_capital()) && at - start < LONGEST_RUN {
                    at += 1;
                }
            } else {
                break;
            }
        }
        at.min(self.tokens.len())
    }

    /// Returns true if the capitalised words that follow end like an organisation's name: `People's Liberation Army`.
    fn owns_org(&self, at: usize) -> bool {
        (at..at + 3).take_while(|next| self.is_capital_at(*next)).any(|next| self.has_trait(next, ORG_END))
            && !self.has_trait(at, ROLE_HEAD)
    }

    /// Returns true if the words are an organisation or a place of their own, which owns another: `NASA's Laboratory`.
    fn is_org_or_place(&self, start: usize, end: usize) -> bool {
        let start = start + usize::from(self.has_trait(start, GRAMMAR) && start + 1 < end);
        self.gazetteer_match(start, end).is_some_and(|(_, to)| to == end) || (end - start > 1 && self.ends_org(end))
    }

    /// Returns true if a token begins another line, and the line before is too short to be wrapped there.
    fn breaks_line_before(&self, at: usize) -> bool {
        let (Some(before), Some(token)) = (at.checked_sub(1).and_then(|before| self.token(before)), self.token(at))
        else {
            return false;
        };
        let breaks = self.text.get(before.end..token.start).is_some_and(|gap| gap.contains('\n'));
        breaks && {
            let line = self.text.get(..before.end).unwrap_or("");
            before.end - line.rfind('\n').map_or(0, |newline| newline + 1) < SHORTEST_WRAPPED
        }
    }

    /// A handle is a person's if it has a given name in it or does what people do; others are shows, papers and firms.
    fn handle_name(&self, at: usize) -> NameCandidate {
        let handle = self.word_at(at).trim_start_matches('@');
        let mut begins: Vec<usize> = vec![0];
        let mut after_small = false;
        for (place, c) in handle.char_indices() {
            if (c.is_uppercase() && after_small) || !c.is_alphabetic() {
                begins.push(place);
            }
            after_small = c.is_lowercase();
        }
        begins.push(handle.len());
        let is_given = |part: &str| LEXICON.traits(LEXICON.word_id(&part.to_lowercase())) & (GIVEN | COMMON) == GIVEN;
        let named = begins.windows(2).any(|ends| {
            let part = handle.get(ends[0]..ends[1]).unwrap_or("").trim_matches(|c: char| !c.is_alphabetic());
            // `alicechen`: a given name of some letters that the part begins with.
            is_given(part) || (SHORTEST_HANDLE_NAME..part.len()).any(|end| part.get(..end).is_some_and(is_given))
        });
        let acts = self.person_context(at, at + 1)
            || self.has_trait(at + 1, AUXILIARY | PERSON_VERB)
            || (self.has_trait(at + 1, AND)
                && self.token(at + 2).is_some_and(|next| next.kind == LexiconTokenKind::Handle))
            || self.is_sign(at + 1, ':')
            || at == 0;
        NameCandidate::new(at, at + 1, GuessedType::Person, if named || acts { 0.6 } else { 0.3 })
    }

    /// Returns true if the dot after this token belongs to it: an initial, `Dr`, `St`.
    pub(super) fn is_dotted(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| {
            token.shape.initial || token.has_trait(TITLE) || (token.has_trait(DOTTED) && token.shape.capital)
        })
    }

    fn continues_name(&self, at: usize) -> bool {
        self.is_capital_at(at) || (self.has_trait(at, PARTICLE) && self.skip_particles(at).is_some())
    }

    /// Where a particle is a preposition of the language too, it joins a given name to a family name, and nothing else:
    /// `Carlos Sainz van McLaren` is of McLaren.
    fn is_given_before(&self, start: usize, at: usize) -> bool {
        let before = at - 1;
        (self.has_trait(before, GIVEN) && !self.has_trait(before, COMMON))
            || self.token(before).is_some_and(|token| token.shape.initial)
            || (self.is_sign(before, '.') && before > start)
            || (self.has_trait(before, FAMILY)
                && self.has_trait(start, GIVEN)
                && self.is_capital_at(at + 1)
                && self.has_trait(at + 1, FAMILY))
    }

    /// One past the particles that begin at `at`, if a capital follows them: `van der`.
    fn skip_particles(&self, at: usize) -> Option<usize> {
        let mut next = at;
        while next < at + 3 && self.token(next).is_some_and(|token| token.has_trait(PARTICLE) && !token.is_capital()) {
            next += 1;
        }
        // `of`-like particles of other languages stand in prose too, so only between capitals.
        (next > at && self.is_capital_at(next) && !self.has_trait(at, PROSE_PARTICLE)).then_some(next)
    }

    /// Returns true if a lower-case word joins two parts of an organisation's name: `Department of Health and Safety`.
    fn joins_org_parts(&self, at: usize) -> bool {
        if self.has_trait(at, OF) && !self.is_capital_at(at) {
            // `Society for the Prevention of Cruelty`
            let joined_before = at >= 2
                && (self.has_trait(at - 2, OF)
                    || (at >= 3 && self.has_trait(at - 2, DETERMINER) && self.has_trait(at - 3, OF)));
            // `Bank of the West`, but not `the Times for his New Yorker report`.
            let article = |at: usize| self.has_trait(at, DETERMINER) && !self.has_trait(at, POSSESSIVE);
            return (self.has_trait(at - 1, ORG_START | ORG_END) || joined_before)
                && !self.is_plain_noun_before(at)
                && (self.is_capital_at(at + 1) || (article(at + 1) && self.is_capital_at(at + 2)));
        }
        // `Committee on Intelligence`, but not `the Council on Monday`.
        if self.has_trait(at, BEFORE_FIELD) && self.is_capital_at(at + 1) {
            return self.has_trait(at - 1, ORG_START | ORG_END)
                && !self.has_trait(at - 1, WEAK_ORG_END)
                && self.has_trait(at + 1, COMMON)
                && !self.has_trait(at + 1, WEEKDAY | MONTH | GIVEN | GRAMMAR);
        }
        // `Ministry of Health and Care`, but not `Harbour Board and Alice Chen`.
        self.has_trait(at, AND)
            && self.is_capital_at(at + 1)
            && !self.has_trait(at + 1, GIVEN)
            && self.has_trait(at + 1, COMMON)
            && !self.has_trait(at - 1, ORG_END)
            && self.has_trait(at - 1, COMMON)
    }

    /// Where every noun has a capital, an adjective shows that no name is meant: `eines der besten Studios des Landes`.
    fn is_plain_noun_before(&self, of: usize) -> bool {
        !self.capitals.tell
            && of.checked_sub(2).and_then(|before| self.token(before)).is_some_and(|before| {
                before.kind == LexiconTokenKind::Word
                    && !before.shape.capital
                    && !before.has_trait(GRAMMAR | PREPOSITION)
            })
    }

    /// `Ministry of Trade, Industry and Energy`: fields in a row, from the comma.
    fn lists_org_fields(&self, start: usize, at: usize) -> bool {
        let field = |at: usize| {
            self.token(at).is_some_and(|token| token.is_capital() && token.has_trait(COMMON) && !token.has_trait(GIVEN))
        };
        self.is_sign(at, ',')
            && at >= start + 3
            && self.has_trait(at - 2, OF)
            && self.has_trait(at - 3, ORG_START | ORG_END)
            && field(at - 1)
            && field(at + 1)
            && self.has_trait(at + 2, AND)
            && field(at + 3)
            && !self.has_trait(at + 4, ORG_END)
    }

    /// `Securities and Exchange Commission`: what ends an organisation's name follows the word after `and`.
    fn and_org(&self, start: usize, at: usize) -> bool {
        let article = start > 0 && self.has_trait(start - 1, DETERMINER);
        // English names stand in texts of other languages too.
        self.has_trait(at, AND | NAME_AND)
            && self.token(at - 1).is_some_and(|token| {
                token.is_capital()
                    && (token.has_trait(COMMON) || (article && !self.capitals.tell))
                    && !token.has_trait(ORG_END | GIVEN)
            })
            && self
                .token(at + 1)
                .is_some_and(|token| token.is_capital() && token.has_trait(COMMON) && !token.has_trait(GIVEN))
            && self.is_capital_at(at + 2)
            && self.has_trait(at + 2, ORG_END)
    }

    /// Finds the names in a run of capitalised words.
    fn find_names_in_run(&self, start: usize, end: usize, spots: &mut Vec<NameCandidate>) {
        let (mut start, mut end) = (start, end);
        // Words that no name begins or ends with.
        let opening = self.may_open_sentence(start);
        while start < end && self.cannot_begin(start, end, start == end - 1) {
            start += 1;
        }
        while end > start && self.cannot_end(end - 1) && !self.ends_org_of(start, end) {
            end -= 1;
        }
        if start >= end {
            return;
        }
        // A day or a people within splits the run: `Monday Alice`, `Alice Chen Tuesday`.
        if let Some(cut) = (start..end).find(|at| {
            self.has_trait(*at, WEEKDAY | MONTH) && !self.has_trait(*at, GIVEN) && self.word_at(*at).len() > 3
        }) {
            self.find_names_in_run(start, cut, spots);
            self.find_names_in_run(cut + 1, end, spots);
            return;
        }
        if let Some((cut, next)) = self.other_name_within(start, end) {
            self.find_names_in_run(start, cut, spots);
            self.find_names_in_run(next, end, spots);
            return;
        }
        let opening = opening || self.may_open_sentence(start);
        let before = spots.len();
        self.classify_run(start, end, opening, spots);
        for spot in spots.iter_mut().skip(before) {
            spot.opening = opening && spot.first == start;
        }
    }

    fn cannot_begin(&self, at: usize, end: usize, alone: bool) -> bool {
        let Some(token) = self.token(at) else { return true };
        if token.kind != LexiconTokenKind::Word {
            return true;
        }
        if token.shape.initial {
            // `A` and `I` are words, `A. Chen` is a name.
            return !self.is_sign(at + 1, '.') && token.has_trait(GRAMMAR);
        }
        // A family name may look like a word of grammar in another language, but not at the beginning.
        let little = token.has_trait(GRAMMAR) || (token.has_trait(PREPOSITION) && !token.has_trait(PARTICLE));
        // `La` and `Den` are given names somewhere, and articles here.
        if little && (!token.has_trait(GIVEN) || token.has_trait(DETERMINER)) {
            // `The Guardian` and the like are known with their article.
            return self.gazetteer_match(at, end).is_none_or(|(_, last)| last != end);
        }
        if token.has_trait(GRAMMAR) {
            return alone || !self.is_capital_at(at + 1);
        }
        let label = token.has_trait(LABEL)
            && !(end - at > 2 && self.has_trait(end - 1, LEGAL_FORM))
            && !token.has_trait(GIVEN | PROJECT_WORD | ORG_START | ORG_END | ROLE_HEAD | ROLE_WORD);
        label
            || (token.has_trait(NO_NAME)
                && !token.has_trait(GIVEN)
                && self.gazetteer_match(at, end).is_none()
                && !(self.ends_org(end) && end - at > 1)
                // `American Institute of Homeopathy`
                && !(self.has_trait(at + 1, ORG_START | ORG_END) && self.has_trait(at + 2, OF) && end - at > 3))
    }

    /// Returns true if a label is the end of an organisation's name: `Department of Homeland Security`.
    fn ends_org_of(&self, start: usize, end: usize) -> bool {
        self.is_capital_at(end - 1)
            && (start + 1..end - 1).any(|at| self.has_trait(at, OF) && self.has_trait(at - 1, ORG_START | ORG_END))
            && end - start >= 4
    }

    pub(super) fn ends_org(&self, end: usize) -> bool {
        end.checked_sub(1).is_some_and(|last| self.has_trait(last, ORG_END | LEGAL_FORM))
    }

    fn cannot_end(&self, at: usize) -> bool {
        let Some(token) = self.token(at) else { return true };
        match token.kind {
            LexiconTokenKind::Word => {
                (token.has_trait(GRAMMAR) && !token.shape.capital && !token.shape.initial)
                    || (token.has_trait(PARTICLE) && !token.shape.capital)
                    || (token.has_trait(LABEL)
                        && !token.has_trait(GIVEN | ORG_END | LEGAL_FORM | PROJECT_WORD | ROLE_HEAD | PLACE_END)
                        && at > 0)
            }
            LexiconTokenKind::Sign('.') => !self.is_dotted(at - 1),
            _ => true,
        }
    }

    /// Returns the longest gazetteer phrase that begins at `at` and ends by `end`.
    pub(super) fn gazetteer_match(&self, at: usize, end: usize) -> Option<(GazetteerType, usize)> {
        let first = self.token(at)?;
        LEXICON.phrases_starting_with(first.word).iter().find_map(|(rest, known)| {
            let mut next = at + 1;
            for word in rest {
                if self.is_sign(next, '.') && next < end {
                    next += 1;
                }
                if self.token(next)?.word != *word || next >= end {
                    return None;
                }
                next += 1;
            }
            // `US` and `WHO` are names, `us` and `Us` are none.
            let short = first.end - first.start <= 3 && rest.is_empty();
            (!short || first.shape.capitals || first.shape.initial).then_some((*known, next))
        })
    }
}
