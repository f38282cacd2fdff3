//! Names of persons in what pages write about their authors.

use std::sync::LazyLock;

use super::{
    date_parsing,
    element_hint::{push_lower, sorted_words},
    tree::fold_into,
};

/// Prefixes before a name in a byline, separated by `|`, longest first.
const BEFORE: &str = "this article was written by|analysis by|opinion by|review by|commentary by|perspective by|interview by|\
    compiled by|edited by|piše:|piše|af|كتبت|كتب|автор|текст:|alles von|all posts by|posts by|submitted by|\
    gespeichert von|eingestellt von|veröffentlicht von|geschrieben von|published by|publicado por|a cura di|\
    posted by|written by|reviewed by|reported by|verfasst von|ein beitrag von|ein artikel von|\
    ein gastbeitrag von|gastbeitrag von|artikel von|beitrag von|door|rédigé par|écrit par|publié par|\
    propos recueillis par|escrito por|story by|words by|text by|text von|text:|author:|authors:|autor:|\
    autorin:|auteur:|autore:|автор:|interview:|by:|von:|by|von|par|por|di|av";

/// Signs that a text tells more than a name; what begins with them is cut off.
const AFTER: [&str; 18] = [
    " | ",
    " • ",
    " · ",
    " – ",
    " — ",
    " - ",
    " / ",
    " on ",
    " am ",
    " for ",
    " für ",
    " prije",
    " il y a ",
    " vor ",
    "updated",
    "published",
    "posted",
    "aktualisiert",
];

/// Words that no person's name has; a text with one of them is something else.
static NO_NAME: LazyLock<Vec<&str>> = LazyLock::new(|| {
    sorted_words(
        "admin administrator ago all anonymous articles auteur author autor autorin by click comment comments \
        copyright follow here hours kommentare min minutes more n/a none null posted posts profile published \
        read reserved rights share subscribe today undefined unknown updated user view webmaster yesterday",
    )
});

/// The titles of offices that pages put behind a name.
static OFFICES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    sorted_words(
        "agency analyst assistant associate author autor autorin ceo chefredakteur chefredakteurin chief \
        columnist contributor contributors correspondent deputy desk director editor editorial editors fotograf \
        founder freelance geschäftsführer guest head journalist journalistin korrespondent korrespondentin \
        manager news newsroom online photographer president press producer professor redacao redacción \
        redacteur redactie redactor redakteur redakteurin redaktion redaktionsteam redazione redação reporter \
        reports rédacteur rédaction rédactrice senior service special staff team volontär volontärin writer",
    )
});

/// The names in a text that is said to hold them, each once, in order.
pub(crate) fn parse_names(said: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in split_names(&strip_addresses(said)) {
        let Some(name) = parse_name(part) else { continue };
        add_name(&mut found, name);
    }
    found
}

/// Adds a name unless it is known, also in another spelling or as a part of another.
pub(crate) fn add_name(found: &mut Vec<String>, name: String) {
    let key = fold_name(&name);
    if key.is_empty() {
        return;
    }
    if !found.iter().any(|known| fold_name(known) == key) {
        found.push(name);
    }
}

/// The text in lower case, each character at the place it had.
fn lowercase_same_length(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_ascii() {
                return c.to_ascii_lowercase();
            }
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(lower), None) if lower.len_utf8() == c.len_utf8() => lower,
                _ => c,
            }
        })
        .collect()
}

/// A name without case, marks and order of blank space.
pub(crate) fn fold_name(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_alphanumeric() {
            push_lower(c, &mut out);
        } else if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// One line, without addresses, handles and what stands in brackets.
fn strip_addresses(said: &str) -> String {
    let mut line = String::new();
    fold_into(said, &mut line);
    let mut out = String::with_capacity(line.len());
    let mut depth = 0_usize;
    for c in line.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    let mut words: Vec<&str> = Vec::new();
    for word in out.split(' ') {
        let address = word.contains('@') || word.contains("://") || word.starts_with("www.");
        if !address && !word.is_empty() {
            words.push(word);
        }
    }
    words.join(" ")
}

/// Splits where several names are joined.
fn split_names(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    for joint in [
        ";",
        " and ",
        " & ",
        " und ",
        " et ",
        " y ",
        " e ",
        " och ",
        " og ",
        " en ",
        " with ",
        " mit ",
        " und\u{a0}",
        " i ",
        " и ",
        "|",
        " / ",
        "•",
        "·",
    ] {
        parts = parts.into_iter().flat_map(|part| split_at(part, joint)).collect();
    }
    parts = parts.into_iter().flat_map(split_commas).collect();
    parts
}

fn split_at<'a>(text: &'a str, joint: &str) -> Vec<&'a str> {
    let lower = lowercase_same_length(text);
    if !lower.contains(joint) {
        return vec![text];
    }
    let mut out = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(found) = lower[at..].find(joint) {
        let joined = at + found;
        at = joined + joint.len();
        // What is joined by a word must begin like a name on its own.
        let named = |text: &str| text.trim_start().chars().next().is_some_and(|c| !c.is_lowercase());
        if joint.trim().chars().all(char::is_alphabetic) && !named(&text[at..]) {
            continue;
        }
        out.push(&text[from..joined]);
        from = at;
    }
    out.push(&text[from..]);
    out
}

/// `A, B, C` are three names, `Family, Given` is one, and `Name, office` is a name.
fn split_commas(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let words = |part: &str| part.split(' ').count();
    match parts.as_slice() {
        [_] | [] => vec![text],
        [first, second] if words(first) == 1 && words(second) <= 2 && !is_suffix(second) => vec![text],
        _ => {
            let mut out: Vec<&str> = Vec::new();
            for (index, part) in parts.iter().enumerate() {
                if is_suffix(part) || (index > 0 && words(part) == 1 && parts.len() == 2) {
                    continue;
                }
                out.push(part);
            }
            out
        }
    }
}

fn is_suffix(part: &str) -> bool {
    let part = part.trim_end_matches('.').to_lowercase();
    matches!(
        &*part,
        "jr" | "sr"
            | "ii"
            | "iii"
            | "phd"
            | "ph.d"
            | "md"
            | "m.d"
            | "ma"
            | "msc"
            | "esq"
            | "rn"
            | "rd"
            | "dds"
            | "mba"
            | "jd"
    )
}

/// The name in a text, if it is one.
fn parse_name(text: &str) -> Option<String> {
    let mut name = text.trim_matches(|c: char| c.is_whitespace() || ",;:|/\"“”*•·–—-_".contains(c));
    loop {
        let lower = lowercase_same_length(name);
        let found = BEFORE.split('|').find(|before| {
            lower.strip_prefix(*before).is_some_and(|rest| before.ends_with(':') || rest.starts_with([' ', ':']))
                // `Di Sample` is a family, `di Ada Sample` a byline.
                && (*before != "di" || lower.split(' ').count() > 2)
        });
        let Some(before) = found else { break };
        name = name[before.len()..].trim_start_matches([' ', ':']);
    }
    let lower = lowercase_same_length(name);
    if ["foto", "photo", "bild", "video", "image", "grafik", "фото", "видео"].iter().any(|kind| lower.starts_with(kind))
    {
        return None;
    }
    let cut = AFTER.iter().filter_map(|after| lower.find(after)).filter(|&at| at > 0).min();
    name = &name[..cut.unwrap_or(name.len())];
    let name = name.trim_matches(|c: char| c.is_whitespace() || ",;:|/\"“”*•·–—-_".contains(c));
    let name = normalize_name(without_day(name));
    let words: Vec<&str> = name.split(' ').collect();
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    let digits = name.chars().filter(char::is_ascii_digit).count();
    if letters < 2 || name.chars().count() > 60 || words.len() > 7 || digits > 4 {
        return None;
    }
    if name.contains(['@', '{', '}', '<', '>', '=', '?', '!']) || name.contains("://") || name.contains("www.") {
        return None;
    }
    Some(name)
}

/// The name without the day or time that stands behind it.
fn without_day(name: &str) -> &str {
    let digit = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let at = name.split(' ').position(digit).unwrap_or(usize::MAX);
    let mut words: Vec<&str> = name.split(' ').take(at).collect();
    while words.last().is_some_and(|word| {
        let word = word.trim_matches(['.', ',']).to_lowercase();
        (at < usize::MAX && date_parsing::is_month(&word)) || date_parsing::is_weekday(&word)
    }) {
        words.pop();
    }
    let len = words.iter().map(|word| word.len() + 1).sum::<usize>().saturating_sub(1);
    name[..len].trim_end_matches([',', ' ', ':'])
}

/// `Family, Given` as it is spoken; capitals throughout as they are usually written.
fn normalize_name(name: &str) -> String {
    let name = match name.split_once(", ") {
        Some((family, given)) if !family.contains(' ') && !given.contains(',') && !is_suffix(given) => {
            format!("{given} {family}")
        }
        _ => name.to_owned(),
    };
    let shouted = name.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase) && name.chars().count() > 5;
    if shouted && name.contains(' ') {
        return name.split(' ').map(capitalize_word).collect::<Vec<_>>().join(" ");
    }
    name
}

fn capitalize_word(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut start = true;
    for c in word.chars() {
        if start {
            out.push(c);
        } else {
            out.extend(c.to_lowercase());
        }
        start = !c.is_alphabetic();
    }
    out
}

/// Returns true if the name looks like a person's; such names win over offices and sites.
pub(crate) fn is_personal(name: &str) -> bool {
    let words: Vec<String> = name.split(' ').map(|word| word.trim_matches('.').to_lowercase()).collect();
    let capitals = name.split(' ').filter(|word| word.chars().next().is_some_and(char::is_uppercase)).count();
    (2..=5).contains(&words.len())
        && capitals >= 2
        // A dot within a word is a host's, one at its end an initial's.
        && (!name.contains('.') || name.contains(". ") || name.ends_with('.'))
        && !words.iter().any(|word| NO_NAME.contains(&&**word) || OFFICES.contains(&&**word))
}

/// Returns true for a job title or degree next to a name: `Senior Editor`, `MSc`.
pub(crate) fn is_office(name: &str) -> bool {
    let degree =
        !name.contains(' ') && name.chars().count() <= 5 && name.chars().filter(|c| c.is_uppercase()).count() >= 2;
    degree || name.split([' ', '-']).any(|word| OFFICES.contains(&&*word.trim_matches(['.', ',']).to_lowercase()))
}

/// Returns true if all words are generic, such as `admin` or `unknown`.
pub(crate) fn is_placeholder_name(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(' ');
    words.all(|word| NO_NAME.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_what_stands_around_them() {
        for (said, wanted) in [
            ("By Ada Sample", &["Ada Sample"][..]),
            ("Von Ada Sample und Bert Muster", &["Ada Sample", "Bert Muster"]),
            ("Ada Sample, Bert Muster and Cora Probe", &["Ada Sample", "Bert Muster", "Cora Probe"]),
            ("Sample, Ada", &["Ada Sample"]),
            ("Sample, Ada; Muster, Bert", &["Ada Sample", "Bert Muster"]),
            ("by Ada Sample | Sample News", &["Ada Sample", "Sample News"]),
            ("Ada Sample (ada@example.org)", &["Ada Sample"]),
            ("Posted by: Ada Sample on May 1, 2024", &["Ada Sample"]),
            ("ADA SAMPLE", &["Ada Sample"]),
            ("Ada Sample Jr.", &["Ada Sample Jr."]),
            ("Ada Sample, Jr.", &["Ada Sample"]),
            ("https://example.org/ada", &[]),
            ("@ada", &[]),
            ("", &[]),
            ("Ada Sample & ada sample", &["Ada Sample"]),
            ("Ada Sample Monday, November 18, 2019, 04:05 pm PT", &["Ada Sample"]),
            ("Sample Agency November 18, 2019", &["Sample Agency"]),
            ("Analysis by Ada Sample, Sample News Editor", &["Ada Sample", "Sample News Editor"]),
            ("Staff and news service reports", &["Staff and news service reports"]),
            ("par Ada Sample et Bert Muster", &["Ada Sample", "Bert Muster"]),
        ] {
            assert_eq!(parse_names(said), wanted, "{said}");
        }
    }

    #[test]
    fn persons_are_told_from_offices() {
        for name in ["Ada Sample", "Ada B. Sample", "Ada van der Sample", "Dr. Ada Sample"] {
            assert!(is_personal(name), "{name}");
        }
        for name in ["admin", "Sample Editorial Team", "News Desk", "ada", "example.org"] {
            assert!(!is_personal(name), "{name}");
        }
    }
}
