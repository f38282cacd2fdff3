//! A tree of Markdown as Typst.
//!
//! Words are escaped sign by sign, so that none of them is markup, and every call ends in a semicolon, so that no word
//! after it is taken for more of it.

use crate::markdown::{ColumnAlign, MarkdownBlock, MarkdownInline};

/// Writes blocks; `mark` writes what stands for a marker.
pub fn write(blocks: &[MarkdownBlock], mark: &mut dyn FnMut(usize) -> String) -> String {
    let mut written = String::new();
    for block in blocks {
        self::write_block(&mut written, block, mark);
    }
    written
}

fn write_block(out: &mut String, block: &MarkdownBlock, mark: &mut dyn FnMut(usize) -> String) {
    match block {
        MarkdownBlock::Heading(level, words) => {
            out.push_str(&"=".repeat(usize::from(*level)));
            out.push(' ');
            write_inlines(out, words, mark);
            out.push_str("\n\n");
        }
        MarkdownBlock::Paragraph(words) => {
            write_inlines(out, words, mark);
            out.push_str("\n\n");
        }
        MarkdownBlock::List(first, items) => {
            let call = match first {
                Some(first) => format!("#enum(start: {first},\n"),
                None => "#list(\n".to_owned(),
            };
            out.push_str(&call);
            for item in items {
                out.push('[');
                out.push_str(write(item, mark).trim_end());
                out.push_str("],\n");
            }
            out.push_str(");\n\n");
        }
        MarkdownBlock::Quote(blocks) => {
            out.push_str("#quote(block: true)[");
            out.push_str(write(blocks, mark).trim_end());
            out.push_str("];\n\n");
        }
        MarkdownBlock::Code(code) => {
            out.push_str(&format!("#raw(block: true, {});\n\n", string_literal(code)));
        }
        MarkdownBlock::Table(columns, rows) => {
            let sides = columns.iter().map(|side| match side {
                ColumnAlign::Start => "start, ",
                ColumnAlign::Centre => "center, ",
                ColumnAlign::End => "end, ",
            });
            out.push_str(&format!(
                "#table(columns: {}, align: ({}),\n",
                columns.len().max(1),
                sides.collect::<String>()
            ));
            for (place, row) in rows.iter().enumerate() {
                out.push_str(if place == 0 { "table.header(" } else { "" });
                for cell in row {
                    out.push_str(if place == 0 { "[#strong[" } else { "[" });
                    write_inlines(out, cell, mark);
                    out.push_str(if place == 0 { "]], " } else { "], " });
                }
                out.push_str(if place == 0 { "),\n" } else { "\n" });
            }
            out.push_str(");\n\n");
        }
        MarkdownBlock::Rule => out.push_str("#line(length: 100%, stroke: 0.5pt + luma(200));\n\n"),
    }
}

fn write_inlines(out: &mut String, inlines: &[MarkdownInline], mark: &mut dyn FnMut(usize) -> String) {
    for inline in inlines {
        match inline {
            MarkdownInline::Text(text) => out.push_str(&escape_typst(text)),
            MarkdownInline::Emphasis(inner) => write_call(out, "#emph[", inner, mark),
            MarkdownInline::Strong(inner) => write_call(out, "#strong[", inner, mark),
            MarkdownInline::Struck(inner) => write_call(out, "#strike[", inner, mark),
            MarkdownInline::Link(url, inner) => {
                write_call(out, &format!("#link({})[", string_literal(url)), inner, mark)
            }
            MarkdownInline::Code(code) => out.push_str(&format!("#raw({});", string_literal(code))),
            MarkdownInline::Break => out.push_str("#linebreak();"),
            MarkdownInline::Mark(place) => out.push_str(&mark(*place)),
        }
    }
}

fn write_call(out: &mut String, name: &str, inner: &[MarkdownInline], mark: &mut dyn FnMut(usize) -> String) {
    out.push_str(name);
    write_inlines(out, inner, mark);
    out.push_str("];");
}

/// Words of which none is markup.
pub fn escape_typst(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 16);
    let mut chars = text.chars().peekable();
    // At its start, a line may be a heading or an item of a list.
    let mut at_start = true;
    let mut after_digits = false;
    while let Some(char) = chars.next() {
        let next = chars.peek().copied();
        let is_markup = match char {
            '\\' | '#' | '*' | '_' | '`' | '$' | '@' | '<' | '>' | '[' | ']' | '~' | ';' => true,
            '-' => at_start || next.is_some_and(|next| matches!(next, '-' | '?' | '0'..='9')),
            '/' => at_start || matches!(next, Some('/' | '*')),
            '=' | '+' => at_start,
            '.' => next == Some('.') || after_digits,
            ':' => next == Some('/'),
            _ => false,
        };
        after_digits = char.is_ascii_digit() && (at_start || after_digits);
        at_start = at_start && char.is_whitespace();
        if char.is_control() || char.is_whitespace() {
            escaped.push(' ');
            continue;
        }
        if is_markup {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// A text as a string of Typst's.
pub fn string_literal(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(char);
            }
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ if char.is_control() => quoted.push(' '),
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}
