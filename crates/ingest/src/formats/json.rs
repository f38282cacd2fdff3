//! JSON: its own text, laid out for reading if it was written on one line.

use super::{ExtractionDraft, text::of_input};
use crate::{ExtractionError, ExtractionInput};

pub(super) fn read(input: &ExtractionInput, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
    let text = of_input(input);
    let text = text.trim();
    // Escapes hide words: "Gr\u00fc\u00dfe" cannot be found by who looks for "Grüße".
    let dense = !text.contains('\n') || text.contains("\\u");
    // Lines of JSON, and what only looks like it, stay as they are.
    if dense && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        return draft.text.push(&pretty_print(text));
    }
    draft.text.push(text)
}

/// One value on each line. Only blank space and escapes change: numbers keep every digit.
fn pretty_print(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth: usize = 0;
    let mut chars = text.chars().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth.min(100)));
    };
    while let Some(char) = chars.next() {
        match char {
            '"' => {
                out.push('"');
                copy_string(&mut chars, &mut out);
            }
            '{' | '[' => {
                out.push(char);
                while chars.next_if(|char| char.is_ascii_whitespace()).is_some() {}
                if let Some(end) = chars.next_if(|char| matches!(char, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(char);
            }
            ',' => {
                out.push(',');
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            char if char.is_ascii_whitespace() => {}
            char => out.push(char),
        }
    }
    out
}

/// Copies the rest of a string, with characters instead of their numbers.
fn copy_string(chars: &mut std::iter::Peekable<std::str::Chars>, out: &mut String) {
    let mut high: Option<u16> = None;
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).collect();
                    let unit = u16::from_str_radix(&digits, 16).unwrap_or(0xfffd);
                    match (high.take(), unit) {
                        (_, 0xd800..=0xdbff) => high = Some(unit),
                        (Some(high), 0xdc00..=0xdfff) => out.extend(std::char::decode_utf16([high, unit]).flatten()),
                        // What would end the string or cannot be seen keeps its escape.
                        (_, unit @ (0..=0x1f | 0x22 | 0x5c | 0x7f..=0x9f)) => out.push_str(&format!("\\u{unit:04x}")),
                        (_, unit) => out.extend(std::char::from_u32(u32::from(unit))),
                    }
                }
                Some(other) => out.extend(['\\', other]),
                None => return,
            },
            '"' => {
                out.push('"');
                return;
            }
            char => out.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pretty_print;

    #[test]
    fn laying_out_changes_no_value() {
        let source = r#"{"a":[1.50,12345678901234567890123,{}, []],"b\"":"Gr\u00fc\u00dfe \u0000 \ud83d\ude00 \\n"}"#;
        let text = pretty_print(source);
        assert!(text.contains("12345678901234567890123") && text.contains("1.50") && text.contains("Grüße"));
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&text), value(source));
        assert!(!text.contains('\0'));
    }
}
