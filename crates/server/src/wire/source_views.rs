//! A source as other vocabularies know it: an entity with its type's own fields, or a cited file.

use ibid_app::SourceWithRevision;
use ibid_domain::{JsonObject, SourceType, metadata};
use serde::Serialize;
use serde_json::{Value as Json, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    Page,
    sources::Source,
    values::{self, FetchStrategy, SourceOrigin},
};

/// One page of sources, each in the view that was asked for.
pub(crate) type SourcePage = Page<SourceView>;

/// A source in the view that `view` names: `source` (the default), `entity` or `cited_file`.
// The views are described at their types. If they were described here, openapi-generator would not import them.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum SourceView {
    Source(Box<Source>),
    Entity(EntityView),
    CitedFile(CitedFileView),
}

/// A source as `view=entity` shows it: its id, type and title, and the fields of its type.
#[derive(Serialize, ToSchema)]
pub(crate) struct EntityView {
    /// Id of the source, a UUID.
    id: Uuid,
    /// Type of the source.
    #[serde(rename = "type")]
    kind: values::SourceType,
    /// The same as `type`. Only this view has it.
    entity_type: values::SourceType,
    /// Title, as people see it.
    title: String,
    /// Fields of the type, and `metadata` with the other facts about the source.
    #[serde(flatten)]
    #[schema(value_type = HashMap<String, serde_json::Value>)]
    fields: JsonObject,
}

/// A source as `view=cited_file` shows it, for a list of cited files.
#[derive(Serialize, ToSchema)]
pub(crate) struct CitedFileView {
    /// Name of the source's file, or its title if it has no file.
    file_name: String,
    /// Id of the source that the file is.
    file_id: Uuid,
    /// Origin of the source.
    source_type: SourceOrigin,
    /// Media type of the source's content.
    mime_type: String,
    /// Relevance to the query, from 0 to 1; null outside of a search.
    #[schema(required)]
    relevance_score: Option<f64>,
    /// True if the source is an image.
    is_image: bool,
    /// Way for a client to get the content.
    fetch_strategy: FetchStrategy,
}

/// Form in which a source is returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SourceViewKind {
    #[default]
    Source,
    Entity,
    CitedFile,
}

impl SourceViewKind {
    pub(crate) fn build_view(self, described: SourceWithRevision) -> SourceView {
        match self {
            Self::Source => SourceView::Source(Box::new(described.into())),
            Self::Entity => SourceView::Entity(entity_view(described)),
            Self::CitedFile => SourceView::CitedFile(cited_file(&described)),
        }
    }
}

fn cited_file(described: &SourceWithRevision) -> CitedFileView {
    let (source, revision) = (&described.source, described.revision.as_ref());
    let filename = revision.and_then(|revision| revision.filename.clone());
    CitedFileView {
        file_name: filename.unwrap_or_else(|| source.display_title().to_owned()),
        file_id: source.id.uuid(),
        source_type: source.origin.into(),
        mime_type: revision.map_or("text/plain", |revision| revision.media_type.as_str()).to_owned(),
        relevance_score: None,
        is_image: revision.is_some_and(ibid_domain::Revision::is_image),
        fetch_strategy: source.origin.fetch_strategy().into(),
    }
}

/// The type's own fields, with what the source knows where the metadata is silent.
fn entity_view(described: SourceWithRevision) -> EntityView {
    let title = described.source.display_title().to_owned();
    let SourceWithRevision { source, revision } = described;
    let (id, kind) = (source.id.uuid(), source.kind.into());
    let mut fields = JsonObject::new();
    let mut set = |name: &str, value: Json| {
        fields.insert(name.to_owned(), value);
    };
    set("created_at", json!(source.created_at));
    set("created_by", json!(source.created_by));
    set("message_id", json!(source.message_id));
    set("run_id", json!(source.run_id));
    for (name, kind) in metadata::metadata_fields(source.kind) {
        let known = match *name {
            "title" => continue,
            "external_url" => json!(source.url),
            "favicon" => json!(source.favicon),
            "retrieved_at" => json!(source.accessed_at),
            "snippet" | "content_preview" => json!(source.reference.summary),
            "document_id" => json!(source.document_id.unwrap_or(source.id.uuid())),
            "filename" => json!(revision.as_ref().and_then(|revision| revision.filename.clone())),
            "mime_type" | "mimetype" => json!(revision.as_ref().map(|revision| revision.media_type.clone())),
            "provider" if source.kind == SourceType::WebPage => json!("ibid"),
            _ if *kind == metadata::FieldKind::Texts => json!([]),
            _ if *kind == metadata::FieldKind::Flag => json!(false),
            _ => Json::Null,
        };
        set(name, source.metadata.get(*name).cloned().unwrap_or(known));
    }
    let known: Vec<&str> = metadata::metadata_fields(source.kind).iter().map(|(name, _)| *name).collect();
    let mut rest: JsonObject =
        source.metadata.into_iter().filter(|(name, _)| !known.contains(&name.as_str())).collect();
    rest.insert("source_type".to_owned(), json!(source.origin.as_str()));
    rest.insert("is_available".to_owned(), json!(source.is_available));
    rest.insert("extracted_at".to_owned(), json!(revision.as_ref().and_then(|revision| revision.extracted_at)));
    match fields.get_mut("metadata") {
        Some(Json::Object(own)) => own.extend(rest),
        _ => {
            fields.insert("metadata".to_owned(), Json::Object(rest));
        }
    }
    EntityView { id, kind, entity_type: kind, title, fields }
}
