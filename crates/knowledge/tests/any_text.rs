//! Whatever the text is: no panic, every span within it, the same findings each time, and no long wait.

use std::time::{Duration, Instant};

use ibid_knowledge::{Findings, KnowledgeInput, extract::extract};
use proptest::prelude::*;

fn read(text: &str) -> Findings {
    extract(&KnowledgeInput { text, date: "2024-05-15".parse().ok(), ..KnowledgeInput::default() })
}

fn check(text: &str, found: &Findings) {
    let entities = found.entities.len();
    for entity in &found.entities {
        assert!(!entity.name.trim().is_empty());
        assert!(!entity.aliases.contains(&entity.name));
        assert!((0.0..=1.0).contains(&entity.confidence));
        assert!(!entity.mentions.is_empty());
        for mention in &entity.mentions {
            assert!(mention.slice_of(text).is_some_and(|words| words.contains(char::is_alphanumeric)), "{mention:?}");
        }
        assert!(entity.mentions.is_sorted_by_key(|mention| mention.start));
    }
    for event in &found.events {
        assert!(!event.narrative.trim().is_empty());
        assert!((0.0..=1.0).contains(&event.confidence));
        assert!(!event.evidence.is_empty());
        for span in &event.evidence {
            assert!(span.slice_of(text).is_some_and(|words| words.contains(char::is_alphanumeric)), "{span:?}");
        }
        let mut seen = std::collections::HashSet::new();
        for at in event.actors.iter().map(|(at, _)| *at).chain(event.subjects.iter().copied()) {
            assert!(at < entities);
            assert!(seen.insert(at), "{at} twice in {event:?}");
        }
    }
}

/// Pieces that the rules look at, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("Alice Chen"),
        Just("A. Chen"),
        Just("Alice C."),
        Just("Dr. "),
        Just("Acme Corp"),
        Just("Acme's CTO "),
        Just(", Engineering Manager at "),
        Just("("),
        Just(")"),
        Just("<a@b.co>"),
        Just("@bob-l"),
        Just(" decided to "),
        Just(" will send "),
        Just("I'll "),
        Just(" by Friday"),
        Just(" was approved by "),
        Just("From: "),
        Just("To: "),
        Just("\n"),
        Just("\n\n"),
        Just("- "),
        Just("[ ] "),
        Just("# "),
        Just("```"),
        Just("|"),
        Just("Decision: "),
        Just(" risk that "),
        Just(" on 12 May 2024"),
        Just(" in two weeks"),
        Just(". "),
        Just("? "),
        Just(", "),
        Just(" and "),
        Just(" of the "),
        Just("University of "),
        Just("WHO"),
        Just(" 2024-05-12 "),
        Just("Best regards,\n"),
        Just("Ünal Öztürk"),
        Just("東京"),
        Just("’s "),
        Just("[2] "),
        Just("é\u{301}"),
        Just("“"),
        Just(" said "),
        Just("[x](y)"),
        Just("Q3"),
        Just("end of next "),
        Just(" last "),
        Just("week"),
        Just("9999-12-31"),
        Just("in 400 years"),
        Just("&"),
        Just("van der "),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_at_all(text in any::<String>()) {
        check(&text, &read(&text));
    }

    #[test]
    fn any_order_of_what_the_rules_look_at(text in pieces()) {
        let found = read(&text);
        check(&text, &found);
        prop_assert_eq!(found, read(&text));
    }

    #[test]
    fn any_date_of_writing(year in 1_i16..=9999, month in 1_i8..=12, day in 1_i8..=31, text in pieces()) {
        let date = ibid_domain::PartialDate::new(year, Some(month), Some(day));
        check(&text, &extract(&KnowledgeInput { text: &text, date, ..KnowledgeInput::default() }));
    }
}

#[test]
fn hostile_texts_are_not_slow() {
    let megabyte = |piece: &str| piece.repeat(1_000_000 / piece.len());
    let names: String = (0..100_000_u32)
        .map(|at| format!("Alice X{}, ", char::from(b'a' + (at % 26) as u8).to_string().repeat(1 + at as usize % 9)))
        .collect();
    let people: String =
        (0..20_000_u32).map(|at| format!("Alice Chen, CTO of Foo{at} Corp, met Bob Li{at}.\n")).collect();
    for text in [
        megabyte("word "),
        megabyte("A"),
        megabyte("Alpha "),
        megabyte("A. "),
        megabyte("("),
        megabyte("a@"),
        megabyte("1. "),
        megabyte("- "),
        megabyte("of the "),
        megabyte("Alice Chen (CTO, "),
        megabyte("Alice and Bob, "),
        megabyte("decided to "),
        megabyte("Acme Corp & "),
        megabyte("> "),
        megabyte("\n\n"),
        megabyte("[x]("),
        megabyte("University of "),
        megabyte("will "),
        megabyte("ä"),
        megabyte("Mr. "),
        megabyte("'s "),
        names,
        people,
    ] {
        let started = Instant::now();
        let found = read(&text);
        let taken = started.elapsed();
        assert!(taken < Duration::from_secs(8), "{taken:?} for {}", &text.chars().take(20).collect::<String>());
        assert!(found.entities.len() <= 2_000 && found.events.len() <= 5_000);
        assert!(found.entities.iter().map(|entity| entity.mentions.len()).sum::<usize>() <= 22_000);
    }
}
