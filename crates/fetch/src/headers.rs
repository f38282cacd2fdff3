//! What the headers of an answer say.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};
use percent_encoding::percent_decode_str;
use reqwest::header::{CONTENT_DISPOSITION, DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// A header as text: UTF-8, or else taken byte by byte as the oldest servers mean it.
pub(crate) fn header_text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let bytes = headers.get(name)?.as_bytes();
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    };
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The longest wait that is believed.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Parses Retry-After. A date is compared with the server's own Date header, not with our clock.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let asked = header_text(headers, &RETRY_AFTER)?;
    if asked.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(asked.parse().map_or(LONGEST_WAIT, Duration::from_secs).min(LONGEST_WAIT));
    }
    let time = |text: &str| -> Option<Timestamp> { DateTimeParser::new().parse_timestamp(text).ok() };
    let seconds = time(&asked)?.as_second() - time(&header_text(headers, &DATE)?)?.as_second();
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)).min(LONGEST_WAIT))
}

/// The name that the server gives the file, without any folder.
pub(crate) fn filename(headers: &HeaderMap) -> Option<String> {
    let value = header_text(headers, &CONTENT_DISPOSITION)?;
    let mut plain = None;
    for (name, value) in parse_parameters(&value) {
        match name.as_str() {
            // RFC 5987: charset'language'percent-encoded. It wins over the plain one.
            "filename*" => {
                let mut parts = value.splitn(3, '\'');
                let (charset, _, encoded) = (parts.next()?, parts.next(), parts.next());
                let bytes: Vec<u8> = percent_decode_str(encoded.unwrap_or(charset)).collect();
                let decoded = if charset.eq_ignore_ascii_case("iso-8859-1") {
                    bytes.iter().map(|&byte| char::from(byte)).collect()
                } else {
                    String::from_utf8_lossy(&bytes).into_owned()
                };
                if let Some(name) = safe_name(&decoded) {
                    return Some(name);
                }
            }
            "filename" => plain = plain.or_else(|| safe_name(&value)),
            _ => {}
        }
    }
    plain
}

/// The parameters after the first `;`, with quotes and escapes undone.
fn parse_parameters(value: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = value.split_once(';').map_or("", |(_, rest)| rest);
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim_matches(|c: char| c.is_whitespace() || c == ';').to_ascii_lowercase();
        let after = after.trim_start();
        let mut content = String::new();
        rest = if let Some(quoted) = after.strip_prefix('"') {
            let mut chars = quoted.chars();
            while let Some(c) = chars.next() {
                match c {
                    '"' => break,
                    // A backslash before anything but a quote or itself is the folder separator of a careless server.
                    '\\' if chars.as_str().starts_with(['"', '\\']) => content.extend(chars.next()),
                    other => content.push(other),
                }
            }
            chars.as_str().split_once(';').map_or("", |(_, rest)| rest)
        } else {
            let (plain, rest) = after.split_once(';').unwrap_or((after, ""));
            content.push_str(plain.trim());
            rest
        };
        found.push((name, content));
    }
    found
}

/// The last part of a path, without what no file name should have.
fn safe_name(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let clean: String = last.chars().filter(|c| !c.is_control()).take(200).collect();
    let clean = clean.trim().trim_start_matches('.').trim();
    (!clean.is_empty()).then(|| clean.to_owned())
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn with(name: HeaderName, value: &[u8]) -> HeaderMap {
        [(name, HeaderValue::from_bytes(value).unwrap())].into_iter().collect()
    }

    #[test]
    fn the_name_of_a_file_is_read_in_every_spelling() {
        for (value, expected) in [
            ("attachment; filename=report.pdf", Some("report.pdf")),
            ("attachment; filename=\"a \\\"b\\\"; c.pdf\"; x=y", Some("a \"b\"; c.pdf")),
            ("attachment; filename=\"plain.pdf\"; filename*=UTF-8''%C3%A4%20b.pdf", Some("ä b.pdf")),
            ("inline; filename*=iso-8859-1'en'%E4.pdf", Some("ä.pdf")),
            ("attachment; FILENAME=\"../../etc/passwd\"", Some("passwd")),
            ("attachment; filename=\"C:\\dir\\x.doc\"", Some("x.doc")),
            ("attachment; filename=\"..\"", None),
            ("attachment; filename=\"\"", None),
            ("attachment; filename*=''", None),
            ("attachment", None),
            ("filename", None),
            ("attachment; filename=\"unclosed", Some("unclosed")),
            ("; ; =; filename = a.txt", Some("a.txt")),
        ] {
            assert_eq!(filename(&with(CONTENT_DISPOSITION, value.as_bytes())).as_deref(), expected, "{value}");
        }
        let latin = with(CONTENT_DISPOSITION, b"attachment; filename=\"b\xfccher.txt\"");
        assert_eq!(filename(&latin).as_deref(), Some("bücher.txt"));
    }

    #[test]
    fn a_wait_is_seconds_or_a_time() {
        assert_eq!(retry_after(&with(RETRY_AFTER, b"120")), Some(Duration::from_secs(120)));
        assert_eq!(retry_after(&with(RETRY_AFTER, b"99999999999999999999999")), Some(LONGEST_WAIT));
        assert_eq!(retry_after(&with(RETRY_AFTER, b"soon")), None);
        let mut headers = with(RETRY_AFTER, b"Sun, 06 Nov 1994 08:50:37 GMT");
        assert_eq!(retry_after(&headers), None);
        headers.insert(DATE, HeaderValue::from_static("Sun, 06 Nov 1994 08:49:37 GMT"));
        assert_eq!(retry_after(&headers), Some(Duration::from_secs(60)));
        headers.insert(DATE, HeaderValue::from_static("Sun, 06 Nov 1994 09:49:37 GMT"));
        assert_eq!(retry_after(&headers), Some(Duration::ZERO));
    }
}
