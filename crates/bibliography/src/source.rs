//! Sources of a library as items of CSL-JSON.

use ibid_domain::{Name, PartialDate, Reference, Source, SourceType};
use serde_json::{Map, Value, json};

/// Text to use for a missing title, author or date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceholderMode {
    /// `Untitled`, `Unknown Author`, `n.d.`
    Placeholders,
    /// Nothing: the style has rules of its own.
    Style,
}

/// A source as an item: its reference, with its address, its site and when it was read.
pub fn csl_of_source(source: &Source, missing: PlaceholderMode) -> Value {
    let id = source.id.to_string();
    let url = source.url.as_deref().or(source.canonical_url.as_deref());
    let accessed = source.accessed_at.to_string().parse().ok();
    let mut item = reference_fields(&id, &source.reference, source.kind, url, accessed, source.site_name.as_deref());
    fill_placeholders(&mut item, missing);
    Value::Object(item)
}

/// A reference as an item, with an id, an address and the day it was read on.
pub fn csl_of_reference(
    id: &str,
    reference: &Reference,
    kind: SourceType,
    url: Option<&str>,
    accessed: Option<PartialDate>,
    missing: PlaceholderMode,
) -> Value {
    let mut item = reference_fields(id, reference, kind, url, accessed, None);
    fill_placeholders(&mut item, missing);
    Value::Object(item)
}

fn reference_fields(
    id: &str,
    reference: &Reference,
    kind: SourceType,
    url: Option<&str>,
    accessed: Option<PartialDate>,
    site: Option<&str>,
) -> Map<String, Value> {
    let mut item = Map::new();
    item.insert("id".to_owned(), json!(id));
    let genre = reference.genre.as_deref().map_or_else(|| default_item_type(kind, url.is_some()), str::to_owned);
    item.insert("type".to_owned(), json!(genre));
    let mut put = |name: &str, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
            item.insert(name.to_owned(), json!(value));
        }
    };
    let of = reference;
    let is_page = matches!(genre.as_str(), "webpage" | "post" | "post-weblog");
    put("title", of.title.as_deref());
    put("container-title", of.container.as_deref().or(site.filter(|_| is_page)));
    put("publisher", of.publisher.as_deref());
    put("publisher-place", of.publisher_place.as_deref());
    put("volume", of.volume.as_deref());
    put("issue", of.issue.as_deref());
    put("page", of.pages.as_deref());
    put("edition", of.edition.as_deref());
    put("DOI", of.doi.as_deref());
    put("ISBN", of.isbn.as_deref());
    put("ISSN", of.issn.as_deref());
    put("language", of.language.as_deref());
    put("abstract", of.summary.as_deref());
    put("note", of.note.as_deref());
    put("URL", url.filter(|url| url.starts_with("https://") || url.starts_with("http://")));
    for (name, people) in [("author", &of.authors), ("editor", &of.editors)] {
        if !people.is_empty() {
            item.insert(name.to_owned(), people.iter().map(name_value).collect());
        }
    }
    if let Some(date) = of.publication_date {
        item.insert("issued".to_owned(), date_parts(date));
    }
    if let Some(date) = accessed.filter(|_| url.is_some()) {
        item.insert("accessed".to_owned(), date_parts(date));
    }
    item
}

/// The type of an item where the reference says none.
fn default_item_type(kind: SourceType, has_address: bool) -> String {
    match kind {
        SourceType::WebPage | SourceType::Website => "webpage",
        SourceType::GeneratedReport => "report",
        SourceType::GeneratedPresentation => "speech",
        SourceType::ExternalApiData | SourceType::ExtractedEntity => "dataset",
        SourceType::UserQueryPart => "personal_communication",
        _ if has_address => "webpage",
        _ => "document",
    }
    .to_owned()
}

fn name_value(name: &Name) -> Value {
    match name {
        Name::Whole(name) => json!({ "literal": name }),
        Name::Parts { family, given: None } => json!({ "family": family }),
        Name::Parts { family, given: Some(given) } => json!({ "family": family, "given": given }),
    }
}

fn date_parts(date: PartialDate) -> Value {
    let mut parts = vec![json!(date.year())];
    if let Some(month) = date.month() {
        parts.push(json!(month));
        parts.extend(date.day().map(|day| json!(day)));
    }
    json!({ "date-parts": [parts] })
}

/// Puts placeholders into an item for what is not known, if that is asked for.
pub fn fill_placeholders(item: &mut Map<String, Value>, missing: PlaceholderMode) {
    if missing == PlaceholderMode::Style {
        return;
    }
    let mut put = |name: &str, value: Value| {
        item.entry(name.to_owned()).or_insert(value);
    };
    put("title", json!("Untitled"));
    put("author", json!([{ "literal": "Unknown Author" }]));
    put("issued", json!({ "literal": "n.d." }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_becomes_an_item() {
        let reference = Reference {
            authors: vec![
                Name::Parts { family: "Curie".to_owned(), given: Some("Marie".to_owned()) },
                Name::Whole("WHO".to_owned()),
            ],
            publication_date: "2024-05".parse().ok(),
            title: Some("Rays".to_owned()),
            ..Reference::default()
        };
        let url = Some("https://example.org/");
        let item = csl_of_reference(
            "a",
            &reference,
            SourceType::WebPage,
            url,
            "2024-06-01".parse().ok(),
            PlaceholderMode::Style,
        );
        let right = json!({"id": "a", "type": "webpage", "title": "Rays", "URL": "https://example.org/",
            "author": [{"family": "Curie", "given": "Marie"}, {"literal": "WHO"}],
            "issued": {"date-parts": [[2024, 5]]}, "accessed": {"date-parts": [[2024, 6, 1]]}});
        assert_eq!(item, right);
    }

    #[test]
    fn what_is_missing_is_said_if_that_is_asked_for() {
        let nothing = Reference::default();
        let of = |missing| csl_of_reference("a", &nothing, SourceType::KnowledgeBase, None, None, missing);
        assert_eq!(of(PlaceholderMode::Style), json!({"id": "a", "type": "document"}));
        let item = of(PlaceholderMode::Placeholders);
        let formatter = crate::Formatter::new(crate::CslStyle::bundled("apa").unwrap(), None);
        let made = formatter.format(&[item], crate::CitationForm::Bibliography, crate::OutputFormat::Text).unwrap();
        assert_eq!(made[0].text, "Unknown Author. (n.d.). Untitled.");
        // An address that could do harm is none.
        let item =
            csl_of_reference("a", &nothing, SourceType::WebPage, Some("javascript:x"), None, PlaceholderMode::Style);
        assert!(item.get("URL").is_none());
    }
}
