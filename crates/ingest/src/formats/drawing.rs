//! Text in the drawings of Office: shapes, tables on slides, charts, diagrams.

use super::{ooxml::Package, text::one_line, xml::Node, xml::Tree};
use crate::{ExtractionError, TextBuilder};

/// Writes the paragraphs of a text body, each on its own line.
pub(super) fn paragraphs(body: Node, text: &mut TextBuilder) -> Result<(), ExtractionError> {
    for paragraph in body.children().filter(|node| node.is("p")) {
        let line = paragraph_text(paragraph);
        if !line.trim().is_empty() {
            text.push(line.trim())?;
            text.line()?;
        }
    }
    Ok(())
}

pub(super) fn paragraph_text(paragraph: Node) -> String {
    let mut line = String::new();
    for node in paragraph.descendants() {
        match node.name() {
            "t" => line.push_str(&node.text()),
            "br" => line.push('\n'),
            "tab" => line.push('\t'),
            _ => {}
        }
    }
    super::text::clean(&line).into_owned()
}

/// Writes a table of a slide, row by row.
pub(super) fn table(table: Node, text: &mut TextBuilder) -> Result<(), ExtractionError> {
    for row in table.children().filter(|node| node.is("tr")) {
        let cells: Vec<String> = row
            .children()
            .filter(|node| node.is("tc"))
            .map(|cell| {
                let lines = cell.descendants().filter(|node| node.is("p")).map(|node| one_line(&paragraph_text(node)));
                lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
            })
            .collect();
        text.push(&cells.join("\t"))?;
        text.line()?;
    }
    Ok(())
}

/// Writes the words and numbers of charts and diagrams that a part points at.
pub(super) fn charts_and_diagrams(
    package: &mut Package,
    part: &str,
    text: &mut TextBuilder,
) -> Result<(), ExtractionError> {
    for kind in ["chart", "chartEx", "diagramData"] {
        for name in package.related(part, kind)? {
            let Some(source) = package.archive.xml(&name)? else { continue };
            let (tree, _) = Tree::parse_as_far_as_possible(&source, package.reading.limits)?;
            text.paragraph()?;
            if kind == "diagramData" {
                diagram(tree.root(), text)?
            } else {
                chart(tree.root(), text)?
            }
            text.paragraph()?;
        }
    }
    Ok(())
}

fn diagram(root: Node, text: &mut TextBuilder) -> Result<(), ExtractionError> {
    for body in root.descendants().filter(|node| node.is("t") && node.child("p").is_some()) {
        paragraphs(body, text)?;
    }
    Ok(())
}

/// A title, then for each series its name and its points.
fn chart(root: Node, text: &mut TextBuilder) -> Result<(), ExtractionError> {
    for title in root.descendants().filter(|node| node.is("title")) {
        for paragraph in title.descendants().filter(|node| node.is("p")) {
            text.push(&one_line(&paragraph_text(paragraph)))?;
            text.line()?;
        }
    }
    let values = |node: Option<Node>| -> Vec<String> {
        node.map(|node| node.descendants().filter(|node| node.is("v")).map(|node| one_line(&node.text())).collect())
            .unwrap_or_default()
    };
    for series in root.descendants().filter(|node| node.is("ser")) {
        let name = values(series.child("tx")).join(" ");
        let categories = values(series.child("cat").or_else(|| series.child("xVal")));
        let points = values(series.child("val").or_else(|| series.child("yVal")));
        if !name.is_empty() {
            text.push(&name)?;
            text.line()?;
        }
        for index in 0..categories.len().max(points.len()) {
            let of = |list: &[String]| list.get(index).cloned().unwrap_or_default();
            text.push(&format!("{}\t{}", of(&categories), of(&points)))?;
            text.line()?;
        }
    }
    Ok(())
}
