//! A source as someone asks for it, and what of that is legal.

use ibid_domain::{
    Code, JsonObject, Name, Origin, Problem, Reference, Sha256, Source, SourceType, metadata,
    problem::shorten_for_error,
};
use uuid::Uuid;

/// The longest single text of a reference, in characters.
const MAX_TEXT: usize = 2_000;
/// The longest summary or note, in characters.
const MAX_LONG_TEXT: usize = 20_000;
/// The most authors or editors.
const MAX_NAMES: usize = 500;
/// The most tags, and the longest of them in characters.
const MAX_TAGS: usize = 100;
const MAX_TAG: usize = 100;
/// The longest address, in bytes.
const MAX_URL: usize = 8_000;
/// The longest id of a message or of another system, in characters.
const MAX_ID: usize = 255;
const MAX_EXTERNAL_ID: usize = 4_096;

/// Where the bytes of a new source come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SourceContent {
    /// Nothing but what is said of it.
    #[default]
    Nothing,
    /// The page at the source's URL, which a job fetches.
    AtUrl,
    /// Bytes that are kept already.
    Artifact(Sha256),
    /// Plain text, stored as an artifact.
    Text(String),
}

/// A source as someone asks for it.
#[derive(Clone, Debug, Default)]
pub struct SourceDraft {
    pub content: SourceContent,
    /// Its type; if not said, what its content suggests.
    pub kind: Option<SourceType>,
    /// Origin; derived from the content if `None`.
    pub origin: Option<Origin>,
    /// Bibliographic data given by the user; extracted data does not overwrite it.
    pub reference: Reference,
    /// Absolute http or https URL.
    pub url: Option<String>,
    pub site_name: Option<String>,
    /// Fields of the source type, validated against that type.
    pub metadata: JsonObject,
    /// Tags, at most 100 of 100 characters each.
    pub tags: Vec<String>,
    /// The document it is collected for.
    pub document_id: Option<Uuid>,
    pub project_id: Option<Uuid>,
    /// The run that found the source.
    pub run_id: Option<Uuid>,
    /// The message that brought it.
    pub message_id: Option<String>,
    /// Id in another system. New bytes with the same id become a new revision.
    pub external_id: Option<String>,
    /// Original file name of the upload.
    pub filename: Option<String>,
}

/// A change of a source; fields that are `None` stay as they are.
#[derive(Clone, Debug, Default)]
pub struct SourceChange {
    pub kind: Option<SourceType>,
    /// The fields of its reference that are said, by name, with their new values.
    pub reference: Option<(Vec<String>, Reference)>,
    /// New URL; `Some(None)` removes it.
    pub url: Option<Option<String>>,
    /// The name of its site, or none.
    pub site_name: Option<Option<String>>,
    /// Fields of the source type to set; fields that are `null` are removed.
    pub metadata: Option<JsonObject>,
    /// New tags, replacing the old ones.
    pub tags: Option<Vec<String>>,
    /// The document it is collected for, or none.
    pub document_id: Option<Option<Uuid>>,
    /// The project it belongs to, or none.
    pub project_id: Option<Option<Uuid>>,
}

impl SourceDraft {
    /// The same draft with its texts tidied, or what is wrong with it.
    pub(super) fn into_validated(mut self) -> Result<Self, Problem> {
        check_reference(&mut self.reference)?;
        let manual = matches!(self.content, SourceContent::Nothing);
        if manual && self.reference.title.is_none() {
            let detail = "a source needs a url, an artifact_sha256, or a title of its own";
            return Err(Problem::new(Code::InvalidField, detail).with_field("title"));
        }
        if let SourceContent::Text(text) = &self.content
            && text.trim().is_empty()
        {
            let detail = "content is empty; leave it out, or give the text";
            return Err(Problem::new(Code::InvalidField, detail).with_field("content"));
        }
        check_url(self.url.as_deref())?;
        self.tags = checked_tags(self.tags)?;
        check_text("site_name", self.site_name.as_deref(), MAX_TEXT)?;
        check_text("message_id", self.message_id.as_deref(), MAX_ID)?;
        check_text("external_id", self.external_id.as_deref(), MAX_EXTERNAL_ID)?;
        metadata::check_metadata(self.kind(), &self.metadata)?;
        Ok(self)
    }

    /// Returns the given type, else the one that the content suggests.
    pub(super) fn kind(&self) -> SourceType {
        self.kind.unwrap_or(match self.content {
            SourceContent::AtUrl => SourceType::WebPage,
            SourceContent::Nothing | SourceContent::Artifact(_) | SourceContent::Text(_) => SourceType::KnowledgeBase,
        })
    }

    /// Returns the given origin, else the one that the content suggests.
    pub(super) fn origin(&self) -> Origin {
        self.origin.unwrap_or(match self.content {
            SourceContent::AtUrl => Origin::Web,
            SourceContent::Artifact(_) => Origin::BlobStorage,
            SourceContent::Nothing | SourceContent::Text(_) => Origin::Manual,
        })
    }
}

impl SourceChange {
    /// Applies the change, or says what is wrong with it.
    pub(super) fn apply_to(self, source: &mut Source) -> Result<(), Problem> {
        if let Some((names, mut reference)) = self.reference {
            check_reference(&mut reference)?;
            for name in names {
                source.reference.copy_field(&name, &reference);
                if !source.edited.contains(&name) {
                    source.edited.push(name);
                }
            }
            if source.reference.title.is_none() && source.url.is_none() {
                let detail = "the title cannot be removed: nothing else tells what this source is";
                return Err(Problem::new(Code::InvalidField, detail).with_field("title"));
            }
        }
        if let Some(url) = self.url {
            check_url(url.as_deref())?;
            source.url = url;
        }
        if let Some(site_name) = self.site_name {
            check_text("site_name", site_name.as_deref(), MAX_TEXT)?;
            source.site_name = site_name;
        }
        if let Some(tags) = self.tags {
            source.tags = checked_tags(tags)?;
        }
        if let Some(document) = self.document_id {
            source.document_id = document;
        }
        if let Some(project) = self.project_id {
            source.project_id = project;
        }
        for (name, value) in self.metadata.unwrap_or_default() {
            if value.is_null() {
                source.metadata.remove(&name);
            } else {
                source.metadata.insert(name, value);
            }
        }
        source.kind = self.kind.unwrap_or(source.kind);
        metadata::check_metadata(source.kind, &source.metadata)
    }
}

fn check_text(field: &str, text: Option<&str>, most: usize) -> Result<(), Problem> {
    let Some(text) = text else { return Ok(()) };
    let reason = if text.chars().count() > most {
        format!("{field} takes at most {most} characters")
    } else if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
        format!("{field} has control characters: '{}'", shorten_for_error(text))
    } else {
        return Ok(());
    };
    Err(Problem::new(Code::InvalidField, reason).with_field(field))
}

/// Tidies the texts of a reference: no blank space around them, and none that is only blank.
fn check_reference(reference: &mut Reference) -> Result<(), Problem> {
    for (name, text) in reference.texts() {
        let most = match name {
            "title" => Source::MAX_TITLE,
            "summary" | "note" => MAX_LONG_TEXT,
            _ => MAX_TEXT,
        };
        check_text(name, Some(text), most)?;
    }
    for (field, names) in [("authors", &mut reference.authors), ("editors", &mut reference.editors)] {
        if names.len() > MAX_NAMES {
            let detail = format!("{field} takes at most {MAX_NAMES} names");
            return Err(Problem::new(Code::InvalidField, detail).with_field(field));
        }
        for name in names.iter() {
            check_text(field, Some(&name.to_string()), MAX_TEXT)?;
        }
        names.retain(|name| !name.to_string().trim().is_empty());
    }
    reference.tidy();
    Ok(())
}

fn checked_tags(tags: Vec<String>) -> Result<Vec<String>, Problem> {
    let mut kept: Vec<String> = Vec::new();
    for tag in tags {
        let tag = tag.trim().to_owned();
        check_text("tags", Some(&tag), MAX_TAG)?;
        if !tag.is_empty() && !kept.contains(&tag) {
            kept.push(tag);
        }
    }
    if kept.len() > MAX_TAGS {
        let detail = format!("a source takes at most {MAX_TAGS} tags");
        return Err(Problem::new(Code::InvalidField, detail).with_field("tags"));
    }
    Ok(kept)
}

fn check_url(url: Option<&str>) -> Result<(), Problem> {
    let Some(url) = url else { return Ok(()) };
    let web = ["http://", "https://"].iter().any(|scheme| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)) && url.len() > scheme.len()
    });
    let reason = if url.len() > MAX_URL {
        format!("the address is longer than {MAX_URL} bytes")
    } else if !web || url.chars().any(|c| c.is_control() || c == ' ') {
        format!("'{}' is not an absolute http or https address", shorten_for_error(url))
    } else {
        return Ok(());
    };
    Err(Problem::new(Code::UrlInvalid, reason).with_field("url"))
}

/// Names out of one line, as people write them: `Ada Lovelace; Charles Babbage`, `A and B`.
pub fn parse_names(line: &str) -> Vec<Name> {
    line.split([';', '\n'])
        .flat_map(|part| part.split(" and "))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(|name| Name::Whole(name.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(title: &str) -> SourceDraft {
        let reference = Reference { title: Some(title.to_owned()), ..Reference::default() };
        SourceDraft { reference, ..SourceDraft::default() }
    }

    #[test]
    fn a_source_that_is_typed_in_needs_a_title() {
        for draft in [SourceDraft::default(), titled("  ")] {
            assert_eq!(draft.into_validated().unwrap_err().field.as_deref(), Some("title"));
        }
        assert_eq!(titled(" A book ").into_validated().unwrap().reference.title.as_deref(), Some("A book"));
    }

    #[test]
    fn what_is_too_long_or_not_text_is_refused() {
        for (draft, field) in [
            (titled(&"x".repeat(1001)), "title"),
            (titled("a\0b"), "title"),
            (SourceDraft { tags: vec!["t".repeat(101)], ..titled("T") }, "tags"),
            (SourceDraft { message_id: Some("m".repeat(256)), ..titled("T") }, "message_id"),
            (SourceDraft { url: Some("file:///etc/passwd".to_owned()), ..titled("T") }, "url"),
            (SourceDraft { url: Some("data:text/html,x".to_owned()), ..titled("T") }, "url"),
            (SourceDraft { content: SourceContent::Text(" \n".to_owned()), ..titled("T") }, "content"),
        ] {
            assert_eq!(draft.into_validated().unwrap_err().field.as_deref(), Some(field));
        }
    }

    #[test]
    fn tags_are_kept_once() {
        let draft = SourceDraft { tags: vec![" a".into(), "a".into(), String::new(), "b".into()], ..titled("T") };
        assert_eq!(draft.into_validated().unwrap().tags, ["a", "b"]);
    }

    #[test]
    fn names_are_told_apart() {
        let told: Vec<_> =
            parse_names("Ada Lovelace; Charles Babbage and WHO").iter().map(ToString::to_string).collect();
        assert_eq!(told, ["Ada Lovelace", "Charles Babbage", "WHO"]);
    }
}
