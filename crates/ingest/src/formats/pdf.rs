//! PDF, through pdfium, which is loaded when the first one is read.

use std::{
    path::PathBuf,
    sync::{Mutex, OnceLock, PoisonError},
};

use ibid_domain::MarkKind;
use ibid_language::one_line;
use pdfium_render::prelude::*;

use super::{
    ExtractionContext, ExtractionDraft, damaged_file,
    pdf_lines::{self, DocumentWords, PdfLine},
    properties,
    text::strip_control_chars,
};
use crate::{ExtractionError, ExtractionInput};

/// Pdfium keeps state of its own and must not be entered twice at once.
static TURN: Mutex<()> = Mutex::new(());
static LIBRARY: OnceLock<Result<Pdfium, String>> = OnceLock::new();

/// Maximum number of outline entries read from one PDF.
const OUTLINE: usize = 10_000;

fn load_pdfium() -> Result<&'static Pdfium, ExtractionError> {
    let loaded = LIBRARY.get_or_init(|| {
        let mut tried = String::new();
        for place in library_paths() {
            match Pdfium::bind_to_library(&place) {
                Ok(bindings) => return Ok(Pdfium::new(bindings)),
                Err(error) if place.exists() => tried = format!(" ({}: {error})", place.display()),
                Err(_) => {}
            }
        }
        match Pdfium::bind_to_system_library() {
            Ok(bindings) => Ok(Pdfium::new(bindings)),
            Err(_) => Err(format!("PDF needs the library pdfium; install Ibid again (in a clone, `make run` fetches it), or set IBID_PDFIUM{tried}")),
        }
    });
    loaded.as_ref().map_err(|error| ExtractionError::NotInstalled(error.clone()))
}

/// Returns an error that says why PDF files cannot be read here.
pub fn check_pdf_library() -> Result<(), String> {
    load_pdfium().map(drop).map_err(|error| error.to_string())
}

/// Returns the paths to try for pdfium, in order: `IBID_PDFIUM`, what is installed with the program, the cache.
fn library_paths() -> Vec<PathBuf> {
    let mut places = Vec::new();
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    places.extend(variable("IBID_PDFIUM"));
    let cache = variable("IBID_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|home| home.join("ibid")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache/ibid")));
    let name = Pdfium::pdfium_platform_library_name();
    let program = std::env::current_exe().ok().and_then(|program| program.canonicalize().ok());
    places.extend(program.and_then(|program| Some(program.parent()?.parent()?.join("lib/ibid").join(&name))));
    places.extend(cache.map(|cache| cache.join("lib").join(&name)));
    places
}

fn open_document<'a>(pdfium: &'a Pdfium, bytes: &'a [u8]) -> Result<PdfDocument<'a>, ExtractionError> {
    pdfium.load_pdf_from_byte_slice(bytes, None).map_err(|error| match error {
        PdfiumError::PdfiumLibraryInternalError(
            PdfiumInternalError::PasswordError | PdfiumInternalError::SecurityError,
        ) => ExtractionError::Encrypted,
        _ => damaged_file("its pages cannot be found"),
    })
}

pub(super) fn read(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let files = {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        read_pages(bytes, reading, draft)?
    };
    // Pdfium is free again: a file within may be a PDF too.
    for (name, bytes) in files {
        draft.text.end_sections(0);
        reading.append_attachment(
            &ExtractionInput { bytes: &bytes, filename: Some(&name), ..ExtractionInput::default() },
            draft,
        )?;
    }
    Ok(())
}

struct PdfPageText {
    label: String,
    lines: Vec<PdfLine>,
    /// Fields and remarks, which belong to no line.
    rest: Vec<String>,
}

type EmbeddedFiles = Vec<(String, Vec<u8>)>;

fn read_pages(
    bytes: &[u8],
    reading: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<EmbeddedFiles, ExtractionError> {
    let document = open_document(load_pdfium()?, bytes)?;
    let count = usize::try_from(document.pages().len()).unwrap_or(0);
    if count == 0 {
        return Err(damaged_file("it has no pages"));
    }
    if count > reading.limits.pages {
        return Err(ExtractionError::TooLarge(format!("it has more than {} pages", reading.limits.pages)));
    }
    read_metadata(&document, draft);
    draft.pictures = true;
    let mut pages = Vec::with_capacity(count);
    let mut words = DocumentWords::default();
    let mut chars = 0;
    let mut unreadable = 0;
    for index in document.pages().as_range() {
        let Ok(page) = document.pages().get(index) else {
            // A page that cannot be read keeps its number.
            unreadable += 1;
            pages.push(PdfPageText { label: String::new(), lines: Vec::new(), rest: Vec::new() });
            continue;
        };
        let lines = page_lines(&page);
        for line in &lines {
            words.add_line(line);
            chars += line.text.len();
        }
        if chars > reading.limits.text_chars.saturating_mul(4) {
            return Err(ExtractionError::TooLarge(format!(
                "its text is longer than {} characters",
                reading.limits.text_chars
            )));
        }
        let label = page.label().map(one_line).filter(|label| !label.is_empty());
        pages.push(PdfPageText { label: label.unwrap_or_default(), lines, rest: annotation_texts(&page) });
    }
    if unreadable == count {
        return Err(damaged_file("none of its pages can be read"));
    }
    let outline = read_outline(&document);
    write_pages(&pages, &words, &outline, draft)?;
    let mut files = EmbeddedFiles::new();
    for file in document.attachments().iter().take(reading.limits.entries.min(1000)) {
        if file.len() as u64 > reading.bytes_left() {
            return Err(reading.too_much());
        }
        if let Ok(bytes) = file.save_to_bytes() {
            reading.count_unpacked(bytes.len() as u64)?;
            files.push((file.name(), bytes));
        }
    }
    Ok(files)
}

fn read_metadata(document: &PdfDocument, draft: &mut ExtractionDraft) {
    let value = |tag| document.metadata().get(tag).map(|tag| tag.value().to_owned());
    draft.reference.title = value(PdfDocumentMetadataTagType::Title).and_then(|text| properties::clean_title(&text));
    draft.reference.authors =
        value(PdfDocumentMetadataTagType::Author).map(|text| properties::parse_authors(&text)).unwrap_or_default();
    draft.reference.publication_date =
        value(PdfDocumentMetadataTagType::CreationDate).and_then(|text| properties::parse_date(&text));
}

/// The lines of a page in the order they were drawn, which is how they are read in all but odd files.
fn page_lines(page: &PdfPage) -> Vec<PdfLine> {
    let Ok(text) = page.text() else { return Vec::new() };
    let mut lines = Vec::new();
    let mut line = PdfLine::default();
    let mut fresh = true;
    let mut heights: Vec<f32> = Vec::new();
    let mut word_ended = false;
    let mut high: Option<u16> = None;
    let mut end = |line: &mut PdfLine, heights: &mut Vec<f32>| {
        heights.sort_by(f32::total_cmp);
        line.size = heights.get(heights.len() / 2).copied().unwrap_or(0.0);
        heights.clear();
        let done = std::mem::take(line);
        if !done.text.trim().is_empty() {
            lines.push(done);
        }
    };
    for glyph in text.chars().iter() {
        let code = glyph.unicode_value();
        // Pdfium marks a hyphen at the end of a line, and then goes on in the next without a break.
        let hyphen = matches!(code, 0x2 | 0xfffe);
        if hyphen || matches!(code, 0xa | 0xd) {
            line.hyphen = hyphen && line.text.ends_with(char::is_alphanumeric);
            end(&mut line, &mut heights);
            (fresh, word_ended) = (true, false);
            continue;
        }
        // Characters beyond the first plane come in two halves.
        let char = match (high.take(), code) {
            (_, 0xd800..=0xdbff) => {
                high = Some(code as u16);
                continue;
            }
            (Some(high), 0xdc00..=0xdfff) => char::decode_utf16([high, code as u16]).next().and_then(Result::ok),
            (_, code) => char::from_u32(code),
        };
        let Some(char) = char.filter(|char| *char != '\0') else { continue };
        let blank = char.is_whitespace();
        word_ended |= blank;
        line.text.extend(pdf_lines::expand_ligature(char));
        if blank {
            continue;
        }
        let Ok(bounds) = glyph.loose_bounds() else { continue };
        let (left, right) = (bounds.left().value, bounds.right().value);
        if fresh {
            (line.left, line.right, line.base) = (left, right, bounds.bottom().value);
            (line.first_word, fresh) = (right, false);
        }
        line.left = line.left.min(left);
        line.right = line.right.max(right);
        if !word_ended {
            line.first_word = line.right;
        }
        heights.push(bounds.top().value - bounds.bottom().value);
    }
    end(&mut line, &mut heights);
    lines
}

/// Returns the texts of form fields and annotations on a page.
fn annotation_texts(page: &PdfPage) -> Vec<String> {
    let mut rest: Vec<String> = Vec::new();
    for annotation in page.annotations().iter().take(5000) {
        if annotation.as_link_annotation().is_some() || annotation.as_popup_annotation().is_some() {
            continue;
        }
        let value = match annotation.as_form_field() {
            Some(field) => field
                .as_text_field()
                .and_then(PdfFormTextField::value)
                .or_else(|| field.as_combo_box_field().and_then(PdfFormComboBoxField::value))
                .or_else(|| field.as_list_box_field().and_then(PdfFormListBoxField::value)),
            None => annotation.contents(),
        };
        if let Some(value) =
            value.map(|value| strip_control_chars(&value).trim().to_owned()).filter(|value| !value.is_empty())
            && !rest.contains(&value)
        {
            rest.push(value);
        }
    }
    rest
}

/// A heading of the outline: its level, its words, its page.
struct OutlineHeading {
    level: u8,
    title: String,
    page: usize,
}

fn read_outline(document: &PdfDocument) -> Vec<OutlineHeading> {
    let mut headings = Vec::new();
    let mut next = document.bookmarks().root().map(|first| (first, 1u8));
    // Outlines of broken files may lead in circles.
    let mut above: Vec<(PdfBookmark, u8)> = Vec::new();
    for _ in 0..OUTLINE {
        let Some((mark, level)) = next.take().or_else(|| above.pop()) else { break };
        let page = mark.destination().and_then(|place| place.page_index().ok());
        let title = mark.title().map(|title| one_line(&title)).filter(|title| !title.is_empty());
        if let Some((page, title)) = page.and_then(|page| usize::try_from(page).ok()).zip(title) {
            headings.push(OutlineHeading { level, title, page });
        }
        if let Some(sibling) = mark.next_sibling() {
            above.push((sibling, level));
        }
        next = mark.first_child().filter(|_| level < 20).map(|child| (child, level + 1));
    }
    headings
}

fn write_pages(
    pages: &[PdfPageText],
    words: &DocumentWords,
    outline: &[OutlineHeading],
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let mut headings = outline.iter().peekable();
    for (index, page) in pages.iter().enumerate() {
        let text = pdf_lines::join_lines(&page.lines, words);
        // A sentence that goes on over the page is not torn apart by an empty line.
        let goes_on = text.starts_with(char::is_lowercase)
            && draft
                .text
                .text()
                .trim_end()
                .ends_with(|char: char| char.is_alphanumeric() || matches!(char, ',' | '-' | ';'));
        if goes_on {
            draft.text.end_line()?
        } else {
            draft.text.end_paragraph()?
        }
        let start = draft.text.len();
        let mut written = 0;
        while let Some(heading) = headings.next_if(|heading| heading.page <= index) {
            // The section begins where its heading stands; without it, where the page begins.
            if heading.page == index
                && let Some(at) = find_heading(&text[written..], &heading.title)
            {
                draft.text.push(&text[written..written + at])?;
                written += at;
            }
            draft.text.begin_section(heading.level, heading.title.clone());
        }
        draft.text.push(&text[written..])?;
        for remark in &page.rest {
            draft.text.end_paragraph()?;
            draft.text.push(remark)?;
        }
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let label = if page.label.is_empty() { number.to_string() } else { page.label.clone() };
        draft.text.add_mark(MarkKind::Page, label, Some(number), start);
    }
    draft.text.end_sections(0);
    Ok(())
}

/// Returns the byte offset of a heading at the start of a line, ignoring differences in blank space.
fn find_heading(text: &str, title: &str) -> Option<usize> {
    let wanted: Vec<&str> = title.split_whitespace().collect();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        // Numbers before the heading are often missing in the outline.
        let starts = [line, line.trim_start_matches(|char: char| char.is_ascii_digit() || matches!(char, '.' | ' '))];
        for start in starts {
            let found = start.split_whitespace().take(wanted.len()).map(str::to_lowercase);
            if !wanted.is_empty() && found.eq(wanted.iter().map(|word| word.to_lowercase())) {
                return Some(at);
            }
        }
        at += line.len();
    }
    None
}

/// The first page as a picture: its width, its height, and four bytes for each pixel.
pub(crate) fn render_first_page(bytes: &[u8], max_px: u32) -> Result<(u32, u32, Vec<u8>), ExtractionError> {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let document = open_document(load_pdfium()?, bytes)?;
    let page = document.pages().first().map_err(|_| damaged_file("its first page cannot be read"))?;
    let (width, height) = (page.width().value.max(1.0), page.height().value.max(1.0));
    let scale = max_px as f32 / width.max(height);
    let side = |length: f32| ((length * scale).round() as i32).clamp(1, max_px.max(1) as i32);
    let config = PdfRenderConfig::new().set_fixed_size(side(width), side(height)).render_form_data(true);
    let bitmap = page.render_with_config(&config).map_err(|_| damaged_file("its first page cannot be drawn"))?;
    let (width, height) = (u32::try_from(bitmap.width()).unwrap_or(0), u32::try_from(bitmap.height()).unwrap_or(0));
    Ok((width, height, bitmap.as_rgba_bytes()))
}
