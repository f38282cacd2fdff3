//! Word, since 2007.

use std::collections::{HashMap, HashSet};

use ibid_language::one_line;

use super::{
    ExtractionContext, ExtractionDraft, drawing::charts_and_diagrams, numbering::Numbering, ooxml::OoxmlPackage,
    properties, text::strip_control_chars, xml::XmlNode, xml::XmlTree,
};
use crate::ExtractionError;

pub(super) fn read(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let mut package = OoxmlPackage::open(bytes, reading)?;
    let main = package.main_part("word/document.xml")?;
    package.read_properties(draft)?;
    let source = package.archive.read_xml_entry(&main)?.unwrap_or_default();
    let tree = XmlTree::parse(&source, reading.limits)?;
    let mut document = DocxReader::new(&mut package, &main)?;
    if let Some(body) = tree.root().find_descendant("body") {
        document.write_blocks(body, draft, false)?;
        document.write_pending_notes(draft)?;
    }
    draft.text.end_sections(0);
    charts_and_diagrams(&mut package, &main, &mut draft.text)?;
    write_headers_and_footers(&mut package, &main, &mut document, draft)?;
    let folder = main.split('/').next().unwrap_or("word").to_owned();
    package.read_embedded_files(&folder, draft)
}

/// Headers and footers, each once: they stand on every page, so they have no place of their own.
fn write_headers_and_footers(
    package: &mut OoxmlPackage,
    main: &str,
    document: &mut DocxReader,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let mut seen = HashSet::new();
    for kind in ["header", "footer"] {
        for name in package.related_parts(main, kind)? {
            let Some(source) = package.archive.read_xml_entry(&name)? else { continue };
            let (tree, _) = XmlTree::parse_as_far_as_possible(&source, package.reading.limits)?;
            let root = tree.root();
            if !seen.insert(one_line(&root.text())) {
                continue;
            }
            for node in root.children() {
                document.write_blocks(node, draft, false)?;
            }
            document.write_pending_notes(draft)?;
            charts_and_diagrams(package, &name, &mut draft.text)?;
        }
    }
    Ok(())
}

struct DocxStyle {
    based_on: Option<String>,
    outline: Option<u8>,
    list: Option<(Option<String>, usize)>,
    title: bool,
}

/// Notes by their id, as the XML that holds them.
type NotesById = HashMap<String, String>;

struct DocxReader {
    styles: HashMap<String, DocxStyle>,
    numbering: Numbering,
    footnotes: NotesById,
    endnotes: NotesById,
    comments: NotesById,
    /// Notes and text boxes met in the paragraph being written; they follow it.
    waiting: Vec<String>,
}

impl DocxReader {
    fn new(package: &mut OoxmlPackage, main: &str) -> Result<Self, ExtractionError> {
        let mut part = |kind: &str| -> Result<Option<String>, ExtractionError> {
            match package.related_parts(main, kind)?.into_iter().next() {
                Some(name) => package.archive.read_xml_entry(&name),
                None => Ok(None),
            }
        };
        let (styles, numbering) = (part("styles")?, part("numbering")?);
        let (footnotes, endnotes, comments) = (part("footnotes")?, part("endnotes")?, part("comments")?);
        let limits = package.reading.limits;
        let mut document = Self {
            styles: HashMap::new(),
            numbering: Numbering::default(),
            footnotes: NotesById::new(),
            endnotes: NotesById::new(),
            comments: NotesById::new(),
            waiting: Vec::new(),
        };
        if let Some(source) = styles {
            let (tree, _) = XmlTree::parse_as_far_as_possible(&source, limits)?;
            document.styles = read_styles(tree.root());
        }
        if let Some(source) = numbering {
            let (tree, _) = XmlTree::parse_as_far_as_possible(&source, limits)?;
            document.numbering = Numbering::new(tree.root());
        }
        for (source, name, kept) in [
            (footnotes, "footnote", &mut document.footnotes),
            (endnotes, "endnote", &mut document.endnotes),
            (comments, "comment", &mut document.comments),
        ] {
            let Some(source) = source else { continue };
            let (tree, _) = XmlTree::parse_as_far_as_possible(&source, limits)?;
            for note in tree.root().descendants().filter(|node| node.has_name(name)) {
                // Separators are notes too, for the program that draws them.
                if note.attr("type").is_none_or(|kind| kind == "normal")
                    && let Some(id) = note.attr("id")
                {
                    kept.insert(id, note_text(note));
                }
            }
        }
        Ok(document)
    }

    /// Writes paragraphs and tables.
    fn write_blocks(
        &mut self,
        parent: XmlNode,
        draft: &mut ExtractionDraft,
        in_cell: bool,
    ) -> Result<(), ExtractionError> {
        for node in parent.children() {
            match node.name() {
                "p" => self.write_paragraph(node, draft, in_cell)?,
                "tbl" => {
                    self.write_table(node, draft)?;
                    if in_cell { draft.text.end_line()? } else { draft.text.end_paragraph()? }
                }
                // What was deleted or moved away is no longer said.
                "del" | "moveFrom" | "sdtPr" | "sectPr" | "pPr" | "rPr" => {}
                "AlternateContent" => {
                    if let Some(choice) = node.child("Choice").or_else(|| node.child("Fallback")) {
                        self.write_blocks(choice, draft, in_cell)?;
                    }
                }
                "" => {}
                _ => self.write_blocks(node, draft, in_cell)?,
            }
        }
        Ok(())
    }

    fn write_table(&mut self, table: XmlNode, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        draft.text.end_line()?;
        // Rows without words are only drawn.
        for row in table_rows(table).into_iter().filter(|row| !row.text().trim().is_empty()) {
            for (index, cell) in row_cells(row).into_iter().enumerate() {
                if index > 0 {
                    draft.text.push("\t")?;
                }
                self.write_blocks(cell, draft, true)?;
            }
            draft.text.push("\n")?;
        }
        self.write_pending_notes(draft)
    }

    fn write_paragraph(
        &mut self,
        paragraph: XmlNode,
        draft: &mut ExtractionDraft,
        in_cell: bool,
    ) -> Result<(), ExtractionError> {
        let properties = paragraph.child("pPr");
        let style = properties.and_then(|node| node.child_val("pStyle"));
        let mut line = String::new();
        self.append_runs(paragraph, &mut line);
        let line = strip_control_chars(&line);
        let line = line.trim();
        if line.is_empty() {
            return if in_cell { Ok(()) } else { self.write_pending_notes(draft) };
        }
        let label = self.list_label(properties, style.as_deref());
        let line = match label {
            Some(label) => format!("{label} {line}"),
            None => line.to_owned(),
        };
        if in_cell {
            // Paragraphs of one cell are lines; the cell's first stands where the row has come to.
            if !draft.text.text().ends_with(['\t', '\n']) && !draft.text.is_empty() {
                draft.text.push("\n")?;
            }
            return draft.text.push(&line);
        }
        if let Some(level) = self.heading_level(properties, style.as_deref()) {
            draft.text.begin_section(level, one_line(&line));
        } else if draft.reference.title.is_none() && self.is_title(style.as_deref()) {
            draft.reference.title = properties::clean_title(&line);
        }
        draft.text.push(&line)?;
        draft.text.end_paragraph()?;
        self.write_pending_notes(draft)
    }

    /// Writes the notes and boxes that waited for their paragraph to end.
    fn write_pending_notes(&mut self, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        for note in std::mem::take(&mut self.waiting) {
            draft.text.end_paragraph()?;
            draft.text.push(strip_control_chars(&note).trim())?;
            draft.text.end_paragraph()?;
        }
        Ok(())
    }

    fn append_runs(&mut self, parent: XmlNode, line: &mut String) {
        for node in parent.children() {
            match node.name() {
                "t" => line.push_str(&node.text()),
                "tab" | "ptab" => line.push('\t'),
                "br" | "cr" => line.push('\n'),
                "noBreakHyphen" => line.push('\u{2011}'),
                "sym" => line.extend(symbol_char(node)),
                "footnoteReference" | "endnoteReference" => {
                    let notes = if node.has_name("footnoteReference") { &self.footnotes } else { &self.endnotes };
                    if let Some(note) = node.attr("id").and_then(|id| notes.get(&id)) {
                        self.waiting.push(note.clone());
                    }
                }
                "commentReference" => {
                    if let Some(note) = node.attr("id").and_then(|id| self.comments.get(&id)) {
                        self.waiting.push(note.clone());
                    }
                }
                "AlternateContent" => {
                    if let Some(choice) = node.child("Choice").or_else(|| node.child("Fallback")) {
                        self.append_runs(choice, line);
                    }
                }
                "txbxContent" => {
                    let text = self.box_text(node);
                    if !text.trim().is_empty() {
                        self.waiting.push(text);
                    }
                }
                "ruby" => {
                    let part = |name: &str| node.child(name).map(XmlNode::text).unwrap_or_default();
                    line.push_str(&format!("{} ({})", part("rubyBase"), part("rt")));
                }
                "del" | "moveFrom" | "delText" | "instrText" | "pPr" | "rPr" | "sdtPr" | "posOffset" | "" => {}
                "docPr" => {
                    if let Some(alt) = node.attr("descr").filter(|text| is_description(text)) {
                        self.waiting.push(alt);
                    }
                }
                _ => self.append_runs(node, line),
            }
        }
    }

    /// The text of a box, which has paragraphs and tables of its own.
    fn box_text(&mut self, parent: XmlNode) -> String {
        let mut text = String::new();
        for node in parent.children() {
            match node.name() {
                "p" => {
                    let mut line = String::new();
                    self.append_runs(node, &mut line);
                    let properties = node.child("pPr");
                    let style = properties.and_then(|node| node.child_val("pStyle"));
                    if !line.trim().is_empty() {
                        if let Some(label) = self.list_label(properties, style.as_deref()) {
                            text.push_str(&format!("{label} "));
                        }
                        text.push_str(line.trim());
                        text.push('\n');
                    }
                }
                "tbl" => {
                    for row in table_rows(node) {
                        let cells: Vec<String> =
                            row_cells(row).into_iter().map(|cell| one_line(&self.box_text(cell))).collect();
                        text.push_str(&cells.join("\t"));
                        text.push('\n');
                    }
                }
                "" | "del" | "moveFrom" | "sdtPr" => {}
                _ => text.push_str(&self.box_text(node)),
            }
        }
        text
    }

    /// The styles from the given one up to where it comes from.
    fn style_chain(&self, id: Option<&str>) -> impl Iterator<Item = &DocxStyle> {
        let mut next = id.map(str::to_owned);
        let mut left = 16;
        std::iter::from_fn(move || {
            let style = self.styles.get(&next.take()?)?;
            left -= 1;
            next = style.based_on.clone().filter(|_| left > 0);
            Some(style)
        })
    }

    fn heading_level(&self, properties: Option<XmlNode>, style: Option<&str>) -> Option<u8> {
        let own = properties.and_then(|node| node.child("outlineLvl")).and_then(|node| node.number_attr::<u8>("val"));
        let level = own.or_else(|| self.style_chain(style).find_map(|style| style.outline))?;
        (level < 9).then_some(level + 1)
    }

    fn is_title(&self, style: Option<&str>) -> bool {
        self.style_chain(style).next().is_some_and(|style| style.title)
    }

    fn list_label(&mut self, properties: Option<XmlNode>, style: Option<&str>) -> Option<String> {
        let own = properties.and_then(|node| node.child("numPr")).map(read_list);
        let of_style = self.style_chain(style).find_map(|style| style.list.clone().filter(|(id, _)| id.is_some()));
        let (id, level) = match (own, of_style) {
            (Some((Some(id), level)), _) => (id, level),
            (Some((None, level)), Some((Some(id), _))) => (id, level),
            (None, Some((Some(id), level))) => (id, level),
            _ => return None,
        };
        (id != "0").then(|| self.numbering.next(&id, level)).flatten()
    }
}

fn table_rows(table: XmlNode) -> Vec<XmlNode> {
    through_wrappers(table, "tr")
}

fn row_cells(row: XmlNode) -> Vec<XmlNode> {
    through_wrappers(row, "tc")
}

/// Rows and cells may stand in content controls and in marks of changes.
fn through_wrappers<'t>(parent: XmlNode<'t>, name: &str) -> Vec<XmlNode<'t>> {
    let mut found = Vec::new();
    for node in parent.children() {
        if node.has_name(name) {
            found.push(node);
        } else if matches!(node.name(), "sdt" | "sdtContent" | "customXml" | "ins" | "smartTag" | "moveTo") {
            found.extend(through_wrappers(node, name));
        }
    }
    found
}

fn read_list(node: XmlNode) -> (Option<String>, usize) {
    (node.child_val("numId"), node.child("ilvl").and_then(|level| level.number_attr("val")).unwrap_or(0))
}

fn read_styles(root: XmlNode) -> HashMap<String, DocxStyle> {
    let mut styles = HashMap::new();
    for node in root.descendants().filter(|node| node.has_name("style")) {
        let Some(id) = node.attr("styleId") else { continue };
        let name = node.child_val("name").unwrap_or_default().to_lowercase();
        let properties = node.child("pPr");
        let named = name.strip_prefix("heading ").and_then(|level| level.parse::<u8>().ok());
        let said = properties.and_then(|node| node.child("outlineLvl")).and_then(|node| node.number_attr::<u8>("val"));
        styles.insert(
            id,
            DocxStyle {
                based_on: node.child_val("basedOn"),
                outline: said.or_else(|| named.map(|level| level.saturating_sub(1))),
                list: properties.and_then(|node| node.child("numPr")).map(read_list),
                title: name == "title",
            },
        );
    }
    styles
}

fn note_text(note: XmlNode) -> String {
    let mut text = String::new();
    for node in note.descendants() {
        match node.name() {
            "p" if !text.is_empty() && !text.ends_with('\n') => text.push('\n'),
            "t" => text.push_str(&node.text()),
            "tab" => text.push('\t'),
            "br" => text.push('\n'),
            _ => {}
        }
    }
    text
}

/// Descriptions that people wrote, not names that programs gave.
fn is_description(text: &str) -> bool {
    text.split_whitespace().count() > 2 && !text.contains("automatically generated")
}

/// A character of a symbol font.
fn symbol_char(node: XmlNode) -> Option<char> {
    let code = u32::from_str_radix(&node.attr("char")?, 16).ok()?;
    let font = node.attr("font").unwrap_or_default().to_lowercase();
    let code = if (0xf000..=0xf0ff).contains(&code) { code - 0xf000 } else { code };
    match (font.as_str(), code) {
        ("symbol", 0x61..=0x7a) => "αβχδεφγηιϕκλμνοπθρστυϖωξψζ".chars().nth(code as usize - 0x61),
        ("symbol", 0xb7) => Some('•'),
        ("symbol", 0xb1) => Some('±'),
        ("symbol", 0xa3) => Some('≤'),
        ("symbol", 0xb3) => Some('≥'),
        ("symbol", 0xae) => Some('→'),
        ("wingdings", 0xfc) => Some('✓'),
        ("wingdings", 0xe0) => Some('→'),
        ("wingdings" | "wingdings 2" | "wingdings 3" | "webdings", _) => Some('•'),
        _ => char::from_u32(code).filter(|char| !char.is_control()),
    }
}
