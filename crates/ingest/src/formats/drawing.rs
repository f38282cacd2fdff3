//! Text in the drawings of Office: shapes, tables on slides, charts, diagrams.

use ibid_language::one_line;

use super::{ooxml::OoxmlPackage, xml::XmlNode, xml::XmlTree};
use crate::{ExtractionError, TextBuilder};

/// Writes the paragraphs of a text body, each on its own line.
pub(super) fn write_paragraphs(body: XmlNode, text: &mut TextBuilder) -> Result<(), ExtractionError> {
    for paragraph in body.children().filter(|node| node.has_name("p")) {
        let line = paragraph_text(paragraph);
        if !line.trim().is_empty() {
            text.push(line.trim())?;
            text.end_line()?;
        }
    }
    Ok(())
}

pub(super) fn paragraph_text(paragraph: XmlNode) -> String {
    let mut line = String::new();
    for node in paragraph.descendants() {
        match node.name() {
            "t" => line.push_str(&node.text()),
            "br" => line.push('\n'),
            "tab" => line.push('\t'),
            _ => {}
        }
    }
    super::text::strip_control_chars(&line).into_owned()
}

/// Writes a table of a slide, row by row.
pub(super) fn write_slide_table(table: XmlNode, text: &mut TextBuilder) -> Result<(), ExtractionError> {
    for row in table.children().filter(|node| node.has_name("tr")) {
        let cells: Vec<String> = row
            .children()
            .filter(|node| node.has_name("tc"))
            .map(|cell| {
                let lines =
                    cell.descendants().filter(|node| node.has_name("p")).map(|node| one_line(&paragraph_text(node)));
                lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
            })
            .collect();
        text.push(&cells.join("\t"))?;
        text.end_line()?;
    }
    Ok(())
}

/// Writes the words and numbers of charts and diagrams that a part points at.
pub(super) fn charts_and_diagrams(
    package: &mut OoxmlPackage,
    part: &str,
    text: &mut TextBuilder,
) -> Result<(), ExtractionError> {
    for kind in ["chart", "chartEx", "diagramData"] {
        for name in package.related_parts(part, kind)? {
            let Some(source) = package.archive.read_xml_entry(&name)? else { continue };
            let (tree, _) = XmlTree::parse_as_far_as_possible(&source, package.reading.limits)?;
            text.end_paragraph()?;
            if kind == "diagramData" {
                write_diagram(tree.root(), text)?
            } else {
                write_chart(tree.root(), text)?
            }
            text.end_paragraph()?;
        }
    }
    Ok(())
}

fn write_diagram(root: XmlNode, text: &mut TextBuilder) -> Result<(), ExtractionError> {
    for body in root.descendants().filter(|node| node.has_name("t") && node.child("p").is_some()) {
        write_paragraphs(body, text)?;
    }
    Ok(())
}

/// A title, then for each series its name and its points.
fn write_chart(root: XmlNode, text: &mut TextBuilder) -> Result<(), ExtractionError> {
    for title in root.descendants().filter(|node| node.has_name("title")) {
        for paragraph in title.descendants().filter(|node| node.has_name("p")) {
            text.push(&one_line(&paragraph_text(paragraph)))?;
            text.end_line()?;
        }
    }
    let values = |node: Option<XmlNode>| -> Vec<String> {
        node.map(|node| {
            node.descendants().filter(|node| node.has_name("v")).map(|node| one_line(&node.text())).collect()
        })
        .unwrap_or_default()
    };
    for series in root.descendants().filter(|node| node.has_name("ser")) {
        let name = values(series.child("tx")).join(" ");
        let categories = values(series.child("cat").or_else(|| series.child("xVal")));
        let points = values(series.child("val").or_else(|| series.child("yVal")));
        if !name.is_empty() {
            text.push(&name)?;
            text.end_line()?;
        }
        for index in 0..categories.len().max(points.len()) {
            let of = |list: &[String]| list.get(index).cloned().unwrap_or_default();
            text.push(&format!("{}\t{}", of(&categories), of(&points)))?;
            text.end_line()?;
        }
    }
    Ok(())
}
