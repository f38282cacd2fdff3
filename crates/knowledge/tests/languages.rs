//! The same situations must give the same events in every language: `data/labelled/languages.toml`.

use std::collections::{BTreeMap, BTreeSet};

use ibid_domain::EntityType;
use ibid_knowledge::{Findings, KnowledgeInput, extract::extract};
use ibid_language::Language;
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    events: Vec<String>,
    text: BTreeMap<String, String>,
}

fn cases() -> Vec<Case> {
    toml::from_str::<File>(include_str!("../data/labelled/languages.toml")).unwrap().case
}

fn read(text: &str, language: Option<&str>) -> Findings {
    let date = "2024-05-15".parse().ok();
    extract(&KnowledgeInput { text, date, language, ..KnowledgeInput::default() })
}

/// The events as the file writes them: `category | actors | time`.
fn events_of(found: &Findings) -> BTreeSet<String> {
    let line = |event: &ibid_knowledge::ExtractedEvent| {
        let actors: BTreeSet<&str> = event.actors.iter().map(|(at, _)| found.entities[*at].name.as_str()).collect();
        let actors = actors.into_iter().collect::<Vec<_>>().join("; ");
        let time = event.time.map(|time| time.to_string()).unwrap_or_default();
        format!("{} | {actors} | {time}", event.category.as_str())
    };
    found.events.iter().map(line).collect()
}

fn without_blanks(line: &str) -> String {
    line.split('|').map(str::trim).collect::<Vec<_>>().join("|")
}

fn sorted(lines: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    lines.into_iter().map(|line| without_blanks(&line)).collect()
}

#[test]
fn every_case_is_written_in_every_language() {
    let cases = cases();
    assert!(cases.len() >= 8);
    for case in &cases {
        let codes: BTreeSet<&str> = case.text.keys().map(String::as_str).collect();
        let expected: BTreeSet<&str> = Language::COMPLETE.iter().map(|language| language.code()).collect();
        assert_eq!(codes, expected, "{}", case.id);
    }
}

#[test]
fn a_situation_gives_the_same_events_in_every_language() {
    let mut wrong = String::new();
    for case in &cases() {
        let expected = sorted(case.events.clone());
        for (code, text) in &case.text {
            let found = sorted(events_of(&read(text, Some(code))));
            if found != expected {
                wrong.push_str(&format!("{} ({code}): {found:?}, not {expected:?}\n", case.id));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn people_are_found_in_every_language() {
    for case in cases().iter().filter(|case| !case.events.is_empty()) {
        for (code, text) in &case.text {
            let found = read(text, Some(code));
            let people: BTreeSet<&str> = found
                .entities
                .iter()
                .filter(|entity| entity.kind == EntityType::Person)
                .map(|entity| entity.name.as_str())
                .collect();
            let expected: BTreeSet<&str> =
                ["Anna Rossi", "Marta Silva", "Peter Jansen"].into_iter().filter(|name| text.contains(name)).collect();
            assert_eq!(people, expected, "{} ({code})", case.id);
        }
    }
}

#[test]
fn the_language_of_a_text_is_found_where_it_is_not_said() {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for case in cases().iter().filter(|case| !case.text.values().any(|text| text.contains('\n'))) {
        for (code, text) in &case.text {
            let all = texts.entry(code.clone()).or_default();
            all.push_str(text);
            all.push_str("\n\n");
        }
    }
    for (code, text) in &texts {
        assert_eq!(events_of(&read(text, None)), events_of(&read(text, Some(code))), "{code}");
    }
}
