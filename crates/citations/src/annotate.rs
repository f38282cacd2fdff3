//! A text with citations put into it.

use ibid_domain::Span;

/// What a citation that is put in points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The claim that it stands for.
    pub span: Span,
    /// The number of the source.
    pub number: u32,
    /// What to call the source.
    pub title: String,
    /// Its address.
    pub url: Option<String>,
    /// The page of it.
    pub page: Option<u32>,
    /// Its words that bear the claim out.
    pub quote: String,
}

/// How the text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Markdown: numbers in brackets, and the sources with their quotes below.
    #[default]
    Markdown,
    /// Typst: the words as they are, a footnote for each claim.
    Typst,
}

/// The text with a citation at the end of each claim that has one. Notes are in the order of the text.
pub fn annotate(text: &str, notes: &[Note], style: Style) -> String {
    let plain: fn(&str) -> String = match style {
        Style::Markdown => str::to_owned,
        Style::Typst => typst,
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
            Style::Markdown => written.push_str(&format!(" [{}]", note.number)),
            Style::Typst => written.push_str(&format!("#footnote[{}]", typst(&described(note, '“', '”')))),
        }
        written.push_str(&plain(&claim[words.len()..]));
        (byte, place) = (end, note.span.end);
    }
    written.push_str(&plain(&text[byte..]));
    if style == Style::Markdown && !notes.is_empty() {
        written.truncate(written.trim_end().len());
        written.push_str("\n\n## Sources\n");
        let mut numbers: Vec<_> = notes.iter().map(|note| note.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            let mut of_it = notes.iter().filter(|note| note.number == number);
            if let Some(first) = of_it.next() {
                written.push_str(&format!("\n{number}. {}\n", markdown(&named(first))));
                for note in std::iter::once(first).chain(of_it) {
                    let page = note.page.map(|page| format!(" (page {page})")).unwrap_or_default();
                    written.push_str(&format!("   > {}{page}\n", markdown(&one_line(&note.quote))));
                }
            }
        }
    }
    written
}

fn named(note: &Note) -> String {
    match &note.url {
        Some(url) => format!("{}, {url}", one_line(&note.title)),
        None => one_line(&note.title),
    }
}

fn described(note: &Note, open: char, close: char) -> String {
    let page = note.page.map(|page| format!(", page {page}")).unwrap_or_default();
    format!("{}{page}: {open}{}{close}", named(note), one_line(&note.quote))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words of a source, of which none is markup.
fn markdown(text: &str) -> String {
    escaped(text, &['\\', '`', '*', '_', '[', ']', '<', '#', '|'])
}

/// Words of which none is markup to Typst.
fn typst(text: &str) -> String {
    escaped(text, &['\\', '#', '*', '_', '`', '$', '@', '<', '>', '[', ']', '~', '/', '=', '+', '-', '"', '\''])
}

fn escaped(text: &str, signs: &[char]) -> String {
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

    fn note(span: Span, number: u32, quote: &str) -> Note {
        Note { span, number, title: "Sample [report]".into(), url: None, page: Some(3), quote: quote.into() }
    }

    #[test]
    fn notes_stand_before_the_full_stop() {
        let text = "Żółć is bile. It is 5 % #1!\n\nThe end";
        let notes =
            [note(Span::new(0, 13), 1, "bile"), note(Span::new(14, 27), 2, "5 %"), note(Span::new(29, 36), 1, "end")];
        assert_eq!(
            annotate(text, &notes, Style::Markdown),
            "Żółć is bile [1]. It is 5 % #1 [2]!\n\nThe end [1]\n\n## Sources\n\n1. Sample \\[report\\]\n   > bile (page 3)\n   > end (page 3)\n\
             \n2. Sample \\[report\\]\n   > 5 % (page 3)\n"
        );
        assert_eq!(
            annotate(text, &notes[1..2], Style::Typst),
            "Żółć is bile. It is 5 % \\#1#footnote[Sample \\[report\\], page 3: “5 %”]!\n\nThe end"
        );
        assert_eq!(annotate(text, &[], Style::Markdown), text);
    }
}
