//! BibTeX and BibLaTeX: the shape of the file. What its fields mean is in [`super::bibtex_fields`].

use std::collections::HashMap;

use super::{ImportError, Imported, bibtex_fields};

/// An entry as it stands in the file: its fields are still TeX.
#[derive(Clone, Debug, Default)]
pub(super) struct Raw {
    pub(super) line: usize,
    /// The type, in lower case.
    pub(super) kind: String,
    pub(super) key: String,
    /// Names in lower case; the first of a name counts.
    pub(super) fields: Vec<(String, String)>,
}

impl Raw {
    /// A field that is there and not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.fields.iter().find(|(field, _)| field == name)?;
        Some(value.trim()).filter(|value| !value.is_empty())
    }

    /// The first of several fields that is there.
    pub(super) fn first(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.get(name))
    }
}

/// The longest value of a field or macro, in bytes: macros may be joined to grow without end.
const LONGEST_VALUE: usize = 1024 * 1024;

/// The most fields of one entry that are mended: each attempt reads to the end of the entry, and a file made of broken
/// ones must not take for ever.
const MOST_BROKEN: usize = 20;

/// Whether a line begins an entry.
pub(super) fn is_first_line(line: &str) -> bool {
    entry_head(line.trim_start()).is_some()
}

/// Reads `@type{` or `@type(`: the type, and the bytes it takes.
fn entry_head(text: &str) -> Option<(&str, usize)> {
    let rest = text.strip_prefix('@')?;
    let rest = rest.trim_start_matches([' ', '\t']);
    let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    let (kind, after) = rest.split_at(length);
    let open = after.trim_start();
    let fits = !kind.is_empty() && kind.len() <= 40 && open.starts_with(['{', '(']);
    fits.then(|| (kind, text.len() - open.len() + 1))
}

pub(super) fn read(text: &str) -> Result<Imported, ImportError> {
    let done = Imported::default();
    let mut reader = Reader { text, at: 0, following: 0, line: 1, line_at: 0, macros: HashMap::new(), done };
    let mut found: Vec<Raw> = Vec::new();
    while let Some((start, next)) = reader.next_entry() {
        let Some((kind, head)) = entry_head(&text[start..]) else { break };
        let kind = kind.to_ascii_lowercase();
        let line = reader.line_of(start);
        reader.at = start + head;
        match kind.as_str() {
            "comment" | "preamble" => reader.skip(next),
            "string" => reader.define(line, next),
            _ => {
                if found.len() >= super::MOST_ENTRIES {
                    return Err(ImportError::TooMany);
                }
                found.push(reader.entry(kind, line, next));
            }
        }
    }
    bibtex_fields::inherit(&mut found);
    // An `xdata` is no work, only fields that works share.
    for raw in found.iter().filter(|raw| raw.kind != "xdata") {
        let entry = bibtex_fields::entry(raw);
        if entry.reference == ibid_domain::Reference::default() {
            reader.done.problem(
                raw.line,
                Some(&raw.key),
                "the entry has no field that could be read, and was left out",
            );
        } else {
            reader.done.add(entry)?;
        }
    }
    reader.done.problems.sort_by_key(|problem| problem.line);
    Ok(reader.done)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Where the next line that begins an entry was found.
    following: usize,
    /// How far lines are counted.
    line: usize,
    line_at: usize,
    macros: HashMap<String, String>,
    done: Imported,
}

impl<'t> Reader<'t> {
    /// Where the next entry begins, and where at the latest the one after it does: no entry reaches beyond a line that
    /// begins another, so that one that is never closed swallows nothing.
    fn next_entry(&mut self) -> Option<(usize, usize)> {
        let mut from = self.at;
        // Whether the line so far begins as a comment.
        let mut commented = false;
        loop {
            let at = from + self.text.get(from..)?.find('@')?;
            let passed = &self.text[from..at];
            if let Some(end) = passed.rfind('\n') {
                commented = passed[end + 1..].trim_start().starts_with('%');
            } else {
                commented |= from == self.at && passed.trim_start().starts_with('%');
            }
            if !commented && entry_head(&self.text[at..]).is_some() {
                return Some((at, self.following(at + 1)));
            }
            from = at + 1;
        }
    }

    /// The next line that begins an entry.
    fn following(&mut self, from: usize) -> usize {
        if self.following > from {
            return self.following;
        }
        let mut at = from;
        self.following = loop {
            let Some(end) = self.text[at..].find('\n') else { break self.text.len() };
            at += end + 1;
            let line = &self.text[at..];
            let indent = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            if entry_head(&line[indent..]).is_some() {
                break at + indent;
            }
        };
        self.following
    }

    fn line_of(&mut self, at: usize) -> usize {
        if at > self.line_at {
            self.line += self.text[self.line_at..at].bytes().filter(|&byte| byte == b'\n').count();
            self.line_at = at;
        }
        self.line
    }

    /// Passes over a comment: to its closing brace, or to the next entry.
    fn skip(&mut self, limit: usize) {
        self.at = match self.balanced(limit, b'}') {
            Some(end) => end + 1,
            None => limit,
        };
    }

    /// The macro of `@string{name = value}`.
    fn define(&mut self, line: usize, limit: usize) {
        let name = self.name(limit).to_ascii_lowercase();
        self.space(limit);
        if !name.is_empty() && self.eat(b'=', limit) {
            let (value, whole) = self.value(limit);
            if whole {
                self.macros.insert(name, value);
                self.space(limit);
                self.eat(b'}', limit);
                self.eat(b')', limit);
                return;
            }
        }
        self.done.problem(line, None, "a @string could not be read; write it as @string{name = {text}}");
        self.at = limit;
    }

    fn entry(&mut self, kind: String, line: usize, limit: usize) -> Raw {
        let key = self.key(limit);
        let mut raw = Raw { line, kind, key, fields: Vec::new() };
        let mut broken = 0;
        // Where the value of the last field begins.
        let mut last = None;
        loop {
            self.space(limit);
            while self.eat(b',', limit) {
                self.space(limit);
            }
            if self.at >= limit {
                // With a brace too few, the last value has swallowed the fields after it.
                if let Some(before) = last.take()
                    && broken < MOST_BROKEN
                    && self.next_field(before, limit) < limit
                {
                    raw.fields.pop();
                    broken += 1;
                    self.mend(&mut raw, before, limit);
                    continue;
                }
                self.done.problem(line, Some(&raw.key), "the entry is not closed; it was read up to the next one");
                return raw;
            }
            if self.eat(b'}', limit) || self.eat(b')', limit) {
                // With one brace too many, what follows still looks like a field.
                let Some(field) = self.field_follows(limit) else { return raw };
                self.at = field;
                let line = self.line_of(self.at);
                self.done.problem(line, Some(&raw.key), "there is a closing brace too many before this line");
                continue;
            }
            let start = self.at;
            if self.text.as_bytes().get(start) == Some(&b'%') {
                self.at = self.text[start..limit].find('\n').map_or(limit, |end| start + end);
                continue;
            }
            let name = self.name(limit);
            self.space(limit);
            let named = self.eat(b'=', limit);
            let braced = self.at < limit && matches!(self.text.as_bytes().get(self.at), Some(b'{' | b'"'));
            if !named && braced && !name.is_empty() {
                let line = self.line_of(start);
                self.done.problem(line, Some(&raw.key), format!("there is no '=' after '{}'", short(name)));
            } else if name.is_empty() || !named {
                let line = self.line_of(start);
                self.done.problem(line, Some(&raw.key), "a line is not of the form name = {value}, and was left out");
                self.at = self.next_field(start, limit);
                continue;
            }
            match self.value(limit) {
                (value, true) => last = add(&mut raw, name, value).then_some(start),
                (_, false) if broken < MOST_BROKEN => {
                    broken += 1;
                    self.mend(&mut raw, start, limit);
                }
                (_, false) => self.at = limit,
            }
        }
    }

    /// Reads the field at `start`, whose braces or quotes do not match: its value ends before the next line that looks
    /// like a field.
    fn mend(&mut self, raw: &mut Raw, start: usize, limit: usize) {
        self.at = start;
        let name = self.name(limit);
        self.space(limit);
        self.eat(b'=', limit);
        let end = self.next_field(start, limit);
        let value = self.text[self.at.min(end)..end].trim().trim_end_matches(['}', ',', ' ', '\n', '\r']);
        let value = value.trim_start_matches(['{', '"']).to_owned();
        let line = self.line_of(start);
        let message = format!("the braces or quotes of '{}' do not match", short(name));
        self.done.problem(line, Some(&raw.key), message);
        add(raw, name, value);
        self.at = end;
    }

    /// The citation key: up to the first comma. An entry without one goes straight to its fields.
    fn key(&mut self, limit: usize) -> String {
        self.space(limit);
        let rest = &self.text[self.at..limit];
        let end = rest.find([',', '=', '}', '\n', '"']).unwrap_or(rest.len());
        if rest[end..].starts_with(['=', '"']) {
            return String::new();
        }
        self.at += end;
        rest[..end].trim().to_owned()
    }

    fn space(&mut self, limit: usize) {
        let rest = &self.text[self.at..limit];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, byte: u8, limit: usize) -> bool {
        let found = self.at < limit && self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    /// The name of a field or macro.
    fn name(&mut self, limit: usize) -> &'t str {
        self.space(limit);
        let rest = &self.text[self.at..limit];
        let end = rest.find(|c: char| c.is_whitespace() || "={}(),#\"%@".contains(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A value: texts, numbers and macros joined by `#`. Whether it was closed as it was opened.
    fn value(&mut self, limit: usize) -> (String, bool) {
        let mut value = String::new();
        loop {
            self.space(limit);
            let open = self.text.as_bytes()[..limit].get(self.at).copied();
            let part = match open {
                Some(b'{' | b'"') => {
                    self.at += 1;
                    let close = if open == Some(b'{') { b'}' } else { b'"' };
                    let Some(end) = self.balanced(limit, close) else { return (value, false) };
                    let part = &self.text[self.at..end];
                    self.at = end + 1;
                    part.to_owned()
                }
                _ => {
                    let rest = &self.text[self.at..limit];
                    let end = rest.find([',', '}', '#', '\n', '{', '"']).unwrap_or(rest.len());
                    self.at += end;
                    let word = rest[..end].trim();
                    // An unknown macro is most often a word that should have been in braces.
                    self.macros.get(&word.to_ascii_lowercase()).cloned().unwrap_or_else(|| word.to_owned())
                }
            };
            if value.len() + part.len() <= LONGEST_VALUE {
                value.push_str(&part);
            }
            self.space(limit);
            if !self.eat(b'#', limit) {
                return (value, true);
            }
        }
    }

    /// Where the text that begins here is closed, outside of any braces within it.
    fn balanced(&self, limit: usize, close: u8) -> Option<usize> {
        let bytes = &self.text.as_bytes()[..limit];
        let mut depth = 0_usize;
        let mut at = self.at;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                byte if byte == close && depth == 0 => return Some(at),
                b'\\' => at += 1,
                b'{' => depth += 1,
                b'}' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Where `name =` stands after nothing but commas and braces.
    fn field_follows(&self, limit: usize) -> Option<usize> {
        let rest = self.text[self.at..limit].trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '}'));
        is_field(rest).then(|| limit - rest.len())
    }

    /// The beginning of the next line that looks like a field, or the end of the entry.
    fn next_field(&self, from: usize, limit: usize) -> usize {
        let mut at = from;
        while let Some(end) = self.text[at..limit].find('\n') {
            at += end + 1;
            let line = &self.text[at..limit];
            if is_field(line.trim_start()) {
                return at;
            }
            // The brace that closes an entry stands alone on its line.
            if line.lines().next().is_some_and(|line| line.trim() == "}") {
                return at;
            }
        }
        limit
    }
}

fn is_field(text: &str) -> bool {
    let length = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    let after = text[length..].trim_start_matches([' ', '\t']);
    (1..=40).contains(&length)
        && after.strip_prefix('=').is_some_and(|after| {
            after.trim_start().starts_with(|c: char| c.is_alphanumeric() || matches!(c, '{' | '"'))
        })
}

/// As much of a name as a message shows.
fn short(name: &str) -> String {
    name.chars().take(40).collect()
}

/// Adds a field, unless there is one of its name; whether it did.
fn add(raw: &mut Raw, name: &str, value: String) -> bool {
    let name = name.to_ascii_lowercase();
    let new = raw.fields.len() < 500 && !raw.fields.iter().any(|(known, _)| *known == name);
    if new {
        raw.fields.push((name, value));
    }
    new
}
