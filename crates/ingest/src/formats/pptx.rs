//! PowerPoint, since 2007: each slide a page, with its notes and comments.

use std::collections::HashSet;

use ibid_domain::MarkKind;

use super::{
    Draft, Reading,
    drawing::{charts_and_diagrams, paragraphs, table},
    ooxml::Package,
    text::one_line,
    xml::Node,
    xml::Tree,
};
use crate::{ExtractionError, TextBuilder};

pub(super) fn read(bytes: &[u8], reading: &Reading, draft: &mut Draft) -> Result<(), ExtractionError> {
    let mut package = Package::open(bytes, reading)?;
    let main = package.main_part("ppt/presentation.xml")?;
    package.properties(draft)?;
    let source = package.archive.xml(&main)?.unwrap_or_default();
    let tree = Tree::parse(&source, reading.limits)?;
    let mut slides = Vec::new();
    for node in tree.root().descendants().filter(|node| node.is("sldId")) {
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
        draft.text.paragraph()?;
        let start = draft.text.len();
        slide(&mut package, name, draft)?;
        draft.text.end_sections(0);
        draft.text.mark(MarkKind::Page, number.to_string(), Some(number), start);
        for layout in package.related(name, "slideLayout")? {
            let masters = package.related(&layout, "slideMaster")?;
            for part in [layout].into_iter().chain(masters) {
                if !behind.contains(&part) {
                    behind.push(part);
                }
            }
        }
    }
    draft.text.paragraph()?;
    let mut seen = HashSet::new();
    for name in behind {
        background(&mut package, &name, &mut seen, draft)?;
    }
    package.embedded("ppt", draft)
}

fn slide(package: &mut Package, name: &str, draft: &mut Draft) -> Result<(), ExtractionError> {
    let Some(source) = package.archive.xml(name)? else { return Ok(()) };
    let (tree, _) = Tree::parse_as_far_as_possible(&source, package.reading.limits)?;
    if let Some(shapes) = tree.root().find("spTree") {
        let heading =
            shapes.children().find(|node| matches!(placeholder(*node).as_deref(), Some("title" | "ctrTitle")));
        if let Some(heading) = heading.map(|node| one_line(&text_of(node))).filter(|text| !text.is_empty()) {
            draft.text.section(1, heading);
        }
        write_shapes(shapes, &mut draft.text)?;
    }
    charts_and_diagrams(package, name, &mut draft.text)?;
    for notes in package.related(name, "notesSlide")? {
        let Some(source) = package.archive.xml(&notes)? else { continue };
        let (tree, _) = Tree::parse_as_far_as_possible(&source, package.reading.limits)?;
        draft.text.paragraph()?;
        if let Some(shapes) = tree.root().find("spTree") {
            write_shapes(shapes, &mut draft.text)?;
        }
    }
    for comments in package.related(name, "comments")? {
        let Some(source) = package.archive.xml(&comments)? else { continue };
        let (tree, _) = Tree::parse_as_far_as_possible(&source, package.reading.limits)?;
        for comment in tree.root().descendants().filter(|node| matches!(node.name(), "cm" | "reply")) {
            draft.text.paragraph()?;
            let text = comment.child("text").map(Node::text);
            let body = comment.child("txBody");
            draft.text.push(&one_line(&text.unwrap_or_default()))?;
            if let Some(body) = body {
                paragraphs(body, &mut draft.text)?;
            }
        }
    }
    draft.text.paragraph()
}

/// What layouts and masters show on every slide, each once: it belongs to no slide.
fn background(
    package: &mut Package,
    name: &str,
    seen: &mut HashSet<String>,
    draft: &mut Draft,
) -> Result<(), ExtractionError> {
    let Some(source) = package.archive.xml(name)? else { return Ok(()) };
    let (tree, _) = Tree::parse_as_far_as_possible(&source, package.reading.limits)?;
    for shape in tree.root().descendants().filter(|node| node.is("sp")) {
        // Placeholders hold instructions such as "Click to edit"; a footer holds the footer.
        if placeholder(shape).is_some_and(|kind| kind != "ftr") {
            continue;
        }
        let text = text_of(shape);
        if !text.trim().is_empty() && seen.insert(one_line(&text)) {
            draft.text.push(text.trim())?;
            draft.text.paragraph()?;
        }
    }
    Ok(())
}

fn placeholder(shape: Node) -> Option<String> {
    let properties = shape.children().find(|node| matches!(node.name(), "nvSpPr" | "nvPicPr" | "nvGraphicFramePr"))?;
    let place = properties.child("nvPr")?.child("ph")?;
    Some(place.attr("type").unwrap_or_else(|| "body".to_owned()))
}

fn text_of(shape: Node) -> String {
    let mut text = String::new();
    for paragraph in shape.descendants().filter(|node| node.is("p")) {
        text.push_str(&super::drawing::paragraph_text(paragraph));
        text.push('\n');
    }
    text
}

fn write_shapes(parent: Node, text: &mut TextBuilder) -> Result<(), ExtractionError> {
    for node in parent.children() {
        match node.name() {
            "sp" | "cxnSp" => {
                // Numbers and dates that the program fills in are no words of the author.
                if matches!(placeholder(node).as_deref(), Some("sldNum" | "sldImg")) {
                    continue;
                }
                if let Some(body) = node.child("txBody") {
                    paragraphs(body, text)?;
                    text.paragraph()?;
                }
            }
            "graphicFrame" => {
                if let Some(found) = node.find("tbl") {
                    table(found, text)?;
                    text.paragraph()?;
                }
            }
            "AlternateContent" => {
                if let Some(choice) = node.child("Choice").or_else(|| node.child("Fallback")) {
                    write_shapes(choice, text)?;
                }
            }
            "grpSp" | "contentPart" => write_shapes(node, text)?,
            "pic" => {
                let alt = node.find("cNvPr").and_then(|node| node.attr("descr")).map(|alt| one_line(&alt));
                if let Some(alt) = alt.filter(|alt| alt.split_whitespace().count() > 2) {
                    text.push(&alt)?;
                    text.paragraph()?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
