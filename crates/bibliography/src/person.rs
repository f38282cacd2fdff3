//! Persons and organisations of an item, with the parts of their names told apart.

use serde_json::Value;

use crate::markup::{clean_text, from_data};

/// A person or an organisation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CslName {
    pub family: String,
    pub given: String,
    /// `van` of `Ludwig van Beethoven`: dropped where only the family name is written.
    pub dropping: String,
    /// `de` of `Charles de Gaulle`: stays with the family name.
    pub staying: String,
    pub suffix: String,
    /// True if a comma precedes the suffix.
    pub comma_suffix: bool,
    /// The whole name, where it has no parts.
    pub literal: Option<String>,
}

/// The name of a CSL-JSON value with its markup made into marks, or `None` if it says nothing.
pub(crate) fn read(value: &Value) -> Result<Option<CslName>, &'static str> {
    let Some(mut person) = read_unmarked(value)? else { return Ok(None) };
    let parts = [&mut person.family, &mut person.given, &mut person.dropping, &mut person.staying, &mut person.suffix];
    for text in parts {
        if value.is_string() || text.contains(['\'', '<']) {
            *text = from_data(text);
        }
    }
    person.literal = person.literal.map(|name| from_data(&name));
    Ok(Some(person))
}

/// The name of a CSL-JSON value as it was written, its parts told apart.
pub(crate) fn read_unmarked(value: &Value) -> Result<Option<CslName>, &'static str> {
    if let Some(name) = value.as_str() {
        return Ok(of_line(name));
    }
    let Value::Object(_) = value else {
        return Err(
            "a name is an object such as {\"family\": \"Curie\", \"given\": \"Marie\"} or {\"literal\": \"WHO\"}",
        );
    };
    let part = |name: &str| value.get(name).and_then(Value::as_str).map(clean_text).unwrap_or_default();
    let literal = [part("literal"), part("name")].into_iter().find(|name| !name.is_empty());
    let (family, given) = (part("family"), part("given"));
    if family.is_empty() {
        let literal = literal.or_else(|| Some(given).filter(|given| !given.is_empty()));
        return Ok(literal.map(|name| CslName { literal: Some(name), ..CslName::default() }));
    }
    let mut person = CslName {
        family,
        given,
        dropping: part("dropping-particle"),
        staying: part("non-dropping-particle"),
        suffix: part("suffix"),
        comma_suffix: value.get("comma-suffix").is_some_and(|comma| !matches!(comma, Value::Bool(false) | Value::Null)),
        literal: None,
    };
    let quoted = person.family.len() > 2 && person.family.starts_with('"') && person.family.ends_with('"');
    if quoted {
        person.family = person.family.trim_matches('"').to_owned();
    } else if person.staying.is_empty() && !person.given.is_empty() {
        person.split_particles();
    }
    Ok(Some(person))
}

/// `Curie, Marie`, or an organisation.
fn of_line(name: &str) -> Option<CslName> {
    let name = clean_text(name);
    if let Some((family, given)) = name.split_once(", ")
        && !given.contains(", ")
        && !family.is_empty()
        && !family.contains(' ')
    {
        return Some(CslName { family: family.to_owned(), given: given.to_owned(), ..CslName::default() });
    }
    Some(name).filter(|name| !name.is_empty()).map(|name| CslName { literal: Some(name), ..CslName::default() })
}

impl CslName {
    /// Takes small words off the family name and off the end of the given name, and a suffix off the given name.
    fn split_particles(&mut self) {
        let mut taken = 0;
        let family = self.family.clone();
        loop {
            let rest = &family[taken..];
            let Some(end) = rest.find([' ', '-', '\'', '’', 'ʻ']) else { break };
            let joint = rest[end..].chars().next().map_or(1, char::len_utf8);
            let spaces = rest[end + joint..].len() - rest[end + joint..].trim_start_matches(' ').len();
            let first = rest.trim_start_matches(['-', '\'', '’', 'ʻ', ' ']).chars().next();
            let small = first.is_some_and(|c| c.is_lowercase());
            if !small || end == 0 && rest.len() == joint || end + joint + spaces >= rest.len() {
                break;
            }
            taken += end + joint + spaces;
        }
        if taken > 0 {
            let particle = &family[..taken];
            let trimmed = particle.trim();
            self.staying = trimmed.to_owned();
            if particle.ends_with(' ') && trimmed.ends_with(['\'', '’']) {
                self.staying.push(' ');
            }
            self.family = family[taken..].to_owned();
        }
        if self.suffix.is_empty()
            && let Some((given, suffix)) = self.given.clone().split_once(',')
        {
            let bang = suffix.starts_with('!');
            self.comma_suffix |= bang;
            self.suffix = suffix.trim_start_matches('!').trim().to_owned();
            self.given = given.trim().to_owned();
        }
        if self.dropping.is_empty() {
            let given = self.given.clone();
            let mut words: Vec<&str> = given.split(' ').collect();
            let mut particles = Vec::new();
            while words.len() > 1 && words.last().and_then(|word| word.chars().next()).is_some_and(char::is_lowercase) {
                particles.extend(words.pop());
            }
            if !particles.is_empty() {
                particles.reverse();
                self.dropping = particles.join(" ");
                self.given = words.join(" ");
            }
        }
    }

    /// All small words before the family name.
    pub(crate) fn particles(&self) -> String {
        [self.dropping.trim(), self.staying.trim()].join(" ").trim().to_owned()
    }

    /// Returns true if any part exceeds the maximum text length.
    pub(crate) fn is_long(&self) -> bool {
        let parts = [&self.family, &self.given, &self.dropping, &self.staying, &self.suffix];
        parts.into_iter().chain(&self.literal).any(|part| part.len() > crate::item::LONGEST_TEXT)
    }

    /// Tells if the name is written like European names: 2 entirely, 1 in part, 0 not at all.
    pub(crate) fn romanesque_level(&self, language: Option<&str>) -> u8 {
        if !self.family.chars().any(is_romanesque) {
            return u8::from(self.given.chars().next().is_some_and(starts_romanesque));
        }
        let east = language.is_some_and(|language| matches!(language.get(..2), Some("ja" | "zh")));
        if east { 1 } else { 2 }
    }
}

fn is_romanesque(c: char) -> bool {
    c == '-' || c.is_ascii_digit() || (c != '&' && starts_romanesque(c))
}

/// Letters of scripts whose names have a given name before a family name, with a space between them.
pub(crate) fn starts_romanesque(c: char) -> bool {
    matches!(c, '&' | 'a'..='z' | 'A'..='Z' | '\u{e01}'..='\u{e5b}' | '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{3ff}'
        | '\u{400}'..='\u{52f}' | '\u{531}'..='\u{5d4}' | '\u{5d6}'..='\u{5ff}' | '\u{1e00}'..='\u{1fff}'
        | '\u{600}'..='\u{6ff}' | '\u{900}'..='\u{dff}' | '\u{10a0}'..='\u{10ff}' | '\u{200c}'..='\u{200e}' | '\u{202a}'..='\u{202e}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parts(family: &str, given: &str) -> [String; 5] {
        let person = read(&json!({"family": family, "given": given})).unwrap().unwrap();
        [person.family, person.given, person.dropping, person.staying, person.suffix]
    }

    #[test]
    fn particles_and_suffixes_are_told_from_names() {
        assert_eq!(parts("van der Waals", "Johannes"), ["Waals", "Johannes", "", "van der", ""].map(String::from));
        assert_eq!(parts("Beethoven", "Ludwig van"), ["Beethoven", "Ludwig", "van", "", ""].map(String::from));
        assert_eq!(parts("d'Alembert", "Jean"), ["Alembert", "Jean", "", "d’", ""].map(String::from));
        assert_eq!(parts("al-Ghazali", "Abu"), ["Ghazali", "Abu", "", "al-", ""].map(String::from));
        assert_eq!(parts("King", "Martin Luther, Jr."), ["King", "Martin Luther", "", "", "Jr."].map(String::from));
        assert_eq!(parts("O'Brien", "Flann"), ["O’Brien", "Flann", "", "", ""].map(String::from));
        assert_eq!(parts("García Márquez", "Gabriel"), ["García Márquez", "Gabriel", "", "", ""].map(String::from));
    }

    #[test]
    fn organisations_have_no_parts() {
        assert_eq!(
            read(&json!({"literal": "World Health Organization"})).unwrap().unwrap().literal.unwrap(),
            "World Health Organization"
        );
        assert_eq!(read(&json!("WHO")).unwrap().unwrap().literal.unwrap(), "WHO");
        assert_eq!(read(&json!({"given": "Plato"})).unwrap().unwrap().literal.unwrap(), "Plato");
        assert!(read(&json!({})).unwrap().is_none());
        assert!(read(&json!(3)).is_err());
    }
}
