//! OpenDocument: text, presentations and spreadsheets share one vocabulary.

use std::collections::{HashMap, HashSet};

use ibid_domain::MarkKind;
use ibid_language::one_line;

use super::{
    ExtractionContext, ExtractionDraft,
    archive::ZipContainer,
    cells::write_row,
    damaged_file,
    numbering::format_list_number,
    properties,
    text::{decode_xml, strip_control_chars},
    xml::XmlNode,
    xml::XmlTree,
};
use crate::ExtractionError;

pub(super) fn read(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let mut archive = ZipContainer::open(bytes, reading)?;
    if let Some(manifest) = archive.read_xml_entry("META-INF/manifest.xml")?
        && manifest.contains("encryption-data")
    {
        return Err(ExtractionError::Encrypted);
    }
    draft.pictures = archive.entry_names().iter().any(|name| name.starts_with("Pictures/"));
    if let Some(source) = archive.read_xml_entry("meta.xml")? {
        let (tree, _) = XmlTree::parse_as_far_as_possible(&source, reading.limits)?;
        properties::dublin_core(tree.root(), &mut draft.reference);
    }
    let styles = archive.read_xml_entry("styles.xml")?.unwrap_or_default();
    let (styles, _) = XmlTree::parse_as_far_as_possible(&styles, reading.limits)?;
    let content = archive.read_xml_entry("content.xml")?.ok_or_else(|| damaged_file("content.xml is missing"))?;
    let content = XmlTree::parse(&content, reading.limits)?;
    let mut document = OdfReader::new(reading);
    document.read_list_styles(styles.root());
    document.read_list_styles(content.root());
    document.write_body(content.root(), draft)?;
    write_headers_and_footers(styles.root(), reading, draft)?;
    // Charts and formulas are documents within the document.
    let names: Vec<String> =
        archive.entry_names().iter().filter(|name| name.ends_with("/content.xml")).cloned().collect();
    for name in names {
        let Some(source) = archive.read_xml_entry(&name)? else { continue };
        let (tree, _) = XmlTree::parse_as_far_as_possible(&source, reading.limits)?;
        draft.text.end_paragraph()?;
        OdfReader::new(reading).write_blocks(tree.root(), draft, false)?;
    }
    Ok(())
}

/// Reads an OpenDocument file that is one XML file instead of a zip.
pub(super) fn read_flat(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let source = decode_xml(bytes.to_vec());
    let tree = XmlTree::parse(&source, reading.limits)?;
    if let Some(meta) = tree.root().find_descendant("meta") {
        properties::dublin_core(meta, &mut draft.reference);
    }
    let mut document = OdfReader::new(reading);
    document.read_list_styles(tree.root());
    document.write_body(tree.root(), draft)?;
    write_headers_and_footers(tree.root(), reading, draft)
}

/// Headers, footers and what stands on master pages, each once.
fn write_headers_and_footers(
    root: XmlNode,
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let mut seen = HashSet::new();
    for master in root.descendants().filter(|node| node.has_name("master-page")) {
        for part in master.children() {
            // What the outline of a master says are instructions to the author; only its footer is shown.
            let placeholder = part.attr("class").is_some_and(|class| class != "footer" && class != "header");
            let number = part.find_descendant("page-number").is_some() && part.text().split_whitespace().count() < 4;
            if placeholder || number || matches!(part.name(), "notes" | "forms") || !seen.insert(one_line(&part.text()))
            {
                continue;
            }
            let mut document = OdfReader::new(reading);
            draft.text.end_paragraph()?;
            document.write_blocks(part, draft, false)?;
            document.write_pending_notes(draft)?;
        }
    }
    draft.text.end_paragraph()
}

/// Prefix, format, suffix and first number of each list level; `None` for bullets.
type ListStyle = HashMap<usize, Option<(String, String, String, i64)>>;

struct OdfReader<'a> {
    reading: &'a ExtractionContext<'a>,
    lists: HashMap<String, ListStyle>,
    waiting: Vec<String>,
    counters: HashMap<(String, usize), i64>,
}

impl<'a> OdfReader<'a> {
    fn new(reading: &'a ExtractionContext<'a>) -> Self {
        Self { reading, lists: HashMap::new(), waiting: Vec::new(), counters: HashMap::new() }
    }

    fn read_list_styles(&mut self, root: XmlNode) {
        for style in root.descendants().filter(|node| node.has_name("list-style")) {
            let Some(name) = style.attr("name") else { continue };
            let mut levels = ListStyle::new();
            for level in style.children() {
                let Some(number) = level.number_attr::<usize>("level") else { continue };
                let numbered = level.has_name("list-level-style-number").then(|| {
                    let text = |name: &str| level.attr(name).unwrap_or_default();
                    let start = level.number_attr("start-value").unwrap_or(1);
                    (text("num-prefix"), text("num-format"), text("num-suffix"), start)
                });
                levels.insert(number, numbered.filter(|(_, format, _, _)| !format.is_empty()));
            }
            self.lists.insert(name, levels);
        }
    }

    fn write_body(&mut self, root: XmlNode, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        let body = root.find_descendant("body").ok_or_else(|| damaged_file("it has no body"))?;
        for kind in body.children() {
            match kind.name() {
                "presentation" | "drawing" => self.write_slides(kind, draft)?,
                "spreadsheet" => self.write_sheets(kind, draft)?,
                "" => {}
                _ => self.write_blocks(kind, draft, false)?,
            }
        }
        self.write_pending_notes(draft)?;
        draft.text.end_sections(0);
        draft.text.end_paragraph()
    }

    fn write_slides(&mut self, parent: XmlNode, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        let pages: Vec<XmlNode> = parent.children().filter(|node| node.has_name("page")).collect();
        if pages.len() > self.reading.limits.pages {
            return Err(ExtractionError::TooLarge(format!("it has more than {} slides", self.reading.limits.pages)));
        }
        for (index, page) in pages.into_iter().enumerate() {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            draft.text.end_paragraph()?;
            let start = draft.text.len();
            let heading = page.children().find(|node| node.attr("class").is_some_and(|class| class == "title"));
            if let Some(heading) = heading.map(|node| one_line(&node.text())).filter(|text| !text.is_empty()) {
                draft.text.begin_section(1, heading);
            }
            self.write_blocks(page, draft, false)?;
            self.write_pending_notes(draft)?;
            draft.text.end_sections(0);
            draft.text.add_mark(MarkKind::Page, number.to_string(), Some(number), start);
        }
        Ok(())
    }

    fn write_sheets(&mut self, parent: XmlNode, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        for (index, sheet) in parent.children().filter(|node| node.has_name("table")).enumerate() {
            let name = one_line(&sheet.attr("name").unwrap_or_default());
            draft.text.end_paragraph()?;
            let start = draft.text.len();
            draft.text.push(&name)?;
            draft.text.end_line()?;
            let mut row = 0u32;
            self.sheet_rows(sheet, &mut row, draft)?;
            for note in std::mem::take(&mut self.waiting) {
                draft.text.end_line()?;
                draft.text.push(&one_line(&note))?;
                draft.text.end_line()?;
            }
            for shapes in sheet.children().filter(|node| node.has_name("shapes")) {
                draft.text.end_line()?;
                self.write_blocks(shapes, draft, false)?;
            }
            draft.text.add_mark(MarkKind::Sheet, name, u32::try_from(index + 1).ok(), start);
        }
        Ok(())
    }

    fn sheet_rows(
        &mut self,
        parent: XmlNode,
        row: &mut u32,
        draft: &mut ExtractionDraft,
    ) -> Result<(), ExtractionError> {
        for node in parent.children() {
            match node.name() {
                "table-row" => {
                    let repeated = node.number_attr::<u32>("number-rows-repeated").unwrap_or(1).max(1);
                    let cells = self.read_row_cells(node);
                    let filled = cells.iter().any(|(_, value)| !value.trim().is_empty());
                    // A thousand copies of a row say no more than a few; empty ones say nothing.
                    for copy in 0..if filled { repeated.min(100) } else { 0 } {
                        write_row(&mut draft.text, row.saturating_add(copy), &cells)?;
                    }
                    *row = row.saturating_add(repeated);
                }
                "table-row-group" | "table-header-rows" | "table-rows" => self.sheet_rows(node, row, draft)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn read_row_cells(&mut self, row: XmlNode) -> Vec<(u32, String)> {
        let mut cells = Vec::new();
        let mut column = 0u32;
        for cell in row.children().filter(|node| matches!(node.name(), "table-cell" | "covered-table-cell")) {
            let repeated = cell.number_attr::<u32>("number-columns-repeated").unwrap_or(1).max(1);
            let mut lines = Vec::new();
            for paragraph in cell.children() {
                let mut line = String::new();
                match paragraph.name() {
                    "p" | "h" => self.inline_one(paragraph, &mut line),
                    "annotation" => self.queue_annotation(paragraph),
                    "frame" | "custom-shape" | "g" => {
                        let text = self.box_text(paragraph);
                        self.waiting.extend(Some(text).filter(|text| !text.trim().is_empty()));
                    }
                    _ => {}
                }
                if !line.is_empty() {
                    lines.push(line);
                }
            }
            let value = lines.join(" ");
            if !value.trim().is_empty() {
                for copy in 0..repeated.min(100) {
                    cells.push((column.saturating_add(copy), value.clone()));
                }
            }
            column = column.saturating_add(repeated);
        }
        cells
    }

    /// Writes paragraphs, headings, lists, tables and what holds them.
    fn write_blocks(
        &mut self,
        parent: XmlNode,
        draft: &mut ExtractionDraft,
        in_cell: bool,
    ) -> Result<(), ExtractionError> {
        for node in parent.children() {
            match node.name() {
                "h" | "p" => self.write_paragraph(node, None, draft, in_cell)?,
                "list" => self.write_list(node, None, 1, draft, in_cell)?,
                "table" => self.write_table(node, draft)?,
                "tracked-changes" | "forms" | "sequence-decls" | "variable-decls" | "user-field-decls" | "settings"
                | "scripts" | "styles" | "automatic-styles" | "font-face-decls" | "binary-data" | "meta" | "title"
                | "desc" | "" => {}
                "annotation" => self.queue_annotation(node),
                "page-thumbnail" => {}
                _ => self.write_blocks(node, draft, in_cell)?,
            }
        }
        Ok(())
    }

    fn write_paragraph(
        &mut self,
        node: XmlNode,
        label: Option<String>,
        draft: &mut ExtractionDraft,
        in_cell: bool,
    ) -> Result<(), ExtractionError> {
        let mut line = String::new();
        self.inline_one(node, &mut line);
        let line = strip_control_chars(&line);
        let line = line.trim();
        if line.is_empty() {
            return if in_cell { Ok(()) } else { self.write_pending_notes(draft) };
        }
        let line = label.map_or_else(|| line.to_owned(), |label| format!("{label} {line}"));
        if in_cell {
            if !draft.text.text().ends_with(['\t', '\n']) && !draft.text.is_empty() {
                draft.text.push("\n")?;
            }
            return draft.text.push(&line);
        }
        if node.has_name("h") {
            let level = node.number_attr::<u8>("outline-level").unwrap_or(1).clamp(1, 10);
            draft.text.begin_section(level, one_line(&line));
        } else if draft.reference.title.is_none() && node.attr("style-name").is_some_and(|style| style == "Title") {
            draft.reference.title = properties::clean_title(&line);
        }
        draft.text.push(&line)?;
        draft.text.end_paragraph()?;
        self.write_pending_notes(draft)
    }

    fn write_list(
        &mut self,
        list: XmlNode,
        style: Option<&str>,
        level: usize,
        draft: &mut ExtractionDraft,
        in_cell: bool,
    ) -> Result<(), ExtractionError> {
        let own = list.attr("style-name");
        let style = own.as_deref().or(style).unwrap_or_default().to_owned();
        let counter = (style.clone(), level);
        if list.attr("continue-numbering").is_none_or(|value| value != "true") && list.attr("continue-list").is_none() {
            self.counters.remove(&counter);
        }
        for item in list.children().filter(|node| matches!(node.name(), "list-item" | "list-header")) {
            let mut label = None;
            if item.has_name("list-item") {
                let known = self.lists.get(&style).and_then(|levels| levels.get(&level));
                label = match known {
                    Some(Some((prefix, format, suffix, start))) => {
                        let number = match item.number_attr::<i64>("start-value") {
                            Some(start) => start,
                            None => self.counters.get(&counter).map_or(*start, |number| number.saturating_add(1)),
                        };
                        let label = format!("{prefix}{}{suffix}", format_list_number(number, format));
                        self.counters.insert(counter.clone(), number);
                        Some(label.trim().to_owned())
                    }
                    Some(None) => Some("•".to_owned()),
                    None => None,
                };
            }
            for node in item.children() {
                match node.name() {
                    // A heading in a list is numbered by the outline; its label is not part of its name.
                    "h" => self.write_paragraph(node, None, draft, in_cell)?,
                    "p" => self.write_paragraph(node, label.take(), draft, in_cell)?,
                    "list" => self.write_list(node, Some(&style), level + 1, draft, in_cell)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn write_table(&mut self, table: XmlNode, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        draft.text.end_line()?;
        self.table_rows(table, draft)?;
        self.write_pending_notes(draft)?;
        draft.text.end_paragraph()
    }

    fn table_rows(&mut self, parent: XmlNode, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        for row in parent.children() {
            if matches!(row.name(), "table-header-rows" | "table-rows" | "table-row-group") {
                self.table_rows(row, draft)?;
            }
            // Rows without words are only drawn.
            if !row.has_name("table-row") || row.text().trim().is_empty() {
                continue;
            }
            for (index, cell) in row.children().filter(|node| node.has_name("table-cell")).enumerate() {
                if index > 0 {
                    draft.text.push("\t")?;
                }
                self.write_blocks(cell, draft, true)?;
            }
            draft.text.push("\n")?;
        }
        Ok(())
    }

    /// The words of one paragraph.
    fn inline_one(&mut self, node: XmlNode, line: &mut String) {
        for child in node.children() {
            if let Some(text) = child.as_text() {
                // Blank space in the file is layout of the file; what counts as such has elements of its own.
                for (index, word) in text.split([' ', '\n', '\t', '\r']).enumerate() {
                    if index > 0 && !line.ends_with([' ', '\n']) {
                        line.push(' ');
                    }
                    line.push_str(word);
                }
                continue;
            }
            match child.name() {
                "s" => {
                    let count = child.number_attr::<usize>("c").unwrap_or(1).min(100);
                    line.extend(std::iter::repeat_n(' ', count));
                }
                "tab" => line.push('\t'),
                "line-break" => line.push('\n'),
                "note" => {
                    let text = child.child("note-body").map(|body| self.box_text(body)).unwrap_or_default();
                    self.waiting.extend(Some(text).filter(|text| !text.trim().is_empty()));
                }
                "annotation" => self.queue_annotation(child),
                "ruby" => {
                    let part = |name: &str| child.child(name).map(XmlNode::text).unwrap_or_default();
                    line.push_str(&format!("{} ({})", part("ruby-base"), part("ruby-text")));
                }
                "frame" | "text-box" | "custom-shape" | "rect" | "g" | "shape" | "ellipse" | "polygon" | "line" => {
                    let text = self.box_text(child);
                    self.waiting.extend(Some(text).filter(|text| !text.trim().is_empty()));
                }
                // Filled in by the program, differently on every page.
                "page-number" | "page-count" | "sheet-name" | "page-continuation" => {}
                "annotation-end" | "tracked-changes" | "binary-data" => {}
                _ => self.inline_one(child, line),
            }
        }
    }

    fn queue_annotation(&mut self, node: XmlNode) {
        let text: Vec<String> = node
            .children()
            .filter(|child| matches!(child.name(), "p" | "list"))
            .map(|child| one_line(&child.text()))
            .collect();
        self.waiting.push(text.join("\n"));
    }

    /// The text of a frame or a note, which has paragraphs of its own.
    fn box_text(&mut self, parent: XmlNode) -> String {
        let mut text = String::new();
        for node in parent.children() {
            match node.name() {
                "p" | "h" => {
                    let mut line = String::new();
                    self.inline_one(node, &mut line);
                    if !line.trim().is_empty() {
                        text.push_str(line.trim());
                        text.push('\n');
                    }
                }
                "table-row" => {
                    let cells: Vec<String> = node
                        .children()
                        .filter(|cell| cell.has_name("table-cell"))
                        .map(|cell| one_line(&self.box_text(cell)))
                        .collect();
                    text.push_str(&cells.join("\t"));
                    text.push('\n');
                }
                "" | "binary-data" | "title" => {}
                "desc" => {
                    let said = one_line(&node.text());
                    if said.split_whitespace().count() > 2 {
                        text.push_str(&said);
                        text.push('\n');
                    }
                }
                _ => text.push_str(&self.box_text(node)),
            }
        }
        text
    }

    fn write_pending_notes(&mut self, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        for note in std::mem::take(&mut self.waiting) {
            draft.text.end_paragraph()?;
            draft.text.push(strip_control_chars(&note).trim())?;
            draft.text.end_paragraph()?;
        }
        Ok(())
    }
}
