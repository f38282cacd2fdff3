//! Formats items from a file of CSL-JSON, and says how long that took. For `scripts/bench/bibliography.py`.
//!
//!     bibliography ITEMS.json STYLE [bibliography|note|in-text] [text|html|markdown] [LOCALE]

use std::{
    error::Error,
    time::{Duration, Instant},
};

use ibid_bibliography::{CitationForm, CslStyle, Formatter, OutputFormat};
use serde_json::{Value, json};

/// How often one item is changed.
const TIMES: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let argument = |at: usize| arguments.get(at).map(String::as_str);
    let items: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(argument(1).ok_or("which items?")?)?)?;
    let style = argument(2).ok_or("which style?")?;
    let form = match argument(3) {
        Some("note") => CitationForm::Note,
        Some("in-text") => CitationForm::InText,
        _ => CitationForm::Bibliography,
    };
    let output = match argument(4) {
        Some("html") => OutputFormat::Html,
        Some("markdown") => OutputFormat::Markdown,
        _ => OutputFormat::Text,
    };
    let started = Instant::now();
    let style = if style.ends_with(".csl") {
        CslStyle::parse(&std::fs::read_to_string(style)?)?
    } else {
        CslStyle::bundled(style)?
    };
    let formatter = Formatter::new(style, argument(5));
    let loaded = started.elapsed();
    let started = Instant::now();
    let entries = formatter.format(&items, form, output)?;
    let all = started.elapsed();
    // One item after the other gets another title; each time everything is asked for again.
    let mut changed = items;
    let mut again = Duration::ZERO;
    for time in 0..TIMES {
        let at = changed.len() * time / TIMES;
        if let Some(item) = changed.get_mut(at) {
            item["title"] = json!(format!("A title that was not there before {time}"));
        }
        let started = Instant::now();
        formatter.format(&changed, form, output)?;
        again += started.elapsed() / u32::try_from(TIMES)?;
    }
    let entries: Vec<Value> = entries.iter().map(|entry| json!({ "id": entry.id, "text": entry.text })).collect();
    let seconds = json!({ "load": loaded.as_secs_f64(), "all": all.as_secs_f64(), "again": again.as_secs_f64() });
    println!("{}", json!({ "entries": entries, "seconds": seconds }));
    Ok(())
}
