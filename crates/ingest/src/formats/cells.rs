//! Rows of cells, whichever program wrote them.

use ibid_domain::MarkKind;

use super::text::strip_control_chars;
use crate::{ExtractionError, TextBuilder};

/// Empty cells between filled ones are kept up to this many, so that columns stay columns.
const WIDEST_GAP: u32 = 32;

/// Writes the filled cells of a row, given by column from 0, and marks them as in `A2:D2`.
pub(super) fn write_row(text: &mut TextBuilder, row: u32, cells: &[(u32, String)]) -> Result<(), ExtractionError> {
    let filled = || cells.iter().filter(|(_, value)| !value.trim().is_empty());
    let (Some((first, _)), Some((last, _))) = (filled().next(), filled().next_back()) else { return Ok(()) };
    text.end_line()?;
    let start = text.len();
    let mut column = *first;
    for (at, value) in filled() {
        for _ in 0..at.saturating_sub(column).min(WIDEST_GAP) {
            text.push("\t")?;
        }
        column = *at;
        // A line break within a cell must not look like the end of the row.
        let value = strip_control_chars(value.trim());
        text.push(&value.replace(['\n', '\t'], " "))?;
    }
    let label = if first == last {
        cell_name(*first, row)
    } else {
        format!("{}:{}", cell_name(*first, row), cell_name(*last, row))
    };
    text.add_mark(MarkKind::Cells, label, None, start);
    text.end_line()
}

/// The name of a cell, both counted from 0: `A1`, `AB12`.
pub(super) fn cell_name(column: u32, row: u32) -> String {
    let mut letters = Vec::new();
    let mut left = u64::from(column) + 1;
    while left > 0 {
        letters.push(char::from(b'A' + ((left - 1) % 26) as u8));
        left = (left - 1) / 26;
    }
    letters.iter().rev().collect::<String>() + &(u64::from(row) + 1).to_string()
}

/// The column and row of a name such as `AB12`, both from 0.
pub(super) fn parse_cell_name(name: &str) -> Option<(u32, u32)> {
    let digits = name.find(|char: char| char.is_ascii_digit())?;
    let (letters, number) = name.split_at(digits);
    let mut column: u32 = 0;
    for letter in letters.bytes().filter(|byte| *byte != b'$') {
        if !letter.is_ascii_alphabetic() {
            return None;
        }
        column = column.checked_mul(26)?.checked_add(u32::from(letter.to_ascii_uppercase() - b'A') + 1)?;
    }
    Some((column.checked_sub(1)?, number.parse::<u32>().ok()?.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExtractionLimits;

    #[test]
    fn names_of_cells_go_both_ways() {
        for (text, at) in [("A1", (0, 0)), ("Z9", (25, 8)), ("AA10", (26, 9)), ("XFD1048576", (16383, 1_048_575))] {
            assert_eq!(cell_name(at.0, at.1), text);
            assert_eq!(parse_cell_name(text), Some(at));
        }
        for text in ["", "A", "1", "A0", "é1", "AAAAAAAAAAAA1"] {
            assert_eq!(parse_cell_name(text), None, "{text}");
        }
    }

    #[test]
    fn a_row_keeps_its_columns_and_knows_its_cells() {
        let mut text = TextBuilder::new(&ExtractionLimits::default());
        write_row(&mut text, 1, &[(0, String::new()), (1, "a\nb".into()), (3, "c".into()), (4, " ".into())]).unwrap();
        let (text, marks) = text.finish();
        assert_eq!(text, "a b\t\tc");
        assert_eq!(marks[0].label, "B2:D2");
    }
}
