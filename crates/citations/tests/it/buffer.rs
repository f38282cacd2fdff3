//! The buffer: how a stream is cut changes nothing.

use ibid_citations::{CitationBuffer, parse_markers};
use proptest::prelude::*;

use crate::any_text::soup;

/// What has been released after each byte, however the bytes come: the chunks, and then what is left.
fn released(bytes: &[u8], cuts: &[usize]) -> (Vec<(usize, String)>, String) {
    let mut buffer = CitationBuffer::new();
    let mut all = String::new();
    let mut steps = Vec::new();
    let mut from = 0;
    for &cut in cuts.iter().chain([&bytes.len()]) {
        all.push_str(&buffer.feed(&bytes[from..cut]));
        steps.push((cut, all.clone()));
        from = cut;
    }
    all.push_str(&buffer.finish());
    (steps, all)
}

fn cuts(length: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..=length, 0..12).prop_map(|mut cuts| {
        cuts.sort_unstable();
        cuts
    })
}

proptest! {
    #[test]
    fn cutting_changes_nothing(
        (text, cuts) in soup().prop_flat_map(|text| { let length = text.len(); (Just(text), cuts(length)) })
    ) {
        let bytes = text.as_bytes();
        let (each, whole) = released(bytes, &(0..bytes.len()).collect::<Vec<_>>());
        prop_assert_eq!(&whole, &text);
        let (steps, all) = released(bytes, &cuts);
        prop_assert_eq!(all, whole);
        for (at, released) in steps {
            let (_, wanted) = each.iter().find(|(cut, _)| *cut == at).expect("every place has been cut at");
            prop_assert_eq!(&released, wanted, "after {} bytes", at);
            prop_assert!(text.starts_with(&released[..]));
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced_the_same_way(
        (bytes, cuts) in prop::collection::vec(prop_oneof![3 => any::<u8>(), 1 => prop::sample::select(b"[]<{\n".to_vec())], 0..80)
            .prop_flat_map(|bytes| { let length = bytes.len(); (Just(bytes), cuts(length)) })
    ) {
        let (_, all) = released(&bytes, &cuts);
        prop_assert_eq!(all, String::from_utf8_lossy(&bytes));
    }

    /// No marker of the text is ever released in part.
    #[test]
    fn a_marker_comes_whole(text in soup()) {
        let markers = parse_markers(&text);
        let (steps, _) = released(text.as_bytes(), &(0..text.len()).collect::<Vec<_>>());
        for (at, released) in steps {
            let cut = markers.iter().find(|marker| marker.bytes.start < released.len() && released.len() < marker.bytes.end);
            prop_assert!(cut.is_none(), "after {at} bytes of {text:?}, {released:?} ends within {cut:?}");
        }
    }
}

#[test]
fn what_is_held_and_when_it_comes() {
    let table: &[(&[&str], &[&str])] = &[
        (&["As shown [1", "2]."], &["As shown ", "[12]."]),
        (&["As shown [1]", "."], &["As shown ", "[1]."]),
        (&["[1][", "2] x"], &["[1]", "[2] x"]),
        (&["a [broken\n", "b"], &["a [broken\n", "b"]),
        (&["a [b", "](http://x.org/y", ") c"], &["a ", "", "[b](http://x.org/y) c"]),
        (&["a <", "b"], &["a ", "<b"]),
        (
            &["a <gml-inline", "citation identifier=\"x", "\"/>", "b"],
            &["a ", "", "<gml-inlinecitation identifier=\"x\"/>", "b"],
        ),
        (
            &["a <gml-inlinecitation identifier=\"x\">", "</gml-inline", "citation>b"],
            &["a ", "", "<gml-inlinecitation identifier=\"x\"></gml-inlinecitation>b"],
        ),
        // What looked like a marker may hold the beginning of one.
        (
            &["<gml-inlinecitation><g", "ml-inlinecitation identifier=\"x", "\"/>b"],
            &["", "", "<gml-inlinecitation><gml-inlinecitation identifier=\"x\"/>b"],
        ),
        (
            &["[a <gml-inlinecitation identifier=\"]", "\"/>", "b"],
            &["", "[a <gml-inlinecitation identifier=\"]\"/>", "b"],
        ),
        (&["<gml-inlinecitation [a/>", "b] c"], &["", "<gml-inlinecitation [a/>b] c"]),
        (&["<gml-inlinecitation identifier=\"[\"/>", "b"], &["<gml-inlinecitation identifier=\"[\"/>", "b"]),
        (&["{", "cit", "ation:a", "}"], &["", "", "", "{citation:a}"]),
        (&["{\"a\": 1}"], &["{\"a\": 1}"]),
        (&["\\[not", " one"], &["\\[not", " one"]),
        (&["\\", "[not"], &["\\", "[not"]),
        (&["x\n[1]: http", "://x.org/ \"T", "\"\ny"], &["x\n", "", "[1]: http://x.org/ \"T\"\ny"]),
        (&["x [1]: http", "://x.org/"], &["x [1]: http", "://x.org/"]),
    ];
    for (chunks, wanted) in table {
        let mut buffer = CitationBuffer::new();
        let mut found = chunks.iter().map(|chunk| buffer.feed(chunk)).collect::<Vec<_>>();
        let last = buffer.finish();
        if !last.is_empty() {
            found.push(last);
        }
        assert_eq!(&found, wanted, "{chunks:?}");
    }
}

/// A bracket that never closes delays at most so much.
#[test]
fn nothing_is_held_for_ever() {
    let mut buffer = CitationBuffer::new();
    let text = format!("a [{}", "word ".repeat(2000));
    let mut longest = 0;
    let mut released = 0;
    for (at, byte) in text.bytes().enumerate() {
        released += buffer.feed([byte]).len();
        longest = longest.max(at + 1 - released);
    }
    assert!(longest <= ibid_citations::buffer::LONGEST_HELD + 1, "{longest} bytes were held");
    assert_eq!(released + buffer.finish().len(), text.len());
}
