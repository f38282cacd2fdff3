//! A tree of Markdown as HTML. Every word is escaped; nothing in it runs.

use std::borrow::Cow;

use crate::markdown::{ColumnAlign, MarkdownBlock, MarkdownInline};

/// Writes blocks; `mark` writes what stands for a marker. Headings are pushed down by `lower` levels.
pub fn write(blocks: &[MarkdownBlock], lower: u8, mark: &mut dyn FnMut(usize) -> String) -> String {
    let mut written = String::new();
    for block in blocks {
        self::write_block(&mut written, block, lower, mark);
    }
    written
}

fn write_block(out: &mut String, block: &MarkdownBlock, lower: u8, mark: &mut dyn FnMut(usize) -> String) {
    match block {
        MarkdownBlock::Heading(level, words) => {
            let level = (level + lower).min(6);
            write_element(out, &format!("h{level}"), words, mark);
        }
        MarkdownBlock::Paragraph(words) => write_element(out, "p", words, mark),
        MarkdownBlock::List(first, items) => {
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
                    [MarkdownBlock::Paragraph(words)] => write_inlines(out, words, mark),
                    blocks => out.push_str(&write(blocks, lower, mark)),
                }
                out.push_str("</li>\n");
            }
            out.push_str(close);
        }
        MarkdownBlock::Quote(blocks) => {
            out.push_str("<blockquote>\n");
            out.push_str(&write(blocks, lower, mark));
            out.push_str("</blockquote>\n");
        }
        MarkdownBlock::Code(code) => out.push_str(&format!("<pre><code>{}</code></pre>\n", escape_text(code))),
        MarkdownBlock::Table(columns, rows) => {
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
                        Some(ColumnAlign::Centre) => " class=\"centre\"",
                        Some(ColumnAlign::End) => " class=\"end\"",
                        _ => "",
                    };
                    out.push_str(&format!("<{name}{side}>"));
                    write_inlines(out, cell, mark);
                    out.push_str(&format!("</{name}>"));
                }
                out.push_str(if place == 0 { "</tr></thead>\n" } else { "</tr>\n" });
            }
            out.push_str(if rows.len() > 1 { "</tbody>\n</table>\n" } else { "</table>\n" });
        }
        MarkdownBlock::Rule => out.push_str("<hr>\n"),
    }
}

fn write_element(out: &mut String, name: &str, inlines: &[MarkdownInline], mark: &mut dyn FnMut(usize) -> String) {
    out.push_str(&format!("<{name}>"));
    write_inlines(out, inlines, mark);
    out.push_str(&format!("</{name}>\n"));
}

fn write_inlines(out: &mut String, inlines: &[MarkdownInline], mark: &mut dyn FnMut(usize) -> String) {
    for inline in inlines {
        match inline {
            MarkdownInline::Text(words) => out.push_str(&escape_text(words)),
            MarkdownInline::Emphasis(inner) => write_enclosed(out, "<em>", inner, "</em>", mark),
            MarkdownInline::Strong(inner) => write_enclosed(out, "<strong>", inner, "</strong>", mark),
            MarkdownInline::Struck(inner) => write_enclosed(out, "<s>", inner, "</s>", mark),
            MarkdownInline::Link(url, inner) => write_enclosed(out, &open_link(url), inner, "</a>", mark),
            MarkdownInline::Code(code) => out.push_str(&format!("<code>{}</code>", escape_text(code))),
            MarkdownInline::Break => out.push_str("<br>"),
            MarkdownInline::Mark(place) => out.push_str(&mark(*place)),
        }
    }
}

fn write_enclosed(
    out: &mut String,
    open: &str,
    inner: &[MarkdownInline],
    close: &str,
    mark: &mut dyn FnMut(usize) -> String,
) {
    out.push_str(open);
    write_inlines(out, inner, mark);
    out.push_str(close);
}

/// The beginning of a link out of the page.
pub fn open_link(url: &str) -> String {
    format!("<a href=\"{}\" rel=\"noreferrer\">", escape_attribute(url))
}

/// Escapes text for use between HTML tags.
pub fn escape_text(words: &str) -> Cow<'_, str> {
    html_escape::encode_text(words)
}

/// Words within a tag, between double quotes.
pub fn escape_attribute(words: &str) -> Cow<'_, str> {
    html_escape::encode_double_quoted_attribute(words)
}
