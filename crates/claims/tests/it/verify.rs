//! Verification, by words alone: a labelled set of our own, and what must never be told wrong.

use ibid_claims::verify::{
    DifferenceKind, JudgedWindow, ModelSignals, ParsedPassage, Support, Verdict, claim_of_answer, facts_of,
};
use serde_json::Value;

/// Claims about invented or well-known matters, each with a passage and whether the passage says it.
const PAIRS: &str = include_str!("cases/support.jsonl");

fn check(claim: &str, passage: &str) -> Support {
    ParsedPassage::new(passage).check_claim(claim, &ModelSignals::default())
}

/// How often a supported pair scores higher than one that is not.
fn auc(supported: &[f32], others: &[f32]) -> f32 {
    let wins: f32 = supported
        .iter()
        .flat_map(|one| others.iter().map(move |other| if one > other { 1.0 } else { f32::from(one == other) / 2.0 }))
        .sum();
    wins / (supported.len() * others.len()) as f32
}

#[test]
fn the_labelled_set() {
    let (mut supported, mut others) = (Vec::new(), Vec::new());
    let (mut told, mut wrongly) = (0, Vec::new());
    for line in PAIRS.lines() {
        let pair: Value = serde_json::from_str(line).unwrap();
        let (claim, passage) = (pair["claim"].as_str().unwrap(), pair["passage"].as_str().unwrap());
        let found = check(claim, passage);
        let quote = found.quote.unwrap().slice_of(passage).unwrap();
        assert!(passage.contains(quote) && !quote.is_empty());
        if pair["supported"] == true {
            told += usize::from(found.verdict == Verdict::Supported);
            supported.push(found.score);
        } else {
            if found.verdict == Verdict::Supported {
                wrongly.push((claim.to_owned(), found.score));
            }
            others.push(found.score);
        }
    }
    let auc = auc(&supported, &others);
    let recall = told as f32 / supported.len() as f32;
    assert!(auc >= AUC, "AUC {auc:.3}");
    assert!(recall >= RECALL, "told {recall:.2} of those that are supported");
    assert!(wrongly.len() as f32 <= WRONGLY * others.len() as f32, "wrongly told supported: {wrongly:?}");
}

/// What this set gives; a change that lowers it has to say why.
const AUC: f32 = 0.91;
const RECALL: f32 = 0.85;
const WRONGLY: f32 = 0.05;

#[test]
fn one_wrong_figure_name_or_negation_is_enough() {
    let passage = "The Northern Line carried 4.2 million passengers in 2019, according to Transport Works.";
    let told = |claim: &str| check(claim, passage);
    assert_eq!(told("The Northern Line carried 4.2 million passengers in 2019.").verdict, Verdict::Supported);
    for (claim, reason) in [
        ("The Northern Line carried 4.8 million passengers in 2019.", "a figure of the claim is not in the source"),
        ("The Northern Line carried 4.2 million passengers in 2018.", "a figure of the claim is not in the source"),
        (
            "The Northern Line of Glasgow carried 4.2 million passengers in 2019.",
            "a name of the claim is not in the source",
        ),
        (
            "The Northern Line never carried 4.2 million passengers in 2019.",
            "the claim and the source differ in a negation",
        ),
    ] {
        let found = told(claim);
        assert!(found.verdict < Verdict::Supported, "{claim}: {found:?}");
        assert!(found.reasons.contains(&reason), "{claim}: {found:?}");
    }
}

#[test]
fn words_for_words_is_supported_and_quoted_where_it_stands() {
    let passage = "First something else. «Żółć» is a Polish word – it means bile. And 数据 follows.";
    let found = check("żółć is a Polish word; it means bile", passage);
    assert_eq!((found.verdict, found.score), (Verdict::Supported, 1.0));
    assert_eq!(found.quote.unwrap().slice_of(passage), Some("«Żółć» is a Polish word – it means bile."));
}

#[test]
fn nothing_to_check_is_no_verdict() {
    for (claim, passage) in
        [("", "A passage."), ("A claim of five words.", ""), ("…", "A passage."), ("The of and", "A passage.")]
    {
        assert_eq!(check(claim, passage).verdict, Verdict::Unverifiable, "{claim:?} {passage:?}");
    }
}

#[test]
fn a_contradiction_names_the_two_words_and_where_they_stand() {
    let passage = "The lighthouse was finished in 1874. Its tower is 27 metres high and was painted white.";
    let found = check("The tower of the lighthouse is 72 metres high.", passage);
    assert_eq!(found.verdict, Verdict::Contradicted, "{found:?}");
    let [difference] = &found.why[..] else { panic!("{found:?}") };
    assert_eq!((difference.kind, difference.claim.as_str()), (DifferenceKind::Figure, "72 metres"));
    assert_eq!(difference.source.as_deref(), Some("27 metres"));
    assert_eq!(difference.span.unwrap().slice_of(passage), Some("27 metres"));

    let denied = check("Its tower was not painted white.", passage);
    assert_eq!(denied.verdict, Verdict::Contradicted, "{denied:?}");
    assert_eq!((denied.why[0].kind, denied.why[0].claim.as_str()), (DifferenceKind::Negation, "not"));
    // Another figure of another thing contradicts nothing.
    let other = check("The tower has 72 windows.", passage);
    assert!(matches!(other.verdict, Verdict::Unsupported | Verdict::Partial), "{other:?}");
}

#[test]
fn a_network_is_believed_unless_a_detail_differs() {
    let passage = ParsedPassage::new("In 1874 the board opened the harbour to ships of every nation.");
    let judged = |claim: &str, supports: f32, contradicts: f32| {
        assert_eq!(passage.window(claim), Some(passage.text()));
        let judged = Some(JudgedWindow { supports, contradicts });
        passage.check_claim(claim, &ModelSignals { judged, ..ModelSignals::default() })
    };
    let claim = "Foreign vessels have been admitted to the port since 1874.";
    assert_eq!(judged(claim, 0.97, 0.01).verdict, Verdict::Supported);
    assert_eq!(judged(claim, 0.02, 0.03).verdict, Verdict::Unsupported);
    let wrong = judged("Foreign vessels have been admitted to the port since 1899.", 0.97, 0.01);
    assert!(wrong.verdict < Verdict::Supported, "{wrong:?}");
}

#[test]
fn a_short_form_and_what_it_stands_for_are_one_name() {
    let passage = "Inspectors of the United Nations visited the harbour in 2019.";
    assert_eq!(check("Inspectors of the UN visited the harbour in 2019.", passage).why, []);
    let short = "Inspectors of the UN visited the harbour in 2019.";
    assert_eq!(check("Inspectors of the United Nations visited the harbour in 2019.", short).why, []);
    // Letters that happen to be there make no other name right.
    let wrong = check("Inspectors of Ulm visited the harbour in 2019.", short);
    assert_eq!(wrong.why.iter().map(|one| one.claim.as_str()).collect::<Vec<_>>(), ["Ulm"]);
}

#[test]
fn a_figure_elsewhere_in_a_long_text_is_not_the_claims() {
    let filler = "The committee met again and spoke of the weather at length. ".repeat(12);
    let text = format!("The tower is 27 metres high. {filler}The shop sold 72 lamps that winter.");
    assert_eq!(check("The tower is 72 metres high.", &text).verdict, Verdict::Contradicted);
    assert_eq!(check("The tower is 27 metres high.", &text).verdict, Verdict::Supported);
    // A sentence far away that speaks of the same bears a figure out.
    let two = format!("The tower was built by Ada Brook. {filler}Ada Brook finished the tower in 1874.");
    assert_eq!(check("The tower was built by Ada Brook in 1874.", &two).why, []);
}

#[test]
fn figures_are_compared_in_their_units() {
    for (claim, passage, verdict) in [
        ("The road is 10 km long.", "The road is 6.2 miles long.", Verdict::Supported),
        ("The road is 10 km long.", "The road is 10 miles long.", Verdict::Contradicted),
        ("The bridge cost $5 million.", "The bridge cost €5 million.", Verdict::Contradicted),
        ("The bridge cost $5 million.", "The bridge cost 5 million dollars.", Verdict::Supported),
        ("Water boils at 212 °F there.", "Water boils at 100 °C there.", Verdict::Supported),
        ("The lake covers 20 hectares.", "The lake covers 20 square kilometres.", Verdict::Contradicted),
        ("The trial lasted two years.", "The trial lasted 24 months.", Verdict::Supported),
        ("The trial lasted two years.", "The trial lasted two months.", Verdict::Contradicted),
        ("The 27-metre tower is white.", "The tower, 27 metres high, is white.", Verdict::Supported),
    ] {
        let found = check(claim, passage);
        assert!(found.verdict == verdict, "{claim} | {passage}: {found:?}");
    }
}

#[test]
fn names_of_a_country_are_one_name() {
    for passage in ["Ships of the U.S. called at the port.", "Ships of the USA called at the port."] {
        assert_eq!(check("Ships of the US called at the port.", passage).why, [], "{passage}");
    }
    assert_eq!(check("Ships of the USA called at the port.", "Ships of the United States called at the port.").why, []);
}

#[test]
fn a_fragment_states_nothing() {
    for fragment in ["Edward IV", "27 metres", "12 May 1931", "Bank of England", "Paris, France"] {
        let passage = format!("Something was said of {fragment} in the long report.");
        assert_eq!(check(fragment, &passage).verdict, Verdict::Unverifiable, "{fragment}");
    }
    let king = "Edward IV was king of England in 1471.";
    let answered = |answer: &str| check(&claim_of_answer("Who was king of England in 1471?", answer), king).verdict;
    assert_eq!(answered("Edward IV"), Verdict::Supported);
    assert!(answered("Henry VI") < Verdict::Supported);
    assert_eq!(claim_of_answer("Who was king?", "Edward was king."), "Edward was king.");
    assert_eq!(check("Edward IV was king", "Edward IV was king of England.").verdict, Verdict::Supported);
    assert_eq!(check("Sales fell", "Sales fell in March.").verdict, Verdict::Supported);
}

#[test]
fn a_first_name_may_be_left_out_but_not_another() {
    let passage = "Fletcher is married to the actor Neil Davies and has a daughter.";
    assert_eq!(check("Alex Fletcher is married to the actor Neil Davies.", passage).why, []);
    let other = "Jane Fletcher is married to the actor Neil Davies and has a daughter.";
    let found = check("The singer Alex Fletcher is married to the actor Neil Davies.", other);
    assert_eq!(found.why.iter().map(|one| one.claim.as_str()).collect::<Vec<_>>(), ["Alex"]);
}

#[test]
fn each_fact_of_a_claim_counts() {
    let filler = "The committee met again and spoke of the weather at length. ".repeat(8);
    let passage = format!("The tower was built in 1874. {filler}The tower is 27 metres high.");
    let told = |claim: &str| {
        let facts = facts_of(claim).iter().map(|fact| check(fact, &passage)).collect();
        check(claim, &passage).with_facts(facts)
    };
    assert_eq!(told("The tower was built in 1874 and is 27 metres high.").verdict, Verdict::Supported);
    let wrong = told("The tower was built in 1874 and is 72 metres high.");
    assert_eq!(wrong.verdict, Verdict::Contradicted);
    assert_eq!(wrong.why[0].source.as_deref(), Some("27 metres"));
    assert_eq!(told("The tower was built in 1874 and was lit by whale oil.").verdict, Verdict::Partial);
}
