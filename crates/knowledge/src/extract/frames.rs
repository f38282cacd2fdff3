//! The phrases that tell an event, from `data/extract/frames/<code>.toml`, read once.

use std::{collections::HashMap, sync::LazyLock};

use ibid_domain::{ActorRole, Category};
use ibid_language::Language;
use serde::Deserialize;

use super::{
    lexicon::{LEXICON, WordId},
    tokens::{LexiconToken, LexiconTokenKind},
    traits::{GRAMMAR, NEGATION},
};

/// The phrases of one language.
pub struct EventFrames {
    frames: Vec<EventFrame>,
    /// By their first word: the frame and the elements.
    phrases: HashMap<WordId, Vec<(usize, Vec<PhraseElement>)>>,
}

/// Kind of event and roles that a group of phrases stands for.
#[derive(Clone, Debug)]
pub struct EventFrame {
    pub category: Category,
    /// Confidence from 0 to 1, before guards lower it.
    pub weight: f32,
    /// The part of who stands before the phrase.
    pub role: ActorRole,
    /// The part of who stands after it, if they have one.
    pub with: Option<ActorRole>,
    /// It is a form that is a participle too.
    pub past: bool,
    /// Requirement for the subject before the phrase.
    pub needs: SubjectRequirement,
    /// Hedges do not take it back.
    pub open: bool,
    /// It counts only right after the name that begins the sentence.
    pub after_name: bool,
    /// The verb itself says `we` or `I`: `abbiamo deciso`.
    pub speaks: bool,
}

/// Subject that a phrase needs before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubjectRequirement {
    #[default]
    Nobody,
    /// Person or group, named or not.
    Somebody,
    /// Exactly one person as the subject.
    One,
    /// Several, or an organisation.
    Several,
}

#[derive(Clone, Debug)]
enum PhraseElement {
    Words {
        any: Vec<WordId>,
        optional: bool,
    },
    /// Any small word that is neither one of these nor a word of grammar.
    Other(Vec<WordId>),
    Gap(usize),
}

/// A phrase of a frame in a sentence: the tokens from `start` to `end`.
#[derive(Clone, Copy, Debug)]
pub struct FrameMatch<'frames> {
    pub frame: &'frames EventFrame,
    /// Index of its first token, inclusive.
    pub start: usize,
    /// Index after the last token.
    pub end: usize,
}

/// Form of the verb that a phrase begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum VerbForm {
    /// A past form that is a participle too.
    Past,
}

#[derive(Deserialize)]
struct FrameFile {
    #[serde(default)]
    classes: HashMap<String, String>,
    /// Labels and headings by the category of what stands after them: `Decision: use Postgres`.
    #[serde(default)]
    labels: HashMap<String, Vec<String>>,
    frame: Vec<FrameEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameEntry {
    category: String,
    weight: f32,
    #[serde(default)]
    verb: Option<VerbForm>,
    #[serde(default)]
    subject: SubjectRequirement,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    with: Option<String>,
    #[serde(default)]
    open: bool,
    #[serde(default)]
    after_name: bool,
    #[serde(default)]
    speaks: bool,
    phrases: Vec<String>,
}

/// The languages with frames, English first.
const LANGUAGES: [(Language, &str); 7] = [
    (Language::ENGLISH, include_str!("../../data/extract/frames/en.toml")),
    (Language::GERMAN, include_str!("../../data/extract/frames/de.toml")),
    (Language::FRENCH, include_str!("../../data/extract/frames/fr.toml")),
    (Language::SPANISH, include_str!("../../data/extract/frames/es.toml")),
    (Language::ITALIAN, include_str!("../../data/extract/frames/it.toml")),
    (Language::DUTCH, include_str!("../../data/extract/frames/nl.toml")),
    (Language::PORTUGUESE, include_str!("../../data/extract/frames/pt.toml")),
];

static FRAMES: LazyLock<Vec<EventFrames>> = LazyLock::new(|| {
    LANGUAGES
        .iter()
        .map(|(_, text)| EventFrames::read(text).unwrap_or_else(|_| EventFrames::without_phrases()))
        .collect()
});

/// Labels of all languages: a text may have those of another.
static LABELS: LazyLock<HashMap<String, Category>> = LazyLock::new(|| {
    let files = LANGUAGES.iter().filter_map(|(_, text)| toml::from_str::<FrameFile>(text).ok());
    let mut labels = HashMap::new();
    for (name, list) in files.flat_map(|file| file.labels) {
        let Ok(category) = name.parse::<Category>() else { continue };
        for label in list {
            labels.entry(label).or_insert(category);
        }
    }
    labels
});

/// The frames of a language; of English where it has none.
pub fn frames_for_language(language: Language) -> Option<&'static EventFrames> {
    let place = LANGUAGES.iter().position(|(known, _)| *known == language).unwrap_or(0);
    FRAMES.get(place)
}

/// The category of what stands after a label or under a heading.
pub fn label_category(words: &str) -> Option<Category> {
    if words.len() > 40 {
        return None;
    }
    LABELS.get(words.trim().to_lowercase().as_str()).copied()
}

/// All words that stand in frames, for the lexicon.
pub fn frame_words() -> impl Iterator<Item = String> {
    LANGUAGES.iter().filter_map(|(_, text)| toml::from_str::<FrameFile>(text).ok()).flat_map(|file| {
        let classes: Vec<String> =
            file.classes.values().flat_map(|class| class.split_whitespace()).map(str::to_owned).collect();
        let phrases = file
            .frame
            .iter()
            .flat_map(|frame| &frame.phrases)
            .flat_map(|phrase| phrase.split([' ', '|']))
            .map(|word| word.trim_end_matches('?').to_owned())
            .collect::<Vec<_>>();
        classes.into_iter().chain(phrases)
    })
}

impl EventFrames {
    fn without_phrases() -> Self {
        Self { frames: Vec::new(), phrases: HashMap::new() }
    }

    fn read(text: &str) -> Result<Self, String> {
        let file: FrameFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut read = Self::without_phrases();
        for written in &file.frame {
            let role = |name: &Option<String>| match name {
                None => Ok(None),
                Some(name) => name.parse::<ActorRole>().map(Some).map_err(|_| format!("no role {name}")),
            };
            read.frames.push(EventFrame {
                category: written.category.parse().map_err(|_| format!("no category {}", written.category))?,
                weight: written.weight,
                role: role(&written.role)?.unwrap_or(ActorRole::Owner),
                with: role(&written.with)?,
                past: written.verb == Some(VerbForm::Past),
                needs: written.subject,
                open: written.open,
                after_name: written.after_name,
                speaks: written.speaks,
            });
            let frame = read.frames.len() - 1;
            for phrase in &written.phrases {
                let elements: Vec<PhraseElement> = phrase
                    .split_whitespace()
                    .map(|element| PhraseElement::read(element, &file.classes))
                    .collect::<Result<_, _>>()
                    .map_err(|problem| format!("{phrase}: {problem}"))?;
                let Some(PhraseElement::Words { any, optional: false }) = elements.first() else {
                    return Err(format!("{phrase}: it must begin with a word"));
                };
                for word in any {
                    read.phrases.entry(*word).or_default().push((frame, elements.clone()));
                }
            }
        }
        Ok(read)
    }

    /// The phrases of a sentence, in its order; of those of one category at one place the longest.
    pub fn find_matches<'frames>(&'frames self, tokens: &[LexiconToken], hits: &mut Vec<FrameMatch<'frames>>) {
        hits.clear();
        for (start, token) in tokens.iter().enumerate() {
            let Some(phrases) = self.phrases.get(&token.word).filter(|_| token.word != 0) else { continue };
            let first = hits.len();
            for (frame, elements) in phrases {
                let Some(frame) = self.frames.get(*frame) else { continue };
                if let Some(end) = match_elements(tokens, start + 1, elements.get(1..).unwrap_or_default()) {
                    let known = hits.iter_mut().skip(first).find(|hit| hit.frame.category == frame.category);
                    match known {
                        Some(hit) if (end, frame.weight) > (hit.end, hit.frame.weight) => {
                            *hit = FrameMatch { frame, start, end }
                        }
                        Some(_) => {}
                        None => hits.push(FrameMatch { frame, start, end }),
                    }
                }
            }
        }
    }
}

impl PhraseElement {
    fn read(element: &str, classes: &HashMap<String, String>) -> Result<Self, String> {
        if let Some(gap) = element.strip_prefix('*') {
            return Ok(Self::Gap(if gap.is_empty() {
                3
            } else {
                gap.parse().map_err(|_| format!("no gap {element}"))?
            }));
        }
        if let Some(class) = element.strip_prefix("{!").and_then(|class| class.strip_suffix('}')) {
            let words = classes.get(class).ok_or_else(|| format!("no class {class}"))?;
            let mut any: Vec<WordId> = words.split_whitespace().map(|word| LEXICON.word_id(word)).collect();
            any.sort_unstable();
            return Ok(Self::Other(any));
        }
        let (element, optional) = element.strip_suffix('?').map_or((element, false), |element| (element, true));
        let mut any = Vec::new();
        for word in element.split('|') {
            match word.strip_prefix('{').and_then(|class| class.strip_suffix('}')) {
                Some(class) => {
                    let words = classes.get(class).ok_or_else(|| format!("no class {class}"))?;
                    any.extend(words.split_whitespace().map(|word| LEXICON.word_id(word)));
                }
                None => any.push(LEXICON.word_id(word)),
            }
        }
        any.sort_unstable();
        any.dedup();
        if any.first() == Some(&0) {
            return Err(format!("a word of {element} is not in the lexicon"));
        }
        Ok(Self::Words { any, optional })
    }
}

/// One past the last token if the elements match from `at` on.
fn match_elements(tokens: &[LexiconToken], at: usize, elements: &[PhraseElement]) -> Option<usize> {
    let Some((element, rest)) = elements.split_first() else { return Some(at) };
    match element {
        PhraseElement::Words { any, optional } => {
            let fits = tokens.get(at).is_some_and(|token| any.binary_search(&token.word).is_ok());
            let with = if fits { match_elements(tokens, at + 1, rest) } else { None };
            with.or_else(|| if *optional { match_elements(tokens, at, rest) } else { None })
        }
        PhraseElement::Other(any) => {
            let token = tokens.get(at)?;
            let fits = token.kind == LexiconTokenKind::Word
                && !token.shape.capital
                && !token.has_trait(GRAMMAR | NEGATION)
                && any.binary_search(&token.word).is_err();
            if fits { match_elements(tokens, at + 1, rest) } else { None }
        }
        PhraseElement::Gap(most) => (0..=*most)
            .take_while(|skipped| skipped.checked_sub(1).is_none_or(|last| may_be_skipped(tokens, at + last)))
            .find_map(|skipped| match_elements(tokens, at + skipped, rest)),
    }
}

/// Whether a phrase goes on over a token: over words, quotation marks and the dot of `12. Mai`.
fn may_be_skipped(tokens: &[LexiconToken], at: usize) -> bool {
    match tokens.get(at).map(|token| token.kind) {
        None => false,
        Some(LexiconTokenKind::Sign(sign)) => matches!(sign, '\'' | '"' | '’') || is_ordinal_dot(tokens, at),
        Some(_) => true,
    }
}

/// Whether a token is the dot of a number that other words follow: `12. Mai`.
pub fn is_ordinal_dot(tokens: &[LexiconToken], at: usize) -> bool {
    let is_dot = tokens.get(at).is_some_and(|token| token.is_sign('.') && !token.spaced);
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    is_dot && at + 1 < tokens.len() && before.is_some_and(|before| before.kind == LexiconTokenKind::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_reads_and_has_every_category() {
        for (language, text) in LANGUAGES {
            let frames = EventFrames::read(text).unwrap();
            for category in Category::ALL {
                assert!(frames.frames.iter().any(|frame| frame.category == *category), "{language}: {category:?}");
            }
        }
        for label in [" Action items ", "Nächste Schritte", "Prossimi passi", "Volgende stappen", "Próximos passos"] {
            assert_eq!(label_category(label), Some(Category::Commitment), "{label}");
        }
        assert!(LABELS.len() > 50);
    }
}
