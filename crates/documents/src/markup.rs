//! A tree of Markdown as Typst.
//!
//! Words are escaped sign by sign, so that none of them is markup, and every call ends in a semicolon, so that no word
//! after it is taken for more of it.

use crate::markdown::{Align, Block, Inline};

/// Writes blocks; `mark` writes what stands for a marker.
pub fn write(blocks: &[Block], mark: &mut dyn FnMut(usize) -> String) -> String {
    let mut written = String::new();
    for block in blocks {
        self::block(&mut written, block, mark);
    }
    written
}

fn block(out: &mut String, block: &Block, mark: &mut dyn FnMut(usize) -> String) {
    match block {
        Block::Heading(level, words) => {
            out.push_str(&"=".repeat(usize::from(*level)));
            out.push(' ');
            line(out, words, mark);
            out.push_str("\n\n");
        }
        Block::Paragraph(words) => {
            line(out, words, mark);
            out.push_str("\n\n");
        }
        Block::List(first, items) => {
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
        Block::Quote(blocks) => {
            out.push_str("#quote(block: true)[");
            out.push_str(write(blocks, mark).trim_end());
            out.push_str("];\n\n");
        }
        Block::Code(code) => {
            out.push_str(&format!("#raw(block: true, {});\n\n", string(code)));
        }
        Block::Table(columns, rows) => {
            let sides = columns.iter().map(|side| match side {
                Align::Start => "start, ",
                Align::Centre => "center, ",
                Align::End => "end, ",
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
                    line(out, cell, mark);
                    out.push_str(if place == 0 { "]], " } else { "], " });
                }
                out.push_str(if place == 0 { "),\n" } else { "\n" });
            }
            out.push_str(");\n\n");
        }
        Block::Rule => out.push_str("#line(length: 100%, stroke: 0.5pt + luma(200));\n\n"),
    }
}

fn line(out: &mut String, inlines: &[Inline], mark: &mut dyn FnMut(usize) -> String) {
    for inline in inlines {
        match inline {
            Inline::Text(text) => out.push_str(&words(text)),
            Inline::Emphasis(inner) => call(out, "#emph[", inner, mark),
            Inline::Strong(inner) => call(out, "#strong[", inner, mark),
            Inline::Struck(inner) => call(out, "#strike[", inner, mark),
            Inline::Link(url, inner) => call(out, &format!("#link({})[", string(url)), inner, mark),
            Inline::Code(code) => out.push_str(&format!("#raw({});", string(code))),
            Inline::Break => out.push_str("#linebreak();"),
            Inline::Mark(place) => out.push_str(&mark(*place)),
        }
    }
}

fn call(out: &mut String, name: &str, inner: &[Inline], mark: &mut dyn FnMut(usize) -> String) {
    out.push_str(name);
    line(out, inner, mark);
    out.push_str("];");
}

/// Words of which none is markup.
pub fn words(text: &str) -> String {
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
pub fn string(text: &str) -> String {
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
