//! Which language a text is in.

use whatlang::Lang;

/// Characters of each of the three places that are looked at.
const SAMPLE: usize = 2000;

/// The language of a text as an ISO 639-1 code, where there is little doubt: a title is too short to tell. Looks at the
/// beginning, the middle and the end.
pub fn detect(text: &str) -> Option<&'static str> {
    let info = whatlang::detect(&sample_text(text))?;
    info.is_reliable().then(|| iso_code(info.lang())).flatten()
}

/// A part of the text that costs the same however long it is.
fn sample_text(text: &str) -> String {
    if text.len() <= 4 * 3 * SAMPLE {
        return text.chars().take(3 * SAMPLE).collect();
    }
    [0, text.len() / 2, text.len() - 4 * SAMPLE]
        .into_iter()
        .map(|at| text.floor_char_boundary(at))
        .flat_map(|at| text[at..].chars().take(SAMPLE).chain(['\n']))
        .collect()
}

fn iso_code(lang: Lang) -> Option<&'static str> {
    Some(match lang {
        Lang::Epo => "eo",
        Lang::Eng => "en",
        Lang::Rus => "ru",
        Lang::Cmn => "zh",
        Lang::Spa => "es",
        Lang::Por => "pt",
        Lang::Ita => "it",
        Lang::Ben => "bn",
        Lang::Fra => "fr",
        Lang::Deu => "de",
        Lang::Ukr => "uk",
        Lang::Kat => "ka",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        Lang::Jpn => "ja",
        Lang::Heb => "he",
        Lang::Yid => "yi",
        Lang::Pol => "pl",
        Lang::Amh => "am",
        Lang::Jav => "jv",
        Lang::Kor => "ko",
        Lang::Nob => "nb",
        Lang::Dan => "da",
        Lang::Swe => "sv",
        Lang::Fin => "fi",
        Lang::Tur => "tr",
        Lang::Nld => "nl",
        Lang::Hun => "hu",
        Lang::Ces => "cs",
        Lang::Ell => "el",
        Lang::Bul => "bg",
        Lang::Bel => "be",
        Lang::Mar => "mr",
        Lang::Kan => "kn",
        Lang::Ron => "ro",
        Lang::Slv => "sl",
        Lang::Hrv => "hr",
        Lang::Srp => "sr",
        Lang::Mkd => "mk",
        Lang::Lit => "lt",
        Lang::Lav => "lv",
        Lang::Est => "et",
        Lang::Tam => "ta",
        Lang::Vie => "vi",
        Lang::Urd => "ur",
        Lang::Tha => "th",
        Lang::Guj => "gu",
        Lang::Uzb => "uz",
        Lang::Pan => "pa",
        Lang::Aze => "az",
        Lang::Ind => "id",
        Lang::Tel => "te",
        Lang::Pes => "fa",
        Lang::Mal => "ml",
        Lang::Ori => "or",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Sin => "si",
        Lang::Khm => "km",
        Lang::Tuk => "tk",
        Lang::Aka => "ak",
        Lang::Zul => "zu",
        Lang::Sna => "sn",
        Lang::Afr => "af",
        Lang::Lat => "la",
        Lang::Slk => "sk",
        Lang::Cat => "ca",
        Lang::Tgl => "tl",
        Lang::Hye => "hy",
        Lang::Cym => "cy",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_some_length_tells_its_language() {
        for (text, expected) in [
            (
                "The committee met on Tuesday and agreed that the report should be published before the end of the year.",
                "en",
            ),
            (
                "Der Ausschuss traf sich am Dienstag und beschloss, den Bericht noch vor Ende des Jahres zu veröffentlichen.",
                "de",
            ),
            (
                "Le comité s'est réuni mardi et a décidé que le rapport serait publié avant la fin de l'année prochaine.",
                "fr",
            ),
            (
                "El comité se reunió el martes por la mañana y decidió, después de una larga discusión, que el informe debía publicarse antes de que terminara el año, aunque algunos de sus miembros no estaban de acuerdo con ello.",
                "es",
            ),
            ("委員会は火曜日に会合を開き、年末までに報告書を公表することで合意しました。", "ja"),
            ("委员会星期二开会，同意在年底之前公布这份报告。", "zh"),
            ("Комитет собрался во вторник и решил опубликовать доклад до конца года.", "ru"),
        ] {
            assert_eq!(detect(text), Some(expected), "{text}");
            assert_eq!(detect(&text.repeat(5000)), Some(expected));
        }
    }

    #[test]
    fn what_is_no_text_has_no_language() {
        for text in ["", "12345 67890", "...", "OK", "x = y + 1;"] {
            assert_eq!(detect(text), None, "{text}");
        }
    }
}
