//! Reads files named on standard input, one JSON object with `file` and `path` on each line, and writes what was read to
//! standard output in the same way: for measuring against texts that are known.

use std::io::{self, BufRead, Write};

use ibid_ingest::{ExtractionInput, ExtractionLimits, extract};
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let wanted: Value = serde_json::from_str(&line)?;
        let file = wanted["file"].as_str().unwrap_or_default();
        let path = wanted["path"].as_str().unwrap_or(file);
        let bytes = std::fs::read(path)?;
        let name = path.rsplit('/').next();
        let read = extract(
            &ExtractionInput { bytes: &bytes, filename: name, ..ExtractionInput::default() },
            &ExtractionLimits::default(),
        );
        let answer = match read {
            Ok(read) => json!({
                "file": file,
                "text": read.text,
                "title": read.reference.title,
                "creator": read.reference.authors.first().map(ToString::to_string),
                "media_type": read.media_type,
                "marks": read.marks,
                "reference": read.reference,
            }),
            Err(error) => json!({ "file": file, "text": "", "error": error.to_string() }),
        };
        serde_json::to_writer(&mut out, &answer)?;
        writeln!(out)?;
    }
    Ok(())
}
