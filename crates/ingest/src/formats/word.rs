//! Word, until 2003: the text in pieces, without the structure that only its program understands.

use ibid_domain::PartialDate;

use super::{
    ExtractionContext, ExtractionDraft,
    code_pages::from_code_page,
    damaged_file,
    ole::{OleFile, day_of_filetime, u16_at, u32_at},
    properties as told,
    text::strip_control_chars,
};
use crate::ExtractionError;

pub(super) fn read(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let mut file = OleFile::open(bytes, reading)?;
    let main = file.read_stream("/WordDocument")?.ok_or_else(|| damaged_file("there is no document in it"))?;
    let flags = u16_at(&main, 10).ok_or_else(|| damaged_file("its head is missing"))?;
    if flags & 0x0100 != 0 {
        return Err(ExtractionError::Encrypted);
    }
    let table = if flags & 0x0200 != 0 { "/1Table" } else { "/0Table" };
    let table = file.read_stream(table)?.unwrap_or_default();
    read_summary_properties(&mut file, draft)?;
    let text = match u16_at(&main, 2) {
        // Before Word 97 the text was one piece.
        Some(..0x00c1) => old_text(&main),
        _ => read_piece_table(&main, &table).ok_or_else(|| damaged_file("the list of its pieces is missing"))?,
    };
    write_text(&text, draft)
}

fn old_text(main: &[u8]) -> String {
    let (start, end) = (u32_at(main, 24).unwrap_or(0) as usize, u32_at(main, 28).unwrap_or(0) as usize);
    main.get(start..end.min(main.len())).map(|bytes| from_code_page(bytes, 1252)).unwrap_or_default()
}

/// Follows the list of pieces: where each lies, and whether its characters have one byte or two.
fn read_piece_table(main: &[u8], table: &[u8]) -> Option<String> {
    let offset = u32_at(main, 0x01a2)? as usize;
    let length = u32_at(main, 0x01a6)? as usize;
    let mut list = table.get(offset..offset.checked_add(length)?)?;
    // Formatting stands before the pieces.
    while list.first() == Some(&1) {
        let skip = usize::from(u16_at(list, 1)?) + 3;
        list = list.get(skip..)?;
    }
    if list.first() != Some(&2) {
        return None;
    }
    let size = u32_at(list, 1)? as usize;
    let list = list.get(5..5 + size.min(list.len().saturating_sub(5)))?;
    let count = list.len().checked_sub(4)? / 12;
    let mut text = String::new();
    for index in 0..count {
        let from = u32_at(list, index * 4)? as usize;
        let to = u32_at(list, index * 4 + 4)? as usize;
        let place = u32_at(list, (count + 1) * 4 + index * 8 + 2)?;
        let chars = to.saturating_sub(from);
        if place & 0x4000_0000 != 0 {
            let start = (place & !0x4000_0000) as usize / 2;
            let end = start.saturating_add(chars).min(main.len());
            text.push_str(&from_code_page(main.get(start..end).unwrap_or_default(), 1252));
        } else {
            let start = place as usize;
            let end = start.saturating_add(chars.saturating_mul(2)).min(main.len());
            let (piece, _) =
                encoding_rs::UTF_16LE.decode_without_bom_handling(main.get(start..end).unwrap_or_default());
            text.push_str(&piece);
        }
    }
    Some(text)
}

/// Paragraph ends, cell ends and fields are characters of the text.
fn write_text(text: &str, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
    // What a field computes stands between its code and its end; the code is not shown.
    let mut codes: Vec<bool> = Vec::new();
    let mut line = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{13}' => codes.push(true),
            '\u{14}' => {
                if let Some(code) = codes.last_mut() {
                    *code = false;
                }
            }
            '\u{15}' => {
                codes.pop();
            }
            _ if codes.iter().any(|code| *code) => {}
            '\r' | '\u{c}' => {
                draft.text.push(strip_control_chars(&line).trim())?;
                line.clear();
                draft.text.end_paragraph()?;
            }
            '\u{7}' => {
                // A cell ends with one mark, a row with two.
                if chars.peek() == Some(&'\u{7}') {
                    chars.next();
                    draft.text.push(strip_control_chars(&line).trim())?;
                    line.clear();
                    draft.text.end_line()?;
                } else {
                    line.push('\t');
                }
            }
            '\u{b}' => line.push('\n'),
            '\u{1e}' => line.push('\u{2011}'),
            '\u{1f}' | '\u{ad}' => {}
            char => line.push(char),
        }
    }
    draft.text.push(strip_control_chars(&line).trim())?;
    draft.text.end_paragraph()
}

/// Reads title, authors and date from the summary stream of an Office file up to 2003.
pub(super) fn read_summary_properties(file: &mut OleFile, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
    if let Some(bytes) = file.read_stream("/\u{5}SummaryInformation")? {
        parse_summary(&bytes, draft);
    }
    Ok(())
}

fn parse_summary(bytes: &[u8], draft: &mut ExtractionDraft) -> Option<()> {
    let start = u32_at(bytes, 44)? as usize;
    let set = bytes.get(start..)?;
    let count = u32_at(set, 4)?.min(200) as usize;
    let value = |id: u32| {
        let entry = (0..count).find(|index| u32_at(set, 8 + index * 8) == Some(id))?;
        set.get(u32_at(set, 12 + entry * 8)? as usize..)
    };
    let page = value(1).and_then(|value| u16_at(value, 4)).map_or(1252, u32::from);
    let text = |id: u32| {
        let value = value(id)?;
        let length = u32_at(value, 4)? as usize;
        let bytes = value.get(8..8 + length.min(value.len().saturating_sub(8)))?;
        let text = match u32_at(value, 0)? {
            30 => from_code_page(bytes, page),
            31 => super::ole::utf_16(bytes),
            _ => return None,
        };
        Some(text.trim_end_matches('\0').to_owned())
    };
    draft.reference.title = text(2).and_then(|text| told::clean_title(&text));
    draft.reference.authors = text(4).map(|text| told::parse_authors(&text)).unwrap_or_default();
    let created = value(12).filter(|value| u32_at(value, 0) == Some(64));
    let ticks = created.and_then(|value| Some(u64::from(u32_at(value, 4)?) | u64::from(u32_at(value, 8)?) << 32));
    let date: Option<PartialDate> = ticks.and_then(day_of_filetime);
    draft.reference.publication_date = date.filter(|date| date.year() > 1980);
    Some(())
}
