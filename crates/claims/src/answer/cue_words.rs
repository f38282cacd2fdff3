//! Words that tell, in each language, a reason, a definition, a way to do something, a place, or that something was said
//! before.

use super::language::TextLanguage;

/// The words of a language. Where there are several to one sign, a blank stands between them.
pub(super) struct CueWords {
    /// Stand before or after a reason.
    pub reasons: &'static [&'static str],
    /// Stand between a thing and what it is.
    pub copulas: &'static [&'static str],
    /// Tell how something is done.
    pub steps: &'static [&'static str],
    /// Stand before the name of a place.
    pub before_places: &'static [&'static str],
    /// Point back, at the beginning of a sentence, to what was said before.
    pub back: &'static [&'static str],
}

impl CueWords {
    /// Those of a language; where it is not known, those of English.
    pub const fn for_language(language: TextLanguage) -> &'static Self {
        match language {
            TextLanguage::German => &GERMAN,
            TextLanguage::French => &FRENCH,
            TextLanguage::Spanish => &SPANISH,
            TextLanguage::Italian => &ITALIAN,
            TextLanguage::Portuguese => &PORTUGUESE,
            TextLanguage::Dutch => &DUTCH,
            TextLanguage::Swedish => &SWEDISH,
            TextLanguage::Danish => &DANISH,
            TextLanguage::Polish => &POLISH,
            TextLanguage::Russian => &RUSSIAN,
            TextLanguage::English
            | TextLanguage::Greek
            | TextLanguage::Arabic
            | TextLanguage::Tamil
            | TextLanguage::Other => &ENGLISH,
        }
    }
}

#[rustfmt::skip]
const ENGLISH: CueWords = CueWords {
    reasons: &[
        "because", "due to", "since", "so that", "in order to", "causes", "cause", "caused", "as a result",
        "result of", "results from", "therefore", "thanks to", "owing to", "reason", "reasons", "led to", "leads to",
        "prompted", "in response to", "to avoid", "to prevent",
    ],
    copulas: &[
        "is a", "is an", "is the", "is any", "are", "was a", "was an", "was the", "refers to", "refer to",
        "is defined", "means", "stands for", "denotes", "describes",
    ],
    steps: &[
        "first", "then", "next", "step", "steps", "click", "press", "select", "choose", "open", "you can", "you need",
        "you should", "make sure", "by", "use", "using", "must",
    ],
    before_places: &[
        "in", "at", "near", "from", "to", "into", "toward", "towards", "of", "around", "outside", "across",
    ],
    back: &[
        "additionally", "but", "consequently", "furthermore", "he", "hence", "her", "his", "however", "instead", "it",
        "it's", "its", "meanwhile", "moreover", "nevertheless", "otherwise", "she", "similarly", "such", "their",
        "then", "therefore", "they", "thus",
    ],
};

#[rustfmt::skip]
const GERMAN: CueWords = CueWords {
    reasons: &[
        "weil", "denn", "da", "wegen", "aufgrund", "deshalb", "daher", "damit", "grund", "um", "infolge", "dank",
        "verursacht",
    ],
    copulas: &[
        "ist ein", "ist eine", "ist der", "ist die", "ist das", "sind", "war ein", "war eine", "bezeichnet",
        "bedeutet", "versteht man",
    ],
    steps: &[
        "zuerst", "dann", "danach", "schritt", "klicken", "wählen", "drücken", "öffnen", "sie können", "man", "indem",
        "muss", "müssen",
    ],
    before_places: &["in", "im", "am", "an", "bei", "aus", "nach", "nahe", "um", "von", "vor"],
    back: &[
        "aber", "außerdem", "dabei", "dadurch", "daher", "damit", "deren", "deshalb", "dessen", "dies", "diese",
        "dieser", "dieses", "dort", "er", "es", "ihr", "ihre", "jedoch", "seine", "sie", "trotzdem",
    ],
};

#[rustfmt::skip]
const FRENCH: CueWords = CueWords {
    reasons: &[
        "parce", "car", "à cause", "en raison", "grâce", "afin", "puisque", "pour que", "dû", "due", "raison",
        "causé",
    ],
    copulas: &["est un", "est une", "est le", "est la", "sont", "était un", "était une", "désigne", "signifie"],
    steps: &[
        "d'abord", "ensuite", "puis", "étape", "cliquez", "appuyez", "choisissez", "ouvrez", "vous pouvez", "il faut",
        "utilisez",
    ],
    before_places: &["à", "en", "au", "aux", "dans", "de", "vers", "près", "chez"],
    back: &[
        "ainsi", "cela", "celle", "celui", "cependant", "ceux", "donc", "elle", "elles", "il", "ils", "leur", "leurs",
        "mais", "sa", "ses", "son", "toutefois",
    ],
};

#[rustfmt::skip]
const SPANISH: CueWords = CueWords {
    reasons: &["porque", "debido", "ya que", "para que", "a causa", "gracias", "razón", "motivo", "causado"],
    copulas: &["es un", "es una", "es el", "es la", "son", "era un", "era una", "significa", "se refiere"],
    steps: &["primero", "luego", "después", "paso", "haga", "pulse", "seleccione", "abra", "debe", "puede", "use"],
    before_places: &["en", "de", "desde", "hacia", "cerca", "a"],
    back: &["además", "ella", "ellas", "ellos", "esto", "pero", "por", "su", "sus", "él"],
};

#[rustfmt::skip]
const ITALIAN: CueWords = CueWords {
    reasons: &["perché", "poiché", "dovuto", "grazie", "a causa", "motivo", "affinché", "causato"],
    copulas: &["è un", "è una", "è il", "è la", "sono", "era un", "era una", "indica", "significa"],
    steps: &[
        "prima", "poi", "dopo", "passo", "cliccare", "premere", "scegliere", "aprire", "si può", "bisogna", "usare",
    ],
    before_places: &["a", "ad", "in", "da", "di", "nel", "nella", "presso", "verso"],
    back: &["ciò", "egli", "ella", "essa", "essi", "esso", "inoltre", "loro", "lui", "ma", "però", "quindi"],
};

#[rustfmt::skip]
const PORTUGUESE: CueWords = CueWords {
    reasons: &["porque", "devido", "por causa", "já que", "para que", "graças", "motivo", "razão", "causado"],
    copulas: &["é um", "é uma", "é o", "é a", "são", "era um", "era uma", "significa", "refere"],
    steps: &["primeiro", "depois", "passo", "clique", "pressione", "escolha", "abra", "pode", "deve", "use"],
    before_places: &["em", "de", "no", "na", "do", "da", "perto", "para"],
    back: &["além", "ela", "elas", "ele", "eles", "essa", "esse", "isso", "isto", "mas", "porém"],
};

#[rustfmt::skip]
const DUTCH: CueWords = CueWords {
    reasons: &["omdat", "want", "vanwege", "doordat", "daarom", "dankzij", "zodat", "reden", "veroorzaakt"],
    copulas: &["is een", "is de", "is het", "zijn", "was een", "betekent"],
    steps: &["eerst", "daarna", "stap", "klik", "kies", "druk", "open", "u kunt", "je kunt", "moet"],
    before_places: &["in", "te", "bij", "uit", "naar", "van"],
    back: &["bovendien", "daarom", "dit", "echter", "hij", "hun", "maar", "ze", "zij"],
};

#[rustfmt::skip]
const SWEDISH: CueWords = CueWords {
    reasons: &["eftersom", "därför", "på grund", "tack vare", "orsaken", "orsakades", "så att"],
    copulas: &["är en", "är ett", "är den", "är det", "var en", "var ett", "betyder"],
    steps: &["först", "sedan", "steg", "klicka", "välj", "tryck", "öppna", "du kan", "måste"],
    before_places: &["i", "på", "till", "från", "vid", "nära"],
    back: &["dessutom", "den", "denna", "det", "detta", "de", "därför", "han", "hon", "men"],
};

#[rustfmt::skip]
const DANISH: CueWords = CueWords {
    reasons: &["fordi", "derfor", "på grund", "takket", "årsagen", "skyldes", "således"],
    copulas: &["er en", "er et", "er den", "er det", "var en", "var et", "betyder"],
    steps: &["først", "derefter", "trin", "klik", "vælg", "tryk", "åbn", "du kan", "skal"],
    before_places: &["i", "på", "til", "fra", "ved", "nær"],
    back: &["desuden", "den", "denne", "derfor", "det", "dette", "de", "han", "hun", "men"],
};

#[rustfmt::skip]
const POLISH: CueWords = CueWords {
    reasons: &["ponieważ", "dlatego", "z powodu", "dzięki", "aby", "gdyż", "przyczyną"],
    copulas: &["to", "jest", "są", "był", "była", "oznacza"],
    steps: &["najpierw", "potem", "następnie", "krok", "kliknij", "wybierz", "naciśnij", "otwórz", "można", "należy"],
    before_places: &["w", "we", "do", "z", "na", "koło", "pod"],
    back: &["ale", "dlatego", "ich", "jednak", "jego", "jej", "on", "ona", "one", "oni", "ono"],
};

#[rustfmt::skip]
const RUSSIAN: CueWords = CueWords {
    reasons: &["потому", "поскольку", "из за", "так как", "благодаря", "поэтому", "чтобы", "причина", "причиной"],
    copulas: &["это", "является", "являются", "был", "была", "означает"],
    steps: &["сначала", "затем", "потом", "шаг", "нажмите", "выберите", "откройте", "можно", "нужно"],
    before_places: &["в", "во", "на", "из", "под", "до", "около", "у"],
    back: &["его", "ее", "её", "их", "но", "однако", "он", "она", "они", "оно", "поэтому"],
};
