//! Messages saved by Outlook: a compound file with one stream for each property.

use ibid_domain::{MarkKind, Name};
use ibid_language::one_line;

use super::{
    ExtractionContext, ExtractionDraft,
    code_pages::from_code_page,
    ole::{OleFile, day_of_filetime, u16_at, u32_at, utf_16},
    rtf,
    text::strip_control_chars,
};
use crate::{ExtractionError, ExtractionInput, html};

const SUBJECT: u16 = 0x0037;
const SENDER_NAME: u16 = 0x0c1a;
const SENDER_ADDRESS: u16 = 0x0c1f;
const SENDER_SMTP: u16 = 0x5d01;
const TO: u16 = 0x0e04;
const CC: u16 = 0x0e03;
const BODY: u16 = 0x1000;
const BODY_RTF: u16 = 0x1009;
const BODY_HTML: u16 = 0x1013;
const SENT: u16 = 0x0039;
const DELIVERED: u16 = 0x0e06;
const CODE_PAGE: u16 = 0x3fde;
const MESSAGE_CODE_PAGE: u16 = 0x3ffd;
const FILE_DATA: u16 = 0x3701;
const FILE_NAME: u16 = 0x3707;
const SHORT_FILE_NAME: u16 = 0x3704;
const DISPLAY_NAME: u16 = 0x3001;
const FILE_TYPE: u16 = 0x370e;

pub(super) fn read(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let mut file = OleFile::open(bytes, reading)?;
    let message = PropertyFolder::new(&mut file, "", 32)?;
    draft.reference.genre = Some("personal_communication".to_owned());
    draft.reference.title =
        message.text_property(&mut file, SUBJECT)?.map(|text| one_line(&text)).filter(|text| !text.is_empty());
    let sender =
        message.text_property(&mut file, SENDER_NAME)?.map(|text| one_line(&text)).filter(|text| !text.is_empty());
    draft.reference.authors.extend(sender.map(Name::Whole));
    draft.reference.publication_date =
        message.time_property(SENT).or(message.time_property(DELIVERED)).and_then(day_of_filetime);
    write_message(&mut file, &message, 0, reading, draft)
}

/// A folder of properties: the message itself, or a message or file within it.
struct PropertyFolder {
    path: String,
    properties: Vec<u8>,
    /// Byte offset of the first fixed-size property.
    head: usize,
    code_page: u32,
}

impl PropertyFolder {
    fn new(file: &mut OleFile, path: &str, head: usize) -> Result<Self, ExtractionError> {
        let properties = file.read_stream(&format!("{path}/__properties_version1.0"))?.unwrap_or_default();
        let mut folder = Self { path: path.to_owned(), properties, head, code_page: 1252 };
        let said = folder.fixed_property(CODE_PAGE).or(folder.fixed_property(MESSAGE_CODE_PAGE));
        folder.code_page = said.map_or(1252, |value| value as u32);
        Ok(folder)
    }

    /// A property kept in the table itself.
    fn fixed_property(&self, id: u16) -> Option<u64> {
        self.properties.get(self.head..)?.chunks_exact(16).find_map(|entry| {
            (u16_at(entry, 2)? == id).then_some(u64::from(u32_at(entry, 8)?) | u64::from(u32_at(entry, 12)?) << 32)
        })
    }

    fn time_property(&self, id: u16) -> Option<u64> {
        self.fixed_property(id).filter(|ticks| *ticks > 0)
    }

    fn binary_property(&self, file: &mut OleFile, id: u16, kind: u16) -> Result<Option<Vec<u8>>, ExtractionError> {
        file.read_stream(&format!("{}/__substg1.0_{id:04X}{kind:04X}", self.path))
    }

    fn text_property(&self, file: &mut OleFile, id: u16) -> Result<Option<String>, ExtractionError> {
        if let Some(bytes) = self.binary_property(file, id, 0x001f)? {
            return Ok(Some(utf_16(&bytes)));
        }
        let bytes = self.binary_property(file, id, 0x001e)?;
        Ok(bytes.map(|bytes| from_code_page(&bytes, self.code_page).trim_end_matches('\0').to_owned()))
    }
}

fn write_message(
    file: &mut OleFile,
    message: &PropertyFolder,
    depth: usize,
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    draft.text.end_paragraph()?;
    let start = draft.text.len();
    let name = message.text_property(file, SENDER_NAME)?;
    // Addresses within an organisation are paths of its directory, which tell nothing.
    let address = message
        .text_property(file, SENDER_SMTP)?
        .or(message.text_property(file, SENDER_ADDRESS)?)
        .filter(|text| text.contains('@'));
    let from = match (name, address) {
        (Some(name), Some(address)) if name != address => Some(format!("{name} <{address}>")),
        (name, address) => name.or(address),
    };
    let subject = message.text_property(file, SUBJECT)?;
    let date = message
        .time_property(SENT)
        .or(message.time_property(DELIVERED))
        .and_then(day_of_filetime)
        .map(|date| date.to_string());
    let lines = [
        ("From", from),
        ("To", message.text_property(file, TO)?),
        ("Cc", message.text_property(file, CC)?),
        ("Date", date),
        ("Subject", subject.clone()),
    ];
    for (name, value) in lines {
        if let Some(value) = value.map(|value| one_line(&value)).filter(|value| !value.is_empty()) {
            draft.text.push(&format!("{name}: {value}"))?;
            draft.text.end_line()?;
        }
    }
    draft.text.end_paragraph()?;
    write_body(file, message, reading, draft)?;
    draft.text.end_sections(0);
    write_attachments(file, message, depth, reading, draft)?;
    let label =
        subject.map(|text| one_line(&text)).filter(|text| !text.is_empty()).unwrap_or_else(|| "Message".to_owned());
    draft.text.add_mark(MarkKind::Message, label, Some(1), start);
    draft.text.end_paragraph()
}

/// The body in the richest form there is.
fn write_body(
    file: &mut OleFile,
    message: &PropertyFolder,
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let html = match message.binary_property(file, BODY_HTML, 0x0102)? {
        Some(bytes) => Some(html::decode_html(&bytes, None).into_owned()),
        None => message.text_property(file, BODY_HTML)?,
    };
    if let Some(html) = html.filter(|html| !html.trim().is_empty()) {
        html::write_visible_text(&html, &mut draft.text, reading.limits)?;
        return draft.text.end_paragraph();
    }
    if let Some(text) = message.text_property(file, BODY)?.filter(|text| !text.trim().is_empty()) {
        draft.text.push(strip_control_chars(&text).trim())?;
        return draft.text.end_paragraph();
    }
    if let Some(packed) = message.binary_property(file, BODY_RTF, 0x0102)?
        && let Some(unpacked) = unpack_rtf(&packed, reading)
    {
        reading.count_unpacked(unpacked.len() as u64)?;
        // Outlook hides pages within RTF; what it would show of them is what the reader finds.
        let told = std::mem::take(&mut draft.reference);
        rtf::read(&unpacked, reading, draft)?;
        draft.reference = told;
    }
    draft.text.end_paragraph()
}

fn write_attachments(
    file: &mut OleFile,
    message: &PropertyFolder,
    depth: usize,
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let root = if message.path.is_empty() { "/" } else { message.path.as_str() };
    for name in file.entry_names(root).into_iter().filter(|name| name.starts_with("__attach_version1.0_")) {
        let path = format!("{}/{name}", message.path);
        let folder = PropertyFolder { code_page: message.code_page, ..PropertyFolder::new(file, &path, 8)? };
        let inner = format!("{path}/__substg1.0_{FILE_DATA:04X}000D");
        if file.has_entry(&format!("{inner}/__properties_version1.0")) {
            if depth < super::FILES_WITHIN_FILES {
                let inner = PropertyFolder::new(file, &inner, 24)?;
                write_message(file, &inner, depth + 1, reading, draft)?;
            }
            continue;
        }
        let Some(bytes) = folder.binary_property(file, FILE_DATA, 0x0102)? else { continue };
        let named = folder
            .text_property(file, FILE_NAME)?
            .or(folder.text_property(file, SHORT_FILE_NAME)?)
            .or(folder.text_property(file, DISPLAY_NAME)?);
        let kind = folder.text_property(file, FILE_TYPE)?;
        let input = ExtractionInput {
            bytes: &bytes,
            filename: named.as_deref(),
            media_type: kind.as_deref(),
            ..ExtractionInput::default()
        };
        reading.append_attachment(&input, draft)?;
    }
    Ok(())
}

/// Initial window of Outlook's RTF compression, as its specification defines it.
const DICTIONARY: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \
\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \
\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/// Unpacks Outlook's own compression of RTF.
fn unpack_rtf(packed: &[u8], reading: &ExtractionContext) -> Option<Vec<u8>> {
    let size = u32_at(packed, 4)? as usize;
    let kind = packed.get(8..12)?;
    let data = packed.get(16..)?;
    if kind == b"MELA" {
        return Some(data[..size.min(data.len())].to_vec());
    }
    if kind != b"LZFu" || size as u64 > reading.bytes_left() {
        return None;
    }
    let mut window = [b' '; 4096];
    window[..DICTIONARY.len()].copy_from_slice(DICTIONARY);
    let mut write = DICTIONARY.len();
    let mut out = Vec::new();
    let mut input = data.iter().copied();
    'all: while let Some(flags) = input.next() {
        for bit in 0..8 {
            if flags >> bit & 1 == 0 {
                let Some(byte) = input.next() else { break 'all };
                out.push(byte);
                window[write % 4096] = byte;
                write += 1;
            } else {
                let (Some(high), Some(low)) = (input.next(), input.next()) else { break 'all };
                let pair = u16::from_be_bytes([high, low]);
                let from = usize::from(pair >> 4);
                if from == write % 4096 {
                    break 'all;
                }
                for index in 0..usize::from(pair & 15) + 2 {
                    let byte = window[(from + index) % 4096];
                    out.push(byte);
                    window[write % 4096] = byte;
                    write += 1;
                }
            }
            if out.len() > size {
                break 'all;
            }
        }
    }
    out.truncate(size);
    Some(out)
}
