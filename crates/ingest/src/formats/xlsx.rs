//! Excel, since 2007.

use std::collections::HashMap;

use ibid_domain::MarkKind;
use ibid_language::one_line;

use super::{
    ExtractionContext, ExtractionDraft,
    cells::{parse_cell_name, write_row},
    drawing::{charts_and_diagrams, write_paragraphs},
    number_format::{NumberFormat, builtin_format_code, format_general},
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
    let main = package.main_part("xl/workbook.xml")?;
    package.read_properties(draft)?;
    let source = package.archive.read_xml_entry(&main)?.unwrap_or_default();
    let tree = XmlTree::parse(&source, reading.limits)?;
    let from_1904 = tree
        .root()
        .find_descendant("workbookPr")
        .and_then(|node| node.attr("date1904"))
        .is_some_and(|value| matches!(value.as_str(), "1" | "true"));
    let book = XlsxWorkbook {
        strings: shared_strings(&mut package, &main)?,
        formats: cell_formats(&mut package, &main)?,
        from_1904,
    };
    let sheets = tree.root().find_descendant("sheets");
    for (index, node) in
        sheets.into_iter().flat_map(XmlNode::children).filter(|node| node.has_name("sheet")).enumerate()
    {
        let Some(part) = node.attr_with_prefix("id").map(|id| package.by_id(&main, &id)).transpose()?.flatten() else {
            continue;
        };
        let name = node.attr("name").unwrap_or_default();
        draft.text.end_paragraph()?;
        let start = draft.text.len();
        draft.text.push(&one_line(&name))?;
        draft.text.end_line()?;
        write_sheet(&mut package, &part, &book, draft)?;
        draft.text.add_mark(MarkKind::Sheet, one_line(&name), u32::try_from(index + 1).ok(), start);
    }
    draft.text.end_paragraph()?;
    package.read_embedded_files("xl", draft)
}

struct XlsxWorkbook {
    strings: Vec<String>,
    /// The format of each cell style; nothing where it is the general one.
    formats: Vec<Option<NumberFormat>>,
    from_1904: bool,
}

fn shared_strings(package: &mut OoxmlPackage, main: &str) -> Result<Vec<String>, ExtractionError> {
    let Some(name) = package.related_parts(main, "sharedStrings")?.into_iter().next() else { return Ok(Vec::new()) };
    let Some(source) = package.archive.read_xml_entry(&name)? else { return Ok(Vec::new()) };
    let tree = XmlTree::parse(&source, package.reading.limits)?;
    let strings = tree.root().child("sst");
    Ok(strings.into_iter().flat_map(XmlNode::children).filter(|node| node.has_name("si")).map(rich_text).collect())
}

/// The runs of a string. How it is pronounced is written after it in brackets, as in a dictionary.
fn rich_text(node: XmlNode) -> String {
    let mut text = String::new();
    let mut spoken = String::new();
    for child in node.children() {
        match child.name() {
            "t" => text.push_str(&child.text()),
            "r" => text.extend(child.children().filter(|node| node.has_name("t")).map(XmlNode::text)),
            "rPh" => spoken.push_str(&child.text()),
            _ => {}
        }
    }
    let spoken = one_line(&spoken);
    if !spoken.is_empty() {
        text.push_str(&format!(" ({spoken})"));
    }
    // Characters that XML cannot hold are written as _x000D_.
    if text.contains("_x") { text.replace("_x000D_", "\n").replace("_x000d_", "\n") } else { text }
}

fn cell_formats(package: &mut OoxmlPackage, main: &str) -> Result<Vec<Option<NumberFormat>>, ExtractionError> {
    let Some(name) = package.related_parts(main, "styles")?.into_iter().next() else { return Ok(Vec::new()) };
    let Some(source) = package.archive.read_xml_entry(&name)? else { return Ok(Vec::new()) };
    let (tree, _) = XmlTree::parse_as_far_as_possible(&source, package.reading.limits)?;
    let mut own: HashMap<u32, String> = HashMap::new();
    for node in tree.root().descendants().filter(|node| node.has_name("numFmt")) {
        if let (Some(id), Some(code)) = (node.number_attr("numFmtId"), node.attr("formatCode")) {
            own.insert(id, code);
        }
    }
    let styles = tree.root().find_descendant("cellXfs");
    Ok(styles
        .into_iter()
        .flat_map(XmlNode::children)
        .filter(|node| node.has_name("xf"))
        .map(|node| {
            let id = node.number_attr("numFmtId").unwrap_or(0);
            let code = own.get(&id).map(String::as_str).or_else(|| builtin_format_code(id))?;
            (!code.eq_ignore_ascii_case("general")).then(|| NumberFormat::parse(code))
        })
        .collect())
}

fn write_sheet(
    package: &mut OoxmlPackage,
    part: &str,
    book: &XlsxWorkbook,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let Some(source) = package.archive.read_xml_entry(part)? else { return Ok(()) };
    let mut row = 0;
    let mut margins = Vec::new();
    // Rows are read one by one: sheets can be long.
    XmlTree::parse_each(&source, &["row", "headerFooter"], package.reading.limits, &mut |node| {
        if node.has_name("headerFooter") {
            margins.extend(node.children().map(|node| margin_text(&node.text())));
            return Ok(());
        }
        if let Some(number) = node.number_attr::<u32>("r") {
            row = number.saturating_sub(1);
        }
        let mut column = 0u32;
        let mut cells = Vec::new();
        for cell in node.children().filter(|node| node.has_name("c")) {
            if let Some((at, _)) = cell.attr("r").as_deref().and_then(parse_cell_name) {
                column = at;
            }
            cells.push((column, cell_text(cell, book)));
            column = column.saturating_add(1);
        }
        write_row(&mut draft.text, row, &cells)?;
        row = row.saturating_add(1);
        Ok(())
    })?;
    drop(source);
    write_margins(margins, &mut draft.text)?;
    write_comments(package, part, draft)?;
    for drawing in package.related_parts(part, "drawing")? {
        if let Some(source) = package.archive.read_xml_entry(&drawing)? {
            let (tree, _) = XmlTree::parse_as_far_as_possible(&source, package.reading.limits)?;
            for body in tree.root().descendants().filter(|node| node.has_name("txBody")) {
                draft.text.end_line()?;
                write_paragraphs(body, &mut draft.text)?;
            }
        }
        charts_and_diagrams(package, &drawing, &mut draft.text)?;
    }
    draft.text.end_line()
}

fn cell_text(cell: XmlNode, book: &XlsxWorkbook) -> String {
    let raw = || cell.child("v").map(XmlNode::text).unwrap_or_default();
    match cell.attr("t").as_deref() {
        Some("s") => {
            raw().trim().parse::<usize>().ok().and_then(|index| book.strings.get(index).cloned()).unwrap_or_default()
        }
        Some("inlineStr") => cell.child("is").map(rich_text).unwrap_or_default(),
        Some("b") => if raw().trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
        Some("str" | "e" | "d") => raw(),
        _ => {
            let raw = raw();
            let Ok(number) = raw.trim().parse::<f64>() else { return raw };
            let format =
                cell.number_attr::<usize>("s").and_then(|style| book.formats.get(style)).and_then(Option::as_ref);
            match format {
                Some(format) => format.format_value(number, book.from_1904),
                // Digits are not lost by way of a binary fraction: long whole numbers stay as they are written.
                None if raw.trim().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => raw.trim().to_owned(),
                None => format_general(number),
            }
        }
    }
}

/// Headers and footers of the printed sheet, each once.
fn write_margins(margins: Vec<String>, text: &mut TextBuilder) -> Result<(), ExtractionError> {
    let mut written: Vec<String> = Vec::new();
    for line in margins {
        if !line.is_empty() && !written.contains(&line) {
            text.end_line()?;
            text.push(&line)?;
            text.end_line()?;
            written.push(line);
        }
    }
    Ok(())
}

/// Returns the text of a header or footer without its formatting codes.
pub(super) fn margin_text(code: &str) -> String {
    let mut out = String::new();
    let mut chars = code.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '&' {
            out.push(char);
            continue;
        }
        match chars.next() {
            Some('&') => out.push('&'),
            Some('"') => for _ in chars.by_ref().take_while(|char| *char != '"') {},
            Some('L' | 'C' | 'R') => out.push('\t'),
            Some('K') => {
                for _ in 0..6 {
                    chars.next();
                }
            }
            Some(digit) if digit.is_ascii_digit() => while chars.next_if(char::is_ascii_digit).is_some() {},
            _ => {}
        }
    }
    let line = one_line(&out);
    // "Page &P of &N" is no text without its numbers.
    if matches!(line.as_str(), "Page" | "Page of" | "/" | "Page /") { String::new() } else { line }
}

/// Comments of both kinds, after the rows, with the cell they belong to.
fn write_comments(package: &mut OoxmlPackage, part: &str, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
    let threads = package.related_parts(part, "threadedComment")?;
    // Threads are also kept as old comments, with an instruction to update the program.
    let parts = if threads.is_empty() { package.related_parts(part, "comments")? } else { threads };
    for name in parts {
        let Some(source) = package.archive.read_xml_entry(&name)? else { continue };
        let (tree, _) = XmlTree::parse_as_far_as_possible(&source, package.reading.limits)?;
        for node in tree.root().descendants().filter(|node| matches!(node.name(), "comment" | "threadedComment")) {
            let text = node.child("text").map(|text| {
                if text.child("t").is_some() || text.child("r").is_some() { rich_text(text) } else { text.text() }
            });
            let Some((at, text)) = node.attr("ref").zip(text.map(|text| one_line(&text))) else { continue };
            draft.text.end_line()?;
            let start = draft.text.len();
            draft.text.push(&format!("{at}: {text}"))?;
            draft.text.add_mark(MarkKind::Cells, at, None, start);
        }
    }
    draft.text.end_line()
}
