//! Prints the people and organisations that the rules find in texts, for a person to judge.
//!
//! In: `{"id", "text", "title", "date", "language"}` a line, as `read_pages` and `read_files` of `ibid-ingest` give it.
//! Out: `{"id", "kind", "name", "confidence", "mentions", "line", "context"}` for each name found.

use std::io::{self, BufRead, Write};

use ibid_domain::{CharIndex, EntityType};
use ibid_knowledge::{KnowledgeInput, extract::extract};
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let document: Value = serde_json::from_str(&line?)?;
        let text = document["text"].as_str().unwrap_or_default();
        let found = extract(&KnowledgeInput {
            text,
            title: document["title"].as_str(),
            date: document["date"].as_str().and_then(|date| date.parse().ok()),
            language: document["language"].as_str(),
            marks: &[],
        });
        let index = CharIndex::new(text);
        let people_and_organizations =
            found.entities.iter().filter(|entity| matches!(entity.kind, EntityType::Person | EntityType::Org));
        for entity in people_and_organizations {
            let first = entity.mentions.first().and_then(|span| Some((span.start, index.span_text(*span)?)));
            let (start, surface) = first.unwrap_or_default();
            let around: String = text.chars().skip(start.saturating_sub(90)).take(220).collect();
            let answer = json!({
                "id": document["id"],
                "kind": entity.kind.as_str(),
                "name": entity.name,
                "surface": surface,
                "aliases": entity.aliases,
                "confidence": entity.confidence,
                "mentions": entity.mentions.len(),
                "start": start,
                "around": around,
            });
            writeln!(out, "{answer}")?;
        }
    }
    Ok(())
}
