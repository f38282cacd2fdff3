//! The pair of tools that chat clients with connectors expect: `search` and `fetch`.
//!
//! Their shapes are those clients', down to the names. A result without a `url` is not cited, so there always is one.

use std::collections::BTreeMap;

use ibid_domain::Span;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Mcp,
    address::{SourceAddress, app_url, passage_id},
    excerpt::{MOST, TextExcerpt},
    sources::{describe_source, is_textless},
    tool_answer::ToolAnswer,
    tool_table::ToolArguments,
};
use crate::{
    http::search::search_library,
    wire::{search::SearchBody, sources::join_names},
};

/// Context returned before and after a passage, in characters.
const AROUND: usize = 1_500;

/// Arguments of the tool `search`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ConnectorQuery {
    /// Question or words to search for.
    query: String,
}

/// Results of the tool `search`.
#[derive(Serialize, ToSchema)]
pub(super) struct ConnectorResults {
    /// Matching passages, best first.
    results: Vec<ConnectorResult>,
}

/// A passage that matches the query.
#[derive(Serialize, ToSchema)]
pub(super) struct ConnectorResult {
    /// Id to pass to `fetch`: the source's id and the character range of the passage.
    id: String,
    /// Title of the source that has the passage.
    title: String,
    /// Web address of the source, or a link that opens it in the app at the passage.
    url: String,
}

/// Runs the tool `search`: finds passages for a chat client's connector.
pub(super) async fn search(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let ConnectorQuery { query } = arguments.parse_into()?;
    let body = SearchBody { query, graph_expand: Some(false), ..SearchBody::default() };
    let found = search_library(&mcp.app, &mcp.scope, &body).await?;
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
        ConnectorResult { id, title: result.title, url: non_empty_url(result.source.url).unwrap_or(here) }
    });
    ToolAnswer::from_value(&ConnectorResults { results: results.collect() })
}

/// Arguments of the tool `fetch`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FetchQuery {
    /// Id of a result that `search` returned.
    id: String,
}

/// Text of a source or passage, as `fetch` returns it.
#[derive(Serialize, ToSchema)]
pub(super) struct FetchedText {
    /// Id that the client requested.
    id: String,
    /// Title of the source that has the text.
    title: String,
    /// Text of the passage with context, or of the whole source.
    text: String,
    /// Web address of the source, or a link that opens it in the app at the passage.
    url: String,
    /// Further facts: author, date, place, and the character range of the text.
    metadata: BTreeMap<&'static str, String>,
}

/// Gives the text behind an id.
pub(super) async fn fetch(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let FetchQuery { id } = arguments.parse_into()?;
    let named = SourceAddress::parse(&id, &mcp.public_url)?;
    let described = mcp.app.sources(&mcp.scope).get(named.source).await?;
    let source = &described.source;
    let mut metadata = BTreeMap::new();
    let mut say = |name, value: Option<String>| {
        if let Some(value) = value {
            metadata.insert(name, value);
        }
    };
    say("source_id", Some(source.id.to_string()));
    say("type", Some(source.kind.as_str().to_owned()));
    say("author", join_names(&source.reference.authors));
    say("publication_date", source.reference.publication_date.as_ref().map(ToString::to_string));
    say("site_name", source.site_name.clone());
    say("media_type", described.revision.as_ref().map(|revision| revision.media_type.clone()));
    let around = if named.span.is_some() { AROUND } else { 0 };
    let (text, here) = match TextExcerpt::read(mcp, &named, around, MOST).await {
        Ok(excerpt) => {
            let (start, end, total) = (excerpt.span.start, excerpt.span.end, excerpt.total);
            let quoted = named.span.map_or(excerpt.span, |(from, to)| Span::new(from, to.unwrap_or(total).min(total)));
            let here = excerpt.app_url(mcp, quoted);
            say("revision_id", Some(excerpt.of.revision.id.to_string()));
            say("start_char", Some(start.to_string()));
            say("end_char", Some(end.to_string()));
            say("total_chars", Some(total.to_string()));
            say("place", excerpt.format_place(quoted));
            say("quote", named.span.and_then(|_| quoted.slice_of(&excerpt.of.text).map(str::to_owned)));
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
            (format!("{}\n\n[{}]", describe_source(&described), error.to_problem().detail), here)
        }
        Err(error) => return Err(error),
    };
    say("app_url", Some(here.clone()));
    let url = non_empty_url(source.url.clone()).unwrap_or(here);
    ToolAnswer::from_value(&FetchedText { id, title: source.display_title().to_owned(), text, url, metadata })
}

/// The source's own address, if it says one.
fn non_empty_url(url: Option<String>) -> Option<String> {
    url.filter(|url| !url.trim().is_empty())
}
