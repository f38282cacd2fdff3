//! What holds for the chunks of any text.

use ibid_domain::{CharIndex, Mark, MarkKind, Span};
use ibid_ingest::chunks::{ChunkRules, split_into_chunks};
use ibid_language::sentences::sentence_spans;
use proptest::prelude::*;

/// Words count one, and a long word one for every four characters, much as tokenizers do.
fn count(text: &str) -> usize {
    text.split_whitespace().map(|word| word.chars().count().div_ceil(4)).sum()
}

fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => "[a-z]{1,9}",
        2 => "[A-Z][a-z]{1,9}[.!?,]?",
        1 => Just("e.g.".to_owned()),
        1 => Just("Fig. 3.".to_owned()),
        1 => "[漢字仮名。！]{1,60}",
        1 => "[a-z0-9/]{90,200}",
        1 => "(👨‍👩‍👧|e\u{301}|🇩🇪|\u{200b}){1,20}",
        1 => "\\PC{1,8}",
    ];
    let space = prop_oneof![8 => Just(" "), 2 => Just("\n"), 2 => Just("\n\n"), 1 => Just("\r\n \r\n"), 1 => Just("\u{3000}\t")];
    prop::collection::vec((word, space), 0..120)
        .prop_map(|parts| parts.into_iter().flat_map(|(word, space)| [word, space.to_owned()]).collect())
}

fn marks() -> impl Strategy<Value = Vec<Mark>> {
    let kind = prop::sample::select(MarkKind::ALL);
    prop::collection::vec((kind, 0_usize..1500, 0_usize..1500, 0_u8..5), 0..6).prop_map(|marks| {
        marks
            .into_iter()
            .map(|(kind, start, end, level)| Mark {
                kind,
                label: String::new(),
                number: None,
                level,
                span: Span::new(start, end),
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_word_of_a_text_is_in_an_ordered_chunk_of_limited_size(
        text in text(), marks in marks(), max_tokens in 1_usize..80, overlap in 0.0_f32..1.0,
    ) {
        let pieces = split_into_chunks(&text, &marks, &ChunkRules { max_tokens, overlap }, &count);
        let index = CharIndex::new(&text);
        let mut covered = 0;
        for piece in &pieces {
            let words = index.span_text(piece.span).expect("a chunk lies in its text");
            prop_assert_eq!(Some(words), piece.span.slice_of(&text));
            prop_assert!(!words.is_empty() && words.trim() == words, "{:?}", words);
            prop_assert!(piece.tokens <= max_tokens, "{} > {max_tokens}: {words:?}", piece.tokens);
            prop_assert!(count(words) <= piece.tokens, "{} > {}: {words:?}", count(words), piece.tokens);
            if piece.span.start > covered {
                let gap = index.span_text(Span::new(covered, piece.span.start)).unwrap();
                prop_assert!(gap.trim().is_empty(), "lost {gap:?}");
            }
            prop_assert!(piece.span.end > covered, "a chunk that adds nothing");
            covered = piece.span.end;
        }
        prop_assert!(pieces.windows(2).all(|pair| pair[0].span.start < pair[1].span.start));
        prop_assert!(index.span_text(Span::new(covered, index.len())).unwrap().trim().is_empty());
    }

    #[test]
    fn neighbours_share_about_what_was_asked_for(words in prop::collection::vec("[a-z]{1,4}[.]?", 300..600), tenths in 0_u8..8) {
        let text = words.join(" ");
        let overlap = f32::from(tenths) / 10.0;
        let pieces = split_into_chunks(&text, &[], &ChunkRules { max_tokens: 64, overlap }, &|text| text.split_whitespace().count());
        for pair in pieces.windows(2) {
            let shared = pair[0].span.end.saturating_sub(pair[1].span.start);
            let part = shared as f32 / pair[0].span.len() as f32;
            prop_assert!((part - overlap).abs() < 0.3, "{part} instead of {overlap}");
        }
    }

    #[test]
    fn sentences_cover_a_text_and_never_cut_a_word(text in text()) {
        let index = CharIndex::new(&text);
        let mut covered = 0;
        for span in sentence_spans(&text) {
            let words = index.span_text(Span::new(span.start, span.end)).unwrap();
            prop_assert!(!words.is_empty() && words.trim() == words);
            prop_assert!(index.span_text(Span::new(covered, span.start)).unwrap().trim().is_empty());
            covered = span.end;
        }
        prop_assert!(index.span_text(Span::new(covered, index.len())).unwrap().trim().is_empty());
    }
}
