//! The few words that an answer of quotes says itself, in the language of the request.

use std::{collections::BTreeMap, sync::LazyLock};

use ibid_language::{Language, detect::detect_short};
use serde::Deserialize;

/// The file of each language, by its code. The first one stands in for languages without a file.
const FILES: &[(&str, &str)] = &[
    ("en", include_str!("words/en.toml")),
    ("de", include_str!("words/de.toml")),
    ("fr", include_str!("words/fr.toml")),
    ("es", include_str!("words/es.toml")),
    ("it", include_str!("words/it.toml")),
    ("nl", include_str!("words/nl.toml")),
    ("pt", include_str!("words/pt.toml")),
];

/// The words of one language; the comments in `words/en.toml` say how they are written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerWords {
    /// None of the passages answers.
    pub no_answer: String,
    /// There are no passages.
    pub nothing_there: String,
    /// The closest passages have the words of the question, but not what it asks for.
    pub closest: String,
    /// The closest passages lack words of the question.
    pub closest_lack: String,
    /// Stands before the last of several words.
    pub and: String,
    pub yes: String,
    pub no: String,
    pub sources_disagree: String,
    pub greeting: String,
    pub thanks: String,
    pub empty: String,
    pub no_suggestions: String,
    pub library: String,
    pub newest: String,
    pub older: CountedWords,
    pub source: String,
    pub source_sections: String,
    pub section: String,
    pub which_source: String,
    pub entity_events: String,
    pub entity_mentions: String,
    pub changes: String,
    pub changes_events: String,
    pub no_changes: String,
    pub sources: CountedWords,
    pub added: CountedWords,
    pub changed: CountedWords,
    pub ask_source: String,
    pub ask_section: String,
    pub ask_person: String,
    pub ask_library: String,
    kinds: BTreeMap<ContentKind, CountedWords>,
}

/// Words for one and for more.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct CountedWords(String, String);

impl CountedWords {
    pub fn with_count(&self, count: u64) -> String {
        let words = if count == 1 { &self.0 } else { &self.1 };
        words.replace("{count}", &count.to_string())
    }
}

/// What kind of file a source is, as people tell files apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ContentKind {
    WebPage,
    Pdf,
    Word,
    Spreadsheet,
    Slides,
    Email,
    Book,
    Image,
    Text,
    Other,
    /// A source that is only described, as in a bibliography.
    Reference,
}

impl ContentKind {
    /// The kind of a media type; `None` stands for a source without content.
    pub fn of_media_type(media_type: Option<&str>) -> Self {
        let Some(media_type) = media_type else { return Self::Reference };
        let base = media_type.split(';').next().unwrap_or_default().trim();
        match base {
            "text/html" | "application/xhtml+xml" => Self::WebPage,
            "application/pdf" => Self::Pdf,
            "text/csv" | "text/tab-separated-values" => Self::Spreadsheet,
            "message/rfc822" | "application/mbox" => Self::Email,
            "application/epub+zip" => Self::Book,
            "application/rtf" | "text/rtf" | "application/msword" => Self::Word,
            _ if base.contains("wordprocessing") || base.contains("opendocument.text") => Self::Word,
            _ if base.contains("spreadsheet") || base.contains("ms-excel") => Self::Spreadsheet,
            _ if base.contains("presentation") || base.contains("ms-powerpoint") => Self::Slides,
            _ if base.starts_with("image/") => Self::Image,
            _ if base.starts_with("text/") => Self::Text,
            _ => Self::Other,
        }
    }
}

impl AnswerWords {
    /// The words of a language, or the English ones.
    pub fn of(language: Language) -> &'static Self {
        static ALL: LazyLock<Vec<(Language, AnswerWords)>> = LazyLock::new(|| {
            let read = |(code, text): &(&str, &str)| Some((Language::from_code(code)?, toml::from_str(text).ok()?));
            FILES.iter().filter_map(read).collect()
        });
        static NONE: LazyLock<AnswerWords> = LazyLock::new(AnswerWords::default);
        let own = ALL.iter().find(|(known, _)| *known == language).or_else(|| ALL.first());
        own.map_or(&NONE, |(_, words)| words)
    }

    /// The words of the language that a question is in.
    pub fn of_question(question: &str) -> &'static Self {
        Self::of(detect_short(question).unwrap_or(Language::ENGLISH))
    }

    /// Names how many there are of each kind, the most frequent first.
    pub fn list_kinds(&self, counts: &[(Option<String>, u64)]) -> String {
        let mut kinds: BTreeMap<ContentKind, u64> = BTreeMap::new();
        for (media_type, count) in counts {
            *kinds.entry(ContentKind::of_media_type(media_type.as_deref())).or_default() += count;
        }
        let mut kinds: Vec<(ContentKind, u64)> = kinds.into_iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let named = kinds.into_iter().filter_map(|(kind, count)| Some(self.kinds.get(&kind)?.with_count(count)));
        named.collect::<Vec<_>>().join(", ")
    }
}

/// What an answer of quotes says where the sources have no answer, in the language of the question.
pub(crate) fn refusal_words(question: &str) -> &'static str {
    &AnswerWords::of_question(question).no_answer
}

/// Puts values into the places of a sentence: `{title}`.
pub(super) fn fill(words: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(words.len());
    let mut rest = words;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let value = values.iter().find(|(name, _)| {
            rest.strip_prefix('{').and_then(|rest| rest.strip_prefix(name)).is_some_and(|rest| rest.starts_with('}'))
        });
        match value {
            Some((name, value)) => {
                filled.push_str(value);
                rest = &rest[name.len() + 2..];
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_all_words() {
        for (code, text) in FILES {
            let words: AnswerWords = toml::from_str(text).unwrap_or_else(|error| panic!("{code}: {error}"));
            assert_eq!(words.kinds.len(), 11, "{code}");
        }
        for language in Language::COMPLETE {
            assert!(FILES.iter().any(|(code, _)| Language::from_code(code) == Some(language)), "{language}");
        }
    }

    #[test]
    fn kinds_are_counted_together() {
        let counts = [
            (Some("text/html; charset=utf-8".to_owned()), 2),
            (Some("application/xhtml+xml".to_owned()), 1),
            (None, 1),
            (Some("application/vnd.openxmlformats-officedocument.wordprocessingml.document".to_owned()), 4),
        ];
        let words = AnswerWords::of(Language::ENGLISH);
        assert_eq!(words.list_kinds(&counts), "4 text documents, 3 web pages, 1 reference without content");
    }

    #[test]
    fn a_value_is_never_read_as_a_place() {
        let filled = fill("**{title}** on {heading}", &[("title", "{heading}"), ("heading", "tides")]);
        assert_eq!(filled, "**{heading}** on tides");
        assert_eq!(fill("{nothing} {", &[("title", "x")]), "{nothing} {");
    }
}
