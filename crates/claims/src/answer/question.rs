//! A question taken apart: its words, in the forms in which passages are searched for them.

use std::collections::HashMap;

use ibid_language::{
    Language, fold_accents,
    stems::comparable_stem,
    words::{TokenKind, TokenizedText, lower, tokens},
};

use super::language::TextLanguage;
use crate::verify::words::sentence_starts;

/// Of a longer question only the beginning is read, in characters.
pub(super) const LONGEST_QUESTION: usize = 2000;
/// The most different words of a question that are looked for; each is a bit of [`QuestionWordSet`].
pub(super) const MOST_WORDS: usize = 96;

/// Set of words of the question, one bit each.
pub(super) type QuestionWordSet = u128;

/// A word of the question that says something.
#[derive(Clone, Debug)]
pub(super) struct QuestionWord {
    /// As it stands, in lower case.
    pub text: String,
    /// As it was asked.
    pub written: String,
    /// True for a name or a figure, which stands for exactly one thing.
    pub is_exact: bool,
    /// True if it may be a question word: the first word of a question in an unknown language.
    pub may_ask: bool,
}

/// A question split into words, with their stems in each language of the passages.
pub(super) struct ParsedQuestion {
    pub words: Vec<QuestionWord>,
    forms: Vec<QuestionStems>,
}

/// The words of the question as one language has them.
struct QuestionStems {
    language: TextLanguage,
    words: HashMap<String, u8>,
    /// Of the scripts without spaces, in order.
    wide: Vec<(char, u8)>,
    begins: PrefixFilter,
    /// The forms that may be the last part of a longer word, where the language puts words together.
    tails: Vec<(String, u8)>,
}

impl ParsedQuestion {
    /// Takes a question apart, to look for its words in texts of these languages.
    pub fn new(text: &str, languages: &[TextLanguage]) -> Self {
        let own = TextLanguage::detect(text);
        let mut words: Vec<QuestionWord> = Vec::new();
        let text = TokenizedText::new(text, own.language());
        let starts = sentence_starts(&text);
        // The word before, if it is written as a name is.
        let mut raised: Option<usize> = None;
        for (at, token) in text.tokens.iter().enumerate() {
            if !matches!(token.kind, TokenKind::Word | TokenKind::Number) {
                continue;
            }
            let (word, bare, was_begin) = (token.of(text.text), text.lower_at(at), starts[at]);
            let is_raised = word.starts_with(char::is_uppercase);
            // `US` and `IT` are names.
            let is_inner = is_raised && word.chars().skip(1).any(char::is_uppercase);
            let before = raised.take();
            if !is_inner && is_little(bare, own, languages) {
                continue;
            }
            // Where every noun is raised, only two in a row are a name.
            let is_name = is_inner || (is_raised && !was_begin && (!own.raises_nouns() || before.is_some()));
            let is_exact = is_name || bare.starts_with(|first: char| first.is_ascii_digit());
            let known = words.iter().position(|known| known.text == bare);
            let place = known.unwrap_or(words.len());
            if place == MOST_WORDS {
                continue;
            }
            if known.is_none() {
                let may_ask = !own.is_known() && words.is_empty() && was_begin;
                let written = word.to_owned();
                words.push(QuestionWord { text: bare.to_owned(), written, is_exact: false, may_ask });
            }
            words[place].is_exact |= is_exact;
            if is_name && let Some(before) = before {
                words[before].is_exact = true;
            }
            raised = (is_raised && !was_begin).then_some(place);
        }
        let forms = languages.iter().map(|&language| QuestionStems::new(language, &words)).collect();
        Self { words, forms }
    }

    /// Returns the words of the question that occur in a text of the given language.
    pub fn found_in(&self, text: &str, language: TextLanguage) -> QuestionWordSet {
        let forms = self.forms.iter().find(|forms| forms.language == language).or(self.forms.first());
        forms.map_or(0, |forms| forms.found_in(text))
    }

    /// The share of all weights that the words of a set have.
    pub fn weighted_share(&self, words: QuestionWordSet, weights: &[f32]) -> f32 {
        let has = |place: usize| words >> place & 1 == 1;
        let part: f32 = weights.iter().enumerate().filter(|(place, _)| has(*place)).map(|(_, weight)| weight).sum();
        let whole: f32 = weights.iter().sum();
        if whole > 0.0 { part / whole } else { 0.0 }
    }

    /// The names and figures of the question.
    pub fn exact_words(&self) -> QuestionWordSet {
        let exact = self.words.iter().enumerate().filter(|(_, word)| word.is_exact);
        exact.fold(0, |words, (place, _)| words | 1 << place)
    }
}

impl QuestionStems {
    fn new(language: TextLanguage, asked: &[QuestionWord]) -> Self {
        let mut forms = Self {
            language,
            words: HashMap::new(),
            wide: Vec::new(),
            begins: PrefixFilter { thorough: language.changes_beginnings(), ..PrefixFilter::default() },
            tails: Vec::new(),
        };
        for (place, word) in (0..).zip(asked) {
            let mut chars = word.text.chars();
            match (chars.next(), chars.next()) {
                (Some(char), None) if char >= '\u{2E80}' => forms.wide.push((char, place)),
                _ => {
                    let form = stem_word(language, &word.text);
                    forms.begins.add(&word.text);
                    forms.begins.add(&fold_accents(&word.text));
                    forms.begins.add(&form);
                    if language.forms_compounds() && form.len() >= SHORTEST_TAIL {
                        forms.tails.push((form.clone(), place));
                    }
                    // Of two words with one stem the first counts.
                    forms.words.entry(form).or_insert(place);
                }
            }
        }
        forms.wide.sort_unstable();
        forms
    }

    /// Returns the index of the question word that has this stem.
    fn word_index(&self, stem: &str) -> Option<u8> {
        let whole = self.words.get(stem).copied();
        whole.or_else(|| self.tails.iter().find(|(tail, _)| stem.ends_with(tail.as_str())).map(|(_, place)| *place))
    }

    fn found_in(&self, text: &str) -> QuestionWordSet {
        let mut found = 0;
        for token in tokens(text, self.language.language()) {
            if !matches!(token.kind, TokenKind::Word | TokenKind::Number) {
                continue;
            }
            let word = token.of(text);
            let may_end = !self.tails.is_empty() && word.len() >= 2 * SHORTEST_TAIL;
            if !may_end && !self.begins.may_have(word) {
                continue;
            }
            let place = match word.chars().next() {
                Some(first) if first >= '\u{2E80}' => {
                    self.wide.binary_search_by_key(&first, |(char, _)| *char).ok().map(|at| self.wide[at].1)
                }
                _ => {
                    let lower = lower(word);
                    match is_worth_stemming(&lower) {
                        true => self.word_index(&comparable_stem(&lower, self.language.language())),
                        false => self.words.get(&*plain_figure(&lower)).copied(),
                    }
                }
            };
            if let Some(place) = place {
                found |= 1 << place;
            }
        }
        found
    }
}

/// The shortest form that is looked for at the end of a longer word, in bytes.
const SHORTEST_TAIL: usize = 5;

/// The form of a word in which it is compared.
fn stem_word(language: TextLanguage, word: &str) -> String {
    match is_worth_stemming(word) {
        true => comparable_stem(word, language.language()),
        false => plain_figure(word).into_owned(),
    }
}

fn is_worth_stemming(word: &str) -> bool {
    !word.starts_with(|first: char| first.is_ascii_digit())
}

/// A figure without the signs that set its thousands apart.
fn plain_figure(word: &str) -> std::borrow::Cow<'_, str> {
    let is_figure = word.starts_with(|first: char| first.is_ascii_digit()) && word.contains(['.', ',']);
    let mut parts = word.split(['.', ',']);
    let is_first_short = parts.next().is_some_and(|first| first.len() <= 3);
    if is_figure && is_first_short && parts.all(|part| part.len() == 3) {
        return word.replace(['.', ','], "").into();
    }
    word.into()
}

/// Returns true if a word of a question carries no meaning by itself.
fn is_little(word: &str, own: TextLanguage, languages: &[TextLanguage]) -> bool {
    let mut chars = word.chars();
    let (first, is_single) = (chars.next().unwrap_or(' '), chars.next().is_none());
    if first >= '\u{2E80}' {
        // Japanese writes what holds a sentence together in letters of its own.
        let is_little = || languages.iter().chain([&own]).any(|language| language.is_little(word));
        return is_single && (matches!(first, '\u{3040}'..='\u{309F}') || is_little());
    }
    // Nor do single letters, and what an apostrophe ties together in a language that is not known.
    let english = TextLanguage(Some(Language::ENGLISH));
    (is_single && !first.is_numeric())
        || word.contains('\'')
        || [own, english].iter().any(|language| language.lexicon().question_fillers.contains(word))
        || languages.iter().chain([&own, &english]).any(|language| language.is_little(word))
}

/// With which two letters the words begin that are looked for: most words of a text need no closer look.
#[derive(Default)]
struct PrefixFilter {
    /// By the first letter, a bit for each second one.
    letters: [u32; 26],
    has_figures: bool,
    thorough: bool,
}

impl PrefixFilter {
    fn add(&mut self, word: &str) {
        match word.as_bytes() {
            [first @ b'a'..=b'z', second @ b'a'..=b'z', ..] => {
                self.letters[usize::from(first - b'a')] |= 1 << (second - b'a')
            }
            [b'0'..=b'9', ..] => self.has_figures = true,
            _ => {}
        }
    }

    fn may_have(&self, word: &str) -> bool {
        if self.thorough {
            return true;
        }
        match word.as_bytes() {
            [b'0'..=b'9', ..] => self.has_figures,
            [first, second, ..] if first.is_ascii_alphabetic() && second.is_ascii_alphabetic() => {
                let (first, second) = (first.to_ascii_lowercase(), second.to_ascii_lowercase());
                self.letters[usize::from(first - b'a')] >> (second - b'a') & 1 == 1
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(question: &str, text: &str) -> Vec<String> {
        let languages = [TextLanguage::detect(text)];
        let asked = ParsedQuestion::new(question, &languages);
        let words = asked.found_in(text, languages[0]);
        let has = |place: &usize| words >> place & 1 == 1;
        (0..asked.words.len()).filter(has).map(|place| asked.words[place].text.clone()).collect()
    }

    #[test]
    fn words_are_found_in_any_form() {
        for (question, text, wanted) in [
            ("When were the committees founded?", "The committee was founded in 1932.", "committees founded"),
            ("Who was dying in the skies?", "He was dying under the sky, and it was cold.", "dying skies"),
            ("Wann fuhren die Züge?", "Der Zug fuhr um acht, und die Leute waren da.", "fuhren züge"),
            ("Wer baute die Brücke?", "Das ist die Rheinbrücke, und sie ist alt.", "brücke"),
            ("Who painted l'Orangerie?", "C'est dans l’orangerie de la ville que les gens sont.", "orangerie"),
            ("Was 1,500 the price?", "The price was 1.500 and the rest was not.", "1,500 price"),
            ("¿Quién fundó las escuelas?", "La escuela fue fundada por el rey en la costa.", "fundó escuelas"),
            ("Кто построил мосты?", "Мост был построен в городе.", "построил мосты"),
            ("东京塔有多高？", "东京的塔很高。", "东 京 塔 高"),
            ("Who owns Ada's dog?", "It is Ada who has the dogs.", "ada dog"),
        ] {
            assert_eq!(found(question, text).join(" "), wanted, "{question} | {text}");
        }
    }

    #[test]
    fn names_and_figures_are_exact() {
        let exact = |question: &str| {
            let asked = ParsedQuestion::new(question, &[TextLanguage(Some(Language::ENGLISH))]);
            asked.words.into_iter().filter(|word| word.is_exact).map(|word| word.text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(exact("Was the Bank of England or NASA founded in 1694?"), "bank england nasa 1694");
        assert_eq!(exact("Wann wurde die Brücke von Ada Muster in der Stadt gebaut?"), "ada muster");
    }

    #[test]
    fn a_question_has_so_many_words_at_most() {
        let long = (0..1000).map(|number| format!("word{number} ")).collect::<String>();
        let asked = ParsedQuestion::new(&long, &[TextLanguage(Some(Language::ENGLISH))]);
        assert_eq!(asked.words.len(), MOST_WORDS);
        assert_eq!(asked.found_in("word0 word95 word96", TextLanguage(Some(Language::ENGLISH))), 1 | 1 << 95);
    }
}
