//! Reading values whose shape one cannot be sure of.

use serde_json::{Map, Value};

/// The JSON in a string, if the value is a string that holds some.
pub(super) fn json_in(value: &Value) -> Option<Value> {
    let text = value.as_str()?.trim();
    text.starts_with(['{', '[']).then(|| serde_json::from_str(text).ok()).flatten()
}

/// The first of several fields that holds words.
pub(super) fn first_text<'value>(value: &'value Value, names: &[&str]) -> Option<&'value str> {
    let object = value.as_object()?;
    names.iter().filter_map(|name| object.get(*name)?.as_str()).map(str::trim).find(|text| !text.is_empty())
}

/// The first of several fields that holds words, or a number that can be written.
pub(super) fn first_text_or_number(value: &Value, names: &[&str]) -> Option<String> {
    let object = value.as_object()?;
    names.iter().filter_map(|name| object.get(*name)).find_map(as_written)
}

/// Words, or a number that can be written.
pub(super) fn as_written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The first of several fields that holds a whole number.
pub(super) fn first_integer(value: &Value, names: &[&str]) -> Option<u32> {
    let object = value.as_object()?;
    names.iter().filter_map(|name| object.get(*name)).find_map(as_whole_number)
}

/// A whole number, or the words for one.
pub(super) fn as_whole_number(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| number.try_into().ok()),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// The first of several fields that holds a number.
pub(super) fn first_number(value: &Value, names: &[&str]) -> Option<f64> {
    let object = value.as_object()?;
    names.iter().filter_map(|name| object.get(*name)?.as_f64()).find(|number| number.is_finite())
}

/// The first of several paths that leads to a list; a list itself is one already.
pub(super) fn first_list<'value>(value: &'value Value, paths: &[&str]) -> Option<&'value [Value]> {
    if let Value::Array(list) = value {
        return Some(list);
    }
    paths
        .iter()
        .find_map(|path| path.split('.').try_fold(value, |value, name| value.get(name))?.as_array())
        .map(Vec::as_slice)
}

/// A name or several, as one text.
pub(super) fn joined_names(value: &Value, fields: &[&str]) -> Option<String> {
    let object: &Map<_, _> = value.as_object()?;
    let name =
        |value: &Value| value.as_str().map(str::to_owned).or_else(|| first_text(value, &["name"]).map(str::to_owned));
    fields.iter().filter_map(|field| object.get(*field)).find_map(|value| {
        let joined = match value {
            Value::Array(list) => list.iter().filter_map(name).collect::<Vec<_>>().join(", "),
            other => name(other)?,
        };
        Some(joined).filter(|joined| !joined.trim().is_empty())
    })
}

/// An address of the web, and nothing else.
pub(super) fn web_address<'value>(value: &'value Value, names: &[&str]) -> Option<&'value str> {
    first_text(value, names).filter(|uri| is_web(uri))
}

pub(super) fn is_web(uri: &str) -> bool {
    let scheme = uri.get(..8).unwrap_or(uri).to_ascii_lowercase();
    (scheme.starts_with("http://") || scheme.starts_with("https://"))
        && url::Url::parse(uri).is_ok_and(|url| url.has_host())
}

/// A text without HTML's tags, and with its characters for those that had to be written otherwise.
pub(super) fn strip_html(html: &str) -> String {
    let mut plain = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        plain.push_str(&rest[..open]);
        let is_tag = rest[open + 1..].starts_with(|char: char| char.is_ascii_alphabetic() || char == '/');
        match rest[open..].find('>').filter(|_| is_tag) {
            Some(close) => rest = &rest[open + close + 1..],
            None => {
                plain.push('<');
                rest = &rest[open + 1..];
            }
        }
    }
    plain.push_str(rest);
    for (written, char) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#039;", "'"),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ] {
        if plain.contains(written) {
            plain = plain.replace(written, char);
        }
    }
    plain
}
