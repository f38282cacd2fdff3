//! A tree written as text: paragraphs, lines, cells and sections in the order a reader sees them.

use super::{
    tag::Tag,
    tree::{HtmlTree, NodeId, ROOT, is_ignorable},
};
use crate::{ExtractionError, ExtractionLimits, TextBuilder};

/// Metadata of an HTML document that is not part of its visible text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtmlMetadata {
    /// Text of the `<title>` element, if it is not empty.
    pub title: Option<String>,
}

/// Writes all that a reader of the document sees, in its order: blocks as paragraphs, items and rows as lines, cells
/// apart by tabs, preformatted text as it is. Each heading begins a section.
pub fn write_visible_text(
    html: &str,
    text: &mut TextBuilder,
    limits: &ExtractionLimits,
) -> Result<HtmlMetadata, ExtractionError> {
    let tree = HtmlTree::parse(html, limits.depth);
    write_subtree(&tree, ROOT, text)?;
    Ok(HtmlMetadata { title: document_title(&tree) })
}

/// The words of the document's `<title>`.
pub(crate) fn document_title(tree: &HtmlTree) -> Option<String> {
    tree.node_ids()
        .filter(|&id| tree.tag(id) == Tag::Title && !tree.ancestors(id).any(|above| tree.tag(above) == Tag::Svg))
        .map(|id| tree.text_line(id))
        .find(|title| !title.is_empty())
}

/// Writes what is below `top` and not dropped.
pub(crate) fn write_subtree(tree: &HtmlTree, top: NodeId, text: &mut TextBuilder) -> Result<(), ExtractionError> {
    let mut writer = VisibleTextWriter { text, gap: TextGap::None, preformatted: 0, rows: Vec::new() };
    let end = tree.end_of(top);
    // The elements that are open, with where they end.
    let mut open: Vec<(NodeId, NodeId)> = Vec::new();
    let mut at = top;
    while at < end || !open.is_empty() {
        while let Some((id, _)) = open.pop_if(|(_, ends)| *ends <= at) {
            writer.leave_node(tree, id);
        }
        if at >= end {
            continue;
        }
        let node = tree.node(at);
        if node.dropped || node.tag.is_unseen() || (!node.is_text() && tree.is_hidden(at)) {
            at = tree.end_of(at);
            continue;
        }
        if node.is_text() {
            writer.write_words(&node.text)?;
        } else {
            writer.enter_node(tree, at)?;
            open.push((at, tree.end_of(at)));
        }
        at += 1;
    }
    // What follows in the same text is another matter.
    writer.text.end_paragraph()
}

/// Separator between the last written word and the next; later variants win.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TextGap {
    None,
    Space,
    Cell,
    Line,
    Paragraph,
}

/// A row of a table that is being written.
#[derive(Default)]
struct TableRow {
    /// True once the row contains words.
    begun: bool,
    /// True while the current cell contains no words.
    fresh: bool,
    /// True if the current cell has several lines; the table is then treated as layout.
    broken: bool,
}

struct VisibleTextWriter<'a> {
    text: &'a mut TextBuilder,
    gap: TextGap,
    preformatted: usize,
    rows: Vec<TableRow>,
}

impl VisibleTextWriter<'_> {
    fn at_least(&mut self, gap: TextGap) {
        // What begins within a cell that has no words yet is what the cell holds: it does not break the row.
        if gap > TextGap::Cell && self.rows.last().is_some_and(|row| row.fresh) {
            return;
        }
        self.gap = self.gap.max(gap);
    }

    fn enter_node(&mut self, tree: &HtmlTree, id: NodeId) -> Result<(), ExtractionError> {
        let tag = tree.tag(id);
        match tag {
            Tag::Br => self.gap = if self.gap >= TextGap::Line { TextGap::Paragraph } else { TextGap::Line },
            Tag::Tr => {
                self.at_least(TextGap::Line);
                self.rows.push(TableRow::default());
            }
            Tag::Td | Tag::Th => {
                if let Some(row) = self.rows.last_mut() {
                    if row.begun {
                        self.gap = if row.broken { TextGap::Paragraph } else { TextGap::Cell };
                    }
                    (row.fresh, row.broken) = (true, false);
                }
            }
            _ => self.at_least(gap_around(tree, id)),
        }
        if let Some(level) = tag.heading_level() {
            let heading = tree.text_line(id);
            if !heading.is_empty() {
                self.write_gap()?;
                self.text.begin_section(level, heading);
            }
        }
        if matches!(tag, Tag::Pre | Tag::Listing | Tag::Xmp) {
            self.preformatted += 1;
        }
        Ok(())
    }

    fn leave_node(&mut self, tree: &HtmlTree, id: NodeId) {
        match tree.tag(id) {
            Tag::Tr => {
                let begun = self.rows.pop().is_some_and(|row| row.begun);
                if begun {
                    self.gap = self.gap.max(TextGap::Line);
                    if let Some(row) = self.rows.last_mut() {
                        (row.begun, row.fresh, row.broken) = (true, false, true);
                    }
                }
            }
            Tag::Td | Tag::Th if !self.rows.is_empty() => {}
            tag => {
                if matches!(tag, Tag::Pre | Tag::Listing | Tag::Xmp) {
                    self.preformatted -= 1;
                }
                self.at_least(gap_around(tree, id));
            }
        }
    }

    /// Writes what stands between the words before and those to come.
    fn write_gap(&mut self) -> Result<(), ExtractionError> {
        let gap = std::mem::replace(&mut self.gap, TextGap::None);
        if let Some(row) = self.rows.last_mut() {
            row.broken |= !row.fresh && gap >= TextGap::Line;
            (row.begun, row.fresh) = (true, false);
        }
        match gap {
            TextGap::None => Ok(()),
            _ if self.text.is_empty() => Ok(()),
            TextGap::Space if self.text.text().ends_with(['\n', '\t', ' ']) => Ok(()),
            TextGap::Space => self.text.push(" "),
            TextGap::Cell => self.text.push("\t"),
            TextGap::Line => self.text.end_line(),
            TextGap::Paragraph => self.text.end_paragraph(),
        }
    }

    fn write_words(&mut self, words: &str) -> Result<(), ExtractionError> {
        if self.preformatted > 0 {
            return self.write_as_is(words);
        }
        let mut rest = words;
        loop {
            let trimmed = rest.trim_start();
            if trimmed.len() < rest.len() {
                self.at_least(TextGap::Space);
            }
            if trimmed.is_empty() {
                return Ok(());
            }
            let end = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
            let (word, after) = trimmed.split_at(end);
            rest = after;
            if word.contains(is_ignorable) {
                let word: String = word.chars().filter(|&c| !is_ignorable(c)).collect();
                if word.is_empty() {
                    continue;
                }
                self.write_gap()?;
                self.text.push(&word)?;
            } else {
                self.write_gap()?;
                self.text.push(word)?;
            }
        }
    }

    fn write_as_is(&mut self, words: &str) -> Result<(), ExtractionError> {
        // The first line break of a block is not part of it, blank space at its end is a gap.
        let words = if self.gap >= TextGap::Line { words.trim_start_matches(['\r', '\n']) } else { words };
        let kept = words.trim_end();
        if kept.is_empty() {
            self.at_least(if words.contains('\n') { TextGap::Line } else { TextGap::Space });
            return Ok(());
        }
        self.write_gap()?;
        self.text.push(&kept.replace("\r\n", "\n").replace(['\r', '\0'], "\n"))?;
        let tail = &words[kept.len()..];
        if tail.contains('\n') {
            self.at_least(TextGap::Line);
        } else if !tail.is_empty() {
            self.at_least(TextGap::Space);
        }
        Ok(())
    }
}

/// Returns the separator before and after an element.
fn gap_around(tree: &HtmlTree, id: NodeId) -> TextGap {
    let within = |tags: &[Tag]| tree.parent(id).is_some_and(|above| tags.contains(&tree.tag(above)));
    match tree.tag(id) {
        Tag::Br => TextGap::None,
        Tag::Li | Tag::Dt | Tag::Dd | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Option => TextGap::Line,
        Tag::Ul | Tag::Ol | Tag::Dl | Tag::Menu | Tag::Dir if within(&[Tag::Li, Tag::Ul, Tag::Ol, Tag::Dd]) => {
            TextGap::Line
        }
        Tag::P | Tag::Div if within(&[Tag::Li]) => TextGap::Line,
        tag if tag.is_block() => TextGap::Paragraph,
        _ => TextGap::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(html: &str) -> String {
        let mut text = TextBuilder::new(&ExtractionLimits::default());
        write_visible_text(html, &mut text, &ExtractionLimits::default()).unwrap();
        text.finish().0
    }

    #[test]
    fn text_is_laid_out_as_it_is_seen() {
        for (html, wanted) in [
            ("<p>One  <b>t</b>wo\n three<p>Four", "One two three\n\nFour"),
            ("a<br>b<br><br>c", "a\nb\n\nc"),
            ("x<ul><li>a<li><p>b</p><ul><li>c</ul></ul>y", "x\n\na\nb\nc\n\ny"),
            ("<table><tr><th>a<th>b<tr><td><p>c</p><td> d <tr><td></td><td>e</table>f", "a\tb\nc\td\ne\n\nf"),
            ("<table><tr><td><p>a</p><p>b</p><td>c</table>", "a\n\nb\n\nc"),
            ("<pre>\n a\n  b\n</pre>c", " a\n  b\n\nc"),
            ("a<script>x</script><style>y</style><template>z</template><noscript>n</noscript>b", "ab"),
            ("a<span hidden>x</span><div style='Display : none'>y</div><svg><title>s</title></svg>b", "ab"),
            ("so\u{ad}ft\u{200b}ly\u{a0}now", "softly now"),
            ("有什<strong>么需</strong>要", "有什么需要"),
            ("<dl><dt>term<dd>meaning</dl>", "term\nmeaning"),
            ("&lt;tag&gt; &amp; more", "<tag> & more"),
        ] {
            assert_eq!(text(html), wanted, "{html}");
        }
    }

    #[test]
    fn headings_begin_sections_and_the_title_is_told() {
        let mut text = TextBuilder::new(&ExtractionLimits::default());
        let html =
            "<title> A &amp;\n B </title><p>before<h1>One</h1><p>x<h2>In <i>ner</i></h2><p>y<h3> </h3><h1>Two</h1>z";
        let told = write_visible_text(html, &mut text, &ExtractionLimits::default()).unwrap();
        assert_eq!(told.title.as_deref(), Some("A & B"));
        let (text, marks) = text.finish();
        assert_eq!(text, "before\n\nOne\n\nx\n\nIn ner\n\ny\n\nTwo\n\nz");
        let found: Vec<_> =
            marks.iter().map(|mark| (&*mark.label, mark.level, mark.span.slice_of(&text).unwrap())).collect();
        assert_eq!(
            found,
            [("One", 1, "One\n\nx\n\nIn ner\n\ny\n\n"), ("In ner", 2, "In ner\n\ny\n\n"), ("Two", 1, "Two\n\nz")]
        );
    }

    #[test]
    fn a_text_beyond_the_limit_ends_the_reading() {
        let limits = ExtractionLimits { text_chars: 10, ..ExtractionLimits::default() };
        let mut text = TextBuilder::new(&limits);
        assert!(matches!(
            write_visible_text("<p>a long <p>long text", &mut text, &limits),
            Err(ExtractionError::TooLarge(_))
        ));
    }

    #[test]
    fn deep_nesting_ends_quickly_and_keeps_the_text() {
        for tag in ["div", "p", "b", "a href=x", "table><tr><td", "ul><li", "svg", "h1", "x-y", "button", "select"] {
            let mut html = format!("<{tag}>").repeat(100_000);
            html.push_str("<p>deep");
            let found = text(&html);
            assert!(found.contains("deep") || tag.starts_with(['s', 'b', 't']), "{tag}");
        }
        assert_eq!(text(&format!("{}x{}y", "<div>".repeat(300), "</div>".repeat(300))), "x\n\ny");
    }
}
