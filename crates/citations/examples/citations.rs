//! How fast the buffer and the parser are, against reading the same text with nothing but a search for newlines.

use std::{
    hint::black_box,
    io::Write,
    time::{Duration, Instant},
};

use ibid_citations::{CitationBuffer, parse_markers, strip_markers};

/// An answer of so many bytes, one in twenty of them in a citation.
fn answer(length: usize) -> String {
    let words = "The committee measured the effect of the change on all stations of the northern line during the winter, \
                 and found that it was smaller than expected ";
    let markers = [
        "[1]",
        "[2, 3]",
        "[12][4]",
        "{citation:req-7-3}",
        "<gml-inlinecitation identifier=\"req-7-3\"/>",
        "[report.pdf]",
    ];
    let mut text = String::with_capacity(length + 200);
    let mut cited = 0;
    for (place, marker) in markers.iter().cycle().enumerate() {
        if text.len() >= length {
            break;
        }
        text.push_str(words);
        // As many as make up a twentieth.
        if cited * 20 <= text.len() {
            text.push_str(marker);
            cited += marker.len();
        }
        text.push_str(if place % 5 == 4 { ".\n\n" } else { ". " });
    }
    text
}

/// Megabytes a second, by the best of several runs.
fn speed(text: &str, mut work: impl FnMut(&str)) -> f64 {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let began = Instant::now();
        work(text);
        best = best.min(began.elapsed());
    }
    text.len() as f64 / 1e6 / best.as_secs_f64()
}

fn stream(text: &str, size: usize) {
    let mut buffer = CitationBuffer::new();
    let mut length = 0;
    for chunk in text.as_bytes().chunks(size) {
        length += black_box(buffer.feed(chunk)).len();
    }
    length += buffer.finish().len();
    assert_eq!(length, text.len());
}

fn main() -> std::io::Result<()> {
    let text = answer(10_000_000);
    let copied = speed(&text, |text| {
        black_box(text.lines().map(str::to_owned).collect::<Vec<_>>());
    });
    let mut out = std::io::stdout().lock();
    writeln!(out, "copying the text line by line   {copied:8.0} MB/s")?;
    for (name, speed) in [
        ("buffer, chunks of 64 kB", speed(&text, |text| stream(text, 65_536))),
        ("buffer, chunks of 1 kB", speed(&text, |text| stream(text, 1024))),
        ("buffer, chunks of 64 bytes", speed(&text, |text| stream(text, 64))),
        ("buffer, chunks of 4 bytes", speed(&text, |text| stream(text, 4))),
        ("parser", speed(&text, |text| _ = black_box(parse_markers(text)))),
        ("parser and strip", speed(&text, |text| _ = black_box(strip_markers(text, &parse_markers(text), |_| true)))),
    ] {
        writeln!(out, "{name:<31} {speed:8.0} MB/s   {:5.2} x", speed / copied)?;
    }
    Ok(())
}
