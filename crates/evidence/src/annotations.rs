//! Citations as Web Annotations of the W3C: each binds a claim of the message to the words of a text that it rests on.
//!
//! Addresses are paths within the bundle where what they name is in it. Places are counted in Unicode scalar values.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value, json};

use crate::{
    manifest::{ANNOTATIONS, Manifest},
    record::CitationRecord,
};

/// All citations as one collection. Each is made as it is written.
pub(crate) struct Collection<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) citations: &'a [CitationRecord],
}

impl Serialize for Collection<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { manifest, citations } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("@context", "http://www.w3.org/ns/anno.jsonld")?;
        map.serialize_entry("id", ANNOTATIONS)?;
        map.serialize_entry("type", "AnnotationCollection")?;
        map.serialize_entry("label", &format!("Citations of {} {}", manifest.kind.as_str(), manifest.id))?;
        map.serialize_entry("created", &manifest.created_at)?;
        map.serialize_entry("total", &citations.len())?;
        map.serialize_entry("first", &Page(self))?;
        map.end()
    }
}

/// The one page of the collection.
struct Page<'a>(&'a Collection<'a>);

impl Serialize for Page<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &format!("{ANNOTATIONS}#page-1"))?;
        map.serialize_entry("type", "AnnotationPage")?;
        map.serialize_entry("startIndex", &0)?;
        map.serialize_entry("items", &Items(self.0))?;
        map.end()
    }
}

struct Items<'a>(&'a Collection<'a>);

impl Serialize for Items<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Collection { manifest, citations } = self.0;
        let content = manifest.content_path();
        let items = citations.iter().zip(1..);
        serializer.collect_seq(items.map(|(citation, place)| annotation(manifest, &content, place, citation)))
    }
}

fn annotation(manifest: &Manifest, content: &str, place: usize, citation: &CitationRecord) -> Value {
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
    body.insert("source".into(), source(manifest, citation));
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

/// What is cited: the text that the quote is of, or the file, or what is left of it; and where it came from.
fn source(manifest: &Manifest, citation: &CitationRecord) -> Value {
    let mut source = Map::new();
    let mut insert = |name: &str, value: Value| source.insert(name.to_owned(), value);
    insert("id", cited(manifest, citation).into());
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
fn cited(manifest: &Manifest, citation: &CitationRecord) -> String {
    let hash = citation.text_sha256.or(citation.content_sha256);
    let path = match citation.text_sha256 {
        Some(text) => manifest.text(text),
        None => citation.content_sha256.and_then(|content| manifest.artifact(content)),
    };
    match (path, hash) {
        (Some(path), _) => path.to_owned(),
        (None, Some(hash)) => format!("urn:sha256:{hash}"),
        (None, None) => format!("urn:ibid:citation:{}", citation.number),
    }
}
