//! PowerPoint, until 2003: a stream of records within records.

use ibid_domain::MarkKind;
use ibid_language::one_line;

use super::{
    ExtractionContext, ExtractionDraft, damaged_file,
    ole::{OleFile, u16_at, u32_at},
    text::strip_control_chars,
};
use crate::ExtractionError;

const SLIDE: u16 = 1006;
const NOTES: u16 = 1008;
const NOTES_OF: u16 = 1009;
const SLIDE_ID: u16 = 1011;
const MAIN_MASTER: u16 = 1016;
const TEXT_KIND: u16 = 3999;
const WIDE_TEXT: u16 = 4000;
const NARROW_TEXT: u16 = 4008;
const COMMENT_TEXT: u16 = 4026;
const OUTLINE: u16 = 4080;
const COMMENT: u16 = 12000;

pub(super) fn read(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let mut file = OleFile::open(bytes, reading)?;
    let stream =
        file.read_stream("/PowerPoint Document")?.ok_or_else(|| damaged_file("there is no presentation in it"))?;
    if file.has_entry("/EncryptedSummary") {
        return Err(ExtractionError::Encrypted);
    }
    super::word::read_summary_properties(&mut file, draft)?;
    draft.pictures = file.has_entry("/Pictures");
    let mut deck = Deck::default();
    walk_records(&stream, 0, &mut |record, _| deck.visit_record(record));
    deck.write_slides(reading, draft)
}

struct PptRecord<'a> {
    kind: u16,
    instance: u16,
    data: &'a [u8],
}

/// Calls `visit` for each record; it says whether to go into it.
fn walk_records<'a>(mut bytes: &'a [u8], depth: usize, visit: &mut dyn FnMut(&PptRecord<'a>, usize) -> bool) {
    while let (Some(head), Some(kind), Some(length)) = (u16_at(bytes, 0), u16_at(bytes, 2), u32_at(bytes, 4)) {
        let rest = &bytes[8..];
        let length = (length as usize).min(rest.len());
        let record = PptRecord { kind, instance: head >> 4, data: &rest[..length] };
        let container = head & 0xf == 0xf;
        if visit(&record, depth) && container && depth < 40 {
            walk_records(record.data, depth + 1, visit);
        }
        bytes = &rest[length..];
    }
}

#[derive(Default)]
struct PptSlide {
    id: u32,
    title: Option<String>,
    outline: Vec<String>,
    notes: Vec<String>,
}

#[derive(Default)]
struct SlideDrawing {
    title: Option<String>,
    texts: Vec<String>,
}

#[derive(Default)]
struct Deck {
    slides: Vec<PptSlide>,
    /// The text of boxes, for each slide as drawn.
    drawn: Vec<SlideDrawing>,
    notes: Vec<(u32, Vec<String>)>,
}

impl Deck {
    fn visit_record(&mut self, record: &PptRecord) -> bool {
        match (record.kind, record.instance) {
            // The same list exists for masters and for notes.
            (OUTLINE, 0) => self.read_outline(record.data),
            (SLIDE, _) => {
                let (title, texts) = slide_texts(record.data);
                self.drawn.push(SlideDrawing { title, texts });
            }
            (NOTES, _) => {
                let mut slide = 0;
                walk_records(record.data, 0, &mut |record, _| {
                    if record.kind == NOTES_OF {
                        slide = u32_at(record.data, 0).unwrap_or(0);
                    }
                    true
                });
                self.notes.push((slide, slide_texts(record.data).1));
            }
            (OUTLINE | MAIN_MASTER, _) => {}
            _ => return true,
        }
        false
    }

    fn read_outline(&mut self, data: &[u8]) {
        let mut kind = 0;
        walk_records(data, 0, &mut |record, _| {
            match record.kind {
                SLIDE_ID => {
                    self.slides.push(PptSlide { id: u32_at(record.data, 12).unwrap_or(0), ..PptSlide::default() });
                }
                TEXT_KIND => kind = u32_at(record.data, 0).unwrap_or(0),
                _ => {
                    if let (Some(text), Some(slide)) = (text_of(record), self.slides.last_mut()) {
                        if is_title(kind) && slide.title.is_none() {
                            slide.title = Some(one_line(&text));
                        }
                        slide.outline.push(text);
                    }
                }
            }
            true
        });
    }

    fn write_slides(mut self, reading: &ExtractionContext, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
        if self.slides.len() > reading.limits.pages {
            return Err(ExtractionError::TooLarge(format!("it has more than {} slides", reading.limits.pages)));
        }
        for (id, texts) in std::mem::take(&mut self.notes) {
            match self.slides.iter_mut().find(|slide| slide.id == id) {
                Some(slide) => slide.notes.extend(texts),
                None => self.drawn.push(SlideDrawing { title: None, texts }),
            }
        }
        // Versions that were saved over may still be there; then nobody can tell which drawing is whose.
        let matched = self.drawn.len() >= self.slides.len();
        let mut drawn = std::mem::take(&mut self.drawn).into_iter();
        for (index, slide) in self.slides.iter().enumerate() {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            draft.text.end_paragraph()?;
            let start = draft.text.len();
            let boxes = if matched { drawn.next().unwrap_or_default() } else { SlideDrawing::default() };
            if let Some(title) = slide.title.clone().or(boxes.title).filter(|title| !title.is_empty()) {
                draft.text.begin_section(1, title);
            }
            let boxes = boxes.texts.iter().filter(|text| !slide.outline.contains(text));
            for text in slide.outline.iter().chain(boxes).chain(&slide.notes) {
                push(text, draft)?;
            }
            draft.text.end_sections(0);
            draft.text.add_mark(MarkKind::Page, number.to_string(), Some(number), start);
        }
        for text in drawn.flat_map(|slide| slide.texts) {
            push(&text, draft)?;
        }
        Ok(())
    }
}

fn push(text: &str, draft: &mut ExtractionDraft) -> Result<(), ExtractionError> {
    draft.text.end_paragraph()?;
    draft.text.push(strip_control_chars(text).trim())?;
    draft.text.end_paragraph()
}

/// The texts within a slide as drawn, and which of them is its title.
fn slide_texts(data: &[u8]) -> (Option<String>, Vec<String>) {
    let mut title = None;
    let mut found: Vec<String> = Vec::new();
    let mut in_comment = false;
    let mut kind = u32::MAX;
    walk_records(data, 0, &mut |record, _| {
        in_comment |= record.kind == COMMENT;
        if record.kind == TEXT_KIND {
            kind = u32_at(record.data, 0).unwrap_or(u32::MAX);
        }
        // The words of a comment are its second string; author and initials are the others.
        let comment = in_comment && record.kind == COMMENT_TEXT && record.instance == 1;
        let text = if comment { Some(super::ole::utf_16(record.data)) } else { text_of(record) };
        if let Some(text) = text.filter(|text| !text.trim().is_empty() && text.trim() != "*") {
            if is_title(kind) && title.is_none() {
                title = Some(one_line(&text));
            }
            found.push(text);
        }
        true
    });
    (title, found)
}

/// Titles, and titles in the middle of a slide.
fn is_title(kind: u32) -> bool {
    matches!(kind, 0 | 6)
}

fn text_of(record: &PptRecord) -> Option<String> {
    match record.kind {
        WIDE_TEXT => Some(super::ole::utf_16(record.data)),
        NARROW_TEXT => Some(record.data.iter().map(|byte| char::from(*byte)).collect()),
        _ => None,
    }
}
