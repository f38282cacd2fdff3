//! How commands print: calm and aligned for people, JSON for programs.

use std::{io::IsTerminal, sync::Arc};

use anstyle::{AnsiColor, Style};
use ibid_app::ProgressReport;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::Value as Json;

/// Printer of a command's results, as text for people or as JSON.
pub(super) struct Output {
    json: bool,
}

pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const BOLD: Style = Style::new().bold();
pub(super) const ACCENT: Style = AnsiColor::Cyan.on_default();
const WARN: Style = AnsiColor::Yellow.on_default().bold();
const WRONG: Style = AnsiColor::Red.on_default().bold();

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints a value: as JSON if that was asked for, else as `people` shows it.
    pub(super) fn print_value<T: Serialize>(&self, value: &T, people: impl FnOnce()) -> Result<(), serde_json::Error> {
        if self.json {
            anstream::println!("{}", serde_json::to_string_pretty(value)?);
        } else {
            people();
        }
        Ok(())
    }

    /// Prints what went wrong, on standard error.
    #[expect(clippy::print_stderr, reason = "this is where errors are printed")]
    pub(super) fn print_error(&self, reason: &str) {
        if self.json {
            eprintln!("{}", serde_json::json!({ "error": reason }));
        } else {
            anstream::eprintln!("{WRONG}error:{WRONG:#} {reason}");
        }
    }

    /// Returns true if the user asked for JSON.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints what a person should know and no program needs, on standard error.
    pub(super) fn print_warning(&self, what: &str) {
        anstream::eprintln!("{WARN}!{WARN:#} {what}");
    }

    /// Prints a line that stands above others.
    pub(super) fn print_heading(&self, line: &str) {
        anstream::println!("{ACCENT}{line}{ACCENT:#}");
    }

    /// A line of progress on a terminal, nothing elsewhere.
    pub(super) fn start_progress(&self) -> (ProgressReport, Spinner) {
        if self.json || !std::io::stderr().is_terminal() {
            return (ProgressReport::silent(), Spinner(None));
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {msg} {pos:.dim}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(std::time::Duration::from_millis(120));
        let shared = Arc::new(bar.clone());
        let report = ProgressReport::with_callback(move |progress| {
            if let Some(total) = progress.total {
                shared.set_length(total);
            }
            shared.set_position(progress.done);
            shared.set_message(progress.message.unwrap_or_default());
            Box::pin(async {})
        });
        (report, Spinner(Some(bar)))
    }
}

/// Takes the line of progress away when it is dropped.
pub(super) struct Spinner(Option<ProgressBar>);

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Prints rows with aligned columns; the first is the one to look at, the rest is dim.
pub(super) fn print_table(rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let last = column + 1 == row.len();
            let pad = if last { 0 } else { widths[column].saturating_sub(cell.chars().count()) + 2 };
            let style = if column == 0 { ACCENT } else { DIM };
            line += &format!("{style}{cell}{style:#}{:pad$}", "");
        }
        anstream::println!("{}", line.trim_end());
    }
}

/// Prints names and values, one a line.
pub(super) fn print_fields(fields: &[(&str, String)]) {
    let width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in fields {
        anstream::println!("{DIM}{name:width$}{DIM:#}  {value}");
    }
}

/// Formats a number of bytes for people, such as `1.5 kB`.
pub(super) fn format_size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// `1 manifest`, `2 manifests`.
pub(super) fn format_count(number: u64, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// A field of an answer as text; empty if there is none.
pub(super) fn text<'a>(json: &'a Json, field: &str) -> &'a str {
    json[field].as_str().unwrap_or_default()
}

/// A field of an answer as a number; 0 if there is none.
pub(super) fn number(json: &Json, field: &str) -> u64 {
    json[field].as_u64().unwrap_or_default()
}

/// The items of a list in an answer; none if it is no list.
pub(super) fn items<'a>(json: &'a Json, field: &str) -> &'a [Json] {
    json[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_counts_read_well() {
        assert_eq!(
            (format_size(0), format_size(999), format_size(1_500), format_size(2_147_483_648)),
            ("0 B".into(), "999 B".into(), "1.5 kB".into(), "2.1 GB".into())
        );
        assert_eq!((format_count(1, "file"), format_count(0, "file")), ("1 file".into(), "0 files".into()));
    }
}
