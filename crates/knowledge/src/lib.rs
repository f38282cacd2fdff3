//! What a text tells of people and things: the events in it with their exact words, who and what is named, and whether
//! two names mean the same.
//!
//! This crate only computes: it reads no file, asks no model and knows no database. Its rules are data
//! (`crates/knowledge/data/`), read once; sentences, dates, negations and little words come from `ibid_language`.
//!
//! Start reading at [`extract`] for what is found in a text, and at [`judge`] for which names mean the same; [`prompts`] is for
//! those who ask a language model instead.

pub mod extract;
pub mod judge;
pub mod prompts;

use ibid_domain::{ActorRole, Category, EntityType, Mark, PartialDate, Span};

/// Text with its metadata, as input for the extraction.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnowledgeInput<'text> {
    pub text: &'text str,
    /// Title of the document, if it has one.
    pub title: Option<&'text str>,
    /// Date of writing, the reference for `tomorrow`.
    pub date: Option<PartialDate>,
    /// Its language, by the code of two letters.
    pub language: Option<&'text str>,
    /// Its named parts: pages, sections, messages.
    pub marks: &'text [Mark],
}

/// Entities and events extracted from a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Entities named in the text; events refer to them by index.
    pub entities: Vec<ExtractedEntity>,
    /// Events in the order of the text.
    pub events: Vec<ExtractedEvent>,
}

/// Somebody or something that a text names, under one or several names.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtractedEntity {
    pub kind: EntityType,
    /// The fullest name that the text has for it.
    pub name: String,
    /// Role or job title such as "Engineering Manager".
    pub role: Option<String>,
    /// Name of the organisation that the entity belongs to.
    pub organization: Option<String>,
    /// E-mail address stated in the text.
    pub email: Option<String>,
    /// Its other names in this text, without `name`.
    pub aliases: Vec<String>,
    /// Confidence from 0 to 1 that this is one entity of that type.
    pub confidence: f32,
    /// Every place that names it, in the order of the text.
    pub mentions: Vec<Span>,
    /// Words near the first mention that help to tell it from namesakes, in one line.
    pub context: Option<String>,
}

/// Something that happened, will happen or is thought, and the words that say so.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtractedEvent {
    pub category: Category,
    /// Sentence that tells the event and can be understood alone.
    pub narrative: String,
    /// Date of the event, as exact as the text states it.
    pub time: Option<PartialDate>,
    /// Date of the message or document that tells the event; `None` if it has none.
    pub written: Option<PartialDate>,
    /// Confidence from 0 to 1 that the text states this event.
    pub confidence: f32,
    /// Indices into the entities, each with its role and each only once.
    pub actors: Vec<(usize, ActorRole)>,
    /// Indices of the entities that the event is about; none of them is an actor.
    pub subjects: Vec<usize>,
    /// The words that say so; at least one, each within the text.
    pub evidence: Vec<Span>,
}
