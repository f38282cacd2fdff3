//! Excel, until 2003: a stream of records.

use std::collections::HashMap;

use ibid_domain::MarkKind;
use ibid_language::one_line;

use super::{
    ExtractionContext, ExtractionDraft,
    cells::{cell_name, write_row},
    code_pages::from_code_page,
    damaged_file,
    number_format::{NumberFormat, builtin_format_code, format_general},
    ole::{OleFile, u16_at, u32_at},
    xlsx::margin_text,
};
use crate::ExtractionError;

pub(super) fn read(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let mut file = OleFile::open(bytes, reading)?;
    let stream = match file.read_stream("/Workbook")? {
        Some(stream) => Some(stream),
        None => file.read_stream("/Book")?,
    };
    let stream = stream.ok_or_else(|| damaged_file("there is no workbook in it"))?;
    super::word::read_summary_properties(&mut file, draft)?;
    let mut book = XlsWorkbook::default();
    book.read_globals(&stream)?;
    for (index, (sheet, offset)) in book.sheets.clone().into_iter().enumerate() {
        draft.text.end_paragraph()?;
        let start = draft.text.len();
        draft.text.push(&one_line(&sheet))?;
        draft.text.end_line()?;
        book.write_sheet(&stream, offset, draft)?;
        draft.text.add_mark(MarkKind::Sheet, one_line(&sheet), u32::try_from(index + 1).ok(), start);
    }
    Ok(())
}

/// One record with all its continuations.
struct XlsRecord<'a> {
    kind: u16,
    /// The record's own bytes, then those of each record that continues it.
    parts: Vec<&'a [u8]>,
}

impl<'a> XlsRecord<'a> {
    fn own_bytes(&self) -> &'a [u8] {
        self.parts.first().copied().unwrap_or_default()
    }
}

const CONTINUE: u16 = 0x003c;

/// The records from an offset on.
fn read_records(stream: &[u8], offset: usize) -> impl Iterator<Item = XlsRecord<'_>> {
    let mut at = offset;
    std::iter::from_fn(move || {
        let one = |at: usize| {
            let kind = u16_at(stream, at)?;
            let length = usize::from(u16_at(stream, at + 2)?);
            let start = at + 4;
            // The last record may be cut off.
            let end = (start + length).min(stream.len());
            Some((kind, stream.get(start..end)?, end))
        };
        let (kind, data, end) = one(at)?;
        at = end;
        let mut parts = vec![data];
        while let Some((CONTINUE, data, end)) = one(at) {
            parts.push(data);
            at = end;
        }
        Some(XlsRecord { kind, parts })
    })
}

#[derive(Default)]
struct XlsWorkbook {
    sheets: Vec<(String, usize)>,
    strings: Vec<String>,
    codes: HashMap<u32, String>,
    /// The format of each cell style.
    styles: Vec<u32>,
    formats: HashMap<u32, NumberFormat>,
    from_1904: bool,
    code_page: u32,
    /// True if strings are stored as in Excel 97 and later.
    modern: bool,
}

impl XlsWorkbook {
    fn read_globals(&mut self, stream: &[u8]) -> Result<(), ExtractionError> {
        self.code_page = 1252;
        for record in read_records(stream, 0) {
            let data = record.own_bytes();
            match record.kind {
                0x0809 => self.modern = u16_at(data, 0) == Some(0x0600),
                0x002f => return Err(ExtractionError::Encrypted),
                0x0042 => self.code_page = u32::from(u16_at(data, 0).unwrap_or(1252)),
                0x0022 => self.from_1904 = u16_at(data, 0) == Some(1),
                0x0085 => {
                    let offset = u32_at(data, 0).unwrap_or(0) as usize;
                    let name = data.get(6..).map(|rest| self.short_string(rest)).unwrap_or_default();
                    // Charts and macros have their own kinds; only worksheets have cells.
                    if data.get(5).is_some_and(|kind| *kind == 0) {
                        self.sheets.push((name, offset));
                    }
                }
                0x00fc => self.strings = shared_strings(&record.parts),
                0x041e => {
                    let code = if self.modern {
                        data.get(2..).map(long_string).unwrap_or_default()
                    } else {
                        data.get(2..).map(|rest| self.short_string(rest)).unwrap_or_default()
                    };
                    self.codes.insert(u32::from(u16_at(data, 0).unwrap_or(0)), code);
                }
                0x00e0 => self.styles.push(u32::from(u16_at(data, 2).unwrap_or(0))),
                0x000a => break,
                _ => {}
            }
        }
        for id in &self.styles {
            let code = self.codes.get(id).map(String::as_str).or_else(|| builtin_format_code(*id));
            if let Some(code) = code.filter(|code| !code.eq_ignore_ascii_case("general")) {
                self.formats.entry(*id).or_insert_with(|| NumberFormat::parse(code));
            }
        }
        Ok(())
    }

    /// A string whose length is one byte.
    fn short_string(&self, bytes: &[u8]) -> String {
        let Some((&length, rest)) = bytes.split_first() else { return String::new() };
        let length = usize::from(length);
        if !self.modern {
            return from_code_page(&rest[..length.min(rest.len())], self.code_page);
        }
        let Some((&flags, rest)) = rest.split_first() else { return String::new() };
        decode_chars(rest, length, flags & 1 != 0)
    }

    /// A string whose length is two bytes.
    fn read_string(&self, bytes: &[u8]) -> String {
        if self.modern {
            return long_string(bytes);
        }
        let length = usize::from(u16_at(bytes, 0).unwrap_or(0));
        let rest = bytes.get(2..).unwrap_or_default();
        from_code_page(&rest[..length.min(rest.len())], self.code_page)
    }

    fn format_cell(&self, style: u16, value: f64) -> String {
        let format = self.styles.get(usize::from(style)).and_then(|id| self.formats.get(id));
        format.map_or_else(|| format_general(value), |format| format.format_value(value, self.from_1904))
    }

    fn write_sheet(&self, stream: &[u8], offset: usize, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        let mut row = (0u32, Vec::new());
        // Formulas whose result is a string have it in the next record.
        let mut formula: Option<(u32, u32)> = None;
        let mut margins = Vec::new();
        let mut boxes: HashMap<u16, String> = HashMap::new();
        let mut notes = Vec::new();
        let mut object = 0;
        let mut depth = 0;
        for record in read_records(stream, offset) {
            let data = record.own_bytes();
            match record.kind {
                0x0809 | 0x0409 | 0x0209 | 0x0009 => depth += 1,
                0x000a => {
                    // Charts within the sheet begin and end within it.
                    depth -= 1;
                    if depth <= 0 {
                        break;
                    }
                    continue;
                }
                0x0014 | 0x0015 => {
                    let text = if data.is_empty() {
                        String::new()
                    } else if self.modern {
                        long_string(data)
                    } else {
                        self.short_string(data)
                    };
                    margins.push(margin_text(&text));
                    continue;
                }
                0x005d => object = u16_at(data, 6).unwrap_or(0),
                0x01b6 => {
                    let text = box_text(&record.parts);
                    if !text.trim().is_empty() {
                        boxes.insert(object, text);
                    }
                }
                0x001c => {
                    let at = (u16_at(data, 2).unwrap_or(0), u16_at(data, 0).unwrap_or(0));
                    notes.push((at, u16_at(data, 6).unwrap_or(0)));
                }
                _ => {}
            }
            if depth > 1 {
                continue;
            }
            let Some((at, column)) =
                u16_at(data, 0).zip(u16_at(data, 2)).map(|(row, column)| (u32::from(row), u32::from(column)))
            else {
                continue;
            };
            let style = u16_at(data, 4).unwrap_or(0);
            let mut put = |at: u32, column: u32, value: String| -> Result<(), ExtractionError> {
                if row.0 != at {
                    write_row(&mut draft.text, row.0, &row.1)?;
                    row = (at, Vec::new());
                }
                row.1.push((column, value));
                Ok(())
            };
            match record.kind {
                0x00fd => {
                    let index = u32_at(data, 6).unwrap_or(u32::MAX) as usize;
                    put(at, column, self.strings.get(index).cloned().unwrap_or_default())?;
                }
                0x0204 | 0x00d6 => {
                    put(at, column, data.get(6..).map(|rest| self.read_string(rest)).unwrap_or_default())?
                }
                0x0203 => put(at, column, self.format_cell(style, f64_at(data, 6)))?,
                0x027e => put(at, column, self.format_cell(style, decode_rk_number(u32_at(data, 6).unwrap_or(0))))?,
                0x00bd => {
                    for (index, pair) in data.get(4..).unwrap_or_default().chunks_exact(6).enumerate() {
                        let style = u16_at(pair, 0).unwrap_or(0);
                        let value = decode_rk_number(u32_at(pair, 2).unwrap_or(0));
                        put(at, column + index as u32, self.format_cell(style, value))?;
                    }
                }
                0x0205 => put(at, column, truth_or_error(data.get(6).copied(), data.get(7) == Some(&1)))?,
                0x0006 | 0x0206 | 0x0406 => {
                    let result = data.get(6..14).unwrap_or_default();
                    if result.get(6..8) == Some(&[0xff, 0xff]) {
                        match result.first() {
                            Some(0) => formula = Some((at, column)),
                            Some(1) => put(at, column, truth_or_error(result.get(2).copied(), false))?,
                            Some(2) => put(at, column, truth_or_error(result.get(2).copied(), true))?,
                            _ => {}
                        }
                    } else {
                        put(at, column, self.format_cell(style, f64_at(data, 6)))?;
                    }
                }
                0x0207 => {
                    if let Some((at, column)) = formula.take() {
                        let text = if self.modern { joined_string(&record.parts) } else { self.read_string(data) };
                        put(at, column, text)?;
                    }
                }
                _ => {}
            }
        }
        write_row(&mut draft.text, row.0, &row.1)?;
        margins.dedup();
        for line in margins.iter().filter(|line| !line.is_empty()) {
            draft.text.end_line()?;
            draft.text.push(line)?;
        }
        for ((column, row), object) in notes {
            let Some(text) = boxes.remove(&object) else { continue };
            draft.text.end_line()?;
            let start = draft.text.len();
            let at = cell_name(u32::from(column), u32::from(row));
            draft.text.push(&format!("{at}: {}", one_line(&text)))?;
            draft.text.add_mark(MarkKind::Cells, at, None, start);
        }
        let mut rest: Vec<_> = boxes.into_iter().collect();
        rest.sort();
        for (_, text) in rest {
            draft.text.end_line()?;
            draft.text.push(&one_line(&text))?;
        }
        draft.text.end_line()
    }
}

fn f64_at(bytes: &[u8], at: usize) -> f64 {
    bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok()).map_or(0.0, f64::from_le_bytes)
}

/// A number in 30 bits: a whole one or the upper half of a fraction, perhaps in hundredths.
fn decode_rk_number(bits: u32) -> f64 {
    let value = if bits & 2 != 0 { f64::from(bits as i32 >> 2) } else { f64::from_bits(u64::from(bits & !3) << 32) };
    if bits & 1 != 0 { value / 100.0 } else { value }
}

fn truth_or_error(value: Option<u8>, error: bool) -> String {
    let text = match (error, value) {
        (false, Some(0) | None) => "FALSE",
        (false, Some(_)) => "TRUE",
        (true, Some(0x00)) => "#NULL!",
        (true, Some(0x07)) => "#DIV/0!",
        (true, Some(0x0f)) => "#VALUE!",
        (true, Some(0x17)) => "#REF!",
        (true, Some(0x1d)) => "#NAME?",
        (true, Some(0x24)) => "#NUM!",
        (true, _) => "#N/A",
    };
    text.to_owned()
}

/// Characters of one byte each, or of two.
fn decode_chars(bytes: &[u8], count: usize, wide: bool) -> String {
    let length = if wide { count * 2 } else { count };
    let bytes = &bytes[..length.min(bytes.len())];
    if wide {
        encoding_rs::UTF_16LE.decode_without_bom_handling(bytes).0.into_owned()
    } else {
        bytes.iter().map(|byte| char::from(*byte)).collect()
    }
}

fn long_string(bytes: &[u8]) -> String {
    joined_string(&[bytes])
}

/// One string that may run over several records.
fn joined_string(parts: &[&[u8]]) -> String {
    let mut cursor = RecordCursor { parts, part: 0, at: 0 };
    cursor.read_string().unwrap_or_default()
}

fn shared_strings(parts: &[&[u8]]) -> Vec<String> {
    let mut cursor = RecordCursor { parts, part: 0, at: 8 };
    std::iter::from_fn(|| cursor.read_string()).collect()
}

/// Text boxes and comments: the words stand in the records that continue the one about the box.
fn box_text(parts: &[&[u8]]) -> String {
    let count = parts.first().and_then(|data| u16_at(data, 10)).unwrap_or(0);
    let mut left = usize::from(count);
    let mut text = String::new();
    for part in parts.iter().skip(1) {
        let Some((&flags, rest)) = part.split_first().filter(|_| left > 0) else { break };
        let piece = decode_chars(rest, left, flags & 1 != 0);
        left = left.saturating_sub(piece.chars().map(char::len_utf16).sum());
        text.push_str(&piece);
    }
    text
}

/// Reads through a record and its continuations, at whose borders strings repeat their flags.
struct RecordCursor<'a> {
    parts: &'a [&'a [u8]],
    part: usize,
    at: usize,
}

impl RecordCursor<'_> {
    fn skip_finished_parts(&mut self) -> bool {
        while self.part < self.parts.len() && self.at >= self.parts[self.part].len() {
            self.at -= self.parts[self.part].len();
            self.part += 1;
        }
        self.part < self.parts.len()
    }

    fn next_byte(&mut self) -> Option<u8> {
        if !self.skip_finished_parts() {
            return None;
        }
        let byte = self.parts[self.part].get(self.at).copied();
        self.at += 1;
        byte
    }

    fn read_number(&mut self, size: usize) -> Option<usize> {
        let mut number = 0;
        for index in 0..size {
            number |= usize::from(self.next_byte()?) << (8 * index);
        }
        Some(number)
    }

    fn read_string(&mut self) -> Option<String> {
        let mut left = self.read_number(2)?;
        let mut flags = self.next_byte()?;
        let runs = if flags & 8 != 0 { self.read_number(2)? } else { 0 };
        let extra = if flags & 4 != 0 { self.read_number(4)? } else { 0 };
        let mut units: Vec<u16> = Vec::new();
        while left > 0 {
            if self.part < self.parts.len() && self.at >= self.parts[self.part].len() {
                // The next record says anew whether its characters have one byte or two.
                if !self.skip_finished_parts() {
                    break;
                }
                flags = self.next_byte()?;
            }
            let Some(low) = self.next_byte() else { break };
            let high = if flags & 1 != 0 { self.next_byte().unwrap_or(0) } else { 0 };
            units.push(u16::from_le_bytes([low, high]));
            left -= 1;
        }
        self.at = self.at.saturating_add(runs * 4).saturating_add(extra);
        Some(String::from_utf16_lossy(&units))
    }
}
