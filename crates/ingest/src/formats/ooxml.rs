//! What the three Office formats share: parts, how they relate, what the file tells about itself, files within it.

use std::collections::HashMap;

use super::{ExtractionContext, ExtractionDraft, archive::ZipContainer, damaged_file, ole, properties, xml::XmlTree};
use crate::{ExtractionError, ExtractionInput};

/// One arrow from a part to another.
#[derive(Clone, Debug)]
pub(super) struct PartRelationship {
    pub id: String,
    /// The last word of its type: `slide`, `comments`, `image` …
    pub kind: String,
    /// The part it points at, as a name in the container.
    pub target: String,
    /// True if the target is outside the package, such as a web address.
    pub external: bool,
}

pub(super) struct OoxmlPackage<'a> {
    pub archive: ZipContainer<'a>,
    pub reading: &'a ExtractionContext<'a>,
    relations: HashMap<String, Vec<PartRelationship>>,
}

impl<'a> OoxmlPackage<'a> {
    pub fn open(bytes: &'a [u8], reading: &'a ExtractionContext<'a>) -> Result<Self, ExtractionError> {
        Ok(Self { archive: ZipContainer::open(bytes, reading)?, reading, relations: HashMap::new() })
    }

    /// The part that everything else hangs from.
    pub fn main_part(&mut self, usual: &str) -> Result<String, ExtractionError> {
        if let Some(relation) = self.related_parts("", "officeDocument")?.into_iter().next()
            && self.archive.has_entry(&relation)
        {
            return Ok(relation);
        }
        if self.archive.has_entry(usual) {
            Ok(usual.to_owned())
        } else {
            Err(damaged_file(format!("{usual} is missing")))
        }
    }

    /// The arrows that start at a part; the empty name stands for the container itself.
    pub fn read_relationships(&mut self, part: &str) -> Result<Vec<PartRelationship>, ExtractionError> {
        if let Some(known) = self.relations.get(part) {
            return Ok(known.clone());
        }
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = if folder.is_empty() { format!("_rels/{file}.rels") } else { format!("{folder}/_rels/{file}.rels") };
        let mut relations = Vec::new();
        if let Some(source) = self.archive.read_xml_entry(&name)? {
            let (tree, _) = XmlTree::parse_as_far_as_possible(&source, self.reading.limits)?;
            for node in tree.root().descendants().filter(|node| node.has_name("Relationship")) {
                let target = node.attr("Target").unwrap_or_default();
                let external = node.attr("TargetMode").is_some_and(|mode| mode == "External");
                let kind = node.attr("Type").unwrap_or_default();
                relations.push(PartRelationship {
                    id: node.attr("Id").unwrap_or_default(),
                    kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                    target: if external { target } else { resolve_target(folder, &target) },
                    external,
                });
            }
        }
        self.relations.insert(part.to_owned(), relations.clone());
        Ok(relations)
    }

    /// The parts of one kind that a part points at, in order.
    pub fn related_parts(&mut self, part: &str, kind: &str) -> Result<Vec<String>, ExtractionError> {
        let relations = self.read_relationships(part)?;
        Ok(relations.into_iter().filter(|one| one.kind == kind && !one.external).map(|one| one.target).collect())
    }

    /// The part that an id stands for.
    pub fn by_id(&mut self, part: &str, id: &str) -> Result<Option<String>, ExtractionError> {
        let relations = self.read_relationships(part)?;
        Ok(relations.into_iter().find(|one| one.id == id && !one.external).map(|one| one.target))
    }

    /// Reads title, authors, date and language from the document properties.
    pub fn read_properties(&mut self, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        let name =
            self.related_parts("", "core-properties")?.into_iter().next().unwrap_or("docProps/core.xml".to_owned());
        if let Some(source) = self.archive.read_xml_entry(&name)? {
            let (tree, _) = XmlTree::parse_as_far_as_possible(&source, self.reading.limits)?;
            properties::dublin_core(tree.root(), &mut draft.reference);
        }
        let picture = |name: &String| name.contains("/media/");
        draft.pictures = self.archive.entry_names().iter().any(picture);
        Ok(())
    }

    /// Reads the files that were put into this one.
    pub fn read_embedded_files(&mut self, folder: &str, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        let prefix = format!("{folder}/embeddings/");
        let names: Vec<String> = self
            .archive
            .entry_names()
            .iter()
            .filter(|name| name.starts_with(&prefix) && !name.ends_with('/'))
            .cloned()
            .collect();
        // Charts keep their numbers in workbooks of their own; these are read with the chart.
        let charts: Vec<String> =
            self.archive.entry_names().iter().filter(|name| name.contains("/charts/chart")).cloned().collect();
        let mut of_charts = Vec::new();
        for chart in charts {
            of_charts.extend(self.related_parts(&chart, "package")?);
        }
        for name in names.into_iter().filter(|name| !of_charts.contains(name)) {
            let Some(bytes) = self.archive.read_entry(&name)? else { continue };
            let file = name.rsplit('/').next().unwrap_or(&name);
            let (label, bytes) = ole::unwrap_embedded_object(file, bytes, self.reading)?;
            self.reading.append_attachment(
                &ExtractionInput { bytes: &bytes, filename: Some(&label), ..ExtractionInput::default() },
                draft,
            )?;
        }
        Ok(())
    }
}

/// A target relative to a folder, as a name in the container.
fn resolve_target(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
