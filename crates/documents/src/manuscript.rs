//! A text with markers of citations in it, and what is set of it.
//!
//! A marker names a citation by its number: `#footnote[3]` in Typst, `[^3]` in Markdown. Where it stands in code, in a
//! comment or in a string it is none.

use std::{collections::BTreeSet, ops::Range};

use ibid_domain::{CiteAs, DocumentFormat as Format, Span};
use typst::syntax::{LinkedNode, Side, SyntaxKind, SyntaxNode, parse};

use crate::{difference, markdown, typst_markup, typst_to_markdown};

/// Line that starts a generated bibliography in a text, by format.
const BEGIN: [(Format, &str); 2] =
    [(Format::Typst, "// ibid:bibliography"), (Format::Markdown, "<!-- ibid:bibliography -->")];
/// Line that ends a generated bibliography.
const END: [(Format, &str); 2] = [(Format::Typst, "// ibid:end"), (Format::Markdown, "<!-- ibid:end -->")];

/// A bibliography as it stands in a text, between two lines by which it is found again.
pub fn wrap_bibliography(format: Format, bibliography: &str) -> String {
    format!("{}\n{}\n{}", line_for_format(&BEGIN, format), bibliography.trim(), line_for_format(&END, format))
}

fn line_for_format(of: &[(Format, &'static str); 2], format: Format) -> &'static str {
    of.iter().find(|(which, _)| *which == format).map_or("", |(_, words)| words)
}

/// Citation marker in a document's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CitationMarker {
    /// The number of its citation.
    pub number: u32,
    /// Span of the marker, in characters.
    pub span: Span,
}

/// The markers of a text, in its order.
pub fn find_markers(format: Format, text: &str) -> Vec<CitationMarker> {
    let places = in_bytes(format, text);
    let mut marked = Vec::with_capacity(places.len());
    // Bytes to characters, in one walk: the places are in order.
    let (mut byte, mut char) = (0, 0);
    for (number, range) in places {
        char += count_chars(text, byte..range.start);
        let start = char;
        char += count_chars(text, range.clone());
        byte = range.end;
        marked.push(CitationMarker { number, span: Span::new(start, char) });
    }
    marked
}

fn count_chars(text: &str, range: Range<usize>) -> usize {
    text.get(range).map_or(0, |part| part.chars().count())
}

fn in_bytes(format: Format, text: &str) -> Vec<(u32, Range<usize>)> {
    match format {
        Format::Typst => {
            let root = parse(text);
            let mut found = Vec::new();
            typst_markers(&root, 0, &mut found);
            found
        }
        Format::Markdown => markdown::footnote_markers(text),
    }
}

/// `#footnote[12]`, with its sign.
fn typst_markers(node: &SyntaxNode, start: usize, found: &mut Vec<(u32, Range<usize>)>) {
    let mut at = start;
    let mut hash = None;
    for child in node.children() {
        let end = at + child.len();
        if child.kind() == SyntaxKind::Hash {
            hash = Some(at);
        } else {
            match (hash.take(), footnote_number(child)) {
                (Some(from), Some(number)) => found.push((number, from..end)),
                _ if child.children().len() > 0 => typst_markers(child, at, found),
                _ => {}
            }
        }
        at = end;
    }
}

/// The number in a footnote that has nothing else.
fn footnote_number(node: &SyntaxNode) -> Option<u32> {
    if node.kind() != SyntaxKind::FuncCall {
        return None;
    }
    let mut parts = node.children();
    let (callee, arguments) = (parts.next()?, parts.next()?);
    if callee.kind() != SyntaxKind::Ident || callee.leaf_text() != "footnote" {
        return None;
    }
    let mut arguments = arguments.children();
    let (block, None) = (arguments.next()?, arguments.next()) else { return None };
    if block.kind() != SyntaxKind::ContentBlock {
        return None;
    }
    let words = block.full_text();
    parse_citation_number(words.strip_prefix('[')?.strip_suffix(']')?.trim())
}

/// A number of a citation: digits that begin with none that means nothing.
pub(crate) fn parse_citation_number(digits: &str) -> Option<u32> {
    let is_number = !digits.starts_with('0') && digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// One place at which something is cited: a marker, or several that stand side by side and are set as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitationPlace {
    /// The numbers of the citations.
    pub numbers: Vec<u32>,
    range: Range<usize>,
}

/// A text that was looked through for what it cites.
pub struct Manuscript {
    format: Format,
    cite_as: CiteAs,
    text: String,
    places: Vec<CitationPlace>,
    /// Byte range of a generated bibliography in the text.
    bibliography: Option<Range<usize>>,
    /// The heading that a text begins with, if it is the document's title.
    title: Option<Range<usize>>,
    /// Offsets in the original at which text was inserted, with the inserted lengths.
    inserted: Vec<(usize, usize)>,
}

impl Manuscript {
    /// Looks a text through. `known` are the numbers of its citations; a marker with another stays as it is. `unmarked`
    /// are citations without a marker, with the character they stand at. A heading at the beginning that says `title` is not
    /// set: the template says it.
    pub fn read(
        format: Format,
        cite_as: CiteAs,
        text: &str,
        known: &BTreeSet<u32>,
        unmarked: &[(u32, usize)],
        title: Option<&str>,
    ) -> Self {
        let (text, inserted) = with_markers(format, text, unmarked);
        let bibliography = bibliography_of(format, &text);
        let title = title.and_then(|title| title_heading(format, &text, title));
        let mut places: Vec<CitationPlace> = Vec::new();
        for (number, range) in in_bytes(format, &text) {
            let within = bibliography.as_ref().is_some_and(|whole| whole.contains(&range.start));
            if within || !known.contains(&number) {
                continue;
            }
            let joins = cite_as == CiteAs::InText;
            match places.last_mut().filter(|last| {
                let between = text.get(last.range.end..range.start).unwrap_or("x");
                joins && between.trim().is_empty() && !between.contains('\n')
            }) {
                Some(last) => {
                    last.numbers.push(number);
                    last.range.end = range.end;
                }
                None => places.push(CitationPlace { numbers: vec![number], range }),
            }
        }
        Self { format, cite_as, text, places, bibliography, title, inserted }
    }

    /// The places at which something is cited, in the text's order.
    pub fn places(&self) -> &[CitationPlace] {
        &self.places
    }

    /// Returns true if the text has a place for the bibliography; otherwise it goes to the end.
    pub fn has_bibliography(&self) -> bool {
        self.bibliography.is_some()
    }

    /// The text in Typst: `set` is what stands for each place, in Typst, and `bibliography` what stands for the whole.
    pub fn to_typst(&self, set: &[String], bibliography: &str) -> TypesetText {
        match self.format {
            Format::Typst => self.set_typst(set, bibliography),
            Format::Markdown => TypesetText { text: self.set_markdown(set, bibliography), changes: Vec::new() },
        }
    }

    fn set_typst(&self, set: &[String], bibliography: &str) -> TypesetText {
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        for (place, words) in self.places.iter().zip(set) {
            let (range, words) = match self.cite_as {
                CiteAs::Footnotes => (place.range.clone(), format!("#footnote[{words}]")),
                CiteAs::InText => self.in_text(&place.range, words),
            };
            edits.push((range, words));
        }
        if let Some(range) = &self.bibliography {
            edits.push((range.clone(), bibliography.to_owned()));
        }
        edits.extend(self.title.clone().map(|range| (range, String::new())));
        edits.sort_by_key(|(range, _)| range.start);
        let mut text = String::with_capacity(self.text.len() * 2);
        let (mut at, mut changes) = (0, Vec::new());
        for (range, words) in edits {
            let Some(before) = self.text.get(at..range.start) else { continue };
            text.push_str(before);
            changes.push((text.len()..text.len() + words.len(), self.original_offset(range.start)));
            text.push_str(&words);
            at = range.end;
        }
        text.push_str(self.text.get(at..).unwrap_or_default());
        TypesetText { text, changes }
    }

    /// Returns an in-text citation with its range. It moves before the full stop that the marker follows, unless it is
    /// a superscript number.
    fn in_text(&self, range: &Range<usize>, words: &str) -> (Range<usize>, String) {
        let before = self.text.get(..range.start).unwrap_or_default();
        let is_raised = words.starts_with("#super[");
        let stop = before.chars().next_back().filter(|last| matches!(last, '.' | ',' | ';') && !is_raised);
        let start = range.start - stop.map_or(0, char::len_utf8);
        let before = before.get(..start).unwrap_or_default();
        let space = if is_raised || before.is_empty() || before.ends_with(char::is_whitespace) { "" } else { " " };
        let stop = stop.map(String::from).unwrap_or_default();
        (start..range.end, format!("{space}{words}{stop}"))
    }

    fn set_markdown(&self, set: &[String], bibliography: &str) -> String {
        let first = self.title.as_ref().map_or(0, |title| title.end);
        let Some(range) = &self.bibliography else { return self.part_to_typst(first..self.text.len(), set) };
        let (before, after) =
            (self.part_to_typst(first..range.start, set), self.part_to_typst(range.end..self.text.len(), set));
        format!("{before}{bibliography}\n\n{after}")
    }

    /// A part of a Markdown text as Typst.
    fn part_to_typst(&self, part: Range<usize>, set: &[String]) -> String {
        let mut spans = Vec::new();
        let mut words = Vec::new();
        let text = self.text.get(part.clone()).unwrap_or_default();
        let (mut byte, mut char) = (0, 0);
        for (place, said) in self.places.iter().zip(set) {
            if !part.contains(&place.range.start) {
                continue;
            }
            let (range, said) = match self.cite_as {
                CiteAs::Footnotes => (place.range.clone(), format!("#footnote[{said}];")),
                CiteAs::InText => {
                    let (range, said) = self.in_text(&place.range, said);
                    (range, said)
                }
            };
            let range = range.start - part.start..range.end - part.start;
            char += count_chars(text, byte..range.start);
            let start = char;
            char += count_chars(text, range.clone());
            byte = range.end;
            spans.push(Span::new(start, char));
            words.push(said);
        }
        let blocks = markdown::parse(text, &spans);
        typst_markup::write(&blocks, &mut |place| words.get(place).cloned().unwrap_or_default())
    }

    /// The place in the original of one in the text.
    fn original_offset(&self, at: usize) -> usize {
        let before: usize = self.inserted.iter().filter(|(place, _)| *place < at).map(|(_, length)| length).sum();
        at.saturating_sub(before)
    }

    /// The text in Markdown, with footnotes: `set` is what stands for each place, in Markdown.
    pub fn to_markdown(&self, set: &[String], bibliography: &str) -> String {
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        for (at, (place, words)) in self.places.iter().zip(set).enumerate() {
            edits.push(match self.cite_as {
                CiteAs::Footnotes => (place.range.clone(), format!("[^{}]", at + 1)),
                CiteAs::InText => self.in_text(&place.range, words),
            });
        }
        if let Some(range) = &self.bibliography {
            edits.push((range.clone(), bibliography.to_owned()));
        }
        edits.sort_by_key(|(range, _)| range.start);
        let mut text = match self.format {
            Format::Markdown => apply_edits(&self.text, &edits),
            Format::Typst => typst_to_markdown::write_markdown(&self.text, &edits),
        };
        text.truncate(text.trim_end().len());
        text.push('\n');
        if self.bibliography.is_none() && !bibliography.is_empty() {
            text.push_str(&format!("\n{}\n", bibliography.trim()));
        }
        if self.cite_as == CiteAs::Footnotes && !set.is_empty() {
            text.push('\n');
            for (at, words) in set.iter().enumerate() {
                text.push_str(&format!("[^{}]: {words}\n", at + 1));
            }
        }
        text
    }
}

fn apply_edits(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let (mut written, mut at) = (String::with_capacity(text.len()), 0);
    for (range, words) in edits {
        written.push_str(text.get(at..range.start).unwrap_or_default());
        written.push_str(words);
        at = range.end;
    }
    written.push_str(text.get(at..).unwrap_or_default());
    written
}

/// A text in Typst, with where it differs from what was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypesetText {
    /// Typst source to be compiled.
    pub text: String,
    /// Byte ranges of replaced text, each with the byte of the original that it replaces.
    changes: Vec<(Range<usize>, usize)>,
}

impl TypesetText {
    /// Wraps a text that has no replacements.
    pub fn from_unchanged(text: String) -> Self {
        Self { text, changes: Vec::new() }
    }

    /// The line and column in the original of a byte of the text, both from 1, in characters.
    pub fn original_position(&self, original: &str, at: usize) -> (usize, usize) {
        let mut place = at;
        // The last change before it says how far the two have moved apart.
        if let Some((at_change, (range, start))) =
            self.changes.iter().enumerate().rev().find(|(_, (range, _))| range.start <= at)
        {
            place = if at < range.end {
                *start
            } else {
                // What follows a change stands as far from the next one as in the original.
                match self.changes.get(at_change + 1) {
                    Some((next, original)) => original.saturating_sub(next.start - at),
                    None => original.len().saturating_sub(self.text.len() - at),
                }
            };
        }
        let before = original.get(..place.min(original.len())).unwrap_or(original);
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}

/// The heading that a text begins with, if it says this.
fn title_heading(format: Format, text: &str, title: &str) -> Option<Range<usize>> {
    let sign = match format {
        Format::Typst => "= ",
        Format::Markdown => "# ",
    };
    let start = text.len() - text.trim_start().len();
    let line = text.get(start..)?.lines().next()?;
    let is_title = line.strip_prefix(sign).is_some_and(|words| words.trim() == title.trim());
    is_title.then(|| start..start + line.len())
}

/// Returns the byte range of a generated bibliography, including its start and end lines.
pub fn bibliography_of(format: Format, text: &str) -> Option<Range<usize>> {
    let (begin, end) = (line_for_format(&BEGIN, format), line_for_format(&END, format));
    let start = text.match_indices(begin).find(|(at, _)| *at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n'))?.0;
    let rest = text.get(start..)?;
    let length = rest.find(end).map_or(rest.len(), |at| at + end.len());
    Some(start..start + length)
}

/// Puts markers where citations stand that have none; says where in the new text something was put in, and how much.
fn with_markers(format: Format, text: &str, unmarked: &[(u32, usize)]) -> (String, Vec<(usize, usize)>) {
    if unmarked.is_empty() {
        return (text.to_owned(), Vec::new());
    }
    let root = (format == Format::Typst).then(|| parse(text));
    let mut places: Vec<(usize, u32)> = unmarked
        .iter()
        .map(|(number, char)| {
            let byte = text.char_indices().nth(*char).map_or(text.trim_end().len(), |(at, _)| at);
            (root.as_ref().map_or(byte, |root| safe_place(root, text, byte)), *number)
        })
        .collect();
    places.sort_unstable();
    let (mut written, mut at, mut inserted) = (String::with_capacity(text.len() + places.len() * 16), 0, Vec::new());
    for (place, number) in places {
        written.push_str(text.get(at..place).unwrap_or_default());
        let marker = format.citation_marker(number);
        inserted.push((written.len(), marker.len()));
        written.push_str(&marker);
        at = place;
    }
    written.push_str(text.get(at..).unwrap_or_default());
    (written, inserted)
}

/// The nearest place at or after a byte where a call can be put without changing what the text around it means.
fn safe_place(root: &SyntaxNode, text: &str, byte: usize) -> usize {
    let tree = LinkedNode::new(root);
    let Some(mut node) = tree.leaf_at(byte, Side::Before) else { return byte };
    let is_words = matches!(node.kind(), SyntaxKind::Text | SyntaxKind::Space | SyntaxKind::Parbreak);
    if is_words && node.parent_kind() == Some(SyntaxKind::Markup) {
        return byte;
    }
    while let Some(parent) = node.parent().cloned() {
        if parent.kind() == SyntaxKind::Markup {
            let end = node.range().end;
            // A statement ends with its line.
            let is_statement = matches!(
                node.kind(),
                SyntaxKind::LetBinding | SyntaxKind::SetRule | SyntaxKind::ShowRule | SyntaxKind::ModuleImport
            );
            return if is_statement {
                text.get(end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| end + at + 1)
            } else {
                end
            };
        }
        node = parent;
    }
    text.len()
}

/// Moves offsets from an old text to a new one. Offsets after a change shift with it; offsets in deleted text move to
/// the start of the change.
pub fn move_offsets(before: &str, after: &str, places: &mut [usize]) {
    let (old, new): (Vec<char>, Vec<char>) = (before.chars().collect(), after.chars().collect());
    let (was, is) = difference::changed_ranges(&old, &new);
    let (prefix, old_end, new_end) = (was.start, was.end, is.end);
    // Within what changed, words that stayed keep what stands in them.
    let part = |of: Option<&[char]>| of.unwrap_or_default().iter().collect::<String>();
    let (gone, come) = (part(old.get(was)), part(new.get(is)));
    let kept = unchanged_runs(&gone, &come);
    for place in places {
        let at = *place;
        // What stands beyond the text waits there for it to be written.
        *place = if at <= prefix || at > old.len() {
            at
        } else if at >= old_end {
            at.min(old.len()) - old_end + new_end
        } else {
            let within = at - prefix;
            // The end of a word that stayed, or else the end of the last that did.
            let word = kept.iter().rev().find(|(from, ..)| *from < within);
            word.map_or(prefix, |(from, to, length)| prefix + to + (within - from).min(*length))
        };
    }
}

/// Words that two texts share, in order: where they begin in each, and how long they are, in characters.
fn unchanged_runs(old: &str, new: &str) -> Vec<(usize, usize, usize)> {
    let (old, new) = (difference::split_words(old), difference::split_words(new));
    let starts = |words: &[&str]| {
        let mut at = 0;
        let starts: Vec<usize> = words
            .iter()
            .map(|word| {
                let start = at;
                at += word.chars().count();
                start
            })
            .collect();
        starts
    };
    let (old_starts, new_starts) = (starts(&old), starts(&new));
    let mut kept = Vec::new();
    for run in difference::matching_runs(&old, &new) {
        for step in 0..run.length {
            let (Some(from), Some(to)) = (old_starts.get(run.old + step), new_starts.get(run.new + step)) else {
                break;
            };
            kept.push((*from, *to, old.get(run.old + step).map_or(0, |word| word.chars().count())));
        }
    }
    kept
}

/// The words of a text alone, each where it stands: code, comments and formulas are blank, and a marker is `[3]`, with the
/// number that it is to have; one that is to have none is blank, too.
pub fn extract_prose(format: Format, text: &str, number: impl Fn(u32) -> Option<u32>) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    if format == Format::Typst {
        let mut masked = Vec::new();
        mask_markup(&parse(text), 0, &mut masked);
        let (mut byte, mut char) = (0, 0);
        for range in masked {
            char += count_chars(text, byte..range.start);
            let length = count_chars(text, range.clone());
            for one in chars.iter_mut().skip(char).take(length).filter(|one| **one != '\n') {
                *one = ' ';
            }
            char += length;
            byte = range.end;
        }
    }
    for marker in find_markers(format, text) {
        // What is longer stands before it: the full stop follows at once.
        let words: Vec<char> = format!(
            "{:>1$}",
            number(marker.number).map(|number| format!("[{number}]")).unwrap_or_default(),
            marker.span.len()
        )
        .chars()
        .collect();
        for (at, one) in chars.iter_mut().skip(marker.span.start).take(marker.span.len()).enumerate() {
            *one = words.get(at).copied().unwrap_or(' ');
        }
    }
    chars.into_iter().collect()
}

/// The bytes of a tree that are no words, in order.
fn mask_markup(node: &SyntaxNode, start: usize, masked: &mut Vec<Range<usize>>) {
    let mut at = start;
    for child in node.children() {
        let end = at + child.len();
        match child.kind() {
            SyntaxKind::Markup
            | SyntaxKind::Heading
            | SyntaxKind::Strong
            | SyntaxKind::Emph
            | SyntaxKind::ListItem
            | SyntaxKind::EnumItem
            | SyntaxKind::TermItem
            | SyntaxKind::ContentBlock => mask_markup(child, at, masked),
            SyntaxKind::FuncCall | SyntaxKind::Args if child.children().len() > 0 => mask_call(child, at, masked),
            SyntaxKind::Text
            | SyntaxKind::Space
            | SyntaxKind::Parbreak
            | SyntaxKind::SmartQuote
            | SyntaxKind::Shorthand
            | SyntaxKind::HeadingMarker
            | SyntaxKind::ListMarker
            | SyntaxKind::EnumMarker
            | SyntaxKind::Colon => {}
            _ => masked.push(at..end),
        }
        at = end;
    }
}

/// Of a call, only what stands in brackets is words.
fn mask_call(node: &SyntaxNode, start: usize, masked: &mut Vec<Range<usize>>) {
    let mut at = start;
    for child in node.children() {
        let end = at + child.len();
        match child.kind() {
            SyntaxKind::ContentBlock => mask_markup(child, at, masked),
            SyntaxKind::Args | SyntaxKind::FuncCall => mask_call(child, at, masked),
            _ => masked.push(at..end),
        }
        at = end;
    }
}
