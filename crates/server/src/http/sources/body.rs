//! Taking the body of a request about a source apart.

use ibid_app::{SourceChange, SourceContent, SourceDraft, names};
use ibid_domain::{Code, JsonObject, Problem, Reference, SourceType, problem::shown};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::http::extract::{check_facts, hash_in_field, parse_json};

/// A source to be made: of a page (`url`), of bytes that are kept already (`artifact_sha256`), of a text (`content`),
/// or of nothing but what is said here (`title`).
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, which is read by hand: which fields are said matters")]
pub(crate) struct NewSource {
    /// An address to fetch.
    url: Option<String>,
    /// Bytes that are kept already.
    artifact_sha256: Option<String>,
    /// A text.
    content: Option<String>,
    /// Whether to fetch `url`; if not, it is only noted. True unless there is other content.
    fetch: Option<bool>,
    /// Its type, one of the twelve; both spellings are understood.
    #[schema(rename = "type")]
    kind: Option<String>,
    /// Where it came from, if that is not what its content suggests.
    origin: Option<String>,
    /// The document it is collected for.
    document_id: Option<Uuid>,
    /// The project it belongs to.
    project_id: Option<Uuid>,
    /// The run that brought it.
    run_id: Option<Uuid>,
    /// The message that brought it, at most 255 characters.
    message_id: Option<String>,
    /// What another system calls it. New bytes under the same id are a new revision.
    external_id: Option<String>,
    /// What it is filed under.
    tags: Option<Vec<String>>,
    /// What its type says of it.
    #[schema(value_type = Option<HashMap<String, serde_json::Value>>)]
    metadata: Option<JsonObject>,
    /// The name of its site.
    site_name: Option<String>,
    #[schema(inline)]
    #[serde(flatten)]
    reference: ReferenceFields,
}

/// What is to change of a source; what is not named stays as it is, and what is null is removed.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, which is read by hand: which fields are said matters")]
pub(crate) struct SourcePatch {
    /// Its type.
    #[schema(rename = "type")]
    kind: Option<String>,
    /// Its address.
    url: Option<String>,
    /// The name of its site.
    site_name: Option<String>,
    /// The document it is collected for.
    document_id: Option<Uuid>,
    /// The project it belongs to.
    project_id: Option<Uuid>,
    /// What it is filed under.
    tags: Option<Vec<String>>,
    /// Fields of its metadata: those that are null are removed, the others set.
    #[schema(value_type = Option<HashMap<String, serde_json::Value>>)]
    metadata: Option<JsonObject>,
    #[schema(inline)]
    #[serde(flatten)]
    reference: ReferenceFields,
}

/// What a bibliography needs to know.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes fields that are read by name")]
pub(crate) struct ReferenceFields {
    /// What it is called.
    title: Option<String>,
    /// Who wrote it, in one line; several names are parted by `;` or `and`.
    author: Option<String>,
    /// Who wrote it: names, or objects with `family` and `given`.
    #[schema(value_type = Option<Vec<serde_json::Value>>)]
    authors: Option<Vec<Json>>,
    /// Who edited it.
    #[schema(value_type = Option<Vec<serde_json::Value>>)]
    editors: Option<Vec<Json>>,
    /// When it appeared: 2024-05-01, 2024-05 or 2024.
    publication_date: Option<String>,
    /// What kind of work it is, in the words of CSL.
    genre: Option<String>,
    /// The journal, book, series or site it appeared in.
    container: Option<String>,
    /// Who published it.
    publisher: Option<String>,
    /// Where it was published.
    publisher_place: Option<String>,
    /// The volume of its container.
    volume: Option<String>,
    /// The issue of its container.
    issue: Option<String>,
    /// Its pages in its container.
    pages: Option<String>,
    /// Which edition it is.
    edition: Option<String>,
    /// Its Digital Object Identifier.
    doi: Option<String>,
    /// Its International Standard Book Number.
    isbn: Option<String>,
    /// The International Standard Serial Number of its container.
    issn: Option<String>,
    /// Its language, as a BCP 47 tag.
    language: Option<String>,
    /// What it is about.
    summary: Option<String>,
    /// What a person says of it.
    note: Option<String>,
}

/// The rest of a new source, once the fields of the bibliography are taken out.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Rest {
    url: Option<String>,
    artifact_sha256: Option<String>,
    content: Option<String>,
    fetch: Option<bool>,
    #[serde(rename = "type")]
    kind: Option<String>,
    origin: Option<String>,
    document_id: Option<Uuid>,
    project_id: Option<Uuid>,
    run_id: Option<Uuid>,
    message_id: Option<String>,
    external_id: Option<String>,
    tags: Option<Vec<String>>,
    metadata: Option<JsonObject>,
    site_name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct PatchRest {
    #[serde(rename = "type", deserialize_with = "said")]
    kind: Option<Option<String>>,
    #[serde(deserialize_with = "said")]
    url: Option<Option<String>>,
    #[serde(deserialize_with = "said")]
    site_name: Option<Option<String>>,
    #[serde(deserialize_with = "said")]
    document_id: Option<Option<Uuid>>,
    #[serde(deserialize_with = "said")]
    project_id: Option<Option<Uuid>>,
    #[serde(deserialize_with = "said")]
    tags: Option<Option<Vec<String>>>,
    metadata: Option<JsonObject>,
}

/// A field that was named, be it null.
pub(crate) fn said<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// The draft that a body asks for.
pub(crate) fn draft(body: &[u8]) -> Result<SourceDraft, Problem> {
    let mut object: JsonObject = parse_json(body)?;
    let (_, reference) = reference(&mut object)?;
    let rest: Rest = typed(object)?;
    let given = [rest.artifact_sha256.is_some(), rest.content.is_some()];
    if given.iter().filter(|given| **given).count() > 1 {
        let detail = "artifact_sha256 and content are both given; a source is made of one of them";
        return Err(Problem::new(Code::InvalidField, detail).field("content"));
    }
    let content = if let Some(hash) = &rest.artifact_sha256 {
        SourceContent::Artifact(hash_in_field(hash, "artifact_sha256")?)
    } else if let Some(text) = rest.content {
        SourceContent::Text(text)
    } else if rest.url.is_some() && rest.fetch != Some(false) {
        SourceContent::AtUrl
    } else {
        SourceContent::Nothing
    };
    let metadata = rest.metadata.unwrap_or_default();
    check_facts("metadata", &metadata)?;
    Ok(SourceDraft {
        content,
        kind: rest.kind.as_deref().map(kind).transpose()?,
        origin: rest.origin.as_deref().map(str::parse).transpose()?,
        reference,
        url: rest.url,
        site_name: rest.site_name,
        metadata,
        tags: rest.tags.unwrap_or_default(),
        document_id: rest.document_id,
        project_id: rest.project_id,
        run_id: rest.run_id,
        message_id: rest.message_id,
        external_id: rest.external_id,
        filename: None,
    })
}

/// The change that a body asks for.
pub(crate) fn change(body: &[u8]) -> Result<SourceChange, Problem> {
    let mut object: JsonObject = parse_json(body)?;
    let (named, reference) = reference(&mut object)?;
    let rest: PatchRest = typed(object)?;
    if let Some(metadata) = &rest.metadata {
        check_facts("metadata", metadata)?;
    }
    Ok(SourceChange {
        kind: rest.kind.flatten().as_deref().map(kind).transpose()?,
        reference: (!named.is_empty()).then_some((named, reference)),
        url: rest.url,
        site_name: rest.site_name,
        metadata: rest.metadata,
        tags: rest.tags.map(Option::unwrap_or_default),
        document_id: rest.document_id,
        project_id: rest.project_id,
    })
}

/// A source type, with the field that it was read from.
pub(crate) fn kind(text: &str) -> Result<SourceType, Problem> {
    text.parse().map_err(|problem: Problem| problem.field("type"))
}

fn typed<T: serde::de::DeserializeOwned>(object: JsonObject) -> Result<T, Problem> {
    parse_json(Json::Object(object).to_string().as_bytes())
}

/// Takes the fields of the bibliography out of a body: their names, and what they say.
fn reference(object: &mut JsonObject) -> Result<(Vec<String>, Reference), Problem> {
    let mut named = Vec::new();
    let mut fields = Map::new();
    if let Some(line) = object.remove("author") {
        let authors = match line {
            Json::Null => Vec::new(),
            Json::String(line) => names(&line),
            other => {
                let detail = format!("author is {}; it takes a line of text", shown(&other.to_string()));
                return Err(Problem::new(Code::InvalidField, detail).field("author"));
            }
        };
        if object.contains_key("authors") {
            let detail = "author and authors are both given; give one of them";
            return Err(Problem::new(Code::InvalidField, detail).field("author"));
        }
        named.push("authors".to_owned());
        fields.insert("authors".to_owned(), serde_json::to_value(authors).unwrap_or_default());
    }
    for name in Reference::FIELDS {
        if let Some(value) = object.remove(*name) {
            named.push((*name).to_owned());
            if !value.is_null() {
                fields.insert((*name).to_owned(), value);
            }
        }
    }
    let reference = typed(fields)?;
    Ok((named, reference))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_source_is_made_of_follows_from_what_is_given() {
        let content = |body: &str| draft(body.as_bytes()).unwrap().content;
        assert_eq!(content(r#"{"url":"https://example.org"}"#), SourceContent::AtUrl);
        assert_eq!(content(r#"{"title":"T","author":"A; B"}"#), SourceContent::Nothing);
        assert_eq!(content(r#"{"title":"T","url":"https://example.org","fetch":false}"#), SourceContent::Nothing);
        assert_eq!(content(r#"{"content":"words"}"#), SourceContent::Text("words".to_owned()));
        let authors = draft(br#"{"title":"T","author":"A; B"}"#).unwrap().reference.authors;
        assert_eq!(authors.len(), 2);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (body, field) in [
            (r#"{"title":7}"#, "title"),
            (r#"{"title":"T","typ":"WEB_PAGE"}"#, "typ"),
            (r#"{"title":"T","type":"NOVEL"}"#, "type"),
            (r#"{"title":"T","author":["A"]}"#, "author"),
            (r#"{"title":"T","publication_date":"May"}"#, "publication_date"),
            (r#"{"artifact_sha256":"xyz"}"#, "artifact_sha256"),
            (r#"{"title":"T","document_id":"7"}"#, "document_id"),
        ] {
            let problem = draft(body.as_bytes()).unwrap_err();
            assert_eq!(problem.field.as_deref(), Some(field), "{body}: {}", problem.detail);
        }
    }

    #[test]
    fn a_patch_tells_null_from_nothing() {
        let change = change(br#"{"publisher":null,"title":"New","document_id":null}"#).unwrap();
        let (named, reference) = change.reference.unwrap();
        assert_eq!(named, ["title", "publisher"]);
        assert_eq!((reference.title.as_deref(), reference.publisher), (Some("New"), None));
        assert_eq!(change.document_id, Some(None));
        assert_eq!(change.url, None);
    }
}
