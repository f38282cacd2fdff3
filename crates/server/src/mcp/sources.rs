//! The tools about single sources: `add_source`, `get_source`.

use ibid_app::Described;
use ibid_domain::{MarkKind, SourceStatus};
use rmcp::model::Resource;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Mcp,
    address::{Named, app_url},
    answer::Answer,
    excerpt::{Excerpt, MOST},
    table::Arguments,
};
use crate::http::sources::{
    body,
    wire::{Mark, Source, Text, line},
};

/// How many characters of a text are given if nothing is said.
const STANDARD: usize = 20_000;

/// A source that was brought.
#[derive(Serialize, ToSchema)]
pub(super) struct AddedSource {
    /// Whether it is new; if not, it was here already and is given as it is.
    added: bool,
    /// The source. It can be searched when its status is indexed or ready.
    source: Source,
}

/// Brings a source.
pub(super) async fn add(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let draft = body::draft(&arguments.body())?;
    let (described, added) = mcp.app.create_source(&mcp.scope, draft).await?;
    let id = described.source.id;
    let mut text = match added {
        true => format!("Added: {}", described.source.title()),
        false => format!("It was here already: {}", described.source.title()),
    };
    text.push_str(&format!("\nid: {id}\nstatus: {}", described.source.status.as_str()));
    if described.source.status == SourceStatus::Pending {
        text.push_str(
            "\nIts content is being taken in; it can be searched in a few seconds. get_source tells how far it is.",
        );
    }
    let link = link(mcp, &described);
    Ok(Answer::new(&AddedSource { added, source: described.into() }, text)?.links([link]))
}

/// Which source to read, and how much of it.
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
    /// What is known of it.
    source: Source,
    /// Some of its text, with the pages, sections and other parts it lies in; null where it has none.
    #[schema(required)]
    text: Option<Text>,
    /// Why there is no text, or how to read on.
    #[schema(required)]
    note: Option<String>,
}

/// Reads a source.
pub(super) async fn get(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let query: SourceQuery = arguments.read()?;
    let mut named = Named::parse(&query.id, &mcp.public_url)?;
    if query.start_char.is_some() || query.end_char.is_some() {
        named.span = Some((query.start_char.unwrap_or(0), query.end_char));
    }
    let asked = named.span.is_some_and(|(_, end)| end.is_some());
    let described = mcp.app.source(&mcp.scope, named.source).await?;
    let (excerpt, note) = match Excerpt::read(mcp, &named, 0, if asked { MOST } else { STANDARD }).await {
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
        Err(error) if error.is_problem() && is_textless(&described) => (None, Some(error.problem().detail)),
        Err(error) => return Err(error),
    };
    let mut text = about(&described);
    if let Some(excerpt) = &excerpt {
        text.push_str("\n\n");
        text.push_str(&excerpt.words);
    }
    if let Some(note) = &note {
        text.push_str(&format!("\n\n[{note}]"));
    }
    let link = link(mcp, &described);
    let read = ReadSource { source: described.into(), text: excerpt.map(part), note };
    Ok(Answer::new(&read, text)?.links([link]))
}

/// Whether a source has no text in the version it stands at.
pub(super) fn is_textless(described: &Described) -> bool {
    described.revision.as_ref().is_none_or(|revision| revision.text.is_none())
}

/// What is known of a source, line by line.
pub(super) fn about(described: &Described) -> String {
    let (source, reference) = (&described.source, &described.source.reference);
    let pages = described.revision.as_ref().and_then(|revision| revision.page_count);
    let lines = [
        ("by", line(&reference.authors)),
        ("date", reference.publication_date.as_ref().map(ToString::to_string)),
        ("in", reference.container.clone().or_else(|| source.site_name.clone())),
        ("url", source.url.clone()),
        ("pages", pages.map(|pages| pages.to_string())),
        ("id", Some(source.id.to_string())),
        ("type", Some(source.kind.as_str().to_owned())),
        ("status", Some(source.status.as_str().to_owned())),
    ];
    let lines = lines.into_iter().filter_map(|(name, value)| Some(format!("\n{name}: {}", value?)));
    std::iter::once(source.title().to_owned()).chain(lines).collect()
}

fn part(excerpt: Excerpt) -> Text {
    let Excerpt { of, span, total, words } = excerpt;
    // Rows of cells are left out: a table has more of them than words.
    let marks = of.marks.into_iter().filter(|mark| mark.span.meets(span) && mark.kind != MarkKind::Cells);
    Text {
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
fn link(mcp: &Mcp, described: &Described) -> Resource {
    let source = &described.source;
    let url = app_url(&mcp.public_url, source.id, None, None);
    let link = Resource::new(url, source.title()).with_title(source.title());
    match &source.reference.summary {
        Some(summary) => link.with_description(ibid_domain::text::line(summary, 200)),
        None => link,
    }
}
