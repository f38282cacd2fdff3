//! PowerPoint, since 2007: each slide a page, with its notes and comments.

use std::collections::HashSet;

use ibid_domain::MarkKind;
use ibid_language::one_line;

use super::{
    ExtractionContext, ExtractionDraft,
    drawing::{charts_and_diagrams, write_paragraphs, write_slide_table},
    ooxml::OoxmlPackage,
    xml::XmlNode,
    xml::XmlTree,
};
use crate::{ExtractionError, TextBuilder};

pub(super) fn read(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let mut package = OoxmlPackage::open(bytes, reading)?;
    let main = package.main_part("ppt/presentation.xml")?;
    package.read_properties(draft)?;
    let source = package.archive.read_xml_entry(&main)?.unwrap_or_default();
    let tree = XmlTree::parse(&source, reading.limits)?;
    let mut slides = Vec::new();
    for node in tree.root().descendants().filter(|node| node.has_name("sldId")) {
        // Two attributes are called `id`; the relation's has a prefix.
        if let Some(id) = node.attr_with_prefix("id") {
            slides.extend(package.by_id(&main, &id)?);
        }
    }
    if slides.len() > reading.limits.pages {
        return Err(ExtractionError::TooLarge(format!("it has more than {} slides", reading.limits.pages)));
    }
    let mut behind = Vec::new();
    for (index, name) in slides.iter().enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        draft.text.end_paragraph()?;
        let start = draft.text.len();
        write_slide(&mut package, name, draft)?;
        draft.text.end_sections(0);
        draft.text.add_mark(MarkKind::Page, number.to_string(), Some(number), start);
        for layout in package.related_parts(name, "slideLayout")? {
            let masters = package.related_parts(&layout, "slideMaster")?;
            for part in [layout].into_iter().chain(masters) {
                if !behind.contains(&part) {
                    behind.push(part);
                }
            }
        }
    }
    draft.text.end_paragraph()?;
    let mut seen = HashSet::new();
    for name in behind {
        write_background(&mut package, &name, &mut seen, draft)?;
    }
    package.read_embedded_files("ppt", draft)
}

fn write_slide(package: &mut OoxmlPackage, name: &str, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
    let Some(source) = package.archive.read_xml_entry(name)? else { return Ok(()) };
    let (tree, _) = XmlTree::parse_as_far_as_possible(&source, package.reading.limits)?;
    if let Some(shapes) = tree.root().find_descendant("spTree") {
        let heading =
            shapes.children().find(|node| matches!(placeholder_type(*node).as_deref(), Some("title" | "ctrTitle")));
        if let Some(heading) = heading.map(|node| one_line(&text_of(node))).filter(|text| !text.is_empty()) {
            draft.text.begin_section(1, heading);
        }
        write_shapes(shapes, &mut draft.text)?;
    }
    charts_and_diagrams(package, name, &mut draft.text)?;
    for notes in package.related_parts(name, "notesSlide")? {
        let Some(source) = package.archive.read_xml_entry(&notes)? else { continue };
        let (tree, _) = XmlTree::parse_as_far_as_possible(&source, package.reading.limits)?;
        draft.text.end_paragraph()?;
        if let Some(shapes) = tree.root().find_descendant("spTree") {
            write_shapes(shapes, &mut draft.text)?;
        }
    }
    for comments in package.related_parts(name, "comments")? {
        let Some(source) = package.archive.read_xml_entry(&comments)? else { continue };
        let (tree, _) = XmlTree::parse_as_far_as_possible(&source, package.reading.limits)?;
        for comment in tree.root().descendants().filter(|node| matches!(node.name(), "cm" | "reply")) {
            draft.text.end_paragraph()?;
            let text = comment.child("text").map(XmlNode::text);
            let body = comment.child("txBody");
            draft.text.push(&one_line(&text.unwrap_or_default()))?;
            if let Some(body) = body {
                write_paragraphs(body, &mut draft.text)?;
            }
        }
    }
    draft.text.end_paragraph()
}

/// Writes the text of layouts and masters once, outside of any slide.
fn write_background(
    package: &mut OoxmlPackage,
    name: &str,
    seen: &mut HashSet<String>,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let Some(source) = package.archive.read_xml_entry(name)? else { return Ok(()) };
    let (tree, _) = XmlTree::parse_as_far_as_possible(&source, package.reading.limits)?;
    for shape in tree.root().descendants().filter(|node| node.has_name("sp")) {
        // Placeholders hold instructions such as "Click to edit"; a footer holds the footer.
        if placeholder_type(shape).is_some_and(|kind| kind != "ftr") {
            continue;
        }
        let text = text_of(shape);
        if !text.trim().is_empty() && seen.insert(one_line(&text)) {
            draft.text.push(text.trim())?;
            draft.text.end_paragraph()?;
        }
    }
    Ok(())
}

fn placeholder_type(shape: XmlNode) -> Option<String> {
    let properties = shape.children().find(|node| matches!(node.name(), "nvSpPr" | "nvPicPr" | "nvGraphicFramePr"))?;
    let place = properties.child("nvPr")?.child("ph")?;
    Some(place.attr("type").unwrap_or_else(|| "body".to_owned()))
}

fn text_of(shape: XmlNode) -> String {
    let mut text = String::new();
    for paragraph in shape.descendants().filter(|node| node.has_name("p")) {
        text.push_str(&super::drawing::paragraph_text(paragraph));
        text.push('\n');
    }
    text
}

fn write_shapes(parent: XmlNode, text: &mut TextBuilder) -> Result<(), ExtractionError> {
    for node in parent.children() {
        match node.name() {
            "sp" | "cxnSp" => {
                // Numbers and dates that the program fills in are no words of the author.
                if matches!(placeholder_type(node).as_deref(), Some("sldNum" | "sldImg")) {
                    continue;
                }
                if let Some(body) = node.child("txBody") {
                    write_paragraphs(body, text)?;
                    text.end_paragraph()?;
                }
            }
            "graphicFrame" => {
                if let Some(found) = node.find_descendant("tbl") {
                    write_slide_table(found, text)?;
                    text.end_paragraph()?;
                }
            }
            "AlternateContent" => {
                if let Some(choice) = node.child("Choice").or_else(|| node.child("Fallback")) {
                    write_shapes(choice, text)?;
                }
            }
            "grpSp" | "contentPart" => write_shapes(node, text)?,
            "pic" => {
                let alt = node.find_descendant("cNvPr").and_then(|node| node.attr("descr")).map(|alt| one_line(&alt));
                if let Some(alt) = alt.filter(|alt| alt.split_whitespace().count() > 2) {
                    text.push(&alt)?;
                    text.end_paragraph()?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
