//! The grammar: a table of cases in a file, and what holds for every text.

use std::time::Duration;

use ibid_citations::{Marker, MarkerKind, grammar::rewrite_markers, parse_markers, strip_markers};
use proptest::prelude::*;

use crate::any_text::{soup, worked};

/// The cases: a name, the text, its markers a line each, and the text without them.
const CASES: &str = include_str!("cases/grammar.txt");

/// A marker as the table writes it.
fn written(text: &str, marker: &Marker) -> String {
    let raw = &text[marker.bytes.clone()];
    let (kind, named) = match &marker.kind {
        MarkerKind::Numbers(numbers) => ("numbers", numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")),
        MarkerKind::Label(name) => ("label", name.clone()),
        MarkerKind::Tag(name) => ("tag", name.clone()),
        MarkerKind::Braces(name) => ("braces", name.clone()),
        MarkerKind::Definition { label, url } => ("definition", format!("{label} = {url}")),
    };
    format!("{kind} {named} | {raw}")
}

#[test]
fn the_table_of_cases() {
    let mut count = 0;
    let mut wrong = String::new();
    for case in CASES.split("\n=== ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a case has a name");
        let (text, rest) = rest.split_once("\n---").unwrap_or_else(|| panic!("{name}: no markers"));
        let (markers, stripped) = rest.split_once("\n---").unwrap_or_else(|| panic!("{name}: no stripped text"));
        let found = parse_markers(text);
        let written = found.iter().map(|marker| format!("\n{}", written(text, marker))).collect::<String>();
        if written != markers {
            wrong += &format!("\n## {name}\n{text}\nwanted:{markers}\nfound:{written}\n");
        }
        let plain = strip_markers(text, &found, |_| true);
        let stripped = stripped.strip_prefix('\n').unwrap_or(stripped).trim_end_matches('\n');
        if plain.trim_end_matches('\n') != stripped {
            wrong += &format!("\n## {name}, stripped\nwanted: {stripped:?}\nfound:  {plain:?}\n");
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= 60, "{count} cases were read");
}

/// Spans count characters, and bytes and characters name the same words.
#[test]
fn spans_count_characters() {
    let text = "Żółć 👩‍🔬 e\u{301} [1] 数据 [2, 3]。";
    for marker in parse_markers(text) {
        assert_eq!(marker.span.slice_of(text), Some(&text[marker.bytes.clone()]));
    }
}

/// Pieces that make up a text: prose that has no sign in it, and markers.
fn pieces() -> impl Strategy<Value = Vec<(String, MarkerKind)>> {
    let id = "[a-zA-Z0-9-]{1,36}";
    let kind = prop_oneof![
        prop::collection::hash_set(1u32..2000, 1..6).prop_map(|set| MarkerKind::Numbers(set.into_iter().collect())),
        (1u32..500, 3u32..20).prop_map(|(first, run)| MarkerKind::Numbers((first..first + run).collect())),
        r"[a-zA-Z\[\]\\`<${é数][a-zA-Z0-9 .,_\[\]\\`<${é数-]{0,30}[a-z]".prop_map(MarkerKind::Label),
        id.prop_map(MarkerKind::Tag),
        id.prop_map(MarkerKind::Braces),
    ];
    prop::collection::vec(("[a-zA-Zé数👩 .,]{0,30} ", kind), 0..20)
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(pieces in pieces()) {
        let mut text = String::new();
        for (prose, kind) in &pieces {
            text.push('w');
            text.push_str(prose);
            text.push_str(&kind.to_string());
            text.push(' ');
        }
        let read = parse_markers(&text).into_iter().map(|marker| marker.kind).collect::<Vec<_>>();
        let wanted = pieces.into_iter().map(|(_, kind)| kind).collect::<Vec<_>>();
        prop_assert_eq!(read, wanted, "{}", text);
    }

    #[test]
    fn markers_are_in_order_and_within_their_lines(text in soup()) {
        let markers = parse_markers(&text);
        let mut end = 0;
        for marker in &markers {
            prop_assert!(end <= marker.bytes.start && marker.bytes.start < marker.bytes.end);
            end = marker.bytes.end;
            let raw = &text[marker.bytes.clone()];
            prop_assert_eq!(marker.span.slice_of(&text), Some(raw));
            prop_assert!(!raw.contains('\n'), "{:?}", raw);
        }
        prop_assert_eq!(rewrite_markers(&text, &markers, |marker| Some(text[marker.bytes.clone()].to_owned())), &text[..]);
        prop_assert_eq!(strip_markers(&text, &markers, |_| false), text);
    }

    /// Taking markers out only ever takes out: what is left are the words of the text, in their order.
    #[test]
    fn stripping_adds_nothing(text in soup()) {
        let plain = strip_markers(&text, &parse_markers(&text), |_| true);
        let mut left = text.chars();
        prop_assert!(plain.chars().all(|char| left.any(|other| other == char)), "{:?}", plain);
    }
}

/// Ten times the text takes at most twelve times as long, for texts made to be slow.
#[test]
fn time_is_in_proportion_to_the_text() {
    let units = [
        "[",
        "]",
        "[]",
        "](",
        "[](",
        "[](a (",
        "[](a \"",
        "[](<",
        "[a](b",
        "`",
        "``` ",
        "`` ` ",
        "$",
        "$a ",
        "$$ ",
        "\\[",
        "\\(",
        "\\[\\(",
        "<",
        "<a ",
        "<code>",
        "<!--",
        "<gml-inlinecitation ",
        "<gml-inlinecitation a=\"",
        "{citation:",
        "[a][",
        "[1]",
        "[1, ",
        "- ",
        "> ",
        "\n> ",
        "\n- ",
        "\n\n    ",
        "[a]: b.c\n",
        "\n```\n`\n",
        "![",
        "[^a]: ",
        "[1-999]",
        "$$\n",
        "\\[\n",
        "[\\",
        "\n<pre>",
        "1. ",
        "word [1] ",
    ];
    // What was found is kept until the clock is read, so that ten small texts fill as much memory as a large one.
    let timed = |unit: &str, length: usize, times: usize| {
        let text = unit.repeat(length / unit.len() + 1);
        let read = |_| {
            let markers = parse_markers(&text);
            (strip_markers(&text, &markers, |_| true), markers)
        };
        let mut best = Duration::MAX;
        for _ in 0..3 {
            let began = worked();
            let found: Vec<_> = (0..times).map(read).collect();
            best = best.min(worked() - began);
            drop(std::hint::black_box(found));
        }
        best
    };
    for unit in units {
        // Other work on the machine only ever makes it seem slower.
        let is_linear = |_| timed(unit, 1_000_000, 1) <= timed(unit, 100_000, 10) * 3;
        assert!((0..8).any(is_linear), "{unit:?}: 1 MB takes more than 30 times as long as 100 kB");
    }
}
