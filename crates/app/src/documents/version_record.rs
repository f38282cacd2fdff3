//! What a version says of itself, apart from its text: `document.json`.

use ibid_domain::{DocumentCitation, DocumentCitationSnapshot, DocumentSettings, Problem, SourceId};
use ibid_store::NewDocumentCitation;
use serde::{Deserialize, Serialize};

/// The content of `document.json`: settings and citations of one version.
#[derive(Serialize, Deserialize)]
pub(super) struct VersionRecord {
    title: String,
    format: String,
    style: String,
    locale: String,
    template: String,
    cite_as: String,
    missing: String,
    authors: Vec<String>,
    date: Option<String>,
    pub(super) citations: Vec<VersionCitation>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct VersionCitation {
    pub(super) citation_number: u32,
    source_id: Option<SourceId>,
    position: usize,
    was_marked: bool,
    locator: Option<String>,
    prefix: Option<String>,
    suffix: Option<String>,
    quote: Option<String>,
    title: String,
    source_type: String,
    url: Option<String>,
    item: serde_json::Value,
}

impl VersionRecord {
    pub(super) fn new(settings: &DocumentSettings, citations: &[DocumentCitation]) -> Self {
        let citation = |one: &DocumentCitation| VersionCitation {
            citation_number: one.number,
            source_id: one.source,
            position: one.position,
            was_marked: one.was_marked,
            locator: one.locator.clone(),
            prefix: one.prefix.clone(),
            suffix: one.suffix.clone(),
            quote: one.quote.clone(),
            title: one.snapshot.title.clone(),
            source_type: one.snapshot.kind.as_str().to_owned(),
            url: one.snapshot.url.clone(),
            item: one.snapshot.item.clone(),
        };
        Self {
            title: settings.title.clone(),
            format: settings.format.as_str().to_owned(),
            style: settings.style.clone(),
            locale: settings.locale.clone(),
            template: settings.template.as_str().to_owned(),
            cite_as: settings.cite_as.as_str().to_owned(),
            missing: settings.missing.as_str().to_owned(),
            authors: settings.authors.clone(),
            date: settings.date.clone(),
            citations: citations.iter().map(citation).collect(),
        }
    }

    pub(super) fn parse_settings(&self) -> Result<DocumentSettings, Problem> {
        Ok(DocumentSettings {
            title: self.title.clone(),
            format: self.format.parse()?,
            style: self.style.clone(),
            locale: self.locale.clone(),
            template: self.template.parse()?,
            cite_as: self.cite_as.parse()?,
            missing: self.missing.parse()?,
            authors: self.authors.clone(),
            date: self.date.clone(),
        })
    }
}

impl VersionCitation {
    pub(super) fn as_new(&self) -> Result<NewDocumentCitation, Problem> {
        Ok(NewDocumentCitation {
            number: self.citation_number,
            source: self.source_id,
            position: self.position,
            is_marked: false,
            was_marked: self.was_marked,
            locator: self.locator.clone(),
            prefix: self.prefix.clone(),
            suffix: self.suffix.clone(),
            quote: self.quote.clone(),
            snapshot: DocumentCitationSnapshot {
                title: self.title.clone(),
                kind: self.source_type.parse()?,
                url: self.url.clone(),
                item: self.item.clone(),
            },
        })
    }
}
