//! The tools about single sources: `add_source`, `get_source`.

use ibid_app::SourceWithRevision;
use ibid_domain::{MarkKind, SourceStatus};
use rmcp::model::Resource;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Mcp,
    address::{SourceAddress, app_url},
    excerpt::{MOST, TextExcerpt},
    tool_answer::ToolAnswer,
    tool_table::ToolArguments,
};
use crate::wire::{
    source_body,
    sources::{Mark, Source, SourceText, join_names},
};

/// Default number of characters of a text that are returned.
const STANDARD: usize = 20_000;

/// Result of the tool `add_source`.
#[derive(Serialize, ToSchema)]
pub(super) struct AddedSource {
    /// True if the source is new; false if it was in the library already and is returned unchanged.
    added: bool,
    /// The source. It can be searched when its status is indexed or ready.
    source: Source,
}

/// Runs the tool `add_source`: adds a source to the library.
pub(super) async fn add_source(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let draft = source_body::parse_draft(&arguments.into_body())?;
    let (described, added) = mcp.app.sources(&mcp.scope).create(draft).await?;
    let id = described.source.id;
    let mut text = match added {
        true => format!("Added: {}", described.source.display_title()),
        false => format!("It was here already: {}", described.source.display_title()),
    };
    text.push_str(&format!("\nid: {id}\nstatus: {}", described.source.status.as_str()));
    if described.source.status == SourceStatus::Pending {
        text.push_str(
            "\nIts content is being taken in; it can be searched in a few seconds. get_source tells how far it is.",
        );
    }
    let link = source_link(mcp, &described);
    Ok(ToolAnswer::new(&AddedSource { added, source: described.into() }, text)?.with_links([link]))
}

/// Arguments of the tool `get_source`: the source, and the part of its text.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceQuery {
    /// The source's id, or that of a passage (id#start-end) or a link, as a search gave them.
    id: String,
    /// The first character of the text to give, from 0.
    start_char: Option<usize>,
    /// One past the last character to give, at most 50,000 later.
    end_char: Option<usize>,
}

/// A source with some of its text.
#[derive(Serialize, ToSchema)]
pub(super) struct ReadSource {
    /// Details of the source, without its text.
    source: Source,
    /// Some of its text, with the pages, sections and other parts it lies in; null where it has none.
    #[schema(required)]
    text: Option<SourceText>,
    /// Why there is no text, or how to read on.
    #[schema(required)]
    note: Option<String>,
}

/// Runs the tool `get_source`: returns a source and its text.
pub(super) async fn get(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let query: SourceQuery = arguments.parse_into()?;
    let mut named = SourceAddress::parse(&query.id, &mcp.public_url)?;
    if query.start_char.is_some() || query.end_char.is_some() {
        named.span = Some((query.start_char.unwrap_or(0), query.end_char));
    }
    let asked = named.span.is_some_and(|(_, end)| end.is_some());
    let described = mcp.app.sources(&mcp.scope).get(named.source).await?;
    let (excerpt, note) = match TextExcerpt::read(mcp, &named, 0, if asked { MOST } else { STANDARD }).await {
        Ok(excerpt) => {
            let note = excerpt.next().map(|next| {
                let (start, end, total) = (excerpt.span.start, excerpt.span.end, excerpt.total);
                format!(
                    "Characters {start} to {end} of {total}. Call get_source with start_char {} to read on.",
                    next.start
                )
            });
            (Some(excerpt), note)
        }
        // It is known and has no text, which is no error: it may be a picture, a reference, or not yet read.
        Err(error) if error.is_problem() && is_textless(&described) => (None, Some(error.to_problem().detail)),
        Err(error) => return Err(error),
    };
    let mut text = describe_source(&described);
    if let Some(excerpt) = &excerpt {
        text.push_str("\n\n");
        text.push_str(&excerpt.words);
    }
    if let Some(note) = &note {
        text.push_str(&format!("\n\n[{note}]"));
    }
    let link = source_link(mcp, &described);
    let read = ReadSource { source: described.into(), text: excerpt.map(excerpt_text), note };
    Ok(ToolAnswer::new(&read, text)?.with_links([link]))
}

/// Returns true if the current revision of a source has no text.
pub(super) fn is_textless(described: &SourceWithRevision) -> bool {
    described.revision.as_ref().is_none_or(|revision| revision.text.is_none())
}

/// Formats the details of a source as lines of text.
pub(super) fn describe_source(described: &SourceWithRevision) -> String {
    let (source, reference) = (&described.source, &described.source.reference);
    let pages = described.revision.as_ref().and_then(|revision| revision.page_count);
    let lines = [
        ("by", join_names(&reference.authors)),
        ("date", reference.publication_date.as_ref().map(ToString::to_string)),
        ("in", reference.container.clone().or_else(|| source.site_name.clone())),
        ("url", source.url.clone()),
        ("pages", pages.map(|pages| pages.to_string())),
        ("id", Some(source.id.to_string())),
        ("type", Some(source.kind.as_str().to_owned())),
        ("status", Some(source.status.as_str().to_owned())),
    ];
    let lines = lines.into_iter().filter_map(|(name, value)| Some(format!("\n{name}: {}", value?)));
    std::iter::once(source.display_title().to_owned()).chain(lines).collect()
}

fn excerpt_text(excerpt: TextExcerpt) -> SourceText {
    let TextExcerpt { of, span, total, words } = excerpt;
    // Rows of cells are left out: a table has more of them than words.
    let marks = of.marks.into_iter().filter(|mark| mark.span.overlaps(span) && mark.kind != MarkKind::Cells);
    SourceText {
        source_id: of.revision.source.uuid(),
        revision_id: of.revision.id.uuid(),
        text_sha256: of.revision.text,
        start_char: span.start,
        end_char: span.end,
        total_chars: total,
        text: words,
        marks: marks.map(Mark::from).collect(),
    }
}

/// The link that opens a source in the app.
fn source_link(mcp: &Mcp, described: &SourceWithRevision) -> Resource {
    let source = &described.source;
    let url = app_url(&mcp.public_url, source.id, None, None);
    let link = Resource::new(url, source.display_title()).with_title(source.display_title());
    match &source.reference.summary {
        Some(summary) => link.with_description(ibid_language::one_line_at_most(summary, 200)),
        None => link,
    }
}
