//! Typst as Markdown: what Markdown has words for is said in them, what it has none for is left out.

use std::{iter::Peekable, ops::Range, slice::Iter};

use typst::syntax::{
    LinkedNode, SyntaxKind, SyntaxNode,
    ast::{Escape, Shorthand},
    parse,
};

/// Maximum depth of the syntax tree that is converted.
const DEEPEST: usize = 200;

type PendingEdits<'a> = Peekable<Iter<'a, (Range<usize>, String)>>;

/// Writes a text; `edits` are what stands elsewhere in its place, in order, in Markdown.
pub(crate) fn write_markdown(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let root = parse(text);
    let mut writer =
        MarkdownWriter { text, edits: edits.iter().peekable(), done: 0, out: String::with_capacity(text.len()) };
    writer.write_node(&LinkedNode::new(&root), 0);
    collapse_blank_lines(&writer.out)
}

struct MarkdownWriter<'a> {
    text: &'a str,
    edits: PendingEdits<'a>,
    /// Byte offset up to which the text was written or skipped.
    done: usize,
    out: String,
}

impl MarkdownWriter<'_> {
    fn write_node(&mut self, node: &LinkedNode<'_>, depth: usize) {
        let range = node.range();
        if range.end <= self.done && !range.is_empty() || depth > DEEPEST {
            return;
        }
        match node.kind() {
            SyntaxKind::Markup
            | SyntaxKind::Code
            | SyntaxKind::Heading
            | SyntaxKind::ListItem
            | SyntaxKind::EnumItem
            | SyntaxKind::TermItem
            | SyntaxKind::ContentBlock => self.write_children(node, depth),
            SyntaxKind::HeadingMarker => self.write_unless_edited(&range, &"#".repeat(range.len().min(6))),
            SyntaxKind::Strong => self.write_enclosed("**", node, depth),
            SyntaxKind::Emph => self.write_enclosed("*", node, depth),
            SyntaxKind::ListMarker => self.write_unless_edited(&range, "-"),
            SyntaxKind::EnumMarker => {
                let marker = self.text.get(range.clone()).filter(|marker| *marker != "+").unwrap_or("1.").to_owned();
                self.write_unless_edited(&range, &marker);
            }
            SyntaxKind::TermMarker => self.write_unless_edited(&range, "-"),
            SyntaxKind::Raw | SyntaxKind::Equation | SyntaxKind::Link | SyntaxKind::Ref | SyntaxKind::SmartQuote => {
                let words = self.text.get(range.clone()).unwrap_or_default().to_owned();
                self.write_unless_edited(&range, &words);
            }
            SyntaxKind::Parbreak => self.write_unless_edited(&range, "\n\n"),
            SyntaxKind::Space => {
                let space =
                    if self.text.get(range.clone()).is_some_and(|space| space.contains('\n')) { "\n" } else { " " };
                self.write_unless_edited(&range, space);
            }
            SyntaxKind::Linebreak => self.write_unless_edited(&range, "  \n"),
            SyntaxKind::Escape => {
                let char = node.cast::<Escape>().map(|escape| escape.get());
                self.write_unless_edited(&range, &escape_markdown(&char.map(String::from).unwrap_or_default()));
            }
            SyntaxKind::Shorthand => {
                let char = node.cast::<Shorthand>().map(|shorthand| shorthand.get());
                self.write_unless_edited(&range, &char.map(String::from).unwrap_or_default());
            }
            SyntaxKind::Text
            | SyntaxKind::Colon
            | SyntaxKind::Hash
            | SyntaxKind::LineComment
            | SyntaxKind::BlockComment => self.write_leaf(node),
            SyntaxKind::FuncCall => self.write_call(node, depth),
            _ => self.write_unless_edited(&range, ""),
        }
    }

    fn write_children(&mut self, node: &LinkedNode<'_>, depth: usize) {
        for child in node.children() {
            match child.kind() {
                SyntaxKind::Star | SyntaxKind::Underscore | SyntaxKind::LeftBracket | SyntaxKind::RightBracket => {
                    self.write_unless_edited(&child.range(), "");
                }
                _ => self.write_node(&child, depth + 1),
            }
        }
    }

    fn write_enclosed(&mut self, sign: &str, node: &LinkedNode<'_>, depth: usize) {
        self.out.push_str(sign);
        self.write_children(node, depth);
        self.out.push_str(sign);
    }

    /// A call: links and stress have words in Markdown, of others what they hold is kept.
    fn write_call(&mut self, node: &LinkedNode<'_>, depth: usize) {
        let mut children = node.children();
        let name = children.next().map(|callee| callee.get().full_text().to_string()).unwrap_or_default();
        let arguments: Vec<LinkedNode<'_>> = node
            .children()
            .filter(|child| child.kind() == SyntaxKind::Args)
            .flat_map(|arguments| arguments.children().collect::<Vec<_>>())
            .collect();
        let blocks = || arguments.iter().filter(|one| one.kind() == SyntaxKind::ContentBlock);
        let (open, close) = match name.as_str() {
            "emph" => ("*", "*".to_owned()),
            "strong" => ("**", "**".to_owned()),
            "strike" => ("~~", "~~".to_owned()),
            "footnote" => (" (", ")".to_owned()),
            "link" => {
                let address =
                    arguments.iter().find(|one| one.kind() == SyntaxKind::Str).map(string_value).unwrap_or_default();
                match (crate::markdown::web_address(&address), blocks().next()) {
                    (Some(address), Some(_)) => ("[", format!("]({})", address.replace(')', "%29"))),
                    (Some(address), None) => {
                        self.out.push_str(&format!("<{address}>"));
                        ("", String::new())
                    }
                    (None, _) => ("", String::new()),
                }
            }
            _ => ("", String::new()),
        };
        self.out.push_str(open);
        for block in blocks() {
            self.done = self.done.max(block.range().start);
            self.write_children(block, depth + 1);
        }
        self.out.push_str(&close);
        self.done = self.done.max(node.range().end);
    }

    /// Writes words that stand for a range, unless something else does.
    fn write_unless_edited(&mut self, range: &Range<usize>, words: &str) {
        if self.edits.peek().is_some_and(|(edit, _)| edit.start < range.end && edit.start >= range.start) {
            let at = self.write_next_edit(range.start);
            self.done = self.done.max(at).max(range.end);
        } else if range.end > self.done {
            self.out.push_str(words);
            self.done = range.end;
        }
    }

    fn write_leaf(&mut self, node: &LinkedNode<'_>) {
        let range = node.range();
        let mut at = range.start.max(self.done);
        let is_words = matches!(node.kind(), SyntaxKind::Text | SyntaxKind::Colon);
        while let Some((edit, words)) = self.edits.next_if(|(edit, _)| edit.start < range.end) {
            if is_words {
                self.out.push_str(&escape_markdown(self.text.get(at..edit.start).unwrap_or_default()));
            }
            self.out.push_str(words);
            at = edit.end.max(at);
            self.done = at;
        }
        if is_words && at < range.end {
            self.out.push_str(&escape_markdown(self.text.get(at..range.end).unwrap_or_default()));
        }
        self.done = self.done.max(range.end);
    }

    /// Writes the edit that comes next, and says where it ends.
    fn write_next_edit(&mut self, from: usize) -> usize {
        match self.edits.next() {
            Some((edit, words)) => {
                self.out.push_str(words);
                edit.end
            }
            None => from,
        }
    }
}

fn string_value(node: &LinkedNode<'_>) -> String {
    let text: &SyntaxNode = node.get();
    let words = text.leaf_text().to_string();
    words.trim_matches('"').replace("\\\"", "\"").replace("\\\\", "\\")
}

fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(char, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#') {
            out.push('\\');
        }
        out.push(char);
    }
    out
}

/// Without the empty lines that what was left out leaves behind.
fn collapse_blank_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines() {
        let line = if line.ends_with("  ") { line } else { line.trim_end() };
        if line.trim().is_empty() {
            empty += 1;
            continue;
        }
        if empty > 0 && !out.is_empty() {
            out.push('\n');
        }
        empty = 0;
        out.push_str(line);
        out.push('\n');
    }
    out
}
