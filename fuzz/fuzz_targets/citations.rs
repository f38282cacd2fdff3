//! Parses any text, and streams it in pieces that its own bytes choose.
#![no_main]

use ibid_citations::{
    CitationBuffer, buffer::LONGEST_HELD, cited_text, grammar::rewrite_markers, parse_markers, strip_markers,
};
use ibid_claims::extract_claims;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // However it is cut, what comes out is the text.
    let mut buffer = CitationBuffer::new();
    let mut released = String::new();
    let mut rest = bytes;
    let mut size = 1;
    let mut shown = Vec::new();
    while !rest.is_empty() {
        let (chunk, more) = rest.split_at(size.min(rest.len()));
        released.push_str(&buffer.feed(chunk));
        shown.push(released.len());
        size = 1 + usize::from(*chunk.last().unwrap_or(&0)) % 7;
        rest = more;
    }
    released.push_str(&buffer.finish());
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(released, text);

    let markers = parse_markers(&text);
    let mut end = 0;
    for marker in &markers {
        assert!(end <= marker.bytes.start && marker.bytes.start < marker.bytes.end);
        end = marker.bytes.end;
        // No part of a marker is ever shown, unless it is longer than anything is held.
        let is_cut = shown.iter().any(|&at| marker.bytes.start < at && at < marker.bytes.end);
        assert!(!is_cut || marker.bytes.len() > LONGEST_HELD, "{marker:?}");
        let words = &text[marker.bytes.clone()];
        assert!(!words.contains('\n'));
        assert_eq!(marker.span.slice_of(&text), Some(words));
    }
    assert_eq!(rewrite_markers(&text, &markers, |_| None), text);
    assert!(strip_markers(&text, &markers, |_| true).len() <= text.len());
    for claim in extract_claims(&cited_text(&text, &markers)) {
        assert!(claim.span.slice_of(&text).is_some());
    }
});
