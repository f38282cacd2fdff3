//! What came from what, in PROV-O: the message from a run, which used the cited files; each text from its file.

use std::collections::{BTreeMap, BTreeSet};

use ibid_domain::{Sha256, Timestamp};
use serde_json::{Map, Value, json};

use crate::{
    manifest::{BundleManifest, FileRole, MANIFEST},
    record::{CitationRecord, MessageRecord},
};

/// The whole as JSON-LD. Addresses are paths within the bundle, or names of what is not in it.
pub(crate) fn provenance_graph(
    manifest: &BundleManifest,
    message: &MessageRecord,
    citations: &[CitationRecord],
) -> Value {
    let tool = ibid_urn("tool", &manifest.tool);
    let model = message.model.as_ref().map(|model| (ibid_urn("model", model), model));
    let agent = message.run.as_ref().and_then(|run| run.agent.as_ref()).map(|agent| (ibid_urn("agent", agent), agent));
    let writers: Vec<_> = model.iter().chain(&agent).map(|(id, _)| id.as_str()).collect();
    let cited = CitedFiles::from_citations(manifest, citations);

    let mut content = entity_node(&manifest.content_path());
    content.insert("schema:identifier".into(), manifest.id.as_str().into());
    content.insert("schema:sha256".into(), Sha256::of_bytes(message.content.as_bytes()).to_string().into());
    content.insert("prov:generatedAtTime".into(), time_value(message.created_at));
    add_references(&mut content, "prov:wasAttributedTo", &writers);
    add_references(&mut content, "prov:wasDerivedFrom", &cited.derived);
    add_references(&mut content, "prov:wasQuotedFrom", &cited.quoted);
    if let Some(title) = &message.title {
        content.insert("schema:name".into(), title.as_str().into());
    }

    let mut nodes = Vec::new();
    if let Some(run) = &message.run {
        let id = ibid_urn("run", &run.id);
        add_references(&mut content, "prov:wasGeneratedBy", &[&id]);
        let mut activity = typed_node(&id, "prov:Activity");
        activity.insert("prov:startedAtTime".into(), time_value(run.started_at));
        if let Some(ended) = run.ended_at {
            activity.insert("prov:endedAtTime".into(), time_value(ended));
        }
        add_references(&mut activity, "prov:used", &cited.derived.union(&cited.quoted).collect::<Vec<_>>());
        add_references(&mut activity, "prov:wasAssociatedWith", &writers);
        nodes.push(activity);
    }
    for (id, name) in model.iter().chain(&agent).map(|(id, name)| (id, *name)).chain([(&tool, &manifest.tool)]) {
        let mut agent = typed_node(id, "prov:SoftwareAgent");
        agent.insert("schema:name".into(), name.as_str().into());
        nodes.push(agent);
    }
    let mut bundle = typed_node(MANIFEST, "prov:Collection");
    bundle.insert("prov:generatedAtTime".into(), time_value(manifest.created_at));
    add_references(&mut bundle, "prov:wasAttributedTo", &[&tool]);
    add_references(&mut bundle, "prov:hadMember", &[&manifest.content_path()]);
    nodes.push(bundle);
    nodes.push(content);
    nodes.extend(cited.file_nodes(manifest));

    json!({
        "@context": {
            "prov": "http://www.w3.org/ns/prov#",
            "schema": "https://schema.org/",
            "xsd": "http://www.w3.org/2001/XMLSchema#",
        },
        "@graph": nodes,
    })
}

/// Files and texts that the citations point to, with what is known of them.
#[derive(Default)]
struct CitedFiles<'a> {
    /// Ids of the cited original files.
    derived: BTreeSet<String>,
    /// Ids of the quoted extracted texts.
    quoted: BTreeSet<String>,
    /// The file that each text is of.
    origins: BTreeMap<String, String>,
    /// First citation of each id, for its title and type.
    known: BTreeMap<String, &'a CitationRecord>,
}

impl<'a> CitedFiles<'a> {
    fn from_citations(manifest: &BundleManifest, citations: &'a [CitationRecord]) -> Self {
        let mut cited = Self::default();
        let named = |path: Option<&str>, hash: Sha256| path.map_or_else(|| format!("urn:sha256:{hash}"), str::to_owned);
        for citation in citations {
            let text = citation.text_sha256.map(|hash| named(manifest.text_file(hash), hash));
            let content = citation.content_sha256.map(|hash| named(manifest.artifact_file(hash), hash));
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
    fn file_nodes(&self, manifest: &BundleManifest) -> Vec<Map<String, Value>> {
        let mut nodes = Vec::new();
        for (path, file) in manifest.files.iter().filter(|(_, file)| file.role != FileRole::Record) {
            let mut node = self.cited_node(path);
            node.insert("schema:sha256".into(), file.sha256.to_string().into());
            node.insert("schema:encodingFormat".into(), file.media_type.as_str().into());
            node.insert("schema:contentSize".into(), file.size_bytes.to_string().into());
            nodes.push(node);
        }
        for id in self.derived.union(&self.quoted).filter(|id| !manifest.files.contains_key(*id)) {
            let mut node = self.cited_node(id);
            if let Some((_, hash)) = id.rsplit_once(':') {
                node.insert("schema:sha256".into(), hash.into());
            }
            nodes.push(node);
        }
        nodes
    }

    fn cited_node(&self, id: &str) -> Map<String, Value> {
        let mut node = entity_node(id);
        if let Some(origin) = self.origins.get(id) {
            add_references(&mut node, "prov:wasDerivedFrom", &[origin]);
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

fn typed_node(id: &str, kind: &str) -> Map<String, Value> {
    Map::from_iter([("@id".to_owned(), id.into()), ("@type".to_owned(), kind.into())])
}

fn entity_node(id: &str) -> Map<String, Value> {
    typed_node(id, "prov:Entity")
}

/// Names other nodes; nothing if there are none.
fn add_references<'a>(
    node: &mut Map<String, Value>,
    property: &str,
    others: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>,
) {
    let others: Vec<_> = others.into_iter().map(|id| json!({"@id": id.as_ref()})).collect();
    if !others.is_empty() {
        node.insert(property.to_owned(), others.into());
    }
}

fn time_value(time: Timestamp) -> Value {
    json!({"@type": "xsd:dateTime", "@value": time})
}

/// The name of something that has no file. Ids are any text, so all that an address may not have is escaped.
fn ibid_urn(kind: &str, id: &str) -> String {
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
