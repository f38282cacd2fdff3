//! Formatted text on its way out: one string with marks in it, and how marks become text, HTML, Markdown or Typst.
//!
//! The marks are Unicode noncharacters, which no text from outside may hold: [`clean_text`] takes them out.

/// Begins italics of the style.
pub(crate) const ITALIC: char = '\u{FDD0}';
/// Ends italics that the style asks for.
pub(crate) const ITALIC_END: char = '\u{FDD1}';
pub(crate) const BOLD: char = '\u{FDD2}';
pub(crate) const BOLD_END: char = '\u{FDD3}';
pub(crate) const SMALL_CAPS: char = '\u{FDD4}';
pub(crate) const SMALL_CAPS_END: char = '\u{FDD5}';
pub(crate) const UNDERLINE: char = '\u{FDD6}';
pub(crate) const UNDERLINE_END: char = '\u{FDD7}';
pub(crate) const SUP: char = '\u{FDD8}';
pub(crate) const SUP_END: char = '\u{FDD9}';
pub(crate) const SUB: char = '\u{FDDA}';
pub(crate) const SUB_END: char = '\u{FDDB}';
pub(crate) const QUOTE: char = '\u{FDDC}';
pub(crate) const QUOTE_END: char = '\u{FDDD}';
/// Words whose case is not touched.
pub(crate) const NOCASE: char = '\u{FDDE}';
pub(crate) const NOCASE_END: char = '\u{FDDF}';
/// An address that may be followed.
pub(crate) const LINK: char = '\u{FDE0}';
pub(crate) const LINK_END: char = '\u{FDE1}';
/// Upright, whatever stands around it.
pub(crate) const ROMAN: char = '\u{FDE2}';
pub(crate) const ROMAN_END: char = '\u{FDE3}';
/// Italics of the data, which turn to upright where the style has italics already.
pub(crate) const EMPHASIS: char = '\u{FDE4}';
pub(crate) const EMPHASIS_END: char = '\u{FDE5}';
/// A part that stands by itself: the number in the margin, a block.
pub(crate) const PART: char = '\u{FDE6}';
/// Begins names that may be replaced if the next entry repeats them.
pub(crate) const NAMES: char = '\u{FDE8}';
pub(crate) const NAMES_END: char = '\u{FDE9}';
/// Placeholder for the number of the entry.
pub(crate) const NUMBER: char = '\u{FDEA}';

/// Output format of formatted citations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputFormat {
    /// Plain text without any markup.
    Text,
    /// HTML; everything that came from the data is escaped.
    Html,
    /// Markdown; what Markdown would read as markup is escaped.
    Markdown,
    /// Typst; what Typst would read as markup or code is escaped.
    Typst,
}

/// The quotation marks of a locale, outer and inner.
#[derive(Clone, Debug)]
pub(crate) struct QuoteMarks {
    pub open: String,
    pub close: String,
    pub open_inner: String,
    pub close_inner: String,
}

pub(crate) fn is_mark(c: char) -> bool {
    ('\u{FDD0}'..='\u{FDEF}').contains(&c)
}

/// Marks that are not seen: everything but quotation marks and parts.
fn is_unseen(c: char) -> bool {
    is_mark(c) && !matches!(c, QUOTE | QUOTE_END | NUMBER)
}

/// Text from outside on one line, without marks and control characters.
pub(crate) fn clean_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() && c != '\u{A0}' && c != '\u{202F}' {
            if !out.ends_with(' ') && !out.is_empty() {
                out.push(' ');
            }
        } else if !is_mark(c) && !c.is_control() {
            out.push(c);
        }
    }
    out.truncate(out.trim_end_matches(' ').len());
    out
}

/// Returns true if the text has no visible characters.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| is_mark(c) && c != NUMBER)
}

/// Wraps a text in a pair of marks.
pub(crate) fn wrap_in_marks(text: &str, begin: char, end: char) -> String {
    let mut out = String::with_capacity(text.len() + 6);
    out.push(begin);
    out.push_str(text);
    out.push(end);
    out
}

/// Two marks of punctuation that meet: what stays of them, or `None` if both do.
fn merge_punctuation(left: char, right: char) -> Option<char> {
    if left == right && matches!(left, '.' | ',' | ';' | ':' | '!' | '?' | ' ' | '\u{A0}') {
        return Some(left);
    }
    match (left, right) {
        ('!' | '?', '.' | ':') => Some(left),
        (':' | ';', '!' | '?') => Some(right),
        (':' | ';', '.') | (';', ':') => Some(left),
        ('…', '.') => Some(left),
        _ => None,
    }
}

/// Puts `piece` behind `out`: punctuation and spaces that meet are merged, and full stops and commas go inside quotation
/// marks where the language has them there.
pub(crate) fn push(out: &mut String, piece: &str, inside_quotes: bool) {
    let mut piece = piece;
    // Where the next character is, past what is not seen.
    let next = |piece: &str| piece.char_indices().find(|(_, c)| !is_unseen(*c));
    if inside_quotes
        && let Some((at, c @ ('.' | ','))) = next(piece)
        && at == 0
        && let Some(place) = inside_last_quote(out)
    {
        let before = out[..place].chars().rev().find(|c| !is_unseen(*c));
        match before.and_then(|before| merge_punctuation(before, c)) {
            Some(_) => {}
            None => out.insert(place, c),
        }
        piece = &piece[1..];
    }
    // Where they stay outside, a full stop is not set after a question within.
    if !inside_quotes
        && piece.starts_with('.')
        && let Some(place) = inside_last_quote(out)
        && out[..place]
            .chars()
            .rev()
            .find(|c| !is_unseen(*c))
            .is_some_and(|before| merge_punctuation(before, '.').is_some())
    {
        piece = &piece[1..];
    }
    let (Some(last), Some((at, first))) = (out.chars().rev().find(|c| !is_unseen(*c)), next(piece)) else {
        out.push_str(piece);
        return;
    };
    match merge_punctuation(last, first) {
        Some(stays) if stays == last => {
            out.push_str(&piece[..at]);
            out.push_str(&piece[at + first.len_utf8()..]);
        }
        Some(_) => {
            if let Some((place, _)) = out.char_indices().rev().find(|(_, c)| !is_unseen(*c)) {
                out.remove(place);
            }
            out.push_str(piece);
        }
        None => out.push_str(piece),
    }
}

/// The place before the closing quotation marks that end the text, if it ends so.
fn inside_last_quote(text: &str) -> Option<usize> {
    let mut place = None;
    for (at, c) in text.char_indices().rev() {
        match c {
            QUOTE_END => place = Some(at),
            c if is_unseen(c) && c != LINK_END => {}
            _ => break,
        }
    }
    place
}

/// Text of the data with its own markup – `<i>`, `<b>`, `<sup>`, `<sub>`, small capitals, `nocase` – and quotation marks
/// made into marks, and apostrophes curled.
pub(crate) fn from_data(text: &str) -> String {
    let text = clean_text(text);
    if !text.contains(['<', '"', '\'', '“', '”', '‘', '’', '&']) {
        return text;
    }
    quotes_to_marks(&tags_to_marks(&text))
}

/// Makes the tags that CSL allows into marks; those that are not closed stay text.
pub(crate) fn tags_to_marks(text: &str) -> String {
    const TAGS: [(&str, &str, char, char); 9] = [
        ("<i>", "</i>", EMPHASIS, EMPHASIS_END),
        ("<em>", "</em>", EMPHASIS, EMPHASIS_END),
        ("<b>", "</b>", BOLD, BOLD_END),
        ("<strong>", "</strong>", BOLD, BOLD_END),
        ("<sup>", "</sup>", SUP, SUP_END),
        ("<sub>", "</sub>", SUB, SUB_END),
        ("<sc>", "</sc>", SMALL_CAPS, SMALL_CAPS_END),
        ("<span class=\"nocase\">", "</span>", NOCASE, NOCASE_END),
        ("<span style=\"font-variant:", "</span>", SMALL_CAPS, SMALL_CAPS_END),
    ];
    if !text.contains('<') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    // What is open: the tag that closes it, its mark, and where its opening stands in `out`, with how it was written.
    let mut open: Vec<(&str, char, usize, &str)> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(&(close, end, ..)) = open.last()
            && rest.starts_with(close)
        {
            out.push(end);
            open.pop();
            rest = &rest[close.len()..];
            continue;
        }
        let tag = TAGS.iter().find(|(tag, ..)| rest.starts_with(tag)).filter(|_| open.len() < 16);
        let length = tag.and_then(|_| rest.get(..120.min(rest.len())).unwrap_or(rest).find('>'));
        match (tag, length) {
            (Some((_, close, begin, end)), Some(length)) => {
                open.push((close, *end, out.len(), &rest[..=length]));
                out.push(*begin);
                rest = &rest[length + 1..];
            }
            _ => {
                out.push('<');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    // What was never closed is put back as it was written, the last first so that the places stay right.
    for (_, _, at, written) in open.into_iter().rev() {
        let mark = out[at..].chars().next().map_or(0, char::len_utf8);
        out.replace_range(at..at + mark, written);
    }
    out
}

/// Makes quotation marks in pairs into marks, and single ones inside or at the end of words into apostrophes.
fn quotes_to_marks(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    // Pairs of places that open and close.
    let mut pair: Vec<Option<bool>> = vec![None; chars.len()];
    let (mut double, mut single): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for (at, c) in chars.iter().enumerate() {
        if !matches!(c, '"' | '“' | '”' | '\'' | '‘' | '’') {
            continue;
        }
        let before = chars[..at].iter().rev().find(|c| !is_unseen(**c));
        let after = chars[at + 1..].iter().find(|c| !is_unseen(**c));
        let begins = before.is_none_or(|c| {
            c.is_whitespace() || matches!(c, '(' | '[' | '-' | '–' | '—' | '/' | '"' | '“' | '‘' | '\'')
        });
        let ends = after.is_none_or(|c| !c.is_alphanumeric());
        let stack = if matches!(c, '"' | '“' | '”') { &mut double } else { &mut single };
        match c {
            '“' | '‘' => stack.push(at),
            '”' | '’' if ends || *c == '”' => {
                if let Some(opened) = stack.pop() {
                    (pair[opened], pair[at]) = (Some(true), Some(false));
                }
            }
            '"' | '\'' if begins && !after.is_none_or(|c| c.is_whitespace()) => stack.push(at),
            '"' | '\'' if ends || *c == '"' => {
                if let Some(opened) = stack.pop() {
                    (pair[opened], pair[at]) = (Some(true), Some(false));
                }
            }
            _ => {}
        }
    }
    let mut out = String::with_capacity(text.len());
    for (at, c) in chars.iter().enumerate() {
        out.push(match (pair[at], c) {
            (Some(true), _) => QUOTE,
            (Some(false), _) => QUOTE_END,
            (None, '\'') => '’',
            (None, c) => *c,
        });
    }
    out
}

/// Returns the visible characters of a text, for comparing and sorting.
pub(crate) fn visible_text(text: &str) -> String {
    text.chars().filter(|c| !is_mark(*c)).collect()
}

/// The marked text in the form asked for.
pub(crate) fn write(text: &str, output: OutputFormat, quotes: &QuoteMarks) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut depth = 0usize;
    // What is open, so that italics within italics turn upright.
    let mut slants: Vec<bool> = Vec::new();
    let mut closers: Vec<&'static str> = Vec::new();
    // A part has ended: what follows stands apart from it.
    let mut apart = false;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if apart && !is_unseen(c) {
            if !out.ends_with(' ') && !matches!(c, ' ' | '.' | ',' | ';' | ':') {
                out.push(' ');
            }
            apart = false;
            if c == ' ' && out.ends_with(' ') {
                continue;
            }
        }
        match c {
            QUOTE => {
                out.push_str(if depth.is_multiple_of(2) { &quotes.open } else { &quotes.open_inner });
                depth += 1;
            }
            QUOTE_END => {
                depth = depth.saturating_sub(1);
                out.push_str(if depth.is_multiple_of(2) { &quotes.close } else { &quotes.close_inner });
            }
            PART => apart = !out.is_empty(),
            _ if output == OutputFormat::Text => {
                if !is_mark(c) {
                    out.push(c);
                }
            }
            ITALIC | ROMAN | EMPHASIS => {
                let now = slants.last().copied().unwrap_or(false);
                let then = match c {
                    ITALIC => true,
                    ROMAN => false,
                    _ => !now,
                };
                slants.push(then);
                let (begin, end) = match (now, then, output) {
                    (false, true, OutputFormat::Html) => ("<i>", "</i>"),
                    (true, false, OutputFormat::Html) => ("<span style=\"font-style:normal\">", "</span>"),
                    (false, true, OutputFormat::Typst) => ("#emph[", "];"),
                    (true, false, OutputFormat::Typst) => ("#text(style: \"normal\")[", "];"),
                    (false, true, _) => ("*", "*"),
                    _ => ("", ""),
                };
                out.push_str(begin);
                closers.push(end);
            }
            BOLD | SMALL_CAPS | UNDERLINE | SUP | SUB => {
                let (begin, end) = match (c, output) {
                    (BOLD, OutputFormat::Html) => ("<b>", "</b>"),
                    (BOLD, OutputFormat::Typst) => ("#strong[", "];"),
                    (SMALL_CAPS, OutputFormat::Typst) => ("#smallcaps[", "];"),
                    (UNDERLINE, OutputFormat::Typst) => ("#underline[", "];"),
                    (SUP, OutputFormat::Typst) => ("#super[", "];"),
                    (SUB, OutputFormat::Typst) => ("#sub[", "];"),
                    (BOLD, _) => ("**", "**"),
                    (SMALL_CAPS, OutputFormat::Html) => ("<span style=\"font-variant:small-caps\">", "</span>"),
                    (UNDERLINE, OutputFormat::Html) => ("<span style=\"text-decoration:underline\">", "</span>"),
                    (SUP, _) => ("<sup>", "</sup>"),
                    (SUB, _) => ("<sub>", "</sub>"),
                    _ => ("", ""),
                };
                out.push_str(begin);
                closers.push(end);
            }
            LINK => {
                let rest = &text[at + c.len_utf8()..];
                let address = rest.split(LINK_END).next().unwrap_or_default();
                let address: String = address.chars().filter(|c| !is_mark(*c)).collect();
                if output == OutputFormat::Html {
                    out.push_str("<a href=\"");
                    escape_html(&mut out, &address);
                    out.push_str("\">");
                    escape_html(&mut out, &address);
                    out.push_str("</a>");
                } else if output == OutputFormat::Typst {
                    // No mark is in an address, and what could end the string is escaped.
                    out.push_str("#link(\"");
                    out.push_str(&address.replace('\\', "\\\\").replace('"', "\\\""));
                    out.push_str("\");");
                } else {
                    // Angle brackets make a link of an address; none that would end it is in one.
                    let safe = !address.contains(['<', '>', ' ', '\\']);
                    if safe {
                        out.push('<');
                        out.push_str(&address);
                        out.push('>');
                    } else {
                        escape_markdown(&mut out, &address);
                    }
                }
                for (_, c) in chars.by_ref() {
                    if c == LINK_END {
                        break;
                    }
                }
            }
            ITALIC_END | ROMAN_END | EMPHASIS_END => {
                slants.pop();
                out.push_str(closers.pop().unwrap_or_default());
            }
            BOLD_END | SMALL_CAPS_END | UNDERLINE_END | SUP_END | SUB_END => {
                out.push_str(closers.pop().unwrap_or_default());
            }
            c if is_mark(c) => {}
            c => {
                let mut buffer = [0; 4];
                let piece = c.encode_utf8(&mut buffer);
                match output {
                    OutputFormat::Html => escape_html(&mut out, piece),
                    OutputFormat::Typst => escape_typst(&mut out, piece),
                    OutputFormat::Markdown | OutputFormat::Text => escape_markdown(&mut out, piece),
                }
            }
        }
    }
    for end in closers.into_iter().rev() {
        out.push_str(end);
    }
    out.truncate(out.trim_end_matches(' ').len());
    out
}

fn escape_html(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

/// Most signs may be markup somewhere: all but those that never are get a backslash.
fn escape_typst(out: &mut String, text: &str) {
    for c in text.chars() {
        if c.is_ascii_punctuation() && !matches!(c, ',' | '(' | ')' | '!' | '?' | '%' | '&' | '^' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
}

fn escape_markdown(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            '&' => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
}
