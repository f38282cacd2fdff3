//! Texts with markers in them.

use std::collections::BTreeSet;

use ibid_documents::{
    difference::{TextChange, diff_words},
    manuscript::{Manuscript, bibliography_of, extract_prose, find_markers, move_offsets, wrap_bibliography},
};
use ibid_domain::{CiteAs, DocumentFormat};
use proptest::prelude::*;

const TYPST: DocumentFormat = DocumentFormat::Typst;
const MARKDOWN: DocumentFormat = DocumentFormat::Markdown;

fn found(format: DocumentFormat, text: &str) -> Vec<(u32, String)> {
    let chars: Vec<char> = text.chars().collect();
    let words = |marker: &ibid_documents::manuscript::CitationMarker| {
        chars[marker.span.start..marker.span.end].iter().collect()
    };
    find_markers(format, text).iter().map(|marker| (marker.number, words(marker))).collect()
}

#[test]
fn markers_are_found_where_they_are_markers() {
    let typst = "Größe#footnote[1] and #emph[more#footnote[22]] `#footnote[3]` // #footnote[4]\n\
                 #footnote[own words] #footnote[05] #let x = [#footnote[7]] \"#footnote[8]\"";
    let numbers: Vec<u32> = found(TYPST, typst).iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [1, 22, 7, 8]);
    assert_eq!(found(TYPST, typst)[0].1, "#footnote[1]");
    let markdown =
        "Größe[^1], *more[^22]* and `[^3]`.\n\n```\n[^4]\n```\n\n\\[^5] [^x] [^6]\n\n[^6]: own words\n\n    [^7]\n";
    assert_eq!(found(MARKDOWN, markdown), [(1, "[^1]".to_owned()), (22, "[^22]".to_owned())]);
}

fn set(format: DocumentFormat, cite_as: CiteAs, text: &str, unmarked: &[(u32, usize)]) -> String {
    let known: BTreeSet<u32> = (1..=9).collect();
    let manuscript = Manuscript::read(format, cite_as, text, &known, unmarked, None);
    let words: Vec<String> = manuscript
        .places()
        .iter()
        .map(|place| place.numbers.iter().map(|n| format!("N{n}")).collect::<Vec<_>>().join("+"))
        .collect();
    manuscript.to_typst(&words, "BIB").text
}

#[test]
fn a_marker_becomes_a_footnote_or_words_in_the_text() {
    let text = "It rains.#footnote[1]#footnote[2] It pours#footnote[3]. #footnote[40]";
    assert_eq!(
        set(TYPST, CiteAs::Footnotes, text, &[]),
        "It rains.#footnote[N1]#footnote[N2] It pours#footnote[N3]. #footnote[40]"
    );
    assert_eq!(set(TYPST, CiteAs::InText, text, &[]), "It rains N1+N2. It pours N3. #footnote[40]");
    let text = "It *rains*[^1] here[^2].";
    let made = set(MARKDOWN, CiteAs::Footnotes, text, &[]);
    assert_eq!(made.trim(), "It #emph[rains];#footnote[N1]; here#footnote[N2];.");
}

#[test]
fn a_citation_without_a_marker_stands_at_its_place_and_breaks_nothing() {
    assert_eq!(set(TYPST, CiteAs::Footnotes, "One two.", &[(1, 3)]), "One#footnote[N1] two.");
    // Within code it moves behind it, and a statement ends with its line.
    assert_eq!(
        set(TYPST, CiteAs::Footnotes, "#let x = 1\n#text(red)[a b] c", &[(1, 6), (2, 16)]),
        "#let x = 1\n#footnote[N1]#text(red)[a b]#footnote[N2] c"
    );
    assert_eq!(set(TYPST, CiteAs::Footnotes, "End", &[(1, 400)]), "End#footnote[N1]");
}

#[test]
fn a_bibliography_in_the_text_is_kept_up() {
    for format in [TYPST, MARKDOWN] {
        let text = format!("Words\n\n{}\n\nMore", wrap_bibliography(format, "= Old\n\nentries"));
        let range = bibliography_of(format, &text).unwrap();
        assert!(text[range.clone()].contains("entries") && text[range.end..].trim() == "More");
        let made = set(format, CiteAs::Footnotes, &text, &[]);
        assert!(made.contains("BIB") && made.contains("More") && !made.contains("entries"), "{made}");
    }
}

#[test]
fn faults_are_told_at_their_place_in_what_was_written() {
    let text = "First#footnote[1] line\nsecond#footnote[2] #oops here\nthird";
    let known = BTreeSet::from([1, 2]);
    let manuscript = Manuscript::read(TYPST, CiteAs::Footnotes, text, &known, &[], None);
    let typeset = manuscript.to_typst(&["a long note, longer than before".to_owned(), "b".to_owned()], "");
    let at = typeset.text.find("oops").unwrap();
    assert_eq!(typeset.original_position(text, at), (2, 21));
    assert_eq!(typeset.original_position(text, typeset.text.find("First").unwrap()), (1, 1));
    assert_eq!(typeset.original_position(text, typeset.text.find("third").unwrap()), (3, 1));
    // Within a note it is where the marker stands.
    assert_eq!(typeset.original_position(text, typeset.text.find("longer").unwrap()), (1, 6));
}

#[test]
fn typst_is_said_in_markdown() {
    let text = "= Title\n\n#set text(red)\nSome *strong* and _soft_ words--really#footnote[1].\n\n- one\n- two\n\n+ first\n\n\
                #link(\"https://example.org/a\")[there] and `code` // gone\n\n== Part\n#emph[x] \\# \\$5";
    let known = BTreeSet::from([1]);
    let manuscript = Manuscript::read(TYPST, CiteAs::Footnotes, text, &known, &[], None);
    let made = manuscript.to_markdown(&["A note.".to_owned()], "## References\n\nEntry");
    let right = "# Title\n\nSome **strong** and *soft* words–really[^1].\n\n- one\n- two\n\n1. first\n\n\
                 [there](https://example.org/a) and `code`\n\n## Part\n*x* \\# $5\n\n## References\n\nEntry\n\n[^1]: A note.\n";
    assert_eq!(made, right);
}

#[test]
fn places_follow_edits() {
    let moved = |before: &str, after: &str, at: usize| {
        let mut places = [at];
        move_offsets(before, after, &mut places);
        places[0]
    };
    assert_eq!(moved("It rains.", "Today it rains.", 9), 15);
    assert_eq!(moved("It rains. It pours.", "It rains. And it pours.", 9), 9);
    assert_eq!(moved("One two three four", "One THREE four", 14), 10);
    assert_eq!(moved("abc", "", 2), 0);
    assert_eq!(moved("", "It rains.", 8), 8);
    // Words between two changes keep what stands after them.
    let (before, after) = ("alpha beta gamma delta", "ALPHA beta gamma DELTA");
    assert_eq!(&after[..moved(before, after, 10)], "ALPHA beta");
}

#[test]
fn prose_has_every_word_at_its_place() {
    let text = "= Title\n#set text(red)\nIt rains#footnote[12]. `code` #emph[Much] $x^2$ // no\nEnd";
    let plain = extract_prose(TYPST, text, Some);
    assert_eq!(plain.chars().count(), text.chars().count());
    for word in ["Title", "It rains", "[12].", "Much", "End"] {
        assert_eq!(plain.find(word), text.find(word), "{plain}");
    }
    for gone in ["set", "code", "x^2", "no"] {
        assert!(!plain.contains(gone), "{gone}: {plain}");
    }
    assert_eq!(extract_prose(MARKDOWN, "It rains[^3].", Some), "It rains [3].");
    assert_eq!(extract_prose(MARKDOWN, "It rains[^33].", |_| None), "It rains     .");
    assert_eq!(extract_prose(MARKDOWN, "It rains[^33].", |_| Some(1)), "It rains  [1].");
}

#[test]
fn what_changed_is_told_in_words() {
    let parts = diff_words("The red house stands.", "The blue house stands still.");
    let told: Vec<_> = parts.iter().map(|(change, text)| (*change, text.as_str())).collect();
    assert_eq!(
        told,
        [
            (TextChange::Same, "The "),
            (TextChange::Removed, "red"),
            (TextChange::Added, "blue"),
            (TextChange::Same, " house stands"),
            (TextChange::Added, " still"),
            (TextChange::Same, "."),
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_looked_through(text in "[a-c#\\[\\]{}()$`*_=/\\n\" \\\\0-9^é]{0,120}", at in 0usize..130) {
        for format in [TYPST, MARKDOWN] {
            let plain = extract_prose(format, &text, Some);
            prop_assert_eq!(plain.chars().count(), text.chars().count());
            let known: BTreeSet<u32> = (1..=3).collect();
            let manuscript = Manuscript::read(format, CiteAs::Footnotes, &text, &known, &[(1, at)], Some("a"));
            let words: Vec<String> = manuscript.places().iter().map(|_| "n".to_owned()).collect();
            let typeset = manuscript.to_typst(&words, "");
            for byte in 0..=typeset.text.len() {
                typeset.original_position(&text, byte);
            }
            manuscript.to_markdown(&words, "");
        }
    }

    #[test]
    fn both_texts_are_in_their_difference(a in "[ab \\n]{0,60}", b in "[ab \\n]{0,60}") {
        let parts = diff_words(&a, &b);
        let of = |not: TextChange| parts.iter().filter(|(change, _)| *change != not).map(|(_, text)| text.as_str()).collect::<String>();
        prop_assert_eq!(of(TextChange::Added), a.clone());
        prop_assert_eq!(of(TextChange::Removed), b.clone());
        let mut places: Vec<usize> = (0..=a.chars().count()).collect();
        move_offsets(&a, &b, &mut places);
        prop_assert!(places.windows(2).all(|pair| pair[0] <= pair[1]) && places.iter().all(|at| *at <= b.chars().count()));
    }
}

#[test]
fn a_heading_that_is_the_title_is_left_to_the_template() {
    let known = BTreeSet::from([1]);
    for (format, text, rest) in [
        (TYPST, "\n= On rain\n\nIt rains#footnote[1] #oops", "It rains#footnote[n] #oops"),
        (MARKDOWN, "# On rain\n\nIt rains[^1]", "It rains#footnote[n];"),
    ] {
        let set = |title| {
            let manuscript = Manuscript::read(format, CiteAs::Footnotes, text, &known, &[], title);
            manuscript.to_typst(&["n".to_owned()], "")
        };
        assert_eq!(set(Some("On rain")).text.trim(), rest);
        assert!(set(Some("On snow")).text.contains("On rain") && set(None).text.contains("On rain"));
        if format == TYPST {
            let typeset = set(Some("On rain"));
            assert_eq!(typeset.original_position(text, typeset.text.find("oops").unwrap()), (4, 23));
        }
    }
}
