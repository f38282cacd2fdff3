//! The pair of tools that chat clients with connectors expect: `search` and `fetch`.
//!
//! Their shapes are those clients', down to the names. A result without a `url` is not cited, so there always is one.

use std::collections::BTreeMap;

use ibid_domain::Span;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Mcp,
    address::{Named, app_url, passage_id},
    answer::Answer,
    excerpt::{Excerpt, MOST},
    sources::{about, is_textless},
    table::Arguments,
};
use crate::http::{
    search::{answer, wire::SearchBody},
    sources::wire::line,
};

/// How much is given before and after a passage, in characters.
const AROUND: usize = 1_500;

/// What to search for.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchQuery {
    /// Words or a question.
    query: String,
}

/// What was found.
#[derive(Serialize, ToSchema)]
pub(super) struct SearchResults {
    /// The passages, best first.
    results: Vec<SearchResult>,
}

/// A passage that was found.
#[derive(Serialize, ToSchema)]
pub(super) struct SearchResult {
    /// What fetch takes: the source's id, and which characters of its text.
    id: String,
    /// What the source is called.
    title: String,
    /// Where the source stands, or the address that opens it at the passage.
    url: String,
}

/// Finds passages.
pub(super) async fn search(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let SearchQuery { query } = arguments.read()?;
    let body = SearchBody { query, graph_expand: Some(false), ..SearchBody::default() };
    let found = answer(&mcp.app, &mcp.scope, &body).await?;
    let results = found.primary_results.into_iter().map(|result| {
        let evidence = result.evidence.first();
        let here = match evidence {
            Some(one) => format!("{}{}", mcp.public_url, one.url),
            None => app_url(&mcp.public_url, result.source_id, None, None),
        };
        let id = match evidence {
            Some(one) => passage_id(result.source_id, Span::new(one.start_char, one.end_char)),
            None => result.source_id.to_string(),
        };
        SearchResult { id, title: result.title, url: stated(result.source.url).unwrap_or(here) }
    });
    Answer::json(&SearchResults { results: results.collect() })
}

/// What to fetch.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FetchQuery {
    /// An id that search gave.
    id: String,
}

/// The text behind an id.
#[derive(Serialize, ToSchema)]
pub(super) struct Fetched {
    /// The id that was asked for.
    id: String,
    /// What the source is called.
    title: String,
    /// The text.
    text: String,
    /// Where the source stands, or the address that opens it at the passage.
    url: String,
    /// What else is known: author, date, place, and which characters of the whole these are.
    metadata: BTreeMap<&'static str, String>,
}

/// Gives the text behind an id.
pub(super) async fn fetch(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let FetchQuery { id } = arguments.read()?;
    let named = Named::parse(&id, &mcp.public_url)?;
    let described = mcp.app.source(&mcp.scope, named.source).await?;
    let source = &described.source;
    let mut metadata = BTreeMap::new();
    let mut say = |name, value: Option<String>| {
        if let Some(value) = value {
            metadata.insert(name, value);
        }
    };
    say("source_id", Some(source.id.to_string()));
    say("type", Some(source.kind.as_str().to_owned()));
    say("author", line(&source.reference.authors));
    say("publication_date", source.reference.publication_date.as_ref().map(ToString::to_string));
    say("site_name", source.site_name.clone());
    say("media_type", described.revision.as_ref().map(|revision| revision.media_type.clone()));
    let around = if named.span.is_some() { AROUND } else { 0 };
    let (text, here) = match Excerpt::read(mcp, &named, around, MOST).await {
        Ok(excerpt) => {
            let (start, end, total) = (excerpt.span.start, excerpt.span.end, excerpt.total);
            let quoted = named.span.map_or(excerpt.span, |(from, to)| Span::new(from, to.unwrap_or(total).min(total)));
            let here = excerpt.app_url(mcp, quoted);
            say("revision_id", Some(excerpt.of.revision.id.to_string()));
            say("start_char", Some(start.to_string()));
            say("end_char", Some(end.to_string()));
            say("total_chars", Some(total.to_string()));
            say("place", excerpt.place(quoted));
            say("quote", named.span.and_then(|_| quoted.of(&excerpt.of.text).map(str::to_owned)));
            let next = excerpt.next();
            let mut text = excerpt.words;
            if let Some(next) = next {
                let next = passage_id(source.id, next);
                say("next_id", Some(next.clone()));
                // Many clients show a model nothing but the text.
                text.push_str(&format!("\n\n[Characters {start} to {end} of {total}. Fetch {next} to read on.]"));
            }
            (text, here)
        }
        Err(error) if error.is_problem() && is_textless(&described) => {
            let here = app_url(&mcp.public_url, source.id, None, None);
            (format!("{}\n\n[{}]", about(&described), error.problem().detail), here)
        }
        Err(error) => return Err(error),
    };
    say("app_url", Some(here.clone()));
    let url = stated(source.url.clone()).unwrap_or(here);
    Answer::json(&Fetched { id, title: source.title().to_owned(), text, url, metadata })
}

/// The source's own address, if it says one.
fn stated(url: Option<String>) -> Option<String> {
    url.filter(|url| !url.trim().is_empty())
}
