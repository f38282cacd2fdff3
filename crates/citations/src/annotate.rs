//! A text with citations put into it.

use ibid_domain::Span;

/// A citation to insert into a text: the claim it supports and the source it quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitationNote {
    /// The claim that it stands for.
    pub span: Span,
    /// Number of the source, as printed in brackets.
    pub number: u32,
    /// Title of the source, or its file name if it has no title.
    pub title: String,
    pub url: Option<String>,
    /// Page of the source that has the quote, counted from 1.
    pub page: Option<u32>,
    /// Its words that bear the claim out.
    pub quote: String,
}

/// Markup language of the annotated text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnnotationFormat {
    /// Markdown: numbers in brackets, and the sources with their quotes below.
    #[default]
    Markdown,
    /// Typst: the words as they are, a footnote for each claim.
    Typst,
}

/// The text with a citation at the end of each claim that has one. Notes are in the order of the text.
pub fn annotate_text(text: &str, notes: &[CitationNote], style: AnnotationFormat) -> String {
    let plain: fn(&str) -> String = match style {
        AnnotationFormat::Markdown => str::to_owned,
        AnnotationFormat::Typst => escape_typst,
    };
    let mut written = String::with_capacity(text.len() + notes.len() * 16);
    let (mut byte, mut place) = (0, 0);
    for note in notes {
        let end = byte + text[byte..].char_indices().nth(note.span.end - place).map_or(text.len() - byte, |(at, _)| at);
        let claim = &text[byte..end];
        // Before the full stop, where there is one.
        let words = claim.trim_end_matches(['.', '!', '?', '。', '！', '？', '…']).trim_end();
        written.push_str(&plain(words));
        match style {
            AnnotationFormat::Markdown => written.push_str(&format!(" [{}]", note.number)),
            AnnotationFormat::Typst => {
                written.push_str(&format!("#footnote[{}]", escape_typst(&describe_note(note, '“', '”'))))
            }
        }
        written.push_str(&plain(&claim[words.len()..]));
        (byte, place) = (end, note.span.end);
    }
    written.push_str(&plain(&text[byte..]));
    if style == AnnotationFormat::Markdown && !notes.is_empty() {
        written.truncate(written.trim_end().len());
        written.push_str("\n\n## Sources\n");
        let mut numbers: Vec<_> = notes.iter().map(|note| note.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            let mut of_it = notes.iter().filter(|note| note.number == number);
            if let Some(first) = of_it.next() {
                written.push_str(&format!("\n{number}. {}\n", escape_markdown(&title_with_url(first))));
                for note in std::iter::once(first).chain(of_it) {
                    let page = note.page.map(|page| format!(" (page {page})")).unwrap_or_default();
                    written.push_str(&format!("   > {}{page}\n", escape_markdown(&one_line(&note.quote))));
                }
            }
        }
    }
    written
}

fn title_with_url(note: &CitationNote) -> String {
    match &note.url {
        Some(url) => format!("{}, {url}", one_line(&note.title)),
        None => one_line(&note.title),
    }
}

fn describe_note(note: &CitationNote, open: char, close: char) -> String {
    let page = note.page.map(|page| format!(", page {page}")).unwrap_or_default();
    format!("{}{page}: {open}{}{close}", title_with_url(note), one_line(&note.quote))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words of a source, of which none is markup.
fn escape_markdown(text: &str) -> String {
    escape_chars(text, &['\\', '`', '*', '_', '[', ']', '<', '#', '|'])
}

/// Words of which none is markup to Typst.
fn escape_typst(text: &str) -> String {
    escape_chars(text, &['\\', '#', '*', '_', '`', '$', '@', '<', '>', '[', ']', '~', '/', '=', '+', '-', '"', '\''])
}

fn escape_chars(text: &str, signs: &[char]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if signs.contains(&char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(span: Span, number: u32, quote: &str) -> CitationNote {
        CitationNote { span, number, title: "Sample [report]".into(), url: None, page: Some(3), quote: quote.into() }
    }

    #[test]
    fn notes_stand_before_the_full_stop() {
        let text = "Żółć is bile. It is 5 % #1!\n\nThe end";
        let notes =
            [note(Span::new(0, 13), 1, "bile"), note(Span::new(14, 27), 2, "5 %"), note(Span::new(29, 36), 1, "end")];
        assert_eq!(
            annotate_text(text, &notes, AnnotationFormat::Markdown),
            "Żółć is bile [1]. It is 5 % #1 [2]!\n\nThe end [1]\n\n## Sources\n\n1. Sample \\[report\\]\n   > bile (page 3)\n   > end (page 3)\n\
             \n2. Sample \\[report\\]\n   > 5 % (page 3)\n"
        );
        assert_eq!(
            annotate_text(text, &notes[1..2], AnnotationFormat::Typst),
            "Żółć is bile. It is 5 % \\#1#footnote[Sample \\[report\\], page 3: “5 %”]!\n\nThe end"
        );
        assert_eq!(annotate_text(text, &[], AnnotationFormat::Markdown), text);
    }
}
