//! Events, people and things of a text, by rules.
//!
//! A text is read once, sentence by sentence: [`scanner`] says what kind of line it is and who speaks, [`furniture`] what
//! belongs to the page and is not read, [`names`] and [`name_types`] where it names somebody, [`name_context`] what speaks
//! against that, [`attributes`] what it says of them, [`events`] what it tells. What the names mean is decided over the
//! whole text ([`resolve`]), and only then are the events put together.
//!
//! The rules know no words of a language: [`traits`] names what a word may do, and lists under `data/extract/` say which
//! words do it. What is known of a language apart from people and events comes from [`ibid_language`].
//!
//! # How to add a language
//!
//! 1. Add it to the language crate, with every list filled.
//! 2. Copy `data/extract/languages/en.toml` and `data/extract/frames/en.toml` to `<code>.toml`, translate them, and name
//!    them in `lexicon.rs` and `frames.rs`.
//! 3. Write each case of `data/labelled/languages.toml` in it.

mod attributes;
mod dates;
mod event_guards;
mod events;
mod frames;
mod furniture;
mod lexicon;
mod lines;
mod mail_owners;
mod name_context;
mod name_evidence;
mod name_types;
mod names;
mod person_names;
mod resolve;
mod scanner;
mod single_names;
mod subjects;
mod tokens;
mod traits;

use std::collections::HashMap;

use ibid_domain::Span;
use ibid_language::sentences;

use crate::{ExtractedEntity, Findings, KnowledgeInput};

/// The name and version of these rules: what they found is found anew when it changes.
pub const RULES: &str = "rules-3";

/// The most of each that one text gives.
const MOST_EVENTS: usize = 5_000;
const MOST_ENTITIES: usize = 2_000;
const MOST_MENTIONS: usize = 20_000;

/// Extracts entities and events from a text by rules.
pub fn extract(reading: &KnowledgeInput<'_>) -> Findings {
    let text = reading.text;
    let mut page = scanner::TextScanner::new(reading);
    for paragraph in sentences::paragraphs(text) {
        page.begin_paragraph();
        for sentence in sentences::sentences_of(text, paragraph) {
            page.read_sentence(sentence);
        }
    }
    let words = page.words();
    let scanner::ScannedText { mentions, drafts, small, mails, speakers } = page.finish();
    let mut meant = resolve::resolve_mentions(text, &mentions, &small, &mails, words);
    limit_entities(&mut meant);
    let mut entity_of: HashMap<usize, usize> = HashMap::new();
    for (place, entity) in meant.iter().enumerate() {
        for mention in &entity.mentions {
            entity_of.insert(*mention, place);
        }
    }
    let places = CharPositions::new(text);
    let events = events::resolve_events(text, &drafts, &entity_of, &meant, &speakers, &places);
    let entities = meant
        .into_iter()
        .map(|entity| {
            let spans = entity.mentions.iter().filter_map(|at| mentions.get(*at));
            let context = spans.clone().next().map(|first| lines::surrounding_words(text, first.start));
            ExtractedEntity {
                kind: entity.kind,
                name: entity.name,
                role: entity.role,
                organization: entity.organization,
                email: entity.email,
                aliases: entity.aliases,
                confidence: entity.confidence,
                mentions: spans.map(|mention| places.char_span(mention.start, mention.end)).collect(),
                context: context.filter(|context| !context.is_empty()),
            }
        })
        .collect();
    Findings { entities, events }
}

/// Keeps the surest and most named where there are too many.
fn limit_entities(meant: &mut Vec<resolve::ResolvedEntity>) {
    if meant.len() > MOST_ENTITIES {
        let mut order: Vec<usize> = (0..meant.len()).collect();
        order.sort_by(|one, other| {
            let rank = |at: &usize| {
                meant.get(*at).map_or((0, 0.0), |entity| (entity.mentions.len().min(3), entity.confidence))
            };
            let ((count, sure), (others, other_sure)) = (rank(one), rank(other));
            others.cmp(&count).then(other_sure.total_cmp(&sure)).then(one.cmp(other))
        });
        order.truncate(MOST_ENTITIES);
        order.sort_unstable();
        *meant = order.into_iter().filter_map(|at| meant.get(at).cloned()).collect();
    }
    let mut left = MOST_MENTIONS;
    for entity in meant.iter_mut() {
        entity.mentions.truncate(left.max(1));
        left = left.saturating_sub(entity.mentions.len());
    }
}

/// Index from byte offsets to character offsets of a text.
pub(crate) struct CharPositions<'text> {
    text: &'text str,
    /// Number of characters before each block of `STEP` bytes; empty for an ASCII text.
    steps: Vec<usize>,
}

/// So many bytes lie between two steps.
const STEP: usize = 256;

impl<'text> CharPositions<'text> {
    fn new(text: &'text str) -> Self {
        let mut steps = Vec::new();
        if !text.is_ascii() {
            let mut count = 0;
            for block in text.as_bytes().chunks(STEP) {
                steps.push(count);
                // A byte that does not continue a character begins one.
                count += block.iter().filter(|byte| (**byte & 0xc0) != 0x80).count();
            }
            // The end of a text of whole blocks is a place too.
            steps.push(count);
        }
        Self { text, steps }
    }

    fn char_offset(&self, byte: usize) -> usize {
        match self.steps.get(byte / STEP) {
            None if self.steps.is_empty() => byte,
            None => self.steps.last().copied().unwrap_or(byte),
            Some(before) => {
                let from = byte / STEP * STEP;
                let block = self.text.as_bytes().get(from..byte).unwrap_or_default();
                before + block.iter().filter(|byte| (**byte & 0xc0) != 0x80).count()
            }
        }
    }

    /// The span of a range of bytes.
    pub(crate) fn char_span(&self, start: usize, end: usize) -> Span {
        Span::new(self.char_offset(start), self.char_offset(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_has_as_many_characters_as_the_text() {
        for length in [STEP - 2, STEP - 1, STEP, 2 * STEP] {
            let text = format!("{}é", "a".repeat(length - 2));
            let span = CharPositions::new(&text).char_span(0, text.len());
            assert_eq!(span, Span::new(0, length - 1), "{length} bytes");
        }
    }
}
