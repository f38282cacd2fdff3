//! Tables in plain text.

use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};

use super::{ExtractionDraft, cells::write_row, text::of_input};
use crate::{ExtractionError, ExtractionInput};

pub(super) fn read(input: &ExtractionInput, separator: u8, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
    let text = of_input(input);
    let mut rest = text.as_str();
    // Excel's own line that names the separator.
    let mut separator = separator;
    if let Some(after) = rest.strip_prefix("sep=") {
        let named = after.bytes().next().filter(|byte| byte.is_ascii() && !matches!(byte, b'\n' | b'"'));
        separator = named.unwrap_or(separator);
        rest = after.split_once('\n').map_or("", |(_, rest)| rest);
    }
    let mut rows = CsvRows::new(rest, separator);
    while let Some((row, cells)) = rows.next_row() {
        write_row(&mut draft.text, row, &cells)?;
    }
    Ok(())
}

/// The rows of a table, each with its number from 0 and its cells by column.
struct CsvRows<'t> {
    reader: Reader,
    separator: char,
    text: &'t str,
    /// Bytes of the text that were read.
    at: usize,
    row: u32,
}

impl<'t> CsvRows<'t> {
    fn new(text: &'t str, separator: u8) -> Self {
        // Line ends are all `\n` here; a lone `\r` is part of a cell.
        let reader = ReaderBuilder::new().delimiter(separator).terminator(Terminator::Any(b'\n')).build();
        Self { reader, separator: char::from(separator), text, at: 0, row: 0 }
    }

    fn next_row(&mut self) -> Option<(u32, Vec<(u32, String)>)> {
        // The reader passes over empty lines, but a spreadsheet counts them.
        let empty = self.text.as_bytes()[self.at..].iter().take_while(|&&byte| byte == b'\n').count();
        self.row += empty as u32;
        self.at += empty;
        let mut cells = Vec::new();
        let mut cell = Vec::new();
        let mut piece = [0; 1024];
        self.skip_blank_before_quote();
        loop {
            let (result, read, written) = self.reader.read_field(&self.text.as_bytes()[self.at..], &mut piece);
            self.at += read;
            cell.extend_from_slice(&piece[..written]);
            match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
                ReadFieldResult::Field { record_end } => {
                    let value = String::from_utf8(std::mem::take(&mut cell));
                    cells.push((cells.len() as u32, value.unwrap_or_default()));
                    if record_end {
                        self.row += 1;
                        return Some((self.row - 1, cells));
                    }
                    self.skip_blank_before_quote();
                }
                ReadFieldResult::End => return None,
            }
        }
    }

    /// `a, "b, c"` has two cells, though by the rules quotes begin a cell only directly behind the separator.
    fn skip_blank_before_quote(&mut self) {
        let blank = |c: char| c.is_whitespace() && c != '\n' && c != self.separator;
        let quoted = self.text.get(self.at..).map(|rest| rest.trim_start_matches(blank));
        if let Some(quoted) = quoted.filter(|quoted| quoted.starts_with('"')) {
            self.at = self.text.len() - quoted.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(u32, Vec<String>)> {
        let mut rows = CsvRows::new(text, b',');
        let next = || rows.next_row().map(|(row, cells)| (row, cells.into_iter().map(|(_, cell)| cell).collect()));
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn cells_are_told_apart_as_spreadsheets_do() {
        let long = "ä".repeat(1_500);
        for (text, wanted) in [
            ("a,b\n1,2\n", vec![(0, vec!["a", "b"]), (1, vec!["1", "2"])]),
            ("a,b,c\n1\n1,2", vec![(0, vec!["a", "b", "c"]), (1, vec!["1"]), (2, vec!["1", "2"])]),
            ("a\n\n\nb\n\n", vec![(0, vec!["a"]), (3, vec!["b"])]),
            ("\n\na,\n,", vec![(2, vec!["a", ""]), (3, vec!["", ""])]),
            (
                "\"a, \"\"b\"\"\",c\n\"d\ne\",f\ng",
                vec![(0, vec!["a, \"b\"", "c"]), (1, vec!["d\ne", "f"]), (2, vec!["g"])],
            ),
            ("a, \"b, c\" ,\t\"d\"\n  \"e,f\",g", vec![(0, vec!["a", "b, c ", "d"]), (1, vec!["e,f", "g"])]),
            ("a\"b\",c\"\n\"d\"e", vec![(0, vec!["a\"b\"", "c\""]), (1, vec!["de"])]),
            ("a,\"never closed\n1,2\n", vec![(0, vec!["a", "never closed\n1,2\n"])]),
            (&long, vec![(0, vec![&*long])]),
            ("", vec![]),
        ] {
            let wanted: Vec<(u32, Vec<String>)> =
                wanted.into_iter().map(|(row, cells)| (row, cells.into_iter().map(str::to_owned).collect())).collect();
            assert_eq!(rows(text), wanted, "{text}");
        }
    }
}
