//! How much of what a reader finds in the sample documents the rules find, and how much else.
//!
//! `cargo test -p ibid-knowledge --test labelled -- --nocapture` prints the figures, and with `WRONG=1` every
//! difference in the documents that the rules were tuned with.

use std::{collections::BTreeSet, fmt::Write as _};

use ibid_domain::Span;
use ibid_knowledge::{Findings, KnowledgeInput, extract::extract};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    document: Vec<Document>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    id: String,
    date: Option<String>,
    language: Option<String>,
    text: String,
    entities: Vec<String>,
    events: Vec<String>,
}

/// What was found and right, what was found, and what there is.
#[derive(Clone, Copy, Default)]
struct Count {
    right: u32,
    found: u32,
    there: u32,
}

impl Count {
    fn add(&mut self, found: &BTreeSet<String>, there: &BTreeSet<String>) {
        self.right += found.intersection(there).count() as u32;
        self.found += found.len() as u32;
        self.there += there.len() as u32;
    }

    fn precision(self) -> f64 {
        f64::from(self.right) / f64::from(self.found.max(1))
    }

    fn recall(self) -> f64 {
        f64::from(self.right) / f64::from(self.there.max(1))
    }

    fn f1(self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
    }
}

const NAMES: [&str; 6] = ["events", "times", "actors", "subjects", "entities", "attributes"];

#[derive(Default)]
struct Score {
    counts: [Count; 6],
    wrong: String,
}

fn fields(line: &str) -> Vec<&str> {
    line.split('|').map(str::trim).collect()
}

fn names(list: &str) -> BTreeSet<String> {
    list.split(';').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The span of words that stand in a text once.
fn span_of(text: &str, words: &str) -> Option<Span> {
    let start = text.find(words)?;
    let before = text[..start].chars().count();
    Some(Span::new(before, before + words.chars().count()))
}

fn compare(document: &Document, found: &Findings, score: &mut Score) {
    let name = |at: usize| found.entities[at].name.clone();
    let mut open: Vec<usize> = (0..found.events.len()).collect();
    for line in &document.events {
        let expected = fields(line);
        let [category, words, actors, subjects, time] = expected.as_slice() else { panic!("{}: {line}", document.id) };
        let span = span_of(&document.text, words).unwrap_or_else(|| panic!("{}: no words {words}", document.id));
        score.counts[0].there += 1;
        let place = open.iter().position(|at| {
            let event = &found.events[*at];
            event.category.as_str() == *category && event.evidence.iter().any(|evidence| evidence.overlaps(span))
        });
        let Some(place) = place else {
            let _ = writeln!(score.wrong, "{}: missed {line}", document.id);
            continue;
        };
        let event = &found.events[open.remove(place)];
        score.counts[0].right += 1;
        score.counts[0].found += 1;
        let found_actors: BTreeSet<String> = event.actors.iter().map(|(at, _)| name(*at)).collect();
        let found_subjects: BTreeSet<String> = event.subjects.iter().map(|at| name(*at)).collect();
        let found_time: BTreeSet<String> = event.time.iter().map(ToString::to_string).collect();
        for (at, found, there) in
            [(1, &found_time, names(time)), (2, &found_actors, names(actors)), (3, &found_subjects, names(subjects))]
        {
            score.counts[at].add(found, &there);
            if *found != there {
                let _ = writeln!(score.wrong, "{}: {} of «{words}»: {found:?}, not {there:?}", document.id, NAMES[at]);
            }
        }
    }
    for at in open {
        let event = &found.events[at];
        score.counts[0].found += 1;
        let _ = writeln!(score.wrong, "{}: no {} {}", document.id, event.category.as_str(), event.narrative);
    }
    let mut left: Vec<usize> = (0..found.entities.len()).collect();
    for line in &document.entities {
        let expected = fields(line);
        let [kind, name, role, organization, email] = expected.as_slice() else { panic!("{}: {line}", document.id) };
        score.counts[4].there += 1;
        let place = left.iter().position(|at| {
            let entity = &found.entities[*at];
            entity.kind.as_str() == *kind && entity.name == *name
        });
        let Some(place) = place else {
            let _ = writeln!(score.wrong, "{}: missed {line}", document.id);
            continue;
        };
        let entity = &found.entities[left.remove(place)];
        score.counts[4].right += 1;
        score.counts[4].found += 1;
        let said = |label: &str, value: Option<&str>| {
            value.filter(|value| !value.is_empty()).map(|value| format!("{label}={value}"))
        };
        let found: BTreeSet<String> = [
            said("role", entity.role.as_deref()),
            said("organization", entity.organization.as_deref()),
            said("email", entity.email.as_deref()),
        ]
        .into_iter()
        .flatten()
        .collect();
        let there: BTreeSet<String> =
            [said("role", Some(role)), said("organization", Some(organization)), said("email", Some(email))]
                .into_iter()
                .flatten()
                .collect();
        score.counts[5].add(&found, &there);
        if found != there {
            let _ = writeln!(score.wrong, "{}: {name}: {found:?}, not {there:?}", document.id);
        }
    }
    for at in left {
        let entity = &found.entities[at];
        score.counts[4].found += 1;
        let _ = writeln!(score.wrong, "{}: no {} {}", document.id, entity.kind.as_str(), entity.name);
    }
}

fn score(file: &str) -> Score {
    let file: File = toml::from_str(file).unwrap();
    let mut score = Score::default();
    for document in &file.document {
        let reading = KnowledgeInput {
            text: &document.text,
            date: document.date.as_deref().map(|date| date.parse().unwrap()),
            language: document.language.as_deref(),
            ..KnowledgeInput::default()
        };
        compare(document, &extract(&reading), &mut score);
    }
    println!("{} documents", file.document.len());
    for (name, count) in NAMES.iter().zip(score.counts) {
        println!(
            "{name:10} precision {:.3} recall {:.3} F1 {:.3} ({} of {} found, {} there)",
            count.precision(),
            count.recall(),
            count.f1(),
            count.right,
            count.found,
            count.there
        );
    }
    score
}

#[track_caller]
fn at_least(score: &Score, least: [f64; 6]) {
    for ((name, count), least) in NAMES.iter().zip(score.counts).zip(least) {
        assert!(count.f1() >= least, "{name}: F1 {:.3} is below {least}", count.f1());
    }
}

#[test]
fn documents_that_the_rules_were_tuned_with() {
    let score = score(include_str!("../data/labelled/tuned.toml"));
    if std::env::var_os("WRONG").is_some() {
        println!("{}", score.wrong);
    }
    at_least(&score, [0.98, 0.93, 0.98, 0.96, 0.98, 0.98]);
}

#[test]
fn documents_that_were_held_back() {
    let score = score(include_str!("../data/labelled/held.toml"));
    at_least(&score, [0.93, 0.95, 0.82, 0.70, 0.93, 0.91]);
}
