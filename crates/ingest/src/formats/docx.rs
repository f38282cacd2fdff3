//! Word, since 2007.

use std::collections::{HashMap, HashSet};

use super::{
    Draft, Reading,
    drawing::charts_and_diagrams,
    numbering::Numbering,
    ooxml::Package,
    properties,
    text::{clean, one_line},
    xml::Node,
    xml::Tree,
};
use crate::ExtractionError;

pub(super) fn read(bytes: &[u8], reading: &Reading, draft: &mut Draft) -> Result<(), ExtractionError> {
    let mut package = Package::open(bytes, reading)?;
    let main = package.main_part("word/document.xml")?;
    package.properties(draft)?;
    let source = package.archive.xml(&main)?.unwrap_or_default();
    let tree = Tree::parse(&source, reading.limits)?;
    let mut document = Document::new(&mut package, &main)?;
    if let Some(body) = tree.root().find("body") {
        document.blocks(body, draft, false)?;
        document.flush(draft)?;
    }
    draft.text.end_sections(0);
    charts_and_diagrams(&mut package, &main, &mut draft.text)?;
    margins(&mut package, &main, &mut document, draft)?;
    let folder = main.split('/').next().unwrap_or("word").to_owned();
    package.embedded(&folder, draft)
}

/// Headers and footers, each once: they stand on every page, so they have no place of their own.
fn margins(
    package: &mut Package,
    main: &str,
    document: &mut Document,
    draft: &mut Draft,
) -> Result<(), ExtractionError> {
    let mut seen = HashSet::new();
    for kind in ["header", "footer"] {
        for name in package.related(main, kind)? {
            let Some(source) = package.archive.xml(&name)? else { continue };
            let (tree, _) = Tree::parse_as_far_as_possible(&source, package.reading.limits)?;
            let root = tree.root();
            if !seen.insert(one_line(&root.text())) {
                continue;
            }
            for node in root.children() {
                document.blocks(node, draft, false)?;
            }
            document.flush(draft)?;
            charts_and_diagrams(package, &name, &mut draft.text)?;
        }
    }
    Ok(())
}

struct Style {
    based_on: Option<String>,
    outline: Option<u8>,
    list: Option<(Option<String>, usize)>,
    title: bool,
}

/// Notes by their id, as the XML that holds them.
type Notes = HashMap<String, String>;

struct Document {
    styles: HashMap<String, Style>,
    numbering: Numbering,
    footnotes: Notes,
    endnotes: Notes,
    comments: Notes,
    /// Notes and text boxes met in the paragraph being written; they follow it.
    waiting: Vec<String>,
}

impl Document {
    fn new(package: &mut Package, main: &str) -> Result<Self, ExtractionError> {
        let mut part = |kind: &str| -> Result<Option<String>, ExtractionError> {
            match package.related(main, kind)?.into_iter().next() {
                Some(name) => package.archive.xml(&name),
                None => Ok(None),
            }
        };
        let (styles, numbering) = (part("styles")?, part("numbering")?);
        let (footnotes, endnotes, comments) = (part("footnotes")?, part("endnotes")?, part("comments")?);
        let limits = package.reading.limits;
        let mut document = Self {
            styles: HashMap::new(),
            numbering: Numbering::default(),
            footnotes: Notes::new(),
            endnotes: Notes::new(),
            comments: Notes::new(),
            waiting: Vec::new(),
        };
        if let Some(source) = styles {
            let (tree, _) = Tree::parse_as_far_as_possible(&source, limits)?;
            document.styles = read_styles(tree.root());
        }
        if let Some(source) = numbering {
            let (tree, _) = Tree::parse_as_far_as_possible(&source, limits)?;
            document.numbering = Numbering::new(tree.root());
        }
        for (source, name, kept) in [
            (footnotes, "footnote", &mut document.footnotes),
            (endnotes, "endnote", &mut document.endnotes),
            (comments, "comment", &mut document.comments),
        ] {
            let Some(source) = source else { continue };
            let (tree, _) = Tree::parse_as_far_as_possible(&source, limits)?;
            for note in tree.root().descendants().filter(|node| node.is(name)) {
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
    fn blocks(&mut self, parent: Node, draft: &mut Draft, in_cell: bool) -> Result<(), ExtractionError> {
        for node in parent.children() {
            match node.name() {
                "p" => self.paragraph(node, draft, in_cell)?,
                "tbl" => {
                    self.table(node, draft)?;
                    if in_cell { draft.text.line()? } else { draft.text.paragraph()? }
                }
                // What was deleted or moved away is no longer said.
                "del" | "moveFrom" | "sdtPr" | "sectPr" | "pPr" | "rPr" => {}
                "AlternateContent" => {
                    if let Some(choice) = node.child("Choice").or_else(|| node.child("Fallback")) {
                        self.blocks(choice, draft, in_cell)?;
                    }
                }
                "" => {}
                _ => self.blocks(node, draft, in_cell)?,
            }
        }
        Ok(())
    }

    fn table(&mut self, table: Node, draft: &mut Draft) -> Result<(), ExtractionError> {
        draft.text.line()?;
        // Rows without words are only drawn.
        for row in rows(table).into_iter().filter(|row| !row.text().trim().is_empty()) {
            for (index, cell) in cells(row).into_iter().enumerate() {
                if index > 0 {
                    draft.text.push("\t")?;
                }
                self.blocks(cell, draft, true)?;
            }
            draft.text.push("\n")?;
        }
        self.flush(draft)
    }

    fn paragraph(&mut self, paragraph: Node, draft: &mut Draft, in_cell: bool) -> Result<(), ExtractionError> {
        let properties = paragraph.child("pPr");
        let style = properties.and_then(|node| node.value("pStyle"));
        let mut line = String::new();
        self.runs(paragraph, &mut line);
        let line = clean(&line);
        let line = line.trim();
        if line.is_empty() {
            return if in_cell { Ok(()) } else { self.flush(draft) };
        }
        let label = self.label(properties, style.as_deref());
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
        if let Some(level) = self.heading(properties, style.as_deref()) {
            draft.text.section(level, one_line(&line));
        } else if draft.reference.title.is_none() && self.is_title(style.as_deref()) {
            draft.reference.title = properties::title(&line);
        }
        draft.text.push(&line)?;
        draft.text.paragraph()?;
        self.flush(draft)
    }

    /// Writes the notes and boxes that waited for their paragraph to end.
    fn flush(&mut self, draft: &mut Draft) -> Result<(), ExtractionError> {
        for note in std::mem::take(&mut self.waiting) {
            draft.text.paragraph()?;
            draft.text.push(clean(&note).trim())?;
            draft.text.paragraph()?;
        }
        Ok(())
    }

    fn runs(&mut self, parent: Node, line: &mut String) {
        for node in parent.children() {
            match node.name() {
                "t" => line.push_str(&node.text()),
                "tab" | "ptab" => line.push('\t'),
                "br" | "cr" => line.push('\n'),
                "noBreakHyphen" => line.push('\u{2011}'),
                "sym" => line.extend(symbol(node)),
                "footnoteReference" | "endnoteReference" => {
                    let notes = if node.is("footnoteReference") { &self.footnotes } else { &self.endnotes };
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
                        self.runs(choice, line);
                    }
                }
                "txbxContent" => {
                    let text = self.box_text(node);
                    if !text.trim().is_empty() {
                        self.waiting.push(text);
                    }
                }
                "ruby" => {
                    let part = |name: &str| node.child(name).map(Node::text).unwrap_or_default();
                    line.push_str(&format!("{} ({})", part("rubyBase"), part("rt")));
                }
                "del" | "moveFrom" | "delText" | "instrText" | "pPr" | "rPr" | "sdtPr" | "posOffset" | "" => {}
                "docPr" => {
                    if let Some(alt) = node.attr("descr").filter(|text| is_description(text)) {
                        self.waiting.push(alt);
                    }
                }
                _ => self.runs(node, line),
            }
        }
    }

    /// The text of a box, which has paragraphs and tables of its own.
    fn box_text(&mut self, parent: Node) -> String {
        let mut text = String::new();
        for node in parent.children() {
            match node.name() {
                "p" => {
                    let mut line = String::new();
                    self.runs(node, &mut line);
                    let properties = node.child("pPr");
                    let style = properties.and_then(|node| node.value("pStyle"));
                    if !line.trim().is_empty() {
                        if let Some(label) = self.label(properties, style.as_deref()) {
                            text.push_str(&format!("{label} "));
                        }
                        text.push_str(line.trim());
                        text.push('\n');
                    }
                }
                "tbl" => {
                    for row in rows(node) {
                        let cells: Vec<String> =
                            cells(row).into_iter().map(|cell| one_line(&self.box_text(cell))).collect();
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
    fn styles(&self, id: Option<&str>) -> impl Iterator<Item = &Style> {
        let mut next = id.map(str::to_owned);
        let mut left = 16;
        std::iter::from_fn(move || {
            let style = self.styles.get(&next.take()?)?;
            left -= 1;
            next = style.based_on.clone().filter(|_| left > 0);
            Some(style)
        })
    }

    fn heading(&self, properties: Option<Node>, style: Option<&str>) -> Option<u8> {
        let own = properties.and_then(|node| node.child("outlineLvl")).and_then(|node| node.number::<u8>("val"));
        let level = own.or_else(|| self.styles(style).find_map(|style| style.outline))?;
        (level < 9).then_some(level + 1)
    }

    fn is_title(&self, style: Option<&str>) -> bool {
        self.styles(style).next().is_some_and(|style| style.title)
    }

    fn label(&mut self, properties: Option<Node>, style: Option<&str>) -> Option<String> {
        let own = properties.and_then(|node| node.child("numPr")).map(read_list);
        let of_style = self.styles(style).find_map(|style| style.list.clone().filter(|(id, _)| id.is_some()));
        let (id, level) = match (own, of_style) {
            (Some((Some(id), level)), _) => (id, level),
            (Some((None, level)), Some((Some(id), _))) => (id, level),
            (None, Some((Some(id), level))) => (id, level),
            _ => return None,
        };
        (id != "0").then(|| self.numbering.next(&id, level)).flatten()
    }
}

fn rows(table: Node) -> Vec<Node> {
    through_wrappers(table, "tr")
}

fn cells(row: Node) -> Vec<Node> {
    through_wrappers(row, "tc")
}

/// Rows and cells may stand in content controls and in marks of changes.
fn through_wrappers<'t>(parent: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    for node in parent.children() {
        if node.is(name) {
            found.push(node);
        } else if matches!(node.name(), "sdt" | "sdtContent" | "customXml" | "ins" | "smartTag" | "moveTo") {
            found.extend(through_wrappers(node, name));
        }
    }
    found
}

fn read_list(node: Node) -> (Option<String>, usize) {
    (node.value("numId"), node.child("ilvl").and_then(|level| level.number("val")).unwrap_or(0))
}

fn read_styles(root: Node) -> HashMap<String, Style> {
    let mut styles = HashMap::new();
    for node in root.descendants().filter(|node| node.is("style")) {
        let Some(id) = node.attr("styleId") else { continue };
        let name = node.value("name").unwrap_or_default().to_lowercase();
        let properties = node.child("pPr");
        let named = name.strip_prefix("heading ").and_then(|level| level.parse::<u8>().ok());
        let said = properties.and_then(|node| node.child("outlineLvl")).and_then(|node| node.number::<u8>("val"));
        styles.insert(
            id,
            Style {
                based_on: node.value("basedOn"),
                outline: said.or_else(|| named.map(|level| level.saturating_sub(1))),
                list: properties.and_then(|node| node.child("numPr")).map(read_list),
                title: name == "title",
            },
        );
    }
    styles
}

fn note_text(note: Node) -> String {
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
fn symbol(node: Node) -> Option<char> {
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
