//! Reads what a person typed into a search field.
//!
//! `"a phrase"` must stand as it is, `+word` too; `-word` and `-"a phrase"` must not. Everything else is text: AND, OR,
//! parentheses, colons and asterisks have no meaning of their own. Common words are not looked for unless they are
//! quoted or there is nothing else.

use std::collections::{HashMap, HashSet};

use ibid_domain::WordQuery;

use crate::{
    atoms::{AtomKind, WordAtom, for_each_group, word_atoms},
    matcher::Matcher,
    stemming::{LanguageRules, is_common},
    words::{AnalyzerBuffers, GroupPart, position_count, with_buffers},
};

/// The forms under which one word may be indexed.
type IndexedForms = Vec<String>;

/// Maximum number of library languages in which a query word is stemmed.
pub const MOST_LANGUAGES: usize = 4;
/// Maximum number of distinct words in a query; further words are ignored.
pub const MOST_WORDS: usize = 64;
/// Maximum weight of a repeated word; a word that is typed twice counts twice.
pub const MOST_TIMES: usize = 4;
/// Maximum number of required phrases, and of excluded phrases.
pub const MOST_PHRASES: usize = 16;

/// A parsed search query: words, phrases, exclusions and the text to embed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedQuery {
    /// The words and phrases, in the forms they are indexed under.
    pub words: WordQuery,
    /// The text to compare by meaning: without operators, quotation marks, and what is excluded.
    pub meaning: String,
    /// The languages that the forms are of.
    pub(crate) languages: Vec<LanguageRules>,
    /// Words of phrases that are too common to count outside of their phrase.
    pub(crate) common: Vec<IndexedForms>,
}

/// Role of a piece of the query: optional, required or excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PieceRole {
    Any,
    Must,
    Without,
}

/// A word of the query, with its forms in each language.
struct ParsedWord {
    forms: IndexedForms,
    /// Without its case and accents but with its ending; empty for what is never common.
    bare: String,
}

/// Reads a query. `languages` are those of the library, the most frequent first; none if they are not known.
pub fn parse_query(text: &str, languages: &[&str]) -> ParsedQuery {
    let mut query = ParsedQuery::default();
    let codes: Vec<Option<&str>> = languages.iter().take(MOST_LANGUAGES).map(|code| Some(*code)).collect();
    for code in if codes.is_empty() { &[None] } else { codes.as_slice() } {
        let language = LanguageRules::new(*code);
        if !query.languages.contains(&language) {
            query.languages.push(language);
        }
    }

    let pieces = split_pieces(text);
    let mut any = Vec::new();
    let mut seen = HashMap::new();
    let mut phrases: Vec<Vec<ParsedWord>> = Vec::new();
    with_buffers(|desk| {
        for &(role, piece) in &pieces {
            match role {
                PieceRole::Any => collect_words(desk, &query.languages, piece, &mut seen, &mut any),
                PieceRole::Must if phrases.len() < MOST_PHRASES => {
                    phrases.push(phrase_words(desk, &query.languages, piece))
                }
                PieceRole::Without if query.words.without.len() < MOST_PHRASES => {
                    let words = phrase_words(desk, &query.languages, piece);
                    query.words.without.push(words.into_iter().map(|word| word.forms).collect());
                }
                PieceRole::Must | PieceRole::Without => {}
            }
        }
    });
    query.words.without.retain(|phrase| !phrase.is_empty());
    phrases.retain(|phrase| !phrase.is_empty());

    let lists = common_lists(&codes, any.iter().chain(phrases.iter().flatten()));
    let is_common = |word: &ParsedWord| !word.bare.is_empty() && lists.iter().any(|code| is_common(&word.bare, *code));
    let nothing_else = phrases.is_empty() && any.iter().all(is_common);
    let within: HashSet<&IndexedForms> = phrases.iter().flatten().map(|word| &word.forms).collect();
    query.words.any = any
        .iter()
        .filter(|word| (nothing_else || !is_common(word)) && !within.contains(&word.forms))
        .take(MOST_WORDS)
        .map(|word| word.forms.clone())
        .collect();
    for word in phrases.iter().flatten().filter(|word| is_common(word)) {
        if !query.common.contains(&word.forms) {
            query.common.push(word.forms.clone());
        }
    }
    for phrase in phrases {
        let phrase: Vec<IndexedForms> = phrase.into_iter().map(|word| word.forms).collect();
        if !query.words.phrases.contains(&phrase) {
            query.words.phrases.push(phrase);
        }
    }
    query.meaning = meaning_text(&pieces);
    query
}

/// The languages whose common words are left out: those that the most words of the query are common in, so that `die`
/// is looked for in `to die for` and not in `die Ursache`. English is asked of any library.
fn common_lists<'code, 'word>(
    codes: &[Option<&'code str>],
    words: impl Iterator<Item = &'word ParsedWord>,
) -> Vec<Option<&'code str>> {
    let mut lists: Vec<(Option<&str>, usize)> = vec![(None, 0)];
    lists.extend(codes.iter().filter(|code| !code.is_some_and(|code| code.starts_with("en"))).map(|code| (*code, 0)));
    for word in words {
        for (code, count) in &mut lists {
            *count += usize::from(is_common(&word.bare, *code));
        }
    }
    let most = lists.iter().map(|(_, count)| *count).max().unwrap_or(0);
    lists.into_iter().filter(|(_, count)| *count == most).map(|(code, _)| code).collect()
}

/// Appends the words of a text. Of a compound its parts count, and the whole.
fn collect_words(
    desk: &mut AnalyzerBuffers,
    languages: &[LanguageRules],
    text: &str,
    seen: &mut HashMap<IndexedForms, usize>,
    into: &mut Vec<ParsedWord>,
) {
    for_each_group(text, |group| {
        let (parts, whole) = group_words(desk, languages, text, group);
        let compound = !whole.is_empty();
        // A letter of a compound says nothing without the rest.
        let parts = parts.into_iter().filter(|part| {
            !(compound && part.bare.len() == 1 && part.bare.bytes().all(|byte| byte.is_ascii_alphabetic()))
        });
        for word in parts.chain([ParsedWord { forms: whole, bare: String::new() }]) {
            if word.forms.is_empty() {
                continue;
            }
            let times = seen.entry(word.forms.clone()).or_default();
            *times += 1;
            if *times <= MOST_TIMES {
                into.push(word);
            }
        }
    });
}

/// The words of a phrase: compounds by their parts, as every spelling of one has them.
fn phrase_words(desk: &mut AnalyzerBuffers, languages: &[LanguageRules], text: &str) -> Vec<ParsedWord> {
    let mut words = Vec::new();
    for_each_group(text, |group| {
        if words.len() < MOST_WORDS {
            words.extend(group_words(desk, languages, text, group).0.into_iter().filter(|word| !word.forms.is_empty()));
        }
    });
    words.truncate(MOST_WORDS);
    words
}

/// The words of a group by their places, and the forms of the whole.
fn group_words(
    desk: &mut AnalyzerBuffers,
    languages: &[LanguageRules],
    text: &str,
    group: &[WordAtom],
) -> (Vec<ParsedWord>, IndexedForms) {
    let mut parts: Vec<ParsedWord> = Vec::new();
    parts
        .resize_with(position_count(group) as usize, || ParsedWord { forms: IndexedForms::new(), bare: String::new() });
    let mut whole = IndexedForms::new();
    for language in languages {
        desk.group_forms(*language, text, group, |part, form| {
            let forms = match part {
                GroupPart::Whole => Some(&mut whole),
                GroupPart::Place(place) => parts.get_mut(place as usize).map(|part| &mut part.forms),
            };
            if let Some(forms) = forms
                && !forms.iter().any(|known| known == form)
            {
                forms.push(form.to_owned());
            }
        });
    }
    if let Some(first) = languages.first() {
        for (part, atom) in parts.iter_mut().zip(group) {
            if matches!(atom.kind, AtomKind::Plain | AtomKind::Letters) {
                part.bare.push_str(desk.fold_atom(*first, text, *atom));
            }
        }
    }
    (parts, whole)
}

/// The text that is meant, on one line; empty if it has no word.
fn meaning_text(pieces: &[(PieceRole, &str)]) -> String {
    let meant = || pieces.iter().filter(|(role, _)| *role != PieceRole::Without);
    let mut meaning = String::new();
    if !meant().any(|(_, piece)| word_atoms(piece).next().is_some()) {
        return meaning;
    }
    let is_quote = |c: char| c.is_whitespace() || closing_quotes(c).is_some() || matches!(c, '”' | '」');
    for word in meant().flat_map(|(_, piece)| piece.split(is_quote)).filter(|word| !word.is_empty()) {
        if !meaning.is_empty() {
            meaning.push(' ');
        }
        meaning.push_str(word);
    }
    meaning
}

/// Returns the characters that can close a quotation opened by this character, and the number of the pair.
const fn closing_quotes(opening: char) -> Option<(usize, &'static [char])> {
    match opening {
        '"' => Some((0, &['"'])),
        '“' => Some((1, &['”', '"'])),
        '„' => Some((2, &['“', '”', '"'])),
        '«' => Some((3, &['»'])),
        '»' => Some((4, &['«'])),
        '「' => Some((5, &['」'])),
        _ => None,
    }
}

/// Cuts what was typed where operators and quotations begin and end.
fn split_pieces(text: &str) -> Vec<(PieceRole, &str)> {
    let mut pieces = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    // Whether a word may begin here, and which pairs are known not to close any more.
    let mut fresh = true;
    let mut open = [true; 6];
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        let signed = match c {
            '-' if fresh => Some(PieceRole::Without),
            '+' if fresh => Some(PieceRole::Must),
            _ => None,
        };
        let operand = match signed {
            Some(role) => read_quotation(text, next, true, &mut open)
                .or_else(|| word_after_sign(text, next, role))
                .map(|found| (role, found)),
            None => read_quotation(text, at, fresh, &mut open).map(|found| (PieceRole::Must, found)),
        };
        fresh = c.is_whitespace() || c == '(';
        let Some((role, (inner, end))) = operand else {
            at = next;
            continue;
        };
        pieces.push((PieceRole::Any, &text[plain..at]));
        pieces.push((role, inner));
        (at, plain, fresh) = (end, end, true);
    }
    pieces.push((PieceRole::Any, &text[plain..]));
    pieces.retain(|(_, piece)| !piece.is_empty());
    pieces
}

/// The quotation that begins at `at`, and the place after it.
fn read_quotation<'text>(
    text: &'text str,
    at: usize,
    fresh: bool,
    open: &mut [bool; 6],
) -> Option<(&'text str, usize)> {
    let mark = text[at..].chars().next()?;
    let (pair, closing) = closing_quotes(mark)?;
    // In `5" pipe` the mark opens nothing.
    if !open[pair] || (mark == '"' && !fresh) {
        return None;
    }
    let from = at + mark.len_utf8();
    let Some(length) = text[from..].find(closing) else {
        open[pair] = false;
        return None;
    };
    let end = from + length;
    let mark = text[end..].chars().next()?;
    Some((&text[from..end], end + mark.len_utf8()))
}

/// The word that a sign before `at` applies to, and the place after it.
fn word_after_sign(text: &str, at: usize, role: PieceRole) -> Option<(&str, usize)> {
    let rest = &text[at..];
    // A number with a plus is a number.
    let first = rest.chars().next()?;
    if !(first.is_alphabetic() || (role == PieceRole::Without && first.is_alphanumeric())) {
        return None;
    }
    let length = rest.find(|c: char| c.is_whitespace() || closing_quotes(c).is_some()).unwrap_or(rest.len());
    Some((&rest[..length], at + length))
}

/// Parses any bytes and returns true if the invariants of this module and of the matcher hold. For fuzzing only.
#[doc(hidden)]
pub fn fuzz(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let languages: &[&str] = match bytes.len() % 4 {
        0 => &[],
        1 => &["en"],
        2 => &["de", "fr", "tr", "ar", "it"],
        _ => &["ru", "el", "ta", "zh"],
    };
    let query = parse_query(&text, languages);
    let WordQuery { any, phrases, without } = &query.words;
    let times = any.iter().map(|forms| any.iter().filter(|other| *other == forms).count()).max().unwrap_or(0);
    let fits = |forms: &IndexedForms| !forms.is_empty() && forms.iter().all(|form| !form.is_empty());
    let quotes = Matcher::new(&query).best_quotes(&text, 3);
    any.len() <= MOST_WORDS
        && times <= MOST_TIMES
        && phrases.len() <= MOST_PHRASES
        && without.len() <= MOST_PHRASES
        && phrases.iter().chain(without).all(|phrase| !phrase.is_empty() && phrase.len() <= MOST_WORDS)
        && any.iter().chain(phrases.iter().flatten()).chain(without.iter().flatten()).all(fits)
        && !query.meaning.contains(['"', '\n', '“', '«'])
        && (query.words.is_empty() || !query.meaning.is_empty())
        && quotes.iter().all(|quote| {
            let stands = quote.span.slice_of(&text);
            stands.is_some_and(|stands| quote.matches.iter().all(|found| found.slice_of(stands).is_some()))
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `a b` for `any`, `[a b]` for phrases, `-[a b]` for what is excluded, `a|b` for forms of one word.
    fn shown(query: &ParsedQuery) -> String {
        let phrase =
            |words: &Vec<IndexedForms>| words.iter().map(|forms| forms.join("|")).collect::<Vec<_>>().join(" ");
        let any = query.words.any.iter().map(|forms| forms.join("|"));
        let phrases = query.words.phrases.iter().map(|words| format!("[{}]", phrase(words)));
        let without = query.words.without.iter().map(|words| format!("-[{}]", phrase(words)));
        any.chain(phrases).chain(without).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_query_is_read_as_it_is_meant() {
        let cases: &[(&str, &str, &str)] = &[
            ("", "", ""),
            ("  ?! -- … \"", "", ""),
            ("What is the capital of France?", "capit franc", "What is the capital of France?"),
            ("to be or not to be", "to be or not to be", "to be or not to be"),
            ("\"to be or not to be\" Hamlet", "hamlet [to be or not to be]", "to be or not to be Hamlet"),
            ("foxes fox FOX", "fox fox fox", "foxes fox FOX"),
            ("\"fox\" fox", "[fox]", "fox fox"),
            ("\"unbalanced quote", "unbalanc quot", "unbalanced quote"),
            (
                "“curly one” «two three» „vier fünf“",
                "[cur one] [two three] [vier funf]",
                "curly one two three vier fünf",
            ),
            ("a 5\" pipe and 3\" long", "5 pipe 3 long", "a 5 pipe and 3 long"),
            ("fox -lazy -\"brown dog\"", "fox -[lazi] -[brown dog]", "fox"),
            ("-lazy", "-[lazi]", ""),
            ("well-known 2020-2021", "well known wellknown 2020 2021 2020-2021", "well-known 2020-2021"),
            ("- item --flag x - y", "item flag x y", "- item --flag x - y"),
            ("+fox dog +1", "dog 1 [fox]", "fox dog +1"),
            ("+\"brown fox\"", "[brown fox]", "brown fox"),
            ("-\"open", "open", "- open"),
            ("fox AND (dog OR cat) NOT title:x*^2", "fox dog cat titl x 2", "fox AND (dog OR cat) NOT title:x*^2"),
            ("(-cat)", "-[cat]", ""),
            ("COVID-19", "covid 19 covid19", "COVID-19"),
            ("covid19 vaccine", "covid 19 covid19 vaccin", "covid19 vaccine"),
            ("\"COVID-19 vaccine\"", "[covid 19 vaccin]", "COVID-19 vaccine"),
            ("e-mail -t-shirt", "mail email -[t shirt]", "e-mail"),
            ("C++ o'brien 10,000", "c++ obrien 10000", "C++ o'brien 10,000"),
            ("🎉", "🎉", "🎉"),
            ("中国经济", "中国 国经 经济", "中国经济"),
            ("「中国」 好", "好 [中国]", "中国 好"),
            ("foo\"bar\"", "foo bar", "foo bar"),
            ("\"\" \"?\" fox", "fox", "? fox"),
        ];
        for (text, words, meaning) in cases {
            let query = parse_query(text, &[]);
            assert_eq!(shown(&query), *words, "{text}");
            assert_eq!(query.meaning, *meaning, "{text}");
        }
    }

    #[test]
    fn a_word_has_the_forms_of_each_language() {
        let cases: &[(&[&str], &str, &str)] = &[
            (&["en", "de"], "walking", "walk|walking"),
            (&["es"], "información", "informacion|inform"),
            (&["fr", "en"], "l'homme", "homm|lhomm"),
            (&["pl", "cs"], "foxes", "foxes"),
            (&["en", "de"], "to die for", "die"),
            (&["en", "de"], "die Ursache", "ursach"),
            (&["de"], "was ist the cause", "caus"),
            (&["en", "fr", "de", "es", "ru"], "слова", "слова"),
        ];
        for (languages, text, expected) in cases {
            assert_eq!(shown(&parse_query(text, languages)), *expected, "{text}");
        }
    }

    #[test]
    fn a_query_has_bounds_and_long_ones_are_read_quickly() {
        let letters = |n: usize| -> String { n.to_string().bytes().map(|digit| char::from(digit + 50)).collect() };
        let many: String = (0..500).map(|n| format!("{} ", letters(n))).collect();
        assert_eq!(parse_query(&many, &[]).words.any.len(), MOST_WORDS);
        let quoted: String = (0..50).map(|n| format!("\"{}\" -\"{}\" ", letters(n), letters(n + 100))).collect();
        let query = parse_query(&quoted, &[]);
        assert_eq!((query.words.phrases.len(), query.words.without.len()), (MOST_PHRASES, MOST_PHRASES));
        for part in
            ["\"", "“", "„", "«", "-\"", " -", " +“", "a-", "1,", "1.", "x ", "中", "👩\u{200D}", "'a", "e\u{301}"]
        {
            let text = part.repeat(100_000 / part.len());
            let start = std::time::Instant::now();
            parse_query(&text, &["en", "de", "fr", "ar"]);
            assert!(start.elapsed().as_secs_f32() < 2.0, "{part}");
        }
    }

    proptest! {
        #[test]
        fn what_is_quoted_is_a_phrase(words in "[a-z]{2,9}( [a-z]{2,9}){0,4}", before in "[a-z ]{0,9}") {
            let query = parse_query(&format!("{before} \"{words}\""), &[]);
            let expected = words.split(' ').count();
            prop_assert_eq!(query.words.phrases.iter().map(Vec::len).collect::<Vec<_>>(), vec![expected]);
        }

        #[test]
        fn what_is_excluded_is_not_meant(text in "[a-y \"+(.-]{0,30}", word in "z[a-z]{0,5}") {
            // A quotation that is open would hold the word.
            let text = text.replace('"', "");
            let query = parse_query(&format!("{text} -{word} {text}"), &["en"]);
            prop_assert!(!query.meaning.contains('z'));
            prop_assert!(query.words.any.iter().flatten().all(|form| !form.contains('z')));
        }

        #[test]
        fn any_operators_keep_the_promises(text in "([-+\"“”„«»「」()*:^~'’]|AND|OR|NOT|\\PC|[a-z]{1,4}| ){0,40}") {
            prop_assert!(fuzz(text.as_bytes()));
        }
    }

    /// Changes bytes of known queries at random: what a fuzzer begins with.
    #[test]
    fn mutated_queries_keep_the_promises() {
        const SEEDS: &[&str] = &[
            "what is the capital of France",
            "\"exact phrase\" other -without -\"not this\" +must",
            "“curly” «guillemets» „low“ 「corner」",
            "COVID-19 covid19 GPT-4o e-mail x_y foo.bar 3.14 10,000 2024-05-01",
            "https://example.org/a-b?q=1&r=2#top me@example.org 10.1000/xyz123",
            "U.S. e.g. C++ C# O'Brien l’homme it's",
            "Straße Øre Æther Łódź ﬁne ＡＢＣ İstanbul ΛΌΓΟΣ новый الأحمد தமிழ்",
            "中国经济 カメラ ｶﾞ 한국어 ภาษาไทย हिन्दी",
            "👩\u{200D}💻 👍🏽 🇩🇪 ❤️ e\u{301}\u{301} a\u{AD}b",
            "-- - -\" +\" \"\" ( ) * : ^ ~ AND OR NOT",
        ];
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut random = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as usize % below.max(1)
        };
        for case in 0..20_000 {
            let mut bytes = SEEDS[case % SEEDS.len()].as_bytes().to_vec();
            for _ in 0..=random(6) {
                let at = random(bytes.len());
                match random(4) {
                    0 => bytes[at] = random(256) as u8,
                    1 => bytes.insert(at, b" -+\"'.,/09aZ"[random(12)]),
                    2 => drop(bytes.drain(at..(at + random(9)).min(bytes.len()))),
                    _ => {
                        let other = SEEDS[random(SEEDS.len())].as_bytes();
                        let from = random(other.len());
                        bytes.splice(at..at, other[from..(from + random(20)).min(other.len())].iter().copied());
                    }
                }
                if bytes.is_empty() {
                    bytes.push(b'-');
                }
            }
            assert!(fuzz(&bytes), "{:?}", String::from_utf8_lossy(&bytes));
        }
    }
}
