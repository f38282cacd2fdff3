//! What a claim is worth in seven languages, over HTTP. The cases are those of the crate `claims`, which checks all of
//! them by words; here is what a client gets.

use std::collections::BTreeMap;

use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use crate::{Running, on_both_servers};

on_both_servers!(claims_are_verified_in_every_language, drafts_are_grounded_in_every_language);

const CASES: &str = include_str!("../../../claims/tests/it/cases/languages.toml");

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

/// One case in every language: the source, and the claim.
#[derive(Deserialize)]
struct Case {
    name: String,
    verdict: String,
    #[serde(flatten)]
    pairs: BTreeMap<String, [String; 2]>,
}

fn cases() -> Vec<Case> {
    let cases: Cases = toml::from_str(CASES).unwrap();
    cases.case
}

async fn claims_are_verified_in_every_language(server: Running) {
    for case in cases() {
        let pairs = case.pairs.values().map(|[source, claim]| json!({"claim": claim, "passage": source}));
        let body = json!({"pairs": pairs.collect::<Vec<_>>()});
        let (status, answer) = server.send(Method::POST, "/api/v1/citations/verify", &body).await;
        assert!(status.is_success(), "{answer}");
        for (code, pair) in case.pairs.keys().zip(answer["pairs"].as_array().unwrap()) {
            let is_supported = pair["verdict"] == "supported";
            assert_eq!(is_supported, case.verdict == "supported", "{} ({code}): {pair}", case.name);
        }
    }
}

/// The cases whose claims are looked up in a library of all their sources.
const GROUNDED: &[&str] =
    &["compound in the claim", "digits in the claim, words in the source", "month wrong", "negation added"];

async fn drafts_are_grounded_in_every_language(server: Running) {
    let cases: Vec<_> = cases().into_iter().filter(|case| GROUNDED.contains(&case.name.as_str())).collect();
    assert_eq!(cases.len(), GROUNDED.len());
    let codes: Vec<String> = cases[0].pairs.keys().cloned().collect();
    for code in &codes {
        let text = cases.iter().map(|case| case.pairs[code][0].as_str()).collect::<Vec<_>>().join("\n\n");
        server.with_text(&format!("{code}.txt"), &text).await;
    }
    for code in &codes {
        for case in &cases {
            let claim = &case.pairs[code][1];
            let answer = server.post("/api/v1/citations/ground", json!({"text": claim})).await;
            let found = &answer["claims"][0];
            let is_supported = found["verdict"] == "supported";
            assert_eq!(is_supported, case.verdict == "supported", "{} ({code}): {answer}", case.name);
            if is_supported {
                assert_eq!(found["quote"], case.pairs[code][0].as_str(), "{} ({code})", case.name);
            }
        }
    }
}
