//! BibTeX and BibLaTeX: the shape of the file. What its fields mean is in [`super::bibtex_fields`].

use std::collections::HashMap;

use super::{ImportError, ImportedReferences, bibtex_fields};

/// An entry as it stands in the file: its fields are still TeX.
#[derive(Clone, Debug, Default)]
pub(super) struct RawBibtexEntry {
    pub(super) line: usize,
    /// Entry type in lower case, such as `inproceedings`.
    pub(super) kind: String,
    pub(super) key: String,
    /// Names in lower case; the first of a name counts.
    pub(super) fields: Vec<(String, String)>,
}

impl RawBibtexEntry {
    /// A field that is there and not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.fields.iter().find(|(field, _)| field == name)?;
        Some(value.trim()).filter(|value| !value.is_empty())
    }

    /// The first of several fields that is there.
    pub(super) fn first_field(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.get(name))
    }
}

/// The longest value of a field or macro, in bytes: macros may be joined to grow without end.
const LONGEST_VALUE: usize = 1024 * 1024;

/// The most fields of one entry that are mended: each attempt reads to the end of the entry, and a file made of broken
/// ones must not take for ever.
const MOST_BROKEN: usize = 20;

/// Returns true if the line begins a BibTeX entry.
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

pub(super) fn read(text: &str) -> Result<ImportedReferences, ImportError> {
    let done = ImportedReferences::default();
    let mut reader = BibtexReader { text, at: 0, following: 0, line: 1, line_at: 0, macros: HashMap::new(), done };
    let mut found: Vec<RawBibtexEntry> = Vec::new();
    while let Some((start, next)) = reader.next_entry() {
        let Some((kind, head)) = entry_head(&text[start..]) else { break };
        let kind = kind.to_ascii_lowercase();
        let line = reader.line_of(start);
        reader.at = start + head;
        match kind.as_str() {
            "comment" | "preamble" => reader.skip_comment(next),
            "string" => reader.define_macro(line, next),
            _ => {
                if found.len() >= super::MOST_ENTRIES {
                    return Err(ImportError::TooMany);
                }
                found.push(reader.read_entry(kind, line, next));
            }
        }
    }
    bibtex_fields::inherit_fields(&mut found);
    // An `xdata` is no work, only fields that works share.
    for raw in found.iter().filter(|raw| raw.kind != "xdata") {
        let entry = bibtex_fields::build_entry(raw);
        if entry.reference == ibid_domain::Reference::default() {
            reader.done.add_problem(
                raw.line,
                Some(&raw.key),
                "the entry has no field that could be read, and was left out",
            );
        } else {
            reader.done.add_entry(entry)?;
        }
    }
    reader.done.problems.sort_by_key(|problem| problem.line);
    Ok(reader.done)
}

struct BibtexReader<'t> {
    text: &'t str,
    at: usize,
    /// Byte offset of the next line that begins an entry, cached between calls.
    following: usize,
    /// Number of the line at byte `line_at`, from 1.
    line: usize,
    line_at: usize,
    macros: HashMap<String, String>,
    done: ImportedReferences,
}

impl<'t> BibtexReader<'t> {
    /// Returns the start of the next entry and the latest start of the one after it. An entry never extends past a line
    /// that begins another, so an unclosed one swallows nothing.
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
                return Some((at, self.next_entry_line(at + 1)));
            }
            from = at + 1;
        }
    }

    /// The next line that begins an entry.
    fn next_entry_line(&mut self, from: usize) -> usize {
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
    fn skip_comment(&mut self, limit: usize) {
        self.at = match self.closing_position(limit, b'}') {
            Some(end) => end + 1,
            None => limit,
        };
    }

    /// The macro of `@string{name = value}`.
    fn define_macro(&mut self, line: usize, limit: usize) {
        let name = self.read_name(limit).to_ascii_lowercase();
        self.skip_space(limit);
        if !name.is_empty() && self.eat_byte(b'=', limit) {
            let (value, whole) = self.read_value(limit);
            if whole {
                self.macros.insert(name, value);
                self.skip_space(limit);
                self.eat_byte(b'}', limit);
                self.eat_byte(b')', limit);
                return;
            }
        }
        self.done.add_problem(line, None, "a @string could not be read; write it as @string{name = {text}}");
        self.at = limit;
    }

    fn read_entry(&mut self, kind: String, line: usize, limit: usize) -> RawBibtexEntry {
        let key = self.read_key(limit);
        let mut raw = RawBibtexEntry { line, kind, key, fields: Vec::new() };
        let mut broken = 0;
        // Where the value of the last field begins.
        let mut last = None;
        loop {
            self.skip_space(limit);
            while self.eat_byte(b',', limit) {
                self.skip_space(limit);
            }
            if self.at >= limit {
                // With a brace too few, the last value has swallowed the fields after it.
                if let Some(before) = last.take()
                    && broken < MOST_BROKEN
                    && self.next_field(before, limit) < limit
                {
                    raw.fields.pop();
                    broken += 1;
                    self.repair_field(&mut raw, before, limit);
                    continue;
                }
                self.done.add_problem(line, Some(&raw.key), "the entry is not closed; it was read up to the next one");
                return raw;
            }
            if self.eat_byte(b'}', limit) || self.eat_byte(b')', limit) {
                // With one brace too many, what follows still looks like a field.
                let Some(field) = self.field_follows(limit) else { return raw };
                self.at = field;
                let line = self.line_of(self.at);
                self.done.add_problem(line, Some(&raw.key), "there is a closing brace too many before this line");
                continue;
            }
            let start = self.at;
            if self.text.as_bytes().get(start) == Some(&b'%') {
                self.at = self.text[start..limit].find('\n').map_or(limit, |end| start + end);
                continue;
            }
            let name = self.read_name(limit);
            self.skip_space(limit);
            let named = self.eat_byte(b'=', limit);
            let braced = self.at < limit && matches!(self.text.as_bytes().get(self.at), Some(b'{' | b'"'));
            if !named && braced && !name.is_empty() {
                let line = self.line_of(start);
                self.done.add_problem(line, Some(&raw.key), format!("there is no '=' after '{}'", shorten_name(name)));
            } else if name.is_empty() || !named {
                let line = self.line_of(start);
                self.done.add_problem(
                    line,
                    Some(&raw.key),
                    "a line is not of the form name = {value}, and was left out",
                );
                self.at = self.next_field(start, limit);
                continue;
            }
            match self.read_value(limit) {
                (value, true) => last = add_field(&mut raw, name, value).then_some(start),
                (_, false) if broken < MOST_BROKEN => {
                    broken += 1;
                    self.repair_field(&mut raw, start, limit);
                }
                (_, false) => self.at = limit,
            }
        }
    }

    /// Reads the field at `start`, whose braces or quotes do not match: its value ends before the next line that looks
    /// like a field.
    fn repair_field(&mut self, raw: &mut RawBibtexEntry, start: usize, limit: usize) {
        self.at = start;
        let name = self.read_name(limit);
        self.skip_space(limit);
        self.eat_byte(b'=', limit);
        let end = self.next_field(start, limit);
        let value = self.text[self.at.min(end)..end].trim().trim_end_matches(['}', ',', ' ', '\n', '\r']);
        let value = value.trim_start_matches(['{', '"']).to_owned();
        let line = self.line_of(start);
        let message = format!("the braces or quotes of '{}' do not match", shorten_name(name));
        self.done.add_problem(line, Some(&raw.key), message);
        add_field(raw, name, value);
        self.at = end;
    }

    /// The citation key: up to the first comma. An entry without one goes straight to its fields.
    fn read_key(&mut self, limit: usize) -> String {
        self.skip_space(limit);
        let rest = &self.text[self.at..limit];
        let end = rest.find([',', '=', '}', '\n', '"']).unwrap_or(rest.len());
        if rest[end..].starts_with(['=', '"']) {
            return String::new();
        }
        self.at += end;
        rest[..end].trim().to_owned()
    }

    fn skip_space(&mut self, limit: usize) {
        let rest = &self.text[self.at..limit];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat_byte(&mut self, byte: u8, limit: usize) -> bool {
        let found = self.at < limit && self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    /// The name of a field or macro.
    fn read_name(&mut self, limit: usize) -> &'t str {
        self.skip_space(limit);
        let rest = &self.text[self.at..limit];
        let end = rest.find(|c: char| c.is_whitespace() || "={}(),#\"%@".contains(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A value: texts, numbers and macros joined by `#`. Whether it was closed as it was opened.
    fn read_value(&mut self, limit: usize) -> (String, bool) {
        let mut value = String::new();
        loop {
            self.skip_space(limit);
            let open = self.text.as_bytes()[..limit].get(self.at).copied();
            let part = match open {
                Some(b'{' | b'"') => {
                    self.at += 1;
                    let close = if open == Some(b'{') { b'}' } else { b'"' };
                    let Some(end) = self.closing_position(limit, close) else { return (value, false) };
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
            self.skip_space(limit);
            if !self.eat_byte(b'#', limit) {
                return (value, true);
            }
        }
    }

    /// Returns the offset of the closing delimiter, ignoring those inside braces.
    fn closing_position(&self, limit: usize, close: u8) -> Option<usize> {
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

    /// Returns the offset of the next `name =` if only commas and braces precede it.
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
fn shorten_name(name: &str) -> String {
    name.chars().take(40).collect()
}

/// Adds a field, unless there is one of its name; whether it did.
fn add_field(raw: &mut RawBibtexEntry, name: &str, value: String) -> bool {
    let name = name.to_ascii_lowercase();
    let new = raw.fields.len() < 500 && !raw.fields.iter().any(|(known, _)| *known == name);
    if new {
        raw.fields.push((name, value));
    }
    new
}
