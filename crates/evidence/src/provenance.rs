//! What came from what, in PROV-O: the message from a run, which used the cited files; each text from its file.

use std::collections::{BTreeMap, BTreeSet};

use ibid_domain::{Sha256, Timestamp};
use serde_json::{Map, Value, json};

use crate::{
    manifest::{MANIFEST, Manifest, Role},
    record::{CitationRecord, MessageRecord},
};

/// The whole as JSON-LD. Addresses are paths within the bundle, or names of what is not in it.
pub(crate) fn graph(manifest: &Manifest, message: &MessageRecord, citations: &[CitationRecord]) -> Value {
    let tool = urn("tool", &manifest.tool);
    let model = message.model.as_ref().map(|model| (urn("model", model), model));
    let agent = message.run.as_ref().and_then(|run| run.agent.as_ref()).map(|agent| (urn("agent", agent), agent));
    let writers: Vec<_> = model.iter().chain(&agent).map(|(id, _)| id.as_str()).collect();
    let cited = Cited::of(manifest, citations);

    let mut content = entity(&manifest.content_path());
    content.insert("schema:identifier".into(), manifest.id.as_str().into());
    content.insert("schema:sha256".into(), Sha256::of(message.content.as_bytes()).to_string().into());
    content.insert("prov:generatedAtTime".into(), time(message.created_at));
    refer(&mut content, "prov:wasAttributedTo", &writers);
    refer(&mut content, "prov:wasDerivedFrom", &cited.derived);
    refer(&mut content, "prov:wasQuotedFrom", &cited.quoted);
    if let Some(title) = &message.title {
        content.insert("schema:name".into(), title.as_str().into());
    }

    let mut nodes = Vec::new();
    if let Some(run) = &message.run {
        let id = urn("run", &run.id);
        refer(&mut content, "prov:wasGeneratedBy", &[&id]);
        let mut activity = node(&id, "prov:Activity");
        activity.insert("prov:startedAtTime".into(), time(run.started_at));
        if let Some(ended) = run.ended_at {
            activity.insert("prov:endedAtTime".into(), time(ended));
        }
        refer(&mut activity, "prov:used", &cited.derived.union(&cited.quoted).collect::<Vec<_>>());
        refer(&mut activity, "prov:wasAssociatedWith", &writers);
        nodes.push(activity);
    }
    for (id, name) in model.iter().chain(&agent).map(|(id, name)| (id, *name)).chain([(&tool, &manifest.tool)]) {
        let mut agent = node(id, "prov:SoftwareAgent");
        agent.insert("schema:name".into(), name.as_str().into());
        nodes.push(agent);
    }
    let mut bundle = node(MANIFEST, "prov:Collection");
    bundle.insert("prov:generatedAtTime".into(), time(manifest.created_at));
    refer(&mut bundle, "prov:wasAttributedTo", &[&tool]);
    refer(&mut bundle, "prov:hadMember", &[&manifest.content_path()]);
    nodes.push(bundle);
    nodes.push(content);
    nodes.extend(cited.nodes(manifest));

    json!({
        "@context": {
            "prov": "http://www.w3.org/ns/prov#",
            "schema": "https://schema.org/",
            "xsd": "http://www.w3.org/2001/XMLSchema#",
        },
        "@graph": nodes,
    })
}

/// What the citations point at.
#[derive(Default)]
struct Cited<'a> {
    /// Files.
    derived: BTreeSet<String>,
    /// Texts.
    quoted: BTreeSet<String>,
    /// The file that each text is of.
    origins: BTreeMap<String, String>,
    /// What is known of each.
    known: BTreeMap<String, &'a CitationRecord>,
}

impl<'a> Cited<'a> {
    fn of(manifest: &Manifest, citations: &'a [CitationRecord]) -> Self {
        let mut cited = Self::default();
        let named = |path: Option<&str>, hash: Sha256| path.map_or_else(|| format!("urn:sha256:{hash}"), str::to_owned);
        for citation in citations {
            let text = citation.text_sha256.map(|hash| named(manifest.text(hash), hash));
            let content = citation.content_sha256.map(|hash| named(manifest.artifact(hash), hash));
            if let (Some(text), Some(content)) = (&text, &content) {
                cited.origins.entry(text.clone()).or_insert_with(|| content.clone());
            }
            for id in text.iter().chain(&content) {
                cited.known.entry(id.clone()).or_insert(citation);
            }
            cited.quoted.extend(text);
            cited.derived.extend(content);
        }
        cited
    }

    /// A node for each file of the bundle, and for each that is cited but not in it.
    fn nodes(&self, manifest: &Manifest) -> Vec<Map<String, Value>> {
        let mut nodes = Vec::new();
        for (path, file) in manifest.files.iter().filter(|(_, file)| file.role != Role::Record) {
            let mut node = self.node(path);
            node.insert("schema:sha256".into(), file.sha256.to_string().into());
            node.insert("schema:encodingFormat".into(), file.media_type.as_str().into());
            node.insert("schema:contentSize".into(), file.size_bytes.to_string().into());
            nodes.push(node);
        }
        for id in self.derived.union(&self.quoted).filter(|id| !manifest.files.contains_key(*id)) {
            let mut node = self.node(id);
            if let Some((_, hash)) = id.rsplit_once(':') {
                node.insert("schema:sha256".into(), hash.into());
            }
            nodes.push(node);
        }
        nodes
    }

    fn node(&self, id: &str) -> Map<String, Value> {
        let mut node = entity(id);
        if let Some(origin) = self.origins.get(id) {
            refer(&mut node, "prov:wasDerivedFrom", &[origin]);
        }
        if let Some(citation) = self.known.get(id) {
            node.insert("schema:name".into(), citation.title.as_str().into());
            if let Some(url) = &citation.url {
                node.insert("schema:url".into(), url.as_str().into());
            }
        }
        node
    }
}

fn node(id: &str, kind: &str) -> Map<String, Value> {
    Map::from_iter([("@id".to_owned(), id.into()), ("@type".to_owned(), kind.into())])
}

fn entity(id: &str) -> Map<String, Value> {
    node(id, "prov:Entity")
}

/// Names other nodes; nothing if there are none.
fn refer<'a>(
    node: &mut Map<String, Value>,
    property: &str,
    others: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>,
) {
    let others: Vec<_> = others.into_iter().map(|id| json!({"@id": id.as_ref()})).collect();
    if !others.is_empty() {
        node.insert(property.to_owned(), others.into());
    }
}

fn time(time: Timestamp) -> Value {
    json!({"@type": "xsd:dateTime", "@value": time})
}

/// The name of something that has no file. Ids are any text, so all that an address may not have is escaped.
fn urn(kind: &str, id: &str) -> String {
    let mut urn = format!("urn:ibid:{kind}:");
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            urn.push(char::from(byte));
        } else {
            urn.push_str(&format!("%{byte:02X}"));
        }
    }
    urn
}
