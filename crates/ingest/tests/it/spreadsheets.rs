//! The values of spreadsheets, beside those that another reader (calamine) finds in the same files.

use std::{collections::BTreeMap, io::Cursor};

use calamine::{Data, Reader, open_workbook_auto_from_rs};
use ibid_domain::MarkKind;
use ibid_ingest::{ExtractionInput, ExtractionLimits, extract};

/// Cells by sheet, row and column, the latter two from 0.
type Cells<T> = BTreeMap<(String, u32, u32), T>;

fn our_cells(name: &str, bytes: &[u8]) -> Cells<String> {
    let input = ExtractionInput { bytes, filename: Some(name), ..ExtractionInput::default() };
    let read = extract(&input, &ExtractionLimits::default()).unwrap();
    let text: Vec<char> = read.text.chars().collect();
    let mut cells = Cells::new();
    for mark in read.marks.iter().filter(|mark| mark.kind == MarkKind::Cells) {
        let sheet = read
            .marks
            .iter()
            .find(|sheet| {
                sheet.kind == MarkKind::Sheet && sheet.span.start <= mark.span.start && mark.span.end <= sheet.span.end
            })
            .map(|sheet| sheet.label.clone())
            .unwrap();
        let first = mark.label.split(':').next().unwrap();
        let letters = first.find(|c: char| c.is_ascii_digit()).unwrap();
        let column = first[..letters].bytes().fold(0, |column, letter| column * 26 + u32::from(letter - b'A') + 1) - 1;
        let row: u32 = first[letters..].parse().unwrap();
        let line: String = text[mark.span.start..mark.span.end].iter().collect();
        for (index, value) in line.trim_end_matches('\n').split('\t').enumerate() {
            // Comments on a cell stand behind the rows and are marked as the cell.
            if !value.is_empty() {
                cells.entry((sheet.clone(), row - 1, column + index as u32)).or_insert_with(|| value.to_owned());
            }
        }
    }
    cells
}

fn their_cells(bytes: &[u8]) -> Cells<Data> {
    let mut book = open_workbook_auto_from_rs(Cursor::new(bytes.to_vec())).unwrap();
    let mut cells = Cells::new();
    for (sheet, range) in book.worksheets() {
        let (top, left) = range.start().unwrap_or_default();
        for (row, column, value) in range.used_cells() {
            let blank = matches!(value, Data::String(text) if text.trim().is_empty());
            if !blank {
                cells.insert((sheet.clone(), top + row as u32, left + column as u32), value.clone());
            }
        }
    }
    cells
}

/// Returns true if the text is how a spreadsheet shows the value, in whatever format the cell has.
fn shows(text: &str, value: &Data) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let number = |wanted: f64| {
        let plain: String = text.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | 'E' | '+')).collect();
        let Ok(found) = plain.parse::<f64>() else { return false };
        let found = if text.contains('%') { found / 100.0 } else { found };
        let places = plain.split_once('.').map_or(0, |(_, places)| places.len()) + 2 * usize::from(text.contains('%'));
        // As exact as it is shown.
        (found - wanted).abs() <= 0.5001 * 10_f64.powi(-(places as i32)) || (found / wanted - 1.0).abs() < 1e-9
    };
    match value {
        Data::String(wanted) => text.split_whitespace().eq(wanted.split_whitespace()),
        Data::Int(wanted) => number(*wanted as f64),
        Data::Float(wanted) => number(*wanted),
        Data::Bool(wanted) => text.eq_ignore_ascii_case(&wanted.to_string()),
        Data::DateTime(wanted) => {
            let (year, month, day, hour, minute, ..) = wanted.to_ymd_hms_milli();
            let shown = digits(text);
            let date = wanted.as_f64() >= 1.0 && shown.contains(&format!("{year:04}{month:02}{day:02}"));
            date || shown.contains(&format!("{hour:02}{minute:02}"))
        }
        Data::DateTimeIso(wanted) => digits(wanted).starts_with(&digits(text)),
        Data::DurationIso(wanted) => {
            let shown: Vec<u64> = text.split(':').filter_map(|part| part.trim().parse().ok()).collect();
            let wanted: Vec<u64> =
                wanted.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
            !shown.is_empty() && wanted.starts_with(&shown)
        }
        Data::Error(wanted) => text == wanted.to_string(),
        Data::Empty => text.is_empty(),
    }
}

fn differences(name: &str, bytes: &[u8]) -> Vec<String> {
    let (ours, theirs) = (our_cells(name, bytes), their_cells(bytes));
    assert!(!theirs.is_empty(), "{name}");
    let mut differences = Vec::new();
    for (place, value) in &theirs {
        match ours.get(place) {
            Some(text) if shows(text, value) => {}
            Some(text) => differences.push(format!("{place:?}: {text:?} is not {value:?}")),
            None => differences.push(format!("{place:?}: {value:?} is missing")),
        }
    }
    differences.extend(
        ours.iter()
            .filter(|(place, _)| !theirs.contains_key(place))
            .map(|(place, text)| format!("{place:?}: {text:?} is ours alone")),
    );
    differences
}

#[test]
fn cells_have_the_values_that_another_reader_finds() {
    for name in ["calc.xlsx", "calc.xls", "calc.ods"] {
        let bytes = std::fs::read(format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert_eq!(differences(name, &bytes), [""; 0], "{name}");
    }
}
