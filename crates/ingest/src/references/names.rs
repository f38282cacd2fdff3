//! Names of people and organisations.

use ibid_domain::Name;

use super::{markup, tex};

/// The names of a BibTeX field: `A and B and others`.
pub(super) fn of_bibtex(field: &str) -> Vec<Name> {
    split_and(field).into_iter().filter(|name| *name != "others").filter_map(bibtex_name).collect()
}

/// The parts between `and`, outside of braces.
fn split_and(field: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut word) = (0_i32, 0, None);
    for (at, c) in field.char_indices().chain([(field.len(), ' ')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth <= 0 && c.is_whitespace() {
            if let Some(from) = word.take()
                && field[from..at].eq_ignore_ascii_case("and")
            {
                parts.push(&field[start..from]);
                start = at;
            }
        } else if word.is_none() {
            word = Some(at);
        }
    }
    parts.push(&field[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn bibtex_name(name: &str) -> Option<Name> {
    // All in braces: an organisation.
    if is_one_group(name) {
        let name = tex::tex_to_text(name);
        // Some put a person in two pairs of braces.
        return match name.split_once(',') {
            Some((family, given)) if is_person(family) && is_person(given) => name_from_parts(family, given, ""),
            _ => literal_name(&name),
        };
    }
    let parts: Vec<&str> = split_outside(name, |c| c == ',').into_iter().map(str::trim).collect();
    match parts.as_slice() {
        // BibLaTeX's long form: family=Sample, given=Anna, prefix=van
        [first, ..] if first.contains('=') && parts.iter().all(|part| part.contains('=')) => long_form(&parts),
        [one] => parse_natural_order(&split_outside(one, |c| c.is_whitespace() || c == '~'), &tex::tex_to_text),
        [family, given] => name_from_parts(&tex::tex_to_text(family), &tex::tex_to_text(given), ""),
        [family, suffix, given, ..] => {
            name_from_parts(&tex::tex_to_text(family), &tex::tex_to_text(given), &tex::tex_to_text(suffix))
        }
        [] => None,
    }
}

fn long_form(parts: &[&str]) -> Option<Name> {
    let value = |wanted: &str| {
        let found = parts.iter().find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim().eq_ignore_ascii_case(wanted).then(|| tex::tex_to_text(value.trim()))
        });
        found.unwrap_or_default()
    };
    name_from_parts(&format!("{} {}", value("prefix"), value("family")), &value("given"), &value("suffix"))
}

/// `Family, Given` or `Family, Given, Suffix`, or the words in the order they are spoken.
pub(super) fn of_line(line: &str) -> Option<Name> {
    let line = markup::clean_markup(line);
    let parts: Vec<&str> = line.split(',').map(str::trim).collect();
    match parts.as_slice() {
        [one] if is_organisation(one) => literal_name(one),
        [one] => parse_natural_order(&one.split(' ').collect::<Vec<_>>(), &str::to_owned),
        // `Sample University, Department of Samples` is no one's family and given name.
        _ if is_organisation(&line) => literal_name(&line),
        [family, given] => name_from_parts(family, given, ""),
        // RIS puts the suffix last, BibTeX's habit puts it second.
        [family, suffix, given] if is_suffix(suffix) => name_from_parts(family, given, suffix),
        [family, given, suffix, ..] => name_from_parts(family, given, suffix),
        [] => None,
    }
}

/// A name as PubMed's short form has it: `Sample AB`.
pub(super) fn of_initials(line: &str) -> Option<Name> {
    let line = markup::clean_markup(line);
    match line.rsplit_once(' ') {
        Some((family, initials)) if initials.len() <= 4 && initials.bytes().all(|byte| byte.is_ascii_uppercase()) => {
            let given: Vec<String> = initials.chars().map(|initial| format!("{initial}.")).collect();
            name_from_parts(family, &given.join(" "), "")
        }
        _ => literal_name(&line),
    }
}

/// A name whose parts are told apart.
pub(super) fn name_from_parts(family: &str, given: &str, suffix: &str) -> Option<Name> {
    let family = markup::clean_markup(&format!("{family} {suffix}"));
    let given = markup::clean_markup(given);
    if family.is_empty() {
        return literal_name(&given);
    }
    Some(Name::Parts { family, given: (!given.is_empty()).then_some(given) })
}

/// A name that is not taken apart.
pub(super) fn literal_name(name: &str) -> Option<Name> {
    let name = markup::clean_markup(name);
    (!name.is_empty()).then_some(Name::Whole(name))
}

/// Given names, particles, family name: the particles are the words in lower case.
fn parse_natural_order(words: &[&str], plain: &dyn Fn(&str) -> String) -> Option<Name> {
    let mut words: Vec<(bool, String)> =
        words.iter().map(|word| (word.starts_with('{'), plain(word))).filter(|(_, word)| !word.is_empty()).collect();
    let suffix = match words.len() {
        3.. if words.last().is_some_and(|(_, last)| is_suffix(last)) => words.pop().map(|(_, last)| last),
        _ => None,
    };
    let is_particle = |(braced, word): &(bool, String)| {
        !braced && word.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_lowercase)
    };
    let last = words.len().checked_sub(1)?;
    // The family name begins at the first particle, or is the last word.
    let begin = words.iter().take(last).position(is_particle).unwrap_or(last);
    let join = |part: &[(bool, String)]| part.iter().map(|(_, word)| word.as_str()).collect::<Vec<_>>().join(" ");
    name_from_parts(&join(&words[begin..]), &join(&words[..begin]), suffix.as_deref().unwrap_or(""))
}

fn is_suffix(word: &str) -> bool {
    matches!(word.trim_end_matches('.').to_ascii_lowercase().as_str(), "jr" | "sr" | "ii" | "iii" | "iv")
}

/// Returns true if this half of a name is short enough to be a person's.
fn is_person(half: &str) -> bool {
    let words = half.split_whitespace().count();
    (1..=3).contains(&words) && !half.contains([',', '&']) && !is_organisation(half)
}

/// Words that no person is called.
fn is_organisation(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "university",
        "institute",
        "organization",
        "organisation",
        "association",
        "committee",
        "council",
        "ministry",
        "department",
        "society",
        "foundation",
        "agency",
        "consortium",
        "collaboration",
        "group",
        "network",
        "inc",
        "ltd",
        "gmbh",
        "corporation",
        "company",
        "bank",
        "commission",
        "office",
        "bureau",
        "union",
        "project",
        "team",
        "initiative",
        "federation",
        "authority",
        "centre",
        "center",
        "laboratory",
        "nations",
        "universität",
        "verlag",
        "université",
        "universidad",
    ];
    let lower = name.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// Returns true if the whole text is one group in braces.
fn is_one_group(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else { return false };
    let mut depth = 0_i32;
    for byte in inner.bytes() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    // `{\"O}` alone is a letter, not an organisation.
    !inner.starts_with('\\')
}

fn split_outside(text: &str, separates: impl Fn(char) -> bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            // `\~n` is a letter; an escaped comma does not exist.
            other if depth <= 0 && separates(other) && !text[..at].ends_with('\\') => {
                parts.push(&text[start..at]);
                start = at + other.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(names: &[Name]) -> Vec<String> {
        names
            .iter()
            .map(|name| match name {
                Name::Whole(name) => format!("[{name}]"),
                Name::Parts { family, given } => format!("{family}|{}", given.as_deref().unwrap_or("-")),
            })
            .collect()
    }

    #[test]
    fn bibtex_names_have_particles_suffixes_and_organisations() {
        for (field, expected) in [
            ("Ada B. Sample and Muster, Max", vec!["Sample|Ada B.", "Muster|Max"]),
            ("Ludwig van der Sample", vec!["van der Sample|Ludwig"]),
            ("van der Sample, Ludwig and de la Sample, M.", vec!["van der Sample|Ludwig", "de la Sample|M."]),
            ("Sample, Jr., Martin and Martin Sample III", vec!["Sample Jr.|Martin", "Sample III|Martin"]),
            (
                "{World Sample Organization} and {Barnes and Sample}",
                vec!["[World Sample Organization]", "[Barnes and Sample]"],
            ),
            ("{Sample, Anna B.} and {Sample, Inc.}", vec!["Sample|Anna B.", "[Sample, Inc.]"]),
            (r#"{\"O}zg{\"u}r Mu{\~n}oz and \'{E}mile Sample"#, vec!["Muñoz|Özgür", "Sample|Émile"]),
            ("Sample, A. and others", vec!["Sample|A."]),
            ("family=Sample, given=Anna, prefix=van", vec!["van Sample|Anna"]),
            ("Sample,\n  Ada  AND  Other, Bo", vec!["Sample|Ada", "Other|Bo"]),
            ("Aristotle", vec!["Aristotle|-"]),
            ("", vec![]),
            (" and and , ", vec![]),
            ("Sample~Press, A.", vec!["Sample Press|A."]),
            ("Jean-Paul {de Sample}", vec!["de Sample|Jean-Paul"]),
        ] {
            assert_eq!(shown(&of_bibtex(field)), expected, "{field}");
        }
    }

    #[test]
    fn names_on_a_line_of_their_own_are_read_in_both_orders() {
        for (line, expected) in [
            ("Sample, Ada B.", "Sample|Ada B."),
            ("Sample, Ada, Jr.", "Sample Jr.|Ada"),
            ("Ada de Sample", "de Sample|Ada"),
            ("World Sample Organization", "[World Sample Organization]"),
            ("Sample University, Department of Samples", "[Sample University, Department of Samples]"),
            ("M&uuml;ller, J.", "Müller|J."),
        ] {
            assert_eq!(shown(&of_line(line).into_iter().collect::<Vec<_>>()), [expected], "{line}");
        }
        assert_eq!(shown(&[of_initials("van Sample AB").unwrap()]), ["van Sample|A. B."]);
    }
}
