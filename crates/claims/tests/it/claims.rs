//! Claims: what a text says, and which marker stands for which part of it.

use ibid_citations::{cited_text, parse_markers};
use ibid_claims::{
    extract_claims,
    verify::{ModelSignals, ParsedPassage},
};
use proptest::prelude::*;

use crate::any_text::soup;

proptest! {
    /// Whatever the text is, claims stand in it one after the other, and each marker is of one at most.
    #[test]
    fn claims_of_any_text(text in soup()) {
        let markers = parse_markers(&text);
        let (mut end, mut marker) = (0, 0);
        for claim in extract_claims(&cited_text(&text, &markers)) {
            prop_assert!(end <= claim.span.start && claim.span.start < claim.span.end);
            prop_assert!(claim.span.slice_of(&text).is_some());
            end = claim.span.end;
            for cited in &claim.cited {
                prop_assert!(marker <= cited.marker && cited.marker < markers.len());
                marker = cited.marker + 1;
            }
            let found = ParsedPassage::new(text.as_str()).check_claim(&claim.text, &ModelSignals::default());
            prop_assert!(found.quote.is_none_or(|quote| quote.slice_of(&text).is_some()));
        }
    }
}

#[test]
fn sentences_items_and_cells_are_claims() {
    let text = "# Report [9]\n\nThe bridge opened in 1932 [1]. It was widened in 1988.[2][3] Who paid for it?\n\n\
                - Steel came from the north [4]\n- It is 40 metres long\n\n| what | how much |\n|---|---|\n| cost | 3 million [5] |\n\n\
                ```\ncode[6] here is none\n```\n\nHere is what I found: It opened in 1932 [1] and was widened again in 1988 [4].";
    let markers = parse_markers(text);
    let found = extract_claims(&cited_text(text, &markers));
    let told: Vec<_> = found
        .iter()
        .map(|claim| {
            let cited: Vec<_> = claim.cited.iter().map(|cited| &text[markers[cited.marker].bytes.clone()]).collect();
            (claim.text.as_str(), cited.join(""), claim.is_factual)
        })
        .collect();
    let wanted = [
        ("The bridge opened in 1932.", "[1]", true),
        ("It was widened in 1988.", "[2][3]", true),
        ("Who paid for it?", "", false),
        ("Steel came from the north", "[4]", true),
        ("It is 40 metres long", "", true),
        ("what", "", false),
        ("how much", "", false),
        ("cost", "", false),
        ("3 million", "[5]", false),
        ("Here is what I found: It opened in 1932 and was widened again in 1988.", "[1][4]", false),
    ];
    assert_eq!(told, wanted.map(|(text, cited, is_factual)| (text, cited.to_owned(), is_factual)));
    for claim in &found {
        let words = claim.span.slice_of(text).unwrap();
        assert!(words.starts_with(claim.text.split(' ').next().unwrap()), "{words}");
    }
    let parts: Vec<_> = found.last().unwrap().cited.iter().map(|cited| cited.part.as_str()).collect();
    assert_eq!(parts, ["Here is what I found: It opened in 1932", "and was widened again in 1988"]);
}

#[test]
fn a_marker_before_the_words_is_of_them() {
    let text = "[1] says that the bridge opened late. [2] Nobody knows why that happened.";
    let found = extract_claims(&cited_text(text, &parse_markers(text)));
    let cited: Vec<_> = found.iter().map(|claim| (claim.text.as_str(), claim.cited.len())).collect();
    assert_eq!(cited, [("says that the bridge opened late.", 2), ("Nobody knows why that happened.", 0)]);
}
