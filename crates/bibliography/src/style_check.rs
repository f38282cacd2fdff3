//! What is wrong with a user's style, and on which line.

use std::collections::HashSet;

use hayagriva::citationberg::{XmlDeError, taxonomy::Variable};
use ibid_domain::{Code, Problem};
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};
use serde::{
    Deserialize,
    de::{IntoDeserializer, value::Error as NameError},
};

/// Maximum nesting depth of XML elements.
const DEEPEST: usize = 64;
/// Maximum number of XML elements in a style.
const MOST_ELEMENTS: usize = 50_000;

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}

fn invalid_style(line: usize, what: &str) -> Problem {
    Problem::new(Code::InvalidField, format!("the style cannot be used: line {line}: {what}"))
        .with_field("style")
        .with_fact("line", line)
}

/// Looks whether the text is XML with a `style` at its root, of a depth and size that can be worked with.
pub(crate) fn check_style(text: &str) -> Result<(), Problem> {
    let mut reader = Reader::from_str(text);
    let (mut depth, mut count, mut root) = (0usize, 0usize, false);
    // The macros there are, and those that are called, with the line.
    let (mut macros, mut called) = (HashSet::new(), Vec::new());
    // Lines are counted on from the last place, so that a long file is read once.
    let (mut line, mut counted) = (1usize, 0usize);
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX).min(text.len());
        line += text.as_bytes().get(counted..at).map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count());
        counted = counted.max(at);
        match reader.read_event() {
            Err(error) => {
                let at = usize::try_from(reader.error_position()).unwrap_or(at);
                return Err(invalid_style(line_of(text, at), &format!("it is not XML ({error})")));
            }
            Ok(event @ (Event::Start(_) | Event::Empty(_))) => {
                let (name, opens) = match &event {
                    Event::Start(start) => (start.local_name(), true),
                    Event::Empty(start) => (start.local_name(), false),
                    _ => continue,
                };
                if !root && name.as_ref() != b"style" {
                    let found = String::from_utf8_lossy(name.as_ref()).chars().take(40).collect::<String>();
                    return Err(invalid_style(
                        line_of(text, at),
                        &format!("the root of a CSL style is <style>, and this is <{found}>"),
                    ));
                }
                let (Event::Start(start) | Event::Empty(start)) = &event else { continue };
                check_attributes(start, line, &mut macros, &mut called)?;
                root = true;
                count += 1;
                depth += usize::from(opens);
                if depth > DEEPEST || count > MOST_ELEMENTS {
                    return Err(invalid_style(
                        line_of(text, at),
                        &format!(
                            "there are more than {DEEPEST} elements within each other, or more than {MOST_ELEMENTS} in all"
                        ),
                    ));
                }
            }
            Ok(Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(Event::DocType(_)) => return Err(invalid_style(line_of(text, at), "a style has no document type")),
            Ok(Event::Eof) => break,
            Ok(_) => {}
        }
    }
    if !root {
        return Err(invalid_style(1, "there is no <style> in it"));
    }
    if depth > 0 {
        return Err(invalid_style(line_of(text, text.len()), "it ends before all elements are closed"));
    }
    match called.iter().find(|(name, _)| !macros.contains(name)) {
        Some((name, line)) => {
            Err(invalid_style(*line, &format!("there is no macro `{}`", ibid_domain::problem::shorten_for_error(name))))
        }
        None => Ok(()),
    }
}

/// Looks whether variables are known, and which macros are defined and called.
fn check_attributes(
    start: &BytesStart<'_>,
    line: usize,
    macros: &mut HashSet<String>,
    called: &mut Vec<(String, usize)>,
) -> Result<(), Problem> {
    let element = start.local_name();
    for attribute in start.attributes() {
        let attribute =
            attribute.map_err(|error| invalid_style(line, &format!("an attribute cannot be read ({error})")))?;
        let value = String::from_utf8_lossy(&attribute.value).into_owned();
        match (element.as_ref(), attribute.key.as_ref()) {
            (b"macro", b"name") => {
                macros.insert(value);
            }
            (b"text" | b"key", b"macro") => called.push((value, line)),
            (b"text" | b"number" | b"names" | b"date" | b"label" | b"if" | b"else-if" | b"key", b"variable") => {
                let known =
                    |name: &str| Variable::deserialize(IntoDeserializer::<NameError>::into_deserializer(name)).is_ok();
                if let Some(name) = value.split_whitespace().find(|name| !known(name)) {
                    let name = ibid_domain::problem::shorten_for_error(name);
                    return Err(invalid_style(line, &format!("`{name}` is not a variable of CSL 1.0.2")));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Says what the reader of styles refused, with the line where that word stands.
pub(crate) fn parse_error(text: &str, error: &XmlDeError) -> Problem {
    let mut what = error.source.to_string();
    let word = what.split('`').nth(1).or_else(|| what.split('"').nth(1)).unwrap_or_default().to_owned();
    let at = (!word.is_empty()).then(|| text.find(&format!("\"{word}\"")).or_else(|| text.find(&word))).flatten();
    if what.len() > 300 {
        what = what.chars().take(300).chain("…".chars()).collect();
    }
    let path = error.path.as_ref().map(|path| format!(" (in {})", path.to_string().replace("$value", "children")));
    invalid_style(at.map_or(1, |at| line_of(text, at)), &format!("{what}{}", path.unwrap_or_default()))
}
