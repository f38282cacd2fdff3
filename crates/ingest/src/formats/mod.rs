//! One reader for each kind of file. Each takes the bytes and a [`ExtractionContext`] that bounds what it may unpack, and writes
//! a [`ExtractionDraft`].

mod archive;
mod cells;
mod code_pages;
mod csv;
mod docx;
mod drawing;
mod epub;
mod image;
mod json;
mod mail;
mod markdown;
mod msg;
mod number_format;
mod number_format_dates;
mod numbering;
mod odf;
mod ole;
mod ooxml;
mod pdf;
mod pdf_lines;
mod ppt;
mod pptx;
mod properties;
mod rtf;
mod text;
mod word;
mod xls;
mod xlsx;
mod xml;

pub use pdf::check_pdf_library;

use std::cell::Cell;

use ibid_domain::{Mark, MarkKind, Reference, Span};

use crate::{
    ExtractedFile, ExtractionError, ExtractionInput, ExtractionLimits, TextBuilder,
    sniff::{self, FileKind},
};

pub(crate) use image::{BIGGEST as BIGGEST_IMAGE, format_of as image_format};
pub(crate) use pdf::render_first_page;
pub(crate) use text::decode_head;

/// Files within files are followed this deep, however many levels of markup are allowed.
const FILES_WITHIN_FILES: usize = 8;

/// State of one [`crate::extract`] call: its limits and the bytes unpacked so far, including nested files.
pub(crate) struct ExtractionContext<'a> {
    pub limits: &'a ExtractionLimits,
    unpacked: Cell<u64>,
    depth: Cell<usize>,
}

impl<'a> ExtractionContext<'a> {
    pub fn new(limits: &'a ExtractionLimits) -> Self {
        Self { limits, unpacked: Cell::new(0), depth: Cell::new(0) }
    }

    /// Returns the number of bytes that may still be unpacked.
    pub fn bytes_left(&self) -> u64 {
        self.limits.unpacked_bytes.saturating_sub(self.unpacked.get())
    }

    /// Counts bytes that were unpacked.
    pub fn count_unpacked(&self, bytes: u64) -> Result<(), ExtractionError> {
        let total = self.unpacked.get().saturating_add(bytes);
        self.unpacked.set(total);
        if total > self.limits.unpacked_bytes { Err(self.too_much()) } else { Ok(()) }
    }

    pub fn too_much(&self) -> ExtractionError {
        ExtractionError::TooLarge(format!("it unpacks to more than {} MiB", self.limits.unpacked_bytes >> 20))
    }

    /// Detects the kind of a file and extracts its content.
    pub fn read_file(&self, input: &ExtractionInput) -> Result<ExtractedFile, ExtractionError> {
        if input.bytes.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
            return Err(ExtractionError::Empty);
        }
        let kind = sniff::detect_kind(input);
        let mut draft = ExtractionDraft::new(self.limits);
        match kind {
            FileKind::Pdf => pdf::read(input.bytes, self, &mut draft)?,
            FileKind::Docx => docx::read(input.bytes, self, &mut draft)?,
            FileKind::Pptx => pptx::read(input.bytes, self, &mut draft)?,
            FileKind::Xlsx => xlsx::read(input.bytes, self, &mut draft)?,
            FileKind::Odt | FileKind::Odp | FileKind::Ods => odf::read(input.bytes, self, &mut draft)?,
            FileKind::FlatOdf => odf::read_flat(input.bytes, self, &mut draft)?,
            FileKind::Epub => epub::read(input.bytes, self, &mut draft)?,
            FileKind::Xls => xls::read(input.bytes, self, &mut draft)?,
            FileKind::Doc => word::read(input.bytes, self, &mut draft)?,
            FileKind::Ppt => ppt::read(input.bytes, self, &mut draft)?,
            FileKind::Msg => msg::read(input.bytes, self, &mut draft)?,
            FileKind::Rtf => rtf::read(input.bytes, self, &mut draft)?,
            FileKind::Eml => mail::read_message(input.bytes, self, &mut draft)?,
            FileKind::Mbox => mail::read_mailbox(input.bytes, self, &mut draft)?,
            FileKind::Html => return crate::html::read_page(input, self.limits),
            FileKind::Xml => text::read_xml(input.bytes, self, &mut draft)?,
            FileKind::Svg => text::read_svg(input.bytes, self, &mut draft)?,
            FileKind::Markdown => markdown::read(input, self, &mut draft)?,
            FileKind::Csv(separator) => csv::read(input, separator, &mut draft)?,
            FileKind::Json => json::read(input, &mut draft)?,
            FileKind::Text => text::read_plain(input, &mut draft)?,
            FileKind::Image(_) => image::read(input.bytes, &mut draft)?,
            FileKind::EncryptedOffice => return Err(ExtractionError::Encrypted),
            FileKind::Other(media_type) => return Err(ExtractionError::Unsupported(media_type.to_owned())),
        }
        draft.finish(kind)
    }

    /// Reads a file found within another one and appends it under its name. A part that cannot be read leaves only its
    /// name: the rest of the file is still good. What is too large is an error, or bombs could hide one level deeper.
    pub fn append_attachment(
        &self,
        input: &ExtractionInput,
        draft: &mut ExtractionDraft,
    ) -> Result<(), ExtractionError> {
        let label = input.filename.map(str::trim).filter(|name| !name.is_empty()).unwrap_or("attachment");
        draft.text.end_paragraph()?;
        let start = draft.text.len();
        draft.text.push(&ibid_language::one_line(label))?;
        draft.text.end_paragraph()?;
        if self.depth.get() < FILES_WITHIN_FILES.min(self.limits.depth) {
            self.depth.set(self.depth.get() + 1);
            let read = self.read_file(input);
            self.depth.set(self.depth.get() - 1);
            match read {
                Ok(part) => draft.append_file(&part)?,
                Err(error @ ExtractionError::TooLarge(_)) => return Err(error),
                Err(_) => {}
            }
        }
        draft.text.add_mark(MarkKind::Attachment, label, None, start);
        draft.text.end_paragraph()
    }
}

/// A text in the making, with the marks of the files within it.
pub(crate) struct ExtractionDraft {
    pub text: TextBuilder,
    pub reference: Reference,
    pub dimensions: Option<(u32, u32)>,
    /// True if the file contains pictures; then a missing text is reported as a scan.
    pub pictures: bool,
    within: Vec<Mark>,
}

impl ExtractionDraft {
    pub fn new(limits: &ExtractionLimits) -> Self {
        Self {
            text: TextBuilder::new(limits),
            reference: Reference::default(),
            dimensions: None,
            pictures: false,
            within: Vec::new(),
        }
    }

    /// Appends what was read from a file within this one, with its marks moved to where it stands now.
    pub fn append_file(&mut self, part: &ExtractedFile) -> Result<(), ExtractionError> {
        let start = self.text.len();
        self.text.push(&part.text)?;
        self.within.extend(part.marks.iter().cloned().map(|mut mark| {
            mark.span = Span::new(mark.span.start + start, mark.span.end + start);
            mark
        }));
        Ok(())
    }

    fn finish(self, kind: FileKind) -> Result<ExtractedFile, ExtractionError> {
        let (text, mut marks) = self.text.finish();
        if text.trim().is_empty() && !matches!(kind, FileKind::Image(_) | FileKind::Svg) {
            return Err(if self.pictures { ExtractionError::NoText } else { ExtractionError::Empty });
        }
        if !self.within.is_empty() {
            let end = text.chars().count();
            marks.extend(self.within.into_iter().filter_map(|mut mark| {
                mark.span.end = mark.span.end.min(end);
                (!mark.span.is_empty()).then_some(mark)
            }));
            marks.sort_by_key(|mark| (mark.span.start, mark.kind, mark.level));
        }
        Ok(ExtractedFile {
            media_type: kind.media_type().to_owned(),
            text,
            marks,
            reference: self.reference,
            dimensions: self.dimensions,
            ..ExtractedFile::default()
        })
    }
}

/// Builds the error for a file with a broken or missing part.
pub(crate) fn damaged_file(what: impl Into<String>) -> ExtractionError {
    ExtractionError::Damaged(what.into())
}
