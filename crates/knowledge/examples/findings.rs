//! Prints what the rules find in text files: `cargo run --release -p ibid-knowledge --example findings -- FILE…`
//!
//! With `--date 2024-05-15` relative times are counted from there.

use std::{env, fs, time::Instant};

use ibid_knowledge::{KnowledgeInput, extract::extract};

fn main() {
    let mut date = None;
    let mut quiet = false;
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--date" => date = arguments.next().and_then(|date| date.parse().ok()),
            "--quiet" => quiet = true,
            path => {
                let Ok(text) = fs::read_to_string(path) else {
                    println!("{path} cannot be read as text");
                    continue;
                };
                let started = Instant::now();
                let found = extract(&KnowledgeInput { text: &text, date, ..KnowledgeInput::default() });
                let seconds = started.elapsed().as_secs_f64();
                println!(
                    "== {path}: {} entities, {} events, {:.1} MB/s",
                    found.entities.len(),
                    found.events.len(),
                    text.len() as f64 / 1e6 / seconds
                );
                if quiet {
                    continue;
                }
                for entity in &found.entities {
                    println!(
                        "{:8} {:.2} {} ×{} {:?} role={:?} org={:?} mail={:?}",
                        entity.kind.as_str(),
                        entity.confidence,
                        entity.name,
                        entity.mentions.len(),
                        entity.aliases,
                        entity.role,
                        entity.organization,
                        entity.email
                    );
                }
                let name = |at: &usize| found.entities.get(*at).map_or("?", |entity| entity.name.as_str());
                for event in &found.events {
                    let actors: Vec<String> =
                        event.actors.iter().map(|(at, role)| format!("{}:{}", name(at), role.as_str())).collect();
                    let subjects: Vec<&str> = event.subjects.iter().map(name).collect();
                    let time = event.time.map(|time| time.to_string()).unwrap_or_default();
                    println!(
                        "{:13} {:.2} [{time}] {actors:?} about {subjects:?}\n    {}",
                        event.category.as_str(),
                        event.confidence,
                        event.narrative
                    );
                }
            }
        }
    }
}
