//! Where a text denies something.
//!
//! A form of two words is one negation (`ne … pas`, `weder … noch`, `no … nunca`), and phrases such as `not only` or
//! `sin embargo` are none. Which word is denied is only a hint: the words are known, the grammar is not.

use std::ops::Range;

use crate::{
    Language, Lexicon,
    lexicon::{NegationPair, SENTENCE_WORDS},
    words::{TokenKind, TokenizedText},
};

/// How a negation is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegationKind {
    /// By a word that only denies: `not`, `kein`, `never`.
    Direct,
    /// By what another word means: `without`, `failed`.
    Implicit,
}

/// A place at which a text denies something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negation {
    /// The tokens that deny, those of the first word of a double form.
    pub tokens: Range<usize>,
    /// The token of the second word of a double form: `pas`.
    pub partner: Option<usize>,
    /// How it is put.
    pub kind: NegationKind,
    /// The token that is most likely denied: the next word that says something, else the last one before.
    pub scope: Option<usize>,
}

/// How far apart the two words of a double form may stand, in tokens.
const PAIR_WITHIN: usize = 10;
/// How far what is denied may stand from what denies it, in tokens.
const SCOPE_WITHIN: usize = 8;

/// The negations of a text, in order.
pub fn negations(text: &TokenizedText<'_>) -> Vec<Negation> {
    let lexicon = Lexicon::of(text.language);
    let words = &lexicon.negation;
    let excepted = excepted_tokens(text, lexicon);
    let mut taken = vec![false; text.tokens.len()];
    let mut found: Vec<Negation> = Vec::new();
    let mut place = 0;
    while place < text.tokens.len() {
        let direct = words.phrases.longest_at(&text.lower, place).map(|(length, ())| (length, NegationKind::Direct));
        let implicit =
            || words.implicit.longest_at(&text.lower, place).map(|(length, ())| (length, NegationKind::Implicit));
        let Some((length, kind)) = direct.or_else(implicit) else {
            place += 1;
            continue;
        };
        let tokens = place..place + length;
        place = tokens.end;
        if taken[tokens.start] || excepted[tokens.start] || is_numbering(text, tokens.start) {
            continue;
        }
        let second = second_word(text, tokens.clone(), &mut taken);
        if second.is_some_and(|(at, is_restriction)| is_restriction || excepted[at]) {
            continue;
        }
        let partner = second.map(|(at, _)| at);
        if partner.is_none() && is_expletive(text, tokens.start) {
            continue;
        }
        if partner.is_none() && follows_its_partner(text, &found, tokens.start) {
            continue;
        }
        let scope = scope_of(text, lexicon, tokens.clone(), partner);
        found.push(Negation { tokens, partner, kind, scope });
    }
    found
}

/// Whether a text denies anything.
pub fn is_negated(text: &str, language: Language) -> bool {
    !negations(&TokenizedText::new(text, language)).is_empty()
}

/// What is left of a word in lower case without a beginning that denies: `able` of `unable`. The caller knows whether
/// that is a word; the longest beginning is cut first.
pub fn without_negating_prefix(word: &str, language: Language) -> impl Iterator<Item = &str> {
    const SHORTEST_REST: usize = 4;
    let prefixes = &Lexicon::of(language).negation.prefixes;
    let rests = prefixes.iter().filter_map(move |prefix| word.strip_prefix(prefix.as_str()));
    rests.map(|rest| rest.trim_start_matches('-')).filter(|rest| rest.chars().count() >= SHORTEST_REST)
}

/// Which tokens stand in a phrase that denies nothing.
fn excepted_tokens(text: &TokenizedText<'_>, lexicon: &Lexicon) -> Vec<bool> {
    let mut excepted = vec![false; text.tokens.len()];
    for place in 0..excepted.len() {
        if let Some((length, ())) = lexicon.negation.exceptions.longest_at(&text.lower, place) {
            excepted[place..place + length].fill(true);
        }
    }
    excepted
}

/// Whether a word is short for "number": `No. 5`.
fn is_numbering(text: &TokenizedText<'_>, place: usize) -> bool {
    let word = text.tokens[place].of(text.text);
    let is_short = SENTENCE_WORDS.before_number_exactly.iter().any(|known| known.eq_ignore_ascii_case(word));
    let kind = |place: usize| text.tokens.get(place).map(|token| token.kind);
    let is_written_so = SENTENCE_WORDS.before_number_exactly.contains(word);
    let dotted = matches!(text.lower_at(place + 1), "." | "°" | "º") && kind(place + 2) == Some(TokenKind::Number);
    is_short && (dotted || is_written_so && kind(place + 1) == Some(TokenKind::Number))
}

fn ends_sentence(word: &str) -> bool {
    matches!(word, "." | "!" | "?" | ";" | "…" | "。" | "！" | "？")
}

/// The second word of a double form, and whether the two only restrict. Marks every further one as taken.
fn second_word(text: &TokenizedText<'_>, tokens: Range<usize>, taken: &mut [bool]) -> Option<(usize, bool)> {
    let first = text.lower_at(tokens.end - 1);
    let pairs = &Lexicon::of(text.language).negation.pairs;
    let pairs: Vec<&NegationPair> = pairs.iter().filter(|pair| pair.first.contains(first)).collect();
    if pairs.is_empty() {
        return None;
    }
    let mut second = None;
    for (place, is_taken) in taken.iter_mut().enumerate().skip(tokens.end).take(PAIR_WITHIN) {
        let word = text.lower_at(place);
        if ends_sentence(word) {
            break;
        }
        let Some(pair) = pairs.iter().find(|pair| pair.then.contains(word)) else { continue };
        if second.is_none() {
            second = Some((place, pair.is_restriction));
        }
        *is_taken |= !pair.is_restriction;
    }
    second
}

/// Whether a word that denies elsewhere belongs to a construction before it: `avant qu'il ne parte`.
fn is_expletive(text: &TokenizedText<'_>, place: usize) -> bool {
    let words = &Lexicon::of(text.language).negation;
    if !words.expletive.contains(text.lower_at(place)) {
        return false;
    }
    let from = place.saturating_sub(PAIR_WITHIN);
    let from = (from..place).rev().find(|&at| ends_sentence(text.lower_at(at))).map_or(from, |at| at + 1);
    words.expletive_after.is_in(&text.lower[from..place])
}

/// Whether the other half of a double form has been found shortly before: `Aucun n'est venu`.
fn follows_its_partner(text: &TokenizedText<'_>, found: &[Negation], place: usize) -> bool {
    const WITHIN: usize = 5;
    let Some(before) = found.last().filter(|before| before.partner.is_none()) else { return false };
    let gap = before.tokens.end..place;
    let (earlier, word) = (text.lower_at(before.tokens.start), text.lower_at(place));
    gap.len() < WITHIN
        && !gap.into_iter().any(|at| ends_sentence(text.lower_at(at)))
        && Lexicon::of(text.language).negation.pairs.iter().any(|pair| {
            !pair.is_restriction
                && pair.first.contains(word)
                && pair.then.contains(earlier)
                && !pair.first.contains(earlier)
        })
}

fn scope_of(
    text: &TokenizedText<'_>,
    lexicon: &Lexicon,
    tokens: Range<usize>,
    partner: Option<usize>,
) -> Option<usize> {
    let says_something = |place: &usize| {
        let word = text.lower_at(*place);
        matches!(text.tokens[*place].kind, TokenKind::Word | TokenKind::Number)
            && !lexicon.is_little(word)
            && !lexicon.auxiliaries.contains(word)
            && !lexicon.is_negation(word)
    };
    let within = |place: &usize| !ends_sentence(text.lower_at(*place));
    let between = partner.and_then(|partner| (tokens.end..partner).find(says_something));
    let after = || (tokens.end..text.tokens.len()).take(SCOPE_WITHIN).take_while(within).find(says_something);
    let before = || (0..tokens.start).rev().take(SCOPE_WITHIN).take_while(within).find(says_something);
    between.or_else(after).or_else(before)
}
