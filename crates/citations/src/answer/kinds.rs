//! What kind of thing a question asks for, and whether a sentence has such a thing.

use crate::verify::{
    figures::{Figures, figures},
    words::{Piece, pieces},
};

/// What a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A person, or people together.
    Person,
    /// A day, a year, a time.
    Date,
    /// A number.
    Number,
    /// A place.
    Place,
    /// A reason.
    Reason,
    /// What something is.
    Definition,
    /// How something is done.
    Steps,
}

/// How a question that asks for a kind is put. The first of these in a question counts, the longest where two begin
/// together.
#[rustfmt::skip]
const ASKED: &[(Kind, &[&str])] = &[
    (Kind::Person, &[
        "who", "whom", "whose", "which person", "which company", "what company", "what person", "what is the name", "wer", "wem", "wen",
        "wessen", "von wem", "qui", "par qui", "quién", "quiénes", "quien", "chi", "quem", "wie is", "wie was", "wie heeft", "vem", "hvem",
        "kto", "кто", "кем",
    ]),
    (Kind::Date, &[
        "when", "what year", "which year", "what date", "which date", "what day", "which day", "what month", "which month", "what time",
        "what century", "how long ago", "since when", "wann", "seit wann", "welchem jahr", "welches jahr", "welchem tag", "quand",
        "quelle année", "quelle date", "quel jour", "cuándo", "cuando", "qué año", "qué fecha", "quando", "che anno", "quale anno",
        "que ano", "wanneer", "welk jaar", "vilket år", "hvornår", "hvilket år", "kiedy", "którym roku", "когда", "каком году",
    ]),
    (Kind::Number, &[
        "how many", "how much", "how long", "how old", "how far", "how tall", "how high", "how deep", "how big", "how large", "how wide",
        "how fast", "how often", "how heavy", "what percentage", "what percent", "what share", "what number", "what proportion",
        "wie viel", "wie viele", "wieviel", "wieviele", "wie lange", "wie alt", "wie hoch", "wie weit", "wie groß", "wie lang", "wie tief",
        "wie oft", "wie schwer", "combien", "quelle hauteur", "quelle longueur", "quel âge", "cuánto", "cuánta", "cuántos", "cuántas",
        "quanto", "quanta", "quanti", "quante", "quantos", "quantas", "hoeveel", "hoe lang", "hoe hoog", "hoe oud", "hur många",
        "hur mycket", "hur lång", "hur hög", "hvor mange", "hvor meget", "hvor lang", "hvor høj", "ile", "сколько",
    ]),
    (Kind::Place, &[
        "where", "what city", "which city", "what country", "which country", "what town", "which town", "what place", "which place",
        "what state", "which state", "which region", "wo", "woher", "wohin", "welche stadt", "welcher stadt", "welches land",
        "welchem land", "où", "quelle ville", "quel pays", "dónde", "donde", "qué ciudad", "qué país", "dove", "quale città", "onde",
        "waar", "welke stad", "var ligger", "hvor ligger", "gdzie", "где", "каком городе", "какой стране",
    ]),
    (Kind::Reason, &[
        "why", "what caused", "what causes", "what is the reason", "for what reason", "how come", "what made", "warum", "weshalb",
        "wieso", "aus welchem grund", "pourquoi", "por qué", "perché", "por que", "porque", "waarom", "varför", "hvorfor", "dlaczego",
        "почему",
    ]),
    (Kind::Definition, &[
        "what is", "what are", "what's", "what does", "define", "definition of", "meaning of", "was ist", "was sind", "was bedeutet",
        "was versteht man", "qu'est", "que signifie", "qué es", "qué son", "qué significa", "cos'è", "cosa è", "che cos'è", "che cosa è",
        "o que é", "wat is", "wat zijn", "vad är", "hvad er", "co to jest", "czym jest", "что такое", "что значит",
    ]),
    (Kind::Steps, &[
        "how to", "how do i", "how do you", "how do we", "how can i", "how can you", "how can we", "how should", "wie kann ich",
        "wie kann man", "wie mache ich", "wie macht man", "comment faire", "comment puis", "comment peut", "cómo puedo", "cómo se",
        "come posso", "come si", "como posso", "como se", "hoe kan ik", "hur kan jag", "hvordan kan", "jak mogę", "как можно",
    ]),
];

/// The same in scripts without spaces, where any place in the question counts.
const ASKED_WIDE: &[(Kind, &[&str])] = &[
    (Kind::Date, &["什么时候", "何时", "哪一年", "哪年", "几年", "几月", "いつ", "何年", "何月", "언제"]),
    (Kind::Number, &["多少", "几个", "多高", "多长", "多大", "多远", "いくつ", "いくら", "何人", "どれくらい", "얼마"]),
    (Kind::Person, &["谁", "誰", "だれ", "누가", "누구"]),
    (Kind::Place, &["哪里", "哪儿", "何处", "哪个城市", "哪个国家", "どこ", "어디"]),
    (Kind::Reason, &["为什么", "为何", "なぜ", "どうして", "왜"]),
    (Kind::Steps, &["怎么做", "如何", "どうやって", "어떻게"]),
    (Kind::Definition, &["是什么", "什么是", "とは", "何ですか", "무엇"]),
];

/// What a question asks for, if that can be told.
pub(super) fn asked(question: &str) -> Option<Kind> {
    let wide = ASKED_WIDE.iter().find(|(_, ways)| ways.iter().any(|way| question.contains(way)));
    if let Some((kind, _)) = wide {
        return Some(*kind);
    }
    let plain = plain(question);
    let mut best: Option<(usize, usize, Kind)> = None;
    for (kind, ways) in ASKED {
        for way in *ways {
            let Some(at) = find_words(&plain, way) else { continue };
            if best.is_none_or(|(first, length, _)| at < first || (at == first && way.len() > length)) {
                best = Some((at, way.len(), *kind));
            }
        }
    }
    best.map(|(_, _, kind)| kind)
}

/// The words in lower case, a blank before and after each.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 2);
    plain.push(' ');
    for piece in pieces(text) {
        let Piece::Word(word) = piece else { continue };
        plain.extend(word.chars().flat_map(char::to_lowercase).map(|char| if char == '’' { '\'' } else { char }));
        plain.push(' ');
    }
    plain
}

/// Where words stand in words, as whole ones.
fn find_words(plain: &str, words: &str) -> Option<usize> {
    plain
        .match_indices(words)
        .map(|(at, _)| at)
        .find(|&at| plain[..at].ends_with(' ') && plain[at + words.len()..].starts_with([' ', '\'']))
}

#[rustfmt::skip]
const REASONS: &[&str] = &[
    "because", "due to", "since", "so that", "in order to", "caused by", "causes", "cause", "caused", "as a result", "result of", "results from",
    "therefore", "thanks to", "owing to", "reason", "reasons", "led to", "leads to", "prompted", "in response to", "to avoid", "to prevent",
    "weil", "denn", "da", "wegen", "aufgrund", "deshalb", "daher", "damit", "grund", "um", "infolge", "parce", "car", "à cause", "en raison", "grâce",
    "afin", "puisque", "porque", "debido", "ya que", "para que", "a causa", "gracias", "perché", "poiché", "dovuto", "grazie", "devido",
    "por causa", "já que", "omdat", "want", "vanwege", "doordat", "eftersom", "därför", "på grund", "fordi", "ponieważ", "dlatego", "z powodu",
    "потому", "поскольку", "из за", "так как", "благодаря",
];

#[rustfmt::skip]
const DATES: &[&str] = &[
    "january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december", "monday", "tuesday",
    "wednesday", "thursday", "friday", "saturday", "sunday", "yesterday", "today", "tomorrow", "ago", "last week", "last month", "last year",
    "last night", "last weekend", "next week", "next month", "next year", "this week", "this month", "this year", "recently", "century", "tonight",
    "januar", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember", "gestern", "heute", "morgen", "jahrhundert", "jahrhunderts",
    "janvier", "février", "mars", "avril", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre", "hier", "siècle",
    "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre", "ayer", "siglo",
    "gennaio", "febbraio", "aprile", "maggio", "giugno", "luglio", "settembre", "ottobre", "dicembre", "ieri", "secolo",
    "janeiro", "fevereiro", "março", "maio", "junho", "julho", "setembro", "outubro", "novembro", "dezembro", "ontem", "século",
    "januari", "februari", "maart", "mei", "augustus", "gisteren", "eeuw", "augusti", "igår", "århundrede", "wczoraj", "wieku",
    "января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря", "веке",
];

#[rustfmt::skip]
const BEFORE_PLACES: &[&str] = &[
    "in", "at", "near", "from", "to", "into", "toward", "towards", "of", "around", "outside", "across", "bei", "aus", "nach", "im", "am", "à", "en",
    "au", "aux", "dans", "de", "vers", "près", "a", "desde", "hacia", "cerca", "ad", "da", "di", "nel", "nella", "em", "no", "na", "te", "bij",
    "uit", "naar", "i", "på", "till", "från", "ved", "til", "fra", "w", "we", "do", "z", "в", "на", "из", "под", "до",
];

#[rustfmt::skip]
const STEPS: &[&str] = &[
    "first", "then", "next", "step", "steps", "click", "press", "select", "choose", "open", "you can", "you need", "you should", "make sure",
    "by", "use", "using", "must", "zuerst", "dann", "klicken", "wählen", "drücken", "öffnen", "sie können", "man", "d'abord", "ensuite", "puis", "cliquez",
    "appuyez", "choisissez", "primero", "luego", "haga", "pulse", "seleccione", "debe", "prima", "poi", "cliccare", "primeiro", "depois", "clique",
    "eerst", "klik", "kies", "först", "klicka", "først", "klik", "najpierw", "сначала", "затем", "нажмите",
];

/// Words between a thing and what it is.
#[rustfmt::skip]
const COPULAS: &[&str] = &[
    "is a", "is an", "is the", "is any", "are", "was a", "was an", "was the", "refers to", "refer to", "is defined", "means", "stands for", "denotes", "describes",
    "ist ein", "ist eine", "ist der", "ist die", "ist das", "sind", "bezeichnet", "bedeutet", "est un", "est une", "est le", "est la", "sont",
    "désigne", "signifie", "es un", "es una", "es el", "es la", "son", "significa", "è un", "è una", "è il", "è la", "sono", "indica",
    "é um", "é uma", "é o", "é a", "são", "is een", "is de", "is het", "zijn", "är en", "är ett", "är den", "er en", "er et", "to", "jest", "это", "является",
];

/// Whether a sentence has what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// It has.
    Has,
    /// It has not.
    Lacks,
    /// That cannot be told.
    Unknown,
}

/// What the question itself has of what it asks for, which answers nothing.
#[derive(Debug, Default)]
pub(super) struct Known {
    figures: Figures,
    /// Its words in lower case.
    plain: String,
}

impl Known {
    pub fn new(question: &str) -> Self {
        Self { figures: figures(question), plain: plain(question) }
    }
}

/// Whether a sentence has a thing of that kind that the question does not have.
///
/// `is_subject` says whether words have some that the question is about; `raises_nouns` that a capital makes no name.
pub(super) fn fit(
    kind: Kind,
    sentence: &str,
    known: &Known,
    raises_nouns: bool,
    is_subject: impl Fn(&str) -> bool,
) -> Fit {
    let is_wide = sentence.chars().any(|char| char >= '\u{2E80}');
    let has = match kind {
        Kind::Person if !is_cased(sentence) => return Fit::Unknown,
        Kind::Place if !is_cased(sentence) => return Fit::Unknown,
        Kind::Person => names(sentence, known, raises_nouns).next().is_some(),
        Kind::Place => names(sentence, known, raises_nouns).any(|(before, _)| BEFORE_PLACES.contains(&before.as_str())),
        Kind::Number => has_figure(sentence, known),
        Kind::Date => has_date(sentence, known),
        Kind::Reason if is_wide => ["因为", "由于", "ため", "から", "때문"].iter().any(|word| sentence.contains(word)),
        Kind::Definition if is_wide => {
            ["是", "とは", "です", "である", "指"].iter().any(|word| sentence.contains(word))
        }
        Kind::Steps if is_wide => return Fit::Unknown,
        Kind::Reason => has_any(&plain(sentence), REASONS),
        Kind::Steps => has_any(&plain(sentence), STEPS),
        Kind::Definition => {
            let plain = plain(sentence);
            COPULAS.iter().any(|copula| find_words(&plain, copula).is_some_and(|at| is_subject(&plain[..at])))
        }
    };
    if has { Fit::Has } else { Fit::Lacks }
}

fn has_any(plain: &str, words: &[&str]) -> bool {
    words.iter().any(|word| find_words(plain, word).is_some())
}

/// Whether a text is in a script that has capitals.
fn is_cased(text: &str) -> bool {
    text.chars().any(char::is_lowercase)
}

fn has_figure(sentence: &str, known: &Known) -> bool {
    let found = figures(sentence);
    let has_new = found
        .figures
        .iter()
        .any(|figure| Figures { figures: vec![*figure], months: Vec::new() }.missing_in(&known.figures).0 > 0);
    // What a script without spaces writes without figures.
    has_new
        || sentence.chars().any(|char| {
            matches!(
                char,
                '一' | '二' | '三' | '四' | '五' | '六' | '七' | '八' | '九' | '十' | '百' | '千' | '万' | '亿'
            )
        })
}

fn has_date(sentence: &str, known: &Known) -> bool {
    let found = figures(sentence);
    let is_year = |value: f64| (1000.0..2200.0).contains(&value) && value.fract() == 0.0;
    let has_year = found.figures.iter().any(|figure| {
        !figure.is_percent
            && is_year(figure.value)
            && Figures { figures: vec![*figure], months: Vec::new() }.missing_in(&known.figures).0 > 0
    });
    let is_known_month = |month: &u8| known.figures.months.contains(month);
    has_year || found.months.iter().any(|month| !is_known_month(month)) || has_wide_date(sentence) || {
        let plain = plain(sentence);
        DATES.iter().any(|word| find_words(&plain, word).is_some() && find_words(&known.plain, word).is_none())
    }
}

/// A year or a day as Chinese, Japanese and Korean write it: `1958年`, `3月`.
fn has_wide_date(sentence: &str) -> bool {
    let mut before = ' ';
    sentence.chars().any(|char| {
        let is_date = matches!(char, '年' | '月' | '日' | '년' | '월' | '일') && before.is_numeric();
        before = char;
        is_date
    })
}

/// The names in a sentence that the question does not have, each with the word before it, in lower case.
fn names<'run>(
    sentence: &'run str,
    known: &'run Known,
    raises_nouns: bool,
) -> impl Iterator<Item = (String, &'run str)> {
    let words: Vec<_> = pieces(sentence).collect();
    let raised = |at: usize| match words.get(at) {
        Some(Piece::Word(word)) => word.starts_with(char::is_uppercase) && word.chars().nth(1).is_some(),
        _ => false,
    };
    let found: Vec<_> = (0..words.len())
        .filter_map(|at| {
            let Piece::Word(word) = words[at] else { return None };
            let begins = at == 0 || matches!(words[at - 1], Piece::End);
            // Where every noun is raised, or a sentence begins, only two in a row make a name.
            let is_pair = raised(at + 1) || (!begins && raised(at - 1));
            let is_name = raised(at) && if begins || raises_nouns { is_pair } else { true };
            let lower = word.to_lowercase();
            let bare = lower.strip_suffix("'s").or_else(|| lower.strip_suffix("’s")).unwrap_or(&lower);
            if !is_name || find_words(&known.plain, bare).is_some() {
                return None;
            }
            let before = (0..at).rev().find(|&before| !raised(before));
            let before = before.and_then(|before| match words[before] {
                Piece::Word(word) => Some(word.to_lowercase()),
                Piece::End => None,
            });
            Some((before.unwrap_or_default(), word))
        })
        .collect();
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_tells_what_it_asks_for() {
        for (question, kind) in [
            ("Who built the bridge?", Some(Kind::Person)),
            ("In which year was the bridge opened?", Some(Kind::Date)),
            ("How many people cross it?", Some(Kind::Number)),
            ("How long is it, and where does it end?", Some(Kind::Number)),
            ("Where does it end?", Some(Kind::Place)),
            ("Why was it closed?", Some(Kind::Reason)),
            ("What's a truss?", Some(Kind::Definition)),
            ("What is the name of the architect?", Some(Kind::Person)),
            ("How do I open the lock?", Some(Kind::Steps)),
            ("Is the bridge closed?", None),
            ("Wer baute die Brücke?", Some(Kind::Person)),
            ("Seit wann ist sie offen?", Some(Kind::Date)),
            ("Qu’est-ce qu’une ferme ?", Some(Kind::Definition)),
            ("¿Cuántos arcos tiene?", Some(Kind::Number)),
            ("Dove si trova il ponte?", Some(Kind::Place)),
            ("東京タワーはいつ完成しましたか？", Some(Kind::Date)),
            ("Кто построил мост?", Some(Kind::Person)),
            ("whoever whenever", None),
            ("", None),
        ] {
            assert_eq!(asked(question), kind, "{question}");
        }
    }

    #[test]
    fn a_sentence_has_what_is_asked_for_or_not() {
        let fits = |question: &str, sentence: &str| {
            let subject = plain(question);
            let is_subject = |words: &str| words.split(' ').any(|word| word.len() > 3 && subject.contains(word));
            fit(asked(question).unwrap(), sentence, &Known::new(question), question.starts_with("Wer"), is_subject)
        };
        for (question, sentence, wanted) in [
            ("Who built the Harbour Bridge?", "The Harbour Bridge was built by John Bradfield.", Fit::Has),
            ("Who built the Harbour Bridge?", "The Harbour Bridge was built of steel.", Fit::Lacks),
            ("Wer baute die Brücke?", "Die Brücke wurde von Ada Muster gebaut.", Fit::Has),
            ("Wer baute die Brücke?", "Die Brücke wurde aus Stahl gebaut.", Fit::Lacks),
            ("When was it opened?", "It was opened on 19 March.", Fit::Has),
            ("When was it opened in 1932?", "It was opened in 1932.", Fit::Lacks),
            ("When was it opened?", "It cost 4200000 and has 8 lanes.", Fit::Lacks),
            ("How many lanes does it have?", "It has eight lanes.", Fit::Has),
            ("How many lanes does it have?", "It has lanes.", Fit::Lacks),
            ("Where is the bridge?", "The bridge stands in Sydney.", Fit::Has),
            ("Where is the bridge?", "The bridge was built by Dorman Long.", Fit::Lacks),
            ("Why was it closed?", "It was closed because of ice.", Fit::Has),
            ("Why was it closed?", "It was closed in winter.", Fit::Lacks),
            ("What is a truss?", "A truss is a frame of bars.", Fit::Has),
            ("What is a truss?", "The frame is a truss.", Fit::Lacks),
            ("How do I open the lock?", "First press the green button.", Fit::Has),
            ("東京タワーはいつ完成しましたか？", "東京タワーは1958年に完成した。", Fit::Has),
            ("谁建造了这座桥？", "这座桥由工程师建造。", Fit::Unknown),
        ] {
            assert_eq!(fits(question, sentence), wanted, "{question} | {sentence}");
        }
    }
}
