use ibid_language::{
    compounds::{compound_head, compound_parts},
    stems::{comparable_stem, stem},
    words::{TokenKind, tokens, words},
};

use crate::language;

#[test]
fn texts_are_split_into_words() {
    for (code, text, expected) in [
        ("en", "Don't you see Ada’s 1,500.5 engines?", "Do n't you see Ada ’s 1,500.5 engines"),
        ("en", "We can't, won't and cannot.", "We can't won't and cannot"),
        ("en", "twenty-one COVID-19 cases at l'Orangerie", "twenty one COVID 19 cases at l' Orangerie"),
        ("de", "Peters’ Brücke über 12.500 Euro, z.B. Ada's", "Peters Brücke über 12.500 Euro z B Ada 's"),
        ("fr", "L’eau n'a pas d'odeur aujourd'hui, qu'on dit.", "L’ eau n' a pas d' odeur aujourd'hui qu' on dit"),
        ("it", "L'acqua dell'isola c'è un'altra", "L' acqua dell' isola c' è un' altra"),
        ("es", "¿Cuándo llegó el 3.º?", "Cuándo llegó el 3 º"),
        ("nl", "foto's van 's avonds", "foto 's van s avonds"),
        ("pt", "disse-lhe que não", "disse lhe que não"),
        ("zh", "数据 shows", "数 据 shows"),
        ("fi", "koira's", "koira's"),
    ] {
        let found: Vec<_> = words(text, language(code)).map(|token| token.of(text).to_owned()).collect();
        assert_eq!(found.join(" "), expected, "{code}: {text}");
    }
}

#[test]
fn clitics_and_joined_parts_are_marked() {
    let text = "n'a vingt-deux";
    let found: Vec<_> = tokens(text, language("fr")).iter().map(|token| (token.kind, token.is_joined)).collect();
    assert_eq!(
        found,
        [(TokenKind::Clitic, false), (TokenKind::Word, true), (TokenKind::Word, false), (TokenKind::Word, true)]
    );
}

#[test]
fn forms_of_a_word_have_one_stem() {
    for (code, one, other) in [
        ("en", "committees", "committee"),
        ("en", "measured", "measuring"),
        ("de", "brücken", "brücke"),
        ("de", "häuser", "hauser"),
        ("fr", "bateaux", "bateau"),
        ("es", "escuelas", "escuela"),
        ("it", "ponti", "ponte"),
        ("nl", "bruggen", "brug"),
        ("nl", "boten", "boot"),
        ("nl", "brieven", "brief"),
        ("pt", "pontes", "ponte"),
        ("ru", "мосты", "мост"),
    ] {
        assert_eq!(
            comparable_stem(one, language(code)),
            comparable_stem(other, language(code)),
            "{code}: {one} {other}"
        );
    }
    assert_eq!(stem("słowa", language("pl")), "słowa");
    assert_eq!(stem("wörтer", language("de")), "wörтer");
    assert_eq!(stem("words", language("ja")), "word");
    assert_eq!(stem("2021", language("en")), "2021");
    assert_eq!(stem("", language("ar")), "");
}

#[test]
fn compounds_are_split_into_words_that_are_known() {
    let known =
        ["hafen", "mauer", "arbeit", "zeit", "schule", "haus", "brug", "haven", "stad", "krant", "rhein", "brücke"];
    for (code, word, expected) in [
        ("de", "hafenmauer", "hafen mauer"),
        ("de", "arbeitszeit", "arbeit zeit"),
        ("de", "schulhaus", "schule haus"),
        ("de", "hafenmauerarbeit", "hafen mauer arbeit"),
        ("de", "hafen", ""),
        ("de", "hafenrand", ""),
        ("de", "zeitung", ""),
        ("nl", "havenstad", "haven stad"),
        ("nl", "stadskrant", "stad krant"),
        ("en", "hafenmauer", ""),
    ] {
        let parts = compound_parts(word, language(code), |part| known.contains(&part)).unwrap_or_default();
        assert_eq!(parts.join(" "), expected, "{code}: {word}");
    }
    assert_eq!(compound_head("rheinbrücke", language("de"), |part| known.contains(&part)), Some("brücke"));
    assert_eq!(compound_head("brücke", language("de"), |part| known.contains(&part)), None);
    assert_eq!(compound_head("rheinbrücke", language("fr"), |part| known.contains(&part)), None);
}
