//! Languages by their ISO 639-1 codes.

use std::fmt;

/// Every code of ISO 639-1, in order.
#[rustfmt::skip]
const CODES: [&str; 183] = [
    "aa", "ab", "ae", "af", "ak", "am", "an", "ar", "as", "av", "ay", "az", "ba", "be", "bg", "bi", "bm", "bn", "bo",
    "br", "bs", "ca", "ce", "ch", "co", "cr", "cs", "cu", "cv", "cy", "da", "de", "dv", "dz", "ee", "el", "en", "eo",
    "es", "et", "eu", "fa", "ff", "fi", "fj", "fo", "fr", "fy", "ga", "gd", "gl", "gn", "gu", "gv", "ha", "he", "hi",
    "ho", "hr", "ht", "hu", "hy", "hz", "ia", "id", "ie", "ig", "ii", "ik", "io", "is", "it", "iu", "ja", "jv", "ka",
    "kg", "ki", "kj", "kk", "kl", "km", "kn", "ko", "kr", "ks", "ku", "kv", "kw", "ky", "la", "lb", "lg", "li", "ln",
    "lo", "lt", "lu", "lv", "mg", "mh", "mi", "mk", "ml", "mn", "mr", "ms", "mt", "my", "na", "nb", "nd", "ne", "ng",
    "nl", "nn", "no", "nr", "nv", "ny", "oc", "oj", "om", "or", "os", "pa", "pi", "pl", "ps", "pt", "qu", "rm", "rn",
    "ro", "ru", "rw", "sa", "sc", "sd", "se", "sg", "si", "sk", "sl", "sm", "sn", "so", "sq", "sr", "ss", "st", "su",
    "sv", "sw", "ta", "te", "tg", "th", "ti", "tk", "tl", "tn", "to", "tr", "ts", "tt", "tw", "ty", "ug", "uk", "ur",
    "uz", "ve", "vi", "vo", "wa", "wo", "xh", "yi", "yo", "za", "zh", "zu",
];

/// A language that has a code of two letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u8);

impl Language {
    /// Danish.
    pub const DANISH: Self = Self::of_known_code("da");
    /// Dutch.
    pub const DUTCH: Self = Self::of_known_code("nl");
    /// English, which is assumed where nothing else is known.
    pub const ENGLISH: Self = Self::of_known_code("en");
    /// French.
    pub const FRENCH: Self = Self::of_known_code("fr");
    /// German.
    pub const GERMAN: Self = Self::of_known_code("de");
    /// Greek.
    pub const GREEK: Self = Self::of_known_code("el");
    /// Italian.
    pub const ITALIAN: Self = Self::of_known_code("it");
    /// Polish.
    pub const POLISH: Self = Self::of_known_code("pl");
    /// Portuguese.
    pub const PORTUGUESE: Self = Self::of_known_code("pt");
    /// Russian.
    pub const RUSSIAN: Self = Self::of_known_code("ru");
    /// Spanish.
    pub const SPANISH: Self = Self::of_known_code("es");
    /// Swedish.
    pub const SWEDISH: Self = Self::of_known_code("sv");

    /// The languages whose lexicon has every list filled, so that verdicts in them can be relied on.
    pub const COMPLETE: [Self; 7] =
        [Self::ENGLISH, Self::GERMAN, Self::FRENCH, Self::SPANISH, Self::ITALIAN, Self::DUTCH, Self::PORTUGUESE];

    /// The language of a code or tag such as `de`, `pt-BR` or `EN_us`; `None` if its first part is no known code.
    pub fn from_code(tag: &str) -> Option<Self> {
        let main = tag.trim().split(['-', '_']).next()?;
        let lower: [u8; 2] = main.as_bytes().try_into().ok()?;
        let lower = lower.map(|byte| byte.to_ascii_lowercase());
        let place = CODES.binary_search_by(|code| code.as_bytes().cmp(&lower)).ok()?;
        u8::try_from(place).ok().map(Self)
    }

    /// The code of two letters, in lower case.
    pub fn code(self) -> &'static str {
        CODES.get(usize::from(self.0)).copied().unwrap_or("en")
    }

    /// The language of a code of this file. Used for constants only, so that a wrong code does not compile.
    #[allow(clippy::panic, reason = "evaluated while compiling")]
    const fn of_known_code(code: &str) -> Self {
        let code = code.as_bytes();
        let mut place = 0;
        while place < CODES.len() {
            let known = CODES[place].as_bytes();
            if known[0] == code[0] && known[1] == code[1] {
                return Self(place as u8);
            }
            place += 1;
        }
        panic!("not a code of ISO 639-1")
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Language({})", self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_found() {
        assert!(CODES.is_sorted());
        for (tag, code) in [
            ("de", Some("de")),
            ("pt-BR", Some("pt")),
            ("EN_us", Some("en")),
            (" fr ", Some("fr")),
            ("deu", None),
            ("", None),
            ("xx", None),
        ] {
            assert_eq!(Language::from_code(tag).map(Language::code), code, "{tag}");
        }
        assert_eq!(Language::GERMAN.to_string(), "de");
    }
}
