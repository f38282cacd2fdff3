//! Markup to tokens. Follows the tokenizer of the HTML standard as far as it changes what text comes out; never fails.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::tag::Tag;

/// An attribute: its name as written, its value with references resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HtmlAttribute<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: Cow<'a, str>,
}

/// Start tag, end tag or text read from HTML.
#[derive(Debug)]
pub(crate) enum HtmlToken<'a> {
    /// A start tag; its attributes lie in the vector that was given.
    Start {
        tag: Tag,
        name: &'a str,
        closed: bool,
    },
    End {
        tag: Tag,
        name: &'a str,
    },
    /// Text, with references resolved.
    Text(Cow<'a, str>),
    /// The content of an element that holds no markup.
    Raw(Cow<'a, str>),
}

/// Tokenizer for HTML; it accepts any text.
pub(crate) struct HtmlTokenizer<'a> {
    html: &'a str,
    at: usize,
    /// The element whose raw content comes next.
    raw: Option<(Tag, &'a str)>,
}

impl<'a> HtmlTokenizer<'a> {
    pub(crate) fn new(html: &'a str) -> Self {
        Self { html, at: 0, raw: None }
    }

    fn bytes(&self) -> &'a [u8] {
        self.html.as_bytes()
    }

    /// The next token; the attributes of a start tag are put into `attributes`.
    pub(crate) fn next(&mut self, attributes: &mut Vec<HtmlAttribute<'a>>) -> Option<HtmlToken<'a>> {
        if let Some((tag, name)) = self.raw.take() {
            return Some(self.raw_text(tag, name));
        }
        let start = self.at;
        let mut from = start;
        while let Some(found) = memchr(b'<', &self.bytes()[from..]) {
            let open = from + found;
            if !self.is_markup(open) {
                from = open + 1;
                continue;
            }
            if open > start {
                self.at = open;
                return Some(HtmlToken::Text(resolve_references(&self.html[start..open], false)));
            }
            if let Some(token) = self.read_markup(open, attributes) {
                return Some(token);
            }
            // A comment or a declaration: nothing to give, go on behind it.
            return self.next_after_nothing(attributes);
        }
        if start < self.html.len() {
            self.at = self.html.len();
            return Some(HtmlToken::Text(resolve_references(&self.html[start..], false)));
        }
        None
    }

    /// Goes on behind any number of comments without growing the stack.
    fn next_after_nothing(&mut self, attributes: &mut Vec<HtmlAttribute<'a>>) -> Option<HtmlToken<'a>> {
        while self.is_markup(self.at) {
            if let Some(token) = self.read_markup(self.at, attributes) {
                return Some(token);
            }
        }
        if self.at >= self.html.len() { None } else { self.next(attributes) }
    }

    fn is_markup(&self, open: usize) -> bool {
        let bytes = self.bytes();
        bytes.get(open) == Some(&b'<')
            && match bytes.get(open + 1) {
                Some(b'!' | b'?') => true,
                Some(b'/') => bytes.get(open + 2).is_some_and(|byte| byte.is_ascii_alphabetic()),
                Some(byte) => byte.is_ascii_alphabetic(),
                None => false,
            }
    }

    /// Reads the markup at `open` and moves behind it.
    fn read_markup(&mut self, open: usize, attributes: &mut Vec<HtmlAttribute<'a>>) -> Option<HtmlToken<'a>> {
        let bytes = self.bytes();
        match bytes[open + 1] {
            b'!' | b'?' => {
                self.at = self.comment_end(open);
                None
            }
            b'/' => {
                let name = self.read_name(open + 2);
                // Attributes of end tags mean nothing, but a `>` inside their quotes does not end the tag.
                let mut ignored = Vec::new();
                self.read_attributes(open + 2 + name.len(), &mut ignored);
                Some(HtmlToken::End { tag: Tag::of(name.as_bytes()), name })
            }
            _ => {
                let name = self.read_name(open + 1);
                attributes.clear();
                let closed = self.read_attributes(open + 1 + name.len(), attributes);
                let tag = Tag::of(name.as_bytes());
                if tag.is_raw() {
                    self.raw = Some((tag, name));
                }
                Some(HtmlToken::Start { tag, name, closed })
            }
        }
    }

    fn read_name(&self, from: usize) -> &'a str {
        let rest = &self.bytes()[from..];
        let len = rest
            .iter()
            .position(|&byte| byte.is_ascii_whitespace() || byte == b'/' || byte == b'>')
            .unwrap_or(rest.len());
        &self.html[from..from + len]
    }

    fn comment_end(&self, open: usize) -> usize {
        let bytes = self.bytes();
        let Some(rest) = bytes[open..].strip_prefix(b"<!--") else {
            return memchr(b'>', &bytes[open..]).map_or(bytes.len(), |found| open + found + 1);
        };
        let body = open + 4;
        for short in [&b">"[..], b"->"] {
            if rest.starts_with(short) {
                return body + short.len();
            }
        }
        let mut from = body;
        while let Some(found) = memchr(b'>', &bytes[from..]) {
            let close = from + found;
            if bytes[body..close].ends_with(b"--") || bytes[body..close].ends_with(b"--!") {
                return close + 1;
            }
            from = close + 1;
        }
        bytes.len()
    }

    /// Reads attributes up to the end of the tag; says whether it ended in `/>`.
    fn read_attributes(&mut self, from: usize, into: &mut Vec<HtmlAttribute<'a>>) -> bool {
        let bytes = self.bytes();
        let mut at = from;
        let mut closed = false;
        loop {
            while bytes.get(at).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/') {
                closed = bytes[at] == b'/';
                at += 1;
            }
            match bytes.get(at) {
                None => {
                    self.at = bytes.len();
                    return closed;
                }
                Some(b'>') => {
                    self.at = at + 1;
                    return closed;
                }
                Some(_) => {}
            }
            closed = false;
            let start = at;
            // A name may begin with `=`.
            at += 1;
            while bytes.get(at).is_some_and(|&byte| !byte.is_ascii_whitespace() && !b"/>=".contains(&byte)) {
                at += 1;
            }
            let name = &self.html[start..self.next_char_boundary(at)];
            let mut ahead = at;
            while bytes.get(ahead).is_some_and(u8::is_ascii_whitespace) {
                ahead += 1;
            }
            if bytes.get(ahead) != Some(&b'=') {
                push(into, name, Cow::Borrowed(""));
                continue;
            }
            at = ahead + 1;
            while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
            let value = match bytes.get(at) {
                Some(&quote @ (b'"' | b'\'')) => {
                    let end = memchr(quote, &bytes[at + 1..]).map_or(bytes.len(), |found| at + 1 + found);
                    let value = &self.html[at + 1..end];
                    at = (end + 1).min(bytes.len());
                    value
                }
                _ => {
                    let start = at;
                    while bytes.get(at).is_some_and(|&byte| !byte.is_ascii_whitespace() && byte != b'>') {
                        at += 1;
                    }
                    &self.html[start..at]
                }
            };
            push(into, name, resolve_references(value, true));
        }
    }

    /// The next place at or after `at` where a character begins.
    fn next_char_boundary(&self, mut at: usize) -> usize {
        while !self.html.is_char_boundary(at) {
            at += 1;
        }
        at
    }

    /// The content of a raw element; its end tag is left for the next call.
    fn raw_text(&mut self, tag: Tag, name: &str) -> HtmlToken<'a> {
        let start = self.at;
        let end = self.raw_end(tag, name.as_bytes());
        self.at = end;
        let text = &self.html[start..end];
        HtmlToken::Raw(if matches!(tag, Tag::Title | Tag::Textarea) {
            resolve_references(text, false)
        } else {
            Cow::Borrowed(text)
        })
    }

    fn raw_end(&self, tag: Tag, name: &[u8]) -> usize {
        let bytes = self.bytes();
        let mut from = self.at;
        // `<!-- <script> … </script> -->` inside a script is part of it.
        let (mut commented, mut nested) = (false, false);
        while let Some(found) = memchr2(b'<', b'-', &bytes[from..]) {
            let at = from + found;
            let rest = &bytes[at..];
            from = at + 1;
            if rest[0] == b'-' {
                if commented && rest.starts_with(b"-->") {
                    (commented, nested) = (false, false);
                }
                continue;
            }
            let named = |skip: usize| {
                rest.get(skip..skip + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
                    && rest
                        .get(skip + name.len())
                        .is_some_and(|&byte| byte.is_ascii_whitespace() || byte == b'/' || byte == b'>')
            };
            if rest.get(1) == Some(&b'/') && named(2) {
                if !nested {
                    return at;
                }
                nested = false;
            } else if tag == Tag::Script && rest.starts_with(b"<!--") {
                commented = true;
            } else if tag == Tag::Script && commented && named(1) {
                nested = true;
            }
        }
        bytes.len()
    }
}

/// Keeps the first of several attributes of one name, and no more than a page can sensibly have.
fn push<'a>(into: &mut Vec<HtmlAttribute<'a>>, name: &'a str, value: Cow<'a, str>) {
    const MOST: usize = 64;
    if into.len() < MOST && !into.iter().any(|known| known.name.eq_ignore_ascii_case(name)) {
        into.push(HtmlAttribute { name, value });
    }
}

/// Resolves character references; `strict` is for attributes, where `&copy=` is no reference.
pub(crate) fn resolve_references(text: &str, strict: bool) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let Some(first) = memchr(b'&', bytes) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    let mut at = first;
    loop {
        if let Some(len) = resolve_reference(&text[at..], strict, &mut out, &text[done..at]) {
            at += len;
            done = at;
        } else {
            at += 1;
        }
        match memchr(b'&', &bytes[at..]) {
            Some(found) => at += found,
            None => break,
        }
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Resolves the reference at the start of `text` into `out`, behind `before`; gives its length.
fn resolve_reference(text: &str, strict: bool, out: &mut String, before: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.get(1) == Some(&b'#') {
        let hex = matches!(bytes.get(2), Some(b'x' | b'X'));
        let start = if hex { 3 } else { 2 };
        let digit = |byte: &u8| if hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
        let len = bytes[start..].iter().take_while(|byte| digit(byte)).count();
        if len == 0 {
            return None;
        }
        let number = u32::from_str_radix(&text[start..start + len], if hex { 16 } else { 10 }).unwrap_or(u32::MAX);
        out.push_str(before);
        out.push(numeric_reference(number));
        let end = start + len;
        return Some(if bytes.get(end) == Some(&b';') { end + 1 } else { end });
    }
    let len = bytes[1..].iter().take(32).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = &bytes[1..=len];
    if bytes.get(1 + len) == Some(&b';')
        && let Some(value) = named_reference(name)
    {
        out.push_str(before);
        out.push_str(value);
        return Some(len + 2);
    }
    if strict && bytes.get(1 + len) == Some(&b'=') {
        return None;
    }
    // Some old names are understood without a semicolon, even with letters behind them.
    let (len, value) = (2..=len.min(6)).rev().find_map(|len| Some((len, without_semicolon(&bytes[1..=len])?)))?;
    if strict && bytes.get(1 + len).is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    out.push_str(before);
    out.push_str(value);
    Some(len + 1)
}

fn named_reference(name: &[u8]) -> Option<&'static str> {
    let table = &html_escape::NAMED_ENTITIES;
    table.binary_search_by(|(known, _)| (*known).cmp(name)).ok().map(|index| table[index].1)
}

/// The names of Latin-1, which the standard takes without a semicolon.
fn without_semicolon(name: &[u8]) -> Option<&'static str> {
    let value = named_reference(name)?;
    let mut chars = value.chars();
    let (only, None) = (chars.next()?, chars.next()) else { return None };
    let old = matches!(name, b"amp" | b"lt" | b"gt" | b"quot" | b"AMP" | b"LT" | b"GT" | b"QUOT")
        || (('\u{a0}'..='\u{ff}').contains(&only)
            && !matches!(
                name,
                b"half" | b"angst" | b"die" | b"Dot" | b"circledR" | b"strns" | b"pm" | b"div" | b"centerdot"
            ));
    old.then_some(value)
}

/// The character of a number, with the standard's replacements for what Windows pages write.
fn numeric_reference(number: u32) -> char {
    const WINDOWS: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match number {
        0x80..=0x9f => WINDOWS[(number - 0x80) as usize],
        0 => char::REPLACEMENT_CHARACTER,
        _ => char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_as_browsers_do() {
        for (text, strict, wanted) in [
            ("a &amp; b", false, "a & b"),
            ("&lt;p&gt; &#8220;x&#x201D;", false, "<p> “x”"),
            ("caf&eacute; &eacutex", false, "café éx"),
            ("&copy 2024 &notit; &nosuch; & &", false, "© 2024 ¬it; &nosuch; & &"),
            ("?a=1&copy=2&amp;b", true, "?a=1&copy=2&b"),
            ("&#150; &#0; &#x110000; &#;", false, "– \u{fffd} \u{fffd} &#;"),
            ("&hellip;&NotEqualTilde;", false, "…≂̸"),
        ] {
            assert_eq!(resolve_references(text, strict), wanted, "{text}");
        }
    }

    fn shown(html: &str) -> String {
        let mut tokens = HtmlTokenizer::new(html);
        let mut attributes = Vec::new();
        let mut out = String::new();
        while let Some(token) = tokens.next(&mut attributes) {
            match token {
                HtmlToken::Start { name, closed, .. } => {
                    out += &format!("<{name}");
                    for attribute in &attributes {
                        out += &format!(" {}=[{}]", attribute.name, attribute.value);
                    }
                    out += if closed { "/>" } else { ">" };
                }
                HtmlToken::End { name, .. } => out += &format!("</{name}>"),
                HtmlToken::Text(text) => out += &text,
                HtmlToken::Raw(text) => out += &format!("{{{text}}}"),
            }
        }
        out
    }

    #[test]
    fn broken_markup_is_read_as_browsers_do() {
        for (html, wanted) in [
            ("a<b", "a<b>"),
            ("1 < 2 <3 </ x <", "1 < 2 <3 </ x <"),
            ("<a href=x title='a>b' TITLE=c hidden>t</a x='>'>", "<a href=[x] title=[a>b] hidden=[]>t</a>"),
            ("<img src=a/b />", "<img src=[a/b]/>"),
            ("<!-- a > b --><!doctype html><?php x ?><!-->y", "y"),
            (
                "<script>if (a</b/) '<!-- <script>x</script> -->'</script>z",
                "<script>{if (a</b/) '<!-- <script>x</script> -->'}</script>z",
            ),
            ("<title>A &amp; <b></TITLE >", "<title>{A & <b>}</TITLE>"),
            ("<style>never closed <p>", "<style>{never closed <p>}"),
            ("<div =a='b' é=\"ü\"/>", "<div =a=[b] é=[ü]/>"),
        ] {
            assert_eq!(shown(html), wanted, "{html}");
        }
    }
}
