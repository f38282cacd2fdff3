//! A page of the web: its content, and what it tells about itself.

use ibid_domain::{Mark, Name, PartialDate, Reference};
use url::Url;

use super::{
    boilerplate::BoilerplateNodes,
    byline, content,
    date_parsing::DateOrder,
    decode::decode_html,
    head::PageHead,
    heading, published_date,
    published_date::DateRules,
    site,
    tree::{HtmlTree, NodeId, ROOT},
    visible_text,
};
use crate::{ExtractedFile, ExtractionError, ExtractionInput, ExtractionLimits, TextBuilder, WebPageMetadata};

/// Page to extract, with the day it is read on.
#[derive(Clone, Copy, Debug)]
struct HtmlPage<'a> {
    /// Its bytes, and where they came from.
    input: ExtractionInput<'a>,
    /// The day it is read on, where it is known: nothing has appeared later.
    today: Option<PartialDate>,
}

/// Extracts the main content and metadata of a web page.
pub fn read_page(input: &ExtractionInput<'_>, limits: &ExtractionLimits) -> Result<ExtractedFile, ExtractionError> {
    HtmlPage { input: *input, today: input.today }.extract_content(limits)
}

impl HtmlPage<'_> {
    /// The content of the page and what it tells about itself.
    fn extract_content(&self, limits: &ExtractionLimits) -> Result<ExtractedFile, ExtractionError> {
        if self.input.bytes.is_empty() {
            return Err(ExtractionError::Empty);
        }
        let html = decode_html(self.input.bytes, self.input.media_type);
        let mut tree = HtmlTree::parse(&html, limits.depth);
        let url = self.input.url.and_then(|url| Url::parse(url).ok());
        let head = PageHead::from_tree(&tree);
        let (reference, web) = self.read_metadata(&tree, &head, url.as_ref());
        let bodies: Vec<NodeId> = head.elements_with_property("articlebody").collect();
        let stated = head.works.into_iter().find_map(|work| work.body);
        let (text, marks) = write_content(&mut tree, &bodies, stated, reference.title.as_deref(), limits)?;
        if text.is_empty() && reference.title.is_none() {
            return Err(ExtractionError::NoText);
        }
        Ok(ExtractedFile { media_type: "text/html".to_owned(), text, marks, reference, web, dimensions: None })
    }

    fn read_metadata(&self, tree: &HtmlTree, head: &PageHead<'_>, url: Option<&Url>) -> (Reference, WebPageMetadata) {
        let language = head.language(tree);
        let mut names = site::site_names(head, url);
        names.extend(heading::site_names(tree));
        let base = site::base_url(head, url);
        let calendar = DateRules { order: date_order(language.as_deref(), url), today: self.today };
        let web = WebPageMetadata {
            site_name: site::display_name(head, &names),
            favicon: site::icon_url(head, base.as_ref()),
            canonical_url: site::canonical_url(head, base.as_ref(), url),
        };
        let text = |names: &[&str]| head.first_meta(names).map(|text| text.into_owned());
        let title = heading::find_title(tree, head, &names);
        let beside = BoilerplateNodes::from_tree(tree);
        let reference = Reference {
            authors: byline::find_authors(tree, head, title.as_deref(), &names, &beside)
                .into_iter()
                .map(Name::Whole)
                .collect(),
            publication_date: published_date::find_published_date(
                tree,
                head,
                title.as_deref(),
                url,
                &calendar,
                &beside,
            ),
            title,
            language,
            summary: text(&SUMMARY)
                .or_else(|| head.works.iter().filter(|work| work.rank >= 3).find_map(|work| work.summary.clone()))
                .filter(|text| !text.is_empty()),
            container: text(&["citation_journal_title", "citation_conference_title", "prism.publicationname"]),
            publisher: text(&["citation_publisher", "dc.publisher"]),
            volume: text(&["citation_volume", "prism.volume"]),
            issue: text(&["citation_issue", "prism.number"]),
            issn: text(&["citation_issn", "prism.issn"]),
            isbn: text(&["citation_isbn"]),
            doi: head.meta_contents(&DOI).find_map(|said| parse_doi(&said)),
            pages: match (
                text(&["citation_firstpage", "prism.startingpage"]),
                text(&["citation_lastpage", "prism.endingpage"]),
            ) {
                (Some(first), Some(last)) if first != last => Some(format!("{first}-{last}")),
                (first, _) => first,
            },
            ..Reference::default()
        };
        (reference, web)
    }
}

const SUMMARY: [&str; 6] =
    ["description", "og:description", "twitter:description", "dc.description", "dcterms.abstract", "citation_abstract"];

const DOI: [&str; 6] =
    ["citation_doi", "prism.doi", "dc.identifier", "dc.identifier.doi", "bepress_citation_doi", "doi"];

/// The content as it stands on the page, or as JSON-LD has it if that is far more.
fn write_content(
    tree: &mut HtmlTree,
    bodies: &[NodeId],
    stated: Option<String>,
    title: Option<&str>,
    limits: &ExtractionLimits,
) -> Result<(String, Vec<Mark>), ExtractionError> {
    let mut text = TextBuilder::new(limits);
    let tops = content::choose_content(tree, bodies, title);
    for &top in &tops {
        visible_text::write_subtree(tree, top, &mut text)?;
    }
    // Where nothing on the page looks like content, its own word for it is better.
    let much = if tops == [ROOT] { 1 } else { 3 };
    if let Some(stated) = stated.filter(|stated| stated.len() > 600 && stated.len() > much * text.text().len()) {
        let mut other = TextBuilder::new(limits);
        if stated.contains("</") {
            visible_text::write_visible_text(&stated, &mut other, limits)?;
        } else {
            for line in stated.lines().map(str::trim).filter(|line| !line.is_empty()) {
                other.push(line)?;
                other.end_paragraph()?;
            }
        }
        if other.len() > (much - much / 2) * text.len() {
            text = other;
        }
    }
    Ok(text.finish())
}

/// Returns the month-first order for American pages, else day-first.
fn date_order(language: Option<&str>, url: Option<&Url>) -> DateOrder {
    let american = language.is_some_and(|tag| tag == "en-US")
        || (language.is_none_or(|tag| tag == "en")
            && url.and_then(Url::host_str).is_none_or(|host| {
                [".com", ".us", ".org", ".net", ".gov", ".edu"].iter().any(|end| host.ends_with(end))
            }));
    if american { DateOrder::MonthFirst } else { DateOrder::DayFirst }
}

/// The identifier in what may be an address or a label with it.
fn parse_doi(said: &str) -> Option<String> {
    let at = said.find("10.")?;
    let doi = said[at..].split_whitespace().next()?.trim_end_matches(['.', ',', ';']);
    let (prefix, suffix) = doi.split_once('/')?;
    let digits = prefix.trim_start_matches("10.");
    (digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && !suffix.is_empty())
        .then(|| doi.to_owned())
}
