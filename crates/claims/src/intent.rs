//! What people type before they have a question: greetings, and requests for an overview, a comparison or what is new.
//!
//! A request is recognized only if a template of its language covers all of it. Whether the names in it mean anything is
//! for the caller to find out: a request about something that the library does not know is an ordinary question.

use std::{ops::Range, sync::LazyLock};

use ibid_language::{
    Language, Lexicon,
    detect::detect_short,
    fold_accents,
    requests::{RequestKind, RequestTemplates},
};

/// A request of more words is a question, or a text.
const MOST_WORDS: usize = 40;
/// The most ways to read one request; `compare A and B and C` has two.
const MOST_READINGS: usize = 8;
/// The most words of politeness that are taken off, each at either end.
const MOST_POLITE: usize = 4;

/// What somebody wants who asks no question about the content of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intent {
    Greeting,
    Thanks,
    LibraryOverview,
    /// An overview of the source that is open or was spoken of last.
    ThisSourceOverview,
    SourceOverview {
        title: String,
    },
    /// What a source says under one of its headings.
    SectionOverview {
        title: String,
        heading: String,
    },
    /// Two sources, or two that sources tell of, beside each other.
    Comparison {
        first: String,
        second: String,
    },
    /// What came since then, in the words of the request; lately if `None`.
    Changes {
        since: Option<String>,
    },
    /// A person or an organization.
    EntityOverview {
        name: String,
    },
    /// A person, an organization or a source.
    SubjectOverview {
        name: String,
    },
}

/// One way to read a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecognizedIntent {
    pub intent: Intent,
    /// The language of the words that gave it away.
    pub language: Language,
}

/// The ways to read a request, the likeliest first; none if it is a question like others.
pub fn recognize_intent(text: &str) -> Vec<RecognizedIntent> {
    let words = words_of(text);
    if words.is_empty() || words.len() > MOST_WORDS {
        return Vec::new();
    }
    let detected = detect_short(text);
    let mut languages: Vec<&LanguageTemplates> = TEMPLATES.iter().collect();
    languages.sort_by_key(|one| Some(one.language) != detected);
    let mut readings: Vec<(usize, RecognizedIntent)> =
        languages.into_iter().flat_map(|language| language.read(text, &words)).collect();
    // Where templates of two languages fit, as `resume` does, the one that leaves less to names is meant.
    readings.sort_by_key(|(unknown, _)| *unknown);
    readings.truncate(MOST_READINGS);
    readings.into_iter().map(|(_, reading)| reading).collect()
}

/// A word of a request as it is compared, and where it stands.
struct RequestWord {
    lower: String,
    folded: String,
    bytes: Range<usize>,
}

/// The words between blanks, without the punctuation around them.
fn words_of(text: &str) -> Vec<RequestWord> {
    let mut words = Vec::new();
    let mut from = 0;
    for part in text.split_inclusive(char::is_whitespace) {
        let start = from;
        from += part.len();
        let is_inner = |char: char| char.is_alphanumeric();
        let Some(first) = part.find(is_inner) else { continue };
        let last = part.rfind(is_inner).unwrap_or(first);
        let end = last + part[last..].chars().next().map_or(0, char::len_utf8);
        let word = &part[first..end];
        words.push(RequestWord { lower: word.to_lowercase(), folded: fold(word), bytes: start + first..start + end });
    }
    words
}

fn fold(word: &str) -> String {
    fold_accents(&word.to_lowercase().replace(['’', '‘', '`'], "'")).into_owned()
}

/// One word of a template, in all its forms, or a slot.
enum TemplatePart {
    Words { either: Vec<String>, is_optional: bool },
    Slot(Slot),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    X,
    Y,
}

/// What the slots of a template stand for, as ranges of words.
#[derive(Clone, Default)]
struct SlotRanges {
    x: Option<Range<usize>>,
    y: Option<Range<usize>>,
}

struct LanguageTemplates {
    language: Language,
    templates: Vec<(RequestKind, Vec<TemplatePart>)>,
    polite: Vec<Vec<TemplatePart>>,
}

static TEMPLATES: LazyLock<Vec<LanguageTemplates>> = LazyLock::new(|| {
    let read = |one: &RequestTemplates| LanguageTemplates {
        language: one.language,
        templates: one.templates.iter().map(|(kind, template)| (*kind, parse_template(template))).collect(),
        polite: one.polite.iter().map(|template| parse_template(template)).collect(),
    };
    RequestTemplates::all().iter().map(read).collect()
});

fn parse_template(template: &str) -> Vec<TemplatePart> {
    let part = |word: &str| match word {
        "{x}" => TemplatePart::Slot(Slot::X),
        "{y}" => TemplatePart::Slot(Slot::Y),
        _ => TemplatePart::Words {
            either: word.trim_end_matches('?').split('/').map(fold).collect(),
            is_optional: word.ends_with('?'),
        },
    };
    template.split_whitespace().map(part).collect()
}

impl LanguageTemplates {
    /// The ways to read a request, each with the number of words that only a name explains.
    fn read(&self, text: &str, words: &[RequestWord]) -> Vec<(usize, RecognizedIntent)> {
        // Without politeness first: `kannst du … zusammenfassen` would take it for a part of the title.
        let core = self.without_politeness(words);
        let readings = if core.len() < words.len() { self.readings_of(text, core) } else { Vec::new() };
        if readings.is_empty() { self.readings_of(text, words) } else { readings }
    }

    fn readings_of(&self, text: &str, words: &[RequestWord]) -> Vec<(usize, RecognizedIntent)> {
        let lexicon = Lexicon::of(self.language);
        let mut readings: Vec<(usize, RecognizedIntent)> = Vec::new();
        for (kind, template) in &self.templates {
            let mut fits = Vec::new();
            match_parts(template, words, 0, &SlotRanges::default(), &mut fits);
            for slots in fits {
                let Some(intent) = intent_of(*kind, text, words, &slots) else { continue };
                let named = [&slots.x, &slots.y].into_iter().flatten().flat_map(|range| &words[range.clone()]);
                let unknown = named.filter(|word| !lexicon.is_little(&word.lower)).count();
                if readings.iter().all(|(_, known)| known.intent != intent) {
                    readings.push((unknown, RecognizedIntent { intent, language: self.language }));
                }
            }
        }
        readings
    }

    /// The request without greetings and words of politeness around it, as long as anything is left.
    fn without_politeness<'words>(&self, words: &'words [RequestWord]) -> &'words [RequestWord] {
        let greetings =
            self.templates.iter().filter(|(kind, _)| matches!(kind, RequestKind::Greeting | RequestKind::Thanks));
        let phrases: Vec<&Vec<TemplatePart>> = greetings.map(|(_, template)| template).chain(&self.polite).collect();
        let mut core = words;
        for _ in 0..MOST_POLITE {
            let at_start = (1..core.len()).rev().find(|end| phrases.iter().any(|phrase| covers(phrase, &core[..*end])));
            let at_end = (1..core.len()).find(|start| phrases.iter().any(|phrase| covers(phrase, &core[*start..])));
            match (at_start, at_end) {
                (Some(end), _) => core = &core[end..],
                (None, Some(start)) => core = &core[..start],
                (None, None) => break,
            }
        }
        core
    }
}

fn covers(template: &[TemplatePart], words: &[RequestWord]) -> bool {
    let mut fits = Vec::new();
    match_parts(template, words, 0, &SlotRanges::default(), &mut fits);
    !fits.is_empty()
}

/// Every way in which a template covers the words from a place on.
fn match_parts(
    parts: &[TemplatePart],
    words: &[RequestWord],
    at: usize,
    slots: &SlotRanges,
    found: &mut Vec<SlotRanges>,
) {
    if found.len() >= MOST_READINGS {
        return;
    }
    let Some((part, rest)) = parts.split_first() else {
        if at == words.len() {
            found.push(slots.clone());
        }
        return;
    };
    match part {
        TemplatePart::Words { either, is_optional } => {
            if words.get(at).is_some_and(|word| either.contains(&word.folded)) {
                match_parts(rest, words, at + 1, slots, found);
            }
            if *is_optional {
                match_parts(rest, words, at, slots, found);
            }
        }
        TemplatePart::Slot(slot) => {
            let most = words.len().saturating_sub(rest.iter().filter(|part| part.is_needed()).count());
            for end in at + 1..=most {
                let mut slots = slots.clone();
                match slot {
                    Slot::X => slots.x = Some(at..end),
                    Slot::Y => slots.y = Some(at..end),
                }
                match_parts(rest, words, end, &slots, found);
            }
        }
    }
}

impl TemplatePart {
    fn is_needed(&self) -> bool {
        !matches!(self, Self::Words { is_optional: true, .. })
    }
}

fn intent_of(kind: RequestKind, text: &str, words: &[RequestWord], slots: &SlotRanges) -> Option<Intent> {
    let said = |slot: &Option<Range<usize>>| -> Option<String> {
        let range = slot.as_ref()?;
        let bytes = words.get(range.start)?.bytes.start..words.get(range.end.checked_sub(1)?)?.bytes.end;
        Some(text.get(bytes)?.to_owned())
    };
    let (x, y) = (said(&slots.x), said(&slots.y));
    Some(match kind {
        RequestKind::Greeting => Intent::Greeting,
        RequestKind::Thanks => Intent::Thanks,
        RequestKind::Library => Intent::LibraryOverview,
        RequestKind::ThisSource => Intent::ThisSourceOverview,
        RequestKind::Source => Intent::SourceOverview { title: x? },
        RequestKind::Section => Intent::SectionOverview { title: x?, heading: y? },
        RequestKind::Comparison => Intent::Comparison { first: x?, second: y? },
        RequestKind::Changes => Intent::Changes { since: x },
        RequestKind::Person => Intent::EntityOverview { name: x? },
        RequestKind::About => Intent::SubjectOverview { name: x? },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Option<Intent> {
        recognize_intent(text).into_iter().next().map(|reading| reading.intent)
    }

    fn language(text: &str) -> String {
        recognize_intent(text).first().map(|reading| reading.language.to_string()).unwrap_or_default()
    }

    #[test]
    fn greetings_and_thanks_in_seven_languages() {
        for (text, code) in [
            ("Hi!", "en"),
            ("Good morning.", "en"),
            ("Guten Tag", "de"),
            ("Bonjour !", "fr"),
            ("¡Hola!", "es"),
            ("Buongiorno", "it"),
            ("Goedemorgen!", "nl"),
            ("Olá", "pt"),
        ] {
            assert_eq!((first(text), language(text).as_str()), (Some(Intent::Greeting), code), "{text}");
        }
        for text in [
            "thanks",
            "Thank you very much!",
            "Vielen Dank",
            "merci beaucoup",
            "muchas gracias",
            "Grazie mille",
            "dank je wel",
            "Muito obrigado",
        ] {
            assert_eq!(first(text), Some(Intent::Thanks), "{text}");
        }
    }

    #[test]
    fn overviews_of_the_library() {
        for text in [
            "What is in my library?",
            "what's in the library",
            "Hi, can you please show me all my sources?",
            "Was ist in meiner Bibliothek?",
            "Worum geht es in meiner Bibliothek?",
            "Qu’y a-t-il dans ma bibliothèque ?",
            "¿Qué hay en mi biblioteca?",
            "Cosa c'è nella mia biblioteca?",
            "Wat zit er in mijn bibliotheek?",
            "O que há na minha biblioteca?",
        ] {
            assert_eq!(first(text), Some(Intent::LibraryOverview), "{text}");
        }
    }

    #[test]
    fn what_is_named_comes_out_as_it_was_written() {
        let source = |title: &str| Some(Intent::SourceOverview { title: title.to_owned() });
        for (text, title) in [
            ("Summarise the Harbour Survey, 1931.", "the Harbour Survey, 1931"),
            ("Please summarize “Harbour survey”", "Harbour survey"),
            ("What is harbour-survey.pdf about?", "harbour-survey.pdf"),
            ("Fasse den Jahresbericht zusammen", "den Jahresbericht"),
            ("Kannst du mir bitte den Jahresbericht zusammenfassen?", "den Jahresbericht"),
            ("Résume l’Enquête du port", "l’Enquête du port"),
            ("¿De qué trata el Informe anual?", "el Informe anual"),
            ("Di cosa parla la Relazione annuale?", "la Relazione annuale"),
            ("Vat het Jaarverslag samen", "het Jaarverslag"),
            ("Resuma o Relatório anual", "o Relatório anual"),
        ] {
            assert_eq!(first(text), source(title), "{text}");
        }
        for text in [
            "Summarize this document",
            "Fasse dieses Dokument zusammen",
            "résume ce document",
            "Resume este documento",
            "riassumi questo documento",
            "Vat dit document samen",
            "resuma este documento",
        ] {
            assert_eq!(first(text), Some(Intent::ThisSourceOverview), "{text}");
        }
        for text in [
            "Who is Oke Halvane?",
            "Wer ist Oke Halvane?",
            "Qui est Oke Halvane ?",
            "¿Quién es Oke Halvane?",
            "Chi è Oke Halvane?",
            "Wie is Oke Halvane?",
            "Quem é Oke Halvane?",
        ] {
            assert_eq!(first(text), Some(Intent::EntityOverview { name: "Oke Halvane".to_owned() }), "{text}");
        }
        for text in [
            "What changed since 1 March 2026?",
            "Was hat sich seit 1 March 2026 geändert?",
            "Qu'est-ce qui a changé depuis 1 March 2026 ?",
            "¿Qué ha cambiado desde 1 March 2026?",
            "Cosa è cambiato dal 1 March 2026?",
            "Wat is er veranderd sinds 1 March 2026?",
            "O que mudou desde 1 March 2026?",
        ] {
            assert_eq!(first(text), Some(Intent::Changes { since: Some("1 March 2026".to_owned()) }), "{text}");
        }
        for text in [
            "Compare A1 and B2",
            "Vergleiche A1 mit B2",
            "Compare A1 et B2",
            "Compara A1 y B2",
            "Confronta A1 e B2",
            "Vergelijk A1 met B2",
            "Compare A1 com B2",
        ] {
            let wanted = Intent::Comparison { first: "A1".to_owned(), second: "B2".to_owned() };
            assert_eq!(first(text), Some(wanted), "{text}");
        }
        let section = Intent::SectionOverview { title: "the survey".to_owned(), heading: "the quay".to_owned() };
        assert_eq!(first("What does the survey say about the quay?"), Some(section));
    }

    #[test]
    fn a_request_may_be_read_in_several_ways() {
        let readings = recognize_intent("Resume el Informe anual");
        assert_eq!(readings.first().map(|reading| reading.language), Some(Language::SPANISH));
        let readings = recognize_intent("Compare research and development and sales");
        let intents: Vec<_> = readings.into_iter().map(|reading| reading.intent).collect();
        let pair =
            |first: &str, second: &str| Intent::Comparison { first: first.to_owned(), second: second.to_owned() };
        assert_eq!(intents, [pair("research", "development and sales"), pair("research and development", "sales")]);
    }

    #[test]
    fn questions_are_left_alone() {
        for text in [
            "What is in the harbour's ledger?",
            "When was the harbour rebuilt?",
            "How deep is the quay, and who measured it?",
            "hi-fi prices in 1931",
            "What did Oke Halvane say about the storm?",
            "Wie tief ist der Hafen?",
            "Quelle est la profondeur du port ?",
            "thanks to whom was the wall rebuilt?",
            "",
            "?!",
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }

    #[test]
    fn no_text_takes_long() {
        for text in ["compare ".repeat(10_000), "and ".repeat(40), "what is in my ".repeat(13), "a".repeat(1 << 20)] {
            let _ = recognize_intent(&text);
        }
    }
}
