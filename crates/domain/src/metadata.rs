//! What each of the twelve types says of itself: the fields of its metadata, and which values are legal.
//!
//! A field that is not in the table is kept as it is: tools tell more than anyone can list. A field that is in the
//! table has the kind it says.

use serde_json::Value as Json;

use crate::{Code, JsonObject, Problem, SourceType, Timestamp, problem::shorten_for_error};

/// Type of the value that a metadata field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    /// An absolute http(s) address.
    Url,
    /// A date and time in RFC 3339 form.
    Time,
    /// A number that is not negative and has no fraction.
    Count,
    Number,
    Flag,
    Id,
    Texts,
    Numbers,
    Object,
    /// Text that is one of the listed words.
    Choice(&'static [&'static str]),
}

use FieldKind::{Choice, Count, Flag, Id, Number, Numbers, Object, Text, Texts, Time, Url};

const WEB_PAGE: &[(&str, FieldKind)] = &[
    ("external_url", Url),
    ("title", Text),
    ("favicon", Text),
    ("retrieved_at", Time),
    ("snippet", Text),
    ("provider", Text),
    ("content", Text),
    ("word_count", Count),
];
const EXTERNAL_API_DATA: &[(&str, FieldKind)] = &[
    ("provider", Text),
    ("api_specific_metadata", Object),
    ("api_subtype", Text),
    ("external_url", Url),
    ("retrieved_at", Time),
    ("structured_data", Object),
];
const GENERATED_CONTENT: &[(&str, FieldKind)] = &[("content_type", Text), ("user_query", Text), ("word_count", Count)];
const USER_QUERY_PART: &[(&str, FieldKind)] = &[
    ("source", Choice(&["text", "uploaded_file"])),
    ("filename", Text),
    ("mime_type", Text),
    ("content_preview", Text),
];
const GENERATED_REPORT: &[(&str, FieldKind)] = &[
    ("all_seen_entities", Texts),
    ("cited_entities", Texts),
    ("report_subtype", Choice(&["final_report", "scratch_pad", "other"])),
    ("user_query", Text),
    ("content_type", Choice(&["json_ast", "html", "markdown"])),
    ("metadata", Object),
];
const GENERATED_PRESENTATION: &[(&str, FieldKind)] = &[
    ("all_seen_entities", Texts),
    ("cited_entities", Texts),
    ("user_query", Text),
    ("presentation_format", Choice(&["reveal_js", "json_ast", "html"])),
    ("slide_count", Count),
    ("metadata", Object),
];
const INTRA_ENTITY_SEARCH_RESULT: &[(&str, FieldKind)] =
    &[("parent_entity_id", Id), ("query", Text), ("snippet", Text), ("score", Number)];
const EXTRACTED_ENTITY: &[(&str, FieldKind)] = &[("entity_class", Text), ("structured_data", Object)];
const SEARCH_PLAN: &[(&str, FieldKind)] = &[("plan_version", Count), ("user_query", Text)];
const KNOWLEDGE_BASE: &[(&str, FieldKind)] = &[
    ("document_id", Id),
    ("chunk_index", Count),
    ("chunk_size", Count),
    ("embedding", Numbers),
    ("content_preview", Text),
];
const WEBSITE: &[(&str, FieldKind)] = &[
    ("user_query", Text),
    ("deployed_url", Url),
    ("demo_url", Url),
    ("preview_url", Url),
    ("cited_entities", Texts),
    ("all_seen_entities", Texts),
    ("chat_id", Text),
    ("project_id", Text),
    ("deployed", Flag),
    ("generation_status", Choice(&["in_progress", "complete", "failed"])),
    ("created_by_job", Flag),
    ("metadata", Object),
];
const GENERATED_DOCUMENT: &[(&str, FieldKind)] = &[
    ("all_seen_entities", Texts),
    ("query", Text),
    (
        "mimetype",
        Choice(&["application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"]),
    ),
    ("word_count", Count),
    ("metadata", Object),
];

/// The most bytes that the metadata of a source takes, as JSON.
pub const MAX_BYTES: usize = 256 * 1024;

/// The fields that a type knows.
pub const fn metadata_fields(kind: SourceType) -> &'static [(&'static str, FieldKind)] {
    match kind {
        SourceType::WebPage => WEB_PAGE,
        SourceType::ExternalApiData => EXTERNAL_API_DATA,
        SourceType::GeneratedContent => GENERATED_CONTENT,
        SourceType::UserQueryPart => USER_QUERY_PART,
        SourceType::GeneratedReport => GENERATED_REPORT,
        SourceType::GeneratedPresentation => GENERATED_PRESENTATION,
        SourceType::IntraEntitySearchResult => INTRA_ENTITY_SEARCH_RESULT,
        SourceType::ExtractedEntity => EXTRACTED_ENTITY,
        SourceType::SearchPlan => SEARCH_PLAN,
        SourceType::KnowledgeBase => KNOWLEDGE_BASE,
        SourceType::Website => WEBSITE,
        SourceType::GeneratedDocument => GENERATED_DOCUMENT,
    }
}

/// Says what is wrong with the metadata of a source of this type, if anything is.
pub fn check_metadata(kind: SourceType, metadata: &JsonObject) -> Result<(), Problem> {
    let size = serde_json::to_string(metadata).map_or(usize::MAX, |text| text.len());
    if size > MAX_BYTES {
        let detail = format!("metadata takes {size} bytes; the most is {MAX_BYTES}. Keep large data as an artifact");
        return Err(Problem::new(Code::InvalidField, detail).with_field("metadata"));
    }
    for (name, value) in metadata {
        let Some((_, wanted)) = metadata_fields(kind).iter().find(|(field, _)| field == name) else { continue };
        if let Some(should) = expected_value(*wanted, value) {
            let detail =
                format!("metadata.{name} of a {kind} is {}; it takes {should}", shorten_for_error(&value.to_string()));
            return Err(Problem::new(Code::InvalidField, detail).with_field(format!("metadata.{name}")));
        }
    }
    Ok(())
}

/// Returns a description of the expected value if `value` is not legal; `null` is always legal and means unknown.
fn expected_value(kind: FieldKind, value: &Json) -> Option<String> {
    let (right, should) = match kind {
        _ if value.is_null() => return None,
        Text => (value.is_string(), "a text"),
        Url => (value.as_str().is_some_and(is_web_address), "an absolute http or https address"),
        Time => (serde_json::from_value::<Timestamp>(value.clone()).is_ok(), "a time such as 2024-05-01T10:00:00Z"),
        Count => (value.is_u64(), "a whole number that is not negative"),
        Number => (value.is_number(), "a number"),
        Flag => (value.is_boolean(), "true or false"),
        Id => (value.as_str().is_some_and(|text| text.parse::<uuid::Uuid>().is_ok()), "a UUID"),
        Texts => (value.as_array().is_some_and(|list| list.iter().all(Json::is_string)), "a list of texts"),
        Numbers => (value.as_array().is_some_and(|list| list.iter().all(Json::is_number)), "a list of numbers"),
        Object => (value.is_object(), "an object"),
        Choice(words) => {
            let right = value.as_str().is_some_and(|text| words.contains(&text));
            return (!right).then(|| format!("one of {}", words.join(", ")));
        }
    };
    (!right).then(|| should.to_owned())
}

fn is_web_address(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)) && text.len() > scheme.len()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(kind: SourceType, value: Json) -> Result<(), Problem> {
        let Json::Object(object) = value else { panic!("not an object") };
        check_metadata(kind, &object)
    }

    #[test]
    fn each_type_checks_the_fields_it_knows_and_keeps_the_others() {
        let report =
            json!({ "cited_entities": ["a"], "report_subtype": "final_report", "anything": [1, { "b": null }] });
        assert!(checked(SourceType::GeneratedReport, report).is_ok());
        for (kind, metadata, field) in [
            (SourceType::GeneratedReport, json!({ "report_subtype": "draft" }), "metadata.report_subtype"),
            (SourceType::WebPage, json!({ "external_url": "javascript:alert(1)" }), "metadata.external_url"),
            (SourceType::WebPage, json!({ "retrieved_at": "yesterday" }), "metadata.retrieved_at"),
            (SourceType::KnowledgeBase, json!({ "chunk_index": -1 }), "metadata.chunk_index"),
            (SourceType::Website, json!({ "deployed": "yes" }), "metadata.deployed"),
            (SourceType::IntraEntitySearchResult, json!({ "parent_entity_id": "7" }), "metadata.parent_entity_id"),
        ] {
            let problem = checked(kind, metadata).unwrap_err();
            assert_eq!(problem.field.as_deref(), Some(field));
        }
    }

    #[test]
    fn metadata_is_bounded() {
        let problem = checked(SourceType::WebPage, json!({ "x": "y".repeat(MAX_BYTES) })).unwrap_err();
        assert_eq!(problem.field.as_deref(), Some("metadata"));
    }
}
