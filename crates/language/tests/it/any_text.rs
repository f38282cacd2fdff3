//! Every function takes any text: it does not panic, and what it finds lies between characters, in order.

use std::ops::Range;

use ibid_language::{
    Language, Lexicon,
    compounds::{compound_head, compound_parts},
    dates::{DateReader, dates},
    detect::{detect, detect_quickly, detect_short, guess},
    fold_accents,
    negation::{negations, without_negating_prefix},
    numbers::numbers,
    one_line, one_line_at_most,
    questions::question_cue,
    sentences::{paragraphs, sentence_spans, sentences},
    stems::stem,
    words::{TokenizedText, lower, tokens},
};
use proptest::prelude::*;

const CODES: [&str; 17] =
    ["en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "pl", "ru", "el", "zh", "ja", "ko", "fi", "ar"];

/// Text with much of what the readers look at, and any other characters.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(" ".to_owned()),
        Just(". ".to_owned()),
        Just("\n".to_owned()),
        "[0-9]{1,9}",
        "[.,'’%º°ª–-]{1,2}",
        "[a-zäöüßéñçœİıĳ]{1,8}",
        "\\PC{0,4}",
        ".{0,3}",
        prop::sample::select(vec![
            "n't",
            "ne",
            "n'",
            "pas",
            "March",
            "3.",
            "2021",
            "einundzwanzig",
            "quatre-vingt",
            "hundred",
            "and",
            "Nr.",
            "[1]",
            "nicht nur",
            "no",
            "mil",
            "millones",
            "e",
            "vent",
            "esimo",
            "mille",
            "ste",
            "bis",
            "年",
            "月",
            "Ł",
            "ﬁ",
            "\u{301}",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn check(text: &str, ranges: impl IntoIterator<Item = Range<usize>>) {
    let mut end = 0;
    for range in ranges {
        assert!(range.start >= end && range.start <= range.end, "{range:?} after {end} in {text:?}");
        assert!(text.get(range.clone()).is_some(), "{range:?} in {text:?}");
        end = range.end;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_read(text in text(), code in prop::sample::select(CODES.to_vec()), most in 0_usize..40) {
        let language = Language::from_code(code).unwrap();
        let _ = (detect(&text), detect_quickly(&text), detect_short(&text), guess(&text, Some(language)));
        let tokenized = TokenizedText::new(&text, language);
        check(&text, tokens(&text, language).iter().map(|token| token.range()));
        check(&text, numbers(&text, language).into_iter().map(|number| number.range));
        check(&text, dates(&text, Some(language)).into_iter().map(|mention| mention.range));
        check(&text, dates(&text, None).into_iter().map(|mention| mention.range));
        check(&text, sentences(&text));
        check(&text, paragraphs(&text));
        let chars = text.chars().count();
        prop_assert!(sentence_spans(&text).all(|span| span.start < span.end && span.end <= chars));
        let said: usize = sentences(&text).map(|range| text[range].chars().filter(|c| !c.is_whitespace()).count()).sum();
        prop_assert_eq!(said, text.chars().filter(|c| !c.is_whitespace()).count());
        let _ = DateReader { language: Some(language), order: None }.find_best(&text);
        for negation in negations(&tokenized) {
            prop_assert!(negation.tokens.end <= tokenized.tokens.len());
            prop_assert!(negation.scope.is_none_or(|scope| scope < tokenized.tokens.len()));
        }
        if let Some(cue) = question_cue(&tokenized) {
            prop_assert!(cue.tokens.end <= tokenized.tokens.len());
        }
        let lower = lower(&text);
        let _ = (fold_accents(&lower), stem(&lower, language), Lexicon::of(language).is_little(&lower));
        let _ = without_negating_prefix(&lower, language).count();
        let _ = (compound_parts(&lower, language, |part| part.len() % 2 == 0), compound_head(&lower, language, |part| part.len() == 5));
        prop_assert!(!one_line(&text).contains(['\n', '\t']));
        prop_assert!(one_line_at_most(&text, most).chars().count() <= most);
    }
}

#[test]
fn time_grows_with_the_text() {
    // Each took minutes if it were quadratic.
    for piece in
        ["a. ", "1. ", "[1", "ne ", "- ", "((", "'a", "1 ", "twenty ", "3. 3. ", "\n", "März ", "1-", "no ", "。", "! "]
    {
        let text = piece.repeat(100_000);
        for code in ["en", "de", "fr"] {
            let language = Language::from_code(code).unwrap();
            let tokenized = TokenizedText::new(&text, language);
            let _ = (negations(&tokenized), question_cue(&tokenized), detect_short(&text));
            let _ = (numbers(&text, language), dates(&text, Some(language)), dates(&text, None));
        }
        let _ = (sentences(&text).count(), one_line(&text), one_line_at_most(&text, 10));
    }
}
