//! How a document is set: put together, sent to a typesetter, and its faults led back to what was written.

use ibid_documents::{
    TypstDiagnostic,
    manuscript::{Manuscript, TypesetText},
    render_pool::{PageView, RenderError, RenderOutput, RenderRequest, RenderTarget},
    template::{self, TemplateInput},
};
use ibid_domain::{Code, DocumentCitation, DocumentFormat, DocumentId, Problem, problem::shorten_for_error};
use serde_json::{Value as Json, json};

use super::{
    DocumentSettingsPatch, OpenDocument,
    references::{
        BibliographyGrouping, bibliography_heading, missing_policy, output_format, parse_manuscript,
        render_bibliography, render_citations,
    },
};
use crate::{App, Result, services::DocumentService};

/// Dots of a picture for a point: 144 for an inch.
const DOTS: f64 = 2.0;

/// The formats a document can be rendered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderFormat {
    /// All pages in a single PDF file.
    Pdf,
    /// One page as vector graphics.
    Svg,
    /// One page as an image with 144 dots per inch.
    Png,
    /// The text as HTML, without pages.
    Html,
    /// The text with citations and bibliography, in Markdown.
    Markdown,
    /// The complete Typst source, with template and bibliography.
    Typst,
}

impl RenderFormat {
    /// All formats, in the order in which they are offered.
    pub const ALL: [Self; 6] = [Self::Pdf, Self::Svg, Self::Png, Self::Html, Self::Markdown, Self::Typst];

    /// Returns the name used in API requests, which is the file name extension.
    pub const fn as_str(self) -> &'static str {
        self.extension()
    }

    /// Returns the media type of the rendered file.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
            Self::Html => "text/html; charset=utf-8",
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Typst => "text/x-typst; charset=utf-8",
        }
    }

    /// Returns the file name extension, without a dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Typst => "typ",
        }
    }
}

impl std::str::FromStr for RenderFormat {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let by_name = Self::ALL.into_iter().find(|format| format.as_str() == text);
        by_name.or((text == "markdown").then_some(Self::Markdown)).ok_or_else(|| {
            let detail = format!(
                "a document is not rendered as '{}'; it is as pdf, svg, png, html, md or typ",
                shorten_for_error(text)
            );
            Problem::new(Code::InvalidField, detail).with_field("format")
        })
    }
}

/// A document rendered to a file.
#[derive(Clone, Debug)]
pub struct RenderedDocument {
    pub format: RenderFormat,
    /// Content of the rendered file.
    pub bytes: Vec<u8>,
    /// Number of pages; `None` for HTML, Markdown and Typst.
    pub pages: Option<usize>,
}

/// A request to preview a document with unsaved changes.
#[derive(Clone, Debug, Default)]
pub struct PreviewRequest {
    /// The text, instead of the document's.
    pub text: Option<String>,
    /// Unsaved changes of the settings.
    pub settings: DocumentSettingsPatch,
    /// Pages that need not be told again.
    pub known: Vec<String>,
    /// First page to render, from 1.
    pub from: usize,
    /// Last page to render, inclusive.
    pub to: usize,
}

/// Rendered pages, or why there are none.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// Total number of pages in the document.
    pub page_count: usize,
    /// The requested pages; those that the client already has come without their SVG.
    pub pages: Vec<PageView>,
    /// Errors and warnings, with their place in the text.
    pub faults: Vec<TypstDiagnostic>,
}

/// A document with citations and template filled in, ready to be typeset.
struct ComposedDocument {
    typeset: TypesetText,
    main: String,
    frame: TemplateInput,
}

impl DocumentService<'_> {
    /// Makes a document into something else.
    pub async fn render(
        self,
        id: DocumentId,
        format: RenderFormat,
        page: usize,
        version: Option<u64>,
    ) -> Result<RenderedDocument> {
        let open = self.get(id, version).await?;
        let citations = self.app.store.read().await?.documents(self.scope).list_citations(id).await?;
        let done = |bytes: Vec<u8>| RenderedDocument { format, bytes, pages: None };
        if format == RenderFormat::Markdown {
            return Ok(done(self.as_markdown(&open, &citations).await?.into_bytes()));
        }
        let composed = self.compose_document(&open, &citations).await?;
        let want = match format {
            RenderFormat::Pdf => RenderTarget::Pdf,
            RenderFormat::Svg => RenderTarget::Svg { page },
            RenderFormat::Png => RenderTarget::Png { page, dots: DOTS },
            RenderFormat::Html => RenderTarget::Html,
            RenderFormat::Markdown | RenderFormat::Typst => {
                let bibliography =
                    composed.main.split_once("#include \"/document.typ\"\n").map_or("", |(_, after)| after);
                let whole = composed.frame.standalone_source(&composed.typeset.text, bibliography);
                return Ok(done(whole.into_bytes()));
            }
        };
        let made = self.typeset_document(&open, &composed, want).await?;
        let made = made.map_err(|faults| {
            let said = faults.iter().find(|fault| !fault.is_warning).or(faults.first());
            let place = said.and_then(|fault| Some(format!("line {}, column {}: ", fault.line?, fault.column?)));
            let detail = format!(
                "{}{}",
                place.unwrap_or_default(),
                said.map_or("the text cannot be set", |fault| fault.message.as_str())
            );
            Problem::new(Code::DocumentDoesNotCompile, detail).with_fact("faults", faults_to_json(&faults))
        })?;
        let pages = (format != RenderFormat::Html).then_some(made.page_count);
        Ok(RenderedDocument { format, bytes: made.bytes, pages })
    }

    /// Sets a document as it would be, without saving anything.
    pub async fn preview(self, id: DocumentId, request: PreviewRequest) -> Result<Preview> {
        let mut open = self.get(id, None).await?;
        if let Some(text) = request.text {
            super::saving::check_text(&text)?;
            open.text = text;
        }
        open.document.settings = self.apply_settings_patch(&open.document.settings, &request.settings).await?;
        let citations = self.app.store.read().await?.documents(self.scope).list_citations(id).await?;
        let composed = self.compose_document(&open, &citations).await?;
        let want = RenderTarget::Preview { from: request.from.max(1), to: request.to, known: request.known };
        Ok(match self.typeset_document(&open, &composed, want).await? {
            Ok(made) => {
                let faults = self.app.locate_faults(&open, &composed, made.warnings);
                Preview { page_count: made.page_count, pages: made.pages, faults }
            }
            Err(faults) => Preview { faults, ..Preview::default() },
        })
    }

    async fn compose_document(self, open: &OpenDocument, citations: &[DocumentCitation]) -> Result<ComposedDocument> {
        let settings = &open.document.settings;
        let (manuscript, notes, bibliography) = self.format_manuscript(open, citations, DocumentFormat::Typst).await?;
        let frame = TemplateInput {
            title: settings.title.clone(),
            authors: settings.authors.clone(),
            date: settings.date.clone(),
            locale: settings.locale.clone(),
            template: settings.template,
        };
        let after = if manuscript.has_bibliography() { "" } else { bibliography.as_str() };
        let main = frame.main(after);
        Ok(ComposedDocument { typeset: manuscript.to_typst(&notes, &bibliography), main, frame })
    }

    async fn as_markdown(self, open: &OpenDocument, citations: &[DocumentCitation]) -> Result<String> {
        let (manuscript, notes, bibliography) =
            self.format_manuscript(open, citations, DocumentFormat::Markdown).await?;
        let text = manuscript.to_markdown(&notes, &bibliography);
        let is_titled = text.trim_start().starts_with("# ");
        Ok(if is_titled { text } else { format!("# {}\n\n{text}", open.document.settings.title) })
    }

    /// The text of a document looked through, with what stands at each of its places and its bibliography, in a format.
    async fn format_manuscript(
        self,
        open: &OpenDocument,
        citations: &[DocumentCitation],
        format: DocumentFormat,
    ) -> Result<(Manuscript, Vec<String>, String)> {
        let settings = &open.document.settings;
        let formatter = self.style_of(open).await?;
        let formatted = self.load_csl_items(citations, missing_policy(settings.missing)).await?;
        let manuscript = parse_manuscript(open, citations);
        let (notes, entries) =
            render_citations(&formatter, &formatted, citations, &manuscript, settings.cite_as, output_format(format))?;
        let entries: Vec<String> = entries.into_iter().map(|(_, words)| words).collect();
        let bibliography = match entries.is_empty() {
            true => String::new(),
            false => render_bibliography(
                format,
                bibliography_heading(formatter.style().id(), &settings.locale),
                &entries,
                BibliographyGrouping::PerSource,
            ),
        };
        Ok((manuscript, notes, bibliography))
    }

    /// Has a document set. The inner error is what is wrong with its text.
    async fn typeset_document(
        self,
        open: &OpenDocument,
        composed: &ComposedDocument,
        want: RenderTarget,
    ) -> Result<Result<RenderOutput, Vec<TypstDiagnostic>>> {
        let mut files = Vec::with_capacity(open.files.len());
        for (name, entry) in &open.files {
            files.push((name.clone(), self.app.sources(self.scope).bytes_of(entry.sha256).await?));
        }
        let order = RenderRequest {
            key: open.document.id.to_string(),
            main: composed.main.clone(),
            template: template::template_source(open.document.settings.template).to_owned(),
            text: composed.typeset.text.clone(),
            files,
            want,
        };
        let began = std::time::Instant::now();
        let made = self.app.tools().typesetter.typeset(order).await?;
        metrics::histogram!("ibid_typeset_seconds").record(began.elapsed().as_secs_f64());
        match made {
            Ok(made) => Ok(Ok(made)),
            Err(RenderError::Faults(faults)) => Ok(Err(self.app.locate_faults(open, composed, faults))),
            Err(RenderError::NoSuchPage(count)) => {
                let detail = format!("the document has {count} pages");
                Err(Problem::new(Code::PageNotFound, detail).with_field("page").into())
            }
        }
    }
}

impl App {
    /// Faults with their places in the text as it was written.
    fn locate_faults(
        &self,
        open: &OpenDocument,
        composed: &ComposedDocument,
        faults: Vec<TypstDiagnostic>,
    ) -> Vec<TypstDiagnostic> {
        let is_typst = open.document.settings.format == DocumentFormat::Typst;
        let place = |mut fault: TypstDiagnostic| {
            let own = fault.file.as_deref() == Some(ibid_documents::render_pool::TEXT);
            let place =
                fault.byte.filter(|_| own && is_typst).map(|byte| composed.typeset.original_position(&open.text, byte));
            (fault.line, fault.column) = place.unzip();
            fault
        };
        faults.into_iter().map(place).collect()
    }
}

/// Converts faults to JSON for the problem of a failed render.
fn faults_to_json(faults: &[TypstDiagnostic]) -> Json {
    let told = |fault: &TypstDiagnostic| {
        json!({
            "message": fault.message, "hints": fault.hints, "line": fault.line, "column": fault.column,
            "severity": if fault.is_warning { "warning" } else { "error" },
        })
    };
    faults.iter().map(told).collect()
}
