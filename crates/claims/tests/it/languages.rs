//! The promise in seven languages: the same case has the same verdict in each, and the same question the same answer.

use std::collections::BTreeMap;

use ibid_claims::{
    answer::{AnswerCandidates, AnswerOptions, AnswerSignals, CandidatePassage},
    verify::{ModelSignals, ParsedPassage},
};
use ibid_language::Language;
use serde::Deserialize;

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

fn codes() -> Vec<String> {
    let mut codes: Vec<_> = Language::COMPLETE.iter().map(ToString::to_string).collect();
    codes.sort();
    codes
}

#[test]
fn a_claim_has_the_same_verdict_in_every_language() {
    let cases: Cases = toml::from_str(include_str!("cases/languages.toml")).unwrap();
    assert!(cases.case.len() >= 20);
    let mut wrong = String::new();
    for case in &cases.case {
        assert_eq!(case.pairs.keys().cloned().collect::<Vec<_>>(), codes(), "{}", case.name);
        for (code, [source, claim]) in &case.pairs {
            let support = ParsedPassage::new(source.as_str()).check_claim(claim, &ModelSignals::default());
            if support.verdict.as_str() != case.verdict {
                wrong += &format!("\n{} ({code}): {support:?}, not {}\n  {source}\n  {claim}", case.name, case.verdict);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[derive(Deserialize)]
struct Questions {
    passages: BTreeMap<String, Vec<String>>,
    question: Vec<Question>,
}

/// A question in every language, with words of the sentence that answers it; empty words where none does.
#[derive(Deserialize)]
struct Question {
    name: String,
    #[serde(flatten)]
    asked: BTreeMap<String, [String; 2]>,
}

#[test]
fn a_question_has_the_same_answer_in_every_language() {
    let cases: Questions = toml::from_str(include_str!("cases/questions.toml")).unwrap();
    let is_answered = |question: &&Question| question.asked.values().all(|[_, answer]| !answer.is_empty());
    let answered = cases.question.iter().filter(is_answered).count();
    assert!(answered >= 8 && cases.question.len() - answered >= 4);
    let mut wrong = String::new();
    for question in &cases.question {
        assert_eq!(question.asked.keys().cloned().collect::<Vec<_>>(), codes(), "{}", question.name);
        for (code, [asked, words]) in &question.asked {
            let passages: Vec<_> = cases.passages[code]
                .iter()
                .enumerate()
                .map(|(source, text)| CandidatePassage { source, text, score: 1.0, ..CandidatePassage::default() })
                .collect();
            let answer = AnswerCandidates::new(asked, &passages)
                .select_answer(&AnswerSignals::default(), AnswerOptions::default());
            let first = answer.sentences.first().map_or("", |first| first.quote.as_str());
            let is_right = match words.is_empty() {
                true => !answer.is_answered,
                false => answer.is_answered && first.contains(words.as_str()),
            };
            if !is_right {
                wrong += &format!("\n{} ({code}): {asked}\n  {:.2} {first}", question.name, answer.confidence);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
