//! An overview as it is put together: words of its own, and quotes that each lead to the exact words of a source.

use std::{collections::BTreeSet, sync::Arc};

use ibid_citations::{CitationSource, Ledger, cited_text, parse_markers};
use ibid_claims::{
    answer::{WordsPlace, escape_markdown},
    extract_claims,
};
use ibid_domain::{
    Citation, CitationId, CitationState, Mark, Revision, Run, Source, SourceId, Span, Timestamp, Verdict,
    text::CharIndex,
};

use super::super::retrieval::{TOOL, citation_kind};
use crate::citations::{build_anchor, snapshot_source};

/// Number of characters of a source's beginning that stand for it in the list of a run's sources.
const SNIPPET: usize = 500;

/// A source with the text of the revision that is quoted.
pub(super) struct QuotableSource {
    pub source: Source,
    pub revision: Revision,
    pub text: String,
    pub marks: Vec<Mark>,
}

impl QuotableSource {
    pub fn title(&self) -> &str {
        self.source.display_title()
    }
}

/// Words of a source, by their place in its text.
#[derive(Clone)]
pub(super) struct SourceQuote {
    pub of: Arc<QuotableSource>,
    pub span: Span,
}

impl SourceQuote {
    /// The words exactly as the source has them; `None` if the span lies outside of the text.
    pub fn words(&self) -> Option<&str> {
        self.span.slice_of(&self.of.text).filter(|words| !words.trim().is_empty())
    }
}

enum DraftPart {
    /// Markdown that says nothing of what a source says.
    Own(String),
    Quote(SourceQuote),
}

/// The parts of an overview in order.
#[derive(Default)]
pub(super) struct OverviewDraft {
    parts: Vec<DraftPart>,
}

/// An overview as Markdown, with where its quotes stand.
pub(super) struct RenderedOverview {
    pub text: String,
    quotes: Vec<RenderedQuote>,
}

struct RenderedQuote {
    quote: SourceQuote,
    /// Number of the source in the ledger.
    number: u32,
    /// The quoted words in the text, with their marker.
    whole: Span,
    marker: Span,
}

impl OverviewDraft {
    pub fn push_own(&mut self, markdown: impl Into<String>) {
        self.parts.push(DraftPart::Own(markdown.into()));
    }

    pub fn push_quote(&mut self, quote: SourceQuote) {
        if quote.words().is_some() {
            self.parts.push(DraftPart::Quote(quote));
        }
    }

    /// Begins a paragraph with words of its own.
    pub fn paragraph(&mut self, markdown: impl Into<String>) {
        if !self.parts.is_empty() {
            self.push_own("\n\n");
        }
        self.push_own(markdown);
    }

    /// Begins an item of a list; `is_first` begins the list.
    pub fn item(&mut self, is_first: bool) {
        self.push_own(if is_first { "\n\n- " } else { "\n- " });
    }

    /// Number of quotes.
    pub fn quote_count(&self) -> usize {
        self.quotes().count()
    }

    fn quotes(&self) -> impl Iterator<Item = &SourceQuote> {
        self.parts.iter().filter_map(|part| match part {
            DraftPart::Quote(quote) => Some(quote),
            DraftPart::Own(_) => None,
        })
    }

    /// The quoted sources as a run lists them, each once, in the order of the text.
    pub fn sources(&self) -> Vec<CitationSource> {
        let mut seen: BTreeSet<SourceId> = BTreeSet::new();
        self.quotes().filter(|quote| seen.insert(quote.of.source.id)).map(source_of_quote).collect()
    }

    /// Writes the Markdown, with the numbers that the ledger gave the sources.
    pub fn render(self, ledger: &Ledger) -> RenderedOverview {
        let mut rendered = RenderedOverview { text: String::new(), quotes: Vec::new() };
        let mut chars = 0;
        let mut add = |text: &mut String, part: &str| {
            text.push_str(part);
            chars += part.chars().count();
            chars
        };
        for part in self.parts {
            match part {
                DraftPart::Own(markdown) => {
                    add(&mut rendered.text, &markdown);
                }
                DraftPart::Quote(quote) => {
                    let (Some(words), Some(number)) = (quote.words(), number_of(ledger, quote.of.source.id)) else {
                        continue;
                    };
                    let words = escape_words(words);
                    let start = add(&mut rendered.text, "");
                    let end = add(&mut rendered.text, &words) + 1;
                    let after = add(&mut rendered.text, &format!(" [{number}]"));
                    let (whole, marker) = (Span::new(start, after), Span::new(end, after));
                    rendered.quotes.push(RenderedQuote { quote, number, whole, marker });
                }
            }
        }
        rendered
    }
}

impl RenderedOverview {
    /// The citations of the quotes. Their words are known, so there is nothing to check.
    pub fn citations(&self, run: &Run, ledger: &Ledger, now: Timestamp) -> Vec<Citation> {
        let markers = parse_markers(&self.text);
        let claims = extract_claims(&cited_text(&self.text, &markers));
        let citation = |rendered: &RenderedQuote| {
            let QuotableSource { source, revision, text, marks } = rendered.quote.of.as_ref();
            let entry = ledger.get(rendered.number)?;
            let claim = claims.iter().map(|claim| claim.span).find(|span| span.overlaps(rendered.marker));
            let place = (Some(revision.id), revision.text?, revision.content);
            Some(Citation {
                id: CitationId::new(),
                message: run.message.clone(),
                conversation: run.conversation,
                run: Some(run.id),
                number: rendered.number,
                marker: rendered.marker,
                claim: claim.or(Some(rendered.whole)),
                source: Some(source.id),
                cited_id: entry.source.id.clone(),
                snapshot: snapshot_source(source, Some(revision), entry),
                quote: rendered.quote.words().map(str::to_owned),
                anchor: Some(build_anchor(text, Some(rendered.quote.span), marks, place)),
                verdict: Some(Verdict::Supported),
                score: Some(1.0),
                why: Vec::new(),
                state: CitationState::Current,
                summary: None,
                created_at: now,
            })
        };
        self.quotes.iter().filter_map(citation).collect()
    }
}

fn number_of(ledger: &Ledger, source: SourceId) -> Option<u32> {
    let id = source.to_string();
    let has = |one: &CitationSource| one.source_id.as_deref() == Some(id.as_str());
    ledger.entries().iter().find(|entry| has(&entry.source) || entry.others.iter().any(has)).map(|entry| entry.number)
}

fn source_of_quote(quote: &SourceQuote) -> CitationSource {
    let QuotableSource { source, revision, text, .. } = quote.of.as_ref();
    let words = quote.words().map_or_else(|| text.chars().take(SNIPPET).collect(), str::to_owned);
    CitationSource {
        id: source.id.to_string(),
        kind: citation_kind(source.origin),
        tool_name: TOOL.to_owned(),
        uri: source.url.clone(),
        title: Some(source.display_title().to_owned()),
        favicon: source.favicon.clone(),
        snippet: Some(words),
        mime_type: Some(revision.media_type.clone()),
        source_id: Some(source.id.to_string()),
        revision_id: Some(revision.id.to_string()),
        start_char: Some(quote.span.start),
        end_char: Some(quote.span.end),
        ..CitationSource::default()
    }
}

/// Words so that neither Markdown nor the grammar of citations reads anything into them, wherever they stand.
pub(super) fn escape_words(words: &str) -> String {
    escape_markdown(words, WordsPlace::Anywhere)
}

/// The part of a text that a span covers.
pub(super) fn part_of<'text>(index: &CharIndex<'text>, span: Span) -> &'text str {
    index.span_text(span).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are() {
        for (words, wanted) in [
            ("Plain words, really – 3.5 % of them.", "Plain words, really – 3.5 % of them."),
            ("It grew.[3] See\n [a](b).", "It grew.[3\\] See [a\\](b)."),
            ("1. First | second", "1\\. First \\| second"),
            ("- An *item*", "\\- An \\*item\\*"),
            (
                "{citation:a} <gml-inlinecitation identifier=\"a\"/>",
                "\\{citation:a} \\<gml-inlinecitation identifier=\"a\"/>",
            ),
        ] {
            assert_eq!(escape_words(words), wanted);
            assert!(parse_markers(&escape_words(words)).is_empty(), "{words}");
        }
    }
}
