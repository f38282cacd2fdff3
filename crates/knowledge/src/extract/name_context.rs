//! What the rest of a sentence says against a name: titles of works in quotation marks, references in brackets, code,
//! versions, and words written large only because the whole line is.
//!
//! A name that is doubted stays where it is, as one of an unknown kind: another sentence of the text may still tell.

use std::ops::Range;

use super::{
    lexicon::{GazetteerType, LEXICON},
    lines,
    names::{GuessedType, NameCandidate},
    tokens::{LexiconToken, LexiconTokenKind},
    traits::*,
};

/// More words than this between quotation marks are speech, not a title.
const LONGEST_TITLE: usize = 8;
/// The score of a name that its sentence speaks against.
const DOUBTED: f32 = 0.2;

/// Doubts the names of a sentence that what stands around them makes something else.
pub fn doubt_names(text: &str, tokens: &[LexiconToken], spots: &mut [NameCandidate]) {
    let quoted = quoted_titles(tokens);
    let shouts = is_shouted(tokens);
    for spot in spots.iter_mut().filter(|spot| matches!(spot.guess, GuessedType::Person | GuessedType::Org)) {
        let around = NameSurroundings { text, tokens, spot };
        let (namesake, versioned) = (around.is_namesake() || around.is_defined_term(), around.has_version());
        if around.is_work_title(&quoted)
            || around.is_cited()
            || around.touches_code()
            || around.is_plain_word()
            || (shouts && around.is_large_by_line())
            || around.is_part_of_large()
        {
            (spot.guess, spot.score) = (GuessedType::Unknown, DOUBTED);
        } else if namesake {
            // Another mention without the noun is the same thing, unless the person is named more than once.
            (spot.guess, spot.score) = (GuessedType::Object, 0.92);
        } else if versioned {
            (spot.guess, spot.score) = (GuessedType::Object, 0.5);
        }
    }
}

struct NameSurroundings<'a> {
    text: &'a str,
    tokens: &'a [LexiconToken],
    spot: &'a NameCandidate,
}

impl NameSurroundings<'_> {
    fn token(&self, at: usize) -> Option<&LexiconToken> {
        self.tokens.get(at)
    }

    fn before(&self) -> Option<&LexiconToken> {
        self.token(self.spot.first.checked_sub(1)?)
    }

    fn after(&self) -> Option<&LexiconToken> {
        self.token(self.spot.last)
    }

    fn named(&self) -> &[LexiconToken] {
        self.tokens.get(self.spot.first..self.spot.last).unwrap_or_default()
    }

    fn is_person(&self) -> bool {
        self.spot.guess == GuessedType::Person
    }

    /// `“Annie Hall”`, `“Hannah and Her Sisters”`: a person in the title of a work. An organisation that fills the
    /// quotation marks may be a paper's name.
    fn is_work_title(&self, quoted: &[Range<usize>]) -> bool {
        // They are in the order of the sentence and do not overlap.
        let last = quoted.partition_point(|title| title.start < self.spot.first).checked_sub(1);
        last.and_then(|last| quoted.get(last)).is_some_and(|title| {
            let fills = title.start + 1 == self.spot.first && self.spot.last == title.end;
            self.spot.last <= title.end && !self.spot.titled && (self.is_person() || !fills)
        })
    }

    /// `(Chen & Li, 2011)`: two authors, not a firm.
    fn is_cited(&self) -> bool {
        let is_year = |at: usize| {
            self.token(at).is_some_and(|token| {
                let said = token.text_in(self.text);
                token.kind == LexiconTokenKind::Number
                    && said.len() >= 4
                    && matches!(said.as_bytes(), [b'1' | b'2', ..])
            })
        };
        let last = self.spot.last;
        let in_brackets = self.after().is_some_and(|next| next.is_sign(',') || next.is_sign('('));
        !self.is_person() && self.named().iter().any(|token| token.is_sign('&')) && in_brackets && is_year(last + 1)
    }

    /// `` `Helgrind` ``, `user=Alice`, `Foo::Bar`.
    fn touches_code(&self) -> bool {
        let sign = |token: Option<&LexiconToken>| {
            token.is_some_and(|token| {
                matches!(token.kind, LexiconTokenKind::Sign('`' | '=' | '\\' | '$' | '{' | '}' | '~'))
            })
        };
        let double_colon = self.after().is_some_and(|next| next.is_sign(':'))
            && self.token(self.spot.last + 1).is_some_and(|next| next.is_sign(':') && !next.spaced);
        let touches_before = sign(self.before()) && self.named().first().is_some_and(|first| !first.spaced);
        let touches_after = sign(self.after()) && self.after().is_some_and(|next| !next.spaced);
        touches_before || touches_after || double_colon
    }

    /// `Helgrind 3.2`: what has versions is no person. A given name before a number is left to the date rules.
    fn has_version(&self) -> bool {
        let known = self.named().iter().any(|token| token.has_trait(GIVEN | FAMILY));
        self.is_person()
            && !known
            && !self.spot.titled
            && self.after().is_some_and(|next| {
                let said = next.text_in(self.text);
                next.spaced && next.kind == LexiconTokenKind::Number && said.contains('.') && !said.ends_with('.')
            })
    }

    /// `Walter Reed hospital`: something that is named after a person.
    fn is_namesake(&self) -> bool {
        let the = self.before().is_some_and(|before| before.has_trait(THE));
        let after = NAMED_AFTER | if the { OBJECT_WORD } else { 0 };
        self.is_person()
            && self.named().len() > 1
            && self.after().is_some_and(|next| next.spaced && !next.shape.capital && next.has_trait(after))
    }

    /// `convolutional neural networks (CNNs)`: letters that the text explains by words without capitals are no firm's.
    fn is_defined_term(&self) -> bool {
        let ([word], Some(open)) = (self.named(), self.spot.first.checked_sub(1)) else { return false };
        let bracketed = self.before().is_some_and(|before| before.is_sign('('))
            && self.after().is_some_and(|after| after.is_sign(')'));
        let letters = word.text_in(self.text).trim_end_matches('s');
        let count = letters.chars().count();
        let Some(first) = open.checked_sub(count).filter(|_| bracketed && count >= 2) else { return false };
        let words = self.tokens.get(first..open).unwrap_or_default();
        words.iter().zip(letters.chars()).all(|(word, letter)| {
            word.kind == LexiconTokenKind::Word
                && !word.shape.capital
                && word.text_in(self.text).chars().next().is_some_and(|first| first.eq_ignore_ascii_case(&letter))
        })
    }

    /// A common word, or letters that are all large, as the whole name of a person.
    fn is_plain_word(&self) -> bool {
        let [word] = self.named() else { return false };
        let known = self.spot.titled || word.kind != LexiconTokenKind::Word;
        let plain = word.has_trait(COMMON) && !word.has_trait(GIVEN | FAMILY);
        self.is_person() && !known && (word.shape.capitals || plain)
    }

    /// `MIHALA LÁSZLÓ ATTILA`: of names in large letters the first word was left out, so that the rest is only a part.
    fn is_part_of_large(&self) -> bool {
        let large = |token: &LexiconToken| token.kind == LexiconTokenKind::Word && token.shape.capitals;
        let known = |token: &LexiconToken| token.has_trait(ROLE_HEAD | ROLE_WORD | TITLE | GRAMMAR | IN_PHRASE);
        self.is_person()
            && self.named().len() > 1
            && self.named().first().is_some_and(large)
            && self.before().is_some_and(|before| large(before) && !known(before))
    }

    /// In a line of large letters only what a list knows is a name: `OLDER NEWS` is none.
    fn is_large_by_line(&self) -> bool {
        let Some(first) = self.named().first() else { return false };
        let known = |wanted: GazetteerType| {
            LEXICON.phrases_starting_with(first.word).iter().any(|(rest, known)| {
                *known == wanted
                    && rest.len() + 1 == self.named().len()
                    && rest.iter().zip(self.named().iter().skip(1)).all(|(word, token)| *word == token.word)
            })
        };
        if self.is_person() {
            let given = first.has_trait(GIVEN) && !first.has_trait(COMMON);
            let family = self.named().last().is_some_and(|last| !last.has_trait(COMMON) || last.has_trait(FAMILY));
            !(given && family && self.named().len() > 1)
        } else {
            let form = self.named().last().is_some_and(|last| last.has_trait(LEGAL_FORM));
            let institution =
                self.named().iter().any(|token| token.has_trait(ORG_END) && !token.has_trait(WEAK_ORG_END));
            let own = self.named().iter().any(|token| !token.has_trait(COMMON | GRAMMAR | ORG_END | ORG_START | LABEL));
            !(form || known(GazetteerType::Org) || (institution && own))
        }
    }
}

/// Returns true if all longer words of a line of two words or more are in large letters.
fn is_shouted(tokens: &[LexiconToken]) -> bool {
    let mut words = 0;
    tokens.iter().filter(|token| token.kind == LexiconTokenKind::Word && token.end - token.start > 2).all(|token| {
        words += 1;
        token.shape.capitals
    }) && words >= 2
}

/// The titles of works in a sentence: few words between quotation marks, all longer ones with a capital. Each range is
/// from the opening mark to the closing one.
fn quoted_titles(tokens: &[LexiconToken]) -> Vec<Range<usize>> {
    let mut titles = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (at, token) in tokens.iter().enumerate() {
        let LexiconTokenKind::Sign(sign) = token.kind else { continue };
        let closes = open.is_some_and(|(_, opened)| closing_marks(opened).contains(&sign)) && !token.spaced;
        if closes && let Some((start, _)) = open.take() {
            let said = tokens.get(start + 1..at).unwrap_or_default();
            let words = said.iter().filter(|token| token.kind == LexiconTokenKind::Word).count();
            // `“Stop.” “Alice?”`: a sentence of speech ends within the marks.
            let speech = said.iter().any(|token| matches!(token.kind, LexiconTokenKind::Sign('!' | '?' | ';' | ':')));
            if words > 0 && words <= LONGEST_TITLE && !speech && lines::capitals_everywhere(said) {
                // A comma or full stop before the closing mark is the sentence's.
                let end = at - usize::from(said.last().is_some_and(|last| last.is_sign(',') || last.is_sign('.')));
                titles.push(start..end);
            }
        } else if !closing_marks(sign).is_empty() && next_touches(tokens, at) {
            open = Some((at, sign));
        }
    }
    titles
}

/// Returns true if the token after an opening mark follows it without a blank.
fn next_touches(tokens: &[LexiconToken], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| !next.spaced)
}

/// The marks that may close what a mark opens; none for a sign that opens nothing.
const fn closing_marks(open: char) -> &'static [char] {
    match open {
        '“' => &['”', '“', '"'],
        '„' => &['“', '”', '"'],
        '‚' => &['‘', '’'],
        '«' => &['»'],
        '»' => &['«'],
        '‘' => &['’'],
        '"' => &['"'],
        _ => &[],
    }
}
