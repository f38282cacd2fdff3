//! A tree of Markdown as HTML. Every word is escaped; nothing in it runs.

use std::borrow::Cow;

use crate::markdown::{Align, Block, Inline};

/// Writes blocks; `mark` writes what stands for a marker. Headings are pushed down by `lower` levels.
pub fn write(blocks: &[Block], lower: u8, mark: &mut dyn FnMut(usize) -> String) -> String {
    let mut written = String::new();
    for block in blocks {
        self::block(&mut written, block, lower, mark);
    }
    written
}

fn block(out: &mut String, block: &Block, lower: u8, mark: &mut dyn FnMut(usize) -> String) {
    match block {
        Block::Heading(level, words) => {
            let level = (level + lower).min(6);
            element(out, &format!("h{level}"), words, mark);
        }
        Block::Paragraph(words) => element(out, "p", words, mark),
        Block::List(first, items) => {
            let (open, close) = match first {
                Some(1) => ("<ol>".to_owned(), "</ol>\n"),
                Some(first) => (format!("<ol start=\"{first}\">"), "</ol>\n"),
                None => ("<ul>".to_owned(), "</ul>\n"),
            };
            out.push_str(&open);
            out.push('\n');
            for item in items {
                out.push_str("<li>");
                match item.as_slice() {
                    [Block::Paragraph(words)] => line(out, words, mark),
                    blocks => out.push_str(&write(blocks, lower, mark)),
                }
                out.push_str("</li>\n");
            }
            out.push_str(close);
        }
        Block::Quote(blocks) => {
            out.push_str("<blockquote>\n");
            out.push_str(&write(blocks, lower, mark));
            out.push_str("</blockquote>\n");
        }
        Block::Code(code) => out.push_str(&format!("<pre><code>{}</code></pre>\n", text(code))),
        Block::Table(columns, rows) => {
            out.push_str("<table>\n");
            for (place, row) in rows.iter().enumerate() {
                let name = if place == 0 { "th" } else { "td" };
                out.push_str(match place {
                    0 => "<thead><tr>",
                    1 => "<tbody>\n<tr>",
                    _ => "<tr>",
                });
                for (column, cell) in row.iter().enumerate() {
                    let side = match columns.get(column) {
                        Some(Align::Centre) => " class=\"centre\"",
                        Some(Align::End) => " class=\"end\"",
                        _ => "",
                    };
                    out.push_str(&format!("<{name}{side}>"));
                    line(out, cell, mark);
                    out.push_str(&format!("</{name}>"));
                }
                out.push_str(if place == 0 { "</tr></thead>\n" } else { "</tr>\n" });
            }
            out.push_str(if rows.len() > 1 { "</tbody>\n</table>\n" } else { "</table>\n" });
        }
        Block::Rule => out.push_str("<hr>\n"),
    }
}

fn element(out: &mut String, name: &str, inlines: &[Inline], mark: &mut dyn FnMut(usize) -> String) {
    out.push_str(&format!("<{name}>"));
    line(out, inlines, mark);
    out.push_str(&format!("</{name}>\n"));
}

fn line(out: &mut String, inlines: &[Inline], mark: &mut dyn FnMut(usize) -> String) {
    for inline in inlines {
        match inline {
            Inline::Text(words) => out.push_str(&text(words)),
            Inline::Emphasis(inner) => within(out, "<em>", inner, "</em>", mark),
            Inline::Strong(inner) => within(out, "<strong>", inner, "</strong>", mark),
            Inline::Struck(inner) => within(out, "<s>", inner, "</s>", mark),
            Inline::Link(url, inner) => within(out, &link(url), inner, "</a>", mark),
            Inline::Code(code) => out.push_str(&format!("<code>{}</code>", text(code))),
            Inline::Break => out.push_str("<br>"),
            Inline::Mark(place) => out.push_str(&mark(*place)),
        }
    }
}

fn within(out: &mut String, open: &str, inner: &[Inline], close: &str, mark: &mut dyn FnMut(usize) -> String) {
    out.push_str(open);
    line(out, inner, mark);
    out.push_str(close);
}

/// The beginning of a link out of the page.
pub fn link(url: &str) -> String {
    format!("<a href=\"{}\" rel=\"noreferrer\">", attribute(url))
}

/// Words between tags.
pub fn text(words: &str) -> Cow<'_, str> {
    html_escape::encode_text(words)
}

/// Words within a tag, between double quotes.
pub fn attribute(words: &str) -> Cow<'_, str> {
    html_escape::encode_double_quoted_attribute(words)
}
