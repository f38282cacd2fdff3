//! Where a sentence names somebody or something, and what by its own words that is.
//!
//! A run of words with capitals is a name's place; what it is follows from the words in it and beside it. What stays
//! unknown is kept too, because the rest of the text may say what it is.

use super::{
    lexicon::{
        COMMON, GIVEN, GRAMMAR, Known, LABEL, LEGAL_FORM, LEXICON, MONTH, NO_NAME, ORG_END, ORG_START, PARTICLE,
        PLACE_END, PROJECT_WORD, ROLE_HEAD, ROLE_WORD, TITLE, Traits, WEEKDAY,
    },
    tokens::{Kind, Token},
};

/// What a name is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guess {
    /// Somebody.
    Person,
    /// An organisation.
    Org,
    /// What people work on.
    Project,
    /// A thing.
    Object,
    /// Somewhere.
    Place,
    /// Not known from here.
    Unknown,
}

/// A name in a sentence.
#[derive(Clone, Debug)]
pub struct Spot {
    /// Its first token.
    pub first: usize,
    /// One past its last token.
    pub last: usize,
    /// What it is taken for.
    pub guess: Guess,
    /// How sure that is.
    pub score: f32,
    /// A title stands before it: `Ms`.
    pub titled: bool,
    /// Its capital may come from where it stands: at the beginning of a sentence.
    pub opening: bool,
    /// One past the last token of what is said of it right there: `, Engineering Manager at Acme,`.
    pub reach: usize,
    /// What it is there for.
    pub role: Option<(usize, usize)>,
    /// Whom it belongs to: another spot.
    pub org: Option<usize>,
    /// Where mail reaches it: a token.
    pub mail: Option<usize>,
    /// A short form in brackets behind it: another spot.
    pub short: Option<usize>,
}

impl Spot {
    pub(super) fn new(first: usize, last: usize, guess: Guess, score: f32) -> Self {
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

    /// How many tokens it has.
    pub const fn len(&self) -> usize {
        self.last - self.first
    }

    /// Says that it is something, unless that is known better.
    pub fn take_for(&mut self, guess: Guess, score: f32) {
        if self.guess == guess {
            self.score = self.score.max(score);
        } else if self.guess == Guess::Unknown || self.score < score {
            (self.guess, self.score) = (guess, score);
        }
    }
}

/// How a sentence's capitals are to be read.
#[derive(Clone, Copy, Debug)]
pub struct Capitals {
    /// A capital makes a name, as it does in most languages but German.
    pub tell: bool,
    /// Most words have one, as in headings: a capital alone says nothing.
    pub everywhere: bool,
}

/// A person's or thing's name has at most this many words.
const LONGEST_RUN: usize = 12;

/// Puts the names of a sentence into `spots`, which is emptied first, in the order of the text.
pub fn spots(text: &str, tokens: &[Token], capitals: Capitals, spots: &mut Vec<Spot>) {
    spots.clear();
    let run = Run { text, tokens, capitals };
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.kind == Kind::Handle {
            spots.push(Spot::new(at, at + 1, Guess::Person, 0.6));
            at += 1;
        } else if token.is_capital() || run.is_known_small(at) {
            let end = run.end(at);
            run.read(at, end, spots);
            at = end;
        } else {
            at += 1;
        }
    }
}

pub(super) struct Run<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) capitals: Capitals,
}

impl Run<'_> {
    pub(super) fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    pub(super) fn is(&self, at: usize, traits: Traits) -> bool {
        self.token(at).is_some_and(|token| token.is(traits))
    }

    pub(super) fn is_sign(&self, at: usize, sign: char) -> bool {
        self.token(at).is_some_and(|token| token.is_sign(sign))
    }

    pub(super) fn capital(&self, at: usize) -> bool {
        self.token(at).is_some_and(Token::is_capital)
    }

    pub(super) fn said(&self, at: usize) -> &str {
        self.token(at).map_or("", |token| token.of(self.text))
    }

    /// Whether a product that is written small begins here: `dbt`.
    fn is_known_small(&self, _at: usize) -> bool {
        false
    }

    /// Whether the capital of a token may come from where it stands.
    fn opens(&self, at: usize) -> bool {
        let mut before = at;
        while let Some(token) = before.checked_sub(1).and_then(|before| self.token(before)) {
            match token.kind {
                Kind::Sign(
                    '"' | '“' | '‘' | '\'' | '(' | '[' | '*' | '_' | '#' | '-' | '•' | '>' | '–' | '—' | '«',
                )
                | Kind::Number => {
                    before -= 1;
                }
                Kind::Sign(':' | '.' | '!' | '?' | '|' | ';') => return true,
                _ => return false,
            }
        }
        true
    }

    /// One past the last token of the run of capitals that begins at `start`.
    fn end(&self, start: usize) -> usize {
        let mut at = start + 1;
        let mut org = self.is(start, ORG_START | ORG_END);
        while at - start < LONGEST_RUN {
            let Some(token) = self.token(at) else { break };
            let previous = self.token(at - 1);
            if token.kind == Kind::Word && token.is_capital() {
                // `J.R.Smith` has no blank, `Acme/Beta` is two.
                if !token.spaced && !previous.is_some_and(|previous| previous.is_sign('.')) {
                    break;
                }
                let form = token.is(LEGAL_FORM) && token.shape.capitals;
                let named = token.shape.initial || token.is(GIVEN | PARTICLE) || form;
                if token.is(GRAMMAR) && !named {
                    break;
                }
                org |= token.is(ORG_START | ORG_END);
                at += 1;
            } else if token.is_sign('.') && !token.spaced && self.is_dotted(at - 1) && self.goes_on(at + 1) {
                at += 1;
            } else if token.is_sign('&') && self.capital(at + 1) && token.spaced {
                at += 2;
            } else if token.kind == Kind::Possessive && self.owns_org(at + 1) {
                at += 2;
                org = true;
            } else if token.kind == Kind::Word && token.is(PARTICLE) && at > start && self.particles(at).is_some() {
                at = self.particles(at).unwrap_or(at + 1);
            } else if (org && self.joins(at)) || self.and_org(at) {
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

    /// Whether words with capitals follow that end as an organisation's name does: `People's Liberation Army`.
    fn owns_org(&self, at: usize) -> bool {
        (at..at + 3).take_while(|next| self.capital(*next)).any(|next| self.is(next, ORG_END))
            && !self.is(at, ROLE_HEAD)
    }

    /// Whether a dot after this token belongs to it: an initial, `Dr`, `St`.
    pub(super) fn is_dotted(&self, at: usize) -> bool {
        self.token(at).is_some_and(|token| {
            token.shape.initial || token.is(TITLE) || matches!(token.of(self.text), "St" | "Mt" | "Ft")
        })
    }

    fn goes_on(&self, at: usize) -> bool {
        self.capital(at) || (self.is(at, PARTICLE) && self.particles(at).is_some())
    }

    /// One past the particles that begin at `at`, if a capital follows them: `van der`.
    fn particles(&self, at: usize) -> Option<usize> {
        let mut next = at;
        while next < at + 3 && self.token(next).is_some_and(|token| token.is(PARTICLE) && !token.is_capital()) {
            next += 1;
        }
        // `of`-like particles of other languages stand in prose too, so only between capitals.
        (next > at
            && self.capital(next)
            && self.token(at).is_some_and(|token| !matches!(token.of(self.text), "e" | "y" | "a")))
        .then_some(next)
    }

    /// Whether a small word joins two parts of an organisation's name: `Department of Health and Safety`.
    fn joins(&self, at: usize) -> bool {
        match self.said(at) {
            "of" | "for" | "für" | "de" | "del" | "du" | "des" | "della" | "der" => {
                let joined_before = at >= 2 && matches!(self.said(at - 2), "of" | "for" | "für" | "de");
                (self.is(at - 1, ORG_START | ORG_END) || joined_before)
                    && (self.capital(at + 1)
                        || (matches!(self.said(at + 1), "the" | "la" | "l'" | "der" | "den") && self.capital(at + 2)))
            }
            // `Ministry of Health and Care`, but not `Harbour Board and Alice Chen`.
            "and" | "und" | "et" | "y" => {
                self.capital(at + 1)
                    && !self.is(at + 1, GIVEN)
                    && self.is(at + 1, COMMON)
                    && !self.is(at - 1, ORG_END)
                    && self.is(at - 1, COMMON)
            }
            _ => false,
        }
    }

    /// `Securities and Exchange Commission`: what ends an organisation's name follows the word after `and`.
    fn and_org(&self, at: usize) -> bool {
        self.said(at) == "and"
            && self
                .token(at - 1)
                .is_some_and(|token| token.is_capital() && token.is(COMMON) && !token.is(ORG_END | GIVEN))
            && self.token(at + 1).is_some_and(|token| token.is_capital() && token.is(COMMON) && !token.is(GIVEN))
            && self.capital(at + 2)
            && self.is(at + 2, ORG_END)
    }

    /// Finds the names in a run.
    fn read(&self, start: usize, end: usize, spots: &mut Vec<Spot>) {
        let (mut start, mut end) = (start, end);
        // Words that no name begins or ends with.
        let opening = self.opens(start);
        while start < end && self.cannot_begin(start, end, start == end - 1) {
            start += 1;
        }
        while end > start && self.cannot_end(end - 1) {
            end -= 1;
        }
        if start >= end {
            return;
        }
        // A day or a people within splits the run: `Monday Alice`, `Alice Chen Tuesday`.
        if let Some(cut) =
            (start..end).find(|at| self.is(*at, WEEKDAY | MONTH) && !self.is(*at, GIVEN) && self.said(*at).len() > 3)
        {
            self.read(start, cut, spots);
            self.read(cut + 1, end, spots);
            return;
        }
        let opening = opening || self.opens(start);
        let before = spots.len();
        self.decide(start, end, opening, spots);
        for spot in spots.iter_mut().skip(before) {
            spot.opening = opening && spot.first == start;
        }
    }

    fn cannot_begin(&self, at: usize, end: usize, alone: bool) -> bool {
        let Some(token) = self.token(at) else { return true };
        if token.kind != Kind::Word {
            return true;
        }
        if token.shape.initial {
            // `A` and `I` are words, `A. Chen` is a name.
            return !self.is_sign(at + 1, '.') && token.is(GRAMMAR);
        }
        // A family name may look like a word of grammar in another language, but not at the beginning.
        if token.is(GRAMMAR) && !token.is(GIVEN) {
            // `The Guardian` and the like are known with their article.
            return self.known(at, end).is_none_or(|(_, last)| last != end);
        }
        if token.is(GRAMMAR) {
            return alone || !self.capital(at + 1);
        }
        let label = token.is(LABEL)
            && !(end - at > 2 && self.is(end - 1, LEGAL_FORM))
            && !token.is(GIVEN | PROJECT_WORD | ORG_START | ORG_END | ROLE_HEAD | ROLE_WORD);
        label
            || (token.is(NO_NAME)
                && !token.is(GIVEN)
                && self.known(at, end).is_none()
                && !(self.ends_org(end) && end - at > 1))
    }

    pub(super) fn ends_org(&self, end: usize) -> bool {
        end.checked_sub(1).is_some_and(|last| self.is(last, ORG_END | LEGAL_FORM))
    }

    fn cannot_end(&self, at: usize) -> bool {
        let Some(token) = self.token(at) else { return true };
        match token.kind {
            Kind::Word => {
                (token.is(GRAMMAR) && !token.shape.capital && !token.shape.initial)
                    || (token.is(PARTICLE) && !token.shape.capital)
                    || (token.is(LABEL)
                        && !token.is(GIVEN | ORG_END | LEGAL_FORM | PROJECT_WORD | ROLE_HEAD | PLACE_END)
                        && at > 0)
            }
            Kind::Sign('.') => !self.is_dotted(at - 1),
            _ => true,
        }
    }

    /// What the gazetteers know of a phrase that begins here and ends by `end`.
    pub(super) fn known(&self, at: usize, end: usize) -> Option<(Known, usize)> {
        let first = self.token(at)?;
        LEXICON.phrases(first.word).iter().find_map(|(rest, known)| {
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
