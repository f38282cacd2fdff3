//! Names of people: what is a title, a given name, a family name in them, and how far two names agree.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::name_words::{Likeness, NameWord, is_common, is_given, to_plain_letters};

/// More words of a name than this are not looked at.
const MOST_WORDS: usize = 8;

#[derive(Deserialize)]
struct PersonWordLists {
    titles: String,
    letters: String,
    generations: HashMap<String, String>,
    particles: String,
    perhaps: String,
    unknown: String,
    capital_prefixes: String,
    role_fillers: String,
}

static LISTS: LazyLock<Option<PersonWordLists>> =
    LazyLock::new(|| toml::from_str(include_str!("../../data/judge/names.toml")).ok());

fn words_of(list: fn(&PersonWordLists) -> &String) -> HashSet<&'static str> {
    LISTS.as_ref().map(|lists| list(lists).split_whitespace().collect()).unwrap_or_default()
}

static TITLES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.titles));
static LETTERS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.letters));
static PARTICLES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.particles));
static PERHAPS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.perhaps));
/// Begin a family name that has a second capital, as they are written.
static CAPITAL_PREFIXES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.capital_prefixes));
static ROLE_FILLERS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.role_fillers));
static UNKNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words_of(|lists| &lists.unknown));

/// Whether a word of a role says nothing of it: `of`. The little words of a language are too many: `IT` is one.
pub fn is_role_filler(word: &str) -> bool {
    ROLE_FILLERS.contains(word)
}

/// Name of a person, split into its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonName {
    /// Given names first, family name last, without particles.
    pub words: Vec<NameWord>,
    /// Index of the first word of the family name, if there is one.
    pub family: Option<usize>,
    /// Generation suffix in its normal form: `jr`, `sr`, `2` …
    pub generation: Option<String>,
    /// True if a comma shows which part is the family name.
    pub certain: bool,
    /// All letters of the name without spaces.
    pub joined: String,
}

/// A piece of a name between spaces, as it stood and plainly.
struct NamePiece {
    plain: String,
    after_comma: bool,
    capitals: bool,
    /// Belongs to the word before it, by a hyphen.
    tied: bool,
    /// A small word of a family name.
    particle: bool,
}

impl PersonName {
    /// Read from a name of any form; never fails, at worst there are no words.
    pub fn read(name: &str) -> Self {
        let mut generation = None;
        let mut pieces = split_pieces(name);
        let generations = LISTS.as_ref().map(|lists| &lists.generations);
        let full = |pieces: &[NamePiece]| pieces.iter().filter(|piece| !piece.particle).count();
        // What is no name goes, as long as a name is left.
        while full(&pieces) > 1 && pieces.first().is_some_and(|piece| TITLES.contains(piece.plain.as_str())) {
            pieces.remove(0);
        }
        while full(&pieces) > 1 {
            let Some(last) = pieces.last() else { break };
            if let Some(which) = generations.and_then(|known| known.get(&last.plain)) {
                generation.get_or_insert_with(|| which.clone());
            } else if !(LETTERS.contains(last.plain.as_str()) && (last.after_comma || full(&pieces) > 2)
                || last.after_comma && TITLES.contains(last.plain.as_str()))
            {
                break;
            }
            pieces.pop();
        }
        pieces.retain(|piece| !UNKNOWN.contains(piece.plain.as_str()));
        let comma = pieces.iter().position(|piece| piece.after_comma).filter(|at| *at > 0);
        let family_at = comma.map_or_else(|| last_word(&pieces), |_| 0);
        let joined = pieces.iter().map(|piece| piece.plain.as_str()).collect();
        let mixed = pieces.iter().any(|piece| !piece.capitals);
        let mut given = Vec::new();
        let mut family = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            let of_family = match comma {
                // After a comma may stand what is no part of the given name: "Bowers, Stewart V., III" is done with above.
                Some(comma) => at < comma,
                None => at >= family_at,
            };
            let words = if of_family { &mut family } else { &mut given };
            // `Ben` and `Al` are given names as well, where they stand first and alone.
            let first = at == 0 && is_given(&piece.plain) && pieces.get(1).is_some_and(|next| !next.tied);
            if piece.particle && pieces.len() > 1 && !first {
                continue;
            }
            let letters = piece.plain.chars().count();
            if mixed && piece.capitals && (2..=3).contains(&letters) && !of_family && !is_common(&piece.plain) {
                words.extend(piece.plain.chars().map(|letter| NameWord::new(letter.encode_utf8(&mut [0; 4]))));
            } else {
                words.push(NameWord::new(&piece.plain));
            }
        }
        // A name of particles only is still a name.
        if given.is_empty() && family.is_empty() {
            family.extend(pieces.iter().map(|piece| NameWord::new(&piece.plain)));
        }
        let alone = given.is_empty() && comma.is_none();
        let start = given.len();
        let mut words = given;
        words.append(&mut family);
        words.truncate(MOST_WORDS);
        let family = (!alone && start < words.len()).then_some(start);
        Self { words, family, generation, certain: comma.is_some(), joined }
    }

    /// Returns the number of words that are more than an initial.
    pub fn full_words(&self) -> usize {
        self.words.iter().filter(|word| !word.is_initial()).count()
    }

    /// Returns true if both given name and family name are written out.
    pub fn is_full(&self) -> bool {
        let family = self.family.and_then(|at| self.words.get(at));
        family.is_some_and(|word| !word.is_initial()) && self.words.first().is_some_and(|word| !word.is_initial())
    }

    /// Returns true if very many people share the family name.
    pub fn is_common(&self) -> bool {
        self.family.and_then(|at| self.words.get(at)).is_some_and(|word| is_common(&word.text))
    }

    /// Returns true if the name contains a listed given name.
    pub fn has_given(&self) -> bool {
        self.words.len() > 1 && self.words.iter().any(|word| is_given(&word.text))
    }
}

/// Returns the start of the last word, including the parts joined to it by hyphens.
fn last_word(pieces: &[NamePiece]) -> usize {
    let named = pieces.iter().rposition(|piece| !piece.particle);
    let mut at = named.unwrap_or_default();
    while at > 0 && pieces.get(at).is_some_and(|piece| piece.tied) {
        at -= 1;
    }
    at
}

fn split_pieces(name: &str) -> Vec<NamePiece> {
    let mut pieces: Vec<NamePiece> = Vec::new();
    let mut raw = String::new();
    let (mut comma, mut tied) = (false, false);
    let mut close = |raw: &mut String, comma: &mut bool, tied: bool| {
        if raw.is_empty() {
            return;
        }
        for (part, raw) in split_camel_case(raw).into_iter().enumerate() {
            let plain = to_plain_letters(raw);
            if !plain.is_empty() {
                let capitals = raw.chars().all(char::is_uppercase);
                let particle = PARTICLES.contains(plain.as_str()) || PERHAPS.contains(plain.as_str());
                pieces.push(NamePiece { plain, after_comma: *comma, capitals, tied: tied && part == 0, particle });
            }
        }
        raw.clear();
        *comma = false;
    };
    let mut inner = 0_usize;
    for letter in name.chars().take(super::LONGEST_NAME) {
        match letter {
            // What stands in brackets is a remark.
            '(' | '[' => inner += 1,
            ')' | ']' => inner = inner.saturating_sub(1),
            _ if inner > 0 => {}
            '\'' | '’' | '‘' | '`' | 'ʼ' | '"' | '“' | '”' => {}
            '-' | '‐' | '‑' | '–' => {
                close(&mut raw, &mut comma, tied);
                tied = true;
            }
            ',' => {
                close(&mut raw, &mut comma, tied);
                (comma, tied) = (true, false);
            }
            letter if letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter) => {
                raw.push(letter);
            }
            '.' => {
                close(&mut raw, &mut comma, tied);
                tied = false;
            }
            _ => {
                if !raw.is_empty() {
                    close(&mut raw, &mut comma, tied);
                }
                tied = false;
            }
        }
    }
    close(&mut raw, &mut comma, tied);
    if let [one, other] = pieces.as_mut_slice() {
        for piece in [one, other] {
            piece.particle &= PARTICLES.contains(piece.plain.as_str()) || name.contains(piece.plain.as_str());
        }
    }
    pieces
}

/// The words of one that was written without gaps: `AlisherUsmanov`, but not `McDonald`.
fn split_camel_case(raw: &str) -> Vec<&str> {
    let mut before: Option<(char, char)> = None;
    let mut start = 0;
    let mut parts = Vec::new();
    for (at, letter) in raw.char_indices() {
        if letter.is_uppercase() && at - start >= 3 && before.is_some_and(|(_, last)| last.is_lowercase()) {
            let head = raw.get(start..at).unwrap_or_default();
            if !CAPITAL_PREFIXES.contains(head) {
                parts.push(head);
                start = at;
            }
        }
        before = Some((before.map_or(' ', |(_, last)| last), letter));
    }
    parts.push(raw.get(start..).unwrap_or(raw));
    parts
}

/// Degree to which two names of people agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersonAgreement {
    /// Agreement of the family names.
    pub family: PartAgreement,
    /// Agreement of the first given names.
    pub given: PartAgreement,
    /// Agreement of the middle names.
    pub middle: PartAgreement,
    /// The words stand in another order, and no comma says why.
    pub swapped: bool,
    /// Both say which of that name they are, and not the same.
    pub generation_apart: bool,
    /// Number of written-out words that are the same.
    pub shared: usize,
    /// True if both names have exactly the same letters.
    pub identical: bool,
}

/// Degree to which one part of two names agrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartAgreement {
    Equal,
    /// Forms of one given name, or ways to write one name.
    Form,
    /// Alike but for a slip of the pen.
    Close,
    /// One is the first letter of the other.
    Initial,
    /// It is there, but as another part of the name.
    Moved,
    /// Part that one of the names lacks.
    Missing,
    /// Two different names for this part.
    Apart,
}

impl From<Likeness> for PartAgreement {
    fn from(likeness: Likeness) -> Self {
        match likeness {
            Likeness::Equal => Self::Equal,
            Likeness::Form | Likeness::Sound => Self::Form,
            Likeness::Typo => Self::Close,
            Likeness::Initial => Self::Initial,
            Likeness::Apart => Self::Apart,
        }
    }
}

/// Compares two names; the order of the arguments does not matter.
pub fn compare_names(a: &PersonName, b: &PersonName) -> PersonAgreement {
    let generation_apart = matches!((&a.generation, &b.generation), (Some(one), Some(other)) if one != other);
    if !a.joined.is_empty() && a.joined == b.joined && a.words.len().min(b.words.len()) > 0 {
        let full = a.full_words().max(b.full_words());
        let missing = a.family.is_none() && b.family.is_none();
        let family_initial = [a, b].iter().all(|name| !name.is_full()) && !missing;
        let identical = a.words == b.words;
        return PersonAgreement {
            family: if missing {
                PartAgreement::Missing
            } else if family_initial && full == 0 {
                PartAgreement::Initial
            } else {
                PartAgreement::Equal
            },
            given: if family_initial { PartAgreement::Initial } else { PartAgreement::Equal },
            middle: PartAgreement::Missing,
            swapped: false,
            generation_apart,
            shared: full,
            identical,
        };
    }
    let (one, other) = (join_split_words(a, b), join_split_words(b, a));
    let pairs = pair_words(&one, &other);
    let of = |at: usize| pairs.iter().find(|(i, _, _)| *i == at).map(|(_, j, likeness)| (*j, *likeness));
    let to = |at: usize| pairs.iter().find(|(_, j, _)| *j == at).map(|(i, _, likeness)| (*i, *likeness));
    let shared = pairs.iter().filter(|(.., likeness)| *likeness < Likeness::Initial).count();
    let (mut family, mut given, mut swapped) = (PartAgreement::Missing, PartAgreement::Missing, false);
    let first = |name: &PersonName| (name.family != Some(0) && !name.words.is_empty()).then_some(0);
    if let (Some(fa), Some(fb)) = (one.family, other.family) {
        // The last word of a family name decides; of a double one either does.
        let within = |name: &PersonName, at: usize| name.family.is_some_and(|start| at >= start);
        let direct = pairs.iter().filter(|(i, j, _)| within(&one, *i) && within(&other, *j));
        let own_a = (fa..one.words.len()).any(|at| of(at).is_none());
        let own_b = (fb..other.words.len()).any(|at| to(at).is_none());
        family = match direct.map(|(.., likeness)| *likeness).min() {
            // Two double names that share a half are two names.
            Some(_) if own_a && own_b => PartAgreement::Apart,
            Some(likeness) => likeness.into(),
            None => match (of(fa), to(fb)) {
                (Some((_, Likeness::Initial)), _) | (_, Some((_, Likeness::Initial))) => PartAgreement::Apart,
                (Some(_), Some(_)) => {
                    swapped = true;
                    PartAgreement::Equal
                }
                (Some(_), None) | (None, Some(_)) => PartAgreement::Moved,
                (None, None) => PartAgreement::Apart,
            },
        };
        if let (Some(ga), Some(gb)) = (first(&one), first(&other)) {
            given = match (of(ga), to(gb)) {
                (Some((at, likeness)), _) if at == gb => likeness.into(),
                (Some(_), Some(_)) if swapped => PartAgreement::Equal,
                (Some((_, likeness)), _) | (_, Some((_, likeness))) if likeness < Likeness::Initial => {
                    PartAgreement::Moved
                }
                (Some(_), _) | (_, Some(_)) => PartAgreement::Initial,
                (None, None) => PartAgreement::Apart,
            };
        }
        if swapped {
            // Of two words in turned order the worse likeness counts.
            let worst = pairs.iter().map(|(.., likeness)| *likeness).max().unwrap_or(Likeness::Apart);
            given = if worst == Likeness::Equal { given } else { worst.into() };
            // A comma tells which is which, and of two given names each may be either; turned, those are two names.
            let given_names = |name: &PersonName| name.words.iter().all(|word| is_given(&word.text));
            if one.certain && other.certain {
                (family, given) = (PartAgreement::Apart, PartAgreement::Apart);
            } else if given_names(&one) && given_names(&other) {
                (family, given) = (PartAgreement::Moved, PartAgreement::Moved);
            }
        }
    } else {
        // One of them is a single word.
        let (alone, whole) = if one.family.is_none() { (&one, &other) } else { (&other, &one) };
        let hit = pairs.first().map(|(i, j, likeness)| (if one.family.is_none() { *j } else { *i }, *likeness));
        match hit {
            Some((at, likeness)) if whole.family.is_some_and(|start| at >= start) => family = likeness.into(),
            Some((0, likeness)) => given = likeness.into(),
            Some((_, likeness)) if alone.words.len() == 1 => {
                given = if likeness == Likeness::Initial { PartAgreement::Initial } else { PartAgreement::Moved };
            }
            _ => (family, given) = (PartAgreement::Apart, PartAgreement::Apart),
        }
    }
    let left = |name: &PersonName, taken: &dyn Fn(usize) -> bool| {
        let inner = 1..name.family.unwrap_or(name.words.len());
        inner.filter(|at| !taken(*at)).count()
    };
    let (rest_a, rest_b) = (left(&one, &|at| of(at).is_some()), left(&other, &|at| to(at).is_some()));
    let inner = |at: usize, name: &PersonName| at > 0 && name.family.is_some_and(|start| at < start);
    let met = pairs.iter().filter(|(i, j, _)| inner(*i, &one) && inner(*j, &other)).map(|(.., likeness)| *likeness);
    let middle = match (rest_a, rest_b) {
        (1.., 1..) => PartAgreement::Apart,
        _ => met.min().map_or(PartAgreement::Missing, PartAgreement::from),
    };
    PersonAgreement { family, given, middle, swapped, generation_apart, shared, identical: one.words == other.words }
}

/// The name with two neighbours made one where the other name writes them as one: `Patr ushev`, `Jan Daniel`.
fn join_split_words(name: &PersonName, other: &PersonName) -> PersonName {
    let mut name = name.clone();
    let mut at = 0;
    while at + 1 < name.words.len() {
        let both = match (name.words.get(at), name.words.get(at + 1)) {
            (Some(one), Some(next)) if one.len() + next.len() >= 4 => format!("{}{}", one.text, next.text),
            _ => String::new(),
        };
        if !both.is_empty() && other.words.iter().any(|word| word.text == both) {
            name.words.splice(at..at + 2, [NameWord::new(&both)]);
            name.family = name.family.map(|start| if start > at { start - 1 } else { start });
            if name.words.len() == 1 {
                name.family = None;
            }
        }
        at += 1;
    }
    name
}

/// Pairs the words of two names, closest first. Each word is used once, and neighbours stay in order if possible.
fn pair_words(a: &PersonName, b: &PersonName) -> Vec<(usize, usize, Likeness)> {
    let mut all = Vec::with_capacity(a.words.len() * b.words.len());
    for (i, x) in a.words.iter().enumerate() {
        for (j, y) in b.words.iter().enumerate() {
            let family = |name: &PersonName, at: usize| name.family.is_some_and(|start| at >= start);
            let likeness = x.likeness_to(y, !(family(a, i) && family(b, j)));
            if likeness == Likeness::Apart {
                continue;
            }
            // A family name is hardly ever the first letter of a given name's word.
            let across = family(a, i) != family(b, j);
            if likeness == Likeness::Initial && across {
                continue;
            }
            all.push((likeness, across, i.abs_diff(j), i, j));
        }
    }
    all.sort_unstable();
    let (mut taken_a, mut taken_b) = ([false; MOST_WORDS], [false; MOST_WORDS]);
    let mut pairs = Vec::new();
    for (likeness, _, _, i, j) in all {
        if let (Some(x @ false), Some(y @ false)) = (taken_a.get_mut(i), taken_b.get_mut(j)) {
            (*x, *y) = (true, true);
            pairs.push((i, j, likeness));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_can_be_read() {
        assert!(LISTS.is_some() && TITLES.contains("dr") && PARTICLES.contains("van"));
    }
}
