//! Fields in the one spelling that references use.

use ibid_domain::PartialDate;
use ibid_language::lexicon::month_by_beginning;

/// A DOI without its resolver, in lower case: they are compared without case.
pub(super) fn parse_doi(text: &str) -> Option<String> {
    let text = text.trim();
    let lower = text.to_lowercase();
    let at = lower.find("10.")?;
    let before = lower[..at].trim();
    let known = before.is_empty()
        || before.ends_with("doi:")
        || before.ends_with("doi")
        || (before.ends_with('/') && before.contains("doi"));
    let found = lower[at..].split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"')).next()?;
    let found = found.trim_end_matches(['.', ',', ';']);
    let (registrant, suffix) = found.split_once('/')?;
    let fits = registrant.len() > 5
        && registrant.len() < 20
        && registrant[3..].bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (known && fits && !suffix.is_empty() && found.len() <= 300).then(|| found.replace("%2f", "/"))
}

/// An ISBN: ten or thirteen digits, as it was written. Wrong check digits are printed in real books, so they pass.
pub(super) fn parse_isbn(text: &str) -> Option<String> {
    text.split([',', ';', ' ', '\n']).find_map(|one| {
        let one = one.trim().trim_start_matches("ISBN").trim_start_matches(':').trim();
        let digits: String = one.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        let plain = digits.strip_suffix(['x', 'X']).unwrap_or(&digits);
        let fits = matches!((digits.len(), plain.len()), (10, 9..=10) | (13, 13))
            && plain.bytes().all(|byte| byte.is_ascii_digit())
            && one.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '‐' | '–'));
        fits.then(|| one.replace(['‐', '–'], "-").to_uppercase())
    })
}

/// Parses an ISSN and formats it as `1234-567X`.
pub(super) fn parse_issn(text: &str) -> Option<String> {
    text.split([',', ';', ' ', '(', '\n']).find_map(|one| {
        let digits: String = one.trim().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        let fits = digits.len() == 8
            && digits[..7].bytes().all(|byte| byte.is_ascii_digit())
            && digits.ends_with(|c: char| c.is_ascii_digit() || matches!(c, 'x' | 'X'));
        fits.then(|| format!("{}-{}", &digits[..4], digits[4..].to_uppercase()))
    })
}

/// Pages as `12-34`: every dash of the real world is a hyphen here, and spaces around it are gone.
pub(super) fn parse_pages(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches("pp.").trim_start_matches("p.").trim();
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '-' | '–' | '—' | '‐' | '‑' | '−' | '‒' => {
                let kept = out.trim_end().trim_end_matches('-').len();
                out.truncate(kept);
                out.push('-');
            }
            c if c.is_whitespace() && out.ends_with(['-', ' ']) => {}
            c if c.is_whitespace() => out.push(' '),
            other => out.push(other),
        }
    }
    let out = out.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '+' | ','));
    (!out.is_empty()).then(|| out.to_owned())
}

/// A language as a BCP 47 tag.
pub(super) fn parse_language(text: &str) -> Option<String> {
    let lower = text.trim().to_lowercase();
    let named = match lower.as_str() {
        "english" | "eng" => "en",
        "american" | "usenglish" => "en-US",
        "british" | "ukenglish" => "en-GB",
        "german" | "ngerman" | "deutsch" | "ger" | "deu" => "de",
        "austrian" | "naustrian" => "de-AT",
        "french" | "francais" | "français" | "fre" | "fra" => "fr",
        "spanish" | "español" | "spa" => "es",
        "italian" | "italiano" | "ita" => "it",
        "portuguese" | "português" | "por" => "pt",
        "brazilian" | "brazil" => "pt-BR",
        "dutch" | "nederlands" | "dut" | "nld" => "nl",
        "swedish" | "swe" => "sv",
        "danish" | "dan" => "da",
        "norwegian" | "norsk" | "nor" => "no",
        "finnish" | "fin" => "fi",
        "polish" | "pol" => "pl",
        "czech" | "cze" | "ces" => "cs",
        "hungarian" | "magyar" | "hun" => "hu",
        "russian" | "rus" => "ru",
        "ukrainian" | "ukr" => "uk",
        "turkish" | "tur" => "tr",
        "greek" | "gre" | "ell" => "el",
        "chinese" | "chi" | "zho" => "zh",
        "japanese" | "jpn" => "ja",
        "korean" | "kor" => "ko",
        "arabic" | "ara" => "ar",
        "hebrew" | "heb" => "he",
        "latin" | "lat" => "la",
        _ => "",
    };
    if !named.is_empty() {
        return Some(named.to_owned());
    }
    let tag = text.trim().replace('_', "-");
    let mut parts = tag.split('-');
    let first = parts.next()?;
    let fits = matches!(first.len(), 2..=3)
        && first.bytes().all(|byte| byte.is_ascii_alphabetic())
        && parts.all(|part| matches!(part.len(), 1..=8) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    fits.then_some(tag)
}

/// A date as people and programs write it: `2020-05-01`, `2020/05/01/`, `2020 May 3`, `May 2020`, `c2020`, and of
/// `2019-05/2020-02` its beginning.
pub(super) fn parse_date(text: &str) -> Option<PartialDate> {
    let text = text.trim();
    // A range counts from its beginning; `2020/05/01` is none.
    let begin = match text.split_once('/') {
        Some((begin, end)) if begin.contains('-') || (end.trim().len() >= 4 && !end.contains('/')) || end == ".." => {
            begin
        }
        _ => text,
    };
    let mut year = None;
    let mut month = None;
    let mut day = None;
    for word in begin.split(|c: char| !c.is_alphanumeric()) {
        // A time of day follows the `T`.
        let word = match word.split_once('T') {
            Some((digits, rest)) if is_digits(digits) && rest.starts_with(|c: char| c.is_ascii_digit()) => digits,
            _ => word,
        };
        if word.is_empty() {
            continue;
        }
        let digits = word.trim_matches(|c: char| c.is_alphabetic());
        if year.is_none() && digits.len() == 4 && is_digits(digits) {
            year = digits.parse::<i16>().ok();
        } else if let Some(named) = month_of(word) {
            month = month.or(Some(named));
        } else if is_digits(word) && word.len() <= 2 {
            let number: i8 = word.parse().ok()?;
            if month.is_none() && year.is_some() {
                month = Some(number);
            } else if day.is_none() {
                day = Some(number);
            }
        }
        if day.is_some() && year.is_some() {
            break;
        }
    }
    date_from_parts(year?, month, day)
}

/// A date of these parts, as exact as the calendar has it: month 21 is a spring, and no month is 0.
pub(super) fn date_from_parts(year: i16, month: Option<i8>, day: Option<i8>) -> Option<PartialDate> {
    let month = month.filter(|month| (1..=12).contains(month));
    let day = day.filter(|_| month.is_some());
    PartialDate::new(year, month, day).or_else(|| PartialDate::new(year, month, None))
}

/// The number of a month by its name, in any case, or by three letters or more that it begins with.
pub(super) fn month_of(word: &str) -> Option<i8> {
    month_by_beginning(&word.to_lowercase())
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Keywords between commas or semicolons, without doubles.
pub(super) fn add_keywords(text: &str, tags: &mut Vec<String>) {
    let separator = if text.contains(';') { ';' } else { ',' };
    for tag in text.split(separator) {
        let tag = super::markup::clean_markup(tag);
        if !tag.is_empty() && tag.chars().count() <= 200 && !tags.contains(&tag) && tags.len() < 500 {
            tags.push(tag);
        }
    }
}

/// The address, if it is one of the web.
pub(super) fn parse_url(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"')).find(|part| !part.is_empty())?;
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") {
        Some(text.to_owned())
    } else if lower.starts_with("www.") {
        Some(format!("https://{text}"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_one_spelling() {
        for text in [
            "10.1000/ABC.1",
            "https://doi.org/10.1000/abc.1",
            "http://dx.doi.org/10.1000/Abc.1",
            "doi: 10.1000/abc.1",
            "DOI 10.1000/abc.1.",
        ] {
            assert_eq!(parse_doi(text).as_deref(), Some("10.1000/abc.1"), "{text}");
        }
        for text in ["", "10.1000", "see 10.1000/abc", "https://example.org/10.1000/abc", "10.x/abc", "10./x"] {
            assert_eq!(parse_doi(text), None, "{text}");
        }
        assert_eq!(parse_isbn("978-3-16-148410-0 (print)").as_deref(), Some("978-3-16-148410-0"));
        assert_eq!(parse_isbn("0-8044-2957-x, 978").as_deref(), Some("0-8044-2957-X"));
        assert_eq!(parse_isbn("12345"), None);
        assert_eq!(parse_issn("1234567x (Print)").as_deref(), Some("1234-567X"));
        assert_eq!(parse_issn("978-3-16-148410-0"), None);
        assert_eq!(parse_pages("12--34").as_deref(), Some("12-34"));
        assert_eq!(parse_pages("pp. 12 – 34, e5").as_deref(), Some("12-34, e5"));
        assert_eq!(parse_pages("77+").as_deref(), Some("77"));
        assert_eq!(parse_language("ngerman").as_deref(), Some("de"));
        assert_eq!(parse_language("en_US").as_deref(), Some("en-US"));
        assert_eq!(parse_language("the language"), None);
        assert_eq!(parse_url("www.example.org").as_deref(), Some("https://www.example.org"));
        assert_eq!(parse_url("file:///x"), None);
    }

    #[test]
    fn dates_are_read_in_the_ways_programs_write_them() {
        for (text, expected) in [
            ("2020", "2020"),
            ("2020-05-01", "2020-05-01"),
            ("2020-05-01T10:20:30Z", "2020-05-01"),
            ("2020/05/01/", "2020-05-01"),
            ("2020///", "2020"),
            ("2020/05//Spring", "2020-05"),
            ("2020 May 3", "2020-05-03"),
            ("2020 Jul-Aug", "2020-07"),
            ("May 3, 2020", "2020-05-03"),
            ("3 mai 2020", "2020-05-03"),
            ("2019-05/2020-02", "2019-05"),
            ("2019/2020", "2019"),
            ("2020-05/..", "2020-05"),
            ("c2020", "2020"),
            ("2020a", "2020"),
            ("2020-21", "2020"),
            ("2020-02-30", "2020-02"),
            ("[2020?]", "2020"),
        ] {
            assert_eq!(parse_date(text).map(|date| date.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "n.d.", "in press", "20", "12345", "0000"] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }
}
