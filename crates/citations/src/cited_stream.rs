//! What of a model's words is shown: no half of a marker, and no marker that names nothing.

use ibid_domain::MarkerPlace;

use crate::{
    CitationBuffer, Ledger, MarkerKind,
    grammar::{Marker, MarkerNumbers},
    parse_markers,
};

/// The words of a model on their way to a reader. What was shown is never taken back: it is the answer.
#[derive(Debug)]
pub struct CitedStream<'ledger> {
    ledger: &'ledger Ledger,
    buffer: CitationBuffer,
    /// Text released by the buffer so far.
    released: String,
    /// Number of released bytes whose markers have been checked.
    decided: usize,
    /// Blank space that is shown only if no marker is taken out after it.
    blank: String,
    whole: String,
    dangling: Vec<u32>,
    dangling_ids: Vec<String>,
}

/// Words of an answer that can be shown, with the citation markers in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownText {
    pub text: String,
    /// Places of the markers in the whole answer, in order.
    pub markers: Vec<MarkerPlace>,
}

/// A finished answer, with the references that were removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FinishedAnswer {
    /// Text not yet returned by an earlier call.
    pub rest: ShownText,
    /// The complete answer, including `rest`.
    pub text: String,
    /// Numbers that named no source and were taken out, each once, in order.
    pub dangling: Vec<u32>,
    /// Ids that named no source and were removed, each once, in order of the text.
    pub dangling_ids: Vec<String>,
}

impl<'ledger> CitedStream<'ledger> {
    /// An answer that cites these.
    pub fn new(ledger: &'ledger Ledger) -> Self {
        Self {
            ledger,
            buffer: CitationBuffer::new(),
            released: String::new(),
            decided: 0,
            blank: String::new(),
            whole: String::new(),
            dangling: Vec::new(),
            dangling_ids: Vec::new(),
        }
    }

    /// Takes more words, and gives what can be shown now.
    pub fn feed(&mut self, words: &str) -> ShownText {
        let released = self.buffer.feed(words);
        self.released.push_str(&released);
        self.release_decided()
    }

    /// Ends the stream and returns the finished answer.
    pub fn finish(mut self) -> FinishedAnswer {
        let held = std::mem::take(&mut self.buffer).finish();
        // The beginning of a marker that never ended is nobody's words.
        if !is_half_a_marker(&held) {
            self.released.push_str(&held);
        }
        let rest = self.release_decided();
        self.dangling.sort_unstable();
        FinishedAnswer { rest, text: self.whole, dangling: self.dangling, dangling_ids: self.dangling_ids }
    }

    fn release_decided(&mut self) -> ShownText {
        let region = &self.released[self.decided..];
        let mut shown = std::mem::take(&mut self.blank);
        if region.contains(['[', '{', '<']) {
            let mut from = self.decided;
            for marker in parse_markers(&self.released) {
                if marker.bytes.start < self.decided {
                    continue;
                }
                let kept = decide_marker(self.ledger, &marker, &mut self.dangling, &mut self.dangling_ids);
                shown.push_str(&self.released[from..marker.bytes.start]);
                match kept {
                    MarkerDecision::AsItIs => shown.push_str(&self.released[marker.bytes.clone()]),
                    MarkerDecision::As(marker) => shown.push_str(&marker),
                    MarkerDecision::Not => shown.truncate(shown.trim_end_matches([' ', '\u{a0}']).len()),
                }
                from = marker.bytes.end;
            }
            shown.push_str(&self.released[from..]);
        } else {
            shown.push_str(region);
        }
        self.decided = self.released.len();
        self.blank = shown.split_off(shown.trim_end_matches([' ', '\u{a0}']).len());
        let before = self.whole.len();
        self.whole.push_str(&shown);
        let markers = self.ledger.place_markers(&self.whole, before);
        ShownText { text: shown, markers }
    }
}

enum MarkerDecision {
    AsItIs,
    As(String),
    Not,
}

fn decide_marker(
    ledger: &Ledger,
    marker: &Marker,
    dangling: &mut Vec<u32>,
    dangling_ids: &mut Vec<String>,
) -> MarkerDecision {
    match &marker.kind {
        MarkerKind::Numbers(numbers) => {
            let mut known = MarkerNumbers::new();
            for number in numbers {
                if ledger.get(*number).is_some() {
                    known.push(*number);
                } else if !dangling.contains(number) {
                    dangling.push(*number);
                }
            }
            match known.len() {
                0 => MarkerDecision::Not,
                some if some == numbers.len() => MarkerDecision::AsItIs,
                _ => MarkerDecision::As(MarkerKind::Numbers(known).to_string()),
            }
        }
        MarkerKind::Tag(id) | MarkerKind::Braces(id) => {
            if ledger.has_id(id) {
                return MarkerDecision::AsItIs;
            }
            if !dangling_ids.contains(id) {
                dangling_ids.push(id.clone());
            }
            MarkerDecision::Not
        }
        MarkerKind::Label(_) | MarkerKind::Definition { .. } => MarkerDecision::AsItIs,
    }
}

/// Returns true if a text is only the beginning of a marker.
fn is_half_a_marker(text: &str) -> bool {
    let text = text.trim();
    let begins = |whole: &str| !text.is_empty() && (whole.starts_with(text) || text.starts_with(whole));
    let digits = text
        .strip_prefix('[')
        .is_some_and(|inner| inner.chars().all(|char| char.is_ascii_digit() || matches!(char, ',' | '-' | '–' | ' ')));
    digits || begins("<gml-inlinecitation") || begins("{citation:")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::CitationSource;

    fn ledger() -> Ledger {
        let source = |id: &str| CitationSource {
            id: id.to_owned(),
            uri: Some(format!("https://example.org/{id}")),
            ..CitationSource::default()
        };
        Ledger::from_sources(["a", "b"].map(source))
    }

    fn whole(pieces: &[&str]) -> (String, FinishedAnswer) {
        let ledger = ledger();
        let mut shown = CitedStream::new(&ledger);
        let mut seen = String::new();
        for piece in pieces {
            seen.push_str(&shown.feed(piece).text);
        }
        let whole = shown.finish();
        seen.push_str(&whole.rest.text);
        (seen, whole)
    }

    #[test]
    fn markers_are_placed_in_the_whole_answer_however_it_is_cut() {
        let words = "Ä [1, 7]. And `[2]` — so {citation:b}: [1](x) [2].";
        let expected = "Ä [1]. And `[2]` — so {citation:b}: [1](x) [2].";
        let places = [(2, 5, vec![1]), (22, 34, vec![2]), (43, 46, vec![2])];
        let places = places.map(|(start_index, end_index, numbers)| MarkerPlace { start_index, end_index, numbers });
        for size in [1, 2, 3, 7, 100] {
            let ledger = ledger();
            let mut shown = CitedStream::new(&ledger);
            let chars: Vec<char> = words.chars().collect();
            let mut markers = Vec::new();
            for piece in chars.chunks(size) {
                markers.extend(shown.feed(&piece.iter().collect::<String>()).markers);
            }
            let whole = shown.finish();
            markers.extend(whole.rest.markers);
            assert_eq!((whole.text.as_str(), markers.as_slice()), (expected, places.as_slice()), "pieces of {size}");
        }
    }

    #[test]
    fn what_names_nothing_is_taken_out_and_reported() {
        for (words, expected, dangling) in [
            ("One [1]. Two [7]. Three [2, 9].", "One [1]. Two. Three [2].", vec![7, 9]),
            ("So [7] it is [1-3].", "So it is [1, 2].", vec![3, 7]),
            ("`a[7]` and\n```\n[8]\n```\n[a note]", "`a[7]` and\n```\n[8]\n```\n[a note]", vec![]),
            ("Half a marker [1", "Half a marker", vec![]),
            ("Half a tag <gml-inlinecitation identif", "Half a tag", vec![]),
            ("A half {citation:", "A half", vec![]),
            ("No marker [see below", "No marker [see below", vec![]),
            ("List:\n- a [5]\n- b [1]\n", "List:\n- a\n- b [1]\n", vec![5]),
        ] {
            let (seen, whole) = whole(&[words]);
            assert_eq!((seen.as_str().trim_end(), whole.dangling), (expected.trim_end(), dangling), "{words}");
        }
        let (seen, found) =
            whole(&["Known {citation:a}, unknown {citation:z} and <gml-inlinecitation identifier=\"q\"/>."]);
        assert_eq!(seen, "Known {citation:a}, unknown and.");
        assert_eq!(found.dangling_ids, ["z", "q"]);
    }

    proptest! {
        #[test]
        fn what_was_shown_is_the_answer_and_cites_only_what_is_there(
            pieces in prop::collection::vec(r"(\[[0-9, -]{0,6}\]?|[a-z .`\n]{0,8}|\{citation:[a-z]\}|é)", 0..30)
        ) {
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let (seen, whole) = whole(&pieces);
            prop_assert_eq!(&seen, &whole.text);
            prop_assert!(whole.dangling.iter().all(|number| *number > 2 || *number == 0));
        }
    }
}
