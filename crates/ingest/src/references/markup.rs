//! Remains of HTML in a field: entities, and tags such as `<i>`.

use ibid_language::one_line;
use unicode_normalization::char::compose;

/// The text without entities and inline tags, and with single spaces.
pub(super) fn clean_markup(text: &str) -> String {
    let text = if text.contains('&') { unescape_entities(text) } else { text.to_owned() };
    let text = if text.contains('<') { without_tags(&text) } else { text };
    one_line(&text)
}

/// As [`clean_markup`], and nothing where nothing is left.
pub(super) fn non_empty_text(text: &str) -> Option<String> {
    let clean = clean_markup(text);
    (!clean.is_empty()).then_some(clean)
}

fn unescape_entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| Some((end, entity_char(rest.get(..end)?)?))) {
            Some((end, c)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    // Some programs escape twice; once more is enough.
    if out.contains("&amp;") { out.replace("&amp;", "&") } else { out }
}

fn entity_char(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|&c| c != '\0');
    }
    let plain = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        "laquo" => '«',
        "raquo" => '»',
        "szlig" => 'ß',
        "aelig" => 'æ',
        "AElig" => 'Æ',
        "oelig" => 'œ',
        "OElig" => 'Œ',
        "oslash" => 'ø',
        "Oslash" => 'Ø',
        "eth" => 'ð',
        "thorn" => 'þ',
        "times" => '×',
        "deg" => '°',
        "micro" => 'µ',
        "middot" => '·',
        "copy" => '©',
        "reg" => '®',
        "trade" => '™',
        "alpha" => 'α',
        "beta" => 'β',
        "gamma" => 'γ',
        "delta" => 'δ',
        "mu" => 'μ',
        "le" => '≤',
        "ge" => '≥',
        _ => {
            // The others are a letter and its accent.
            let mut letters = name.chars();
            let base = letters.next().filter(char::is_ascii_alphabetic)?;
            let accent = match letters.as_str() {
                "acute" => '\u{301}',
                "grave" => '\u{300}',
                "circ" => '\u{302}',
                "tilde" => '\u{303}',
                "uml" => '\u{308}',
                "ring" => '\u{30a}',
                "cedil" => '\u{327}',
                "caron" => '\u{30c}',
                _ => return None,
            };
            return compose(base, accent);
        }
    };
    Some(plain)
}

/// Tags that appear in titles and abstracts. Anything else between angle brackets may be meant.
const TAGS: &[&str] = &[
    "i",
    "b",
    "u",
    "em",
    "strong",
    "sub",
    "sup",
    "sc",
    "scp",
    "span",
    "p",
    "br",
    "tt",
    "italic",
    "bold",
    "jats:p",
    "jats:title",
    "jats:sec",
    "jats:italic",
    "jats:bold",
    "jats:sub",
    "jats:sup",
    "div",
    "h1",
    "h2",
    "h3",
    "h4",
    "ul",
    "ol",
    "li",
    "inf",
    "title",
];

fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(200).position(|byte| byte == b'>');
        let name = end.and_then(|end| rest.get(1..end)).map(|tag| {
            let tag = tag.trim_start_matches('/').trim_end_matches('/');
            tag.split(char::is_whitespace).next().unwrap_or(tag).to_ascii_lowercase()
        });
        match (end, name) {
            (Some(end), Some(name)) if TAGS.contains(&name.as_str()) => {
                // What is a block of its own is a word of its own.
                if matches!(name.as_str(), "p" | "br" | "div" | "li" | "title" | "jats:p" | "jats:title") {
                    out.push(' ');
                }
                rest = &rest[end + 1..];
            }
            _ => {
                out.push('<');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remains_of_html_are_undone() {
        assert_eq!(
            clean_markup("Salt &amp; <i>Pepper</i>,\n  H<sub>2</sub>O &#8211; &eacute;&#x27;"),
            "Salt & Pepper, H2O – é'"
        );
        assert_eq!(clean_markup("&amp;amp; &unknown; & 3 < 4 > 2 <x>"), "& &unknown; & 3 < 4 > 2 <x>");
        assert_eq!(clean_markup("<jats:p>One</jats:p><jats:p>Two</jats:p>"), "One Two");
        assert_eq!(clean_markup("&#0; &#x110000;"), "&#0; &#x110000;");
    }
}
