//! An answer as Markdown: every sentence as it stands, with the number of its source.

use ibid_domain::Span;

use super::ExtractiveAnswer;

/// An answer rendered as Markdown, with the positions of its quotes and markers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedAnswer {
    /// The answer in Markdown, a paragraph for sentences that follow each other.
    pub text: String,
    /// Positions of the quoted sentences in the text, in the order of the answer.
    pub quotes: Vec<QuotedSentence>,
    /// The sources that it cites, in the order of their numbers, which count from 1.
    pub sources: Vec<usize>,
}

/// A sentence in a written answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotedSentence {
    /// Number of its source, counted from 1.
    pub number: u32,
    /// Position of the quoted words in the text.
    pub words: Span,
    /// Position of the citation marker in the text.
    pub marker: Span,
}

impl ExtractiveAnswer {
    /// Writes the answer: each sentence followed by the number of its source. Blank space within a sentence becomes
    /// single spaces, and what Markdown or the grammar of citations would read otherwise is escaped, so that the words
    /// that are shown are those of the source, and the markers that are read are those written here.
    pub fn to_markdown(&self) -> RenderedAnswer {
        self.to_markdown_after("")
    }

    /// The same after some words of introduction, as a paragraph of its own.
    pub fn to_markdown_after(&self, introduction: &str) -> RenderedAnswer {
        let mut written = RenderedAnswer { text: introduction.to_owned(), ..RenderedAnswer::default() };
        let mut chars = introduction.chars().count();
        let mut add = |text: &mut String, part: &str| {
            text.push_str(part);
            let from = chars;
            chars += part.chars().count();
            Span::new(from, chars)
        };
        for picked in &self.sentences {
            let begins = !picked.goes_on || written.text.is_empty();
            if !written.text.is_empty() {
                add(&mut written.text, if begins { "\n\n" } else { " " });
            }
            let place = written.sources.iter().position(|source| *source == picked.source).unwrap_or_else(|| {
                written.sources.push(picked.source);
                written.sources.len() - 1
            });
            let number = place as u32 + 1;
            let words = add(
                &mut written.text,
                &escape_markdown(&picked.quote, if begins { WordsPlace::Start } else { WordsPlace::Within }),
            );
            add(&mut written.text, " ");
            let marker = add(&mut written.text, &format!("[{number}]"));
            written.quotes.push(QuotedSentence { number, words, marker });
        }
        written
    }
}

/// Where words of a source stand in Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordsPlace {
    /// At the beginning of a paragraph.
    Start,
    /// Within a paragraph.
    Within,
    /// Anywhere, also as an item of a list or in a cell of a table.
    Anywhere,
}

/// Words so that Markdown shows them as they are, on one line, and the grammar of citations reads nothing into them.
///
/// Of two brackets only the closing one is escaped: between `\[` and `\]` the grammar, and many who show Markdown,
/// see math.
pub fn escape_markdown(words: &str, place: WordsPlace) -> String {
    let begins = place != WordsPlace::Within;
    let line = on_one_line(words);
    let mut escaped = String::with_capacity(line.len() + 8);
    let mut before = ' ';
    let mut at_number = begins;
    for (at, char) in line.char_indices() {
        let rest = &line[at + char.len_utf8()..];
        let next = rest.chars().next().unwrap_or(' ');
        let is_sign = match char {
            '\\' | '`' | '*' | ']' | '<' | '{' | '$' | '~' | '^' => true,
            // Within a word it is only a line.
            '_' => !(before.is_alphanumeric() && next.is_alphanumeric()),
            '&' => is_entity(rest),
            '|' if place == WordsPlace::Anywhere => true,
            '#' | '>' | '|' | '=' | ':' => begins && at == 0,
            '-' | '+' => begins && at == 0 && matches!(next, ' ' | '-'),
            // The number of an item.
            '.' | ')' => at_number && at > 0 && next == ' ',
            _ => false,
        };
        if is_sign {
            escaped.push('\\');
        }
        escaped.push(char);
        at_number &= char.is_ascii_digit();
        before = char;
    }
    escaped
}

/// Returns true if a `&` followed by this text would be read as an HTML entity.
fn is_entity(rest: &str) -> bool {
    let name = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'#').count();
    name > 0 && rest[name..].starts_with(';')
}

/// Words with single spaces between them; a single blank that does not end a line stays what it is.
fn on_one_line(words: &str) -> String {
    let mut line = String::with_capacity(words.len());
    let mut rest = words.trim();
    while let Some(at) = rest.find(char::is_whitespace) {
        let (before, after) = rest.split_at(at);
        let next = after.trim_start();
        let blank = &after[..after.len() - next.len()];
        line.push_str(before);
        let mut chars = blank.chars();
        match (chars.next(), chars.next()) {
            (Some(one), None) if !one.is_control() && !matches!(one, '\u{2028}' | '\u{2029}') => line.push(one),
            _ => line.push(' '),
        }
        rest = next;
    }
    line.push_str(rest);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_would_be_read_otherwise_is_escaped() {
        for (words, wanted) in [
            ("Plain words, (really) – 3.5 % of them!", "Plain words, (really) – 3.5 % of them!"),
            ("It grew.[3] See [a.pdf](b).", "It grew.[3\\] See [a.pdf\\](b)."),
            ("a_b is *not* `code` <b>", "a_b is \\*not\\* \\`code\\` \\<b>"),
            ("AT&T costs $5 &amp; more", "AT&T costs \\$5 \\&amp; more"),
            ("1. First # of all", "1\\. First # of all"),
            ("# A heading", "\\# A heading"),
            ("- An item", "\\- An item"),
            ("-5 degrees", "-5 degrees"),
            ("two\n  lines\tand 3\u{a0}m", "two lines and 3\u{a0}m"),
            ("C:\\path {citation:a}", "C:\\\\path \\{citation:a}"),
        ] {
            assert_eq!(escape_markdown(words, WordsPlace::Start), wanted);
        }
        // Within a paragraph nothing begins a block.
        assert_eq!(escape_markdown("1. First", WordsPlace::Within), "1. First");
        assert_eq!(escape_markdown("# of all", WordsPlace::Within), "# of all");
    }
}
