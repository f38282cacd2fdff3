//! OpenDocument: text, presentations and spreadsheets share one vocabulary.

use std::collections::{HashMap, HashSet};

use ibid_domain::MarkKind;

use super::{
    Draft, Reading,
    archive::Archive,
    cells::write_row,
    damaged,
    numbering::written,
    properties,
    text::{clean, decode_xml, one_line},
    xml::Node,
    xml::Tree,
};
use crate::ExtractionError;

pub(super) fn read(bytes: &[u8], reading: &Reading, draft: &mut Draft) -> Result<(), ExtractionError> {
    let mut archive = Archive::open(bytes, reading)?;
    if let Some(manifest) = archive.xml("META-INF/manifest.xml")?
        && manifest.contains("encryption-data")
    {
        return Err(ExtractionError::Encrypted);
    }
    draft.pictures = archive.names().iter().any(|name| name.starts_with("Pictures/"));
    if let Some(source) = archive.xml("meta.xml")? {
        let (tree, _) = Tree::parse_as_far_as_possible(&source, reading.limits)?;
        properties::dublin_core(tree.root(), &mut draft.reference);
    }
    let styles = archive.xml("styles.xml")?.unwrap_or_default();
    let (styles, _) = Tree::parse_as_far_as_possible(&styles, reading.limits)?;
    let content = archive.xml("content.xml")?.ok_or_else(|| damaged("content.xml is missing"))?;
    let content = Tree::parse(&content, reading.limits)?;
    let mut document = Document::new(reading);
    document.lists(styles.root());
    document.lists(content.root());
    document.body(content.root(), draft)?;
    margins(styles.root(), reading, draft)?;
    // Charts and formulas are documents within the document.
    let names: Vec<String> = archive.names().iter().filter(|name| name.ends_with("/content.xml")).cloned().collect();
    for name in names {
        let Some(source) = archive.xml(&name)? else { continue };
        let (tree, _) = Tree::parse_as_far_as_possible(&source, reading.limits)?;
        draft.text.paragraph()?;
        Document::new(reading).blocks(tree.root(), draft, false)?;
    }
    Ok(())
}

/// The same in one XML file.
pub(super) fn read_flat(bytes: &[u8], reading: &Reading, draft: &mut Draft) -> Result<(), ExtractionError> {
    let source = decode_xml(bytes.to_vec());
    let tree = Tree::parse(&source, reading.limits)?;
    if let Some(meta) = tree.root().find("meta") {
        properties::dublin_core(meta, &mut draft.reference);
    }
    let mut document = Document::new(reading);
    document.lists(tree.root());
    document.body(tree.root(), draft)?;
    margins(tree.root(), reading, draft)
}

/// Headers, footers and what stands on master pages, each once.
fn margins(root: Node, reading: &Reading, draft: &mut Draft) -> Result<(), ExtractionError> {
    let mut seen = HashSet::new();
    for master in root.descendants().filter(|node| node.is("master-page")) {
        for part in master.children() {
            // What the outline of a master says are instructions to the author; only its footer is shown.
            let placeholder = part.attr("class").is_some_and(|class| class != "footer" && class != "header");
            let number = part.find("page-number").is_some() && part.text().split_whitespace().count() < 4;
            if placeholder || number || matches!(part.name(), "notes" | "forms") || !seen.insert(one_line(&part.text()))
            {
                continue;
            }
            let mut document = Document::new(reading);
            draft.text.paragraph()?;
            document.blocks(part, draft, false)?;
            document.flush(draft)?;
        }
    }
    draft.text.paragraph()
}

/// How each level of a list is counted; nothing for bullets.
type ListStyle = HashMap<usize, Option<(String, String, String, i64)>>;

struct Document<'a> {
    reading: &'a Reading<'a>,
    lists: HashMap<String, ListStyle>,
    waiting: Vec<String>,
    counters: HashMap<(String, usize), i64>,
}

impl<'a> Document<'a> {
    fn new(reading: &'a Reading<'a>) -> Self {
        Self { reading, lists: HashMap::new(), waiting: Vec::new(), counters: HashMap::new() }
    }

    fn lists(&mut self, root: Node) {
        for style in root.descendants().filter(|node| node.is("list-style")) {
            let Some(name) = style.attr("name") else { continue };
            let mut levels = ListStyle::new();
            for level in style.children() {
                let Some(number) = level.number::<usize>("level") else { continue };
                let numbered = level.is("list-level-style-number").then(|| {
                    let text = |name: &str| level.attr(name).unwrap_or_default();
                    let start = level.number("start-value").unwrap_or(1);
                    (text("num-prefix"), text("num-format"), text("num-suffix"), start)
                });
                levels.insert(number, numbered.filter(|(_, format, _, _)| !format.is_empty()));
            }
            self.lists.insert(name, levels);
        }
    }

    fn body(&mut self, root: Node, draft: &mut Draft) -> Result<(), ExtractionError> {
        let body = root.find("body").ok_or_else(|| damaged("it has no body"))?;
        for kind in body.children() {
            match kind.name() {
                "presentation" | "drawing" => self.slides(kind, draft)?,
                "spreadsheet" => self.sheets(kind, draft)?,
                "" => {}
                _ => self.blocks(kind, draft, false)?,
            }
        }
        self.flush(draft)?;
        draft.text.end_sections(0);
        draft.text.paragraph()
    }

    fn slides(&mut self, parent: Node, draft: &mut Draft) -> Result<(), ExtractionError> {
        let pages: Vec<Node> = parent.children().filter(|node| node.is("page")).collect();
        if pages.len() > self.reading.limits.pages {
            return Err(ExtractionError::TooLarge(format!("it has more than {} slides", self.reading.limits.pages)));
        }
        for (index, page) in pages.into_iter().enumerate() {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            draft.text.paragraph()?;
            let start = draft.text.len();
            let heading = page.children().find(|node| node.attr("class").is_some_and(|class| class == "title"));
            if let Some(heading) = heading.map(|node| one_line(&node.text())).filter(|text| !text.is_empty()) {
                draft.text.section(1, heading);
            }
            self.blocks(page, draft, false)?;
            self.flush(draft)?;
            draft.text.end_sections(0);
            draft.text.mark(MarkKind::Page, number.to_string(), Some(number), start);
        }
        Ok(())
    }

    fn sheets(&mut self, parent: Node, draft: &mut Draft) -> Result<(), ExtractionError> {
        for (index, sheet) in parent.children().filter(|node| node.is("table")).enumerate() {
            let name = one_line(&sheet.attr("name").unwrap_or_default());
            draft.text.paragraph()?;
            let start = draft.text.len();
            draft.text.push(&name)?;
            draft.text.line()?;
            let mut row = 0u32;
            self.sheet_rows(sheet, &mut row, draft)?;
            for note in std::mem::take(&mut self.waiting) {
                draft.text.line()?;
                draft.text.push(&one_line(&note))?;
                draft.text.line()?;
            }
            for shapes in sheet.children().filter(|node| node.is("shapes")) {
                draft.text.line()?;
                self.blocks(shapes, draft, false)?;
            }
            draft.text.mark(MarkKind::Sheet, name, u32::try_from(index + 1).ok(), start);
        }
        Ok(())
    }

    fn sheet_rows(&mut self, parent: Node, row: &mut u32, draft: &mut Draft) -> Result<(), ExtractionError> {
        for node in parent.children() {
            match node.name() {
                "table-row" => {
                    let repeated = node.number::<u32>("number-rows-repeated").unwrap_or(1).max(1);
                    let cells = self.cells(node);
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

    fn cells(&mut self, row: Node) -> Vec<(u32, String)> {
        let mut cells = Vec::new();
        let mut column = 0u32;
        for cell in row.children().filter(|node| matches!(node.name(), "table-cell" | "covered-table-cell")) {
            let repeated = cell.number::<u32>("number-columns-repeated").unwrap_or(1).max(1);
            let mut lines = Vec::new();
            for paragraph in cell.children() {
                let mut line = String::new();
                match paragraph.name() {
                    "p" | "h" => self.inline_one(paragraph, &mut line),
                    "annotation" => self.annotation(paragraph),
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
    fn blocks(&mut self, parent: Node, draft: &mut Draft, in_cell: bool) -> Result<(), ExtractionError> {
        for node in parent.children() {
            match node.name() {
                "h" | "p" => self.paragraph(node, None, draft, in_cell)?,
                "list" => self.list(node, None, 1, draft, in_cell)?,
                "table" => self.table(node, draft)?,
                "tracked-changes" | "forms" | "sequence-decls" | "variable-decls" | "user-field-decls" | "settings"
                | "scripts" | "styles" | "automatic-styles" | "font-face-decls" | "binary-data" | "meta" | "title"
                | "desc" | "" => {}
                "annotation" => self.annotation(node),
                "page-thumbnail" => {}
                _ => self.blocks(node, draft, in_cell)?,
            }
        }
        Ok(())
    }

    fn paragraph(
        &mut self,
        node: Node,
        label: Option<String>,
        draft: &mut Draft,
        in_cell: bool,
    ) -> Result<(), ExtractionError> {
        let mut line = String::new();
        self.inline_one(node, &mut line);
        let line = clean(&line);
        let line = line.trim();
        if line.is_empty() {
            return if in_cell { Ok(()) } else { self.flush(draft) };
        }
        let line = label.map_or_else(|| line.to_owned(), |label| format!("{label} {line}"));
        if in_cell {
            if !draft.text.text().ends_with(['\t', '\n']) && !draft.text.is_empty() {
                draft.text.push("\n")?;
            }
            return draft.text.push(&line);
        }
        if node.is("h") {
            let level = node.number::<u8>("outline-level").unwrap_or(1).clamp(1, 10);
            draft.text.section(level, one_line(&line));
        } else if draft.reference.title.is_none() && node.attr("style-name").is_some_and(|style| style == "Title") {
            draft.reference.title = properties::title(&line);
        }
        draft.text.push(&line)?;
        draft.text.paragraph()?;
        self.flush(draft)
    }

    fn list(
        &mut self,
        list: Node,
        style: Option<&str>,
        level: usize,
        draft: &mut Draft,
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
            if item.is("list-item") {
                let known = self.lists.get(&style).and_then(|levels| levels.get(&level));
                label = match known {
                    Some(Some((prefix, format, suffix, start))) => {
                        let number = match item.number::<i64>("start-value") {
                            Some(start) => start,
                            None => self.counters.get(&counter).map_or(*start, |number| number.saturating_add(1)),
                        };
                        let label = format!("{prefix}{}{suffix}", written(number, format));
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
                    "h" => self.paragraph(node, None, draft, in_cell)?,
                    "p" => self.paragraph(node, label.take(), draft, in_cell)?,
                    "list" => self.list(node, Some(&style), level + 1, draft, in_cell)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn table(&mut self, table: Node, draft: &mut Draft) -> Result<(), ExtractionError> {
        draft.text.line()?;
        self.table_rows(table, draft)?;
        self.flush(draft)?;
        draft.text.paragraph()
    }

    fn table_rows(&mut self, parent: Node, draft: &mut Draft) -> Result<(), ExtractionError> {
        for row in parent.children() {
            if matches!(row.name(), "table-header-rows" | "table-rows" | "table-row-group") {
                self.table_rows(row, draft)?;
            }
            // Rows without words are only drawn.
            if !row.is("table-row") || row.text().trim().is_empty() {
                continue;
            }
            for (index, cell) in row.children().filter(|node| node.is("table-cell")).enumerate() {
                if index > 0 {
                    draft.text.push("\t")?;
                }
                self.blocks(cell, draft, true)?;
            }
            draft.text.push("\n")?;
        }
        Ok(())
    }

    /// The words of one paragraph.
    fn inline_one(&mut self, node: Node, line: &mut String) {
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
                    let count = child.number::<usize>("c").unwrap_or(1).min(100);
                    line.extend(std::iter::repeat_n(' ', count));
                }
                "tab" => line.push('\t'),
                "line-break" => line.push('\n'),
                "note" => {
                    let text = child.child("note-body").map(|body| self.box_text(body)).unwrap_or_default();
                    self.waiting.extend(Some(text).filter(|text| !text.trim().is_empty()));
                }
                "annotation" => self.annotation(child),
                "ruby" => {
                    let part = |name: &str| child.child(name).map(Node::text).unwrap_or_default();
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

    fn annotation(&mut self, node: Node) {
        let text: Vec<String> = node
            .children()
            .filter(|child| matches!(child.name(), "p" | "list"))
            .map(|child| one_line(&child.text()))
            .collect();
        self.waiting.push(text.join("\n"));
    }

    /// The text of a frame or a note, which has paragraphs of its own.
    fn box_text(&mut self, parent: Node) -> String {
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
                        .filter(|cell| cell.is("table-cell"))
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

    fn flush(&mut self, draft: &mut Draft) -> Result<(), ExtractionError> {
        for note in std::mem::take(&mut self.waiting) {
            draft.text.paragraph()?;
            draft.text.push(clean(&note).trim())?;
            draft.text.paragraph()?;
        }
        Ok(())
    }
}
