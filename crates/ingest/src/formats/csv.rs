//! Tables in plain text.

use super::{ExtractionDraft, cells::write_row, text::of_input};
use crate::{ExtractionError, ExtractionInput};

pub(super) fn read(input: &ExtractionInput, separator: u8, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
    let text = of_input(input);
    let mut rest = text.as_str();
    // Excel's own line that names the separator.
    let mut separator = char::from(separator);
    if let Some(after) = rest.strip_prefix("sep=")
        && let Some(char) = after.chars().next()
    {
        separator = char;
        rest = after.split_once('\n').map_or("", |(_, rest)| rest);
    }
    let mut row = 0;
    let mut fields: Vec<(u32, String)> = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    let mut chars = rest.chars().peekable();
    loop {
        let char = chars.next();
        match char {
            Some('"') if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            Some('"') if quoted => quoted = false,
            Some('"') if field.trim().is_empty() => {
                field.clear();
                quoted = true;
            }
            Some('\n') | None if !quoted || char.is_none() => {
                fields.push((fields.len() as u32, std::mem::take(&mut field)));
                write_row(&mut draft.text, row, &fields)?;
                fields.clear();
                row += 1;
                quoted = false;
                if char.is_none() {
                    return Ok(());
                }
            }
            Some(char) if char == separator && !quoted => {
                fields.push((fields.len() as u32, std::mem::take(&mut field)));
            }
            Some(char) => field.push(char),
            None => return Ok(()),
        }
    }
}
