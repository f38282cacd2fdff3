//! What holds of the judge for any input.

use ibid_domain::{EntityType, Sameness};
use ibid_knowledge::judge::{
    Profile, Resolution, blocking_keys, compare, lookup_keys, normalize_name, resolve_profile,
};
use proptest::prelude::*;

fn kind() -> impl Strategy<Value = Option<EntityType>> {
    prop::sample::select(vec![
        None,
        Some(EntityType::Person),
        Some(EntityType::Org),
        Some(EntityType::Project),
        Some(EntityType::Place),
        Some(EntityType::Other),
    ])
}

/// Words that names and contexts are made of, and what stands between them.
fn text() -> impl Strategy<Value = String> {
    let words = vec![
        "Alice",
        "A.",
        "Chen",
        "chen",
        "Bob",
        "Robert",
        "Jr.",
        "III",
        "van",
        "der",
        "al-",
        "Dr.",
        "Acme",
        "Corp.",
        "B.V.",
        "N",
        "V",
        "&",
        "and",
        "The",
        ",",
        "-",
        "(",
        ")",
        "\"",
        "{",
        "}",
        ":",
        "14",
        "19590714",
        "312-555-1234",
        "H01L",
        "a@b.de",
        "习近平",
        "Ünal",
        "é",
        "\u{301}",
        "ﬁ",
        "ß",
        "Иван",
        "محمد",
        "\0",
        "\n",
        "=",
        "[",
        "]",
        "X",
        "XI",
        "2004-1",
        "'",
        "of",
    ];
    let word = prop_oneof![8 => prop::sample::select(words).prop_map(str::to_owned), 1 => any::<String>()];
    prop::collection::vec(word, 0..7).prop_map(|words| words.join(" "))
}

fn profile() -> impl Strategy<Value = Profile> {
    let maybe = || prop::option::of(text());
    (kind(), text(), prop::collection::vec(text(), 0..3), maybe(), maybe(), maybe(), maybe()).prop_map(
        |(kind, name, aliases, role, organization, email, context)| Profile {
            kind,
            name,
            aliases,
            role,
            organization,
            email,
            context,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn it_does_not_matter_which_comes_first(a in profile(), b in profile()) {
        let judgement = compare(&a, &b);
        prop_assert_eq!(&judgement, &compare(&b, &a));
        prop_assert_eq!(&judgement, &compare(&a, &b));
        prop_assert!((0.0..=1.0).contains(&judgement.confidence));
        prop_assert!(!judgement.reason.is_empty());
    }

    #[test]
    fn keys_are_few_and_short_names_are_written_plainly(a in profile()) {
        prop_assert!(blocking_keys(&a).len() <= 12);
        prop_assert!(lookup_keys(&a).len() <= 12);
        let plain = normalize_name(a.kind, &a.name);
        prop_assert_eq!(normalize_name(a.kind, &a.name), plain);
    }

    #[test]
    fn one_is_found_again_under_its_keys(a in profile()) {
        let filed = blocking_keys(&a);
        prop_assert!(filed.is_empty() || lookup_keys(&a).iter().any(|key| filed.contains(key)), "{:?} {:?}", filed, lookup_keys(&a));
    }

    #[test]
    fn what_is_known_is_one_of_the_candidates(found in profile(), candidates in prop::collection::vec(profile(), 0..8)) {
        match resolve_profile(&found, &candidates) {
            Resolution::Known(at, judgement) => {
                prop_assert!(at < candidates.len());
                prop_assert_eq!(judgement.decision, Sameness::Same);
            }
            Resolution::New(doubts) => {
                prop_assert!(doubts.len() <= 5);
                for pair in doubts.windows(2) {
                    prop_assert!(pair[0].1.confidence >= pair[1].1.confidence);
                }
                for (at, judgement) in doubts {
                    prop_assert!(at < candidates.len());
                    prop_assert_eq!(judgement.decision, Sameness::Uncertain);
                }
            }
        }
    }
}

#[test]
fn however_long_it_is_it_is_judged_at_once() {
    let lines = ["Alice Chen, ", "a.", "((((", "{\"a\":", "1234567 ", "A1 ", "-", "Ünal ", "a b ", "\u{301}", "x: "];
    for line in lines {
        let long = line.repeat(500_000 / line.len());
        let one = Profile {
            kind: None,
            name: long.clone(),
            aliases: vec![long.clone(); 20],
            role: Some(long.clone()),
            organization: Some(long.clone()),
            email: Some(long.clone()),
            context: Some(long),
        };
        let judgement = compare(&one, &one);
        assert!((0.0..=1.0).contains(&judgement.confidence));
        assert!(blocking_keys(&one).len() <= 12);
    }
}
