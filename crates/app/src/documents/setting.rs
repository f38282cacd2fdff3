//! How a document is set: put together, sent to a press, and its faults led back to what was written.

use ibid_documents::{
    Fault,
    manuscript::{Manuscript, Typeset},
    pressroom::{Made, Order, PageView, Unmade, Want},
    template::{self, Frame},
};
use ibid_domain::{Code, DocumentCitation, DocumentFormat, DocumentId, Problem, problem::shown};
use serde_json::{Value as Json, json};

use super::{
    LookChange, OpenDocument, check_text,
    references::{Entries, heading, missing, output, read, section, set},
};
use crate::{App, Result, Scope};

/// Dots of a picture for a point: 144 for an inch.
const DOTS: f64 = 2.0;

/// What a document can be made into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderFormat {
    /// All pages.
    Pdf,
    /// One page, as lines.
    Svg,
    /// One page, as a picture.
    Png,
    /// The words, for a browser.
    Html,
    /// The words, in Markdown.
    Markdown,
    /// The whole, in Typst.
    Typst,
}

impl RenderFormat {
    const ALL: [(&str, Self); 7] = [
        ("pdf", Self::Pdf),
        ("svg", Self::Svg),
        ("png", Self::Png),
        ("html", Self::Html),
        ("md", Self::Markdown),
        ("markdown", Self::Markdown),
        ("typ", Self::Typst),
    ];

    /// Its media type.
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

    /// How the names of its files end.
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
        Self::ALL.into_iter().find(|(name, _)| *name == text).map(|(_, format)| format).ok_or_else(|| {
            let detail =
                format!("a document is not rendered as '{}'; it is as pdf, svg, png, html, md or typ", shown(text));
            Problem::new(Code::InvalidField, detail).field("format")
        })
    }
}

/// What was made of a document.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// What it is.
    pub format: RenderFormat,
    /// The file.
    pub bytes: Vec<u8>,
    /// How many pages the document has, if it was set.
    pub pages: Option<usize>,
}

/// What is to be looked at before it is saved.
#[derive(Clone, Debug, Default)]
pub struct PreviewRequest {
    /// The text, instead of the document's.
    pub text: Option<String>,
    /// How it looks, where that differs.
    pub look: LookChange,
    /// Pages that need not be told again.
    pub known: Vec<String>,
    /// The first page.
    pub from: usize,
    /// The last one.
    pub to: usize,
}

/// Pages to look at, or why there are none.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// How many pages there are.
    pub page_count: usize,
    /// Those that were asked for.
    pub pages: Vec<PageView>,
    /// What is wrong, and what may not be what was meant.
    pub faults: Vec<Fault>,
}

/// A document put together.
struct Composed {
    typeset: Typeset,
    main: String,
    frame: Frame,
}

impl App {
    /// Makes a document into something else.
    pub async fn render(
        &self,
        scope: &Scope,
        id: DocumentId,
        format: RenderFormat,
        page: usize,
        version: Option<u64>,
    ) -> Result<Rendered> {
        let open = self.document(scope, id, version).await?;
        let citations = self.store.read().await?.documents(scope).citations(id).await?;
        let done = |bytes: Vec<u8>| Rendered { format, bytes, pages: None };
        if format == RenderFormat::Markdown {
            return Ok(done(self.as_markdown(scope, &open, &citations).await?.into_bytes()));
        }
        let composed = self.compose(scope, &open, &citations).await?;
        let want = match format {
            RenderFormat::Pdf => Want::Pdf,
            RenderFormat::Svg => Want::Svg { page },
            RenderFormat::Png => Want::Png { page, dots: DOTS },
            RenderFormat::Html => Want::Html,
            RenderFormat::Markdown | RenderFormat::Typst => {
                let bibliography =
                    composed.main.split_once("#include \"/document.typ\"\n").map_or("", |(_, after)| after);
                let whole = composed.frame.alone(&composed.typeset.text, bibliography);
                return Ok(done(whole.into_bytes()));
            }
        };
        let made = self.press(scope, &open, &composed, want).await?;
        let made = made.map_err(|faults| {
            let said = faults.iter().find(|fault| !fault.is_warning).or(faults.first());
            let place = said.and_then(|fault| Some(format!("line {}, column {}: ", fault.line?, fault.column?)));
            let detail = format!(
                "{}{}",
                place.unwrap_or_default(),
                said.map_or("the text cannot be set", |fault| fault.message.as_str())
            );
            Problem::new(Code::DocumentDoesNotCompile, detail).fact("faults", told(&faults))
        })?;
        let pages = (format != RenderFormat::Html).then_some(made.page_count);
        Ok(Rendered { format, bytes: made.bytes, pages })
    }

    /// Sets a document as it would be, without saving anything.
    pub async fn preview(&self, scope: &Scope, id: DocumentId, request: PreviewRequest) -> Result<Preview> {
        let mut open = self.document(scope, id, None).await?;
        if let Some(text) = request.text {
            check_text(&text)?;
            open.text = text;
        }
        open.document.look = self.changed(scope, &open.document.look, &request.look).await?;
        let citations = self.store.read().await?.documents(scope).citations(id).await?;
        let composed = self.compose(scope, &open, &citations).await?;
        let want = Want::Preview { from: request.from.max(1), to: request.to, known: request.known };
        Ok(match self.press(scope, &open, &composed, want).await? {
            Ok(made) => {
                let faults = self.placed(&open, &composed, made.warnings);
                Preview { page_count: made.page_count, pages: made.pages, faults }
            }
            Err(faults) => Preview { faults, ..Preview::default() },
        })
    }

    async fn compose(&self, scope: &Scope, open: &OpenDocument, citations: &[DocumentCitation]) -> Result<Composed> {
        let look = &open.document.look;
        let (manuscript, notes, bibliography) = self.written(scope, open, citations, DocumentFormat::Typst).await?;
        let frame = Frame {
            title: look.title.clone(),
            authors: look.authors.clone(),
            date: look.date.clone(),
            locale: look.locale.clone(),
            template: look.template,
        };
        let after = if manuscript.has_bibliography() { "" } else { bibliography.as_str() };
        let main = frame.main(after);
        Ok(Composed { typeset: manuscript.typst(&notes, &bibliography), main, frame })
    }

    async fn as_markdown(&self, scope: &Scope, open: &OpenDocument, citations: &[DocumentCitation]) -> Result<String> {
        let (manuscript, notes, bibliography) = self.written(scope, open, citations, DocumentFormat::Markdown).await?;
        let text = manuscript.markdown(&notes, &bibliography);
        let is_titled = text.trim_start().starts_with("# ");
        Ok(if is_titled { text } else { format!("# {}\n\n{text}", open.document.look.title) })
    }

    /// The text of a document looked through, with what stands at each of its places and its bibliography, in a format.
    async fn written(
        &self,
        scope: &Scope,
        open: &OpenDocument,
        citations: &[DocumentCitation],
        format: DocumentFormat,
    ) -> Result<(Manuscript, Vec<String>, String)> {
        let look = &open.document.look;
        let formatter = self.style_of(scope, open).await?;
        let formatted = self.items(scope, citations, missing(look.missing)).await?;
        let manuscript = read(open, citations);
        let (notes, entries) = set(&formatter, &formatted, citations, &manuscript, look.cite_as, output(format))?;
        let entries: Vec<String> = entries.into_iter().map(|(_, words)| words).collect();
        let bibliography = match entries.is_empty() {
            true => String::new(),
            false => section(format, heading(formatter.style().id(), &look.locale), &entries, Entries::PerSource),
        };
        Ok((manuscript, notes, bibliography))
    }

    /// Has a document set. The inner error is what is wrong with its text.
    async fn press(
        &self,
        scope: &Scope,
        open: &OpenDocument,
        composed: &Composed,
        want: Want,
    ) -> Result<Result<Made, Vec<Fault>>> {
        let mut files = Vec::with_capacity(open.files.len());
        for (name, entry) in &open.files {
            files.push((name.clone(), self.bytes_of(scope, entry.sha256).await?));
        }
        let order = Order {
            key: open.document.id.to_string(),
            main: composed.main.clone(),
            template: template::text(open.document.look.template).to_owned(),
            text: composed.typeset.text.clone(),
            files,
            want,
        };
        let began = std::time::Instant::now();
        let made = self.tools().press.press(order).await?;
        metrics::histogram!("ibid_press_seconds").record(began.elapsed().as_secs_f64());
        match made {
            Ok(made) => Ok(Ok(made)),
            Err(Unmade::Faults(faults)) => Ok(Err(self.placed(open, composed, faults))),
            Err(Unmade::NoSuchPage(count)) => {
                let detail = format!("the document has {count} pages");
                Err(Problem::new(Code::PageNotFound, detail).field("page").into())
            }
        }
    }

    /// Faults with their places in the text as it was written.
    fn placed(&self, open: &OpenDocument, composed: &Composed, faults: Vec<Fault>) -> Vec<Fault> {
        let is_typst = open.document.look.format == DocumentFormat::Typst;
        let place = |mut fault: Fault| {
            let own = fault.file.as_deref() == Some(ibid_documents::pressroom::TEXT);
            let place = fault.byte.filter(|_| own && is_typst).map(|byte| composed.typeset.place(&open.text, byte));
            (fault.line, fault.column) = place.unzip();
            fault
        };
        faults.into_iter().map(place).collect()
    }
}

/// Faults as they are told.
fn told(faults: &[Fault]) -> Json {
    let told = |fault: &Fault| {
        json!({
            "message": fault.message, "hints": fault.hints, "line": fault.line, "column": fault.column,
            "severity": if fault.is_warning { "warning" } else { "error" },
        })
    };
    faults.iter().map(told).collect()
}
