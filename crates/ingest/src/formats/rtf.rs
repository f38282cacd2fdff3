//! Rich Text Format: groups, control words, and characters in a code page for each font.

use std::collections::HashMap;

use ibid_domain::PartialDate;
use ibid_language::one_line;

use super::{
    ExtractionContext, ExtractionDraft,
    code_pages::{from_code_page, page_of_charset},
    properties,
    text::strip_control_chars,
};
use crate::ExtractionError;

pub(super) fn read(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let mut reader = RtfReader::new(bytes, reading.limits.depth.max(100).saturating_mul(10));
    reader.read_all(draft)?;
    reader.finish(draft)
}

/// Destination of the text inside an RTF group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupTarget {
    Body,
    /// Nowhere; groups within may still go somewhere.
    Nowhere,
    /// Nowhere, with all that is within.
    Skipped,
    Fonts,
    Styles,
    Note,
    Margin,
    Title,
    Author,
}

#[derive(Clone, Debug)]
struct RtfGroup {
    target: GroupTarget,
    font: i32,
    /// Number of fallback characters that follow each `\u` escape and are skipped.
    fallback: usize,
    hidden: bool,
    starred: bool,
    /// True if the group is a list label, which has its own paragraph properties.
    label: bool,
}

struct RtfReader<'a> {
    bytes: &'a [u8],
    at: usize,
    deepest: usize,
    groups: Vec<RtfGroup>,
    code_page: u32,
    fonts: HashMap<i32, u32>,
    /// The outline level of each paragraph style.
    outlines: HashMap<i32, u8>,
    /// The style that each style is based on.
    bases: HashMap<i32, i32>,
    style: i32,
    /// Bytes of text whose code page is known when they end.
    pending: Vec<u8>,
    pending_page: u32,
    high: Option<u16>,
    to_skip: usize,
    line: String,
    outline: Option<u8>,
    in_table: bool,
    row: Vec<String>,
    /// Notes being read, innermost last.
    notes: Vec<String>,
    waiting: Vec<String>,
    margins: Vec<String>,
    title: String,
    author: String,
    date: (i16, i8, i8),
    name: String,
}

impl<'a> RtfReader<'a> {
    fn new(bytes: &'a [u8], deepest: usize) -> Self {
        let first =
            RtfGroup { target: GroupTarget::Body, font: -1, fallback: 1, hidden: false, starred: false, label: false };
        Self {
            bytes,
            at: 0,
            deepest,
            groups: vec![first],
            code_page: 1252,
            fonts: HashMap::new(),
            outlines: HashMap::new(),
            bases: HashMap::new(),
            style: 0,
            pending: Vec::new(),
            pending_page: 1252,
            high: None,
            to_skip: 0,
            line: String::new(),
            outline: None,
            in_table: false,
            row: Vec::new(),
            notes: Vec::new(),
            waiting: Vec::new(),
            margins: Vec::new(),
            title: String::new(),
            author: String::new(),
            date: (0, 0, 0),
            name: String::new(),
        }
    }

    fn read_all(&mut self, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'{' => {
                    self.decode_pending();
                    self.to_skip = 0;
                    let mut group = self.current_group().clone();
                    group.starred = false;
                    self.groups.push(group);
                    if self.groups.len() > self.deepest {
                        return Err(ExtractionError::TooLarge("its groups nest too deep".to_owned()));
                    }
                }
                b'}' => {
                    self.decode_pending();
                    self.to_skip = 0;
                    self.close_group();
                }
                b'\\' => self.read_control(draft)?,
                b'\r' | b'\n' | 0 => {}
                byte => self.push_byte(byte),
            }
        }
        Ok(())
    }

    fn current_group(&self) -> &RtfGroup {
        // The first group is never closed.
        &self.groups[self.groups.len() - 1]
    }

    fn group_mut(&mut self) -> &mut RtfGroup {
        let last = self.groups.len() - 1;
        &mut self.groups[last]
    }

    fn close_group(&mut self) {
        if self.groups.len() < 2 {
            return;
        }
        let Some(closed) = self.groups.pop() else { return };
        let outer = self.current_group().target;
        if closed.target == outer {
            return;
        }
        match closed.target {
            GroupTarget::Note => {
                if let Some(note) = self.notes.pop().filter(|note| !note.trim().is_empty()) {
                    self.waiting.push(note);
                }
            }
            GroupTarget::Margin => {
                if let Some(text) = self.notes.pop().filter(|text| !text.trim().is_empty())
                    && !self.margins.contains(&text)
                {
                    self.margins.push(text);
                }
            }
            _ => {}
        }
    }

    /// Adds a byte of text in the code page of the current font.
    fn push_byte(&mut self, byte: u8) {
        if self.to_skip > 0 {
            self.to_skip -= 1;
            return;
        }
        let group = self.current_group();
        if group.hidden || matches!(group.target, GroupTarget::Nowhere | GroupTarget::Skipped) {
            return;
        }
        let page = self.fonts.get(&group.font).copied().unwrap_or(self.code_page);
        if page != self.pending_page {
            self.decode_pending();
            self.pending_page = page;
        }
        self.pending.push(byte);
    }

    fn decode_pending(&mut self) {
        if !self.pending.is_empty() {
            let bytes = std::mem::take(&mut self.pending);
            let text = from_code_page(&bytes, self.pending_page);
            self.push_text(&text);
        }
    }

    fn push_text(&mut self, text: &str) {
        let group = self.current_group();
        if group.hidden {
            return;
        }
        match group.target {
            GroupTarget::Body => self.line.push_str(text),
            GroupTarget::Note | GroupTarget::Margin => {
                if let Some(note) = self.notes.last_mut() {
                    note.push_str(text);
                }
            }
            GroupTarget::Title => self.title.push_str(text),
            GroupTarget::Author => self.author.push_str(text),
            GroupTarget::Styles => self.name.push_str(text),
            GroupTarget::Fonts | GroupTarget::Nowhere | GroupTarget::Skipped => {}
        }
        if group_is_style_end(self.current_group().target, text) {
            self.name_style();
        }
    }

    /// Styles called "heading 2" are headings, whatever else they say.
    fn name_style(&mut self) {
        let name = std::mem::take(&mut self.name).to_lowercase();
        let level =
            name.trim().trim_end_matches(';').strip_prefix("heading ").and_then(|level| level.parse::<u8>().ok());
        if let Some(level) = level.filter(|level| (1..=9).contains(level)) {
            self.outlines.insert(self.style, level - 1);
        }
    }

    fn read_control(&mut self, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        let Some(&first) = self.bytes.get(self.at) else { return Ok(()) };
        if !first.is_ascii_alphabetic() {
            self.at += 1;
            match first {
                b'\'' => {
                    let digits = self.bytes.get(self.at..self.at + 2).and_then(|two| std::str::from_utf8(two).ok());
                    if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                        self.at += 2;
                        self.push_byte(byte);
                    }
                }
                b'*' => self.group_mut().starred = true,
                b'~' => self.push_unicode_text("\u{a0}"),
                b'_' => self.push_unicode_text("\u{2011}"),
                b'-' => {}
                b'\\' | b'{' | b'}' => self.push_byte(first),
                b'\r' | b'\n' => self.apply_control_word("par", None, draft)?,
                _ => {}
            }
            return Ok(());
        }
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_alphabetic) && self.at - start < 40 {
            self.at += 1;
        }
        let bytes = self.bytes;
        let word = std::str::from_utf8(&bytes[start..self.at]).unwrap_or_default();
        let start = self.at;
        if bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        while bytes.get(self.at).is_some_and(u8::is_ascii_digit) && self.at - start < 12 {
            self.at += 1;
        }
        let number = std::str::from_utf8(&bytes[start..self.at]).ok().and_then(|digits| digits.parse::<i32>().ok());
        if bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        if word == "bin" {
            self.at = self.at.saturating_add(usize::try_from(number.unwrap_or(0)).unwrap_or(0));
            return Ok(());
        }
        if self.to_skip > 0 && word != "u" {
            self.to_skip -= 1;
            return Ok(());
        }
        self.apply_control_word(word, number, draft)
    }

    /// Text that is not in a code page.
    fn push_unicode_text(&mut self, text: &str) {
        self.decode_pending();
        if self.to_skip > 0 {
            self.to_skip -= 1;
        } else {
            self.push_text(text);
        }
    }

    fn apply_control_word(
        &mut self,
        word: &str,
        number: Option<i32>,
        draft: &mut ExtractionDraft,
    ) -> Result<(), ExtractionError> {
        if self.current_group().target == GroupTarget::Skipped && word != "u" {
            return Ok(());
        }
        // A first word that is not known, in a group that may be ignored, means: ignore it.
        if std::mem::take(&mut self.group_mut().starred) && !self.is_known_destination(word) {
            self.group_mut().target = GroupTarget::Skipped;
            return Ok(());
        }
        match word {
            "par" | "sect" | "page" => {
                self.decode_pending();
                self.end_paragraph(draft)?;
            }
            "line" | "lbr" => self.push_unicode_text("\n"),
            "tab" => self.push_unicode_text("\t"),
            "cell" | "nestcell" => {
                self.decode_pending();
                match self.current_group().target {
                    GroupTarget::Body => self.end_cell(),
                    _ => self.push_unicode_text("\t"),
                }
            }
            "row" | "nestrow" => {
                self.decode_pending();
                match self.current_group().target {
                    GroupTarget::Body => self.end_row(draft)?,
                    _ => self.push_unicode_text("\n"),
                }
            }
            "u" => self.push_code_unit(number.unwrap_or(0)),
            "uc" => self.group_mut().fallback = usize::try_from(number.unwrap_or(1)).unwrap_or(1).min(16),
            "emdash" => self.push_unicode_text("\u{2014}"),
            "endash" => self.push_unicode_text("\u{2013}"),
            "emspace" | "enspace" | "qmspace" => self.push_unicode_text(" "),
            "bullet" => self.push_unicode_text("\u{2022}"),
            "lquote" => self.push_unicode_text("\u{2018}"),
            "rquote" => self.push_unicode_text("\u{2019}"),
            "ldblquote" => self.push_unicode_text("\u{201c}"),
            "rdblquote" => self.push_unicode_text("\u{201d}"),
            "plain" => {
                self.decode_pending();
                self.group_mut().hidden = false;
            }
            "v" => {
                self.decode_pending();
                self.group_mut().hidden = number != Some(0);
            }
            // Outlook's marks around what is only there for readers of RTF that know no pages.
            "htmlrtf" => {
                self.decode_pending();
                self.group_mut().hidden = number != Some(0);
            }
            "listtext" | "pntext" => self.group_mut().label = true,
            // Notes and labels are paragraphs of their own within the paragraph being read.
            "pard" | "intbl" | "outlinelevel" | "s"
                if self.current_group().label
                    || matches!(self.current_group().target, GroupTarget::Note | GroupTarget::Margin) => {}
            "pard" => {
                self.in_table = false;
                self.outline = None;
            }
            "intbl" => self.in_table = true,
            "outlinelevel" => match self.current_group().target {
                GroupTarget::Styles => {
                    self.outlines
                        .extend(number.and_then(|level| u8::try_from(level).ok()).map(|level| (self.style, level)));
                }
                _ => self.outline = number.and_then(|level| u8::try_from(level).ok()),
            },
            "s" => {
                self.style = number.unwrap_or(0);
                if self.current_group().target != GroupTarget::Styles {
                    self.outline = self.outline_of(self.style).or(self.outline);
                }
            }
            "sbasedon" if self.current_group().target == GroupTarget::Styles => {
                self.bases.extend(number.map(|base| (self.style, base)));
            }
            "f" => {
                self.decode_pending();
                self.group_mut().font = number.unwrap_or(-1);
            }
            "fcharset" => {
                let font = self.current_group().font;
                self.fonts.extend(number.and_then(page_of_charset).map(|page| (font, page)));
            }
            "cpg" => {
                let font = self.current_group().font;
                self.fonts.extend(number.and_then(|page| u32::try_from(page).ok()).map(|page| (font, page)));
            }
            "ansicpg" => self.code_page = number.and_then(|page| u32::try_from(page).ok()).unwrap_or(1252),
            "mac" => self.code_page = 10000,
            "pc" => self.code_page = 437,
            "pca" => self.code_page = 850,
            "yr" => self.date.0 = number.and_then(|year| year.try_into().ok()).unwrap_or(0),
            "mo" => self.date.1 = number.and_then(|month| month.try_into().ok()).unwrap_or(0),
            "dy" => self.date.2 = number.and_then(|day| day.try_into().ok()).unwrap_or(0),
            word => self.open_destination(word),
        }
        Ok(())
    }

    fn outline_of(&self, style: i32) -> Option<u8> {
        let chain = std::iter::successors(Some(style), |style| self.bases.get(style).copied());
        chain.take(16).find_map(|style| self.outlines.get(&style).copied())
    }

    /// Returns true if the reader supports this optional (`\*`) destination.
    fn is_known_destination(&self, word: &str) -> bool {
        matches!(
            word,
            "shpinst"
                | "shptxt"
                | "footnote"
                | "annotation"
                | "ud"
                | "nesttableprops"
                | "shppict"
                | "cs"
                | "s"
                | "ds"
                | "ts"
                | "dptxbxtext"
                | "do"
        )
    }

    fn open_destination(&mut self, word: &str) {
        let within_styles = self.current_group().target == GroupTarget::Styles;
        let target = match word {
            "fonttbl" => GroupTarget::Fonts,
            "stylesheet" => GroupTarget::Styles,
            "info" => GroupTarget::Nowhere,
            "title" if self.current_group().target == GroupTarget::Nowhere => GroupTarget::Title,
            "author" if self.current_group().target == GroupTarget::Nowhere => GroupTarget::Author,
            "footnote" | "annotation" | "shptxt" => {
                self.notes.push(String::new());
                GroupTarget::Note
            }
            "header" | "headerl" | "headerr" | "headerf" | "footer" | "footerl" | "footerr" | "footerf" => {
                self.notes.push(String::new());
                GroupTarget::Margin
            }
            "shpinst" | "do" | "upr" => GroupTarget::Nowhere,
            "ud" => {
                // The same text in Unicode: it goes where the group around goes.
                let around = self.groups.iter().rev().nth(2).map_or(GroupTarget::Body, |group| group.target);
                self.group_mut().target = around;
                return;
            }
            "colortbl" | "pict" | "objdata" | "shprslt" | "nonshppict" | "filetbl" | "listtable"
            | "listoverridetable" | "rsidtbl" | "generator" | "xmlnstbl" | "mmathPr" | "themedata" | "datafield"
            | "fldinst" | "atnid" | "atnauthor" | "atrfstart" | "atrfend" | "atntime" | "atndate" | "atnparent"
            | "atnref" | "bkmkstart" | "bkmkend" | "pnseclvl" | "latentstyles" | "revtim" | "printim" | "buptim"
            | "comment" | "subject" | "keywords" | "operator" | "company" | "manager" | "category" | "doccomm"
            | "hlinkbase" | "userprops" | "ftnsep" | "ftnsepc" | "aftnsep" | "aftnsepc" | "nesttableprops"
            | "nonesttables" | "tc" | "xe" | "rxe" | "private" | "pgptbl" | "dpbitmap" => GroupTarget::Skipped,
            _ => return,
        };
        if within_styles {
            return;
        }
        self.decode_pending();
        self.group_mut().target = target;
    }

    fn push_code_unit(&mut self, number: i32) {
        self.decode_pending();
        self.to_skip = self.current_group().fallback;
        if self.current_group().target == GroupTarget::Skipped {
            return;
        }
        let unit = number as u16;
        match (self.high.take(), unit) {
            (_, 0xd800..=0xdbff) => self.high = Some(unit),
            (Some(high), 0xdc00..=0xdfff) => {
                let text: String = char::decode_utf16([high, unit]).flatten().collect();
                self.push_text(&text);
            }
            (_, unit) => {
                if let Some(char) = char::from_u32(u32::from(unit)) {
                    let mut buffer = [0; 4];
                    self.push_text(char.encode_utf8(&mut buffer));
                }
            }
        }
    }

    fn end_paragraph(&mut self, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        match self.current_group().target {
            GroupTarget::Body if self.in_table => self.line.push('\n'),
            GroupTarget::Body => self.write_paragraph(draft)?,
            _ => self.push_text("\n"),
        }
        Ok(())
    }

    fn end_cell(&mut self) {
        let text = std::mem::take(&mut self.line);
        self.row.push(text.trim().to_owned());
    }

    fn end_row(&mut self, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        if !self.line.trim().is_empty() {
            self.end_cell();
        }
        self.line.clear();
        let row = std::mem::take(&mut self.row);
        draft.text.end_line()?;
        draft.text.push(strip_control_chars(&row.join("\t")).trim_end())?;
        draft.text.end_line()
    }

    /// Writes the paragraph that has ended, and the notes that belong to it.
    fn write_paragraph(&mut self, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        if !self.row.is_empty() {
            self.end_row(draft)?;
        }
        let line = std::mem::take(&mut self.line);
        let line = strip_control_chars(&line);
        let line = line.trim();
        if !line.is_empty() {
            draft.text.end_paragraph()?;
            if let Some(level) = self.outline.filter(|level| *level < 9) {
                draft.text.begin_section(level + 1, one_line(line));
            }
            draft.text.push(line)?;
            draft.text.end_paragraph()?;
        }
        for note in std::mem::take(&mut self.waiting) {
            draft.text.end_paragraph()?;
            draft.text.push(strip_control_chars(&note).trim())?;
            draft.text.end_paragraph()?;
        }
        Ok(())
    }

    fn finish(mut self, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        self.decode_pending();
        self.groups.truncate(1);
        self.write_paragraph(draft)?;
        draft.text.end_sections(0);
        for text in std::mem::take(&mut self.margins) {
            draft.text.end_paragraph()?;
            draft.text.push(strip_control_chars(&text).trim())?;
            draft.text.end_paragraph()?;
        }
        draft.reference.title = properties::clean_title(&self.title);
        draft.reference.authors = properties::parse_authors(&self.author);
        let (year, month, day) = self.date;
        draft.reference.publication_date = PartialDate::new(year, Some(month), Some(day));
        Ok(())
    }
}

/// The name of a style ends with a semicolon.
fn group_is_style_end(target: GroupTarget, text: &str) -> bool {
    target == GroupTarget::Styles && text.trim_end().ends_with(';')
}
