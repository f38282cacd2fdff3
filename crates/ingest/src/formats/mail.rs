//! Mail: one message, or a mailbox of them. What came with a message is read as the file it is.

use ibid_domain::{MarkKind, Name, PartialDate, Reference};
use ibid_language::one_line;
use mail_parser::{Address, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use super::{ExtractionContext, ExtractionDraft, damaged_file, text::strip_control_chars};
use crate::{ExtractionError, ExtractionInput, html};

pub(super) fn read_message(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let message = MessageParser::default().parse(bytes).ok_or_else(|| damaged_file("it is no message"))?;
    draft.reference = message_reference(&message);
    write_message(&message, 1, 0, reading, draft)
}

pub(super) fn read_mailbox(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let messages = split_mailbox(bytes);
    if messages.len() > reading.limits.entries {
        return Err(ExtractionError::TooLarge(format!("it has more than {} messages", reading.limits.entries)));
    }
    let mut known = Vec::new();
    for (index, bytes) in messages.into_iter().enumerate() {
        let unquoted = unquote_from_lines(bytes);
        let Some(message) = MessageParser::default().parse(&unquoted) else { continue };
        known.push(message_reference(&message));
        write_message(&message, index + 1, 0, reading, draft)?;
    }
    draft.reference = merge_thread(known);
    Ok(())
}

/// Returns the reference of a mailbox: the first message with all authors if it is one thread, else only the genre.
fn merge_thread(messages: Vec<Reference>) -> Reference {
    let subject = |message: &Reference| message.title.as_deref().map(without_reply);
    let mut messages = messages.into_iter();
    let Some(mut first) = messages.next() else { return Reference::default() };
    for message in messages {
        if subject(&message) != subject(&first) {
            return Reference { genre: first.genre, ..Reference::default() };
        }
        for author in message.authors {
            if !first.authors.contains(&author) {
                first.authors.push(author);
            }
        }
    }
    first
}

/// A subject without what answers and forwards put before it.
fn without_reply(subject: &str) -> String {
    let mut rest = subject.trim();
    while let Some((sign, after)) = rest.split_once(':') {
        if !matches!(sign.trim().to_lowercase().as_str(), "re" | "aw" | "sv" | "fwd" | "fw" | "wg" | "tr" | "rv") {
            break;
        }
        rest = after.trim_start();
    }
    rest.to_lowercase()
}

/// A message begins at a line with `From `, after an empty line and before a header: the same words within a message
/// are not always quoted.
fn split_mailbox(bytes: &[u8]) -> Vec<&[u8]> {
    let mut starts = Vec::new();
    let mut at = 0;
    let mut blank = true;
    while at < bytes.len() {
        let end = bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
        let line = &bytes[at..end];
        if blank && line.starts_with(b"From ") {
            let next: Vec<u8> = bytes[end..].iter().copied().take_while(|byte| *byte != b'\n').take(80).collect();
            let name = next.split(|byte| *byte == b':').next().unwrap_or_default();
            if name.len() < next.len() && name.iter().all(|byte| byte.is_ascii_graphic()) {
                starts.push((at, end));
            }
        }
        blank = line.iter().all(u8::is_ascii_whitespace);
        at = end;
    }
    let ends = starts.iter().skip(1).map(|(line, _)| *line).chain([bytes.len()]);
    starts.iter().zip(ends).map(|((_, start), end)| &bytes[*start..end]).collect()
}

/// `>From ` in a mailbox stands for `From ` in the message.
fn unquote_from_lines(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let quoted = line.starts_with(b">From ");
        out.extend_from_slice(if quoted { &line[1..] } else { line });
    }
    out
}

fn message_reference(message: &Message) -> Reference {
    let mut reference = Reference { genre: Some("personal_communication".to_owned()), ..Reference::default() };
    reference.title = message.subject().map(one_line).filter(|subject| !subject.is_empty());
    for sender in message.from().into_iter().flat_map(Address::iter) {
        let name = sender.name().or(sender.address()).map(one_line).filter(|name| !name.is_empty());
        reference.authors.extend(name.map(Name::Whole));
    }
    reference.publication_date = message.date().and_then(|date| {
        let (year, month, day) =
            (i16::try_from(date.year).ok()?, i8::try_from(date.month).ok()?, i8::try_from(date.day).ok()?);
        PartialDate::new(year, Some(month), Some(day))
    });
    reference
}

fn write_message(
    message: &Message,
    number: usize,
    depth: usize,
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    draft.text.end_paragraph()?;
    let start = draft.text.len();
    let date = message.date().map(|date| {
        let zone = if date.tz_before_gmt { '-' } else { '+' };
        let day = format!("{:04}-{:02}-{:02} {:02}:{:02}", date.year, date.month, date.day, date.hour, date.minute);
        format!("{day} {zone}{:02}{:02}", date.tz_hour, date.tz_minute)
    });
    let lines = [
        ("From", message.from().map(format_addresses)),
        ("To", message.to().map(format_addresses)),
        ("Cc", message.cc().map(format_addresses)),
        ("Date", date),
        ("Subject", message.subject().map(one_line)),
    ];
    for (name, value) in lines {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            draft.text.push(&format!("{name}: {}", strip_control_chars(&value)))?;
            draft.text.end_line()?;
        }
    }
    draft.text.end_paragraph()?;
    if let Some(root) = message.parts.first() {
        write_part(message, root, depth, reading, draft)?;
    }
    draft.text.end_sections(0);
    let subject = message.subject().map(one_line).filter(|subject| !subject.is_empty());
    let label = subject.unwrap_or_else(|| format!("Message {number}"));
    draft.text.add_mark(MarkKind::Message, label, u32::try_from(number).ok(), start);
    draft.text.end_paragraph()
}

fn format_addresses(address: &Address) -> String {
    let one = |address: &mail_parser::Addr| match (address.name(), address.address()) {
        (Some(name), Some(address)) if name != address => format!("{} <{}>", one_line(name), one_line(address)),
        (name, address) => one_line(name.or(address).unwrap_or_default()),
    };
    address.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn write_part(
    message: &Message,
    part: &MessagePart,
    depth: usize,
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    if depth > reading.limits.depth.min(50) {
        return Ok(());
    }
    let parts = |ids: &[u32]| ids.iter().filter_map(|id| message.parts.get(*id as usize)).collect::<Vec<_>>();
    // A part with a name is a file, unless a person would see it within the message; so is anything that says so.
    let file = part.attachment_name().is_some() || part.content_disposition().is_some_and(|kind| kind.is_attachment());
    match &part.body {
        PartType::Multipart(ids) => {
            let parts = parts(ids);
            let alternative = part
                .content_type()
                .and_then(|kind| kind.subtype())
                .is_some_and(|kind| kind.eq_ignore_ascii_case("alternative"));
            if alternative {
                // The same said in several ways: the last that can be read is the richest.
                let before = draft.text.len();
                for part in parts.into_iter().rev() {
                    write_part(message, part, depth + 1, reading, draft)?;
                    let written: String = draft.text.text().chars().skip(before).collect();
                    if !written.trim().is_empty() {
                        break;
                    }
                }
            } else {
                for part in parts {
                    write_part(message, part, depth + 1, reading, draft)?;
                }
            }
            Ok(())
        }
        PartType::Text(text) if !file => {
            draft.text.end_paragraph()?;
            draft.text.push(strip_control_chars(text).trim())?;
            draft.text.end_paragraph()
        }
        PartType::Html(text) if !file => {
            draft.text.end_paragraph()?;
            html::write_visible_text(text, &mut draft.text, reading.limits)?;
            draft.text.end_paragraph()
        }
        PartType::Message(inner) => write_message(inner, 1, depth + 1, reading, draft),
        PartType::Text(text) | PartType::Html(text) => attach_part(part, text.as_bytes(), true, reading, draft),
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) => attach_part(part, bytes, false, reading, draft),
    }
}

fn attach_part(
    part: &MessagePart,
    bytes: &[u8],
    text: bool,
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let kind = part.content_type();
    // Pictures in signatures and calendars for programs are nothing to read.
    let media_type = kind.map(|kind| match kind.subtype() {
        Some(subtype) => format!("{}/{subtype}", kind.ctype()),
        None => kind.ctype().to_owned(),
    });
    // Its characters were decoded with the message.
    let media_type = media_type.map(|kind| if text { format!("{kind}; charset=utf-8") } else { kind });
    let name = part.attachment_name();
    if name.is_none() && media_type.as_deref().is_some_and(|kind| kind.starts_with("image/")) {
        return Ok(());
    }
    reading.append_attachment(
        &ExtractionInput { bytes, filename: name, media_type: media_type.as_deref(), ..ExtractionInput::default() },
        draft,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_known_by_its_first_message() {
        let message = |title: &str, author: &str| Reference {
            title: Some(title.to_owned()),
            authors: vec![Name::Whole(author.to_owned())],
            ..Reference::default()
        };
        let found = merge_thread(vec![
            message("The pier", "A"),
            message("Re: The pier", "B"),
            message("AW: RE: the pier", "A"),
        ]);
        assert_eq!(found.title.as_deref(), Some("The pier"));
        assert_eq!(found.authors, [Name::Whole("A".into()), Name::Whole("B".into())]);
        assert_eq!(merge_thread(vec![message("The pier", "A"), message("Ropes: new ones", "B")]).title, None);
    }

    #[test]
    fn a_mailbox_is_split_where_messages_begin() {
        let mailbox =
            b"From a@example.org Mon Jan  1 00:00:00 2024\nSubject: One\n\nFrom here on it is text.\n>From quoted\n\n\
            From b@example.org Mon Jan  1 00:00:00 2024\nSubject: Two\n\nBody\n";
        let messages = split_mailbox(mailbox);
        assert_eq!(messages.len(), 2);
        assert!(messages[1].starts_with(b"Subject: Two"));
        assert!(String::from_utf8(unquote_from_lines(messages[0])).unwrap().contains("\nFrom quoted"));
    }
}
