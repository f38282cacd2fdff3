//! Sources as resources: listed page by page, read as text.

use ibid_domain::{Code, Cursor, Limit, Problem};
use ibid_language::one_line_at_most;
use ibid_store::SourceFilter;
use rmcp::{
    ErrorData,
    model::{
        CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
        ResourceTemplate,
    },
};

use super::{
    Mcp,
    address::{SourceAddress, resource_uri},
    excerpt::TextExcerpt,
    sources::{describe_source, is_textless},
};

/// The most characters of a text that are read at once.
const MOST: usize = 1_000_000;
/// Time that clients may cache the text of a given revision, in milliseconds; a revision never changes.
const FRESH: u64 = 86_400_000;

/// One page of the sources, newest first.
pub(super) async fn list_resources(mcp: &Mcp, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let cursor = cursor.filter(|text| !text.is_empty()).map(|text| Cursor::decode(&text)).transpose();
    let cursor = cursor.map_err(|problem| protocol_error(problem.into()))?;
    let page = mcp.app.sources(&mcp.scope).list(&SourceFilter::default(), Limit::default(), cursor.as_ref()).await;
    let page = page.map_err(protocol_error)?;
    let resources = page.items.iter().map(|described| {
        let source = &described.source;
        let filename = described.revision.as_ref().and_then(|revision| revision.filename.as_deref());
        let resource = Resource::new(resource_uri(source.id), filename.unwrap_or(source.display_title()))
            .with_title(source.display_title())
            .with_mime_type("text/plain");
        match &source.reference.summary {
            Some(summary) => resource.with_description(one_line_at_most(summary, 200)),
            None => resource,
        }
    });
    let mut result = ListResourcesResult::with_all_items(resources.collect());
    result.next_cursor = page.next.map(|cursor| cursor.encode());
    Ok(result)
}

/// Returns the URI templates of sources as resources.
pub(super) fn resource_templates() -> ListResourceTemplatesResult {
    let template = |uri: &str, name: &str, title: &str, description: &str| {
        ResourceTemplate::new(uri, name).with_title(title).with_description(description).with_mime_type("text/plain")
    };
    ListResourceTemplatesResult::with_all_items(vec![
        template("ibid://sources/{id}", "source", "Source", "The text of a source, as it stands now."),
        template(
            "ibid://sources/{id}{?revision,start_char,end_char}",
            "passage",
            "Passage of a source",
            "Some characters of the text of a source, of the version it stands at or of an earlier one. Places count \
             Unicode characters from 0, and never change for a version.",
        ),
    ])
}

/// The text behind a URI: `ibid://sources/ID`, or a link that a tool gave.
pub(super) async fn read_resource(mcp: &Mcp, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let named = SourceAddress::parse(uri, &mcp.public_url).map_err(|problem| protocol_error(problem.into()))?;
    let described = mcp.app.sources(&mcp.scope).get(named.source).await.map_err(protocol_error)?;
    let text = match TextExcerpt::read(mcp, &named, 0, MOST).await {
        Ok(excerpt) => {
            let wanted = named.span.and_then(|(_, end)| end).unwrap_or(excerpt.total);
            let next = excerpt.next().filter(|next| next.start < wanted);
            let mut text = excerpt.words;
            if let Some(next) = next {
                let next = format!("{}?start_char={}", resource_uri(named.source), next.start);
                text.push_str(&format!("\n\n[Read {next} for what follows.]"));
            }
            text
        }
        // A source without text is still a source; what is known of it is what there is to read.
        Err(error) if error.is_problem() && is_textless(&described) => {
            format!("{}\n\n[{}]", describe_source(&described), error.to_problem().detail)
        }
        Err(error) => return Err(protocol_error(error)),
    };
    let fresh = if named.revision.is_some() { FRESH } else { 0 };
    let result = ReadResourceResult::new(vec![ResourceContents::text(text, uri)]);
    Ok(result.with_ttl_ms(fresh).with_cache_scope(CacheScope::Private))
}

/// Reading a resource has no answer that says what went wrong, so this is an error of the protocol.
fn protocol_error(error: ibid_app::Error) -> ErrorData {
    if !error.is_problem() {
        tracing::error!(%error, "a resource could not be read");
    }
    let Problem { code, detail, .. } = error.to_problem();
    let data = serde_json::json!({ "code": code.as_str() });
    match code {
        Code::SourceNotFound | Code::RevisionNotFound => ErrorData::resource_not_found(detail, Some(data)),
        code if code.status() < 500 => ErrorData::invalid_params(detail, Some(data)),
        _ => ErrorData::internal_error(detail, Some(data)),
    }
}
