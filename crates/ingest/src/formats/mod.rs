//! One reader for each kind of file. Each takes the bytes and a [`Reading`] that bounds what it may unpack, and writes
//! a [`Draft`].

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

use std::cell::Cell;

use ibid_domain::{Mark, MarkKind, Reference, Span};

use crate::{
    Extracted, ExtractionError, Input, Limits, TextBuilder,
    sniff::{self, Kind},
};

pub(crate) use image::{BIGGEST as BIGGEST_IMAGE, format_of as image_format};
pub(crate) use pdf::render_first_page;
pub(crate) use text::decode_head;

/// Files within files are followed this deep, however many levels of markup are allowed.
const FILES_WITHIN_FILES: usize = 8;

/// What one call of [`crate::extract`] has used up so far, over all files within the file.
pub(crate) struct Reading<'a> {
    pub limits: &'a Limits,
    unpacked: Cell<u64>,
    depth: Cell<usize>,
}

impl<'a> Reading<'a> {
    pub fn new(limits: &'a Limits) -> Self {
        Self { limits, unpacked: Cell::new(0), depth: Cell::new(0) }
    }

    /// How many bytes may still be unpacked.
    pub fn left(&self) -> u64 {
        self.limits.unpacked_bytes.saturating_sub(self.unpacked.get())
    }

    /// Counts bytes that were unpacked.
    pub fn spend(&self, bytes: u64) -> Result<(), ExtractionError> {
        let total = self.unpacked.get().saturating_add(bytes);
        self.unpacked.set(total);
        if total > self.limits.unpacked_bytes { Err(self.too_much()) } else { Ok(()) }
    }

    pub fn too_much(&self) -> ExtractionError {
        ExtractionError::TooLarge(format!("it unpacks to more than {} MiB", self.limits.unpacked_bytes >> 20))
    }

    /// Reads a file of any kind.
    pub fn read(&self, input: &Input) -> Result<Extracted, ExtractionError> {
        if input.bytes.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
            return Err(ExtractionError::Empty);
        }
        let kind = sniff::kind(input);
        let mut draft = Draft::new(self.limits);
        match kind {
            Kind::Pdf => pdf::read(input.bytes, self, &mut draft)?,
            Kind::Docx => docx::read(input.bytes, self, &mut draft)?,
            Kind::Pptx => pptx::read(input.bytes, self, &mut draft)?,
            Kind::Xlsx => xlsx::read(input.bytes, self, &mut draft)?,
            Kind::Odt | Kind::Odp | Kind::Ods => odf::read(input.bytes, self, &mut draft)?,
            Kind::FlatOdf => odf::read_flat(input.bytes, self, &mut draft)?,
            Kind::Epub => epub::read(input.bytes, self, &mut draft)?,
            Kind::Xls => xls::read(input.bytes, self, &mut draft)?,
            Kind::Doc => word::read(input.bytes, self, &mut draft)?,
            Kind::Ppt => ppt::read(input.bytes, self, &mut draft)?,
            Kind::Msg => msg::read(input.bytes, self, &mut draft)?,
            Kind::Rtf => rtf::read(input.bytes, self, &mut draft)?,
            Kind::Eml => mail::read_message(input.bytes, self, &mut draft)?,
            Kind::Mbox => mail::read_mailbox(input.bytes, self, &mut draft)?,
            Kind::Html => return crate::html::read_page(input, self.limits),
            Kind::Xml => text::read_xml(input.bytes, self, &mut draft)?,
            Kind::Svg => text::read_svg(input.bytes, self, &mut draft)?,
            Kind::Markdown => markdown::read(input, self, &mut draft)?,
            Kind::Csv(separator) => csv::read(input, separator, &mut draft)?,
            Kind::Json => json::read(input, &mut draft)?,
            Kind::Text => text::read_plain(input, &mut draft)?,
            Kind::Image(_) => image::read(input.bytes, &mut draft)?,
            Kind::EncryptedOffice => return Err(ExtractionError::Encrypted),
            Kind::Other(media_type) => return Err(ExtractionError::Unsupported(media_type.to_owned())),
        }
        draft.finish(kind)
    }

    /// Reads a file found within another one and appends it under its name. A part that cannot be read leaves only its
    /// name: the rest of the file is still good. What is too large is an error, or bombs could hide one level deeper.
    pub fn attach(&self, input: &Input, draft: &mut Draft) -> Result<(), ExtractionError> {
        let label = input.filename.map(str::trim).filter(|name| !name.is_empty()).unwrap_or("attachment");
        draft.text.paragraph()?;
        let start = draft.text.len();
        draft.text.push(&text::one_line(label))?;
        draft.text.paragraph()?;
        if self.depth.get() < FILES_WITHIN_FILES.min(self.limits.depth) {
            self.depth.set(self.depth.get() + 1);
            let read = self.read(input);
            self.depth.set(self.depth.get() - 1);
            match read {
                Ok(part) => draft.append(&part)?,
                Err(error @ ExtractionError::TooLarge(_)) => return Err(error),
                Err(_) => {}
            }
        }
        draft.text.mark(MarkKind::Attachment, label, None, start);
        draft.text.paragraph()
    }
}

/// A text in the making, with the marks of the files within it.
pub(crate) struct Draft {
    pub text: TextBuilder,
    pub reference: Reference,
    pub dimensions: Option<(u32, u32)>,
    /// Whether there are pictures, so that a missing text can be explained.
    pub pictures: bool,
    within: Vec<Mark>,
}

impl Draft {
    pub fn new(limits: &Limits) -> Self {
        Self {
            text: TextBuilder::new(limits),
            reference: Reference::default(),
            dimensions: None,
            pictures: false,
            within: Vec::new(),
        }
    }

    /// Appends what was read from a file within this one, with its marks moved to where it stands now.
    pub fn append(&mut self, part: &Extracted) -> Result<(), ExtractionError> {
        let start = self.text.len();
        self.text.push(&part.text)?;
        self.within.extend(part.marks.iter().cloned().map(|mut mark| {
            mark.span = Span::new(mark.span.start + start, mark.span.end + start);
            mark
        }));
        Ok(())
    }

    fn finish(self, kind: Kind) -> Result<Extracted, ExtractionError> {
        let (text, mut marks) = self.text.finish();
        if text.trim().is_empty() && !matches!(kind, Kind::Image(_) | Kind::Svg) {
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
        Ok(Extracted {
            media_type: kind.media_type().to_owned(),
            text,
            marks,
            reference: self.reference,
            dimensions: self.dimensions,
            ..Extracted::default()
        })
    }
}

/// What a reader says when a part is not as it should be.
pub(crate) fn damaged(what: impl Into<String>) -> ExtractionError {
    ExtractionError::Damaged(what.into())
}
