//! Plain text, HTML and XML, and how bytes become characters.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use ibid_language::one_line;

use super::{ExtractionContext, ExtractionDraft, properties, xml::XmlNode, xml::XmlTree};
use crate::{ExtractionError, ExtractionInput};

/// The characters of a text of unknown encoding: a byte order mark decides, then whether it is UTF-8, then what was
/// announced, then how often which bytes occur.
pub(super) fn decode_text(bytes: &[u8], announced: Option<&str>) -> String {
    let encoding = detect_encoding(bytes, announced);
    let (text, _) = encoding.decode_with_bom_removal(bytes);
    text.into_owned()
}

fn detect_encoding(bytes: &[u8], announced: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    let head = &bytes[..bytes.len().min(4096)];
    if let Some(encoding) = utf_16_without_mark(head) {
        return encoding;
    }
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    if let Some(encoding) = announced.and_then(|label| Encoding::for_label(label.as_bytes()))
        && encoding != UTF_8
    {
        return encoding;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&bytes[..bytes.len().min(1 << 20)], true);
    detector.guess(None, Utf8Detection::Allow)
}

fn utf_16_without_mark(head: &[u8]) -> Option<&'static Encoding> {
    if head.len() < 4 {
        return None;
    }
    let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), head.len() / 2);
    match () {
        () if odd * 10 > half * 7 && even * 20 < half => Some(UTF_16LE),
        () if even * 10 > half * 7 && odd * 20 < half => Some(UTF_16BE),
        () => None,
    }
}

/// The beginning of a text, or nothing if the bytes are none.
pub(crate) fn decode_head(head: &[u8]) -> Option<String> {
    let wide =
        Encoding::for_bom(head).is_some_and(|(encoding, _)| encoding != UTF_8) || utf_16_without_mark(head).is_some();
    let strange = |byte: &u8| matches!(byte, 0 | 1..=6 | 14..=26 | 28..=31 | 127);
    if !wide && head.iter().filter(|byte| strange(byte)).count() * 50 > head.len() {
        return None;
    }
    // A character may be cut at the end; that must not make it another encoding.
    let cut = (0..4).find_map(|less| {
        let shorter = &head[..head.len().saturating_sub(less)];
        std::str::from_utf8(shorter).is_ok().then_some(shorter)
    });
    Some(decode_text(cut.unwrap_or(head), None))
}

/// The characters of an XML document, which may say its encoding itself.
pub(super) fn decode_xml(bytes: Vec<u8>) -> String {
    if Encoding::for_bom(&bytes).is_none() {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
        if head.starts_with("<?xml")
            && let Some(declaration) = head.split("?>").next()
            && let Some((_, after)) = declaration.split_once("encoding")
        {
            let label = after.trim_start_matches([' ', '=', '"', '\'']);
            let label = label.split(['"', '\'', ' ']).next().unwrap_or_default();
            if let Some(encoding) = Encoding::for_label(label.as_bytes())
                && encoding != UTF_8
                && !label.to_ascii_lowercase().starts_with("utf")
            {
                return encoding.decode_without_bom_handling(&bytes).0.into_owned();
            }
        }
    }
    if Encoding::for_bom(&bytes).is_some() {
        return decode_text(&bytes, None);
    }
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => decode_text(error.as_bytes(), None),
    }
}

/// A text without what no reader shows: control characters other than line ends and tabs, and characters that are none.
pub(super) fn strip_control_chars(text: &str) -> Cow<'_, str> {
    let bad = |char: char| {
        (char.is_control() && !matches!(char, '\n' | '\t')) || matches!(char, '\u{fffe}' | '\u{ffff}' | '\u{feff}')
    };
    if !text.contains(bad) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{85}', '\u{c}', '\u{b}'], "\n");
    Cow::Owned(text.chars().filter(|&char| !bad(char)).collect())
}

fn announced_charset<'a>(input: &ExtractionInput<'a>) -> Option<&'a str> {
    let (_, parameters) = input.media_type?.split_once("charset=")?;
    Some(parameters.split(';').next().unwrap_or_default().trim().trim_matches('"'))
}

/// The characters of an input that is text.
pub(super) fn of_input(input: &ExtractionInput) -> String {
    let text = decode_text(input.bytes, announced_charset(input));
    strip_control_chars(&text).into_owned()
}

pub(super) fn read_plain(input: &ExtractionInput, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
    draft.text.push(of_input(input).trim_start_matches('\n'))
}

/// XML of an unknown vocabulary: its text, one line for each element that holds some.
pub(super) fn read_xml(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let source = decode_xml(bytes.to_vec());
    let (tree, error) = XmlTree::parse_as_far_as_possible(&source, reading.limits)?;
    for node in tree.root().descendants() {
        if let Some(text) = node.as_text() {
            let line = one_line(text);
            if !line.is_empty() {
                let sibling_text = node.parent().is_some_and(|parent| parent.children().count() > 1);
                draft.text.push(&line)?;
                // Words beside elements belong to one line, as in "see <b>here</b>".
                if sibling_text { draft.text.push(" ")? } else { draft.text.end_line()? }
            }
        } else if node.children().any(|child| child.as_text().is_none()) {
            draft.text.end_line()?;
        }
    }
    match error {
        Some(error) if draft.text.text().trim().is_empty() => Err(super::damaged_file(error)),
        _ => {
            properties::dublin_core(tree.root(), &mut draft.reference);
            Ok(())
        }
    }
}

/// Reads the text elements and the size of an SVG image.
pub(super) fn read_svg(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let source = decode_xml(bytes.to_vec());
    let (tree, _) = XmlTree::parse_as_far_as_possible(&source, reading.limits)?;
    let Some(svg) = tree.root().find_descendant("svg") else {
        return Err(super::damaged_file("there is no drawing in it"));
    };
    draft.dimensions = svg_size(svg);
    draft.reference.title = svg.child("title").and_then(|title| properties::clean_title(&title.text()));
    for node in svg.descendants() {
        let in_text =
            || std::iter::successors(node.parent(), |above| above.parent()).any(|above| above.has_name("text"));
        match node.name() {
            "text" | "title" | "desc" | "div" | "p" if !in_text() => {
                let line = one_line(&node.text());
                let holds_paragraphs = node.has_name("div") && node.find_descendant("p").is_some();
                if !line.is_empty() && !holds_paragraphs {
                    draft.text.push(&line)?;
                    draft.text.end_line()?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn svg_size(svg: XmlNode) -> Option<(u32, u32)> {
    let pixels = |text: String| text.trim().trim_end_matches("px").parse::<f64>().ok().map(|size| size.round() as u32);
    let said = svg.attr("width").and_then(pixels).zip(svg.attr("height").and_then(pixels));
    said.or_else(|| {
        let frame = svg.attr("viewBox")?;
        let mut numbers = frame.split([' ', ',']).filter_map(|number| pixels(number.to_owned())).skip(2);
        numbers.next().zip(numbers.next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_characters_whatever_their_encoding() {
        for (label, text) in [("utf-8", "Grüße"), ("windows-1251", "Пример текста на русском языке для проверки")]
        {
            let (bytes, _, _) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
            assert_eq!(decode_text(&bytes, None), text);
        }
        let wide: Vec<u8> = "Sample text".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode_text(&wide, None), "Sample text");
        assert_eq!(decode_head(&wide).as_deref(), Some("Sample text"));
        assert_eq!(decode_head(&[0, 1, 2, 3, 0, 0, 9, 200]), None);
    }

    #[test]
    fn nothing_invisible_stays() {
        assert_eq!(strip_control_chars("a\r\nb\u{0}c\u{7}\td"), "a\nbc\td");
    }
}
