//! Bytes to text: which encoding a page is in.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Number of bytes at the start of a page searched for its declared encoding.
const HEAD: usize = 8 * 1024;

/// The text of a page. A byte order mark decides; then valid UTF-8, which no other text is by accident; then what the
/// media type announces, what the page says in its head, and what the bytes look like.
pub fn decode_html<'a>(bytes: &'a [u8], announced: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    if let Some(encoding) = every_other_empty(bytes) {
        return encoding.decode_without_bom_handling(bytes).0;
    }
    let said = announced.and_then(charset_of_media_type).or_else(|| declared_encoding(bytes));
    // Seven-bit encodings with escapes are valid UTF-8 and yet something else; so is nothing but these.
    if said.is_none_or(|said| said.is_ascii_compatible())
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Cow::Borrowed(text);
    }
    if let Some(encoding) = said.filter(|&said| said != UTF_8) {
        return encoding.decode_without_bom_handling(bytes).0;
    }
    if said == Some(UTF_8) || cut_utf8(bytes) {
        let (text, _) = UTF_8.decode_without_bom_handling(bytes);
        // A few broken places are damage; many mean that the page is wrong about itself.
        let (broken, foreign) = text.chars().filter(|c| !c.is_ascii()).fold((0, 0), |(broken, foreign), c| {
            if c == char::REPLACEMENT_CHARACTER { (broken + 1, foreign) } else { (broken, foreign + 1) }
        });
        if broken <= foreign {
            return text;
        }
    }
    guess_encoding(bytes).decode_without_bom_handling(bytes).0
}

/// The encoding named in a media type such as `text/html; charset=utf-8`.
fn charset_of_media_type(media_type: &str) -> Option<&'static Encoding> {
    let at = find_bytes(media_type.as_bytes(), b"charset=")?;
    let label = &media_type.get(at + 8..)?;
    let label = label.trim_start_matches(['"', '\'', ' ']);
    let end = label.find(['"', '\'', ';', ' ', ',']).unwrap_or(label.len());
    Encoding::for_label(&label.as_bytes()[..end])
}

/// Returns the encoding declared in `<meta charset>`, `<meta http-equiv content>` or the XML declaration.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(HEAD)];
    if head.starts_with(b"<?xml") {
        let declaration = &head[..memchr::memchr(b'>', head).unwrap_or(head.len())];
        if let Some(at) = find_bytes(declaration, b"encoding=") {
            return encoding_for_label(charset_label(&declaration[at + 9..]));
        }
    }
    let mut rest = head;
    while let Some(at) = find_bytes(rest, b"<meta") {
        rest = &rest[at + 5..];
        let tag = &rest[..memchr::memchr(b'>', rest).unwrap_or(rest.len())];
        if let Some(at) = find_bytes(tag, b"charset=") {
            return encoding_for_label(charset_label(&tag[at + 8..]));
        }
    }
    None
}

fn charset_label(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|byte| !b"\"' ".contains(byte)).unwrap_or(bytes.len());
    let bytes = &bytes[start..];
    let end = bytes.iter().position(|byte| b"\"' ;/>".contains(byte)).unwrap_or(bytes.len());
    &bytes[..end]
}

/// A page that could be read as far as its own word is not in UTF-16, whatever it says.
fn encoding_for_label(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

fn find_bytes(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted))
}

/// Returns true if the bytes are valid UTF-8 except for a character cut off at the end.
fn cut_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// UTF-16 without a mark: every other byte of ASCII text is empty in it.
fn every_other_empty(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(HEAD)];
    memchr::memchr(0, head)?;
    let (even, odd) = memchr::memchr_iter(0, head)
        .fold((0, 0), |(even, odd), at| if at % 2 == 0 { (even + 1, odd) } else { (even, odd + 1) });
    let much = head.len() / 4;
    if odd > much && even == 0 {
        Some(UTF_16LE)
    } else if even > much && odd == 0 {
        Some(UTF_16BE)
    } else {
        None
    }
}

fn guess_encoding(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_in_the_encoding_it_is_in() {
        let cases: [(&[u8], Option<&str>, &str); 11] = [
            (b"\xef\xbb\xbfcaf\xc3\xa9", Some("text/html; charset=latin1"), "café"),
            (b"\xff\xfeh\0i\0", None, "hi"),
            (b"caf\xe9", Some("text/html; charset=ISO-8859-1"), "café"),
            (b"caf\xc3\xa9", Some("text/html; charset=ISO-8859-1"), "café"),
            (b"<meta charset='windows-1251'>\xcf\xf0\xe8", Some("text/html"), "<meta charset='windows-1251'>При"),
            (b"<?xml version='1.0' encoding='latin1'?>\xe9", None, "<?xml version='1.0' encoding='latin1'?>é"),
            (
                b"<META http-equiv=content-type content=\"text/html; charset=Shift_JIS\">\x93\xfa",
                None,
                "<META http-equiv=content-type content=\"text/html; charset=Shift_JIS\">日",
            ),
            (b"<meta charset=utf-16>\xc3\xa9", None, "<meta charset=utf-16>é"),
            (b"<meta charset=utf-8>ca\xc3\xa9 \xc3\xa8 \xe9", None, "<meta charset=utf-8>caé è \u{fffd}"),
            (b"<meta charset=utf-8>na\xefve caf\xe9, d\xe9j\xe0 vu", None, "<meta charset=utf-8>naïve café, déjà vu"),
            (b"h\0i\0 \0t\0h\0e\0r\0e\0", None, "hi there"),
        ];
        for (bytes, announced, wanted) in cases {
            assert_eq!(decode_html(bytes, announced), wanted);
        }
    }
}
