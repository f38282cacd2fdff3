//! Citations as Web Annotations of the W3C: each binds a claim of the message to the words of a text that it rests on.
//!
//! Addresses are paths within the bundle where what they name is in it. Places are counted in Unicode scalar values.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value, json};

use crate::{
    manifest::{ANNOTATIONS, BundleManifest},
    record::CitationRecord,
};

/// All citations as one collection. Each is made as it is written.
pub(crate) struct AnnotationCollection<'a> {
    pub(crate) manifest: &'a BundleManifest,
    pub(crate) citations: &'a [CitationRecord],
}

impl Serialize for AnnotationCollection<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { manifest, citations } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("@context", "http://www.w3.org/ns/anno.jsonld")?;
        map.serialize_entry("id", ANNOTATIONS)?;
        map.serialize_entry("type", "AnnotationCollection")?;
        map.serialize_entry("label", &format!("Citations of {} {}", manifest.kind.as_str(), manifest.id))?;
        map.serialize_entry("created", &manifest.created_at)?;
        map.serialize_entry("total", &citations.len())?;
        map.serialize_entry("first", &AnnotationPage(self))?;
        map.end()
    }
}

/// The one page of the collection.
struct AnnotationPage<'a>(&'a AnnotationCollection<'a>);

impl Serialize for AnnotationPage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &format!("{ANNOTATIONS}#page-1"))?;
        map.serialize_entry("type", "AnnotationPage")?;
        map.serialize_entry("startIndex", &0)?;
        map.serialize_entry("items", &AnnotationItems(self.0))?;
        map.end()
    }
}

struct AnnotationItems<'a>(&'a AnnotationCollection<'a>);

impl Serialize for AnnotationItems<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let AnnotationCollection { manifest, citations } = self.0;
        let content = manifest.content_path();
        let items = citations.iter().zip(1..);
        serializer.collect_seq(items.map(|(citation, place)| citation_annotation(manifest, &content, place, citation)))
    }
}

fn citation_annotation(manifest: &BundleManifest, content: &str, place: usize, citation: &CitationRecord) -> Value {
    let claim = citation.claim.unwrap_or(citation.marker);
    let mut selectors = Vec::new();
    if let Some(quote) = &citation.quote {
        selectors.push(json!({
            "type": "TextQuoteSelector", "exact": quote, "prefix": citation.prefix, "suffix": citation.suffix,
        }));
    }
    if let Some(span) = citation.span {
        selectors.push(json!({"type": "TextPositionSelector", "start": span.start, "end": span.end}));
    }
    let mut body = Map::new();
    body.insert("type".into(), "SpecificResource".into());
    body.insert("source".into(), source_resource(manifest, citation));
    if !selectors.is_empty() {
        body.insert("selector".into(), selectors.into());
    }
    json!({
        "id": format!("{ANNOTATIONS}#citation-{place}"),
        "type": "Annotation",
        "motivation": "linking",
        "body": body,
        "target": {
            "type": "SpecificResource",
            "source": content,
            "selector": {"type": "TextPositionSelector", "start": claim.start, "end": claim.end},
        },
    })
}

/// Returns the cited resource with its origin: the text that has the quote, else the file, else a URN.
fn source_resource(manifest: &BundleManifest, citation: &CitationRecord) -> Value {
    let mut source = Map::new();
    let mut insert = |name: &str, value: Value| source.insert(name.to_owned(), value);
    insert("id", resource_id(manifest, citation).into());
    insert("label", citation.title.as_str().into());
    if citation.text_sha256.is_some() {
        insert("type", "Text".into());
        insert("format", "text/plain".into());
    } else {
        insert("format", citation.media_type.as_str().into());
        if citation.is_image {
            insert("type", "Image".into());
        }
    }
    if let Some(url) = &citation.url {
        insert("via", url.as_str().into());
    }
    source.into()
}

/// The address of what a citation points into.
fn resource_id(manifest: &BundleManifest, citation: &CitationRecord) -> String {
    let hash = citation.text_sha256.or(citation.content_sha256);
    let path = match citation.text_sha256 {
        Some(text) => manifest.text_file(text),
        None => citation.content_sha256.and_then(|content| manifest.artifact_file(content)),
    };
    match (path, hash) {
        (Some(path), _) => path.to_owned(),
        (None, Some(hash)) => format!("urn:sha256:{hash}"),
        (None, None) => format!("urn:ibid:citation:{}", citation.number),
    }
}
