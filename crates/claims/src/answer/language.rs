//! The language of a passage or of a question, as far as that changes how its words are compared.

use ibid_language::{Language, Lexicon, compounds::makes_compounds, detect::detect_short, stems::WordStemmer};

/// A language that words are compared in; none where it cannot be told. English is then the likeliest, and its stems do
/// little harm to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextLanguage(pub Option<Language>);

impl TextLanguage {
    /// The language of a text.
    pub fn detect(text: &str) -> Self {
        Self(detect_short(text))
    }

    /// The language to read the text in.
    pub fn language(self) -> Language {
        self.0.unwrap_or(Language::ENGLISH)
    }

    pub fn lexicon(self) -> &'static Lexicon {
        Lexicon::of(self.language())
    }

    pub const fn is_known(self) -> bool {
        self.0.is_some()
    }

    /// Returns true if a stem can begin differently from its word.
    pub fn changes_beginnings(self) -> bool {
        WordStemmer::new(self.language()).changes_beginnings()
    }

    /// Returns true if the language forms compounds whose last part carries the meaning, as German does.
    pub fn forms_compounds(self) -> bool {
        makes_compounds(self.language())
    }

    /// Returns true if the language capitalizes every noun, so that a capital letter does not mean a name.
    pub fn raises_nouns(self) -> bool {
        self.lexicon().has_capital_nouns
    }

    /// Returns true if a lowercase word is a function word that carries no meaning by itself.
    pub fn is_little(self, word: &str) -> bool {
        self.is_known() && self.lexicon().is_little(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_tells_its_language() {
        for (text, language) in [
            ("When was the bridge opened to traffic?", Some("en")),
            ("Wann wurde die Brücke für den Verkehr geöffnet?", Some("de")),
            ("Quand le pont a-t-il été ouvert à la circulation ?", Some("fr")),
            ("¿Cuándo se abrió el puente al tráfico?", Some("es")),
            ("Quando è stato aperto il ponte al traffico?", Some("it")),
            ("Quando foi que a ponte abriu ao trânsito?", Some("pt")),
            ("Wanneer werd de brug voor het verkeer geopend?", Some("nl")),
            ("När öppnades bron för trafik och vem var där?", Some("sv")),
            ("Hvornår blev broen åbnet for trafik?", Some("da")),
            ("Kiedy most został otwarty dla ruchu?", Some("pl")),
            ("Когда был открыт мост?", Some("ru")),
            ("Πότε άνοιξε η γέφυρα;", Some("el")),
            ("متى افتتح الجسر؟", Some("ar")),
            ("Milloin silta avattiin liikenteelle?", None),
            ("桥是什么时候开通的？", Some("zh")),
            ("", None),
        ] {
            assert_eq!(TextLanguage::detect(text).0.map(Language::code), language, "{text}");
        }
    }
}
