//! A stretch of a source's text, bounded, so that no answer is longer than a client can hold.

use ibid_domain::{CharIndex, Code, Problem, Span, text};

use super::{
    Mcp,
    address::{SourceAddress, app_url},
};

/// The most characters that are given at once.
pub(super) const MOST: usize = 50_000;

/// Some characters of the text of a source, with the parts of the text that they lie in.
pub(super) struct TextExcerpt {
    /// The whole text, its version and its marks.
    pub(super) of: ibid_app::RevisionText,
    /// Range of the excerpt in the whole text, in characters.
    pub(super) span: Span,
    /// Length of the whole text, in characters.
    pub(super) total: usize,
    /// Text of the excerpt, as it stands in the source.
    pub(super) words: String,
}

impl TextExcerpt {
    /// Reads what is named with so many characters `around` it, at most `most` of them.
    pub(super) async fn read(mcp: &Mcp, named: &SourceAddress, around: usize, most: usize) -> ibid_app::Result<Self> {
        let of = mcp.app.sources(&mcp.scope).text(named.source, named.revision).await?;
        let index = CharIndex::new(&of.text);
        let total = index.len();
        let (start, end) = named.span.unwrap_or((0, None));
        let end = end.unwrap_or(total).min(total);
        if start > end || (start == total && total > 0) {
            let detail = format!("the characters from {start} on are asked for; the text ends at {total}");
            return Err(Problem::new(Code::InvalidField, detail).with_field("start_char").into());
        }
        let start = start.saturating_sub(around);
        let span = Span::new(start, end.saturating_add(around).min(total).min(start.saturating_add(most)));
        let words = index.span_text(span).unwrap_or_default().to_owned();
        Ok(Self { span, total, words, of })
    }

    /// Returns the page, section, sheet or part that a span lies in, for people.
    pub(super) fn format_place(&self, span: Span) -> Option<String> {
        let place = text::locate_span(&self.of.marks, span);
        let section = (!place.section.is_empty()).then(|| place.section.join(" > "));
        place_label(place.page, section.as_deref().or(place.part.as_deref()).or(place.sheet.as_deref()))
    }

    /// The address of the app that opens the source at these words.
    pub(super) fn app_url(&self, mcp: &Mcp, span: Span) -> String {
        app_url(&mcp.public_url, self.of.revision.source, Some(self.of.revision.id), Some(span))
    }

    /// Returns the span that follows the excerpt, or `None` at the end of the text.
    pub(super) fn next(&self) -> Option<Span> {
        (self.span.end < self.total).then(|| Span::new(self.span.end, (self.span.end + MOST).min(self.total)))
    }
}

/// A page and a section in one line.
pub(super) fn place_label(page: Option<u32>, section: Option<&str>) -> Option<String> {
    let page = page.map(|page| format!("page {page}"));
    let parts: Vec<_> = page.as_deref().into_iter().chain(section).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
