//! Keys of entries: `curie1910traite`.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;

use super::fields::CslFields;

/// The longest part of a key, in letters.
const LONGEST_PART: usize = 32;

/// Words that a title begins with and that tell nothing.
const SMALL: [&str; 25] = [
    "a", "an", "the", "of", "on", "in", "to", "for", "and", "der", "die", "das", "ein", "eine", "le", "la", "les", "l",
    "un", "une", "el", "los", "las", "il", "lo",
];

/// One key for each item, all different, also where upper and lower case are the same. Of those that would have the
/// same, the one with the smallest id goes without a letter, so that their order in the list does not matter and one
/// that is added changes none of the others.
pub(super) fn citation_keys(items: &[CslFields<'_>]) -> Vec<String> {
    let bases: Vec<String> = items.iter().map(base_key).collect();
    let mut order: Vec<(Option<String>, usize)> = items.iter().enumerate().map(|(at, item)| (item.id(), at)).collect();
    order.sort();
    let mut used: HashSet<String> = bases.iter().map(|base| base.to_lowercase()).collect();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut keys = bases.clone();
    for (_, at) in order {
        let count = seen.entry(bases[at].to_lowercase()).or_default();
        while *count > 0 {
            let key = format!("{}{}", bases[at], suffix_letters(*count));
            if used.insert(key.to_lowercase()) {
                keys[at] = key;
                break;
            }
            *count += 1;
        }
        *count += 1;
    }
    keys
}

/// Returns suffix letters: `a` to `z`, then `aa`.
fn suffix_letters(mut number: usize) -> String {
    let mut out = Vec::new();
    while number > 0 {
        number -= 1;
        out.push(char::from(b'a' + u8::try_from(number % 26).unwrap_or(0)));
        number /= 26;
    }
    out.iter().rev().collect()
}

fn base_key(item: &CslFields<'_>) -> String {
    if let Some(key) = item.raw_text("citation-key").filter(|key| is_key(key)) {
        return key;
    }
    let people = [item.authors(), item.editors(), item.translators()].into_iter().find(|people| !people.is_empty());
    let name = people.and_then(|people| people.into_iter().next()).map_or_else(String::new, |person| {
        // Organisations have long names.
        let (name, most) = person.literal.as_deref().map_or((person.family.as_str(), 8), |name| (name, 3));
        name.split_whitespace().take(most).map(fold_to_ascii).collect::<String>().chars().take(LONGEST_PART).collect()
    });
    let year = item.date("issued").and_then(|date| date.start).map_or_else(String::new, |day| {
        if day.year < 0 { format!("{}bc", day.year.unsigned_abs()) } else { day.year.to_string() }
    });
    let title = item.plain_text("title").unwrap_or_default();
    let mut words = title.split(|c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | '/' | '\'' | '’'));
    let first = words.clone().map(fold_to_ascii).find(|word| !word.is_empty());
    let telling =
        words.by_ref().take(200).map(fold_to_ascii).find(|word| !word.is_empty() && !SMALL.contains(&word.as_str()));
    let word = telling.or(first).unwrap_or_default();
    let key = if name.is_empty() { format!("{word}{year}") } else { format!("{name}{year}{word}") };
    if key.starts_with(|c: char| c.is_ascii_alphabetic()) { key } else { format!("ref{key}") }
}

/// Returns true if every program accepts the text as a citation key.
fn is_key(text: &str) -> bool {
    text.len() <= 100
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'.' | b'_' | b'-' | b'+' | b'/'))
}

/// The word in small letters of ASCII and digits; letters that have no like in them are left out.
fn fold_to_ascii(word: &str) -> String {
    let mut out = String::new();
    for c in word.chars().take(2 * LONGEST_PART).nfkd().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else {
            out.push_str(latin_letters(c));
        }
    }
    out.truncate(LONGEST_PART);
    out
}

fn latin_letters(c: char) -> &'static str {
    const GREEK: [&str; 25] = [
        "a", "b", "g", "d", "e", "z", "i", "th", "i", "k", "l", "m", "n", "x", "o", "p", "r", "s", "s", "t", "y", "f",
        "ch", "ps", "o",
    ];
    const CYRILLIC: [&str; 32] = [
        "a", "b", "v", "g", "d", "e", "zh", "z", "i", "i", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u", "f", "kh",
        "ts", "ch", "sh", "shch", "", "y", "", "e", "iu", "ia",
    ];
    let from = |start: char, table: &[&'static str]| {
        let at = (c as usize).checked_sub(start as usize)?;
        table.get(at).copied()
    };
    match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ı' | 'і' => "i",
        'є' => "ie",
        'ґ' => "g",
        _ => from('α', &GREEK).or_else(|| from('а', &CYRILLIC)).unwrap_or(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of(items: &[Value]) -> Vec<String> {
        citation_keys(&items.iter().filter_map(CslFields::from_value).collect::<Vec<_>>())
    }

    #[test]
    fn keys_are_names_years_and_words() {
        for (item, key) in [
            (
                json!({"author": [{"family": "Müller-Lüdenscheidt", "given": "X"}], "issued": 1978, "title": "Die Ente"}),
                "mullerludenscheidt1978ente",
            ),
            (
                json!({"author": [{"family": "Łukasiewicz"}], "issued": {"date-parts": [[1920]]}, "title": "O logice"}),
                "lukasiewicz1920o",
            ),
            (
                json!({"author": [{"family": "Толстой", "given": "Лев"}], "issued": 1869, "title": "Война и мир"}),
                "tolstoi1869voina",
            ),
            (json!({"author": [{"family": "Πλάτων", "given": ""}], "title": "Πολιτεία"}), "platonpoliteia"),
            (json!({"author": [{"family": "毛", "given": "泽东"}], "issued": 1937, "title": "矛盾论"}), "ref1937"),
            (
                json!({"author": [{"family": "Blajer de la Garza", "given": "Y."}], "issued": 2019}),
                "blajerdelagarza2019",
            ),
            (
                json!({"author": [{"literal": "World Health Organization of Samples"}], "issued": 2020}),
                "worldhealthorganization2020",
            ),
            (json!({"title": "The <i>Origin</i> of species", "issued": 1859}), "origin1859"),
            (json!({"title": "L'Étranger"}), "etranger"),
            (json!({"title": "The"}), "the"),
            (json!({"author": [{"family": "Caesar"}], "issued": {"date-parts": [[-50]]}}), "caesar50bc"),
            (json!({"citation-key": "Doe:2020_a"}), "Doe:2020_a"),
            (json!({"citation-key": "a},b{"}), "ref"),
            (json!({}), "ref"),
        ] {
            assert_eq!(of(std::slice::from_ref(&item)), [key], "{item}");
        }
    }

    #[test]
    fn equal_keys_have_letters_that_do_not_depend_on_the_order() {
        let item = |id: &str| json!({"id": id, "author": [{"family": "Wolf"}], "issued": 2010, "title": "Things"});
        assert_eq!(of(&[item("c"), item("a"), item("b")]), ["wolf2010thingsb", "wolf2010things", "wolf2010thingsa"]);
        // A key that looks like one with a letter is not taken twice.
        let mut taken = item("d");
        taken["title"] = json!("ThingsA");
        assert_eq!(of(&[item("a"), item("b"), taken]), ["wolf2010things", "wolf2010thingsb", "wolf2010thingsa"]);
        let many = of(&vec![item("a"); 800]);
        assert_eq!(many.iter().collect::<HashSet<_>>().len(), 800);
        assert_eq!(many[27], "wolf2010thingsaa");
    }
}
