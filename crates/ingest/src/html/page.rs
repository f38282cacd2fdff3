//! A page of the web: its content, and what it tells about itself.

use ibid_domain::{Mark, Name, PartialDate, Reference};
use url::Url;

use super::{
    beside::Beside,
    byline,
    calendar::Order,
    content, decode, flow,
    head::Head,
    heading, published,
    published::Calendar,
    site,
    tree::{Id, ROOT, Tree},
};
use crate::{Extracted, ExtractionError, Input, Limits, TextBuilder, WebPage};

/// A page to read.
#[derive(Clone, Copy, Debug)]
struct Page<'a> {
    /// Its bytes, and where they came from.
    input: Input<'a>,
    /// The day it is read on, where it is known: nothing has appeared later.
    today: Option<PartialDate>,
}

/// Reads a page of the web.
pub fn read_page(input: &Input<'_>, limits: &Limits) -> Result<Extracted, ExtractionError> {
    Page { input: *input, today: input.today }.read(limits)
}

impl Page<'_> {
    /// The content of the page and what it tells about itself.
    fn read(&self, limits: &Limits) -> Result<Extracted, ExtractionError> {
        if self.input.bytes.is_empty() {
            return Err(ExtractionError::Empty);
        }
        let html = decode(self.input.bytes, self.input.media_type);
        let mut tree = Tree::parse(&html, limits.depth);
        let url = self.input.url.and_then(|url| Url::parse(url).ok());
        let head = Head::of(&tree);
        let (reference, web) = self.metadata(&tree, &head, url.as_ref());
        let bodies: Vec<Id> = head.property("articlebody").collect();
        let stated = head.works.into_iter().find_map(|work| work.body);
        let (text, marks) = content(&mut tree, &bodies, stated, reference.title.as_deref(), limits)?;
        if text.is_empty() && reference.title.is_none() {
            return Err(ExtractionError::NoText);
        }
        Ok(Extracted { media_type: "text/html".to_owned(), text, marks, reference, web, dimensions: None })
    }

    fn metadata(&self, tree: &Tree<'_>, head: &Head<'_>, url: Option<&Url>) -> (Reference, WebPage) {
        let language = head.language(tree);
        let mut names = site::names(head, url);
        names.extend(heading::site_names(tree));
        let base = site::base(head, url);
        let calendar = Calendar { order: order(language.as_deref(), url), today: self.today };
        let web = WebPage {
            site_name: site::shown(head, &names),
            favicon: site::icon(head, base.as_ref()),
            canonical_url: site::canonical(head, base.as_ref(), url),
        };
        let text = |names: &[&str]| head.meta(names).map(|text| text.into_owned());
        let title = heading::find(tree, head, &names);
        let beside = Beside::of(tree);
        let reference = Reference {
            authors: byline::find(tree, head, title.as_deref(), &names, &beside).into_iter().map(Name::Whole).collect(),
            publication_date: published::find(tree, head, title.as_deref(), url, &calendar, &beside),
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
            doi: head.metas(&DOI).find_map(|said| doi(&said)),
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
fn content(
    tree: &mut Tree<'_>,
    bodies: &[Id],
    stated: Option<String>,
    title: Option<&str>,
    limits: &Limits,
) -> Result<(String, Vec<Mark>), ExtractionError> {
    let mut text = TextBuilder::new(limits);
    let tops = content::choose(tree, bodies, title);
    for &top in &tops {
        flow::write(tree, top, &mut text)?;
    }
    // Where nothing on the page looks like content, its own word for it is better.
    let much = if tops == [ROOT] { 1 } else { 3 };
    if let Some(stated) = stated.filter(|stated| stated.len() > 600 && stated.len() > much * text.text().len()) {
        let mut other = TextBuilder::new(limits);
        if stated.contains("</") {
            flow::flow(&stated, &mut other, limits)?;
        } else {
            for line in stated.lines().map(str::trim).filter(|line| !line.is_empty()) {
                other.push(line)?;
                other.paragraph()?;
            }
        }
        if other.len() > (much - much / 2) * text.len() {
            text = other;
        }
    }
    Ok(text.finish())
}

/// Where both are possible, Americans write the month first.
fn order(language: Option<&str>, url: Option<&Url>) -> Order {
    let american = language.is_some_and(|tag| tag == "en-US")
        || (language.is_none_or(|tag| tag == "en")
            && url.and_then(Url::host_str).is_none_or(|host| {
                [".com", ".us", ".org", ".net", ".gov", ".edu"].iter().any(|end| host.ends_with(end))
            }));
    if american { Order::MonthFirst } else { Order::DayFirst }
}

/// The identifier in what may be an address or a label with it.
fn doi(said: &str) -> Option<String> {
    let at = said.find("10.")?;
    let doi = said[at..].split_whitespace().next()?.trim_end_matches(['.', ',', ';']);
    let (prefix, suffix) = doi.split_once('/')?;
    let digits = prefix.trim_start_matches("10.");
    (digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && !suffix.is_empty())
        .then(|| doi.to_owned())
}
