//! Taking the body of a request about a source apart.

use ibid_app::{SourceChange, SourceContent, SourceDraft, parse_names};
use ibid_domain::{Code, JsonObject, Problem, Reference, SourceType, problem::shorten_for_error};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    parse::{check_facts, deserialize_present, hash_in_field, parse_json},
    values,
};

/// A source to be made: of a page (`url`), of bytes that are kept already (`artifact_sha256`), of a text (`content`),
/// or of nothing but what is said here (`title`).
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, which is read by hand: which fields are said matters")]
pub(crate) struct NewSource {
    /// Web address to fetch the content from.
    url: Option<String>,
    /// Bytes that are kept already.
    artifact_sha256: Option<String>,
    /// Content of the source, as text.
    content: Option<String>,
    /// True if the content is fetched from `url`; false only stores the address. Default: true unless the request has
    /// other content.
    fetch: Option<bool>,
    /// Type of the source; both spellings are understood.
    #[schema(rename = "type", value_type = Option<values::SourceType>)]
    kind: Option<String>,
    /// Origin of the source; default: derived from its content.
    #[schema(value_type = Option<values::SourceOrigin>)]
    origin: Option<String>,
    /// The document it is collected for.
    document_id: Option<Uuid>,
    /// Id of the project that the source belongs to.
    project_id: Option<Uuid>,
    /// Id of the run that added the source.
    run_id: Option<Uuid>,
    /// The message that brought it, at most 255 characters.
    message_id: Option<String>,
    /// Id in another system. New content under the same id makes a new revision.
    external_id: Option<String>,
    /// Tags of the source, for filters.
    tags: Option<Vec<String>>,
    /// Facts that are specific to the type of the source.
    #[schema(value_type = Option<HashMap<String, serde_json::Value>>)]
    metadata: Option<JsonObject>,
    /// Name of the website that the source is from.
    site_name: Option<String>,
    #[schema(inline)]
    #[serde(flatten)]
    reference: ReferenceFields,
}

/// Changes to a source. A field that is left out stays as it is; null removes it.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, which is read by hand: which fields are said matters")]
pub(crate) struct SourcePatch {
    /// Type of the source.
    #[schema(rename = "type", value_type = Option<values::SourceType>)]
    kind: Option<String>,
    /// Web address of the source; null removes it.
    url: Option<String>,
    /// Name of the website that the source is from.
    site_name: Option<String>,
    /// The document it is collected for.
    document_id: Option<Uuid>,
    /// Id of the project that the source belongs to.
    project_id: Option<Uuid>,
    /// Tags of the source; they replace the ones it has.
    tags: Option<Vec<String>>,
    /// Fields of its metadata: those that are null are removed, the others set.
    #[schema(value_type = Option<HashMap<String, serde_json::Value>>)]
    metadata: Option<JsonObject>,
    #[schema(inline)]
    #[serde(flatten)]
    reference: ReferenceFields,
}

/// Bibliographic details of a source.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes fields that are read by name")]
pub(crate) struct ReferenceFields {
    /// Title, as people see it.
    title: Option<String>,
    /// Names of the authors in one line; separate several names with `;` or `and`.
    author: Option<String>,
    /// Authors: names, or objects with `family` and `given`.
    #[schema(value_type = Option<Vec<serde_json::Value>>)]
    authors: Option<Vec<Json>>,
    /// Editors: names, or objects with `family` and `given`.
    #[schema(value_type = Option<Vec<serde_json::Value>>)]
    editors: Option<Vec<Json>>,
    /// Publication date: 2024-05-01, 2024-05 or 2024.
    publication_date: Option<String>,
    /// Type of the work as a CSL type, such as `article-journal`.
    genre: Option<String>,
    /// The journal, book, series or site it appeared in.
    container: Option<String>,
    /// Name of the publisher of the work.
    publisher: Option<String>,
    /// City or place of the publisher.
    publisher_place: Option<String>,
    /// The volume of its container.
    volume: Option<String>,
    /// The issue of its container.
    issue: Option<String>,
    /// Its pages in its container.
    pages: Option<String>,
    /// Edition, such as `2` or `revised`.
    edition: Option<String>,
    /// Its Digital Object Identifier.
    doi: Option<String>,
    /// Its International Standard Book Number.
    isbn: Option<String>,
    /// The International Standard Serial Number of its container.
    issn: Option<String>,
    /// Its language, as a BCP 47 tag.
    language: Option<String>,
    /// Abstract or summary of the work.
    summary: Option<String>,
    /// Note of a user about the work.
    note: Option<String>,
}

/// The rest of a new source, once the fields of the bibliography are taken out.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct NewSourceFields {
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
struct SourcePatchFields {
    #[serde(rename = "type", deserialize_with = "deserialize_present")]
    kind: Option<Option<String>>,
    #[serde(deserialize_with = "deserialize_present")]
    url: Option<Option<String>>,
    #[serde(deserialize_with = "deserialize_present")]
    site_name: Option<Option<String>>,
    #[serde(deserialize_with = "deserialize_present")]
    document_id: Option<Option<Uuid>>,
    #[serde(deserialize_with = "deserialize_present")]
    project_id: Option<Option<Uuid>>,
    #[serde(deserialize_with = "deserialize_present")]
    tags: Option<Option<Vec<String>>>,
    metadata: Option<JsonObject>,
}

/// The draft that a body asks for.
pub(crate) fn parse_draft(body: &[u8]) -> Result<SourceDraft, Problem> {
    let mut object: JsonObject = parse_json(body)?;
    let (_, reference) = take_reference(&mut object)?;
    let rest: NewSourceFields = parse_object(object)?;
    let given = [rest.artifact_sha256.is_some(), rest.content.is_some()];
    if given.iter().filter(|given| **given).count() > 1 {
        let detail = "artifact_sha256 and content are both given; a source is made of one of them";
        return Err(Problem::new(Code::InvalidField, detail).with_field("content"));
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
        kind: rest.kind.as_deref().map(parse_source_type).transpose()?,
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
pub(crate) fn parse_change(body: &[u8]) -> Result<SourceChange, Problem> {
    let mut object: JsonObject = parse_json(body)?;
    let (named, reference) = take_reference(&mut object)?;
    let rest: SourcePatchFields = parse_object(object)?;
    if let Some(metadata) = &rest.metadata {
        check_facts("metadata", metadata)?;
    }
    Ok(SourceChange {
        kind: rest.kind.flatten().as_deref().map(parse_source_type).transpose()?,
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
pub(crate) fn parse_source_type(text: &str) -> Result<SourceType, Problem> {
    text.parse().map_err(|problem: Problem| problem.with_field("type"))
}

fn parse_object<T: serde::de::DeserializeOwned>(object: JsonObject) -> Result<T, Problem> {
    parse_json(Json::Object(object).to_string().as_bytes())
}

/// Takes the fields of the bibliography out of a body: their names, and what they say.
fn take_reference(object: &mut JsonObject) -> Result<(Vec<String>, Reference), Problem> {
    let mut named = Vec::new();
    let mut fields = Map::new();
    if let Some(line) = object.remove("author") {
        let authors = match line {
            Json::Null => Vec::new(),
            Json::String(line) => parse_names(&line),
            other => {
                let detail = format!("author is {}; it takes a line of text", shorten_for_error(&other.to_string()));
                return Err(Problem::new(Code::InvalidField, detail).with_field("author"));
            }
        };
        if object.contains_key("authors") {
            let detail = "author and authors are both given; give one of them";
            return Err(Problem::new(Code::InvalidField, detail).with_field("author"));
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
    let reference = parse_object(fields)?;
    Ok((named, reference))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_source_is_made_of_follows_from_what_is_given() {
        let content = |body: &str| parse_draft(body.as_bytes()).unwrap().content;
        assert_eq!(content(r#"{"url":"https://example.org"}"#), SourceContent::AtUrl);
        assert_eq!(content(r#"{"title":"T","author":"A; B"}"#), SourceContent::Nothing);
        assert_eq!(content(r#"{"title":"T","url":"https://example.org","fetch":false}"#), SourceContent::Nothing);
        assert_eq!(content(r#"{"content":"words"}"#), SourceContent::Text("words".to_owned()));
        let authors = parse_draft(br#"{"title":"T","author":"A; B"}"#).unwrap().reference.authors;
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
            let problem = parse_draft(body.as_bytes()).unwrap_err();
            assert_eq!(problem.field.as_deref(), Some(field), "{body}: {}", problem.detail);
        }
    }

    #[test]
    fn a_patch_tells_null_from_nothing() {
        let change = parse_change(br#"{"publisher":null,"title":"New","document_id":null}"#).unwrap();
        let (named, reference) = change.reference.unwrap();
        assert_eq!(named, ["title", "publisher"]);
        assert_eq!((reference.title.as_deref(), reference.publisher), (Some("New"), None));
        assert_eq!(change.document_id, Some(None));
        assert_eq!(change.url, None);
    }
}
