//! Electronic books: the chapters in the order they are read.

use std::collections::HashMap;

use ibid_language::one_line;

use super::{
    ExtractionContext, ExtractionDraft, archive::ZipContainer, damaged_file, properties, text::decode_xml,
    xml::XmlNode, xml::XmlTree,
};
use crate::{ExtractionError, html};

pub(super) fn read(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let mut archive = ZipContainer::open(bytes, reading)?;
    // Fonts may be scrambled in a book that everybody can read; anything else means that it is locked.
    if let Some(source) = archive.read_xml_entry("META-INF/encryption.xml")? {
        let (tree, _) = XmlTree::parse_as_far_as_possible(&source, reading.limits)?;
        let locked = tree.root().descendants().filter(|node| node.has_name("EncryptedData")).any(|data| {
            let method = data.child("EncryptionMethod").and_then(|node| node.attr("Algorithm")).unwrap_or_default();
            !method.contains("idpf.org") && !method.contains("ns.adobe.com")
        });
        if locked {
            return Err(ExtractionError::Encrypted);
        }
    }
    let package = package_name(&mut archive, reading)?;
    let source = archive.read_xml_entry(&package)?.ok_or_else(|| damaged_file(format!("{package} is missing")))?;
    let tree = XmlTree::parse(&source, reading.limits)?;
    let root = tree.root();
    if let Some(metadata) = root.find_descendant("metadata") {
        properties::dublin_core(metadata, &mut draft.reference);
        draft.reference.isbn = metadata.descendants().filter(|node| node.has_name("identifier")).find_map(parse_isbn);
        draft.reference.genre = Some("book".to_owned());
    }
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let items: HashMap<String, XmlNode> = root
        .find_descendant("manifest")
        .into_iter()
        .flat_map(XmlNode::children)
        .filter_map(|item| Some((item.attr("id")?, item)))
        .collect();
    let titles = chapter_titles(&mut archive, &items, &folder, reading)?;
    draft.pictures = items.values().any(|item| item.attr("media-type").is_some_and(|kind| kind.starts_with("image/")));
    for entry in
        root.find_descendant("spine").into_iter().flat_map(XmlNode::children).filter(|node| node.has_name("itemref"))
    {
        let Some(item) = entry.attr("idref").and_then(|id| items.get(&id).copied()) else { continue };
        if item.attr("properties").is_some_and(|words| words.split(' ').any(|word| word == "nav")) {
            continue;
        }
        let name = join_path(&folder, &item.attr("href").unwrap_or_default());
        let Some(bytes) = archive.read_entry(&name)? else { continue };
        let page = decode_xml(bytes);
        draft.text.end_paragraph()?;
        draft.text.end_sections(0);
        // Chapters without a heading of their own are known by the table of contents.
        let lower = page.to_ascii_lowercase();
        if let Some(title) = titles.get(&name)
            && !["<h1", "<h2", "<h3"].iter().any(|tag| lower.contains(tag))
        {
            draft.text.begin_section(1, title.clone());
        }
        html::write_visible_text(&page, &mut draft.text, reading.limits)?;
    }
    draft.text.end_sections(0);
    Ok(())
}

fn package_name(archive: &mut ZipContainer, reading: &ExtractionContext) -> Result<String, ExtractionError> {
    if let Some(source) = archive.read_xml_entry("META-INF/container.xml")? {
        let (tree, _) = XmlTree::parse_as_far_as_possible(&source, reading.limits)?;
        if let Some(path) = tree.root().find_descendant("rootfile").and_then(|node| node.attr("full-path")) {
            return Ok(path);
        }
    }
    let found = archive.entry_names().iter().find(|name| name.ends_with(".opf")).cloned();
    found.ok_or_else(|| damaged_file("the list of its chapters is missing"))
}

/// Maps each file of the book to its title in the table of contents.
fn chapter_titles(
    archive: &mut ZipContainer,
    items: &HashMap<String, XmlNode>,
    folder: &str,
    reading: &ExtractionContext,
) -> Result<HashMap<String, String>, ExtractionError> {
    let mut titles = HashMap::new();
    for item in items.values() {
        let is_nav = item.attr("properties").is_some_and(|words| words.split(' ').any(|word| word == "nav"));
        let is_ncx = item.attr("media-type").is_some_and(|kind| kind == "application/x-dtbncx+xml");
        if !is_nav && !is_ncx {
            continue;
        }
        let name = join_path(folder, &item.attr("href").unwrap_or_default());
        let Some(source) = archive.read_xml_entry(&name)? else { continue };
        let (tree, _) = XmlTree::parse_as_far_as_possible(&source, reading.limits)?;
        let base = name.rsplit_once('/').map_or("", |(base, _)| base);
        for node in tree.root().descendants() {
            let (target, label) = match node.name() {
                "a" if is_nav => (node.attr("href"), Some(node.text())),
                "navPoint" => (
                    node.child("content").and_then(|content| content.attr("src")),
                    node.child("navLabel").map(XmlNode::text),
                ),
                _ => continue,
            };
            if let Some((target, label)) = target.zip(label.map(|label| one_line(&label)))
                && !label.is_empty()
            {
                titles.entry(join_path(base, &target)).or_insert(label);
            }
        }
    }
    Ok(titles)
}

fn join_path(folder: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    let target = percent_decoded(target);
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

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn parse_isbn(node: XmlNode) -> Option<String> {
    let text = node.text().to_ascii_lowercase();
    let said = text.contains("isbn") || node.attr("scheme").is_some_and(|scheme| scheme.eq_ignore_ascii_case("isbn"));
    let digits: String = text.chars().filter(|char| char.is_ascii_digit() || *char == 'x').collect();
    let fits = digits.len() == 13 && (digits.starts_with("978") || digits.starts_with("979")) || digits.len() == 10;
    (said && fits).then(|| digits.to_ascii_uppercase())
}
