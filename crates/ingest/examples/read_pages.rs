//! Reads saved pages and writes what was found, one JSON object a line.
//!
//! In: `{"id": "…", "path": "…", "url": "…"}` a line; a path that ends in `.gz` is unpacked.
//! Out: `{"id", "title", "authors", "date", "text", "site", "language", "canonical", "favicon"}`. The time taken goes to
//! the last line of the error output.
#![allow(clippy::print_stderr, reason = "a program that reports on its error output")]

use std::{
    io::{self, BufRead, Read, Write},
    time::{Duration, Instant},
};

use ibid_ingest::{ExtractionInput, ExtractionLimits, html::read_page};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Asked {
    id: String,
    path: String,
    url: Option<String>,
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let (mut spent, mut pages) = (Duration::ZERO, 0_u32);
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let asked: Asked = serde_json::from_str(&line)?;
        let file = std::fs::File::open(&asked.path)?;
        let mut bytes = Vec::new();
        if asked.path.ends_with(".gz") {
            flate2::read::GzDecoder::new(file).read_to_end(&mut bytes)?;
        } else {
            io::BufReader::new(file).read_to_end(&mut bytes)?;
        }
        let start = Instant::now();
        let input = ExtractionInput { bytes: &bytes, url: asked.url.as_deref(), ..ExtractionInput::default() };
        let found = read_page(&input, &ExtractionLimits::default());
        spent += start.elapsed();
        pages += 1;
        let line = match found {
            Ok(page) => json!({
                "id": asked.id,
                "title": page.reference.title,
                "authors": page.reference.authors.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "date": page.reference.publication_date,
                "text": page.text,
                "site": page.web.site_name,
                "language": page.reference.language,
                "canonical": page.web.canonical_url,
                "favicon": page.web.favicon,
            }),
            Err(error) => json!({ "id": asked.id, "error": error.to_string() }),
        };
        writeln!(out, "{line}")?;
    }
    eprintln!("{pages} pages in {spent:.2?}, {:.0} pages a second", f64::from(pages) / spent.as_secs_f64().max(1e-9));
    Ok(())
}
