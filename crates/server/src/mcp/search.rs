//! The tools that search: `hybrid_search`, `search_knowledge_base`, `query_sources_rag`.

use ibid_language::one_line_at_most;
use rmcp::model::Resource;
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{Mcp, address::passage_id, excerpt::place_label, tool_answer::ToolAnswer, tool_table::ToolArguments};
use crate::{
    http::search::{answer_sources, search_library},
    wire::{
        search::{SearchAnswer, SearchBody},
        source_search::{SourceSearchAnswer, SourceSearchBody},
    },
};

/// The longest passage in the text of an answer where there is no quote, in characters.
const SHOWN: usize = 600;
/// The longest description of a link, in characters.
const LINKED: usize = 200;

/// Runs the tool `hybrid_search`: finds passages by words and meaning.
pub(super) async fn hybrid_search(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let body: SearchBody = arguments.parse_into()?;
    let mut found = search_library(&mcp.app, &mcp.scope, &body).await?;
    // Whoever calls a tool has no address that these could be relative to.
    for evidence in found.primary_results.iter_mut().flat_map(|result| &mut result.evidence) {
        evidence.url.insert_str(0, &mcp.public_url);
    }
    found.related_context.iter_mut().flatten().for_each(|one| one.make_absolute(&mcp.public_url));
    let links = found.primary_results.iter().filter_map(|result| {
        let evidence = result.evidence.first()?;
        Some(result_link(&evidence.url, &result.title, &evidence.quote))
    });
    let links: Vec<_> = links.collect();
    Ok(ToolAnswer::new(&found, passages_as_text(&body.query, &found))?.with_links(links))
}

/// Finds sources with excerpts.
pub(super) async fn knowledge_base(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let body: SourceSearchBody = arguments.parse_into()?;
    search_sources(mcp, &body, None).await
}

/// A search in the sources of one document.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DocumentSourcesQuery {
    /// The document whose sources are searched.
    document_id: Uuid,
    /// Question or words to search for.
    query: String,
    /// At most so many sources, 1 to 50. By default 5.
    top_k: Option<i64>,
    /// Excerpts less alike to the query than this, from -1 to 1, are left out. By default 0.5.
    threshold: Option<f32>,
}

/// Finds excerpts in the sources of one document.
pub(super) async fn query_document_sources(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let DocumentSourcesQuery { document_id, query, top_k, threshold } = arguments.parse_into()?;
    let body = SourceSearchBody { query, top_k, threshold, ..SourceSearchBody::default() };
    search_sources(mcp, &body, Some(document_id)).await
}

async fn search_sources(mcp: &Mcp, body: &SourceSearchBody, document: Option<Uuid>) -> ibid_app::Result<ToolAnswer> {
    let mut found = answer_sources(&mcp.app, &mcp.scope, body, document).await?;
    for excerpt in found.sources.iter_mut().flat_map(|source| &mut source.excerpts) {
        excerpt.url.insert_str(0, &mcp.public_url);
    }
    let links = found.sources.iter().filter_map(|source| {
        let excerpt = source.excerpts.first()?;
        Some(result_link(&excerpt.url, &source.title, &excerpt.content))
    });
    let links: Vec<_> = links.collect();
    Ok(ToolAnswer::new(&found, sources_as_text(&found))?.with_links(links))
}

fn result_link(url: &str, title: &str, quote: &str) -> Resource {
    Resource::new(url, title).with_title(title).with_description(one_line_at_most(quote, LINKED))
}

fn passages_as_text(query: &str, found: &SearchAnswer) -> String {
    let notes = &found.search_metadata.notes;
    let results = &found.primary_results;
    let mut text = match results.len() {
        0 => no_results_text(query, found.search_metadata.total_chunks_searched),
        1 => "1 result.".to_owned(),
        many => format!("{many} results, best first."),
    };
    for (number, result) in results.iter().enumerate() {
        let evidence = result.evidence.first();
        let source = &result.source;
        let about = [source.author.as_deref(), source.publication_date.as_deref(), source.site_name.as_deref()];
        let about: Vec<_> = about.into_iter().flatten().collect();
        text.push_str(&format!("\n\n[{}] {}", number + 1, result.title));
        if !about.is_empty() {
            text.push_str(&format!(" ({})", about.join(", ")));
        }
        if let Some(place) = evidence.and_then(|one| place_label(one.page, one.section.as_deref())) {
            text.push_str(&format!("\n{place}"));
        }
        match evidence {
            Some(one) => {
                let id = passage_id(result.source_id, ibid_domain::Span::new(one.start_char, one.end_char));
                text.push_str(&format!("\n“{}”\n{}\nid: {id}", one.quote.trim(), one.url));
            }
            None => text.push_str(&format!("\n{}\nid: {}", one_line_at_most(&result.content, SHOWN), result.source_id)),
        }
        if let Some(url) = &source.url {
            text.push_str(&format!("\noriginal: {url}"));
        }
    }
    for (number, related) in found.related_context.iter().flatten().enumerate() {
        let head = if number == 0 { "\n\nConnected with the best of them:" } else { "" };
        text.push_str(&format!("{head}\n\n- {}", related.as_text()));
    }
    for note in notes {
        text.push_str(&format!("\n\nNote: {note}"));
    }
    text
}

fn sources_as_text(found: &SourceSearchAnswer) -> String {
    let about = &found.search_metadata;
    let mut text = match found.sources.len() {
        0 => found.message.clone().unwrap_or_else(|| no_results_text(&about.query, about.total_chunks_searched)),
        1 => "1 source.".to_owned(),
        many => format!("{many} sources, best first."),
    };
    for (number, source) in found.sources.iter().enumerate() {
        text.push_str(&format!("\n\n[{}] {}", number + 1, source.title));
        if let Some(url) = &source.url {
            text.push_str(&format!("\noriginal: {url}"));
        }
        text.push_str(&format!("\nid: {}", source.source_id));
        for excerpt in &source.excerpts {
            let place = place_label(excerpt.page, None).map(|place| format!("{place}: ")).unwrap_or_default();
            text.push_str(&format!("\n- {place}“{}”\n  {}", excerpt.content.trim(), excerpt.url));
        }
    }
    text
}

/// Returns advice for a model when a search has no results.
fn no_results_text(query: &str, searched: u64) -> String {
    let query = one_line_at_most(query, 80);
    if searched == 0 {
        return format!(
            "Nothing was found for “{query}”: there was no passage to search. Leave filters out, bring sources with \
             add_source, or, if some were just brought, try again in a few seconds."
        );
    }
    format!("Nothing was found for “{query}” in {searched} passages. Try other or fewer words, or fewer filters.")
}
