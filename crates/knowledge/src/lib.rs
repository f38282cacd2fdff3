//! What a text tells of people and things: the events in it with their exact words, who and what is named, and whether
//! two names mean the same.
//!
//! This crate only computes: it reads no file, asks no model and knows no database. Its rules are data
//! (`crates/knowledge/data/`), read once.
//!
//! Start reading at [`extract`] for what is found in a text, and at [`judge`] for which names mean the same; [`prompts`] is for
//! those who ask a language model instead.

pub mod extract;
pub mod judge;
pub mod prompts;

use ibid_domain::{ActorRole, Category, EntityType, Mark, PartialDate, Span};

/// A text to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading<'text> {
    /// What it says.
    pub text: &'text str,
    /// What it is called.
    pub title: Option<&'text str>,
    /// When it was written, which is what `tomorrow` is counted from.
    pub date: Option<PartialDate>,
    /// Its language, by the code of two letters.
    pub language: Option<&'text str>,
    /// Its named parts: pages, sections, messages.
    pub marks: &'text [Mark],
}

/// What a text tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Who and what is named; events point into it.
    pub entities: Vec<FoundEntity>,
    /// What happened, in the order of the text.
    pub events: Vec<FoundEvent>,
}

/// Somebody or something that a text names, under one or several names.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundEntity {
    /// What it is.
    pub kind: EntityType,
    /// The fullest name that the text has for it.
    pub name: String,
    /// What it is there for: "Engineering Manager".
    pub role: Option<String>,
    /// Whom it belongs to.
    pub organization: Option<String>,
    /// Where mail reaches it.
    pub email: Option<String>,
    /// Its other names in this text, without `name`.
    pub aliases: Vec<String>,
    /// How sure it is that this is one thing of that kind, from 0 to 1.
    pub confidence: f32,
    /// Every place that names it, in the order of the text.
    pub mentions: Vec<Span>,
    /// What else stands near it and tells it from others of that name, in a line.
    pub context: Option<String>,
}

/// Something that happened, will happen or is thought, and the words that say so.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundEvent {
    /// What kind of thing.
    pub category: Category,
    /// What happened, in a sentence that can be understood alone.
    pub narrative: String,
    /// When, as exactly as the text says.
    pub time: Option<PartialDate>,
    /// How sure it is, from 0 to 1.
    pub confidence: f32,
    /// Who has which part in it: indices into the findings' entities, each once.
    pub actors: Vec<(usize, ActorRole)>,
    /// Whom and what it is about: indices into the findings' entities, each once, none of them an actor.
    pub subjects: Vec<usize>,
    /// The words that say so; at least one, each within the text.
    pub evidence: Vec<Span>,
}
