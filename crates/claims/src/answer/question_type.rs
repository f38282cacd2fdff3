//! What kind of thing a question asks for.

use crate::verify::words::{LITTLE, SentenceToken, sentence_tokens};

/// Type of answer that a question expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionType {
    /// A person, or people together.
    Person,
    /// A day, a year or a time of day.
    Date,
    Number,
    Place,
    Reason,
    /// An explanation of what something is.
    Definition,
    /// Instructions on how something is done.
    Steps,
}

/// Phrases that tell the type of a question. The first phrase found in the question decides; of two at the same
/// position, the longer one.
#[rustfmt::skip]
const ASKED: &[(QuestionType, &[&str])] = &[
    (QuestionType::Person, &[
        "who", "whom", "whose", "which person", "which company", "what company", "what person", "what is the name",
        "wer", "wem", "wen", "wessen", "von wem", "qui", "par qui", "quién", "quiénes", "quien", "chi", "quem",
        "wie is", "wie was", "wie heeft", "vem", "hvem", "kto", "кто", "кем",
    ]),
    (QuestionType::Date, &[
        "when", "what year", "which year", "what date", "which date", "what day", "which day", "what month",
        "which month", "what time", "what century", "how long ago", "since when", "wann", "seit wann", "welchem jahr",
        "welches jahr", "welchem tag", "quand", "quelle année", "quelle date", "quel jour", "cuándo", "cuando",
        "qué año", "qué fecha", "quando", "che anno", "quale anno", "que ano", "wanneer", "welk jaar", "vilket år",
        "hvornår", "hvilket år", "kiedy", "którym roku", "когда", "каком году",
    ]),
    (QuestionType::Number, &[
        "how many", "how much", "how long", "how old", "how far", "how tall", "how high", "how deep", "how big",
        "how large", "how wide", "how fast", "how often", "how heavy", "what percentage", "what percent", "what share",
        "what number", "what proportion", "wie viel", "wie viele", "wieviel", "wieviele", "wie lange", "wie alt",
        "wie hoch", "wie weit", "wie groß", "wie lang", "wie tief", "wie oft", "wie schwer", "combien",
        "quelle hauteur", "quelle longueur", "quel âge", "cuánto", "cuánta", "cuántos", "cuántas", "quanto", "quanta",
        "quanti", "quante", "quantos", "quantas", "hoeveel", "hoe lang", "hoe hoog", "hoe oud", "hur många",
        "hur mycket", "hur lång", "hur hög", "hvor mange", "hvor meget", "hvor lang", "hvor høj", "ile", "ilu",
        "сколько",
    ]),
    (QuestionType::Place, &[
        "where", "what city", "which city", "what country", "which country", "what town", "which town", "what place",
        "which place", "what state", "which state", "which region", "wo", "woher", "wohin", "welche stadt",
        "welcher stadt", "welches land", "welchem land", "où", "quelle ville", "quel pays", "dónde", "donde",
        "qué ciudad", "qué país", "dove", "quale città", "onde", "waar", "welke stad", "var ligger", "hvor ligger",
        "gdzie", "где", "каком городе", "какой стране",
    ]),
    (QuestionType::Reason, &[
        "why", "what caused", "what causes", "what is the reason", "for what reason", "how come", "what made", "warum",
        "weshalb", "wieso", "aus welchem grund", "pourquoi", "por qué", "perché", "por que", "porque", "waarom",
        "varför", "hvorfor", "dlaczego", "почему",
    ]),
    (QuestionType::Definition, &[
        "what is", "what are", "what's", "what does", "define", "definition of", "meaning of", "was ist", "was sind",
        "was bedeutet", "was versteht man", "qu'est", "que signifie", "qué es", "qué son", "qué significa", "cos'è",
        "cosa è", "che cos'è", "che cosa è", "o que é", "wat is", "wat zijn", "vad är", "hvad er", "co to jest",
        "czym jest", "что такое", "что значит",
    ]),
    (QuestionType::Steps, &[
        "how to", "how do i", "how do you", "how do we", "how can i", "how can you", "how can we", "how should",
        "wie kann ich", "wie kann man", "wie mache ich", "wie macht man", "comment faire", "comment puis",
        "comment peut", "cómo puedo", "cómo se", "come posso", "come si", "como posso", "como se", "hoe kan ik",
        "hur kan jag", "hvordan kan", "jak mogę", "как можно",
    ]),
];

/// The same in scripts without spaces, where any place in the question counts.
const ASKED_WIDE: &[(QuestionType, &[&str])] = &[
    (QuestionType::Date, &["什么时候", "何时", "哪一年", "哪年", "几年", "几月", "いつ", "何年", "何月", "언제"]),
    (
        QuestionType::Number,
        &["多少", "几个", "多高", "多长", "多大", "多远", "いくつ", "いくら", "何人", "どれくらい", "얼마"],
    ),
    (QuestionType::Person, &["谁", "誰", "だれ", "누가", "누구"]),
    (QuestionType::Place, &["哪里", "哪儿", "何处", "哪个城市", "哪个国家", "どこ", "어디"]),
    (QuestionType::Reason, &["为什么", "为何", "なぜ", "どうして", "왜"]),
    (QuestionType::Steps, &["怎么做", "如何", "どうやって", "어떻게"]),
    (QuestionType::Definition, &["是什么", "什么是", "とは", "何ですか", "무엇"]),
];

/// Type of answer that a question expects, and for "how many" questions the thing that is counted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ExpectedAnswer {
    pub kind: QuestionType,
    /// Prefix of the word that is counted, if the question asks for a number.
    pub counted: Option<String>,
}

impl ExpectedAnswer {
    /// Returns true if the answer must contain a figure: a date or a number.
    pub const fn is_for_figure(&self) -> bool {
        matches!(self.kind, QuestionType::Date | QuestionType::Number)
    }
}

/// Returns the type of answer that a question expects, or `None` if no known phrase is found.
pub(super) fn classify_question(question: &str) -> Option<ExpectedAnswer> {
    let wide = ASKED_WIDE.iter().find(|(_, ways)| ways.iter().any(|way| question.contains(way)));
    if let Some((kind, _)) = wide {
        return Some(ExpectedAnswer { kind: *kind, counted: None });
    }
    let plain = lowercase_words(question);
    let mut best: Option<(usize, usize, QuestionType)> = None;
    for (kind, ways) in ASKED {
        for way in *ways {
            let Some(at) = find_words(&plain, way) else { continue };
            if best.is_none_or(|(first, length, _)| at < first || (at == first && way.len() > length)) {
                best = Some((at, way.len(), *kind));
            }
        }
    }
    let (at, length, kind) = best?;
    // `How many people`; what follows `how long` is not counted.
    let is_count = kind == QuestionType::Number && COUNTS.contains(&&plain[at..at + length]);
    let mut next = plain[at + length..].split(' ').filter(|word| !matches!(*word, "" | "de" | "d"));
    let counted =
        next.next().filter(|word| is_count && word.chars().count() >= 4 && LITTLE.binary_search(word).is_err());
    Some(ExpectedAnswer { kind, counted: counted.map(|word| word.chars().take(COUNTED).collect()) })
}

/// Question phrases that are followed by the thing that is counted.
#[rustfmt::skip]
const COUNTS: &[&str] = &[
    "how many", "how much", "wie viel", "wie viele", "wieviel", "wieviele", "combien", "cuánto", "cuánta", "cuántos",
    "cuántas", "quanto", "quanta", "quanti", "quante", "quantos", "quantas", "hoeveel", "hur många", "hur mycket",
    "hvor mange", "hvor meget", "ile", "ilu", "сколько",
];
/// So many letters tell whether two words are forms of one.
const COUNTED: usize = 5;

/// The words in lower case, a blank before and after each.
pub(super) fn lowercase_words(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 2);
    plain.push(' ');
    for piece in sentence_tokens(text) {
        let SentenceToken::Word(word) = piece else { continue };
        plain.extend(word.chars().flat_map(char::to_lowercase).map(|char| if char == '’' { '\'' } else { char }));
        plain.push(' ');
    }
    plain
}

/// Finds `words` as whole words in `plain` and returns the byte position.
pub(super) fn find_words(plain: &str, words: &str) -> Option<usize> {
    plain
        .match_indices(words)
        .map(|(at, _)| at)
        .find(|&at| plain[..at].ends_with(' ') && plain[at + words.len()..].starts_with([' ', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_tells_what_it_asks_for() {
        for (question, kind) in [
            ("Who built the bridge?", Some(QuestionType::Person)),
            ("In which year was the bridge opened?", Some(QuestionType::Date)),
            ("How many people cross it?", Some(QuestionType::Number)),
            ("How long is it, and where does it end?", Some(QuestionType::Number)),
            ("Where does it end?", Some(QuestionType::Place)),
            ("Why was it closed?", Some(QuestionType::Reason)),
            ("What's a truss?", Some(QuestionType::Definition)),
            ("What is the name of the architect?", Some(QuestionType::Person)),
            ("How do I open the lock?", Some(QuestionType::Steps)),
            ("Is the bridge closed?", None),
            ("Wer baute die Brücke?", Some(QuestionType::Person)),
            ("Seit wann ist sie offen?", Some(QuestionType::Date)),
            ("Qu’est-ce qu’une ferme ?", Some(QuestionType::Definition)),
            ("¿Cuántos arcos tiene?", Some(QuestionType::Number)),
            ("Dove si trova il ponte?", Some(QuestionType::Place)),
            ("東京タワーはいつ完成しましたか？", Some(QuestionType::Date)),
            ("Кто построил мост?", Some(QuestionType::Person)),
            ("whoever whenever", None),
            ("", None),
        ] {
            assert_eq!(classify_question(question).map(|asking| asking.kind), kind, "{question}");
        }
    }
}
