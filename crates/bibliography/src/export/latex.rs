//! Text as LaTeX reads it back. Braces are balanced whatever comes in, counted with and without a backslash before them:
//! BibTeX and Biber count those too.

use unicode_normalization::char::is_combining_mark;

use crate::{markup::*, person::CslName};

/// A text with marks: what LaTeX would read as a command is escaped, marks are commands.
pub(super) fn write_text(marked: &str) -> String {
    write_marked(marked, false)
}

/// A title: as [`write_text`], with braces around words that styles must not write in small letters.
pub(super) fn write_title(marked: &str) -> String {
    write_marked(marked, true)
}

/// An address or identifier, which is not escaped: what could end the field is written as in addresses.
pub(super) fn write_verbatim(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '{' => out.push_str("%7B"),
            '}' => out.push_str("%7D"),
            '\\' => out.push_str("%5C"),
            '^' => out.push_str("%5E"),
            '"' => out.push_str("%22"),
            c if c.is_whitespace() => out.push_str("%20"),
            c => out.push(c),
        }
    }
    out
}

fn write_marked(marked: &str, protects: bool) -> String {
    let mut out = String::with_capacity(marked.len() + 16);
    let mut depth = 0_usize;
    let mut rest = marked;
    while let Some(c) = rest.chars().next() {
        let command = match c {
            EMPHASIS => Some("\\emph{"),
            BOLD => Some("\\textbf{"),
            SMALL_CAPS => Some("\\textsc{"),
            SUP => Some("\\textsuperscript{"),
            SUB => Some("\\textsubscript{"),
            NOCASE => Some("{"),
            _ => None,
        };
        if let Some(command) = command {
            out.push_str(command);
            depth += 1;
        } else if is_mark(c) {
            if depth > 0 {
                out.push('}');
                depth -= 1;
            }
        } else if protects && depth == 0 && is_of_word(c) {
            let word = &rest[..rest.find(|c| !is_of_word(c)).unwrap_or(rest.len())];
            let core = word.trim_matches(|c: char| !c.is_alphanumeric() && !is_combining_mark(c));
            let before = word.find(core).unwrap_or(0);
            if keeps_capitals(core) {
                out.extend([&word[..before], "{", core, "}", &word[before + core.len()..]]);
            } else {
                out.push_str(word);
            }
            rest = &rest[word.len()..];
            continue;
        } else {
            push(&mut out, c);
        }
        rest = &rest[c.len_utf8()..];
    }
    out.extend(std::iter::repeat_n('}', depth));
    out
}

/// Letters, and what stands within `O'Brien` and `U.S.`; nothing that would have to be escaped.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '\'' | '’') || is_combining_mark(c)
}

/// Returns true if a word has capitals after its first letter or is a single capital. `A` is excluded because it is
/// usually an article.
fn keeps_capitals(word: &str) -> bool {
    let mut letters = word.chars();
    let first = letters.next();
    let rest = letters.as_str();
    rest.chars().any(char::is_uppercase)
        || rest.is_empty() && first.is_some_and(|first| first.is_uppercase() && first != 'A')
}

fn push(out: &mut String, c: char) {
    match c {
        '&' | '%' | '$' | '#' | '_' => out.extend(['\\', c]),
        '{' => out.push_str("{\\textbraceleft}"),
        '}' => out.push_str("{\\textbraceright}"),
        '\\' => out.push_str("{\\textbackslash}"),
        '~' => out.push_str("{\\textasciitilde}"),
        '^' => out.push_str("{\\textasciicircum}"),
        c => out.push(c),
    }
}

/// The names of a field, `and` between them.
pub(super) fn format_names(people: &[CslName]) -> String {
    people.iter().map(format_name).collect::<Vec<_>>().join(" and ")
}

/// `von Last, Jr, First`; what could be taken for another part is in braces.
fn format_name(person: &CslName) -> String {
    if let Some(literal) = &person.literal {
        return wrap_in_braces(&name_part(literal));
    }
    let [family, given, suffix] = [&person.family, &person.given, &person.suffix].map(|text| name_part(text));
    let particles = name_part(&person.particles());
    // `d'` and `al-` are of one word with the name.
    let (particles, family) = match particles.chars().last() {
        Some('-' | '\'' | '’' | 'ʻ') => (String::new(), format!("{particles}{family}")),
        _ => (particles, family),
    };
    let mut words = family.split(' ').rev().skip(1);
    let unclear = words.any(|word| word.starts_with(char::is_lowercase)) || given.is_empty() && family.contains(' ');
    let family = if unclear || has_name_separator(&family) { wrap_in_braces(&family) } else { family };
    let particles = if has_name_separator(&particles) { wrap_in_braces(&particles) } else { particles };
    let whole = if particles.is_empty() { family } else { format!("{particles} {family}") };
    let held = |text: String| if has_name_separator(&text) { wrap_in_braces(&text) } else { text };
    match (given.is_empty(), suffix.is_empty()) {
        (true, true) => whole,
        (true, false) => wrap_in_braces(&format!("{whole} {suffix}")),
        (false, true) => format!("{whole}, {}", held(given)),
        (false, false) => format!("{whole}, {}, {}", held(suffix), held(given)),
    }
}

fn name_part(text: &str) -> String {
    let text = visible_text(&tags_to_marks(text)).replace(['\u{A0}', '\u{202F}'], " ");
    // BibLaTeX reads `family=` at the beginning of a part as its name.
    text.split(' ')
        .filter(|word| !word.is_empty())
        .map(self::write_text)
        .collect::<Vec<_>>()
        .join(" ")
        .replace('=', "{=}")
}

fn wrap_in_braces(text: &str) -> String {
    format!("{{{text}}}")
}

/// Returns true if a part of a name contains a separator of parts or names.
fn has_name_separator(part: &str) -> bool {
    part.contains(',') || part.split(' ').any(|word| matches!(word.to_lowercase().as_str(), "and" | "others"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn what_latex_would_read_is_escaped() {
        assert_eq!(write_text("50 % & $5 #1 a_b"), "50 \\% \\& \\$5 \\#1 a\\_b");
        assert_eq!(
            write_text("\\input{/etc/passwd}"),
            "{\\textbackslash}input{\\textbraceleft}/etc/passwd{\\textbraceright}"
        );
        assert_eq!(write_text("~^"), "{\\textasciitilde}{\\textasciicircum}");
        assert_eq!(
            write_text(&tags_to_marks("<i>E. coli</i> H<sub>2</sub>O <b>x")),
            "\\emph{E. coli} H\\textsubscript{2}O <b>x"
        );
        assert_eq!(write_verbatim("https://a.org/b_c?d=%20&e=~{f}\\ g"), "https://a.org/b_c?d=%20&e=~%7Bf%7D%5C%20g");
    }

    #[test]
    fn capitals_that_must_stay_are_in_braces() {
        for (given, made) in [
            ("The structure of DNA", "The structure of {DNA}"),
            ("An iPhone of McDonald's", "An {iPhone} of {McDonald's}"),
            ("COVID-19 in the U.S.-led State-Of-The-Art", "{COVID}-19 in the {U.S}.-led State-Of-The-Art"),
            ("Vitamin C: A Study", "Vitamin {C}: A Study"),
            ("'AT&T' (NASA)", "'{AT}\\&{T}' ({NASA})"),
            ("L'Étranger", "{L'Étranger}"),
            ("Ein Kessel Buntes", "Ein Kessel Buntes"),
            ("H<sub>2</sub>O <span class=\"nocase\">Von Neumann</span>", "{H}\\textsubscript{2}{O} {Von Neumann}"),
        ] {
            assert_eq!(write_title(&tags_to_marks(given)), made);
        }
    }

    #[test]
    fn names_keep_their_parts() {
        let of = |value: Value| format_name(&crate::person::read_unmarked(&value).unwrap().unwrap());
        for (value, made) in [
            (json!({"family": "Curie", "given": "Marie"}), "Curie, Marie"),
            (json!({"family": "van der Waals", "given": "Johannes"}), "van der Waals, Johannes"),
            (json!({"family": "Beethoven", "given": "Ludwig", "dropping-particle": "van"}), "van Beethoven, Ludwig"),
            (json!({"family": "Gaulle", "given": "Charles", "non-dropping-particle": "de"}), "de Gaulle, Charles"),
            (json!({"family": "d'Alembert", "given": "Jean"}), "d'Alembert, Jean"),
            (json!({"family": "al-Ghazali", "given": "Abu"}), "al-Ghazali, Abu"),
            (json!({"family": "King", "given": "Martin Luther", "suffix": "Jr."}), "King, Jr., Martin Luther"),
            (json!({"family": "King", "suffix": "Jr."}), "{King Jr.}"),
            (json!({"family": "Ortega y Gasset", "given": "José"}), "{Ortega y Gasset}, José"),
            (json!({"family": "García Márquez"}), "{García Márquez}"),
            (json!({"family": "毛", "given": "泽东"}), "毛, 泽东"),
            (json!({"family": "O'Brien", "given": "Flann"}), "O'Brien, Flann"),
            (json!({"family": "Rock and Roll", "given": "A"}), "{Rock and Roll}, A"),
            (json!({"family": "others"}), "{others}"),
            (json!({"family": "A, B", "given": "x=y"}), "{A, B}, x{=}y"),
            (json!({"literal": "Procter & Gamble"}), "{Procter \\& Gamble}"),
            (json!({"family": "}{", "given": "\\"}), "{\\textbraceright}{\\textbraceleft}, {\\textbackslash}"),
        ] {
            assert_eq!(of(value), made);
        }
    }
}
